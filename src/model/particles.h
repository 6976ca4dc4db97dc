/* What is kept of a sampling: equally weighted particles, how they came about, and the scaling of the rows they speak of. */
#ifndef GIBBSITE_MODEL_PARTICLES_H
#define GIBBSITE_MODEL_PARTICLES_H

#include "data/rows.h"

struct gbs_particles {
    gbs_context *ctx;
    gbs_sample_info info;
    gbs_scaling scaling;
    double *theta; /* info.particles x info.d */
    gbs_sample_point *path;
    size_t path_size;
    char *recipe;
};

/* Of sample files; counts the incompatible versions. */
enum { GBS_SAMPLE_FORMAT = 1 };

gbs_status gbs_particles_create(gbs_context *ctx, gbs_particles **out);

/* Over the particles, for each row of the design: mean and standard deviation of the score, share of the votes for +1, and (labels needed) the mean loss
 * of the sampling and the mean zero-one loss. Any may be NULL. */
typedef struct gbs_vote {
    double *score, *sd, *share, *loss, *error;
} gbs_vote;
gbs_status gbs_particles_vote(gbs_context *ctx, const gbs_particles *particles, const gbs_rows *rows, const gbs_vote *out);

#endif
