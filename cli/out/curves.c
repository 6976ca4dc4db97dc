/* ROC curves and histograms. */
#include "out/curves.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score, y;
};

static int by_falling_score(const void *a, const void *b) {
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x < y) - (x > y);
}

static void add_point(struct roc *out, double fpr, double tpr) {
    out->fpr[out->n] = fpr;
    out->tpr[out->n++] = tpr;
}

/* Walks down the scores. A corner is kept when the curve, 2 long in all, has gone another
 * ROC_POINTS-th of its length, and always at the end. */
static void walk(size_t n, const struct scored *rows, double positives, struct roc *out) {
    double negatives = (double)n - positives, up = 0.0, right = 0.0, kept = 0.0;
    add_point(out, 0.0, 0.0);
    for (size_t i = 0; i < n;) {
        double score = rows[i].score;
        do {
            up += rows[i].y > 0.0;
            right += rows[i].y < 0.0;
        } while (++i < n && rows[i].score == score);
        double length = up / positives + right / negatives;
        if (i == n || length - kept >= 2.0 / ROC_POINTS) {
            add_point(out, right / negatives, up / positives);
            kept = length;
        }
    }
}

bool roc_make(size_t n, const double *y, const double *score, struct roc *out) {
    *out = (struct roc){0};
    double positives = 0.0;
    for (size_t i = 0; i < n; i++)
        positives += y[i] > 0.0;
    if (positives == 0.0 || positives == (double)n)
        return true;
    struct scored *rows = calloc(n + 1, sizeof *rows);
    if (rows == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct scored){score[i], y[i]};
    qsort(rows, n, sizeof *rows, by_falling_score);
    walk(n, rows, positives, out);
    free(rows);
    return true;
}

void roc_json(struct json *j, const struct roc *roc) {
    json_open_array(j, "roc");
    for (size_t k = 0; k < roc->n; k++) {
        json_open_object(j, NULL);
        json_put_number(j, "fpr", roc->fpr[k]);
        json_put_number(j, "tpr", roc->tpr[k]);
        json_close_object(j);
    }
    json_close_array(j);
}

void residuals_make(size_t n, const double *y, const double *value, struct residuals *out) {
    *out = (struct residuals){.n = n};
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        out->mean += (y[i] - value[i]) / (double)n;
        squares += (y[i] - value[i]) * (y[i] - value[i]) / (double)n;
    }
    out->sd = sqrt(fmax(0.0, squares - out->mean * out->mean));
    out->reach = squares > 0.0 ? 4.0 * sqrt(squares) : 1.0;
    for (size_t i = 0; i < n; i++) {
        double at = floor(RESIDUAL_BINS * 0.5 * (1.0 + (y[i] - value[i]) / out->reach));
        out->count[(size_t)fmin(RESIDUAL_BINS - 1, fmax(0.0, at))]++;
    }
}

void residuals_json(struct json *j, const char *key, const struct residuals *r) {
    json_open_object(j, key);
    json_put_count(j, "n", r->n);
    json_put_number(j, "mean", r->mean);
    json_put_number(j, "sd", r->sd);
    json_put_number(j, "from", -r->reach);
    json_put_number(j, "to", r->reach);
    json_open_array(j, "counts");
    for (size_t k = 0; k < RESIDUAL_BINS; k++)
        json_put_count(j, NULL, r->count[k]);
    json_close_array(j);
    json_close_object(j);
}
