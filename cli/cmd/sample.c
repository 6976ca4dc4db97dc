/* gibbsite sample: the Gibbs posterior itself, by tempering SMC. */
#include "cmd/sample.h"

#include "outputs.h"

#include <stdlib.h>
#include <string.h>

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
    int code = input_check_train(app);
    if (code == EXIT_DONE && given(o, "against") && o->n_inputs != 1)
        return app_fail(app, EXIT_USAGE,
                        "sample: --against takes one training file, found %zu; gibbsite %s",
                        o->n_inputs, app->command->usage);
    if (code == EXIT_DONE)
        code = app_check_options(app);
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
        code = input_train(s->app, &s->train);
    }
    s->recipe = gbs_data_recipe(s->train.data);
    s->seconds_read = app_seconds(s->app) - start;
    return code;
}

/* What the model fixes may be said again, but not otherwise. */
static int agree(const struct sample *s, const gbs_model_info *m) {
    const struct options *o = &s->app->options;
    const char *model = option_text(o, "against");
    if (given(o, "task") && option_task(o) != gbs_model_task(s->against))
        return app_fail(s->app, EXIT_USAGE, "sample: --task %s, but %s is for the task %s",
                        option_text(o, "task"), model, result_task(s->against));
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

/* Two classes are one posterior; more are one for each binary problem, of the model or else of each
 * class against the rest. */
static int list(struct sample *s) {
    bool many = gbs_data_classes(s->train.data) > 2;
    size_t most = !many ? 1 : problems_most(s->against, s->recipe);
    s->item = calloc(most + 1, sizeof *s->item); /* never of no size */
    if (s->item == NULL)
        return app_fail(s->app, EXIT_MEMORY, "out of memory");
    if (many && given(&s->app->options, "output"))
        return app_fail(s->app, EXIT_USAGE,
                        "sample: %s has %zu labels, and a file of particles is of one binary "
                        "problem: %s",
                        s->train.file, gbs_data_classes(s->train.data),
                        s->against != NULL ? "leave -o out, --draws FILE takes them all"
                                           : "--positive LABEL takes one label against the rest");
    for (size_t k = 0; k < most; k++) {
        struct drawn *d = &s->item[s->count];
        d->model = s->against;
        if (!many || problem_at(s->against, k, &d->problem, &d->model))
            s->count++;
    }
    return EXIT_DONE;
}

static int draw_one(const struct sample *s, struct drawn *d) {
    const struct app *app = s->app;
    const gbs_data *data = s->train.data;
    gbs_data *own = NULL;
    gbs_status status = GBS_OK;
    if (d->model != NULL) {
        size_t last = gbs_model_stages(d->model) - 1;
        status = gbs_sample_for(app->ctx, data, d->model, last, app->options.set, &d->particles);
        if (status == GBS_OK)
            status = gbs_measure_gap(app->ctx, data, d->model, d->particles, &d->gap);
    } else {
        if (gbs_data_classes(data) > 2)
            status = gbs_data_against(app->ctx, data, d->problem.one, d->problem.other, &own);
        if (status == GBS_OK)
            status = gbs_sample(app->ctx, own != NULL ? own : data, app->options.set,
                                &d->particles);
    }
    gbs_data_free(own);
    if (status != GBS_OK)
        return app_fail_status(app, status,
                               status != GBS_ERR_DATA ? NULL
                               : d->model != NULL     ? option_text(&app->options, "against")
                                                      : s->train.file);
    d->info = gbs_particles_get_info(d->particles);
    return EXIT_DONE;
}

static int draw(struct sample *s) {
    int code = s->against != NULL ? agree(s, gbs_model_get_info(s->against)) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = list(s);
    for (size_t k = 0; code == EXIT_DONE && k < s->count; k++)
        code = draw_one(s, &s->item[k]);
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
        code = sample_write(&s);
    for (size_t k = 0; k < s.count; k++) {
        gbs_gap_free(s.item[k].gap);
        gbs_particles_free(s.item[k].particles);
    }
    free(s.item);
    gbs_model_free(s.against);
    input_free(&s.train);
    gbs_recipe_free(s.models);
    return code;
}

const struct command command_sample = {
    "sample",
    GBS_FOR_SAMPLE,
    "sample TRAIN... [-o SAMPLE] [OPTIONS]",
    "draw from the Gibbs posterior itself, by tempering SMC",
    "Carries particles from the prior to the Gibbs posterior, exp(-lambda x mean loss) times the "
    "prior, through temperatures chosen on the way. Prints log Z and the Gibbs risk with standard "
    "errors, for every lambda of the path with --json. -o keeps the particles in a file that "
    "predict and evaluate take for a model. --against MODEL prints the gap KL(model || Gibbs) = "
    "free energy + log Z of a fitted model, whose loss, lambda, prior, columns and rows are then "
    "sampled (of a progressive model the last stage's).\n"
    "Three labels or more are one sampling for each against the rest, as --positive LABEL would "
    "make it, or for each binary problem of the model; a file of particles (-o) is of one of them "
    "only, and needs --positive.\n"
    "--task rank takes the loss over all pairs of a positive and a negative row. A standard error "
    "that is \"at least\" so much is a lower bound: the chains were too few or too slow to tell "
    "(more --particles or --moves, or a smaller --lambda). Bounds computed from particles are "
    "estimates, never certificates.",
    "gibbsite sample train.csv --lambda 100 --json\n"
    "gibbsite sample train.csv --loss hinge --particles 10000 -o sample.json --draws draws.csv\n"
    "gibbsite fit train.csv -o model.json && gibbsite sample train.csv --against model.json\n"
    "gibbsite sample train.csv --task rank --loss hinge --json\n"
    "gibbsite sample train.csv --classic --moves 5 --ess 0.5",
    run,
};
