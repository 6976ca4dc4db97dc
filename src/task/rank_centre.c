/* The prior centre of a ranking (docs/maths.md, 6.4).
 *
 * The mean of a hinge posterior over the pairs of the first part, at lambda = its independent
 * pairs; the width of that posterior's own prior is chosen on a held-out third, by the risk of the
 * narrow Gaussian that will become the prior.
 */
#include "task/task.h"

#include <math.h>

enum { WIDTHS = GBS_CENTRE_WIDTHS, FEWEST = 5 };

/* The widest that predicts hardly more than the best: m0 is fitted to more rows than the width was
 * chosen on, and they bear a wider prior. */
#define AS_GOOD 1.01

/* A Gaussian around the mean of a hinge fit forgives what is left at these gaps, relative to F;
 * choosing a width forgives more. */
#define CHOOSING 1e-3
#define FITTING 1e-4

static gbs_fit_settings hinge(const gbs_fit_settings *o, double tolerance) {
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
    return h;
}

static gbs_status fit_width(gbs_context *ctx, const gbs_empirical *risk, const gbs_fit_settings *o,
                            const gbs_fitter *fitter, double width, double tolerance,
                            double *mean) {
    gbs_fit_settings options = hinge(o, tolerance);
    return fitter->mean(ctx, &options, risk, (double)risk->units, width, mean);
}

/* The risk of the Gaussian that the mean would be the prior of. */
static gbs_status predict(const gbs_empirical *test, const double *mean, double *risk) {
    double sd = gbs_prior_centre_spread(test->d, mean);
    gbs_spread around = {.d = test->d, .mean = mean, .variance = sd * sd};
    return gbs_empirical_value(test, &gbs_zero_one, &around, false, risk, NULL);
}

/* The risk that each width predicts, fitted to `train` and met by `test`. */
static gbs_status try_widths(gbs_context *ctx, const gbs_empirical *train,
                             const gbs_empirical *test, const gbs_fit_settings *o,
                             const gbs_fitter *fitter, double typical, double *mean, double *risk) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < WIDTHS; k++) {
        status = fit_width(ctx, train, o, fitter, gbs_centre_widths[k] / typical, CHOOSING, mean);
        if (status == GBS_OK)
            status = predict(test, mean, &risk[k]);
    }
    return status;
}

static gbs_status choose_width(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                               const gbs_fitter *fitter, double *mean, gbs_prior_centre *out) {
    size_t most = rows->all.n < GBS_CENTRE_ROWS ? rows->all.n : GBS_CENTRE_ROWS,
           inside = most - most / 3;
    gbs_rows head = gbs_rows_slice(rows, 0, inside),
             rest = gbs_rows_slice(rows, inside, most - inside);
    gbs_empirical *train = NULL, *test = NULL;
    double risk[WIDTHS], best = INFINITY;
    gbs_status status = gbs_empirical_over_pairs(ctx, &head, true, &gbs_hinge, &train);
    if (status == GBS_OK)
        status = gbs_empirical_over_pairs(ctx, &rest, true, &gbs_hinge, &test);
    if (status == GBS_OK) {
        double typical = gbs_held_typical_cell(train->held);
        out->width = gbs_centre_widths[WIDTHS / 2] / typical;
        out->predicted = 0.25; /* too few rows to be held out: nothing is predicted */
        bool enough = train->units >= FEWEST && test->units >= FEWEST;
        if (enough)
            status = try_widths(ctx, train, test, o, fitter, typical, mean, risk);
        for (size_t k = 0; status == GBS_OK && enough && k < WIDTHS; k++)
            best = fmin(best, risk[k]);
        for (size_t k = 0; status == GBS_OK && enough && k < WIDTHS; k++)
            if (risk[k] <= AS_GOOD * best) {
                out->width = gbs_centre_widths[k] / typical;
                out->predicted = risk[k];
            }
    }
    gbs_empirical_free(train);
    gbs_empirical_free(test);
    return status;
}

gbs_status gbs_rank_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                           const gbs_fitter *fitter, gbs_prior_centre *centre, double *mean) {
    gbs_empirical *risk = NULL;
    gbs_status status = choose_width(ctx, rows, o, fitter, mean, centre);
    if (status == GBS_OK)
        status = gbs_empirical_over_pairs(ctx, rows, true, &gbs_hinge, &risk);
    if (status == GBS_OK)
        status = fit_width(ctx, risk, o, fitter, centre->width, FITTING, mean);
    gbs_empirical_free(risk);
    return status;
}
