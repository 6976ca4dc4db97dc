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
#include "vb/pair_energy.h"
#include "vb/pair_sample.h"

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

static gbs_fit_options hinge(const gbs_fit_options *o, const gbs_rows *pairs, double tolerance) {
    gbs_fit_options h = gbs_fit_options_default();
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
    gbs_fill_defaults(&h, pairs->all.n, pairs->d);
    return h;
}

static gbs_status fit_width(gbs_context *ctx, const gbs_rows *pairs, const gbs_fit_options *o,
                            double width, double tolerance, double *mean) {
    gbs_fit_options options = hinge(o, pairs, tolerance);
    gbs_posterior_task task = {.ctx = ctx, .options = &options, .rows = *pairs};
    task.lambda = (double)gbs_pair_units(pairs);
    task.prior = (gbs_prior){NULL, width * width};
    gbs_posterior fitted;
    gbs_status status = gbs_posterior_fit(&task, &fitted);
    if (status == GBS_OK)
        memcpy(mean, fitted.stage.posterior.mean, pairs->d * sizeof *mean);
    gbs_posterior_free(ctx, &fitted);
    return status;
}

/* The risk of the Gaussian that the mean would be the prior of. */
static gbs_status foretell(gbs_context *ctx, const gbs_rows *pairs, const double *mean,
                           double *risk) {
    double sd = gbs_prior_centre_spread(pairs->d, mean);
    gbs_prior prior = {mean, sd * sd};
    gbs_gaussian g;
    gbs_status status = gbs_gaussian_create(ctx, GBS_FAMILY_ISOTROPIC, pairs->d, &prior, sd, &g);
    if (status == GBS_OK)
        status = gbs_pair_risk(ctx, pairs, &g, &gbs_zero_one, risk, NULL);
    gbs_gaussian_free(ctx, &g);
    return status;
}

/* Root mean square of a cell of the centred rows. */
static double typical_cell(const gbs_rows *pairs) {
    enum { SLICE = 256 };
    double norm2[SLICE], sum = 0.0;
    for (size_t first = 0; first < pairs->all.n; first += SLICE) {
        size_t left = pairs->all.n - first, count = left < SLICE ? left : SLICE;
        gbs_strip slice = gbs_rows_slice(pairs, first, count).all;
        gbs_strip_norms(&slice, pairs->shift_norm2, norm2);
        for (size_t i = 0; i < count; i++)
            sum += norm2[i] / (double)pairs->all.n;
    }
    return sum > 0.0 ? sqrt(sum / (double)pairs->d) : 1.0;
}

/* The risk that each width predicts, fitted to `train` and met by `test`. */
static gbs_status try_widths(gbs_context *ctx, const gbs_rows *train, const gbs_rows *test,
                             const gbs_fit_options *o, double typical, double *mean, double *risk) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < WIDTHS; k++) {
        status = fit_width(ctx, train, o, widths[k] / typical, CHOOSING, mean);
        if (status == GBS_OK)
            status = foretell(ctx, test, mean, &risk[k]);
    }
    return status;
}

static gbs_status choose_width(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_options *o,
                               double *mean, double *width, double *predicted) {
    size_t most = rows->all.n < MOST_ROWS ? rows->all.n : MOST_ROWS, inside = most - most / 3;
    gbs_rows head = gbs_rows_slice(rows, 0, inside),
             rest = gbs_rows_slice(rows, inside, most - inside);
    gbs_rows train = {0}, test = {0};
    double risk[WIDTHS], best = INFINITY;
    gbs_status status = gbs_pair_rows_build(ctx, &head, true, &train);
    if (status == GBS_OK)
        status = gbs_pair_rows_build(ctx, &rest, true, &test);
    if (status == GBS_OK) {
        double typical = typical_cell(&train);
        *width = widths[WIDTHS / 2] / typical;
        *predicted = 0.25; /* too few rows to be held out: nothing is predicted */
        bool enough = gbs_pair_units(&train) >= FEWEST && gbs_pair_units(&test) >= FEWEST;
        if (enough)
            status = try_widths(ctx, &train, &test, o, typical, mean, risk);
        for (size_t k = 0; status == GBS_OK && enough && k < WIDTHS; k++)
            best = fmin(best, risk[k]);
        for (size_t k = 0; status == GBS_OK && enough && k < WIDTHS; k++)
            if (risk[k] <= AS_GOOD * best) {
                *width = widths[k] / typical;
                *predicted = risk[k];
            }
    }
    gbs_rows_free(ctx, &train);
    gbs_rows_free(ctx, &test);
    return status;
}

gbs_status gbs_rank_prior_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_options *o,
                                 double *mean, double *predicted) {
    double width;
    gbs_rows pairs = {0};
    gbs_status status = choose_width(ctx, rows, o, mean, &width, predicted);
    if (status == GBS_OK)
        status = gbs_pair_rows_build(ctx, rows, true, &pairs);
    if (status == GBS_OK)
        status = fit_width(ctx, &pairs, o, width, FITTING, mean);
    gbs_rows_free(ctx, &pairs);
    return status;
}

/* ---------------------------------------------------------------- what a ranking does */

double gbs_rank_pair_share(size_t n, double pairs) {
    return 2.0 * pairs / ((double)n * (double)(n - 1));
}

/* 1 - AUC of x'm. */
static gbs_status disorder(gbs_context *ctx, const gbs_rows *rows, const double *m, double *score,
                           double *out) {
    const double *shift = rows->all.shift;
    gbs_strip_scores(&rows->all, m, shift != NULL ? gbs_dot(rows->d, shift, m) : 0.0, score);
    double auc;
    gbs_status status = gbs_area(ctx, rows->all.n, rows->all.y, score, &auc);
    *out = 1.0 - auc;
    return status;
}

/* The risk of the posterior on all rows; an estimate where pairs are sampled. */
static gbs_status judge_all(gbs_context *ctx, gbs_model *model, const gbs_rows *rows,
                            size_t sampled) {
    gbs_rows pairs;
    gbs_status status = gbs_pair_rows_build(ctx, rows, sampled == 0, &pairs);
    if (status != GBS_OK)
        return status;
    const gbs_gaussian *g = &model->stages[0].posterior;
    if (sampled > 0)
        status = gbs_pair_sampled_risk(ctx, &pairs, g, &gbs_zero_one, sampled,
                                       &model->info.gibbs_error);
    else
        status = gbs_pair_risk_shown(ctx, &pairs, g, &gbs_zero_one, &model->info.gibbs_error, NULL);
    gbs_rows_free(ctx, &pairs);
    return status;
}

/* The risk over the certified pairs, or what a sample of them says it is at most. */
static gbs_status judge_certified(gbs_context *ctx, const gbs_rows *pairs, const gbs_gaussian *g,
                                  const gbs_fit_options *o, gbs_evidence *e) {
    if (o->sampled_pairs == 0)
        return gbs_pair_risk_shown(ctx, pairs, g, &gbs_zero_one, &e->gibbs, &e->second_moment);
    gbs_status status = gbs_pair_sampled_risk(ctx, pairs, g, &gbs_zero_one, o->sampled_pairs,
                                              &e->sampled_mean);
    e->sampled = o->sampled_pairs;
    e->sampled_delta = SAMPLING_SHARE * (1.0 - o->confidence);
    e->gibbs = gbs_monte_carlo_upper(fmin(1.0, e->sampled_mean), e->sampled, e->sampled_delta);
    return status;
}

gbs_status gbs_rank_judge(gbs_context *ctx, gbs_model *model, const gbs_fit_options *o,
                          const gbs_rows *rows, size_t first, const gbs_rows *pairs,
                          const double *m0, gbs_evidence *e) {
    size_t n = rows->all.n;
    const gbs_gaussian *g = &model->stages[0].posterior;
    gbs_rows certified = gbs_rows_slice(rows, first, n - first);
    double *score = gbs_doubles(ctx, n);
    gbs_status status = score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = judge_certified(ctx, pairs, g, o, e);
    model->info.gibbs_error = e->sampled > 0 ? e->sampled_mean : e->gibbs;
    if (status == GBS_OK && e->sampled == 0 && o->loss == GBS_LOSS_ZERO_ONE &&
        gbs_posterior_by_sample(o, pairs)) {
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
        status = disorder(ctx, rows, g->mean, score, &model->info.train_error);
    if (status == GBS_OK)
        status = gbs_model_keep_negatives(ctx, model, n, rows->all.y, score);
    gbs_array_free(ctx, score);
    e->n = gbs_pair_units(pairs);
    e->paired_rows = n - first;
    e->pair_share = gbs_rank_pair_share(n - first, gbs_pair_count(pairs));
    model->stages[0].rows = n - first;
    return status;
}

/* ---------------------------------------------------------------- evaluation */

static gbs_status evaluate_ranking(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                                   double *score, gbs_evaluation *out) {
    gbs_rows pairs;
    double disorder_of_score;
    const gbs_gaussian *g = &model->stages[0].posterior;
    gbs_status status = disorder(ctx, rows, g->mean, score, &disorder_of_score);
    if (status == GBS_OK)
        status = gbs_area_with_error(ctx, rows->all.n, rows->all.y, score, &out->auc, &out->auc_se);
    if (status != GBS_OK || isnan(out->auc))
        return status;
    status = gbs_pair_rows_build(ctx, rows, true, &pairs);
    if (status != GBS_OK)
        return status;
    out->blocks = gbs_pair_units(&pairs);
    status = gbs_pair_risk(ctx, &pairs, g, &gbs_zero_one, &out->gibbs_error, NULL);
    out->gibbs_risk = out->gibbs_error;
    if (status == GBS_OK && model->info.loss != GBS_LOSS_ZERO_ONE)
        status = gbs_pair_risk(ctx, &pairs, g, gbs_loss_of(model->info.loss), &out->gibbs_risk,
                               NULL);
    gbs_rows_free(ctx, &pairs);
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
