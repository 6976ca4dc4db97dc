/* Which map of the columns: a cheap look at the rows to learn from. */
#ifndef GIBBSITE_FIT_CHOOSE_MAP_H
#define GIBBSITE_FIT_CHOOSE_MAP_H

#include "fit/posterior.h"

/* A map and its parameters, as settings take them. */
typedef struct gbs_map_choice {
    gbs_features features;
    size_t size;
    double kernel_width, level_width, axes;
    size_t ridge;      /* that served it best: a step of a grid */
    bool helps;        /* it is better than the columns themselves, beyond two standard errors */
    size_t candidates; /* looked at, linear included */
} gbs_map_choice;

/* The best map for these rows, in random order, of those that the settings leave open (`features`
 * auto, or a map by name without a number of columns). `features` of *out is never linear. */
gbs_status gbs_choose_map(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                          gbs_map_choice *out);
/* A line in the log where a glance at a few rows says that a map would do clearly better. */
gbs_status gbs_map_hint(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o);
/* That glance: would a map do clearly better than the columns themselves? */
gbs_status gbs_map_would_help(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                              bool *helps);

#endif
