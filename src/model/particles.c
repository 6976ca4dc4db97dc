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

#include <jansson.h>
#include <math.h>
#include <string.h>

const char *gbs_move_name(gbs_move move) {
    switch (move) {
    case GBS_MOVE_AUTO:
        return "auto";
    case GBS_MOVE_WALK:
        return "walk";
    case GBS_MOVE_RING:
        return "ring";
    }
    return NULL;
}

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

gbs_status gbs_particles_set_recipe(gbs_context *ctx, gbs_particles *particles, const char *json) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    gbs_model borrowed = {.ctx = particles->ctx,
                          .recipe = particles->recipe}; /* the same check and copy */
    gbs_status status = gbs_model_set_recipe(ctx, &borrowed, json);
    particles->recipe = borrowed.recipe;
    return status;
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

struct poll {
    const gbs_particles *p;
    const gbs_rows *rows;
    const gbs_vote *out;
    const gbs_loss_ops *loss;
    const double *center; /* mean of the particles */
    const double *tiles;
    double *scratch;
    double *score, *sd; /* of all rows: whether they are finite is looked at */
    size_t worker_size;
    size_t begin; /* task that this stretch begins with */
};

enum { POLL_ROWS = 64 };
/* Flops between two looks at the caller's wish to stop. */
#define PATIENCE 1e9

/* Adds one tile of particles, `lanes` of them, to the sums of a few rows. */
static void count_votes(size_t rows, size_t lanes, const double *score, const double *center,
                        double *square, double *share) {
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < lanes; l++) {
            double s = score[i * GBS_LANES + l], e = s - center[i];
            square[i] += e * e;
            share[i] += s > 0.0 ? 1.0 : s < 0.0 ? 0.0 : 0.5;
        }
}

/* The loss of row i under the lanes of one tile. Lanes that are not there repeat the first. */
static double lost(const gbs_loss_ops *loss, double y, size_t lanes, const double *score) {
    double margin[GBS_LANES] __attribute__((aligned(64))),
        total[GBS_LANES] __attribute__((aligned(64))) = {0}, sum = 0.0;
    for (size_t l = 0; l < GBS_LANES; l++)
        margin[l] = y * score[l < lanes ? l : 0];
    loss->pointwise.add_lanes(1, margin, total);
    for (size_t l = 0; l < lanes; l++)
        sum += total[l];
    return sum;
}

static void poll_rows(void *arg, size_t task, size_t worker) {
    const struct poll *w = arg;
    task += w->begin;
    size_t first = task * POLL_ROWS, left = w->rows->all.n - first,
           count = left < POLL_ROWS ? left : POLL_ROWS;
    size_t d = w->rows->d, particles = w->p->info.particles;
    gbs_strip b = gbs_rows_slice(w->rows, first, count).all;
    const double *shift = b.shift;
    double *score = w->scratch + worker * w->worker_size;
    double center[POLL_ROWS], square[POLL_ROWS] = {0}, share[POLL_ROWS] = {0},
                              loss[POLL_ROWS] = {0};
    gbs_strip_scores(&b, w->center, shift != NULL ? gbs_dot(d, shift, w->center) : 0.0, center);
    for (size_t from = 0; from < particles; from += GBS_LANES) {
        size_t lanes = particles - from < GBS_LANES ? particles - from : GBS_LANES;
        const double *tile = w->tiles + from * d;
        double less[GBS_LANES] __attribute__((aligned(64)));
        gbs_tile_scores(&b, tile, score);
        if (shift != NULL) {
            gbs_tile_dot(d, shift, tile, less);
            for (size_t i = 0; i < count * GBS_LANES; i++)
                score[i] -= less[i % GBS_LANES];
        }
        count_votes(count, lanes, score, center, square, share);
        for (size_t i = 0; w->out->loss != NULL && i < count; i++)
            loss[i] += lost(w->loss, b.y[i * b.stride], lanes, score + i * GBS_LANES);
    }
    for (size_t i = 0; i < count; i++) {
        double n = (double)particles, yes = share[i] / n;
        w->score[first + i] = center[i];
        w->sd[first + i] = sqrt(square[i] / n);
        if (w->out->share != NULL)
            w->out->share[first + i] = yes;
        if (w->out->loss != NULL)
            w->out->loss[first + i] = loss[i] / n;
        if (w->out->error != NULL)
            w->out->error[first + i] = b.y[i * b.stride] > 0.0 ? 1.0 - yes : yes;
    }
}

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

/* All rows, a stretch of them at a time. */
static gbs_status poll_all(gbs_context *ctx, struct poll *w) {
    const gbs_sample_info *info = &w->p->info;
    size_t tasks = (w->rows->all.n + POLL_ROWS - 1) / POLL_ROWS;
    double flops = 2.0 * POLL_ROWS * (double)info->particles * (double)(info->d + 4);
    size_t stretch = gbs_workers(ctx) * (flops < PATIENCE ? (size_t)(PATIENCE / flops) : 1);
    gbs_status status = GBS_OK;
    for (; status == GBS_OK && w->begin < tasks; w->begin += stretch) {
        size_t some = tasks - w->begin < stretch ? tasks - w->begin : stretch;
        gbs_parallel_for(ctx, some, flops * (double)some, poll_rows, w);
        status = gbs_check_cancel(ctx);
    }
    return status;
}

gbs_status gbs_particles_vote(gbs_context *ctx, const gbs_particles *p, const gbs_rows *rows,
                              const gbs_vote *out) {
    struct poll w = {.p = p,
                     .rows = rows,
                     .out = out,
                     .loss = gbs_loss_of(p->info.loss),
                     .worker_size = POLL_ROWS * GBS_LANES};
    size_t n = rows->all.n;
    double *mean = gbs_doubles(ctx, p->info.d), *tiles = make_tiles(ctx, p),
           *own = gbs_matrix(ctx, 2, n);
    w.scratch = gbs_matrix(ctx, gbs_workers(ctx), w.worker_size);
    bool room = mean != NULL && tiles != NULL && own != NULL && w.scratch != NULL;
    gbs_status status = room ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        mean_of(p, mean);
        w.center = mean;
        w.tiles = tiles;
        w.score = out->score != NULL ? out->score : own;
        w.sd = out->sd != NULL ? out->sd : own + n;
        status = poll_all(ctx, &w);
        gbs_compute_end(ctx);
    }
    if (status == GBS_OK)
        status = gbs_check_scores(ctx, rows->first, n, w.score);
    if (status == GBS_OK)
        status = gbs_check_scores(ctx, rows->first, n, w.sd);
    gbs_array_free(ctx, mean);
    gbs_array_free(ctx, tiles);
    gbs_array_free(ctx, own);
    gbs_array_free(ctx, w.scratch);
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
