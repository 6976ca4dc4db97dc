/* Quantiles of predicted ratings, as they are asked for and printed. */
#include "cmd/ratings_quantiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const struct app *app, const char *text) {
    return app_fail(app, EXIT_USAGE,
                    "predict: --quantiles: expected up to %d numbers between 0 and 1, separated by "
                    "commas, such as 0.05,0.5,0.95; found '%.60s'",
                    (int)MOST_QUANTILES, text);
}

int quantiles_read(const struct app *app, struct quantiles *q) {
    const char *text = option_text(&app->options, "quantiles"), *at = text;
    *q = (struct quantiles){0};
    while (text != NULL) {
        char *end;
        size_t length = strcspn(at, ",");
        double p = strtod(at, &end);
        if (q->n == MOST_QUANTILES || end != at + length || length == 0 || !(p > 0.0 && p < 1.0))
            return wrong(app, text);
        q->level[q->n] = p;
        snprintf(q->name[q->n++], sizeof *q->name, "q%.*s", (int)(length < 20 ? length : 20), at);
        if (at[length] == '\0')
            return EXIT_DONE;
        at += length + 1;
    }
    return EXIT_DONE;
}

int quantiles_of(const struct app *app, const gbs_completion *model, size_t cells,
                 const uint32_t *row, const uint32_t *column, struct quantiles *q) {
    if (q->n == 0)
        return EXIT_DONE;
    q->value = calloc(cells + 1, q->n * sizeof *q->value);
    if (q->value == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    gbs_status status = gbs_completion_quantiles(app->ctx, model, cells, row, column, q->n,
                                                 q->level, q->value);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

void quantiles_free(struct quantiles *q) {
    free(q->value);
    *q = (struct quantiles){0};
}

void quantiles_head(const struct quantiles *q, struct text *out) {
    for (size_t k = 0; k < q->n; k++)
        text_add(out, ",%s", q->name[k]);
}

void quantiles_csv(const struct quantiles *q, size_t cell, struct text *out) {
    for (size_t k = 0; k < q->n; k++) {
        text_add_bytes(out, ",", 1);
        text_add_number(out, q->value[cell * q->n + k]);
    }
}

void quantiles_json(const struct quantiles *q, size_t cell, struct json *j) {
    for (size_t k = 0; k < q->n; k++)
        json_put_number(j, q->name[k], q->value[cell * q->n + k]);
}
