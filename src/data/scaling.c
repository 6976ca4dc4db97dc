/* Scaling constants, and design rows made with them.
 *
 *   standard:  (x_k - mean_k) / sd_k, the divisor of the variance is n; a constant column becomes 0
 *   unit-row:  x / |x|, the intercept's 1 included, so that the sign of x'theta is untouched
 *
 * A sparse matrix keeps its zeros: it stores x_k / sd_k, and mean_k / sd_k once for all rows as the shift.
 */
#include "data/rows.h"

#include <math.h>
#include <string.h>

static void column_means(const gbs_data *data, double *mean) {
    for (size_t i = 0; i < data->n; i++) {
        if (data->dense != NULL) {
            const double *x = data->dense + i * data->row_stride;
            for (size_t k = 0; k < data->d; k++)
                mean[k] += x[k];
        } else {
            for (size_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
                mean[data->column[k]] += data->value[k];
        }
    }
    for (size_t k = 0; k < data->d; k++)
        mean[k] /= (double)data->n;
}

/* Sum of squares about the mean; what sparse rows do not store counts mean^2 each. */
static void column_squares(const gbs_data *data, const double *mean, double *square) {
    for (size_t i = 0; i < data->n; i++) {
        if (data->dense != NULL) {
            const double *x = data->dense + i * data->row_stride;
            for (size_t k = 0; k < data->d; k++)
                square[k] += (x[k] - mean[k]) * (x[k] - mean[k]);
        } else {
            for (size_t k = data->row_start[i]; k < data->row_start[i + 1]; k++) {
                double x = data->value[k], c = mean[data->column[k]];
                square[data->column[k]] += (x - c) * (x - c) - c * c;
            }
        }
    }
    if (data->dense == NULL)
        for (size_t k = 0; k < data->d; k++)
            square[k] += (double)data->n * mean[k] * mean[k];
}

gbs_status gbs_scaling_learn(gbs_context *ctx, const gbs_data *data, gbs_scale kind, bool intercept, gbs_scaling *out) {
    *out = (gbs_scaling){.kind = kind, .intercept = intercept, .features = data->d};
    if (kind != GBS_SCALE_STANDARD)
        return GBS_OK;
    out->center = gbs_doubles(ctx, data->d);
    out->scale = gbs_doubles(ctx, data->d);
    if (out->center == NULL || out->scale == NULL) {
        gbs_scaling_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    column_means(data, out->center);
    column_squares(data, out->center, out->scale);
    size_t constant = 0;
    for (size_t k = 0; k < data->d; k++) {
        double sd = sqrt(fmax(0.0, out->scale[k]) / (double)data->n);
        /* a column that varies by rounding alone is constant */
        if (!(sd > 1e-12 * fabs(out->center[k])) || sd == 0.0) {
            sd = 1.0;
            constant++;
        }
        out->scale[k] = sd;
        if (!isfinite(sd) || !isfinite(out->center[k])) {
            gbs_scaling_free(ctx, out);
            return gbs_fail(ctx, GBS_ERR_DATA, "column %zu: its values are too large to be standardised", k + 1);
        }
    }
    if (constant > 0)
        gbs_log(ctx, GBS_LOG_INFO, "%zu of %zu columns are constant and carry no information", constant, data->d);
    return GBS_OK;
}

void gbs_scaling_free(const gbs_context *ctx, gbs_scaling *scaling) {
    gbs_array_free(ctx, scaling->center);
    gbs_array_free(ctx, scaling->scale);
    scaling->center = scaling->scale = NULL;
}

/* ---------------------------------------------------------------- rows */

/* A block of a quarter of a megabyte stays in the second-level cache beside its products. */
static size_t rows_per_block(size_t d) {
    size_t rows = ((size_t)1 << 15) / d;
    return rows < 32 ? 32 : rows > 2048 ? 2048 : rows;
}

static void *keep(gbs_rows *rows, void *array) {
    if (array != NULL)
        rows->owned[rows->n_owned++] = array;
    return array;
}

static double *new_norms(gbs_context *ctx, gbs_rows *rows) {
    double *norm2 = keep(rows, gbs_doubles(ctx, rows->all.n));
    rows->all.norm2 = norm2;
    return norm2;
}

/* One dense design row from one raw row already copied to `row`. */
static void scale_dense_row(const gbs_scaling *s, double *row) {
    size_t p = s->features;
    for (size_t k = 0; s->kind == GBS_SCALE_STANDARD && k < p; k++)
        row[k] = (row[k] - s->center[k]) / s->scale[k];
    if (s->intercept)
        row[p++] = 1.0;
    if (s->kind == GBS_SCALE_UNIT_ROW) {
        double norm = sqrt(gbs_dot(p, row, row));
        for (size_t k = 0; norm > 0.0 && k < p; k++)
            row[k] /= norm;
    }
}

static gbs_status build_dense(gbs_context *ctx, const gbs_data *data, const gbs_scaling *s, gbs_rows *out) {
    size_t d = out->d;
    double *cells = keep(out, gbs_matrix(ctx, data->n, d));
    double *norm2 = new_norms(ctx, out);
    if (cells == NULL || norm2 == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++) {
        double *row = cells + i * d;
        if (data->dense != NULL)
            memcpy(row, data->dense + i * data->row_stride, data->d * sizeof *row);
        else
            for (size_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
                row[data->column[k]] = data->value[k];
        scale_dense_row(s, row);
        norm2[i] = gbs_dot(d, row, row);
    }
    out->all.dense = cells;
    out->all.ld = d;
    return GBS_OK;
}

/* Copies row i into the design, scaled; returns its end. */
static size_t fill_sparse_row(const gbs_data *data, const gbs_scaling *s, size_t i, uint32_t *column, double *value,
                              size_t end) {
    size_t begin = end;
    for (size_t k = data->row_start[i]; k < data->row_start[i + 1]; k++, end++) {
        column[end] = data->column[k];
        value[end] = s->kind == GBS_SCALE_STANDARD ? data->value[k] / s->scale[data->column[k]] : data->value[k];
    }
    if (s->intercept) {
        column[end] = (uint32_t)data->d;
        value[end++] = 1.0;
    }
    if (s->kind == GBS_SCALE_UNIT_ROW) {
        double norm = sqrt(gbs_dot(end - begin, value + begin, value + begin));
        for (size_t k = begin; norm > 0.0 && k < end; k++)
            value[k] /= norm;
    }
    return end;
}

static gbs_status build_shift(gbs_context *ctx, const gbs_scaling *s, gbs_rows *out) {
    if (s->kind != GBS_SCALE_STANDARD)
        return GBS_OK;
    double *shift = keep(out, gbs_doubles(ctx, out->d));
    if (shift == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < s->features; k++)
        shift[k] = s->center[k] / s->scale[k];
    out->all.shift = shift;
    out->shift_norm2 = gbs_dot(out->d, shift, shift);
    return GBS_OK;
}

static gbs_status build_sparse(gbs_context *ctx, const gbs_data *data, const gbs_scaling *s, gbs_rows *out) {
    size_t n = data->n, stored = data->row_start[n] + (s->intercept ? n : 0);
    size_t *start = keep(out, gbs_array_alloc(ctx, n + 1, sizeof *start));
    uint32_t *column = keep(out, gbs_array_alloc(ctx, stored, sizeof *column));
    double *value = keep(out, gbs_doubles(ctx, stored));
    double *norm2 = new_norms(ctx, out);
    if (start == NULL || column == NULL || value == NULL || norm2 == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = build_shift(ctx, s, out);
    if (status != GBS_OK)
        return status;
    const double *shift = out->all.shift;
    for (size_t i = 0; i < n; i++) {
        start[i + 1] = fill_sparse_row(data, s, i, column, value, start[i]);
        double sum = out->shift_norm2;
        for (size_t k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * (shift != NULL ? value[k] - 2.0 * shift[column[k]] : value[k]);
        norm2[i] = fmax(0.0, sum);
    }
    out->all.start = start;
    out->all.column = column;
    out->all.value = value;
    return GBS_OK;
}

/* Dense when the matrix is small (16 MB) or would take no more room than its sparse form. */
static bool better_dense(const gbs_data *data, size_t d) {
    if (data->dense != NULL)
        return true;
    double cells = (double)data->n * (double)d;
    return cells <= (double)(2 << 20) || cells * 8.0 <= (double)data->row_start[data->n] * 12.0;
}

gbs_status gbs_rows_build(gbs_context *ctx, const gbs_data *data, const gbs_scaling *scaling, gbs_rows *out) {
    if (data->d != scaling->features)
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu columns, but the model was trained on %zu", data->d, scaling->features);
    size_t d = data->d + (scaling->intercept ? 1 : 0);
    *out = (gbs_rows){.d = d, .block_rows = rows_per_block(d)};
    out->all = (gbs_block){.n = data->n, .d = d, .y = data->y, .stride = 1};
    gbs_status status;
    bool as_is = data->dense != NULL && scaling->kind == GBS_SCALE_NONE && !scaling->intercept;
    if (as_is)
        status = gbs_rows_wrap(ctx, data->n, d, data->dense, data->row_stride, data->y, out);
    else if (better_dense(data, d))
        status = build_dense(ctx, data, scaling, out);
    else
        status = build_sparse(ctx, data, scaling, out);
    for (size_t i = 0; status == GBS_OK && i < data->n; i++)
        if (!isfinite(out->all.norm2[i]))
            status = gbs_fail(ctx, GBS_ERR_DATA, "row %zu: its values are too large to be used", i + 1);
    if (status != GBS_OK)
        gbs_rows_free(ctx, out);
    return status;
}

gbs_status gbs_rows_wrap(gbs_context *ctx, size_t n, size_t d, const double *x, size_t ld, const double *y, gbs_rows *out) {
    *out = (gbs_rows){.d = d, .block_rows = rows_per_block(d)};
    out->all = (gbs_block){.n = n, .d = d, .dense = x, .ld = ld, .y = y, .stride = 1};
    double *norm2 = new_norms(ctx, out);
    if (norm2 == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        norm2[i] = gbs_dot(d, x + i * ld, x + i * ld);
    return GBS_OK;
}

void gbs_rows_free(const gbs_context *ctx, gbs_rows *rows) {
    for (size_t i = 0; i < rows->n_owned; i++)
        gbs_array_free(ctx, rows->owned[i]);
    *rows = (gbs_rows){0};
}

gbs_rows gbs_rows_subsample(const gbs_rows *rows, size_t stride) {
    gbs_rows part = *rows;
    part.n_owned = 0;
    part.all.n = (rows->all.n + stride - 1) / stride;
    part.all.ld = rows->all.ld * stride;
    part.all.stride = rows->all.stride * stride;
    return part;
}

size_t gbs_rows_blocks(const gbs_rows *rows) {
    return (rows->all.n + rows->block_rows - 1) / rows->block_rows;
}

gbs_block gbs_rows_block(const gbs_rows *rows, size_t index) {
    gbs_block b = rows->all;
    size_t first = index * rows->block_rows;
    b.n = rows->all.n - first < rows->block_rows ? rows->all.n - first : rows->block_rows;
    size_t step = first * b.stride;
    if (b.dense != NULL)
        b.dense += first * b.ld;
    else
        b.start += step;
    b.norm2 += step;
    if (b.y != NULL)
        b.y += step;
    return b;
}
