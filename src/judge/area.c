/* The area under the ROC curve, its standard error, and where a score stands among those of
 * negative rows: all by one sort, O(n log n) (docs/maths.md, 5.5).
 *
 *   V_i  = share of the negatives below positive i, ties one half
 *   W_j  = share of the positives above negative j, ties one half
 *   AUC  = mean V = mean W
 *   se^2 = var(V)/n+ + var(W)/n-        (DeLong, DeLong & Clarke-Pearson 1988; Sun & Xu 2014)
 */
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score;
    double y;
};

static int by_score(const void *a, const void *b) {
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

/* Rows of one score. */
struct tie {
    double up, down;
    size_t end;
};

static struct tie tie_at(const struct scored *sorted, size_t n, size_t i) {
    struct tie t = {.end = i};
    do
        *(sorted[t.end].y > 0.0 ? &t.up : &t.down) += 1.0;
    while (++t.end < n && sorted[t.end].score == sorted[i].score);
    return t;
}

static void measure(const struct scored *sorted, size_t n, double *auc, double *se) {
    double negatives = 0.0, positives = 0.0, wins = 0.0, above = 0.0, below = 0.0, v = 0.0, w = 0.0;
    for (size_t i = 0; i < n;) {
        struct tie t = tie_at(sorted, n, i);
        wins += t.up * (negatives + 0.5 * t.down);
        negatives += t.down;
        positives += t.up;
        i = t.end;
    }
    *auc = positives > 0.0 && negatives > 0.0 ? wins / (positives * negatives) : NAN;
    above = positives;
    for (size_t i = 0; i < n;) {
        struct tie t = tie_at(sorted, n, i);
        above -= t.up;
        double of_up = (below + 0.5 * t.down) / negatives - *auc,
               of_down = (above + 0.5 * t.up) / positives - *auc;
        v += t.up > 0.0 ? t.up * of_up * of_up : 0.0;
        w += t.down > 0.0 ? t.down * of_down * of_down : 0.0;
        below += t.down;
        i = t.end;
    }
    bool enough = positives > 1.0 && negatives > 1.0;
    *se = enough ? sqrt(v / (positives - 1.0) / positives + w / (negatives - 1.0) / negatives)
                 : NAN;
}

gbs_status gbs_area_with_error(gbs_context *ctx, size_t n, const double *y, const double *score,
                               double *auc, double *se) {
    /* NaN has no place in an order */
    gbs_status status = gbs_check_scores(ctx, 0, n, score);
    if (status != GBS_OK)
        return status;
    struct scored *sorted = gbs_array_alloc(ctx, n, sizeof *sorted);
    if (sorted == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct scored){score[i], y[i]};
    qsort(sorted, n, sizeof *sorted, by_score);
    measure(sorted, n, auc, se);
    gbs_array_free(ctx, sorted);
    return GBS_OK;
}

gbs_status gbs_area(gbs_context *ctx, size_t n, const double *y, const double *score, double *auc) {
    double se;
    return gbs_area_with_error(ctx, n, y, score, auc, &se);
}

/* ---------------------------------------------------------------- the scores of negative rows */

/* Between neighbouring quantiles lies a thousandth of the rows. */
enum { MOST_QUANTILES = 1001 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

gbs_status gbs_keep_negatives(gbs_context *ctx, size_t n, const double *y, const double *score,
                              double **out, size_t *size) {
    double *sorted = gbs_doubles(ctx, n);
    size_t count = 0;
    *out = NULL;
    if (sorted == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (y[i] < 0.0)
            sorted[count++] = score[i];
    qsort(sorted, count, sizeof *sorted, by_value);
    *size = count < MOST_QUANTILES ? count : MOST_QUANTILES;
    double *kept = gbs_doubles(ctx, *size), last = (double)(count - 1);
    for (size_t k = 0; kept != NULL && k < *size; k++)
        kept[k] = sorted[*size > 1 ? (size_t)((double)k * last / (double)(*size - 1) + 0.5) : 0];
    gbs_array_free(ctx, sorted);
    *out = kept;
    return kept != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

double gbs_place(size_t size, const double *negatives, double score) {
    size_t ends[2]; /* how many lie below; below or equal */
    for (int equal = 0; equal < 2; equal++) {
        size_t low = 0, high = size;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            double there = negatives[middle];
            if (there < score || (equal && there == score))
                low = middle + 1;
            else
                high = middle;
        }
        ends[equal] = low;
    }
    return size > 0 ? 0.5 * (double)(ends[0] + ends[1]) / (double)size : 0.5;
}
