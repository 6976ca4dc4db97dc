/* Ratings: observations (row, column, value) of the cells of a matrix, by row and by column. A cell
 * may be observed more than once. */
#ifndef GIBBSITE_DATA_RATINGS_H
#define GIBBSITE_DATA_RATINGS_H

#include "core/context.h"
#include "data/hash.h"

/* Features of one side at most. */
enum { GBS_MOST_SIDE_FEATURES = 1000 };

/* The observations of each row (or column): those of item i are other[k], value[k], k = start[i] ..
 * start[i + 1] - 1, in the order they came. */
typedef struct gbs_rating_list {
    size_t items;
    size_t *start;
    uint32_t *other;
    double *value; /* as they came: a subset has them to the bit */
    /* items of block b: block[b] .. block[b + 1] - 1; borders depend on the ratings alone */
    size_t *block;
    size_t blocks;
} gbs_rating_list;

struct gbs_ratings {
    gbs_context *ctx;
    size_t n;
    double center;       /* their mean, about which sums are taken so that squares do not cancel */
    double sum, squares; /* of value - center */
    double low, high;    /* smallest and largest value */
    gbs_rating_list by[2]; /* rows, columns */
    void *block;           /* what `other` and `value` of both lie in */
    bool shared;           /* ranks have one between them */
    char *folder; /* that it lies in a file of, as does what parts are made of; NULL: in memory */
    char **id[2]; /* texts of the items; one allocation each side */
    char *texts[2];
    gbs_hash in_order; /* of the ratings as they came; of a subset 0 */
    /* what is known of the items beside their ratings: items x features, NaN where missing; NULL:
     * nothing */
    double *feature[2];
    size_t features[2];
};

/* gbs_ratings_create, of what lies in files in a folder; NULL: in memory. The order they came in
 * is not noted. */
gbs_status gbs_ratings_create_in(gbs_context *ctx, const char *folder, size_t n, size_t rows,
                                 size_t columns, const uint32_t *row, const uint32_t *column,
                                 const double *value, const char *const *row_ids,
                                 const char *const *column_ids, gbs_ratings **out);

/* The hash of a rating: of the names of its row and its column, and its value. */
gbs_hash gbs_rating_hash(gbs_hash row, gbs_hash column, double value);
/* The order that the ratings, which r was made of, came in. */
gbs_status gbs_ratings_note_order(gbs_context *ctx, gbs_ratings *r, const uint32_t *row,
                                  const uint32_t *column, const double *value);
/* The hash of a set of ratings, in whatever order. */
gbs_hash gbs_ratings_hash(const gbs_ratings *r);

/* The numbers of the ratings in a random order; twice: and once more behind it, so that it can be
 * begun anywhere. The caller frees it. */
gbs_status gbs_ratings_shuffled(gbs_context *ctx, const gbs_ratings *r, uint64_t seed,
                                uint64_t stream, bool twice, size_t **out);

/* The ratings numbered pick[0 .. count - 1] (in the order of by[0]; NULL: the first ones) of the
 * same rows and columns; texts are not taken along. */
gbs_status gbs_ratings_subset(gbs_context *ctx, const gbs_ratings *all, size_t count,
                              const size_t *pick, gbs_ratings **out);

/* Sums are taken about another centre from now on. */
void gbs_ratings_recentre(gbs_ratings *r, double centre);

/* A prediction moved into [low, high]. NaN stays NaN: fmin and fmax would make it an end of it. */
static inline double gbs_rating_clip(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Texts of `items` items into one block of memory with a table of pointers; ids NULL: the numbers
 * from 1. */
gbs_status gbs_texts_copy(gbs_context *ctx, size_t items, const char *const *ids, char ***id,
                          char **texts);

#endif
