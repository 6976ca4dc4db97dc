/* What stands in for a missing cell (`missing` impute): the median of a column of numbers, the most
 * frequent level of one of texts, and one column more that is 1 where the cell was missing.
 *
 * Both are learned from given rows alone, the first part of a fit, so that rows that certify do not
 * teach them (docs/maths.md, 6.4). A column that is whole in those rows gets no column more. Where
 * every cell of the rows is missing, 0 stands in, or no level.
 */
#include "table/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t gbs_recipe_width(const gbs_recipe_column *c) {
    return (c->is_text ? c->n_levels : 1) + c->marked;
}

bool gbs_recipe_fills(const gbs_recipe *r) {
    for (size_t k = 0; r != NULL && k < r->n_inputs; k++)
        if (r->inputs[k].filled)
            return true;
    return false;
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

static int by_text(const void *a, const void *b) {
    return strcmp(a, *(const char *const *)b);
}

/* The recipe's level that most of n cells have, the first of equals; NAN: there is none. */
static double most_frequent(const gbs_recipe_column *c, const gbs_column *from, const double *cell,
                            size_t n, size_t *count) {
    size_t most = 0;
    double best = NAN;
    for (size_t i = 0; i < n; i++)
        count[(size_t)cell[i]]++;
    for (size_t j = 0; j < from->n_levels; j++) {
        const char **found = bsearch(from->levels[j], c->levels, c->n_levels, sizeof *c->levels,
                                     by_text);
        if (found == NULL || count[j] == 0)
            continue;
        double level = (double)(found - c->levels);
        if (count[j] > most || (count[j] == most && level < best)) {
            most = count[j];
            best = level;
        }
    }
    return best;
}

gbs_status gbs_recipe_learn_fills(gbs_context *ctx, gbs_recipe *r, const gbs_table *t,
                                  const size_t *rows, size_t n) {
    double *cells = gbs_doubles(ctx, n);
    gbs_status status = cells != NULL ? GBS_OK : GBS_ERR_MEMORY;
    r->features = 0;
    for (size_t k = 0; status == GBS_OK && k < r->n_inputs; k++) {
        gbs_recipe_column *c = &r->inputs[k];
        const gbs_column *from = &t->columns[c->position];
        size_t there = 0, *count = gbs_array_alloc(ctx, from->n_levels + 1, sizeof *count);
        for (size_t i = 0; i < n; i++) {
            size_t row = rows != NULL ? rows[i] : i;
            gbs_table_passed(t, i, row);
            double x = t->cells[row * t->n_columns + c->position];
            if (!isnan(x))
                cells[there++] = x;
        }
        status = count != NULL ? GBS_OK : GBS_ERR_MEMORY;
        c->filled = true;
        c->marked = there < n;
        if (count != NULL)
            c->fill = c->is_text ? most_frequent(c, from, cells, there, count)
                                 : median(cells, there);
        r->features += gbs_recipe_width(c);
        gbs_array_free(ctx, count);
    }
    gbs_array_free(ctx, cells);
    return status;
}
