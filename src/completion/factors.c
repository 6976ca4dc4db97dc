/* The factors of a matrix and their start; the unit steps that are one line of algebra each (the
 * half sweep is in sweep.c). */
#include "completion/factors.h"

#include "core/random.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

enum { PER_BLOCK_EXTRA = 4, RECORD_STEP = 8 };

static gbs_status create_side(gbs_context *ctx, size_t items, size_t own, gbs_factor_side *s) {
    s->items = items;
    s->mean = gbs_matrix(ctx, items, own);
    s->cov = gbs_matrix(ctx, items, gbs_packed_size(own));
    s->energy = gbs_doubles(ctx, own);
    s->weight = gbs_doubles(ctx, own);
    return s->mean != NULL && s->cov != NULL && s->energy != NULL && s->weight != NULL
               ? GBS_OK
               : GBS_ERR_MEMORY;
}

static void set_widths(gbs_factors *f, size_t rank) {
    f->rank = rank;
    f->own = rank + (f->biases ? 1 : 0);
    f->wide = f->own + (f->biases ? 1 : 0);
    f->stride = (gbs_packed_size(f->wide) + f->wide + RECORD_STEP - 1) / RECORD_STEP * RECORD_STEP;
    f->per_block = f->own + PER_BLOCK_EXTRA;
}

gbs_status gbs_factors_create(gbs_context *ctx, const gbs_ratings *ratings, size_t rank,
                              bool biases, const gbs_completion_prior *prior, gbs_factors *out) {
    gbs_factors *f = out;
    *f = (gbs_factors){
        .ctx = ctx, .ratings = ratings, .prior = *prior, .biases = biases, .room = rank};
    set_widths(f, rank);
    const gbs_rating_list *by = ratings->by;
    size_t most = by[0].items > by[1].items ? by[0].items : by[1].items;
    size_t blocks = by[0].blocks > by[1].blocks ? by[0].blocks : by[1].blocks;
    gbs_status status = create_side(ctx, by[0].items, f->own, &f->side[0]);
    if (status == GBS_OK)
        status = create_side(ctx, by[1].items, f->own, &f->side[1]);
    f->per_worker = (f->stride + 2 * f->own * f->own + 4 * f->own + 64) / 64 * 64;
    f->shape = gbs_doubles(ctx, rank + 2);
    f->scale = gbs_doubles(ctx, rank + 2);
    f->records = gbs_matrix(ctx, most, f->stride);
    f->partial = gbs_matrix(ctx, blocks, f->per_block);
    f->scratch = gbs_matrix(ctx, gbs_workers(ctx), f->per_worker);
    if (status != GBS_OK || f->shape == NULL || f->scale == NULL || f->records == NULL ||
        f->partial == NULL || f->scratch == NULL) {
        gbs_factors_free(f);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_factors_free(gbs_factors *f) {
    for (int s = 0; s < 2; s++) {
        gbs_array_free(f->ctx, f->side[s].mean);
        gbs_array_free(f->ctx, f->side[s].cov);
        gbs_array_free(f->ctx, f->side[s].energy);
        gbs_array_free(f->ctx, f->side[s].weight);
        gbs_array_free(f->ctx, f->side[s].centre.mean);
        gbs_array_free(f->ctx, f->side[s].centre.precision);
    }
    gbs_array_free(f->ctx, f->shape);
    gbs_array_free(f->ctx, f->scale);
    gbs_array_free(f->ctx, f->records);
    gbs_array_free(f->ctx, f->partial);
    gbs_array_free(f->ctx, f->scratch);
    *f = (gbs_factors){0};
}

/* Which variance coordinate c of a side has. */
static size_t group(const gbs_factors *f, int side, size_t c) {
    return c < f->rank ? c : f->rank + (size_t)side;
}

static double prior_scale(const gbs_factors *f, size_t g) {
    return g < f->rank ? f->prior.scale : f->prior.bias_scale;
}

static size_t groups(const gbs_factors *f) {
    return f->rank + (f->biases ? 2 : 0);
}

/* q(gamma_k) = InvGamma(a + (m1 + m2)/2, b + (sum E u_ik^2 + sum E v_jk^2)/2): the Gaussians'
 * normalisation, which the paper's print lacks, is in the shape (docs/maths.md, 8.3). */
void gbs_factors_update_variances(gbs_factors *f) {
    if (f->is_centred)
        return;
    for (size_t g = 0; g < groups(f); g++) {
        f->shape[g] = f->prior.shape;
        f->scale[g] = prior_scale(f, g);
    }
    for (int s = 0; s < 2; s++)
        for (size_t c = 0; c < f->own; c++) {
            size_t g = group(f, s, c);
            f->shape[g] += 0.5 * (double)f->side[s].items;
            f->scale[g] += 0.5 * f->side[s].energy[c];
        }
    for (int s = 0; s < 2; s++)
        for (size_t c = 0; c < f->own; c++)
            f->side[s].weight[c] = f->shape[group(f, s, c)] / f->scale[group(f, s, c)];
}

/* Residual sum of the ratings about the prediction without mu, as it stands after a half sweep. */
static double residual(const gbs_factors *f) {
    return f->ratings->sum - f->linear;
}

void gbs_factors_update_mu(gbs_factors *f) {
    if (!f->biases)
        return;
    double precision = 1.0 / f->prior.variance + f->tau * (double)f->ratings->n;
    f->mu_variance = 1.0 / precision;
    f->mu = ((f->prior.mean - f->ratings->center) / f->prior.variance + f->tau * residual(f)) /
            precision;
}

/* sum E (y - mu - p)^2 = sum y^2 + sum (E p^2 - 2 y E p) + n E mu^2 - 2 E mu sum (y - E p), p the
 * prediction without mu; `cross` and `linear` are the two sums that p takes part in. Without biases
 * mu is -center: the plain model predicts the ratings as they are. */
double gbs_factors_error(const gbs_factors *f) {
    const gbs_ratings *r = f->ratings;
    double n = (double)r->n, shift = f->biases ? 0.0 : r->center;
    double error = r->squares + 2.0 * shift * r->sum + n * shift * shift + f->cross;
    if (f->biases)
        error += n * (f->mu * f->mu + f->mu_variance) - 2.0 * f->mu * residual(f);
    return error < 0.0 ? 0.0 : error; /* NaN stays NaN */
}

void gbs_factors_update_noise(gbs_factors *f) {
    if (!f->learn_noise)
        return;
    f->tau_shape = f->prior.noise_shape + 0.5 * (double)f->ratings->n;
    f->tau_scale = f->prior.noise_scale + 0.5 * gbs_factors_error(f);
    f->tau = f->tau_shape / f->tau_scale;
}

double gbs_factors_component(const gbs_factors *f, size_t k) {
    double mean_square[2];
    for (int s = 0; s < 2; s++) {
        double sum = 0.0;
        for (size_t i = 0; i < f->side[s].items; i++)
            sum += f->side[s].mean[i * f->own + k] * f->side[s].mean[i * f->own + k];
        mean_square[s] = sum / (double)f->side[s].items;
    }
    return mean_square[0] * mean_square[1];
}

void gbs_factors_start(gbs_factors *f, double size, double noise_variance, uint64_t stream) {
    for (int s = 0; s < 2; s++) {
        gbs_factor_side *side = &f->side[s];
        double items = (double)side->items;
        for (size_t i = 0; i < side->items; i++) {
            double *cov = side->cov + i * gbs_packed_size(f->own);
            for (size_t c = 0; c < f->own; c++) {
                double noise = gbs_normal(f->ctx->seed, stream + (uint64_t)s, i * f->own + c);
                side->mean[i * f->own + c] = c < f->rank ? sqrt(size) * noise : 0.0;
                cov[gbs_packed(f->own, c)] = 0.01 * size;
            }
        }
        side->log_det = items * (double)f->own * log(0.01 * size);
        for (size_t c = 0; c < f->own; c++)
            side->energy[c] = items * size;
    }
    gbs_factors_update_variances(f);
    f->tau = 1.0 / noise_variance;
    f->mu = 0.0;
    f->mu_variance = 1.0 / (1.0 / f->prior.variance + f->tau * (double)f->ratings->n);
    f->tau_shape = f->prior.noise_shape + 0.5 * (double)f->ratings->n;
    f->tau_scale = f->tau_shape * noise_variance;
}

void gbs_factors_start_from(gbs_factors *f, const gbs_factors *other) {
    memcpy(f->side[1].mean, other->side[1].mean, f->side[1].items * f->own * sizeof(double));
}

/* ---------------------------------------------------------------- fewer components, and more */

/* Rows of the upper triangle among the kept coordinates, in place: to never overtakes from. */
static void shrink_packed(size_t d, const bool *keep, double *s, double *to) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; keep[i] && j < d; j++)
            if (keep[j])
                *to++ = s[gbs_packed(d, i) + j - i];
}

static void shrink_vector(size_t d, const bool *keep, const double *from, double *to) {
    for (size_t c = 0; c < d; c++)
        if (keep[c])
            *to++ = from[c];
}

/* Not finite where a covariance has broken down: the next free energy says so. */
static double sum_log_det(const gbs_factors *f, const gbs_factor_side *side) {
    size_t own = f->own;
    double *a = f->scratch, *l = a + own * own, sum = 0.0, log_det;
    for (size_t i = 0; i < side->items; i++) {
        const double *cov = side->cov + i * gbs_packed_size(own);
        for (size_t c = 0; c < own; c++)
            memcpy(a + c * own + c, cov + gbs_packed(own, c), (own - c) * sizeof *a);
        sum += gbs_small_factor(own, a, l, &log_det) ? log_det : NAN;
    }
    return sum;
}

/* keep covers the bias too. */
void gbs_factors_keep(gbs_factors *f, const bool *keep) {
    size_t own = f->own, kept = 0;
    for (size_t c = 0; c < own; c++)
        kept += keep[c];
    for (int s = 0; s < 2; s++) {
        gbs_factor_side *side = &f->side[s];
        for (size_t i = 0; i < side->items; i++) {
            shrink_vector(own, keep, side->mean + i * own, side->mean + i * kept);
            shrink_packed(own, keep, side->cov + i * gbs_packed_size(own),
                          side->cov + i * gbs_packed_size(kept));
        }
        shrink_vector(own, keep, side->energy, side->energy);
        shrink_vector(own, keep, side->weight, side->weight);
    }
    for (size_t g = 0, to = 0; g < groups(f); g++)
        if (g >= f->rank || keep[g]) {
            f->shape[to] = f->shape[g];
            f->scale[to++] = f->scale[g];
        }
    set_widths(f, kept - (f->biases ? 1 : 0));
    for (int s = 0; s < 2; s++)
        f->side[s].log_det = sum_log_det(f, &f->side[s]);
}

/* Rows of `before` numbers (and a bias) become rows of `after`, the new ones zero; in place, so
 * from the last row on. */
static void widen_rows(double *x, size_t rows, size_t before, size_t after, size_t bias) {
    for (size_t i = rows; i-- > 0;) {
        double *from = x + i * (before + bias), *to = x + i * (after + bias),
               last = bias > 0 ? from[before] : 0.0;
        memmove(to, from, before * sizeof *x);
        memset(to + before, 0, (after - before) * sizeof *x);
        if (bias > 0)
            to[after] = last;
    }
}

/* A chain leaves u = v = 0 slowly: while a component points nowhere its variance grows by some b /
 * (m1 + m2) a sweep, hundreds of sweeps before it can meet what the ratings hold. From above it
 * comes down within tens. */
void gbs_factors_reopen(gbs_factors *f, double size, uint64_t stream) {
    size_t before = f->rank, bias = f->own - f->rank;
    for (int s = 0; s < 2; s++) {
        gbs_factor_side *side = &f->side[s];
        widen_rows(side->mean, side->items, before, f->room, bias);
        widen_rows(side->weight, 1, before, f->room, bias);
        for (size_t k = before; k < f->room; k++)
            side->weight[k] = 1.0 / size;
    }
    set_widths(f, f->room);
    for (size_t j = 0; j < f->side[1].items; j++)
        for (size_t k = before; k < f->room; k++)
            f->side[1].mean[j * f->own + k] = sqrt(size) *
                                              gbs_normal(f->ctx->seed, stream, j * f->own + k);
}
