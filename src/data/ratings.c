/* Ratings, sorted twice (by row, by column) in counting sorts: O(n + rows + columns), nothing the
 * size of the matrix. Ranks of one machine have one copy of the ratings between them, and each
 * writes a part of it. */
#include "data/ratings.h"

#include "core/check.h"
#include "core/joint.h"
#include "core/ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A block of items is a unit of parallel work: enough ratings to be worth dealing out, few enough
 * that the last one is no wait. */
enum { BLOCK_RATINGS = 4096, BLOCK_ITEMS = 64 };

static gbs_status cut_blocks(gbs_context *ctx, gbs_rating_list *l) {
    for (int pass = 0; pass < 2; pass++) {
        size_t blocks = 0, first = 0;
        for (size_t i = 0; i < l->items; i++) {
            bool full = l->start[i + 1] - l->start[first] >= BLOCK_RATINGS ||
                        i + 1 - first >= BLOCK_ITEMS;
            if (!full && i + 1 < l->items)
                continue;
            first = i + 1;
            blocks++;
            if (pass == 1)
                l->block[blocks] = first;
        }
        l->blocks = blocks;
        if (pass == 0 && (l->block = gbs_array_alloc(ctx, blocks + 1, sizeof *l->block)) == NULL)
            return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

/* ---------------------------------------------------------------- lists */

/* Which ratings of a list this rank writes: those from .. to - 1. */
struct room {
    gbs_spill spill;
    size_t from, to;
};

/* What is as long as the ratings: of ranks of one machine one copy, which they fill in together. */
static gbs_status make_room(gbs_context *ctx, gbs_ratings *r, struct room *room) {
    gbs_rating_list *l = r->by;
    size_t n = r->n, each = sizeof *l->value + sizeof *l->other;
    gbs_status status = gbs_joint_room(ctx, r->folder, 2 * n * each, &room->spill, &r->block);
    if (status != GBS_OK)
        return status;
    r->shared = room->spill.joint;
    gbs_joint_part(&room->spill, n, &room->from, &room->to);
    l[0].value = r->block;
    l[1].value = l[0].value + n;
    l[0].other = (uint32_t *)(void *)(l[1].value + n);
    l[1].other = l[0].other + n;
    return GBS_OK;
}

static void put(gbs_rating_list *l, const struct room *room, size_t at, uint32_t other,
                double value) {
    if (at < room->from || at >= room->to)
        return;
    l->other[at] = other;
    l->value[at] = value;
}

static gbs_status make_list(gbs_context *ctx, size_t n, size_t items, const uint32_t *key,
                            const uint32_t *other, const double *value, const struct room *room,
                            gbs_rating_list *l) {
    l->items = items;
    l->start = gbs_array_alloc(ctx, items + 2, sizeof *l->start);
    if (l->start == NULL)
        return GBS_ERR_MEMORY;
    /* start[i + 2] counts item i; summed, start[i + 1] is where it begins; filled, where it ends */
    for (size_t e = 0; e < n; e++)
        l->start[(size_t)key[e] + 2]++;
    for (size_t i = 0; i < items; i++)
        l->start[i + 2] += l->start[i + 1];
    for (size_t e = 0; e < n; e++)
        put(l, room, l->start[(size_t)key[e] + 1]++, other[e], value[e]);
    return cut_blocks(ctx, l);
}

/* The other way round, out of the list by row: the ratings of a column stand in the order of rows,
 * so that those of neighbouring rows are neighbours. */
static gbs_status turn_list(gbs_context *ctx, const gbs_rating_list *by_row, size_t columns,
                            const struct room *room, gbs_rating_list *l) {
    size_t n = by_row->start[by_row->items];
    l->items = columns;
    l->start = gbs_array_alloc(ctx, columns + 2, sizeof *l->start);
    if (l->start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t e = 0; e < n; e++)
        l->start[(size_t)by_row->other[e] + 2]++;
    for (size_t j = 0; j < columns; j++)
        l->start[j + 2] += l->start[j + 1];
    for (size_t i = 0; i < by_row->items; i++)
        for (size_t e = by_row->start[i]; e < by_row->start[i + 1]; e++)
            put(l, room, l->start[(size_t)by_row->other[e] + 1]++, (uint32_t)i, by_row->value[e]);
    return cut_blocks(ctx, l);
}

static void free_list(const gbs_context *ctx, const gbs_rating_list *l) {
    gbs_array_free(ctx, l->start);
    gbs_array_free(ctx, l->block);
}

gbs_status gbs_texts_copy(gbs_context *ctx, size_t items, const char *const *ids, char ***id,
                          char **texts) {
    size_t size = 0;
    for (size_t i = 0; i < items; i++)
        size += ids != NULL ? strlen(ids[i]) + 1 : 21;
    *id = gbs_array_alloc(ctx, items, sizeof **id);
    *texts = gbs_array_alloc(ctx, size, 1);
    if (*id == NULL || *texts == NULL)
        return GBS_ERR_MEMORY;
    char *at = *texts;
    for (size_t i = 0; i < items; i++) {
        (*id)[i] = at;
        if (ids != NULL)
            at = stpcpy(at, ids[i]) + 1;
        else
            at += snprintf(at, 21, "%zu", i + 1) + 1;
    }
    return GBS_OK;
}

static gbs_status check(gbs_context *ctx, size_t n, size_t rows, size_t columns,
                        const uint32_t *row, const uint32_t *column, const double *value) {
    if (n == 0)
        return gbs_fail(ctx, GBS_ERR_DATA, "there are no ratings");
    if (n > SIZE_MAX / 16)
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu ratings are too many", n);
    if (rows > UINT32_MAX - 1 || columns > UINT32_MAX - 1)
        return gbs_fail(ctx, GBS_ERR_DATA, "more than 2^32 - 2 rows or columns");
    for (size_t e = 0; e < n; e++) {
        if (row[e] >= rows || column[e] >= columns)
            return gbs_fail(ctx, GBS_ERR_DATA, "rating %zu is of cell (%u, %u), outside %zu x %zu",
                            e + 1, row[e], column[e], rows, columns);
        if (!(fabs(value[e]) <= 1e100))
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "rating %zu is %g: values must be numbers up to 1e100", e + 1,
                            value[e]);
    }
    return GBS_OK;
}

static gbs_status check_ids(gbs_context *ctx, const char *name, const char *const *ids,
                            size_t items) {
    for (size_t i = 0; ids != NULL && i < items; i++)
        if (ids[i] == NULL)
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s must be texts; number %zu is NULL", name,
                            i + 1);
    return GBS_OK;
}

void gbs_ratings_recentre(gbs_ratings *r, double centre) {
    r->center = centre;
    r->sum = r->squares = 0.0;
    for (size_t e = 0; e < r->n; e++) {
        double off = r->by[0].value[e] - centre;
        r->sum += off;
        r->squares += off * off;
    }
}

static void summarise(gbs_ratings *r, const double *value) {
    double mean = 0.0;
    r->low = r->high = value[0];
    for (size_t e = 0; e < r->n; e++) {
        mean += (value[e] - mean) / (double)(e + 1);
        r->low = fmin(r->low, value[e]);
        r->high = fmax(r->high, value[e]);
    }
    r->center = mean;
    for (size_t e = 0; e < r->n; e++) {
        r->sum += value[e] - mean;
        r->squares += (value[e] - mean) * (value[e] - mean);
    }
}

static gbs_status note_folder(gbs_context *ctx, const char *folder, gbs_ratings *r) {
    size_t length = folder != NULL ? strlen(folder) + 1 : 0;
    if (folder == NULL)
        return GBS_OK;
    r->folder = gbs_array_alloc(ctx, length, 1);
    if (r->folder != NULL)
        memcpy(r->folder, folder, length);
    return r->folder != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_ratings_create(gbs_context *ctx, size_t n, size_t rows, size_t columns,
                              const uint32_t *row, const uint32_t *column, const double *value,
                              const char *const *row_ids, const char *const *column_ids,
                              gbs_ratings **out) {
    gbs_status status = gbs_ratings_create_in(ctx, NULL, n, rows, columns, row, column, value,
                                              row_ids, column_ids, out);
    if (status == GBS_OK)
        status = gbs_ratings_note_order(ctx, *out, row, column, value);
    if (status != GBS_OK && out != NULL) {
        gbs_ratings_free(*out);
        *out = NULL;
    }
    return status;
}

gbs_status gbs_ratings_create_in(gbs_context *ctx, const char *folder, size_t n, size_t rows,
                                 size_t columns, const uint32_t *row, const uint32_t *column,
                                 const double *value, const char *const *row_ids,
                                 const char *const *column_ids, gbs_ratings **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS_ARRAY(ctx, row, n);
    GBS_NEEDS_ARRAY(ctx, column, n);
    GBS_NEEDS_ARRAY(ctx, value, n);
    gbs_status status = check(ctx, n, rows, columns, row, column, value);
    if (status == GBS_OK)
        status = check_ids(ctx, "row_ids", row_ids, rows);
    if (status == GBS_OK)
        status = check_ids(ctx, "column_ids", column_ids, columns);
    if (status != GBS_OK)
        return status;
    gbs_ratings *r = gbs_handle_alloc(ctx, sizeof *r);
    if (r == NULL)
        return GBS_ERR_MEMORY;
    r->ctx = ctx;
    r->n = n;
    summarise(r, value);
    struct room room = {0};
    status = note_folder(ctx, folder, r);
    if (status == GBS_OK)
        status = make_room(ctx, r, &room);
    if (status == GBS_OK)
        status = make_list(ctx, n, rows, row, column, value, &room, &r->by[0]);
    if (status == GBS_OK)
        status = gbs_check_cancel(ctx);
    status = gbs_joint_end(ctx, &room.spill, status);
    if (status == GBS_OK)
        status = turn_list(ctx, &r->by[0], columns, &room, &r->by[1]);
    if (status == GBS_OK)
        status = gbs_check_cancel(ctx);
    status = gbs_joint_end(ctx, &room.spill, status);
    if (status == GBS_OK)
        status = gbs_texts_copy(ctx, rows, row_ids, &r->id[0], &r->texts[0]);
    if (status == GBS_OK)
        status = gbs_texts_copy(ctx, columns, column_ids, &r->id[1], &r->texts[1]);
    if (status != GBS_OK)
        gbs_ratings_free(r);
    else
        *out = r;
    return status;
}

gbs_status gbs_ratings_set_features(gbs_context *ctx, gbs_ratings *ratings, int columns,
                                    size_t features, const double *values) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, ratings);
    GBS_NEEDS_ARRAY(ctx, values, features);
    int side = columns != 0;
    size_t items = ratings->by[side].items, count;
    if (features > GBS_MOST_SIDE_FEATURES || __builtin_mul_overflow(items, features, &count))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "features must be at most %d, not %zu",
                        (int)GBS_MOST_SIDE_FEATURES, features);
    for (size_t k = 0; k < count; k++)
        if (isinf(values[k]) || fabs(values[k]) > 1e100)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "a feature of %s %zu is %g: values must be numbers up to 1e100",
                            side == 0 ? "row" : "column", 1 + k / features, values[k]);
    double *copy = gbs_array_alloc_for(ctx, ratings->ctx, count, sizeof *copy);
    if (copy == NULL)
        return GBS_ERR_MEMORY;
    if (count > 0)
        memcpy(copy, values, count * sizeof *copy);
    gbs_array_free(ratings->ctx, ratings->feature[side]);
    ratings->feature[side] = copy;
    ratings->features[side] = features;
    return GBS_OK;
}

size_t gbs_ratings_count(const gbs_ratings *ratings) {
    return ratings != NULL ? ratings->n : 0;
}

void gbs_ratings_free(gbs_ratings *r) {
    if (r == NULL)
        return;
    for (int side = 0; side < 2; side++) {
        free_list(r->ctx, &r->by[side]);
        gbs_array_free(r->ctx, r->feature[side]);
        gbs_array_free(r->ctx, r->id[side]);
        gbs_array_free(r->ctx, r->texts[side]);
    }
    gbs_array_free(r->ctx, r->block);
    gbs_array_free(r->ctx, r->folder);
    gbs_handle_free(r->ctx, r);
}
