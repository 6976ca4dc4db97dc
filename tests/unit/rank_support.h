/* What the tests of rankings share: options, and data of known AUC. */
#ifndef GIBBSITE_TESTS_RANK_SUPPORT_H
#define GIBBSITE_TESTS_RANK_SUPPORT_H

#include "unit/support.h"
#include "unit/zero_prior.h"

static inline gbs_fit_settings ranking(gbs_loss loss, gbs_family family) {
    gbs_fit_settings o = zero_prior_options();
    o.task = GBS_TASK_RANK;
    o.loss = loss;
    o.family = family;
    return o;
}

/* x ~ N(y delta e, I), labels of unequal chances. The score x'theta has 1 - AUC = Phi(-sqrt(2)
 * delta e'theta/|theta|). */
static inline struct table_of_numbers two_clouds(struct dice *r, size_t n, size_t d, double delta,
                                                 double positive) {
    struct table_of_numbers t = {.n = n, .d = d, .x = doubles(n * d), .y = doubles(n)};
    for (size_t i = 0; i < n; i++) {
        t.y[i] = i < 4 ? (i % 2 == 0 ? 1.0 : -1.0) : dice_uniform(r) < positive ? 1.0 : -1.0;
        for (size_t k = 0; k < d; k++)
            t.x[i * d + k] = dice_normal(r) + (k == 0 ? t.y[i] * delta : 0.0);
    }
    make_csr(&t);
    return t;
}

static inline double upper_tail(double z) {
    return 0.5 * erfc(z * sqrt(0.5));
}

#endif
