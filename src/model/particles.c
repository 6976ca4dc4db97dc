/* Particles: their life, their moments, their vote.
 *
 * The vote of a row is the share of particles with x'theta > 0, a score of 0 counting one half; the
 * average vote is what the Gibbs posterior itself says, where a fitted model has the closed form of
 * a Gaussian.
 */
#include "model/particles.h"

#include "core/check.h"
#include "kernel/tile.h"
#include "model/model.h"
#include "risk/loss.h"

#include <math.h>
#include <string.h>

gbs_status gbs_particles_create(gbs_context *ctx, gbs_particles **out) {
    gbs_particles *p = gbs_handle_alloc(ctx, sizeof *p);
    *out = p;
    if (p == NULL)
        return GBS_ERR_MEMORY;
    p->ctx = ctx;
    return GBS_OK;
}

void gbs_particles_free(gbs_particles *p) {
    if (p == NULL)
        return;
    gbs_context *ctx = p->ctx;
    gbs_scaling_free(ctx, &p->scaling);
    gbs_array_free(ctx, p->theta);
    gbs_array_free(ctx, p->prior_mean);
    gbs_array_free(ctx, p->path);
    gbs_array_free(ctx, p->negatives);
    gbs_array_free(ctx, p->recipe);
    gbs_handle_free(ctx, p);
}

gbs_status gbs_particles_check(gbs_context *ctx, const gbs_particles *p) {
    const gbs_sample_info *i = &p->info;
    const char *bad = NULL;
    if (!gbs_finite(i->particles * i->d, p->theta))
        bad = "a particle";
    else if (!isfinite(i->log_z))
        bad = "log Z";
    else if (isnan(i->gibbs_risk) || !isfinite(i->gibbs_error) || !isfinite(i->train_error))
        bad = "a risk on the training rows";
    if (bad == NULL)
        return GBS_OK;
    return gbs_fail(
        ctx, GBS_ERR_NUMERIC,
        "the sampling broke down: %s is not a finite number; scale the columns or lower "
        "prior_sd",
        bad);
}

void gbs_particles_get_info(const gbs_particles *particles, gbs_sample_info *out) {
    if (out != NULL)
        *out = particles != NULL ? particles->info : (gbs_sample_info){0};
}

const gbs_sample_point *gbs_particles_path(const gbs_particles *particles, size_t *count) {
    gbs_tell(count, particles != NULL ? particles->path_size : 0);
    return particles != NULL ? particles->path : NULL;
}

const double *gbs_particles_draws(const gbs_particles *particles) {
    return particles != NULL ? particles->theta : NULL;
}

const char *gbs_particles_recipe(const gbs_particles *particles) {
    return particles != NULL ? particles->recipe : NULL;
}

gbs_status gbs_particles_keep_negatives(gbs_context *ctx, gbs_particles *particles, size_t n,
                                        const double *y, const double *score) {
    gbs_model borrowed = {.ctx = ctx}; /* as a model that ranks does */
    gbs_status status = gbs_model_keep_negatives(ctx, &borrowed, n, y, score);
    particles->negatives = borrowed.negatives;
    particles->negatives_size = borrowed.negatives_size;
    return status;
}

static void mean_of(const gbs_particles *p, double *mean) {
    size_t n = p->info.particles, d = p->info.d;
    memset(mean, 0, d * sizeof *mean);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            mean[k] += p->theta[i * d + k];
    for (size_t k = 0; k < d; k++)
        mean[k] /= (double)n;
}

/* Sums about the first particle, whose distance from the mean is a few deviations: nothing cancels
 * that matters. The sums of the coordinates wait in the first row, above the diagonal, until the
 * lower triangle is done. */
static void covariance_of(const gbs_particles *p, double *c) {
    size_t n = p->info.particles, d = p->info.d;
    const double *first = p->theta;
    double sum_0 = 0.0;
    memset(c, 0, d * d * sizeof *c);
    for (size_t i = 1; i < n; i++) {
        const double *x = p->theta + i * d;
        sum_0 += x[0] - first[0];
        for (size_t k = 0; k < d; k++) {
            double e = x[k] - first[k];
            for (size_t j = 0; j <= k; j++)
                c[k * d + j] += e * (x[j] - first[j]);
            if (k > 0)
                c[k] += e;
        }
    }
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j <= k; j++)
            c[k * d + j] = (c[k * d + j] -
                            (k > 0 ? c[k] : sum_0) * (j > 0 ? c[j] : sum_0) / (double)n) /
                           (double)n;
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < k; j++)
            c[j * d + k] = c[k * d + j];
}

void gbs_particles_moments(const gbs_particles *particles, double *mean, double *covariance) {
    if (particles != NULL && mean != NULL)
        mean_of(particles, mean);
    if (particles != NULL && covariance != NULL)
        covariance_of(particles, covariance);
}

/* ---------------------------------------------------------------- votes */

/* All particles as tiles, one after the other. */
static double *make_tiles(gbs_context *ctx, const gbs_particles *p) {
    size_t n = p->info.particles, d = p->info.d, tiles = (n + GBS_LANES - 1) / GBS_LANES;
    double *all = gbs_matrix(ctx, tiles * GBS_LANES, d);
    for (size_t t = 0; all != NULL && t < tiles; t++) {
        const double *row[GBS_LANES];
        size_t lanes = n - t * GBS_LANES < GBS_LANES ? n - t * GBS_LANES : GBS_LANES;
        for (size_t l = 0; l < lanes; l++)
            row[l] = p->theta + (t * GBS_LANES + l) * d;
        gbs_tile_gather(d, lanes, row, all + t * GBS_LANES * d);
    }
    return all;
}

gbs_status gbs_particles_vote(gbs_context *ctx, const gbs_particles *p, const gbs_rows *rows,
                              const gbs_vote *out) {
    size_t n = rows->all.n;
    double *mean = gbs_doubles(ctx, p->info.d), *tiles = make_tiles(ctx, p),
           *own = gbs_matrix(ctx, 2, n);
    gbs_held *held = NULL;
    gbs_vote all = *out; /* whether scores are finite is looked at */
    all.score = out->score != NULL ? out->score : own;
    all.sd = out->sd != NULL ? out->sd : own != NULL ? own + n : NULL;
    bool room = mean != NULL && tiles != NULL && own != NULL;
    gbs_status status = room ? gbs_hold(ctx, rows, &held) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        mean_of(p, mean);
        status = held->pass->vote(held, &gbs_loss_of(p->info.loss)->pointwise, p->info.particles,
                                  tiles, mean, &all);
    }
    if (status == GBS_OK)
        status = gbs_check_scores(ctx, rows->first, n, all.score);
    if (status == GBS_OK)
        status = gbs_check_scores(ctx, rows->first, n, all.sd);
    gbs_held_free(held);
    gbs_array_free(ctx, mean);
    gbs_array_free(ctx, tiles);
    gbs_array_free(ctx, own);
    return status;
}

gbs_status gbs_particles_predict(gbs_context *ctx, const gbs_particles *particles,
                                 const gbs_data *data, double *score, double *score_sd,
                                 double *probability) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    GBS_NEEDS(ctx, data);
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &particles->scaling, &rows);
    if (status != GBS_OK)
        return status;
    bool ranks = particles->info.task == GBS_TASK_RANK;
    /* a place in the ranking needs the score */
    double *mean = ranks && score == NULL ? gbs_doubles(ctx, data->n) : score;
    gbs_vote vote = {.score = mean, .sd = score_sd, .share = ranks ? NULL : probability};
    status = ranks && mean == NULL ? GBS_ERR_MEMORY
                                   : gbs_particles_vote(ctx, particles, &rows, &vote);
    gbs_model borrowed = {.negatives = particles->negatives,
                          .negatives_size = particles->negatives_size};
    for (size_t i = 0; status == GBS_OK && ranks && probability != NULL && i < data->n; i++)
        probability[i] = gbs_model_place(&borrowed, mean[i]);
    if (mean != score)
        gbs_array_free(ctx, mean);
    gbs_rows_free(ctx, &rows);
    return status;
}

/* ---------------------------------------------------------------- evaluation */

static void judge_row(double y, double share, gbs_evaluation *out) {
    bool says_yes = share >= 0.5, is_yes = y > 0.0;
    double right = is_yes ? share : 1.0 - share;
    if (says_yes)
        *(is_yes ? &out->true_positive : &out->false_positive) += 1;
    else
        *(is_yes ? &out->false_negative : &out->true_negative) += 1;
    out->error += share == 0.5 ? 0.5 : says_yes != is_yes ? 1.0 : 0.0;
    out->errors += share == 0.5 || says_yes != is_yes;
    out->brier += (1.0 - right) * (1.0 - right);
    out->log_loss -= log(right);
    gbs_reliability *bin = &out->reliability[share < 1.0 ? (size_t)(10.0 * share) : 9];
    bin->count++;
    bin->mean_probability += share;
    bin->share_positive += is_yes;
}

static void judge(size_t n, const double *y, const gbs_vote *vote, gbs_evaluation *out) {
    *out = (gbs_evaluation){.n = n, .auc = NAN};
    for (size_t i = 0; i < n; i++) {
        judge_row(y[i], vote->share[i], out);
        out->gibbs_risk += vote->loss[i] / (double)n;
        out->gibbs_error += vote->error[i] / (double)n;
    }
    out->error /= (double)n;
    out->brier /= (double)n;
    out->log_loss /= (double)n;
    for (size_t k = 0; k < 10; k++) {
        out->reliability[k].mean_probability /= (double)out->reliability[k].count;
        out->reliability[k].share_positive /= (double)out->reliability[k].count;
    }
}

gbs_status gbs_particles_evaluate_votes(gbs_context *ctx, const gbs_particles *particles,
                                        const gbs_data *data, gbs_evaluation *out) {
    size_t n = data->n;
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &particles->scaling, &rows);
    if (status != GBS_OK)
        return status;
    double *all = gbs_matrix(ctx, 4, n);
    status = all != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_vote vote = {.score = all, .share = all + n, .loss = all + 2 * n, .error = all + 3 * n};
        status = gbs_particles_vote(ctx, particles, &rows, &vote);
        if (status == GBS_OK) {
            judge(n, data->y, &vote, out);
            status = gbs_area_with_error(ctx, n, data->y, vote.score, &out->auc, &out->auc_se);
        }
    }
    gbs_array_free(ctx, all);
    gbs_rows_free(ctx, &rows);
    return status;
}

size_t gbs_particles_column(const gbs_particles *particles, size_t k) {
    return particles != NULL && k < particles->info.d ? gbs_seen_column(&particles->scaling.seen, k)
                                                      : SIZE_MAX;
}
