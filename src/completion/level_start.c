/* Where the hierarchical model begins (docs/maths.md, 8.16): columns from the singular vectors of
 * the ratings less shrunken biases, so that the first half sweep has something to regress on (a
 * random start collapses where few cells are filled), or where another fit of the same ratings
 * ended. */
#include "completion/hierarchical.h"
#include "completion/spectrum.h"

#include "kernel/linalg.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 3, EXTRA = 8 };

/* Ratings that a shrunken mean is pulled to zero by. */
#define MEAN_PULL 3.0
/* Noise variance to begin with, of standardised ratings. */
#define FIRST_NOISE 0.25
/* Covariances to begin with, as a share of the prior's. */
#define FIRST_SHARE 0.01

/* Means of rows, then of columns about them, shrunken; and the scales. */
static void weigh(gbs_spectrum *s) {
    const gbs_ratings *r = s->ratings;
    for (int side = 0; side < 2; side++) {
        const gbs_rating_list *l = &r->by[side];
        double mean = (double)r->n / (double)l->items;
        for (size_t i = 0; i < l->items; i++) {
            double count = (double)(l->start[i + 1] - l->start[i]), sum = 0.0;
            for (size_t e = l->start[i]; e < l->start[i + 1]; e++)
                sum += (l->value[e] - r->center) * s->unit - s->bias[1 - side][l->other[e]];
            s->bias[side][i] = sum / (count + MEAN_PULL);
            s->root[side][i] = 1.0 / sqrt(count + mean);
        }
    }
}

/* A component is as large as its singular value says (the regularised denominator halves it where
 * all are rated alike). */
static void place(const gbs_spectrum *s, gbs_levels *f) {
    gbs_level_side *columns = &f->side[1];
    for (size_t k = 0; k < f->rank && k < s->width; k++) {
        double square = 0.0;
        for (size_t j = 0; j < columns->items; j++) {
            double x = s->basis[1][j * s->width + k] * s->root[1][j];
            square += x * x / (double)columns->items;
        }
        double size = square > 0.0 ? sqrt(2.0 * gbs_spectrum_singular(s, k) / square) : 0.0;
        for (size_t j = 0; j < columns->items; j++)
            columns->mean[j * f->own + k] = s->basis[1][j * s->width + k] * s->root[1][j] * size;
    }
}

/* Precisions to begin with: factors together make half the spread of the ratings, biases a quarter
 * of it; of rows in units of their noise. Coefficients are zero. */
static bool widen(gbs_levels *f, int k) {
    gbs_level_side *s = &f->side[k];
    size_t own = f->own, wide = s->features;
    double freedom = (double)(s->items + own + 1), tau = k == 0 ? 1.0 / FIRST_NOISE : 1.0;
    double factor = 0.5 / sqrt((double)(f->rank > 0 ? f->rank : 1)), bias = 0.25;
    for (size_t c = 0; c < own; c++)
        s->scatter[c * own + c] = freedom * tau * (c < f->rank ? factor : bias);
    for (size_t i = 0; i < s->items; i++) {
        s->omega[i] = tau;
        for (size_t c = 0; c < own; c++)
            s->cov[i * gbs_packed_size(own) + gbs_packed(own, c)] = FIRST_SHARE * tau *
                                                                    (c < f->rank ? factor : bias);
    }
    s->log_det = 0.0;
    for (size_t c = 0; c < own; c++)
        s->log_det += (double)s->items * log(FIRST_SHARE * tau * (c < f->rank ? factor : bias));
    for (size_t p = 0; p < wide; p++) {
        s->relevance[p] = 1.0;
        s->relevance_rate[p] = f->relevance_prior + 0.5 * (double)own;
        for (size_t q = 0; q < wide; q++)
            s->gram_root[p * wide + q] = 0.0;
        s->gram_root[p * wide + p] = sqrt(tau * (double)s->items);
        s->gram_variance[p] = 1.0 / (tau * (double)s->items);
    }
    s->log_gram = (double)wide * log(tau * (double)s->items);
    for (size_t i = 0; i < s->items; i++)
        for (size_t c = 0; c < own; c++)
            for (size_t d = 0; d < own; d++)
                s->second[c * own + d] += tau * s->mean[i * own + c] * s->mean[i * own + d];
    for (size_t c = 0; c < own; c++)
        s->spread[c * own + c] = (double)s->items * FIRST_SHARE * tau *
                                 (c < f->rank ? factor : bias);
    return gbs_level_take_scatter(f, s);
}

/* All but the columns' means. */
static gbs_status begin_about(gbs_levels *f) {
    f->beta = f->alpha * FIRST_NOISE;
    f->beta_shape = GBS_LEVEL_NOISE_PRIOR + f->alpha * (double)f->side[0].items;
    f->beta_rate = f->beta_shape / f->beta;
    for (size_t i = 0; i < f->side[0].items; i++)
        f->rate[i] = f->shape[i] * FIRST_NOISE;
    if (!widen(f, 0) || !widen(f, 1))
        return gbs_fail(f->ctx, GBS_ERR_NUMERIC, "the completion broke down at its start");
    gbs_status status = gbs_levels_sum_side(f, 0);
    return status == GBS_OK ? gbs_levels_sum_side(f, 1) : status;
}

gbs_status gbs_levels_start_from(gbs_levels *f, const double *columns) {
    double root = sqrt(f->scale);
    for (size_t j = 0; j < f->side[1].items; j++)
        for (size_t c = 0; c < f->own; c++)
            f->side[1].mean[j * f->own + c] = columns[j * f->own + c] /
                                              (c < f->rank ? root : f->scale);
    return begin_about(f);
}

gbs_status gbs_levels_start(gbs_levels *f, uint64_t stream) {
    gbs_spectrum s;
    gbs_status status = gbs_spectrum_create(f->ctx, f->ratings, f->rank + EXTRA, false, &s);
    if (status != GBS_OK)
        return status;
    s.unit = 1.0 / f->scale;
    weigh(&s);
    for (size_t j = 0; j < f->side[1].items; j++)
        f->side[1].mean[j * f->own + f->rank] = s.bias[1][j];
    bool sound = false;
    status = gbs_check_cancel(f->ctx);
    if (status == GBS_OK && f->rank > 0)
        status = gbs_spectrum_iterate(&s, ROUNDS, stream, &sound);
    if (sound)
        place(&s, f);
    gbs_spectrum_free(&s);
    return status == GBS_OK ? begin_about(f) : status;
}

/* Means, covariances, scales; relevances of features that are as many, in the same order. */
static void copy_side(const gbs_levels *from, int k, gbs_levels *to) {
    const gbs_level_side *a = &from->side[k];
    gbs_level_side *b = &to->side[k];
    size_t own = to->own, matrix = own * own * sizeof(double);
    memcpy(b->mean, a->mean, b->items * own * sizeof *b->mean);
    memcpy(b->cov, a->cov, b->items * gbs_packed_size(own) * sizeof *b->cov);
    memcpy(b->omega, a->omega, b->items * sizeof *b->omega);
    memcpy(b->second, a->second, matrix);
    memcpy(b->spread, a->spread, matrix);
    b->log_det = a->log_det;
    for (size_t p = 0; p < b->features; p++) {
        bool known = p > 0 && a->features == b->features;
        b->relevance[p] = known ? a->relevance[p] : 1.0;
        b->relevance_rate[p] = known ? a->relevance_rate[p]
                                     : to->relevance_prior + 0.5 * (double)own;
    }
    to->w0[k] = from->w0[k];
}

gbs_status gbs_levels_start_at(gbs_levels *f, const gbs_levels *other) {
    gbs_status status = GBS_OK;
    f->beta = other->beta;
    f->beta_shape = other->beta_shape;
    f->beta_rate = other->beta_rate;
    for (int k = 0; k < 2 && status == GBS_OK; k++) {
        copy_side(other, k, f);
        status = gbs_levels_sum_side(f, k);
        if (status == GBS_OK)
            status = gbs_levels_update_hyper(f, k, 1.0);
    }
    for (size_t i = 0; i < f->side[0].items; i++)
        f->rate[i] = f->shape[i] / f->side[0].omega[i];
    return status;
}
