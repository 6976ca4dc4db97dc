/* What predict and evaluate ask: a fitted model, the particles of a sampling, or a completed
 * matrix. */
#ifndef GIBBSITE_CLI_PREDICTOR_H
#define GIBBSITE_CLI_PREDICTOR_H

#include "input.h"

/* One of the three. What follows is for the first two; ratings_use.h for the third. */
struct predictor {
    gbs_model *model;
    gbs_particles *particles;
    gbs_completion *completion;
};

/* What it was made for; NULL: a completion. */
const gbs_task *predictor_task(const struct predictor *p);
int predictor_load(const struct app *app, const char *path, struct predictor *out);
int predictor_recipe(const struct app *app, const char *path, const struct predictor *p,
                     gbs_recipe **out);
gbs_status predictor_predict(const struct app *app, const struct predictor *p, const gbs_data *data,
                             double *score, double *probability);
gbs_status predictor_evaluate(const struct app *app, const struct predictor *p,
                              const gbs_data *data, gbs_evaluation **out);
/* Of a task with labels: label (+1 or -1), probability of +1 and share of votes for it. */
gbs_status predictor_classify(const struct app *app, const struct predictor *p,
                              const gbs_data *data, double *label, double *probability,
                              double *score, double *vote);
void predictor_free(struct predictor *p);

#endif
