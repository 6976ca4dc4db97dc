/* Common interface to models and samples. */
#include "cmd/predictor.h"

#include <errno.h>
#include <string.h>

const gbs_task *predictor_task(const struct predictor *p) {
    return p->model != NULL ? gbs_model_task(p->model) : gbs_particles_task(p->particles);
}

int predictor_load(const struct app *app, const char *path, struct predictor *out) {
    errno = 0;
    gbs_status status = gbs_load_any(app->ctx, strcmp(path, "-") == 0 ? "/dev/stdin" : path,
                                     &out->model, &out->particles, &out->completion);
    if (status != GBS_OK && errno == ENOMEM) {
        predictor_free(out);
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", path);
    }
    if (status == GBS_ERR_IO && app_interrupted())
        status = GBS_ERR_CANCELLED;
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

int predictor_recipe(const struct app *app, const char *path, const struct predictor *p,
                     gbs_recipe **out) {
    if (p->model != NULL)
        return input_recipe(app, path, p->model, out);
    gbs_status status = gbs_recipe_from_particles(app->ctx, p->particles, out);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, path);
}

gbs_status predictor_predict(const struct app *app, const struct predictor *p, const gbs_data *data,
                             double *score, double *probability) {
    if (p->model != NULL)
        return gbs_model_predict(app->ctx, p->model, data, score, NULL, probability);
    return gbs_particles_predict(app->ctx, p->particles, data, score, NULL, probability);
}

gbs_status predictor_evaluate(const struct app *app, const struct predictor *p,
                              const gbs_data *data, gbs_evaluation **out) {
    if (p->model != NULL)
        return gbs_model_evaluate(app->ctx, p->model, data, out);
    return gbs_particles_evaluate(app->ctx, p->particles, data, out);
}

gbs_status predictor_classify(const struct app *app, const struct predictor *p,
                              const gbs_data *data, double *label, double *probability,
                              double *score, double *vote) {
    if (p->model != NULL)
        return gbs_model_classify(app->ctx, p->model, data, label, probability, score, vote);
    gbs_status status = gbs_particles_predict(app->ctx, p->particles, data, score, NULL, vote);
    for (size_t i = 0; status == GBS_OK && i < gbs_data_rows(data); i++) {
        probability[i] = vote[i];
        label[i] = vote[i] >= 0.5 ? 1.0 : -1.0;
    }
    return status;
}

void predictor_free(struct predictor *p) {
    gbs_model_free(p->model);
    gbs_particles_free(p->particles);
    gbs_completion_free(p->completion);
    *p = (struct predictor){0};
}
