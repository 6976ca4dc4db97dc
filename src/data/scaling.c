/* Scaling constants, and design rows made with them.
 *
 *   standard:  (x_k - mean_k) / sd_k, the divisor of the variance is n; a constant column becomes 0
 *   unit-row:  x / |x|, the intercept's 1 included, so that the sign of x'theta is untouched
 *   relevance: standard, times c_k; c_k^2 = max(r_k^2, 1/n) over its mean, r_k the correlation of
 * the column with the label
 *
 * A prior N(0, v I) on relevant columns is N(0, v diag(c_k^2)) on standardised ones: a column gets
 * room as it has something to say. 1/n is what a correlation's square is by chance, so that columns
 * of noise are all alike (docs/maths.md, 6.4).
 *
 * A sparse matrix keeps its zeros: it stores x_k / sd_k, and mean_k / sd_k once for all rows as the
 * shift.
 */
#include "data/rows.h"

#include <math.h>
#include <string.h>

/* What a pass over the columns collects. Sparse rows leave out zeros: `stored` counts what they do
 * not. */
struct columns {
    double *low, *high, *center, *reach, *square;
    size_t *stored;
};

typedef void (*cell_visitor)(const struct columns *c, size_t k, double x);

static void visit(const gbs_data *data, const struct columns *c, cell_visitor see) {
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        for (size_t k = 0; k < row.stored; k++)
            see(c, row.column != NULL ? row.column[k] : k, row.value[k]);
    }
}

static void see_range(const struct columns *c, size_t k, double x) {
    if (c->stored[k]++ == 0) {
        c->low[k] = c->high[k] = x;
    } else {
        c->low[k] = fmin(c->low[k], x);
        c->high[k] = fmax(c->high[k], x);
    }
}

/* `square` holds the sum of x - center, center a first guess of the mean: the guess is mended by
 * its mean error, so that rounding does not grow with the number of rows. */
static void see_deviation(const struct columns *c, size_t k, double x) {
    c->square[k] += x - c->center[k];
}

/* Deviations are measured in units of the largest one: no square overflows or vanishes. */
static void see_square(const struct columns *c, size_t k, double x) {
    double e = (x - c->center[k]) / c->reach[k];
    c->square[k] += e * e;
}

static void finish_ranges(const gbs_data *data, const struct columns *c) {
    for (size_t k = 0; k < data->d; k++) {
        if (c->stored[k] < data->n) { /* the zeros that sparse rows leave out */
            c->low[k] = c->stored[k] > 0 ? fmin(c->low[k], 0.0) : 0.0;
            c->high[k] = c->stored[k] > 0 ? fmax(c->high[k], 0.0) : 0.0;
        }
        c->center[k] = 0.5 * c->low[k] + 0.5 * c->high[k];
    }
}

static void finish_means(const gbs_data *data, const struct columns *c) {
    double n = (double)data->n;
    for (size_t k = 0; k < data->d; k++) {
        double zeros = n - (double)c->stored[k];
        c->center[k] += (c->square[k] - zeros * c->center[k]) / n;
        c->reach[k] = fmax(c->high[k] - c->center[k], c->center[k] - c->low[k]);
        c->square[k] = 0.0;
    }
}

/* center and scale of every column; returns how many are constant, or SIZE_MAX and *bad when column
 * *bad is too large. */
static size_t measure(const gbs_data *data, const struct columns *c, double *scale, size_t *bad) {
    size_t constant = 0;
    double n = (double)data->n;
    visit(data, c, see_range);
    finish_ranges(data, c);
    visit(data, c, see_deviation);
    finish_means(data, c);
    for (size_t k = 0; k < data->d; k++)
        c->reach[k] = c->low[k] == c->high[k] ? 1.0 : c->reach[k];
    visit(data, c, see_square);
    for (size_t k = 0; k < data->d; k++) {
        double zero = c->center[k] / c->reach[k], zeros = n - (double)c->stored[k];
        scale[k] = c->reach[k] * sqrt((c->square[k] + zeros * zero * zero) / n);
        if (c->low[k] == c->high[k]) { /* exactly: (x - center) is then exactly 0 */
            c->center[k] = c->low[k];
            scale[k] = 1.0;
            constant++;
        }
        if (!isfinite(c->center[k]) || !isfinite(scale[k]) || !(scale[k] > 0.0)) {
            *bad = k;
            return SIZE_MAX;
        }
    }
    return constant;
}

/* ---------------------------------------------------------------- relevance */

/* sums[k] = sum over rows of y_i z_ik, y the labels less their mean, z the standardised cells. The
 * zeros that sparse rows leave out, and their centres, are worth nothing in sum. */
static void label_sums(const gbs_data *data, double mean_y, const gbs_scaling *s, double *sums) {
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        double y = (data->y[i] > 0.0 ? 1.0 : -1.0) - mean_y;
        for (size_t j = 0; j < row.stored; j++) {
            size_t k = row.column != NULL ? row.column[j] : j;
            double x = row.column != NULL ? row.value[j] : row.value[j] - s->center[k];
            sums[k] += y * (x / s->scale[k]);
        }
    }
}

static gbs_status stretch_columns(gbs_context *ctx, const gbs_data *data, gbs_scaling *s) {
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

/* ---------------------------------------------------------------- constants */

static gbs_status standardise(gbs_context *ctx, const gbs_data *data, gbs_scaling *out) {
    size_t d = data->d, bad = 0;
    double *work = gbs_matrix(ctx, 4, d);
    size_t *stored = gbs_array_alloc(ctx, d, sizeof *stored);
    out->center = gbs_doubles(ctx, d);
    out->scale = gbs_doubles(ctx, d);
    gbs_status status = GBS_ERR_MEMORY;
    if (work != NULL && stored != NULL && out->center != NULL && out->scale != NULL) {
        struct columns c = {work, work + d, out->center, work + 2 * d, work + 3 * d, stored};
        size_t constant = measure(data, &c, out->scale, &bad);
        status = constant == SIZE_MAX
                     ? gbs_fail(
                           ctx, GBS_ERR_DATA,
                           "column %zu: its values are too large or too small to be standardised",
                           bad + 1)
                     : GBS_OK;
        if (status == GBS_OK && constant > 0)
            gbs_log(ctx, GBS_LOG_INFO, "%zu of %zu columns are constant and carry no information",
                    constant, d);
    }
    gbs_array_free(ctx, work);
    gbs_array_free(ctx, stored);
    return status;
}

gbs_scaling gbs_scaling_wanted(const gbs_fit_settings *o) {
    return (gbs_scaling){.kind = o->scale,
                         .intercept = o->intercept != 0,
                         .relevance = o->columns == GBS_COLUMNS_RELEVANCE,
                         .constant = o->constant,
                         .clip = o->cx};
}

gbs_status gbs_scaling_learn(gbs_context *ctx, const gbs_data *data, const gbs_scaling *wanted,
                             gbs_scaling *out) {
    *out = *wanted;
    out->features = data->d;
    out->seen = (gbs_seen){.given = data->d, .size = data->d};
    if (wanted->kind != GBS_SCALE_STANDARD)
        return GBS_OK;
    gbs_status status = standardise(ctx, data, out);
    if (status == GBS_OK && wanted->relevance)
        status = stretch_columns(ctx, data, out);
    if (status != GBS_OK)
        gbs_scaling_free(ctx, out);
    return status;
}

static gbs_status copy_constants(gbs_context *ctx, const double *from, size_t count, double **to) {
    if (from == NULL)
        return GBS_OK;
    *to = gbs_doubles(ctx, count);
    if (*to == NULL)
        return GBS_ERR_MEMORY;
    memcpy(*to, from, count * sizeof *from);
    return GBS_OK;
}

gbs_status gbs_scaling_copy(gbs_context *ctx, const gbs_scaling *scaling, gbs_scaling *out) {
    size_t features = scaling->features;
    *out = *scaling;
    out->center = out->scale = out->stretch = NULL;
    out->seen.column = NULL;
    gbs_status status = copy_constants(ctx, scaling->center, features, &out->center);
    if (status == GBS_OK && scaling->seen.column != NULL) {
        out->seen.column = gbs_array_alloc(ctx, features, sizeof *out->seen.column);
        if (out->seen.column == NULL)
            status = GBS_ERR_MEMORY;
        else
            memcpy(out->seen.column, scaling->seen.column, features * sizeof *out->seen.column);
    }
    if (status == GBS_OK)
        status = copy_constants(ctx, scaling->scale, features, &out->scale);
    if (status == GBS_OK)
        status = copy_constants(ctx, scaling->stretch, features, &out->stretch);
    if (status != GBS_OK)
        gbs_scaling_free(ctx, out);
    return status;
}

void gbs_scaling_free(const gbs_context *ctx, gbs_scaling *scaling) {
    gbs_array_free(ctx, scaling->center);
    gbs_array_free(ctx, scaling->scale);
    gbs_array_free(ctx, scaling->stretch);
    scaling->center = scaling->scale = scaling->stretch = NULL;
    gbs_seen_free(ctx, &scaling->seen);
}

/* ---------------------------------------------------------------- rows */

/* Squared length below which the weights of a row, like 1/variance of its score, leave the range of
 * doubles. */
#define SMALLEST_NORM2 1e-200

/* Rows between two looks at the caller's wish to stop. */
enum { ROWS_A_LOOK = 4096 };

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

static gbs_status check_length(gbs_context *ctx, const gbs_data *data, size_t i, double norm2) {
    if (isfinite(norm2) && (norm2 == 0.0 || norm2 >= SMALLEST_NORM2))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "row %zu: its values are too %s to be used as they are; scale the columns",
                    gbs_data_origin(data, i) + 1, isfinite(norm2) ? "small" : "large");
}

/* In units of the largest entry first: no square overflows or vanishes. A zero row stays one. */
static void to_unit_length(size_t n, double *x) {
    double largest = 0.0;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(x[k]));
    if (largest == 0.0)
        return;
    for (size_t k = 0; k < n; k++)
        x[k] /= largest;
    double norm = sqrt(gbs_dot(n, x, x));
    for (size_t k = 0; k < n; k++)
        x[k] /= norm;
}

/* Rows of a declared length: the hinge loss is then bounded where the bound needs it, at prediction
 * too. */
static void shorten(double most, size_t n, double *x) {
    double norm = sqrt(gbs_dot(n, x, x));
    for (size_t k = 0; norm > most && k < n; k++)
        x[k] *= most / norm;
}

/* One dense design row from one raw row already copied to `row`. */
static void scale_dense_row(const gbs_scaling *s, double *row) {
    size_t p = s->features;
    for (size_t k = 0; s->kind == GBS_SCALE_STANDARD && k < p; k++)
        row[k] = (row[k] - s->center[k]) / s->scale[k];
    if (s->intercept)
        row[p++] = s->constant;
    if (s->kind == GBS_SCALE_UNIT_ROW)
        to_unit_length(p, row);
    if (s->clip > 0.0)
        shorten(s->clip, p, row);
}

static gbs_status build_dense(gbs_context *ctx, const gbs_data *data, const gbs_scaling *s,
                              gbs_rows *out) {
    size_t d = out->d;
    double *cells = keep(out, gbs_matrix(ctx, data->n, d));
    if (cells == NULL)
        return GBS_ERR_MEMORY;
    out->all.dense = cells;
    out->all.ld = d;
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < data->n; i++) {
        if (i % ROWS_A_LOOK == 0 && (status = gbs_check_cancel(ctx)) != GBS_OK)
            break;
        double *row = cells + i * d;
        gbs_raw_row raw = gbs_data_at(data, i);
        if (raw.column == NULL)
            memcpy(row, raw.value, data->d * sizeof *row);
        else
            for (size_t k = 0; k < raw.stored; k++)
                row[raw.column[k]] = raw.value[k];
        scale_dense_row(s, row);
        status = check_length(ctx, data, i, gbs_dot(d, row, row));
    }
    return status;
}

/* Columns whose mean is many standard deviations from 0 cannot be carried by the shift: the
 * products would cancel. They are hardly ever sparse, and are stored centred, in every row. */
#define LARGEST_SHIFT 4.0

static bool stored_centred(const gbs_scaling *s, size_t k) {
    if (s->kind != GBS_SCALE_STANDARD)
        return false;
    double sd = s->scale[k] * (s->stretch != NULL ? s->stretch[k] : 1.0);
    return fabs(s->center[k]) > LARGEST_SHIFT * sd;
}

/* Copies a raw row into the design, scaled, with the centred columns (sorted) in their places;
 * returns its end. */
static size_t fill_sparse_row(const gbs_raw_row *raw, const gbs_scaling *s, const uint32_t *centred,
                              size_t n_centred, uint32_t *column, double *value, size_t end) {
    size_t begin = end, k = 0, c = 0;
    while (k < raw->stored || c < n_centred) {
        bool from_row = k < raw->stored && (c == n_centred || raw->column[k] <= centred[c]);
        uint32_t at = from_row ? raw->column[k] : centred[c];
        double x = from_row ? raw->value[k++] : 0.0;
        bool is_centred = c < n_centred && centred[c] == at;
        c += is_centred;
        if (s->kind == GBS_SCALE_STANDARD)
            x = (is_centred ? x - s->center[at] : x) / s->scale[at];
        column[end] = at;
        value[end++] = x;
    }
    if (s->intercept) {
        column[end] = (uint32_t)s->features;
        value[end++] = s->constant;
    }
    if (s->kind == GBS_SCALE_UNIT_ROW)
        to_unit_length(end - begin, value + begin);
    if (s->clip > 0.0)
        shorten(s->clip, end - begin, value + begin);
    return end;
}

static gbs_status build_shift(gbs_context *ctx, const gbs_scaling *s, gbs_rows *out) {
    if (s->kind != GBS_SCALE_STANDARD)
        return GBS_OK;
    double *shift = keep(out, gbs_doubles(ctx, out->d));
    if (shift == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < s->features; k++)
        shift[k] = stored_centred(s, k) ? 0.0 : s->center[k] / s->scale[k];
    out->all.shift = shift;
    out->shift_norm2 = gbs_dot(out->d, shift, shift);
    return GBS_OK;
}

static size_t stored_values(const gbs_data *data) {
    size_t sum = 0;
    for (size_t i = 0; i < data->n; i++)
        sum += gbs_data_at(data, i).stored;
    return sum;
}

static gbs_status build_sparse(gbs_context *ctx, const gbs_data *data, const gbs_scaling *s,
                               gbs_rows *out) {
    size_t n = data->n, n_centred = 0;
    uint32_t *centred = gbs_array_alloc(ctx, data->d, sizeof *centred);
    if (centred == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < data->d; k++)
        if (stored_centred(s, k))
            centred[n_centred++] = (uint32_t)k;
    size_t most = stored_values(data) + n * (n_centred + (s->intercept ? 1 : 0));
    size_t *start = keep(out, gbs_array_alloc(ctx, n + 1, sizeof *start));
    uint32_t *column = keep(out, gbs_array_alloc(ctx, most, sizeof *column));
    double *value = keep(out, gbs_doubles(ctx, most));
    out->all.start = start;
    out->all.column = column;
    out->all.value = value;
    gbs_status status = start != NULL && column != NULL && value != NULL ? build_shift(ctx, s, out)
                                                                         : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        if (i % ROWS_A_LOOK == 0 && (status = gbs_check_cancel(ctx)) != GBS_OK)
            break;
        gbs_raw_row raw = gbs_data_at(data, i);
        double norm2;
        start[i + 1] = fill_sparse_row(&raw, s, centred, n_centred, column, value, start[i]);
        gbs_strip one = gbs_rows_slice(out, i, 1).all;
        gbs_strip_norms(&one, out->shift_norm2, &norm2);
        status = check_length(ctx, data, i, norm2);
    }
    gbs_array_free(ctx, centred);
    return status;
}

/* Dense when the rows would take no more room than in their sparse form; and when the matrix is
 * small (16 MB), unless its rows are long and mostly empty, so that sums over the stored cells are
 * the faster ones. Rows that are standardised and then shortened (cx) are not sparse. */
enum { LONG_ROW = 64 };
#define MOSTLY_EMPTY 0.15

static bool better_dense(const gbs_data *data, const gbs_scaling *s, size_t d) {
    if (data->dense != NULL)
        return true;
    double cells = (double)data->n * (double)d, stored = (double)stored_values(data);
    bool shortened = s->clip > 0.0 && s->kind == GBS_SCALE_STANDARD,
         empty = d >= LONG_ROW && stored <= MOSTLY_EMPTY * cells;
    return (cells <= (double)(2 << 20) && (shortened || !empty)) || cells * 8.0 <= stored * 12.0;
}

/* The caller's own cells serve as the design. */
static gbs_status wrap_checked(gbs_context *ctx, const gbs_data *data, gbs_rows *out) {
    *out = gbs_rows_wrap(data->n, data->d, data->dense, data->row_stride, data->y);
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < data->n; i++) {
        const double *row = gbs_data_at(data, i).value;
        status = check_length(ctx, data, i, gbs_dot(data->d, row, row));
    }
    return status;
}

/* Of the columns that are used alone. */
static gbs_status build_from_seen(gbs_context *ctx, const gbs_data *data,
                                  const gbs_scaling *scaling, gbs_rows *out) {
    gbs_data *kept;
    size_t lost = 0;
    gbs_scaling plain = *scaling;
    plain.seen.column = NULL;
    gbs_status status = gbs_data_keep(ctx, data, &scaling->seen, &kept, &lost);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(ctx, kept, &plain, out);
    if (status == GBS_OK) {
        out->all.y = data->y;
        if (out->all.dense != NULL && out->all.dense == kept->dense) { /* they serve as they are */
            keep(out, (void *)kept->dense);
            kept->dense = NULL;
        }
        if (lost > 0)
            gbs_log(ctx, GBS_LOG_INFO,
                    "%zu cells stand in columns that no row to learn from sets; they are left out",
                    lost);
    }
    gbs_data_free(kept);
    return status;
}

gbs_status gbs_rows_build(gbs_context *ctx, const gbs_data *data, const gbs_scaling *scaling,
                          gbs_rows *out) {
    if (scaling->seen.column != NULL && data->d == scaling->seen.given)
        return build_from_seen(ctx, data, scaling, out);
    if (scaling->seen.column != NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu columns, but the model was trained on %zu", data->d,
                        scaling->seen.given);
    if (data->d != scaling->features)
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu columns, but the model was trained on %zu", data->d,
                        scaling->features);
    size_t d = data->d + (scaling->intercept ? 1 : 0);
    *out = (gbs_rows){.d = d, .strip_rows = rows_per_block(d)};
    out->all = (gbs_strip){.n = data->n, .d = d, .y = data->y, .stride = 1};
    gbs_status status;
    bool as_is = data->dense != NULL && data->pick == NULL && scaling->kind == GBS_SCALE_NONE &&
                 !scaling->intercept && !(scaling->clip > 0.0);
    bool dense = better_dense(data, scaling, d);
    if (!dense && scaling->clip > 0.0 && scaling->kind == GBS_SCALE_STANDARD)
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "cx cannot be kept on standardised sparse rows; scale them unit-row or none");
    if (as_is)
        status = wrap_checked(ctx, data, out);
    else if (dense)
        status = build_dense(ctx, data, scaling, out);
    else
        status = build_sparse(ctx, data, scaling, out);
    if (status != GBS_OK)
        gbs_rows_free(ctx, out);
    return status;
}

gbs_rows gbs_rows_wrap(size_t n, size_t d, const double *x, size_t ld, const double *y) {
    gbs_rows rows = {.d = d, .strip_rows = rows_per_block(d)};
    rows.all = (gbs_strip){.n = n, .d = d, .dense = x, .ld = ld, .y = y, .stride = 1};
    return rows;
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

size_t gbs_rows_strips(const gbs_rows *rows) {
    return (rows->all.n + rows->strip_rows - 1) / rows->strip_rows;
}

gbs_rows gbs_rows_slice(const gbs_rows *rows, size_t first, size_t count) {
    gbs_rows slice = *rows;
    slice.all = gbs_strip_part(&rows->all, first, count);
    slice.first += first;
    slice.n_owned = 0;
    return slice;
}

gbs_strip gbs_rows_strip(const gbs_rows *rows, size_t index) {
    size_t first = index * rows->strip_rows, left = rows->all.n - first;
    return gbs_strip_part(&rows->all, first, left < rows->strip_rows ? left : rows->strip_rows);
}
