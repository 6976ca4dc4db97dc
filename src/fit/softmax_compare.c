/* Calibrations of many classes judged on rows that they have not seen, and one of them chosen
 * (docs/maths.md, 11.10). */
#include "fit/softmax.h"

#include <math.h>
#include <string.h>

enum { PARTS = 5 };

bool gbs_softmax_better_by(size_t n, const double *loss, const double *than, double errors) {
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (size_t i = 0; i < n; i++) {
        double gain = than[i] - loss[i];
        if (isnan(gain))
            continue;
        sum += gain;
        squares += gain * gain;
        count += 1.0;
    }
    double mean = sum / count, variance = fmax(squares / count - mean * mean, 0.0) / count;
    return count > 1.0 && mean > 0.0 && mean > errors * sqrt(variance);
}

bool gbs_softmax_better(size_t n, const double *loss, const double *than) {
    return gbs_softmax_better_by(n, loss, than, 1.0);
}

gbs_status gbs_softmax_compare(gbs_context *ctx, const gbs_class_scores *s, gbs_slopes_kind *kind,
                               double *loss, double *error) {
    double *full = gbs_doubles(ctx, s->n), wrong;
    gbs_status status = full != NULL ? GBS_OK : GBS_ERR_MEMORY;
    *kind = GBS_SLOPES_EACH;
    if (status == GBS_OK)
        status = gbs_softmax_cross_validate(ctx, s, GBS_SLOPES_EACH, loss, error);
    if (status == GBS_OK && s->k <= GBS_MOST_FULL) {
        status = gbs_softmax_cross_validate(ctx, s, GBS_SLOPES_FULL, full, &wrong);
        if (status == GBS_OK && gbs_softmax_better(s->n, full, loss)) {
            *kind = GBS_SLOPES_FULL;
            *error = wrong;
            memcpy(loss, full, s->n * sizeof *loss);
        }
    }
    gbs_array_free(ctx, full);
    return status;
}

gbs_status gbs_softmax_choose(gbs_context *ctx, const gbs_class_scores *s, double *offset,
                              double *slope) {
    gbs_slopes_kind kind;
    double error, *loss = gbs_doubles(ctx, s->n);
    gbs_status status = loss != NULL ? gbs_softmax_compare(ctx, s, &kind, loss, &error)
                                     : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_softmax_learn(ctx, s, kind, offset, slope);
    gbs_array_free(ctx, loss);
    return status;
}

double gbs_softmax_mean(size_t n, const double *loss) {
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += isnan(loss[i]) ? 0.0 : loss[i];
        count += !isnan(loss[i]);
    }
    return sum / count;
}

gbs_status gbs_softmax_cross_validate(gbs_context *ctx, const gbs_class_scores *s,
                                      gbs_slopes_kind slopes, double *loss, double *error) {
    double *fitted = gbs_matrix(ctx, s->k + 1, s->k), errors = 0.0, count = 0.0;
    size_t *class = gbs_array_alloc(ctx, s->n, sizeof *class);
    gbs_status status = fitted != NULL && class != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t part = 0; status == GBS_OK && part < PARTS; part++) {
        gbs_class_scores some = {s->n, s->k, s->score, class};
        double rows = 0.0;
        for (size_t i = 0; i < s->n; i++)
            class[i] = i % PARTS != part ? s->class[i] : SIZE_MAX;
        status = gbs_softmax_learn(ctx, &some, slopes, fitted, fitted + s->k);
        for (size_t i = 0; status == GBS_OK && i < s->n; i++) {
            class[i] = i % PARTS == part ? s->class[i] : SIZE_MAX;
            if (i % PARTS == part)
                loss[i] = gbs_softmax_row_loss(&some, i, fitted, fitted + s->k);
            rows += class[i] < s->k;
        }
        if (status == GBS_OK && rows > 0.0) {
            errors += rows * gbs_softmax_error(&some, fitted, fitted + s->k);
            count += rows;
        }
    }
    *error = errors / count;
    gbs_array_free(ctx, class);
    gbs_array_free(ctx, fitted);
    return status;
}
