/* Settings of the paper's model of a matrix, and of the hierarchical one whatever its size. */
#ifndef GIBBSITE_TESTS_PAPER_SETTINGS_H
#define GIBBSITE_TESTS_PAPER_SETTINGS_H

#include "options/settings.h"

static inline gbs_complete_settings paper_settings(void) {
    gbs_complete_settings o = gbs_complete_settings_default();
    o.model = GBS_COMPLETION_PAPER;
    o.tolerance = 1e-6;
    return o;
}

static inline gbs_complete_settings hierarchical_settings(void) {
    gbs_complete_settings o = gbs_complete_settings_default();
    o.choose_model = 0;
    return o;
}

#endif
