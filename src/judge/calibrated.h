/* The probability and the label of a calibrated model (docs/maths.md, 11.3). */
#ifndef GIBBSITE_JUDGE_CALIBRATED_H
#define GIBBSITE_JUDGE_CALIBRATED_H

#include "gibbsite.h"

#include <math.h>
#include <stdbool.h>

/* Of +1. It never falls with the score: every step of it is monotone, rounding included. */
static inline double gbs_calibrated(const gbs_card *c, double score) {
    return 1.0 / (1.0 + exp(-(c->offset + c->slope * score)));
}

/* -log of the probability of the label. */
static inline double gbs_calibrated_log_loss(const gbs_card *c, double score, bool yes) {
    double z = c->offset + c->slope * score, m = yes ? z : -z;
    return fmax(-m, 0.0) + log1p(exp(-fabs(m)));
}

#endif
