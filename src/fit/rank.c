/* Ranking, start to end, where it differs from classification (docs/maths.md, 5.2, 6.2, 6.4).
 *
 * The risk is a mean over pairs of a positive and a negative row, 1 - AUC. Given the labels, k =
 * min(n+, n-) of the pairs are independent, and every bound of docs/maths.md, 6.1 holds with k for
 * n. The prior's centre is the mean of a hinge posterior over the pairs of the first part, at
 * lambda = its k; the width of that posterior's own prior is chosen on a held-out third, by the
 * risk of the narrow Gaussian that will become the prior.
 */
#include "fit/rank.h"

#include "bound/bound.h"
#include "core/check.h"
#include "fit/prior_centre.h"
#include "fit/ways.h"
#include "judge/judge.h"

#include <math.h>
#include <string.h>

/* Rows that choose the width: more of them settle it no better. */
enum { MOST_ROWS = 8192, FEWEST = 5 };

/* The widest that predicts hardly more than the best: m0 is fitted to more rows than the width was
 * chosen on, and they bear a wider prior. */
#define AS_GOOD 1.01

static const double widths[] = {0.025, 0.05, 0.1, 0.2, 0.4};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Of 1 - confidence, for pairs that were sampled: it costs the bound a tenth of a nat. */
#define SAMPLING_SHARE 0.1

/* A Gaussian around the mean of a hinge fit forgives what is left at these gaps, relative to F;
 * choosing a width forgives more. */
#define CHOOSING 1e-3
#define FITTING 1e-4

static gbs_fit_settings hinge(const gbs_fit_settings *o, const gbs_empirical *risk,
                              double tolerance) {
    gbs_fit_settings h = gbs_fit_settings_default();
    h.task = GBS_TASK_RANK;
    h.loss = GBS_LOSS_HINGE;
    h.intercept = 0;
    h.prior = GBS_PRIOR_ZERO;
    h.tolerance = tolerance;
    h.max_iterations = o->max_iterations;
    if (o->solver == GBS_SOLVER_SGD) { /* asked for where passes over all pairs cost too much */
        h.solver = GBS_SOLVER_SGD;
        h.family = o->family;
        h.sampled_pairs = o->sampled_pairs;
    }
    gbs_fill_defaults(&h, risk->rows, risk->d);
    return h;
}

static gbs_status fit_width(gbs_context *ctx, const gbs_empirical *risk, const gbs_fit_settings *o,
                            double width, double tolerance, double *mean) {
    gbs_fit_settings options = hinge(o, risk, tolerance);
    gbs_posterior_task task = {.ctx = ctx, .options = &options, .risk = risk};
    task.lambda = (double)risk->units;
    task.prior = (gbs_prior){NULL, width * width};
    gbs_posterior fitted;
    gbs_status status = gbs_posterior_fit(&task, &fitted);
    if (status == GBS_OK)
        memcpy(mean, fitted.stage.posterior.mean, risk->d * sizeof *mean);
    gbs_posterior_free(ctx, &fitted);
    return status;
}

/* The risk of the Gaussian that the mean would be the prior of. */
static gbs_status predict(const gbs_empirical *test, const double *mean, double *risk) {
    double sd = gbs_prior_centre_spread(test->d, mean);
    gbs_spread around = {.d = test->d, .mean = mean, .variance = sd * sd};
    return gbs_empirical_value(test, &gbs_zero_one, &around, false, risk, NULL);
}

/* The risk that each width predicts, fitted to `train` and met by `test`. */
static gbs_status try_widths(gbs_context *ctx, const gbs_empirical *train,
                             const gbs_empirical *test, const gbs_fit_settings *o, double typical,
                             double *mean, double *risk) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < WIDTHS; k++) {
        status = fit_width(ctx, train, o, widths[k] / typical, CHOOSING, mean);
        if (status == GBS_OK)
            status = predict(test, mean, &risk[k]);
    }
    return status;
}

static gbs_status choose_width(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                               double *mean, double *width, double *predicted) {
    size_t most = rows->all.n < MOST_ROWS ? rows->all.n : MOST_ROWS, inside = most - most / 3;
    gbs_rows head = gbs_rows_slice(rows, 0, inside),
             rest = gbs_rows_slice(rows, inside, most - inside);
    gbs_empirical *train = NULL, *test = NULL;
    double risk[WIDTHS], best = INFINITY;
    gbs_status status = gbs_empirical_over_pairs(ctx, &head, true, &gbs_hinge, &train);
    if (status == GBS_OK)
        status = gbs_empirical_over_pairs(ctx, &rest, true, &gbs_hinge, &test);
    if (status == GBS_OK) {
        double typical = gbs_held_typical_cell(train->held);
        *width = widths[WIDTHS / 2] / typical;
        *predicted = 0.25; /* too few rows to be held out: nothing is predicted */
        bool enough = train->units >= FEWEST && test->units >= FEWEST;
        if (enough)
            status = try_widths(ctx, train, test, o, typical, mean, risk);
        for (size_t k = 0; status == GBS_OK && enough && k < WIDTHS; k++)
            best = fmin(best, risk[k]);
        for (size_t k = 0; status == GBS_OK && enough && k < WIDTHS; k++)
            if (risk[k] <= AS_GOOD * best) {
                *width = widths[k] / typical;
                *predicted = risk[k];
            }
    }
    gbs_empirical_free(train);
    gbs_empirical_free(test);
    return status;
}

gbs_status gbs_rank_prior_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                                 double *mean, double *predicted) {
    double width;
    gbs_empirical *risk = NULL;
    gbs_status status = choose_width(ctx, rows, o, mean, &width, predicted);
    if (status == GBS_OK)
        status = gbs_empirical_over_pairs(ctx, rows, true, &gbs_hinge, &risk);
    if (status == GBS_OK)
        status = fit_width(ctx, risk, o, width, FITTING, mean);
    gbs_empirical_free(risk);
    return status;
}

/* ---------------------------------------------------------------- what a ranking does */

double gbs_rank_pair_share(size_t n, double pairs) {
    return 2.0 * pairs / ((double)n * (double)(n - 1));
}

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
static gbs_status judge_all(gbs_context *ctx, gbs_model *model, const gbs_rows *rows,
                            size_t sampled) {
    gbs_empirical *risk;
    gbs_status status = gbs_empirical_over_pairs(ctx, rows, sampled == 0, &gbs_zero_one, &risk);
    if (status != GBS_OK)
        return status;
    gbs_spread spread = gbs_stage_gaussian(&model->stages[0]);
    double *error = &model->info.gibbs_error;
    status = sampled > 0 ? gbs_empirical_sampled(risk, &gbs_zero_one, &spread, sampled, error)
                         : gbs_empirical_value(risk, &gbs_zero_one, &spread, true, error, NULL);
    gbs_empirical_free(risk);
    return status;
}

/* The risk over the certified pairs, or what a sample of them says it is at most. */
static gbs_status judge_certified(const gbs_empirical *risk, const gbs_spread *spread,
                                  const gbs_fit_settings *o, gbs_evidence *e) {
    if (o->sampled_pairs == 0)
        return gbs_empirical_value(risk, &gbs_zero_one, spread, true, &e->gibbs, &e->second_moment);
    gbs_status status = gbs_empirical_sampled(risk, &gbs_zero_one, spread, o->sampled_pairs,
                                              &e->sampled_mean);
    e->sampled = o->sampled_pairs;
    e->sampled_delta = SAMPLING_SHARE * (1.0 - o->confidence);
    e->gibbs = gbs_monte_carlo_upper(fmin(1.0, e->sampled_mean), e->sampled, e->sampled_delta);
    return status;
}

gbs_status gbs_rank_judge(gbs_context *ctx, gbs_model *model, const gbs_fit_settings *o,
                          const gbs_rows *rows, size_t first, const gbs_empirical *risk,
                          const double *m0, gbs_evidence *e) {
    size_t n = rows->all.n;
    gbs_spread spread = gbs_stage_gaussian(&model->stages[0]);
    gbs_rows certified = gbs_rows_slice(rows, first, n - first);
    double *score = gbs_doubles(ctx, n);
    gbs_status status = score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = judge_certified(risk, &spread, o, e);
    model->info.gibbs_error = e->sampled > 0 ? e->sampled_mean : e->gibbs;
    if (status == GBS_OK && e->sampled == 0 && o->loss == GBS_LOSS_ZERO_ONE &&
        gbs_posterior_by_sample(o, risk)) {
        /* the solver had a sample of them */
        model->info.gibbs_risk = e->gibbs;
        model->info.free_energy = model->stages[0].free_energy = model->info.lambda * e->gibbs +
                                                                 model->info.kl;
    }
    if (status == GBS_OK && first > 0)
        status = judge_all(ctx, model, rows, o->sampled_pairs);
    if (status == GBS_OK && m0 != NULL)
        status = disorder(ctx, &certified, m0, score, &e->score_disorder);
    if (status == GBS_OK)
        status = disorder(ctx, rows, spread.mean, score, &model->info.train_error);
    if (status == GBS_OK)
        status = gbs_keep_negatives(ctx, n, rows->all.y, score, &model->negatives,
                                    &model->negatives_size);
    gbs_array_free(ctx, score);
    e->n = risk->units;
    e->paired_rows = n - first;
    e->pair_share = gbs_rank_pair_share(n - first, risk->terms);
    model->stages[0].rows = n - first;
    return status;
}

/* ---------------------------------------------------------------- evaluation */

static gbs_status evaluate_ranking(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                                   double *score, gbs_evaluation *out) {
    gbs_empirical *risk;
    double disorder_of_score;
    gbs_spread spread = gbs_stage_gaussian(&model->stages[0]);
    gbs_status status = disorder(ctx, rows, spread.mean, score, &disorder_of_score);
    if (status == GBS_OK)
        status = gbs_area_with_error(ctx, rows->all.n, rows->all.y, score, &out->auc, &out->auc_se);
    if (status != GBS_OK || isnan(out->auc))
        return status;
    status = gbs_empirical_over_pairs(ctx, rows, true, gbs_loss_of(model->info.loss), &risk);
    if (status != GBS_OK)
        return status;
    out->blocks = risk->units;
    status = gbs_empirical_value(risk, &gbs_zero_one, &spread, false, &out->gibbs_error, NULL);
    out->gibbs_risk = out->gibbs_error;
    if (status == GBS_OK && model->info.loss != GBS_LOSS_ZERO_ONE)
        status = gbs_empirical_value(risk, risk->loss, &spread, false, &out->gibbs_risk, NULL);
    gbs_empirical_free(risk);
    return status;
}

gbs_evaluation gbs_rank_evaluation(size_t n) {
    gbs_evaluation e = {.n = n,
                        .task = GBS_TASK_RANK,
                        .error = NAN,
                        .brier = NAN,
                        .log_loss = NAN,
                        .gibbs_risk = NAN,
                        .gibbs_error = NAN,
                        .auc = NAN,
                        .auc_se = NAN};
    for (size_t k = 0; k < sizeof e.reliability / sizeof *e.reliability; k++)
        e.reliability[k] = (gbs_reliability){.mean_probability = NAN, .share_positive = NAN};
    return e;
}

gbs_status gbs_model_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              gbs_evaluation *out) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, out);
    if (model->info.task != GBS_TASK_RANK)
        return gbs_classifier_evaluate(ctx, model, data, out);
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    *out = gbs_rank_evaluation(data->n);
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->scaling, &rows);
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
