/* Coefficients: what each column has in the score, for people and in JSON.
 *
 * Of a score that is linear in the columns they are told per unit of the column as it came, with
 * what one unit more does to the odds of the positive label, by the calibrated probability:
 *
 *   log odds = offset + slope (a + b'x),   so the odds are multiplied by exp(slope b_k)
 *
 * Beside them stand mean and standard deviation of the posterior, of the scaled columns. A quotient
 * of the two is not shown: it is no test of anything (docs/maths.md, 13.4).
 */
#include "out/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLED = 20, IN_JSON = 40, NAME_COLUMNS = 24 };

struct coefficient {
    size_t k;
    double mean, sd;
};

/* Each coefficient per unit of its column. */
struct per_unit {
    size_t features;
    double *of;   /* NULL: the score is not linear in the columns */
    double slope; /* of the log odds in the score; NaN: there is none */
};

static int per_unit_find(const struct app *app, const gbs_model *model, struct per_unit *out) {
    *out = (struct per_unit){.slope = NAN};
    if (model == NULL)
        return EXIT_DONE;
    const gbs_card *card = gbs_model_card(model);
    out->features = gbs_model_get_info(model)->features;
    out->of = calloc(gbs_model_get_info(model)->d, sizeof *out->of);
    if (out->of == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    if (gbs_model_per_unit(app->ctx, model, out->of) != GBS_OK) {
        free(out->of);
        out->of = NULL;
    }
    if (card != NULL && gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS))
        out->slope = card->slope;
    return EXIT_DONE;
}

static double odds_ratio(const struct per_unit *p, size_t k) {
    return exp(p->slope * p->of[k]);
}

static double distance(const struct coefficient *c) {
    return c->sd > 0.0 ? fabs(c->mean) / c->sd : c->mean != 0.0 ? INFINITY : 0.0;
}

/* Farthest from zero in its own standard deviations first, as in reports; ties in the order of the
 * columns. */
static int by_distance(const void *a, const void *b) {
    const struct coefficient *p = a, *q = b;
    double x = distance(p), y = distance(q);
    return x != y ? (x < y) - (x > y) : (p->k > q->k) - (p->k < q->k);
}

/* ---------------------------------------------------------------- for people */

static void head(struct text *t, const struct per_unit *p) {
    bool odds = p->of != NULL && !isnan(p->slope);
    line_add(t, LINE_LONG, "coefficients",
             "%s%s, those first that lie farthest from zero in their own standard deviations",
             p->of == NULL ? "of the scaled columns: mean and sd of the posterior"
                           : "in the score, per unit of the column",
             odds ? "; as a factor on the odds of the positive label; mean and sd of the "
                    "posterior, of the scaled column"
             : p->of != NULL ? "; mean and sd of the posterior, of the scaled column"
                             : "");
    text_add(t, "  %*s", NAME_COLUMNS, "");
    if (p->of != NULL)
        text_add(t, " %12s", "per unit");
    if (odds)
        text_add(t, " %12s", "odds factor");
    text_add(t, " %12s %12s\n", p->of != NULL ? "scaled mean" : "mean",
             p->of != NULL ? "scaled sd" : "sd");
}

/* A factor near one with as many decimals as tell it from one: 1.000031. */
static const char *factor_text(double x, char out[static LINE_NUMBER]) {
    double from_one = fabs(x - 1.0);
    if (from_one > 1e-8 && from_one < 0.01)
        snprintf(out, LINE_NUMBER, "%.*f", 1 - (int)floor(log10(from_one)), x);
    else
        line_number(x, 4, out);
    return out;
}

static void row(struct text *t, const struct per_unit *p, const struct coefficient *c,
                size_t column, const char *full) {
    char name[LINE_NAME], number[LINE_NUMBER];
    line_name(full, NAME_COLUMNS, name);
    size_t columns = line_columns(name, strlen(name));
    text_add(t, "  %s%*s", name, columns < NAME_COLUMNS ? (int)(NAME_COLUMNS - columns) : 0, "");
    if (p->of != NULL)
        text_add(t, " %12s", line_number(p->of[c->k], 4, number));
    if (p->of != NULL && !isnan(p->slope) && column < p->features)
        text_add(t, " %12s", factor_text(odds_ratio(p, c->k), number));
    else if (p->of != NULL && !isnan(p->slope))
        text_add(t, " %12s", "");
    text_add(t, " %12s", line_number(c->mean, 4, number));
    text_add(t, " %12s\n", line_number(c->sd, 4, number));
}

int result_coefficients_text(struct text *t, const struct app *app,
                             const struct coefficients *shown) {
    struct coefficient *c = calloc(shown->d, sizeof *c);
    struct per_unit p = {0};
    if (c == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    int code = per_unit_find(app, shown->model, &p);
    size_t n = 0;
    for (size_t k = 0; k < shown->d; k++)
        if (shown->column(shown->of, k) != SIZE_MAX)
            c[n++] = (struct coefficient){k, shown->mean[k], shown->sd[k]};
    qsort(c, n, sizeof *c, by_distance);
    if (code == EXIT_DONE)
        head(t, &p);
    for (size_t k = 0; code == EXIT_DONE && k < n && k < TABLED; k++) {
        char name[256];
        size_t column = shown->column(shown->of, c[k].k);
        gbs_recipe_feature(shown->recipe, column, name, sizeof name);
        row(t, &p, &c[k], column, name);
    }
    if (code == EXIT_DONE && n > TABLED)
        text_add(t, "  ... and %zu more (--json has them all)\n", n - TABLED);
    if (code == EXIT_DONE && n < shown->d)
        text_add(t, "  and %zu of features that are made of all columns\n", shown->d - n);
    free(c);
    free(p.of);
    return code;
}

/* ---------------------------------------------------------------- JSON */

static void put_coefficients(struct json *j, const gbs_model *model, const gbs_recipe *recipe,
                             const struct per_unit *p, const struct coefficient *c, size_t of) {
    json_open_array(j, "coefficients");
    for (size_t k = 0; k < of && k < IN_JSON; k++) {
        char name[256];
        size_t column = gbs_model_column(model, c[k].k);
        gbs_recipe_feature(recipe, column, name, sizeof name);
        json_open_object(j, NULL);
        json_put_string(j, "name", name);
        json_put_number(j, "mean", c[k].mean);
        json_put_number(j, "sd", c[k].sd);
        if (p->of != NULL)
            json_put_number(j, "per_unit", p->of[c[k].k]);
        if (p->of != NULL && !isnan(p->slope) && column < p->features)
            json_put_number(j, "odds_ratio", odds_ratio(p, c[k].k));
        json_close_object(j);
    }
    json_close_array(j);
    json_put_count(j, "coefficients_given", of);
}

int result_coefficients(struct json *j, const struct app *app, const gbs_model *model,
                        const gbs_recipe *recipe) {
    if (result_is_many(recipe)) /* each of its parts has them: inspect --json */
        return EXIT_DONE;
    const gbs_model_info *info = gbs_model_get_info(model);
    size_t d = info->d;
    struct coefficient *c = calloc(d, sizeof *c);
    double *mean = calloc(2 * d, sizeof *mean);
    struct per_unit p = {0};
    gbs_status status = c != NULL && mean != NULL
                            ? gbs_model_coefficients(app->ctx, model, mean, mean + d)
                            : GBS_ERR_MEMORY;
    int code = status == GBS_OK ? per_unit_find(app, model, &p) : EXIT_DONE;
    size_t n = 0; /* those that are of a column; features made of many have no name */
    for (size_t k = 0; status == GBS_OK && k < d; k++)
        if (gbs_model_column(model, k) != SIZE_MAX)
            c[n++] = (struct coefficient){k, mean[k], mean[d + k]};
    if (status == GBS_OK && code == EXIT_DONE) {
        qsort(c, n, sizeof *c, by_distance);
        put_coefficients(j, model, recipe, &p, c, n);
    }
    free(c);
    free(mean);
    free(p.of);
    return status == GBS_OK           ? code
           : status == GBS_ERR_MEMORY ? app_fail(app, EXIT_MEMORY, "out of memory")
                                      : app_fail_status(app, status, NULL);
}
