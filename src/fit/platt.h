/* A probability from a score: p = 1/(1 + exp(-(offset + slope s))), slope > 0. */
#ifndef GIBBSITE_FIT_PLATT_H
#define GIBBSITE_FIT_PLATT_H

#include <stddef.h>

typedef struct gbs_platt {
    double offset, slope;
} gbs_platt;

/* From scores of rows that the scorer has not seen, and their labels (y > 0). */
gbs_platt gbs_platt_learn(const double *score, const double *y, size_t n);
/* With offset 0: where the sign of the score is itself the label that errs least, the probability
 * is one half at 0. */
gbs_platt gbs_platt_learn_slope(const double *score, const double *y, size_t n);

/* The mean log loss of these probabilities, in nats. */
double gbs_platt_log_loss(const double *score, const double *y, size_t n, gbs_platt p);

#endif
