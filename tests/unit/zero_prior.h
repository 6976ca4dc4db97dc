/* Options of a plain fit: the paper's prior N(0, 1), lambda = n, one posterior of all rows. */
#ifndef GIBBSITE_TESTS_ZERO_PRIOR_H
#define GIBBSITE_TESTS_ZERO_PRIOR_H

#include "fit/run.h"

static inline gbs_fit_settings zero_prior_options(void) {
    gbs_fit_settings options = gbs_fit_settings_default();
    options.prior = GBS_PRIOR_ZERO;
    options.prior_sd = 1.0;
    options.select = GBS_SELECT_LAST;
    return options;
}

#endif
