/* What a model makes of rows: the Gaussian vote P(x'theta > 0) = Phi(x'm / s(x)), averaged over the
 * stages (docs/maths.md, 3.6).
 *
 * Probabilities and losses are means over the stages with their weights. The score of a single
 * posterior is x'm; that of a mixture is the normal quantile of its probability, with standard
 * deviation 1: so Phi(score/sd) is the probability in either case, and its sign the label.
 */
#include "judge/judge.h"

#include "core/check.h"
#include "judge/calibrated.h"
#include "model/many.h"
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
    return -0.5 * t * t - log(-t) - 0.91893853320467274178 +
           log1p(-r * (1.0 - 3.0 * r * (1.0 - 5.0 * r)));
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
static void add_losses(const gbs_loss_ops *loss, double weight, size_t n, const double *margin,
                       const double *sd, double *out) {
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double psi[GBS_LOSS_TILE], d_mu[GBS_LOSS_TILE], d_s[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        loss->pointwise.smoothed(m, margin + from, sd + from, psi, d_mu, d_s);
        for (size_t i = 0; i < m; i++)
            out[from + i] += weight * psi[i];
    }
}

/* The z >= 0 with log Phi(-z) = x, x <= log(1/2): Newton's method, from the leading term of the
 * tail. */
static double upper_quantile(double x) {
    double z = sqrt(fmax(0.0, -2.0 * (x + 0.69314718055994530942)));
    for (int i = 0; i < 8 && isfinite(z); i++) {
        double at = log_distribution(-z), slope = exp(-0.5 * z * z - 0.91893853320467274178 - at);
        z = fmax(0.0, z + (at - x) / slope);
    }
    return z;
}

static void clear(size_t n, double *x) {
    for (size_t i = 0; x != NULL && i < n; i++)
        x[i] = 0.0;
}

/* log(sum so far + weight * one); `before` is the weight so far. */
static double add_log(double so_far, double before, double weight, double one) {
    return before > 0.0 ? log_mean(1.0, so_far, weight, one) : log(weight) + one;
}

/* One more stage of weight w, after stages of weight `before` in all. score and sd hold the logs of
 * the probabilities of +1 and -1 until the end. */
static void add_stage(const gbs_model *model, double w, double before, size_t n,
                      const double *score, const double *sd, const double *margin,
                      const gbs_judgement *out) {
    for (size_t i = 0; i < n; i++) {
        if (out->score != NULL)
            out->score[i] = add_log(out->score[i], before, w, log_vote(score[i], sd[i]));
        if (out->sd != NULL)
            out->sd[i] = add_log(out->sd[i], before, w, log_vote(-score[i], sd[i]));
        if (out->probability != NULL)
            out->probability[i] += w * vote(score[i], sd[i]);
        if (out->log_right != NULL && margin != NULL)
            out->log_right[i] = add_log(out->log_right[i], before, w, log_vote(margin[i], sd[i]));
    }
    if (out->gibbs != NULL)
        add_losses(&gbs_zero_one, w, n, margin, sd, out->gibbs);
    if (out->risk != NULL)
        add_losses(gbs_loss_of(model->info.loss), w, n, margin, sd, out->risk);
}

/* The weights add up to 1 but for a rounding. */
static void keep_below_one(size_t n, double *x) {
    for (size_t i = 0; x != NULL && i < n; i++)
        x[i] = fmin(1.0, x[i]);
}

static void finish_scores(size_t n, const gbs_judgement *out) {
    for (size_t i = 0; out->score != NULL && i < n; i++) {
        double yes = out->score[i], no = out->sd[i];
        out->score[i] = yes < no ? -upper_quantile(yes) : upper_quantile(no);
        out->sd[i] = 1.0;
    }
}

gbs_status gbs_check_scores(gbs_context *ctx, size_t first, size_t n, const double *score) {
    size_t bad = 0;
    if (score == NULL || gbs_finite(n, score))
        return GBS_OK;
    while (isfinite(score[bad]))
        bad++;
    return gbs_fail(
        ctx, GBS_ERR_NUMERIC,
        "row %zu: its score is not a finite number; the coefficients of the model or the "
        "values of the row are too large",
        first + bad + 1);
}

/* first: rows before these, for messages. margin: only where something about labels is asked for.
 */
static gbs_status judge_stages(const gbs_model *model, const gbs_held *held, size_t first,
                               double *score, double *sd, double *margin, bool spread_wanted,
                               const gbs_judgement *out) {
    gbs_context *ctx = held->ctx;
    size_t n = held->n;
    double before = 0.0;
    gbs_status status = GBS_OK;
    for (size_t t = 0; status == GBS_OK && t < model->stages_size; t++) {
        double w = model->stages[t].info.weight;
        gbs_spread spread = gbs_stage_gaussian(&model->stages[t]);
        if (spread_wanted)
            status = held->pass->project(held, &spread, 0, n, score, sd);
        else
            held->pass->scores(held, 0, n, spread.mean, score);
        for (size_t i = 0; status == GBS_OK && i < n; i++)
            sd[i] = sqrt(sd[i]);
        if (status == GBS_OK && margin != NULL)
            held->pass->margins(held, 0, n, score, margin);
        if (status == GBS_OK)
            status = gbs_check_scores(ctx, first, n, score);
        if (status == GBS_OK)
            status = gbs_check_scores(ctx, first, n, sd);
        if (status == GBS_OK)
            add_stage(model, w, before, n, score, sd, margin, out);
        before += w;
    }
    if (status == GBS_OK) {
        finish_scores(n, out);
        keep_below_one(n, out->probability);
        keep_below_one(n, out->gibbs);
        /* a quantile of probability 1 */
        status = gbs_check_scores(ctx, first, n, out->score);
    }
    return status;
}

gbs_status gbs_model_judge(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                           const gbs_judgement *out) {
    size_t n = rows->all.n;
    bool mixture = model->stages_size > 1, scored = out->score != NULL || out->sd != NULL;
    bool labels = out->gibbs != NULL || out->log_right != NULL || out->risk != NULL;
    double *work = gbs_matrix(ctx, labels ? 5 : 4, n);
    gbs_held *held = NULL;
    gbs_status status = work != NULL ? gbs_hold(ctx, rows, &held) : GBS_ERR_MEMORY;
    if (status != GBS_OK) {
        gbs_array_free(ctx, work);
        return status;
    }
    gbs_judgement sums = *out;
    if (mixture && scored) { /* the one needs the other */
        sums.score = out->score != NULL ? out->score : work + 2 * n;
        sums.sd = out->sd != NULL ? out->sd : work + 3 * n;
    } else {
        sums.score = sums.sd = NULL;
    }
    double *const cleared[] = {sums.probability, sums.gibbs, sums.risk};
    for (size_t k = 0; k < sizeof cleared / sizeof *cleared; k++)
        clear(n, cleared[k]);
    /* Under a full covariance the spread of a score costs d times the score itself. Elsewhere the
     * two are computed together, and the score must not depend on what else is asked for. */
    bool costly = gbs_family_of(model->info.family)->pull == GBS_PULL_MATRIX,
         spread = mixture || labels || !costly || out->sd != NULL || out->probability != NULL;
    status = judge_stages(model, held, rows->first, work, work + n, labels ? work + 4 * n : NULL,
                          spread, &sums);
    for (size_t i = 0; status == GBS_OK && !mixture && i < n; i++) {
        if (out->calibrated != NULL)
            out->calibrated[i] = gbs_calibrated(&model->card, work[i]);
        if (out->score != NULL)
            out->score[i] = work[i];
        if (out->sd != NULL)
            out->sd[i] = work[n + i];
    }
    gbs_held_free(held);
    gbs_array_free(ctx, work);
    return status;
}

/* A place among the negatives needs the score: `own` has room for it where the caller has none. */
static gbs_status predict_slice(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                                const gbs_judgement *out, double *own) {
    gbs_judgement judged = *out;
    bool placed = model->negatives != NULL && out->probability != NULL;
    if (placed && judged.score == NULL)
        judged.score = own;
    gbs_status status = gbs_model_judge(ctx, model, rows, &judged);
    for (size_t i = 0; status == GBS_OK && placed && i < rows->all.n; i++)
        out->probability[i] = gbs_place(model->negatives_size, model->negatives, judged.score[i]);
    return status;
}

static double *from(double *x, size_t first) {
    return x != NULL ? x + first : NULL;
}

/* The rows from `first` on of the caller's arrays. */
static gbs_judgement part_of(const gbs_judgement *all, size_t first) {
    return (gbs_judgement){.score = from(all->score, first),
                           .sd = from(all->sd, first),
                           .probability = from(all->probability, first),
                           .calibrated = from(all->calibrated, first)};
}

/* Rows judged together: some 64 MB of them at the most, and no more than leave time to ask whether
 * to stop. Whole strips, so that their borders, and with them the bits, are those of all rows at
 * once. */
static size_t rows_a_slice(const gbs_model *model) {
    enum { CELLS = 1 << 23, ROWS = 1 << 15 };
    size_t d = model->maps.d, strip = gbs_rows_a_strip(d), most = CELLS / d;
    return ((most < ROWS ? most : ROWS) / strip + 1) * strip;
}

/* Dense rows are made, judged and forgotten, a slice at a time. */
static gbs_status predict_sliced(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                 size_t slice, double *own, const gbs_judgement *all) {
    size_t n = data->n, *pick = gbs_array_alloc(ctx, slice, sizeof *pick);
    gbs_status status = pick != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t first = 0; status == GBS_OK && first < n; first += slice) {
        size_t count = n - first < slice ? n - first : slice;
        gbs_judgement out = part_of(all, first);
        gbs_data *some = NULL;
        gbs_rows rows = {0};
        for (size_t i = 0; i < count; i++)
            pick[i] = first + i;
        status = gbs_data_view(ctx, data, pick, count, &some);
        if (status == GBS_OK)
            status = gbs_rows_build(ctx, some, &model->maps, &rows);
        rows.first = first;
        if (status == GBS_OK)
            status = predict_slice(ctx, model, &rows, &out, own);
        gbs_rows_free(ctx, &rows);
        gbs_data_free(some);
    }
    gbs_array_free(ctx, pick);
    return status;
}

/* Sparse rows, which are dense where they are few: all are made, then judged a slice at a time. */
static gbs_status predict_whole(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                size_t slice, double *own, const gbs_judgement *all) {
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->maps, &rows);
    if (status != GBS_OK)
        return status;
    size_t n = data->n;
    for (size_t first = 0; status == GBS_OK && first < n; first += slice) {
        gbs_rows some = gbs_rows_slice(&rows, first, n - first < slice ? n - first : slice);
        gbs_judgement out = part_of(all, first);
        status = predict_slice(ctx, model, &some, &out, own);
    }
    gbs_rows_free(ctx, &rows);
    return status;
}

/* All rows; `all` are the caller's arrays. */
static gbs_status predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                          const gbs_judgement *all) {
    size_t slice = rows_a_slice(model);
    double *own = gbs_doubles(ctx, data->n < slice ? data->n : slice);
    gbs_status status = own != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        bool sliced = data->d == model->maps.given && gbs_rows_always_dense(data, &model->maps);
        status = (sliced ? predict_sliced : predict_whole)(ctx, model, data, slice, own, all);
        gbs_compute_end(ctx);
    }
    gbs_array_free(ctx, own);
    return status;
}

static size_t whole_strips(size_t rows, size_t d) {
    size_t strip = gbs_rows_a_strip(d);
    return (rows / strip + (rows % strip != 0 || rows == 0)) * strip;
}

size_t gbs_model_part_rows(const gbs_model *model, size_t rows) {
    const gbs_model *one = model;
    for (size_t k = 0; model != NULL && model->many != NULL && k < model->many->parts; k++)
        one = model->many->part[k] != NULL ? model->many->part[k] : one;
    return one != NULL && rows < SIZE_MAX / 2 ? whole_strips(rows, one->maps.d) : rows;
}

size_t gbs_particles_part_rows(const gbs_particles *particles, size_t rows) {
    size_t blocks = rows / GBS_VOTE_ROWS + (rows % GBS_VOTE_ROWS != 0 || rows == 0);
    return particles != NULL && rows < SIZE_MAX / 2 ? blocks * GBS_VOTE_ROWS : rows;
}

gbs_status gbs_model_predict(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                             double *score, double *score_sd, double *probability) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, data);
    if (model->many != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "a model of %zu classes has a score for each: gbs_model_classify_rows",
                        gbs_model_classes(model));
    gbs_judgement all = {.score = score, .sd = score_sd, .probability = probability};
    return predict(ctx, model, data, &all);
}

const gbs_card *gbs_model_card(const gbs_model *model) {
    return model != NULL && model->deployed ? &model->card : NULL;
}

int gbs_model_votes_are_dear(const gbs_model *model) {
    if (model == NULL || !model->deployed || gbs_features_linear(model->info.map))
        return 0;
    return gbs_family_of(model->info.family)->pull == GBS_PULL_MATRIX;
}

gbs_status gbs_model_classify(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              double *label, double *probability, double *score, double *vote) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, data);
    if (model->negatives != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "a model that ranks gives no labels");
    if (model->many != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "a model of %zu classes has more than two labels: gbs_model_classify_rows",
                        gbs_model_classes(model));
    double threshold = model->deployed ? model->card.threshold : 0.5;
    double *said = probability != NULL ? probability : label; /* the label may be made in place */
    gbs_judgement all = {.score = score, .probability = vote};
    if (model->deployed)
        all.calibrated = said;
    else if (vote == NULL)
        all.probability = said;
    gbs_status status = predict(ctx, model, data, &all);
    if (status != GBS_OK || said == NULL)
        return status;
    for (size_t i = 0; !model->deployed && vote != NULL && i < data->n; i++)
        said[i] = vote[i];
    for (size_t i = 0; label != NULL && i < data->n; i++)
        label[i] = said[i] >= threshold ? 1.0 : -1.0;
    return GBS_OK;
}
