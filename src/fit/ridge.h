/* Ridge regression of labels, each row left out in turn. */
#ifndef GIBBSITE_FIT_RIDGE_H
#define GIBBSITE_FIT_RIDGE_H

#include "data/rows.h"

typedef struct gbs_ridge {
    const gbs_rows *rows;
    double *gram, *cross; /* X'X (lower triangle) and X'y */
    double *factor, *room, *projected;
    double length2; /* mean squared length of a row */
} gbs_ridge;

/* Of rows with labels, which stay the caller's and are needed later on. */
gbs_status gbs_ridge_create(gbs_context *ctx, const gbs_rows *rows, gbs_ridge *out);
void gbs_ridge_free(const gbs_context *ctx, gbs_ridge *ridge);

/* What the others say of each row, with a ridge of `penalty` times the mean squared length of a
 * row; good false: the columns are not independent enough for it. */
gbs_status gbs_ridge_leave_one_out(gbs_context *ctx, gbs_ridge *ridge, double penalty,
                                   double *score, bool *good);

/* The same of k targets a row (target and score n x k) in place of the labels. */
gbs_status gbs_ridge_leave_one_out_many(gbs_context *ctx, gbs_ridge *ridge, double penalty,
                                        size_t k, const double *target, double *score, bool *good);

#endif
