/* How the first part becomes a prior (docs/maths.md, 6.4): the fits that a task asks for. */
#include "fit/prior_centre.h"

#include "fit/run.h"
#include "fit/ways.h"

#include <string.h>

static gbs_status fit_mean(gbs_context *ctx, const gbs_fit_settings *o, const gbs_empirical *risk,
                           double lambda, double width, double *mean) {
    gbs_fit_settings options = *o;
    gbs_fill_defaults(&options, risk->rows, risk->d);
    gbs_posterior_job job = {.ctx = ctx, .options = &options, .risk = risk, .lambda = lambda};
    job.prior = (gbs_prior){NULL, width * width};
    gbs_posterior fitted;
    gbs_status status = gbs_posterior_fit(&job, &fitted);
    if (status == GBS_OK)
        memcpy(mean, fitted.stage.posterior.mean, risk->d * sizeof *mean);
    gbs_posterior_free(ctx, &fitted);
    return status;
}

static const gbs_fitter fitter = {fit_mean, gbs_cross_validate_run};

gbs_status gbs_prior_centre_choose(gbs_context *ctx, const gbs_split *split,
                                   const gbs_fit_settings *o, gbs_prior_centre *out) {
    const gbs_task *task = gbs_fit_task(o);
    gbs_data *head;
    if (task->choose == NULL)
        return GBS_OK;
    size_t rows = split->first < GBS_CENTRE_ROWS ? split->first : GBS_CENTRE_ROWS;
    gbs_status status = gbs_split_head(ctx, split, rows, &head);
    if (status == GBS_OK)
        status = task->choose(ctx, head, o, &fitter, out);
    gbs_data_free(head);
    return status;
}

gbs_status gbs_prior_centre_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                                gbs_prior_centre *centre, double *mean) {
    return gbs_fit_task(o)->centre(ctx, rows, o, &fitter, centre, mean);
}
