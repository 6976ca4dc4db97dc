/* Means over the draws of the hierarchical sampler from conditional means (docs/maths.md, 8.20). */
#ifndef GIBBSITE_COMPLETION_LEVEL_AVERAGE_H
#define GIBBSITE_COMPLETION_LEVEL_AVERAGE_H

#include "completion/hierarchical.h"

typedef struct gbs_level_average {
    size_t count; /* sweeps taken */
    /* own x own, of rows and of columns: from the chain's coordinates to axes that stay. They are
     * known before the sweep that they serve. */
    double *turn[2];
    /* Of a side, (items + 1) x own, in those axes: means over the sweeps of the conditional means;
     * the last is of an item without ratings, of what was drawn. */
    double *mean[2];
    double *start[2]; /* the same of where the chain began */
    double *local;    /* (columns + 1) x own: mean[1] before a sweep, in the chain's coordinates */
    double *now;      /* (most items + 1) x own: of one sweep */
    double *axes, *cross; /* own x own */
} gbs_level_average;

/* Where f stands gives the axes; from here on its sweeps keep conditional means. */
gbs_status gbs_level_average_begin(gbs_levels *f, gbs_level_average *a);
void gbs_level_average_free(const gbs_context *ctx, gbs_level_average *a);
/* Before a sweep that counts: axes and expectations, from what is known by then. */
gbs_status gbs_level_average_aim(const gbs_levels *f, gbs_level_average *a);
/* After it. */
void gbs_level_average_take(const gbs_levels *f, gbs_level_average *a);
/* Between the two: one sweep's estimate of a cell's mean, standardised, and its drawn value.
 * GBS_UNSEEN: a row or column without ratings. */
double gbs_level_average_cell(const gbs_levels *f, const gbs_level_average *a, uint32_t row,
                              uint32_t column, double *drawn);

/* Pulls the means towards the start, to this share of their distance. */
void gbs_level_average_pull(const gbs_levels *f, gbs_level_average *a, double share);

#endif
