/* Random problems for the tests of what a fit promises; their seeds are fixed, so each check passes
 * always or never. */
#ifndef GIBBSITE_TESTS_SOLVER_SUPPORT_H
#define GIBBSITE_TESTS_SOLVER_SUPPORT_H

#include "unit/support.h"
#include "unit/zero_prior.h"

#define THOROUGH 1e-14

struct problem {
    struct table_of_numbers table;
    gbs_fit_settings options;
};

static inline gbs_scale any_scale(struct dice *r) {
    return (gbs_scale)dice_below(r, 3);
}

/* n in 20..300, d in 2..15, lambda over three powers of ten around n, prior_sd from 0.1 to 5. */
static inline struct problem any_problem(struct dice *r, gbs_loss loss, gbs_family family) {
    struct problem p = {.options = zero_prior_options()};
    size_t n = 20 + dice_below(r, 281), d = 2 + dice_below(r, 14);
    p.table = make_table(r, n, d, 1.0, dice_between(r, 0.1, 1.5));
    p.options.loss = loss;
    p.options.family = family;
    p.options.scale = any_scale(r);
    p.options.intercept = dice_below(r, 2) == 1;
    p.options.lambda = (double)n * exp(dice_between(r, -3.5, 3.5));
    p.options.prior_sd = exp(dice_between(r, -2.3, 1.6));
    p.options.max_iterations = 100000;
    return p;
}

#endif
