/* What the prior centres of tasks have in common (docs/maths.md, 6.4).
 *
 * m0 is the mean of a hinge posterior under N(0, width^2 I), the width one of a few, in units of
 * one over the typical size of a cell. The prior around m0 is narrow: the risk of a draw is then
 * nearly that of m0 itself, and the posterior moves where the zero-one loss says so.
 */
#include "task/task.h"

#include <math.h>

#define SPREAD 0.05

const double gbs_centre_widths[GBS_CENTRE_WIDTHS] = {0.025, 0.05, 0.1, 0.2, 0.4};

double gbs_prior_centre_spread(size_t d, const double *mean) {
    double rms = sqrt(gbs_dot(d, mean, mean) / (double)d);
    return rms > 0.0 ? SPREAD * rms : 1.0;
}

size_t gbs_smaller_class(const gbs_data *data) {
    size_t positive = 0;
    for (size_t i = 0; i < data->n; i++)
        positive += data->y[i] > 0.0;
    return positive < data->n - positive ? positive : data->n - positive;
}

gbs_status gbs_typical_cell(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            double *out) {
    gbs_maps maps;
    gbs_fit_settings plain = *o;
    plain.columns = GBS_COLUMNS_EQUAL;
    plain.constant = 1.0;
    gbs_rows rows = {0};
    gbs_held *held = NULL;
    gbs_status status = gbs_maps_learn(ctx, data, &plain, &maps);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(ctx, data, &maps, &rows);
    if (status == GBS_OK)
        status = gbs_hold(ctx, &rows, &held);
    if (status == GBS_OK)
        *out = gbs_held_typical_cell(held);
    gbs_held_free(held);
    gbs_rows_free(ctx, &rows);
    gbs_maps_free(ctx, &maps);
    return status;
}
