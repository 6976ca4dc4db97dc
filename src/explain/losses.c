/* What single rows have in an error rate, a Brier score, an AUC.
 *
 * Error and Brier score are means over rows. An AUC is one of its influence values:
 *
 *   c_i = A + (n/n_y) (V_i - A)
 *
 * with V_i the share of rows of the other class that row i, of class y, is in the right order with,
 * a tie one half, have mean A, and the variance of their mean is DeLong's.
 *                                                                    (docs/maths.md, 5.5, 13.2)
 */
#include "explain/losses.h"

#include "judge/many.h"

#include <math.h>
#include <stdlib.h>

size_t gbs_measures(const gbs_model *model) {
    return model->negatives != NULL ? 1 : 2;
}

struct scored {
    double score;
    size_t row;
};

static int by_score(const void *a, const void *b) {
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

static gbs_status area(gbs_context *ctx, size_t n, const double *y, const double *score,
                       double *out) {
    struct scored *sorted = gbs_array_alloc(ctx, n, sizeof *sorted);
    double up = 0.0, down = 0.0, ups = 0.0, downs = 0.0, auc = 0.0;
    if (sorted == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = (struct scored){score[i], i};
        *(y[i] > 0.0 ? &up : &down) += 1.0;
    }
    qsort(sorted, n, sizeof *sorted, by_score);
    for (size_t i = 0, end; i < n; i = end) { /* rows of one score at a time */
        double tied_up = 0.0, tied_down = 0.0;
        for (end = i; end < n && sorted[end].score == sorted[i].score; end++)
            *(y[sorted[end].row] > 0.0 ? &tied_up : &tied_down) += 1.0;
        for (size_t k = i; k < end; k++)
            out[sorted[k].row] = y[sorted[k].row] > 0.0 ? (downs + 0.5 * tied_down) / down
                                                        : (up - ups - tied_up + 0.5 * tied_up) / up;
        auc += tied_up * (downs + 0.5 * tied_down) / (up * down);
        ups += tied_up;
        downs += tied_down;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = auc + (double)n / (y[i] > 0.0 ? up : down) * (out[i] - auc);
    gbs_array_free(ctx, sorted);
    return GBS_OK;
}

static void lose_classes(const gbs_many *m, size_t n, const double *y, const double *answers,
                         double *out) {
    for (size_t i = 0; i < n; i++) {
        const double *p = answers + i * m->classes;
        size_t is = y[i] < (double)m->classes ? (size_t)y[i] : m->classes;
        out[i] = gbs_many_label(m, p) != is;
        out[n + i] = gbs_many_brier(m, p, is);
    }
}

gbs_status gbs_row_losses(gbs_context *ctx, const gbs_model *model, size_t n, const double *y,
                          const double *answers, double *out) {
    if (model->negatives != NULL)
        return area(ctx, n, y, answers, out);
    if (model->many != NULL) {
        lose_classes(model->many, n, y, answers, out);
        return GBS_OK;
    }
    double threshold = model->deployed ? model->card.threshold : 0.5;
    for (size_t i = 0; i < n; i++) {
        bool yes = y[i] > 0.0;
        double off = answers[i] - (yes ? 1.0 : 0.0);
        out[i] = (answers[i] >= threshold) != yes;
        out[n + i] = off * off;
    }
    return GBS_OK;
}
