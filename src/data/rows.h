/* Data handles, and the design rows that solvers see.
 *
 *   gbs_data (what the caller gave)  --maps (map/map.h)-->  gbs_rows (dense, or CSR with a shift)
 */
#ifndef GIBBSITE_DATA_ROWS_H
#define GIBBSITE_DATA_ROWS_H

#include "core/pages.h"
#include "data/source.h"
#include "data/row_summary.h"
#include "kernel/strip.h"
#include "options/settings.h"

struct gbs_data {
    gbs_context *ctx;
    size_t n, d;
    const double *dense; /* row i at dense + i * row_stride, or NULL */
    const float *single; /* the same in single precision, or NULL */
    size_t row_stride;
    size_t column_gap; /* elements between the cells of two columns; 0: side by side */
    const size_t *row_start;
    const uint32_t *column;
    const double *value;
    const double *y; /* NULL: no labels */
    double *costs;   /* classes x classes, [is][said]; NULL, and of a view: none */
    size_t classes;  /* above 2: y are numbers of classes from 0, or `classes` for none of them */
    /* of each row in the risk of a fit, near 1 in the mean; NULL: all alike. Always ours */
    const double *weight;
    double weight_unit;    /* what 1 was in the caller's units; 0: no weights were given */
    const uint32_t *group; /* of each row, below `groups`; NULL: every row by itself. Always ours */
    size_t groups;
    /* a view: its row i is row pick[i] of the arrays above, its label y[i]. NULL: all rows, in
     * order */
    const size_t *pick;
    /* of arrays whose rows were put in another order: which row of the caller's each of them is.
     * NULL: they are in his */
    const size_t *came;
    void *arranged[3];      /* a view's own: its cells, in its order; with `came` */
    bool in_file;           /* the cells lie in a file */
    size_t every;           /* then: rows between two times that their pages are dropped */
    const gbs_spill *spill; /* where arrays as long as the rows go; NULL: to memory */
    /* of each row of the arrays: a fit learns from it, and is certified on the others; NULL: the
     * fit draws a split itself. A view has that of its data */
    unsigned char *learned;
    unsigned looked;    /* bits of gbs_looked */
    gbs_source *source; /* NULL: no table made them. A view has that of its data */
    bool borrowed;      /* the cells are not ours; a view's labels and pick always are */
    double *own_labels; /* y, where it was given later; NULL: as the cells */
    bool own_indices;   /* row_start and column are ours all the same; not of a view */
    /* what the rows were before their columns were made, or others left out; known or not */
    bool hashed;
    gbs_row_summary summary;
};

/* For a part of a file of which every row is left out. */
gbs_status gbs_data_without_rows(gbs_context *ctx, size_t d, gbs_data **out);

/* The given rows of `data`, in that order. The view shares the cells of `data`, which must outlive
 * it, and may be viewed in turn. */
gbs_status gbs_data_view(gbs_context *ctx, const gbs_data *data, const size_t *rows, size_t count,
                         gbs_data **out);

/* Dense cells in a file, which a reader has checked; borrowed. */
gbs_status gbs_data_in_file(gbs_context *ctx, size_t n, size_t d, const double *x,
                            size_t row_stride, const double *y, gbs_data **out);
gbs_status gbs_data_csr_in_file(gbs_context *ctx, size_t n, size_t d, const size_t *row_start,
                                const uint32_t *column, const double *value, const double *y,
                                gbs_data **out);
/* A view of many rows in a file gets a file of its own, with the rows one after the other in its
 * order: passes over it then read forward. Of other views nothing changes (arrange.c). */
gbs_status gbs_data_arrange(gbs_context *ctx, gbs_data *view);

/* The rows whose weight is not 0, as a view of their own; NULL: that is all of them. */
gbs_status gbs_data_weighed(gbs_context *ctx, const gbs_data *data, gbs_data **out);

/* The largest weight in the caller's units; 0: no weights were given. */
double gbs_data_largest_weight(const gbs_data *data);
/* Weights of the rows as shares of `most`, in the caller's units. */
void gbs_data_weight_shares(const gbs_data *data, double most, double *share);

/* Weighs a view once more: rows of +1 by `up`, of -1 by `down`. */
gbs_status gbs_data_weigh_classes(gbs_context *ctx, gbs_data *view, double up, double down);

/* Rows whose features are those of another row before them, where columns are continuous; 0 where
 * equal rows are only to be expected. */
gbs_status gbs_data_copies(gbs_context *ctx, const gbs_data *data, size_t *copies);

/* Names of groups as numbers from 0, in order of first appearance; and how many groups there are.
 */
gbs_status gbs_groups_number(gbs_context *ctx, size_t n, const uint64_t *name, uint32_t *group,
                             size_t *count);
/* The mean of the values of each group that has one, in order of first appearance; a value that is
 * NaN does not count. mean has room for n. */
gbs_status gbs_groups_mean(gbs_context *ctx, const uint32_t *group, size_t groups, size_t n,
                           const double *value, double *mean, size_t *count);

enum { GBS_MOST_CLASSES = 1000 };

/* The hash of the rows, their labels included, in whatever order they come; and the seed of the
 * order that a split goes by (docs/maths.md, 11.2). */
gbs_hash gbs_data_hash(const gbs_data *data);
uint64_t gbs_data_order_seed(const gbs_context *ctx, const gbs_data *data);
/* The same hash and what the order of the rows tells, in one pass (data/row_summary.h). */
gbs_status gbs_data_summary(gbs_context *ctx, const gbs_data *data, gbs_row_summary *out);

/* One row as the caller gave it. */
typedef struct gbs_raw_row {
    size_t stored;
    const double *value;    /* NULL: singles */
    const uint32_t *column; /* of each stored value; NULL: dense, every column in order */
    const float *single;
    size_t gap; /* elements between two values */
} gbs_raw_row;

/* Its k-th stored value. */
static inline double gbs_raw_value(const gbs_raw_row *row, size_t k) {
    return row->value != NULL ? row->value[k * (row->gap + 1)]
                              : (double)row->single[k * (row->gap + 1)];
}

/* Every column of every row is stored. */
bool gbs_data_is_dense(const gbs_data *data);
/* Its rows of doubles lie one after the other. */
bool gbs_data_is_plain(const gbs_data *data);

/* Row i, of a view or not: all who read raw rows come through here. */
gbs_raw_row gbs_data_at(const gbs_data *data, size_t i);
/* The number of row i in the data that the caller gave: the one to name in messages. */
size_t gbs_data_origin(const gbs_data *data, size_t i);
/* Its number in the arrays. */
size_t gbs_data_place(const gbs_data *data, size_t i);
/* A loop over all rows is at row i, and through with those before: of rows in a file the pages
 * leave memory now and then. */
void gbs_data_passed(const gbs_data *data, size_t i);
/* The same of a loop over some rows, ascending, at the i-th of them; NULL: over all. */
void gbs_data_passed_in(const gbs_data *data, const size_t *rows, size_t i);

/* The split that the caller said; false where none was said. */
/* GBS_ERR_DATA where `learned` of n rows leave none to certify, or none to learn from. */
gbs_status gbs_data_check_split(gbs_context *ctx, size_t learned, size_t n);
bool gbs_data_is_learned(const gbs_data *data, size_t i);

typedef struct gbs_rows {
    gbs_strip all;     /* every row as one strip */
    size_t d;          /* columns, intercept included */
    size_t strip_rows; /* rows handled together; depends on the shape alone */
    size_t first;      /* rows before these, where they are a slice: for messages */
    double shift_norm2;
    bool in_file;           /* the cells lie in a file (core/pages.h) */
    const gbs_spill *spill; /* where arrays as long as these go; NULL: to memory */
    void *owned[5];         /* arrays to free */
    size_t n_owned;
} gbs_rows;

/* Rows that are handled together: a strip of a quarter of a megabyte stays in the second-level
 * cache beside its products. */
size_t gbs_rows_a_strip(size_t d);
/* An array that the rows are to free; returns it. */
void *gbs_rows_own(gbs_rows *rows, void *array);

/* Dense rows from a matrix that the caller keeps (n x d, row stride ld); not to be freed. */
gbs_rows gbs_rows_wrap(size_t n, size_t d, const double *x, size_t ld, const double *y);
void gbs_rows_free(const gbs_context *ctx, gbs_rows *rows);

/* Every stride-th row, sharing memory with `rows`; not to be freed. */
gbs_rows gbs_rows_subsample(const gbs_rows *rows, size_t stride);

/* Rows first .. first + count - 1, sharing memory with `rows`; not to be freed. */
gbs_rows gbs_rows_slice(const gbs_rows *rows, size_t first, size_t count);

size_t gbs_rows_strips(const gbs_rows *rows);
gbs_strip gbs_rows_strip(const gbs_rows *rows, size_t index);
/* A pass is through with a strip, which need not stay in memory. */
void gbs_rows_passed(const gbs_rows *rows, const gbs_strip *strip);

#endif
