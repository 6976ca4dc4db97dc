/* gibbsite gap: how far fitted models are from the Gibbs posteriors that they approximate, side by
 * side. A model has one for each stage; of three classes or more, one for each binary problem. */
#include "cmd/sampling.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

/* A model and its gaps, one a posterior. */
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
    bool many;
    size_t rounds;             /* posteriors of each model */
    struct problem *problem;   /* of three classes or more, of each; and */
    size_t *part;              /* its number in the models */
    gbs_particles **particles; /* one sampling a posterior */
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
    if (gbs_model_classes(c->item[0].model) != gbs_model_classes(c->item[k].model))
        what = "number of classes";
    else if (gbs_model_task(c->item[0].model) != gbs_model_task(c->item[k].model))
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
    else if (problems_scheme(c->item[0].model) != problems_scheme(c->item[k].model))
        what = "scheme of binary problems";
    if (what == NULL)
        return EXIT_DONE;
    return app_fail(c->app, EXIT_BAD_DATA,
                    "%s: fitted with another %s than %s; one sampling cannot serve both", other,
                    what, first);
}

/* What there is to measure: stages, or the binary problems that were learned. */
static int list(struct comparison *c) {
    const gbs_model *first = c->item[0].model;
    c->many = gbs_model_classes(first) > 2;
    size_t most = c->many ? problems_most(first, c->recipe) : gbs_model_stages(first);
    c->problem = calloc(most + 1, sizeof *c->problem); /* never of no size */
    c->part = calloc(most + 1, sizeof *c->part);
    c->particles = calloc(most + 1, sizeof *c->particles);
    if (c->problem == NULL || c->part == NULL || c->particles == NULL)
        return app_fail(c->app, EXIT_MEMORY, "out of memory");
    for (size_t t = 0; t < most; t++) {
        const gbs_model *part;
        if (c->many && !problem_at(first, t, &c->problem[c->rounds], &part))
            continue;
        c->part[c->rounds++] = t;
    }
    return EXIT_DONE;
}

static int load_model(struct comparison *c, size_t k) {
    struct measured *m = &c->item[k];
    int code = app_load_model(c->app, name_of(c, k), &m->model);
    if (code == EXIT_DONE && k == 0)
        code = input_recipe(c->app, name_of(c, k), m->model, &c->recipe);
    if (code == EXIT_DONE)
        code = k == 0 ? list(c) : check_alike(c, k);
    if (code == EXIT_DONE && (m->gap = calloc(c->rounds + 1, sizeof *m->gap)) == NULL)
        code = app_fail(c->app, EXIT_MEMORY, "out of memory");
    return code;
}

static int load(struct comparison *c) {
    const struct options *o = &c->app->options;
    c->count = o->n_inputs - 1;
    c->item = calloc(c->count, sizeof *c->item);
    if (c->item == NULL)
        return app_fail(c->app, EXIT_MEMORY, "out of memory");
    int code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < c->count; k++)
        code = load_model(c, k);
    return code == EXIT_DONE
               ? input_apply(c->app, o->inputs[0], c->recipe, GBS_WITH_LABELS, &c->train)
               : code;
}

/* Model k, or its part that is measured in round t; NULL: it has not learned it. */
static const gbs_model *posterior_of(const struct comparison *c, size_t k, size_t t) {
    const gbs_model *model = c->item[k].model;
    return c->many ? gbs_model_part(model, c->part[t], NULL, NULL) : model;
}

/* One sampling serves all models. */
static int measure_round(struct comparison *c, size_t t) {
    gbs_context *ctx = c->app->ctx;
    gbs_status status = gbs_sample_for(ctx, c->train.data, posterior_of(c, 0, t), c->many ? 0 : t,
                                       c->app->options.set, &c->particles[t]);
    if (status != GBS_OK)
        return app_fail_status(c->app, status, status == GBS_ERR_DATA ? name_of(c, 0) : NULL);
    for (size_t k = 0; k < c->count; k++) {
        const gbs_model *of = posterior_of(c, k, t);
        if (of == NULL)
            return app_fail(c->app, EXIT_BAD_DATA, "%s: learned other classes than %s",
                            name_of(c, k), name_of(c, 0));
        status = gbs_measure_gap(ctx, c->train.data, of, c->particles[t], &c->item[k].gap[t]);
        if (status != GBS_OK)
            return app_fail_status(c->app, status, name_of(c, k));
    }
    return EXIT_DONE;
}

static int measure(struct comparison *c) {
    int code = EXIT_DONE;
    for (size_t t = 0; code == EXIT_DONE && t < c->rounds; t++)
        code = measure_round(c, t);
    return code;
}

static void model_json(const struct comparison *c, size_t k, size_t t, struct json *j) {
    const gbs_gap *gap = c->item[k].gap[t];
    const gbs_model_info *info = gbs_model_get_info(posterior_of(c, k, t));
    const gbs_sample_info *drawn = gbs_particles_get_info(c->particles[t]);
    json_open_object(j, NULL);
    json_put_string(j, "model", name_of(c, k));
    if (c->many)
        problem_json(j, c->recipe, c->problem[t]);
    else
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

/* The sampling behind each problem. */
static int put_problems(const struct comparison *c, struct json *j) {
    int code = EXIT_DONE;
    problems_json(j, c->recipe, c->item[0].model);
    json_open_array(j, "problems");
    for (size_t t = 0; code == EXIT_DONE && t < c->rounds; t++) {
        json_open_object(j, NULL);
        problem_json(j, c->recipe, c->problem[t]);
        code = sampling_json(j, c->app, c->particles[t]);
        json_close_object(j);
    }
    json_close_array(j);
    return code;
}

static int result_json(const struct comparison *c, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, c->app);
    result_options(&j, c->app);
    int code = EXIT_DONE;
    if (c->many)
        code = put_problems(c, &j);
    else if (c->rounds > 0)
        code = sampling_json(&j, c->app, c->particles[c->rounds - 1]);
    if (!c->many)
        json_put_count(&j, "stages", c->rounds);
    json_open_array(&j, "models");
    for (size_t t = 0; t < c->rounds; t++)
        for (size_t k = 0; k < c->count; k++)
            model_json(c, k, t, &j);
    json_close_array(&j);
    json_close_object(&j);
    return code;
}

static void stage_text(const struct comparison *c, size_t t, struct text *out) {
    if (c->rounds > 1)
        text_add(out, "stage %zu of %zu\n", t + 1, c->rounds);
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

/* Model k: a line for each binary problem. */
static void problems_text(const struct comparison *c, size_t k, struct text *out) {
    const gbs_model_info *info = gbs_model_get_info(posterior_of(c, k, 0));
    char name[LINE_NAME], other[LINE_NAME], lambda[LINE_NUMBER], error[LINE_NUMBER];
    text_add(out, "%s: loss %s, family %s\n", line_name(name_of(c, k), 50, name),
             gbs_loss_name(info->loss), gbs_family_name(info->family));
    text_add(out, "  %-15s %-15s %9s %12s %12s %9s %8s %10s\n", "class", "against", "lambda",
             "free energy", "log Z", "gap", "+-", "gap/lambda");
    for (size_t t = 0; t < c->rounds; t++) {
        const gbs_gap *gap = c->item[k].gap[t];
        const gbs_sample_info *drawn = gbs_particles_get_info(c->particles[t]);
        text_add(out, "  %-15s %-15s %9s %12.4f %12.4f %9.4f %8s %10.6f\n",
                 problem_class(c->recipe, c->problem[t].one, 15, name),
                 problem_class(c->recipe, c->problem[t].other, 15, other),
                 line_number(drawn->lambda, 6, lambda), gap->free_energy, drawn->log_z, gap->gap,
                 sampling_error(gap->gap_sd, gap->gap_sd_at_least, error), gap->gap_over_lambda);
    }
}

static void result_text(const struct comparison *c, struct text *out) {
    text_add(out, "%s\n", c->train.file);
    for (size_t k = 0; c->many && k < c->count; k++)
        problems_text(c, k, out);
    for (size_t t = 0; !c->many && t < c->rounds; t++)
        stage_text(c, t, out);
    line_plain(out, LINE_LONG,
               "gap: KL(model || Gibbs posterior) = free energy + log Z, estimated; the standard "
               "error is log Z's, common to all models");
}

static void comparison_free(struct comparison *c) {
    for (size_t k = 0; c->item != NULL && k < c->count; k++) {
        gbs_model_free(c->item[k].model);
        for (size_t t = 0; c->item[k].gap != NULL && t < c->rounds; t++)
            gbs_gap_free(c->item[k].gap[t]);
        free(c->item[k].gap);
    }
    for (size_t t = 0; c->particles != NULL && t < c->rounds; t++)
        gbs_particles_free(c->particles[t]);
    free(c->item);
    free(c->particles);
    free(c->problem);
    free(c->part);
    input_free(&c->train);
    gbs_recipe_free(c->recipe);
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct comparison c = {.app = app};
    if (o->n_inputs < 2)
        return app_fail(app, EXIT_USAGE,
                        "gap: expected a training file and at least one model, found %s; "
                        "gibbsite %s",
                        counted(o->n_inputs, "argument").text, app->command->usage);
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
    "must agree), and prints for each model KL(model || Gibbs) = free energy + log Z with its "
    "standard error, also divided by lambda, the unit of the bounds. TRAIN must hold the rows that "
    "the models were fitted to, all of them: the free energy is computed again and compared. Under "
    "an informed prior the risk is over the certified rows and the prior's mean is the model's. "
    "Each stage of a progressive model approximates a Gibbs posterior of its own, which is sampled "
    "in turn; so does each binary problem of a model of three classes or more (fit it with --loss "
    "hinge: classes that were fitted together, by the softmax loss, have none).",
    "gibbsite fit train.csv --bound kl --family diagonal -o diagonal.json\n"
    "gibbsite fit train.csv --bound kl --family full -o full.json\n"
    "gibbsite gap train.csv diagonal.json full.json",
    run,
};
