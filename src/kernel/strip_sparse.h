/* The level-3 sums of strip.h over rows of few cells, without making them dense. */
#ifndef GIBBSITE_KERNEL_STRIP_SPARSE_H
#define GIBBSITE_KERNEL_STRIP_SPARSE_H

#include "kernel/strip.h"

/* Columns of a factor that meet the rows at once. */
enum { GBS_PANEL = 32 };

/* Worth it for these rows: they are sparse, few cells of theirs are set, and the scratch space of
 * n * d is enough. */
bool gbs_sparse_factor_pays(const gbs_strip *b);
bool gbs_sparse_gram_pays(const gbs_strip *b);

/* gbs_strip_factor_variance; scratch has room for (GBS_PANEL + 1) * d. */
void gbs_sparse_factor_variance(const gbs_strip *b, const double *c, double *scratch,
                                double *variance);
/* gbs_strip_gram; scratch has room for d. */
void gbs_sparse_gram(const gbs_strip *b, const double *w, double *scratch, double *m);

#endif
