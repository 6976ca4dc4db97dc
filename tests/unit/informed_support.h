/* What the tests of certified fits share. */
#ifndef GIBBSITE_TESTS_INFORMED_SUPPORT_H
#define GIBBSITE_TESTS_INFORMED_SUPPORT_H

#include "unit/support.h"
#include "unit/zero_prior.h"

enum { N = 90, D = 3 };
static inline const gbs_certificate *find(const gbs_model *model, gbs_target target, gbs_loss loss,
                                          gbs_bound method) {
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    for (size_t k = 0; k < count; k++)
        if (c[k].target == target && c[k].loss == loss && c[k].method == method)
            return &c[k];
    return NULL;
}

static inline gbs_fit_settings informed(gbs_bound bound) {
    gbs_fit_settings o = gbs_fit_settings_default();
    o.bound = bound;
    return o;
}

#endif
