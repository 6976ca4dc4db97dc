/* Standardised columns.
 *
 *   (x_k - mean_k) / sd_k, the divisor of the variance is n; a constant column becomes 0
 *
 * A sparse matrix keeps its zeros: it stores x_k / sd_k, and mean_k / sd_k once for all rows as the
 * shift. Columns whose mean is many standard deviations from 0 cannot be carried by the shift: the
 * products would cancel. They are hardly ever sparse, and are stored centred, in every row.
 *                                                                            (docs/maths.md, 1.1)
 */
#include "map/map.h"

#include <math.h>
#include <stdio.h>

/* Standard deviations of a mean that the shift carries. */
#define LARGEST_SHIFT 4.0
/* Constants of the same rows, relatively. */
#define SAME_CONSTANT 1e-9

/* What a pass over the columns collects. Sparse rows leave out zeros: `stored` counts what they do
 * not. `row` has room for the values of a row that do not lie side by side. */
struct columns {
    double *low, *high, *center, *reach, *square, *row;
    size_t *stored;
};

/* n values of a row, of these columns (NULL: of the first n). Loops over dense rows have no branch,
 * so that several columns are done at once; of each the order of sums is that of the rows. */
typedef void (*row_visitor)(const struct columns *c, size_t n, const uint32_t *column,
                            const double *x);

static void visit(const gbs_data *data, const struct columns *c, row_visitor see) {
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        bool beside = row.value != NULL && row.gap == 0;
        for (size_t k = 0; !beside && k < row.stored; k++)
            c->row[k] = gbs_raw_value(&row, k);
        see(c, row.stored, row.column, beside ? row.value : c->row);
    }
}

static void see_range(const struct columns *c, size_t n, const uint32_t *column, const double *x) {
    double *restrict low = c->low, *restrict high = c->high;
    size_t *restrict stored = c->stored;
    for (size_t j = 0; column != NULL && j < n; j++) {
        size_t k = column[j];
        low[k] = fmin(low[k], x[j]);
        high[k] = fmax(high[k], x[j]);
        stored[k]++;
    }
    for (size_t k = 0; column == NULL && k < n; k++) {
        low[k] = x[k] < low[k] ? x[k] : low[k];
        high[k] = x[k] > high[k] ? x[k] : high[k];
        stored[k]++;
    }
}

/* `square` holds the sum of x - center, center a first guess of the mean: the guess is mended by
 * its mean error, so that rounding does not grow with the number of rows. */
static void see_deviation(const struct columns *c, size_t n, const uint32_t *column,
                          const double *x) {
    const double *restrict center = c->center;
    double *restrict square = c->square;
    for (size_t j = 0; column != NULL && j < n; j++)
        square[column[j]] += x[j] - center[column[j]];
    for (size_t k = 0; column == NULL && k < n; k++)
        square[k] += x[k] - center[k];
}

/* Deviations are measured in units of the largest one: no square overflows or vanishes. */
static void see_square(const struct columns *c, size_t n, const uint32_t *column, const double *x) {
    const double *restrict center = c->center, *restrict reach = c->reach;
    double *restrict square = c->square;
    for (size_t j = 0; column != NULL && j < n; j++) {
        double e = (x[j] - center[column[j]]) / reach[column[j]];
        square[column[j]] += e * e;
    }
    for (size_t k = 0; column == NULL && k < n; k++) {
        double e = (x[k] - center[k]) / reach[k];
        square[k] += e * e;
    }
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

static void see_ranges(const gbs_data *data, const struct columns *c) {
    for (size_t k = 0; k < data->d; k++) {
        c->low[k] = INFINITY;
        c->high[k] = -INFINITY;
    }
    visit(data, c, see_range);
    finish_ranges(data, c);
}

/* center and scale of every column; returns how many are constant, or SIZE_MAX and *bad when column
 * *bad is too large. */
static size_t measure(const gbs_data *data, const struct columns *c, double *scale, size_t *bad) {
    size_t constant = 0;
    double n = (double)data->n;
    see_ranges(data, c);
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

/* ---------------------------------------------------------------- constants */

/* "... are constant: 'age', 'job=clerk' and 3 more", by number where columns have no names. */
static void tell_columns(gbs_context *ctx, const gbs_data *data, const struct columns *c) {
    enum { NAMED = 5 };
    const gbs_source *s = data->source;
    char list[NAMED * 80] = "", name[64];
    size_t at = 0, told = 0, constant = 0;
    for (size_t k = 0; k < data->d; k++)
        constant += c->low[k] == c->high[k];
    if (constant == 0) /* of other rows than those given here */
        return;
    for (size_t k = 0; k < data->d && told < NAMED; k++) {
        if (c->low[k] != c->high[k])
            continue;
        if (s != NULL && s->name != NULL)
            s->name(s->recipe, k, name, sizeof name);
        else
            snprintf(name, sizeof name, "column %zu", k + 1);
        at += (size_t)snprintf(list + at, sizeof list - at, "%s'%s'", told > 0 ? ", " : "", name);
        told++;
    }
    if (told < constant)
        snprintf(list + at, sizeof list - at, " and %zu more", constant - told);
    gbs_log(ctx, GBS_LOG_INFO,
            "%zu of %zu columns %s constant in the rows to learn from and %s no information: %s",
            constant, data->d, constant == 1 ? "is" : "are", constant == 1 ? "carries" : "carry",
            list);
}

/* 'age', or a number where columns have no names. */
static const char *name_of(const gbs_data *data, size_t k, char *text, size_t room) {
    const gbs_source *s = data->source;
    char name[60];
    if (s == NULL) {
        snprintf(text, room, "%zu", k + 1);
        return text;
    }
    s->name(s->recipe, k, name, sizeof name);
    snprintf(text, room, "'%s'", name);
    return text;
}

/* Room for all but the centres, which are the caller's. */
static gbs_status make_room(gbs_context *ctx, size_t d, double *center, struct columns *c) {
    double *work = gbs_matrix(ctx, 5, d);
    size_t *stored = gbs_array_alloc(ctx, d, sizeof *stored);
    *c = (struct columns){.low = work, .center = center, .stored = stored};
    if (work == NULL || stored == NULL)
        return GBS_ERR_MEMORY;
    c->high = work + d;
    c->reach = work + 2 * d;
    c->square = work + 3 * d;
    c->row = work + 4 * d;
    return GBS_OK;
}

static void give_room(gbs_context *ctx, struct columns *c) {
    gbs_array_free(ctx, c->low);
    gbs_array_free(ctx, c->stored);
}

gbs_status gbs_maps_tell_constant(gbs_context *ctx, const gbs_maps *maps, const gbs_data *data) {
    const gbs_standard *s = gbs_maps_standard(maps);
    if (s == NULL || s->constant == 0)
        return GBS_OK;
    struct columns c;
    double *center = gbs_doubles(ctx, data->d);
    gbs_status status = make_room(ctx, data->d, center, &c);
    if (status == GBS_OK && center == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        see_ranges(data, &c);
        tell_columns(ctx, data, &c);
    }
    give_room(ctx, &c);
    gbs_array_free(ctx, center);
    return status;
}

static gbs_status standardise(gbs_context *ctx, const gbs_data *data, gbs_standard *out) {
    size_t d = data->d, bad = 0;
    struct columns c = {0};
    out->center = gbs_doubles(ctx, d);
    out->scale = gbs_doubles(ctx, d);
    gbs_status status = make_room(ctx, d, out->center, &c);
    if (out->center == NULL || out->scale == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        char name[64];
        out->constant = measure(data, &c, out->scale, &bad);
        if (out->constant == SIZE_MAX)
            status = gbs_fail(ctx, GBS_ERR_DATA,
                              "column %s: its values are too large or too small to be standardised",
                              name_of(data, bad, name, sizeof name));
    }
    give_room(ctx, &c);
    return status;
}

/* ---------------------------------------------------------------- the map */

static gbs_standard *of(gbs_map *map) {
    return (gbs_standard *)map;
}

static const gbs_standard *in(const gbs_map *map) {
    return (const gbs_standard *)map;
}

const gbs_standard *gbs_maps_standard(const gbs_maps *maps) {
    return in(gbs_maps_find(maps, &gbs_map_standard));
}

static bool wanted(const gbs_fit_settings *o) {
    return o->scale == GBS_SCALE_STANDARD;
}

static gbs_status learn(gbs_context *ctx, gbs_map *map, const gbs_data *data,
                        const gbs_fit_settings *o, const gbs_maps *before) {
    (void)before;
    gbs_status status = standardise(ctx, data, of(map));
    if (status == GBS_OK && o->columns == GBS_COLUMNS_RELEVANCE)
        status = gbs_stretch_columns(ctx, data, of(map));
    return status;
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    gbs_standard *s = of(map);
    gbs_status status = a->reals(a, "center", map->in, false, &s->center);
    if (status == GBS_OK)
        status = a->reals(a, "scale", map->in, false, &s->scale);
    if (status == GBS_OK)
        status = a->reals(a, "stretch", map->in, true, &s->stretch);
    return status == GBS_OK ? a->reals(a, NULL, map->in, true, &s->offset) : status;
}

static gbs_status check_positive(gbs_context *ctx, const char *what, const double *x,
                                 size_t count) {
    for (size_t k = 0; x != NULL && k < count; k++)
        if (!(x[k] > 0.0))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a %s is not positive",
                            what);
    return GBS_OK;
}

static gbs_status settle(gbs_context *ctx, gbs_map *map) {
    gbs_standard *s = of(map);
    gbs_status status = check_positive(ctx, "scale", s->scale, map->in);
    if (status == GBS_OK)
        status = check_positive(ctx, "stretch", s->stretch, map->in);
    if (status != GBS_OK)
        return status;
    if ((s->offset = gbs_doubles(ctx, map->in)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < map->in; k++) {
        double sd = s->scale[k] * (s->stretch != NULL ? s->stretch[k] : 1.0);
        s->offset[k] = fabs(s->center[k]) > LARGEST_SHIFT * sd ? s->center[k] : 0.0;
        s->filled += s->offset[k] != 0.0;
    }
    return GBS_OK;
}

static void dense(const gbs_map *map, size_t n, double *x, size_t ld) {
    const gbs_standard *s = in(map);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < map->in; k++)
            x[i * ld + k] = (x[i * ld + k] - s->center[k]) / s->scale[k];
}

static size_t sparse(const gbs_map *map, size_t stored, uint32_t *column, double *value) {
    const gbs_standard *s = in(map);
    for (size_t j = 0; s->filled > 0 && j < stored; j++)
        value[j] -= s->offset[column[j]];
    for (size_t j = 0; j < stored; j++)
        value[j] /= s->scale[column[j]];
    return stored;
}

static bool fills(const gbs_map *map, size_t k) {
    return in(map)->offset[k] != 0.0;
}

static void shift(const gbs_map *map, double *out) {
    const gbs_standard *s = in(map);
    for (size_t k = 0; k < map->in; k++)
        out[k] = fills(map, k) ? 0.0 : s->center[k] / s->scale[k];
}

static double unit(const gbs_map *map, size_t k) {
    return in(map)->stretch != NULL ? in(map)->stretch[k] : 1.0;
}

/* Constants are what they are measured in, but for the last digits. Whether there are any is
 * compared before. */
static gbs_status agree(gbs_context *ctx, const gbs_map *model, const gbs_map *particles) {
    const gbs_standard *a = in(model), *b = in(particles);
    if (a == NULL || b == NULL)
        return GBS_OK;
    if ((a->stretch != NULL) != (b->stretch != NULL))
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "the model stretches its columns by their relevance, the particles do not");
    for (size_t k = 0; k < model->in && model->in == particles->in; k++)
        if (fabs(a->center[k] - b->center[k]) > SAME_CONSTANT * b->scale[k] ||
            fabs(a->scale[k] - b->scale[k]) > SAME_CONSTANT * b->scale[k])
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "the model does not belong to these rows: it standardises column %zu "
                            "with other constants",
                            k + 1);
    return GBS_OK;
}

const gbs_map_ops gbs_map_standard = {
    .place = GBS_PLACE_SCALE,
    .size = sizeof(gbs_standard),
    .learned = GBS_LEARNED_SCALING,
    .wanted = wanted,
    .learn = learn,
    .keep = keep,
    .settle = settle,
    .dense = dense,
    .sparse = sparse,
    .fills = fills,
    .shift = shift,
    .unit = unit,
    .agree = agree,
    .affine = true,
};
