/* What the particles of a sampling make of rows.
 *
 * The vote of a row is the share of particles with x'theta > 0, a score of 0 counting one half; the
 * average vote is what the Gibbs posterior itself says, where a fitted model has the closed form of
 * a Gaussian.
 */
#include "judge/judge.h"

#include "core/check.h"
#include "kernel/tile.h"
#include "risk/loss.h"

#include <math.h>

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
        gbs_particles_moments(p, mean, NULL);
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
    gbs_status status = gbs_rows_build(ctx, data, &particles->maps, &rows);
    if (status != GBS_OK)
        return status;
    bool placed = particles->negatives != NULL;
    /* a place among the scores of negative rows needs the score */
    double *mean = placed && score == NULL ? gbs_doubles(ctx, data->n) : score;
    gbs_vote vote = {.score = mean, .sd = score_sd, .share = placed ? NULL : probability};
    status = placed && mean == NULL ? GBS_ERR_MEMORY
                                    : gbs_particles_vote(ctx, particles, &rows, &vote);
    for (size_t i = 0; status == GBS_OK && placed && probability != NULL && i < data->n; i++)
        probability[i] = gbs_place(particles->negatives_size, particles->negatives, mean[i]);
    if (mean != score)
        gbs_array_free(ctx, mean);
    gbs_rows_free(ctx, &rows);
    return status;
}

/* ---------------------------------------------------------------- evaluation */

static void judge_row(double y, double share, gbs_evaluated *out) {
    bool says_yes = share >= 0.5, is_yes = y > 0.0;
    double right = is_yes ? share : 1.0 - share;
    if (says_yes)
        *(is_yes ? &out->told.true_positive : &out->told.false_positive) += 1;
    else
        *(is_yes ? &out->told.false_negative : &out->told.true_negative) += 1;
    out->told.error += share == 0.5 ? 0.5 : says_yes != is_yes ? 1.0 : 0.0;
    out->told.errors += share == 0.5 || says_yes != is_yes;
    out->told.brier += (1.0 - right) * (1.0 - right);
    out->told.log_loss -= log(right);
    gbs_reliability_add(out->bin, share, is_yes);
}

static void judge(size_t n, const double *y, const gbs_vote *vote, gbs_evaluated *out) {
    *out = (gbs_evaluated){.told = {.n = n, .auc = NAN}};
    for (size_t i = 0; i < n; i++) {
        judge_row(y[i], vote->share[i], out);
        out->told.gibbs_risk += vote->loss[i] / (double)n;
        out->told.gibbs_error += vote->error[i] / (double)n;
    }
    out->told.error /= (double)n;
    out->told.brier /= (double)n;
    out->told.log_loss /= (double)n;
    gbs_reliability_finish(out->bin);
}

gbs_status gbs_particles_evaluate_votes(gbs_context *ctx, const gbs_particles *particles,
                                        const gbs_data *data, gbs_evaluated *out) {
    size_t n = data->n;
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &particles->maps, &rows);
    if (status != GBS_OK)
        return status;
    double *all = gbs_matrix(ctx, 4, n);
    status = all != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_vote vote = {.score = all, .share = all + n, .loss = all + 2 * n, .error = all + 3 * n};
        status = gbs_particles_vote(ctx, particles, &rows, &vote);
        if (status == GBS_OK) {
            judge(n, data->y, &vote, out);
            status = gbs_area_with_error(ctx, n, data->y, vote.score, &out->told.auc,
                                         &out->told.auc_se);
        }
    }
    gbs_array_free(ctx, all);
    gbs_rows_free(ctx, &rows);
    return status;
}
