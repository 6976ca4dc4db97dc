/* What is kept of a sampling: equally weighted particles, how they came about, and the scaling of
 * the rows they speak of. */
#ifndef GIBBSITE_MODEL_PARTICLES_H
#define GIBBSITE_MODEL_PARTICLES_H

#include "map/map.h"
#include "pass/pass.h"

struct gbs_particles {
    gbs_context *ctx;
    gbs_sample_info info;
    gbs_maps maps;
    double *theta;      /* info.particles x info.d */
    double *prior_mean; /* NULL: 0 */
    gbs_sample_point *path;
    size_t path_size;
    /* ranking: quantiles of the mean scores of the training rows of -1, ascending */
    double *negatives;
    size_t negatives_size;
    char *recipe;
};

/* Of sample files; counts the incompatible versions. Rankings came with 2; a sample of classifiers
 * is still written as 1. */
enum { GBS_SAMPLE_FORMAT = 2, GBS_SAMPLE_FORMAT_CLASSIFY = 1 };

gbs_status gbs_particles_create(gbs_context *ctx, gbs_particles **out);
/* GBS_ERR_NUMERIC when a number that a sampling leaves behind is not finite. A risk may be infinite
 * (exponential loss) but not NaN. */
gbs_status gbs_particles_check(gbs_context *ctx, const gbs_particles *particles);

#endif
