/* What a model makes of rows: the Gaussian vote P(x'theta > 0) = Phi(x'm / s(x)) (MATHS.md, section 3), averaged over the stages.
 *
 * Everything is a mean over the stages with their weights, but for the standard deviation (that of the mixture) and log_right (the log of the
 * mean).
 */
#include "model/model.h"
#include "risk/loss.h"

#include <math.h>

#define HALF_SQRT2 0.70710678118654752440

static double vote(double score, double sd) {
    if (sd > 0.0)
        return 0.5 * erfc(-HALF_SQRT2 * (score / sd));
    return score > 0.0 ? 1.0 : score < 0.0 ? 0.0 : 0.5;
}

/* log Phi(t), exact in the tail. */
static double log_distribution(double t) {
    if (t > -37.0)
        return log(0.5 * erfc(-HALF_SQRT2 * t));
    double r = 1.0 / (t * t);
    return -0.5 * t * t - log(-t) - 0.91893853320467274178 + log1p(-r * (1.0 - 3.0 * r * (1.0 - 5.0 * r)));
}

static double log_vote(double margin, double sd) {
    return sd > 0.0 ? log_distribution(margin / sd) : log(vote(margin, sd));
}

/* log(a e^x + b e^y). */
static double log_mean(double a, double x, double b, double y) {
    double most = fmax(x, y);
    return most > -INFINITY ? most + log(a * exp(x - most) + b * exp(y - most)) : most;
}

/* Adds weight * (mean loss of each row) to out. */
static void add_losses(const gbs_loss_ops *loss, double weight, size_t n, const double *y, const double *score,
                       const double *sd, double *out) {
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double mu[GBS_LOSS_TILE], psi[GBS_LOSS_TILE], d_mu[GBS_LOSS_TILE], d_s[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        for (size_t i = 0; i < m; i++)
            mu[i] = y[from + i] * score[from + i];
        loss->smoothed(m, mu, sd + from, psi, d_mu, d_s);
        for (size_t i = 0; i < m; i++)
            out[from + i] += weight * psi[i];
    }
}

static void clear(size_t n, double *x) {
    for (size_t i = 0; x != NULL && i < n; i++)
        x[i] = 0.0;
}

/* One more stage of weight w, after stages of weight `before` in all. */
static void add_stage(const gbs_model *model, double w, double before, size_t n, const double *y, const double *score,
                      const double *sd, const gbs_judgement *out) {
    for (size_t i = 0; i < n; i++) {
        if (out->sd != NULL) /* the mean square until the end */
            out->sd[i] += w * (sd[i] * sd[i] + score[i] * score[i]);
        if (out->score != NULL)
            out->score[i] += w * score[i];
        if (out->probability != NULL)
            out->probability[i] += w * vote(score[i], sd[i]);
        if (out->log_right != NULL) {
            double one = log_vote(y[i] * score[i], sd[i]);
            out->log_right[i] = before > 0.0 ? log_mean(1.0, out->log_right[i], w, one) : log(w) + one;
        }
    }
    if (out->gibbs != NULL)
        add_losses(&gbs_zero_one, w, n, y, score, sd, out->gibbs);
    if (out->risk != NULL)
        add_losses(gbs_loss_of(model->info.loss), w, n, y, score, sd, out->risk);
}

gbs_status gbs_model_judge(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows, const gbs_judgement *out) {
    size_t n = rows->all.n;
    double *score = gbs_doubles(ctx, n), *sd = gbs_doubles(ctx, n), before = 0.0;
    gbs_status status = score != NULL && sd != NULL ? GBS_OK : GBS_ERR_MEMORY;
    double *const sums[] = {out->score, out->sd, out->probability, out->gibbs, out->log_right, out->risk};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        clear(n, sums[k]);
    for (size_t t = 0; status == GBS_OK && t < model->stages_size; t++) {
        double w = model->stages[t].weight;
        status = gbs_stage_project(ctx, &model->stages[t], rows, score, sd);
        if (status == GBS_OK)
            add_stage(model, w, before, n, rows->all.y, score, sd, out);
        before += w;
    }
    for (size_t i = 0; status == GBS_OK && out->sd != NULL && i < n; i++) {
        double mean = out->score != NULL ? out->score[i] : 0.0;
        out->sd[i] = model->stages_size == 1 ? sd[i] : sqrt(fmax(0.0, out->sd[i] - mean * mean));
    }
    gbs_array_free(ctx, score);
    gbs_array_free(ctx, sd);
    return status;
}

gbs_status gbs_model_predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data, double *score, double *score_sd,
                             double *probability) {
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->scaling, &rows);
    if (status != GBS_OK)
        return status;
    double *mean = score == NULL && score_sd != NULL ? gbs_doubles(ctx, data->n) : score;
    if (mean == NULL && score_sd != NULL)
        status = GBS_ERR_MEMORY;
    gbs_judgement judged = {.score = mean, .sd = score_sd, .probability = probability};
    if (status == GBS_OK)
        status = gbs_model_judge(ctx, model, &rows, &judged);
    if (mean != score)
        gbs_array_free(ctx, mean);
    gbs_rows_free(ctx, &rows);
    return status;
}
