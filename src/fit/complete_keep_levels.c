/* What is kept of the hierarchical model, in units of the ratings and on axes of falling size
 * (docs/maths.md, 8.17): biases times the scale, factors times its root.
 *
 * A row's covariance is S E(1/tau), its noise variance E(1/tau) = rate / (shape - 1). A row without
 * ratings has mean B'phi, phi the intercept, and covariance (1 + phi'G^-1 phi) E(Lambda^-1)
 * E(1/tau), E(Lambda^-1) = W^-1/N. A draw of the sampler has no covariance, and its own Lambda and
 * B.
 */
#include "fit/complete.h"
#include "kernel/linalg.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct keeping {
    const gbs_levels *f;
    gbs_completion *c;
    int side;
    size_t draw; /* its number; f is a draw where the model has no covariances */
    double *turn[2];
    double *scratch; /* a worker: 2 own x own */
};

enum { ITEMS_A_TASK = 64 };

/* Packed T S T' times `factor`, S packed. */
static void turn_covariance(size_t own, const double *turn, const double *packed, double factor,
                            double *scratch, double *out) {
    double *full = scratch, *half = scratch + own * own;
    for (size_t i = 0; i < own; i++)
        for (size_t j = i; j < own; j++)
            full[i * own + j] = full[j * own + i] = factor * *packed++;
    gbs_rows_times(own, own, own, turn, full, half);
    for (size_t i = 0; i < own; i++)
        for (size_t j = i; j < own; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < own; k++)
                sum += half[i * own + k] * turn[j * own + k];
            *out++ = sum;
        }
}

static void turn_mean(size_t own, const double *turn, const double *mean, double *out) {
    for (size_t i = 0; i < own; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < own; k++)
            sum += turn[i * own + k] * mean[k];
        out[i] = sum;
    }
}

static void keep_items(void *arg, size_t task, size_t worker) {
    const struct keeping *k = arg;
    const gbs_levels *f = k->f;
    const gbs_level_side *s = &f->side[k->side];
    size_t own = f->own, packed = gbs_packed_size(own), last = (task + 1) * ITEMS_A_TASK;
    double *scratch = k->scratch + worker * 2 * own * own;
    for (size_t i = task * ITEMS_A_TASK; i < last && i < s->items; i++) {
        double noise = k->side == 0 ? f->rate[i] / (f->shape[i] - 1.0) : 1.0;
        turn_mean(own, k->turn[k->side], s->mean + i * own,
                  k->c->mean[k->side] + (k->draw * s->items + i) * own);
        if (k->c->cov[k->side] == NULL)
            continue;
        turn_covariance(own, k->turn[k->side], s->cov + i * packed, noise, scratch,
                        k->c->cov[k->side] + i * packed);
    }
}

bool gbs_completion_new_item(const gbs_levels *f, int side, bool drawn, double *scratch,
                             double *packed) {
    const gbs_level_side *s = &f->side[side];
    size_t own = f->own;
    double noise = side == 0 ? f->beta / (f->alpha - 1.0) : 1.0,
           factor = noise * (1.0 + s->gram_variance[0]) / (double)s->items;
    if (!drawn) {
        for (size_t i = 0; i < own; i++)
            for (size_t j = i; j < own; j++)
                *packed++ = factor * s->scatter[i * own + j];
        return true;
    }
    memcpy(scratch, s->precision, own * own * sizeof *scratch);
    if (!gbs_cholesky(own, scratch) || !gbs_lower_inverse(own, scratch))
        return false;
    for (size_t i = 0; i < own; i++)
        for (size_t j = i; j < own; j++, packed++) {
            double sum = 0.0; /* (LL')^-1 = L^-T L^-1 */
            for (size_t l = j; l < own; l++)
                sum += scratch[l * own + i] * scratch[l * own + j];
            *packed = noise * sum;
        }
    return true;
}

/* A row or column without ratings. */
static bool keep_prior(const struct keeping *k) {
    const gbs_levels *f = k->f;
    size_t own = f->own;
    double *cov = k->c->prior_cov[k->side] + k->draw * gbs_packed_size(own);
    if (!gbs_completion_new_item(f, k->side, k->c->cov[0] == NULL, k->scratch, cov))
        return false;
    turn_covariance(own, k->turn[k->side], cov, 1.0, k->scratch, cov);
    turn_mean(own, k->turn[k->side], f->side[k->side].coef,
              k->c->prior_mean[k->side] + k->draw * own);
    return true;
}

/* Of a component, what its two sides make of it; of biases, their own. */
static void keep_variances(const struct keeping *k) {
    size_t own = k->f->own, rank = k->f->rank;
    double *to = k->c->variance + k->draw * gbs_completion_groups(k->c);
    const double *cov[2];
    for (size_t s = 0; s < 2; s++) {
        cov[s] = k->c->prior_cov[s] + k->draw * gbs_packed_size(own);
        to[rank + s] = cov[s][gbs_packed(own, rank)];
    }
    for (size_t c = 0; c < rank; c++)
        to[c] = sqrt(cov[0][gbs_packed(own, c)] * cov[1][gbs_packed(own, c)]);
}

void gbs_completion_mean_noise(const struct gbs_completion_run *r, gbs_completion *c) {
    const gbs_rating_list *l = &r->learned->by[0];
    double sum = 0.0, n = (double)r->learned->n;
    for (size_t i = 0; i < l->items; i++)
        sum += c->noise[i] * (double)(l->start[i + 1] - l->start[i]);
    c->info.noise_variance = sum / n;
    c->info.noise_learned = 1;
    c->info.lambda = n / (2.0 * c->info.noise_variance);
}

/* From standardised ratings to the ratings' units: factors share the scale. */
static double unit_of(const gbs_levels *f, size_t coordinate) {
    return coordinate < f->rank ? sqrt(f->scale) : f->scale;
}

gbs_status gbs_completion_keep_levels(const struct gbs_completion_run *r, const gbs_levels *f,
                                      double *const turn[2], size_t draw) {
    size_t own = f->own;
    gbs_completion *c = r->model;
    struct keeping k = {.f = f, .c = c, .draw = draw};
    k.turn[0] = gbs_matrix(r->ctx, own, own);
    k.turn[1] = gbs_matrix(r->ctx, own, own);
    k.scratch = gbs_matrix(r->ctx, gbs_workers(r->ctx), 2 * own * own);
    bool ready = k.turn[0] != NULL && k.turn[1] != NULL && k.scratch != NULL, sound = true;
    gbs_status status = !ready         ? GBS_ERR_MEMORY
                        : turn == NULL ? gbs_levels_axes(f, k.turn)
                                       : GBS_OK;
    for (int s = 0; s < 2 && ready && turn != NULL; s++)
        memcpy(k.turn[s], turn[s], own * own * sizeof *turn[s]);
    for (k.side = 0; k.side < 2 && status == GBS_OK; k.side++) {
        for (size_t i = 0; i < own * own; i++)
            k.turn[k.side][i] *= unit_of(f, i / own);
        sound = keep_prior(&k) && sound;
        gbs_parallel_for(r->ctx, (f->side[k.side].items + ITEMS_A_TASK - 1) / ITEMS_A_TASK,
                         4.0 * (double)f->side[k.side].items * (double)(own * own * own),
                         keep_items, &k);
    }
    if (status == GBS_OK) {
        c->mu[draw] = f->ratings->center;
        keep_variances(&k);
    }
    gbs_array_free(r->ctx, k.turn[0]);
    gbs_array_free(r->ctx, k.turn[1]);
    gbs_array_free(r->ctx, k.scratch);
    if (status == GBS_OK && !sound)
        status = gbs_fail(r->ctx, GBS_ERR_NUMERIC,
                          "the sampler broke down: a precision is not positive definite");
    return status;
}

/* Moves the kept vectors of one item, own numbers `stride` apart, so that their mean is `mean` and
 * they are `spread` times as far from it. */
static void centre_item(const gbs_levels *f, size_t kept, size_t stride, const double *mean,
                        double spread, double *x) {
    for (size_t k = 0; k < f->own; k++) {
        double sum = 0.0;
        for (size_t t = 0; t < kept; t++)
            sum += x[t * stride + k];
        for (size_t t = 0; t < kept; t++)
            x[t * stride + k] = unit_of(f, k) * mean[k] +
                                spread * (x[t * stride + k] - sum / (double)kept);
    }
}

void gbs_completion_centre_draws(gbs_completion *c, const gbs_levels *f, double *const mean[2],
                                 double spread) {
    for (int s = 0; s < 2; s++) {
        size_t items = f->side[s].items, own = f->own;
        for (size_t i = 0; i < items; i++)
            centre_item(f, c->kept, items * own, mean[s] + i * own, spread, c->mean[s] + i * own);
        centre_item(f, c->kept, own, mean[s] + items * own, spread, c->prior_mean[s]);
    }
}

gbs_status gbs_completion_keep_hierarchical(struct gbs_completion_run *r, const gbs_levels *f,
                                            bool positions) {
    gbs_status status = gbs_completion_begin_model(
        r, f->rank, f->own, 1, true, r->ascent.free_energy - gbs_levels_expected_loss(f));
    if (status == GBS_OK)
        status = gbs_completion_reserve_hierarchical(r->ctx, r->model);
    if (status == GBS_OK)
        status = gbs_completion_keep_levels(r, f, NULL, 0);
    if (status != GBS_OK)
        return status;
    gbs_completion *c = r->model;
    double unit = f->scale * f->scale;
    c->positions = positions;
    c->info.mu = c->mu[0];
    for (size_t i = 0; i < f->side[0].items; i++)
        c->noise[i] = unit * f->rate[i] / (f->shape[i] - 1.0);
    c->noise[f->side[0].items] = unit * f->beta / (f->alpha - 1.0);
    gbs_completion_mean_noise(r, c);
    return GBS_OK;
}
