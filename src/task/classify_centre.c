/* The prior centre of a classifier (docs/maths.md, 6.4).
 *
 * m0 is the mean of a hinge posterior under N(0, width^2 I) at lambda = rows, by default on columns
 * stretched by their relevance (map/relevance.c). The width is chosen by cross-validation, on the
 * Gibbs risk of that posterior: it is smooth in the width, so that some hundred rows do not choose
 * by luck (choosing by the vote's error cost up to one per cent of error on the data sets tried).
 */
#include "task/task.h"

#define LAMBDA_PER_ROW 1.0
enum { FOLDS = 5 };

static gbs_fit_settings hinge(const gbs_fit_settings *o, double rows) {
    gbs_fit_settings h = gbs_fit_settings_default();
    h.loss = GBS_LOSS_HINGE;
    h.scale = o->scale;
    h.intercept = o->intercept;
    h.cx = o->cx;
    h.constant = o->constant;
    h.columns = o->columns;
    h.features = o->features;
    h.features_size = o->features_size;
    h.kernel_width = o->kernel_width;
    h.prior = GBS_PRIOR_ZERO;
    h.bound = GBS_BOUND_KL;
    h.tolerance = 1e-5;
    h.max_iterations = o->max_iterations;
    h.lambda = LAMBDA_PER_ROW * rows;
    return h;
}

gbs_status gbs_classify_choose(gbs_context *ctx, const gbs_data *head, const gbs_fit_settings *o,
                               const gbs_fitter *fitter, gbs_prior_centre *out) {
    enum { WIDTHS = GBS_CENTRE_WIDTHS };
    double typical;
    gbs_fit_settings candidates[WIDTHS];
    gbs_cv_result results[WIDTHS];
    gbs_status status = gbs_typical_cell(ctx, head, o, &typical);
    if (status != GBS_OK)
        return status;
    *out = (gbs_prior_centre){.width = gbs_centre_widths[WIDTHS / 2] / typical, .predicted = 0.25};
    /* too few rows to be dealt out: the middle width, and nothing is predicted */
    if (gbs_smaller_class(head) < FOLDS)
        return GBS_OK;
    for (size_t k = 0; k < WIDTHS; k++) {
        candidates[k] = hinge(o, (double)head->n);
        candidates[k].prior_sd = gbs_centre_widths[k] / typical;
    }
    status = fitter->cross_validate(ctx, head, FOLDS, candidates, WIDTHS, results);
    if (status != GBS_OK)
        return status;
    size_t best = 0;
    for (size_t k = 1; k < WIDTHS; k++)
        if (results[k].gibbs_error < results[best].gibbs_error)
            best = k;
    *out = (gbs_prior_centre){.width = candidates[best].prior_sd, .predicted = results[best].error};
    return GBS_OK;
}

gbs_status gbs_classify_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                               const gbs_fitter *fitter, gbs_prior_centre *centre, double *mean) {
    gbs_fit_settings options = hinge(o, (double)rows->all.n);
    gbs_empirical *risk;
    gbs_status status = gbs_empirical_over_rows(ctx, rows, gbs_loss_of(options.loss), &risk);
    if (status == GBS_OK)
        status = fitter->mean(ctx, &options, risk, options.lambda, centre->width, mean);
    gbs_empirical_free(risk);
    return status;
}
