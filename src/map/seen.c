/* Columns that some rows set: those of sparse data that no learn row sets cost nothing.
 *
 * A file of sparse rows has as many columns as its largest index, and a single odd index would make
 * scalings, posteriors and model files of that length. So a fit looks at the rows it learns its
 * columns from, keeps the columns that one of them sets, and works with these alone. The list is
 * found by marks, a byte a column, or where the columns are more than the stored cells by sorting
 * the indices. Of rows in files, what is kept lies in files too.
 */
#include "map/map.h"

#include <stdlib.h>
#include <string.h>

static int by_index(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The columns of the cells that are not zero, in the order of the rows; returns how many. */
static size_t list_cells(const gbs_data *data, const size_t *rows, size_t count, uint32_t *index) {
    size_t stored = 0;
    for (size_t i = 0; i < count; i++) {
        gbs_raw_row row = gbs_data_at(data, rows != NULL ? rows[i] : i);
        gbs_data_passed_in(data, rows, i);
        for (size_t k = 0; k < row.stored; k++)
            if (gbs_raw_value(&row, k) != 0.0)
                index[stored++] = row.column[k];
    }
    return stored;
}

/* Sorts and keeps one of each. Returns how many. */
static size_t settle_by_sorting(uint32_t *index, size_t stored) {
    size_t size = 0;
    qsort(index, stored, sizeof *index, by_index);
    for (size_t k = 0; k < stored; k++)
        if (k == 0 || index[k] != index[k - 1])
            index[size++] = index[k];
    return size;
}

static gbs_status find_by_sorting(gbs_context *ctx, const gbs_data *data, const size_t *rows,
                                  size_t count, size_t stored, gbs_seen *out) {
    uint32_t *index = gbs_array_alloc(ctx, stored + 1, sizeof *index);
    if (index == NULL)
        return GBS_ERR_MEMORY;
    out->column = index;
    out->size = settle_by_sorting(index, list_cells(data, rows, count, index));
    return GBS_OK;
}

/* The same by a mark for each column. */
static gbs_status find_by_marks(gbs_context *ctx, const gbs_data *data, const size_t *rows,
                                size_t count, gbs_seen *out) {
    unsigned char *mark = gbs_array_alloc(ctx, data->d, 1);
    if (mark == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        gbs_raw_row row = gbs_data_at(data, rows != NULL ? rows[i] : i);
        gbs_data_passed_in(data, rows, i);
        for (size_t k = 0; k < row.stored; k++)
            mark[row.column[k]] |= gbs_raw_value(&row, k) != 0.0;
    }
    size_t size = 0;
    for (size_t j = 0; j < data->d; j++)
        size += mark[j];
    out->column = gbs_array_alloc(ctx, size + 1, sizeof *out->column);
    out->size = 0;
    for (size_t j = 0; out->column != NULL && j < data->d; j++)
        if (mark[j])
            out->column[out->size++] = (uint32_t)j;
    gbs_array_free(ctx, mark);
    return out->column != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_data_seen(gbs_context *ctx, const gbs_data *data, const size_t *rows, size_t count,
                         gbs_seen *out) {
    *out = (gbs_seen){.given = data->d, .size = data->d};
    size_t stored = 0;
    if (gbs_data_is_dense(data))
        return GBS_OK;
    for (size_t i = 0; i < count; i++)
        stored += gbs_data_at(data, rows != NULL ? rows[i] : i).stored;
    gbs_status status = data->d <= stored ? find_by_marks(ctx, data, rows, count, out)
                                          : find_by_sorting(ctx, data, rows, count, stored, out);
    if (status != GBS_OK)
        return status;
    if (out->size == 0) /* rows of zeros: one column is left, so that there is something to scale */
        out->column[out->size++] = 0;
    if (out->size == data->d) {
        gbs_array_free(ctx, out->column);
        out->column = NULL;
    }
    return GBS_OK;
}

void gbs_seen_free(const gbs_context *ctx, gbs_seen *seen) {
    gbs_array_free(ctx, seen->column);
    *seen = (gbs_seen){0};
}

/* Place of a column among those kept; SIZE_MAX: it is not. */
static size_t place_of(const gbs_seen *seen, uint32_t column) {
    size_t low = 0, high = seen->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (seen->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < seen->size && seen->column[low] == column ? low : SIZE_MAX;
}

/* The kept cells of row `from` behind those before; returns how many others are not zero. */
static size_t keep_row(const gbs_raw_row *from, const gbs_seen *seen, uint32_t *column,
                       double *value, size_t *end) {
    size_t lost = 0;
    for (size_t k = 0; k < from->stored; k++) {
        size_t place = place_of(seen, from->column[k]);
        if (place == SIZE_MAX) {
            lost += from->value[k] != 0.0;
            continue;
        }
        column[*end] = (uint32_t)place;
        value[(*end)++] = from->value[k];
    }
    return lost;
}

static size_t keep_cells(const gbs_data *data, const gbs_seen *seen, gbs_data *kept) {
    size_t end = 0, lost = 0, *start = (size_t *)kept->row_start;
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        gbs_data_passed(data, i);
        lost += keep_row(&row, seen, (uint32_t *)kept->column, (double *)kept->value, &end);
        start[i + 1] = end;
        gbs_data_passed(kept, i);
    }
    return lost;
}

/* In memory, or of rows in files in files, too. */
static gbs_status keep_sparse(gbs_context *ctx, const gbs_data *data, const gbs_seen *seen,
                              gbs_data *kept, size_t *lost) {
    size_t stored = 0;
    for (size_t i = 0; i < data->n; i++)
        stored += gbs_data_at(data, i).stored;
    const gbs_spill *spill = data->in_file && gbs_spills(data->spill, stored, sizeof(uint32_t))
                                 ? data->spill
                                 : NULL;
    void *column = NULL, *value = NULL;
    gbs_status status = gbs_spill_array(ctx, spill, stored, sizeof(uint32_t), &column);
    if (status == GBS_OK)
        status = gbs_spill_array(ctx, spill, stored, sizeof(double), &value);
    kept->row_start = gbs_array_alloc(ctx, data->n + 1, sizeof *kept->row_start);
    kept->column = column;
    kept->value = value;
    kept->in_file = spill != NULL;
    kept->every = data->every;
    kept->spill = data->spill;
    if (status == GBS_OK && kept->row_start == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        *lost = keep_cells(data, seen, kept);
    return status;
}

static size_t keep_dense(const gbs_data *data, const gbs_seen *seen, double *cells) {
    size_t lost = 0, at = 0;
    for (size_t i = 0; i < data->n; i++) {
        gbs_raw_row row = gbs_data_at(data, i);
        for (size_t k = 0, next = 0; k < data->d; k++) {
            double x = gbs_raw_value(&row, k);
            if (next < seen->size && seen->column[next] == k) {
                cells[at++] = x;
                next++;
            } else {
                lost += x != 0.0;
            }
        }
    }
    return lost;
}

gbs_status gbs_data_keep(gbs_context *ctx, const gbs_data *data, const gbs_seen *seen,
                         gbs_data **out, size_t *lost) {
    gbs_data *kept = gbs_handle_alloc(ctx, sizeof *kept);
    gbs_status status = GBS_OK;
    *out = kept;
    if (kept == NULL)
        return GBS_ERR_MEMORY;
    *kept = (gbs_data){.ctx = ctx, .n = data->n, .d = seen->size, .hashed = true};
    kept->summary.hash = gbs_data_hash(data);
    bool ok = true;
    if (gbs_data_is_dense(data)) {
        double *cells = gbs_matrix(ctx, data->n, seen->size);
        kept->dense = cells;
        kept->row_stride = seen->size;
        if ((ok = cells != NULL))
            *lost = keep_dense(data, seen, cells);
    } else {
        status = keep_sparse(ctx, data, seen, kept, lost);
        ok = status == GBS_OK;
    }
    kept->classes = data->classes;
    if (ok && data->y != NULL) {
        double *y = gbs_doubles(ctx, data->n);
        kept->y = y;
        if ((ok = y != NULL))
            memcpy(y, data->y, data->n * sizeof *y);
    }
    if (ok && data->weight != NULL) {
        double *weight = gbs_doubles(ctx, data->n);
        kept->weight = weight;
        if ((ok = weight != NULL))
            memcpy(weight, data->weight, data->n * sizeof *weight);
    }
    if (ok && data->group != NULL) {
        uint32_t *group = gbs_array_alloc(ctx, data->n, sizeof *group);
        kept->group = group;
        kept->groups = data->groups;
        if ((ok = group != NULL))
            memcpy(group, data->group, data->n * sizeof *group);
    }
    if (ok && data->learned != NULL) {
        kept->learned = gbs_array_alloc(ctx, data->n, sizeof *kept->learned);
        ok = kept->learned != NULL;
        for (size_t i = 0; ok && i < data->n; i++)
            kept->learned[i] = gbs_data_is_learned(data, i);
    }
    if (!ok) {
        gbs_data_free(kept);
        *out = NULL;
    }
    return ok || status != GBS_OK ? status : GBS_ERR_MEMORY;
}

/* ---------------------------------------------------------------- the map */

struct chosen {
    gbs_map map;
    gbs_seen seen;
};

static const gbs_seen *seen_of(const gbs_map *map) {
    return &((const struct chosen *)map)->seen;
}

/* Columns are chosen before other maps are learned (gbs_maps_see). */
static bool wanted(const gbs_fit_settings *o) {
    (void)o;
    return false;
}

gbs_status gbs_maps_see(gbs_context *ctx, gbs_maps *maps, gbs_seen *seen) {
    gbs_map *map;
    gbs_seen taken = *seen;
    *seen = (gbs_seen){0};
    if (taken.column == NULL)
        return GBS_OK;
    maps->given = taken.given;
    gbs_status status = gbs_maps_add(ctx, maps, &gbs_map_seen, &map);
    if (status != GBS_OK) {
        gbs_seen_free(ctx, &taken);
        return status;
    }
    ((struct chosen *)map)->seen = taken;
    return gbs_maps_settle(ctx, maps, 0);
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    gbs_seen *seen = &((struct chosen *)map)->seen;
    seen->given = map->in;
    return a->indices(a, "kept", map->in, &seen->size, &seen->column);
}

static gbs_status settle(gbs_context *ctx, gbs_map *map) {
    map->out = seen_of(map)->size;
    if (map->out > 0 && map->out < map->in)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'kept' has the wrong length");
}

static gbs_status narrow(gbs_context *ctx, const gbs_map *map, const gbs_data *data,
                         gbs_data **out) {
    size_t lost = 0;
    gbs_status status = gbs_data_keep(ctx, data, seen_of(map), out, &lost);
    if (status == GBS_OK && lost > 0)
        gbs_log(ctx, GBS_LOG_INFO,
                "%zu cells stand in columns that no row to learn from sets; they are left out",
                lost);
    return status;
}

static size_t origin(const gbs_map *map, size_t k) {
    return seen_of(map)->column[k];
}

static gbs_status agree(gbs_context *ctx, const gbs_map *model, const gbs_map *particles) {
    const gbs_seen *a = model != NULL ? seen_of(model) : NULL,
                   *b = particles != NULL ? seen_of(particles) : NULL;
    if (a != NULL && b != NULL && a->size == b->size &&
        memcmp(a->column, b->column, a->size * sizeof *a->column) == 0)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "the model does not belong to these rows: it leaves out other columns");
}

const gbs_map_ops gbs_map_seen = {
    .told_by = "kept",
    .place = GBS_PLACE_COLUMNS,
    .size = sizeof(struct chosen),
    .learned = GBS_LEARNED_COLUMNS,
    .wanted = wanted,
    .keep = keep,
    .settle = settle,
    .narrow = narrow,
    .origin = origin,
    .agree = agree,
    .affine = true,
};
