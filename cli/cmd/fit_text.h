/* What fit says of its result: eight lines at most, or all there is. */
#ifndef GIBBSITE_CLI_CMD_FIT_TEXT_H
#define GIBBSITE_CLI_CMD_FIT_TEXT_H

#include "input.h"
#include "out/result.h"

struct fit {
    struct app *app;
    const gbs_recipe *recipe; /* of the training data */
    struct input train, test;
    gbs_model *model;
    const gbs_model_info *info;
    gbs_evaluation *evaluation;
    struct roc roc; /* with --json */
    struct baseline baseline;
    bool tested;
    double seconds_read, seconds_fit;
};

/* At most eight lines of at most 80 columns. */
void fit_text_short(const struct fit *f, struct text *out);
/* --verbose: lines of at most 100 columns. */
void fit_text_long(const struct fit *f, struct text *out);

#endif
