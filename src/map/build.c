/* Design rows: raw rows sent through the chain of maps.
 *
 * Dense rows go a block at a time, in place from map to map; a map that makes rows of another width
 * takes them from one array to the next. Sparse rows go one at a time and stay sparse, what all of
 * them share is kept as their shift. Without maps the caller's own cells serve as the design.
 */
#include "map/map.h"

#include "core/count.h"
#include "core/decimal.h"
#include "core/joint.h"

#include <math.h>
#include <string.h>

/* Squared length below which the weights of a row, like 1/variance of its score, leave the range of
 * doubles. */
#define SMALLEST_NORM2 1e-200

enum {
    ROWS_A_LOOK = 4096,    /* between two looks at the caller's wish to stop */
    NEAR_CELLS = 1 << 11,  /* of rows changed in place: they stay in the first-level cache */
    BLOCK_CELLS = 1 << 18, /* of rows on their way to another width */
    FEWEST_ROWS = 32,
    MOST_ROWS = 2048
};

/* The largest cell of a row that a table made, by the names that it has there. */
static gbs_status name_largest(gbs_context *ctx, const gbs_data *data, size_t i) {
    const gbs_source *s = data->source;
    gbs_raw_row row = gbs_data_at(data, i);
    char place[320], name[64], number[40];
    size_t largest = 0;
    for (size_t k = 1; k < row.stored; k++)
        if (fabs(gbs_raw_value(&row, k)) > fabs(gbs_raw_value(&row, largest)))
            largest = k;
    s->place(s, gbs_data_origin(data, i), place, sizeof place);
    s->name(s->recipe, row.column != NULL ? row.column[largest] : largest, name, sizeof name);
    gbs_decimal_print(gbs_raw_value(&row, largest), number, sizeof number);
    char *plus = strchr(number, '+'); /* 1e300, as files have it */
    if (plus != NULL)
        memmove(plus, plus + 1, strlen(plus));
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "%s: column '%s': %s is too large to be used as it is; scale the column, or "
                    "take the cell for missing (`na-values`)",
                    place, name, number);
}

static gbs_status check_length(gbs_context *ctx, const gbs_data *data, size_t i, double norm2) {
    if (isfinite(norm2) && (norm2 == 0.0 || norm2 >= SMALLEST_NORM2))
        return GBS_OK;
    if (!isfinite(norm2) && data->source != NULL)
        return name_largest(ctx, data, i);
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "row %zu: its values are too %s to be used as they are; scale the columns",
                    gbs_data_origin(data, i) + 1, isfinite(norm2) ? "small" : "large");
}

/* ---------------------------------------------------------------- dense */

/* Rows on their way: the last map of another width, and every map after it, work on the design
 * itself; maps before it on one of two arrays of `width` columns. */
struct way {
    const gbs_data *data;
    const gbs_maps *maps;
    size_t last;  /* one past the last map that makes rows of another width; 0: none does */
    size_t width; /* the widest row before it */
    double *room[2];
};

static struct way plan(const gbs_data *data, const gbs_maps *maps) {
    struct way w = {.data = data, .maps = maps};
    for (size_t k = 0; k < maps->count; k++)
        if (maps->at[k]->ops->transform != NULL)
            w.last = k + 1;
    for (size_t k = 0; k < w.last; k++) {
        w.width = maps->at[k]->in > w.width ? maps->at[k]->in : w.width;
        if (k + 1 < w.last && maps->at[k]->out > w.width)
            w.width = maps->at[k]->out;
    }
    return w;
}

static void copy_raw(const gbs_data *data, size_t first, size_t n, bool zeros, double *x,
                     size_t ld) {
    for (size_t i = 0; i < n; i++) {
        gbs_raw_row raw = gbs_data_at(data, first + i);
        gbs_data_passed(data, first + i);
        double *row = x + i * ld;
        if (raw.column == NULL && raw.value != NULL && raw.gap == 0) {
            memcpy(row, raw.value, data->d * sizeof *row);
            continue;
        }
        for (size_t k = 0; raw.column == NULL && k < data->d; k++)
            row[k] = gbs_raw_value(&raw, k);
        if (raw.column == NULL)
            continue;
        if (!zeros)
            memset(row, 0, data->d * sizeof *row);
        for (size_t k = 0; k < raw.stored; k++)
            row[raw.column[k]] = raw.value[k];
    }
}

/* Rows first .. first + n - 1 to the design's place for them. */
static gbs_status send_block(gbs_context *ctx, const struct way *w, size_t first, size_t n,
                             double *design) {
    size_t d = w->maps->d, ld = w->last > 0 ? w->width : d, turn = 0;
    double *x = w->last > 0 ? w->room[0] : design;
    gbs_status status = GBS_OK;
    copy_raw(w->data, first, n, w->last == 0, x, ld); /* a new design is all zeros */
    for (size_t k = 0; status == GBS_OK && k < w->maps->count; k++) {
        const gbs_map *map = w->maps->at[k];
        if (map->ops->transform == NULL) {
            map->ops->dense(map, n, x, ld);
            continue;
        }
        gbs_strip in = {.n = n, .d = map->in, .dense = x, .ld = ld, .stride = 1};
        x = k + 1 == w->last ? design : w->room[turn = 1 - turn];
        ld = k + 1 == w->last ? d : w->width;
        status = map->ops->transform(ctx, map, &in, x, ld);
    }
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        status = check_length(ctx, w->data, first + i, gbs_dot(d, design + i * d, design + i * d));
    return status;
}

/* The design's cells: in memory, or beside rows that lie in a file, in one. */
static gbs_status place_cells(gbs_context *ctx, const gbs_data *data, gbs_rows *out,
                              double **cells) {
    size_t count;
    void *array = NULL;
    if (__builtin_mul_overflow(data->n, out->d, &count))
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: a %zu x %zu matrix", data->n, out->d);
    out->in_file = gbs_spills(data->spill, count, sizeof **cells);
    out->spill = data->spill;
    gbs_status status = gbs_joint_array(ctx, data->spill, count, sizeof **cells, &array);
    *cells = gbs_rows_own(out, array);
    return status;
}

static gbs_status build_dense(gbs_context *ctx, const gbs_data *data, const gbs_maps *maps,
                              gbs_rows *out) {
    struct way w = plan(data, maps);
    size_t d = out->d, block = NEAR_CELLS / d > 0 ? NEAR_CELLS / d : 1;
    double *cells = NULL, *room = NULL;
    gbs_status status = place_cells(ctx, data, out, &cells);
    const gbs_spill *spill = out->in_file ? data->spill : NULL;
    size_t from, to; /* the blocks that are this rank's to build, and then their rows */
    out->all.dense = cells;
    out->all.ld = d;
    if (status != GBS_OK)
        return status;
    if (w.last > 0 && w.width > 0) {
        block = BLOCK_CELLS / w.width;
        block = block < FEWEST_ROWS ? FEWEST_ROWS : block > MOST_ROWS ? MOST_ROWS : block;
        room = gbs_matrix(ctx, 2 * block, w.width);
        status = room != NULL ? GBS_OK : GBS_ERR_MEMORY;
        w.room[0] = room;
        w.room[1] = room != NULL ? room + block * w.width : NULL;
    }
    gbs_joint_part(spill, (data->n + block - 1) / block, &from, &to);
    from *= block;
    to = to * block < data->n ? to * block : data->n;
    for (size_t first = from, looked = 0, dropped = from; status == GBS_OK && first < to;
         first += block) {
        if (w.last > 0 || first >= looked)
            status = gbs_check_cancel(ctx);
        if (first >= looked) {
            looked = first + ROWS_A_LOOK;
            if (out->in_file)
                gbs_pages_drop(cells + dropped * d, cells + first * d);
            dropped = first;
        }
        size_t left = to - first;
        if (status == GBS_OK)
            status = send_block(ctx, &w, first, left < block ? left : block, cells + first * d);
    }
    gbs_array_free(ctx, room);
    return gbs_joint_end(ctx, spill, status);
}

/* ---------------------------------------------------------------- sparse */

/* The first cell from k on that is stored: of a dense row, that is not zero. */
static size_t next_cell(const gbs_raw_row *raw, size_t k) {
    while (raw->column == NULL && k < raw->stored && gbs_raw_value(raw, k) == 0.0)
        k++;
    return k;
}

/* A raw row with zeros in the places of `filled` columns (sorted), which every row stores; returns
 * how many cells it has. */
static size_t fill_row(const gbs_raw_row *raw, const uint32_t *filled, size_t n_filled,
                       uint32_t *column, double *value) {
    size_t end = 0, k = next_cell(raw, 0), c = 0;
    if (n_filled == 0 && raw->column != NULL) {
        memcpy(column, raw->column, raw->stored * sizeof *column);
        memcpy(value, raw->value, raw->stored * sizeof *value);
        return raw->stored;
    }
    while (k < raw->stored || c < n_filled) {
        size_t next = k < raw->stored && raw->column != NULL ? raw->column[k] : k;
        bool from_row = k < raw->stored && (c == n_filled || next <= filled[c]);
        column[end] = from_row ? (uint32_t)next : filled[c];
        value[end] = from_row ? gbs_raw_value(raw, k) : 0.0;
        k = from_row ? next_cell(raw, k + 1) : k;
        c += c < n_filled && filled[c] == column[end];
        end++;
    }
    return end;
}

static gbs_status build_shift(gbs_context *ctx, const gbs_maps *maps, gbs_rows *out) {
    double *shift = NULL;
    for (size_t k = 0; k < maps->count; k++) {
        const gbs_map *map = maps->at[k];
        if (map->ops->shift == NULL)
            continue;
        if (shift == NULL && (shift = gbs_rows_own(out, gbs_doubles(ctx, out->d))) == NULL)
            return GBS_ERR_MEMORY;
        map->ops->shift(map, shift);
    }
    out->all.shift = shift;
    if (shift != NULL)
        out->shift_norm2 = gbs_dot(out->d, shift, shift);
    return GBS_OK;
}

static size_t stored_values(const gbs_data *data) {
    size_t sum = 0;
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row raw = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        if (raw.column != NULL)
            sum += raw.stored;
        else
            for (size_t k = 0; k < raw.stored; k++)
                sum += gbs_raw_value(&raw, k) != 0.0;
    }
    return sum;
}

/* The columns that every row stores; more: cells that maps add to a row besides. */
static size_t filled_columns(const gbs_data *data, const gbs_maps *maps, uint32_t *filled,
                             size_t *more) {
    size_t count = 0;
    *more = 0;
    for (size_t m = 0; m < maps->count; m++) {
        const gbs_map *map = maps->at[m];
        *more += map->ops->more;
        for (size_t k = 0; map->ops->fills != NULL && k < data->d; k++)
            if (map->ops->fills(map, k))
                filled[count++] = (uint32_t)k;
    }
    return count;
}

/* Room for the cells of sparse rows, in memory or in files. */
static gbs_status place_sparse(gbs_context *ctx, const gbs_data *data, size_t most, gbs_rows *out,
                               uint32_t **column, double **value) {
    const gbs_spill *spill = gbs_spills(data->spill, most, sizeof **column) ? data->spill : NULL;
    void *first = NULL, *second = NULL;
    gbs_status status = gbs_spill_array(ctx, spill, most, sizeof **column, &first);
    *column = gbs_rows_own(out, first);
    if (status == GBS_OK)
        status = gbs_spill_array(ctx, spill, most, sizeof **value, &second);
    *value = gbs_rows_own(out, second);
    out->in_file = status == GBS_OK && spill != NULL;
    out->spill = data->spill;
    return status;
}

static gbs_status build_sparse(gbs_context *ctx, const gbs_data *data, const gbs_maps *maps,
                               gbs_rows *out) {
    size_t n = data->n, more;
    uint32_t *filled = gbs_array_alloc(ctx, data->d, sizeof *filled);
    if (filled == NULL)
        return GBS_ERR_MEMORY;
    size_t n_filled = filled_columns(data, maps, filled, &more);
    size_t most = stored_values(data) + n * (n_filled + more);
    size_t *start = gbs_rows_own(out, gbs_array_alloc(ctx, n + 1, sizeof *start));
    uint32_t *column = NULL;
    double *value = NULL;
    gbs_status status = place_sparse(ctx, data, most, out, &column, &value);
    out->all.start = start;
    out->all.column = column;
    out->all.value = value;
    if (status == GBS_OK)
        status = start != NULL ? build_shift(ctx, maps, out) : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        if (i % ROWS_A_LOOK == 0 && (status = gbs_check_cancel(ctx)) != GBS_OK)
            break;
        if (i % ROWS_A_LOOK == 0 && i > 0) {
            gbs_strip made = gbs_rows_slice(out, i - ROWS_A_LOOK, ROWS_A_LOOK).all;
            gbs_rows_passed(out, &made);
        }
        gbs_raw_row raw = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        size_t at = start[i], stored = fill_row(&raw, filled, n_filled, column + at, value + at);
        for (size_t k = 0; k < maps->count; k++)
            stored = maps->at[k]->ops->sparse(maps->at[k], stored, column + at, value + at);
        start[i + 1] = at + stored;
        double norm2;
        gbs_strip one = gbs_rows_slice(out, i, 1).all;
        gbs_strip_norms(&one, out->shift_norm2, &norm2);
        status = check_length(ctx, data, i, norm2);
    }
    gbs_array_free(ctx, filled);
    return status;
}

/* ---------------------------------------------------------------- which of them */

/* The first map that cannot change rows with a shift and comes after one; NULL: there is none. */
static const gbs_map *shift_refused(const gbs_maps *maps) {
    bool shifted = false;
    for (size_t k = 0; k < maps->count; k++) {
        const gbs_map_ops *ops = maps->at[k]->ops;
        if (shifted && ops->with_shift != NULL)
            return maps->at[k];
        shifted |= ops->shift != NULL;
    }
    return NULL;
}

/* Dense when a map knows no sparse rows, and when the rows would take no more room than in their
 * sparse form; and when the matrix is small (16 MB), unless its rows are long and mostly empty, so
 * that sums over the stored cells are the faster ones. That goes for dense cells too (levels of
 * text columns), where there are enough of them to be counted. Rows that are standardised and then
 * shortened (cx) are not sparse. */
enum { LONG_ROW = 64, SMALL = 1 << 21, WORTH_COUNTING = 1 << 19 };
#define MOSTLY_EMPTY 0.15

static bool long_rows(const gbs_maps *maps) {
    return maps->d >= LONG_ROW && shift_refused(maps) == NULL;
}

bool gbs_rows_always_dense(const gbs_data *data, const gbs_maps *maps) {
    for (size_t k = 0; k < maps->count; k++)
        if (maps->at[k]->ops->narrow == NULL && maps->at[k]->ops->sparse == NULL)
            return true;
    return gbs_data_is_dense(data) && !long_rows(maps);
}

static bool better_dense(const gbs_data *data, const gbs_maps *maps) {
    if (gbs_rows_always_dense(data, maps))
        return true;
    double cells = (double)data->n * (double)maps->d;
    if (gbs_data_is_dense(data) && cells < WORTH_COUNTING)
        return true;
    double stored = (double)stored_values(data);
    bool empty = long_rows(maps) && stored <= MOSTLY_EMPTY * cells;
    if (gbs_data_is_dense(data))
        return !empty;
    return (cells <= SMALL && !empty) || cells * 8.0 <= stored * 12.0;
}

/* The caller's own cells serve as the design. */
static gbs_status wrap_checked(gbs_context *ctx, const gbs_data *data, gbs_rows *out) {
    *out = gbs_rows_wrap(data->n, data->d, data->dense, data->row_stride, data->y);
    out->all.weight = data->weight;
    out->in_file = data->in_file;
    out->spill = data->spill;
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < data->n; i++) {
        gbs_data_passed(data, i);
        const double *row = gbs_data_at(data, i).value;
        status = check_length(ctx, data, i, gbs_dot(data->d, row, row));
    }
    return status;
}

/* From the columns that the first map leaves. */
static gbs_status build_narrowed(gbs_context *ctx, const gbs_data *data, const gbs_maps *maps,
                                 gbs_rows *out) {
    gbs_data *kept;
    gbs_maps rest = {.given = maps->at[0]->out, .d = maps->d, .count = maps->count - 1};
    memcpy(rest.at, maps->at + 1, rest.count * sizeof *rest.at);
    gbs_status status = maps->at[0]->ops->narrow(ctx, maps->at[0], data, &kept);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(ctx, kept, &rest, out);
    if (status == GBS_OK) {
        out->all.y = data->y;
        out->all.weight = data->weight;
        if (out->all.dense != NULL && out->all.dense == kept->dense) { /* they serve as they are */
            gbs_rows_own(out, (void *)kept->dense);
            kept->dense = NULL;
        }
    }
    gbs_data_free(kept);
    return status;
}

gbs_status gbs_rows_build(gbs_context *ctx, const gbs_data *data, const gbs_maps *maps,
                          gbs_rows *out) {
    if (data->d != maps->given)
        return gbs_fail(ctx, GBS_ERR_DATA, "%s, but the model was trained on %zu",
                        gbs_count(data->d, "column").text, maps->given);
    if (maps->count > 0 && maps->at[0]->ops->narrow != NULL)
        return build_narrowed(ctx, data, maps, out);
    *out = (gbs_rows){.d = maps->d, .strip_rows = gbs_rows_a_strip(maps->d)};
    out->all = (gbs_strip){
        .n = data->n, .d = maps->d, .y = data->y, .weight = data->weight, .stride = 1};
    gbs_status status;
    bool dense = better_dense(data, maps);
    const gbs_map *refused = dense ? NULL : shift_refused(maps);
    if (gbs_data_is_plain(data) && data->pick == NULL && maps->count == 0)
        status = wrap_checked(ctx, data, out);
    else if (dense)
        status = build_dense(ctx, data, maps, out);
    else if (refused != NULL)
        status = refused->ops->with_shift(ctx, refused);
    else
        status = build_sparse(ctx, data, maps, out);
    if (status != GBS_OK)
        gbs_rows_free(ctx, out);
    return status;
}
