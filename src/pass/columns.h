/* Rows against k coefficient vectors side by side: coefficient a of vector c at m[a * k + c]. */
#ifndef GIBBSITE_PASS_COLUMNS_H
#define GIBBSITE_PASS_COLUMNS_H

#include "data/rows.h"

/* Numbers that the two below work in, of strips of so many rows. */
static inline size_t gbs_columns_room(size_t d, size_t rows) {
    return d + rows;
}

/* score (n x k) = X M. */
void gbs_columns_scores(const gbs_strip *b, size_t k, const double *m, double *room, double *score);
/* slope (d x k) += X'E, E n x k. */
void gbs_columns_pull(const gbs_strip *b, size_t k, const double *e, double *room, double *slope);

/* pull += X' diag(w) X of all rows, w by row: d x d, the lower triangle, or the d numbers of its
 * diagonal. */
gbs_status gbs_columns_gram(gbs_context *ctx, const gbs_rows *rows, const double *w, bool matrix,
                            double *pull);

#endif
