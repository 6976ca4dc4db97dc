/* Weights of rows: how often a row counts in the risk of a fit (docs/maths.md, 5.6).
 *
 * They are kept near 1 in the mean, since their common factor means nothing; weights that are all
 * alike are none. A row of weight 0 is not there: fits leave it out before they look at anything.
 */
#include "data/rows.h"

#include "core/check.h"

#include <math.h>

static gbs_status check_weights(gbs_context *ctx, const gbs_data *data, const double *weight,
                                double *most, size_t *zeros) {
    *most = 0.0;
    *zeros = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (!(weight[i] >= 0.0) || !isfinite(weight[i]))
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "the weight of row %zu is %g, expected a number from 0", i, weight[i]);
        *most = fmax(*most, weight[i]);
        *zeros += weight[i] == 0.0;
    }
    if (!(*most > 0.0))
        return gbs_fail(ctx, GBS_ERR_DATA, "every weight is 0");
    return GBS_OK;
}

static bool all_alike(const double *weight, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (weight[i] != weight[0])
            return false;
    return true;
}

/* Over the power of two that is nearest to the mean of those that are not 0, which is returned: no
 * digit is lost, and rows of weight 0 change nothing. */
static double normalise(double *weight, size_t n, double most) {
    double sum = 0.0, positive = 0.0;
    int large = ilogb(most);
    for (size_t i = 0; i < n; i++) {
        sum += weight[i] = ldexp(weight[i], -large);
        positive += weight[i] > 0.0;
    }
    int mean = (int)lround(log2(sum / positive));
    for (size_t i = 0; i < n; i++)
        weight[i] = ldexp(weight[i], -mean);
    return ldexp(1.0, large + mean);
}

gbs_status gbs_data_set_weights(gbs_context *ctx, gbs_data *data, const double *weight) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    double *own = NULL, most, unit = 0.0;
    size_t zeros;
    if (weight != NULL) {
        gbs_status status = check_weights(ctx, data, weight, &most, &zeros);
        if (status != GBS_OK)
            return status;
        unit = most;
        if (zeros > 0 && data->hashed)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "%zu rows have the weight 0, but the columns were made with them; give "
                            "the weights as a column of the table (`weights`)",
                            zeros);
    }
    if (weight != NULL && !all_alike(weight, data->n)) {
        own = gbs_array_alloc_for(ctx, data->ctx, data->n, sizeof *own);
        if (own == NULL)
            return GBS_ERR_MEMORY;
        for (size_t i = 0; i < data->n; i++)
            own[i] = weight[i];
        unit = normalise(own, data->n, most);
    }
    gbs_array_free(data->ctx, (void *)data->weight);
    data->weight = own;
    data->weight_unit = unit;
    return GBS_OK;
}

gbs_status gbs_data_weighed(gbs_context *ctx, const gbs_data *data, gbs_data **out) {
    size_t kept = 0, *rows = NULL;
    *out = NULL;
    for (size_t i = 0; data->weight != NULL && i < data->n; i++)
        kept += data->weight[i] > 0.0;
    if (data->weight == NULL || kept == data->n)
        return GBS_OK;
    rows = gbs_array_alloc(ctx, kept, sizeof *rows);
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0, next = 0; i < data->n; i++)
        if (data->weight[i] > 0.0)
            rows[next++] = i;
    gbs_status status = gbs_data_view(ctx, data, rows, kept, out);
    gbs_array_free(ctx, rows);
    if (status == GBS_OK && all_alike((*out)->weight, kept)) {
        (*out)->weight_unit *= (*out)->weight[0];
        gbs_array_free(ctx, (void *)(*out)->weight);
        (*out)->weight = NULL;
    }
    return status;
}

double gbs_data_largest_weight(const gbs_data *data) {
    double most = data->weight == NULL ? 1.0 : 0.0;
    for (size_t i = 0; data->weight != NULL && i < data->n; i++)
        most = fmax(most, data->weight[i]);
    return most * data->weight_unit;
}

void gbs_data_weight_shares(const gbs_data *data, double most, double *share) {
    for (size_t i = 0; i < data->n; i++)
        share[i] = (data->weight != NULL ? data->weight[i] : 1.0) * data->weight_unit / most;
}

gbs_status gbs_data_weigh_classes(gbs_context *ctx, gbs_data *view, double up, double down) {
    double *weight = gbs_doubles(ctx, view->n), most = fmax(up, down);
    if (weight == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < view->n; i++)
        weight[i] = (view->weight != NULL ? view->weight[i] : 1.0) *
                    ((view->y[i] > 0.0 ? up : down) / most);
    normalise(weight, view->n, 1.0);
    gbs_array_free(view->ctx, (void *)view->weight);
    view->weight = weight;
    return GBS_OK;
}
