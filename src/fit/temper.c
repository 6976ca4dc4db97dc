/* The calibration of a joint fit to many classes (docs/maths.md, 11.10).
 *
 *   p_c(x) = exp(t s_c(x))/sum over the classes,
 *   t = argmin sum_i [log sum_c exp(t s_ic) - t sum_c a_ic s_ic]
 *
 * over rows whose scores come from fits that have not seen them. a_i puts (n_c + 1)/(n_c + 2) on
 * the class c of row i, which has n_c rows, and the rest in equal parts on the other classes, as in
 * softmax.c: scores that divide the classes do not make t infinite. The scores are those of all
 * classes together, intercepts included: what is left to learn is how sure to be. The sum is convex
 * in t, with the second derivative sum_i var_p(s_i); Newton's method inside a bracket.
 */
#include "fit/temper.h"

#include <math.h>

#define LEAST_SLOPE 1e-3
#define MOST_SLOPE 1e3
enum { MOST_STEPS = 60 };

/* log sum exp(t s) of one row, and mean and variance of s under p. */
static double log_sum(size_t k, const double *s, double t, double *mean, double *variance) {
    double most = -INFINITY, sum = 0.0, first = 0.0, second = 0.0;
    for (size_t c = 0; c < k; c++)
        most = fmax(most, t * s[c]);
    for (size_t c = 0; c < k; c++) {
        double e = exp(t * s[c] - most);
        sum += e;
        first += e * s[c];
        second += e * s[c] * s[c];
    }
    *mean = first / sum;
    *variance = fmax(second / sum - *mean * *mean, 0.0);
    /* cppcheck-suppress invalidFunctionArg ; one of the terms of the sum is 1 */
    return most + log(sum);
}

/* The mean of the scores of row i under its targets. */
static double aimed_at(const gbs_class_scores *s, const size_t *rows, size_t i) {
    const double *score = s->score + i * s->k;
    double n = (double)rows[s->class[i]], own = (n + 1.0) / (n + 2.0), others = 0.0;
    for (size_t c = 0; c < s->k; c++)
        others += c != s->class[i] ? score[c] : 0.0;
    return own * score[s->class[i]] + (s->k > 1 ? (1.0 - own) * others / (double)(s->k - 1) : 0.0);
}

static void slopes(const gbs_class_scores *s, const size_t *rows, double t, double *first,
                   double *second) {
    double mean, variance;
    *first = *second = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->class[i] >= s->k)
            continue;
        log_sum(s->k, s->score + i * s->k, t, &mean, &variance);
        *first += mean - aimed_at(s, rows, i);
        *second += variance;
    }
}

static double best_slope(const gbs_class_scores *s, const size_t *rows) {
    double low = LEAST_SLOPE, high = MOST_SLOPE, t = 1.0, first, second;
    for (int step = 0; step < MOST_STEPS && high - low > 1e-9 * low; step++) {
        slopes(s, rows, t, &first, &second);
        *(first > 0.0 ? &high : &low) = t;
        double next = second > 0.0 ? t - first / second : t;
        if (fabs(next - t) < 1e-10 * t)
            return next > LEAST_SLOPE ? next : LEAST_SLOPE;
        t = next > low && next < high ? next : sqrt(low * high);
    }
    return t;
}

gbs_status gbs_temper(gbs_context *ctx, const gbs_class_scores *s, double *slope, double *loss,
                      double *error) {
    size_t *rows = gbs_array_alloc(ctx, s->k, sizeof *rows);
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < s->n; i++)
        if (s->class[i] < s -> k)
            rows[s->class[i]]++;
    double t = *slope = best_slope(s, rows), wrong = 0.0, count = 0.0, mean, variance;
    for (size_t i = 0; i < s->n; i++) {
        const double *score = s->score + i * s->k;
        size_t is = s->class[i], says = 0;
        if (loss != NULL)
            loss[i] = NAN;
        if (is >= s->k)
            continue;
        for (size_t c = 1; c < s->k; c++)
            says = score[c] > score[says] ? c : says;
        if (loss != NULL)
            loss[i] = log_sum(s->k, score, t, &mean, &variance) - t * score[is];
        wrong += says != is;
        count += 1.0;
    }
    if (error != NULL)
        *error = wrong / count;
    gbs_array_free(ctx, rows);
    return GBS_OK;
}
