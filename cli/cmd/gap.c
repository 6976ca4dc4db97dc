/* gibbsite gap: how far fitted models are from the Gibbs posterior that they approximate, side by
 * side. */
#include "cmd/sampling.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

/* A model and its gaps, one a stage. */
struct measured {
    gbs_model *model;
    gbs_gap **gap;
};

struct comparison {
    struct app *app;
    size_t count;
    struct measured *item;
    gbs_recipe *recipe;
    struct input train;
    size_t stages;
    gbs_particles **particles; /* one sampling a stage */
};

static const char *name_of(const struct comparison *c, size_t k) {
    return c->app->options.inputs[k + 1];
}

/* The first model's columns and settings are everyone's. */
static int check_alike(const struct comparison *c, size_t k) {
    const gbs_model_info *a = gbs_model_get_info(c->item[0].model),
                         *b = gbs_model_get_info(c->item[k].model);
    const char *first = name_of(c, 0), *other = name_of(c, k), *what = NULL;
    const char *recipe_a = gbs_model_recipe(c->item[0].model),
               *recipe_b = gbs_model_recipe(c->item[k].model);
    if (gbs_model_task(c->item[0].model) != gbs_model_task(c->item[k].model))
        what = "task";
    else if (a->prior != b->prior)
        what = "prior";
    else if (gbs_model_stages(c->item[0].model) != gbs_model_stages(c->item[k].model))
        what = "number of stages";
    else if (a->loss != b->loss)
        what = "loss";
    else if (a->lambda != b->lambda)
        what = "lambda";
    else if (a->prior_sd != b->prior_sd)
        what = "prior_sd";
    else if (a->scale != b->scale || a->intercept != b->intercept)
        what = "scaling or intercept";
    else if (recipe_b == NULL || strcmp(recipe_a, recipe_b) != 0)
        what = "set of columns";
    if (what == NULL)
        return EXIT_DONE;
    return app_fail(c->app, EXIT_BAD_DATA,
                    "%s: fitted with another %s than %s; one sampling cannot serve both", other,
                    what, first);
}

static int load(struct comparison *c) {
    const struct options *o = &c->app->options;
    c->count = o->n_inputs - 1;
    c->item = calloc(c->count, sizeof *c->item);
    if (c->item == NULL)
        return app_fail(c->app, EXIT_MEMORY, "out of memory");
    int code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < c->count; k++) {
        code = app_load_model(c->app, name_of(c, k), &c->item[k].model);
        if (code == EXIT_DONE)
            code = sampling_check_model(c->app, name_of(c, k), c->item[k].model);
        if (code == EXIT_DONE && k == 0)
            code = input_recipe(c->app, name_of(c, k), c->item[k].model, &c->recipe);
        if (code == EXIT_DONE && k > 0)
            code = check_alike(c, k);
        if (code == EXIT_DONE && k == 0)
            c->stages = gbs_model_stages(c->item[k].model);
        if (code == EXIT_DONE && (c->item[k].gap = calloc(c->stages, sizeof(gbs_gap *))) == NULL)
            code = app_fail(c->app, EXIT_MEMORY, "out of memory");
    }
    return code == EXIT_DONE
               ? input_apply(c->app, o->inputs[0], c->recipe, GBS_WITH_LABELS, &c->train)
               : code;
}

/* One sampling serves all models. */
static int measure_stage(struct comparison *c, size_t t) {
    gbs_status status = gbs_sample_for(c->app->ctx, c->train.data, c->item[0].model, t,
                                       c->app->options.set, &c->particles[t]);
    if (status != GBS_OK)
        return app_fail_status(c->app, status, status == GBS_ERR_DATA ? name_of(c, 0) : NULL);
    for (size_t k = 0; k < c->count; k++) {
        status = gbs_measure_gap(c->app->ctx, c->train.data, c->item[k].model, c->particles[t],
                                 &c->item[k].gap[t]);
        if (status != GBS_OK)
            return app_fail_status(c->app, status, name_of(c, k));
    }
    return EXIT_DONE;
}

static int measure(struct comparison *c) {
    int code = EXIT_DONE;
    c->particles = calloc(c->stages + 1, sizeof(gbs_particles *)); /* never of no size */
    if (c->particles == NULL) {
        app_fail(c->app, EXIT_MEMORY, "out of memory");
        return EXIT_MEMORY;
    }
    for (size_t t = 0; code == EXIT_DONE && t < c->stages; t++)
        code = measure_stage(c, t);
    return code;
}

static void model_json(const struct comparison *c, size_t k, size_t t, struct json *j) {
    const gbs_gap *gap = c->item[k].gap[t];
    const gbs_model_info *info = gbs_model_get_info(c->item[k].model);
    const gbs_sample_info *drawn = gbs_particles_get_info(c->particles[t]);
    json_open_object(j, NULL);
    json_put_string(j, "model", name_of(c, k));
    json_put_count(j, "stage", t + 1);
    json_put_string(j, "family", gbs_family_name(info->family));
    json_put_count(j, "rows", drawn->n);
    json_put_number(j, "lambda", drawn->lambda);
    json_put_number(j, "prior_sd", drawn->prior_sd);
    json_put_number(j, "free_energy", gap->free_energy);
    json_put_number(j, "gibbs_risk", gap->gibbs_risk);
    json_put_number(j, "log_z", drawn->log_z);
    json_put_number(j, "gap", gap->gap);
    json_put_number(j, "gap_sd", gap->gap_sd);
    json_put_number(j, "gap_over_lambda", gap->gap_over_lambda);
    json_close_object(j);
}

static int result_json(const struct comparison *c, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, c->app);
    result_options(&j, c->app);
    int code = sampling_json(&j, c->app, c->particles[c->stages - 1]);
    json_put_count(&j, "stages", c->stages);
    json_open_array(&j, "models");
    for (size_t t = 0; t < c->stages; t++)
        for (size_t k = 0; k < c->count; k++)
            model_json(c, k, t, &j);
    json_close_array(&j);
    json_close_object(&j);
    return code;
}

static void stage_text(const struct comparison *c, size_t t, struct text *out) {
    if (c->stages > 1)
        text_add(out, "stage %zu of %zu\n", t + 1, c->stages);
    sampling_text(out, c->particles[t]);
    text_add(out, "  %-24s %-10s %12s %12s %10s %8s %12s\n", "model", "family", "free energy",
             "Gibbs risk", "gap", "+-", "gap/lambda");
    for (size_t k = 0; k < c->count; k++) {
        const gbs_gap *gap = c->item[k].gap[t];
        const gbs_model_info *info = gbs_model_get_info(c->item[k].model);
        char name[LINE_NAME];
        text_add(out, "  %-24s %-10s %12.4f %12.5f %10.4f %8.4f %12.6f\n",
                 line_name(name_of(c, k), 24, name), gbs_family_name(info->family),
                 gap->free_energy, gap->gibbs_risk, gap->gap, gap->gap_sd, gap->gap_over_lambda);
    }
}

static void result_text(const struct comparison *c, struct text *out) {
    text_add(out, "%s\n", c->train.file);
    for (size_t t = 0; t < c->stages; t++)
        stage_text(c, t, out);
    line_plain(out, LINE_LONG,
               "gap: KL(model || Gibbs posterior) = free energy + log Z, estimated; the standard "
               "error is log Z's, common to all models");
}

static void comparison_free(struct comparison *c) {
    for (size_t k = 0; c->item != NULL && k < c->count; k++) {
        gbs_model_free(c->item[k].model);
        for (size_t t = 0; c->item[k].gap != NULL && t < c->stages; t++)
            gbs_gap_free(c->item[k].gap[t]);
        free(c->item[k].gap);
    }
    for (size_t t = 0; c->particles != NULL && t < c->stages; t++)
        gbs_particles_free(c->particles[t]);
    free(c->item);
    free(c->particles);
    input_free(&c->train);
    gbs_recipe_free(c->recipe);
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct comparison c = {.app = app};
    if (o->n_inputs < 2)
        return app_fail(app, EXIT_USAGE,
                        "gap: expected a training file and at least one model, found %zu "
                        "arguments; gibbsite %s",
                        o->n_inputs, app->command->usage);
    int code = app_check_options(app);
    if (code == EXIT_DONE)
        code = outputs_check(app, true);
    if (code == EXIT_DONE)
        code = load(&c);
    if (code == EXIT_DONE)
        code = measure(&c);
    if (code == EXIT_DONE) {
        struct text text = {0};
        if (given(o, "json"))
            code = result_json(&c, &text);
        else
            result_text(&c, &text);
        if (code == EXIT_DONE)
            code = app_write(app, NULL, &text);
        text_free(&text);
    }
    comparison_free(&c);
    return code;
}

const struct command command_gap = {
    "gap",
    GBS_FOR_GAP,
    "gap TRAIN MODEL... [OPTIONS]",
    "how far fitted models are from the Gibbs posterior they approximate",
    "Samples the Gibbs posterior once, with loss, lambda, prior and columns of the models (which "
    "must agree), and prints for "
    "each model\n"
    "KL(model || Gibbs) = free energy + log Z with its standard error, also divided by lambda, the "
    "unit of the bounds. TRAIN "
    "must hold the\n"
    "rows that the models were fitted to, all of them: the free energy is computed again and "
    "compared. Under an informed prior "
    "the risk is\n"
    "over the certified rows and the prior's mean is the model's. Each stage of a progressive "
    "model approximates a Gibbs "
    "posterior of its\n"
    "own, which is sampled in turn.",
    "gibbsite fit train.csv --bound kl --family diagonal -o diagonal.json\n"
    "gibbsite fit train.csv --bound kl --family full -o full.json\n"
    "gibbsite gap train.csv diagonal.json full.json",
    run,
};
