/* gibbsite sample: the Gibbs posterior itself, by tempering SMC. */
#include "cmd/sampling.h"
#include "out/sources.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More coefficients than this, and the covariance is left out of the JSON. */
enum { COVARIANCE_COLUMNS = 200 };

struct sample {
    struct app *app;
    gbs_recipe *models; /* that of --against */
    const gbs_recipe *recipe;
    struct input train;
    gbs_model *against;
    gbs_particles *particles;
    const gbs_sample_info *info;
    gbs_gap *gap;
    double seconds_read, *moments;
};

/* With --against the model says how its columns are made. */
static int check_against(const struct app *app) {
    static const char *const learned[] = {"target", "positive", "drop",
                                          "text",   "scale",    "no-intercept"};
    const struct options *o = &app->options;
    if (!given(o, "against"))
        return EXIT_DONE;
    for (size_t k = 0; k < sizeof learned / sizeof *learned; k++)
        if (given(o, learned[k]))
            return app_fail(
                app, EXIT_USAGE,
                "sample: --%s and --against exclude each other: the model knows its columns",
                learned[k]);
    return EXIT_DONE;
}

static int check_options(const struct app *app) {
    const struct options *o = &app->options;
    if (o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE,
                        "sample: expected one training file, found %zu; gibbsite %s", o->n_inputs,
                        app->command->usage);
    int code = app_check_options(app);
    if (code == EXIT_DONE)
        code = check_against(app);
    return code == EXIT_DONE ? outputs_check(app, outputs_print_result(o)) : code;
}

static int read_files(struct sample *s) {
    const struct options *o = &s->app->options;
    double start = app_seconds(s->app);
    int code = EXIT_DONE;
    if (given(o, "against")) {
        code = app_load_model(s->app, option_text(o, "against"), &s->against);
        if (code == EXIT_DONE)
            code = input_recipe(s->app, option_text(o, "against"), s->against, &s->models);
        if (code == EXIT_DONE)
            code = input_apply(s->app, o->inputs[0], s->models, GBS_WITH_LABELS, &s->train);
    } else {
        code = input_train(s->app, o->inputs[0], &s->train);
    }
    s->recipe = gbs_data_recipe(s->train.data);
    s->seconds_read = app_seconds(s->app) - start;
    return code;
}

/* What the model fixes may be said again, but not otherwise. */
static int agree(const struct sample *s, const gbs_model_info *m) {
    const struct options *o = &s->app->options;
    const char *model = option_text(o, "against");
    int code = sampling_check_model(s->app, model, s->against);
    if (code != EXIT_DONE)
        return code;
    if (given(o, "task") && option_task(o) != gbs_model_task(s->against))
        return app_fail(s->app, EXIT_USAGE, "sample: --task %s, but %s is for the task %s",
                        option_text(o, "task"), model, gbs_task_name(m->task));
    if (given(o, "loss") && gbs_options_choice(o->set, "loss") != (int)m->loss)
        return app_fail(s->app, EXIT_USAGE, "sample: --loss %s, but %s was fitted with %s",
                        option_text(o, "loss"), model, gbs_loss_name(m->loss));
    if (given(o, "lambda") && option_number(o, "lambda") != m->lambda)
        return app_fail(s->app, EXIT_USAGE, "sample: --lambda %s, but %s was fitted with %.10g",
                        option_text(o, "lambda"), model, m->lambda);
    if (given(o, "prior-sd") && option_number(o, "prior-sd") != m->prior_sd)
        return app_fail(s->app, EXIT_USAGE, "sample: --prior-sd %s, but %s was fitted with %.10g",
                        option_text(o, "prior-sd"), model, m->prior_sd);
    return EXIT_DONE;
}

static int draw(struct sample *s) {
    struct app *app = s->app;
    gbs_status status;
    if (s->against != NULL) {
        const gbs_model_info *m = gbs_model_get_info(s->against);
        int code = agree(s, m);
        if (code != EXIT_DONE)
            return code;
        size_t last = gbs_model_stages(s->against) - 1;
        status = gbs_sample_for(app->ctx, s->train.data, s->against, last, app->options.set,
                                &s->particles);
        if (status == GBS_OK)
            status = gbs_measure_gap(app->ctx, s->train.data, s->against, s->particles, &s->gap);
    } else {
        status = gbs_sample(app->ctx, s->train.data, app->options.set, &s->particles);
    }
    if (status != GBS_OK)
        return app_fail_status(app, status,
                               status != GBS_ERR_DATA ? NULL
                               : s->against != NULL   ? option_text(&app->options, "against")
                                                      : s->train.file);
    s->info = gbs_particles_get_info(s->particles);
    return EXIT_DONE;
}

/* ---------------------------------------------------------------- results */

/* Mean, then covariance (or only its diagonal). */
static int compute_moments(struct sample *s) {
    size_t d = s->info->d;
    bool full = d <= COVARIANCE_COLUMNS;
    s->moments = calloc(d + (full ? d * d : 0), sizeof *s->moments);
    if (s->moments == NULL)
        return app_fail(s->app, EXIT_MEMORY, "out of memory");
    gbs_particles_moments(s->particles, s->moments, full ? s->moments + d : NULL);
    return EXIT_DONE;
}

static void put_moments(struct json *j, const struct sample *s) {
    size_t d = s->info->d;
    const double *covariance = s->moments + d;
    json_open_array(j, "mean");
    for (size_t k = 0; k < d; k++)
        json_put_number(j, NULL, s->moments[k]);
    json_close_array(j);
    if (d > COVARIANCE_COLUMNS) {
        json_put_string(j, "covariance", NULL);
        return;
    }
    json_open_array(j, "covariance");
    for (size_t k = 0; k < d; k++) {
        json_open_array(j, NULL);
        for (size_t l = 0; l < d; l++)
            json_put_number(j, NULL, covariance[k * d + l]);
        json_close_array(j);
    }
    json_close_array(j);
}

static int result_json(const struct sample *s, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, s->app);
    result_options(&j, s->app);
    int code = sampling_json(&j, s->app, s->particles);
    if (s->against != NULL) {
        json_put_number(&j, "free_energy", s->gap->free_energy);
        json_put_number(&j, "gap", s->gap->gap);
        json_put_number(&j, "gap_sd", s->gap->gap_sd);
        json_put_number(&j, "gap_over_lambda", s->gap->gap_over_lambda);
        json_put_count(&j, "stages", gbs_model_stages(s->against));
    }
    put_moments(&j, s);
    json_open_object(&j, "seconds");
    json_put_number(&j, "read", s->seconds_read);
    json_put_number(&j, "approximate", s->info->seconds_approximate);
    json_put_number(&j, "move", s->info->seconds_move);
    json_put_number(&j, "sample", s->info->seconds);
    json_put_number(&j, "total", app_seconds(s->app));
    json_close_object(&j);
    json_close_object(&j);
    return code;
}

static void gap_line(const struct sample *s, enum line_kind kind, struct text *out) {
    char name[LINE_NAME];
    if (s->against == NULL)
        return;
    const char *model = line_name(option_text(&s->app->options, "against"), 20, name),
               *stage = gbs_model_stages(s->against) > 1 ? "last stage of " : "",
               *at_least = s->gap->gap_sd_at_least ? " at least" : "";
    if (kind == LINE_SHORT)
        line_add(out, kind, "gap", "%.4f +- %.4f%s: KL(%s%s || Gibbs posterior)", s->gap->gap,
                 s->gap->gap_sd, at_least, stage, model);
    else
        line_add(out, kind, "gap",
                 "%.4f +- %.4f%s: KL(%s%s || Gibbs posterior), family %s; over lambda %.6f",
                 s->gap->gap, s->gap->gap_sd, at_least, stage, model,
                 gbs_family_name(gbs_model_get_info(s->against)->family), s->gap->gap_over_lambda);
}

static void result_text(const struct sample *s, struct text *out) {
    const struct options *o = &s->app->options;
    enum line_kind kind = given(o, "verbose") ? LINE_LONG : LINE_SHORT;
    char file[LINE_NAME], label[LINE_NAME], other[LINE_NAME];
    result_class_short(s->recipe, 1, 12, label);
    result_class_short(s->recipe, -1, 12, other);
    if (kind == LINE_LONG) {
        text_add(out, "%s\n", s->train.file);
        sampling_text(out, s->particles);
        line_add(out, kind, "label", "%s = +1, %s = -1", label, other);
    } else {
        line_add(out, kind, "data", "%zu rows of %s; label %s (positive) or %s", s->info->n_data,
                 line_name(s->train.file, 20, file), label, other);
        sampling_results(out, kind, s->particles);
    }
    gap_line(s, kind, out);
    if (kind == LINE_LONG)
        sources_sampling(out, s->particles);
    if (kind == LINE_LONG)
        line_add(out, kind, "time",
                 "%.2f s: %.2f s moves, %.2f s for the approximations behind them",
                 s->info->seconds, s->info->seconds_move, s->info->seconds_approximate);
    if (given(o, "output"))
        line_add(out, kind, "particles", "%zu, written to %s", s->info->particles,
                 line_name(option_text(o, "output"), 40, file));
    else if (kind == LINE_SHORT)
        line_add(out, kind, "particles", "%zu, not written: no -o FILE", s->info->particles);
}

static void draws_csv(const struct sample *s, struct text *out) {
    const double *theta = gbs_particles_draws(s->particles);
    size_t d = s->info->d;
    for (size_t k = 0; k < d; k++) {
        char name[256];
        gbs_recipe_feature(s->recipe, gbs_particles_column(s->particles, k), name, sizeof name);
        text_add_cell(out, name);
        text_add_bytes(out, k + 1 < d ? "," : "\n", 1);
    }
    for (size_t i = 0; i < s->info->particles * d; i++) {
        text_add_number(out, theta[i]);
        text_add_bytes(out, (i + 1) % d != 0 ? "," : "\n", 1);
    }
}

static int write_particles(const struct sample *s) {
    char *bytes = NULL;
    size_t size = 0;
    gbs_status status = gbs_particles_to_json(s->app->ctx, s->particles, &bytes, &size);
    if (status != GBS_OK)
        return app_fail_status(s->app, status, NULL);
    struct text text = {.bytes = bytes, .size = size};
    int code = app_write(s->app, option_text(&s->app->options, "output"), &text);
    gbs_release(s->app->ctx, bytes);
    return code;
}

/* Everything is composed before the first file is written. */
static int write_results(struct sample *s) {
    const struct options *o = &s->app->options;
    struct text draws = {0}, result = {0};
    int code = given(o, "json") ? compute_moments(s) : EXIT_DONE;
    if (code == EXIT_DONE && given(o, "draws"))
        draws_csv(s, &draws);
    if (code == EXIT_DONE && given(o, "json"))
        code = result_json(s, &result);
    else if (code == EXIT_DONE && outputs_print_result(o))
        result_text(s, &result);
    if (code == EXIT_DONE && (draws.failed || result.failed))
        code = app_fail(s->app, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && given(o, "output"))
        code = write_particles(s);
    if (code == EXIT_DONE && given(o, "draws"))
        code = app_write(s->app, option_text(o, "draws"), &draws);
    if (code == EXIT_DONE)
        code = app_write(s->app, NULL, &result);
    text_free(&draws);
    text_free(&result);
    return code;
}

static int run(struct app *app) {
    struct sample s = {.app = app};
    int code = check_options(app);
    if (code == EXIT_DONE)
        code = read_files(&s);
    if (code == EXIT_DONE)
        code = draw(&s);
    if (code == EXIT_DONE)
        code = write_results(&s);
    free(s.moments);
    gbs_model_free(s.against);
    gbs_gap_free(s.gap);
    gbs_particles_free(s.particles);
    input_free(&s.train);
    gbs_recipe_free(s.models);
    return code;
}

const struct command command_sample = {
    "sample",
    GBS_FOR_SAMPLE,
    "sample TRAIN [-o SAMPLE] [OPTIONS]",
    "draw from the Gibbs posterior itself, by tempering SMC",
    "Carries particles from the prior to the Gibbs posterior, exp(-lambda x mean loss) times the "
    "prior, through temperatures "
    "chosen on the\n"
    "way. Prints log Z and the Gibbs risk with standard errors, for every lambda of the path with "
    "--json. -o keeps the "
    "particles in a file\n"
    "that predict and evaluate take for a model. --against MODEL prints the gap KL(model || Gibbs) "
    "= free energy + log Z of a "
    "fitted model,\n"
    "whose loss, lambda, prior, columns and rows are then sampled (of a progressive model the last "
    "stage's).\n"
    "--task rank takes the loss over all pairs of a positive and a negative row. A standard error "
    "that is \"at least\" so much "
    "is "
    "a lower\n"
    "bound: the chains were too few or too slow to tell (more --particles or --moves, or a smaller "
    "--lambda). Bounds computed "
    "from particles\n"
    "are estimates, never certificates.",
    "gibbsite sample train.csv --lambda 100 --json\n"
    "gibbsite sample train.csv --loss hinge --particles 10000 -o sample.json --draws draws.csv\n"
    "gibbsite fit train.csv -o model.json && gibbsite sample train.csv --against model.json\n"
    "gibbsite sample train.csv --task rank --loss hinge --json\n"
    "gibbsite sample train.csv --classic --moves 5 --ess 0.5",
    run,
};
