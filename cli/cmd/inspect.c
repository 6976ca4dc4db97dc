/* gibbsite inspect: what a model file holds. */
#include "cmd/card.h"
#include "cmd/ratings_use.h"
#include "cmd/sampling.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>

/* A model or particles, and what their coefficients are: means and standard deviations. */
struct shown {
    const struct app *app;
    struct predictor *of;
    gbs_recipe *recipe;
    size_t d;
    double *mean, *sd;
};

/* Column of the data behind coefficient k. */
static size_t column_of(const struct shown *s, size_t k) {
    return s->of->model != NULL ? gbs_model_column(s->of->model, k)
                                : gbs_particles_column(s->of->particles, k);
}

static int inspect_json(const struct shown *s, struct text *out) {
    const gbs_model *model = s->of->model;
    struct json j = json_writer(out);
    int code = EXIT_DONE;
    json_open_object(&j, NULL);
    result_head(&j, s->app);
    if (model != NULL) {
        code = result_describe(&j, s->app, model, GBS_DESCRIBE_INFO);
    } else {
        json_put_string(&j, "kind", "sample");
        code = sampling_json(&j, s->app, s->of->particles);
    }
    json_put_string(&j, "target", gbs_recipe_target(s->recipe));
    if (!result_is_many(s->recipe)) {
        json_put_string(&j, "positive", gbs_recipe_positive(s->recipe));
        json_put_string(&j, "negative", gbs_recipe_negative(s->recipe));
    }
    if (code == EXIT_DONE && model == NULL)
        code = sampling_describe(&j, s->app, s->of->particles, GBS_DESCRIBE_COEFFICIENTS);
    else if (code == EXIT_DONE)
        code = result_describe(&j, s->app, model,
                               GBS_DESCRIBE_CARD | GBS_DESCRIBE_CERTIFICATES | GBS_DESCRIBE_STAGES |
                                   GBS_DESCRIBE_PATH | GBS_DESCRIBE_COEFFICIENTS |
                                   GBS_DESCRIBE_IMPORTANCE | GBS_DESCRIBE_ORIGIN);
    json_close_object(&j);
    return code;
}

static size_t column_behind(const void *shown, size_t k) {
    return column_of(shown, k);
}

static int coefficients_text(const struct shown *s, struct text *out) {
    struct coefficients c = {.model = s->of->model,
                             .recipe = s->recipe,
                             .d = s->d,
                             .mean = s->mean,
                             .sd = s->sd,
                             .column = column_behind,
                             .of = s};
    return result_coefficients_text(out, s->app, &c);
}

static int inspect_text(const struct shown *s, struct text *out) {
    const gbs_recipe *r = s->recipe;
    const char *target = gbs_recipe_target(r), *negative = gbs_recipe_negative(r);
    text_add(out, "%s%s\n", s->app->options.inputs[0],
             s->of->particles != NULL ? ": a sample of the Gibbs posterior" : "");
    if (s->of->model != NULL)
        result_model_text(out, s->of->model);
    else
        sampling_text(out, s->of->particles);
    if (!result_is_many(r))
        line_add(out, LINE_LONG, "label", "%s%s%s = +1, %s = -1", target != NULL ? target : "",
                 target != NULL ? ": " : "", gbs_recipe_positive(r),
                 negative != NULL ? negative : "the rest");
    if (s->of->model != NULL) {
        struct baseline baseline = baseline_of(s->of->model, NULL);
        result_certificates_text(out, s->of->model, s->recipe, &baseline);
        result_importance_text(out, LINE_LONG, gbs_model_explanation(s->of->model));
    }
    return result_is_many(r) ? EXIT_DONE : coefficients_text(s, out); /* --json has each part's */
}

/* Standard deviations of the particles are computed a coefficient at a time: the covariance of many
 * would be large. */
static void particle_coefficients(const gbs_particles *p, size_t d, double *mean, double *sd) {
    const double *theta = gbs_particles_draws(p);
    const gbs_sample_info *info = gbs_particles_get_info(p);
    gbs_particles_moments(p, mean, NULL);
    for (size_t k = 0; k < d; k++) {
        double square = 0.0;
        for (size_t i = 0; i < info->particles; i++)
            square += (theta[i * d + k] - mean[k]) * (theta[i * d + k] - mean[k]);
        sd[k] = sqrt(square / (double)info->particles);
    }
}

static int compute(struct shown *s) {
    const struct predictor *of = s->of;
    if (result_is_many(s->recipe))
        return EXIT_DONE;
    if (of->model != NULL) {
        const gbs_model_info *info = gbs_model_get_info(of->model);
        s->d = info->d;
    } else {
        const gbs_sample_info *info = gbs_particles_get_info(of->particles);
        s->d = info->d;
    }
    s->mean = calloc(s->d, sizeof *s->mean);
    s->sd = calloc(s->d, sizeof *s->sd);
    if (s->mean == NULL || s->sd == NULL)
        return app_fail(s->app, EXIT_MEMORY, "out of memory");
    gbs_status status = GBS_OK;
    if (of->model != NULL)
        status = gbs_model_coefficients(s->app->ctx, of->model, s->mean, s->sd);
    else
        particle_coefficients(of->particles, s->d, s->mean, s->sd);
    for (size_t k = 0; status == GBS_OK && k < s->d; k++)
        if (!isfinite(s->mean[k]) || !isfinite(s->sd[k]))
            return app_fail(s->app, EXIT_BAD_DATA,
                            "%s: a coefficient or its standard deviation is not a finite number: "
                            "its numbers are too large",
                            s->app->options.inputs[0]);
    return status == GBS_OK ? EXIT_DONE
                            : app_fail_status(s->app, status, s->app->options.inputs[0]);
}

/* A model or a sample, into the text. */
static int inspect_rows(struct shown *s, struct text *text) {
    const struct options *o = &s->app->options;
    int code = predictor_recipe(s->app, o->inputs[0], s->of, &s->recipe);
    if (code == EXIT_DONE && given(o, "card"))
        return card_model(s->app, s->of->model, s->recipe, text);
    if (code == EXIT_DONE)
        code = compute(s);
    if (code == EXIT_DONE)
        code = given(o, "json") ? inspect_json(s, text) : inspect_text(s, text);
    return code;
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct predictor loaded = {0};
    struct shown s = {.app = app, .of = &loaded};
    struct text text = {0};
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE, "inspect: expected one model file, found %s; gibbsite %s",
                        counted(o->n_inputs, "argument").text, app->command->usage);
    int code = outputs_check(app, !given(o, "output"));
    if (code == EXIT_DONE)
        code = predictor_load(app, o->inputs[0], &loaded);
    if (code == EXIT_DONE && given(o, "card") && loaded.particles != NULL)
        code = app_fail(app, EXIT_USAGE,
                        "inspect: --card is of a model made by fit or complete; %s is a sample",
                        o->inputs[0]);
    if (code == EXIT_DONE && given(o, "card") && loaded.completion != NULL)
        code = card_completion(app, loaded.completion, &text);
    else if (code == EXIT_DONE && loaded.completion != NULL) {
        code = ratings_inspect(app, loaded.completion);
        predictor_free(&loaded);
        return code;
    }
    if (code == EXIT_DONE && loaded.completion == NULL)
        code = inspect_rows(&s, &text);
    if (code == EXIT_DONE)
        code = app_write(app, given(o, "output") ? option_text(o, "output") : NULL, &text);
    text_free(&text);
    free(s.mean);
    free(s.sd);
    predictor_free(&loaded);
    gbs_recipe_free(s.recipe);
    return code;
}

const struct command command_inspect = {
    "inspect",
    FOR_INSPECT,
    "inspect MODEL [OPTIONS]",
    "what a model file holds",
    "Prints how the model was fitted, how well, and its coefficients: where the score is linear in "
    "the columns, per unit of them and as a factor on the odds. Of a model that was fitted with "
    "--importance, how much each column matters. A sample file shows how it was drawn and the mean "
    "and standard deviation over its particles, a completion what it has learned. --card writes a "
    "model card: data, choices, certificates with what they assume, limits, and version, seed and "
    "rows that it was made with.",
    "gibbsite inspect model.json\n"
    "gibbsite inspect model.json --card -o card.md\n"
    "gibbsite inspect model.json --json",
    run,
};
