/* Quantiles of predicted ratings: the predictive law is normal but for the scale of a row, which is
 * known well enough (docs/maths.md, 8.17), and clipped to the range. */
#include "cmd/ratings_quantiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The z with P(Z <= z) = p, by bisection. */
static double normal_quantile(double p) {
    double low = -40.0, high = 40.0;
    for (int step = 0; step < 100; step++) {
        double middle = 0.5 * (low + high);
        if (0.5 * erfc(-middle * M_SQRT1_2) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static int wrong(const struct app *app, const char *text) {
    return app_fail(app, EXIT_USAGE,
                    "predict: --quantiles: expected up to %d numbers between 0 and 1, separated by "
                    "commas, such as 0.05,0.5,0.95; found '%.60s'",
                    (int)MOST_QUANTILES, text);
}

int quantiles_read(const struct app *app, const gbs_completion *model, struct quantiles *q) {
    const char *text = option_text(&app->options, "quantiles"), *at = text;
    *q = (struct quantiles){.low = -INFINITY, .high = INFINITY};
    const gbs_completion_info *info = gbs_completion_get_info(model);
    if (info->has_range) {
        q->low = info->low;
        q->high = info->high;
    }
    while (text != NULL) {
        char *end;
        size_t length = strcspn(at, ",");
        double p = strtod(at, &end);
        if (q->n == MOST_QUANTILES || end != at + length || length == 0 || !(p > 0.0 && p < 1.0))
            return wrong(app, text);
        q->z[q->n] = normal_quantile(p);
        snprintf(q->name[q->n++], sizeof *q->name, "q%.*s", (int)(length < 20 ? length : 20), at);
        if (at[length] == '\0')
            return EXIT_DONE;
        at += length + 1;
    }
    return EXIT_DONE;
}

double quantile_at(const struct quantiles *q, double z, double value, double sd, double noise) {
    double x = value + z * sqrt(sd * sd + noise);
    return x < q->low ? q->low : x > q->high ? q->high : x;
}

double quantiles_top(const struct app *app) {
    return given(&app->options, "top-quantile")
               ? normal_quantile(option_number(&app->options, "top-quantile"))
               : 0.0;
}

void quantiles_head(const struct quantiles *q, struct text *out) {
    for (size_t k = 0; k < q->n; k++)
        text_add(out, ",%s", q->name[k]);
}

void quantiles_csv(const struct quantiles *q, double value, double sd, double noise,
                   struct text *out) {
    for (size_t k = 0; k < q->n; k++) {
        text_add_bytes(out, ",", 1);
        text_add_number(out, quantile_at(q, q->z[k], value, sd, noise));
    }
}

void quantiles_json(const struct quantiles *q, double value, double sd, double noise,
                    struct json *j) {
    for (size_t k = 0; k < q->n; k++)
        json_put_number(j, q->name[k], quantile_at(q, q->z[k], value, sd, noise));
}
