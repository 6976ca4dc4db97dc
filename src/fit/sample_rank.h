/* Particles that rank: what a sampling over pairs needs besides the sampling. */
#ifndef GIBBSITE_FIT_SAMPLE_RANK_H
#define GIBBSITE_FIT_SAMPLE_RANK_H

#include "fit/rank.h"
#include "model/particles.h"

/* Sets what the particles' info says of their own rows and of the risk over their pairs, and keeps
 * the scores of the negative ones. */
gbs_status gbs_rank_judge_particles(gbs_context *ctx, const gbs_rows *rows,
                                    const gbs_empirical *risk, gbs_particles *particles);

#endif
