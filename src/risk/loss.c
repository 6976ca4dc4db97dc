/* The table of losses. */
#include "risk/loss.h"

#include <math.h>

const gbs_loss_ops *gbs_loss_of(gbs_loss loss) {
    switch (loss) {
    case GBS_LOSS_ZERO_ONE:
        return &gbs_zero_one;
    case GBS_LOSS_HINGE:
        return &gbs_hinge;
    case GBS_LOSS_EXPONENTIAL:
        return &gbs_exponential;
    case GBS_LOSS_PROBIT:
        return &gbs_probit;
    case GBS_LOSS_AUTO:    /* settled before */
    case GBS_LOSS_SOFTMAX: /* of many scores, not of one margin: fit/joint.c */
        break;
    }
    return NULL;
}

bool gbs_loss_is_error(gbs_loss loss) {
    const gbs_loss_ops *ops = gbs_loss_of(loss);
    return ops != NULL && ops->error;
}

bool gbs_loss_is_by_length(gbs_loss loss) {
    const gbs_loss_ops *ops = gbs_loss_of(loss);
    return ops != NULL && ops->by_length;
}

bool gbs_loss_over_pairs(gbs_loss loss) {
    const gbs_loss_ops *ops = gbs_loss_of(loss);
    return ops != NULL && ops->over_pairs;
}

bool gbs_loss_is_joint(gbs_loss loss) {
    return loss == GBS_LOSS_SOFTMAX;
}

void gbs_loss_smoothed(gbs_loss loss, double mu, double s, double *psi, double *d_mu, double *d_s) {
    const gbs_loss_ops *ops = gbs_loss_of(loss);
    double value = NAN, by_mu = NAN, by_s = NAN;
    if (ops != NULL && s >= 0.0 && !isnan(mu))
        ops->pointwise.smoothed(1, &mu, &s, &value, &by_mu, &by_s);
    if (psi != NULL)
        *psi = value;
    if (d_mu != NULL)
        *d_mu = by_mu;
    if (d_s != NULL)
        *d_s = by_s;
}
