/* Batches of the stochastic solvers: some rows, or pairs of rows, drawn from all of them and laid
 * out densely. */
#ifndef GIBBSITE_VB_BATCH_H
#define GIBBSITE_VB_BATCH_H

#include "vb/free_energy.h"

typedef struct gbs_batch {
    gbs_rows rows; /* rows.strip_rows: as many as fit */
    double *x, *y;
    size_t positives; /* over pairs: of all rows */
    uint64_t stream;  /* of random numbers; draw t depends on the seed, it and t alone */
} gbs_batch;

/* Room for `rows` rows; with `pairs` the first half of them is positive, the second negative. */
gbs_status gbs_batch_create(const gbs_problem *problem, size_t rows, bool pairs, uint64_t stream,
                            gbs_batch *out);
void gbs_batch_free(const gbs_context *ctx, gbs_batch *b);

/* The rows order[0 .. count - 1]. */
void gbs_batch_fill(gbs_batch *b, const gbs_rows *rows, const size_t *order, size_t count);
/* As many positive as negative rows, drawn with replacement: a problem over all their pairs. */
void gbs_batch_draw_block(const gbs_context *ctx, gbs_batch *b, const gbs_rows *rows, uint64_t t);
/* Each row the difference of a positive and a negative row, drawn with replacement; `other`: room
 * for a row. */
void gbs_batch_draw_pairs(const gbs_context *ctx, gbs_batch *b, const gbs_rows *rows, uint64_t t,
                          double *other);

#endif
