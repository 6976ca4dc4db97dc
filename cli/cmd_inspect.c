/* gibbsite inspect: what a model file holds. */
#include "ratings_use.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>

enum { SHOWN = 20 };

struct coefficient {
    size_t k;
    double mean, sd;
};

static int by_weight(const void *a, const void *b) {
    double x = fabs(((const struct coefficient *)a)->mean), y = fabs(((const struct coefficient *)b)->mean);
    return (x < y) - (x > y);
}

static void inspect_json(const struct app *app, const gbs_model *model, const struct recipe *r, const double *mean,
                         const double *sd, struct text *out) {
    gbs_model_info info;
    gbs_model_get_info(model, &info);
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    result_model(&j, &info);
    json_put_string(&j, "target", r->target);
    json_put_string(&j, "positive", r->positive);
    json_put_string(&j, "negative", r->negative);
    result_certificates(&j, model);
    result_stages(&j, model);
    result_path(&j, "path", model);
    json_open_array(&j, "coefficients");
    for (size_t k = 0; k < info.d; k++) {
        char name[256];
        recipe_feature_name(r, k, name, sizeof name);
        json_open_object(&j, NULL);
        json_put_string(&j, "name", name);
        json_put_number(&j, "mean", mean[k]);
        json_put_number(&j, "sd", sd[k]);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static int inspect_text(const struct app *app, const gbs_model *model, const struct recipe *r, const double *mean,
                        const double *sd, struct text *out) {
    gbs_model_info info;
    gbs_model_get_info(model, &info);
    struct coefficient *c = calloc(info.d, sizeof *c);
    if (c == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    for (size_t k = 0; k < info.d; k++)
        c[k] = (struct coefficient){k, mean[k], sd[k]};
    qsort(c, info.d, sizeof *c, by_weight);
    text_add(out, "%s\n", app->options.inputs[0]);
    result_model_text(out, model);
    text_add(out, "  label         %s%s%s = +1, %s = -1\n", r->target != NULL ? r->target : "", r->target != NULL ? ": " : "",
             r->positive, r->negative != NULL ? r->negative : "the rest");
    result_certificates_text(out, model);
    text_add(out, "  coefficients  of the scaled columns, largest first\n");
    text_add(out, "  %14s %12s %12s %12s\n", "", "mean", "sd", "mean/sd");
    size_t shown = info.d < SHOWN ? info.d : SHOWN;
    for (size_t k = 0; k < shown; k++) {
        char name[64];
        recipe_feature_name(r, c[k].k, name, sizeof name);
        text_add(out, "  %-14s %12.4g %12.4g %12.2f\n", name, c[k].mean, c[k].sd, c[k].mean / c[k].sd);
    }
    if (shown < info.d)
        text_add(out, "  ... and %zu more (--json has them all)\n", info.d - shown);
    free(c);
    return EXIT_DONE;
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct predictor loaded = {0};
    struct recipe recipe = {0};
    struct text text = {0};
    double *mean = NULL, *sd = NULL;
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE, "inspect: expected one model file, found %zu arguments; gibbsite %s", o->n_inputs,
                        app->command->usage);
    int code = predictor_load(app, o->inputs[0], &loaded);
    if (code == EXIT_DONE && loaded.completion != NULL) {
        code = ratings_inspect(app, loaded.completion);
        predictor_free(&loaded);
        return code;
    }
    if (code == EXIT_DONE && loaded.model == NULL)
        code = app_fail(app, EXIT_BAD_DATA, "%s: not a gibbsite model file", o->inputs[0]);
    const gbs_model *model = loaded.model;
    if (code == EXIT_DONE)
        code = input_recipe(app, o->inputs[0], model, &recipe);
    if (code == EXIT_DONE) {
        gbs_model_info info;
        gbs_model_get_info(model, &info);
        mean = calloc(info.d, sizeof *mean);
        sd = calloc(info.d, sizeof *sd);
        if (mean == NULL || sd == NULL)
            code = app_fail(app, EXIT_MEMORY, "out of memory");
    }
    if (code == EXIT_DONE) {
        gbs_status status = gbs_model_coefficients(app->ctx, model, mean, sd);
        code = status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, o->inputs[0]);
    }
    if (code == EXIT_DONE) {
        if (given(o, OPT_JSON))
            inspect_json(app, model, &recipe, mean, sd, &text);
        else
            code = inspect_text(app, model, &recipe, mean, sd, &text);
    }
    if (code == EXIT_DONE)
        code = app_write(app, NULL, &text);
    text_free(&text);
    free(mean);
    free(sd);
    predictor_free(&loaded);
    recipe_free(&recipe);
    return code;
}

const struct command command_inspect = {
    "inspect",
    FOR_INSPECT,
    "inspect MODEL [OPTIONS]",
    "what a model file holds",
    "Prints how the model was fitted, how well, and the posterior mean and standard deviation of its coefficients.",
    "gibbsite inspect model.json\n"
    "gibbsite inspect model.json --json",
    run,
};
