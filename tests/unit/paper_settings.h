/* Settings of the paper's model of a matrix. */
#ifndef GIBBSITE_TESTS_PAPER_SETTINGS_H
#define GIBBSITE_TESTS_PAPER_SETTINGS_H

#include "options/settings.h"

static inline gbs_complete_settings paper_settings(void) {
    gbs_complete_settings o = gbs_complete_settings_default();
    o.model = GBS_COMPLETION_PAPER;
    o.tolerance = 1e-6;
    return o;
}

#endif
