/* Data handles, scaling, and the design rows that solvers see.
 *
 *   gbs_data (what the caller gave)  --scaling-->  gbs_rows (scaled, with intercept; dense or CSR
 * with a shift)
 */
#ifndef GIBBSITE_DATA_ROWS_H
#define GIBBSITE_DATA_ROWS_H

#include "core/context.h"
#include "data/source.h"
#include "kernel/strip.h"
#include "options/settings.h"

struct gbs_data {
    gbs_context *ctx;
    size_t n, d;
    const double *dense; /* row i at dense + i * row_stride, or NULL */
    size_t row_stride;
    const size_t *row_start;
    const uint32_t *column;
    const double *value;
    const double *y; /* NULL: no labels */
    /* a view: its row i is row pick[i] of the arrays above, its label y[i]. NULL: all rows, in
     * order */
    const size_t *pick;
    unsigned looked;    /* bits of gbs_looked */
    gbs_source *source; /* NULL: no table made them. A view has that of its data */
    bool borrowed;      /* the cells are not ours; a view's labels and pick always are */
};

/* The given rows of `data`, in that order. The view shares the cells of `data`, which must outlive
 * it, and may be viewed in turn. */
gbs_status gbs_data_view(gbs_context *ctx, const gbs_data *data, const size_t *rows, size_t count,
                         gbs_data **out);

/* One row as the caller gave it. */
typedef struct gbs_raw_row {
    size_t stored;
    const double *value;
    const uint32_t *column; /* of each stored value; NULL: dense, every column in order */
} gbs_raw_row;

/* Row i, of a view or not: all who read raw rows come through here. */
gbs_raw_row gbs_data_at(const gbs_data *data, size_t i);
/* The number of row i in the data that the caller gave: the one to name in messages. */
size_t gbs_data_origin(const gbs_data *data, size_t i);

/* The columns that are used, of `given` ones. */
typedef struct gbs_seen {
    size_t given, size;
    uint32_t *column; /* `size` of them, increasing; NULL: all */
} gbs_seen;

/* The columns that one of the rows sets (rows NULL: the first `count`); of dense data all. */
gbs_status gbs_data_seen(gbs_context *ctx, const gbs_data *data, const size_t *rows, size_t count,
                         gbs_seen *out);
void gbs_seen_free(const gbs_context *ctx, gbs_seen *seen);
/* Number k of those used, as it was given; `given` beyond them, where an intercept stands. */
size_t gbs_seen_column(const gbs_seen *seen, size_t k);
/* A copy with these columns alone; *lost: cells of others that are not zero. Its rows are numbered
 * anew: messages about a row come before. */
gbs_status gbs_data_keep(gbs_context *ctx, const gbs_data *data, const gbs_seen *seen,
                         gbs_data **out, size_t *lost);

/* How raw features become design columns; kept in the model and applied unchanged to new rows. */
typedef struct gbs_scaling {
    gbs_scale kind;
    bool intercept;
    bool
        relevance; /* standard only: columns are stretched after their correlation with the label */
    double constant; /* the value of the intercept's column */
    double clip;     /* > 0: rows longer than this, intercept included, are shortened to it */
    size_t features; /* columns that are used: all, or */
    gbs_seen seen;   /* those that a learn row sets */
    double *center, *scale; /* standard only: x -> (x - center) / scale */
    double *stretch;        /* relevance only: scale is the standard deviation over this */
} gbs_scaling;

typedef struct gbs_rows {
    gbs_strip all;     /* every row as one block */
    size_t d;          /* columns, intercept included */
    size_t strip_rows; /* rows handled together; depends on the shape alone */
    size_t first;      /* rows before these, where they are a slice: for messages */
    double shift_norm2;
    void *owned[5]; /* arrays to free */
    size_t n_owned;
} gbs_rows;

/* What the options ask for; the constants are then learned from rows, with their labels where
 * relevance is asked for. */
gbs_scaling gbs_scaling_wanted(const gbs_fit_settings *o);
gbs_status gbs_scaling_learn(gbs_context *ctx, const gbs_data *data, const gbs_scaling *wanted,
                             gbs_scaling *out);
gbs_status gbs_scaling_copy(gbs_context *ctx, const gbs_scaling *scaling, gbs_scaling *out);
void gbs_scaling_free(const gbs_context *ctx, gbs_scaling *scaling);

/* Sparse data becomes dense here when that is small or no larger; otherwise it stays sparse. */
gbs_status gbs_rows_build(gbs_context *ctx, const gbs_data *data, const gbs_scaling *scaling,
                          gbs_rows *out);
/* Dense rows from a matrix that the caller keeps (n x d, row stride ld); not to be freed. */
gbs_rows gbs_rows_wrap(size_t n, size_t d, const double *x, size_t ld, const double *y);
void gbs_rows_free(const gbs_context *ctx, gbs_rows *rows);

/* Every stride-th row, sharing memory with `rows`; not to be freed. */
gbs_rows gbs_rows_subsample(const gbs_rows *rows, size_t stride);

/* Rows first .. first + count - 1, sharing memory with `rows`; not to be freed. */
gbs_rows gbs_rows_slice(const gbs_rows *rows, size_t first, size_t count);

size_t gbs_rows_strips(const gbs_rows *rows);
gbs_strip gbs_rows_strip(const gbs_rows *rows, size_t index);

#endif
