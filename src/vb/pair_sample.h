/* The risk over pairs from a sample of them. */
#ifndef GIBBSITE_VB_PAIR_SAMPLE_H
#define GIBBSITE_VB_PAIR_SAMPLE_H

#include "vb/free_energy.h"

/* Mean of psi over `draws` > 0 pairs, drawn independently and uniformly from all pairs of a
 * positive and a negative row; both classes must be there. */
gbs_status gbs_pair_sampled_risk(gbs_context *ctx, const gbs_rows *pairs, const gbs_gaussian *g,
                                 const gbs_loss_ops *loss, uint64_t draws, double *mean);

#endif
