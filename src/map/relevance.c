/* Columns stretched after what they have to say.
 *
 *   c_k^2 = max(r_k^2, 1/n) over its mean, r_k the correlation of column k with the label
 *
 * A prior N(0, v I) on relevant columns is N(0, v diag(c_k^2)) on standardised ones: a column gets
 * room as it has something to say. 1/n is what a correlation's square is by chance, so that columns
 * of noise are all alike (docs/maths.md, 6.4). Of three classes or more that the rows have, L of
 * them, r_k^2 is the share of the variance of column k that lies between classes, which for two is
 * the same, and what it is by chance (L - 1)/n.
 */
#include "map/map.h"

#include <math.h>

/* A cell over the spread of its column; zeros that sparse rows leave out, and their centres, are
 * worth nothing in what follows. */
static double cell(const gbs_raw_row *row, size_t j, size_t k, const gbs_standard *s) {
    double x = gbs_raw_value(row, j) - (row->column != NULL ? 0.0 : s->center[k]);
    return x / s->scale[k];
}

/* sums[k] = sum over rows of y_i z_ik, y the labels less their mean, z the standardised cells. */
static void label_sums(const gbs_data *data, double mean_y, const gbs_standard *s, double *sums) {
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        double y = (data->y[i] > 0.0 ? 1.0 : -1.0) - mean_y;
        for (size_t j = 0; j < row.stored; j++) {
            size_t k = row.column != NULL ? row.column[j] : j;
            sums[k] += y * cell(&row, j, k, s);
        }
    }
}

/* r_k^2 of two classes. */
static void of_two(const gbs_data *data, const gbs_standard *s, double *square) {
    size_t positive = 0;
    double n = (double)data->n;
    for (size_t i = 0; i < data->n; i++)
        positive += data->y[i] > 0.0;
    double mean_y = 2.0 * (double)positive / n - 1.0, sd_y = sqrt(1.0 - mean_y * mean_y);
    label_sums(data, mean_y, s, square);
    for (size_t k = 0; k < data->d; k++) {
        double r = sd_y > 0.0 ? square[k] / (n * sd_y) : 0.0;
        square[k] = r * r;
    }
}

/* r_k^2 = sum over classes c of (S_ck - (n_c/n) S_k)^2 / (n_c n), S_ck the sum of z over the rows
 * of c, S_k that over all. *met: how many classes there are. */
static gbs_status of_many(gbs_context *ctx, const gbs_data *data, const gbs_standard *s,
                          double *square, size_t *met) {
    size_t classes = data->classes, d = data->d;
    double *sums = gbs_matrix(ctx, classes + 1, d), *rows = gbs_doubles(ctx, classes + 1),
           n = (double)data->n;
    gbs_status status = sums != NULL && rows != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        size_t c = data->y[i] < (double)classes ? (size_t)data->y[i] : classes;
        gbs_data_passed(data, i);
        rows[c] += 1.0;
        for (size_t j = 0; j < row.stored; j++) {
            size_t k = row.column != NULL ? row.column[j] : j;
            sums[c * d + k] += cell(&row, j, k, s);
        }
    }
    *met = 0;
    for (size_t c = 0; status == GBS_OK && c <= classes; c++)
        *met += rows[c] > 0.0;
    for (size_t k = 0; status == GBS_OK && k < d; k++) {
        double all = 0.0, between = 0.0;
        for (size_t c = 0; c <= classes; c++)
            all += sums[c * d + k];
        for (size_t c = 0; c <= classes; c++) {
            double off = sums[c * d + k] - rows[c] / n * all;
            between += rows[c] > 0.0 ? off * off / (rows[c] * n) : 0.0;
        }
        square[k] = between;
    }
    gbs_array_free(ctx, sums);
    gbs_array_free(ctx, rows);
    return status;
}

gbs_status gbs_stretch_columns(gbs_context *ctx, const gbs_data *data, gbs_standard *s) {
    size_t d = data->d, met = 2;
    double mean_square = 0.0;
    gbs_status status = GBS_OK;
    if ((s->stretch = gbs_doubles(ctx, d)) == NULL)
        return GBS_ERR_MEMORY;
    if (data->classes > 2)
        status = of_many(ctx, data, s, s->stretch, &met);
    else
        of_two(data, s, s->stretch);
    double chance = met > 1 ? (double)(met - 1) / (double)data->n : 1.0;
    for (size_t k = 0; k < d; k++) {
        s->stretch[k] = sqrt(fmax(s->stretch[k], chance));
        mean_square += s->stretch[k] * s->stretch[k] / (double)d;
    }
    for (size_t k = 0; status == GBS_OK && k < d; k++) {
        s->stretch[k] /= sqrt(mean_square);
        s->scale[k] /= s->stretch[k];
    }
    return status;
}
