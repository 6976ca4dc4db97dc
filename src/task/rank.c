/* Ranking: x'theta orders the rows, those of +1 before those of -1 (docs/maths.md, 5.2, 6.2).
 *
 *   risk = mean over pairs of a positive and a negative row of loss((x_i - x_j)'theta), 1 - AUC
 *
 * Given the labels, k = min(n+, n-) of the pairs are independent, and every bound of docs/maths.md,
 * 6.1 holds with k for n. An intercept cancels in every pair.
 *
 * A ranking has no later stages to learn from the certified rows, so beyond 9,000 of them all rows
 * go to the first part, up to nine tenths: with a quarter of the rows in the smaller class and 1 -
 * AUC near 0.15 its bound is then some sqrt(2 x 0.15 log 20 / 2250) = 0.02 above the risk seen, and
 * twice as many would lower that by 0.006. (Settled with the Adult data in view.)
 */
#include "task/task.h"

#include "bound/bound.h"

#include <math.h>
#include <stdio.h>

enum { RANKED_COLUMNS = 3000 };

/* ---------------------------------------------------------------- options */

/* "... has the losses zero-one and hinge" */
static gbs_status refuse_loss(gbs_context *ctx) {
    char list[128] = "";
    size_t used = 0, left = 0;
    for (gbs_loss loss = 0; gbs_loss_of(loss) != NULL; loss++)
        left += gbs_loss_over_pairs(loss);
    for (gbs_loss loss = 0; left > 0 && used < sizeof list; loss++)
        if (gbs_loss_over_pairs(loss))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", gbs_loss_name(loss),
                                     --left > 1  ? ", "
                                     : left == 1 ? " and "
                                                 : "");
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`task` rank has the losses %s", list);
}

static gbs_status refuse(gbs_context *ctx, const gbs_fit_settings *o) {
    if (o->sampled_pairs > 0 && o->select == GBS_SELECT_BOUND &&
        (o->ladder_size > 1 || o->prior_grid_size > 1))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`pairs` certifies one posterior; it does not choose from a grid");
    if (gbs_loss_of(o->loss) != NULL && !gbs_loss_over_pairs(o->loss))
        return refuse_loss(ctx);
    if (o->form == GBS_FORM_DUAL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`task` rank has no dual form");
    if (o->bound == GBS_BOUND_PROGRESSIVE)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`task` rank has the bounds vote, kl, catoni, hoeffding and paper");
    if (o->has_cost)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`task` rank has no costs of labels: `cost` is for `task` classify");
    if (o->stratify)
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "`task` rank is certified given the labels; `stratify` is for `task` classify");
    return GBS_OK;
}

/* What is asked for where passes over all pairs cost too much has its own way. */
static bool deploys(const gbs_fit_settings *o) {
    return o->sampled_pairs == 0 && o->solver != GBS_SOLVER_SGD;
}

/* lambda comes from the first part, and catoni does not pay for all posteriors at once */
static gbs_bound usual_bound(const gbs_fit_settings *o) {
    return o->prior == GBS_PRIOR_INFORMED ? GBS_BOUND_CATONI : GBS_BOUND_KL;
}

static void paper(gbs_fit_settings *o, double n, double d) {
    o->prior_sd = 1.0;
    o->lambda = sqrt(0.5 * d * (n - 1.0));
}

static double first_share(size_t n) {
    return fmin(GBS_RANKED_SHARE, fmax(GBS_SINGLE_SHARE, 1.0 - GBS_RANKED_CERTIFIED / (double)n));
}

/* ---------------------------------------------------------------- rows */

static gbs_status risk_over(gbs_context *ctx, const gbs_rows *rows, bool many,
                            const gbs_loss_ops *loss, gbs_empirical **out) {
    return gbs_empirical_over_pairs(ctx, rows, !many, loss, out);
}

/* pair_share: of all pairs of rows, the share whose two labels differ. */
static void count(const gbs_empirical *risk, size_t rows, gbs_evidence *e) {
    e->n = risk->units;
    e->paired_rows = rows;
    e->pair_share = 2.0 * risk->terms / ((double)rows * (double)(rows - 1));
}

/* ---------------------------------------------------------------- what a ranking does */

/* 1 - AUC of x'm. */
static gbs_status disorder(gbs_context *ctx, const gbs_rows *rows, const double *m, double *score,
                           double *out) {
    double auc = NAN;
    gbs_held *held;
    gbs_status status = gbs_hold(ctx, rows, &held);
    if (status != GBS_OK)
        return status;
    held->pass->scores(held, 0, held->n, m, score);
    gbs_held_free(held);
    status = gbs_area(ctx, rows->all.n, rows->all.y, score, &auc);
    *out = 1.0 - auc;
    return status;
}

/* The risk of the posterior on all rows; an estimate where pairs are sampled. */
static gbs_status judge_all(gbs_context *ctx, gbs_model *model, const gbs_rows *rows, uint64_t seed,
                            size_t sampled) {
    gbs_empirical *risk;
    gbs_status status = gbs_empirical_over_pairs(ctx, rows, sampled == 0, &gbs_zero_one, &risk);
    if (status != GBS_OK)
        return status;
    gbs_spread spread = gbs_stage_gaussian(&model->stages[0]);
    double *error = &model->info.gibbs_error;
    status = sampled > 0 ? gbs_empirical_sampled(risk, &gbs_zero_one, &spread, seed, sampled, error)
                         : gbs_empirical_value(risk, &gbs_zero_one, &spread, true, error, NULL);
    gbs_empirical_free(risk);
    return status;
}

/* The risk over the certified pairs, or what a sample of them says it is at most. */
static gbs_status judge_certified(const gbs_fitted *f, const gbs_spread *spread, gbs_evidence *e) {
    const gbs_fit_settings *o = f->options;
    if (o->sampled_pairs == 0)
        return gbs_empirical_value(f->risk, &gbs_zero_one, spread, true, &e->gibbs,
                                   &e->second_moment);
    gbs_status status = gbs_empirical_sampled(f->risk, &gbs_zero_one, spread, f->seed,
                                              o->sampled_pairs, &e->sampled_mean);
    e->sampled = o->sampled_pairs;
    e->sampled_delta = GBS_SAMPLING_SHARE * (1.0 - o->confidence);
    e->gibbs = gbs_monte_carlo_upper(fmin(1.0, e->sampled_mean), e->sampled, e->sampled_delta);
    return status;
}

static gbs_status judge(gbs_context *ctx, const gbs_fitted *f, gbs_evidence *e) {
    gbs_model *model = f->model;
    const gbs_fit_settings *o = f->options;
    const gbs_rows *rows = f->rows;
    size_t n = rows->all.n, first = f->first;
    gbs_spread spread = gbs_stage_gaussian(&model->stages[0]);
    gbs_rows certified = gbs_rows_slice(rows, first, n - first);
    double *score = gbs_doubles(ctx, n);
    gbs_status status = score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = judge_certified(f, &spread, e);
    model->info.gibbs_error = e->sampled > 0 ? e->sampled_mean : e->gibbs;
    if (status == GBS_OK && e->sampled == 0 && gbs_loss_is_error(o->loss) && f->estimated) {
        /* the solver had a sample of them */
        model->info.gibbs_risk = e->gibbs;
        model->info.free_energy = model->stages[0].free_energy = model->info.lambda * e->gibbs +
                                                                 model->info.kl;
    }
    if (status == GBS_OK && first > 0)
        status = judge_all(ctx, model, rows, f->seed, o->sampled_pairs);
    if (status == GBS_OK && f->m0 != NULL)
        status = disorder(ctx, &certified, f->m0, score, &e->score_disorder);
    if (status == GBS_OK)
        status = disorder(ctx, rows, spread.mean, score, &model->info.train_error);
    if (status == GBS_OK)
        status = gbs_keep_negatives(ctx, n, rows->all.y, score, &model->negatives,
                                    &model->negatives_size);
    gbs_array_free(ctx, score);
    model->stages[0].info.rows = n - first;
    return status;
}

/* ---------------------------------------------------------------- evaluation */

static gbs_status evaluate_ranking(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                                   double *score, gbs_evaluated *out) {
    gbs_empirical *risk;
    double disorder_of_score;
    gbs_spread spread = gbs_stage_gaussian(&model->stages[0]);
    gbs_status status = disorder(ctx, rows, spread.mean, score, &disorder_of_score);
    if (status == GBS_OK)
        status = gbs_area_with_error(ctx, rows->all.n, rows->all.y, score, &out->told.auc,
                                     &out->told.auc_se);
    if (status != GBS_OK || isnan(out->told.auc))
        return status;
    status = gbs_empirical_over_pairs(ctx, rows, true, gbs_loss_of(model->info.loss), &risk);
    if (status != GBS_OK)
        return status;
    out->told.blocks = risk->units;
    status = gbs_empirical_value(risk, &gbs_zero_one, &spread, false, &out->told.gibbs_error, NULL);
    out->told.gibbs_risk = out->told.gibbs_error;
    if (status == GBS_OK && !gbs_loss_is_error(model->info.loss))
        status = gbs_empirical_value(risk, risk->loss, &spread, false, &out->told.gibbs_risk, NULL);
    gbs_empirical_free(risk);
    return status;
}

gbs_evaluated gbs_rank_evaluation(size_t n) {
    gbs_evaluated e = {.told = {.n = n,
                                .error = NAN,
                                .brier = NAN,
                                .log_loss = NAN,
                                .gibbs_risk = NAN,
                                .gibbs_error = NAN,
                                .auc = NAN,
                                .auc_se = NAN}};
    for (size_t k = 0; k < GBS_BINS; k++)
        e.bin[k] = (gbs_reliability){.mean_probability = NAN, .share_positive = NAN};
    return e;
}

static gbs_status evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                           gbs_evaluated *out) {
    *out = gbs_rank_evaluation(data->n);
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->maps, &rows);
    if (status != GBS_OK)
        return status;
    double *score = gbs_doubles(ctx, data->n);
    status = score != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        status = evaluate_ranking(ctx, model, &rows, score, out);
        gbs_compute_end(ctx);
    }
    gbs_array_free(ctx, score);
    gbs_rows_free(ctx, &rows);
    return status;
}

static double error(const gbs_evaluation *e) {
    return 1.0 - e->auc;
}

const gbs_task gbs_task_rank = {
    .kind = GBS_TASK_RANK,
    .fact = {[GBS_FACT_PAIRS] = true},
    .word = {[GBS_WORD_RISK] = "1 - AUC",
             [GBS_WORD_RISK_TITLE] = "1 - AUC",
             [GBS_WORD_DRAWN] = "scorer",
             [GBS_WORD_VOTE] = "score",
             [GBS_WORD_AVERAGE] = "mean score",
             [GBS_WORD_CENTRE] = "score",
             [GBS_WORD_PREFIX] = "ranking, ",
             [GBS_WORD_PARTICLES] = "score: the mean over the particles"},
    .full_columns = RANKED_COLUMNS,
    .smooth = GBS_LOSS_HINGE,
    .refuse = refuse,
    .deploys = deploys,
    .usual_bound = usual_bound,
    .paper = paper,
    .first_share = first_share,
    .units = gbs_smaller_class,
    .risk = risk_over,
    .centre = gbs_rank_centre,
    .count = count,
    .judge = judge,
    .judge_particles = gbs_rank_judge_particles,
    .evaluate = evaluate,
    .evaluate_particles = gbs_rank_evaluate_particles,
    .error = error,
};
