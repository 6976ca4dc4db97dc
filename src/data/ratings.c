/* Ratings, sorted twice (by row, by column) in counting sorts: O(n + rows + columns), nothing the
 * size of the matrix. */
#include "data/ratings.h"

#include "core/check.h"

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

static gbs_status make_list(gbs_context *ctx, size_t n, size_t items, const uint32_t *key,
                            const uint32_t *other, const double *value, gbs_rating_list *l) {
    l->items = items;
    l->start = gbs_array_alloc(ctx, items + 2, sizeof *l->start);
    l->other = gbs_array_alloc(ctx, n, sizeof *l->other);
    l->value = gbs_doubles(ctx, n);
    if (l->start == NULL || l->other == NULL || l->value == NULL)
        return GBS_ERR_MEMORY;
    /* start[i + 2] counts item i; summed, start[i + 1] is where it begins; filled, where it ends */
    for (size_t e = 0; e < n; e++)
        l->start[(size_t)key[e] + 2]++;
    for (size_t i = 0; i < items; i++)
        l->start[i + 2] += l->start[i + 1];
    for (size_t e = 0; e < n; e++) {
        size_t at = l->start[(size_t)key[e] + 1]++;
        l->other[at] = other[e];
        l->value[at] = value[e];
    }
    return cut_blocks(ctx, l);
}

/* The other way round, out of the list by row: the ratings of a column stand in the order of rows,
 * so that those of neighbouring rows are neighbours. */
static gbs_status turn_list(gbs_context *ctx, const gbs_rating_list *by_row, size_t columns,
                            gbs_rating_list *l) {
    size_t n = by_row->start[by_row->items];
    l->items = columns;
    l->start = gbs_array_alloc(ctx, columns + 2, sizeof *l->start);
    l->other = gbs_array_alloc(ctx, n, sizeof *l->other);
    l->value = gbs_doubles(ctx, n);
    if (l->start == NULL || l->other == NULL || l->value == NULL)
        return GBS_ERR_MEMORY;
    for (size_t e = 0; e < n; e++)
        l->start[(size_t)by_row->other[e] + 2]++;
    for (size_t j = 0; j < columns; j++)
        l->start[j + 2] += l->start[j + 1];
    for (size_t i = 0; i < by_row->items; i++)
        for (size_t e = by_row->start[i]; e < by_row->start[i + 1]; e++) {
            size_t at = l->start[(size_t)by_row->other[e] + 1]++;
            l->other[at] = (uint32_t)i;
            l->value[at] = by_row->value[e];
        }
    return cut_blocks(ctx, l);
}

static void free_list(const gbs_context *ctx, gbs_rating_list *l) {
    gbs_array_free(ctx, l->start);
    gbs_array_free(ctx, l->other);
    gbs_array_free(ctx, l->value);
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

gbs_status gbs_ratings_create(gbs_context *ctx, size_t n, size_t rows, size_t columns,
                              const uint32_t *row, const uint32_t *column, const double *value,
                              const char *const *row_ids, const char *const *column_ids,
                              gbs_ratings **out) {
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
    status = gbs_check_cancel(ctx);
    if (status == GBS_OK)
        status = make_list(ctx, n, rows, row, column, value, &r->by[0]);
    if (status == GBS_OK)
        status = gbs_check_cancel(ctx);
    if (status == GBS_OK)
        status = turn_list(ctx, &r->by[0], columns, &r->by[1]);
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

gbs_status gbs_ratings_subset(gbs_context *ctx, const gbs_ratings *all, size_t count,
                              const size_t *pick, gbs_ratings **out) {
    const gbs_rating_list *l = &all->by[0];
    uint32_t *row = gbs_array_alloc(ctx, count, sizeof *row),
             *column = gbs_array_alloc(ctx, count, sizeof *column);
    uint32_t *owner = gbs_array_alloc(ctx, all->n, sizeof *owner);
    double *value = gbs_doubles(ctx, count);
    gbs_status status = GBS_ERR_MEMORY;
    *out = NULL;
    if (row != NULL && column != NULL && owner != NULL && value != NULL) {
        for (size_t i = 0; i < l->items; i++)
            for (size_t e = l->start[i]; e < l->start[i + 1]; e++)
                owner[e] = (uint32_t)i;
        for (size_t k = 0; k < count; k++) {
            row[k] = owner[pick[k]];
            column[k] = l->other[pick[k]];
            value[k] = l->value[pick[k]];
        }
        status = gbs_ratings_create(ctx, count, l->items, all->by[1].items, row, column, value,
                                    NULL, NULL, out);
    }
    for (int side = 0; side < 2 && status == GBS_OK; side++)
        if (all->feature[side] != NULL)
            status = gbs_ratings_set_features(ctx, *out, side, all->features[side],
                                              all->feature[side]);
    if (status != GBS_OK) {
        gbs_ratings_free(*out);
        *out = NULL;
    }
    gbs_array_free(ctx, row);
    gbs_array_free(ctx, column);
    gbs_array_free(ctx, owner);
    gbs_array_free(ctx, value);
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
    gbs_handle_free(r->ctx, r);
}
