/* What stands in for a missing cell (`missing` impute): the median of a column of numbers, the most
 * frequent level of one of texts, and one feature more that is 1 where the cell was missing.
 *
 * Both are learned from given rows alone, the first part of a fit, so that rows that certify do not
 * teach them (docs/maths.md, 6.4). A column that is whole in those rows gets no feature more. Where
 * every cell of the rows is missing, 0 stands in, or no level.
 */
#include "map/column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool wanted(const gbs_column_map *c) {
    return c->filled;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of n numbers, which are put in order; 0 of none. */
static double median(double *x, size_t n) {
    if (n == 0)
        return 0.0;
    qsort(x, n, sizeof *x, ascending);
    return n % 2 == 1 ? x[n / 2] : 0.5 * x[n / 2 - 1] + 0.5 * x[n / 2];
}

/* The level that most of n cells have, the first of equals; NAN: there is none. */
static gbs_status most_frequent(gbs_context *ctx, const gbs_column_map *c, const double *cell,
                                size_t n, double *out) {
    size_t most = 0, *count = gbs_array_alloc(ctx, c->n_levels + 1, sizeof *count);
    *out = NAN;
    if (count == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (cell[i] >= 0.0)
            count[(size_t)cell[i]]++;
    for (size_t j = 0; j < c->n_levels; j++)
        if (count[j] > most) {
            most = count[j];
            *out = (double)j;
        }
    gbs_array_free(ctx, count);
    return GBS_OK;
}

static gbs_status learn(gbs_context *ctx, gbs_column_map *c, size_t n, double *cell) {
    size_t there = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(cell[i]))
            cell[there++] = cell[i];
    c->marked = there < n;
    if (c->is_text)
        return most_frequent(ctx, c, cell, there, &c->fill);
    c->fill = median(cell, there);
    return GBS_OK;
}

static size_t width(const gbs_column_map *c, size_t width) {
    return width + c->marked;
}

static void put(const gbs_column_map *c, gbs_cell *cell) {
    if (!isnan(cell->x))
        return;
    cell->mark = c->marked ? gbs_column_width(c) - 1 : SIZE_MAX;
    cell->x = cell->value = c->fill;
}

static bool feature(const gbs_column_map *c, size_t k, size_t width, char *name, size_t room) {
    bool mark = c->marked && k + 1 == width;
    if (mark)
        snprintf(name, room, "%s is missing", c->name);
    return mark;
}

const gbs_column_ops gbs_column_impute = {wanted, learn, width, put, feature};
