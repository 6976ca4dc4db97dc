/* How the first part becomes a prior (docs/maths.md, 6.4).
 *
 * m0 is the mean of a hinge posterior under N(0, width^2 I) at lambda = rows, by default on columns
 * stretched by their relevance (data/scaling.c). The width is chosen by cross-validation, on the
 * Gibbs risk of that posterior: it is smooth in the width, so that some hundred rows do not choose
 * by luck (choosing by the vote's error cost up to one per cent of error on the data sets tried).
 * Widths are in units of one over the typical size of a cell.
 *
 * The prior around m0 is narrow: the risk of a draw is then nearly that of sign(x'm0), and the
 * posterior moves where the zero-one loss says so.
 */
#include "fit/prior_centre.h"
#include "fit/run.h"

#include "fit/ways.h"

#include <math.h>
#include <string.h>

#define LAMBDA_PER_ROW 1.0
#define SPREAD 0.05
/* More rows than this settle the width no better. */
enum { FOLDS = 5, MOST_ROWS = 8192 };

static const double widths[] = {0.025, 0.05, 0.1, 0.2, 0.4};
enum { WIDTHS = sizeof widths / sizeof *widths };

static gbs_fit_settings hinge(const gbs_fit_settings *o, double rows) {
    gbs_fit_settings h = gbs_fit_settings_default();
    h.loss = GBS_LOSS_HINGE;
    h.scale = o->scale;
    h.intercept = o->intercept;
    h.cx = o->cx;
    h.constant = o->constant;
    h.columns = o->columns;
    h.prior = GBS_PRIOR_ZERO;
    h.bound = GBS_BOUND_KL;
    h.tolerance = 1e-5;
    h.max_iterations = o->max_iterations;
    h.lambda = LAMBDA_PER_ROW * rows;
    return h;
}

/* Root mean square of a cell of the scaled rows: 1 when they are standardised. */
static gbs_status typical_cell(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                               double *out) {
    gbs_scaling scaling,
        wanted = {.kind = o->scale, .intercept = o->intercept != 0, .constant = 1.0, .clip = o->cx};
    gbs_rows rows = {0};
    gbs_held *held = NULL;
    gbs_status status = gbs_scaling_learn(ctx, data, &wanted, &scaling);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(ctx, data, &scaling, &rows);
    if (status == GBS_OK)
        status = gbs_hold(ctx, &rows, &held);
    if (status == GBS_OK)
        *out = gbs_held_typical_cell(held);
    gbs_held_free(held);
    gbs_rows_free(ctx, &rows);
    gbs_scaling_free(ctx, &scaling);
    return status;
}

static size_t fewest_of_a_class(const gbs_data *data) {
    size_t positive = 0;
    for (size_t i = 0; i < data->n; i++)
        positive += data->y[i] > 0.0;
    return positive < data->n - positive ? positive : data->n - positive;
}

gbs_status gbs_prior_centre_choose(gbs_context *ctx, const gbs_split *split,
                                   const gbs_fit_settings *o, gbs_prior_centre *out) {
    gbs_data *head;
    double typical;
    gbs_status status = gbs_split_head(ctx, split,
                                       split->first < MOST_ROWS ? split->first : MOST_ROWS, &head);
    if (status == GBS_OK)
        status = typical_cell(ctx, head, o, &typical);
    gbs_fit_settings candidates[WIDTHS];
    gbs_cv_result results[WIDTHS];
    if (status == GBS_OK) {
        *out = (gbs_prior_centre){.width = widths[WIDTHS / 2] / typical, .predicted = 0.25};
        for (size_t k = 0; k < WIDTHS; k++) {
            candidates[k] = hinge(o, (double)head->n);
            candidates[k].prior_sd = widths[k] / typical;
        }
    }
    /* too few rows to be dealt out: the middle width, and nothing is predicted */
    if (status == GBS_OK && fewest_of_a_class(head) >= FOLDS) {
        status = gbs_cross_validate_run(ctx, head, FOLDS, candidates, WIDTHS, results);
        size_t best = 0;
        for (size_t k = 1; status == GBS_OK && k < WIDTHS; k++)
            if (results[k].gibbs_error < results[best].gibbs_error)
                best = k;
        if (status == GBS_OK)
            *out = (gbs_prior_centre){.width = candidates[best].prior_sd,
                                      .predicted = results[best].error};
    }
    gbs_data_free(head);
    return status;
}

gbs_status gbs_prior_centre_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                                const gbs_prior_centre *centre, double *mean) {
    gbs_fit_settings options = hinge(o, (double)rows->all.n);
    gbs_fill_defaults(&options, rows->all.n, rows->d - (o->intercept ? 1 : 0));
    gbs_empirical *risk;
    gbs_posterior fitted;
    gbs_status status = gbs_empirical_over_rows(ctx, rows, gbs_loss_of(options.loss), &risk);
    gbs_posterior_task task = {
        .ctx = ctx, .options = &options, .risk = risk, .lambda = options.lambda};
    task.prior = (gbs_prior){NULL, centre->width * centre->width};
    if (status == GBS_OK)
        status = gbs_posterior_fit(&task, &fitted);
    gbs_empirical_free(risk);
    if (status != GBS_OK)
        return status;
    memcpy(mean, fitted.stage.posterior.mean, rows->d * sizeof *mean);
    gbs_posterior_free(ctx, &fitted);
    return GBS_OK;
}

double gbs_prior_centre_spread(size_t d, const double *mean) {
    double rms = sqrt(gbs_dot(d, mean, mean) / (double)d);
    return rms > 0.0 ? SPREAD * rms : 1.0;
}
