/* What fits make of ratings that were left out: their errors, the standard deviations that were
 * expected of them, and by how much those fell short (docs/maths.md, 8.18).
 *
 * q takes rows and columns for independent given all else, so its variances are too small where
 * ratings are few for each unknown. With z = |y - p| / sd of ratings left out, the factor
 *
 *   (0.95 quantile of z / 1.96)^2, to the power n / (n + 150)
 *
 * of the variances makes intervals of 95 % cover what they say. Its logarithm has a standard error
 * of about 1.9 / sqrt(n), and is a tenth or two where it matters, so 150 ratings without a say are
 * added.
 */
#include "fit/complete_levels.h"
#include "kernel/moments.h"

#include <math.h>
#include <stdlib.h>

#define INTERVAL 0.95
#define NORMAL_QUANTILE 1.959963984540054
#define WITHOUT_A_SAY 150.0
/* Outside of these something else is wrong. */
#define LEAST_INFLATION 0.25
#define MOST_INFLATION 4.0
/* Fewer have no such quantile. */
enum { LEAST_MISSED = 40 };

gbs_status gbs_missed_reserve(gbs_context *ctx, size_t room, struct gbs_missed *m) {
    *m = (struct gbs_missed){0, gbs_doubles(ctx, room), gbs_doubles(ctx, room)};
    return m->off != NULL && m->sd != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

void gbs_missed_free(const gbs_context *ctx, struct gbs_missed *m) {
    gbs_array_free(ctx, m->off);
    gbs_array_free(ctx, m->sd);
    *m = (struct gbs_missed){0};
}

void gbs_missed_swap(struct gbs_missed *a, struct gbs_missed *b) {
    struct gbs_missed kept = *a;
    *a = *b;
    *b = kept;
}

/* An item: mean and packed covariance, which is to be taken `times`. */
struct known {
    const double *mean, *cov;
    double times;
};

/* Variance of the product of two items and their biases (docs/maths.md, 8.8); one: room for own. */
static double variance_of(size_t rank, size_t own, struct known a, struct known b, double *one) {
    double v = 0.0;
    for (size_t k = 0; k < own; k++)
        one[k] = k < rank ? a.mean[k] : 1.0;
    v += b.times * gbs_packed_quadratic(own, b.cov, one);
    for (size_t k = 0; k < own; k++)
        one[k] = k < rank ? b.mean[k] : 1.0;
    v += a.times * gbs_packed_quadratic(own, a.cov, one);
    return v + a.times * b.times * gbs_packed_inner(rank, own, a.cov, own, b.cov);
}

/* What is expected of the square of y - p of a cell, standardised. */
static double expected_square(const gbs_levels *f, size_t i, size_t j, double *one) {
    size_t own = f->own, packed = gbs_packed_size(own);
    double noise = f->rate[i] / (f->shape[i] - 1.0);
    struct known row = {f->side[0].mean + i * own, f->side[0].cov + i * packed, noise},
                 column = {f->side[1].mean + j * own, f->side[1].cov + j * packed, 1.0};
    return noise + variance_of(f->rank, own, row, column, one);
}

gbs_status gbs_levels_expect(const gbs_levels *f, size_t n, const uint32_t *row,
                             const uint32_t *column, double *square) {
    double *one = gbs_doubles(f->ctx, f->own);
    if (one == NULL)
        return GBS_ERR_MEMORY;
    for (size_t e = 0; e < n; e++)
        square[e] = f->scale * f->scale * expected_square(f, row[e], column[e], one);
    gbs_array_free(f->ctx, one);
    return GBS_OK;
}

gbs_status gbs_levels_miss(const gbs_levels *f, const gbs_ratings *test, struct gbs_missed *m,
                           double *error) {
    const gbs_rating_list *l = &test->by[0];
    size_t own = f->own;
    double sum = 0.0, *one = gbs_doubles(f->ctx, own);
    if (one == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < l->items; i++) {
        const double *x = f->side[0].mean + i * own;
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            size_t j = l->other[e];
            double p = gbs_level_predict(f, x, f->side[1].mean + j * own),
                   off = l->value[e] - f->ratings->center - f->scale * p;
            sum += off * off;
            m->off[m->n] = off;
            m->sd[m->n++] = f->scale * sqrt(expected_square(f, i, j, one));
        }
    }
    gbs_array_free(f->ctx, one);
    *error = sum / (double)test->n;
    return GBS_OK;
}

double gbs_levels_error(const gbs_levels *f, const gbs_ratings *test) {
    const gbs_rating_list *l = &test->by[0];
    double sum = 0.0;
    for (size_t i = 0; i < l->items; i++) {
        const double *x = f->side[0].mean + i * f->own;
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            double p = gbs_level_predict(f, x, f->side[1].mean + l->other[e] * f->own),
                   off = l->value[e] - f->ratings->center - f->scale * p;
            sum += off * off;
        }
    }
    return sum / (double)test->n;
}

gbs_status gbs_paper_miss(const gbs_factors *f, const gbs_ratings *test, struct gbs_missed *m,
                          double *error) {
    const gbs_rating_list *l = &test->by[0];
    size_t own = f->own, packed = gbs_packed_size(own);
    double sum = 0.0, *one = gbs_doubles(f->ctx, own);
    if (one == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < l->items; i++)
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            size_t j = l->other[e];
            struct known row = {f->side[0].mean + i * own, f->side[0].cov + i * packed, 1.0},
                         column = {f->side[1].mean + j * own, f->side[1].cov + j * packed, 1.0};
            double off = l->value[e] - gbs_completion_mean_cell(f, i, j);
            sum += off * off;
            m->off[m->n] = off;
            m->sd[m->n++] = sqrt(1.0 / f->tau + f->mu_variance +
                                 variance_of(f->rank, own, row, column, one));
        }
    gbs_array_free(f->ctx, one);
    *error = sum / (double)test->n;
    return GBS_OK;
}

bool gbs_missed_less(const struct gbs_missed *a, const struct gbs_missed *b, double errors) {
    double n = (double)a->n, sum = 0.0, square = 0.0;
    for (size_t e = 0; e < a->n; e++) {
        double more = b->off[e] * b->off[e] - a->off[e] * a->off[e];
        sum += more;
        square += more * more;
    }
    return sum > errors * sqrt(fmax(0.0, square - sum * sum / n));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double gbs_missed_inflation(struct gbs_missed *m) {
    double n = (double)m->n;
    if (m->n < LEAST_MISSED)
        return 1.0;
    for (size_t e = 0; e < m->n; e++)
        m->off[e] = fabs(m->off[e]) / m->sd[e];
    qsort(m->off, m->n, sizeof *m->off, ascending);
    double ratio = m->off[(size_t)(INTERVAL * n)] / NORMAL_QUANTILE,
           factor = pow(ratio, 2.0 * n / (n + WITHOUT_A_SAY));
    if (!isfinite(factor))
        return 1.0;
    return fmin(MOST_INFLATION, fmax(LEAST_INFLATION, factor));
}
