/* Columns stretched after what they have to say.
 *
 *   c_k^2 = max(r_k^2, 1/n) over its mean, r_k the correlation of column k with the label
 *
 * A prior N(0, v I) on relevant columns is N(0, v diag(c_k^2)) on standardised ones: a column gets
 * room as it has something to say. 1/n is what a correlation's square is by chance, so that columns
 * of noise are all alike (docs/maths.md, 6.4).
 */
#include "map/map.h"

#include <math.h>

/* sums[k] = sum over rows of y_i z_ik, y the labels less their mean, z the standardised cells. The
 * zeros that sparse rows leave out, and their centres, are worth nothing in sum. */
static void label_sums(const gbs_data *data, double mean_y, const gbs_standard *s, double *sums) {
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        double y = (data->y[i] > 0.0 ? 1.0 : -1.0) - mean_y;
        for (size_t j = 0; j < row.stored; j++) {
            size_t k = row.column != NULL ? row.column[j] : j;
            double x = gbs_raw_value(&row, j) - (row.column != NULL ? 0.0 : s->center[k]);
            sums[k] += y * (x / s->scale[k]);
        }
    }
}

gbs_status gbs_stretch_columns(gbs_context *ctx, const gbs_data *data, gbs_standard *s) {
    size_t d = data->d, positive = 0;
    double n = (double)data->n, mean_square = 0.0;
    if ((s->stretch = gbs_doubles(ctx, d)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        positive += data->y[i] > 0.0;
    double mean_y = 2.0 * (double)positive / n - 1.0, sd_y = sqrt(1.0 - mean_y * mean_y);
    label_sums(data, mean_y, s, s->stretch);
    for (size_t k = 0; k < d; k++) {
        double r = sd_y > 0.0 ? s->stretch[k] / (n * sd_y) : 0.0;
        s->stretch[k] = sqrt(fmax(r * r, 1.0 / n));
        mean_square += s->stretch[k] * s->stretch[k] / (double)d;
    }
    for (size_t k = 0; k < d; k++) {
        s->stretch[k] /= sqrt(mean_square);
        s->scale[k] /= s->stretch[k];
    }
    return GBS_OK;
}
