/* What a run's JSON says beyond the result, for reports: what was asked, how the fit went, what the
 * coefficients are. */
#include "out/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where results go and how many threads make them is no part of what they are. */
static bool is_of_the_result(const char *name) {
    static const char *const others[] = {"output", "path",    "man",  "json", "verbose",
                                         "quiet",  "threads", "help", "seed"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(others[k], name) == 0)
            return false;
    return true;
}

/* Beyond 2^53 many readers of JSON lose digits: such a seed is text. */
static void put_seed(struct json *j, uint64_t seed) {
    char text[24];
    if (seed <= UINT64_C(1) << 53) {
        json_put_count(j, "seed", (size_t)seed);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, seed);
    json_put_string(j, "seed", text);
}

void result_options(struct json *j, const struct app *app) {
    const struct options *o = &app->options;
    json_open_object(j, "options");
    json_open_array(j, "inputs");
    for (size_t k = 0; k < o->n_inputs; k++)
        json_put_string(j, NULL, o->inputs[k]);
    json_close_array(j);
    json_open_object(j, "given");
    const gbs_option *line;
    for (size_t k = 0; (line = option_at(app->command->bit, k)) != NULL; k++) {
        bool file = line->argument != NULL && strcmp(line->argument, "FILE") == 0;
        if (!given(o, line->name) || !is_of_the_result(line->name) ||
            (file && strcmp(line->name, "draws") == 0))
            continue;
        if (line->type == GBS_OPTION_FLAG)
            json_put_bool(j, line->name, true);
        else
            json_put_string(j, line->name, option_text(o, line->name));
    }
    json_close_object(j);
    put_seed(j, strtoull(gbs_options_get(o->set, "seed"), NULL, 10));
    json_close_object(j);
}

/* ---------------------------------------------------------------- coefficients */

static double distance(const struct coefficient *c) {
    return c->sd > 0.0 ? fabs(c->mean) / c->sd : c->mean != 0.0 ? INFINITY : 0.0;
}

/* Farthest from zero in its own standard deviations first; ties in the order of the columns. */
int by_distance(const void *a, const void *b) {
    const struct coefficient *p = a, *q = b;
    double x = distance(p), y = distance(q);
    return x != y ? (x < y) - (x > y) : (p->k > q->k) - (p->k < q->k);
}

static void put_coefficients(struct json *j, const gbs_model *model, const gbs_recipe *recipe,
                             const struct coefficient *c, size_t n) {
    json_open_array(j, "coefficients");
    for (size_t k = 0; k < n; k++) {
        char name[256];
        gbs_recipe_feature(recipe, gbs_model_column(model, c[k].k), name, sizeof name);
        json_open_object(j, NULL);
        json_put_string(j, "name", name);
        json_put_number(j, "mean", c[k].mean);
        json_put_number(j, "sd", c[k].sd);
        json_close_object(j);
    }
    json_close_array(j);
}

int result_coefficients(struct json *j, const struct app *app, const gbs_model *model,
                        const gbs_recipe *recipe) {
    if (result_is_many(recipe)) /* each of its parts has them: inspect --json */
        return EXIT_DONE;
    enum { SHOWN = 40 };
    const gbs_model_info *info = gbs_model_get_info(model);
    size_t d = info->d;
    struct coefficient *c = calloc(d, sizeof *c);
    double *mean = calloc(2 * d, sizeof *mean);
    gbs_status status = c != NULL && mean != NULL
                            ? gbs_model_coefficients(app->ctx, model, mean, mean + d)
                            : GBS_ERR_MEMORY;
    size_t n = 0; /* those that are of a column; features made of many have no name */
    for (size_t k = 0; status == GBS_OK && k < d; k++)
        if (gbs_model_column(model, k) != SIZE_MAX)
            c[n++] = (struct coefficient){k, mean[k], mean[d + k]};
    if (status == GBS_OK) {
        qsort(c, n, sizeof *c, by_distance);
        put_coefficients(j, model, recipe, c, n < SHOWN ? n : SHOWN);
    }
    free(c);
    free(mean);
    return status == GBS_OK           ? EXIT_DONE
           : status == GBS_ERR_MEMORY ? app_fail(app, EXIT_MEMORY, "out of memory")
                                      : app_fail_status(app, status, NULL);
}
