/* Quantiles of predictions, and the best columns of a row.
 *
 * A new rating is taken for normal about the unclipped mean, with the variance of the cell and of
 * the noise (docs/maths.md, 8.17), and clipped to the range: its quantile p is that of the normal
 * law, clipped. Columns are ordered before anything is clipped: many means may lie beyond the top
 * of the range, and they are not the same.
 */
#include "model/completion.h"

#include "core/check.h"

#include <math.h>
#include <stdlib.h>

/* The z with P(Z <= z) = p, by bisection. */
static double normal_quantile(double p) {
    double low = -40.0, high = 40.0;
    for (int step = 0; step < 100; step++) {
        double middle = 0.5 * (low + high);
        if (0.5 * erfc(-middle * M_SQRT1_2) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

gbs_status gbs_completion_quantiles(gbs_context *ctx, const gbs_completion *model, size_t n,
                                    const uint32_t *row, const uint32_t *column, size_t levels,
                                    const double *level, double *quantile) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS_ARRAY(ctx, row, n);
    GBS_NEEDS_ARRAY(ctx, column, n);
    GBS_NEEDS_ARRAY(ctx, level, levels);
    if (levels > 0)
        GBS_NEEDS_ARRAY(ctx, quantile, n);
    for (size_t k = 0; k < levels; k++)
        if (!(level[k] > 0.0 && level[k] < 1.0))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                            "level must lie between 0 and 1; number %zu is %g", k + 1, level[k]);
    double *value = gbs_doubles(ctx, n), *sd = gbs_doubles(ctx, n), *z = gbs_doubles(ctx, levels);
    const gbs_completion_info *i = &model->info;
    gbs_status status = value != NULL && sd != NULL && z != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK && levels > 0)
        status = gbs_completion_predict_unclipped(ctx, model, n, row, column, value, sd);
    for (size_t k = 0; status == GBS_OK && k < levels; k++)
        z[k] = normal_quantile(level[k]);
    for (size_t e = 0; status == GBS_OK && levels > 0 && e < n; e++) {
        double spread = sqrt(sd[e] * sd[e] + gbs_completion_noise(model, row[e]));
        for (size_t k = 0; k < levels; k++) {
            double x = value[e] + z[k] * spread;
            quantile[e * levels + k] = i->has_range ? gbs_rating_clip(x, i->low, i->high) : x;
        }
    }
    gbs_array_free(ctx, value);
    gbs_array_free(ctx, sd);
    gbs_array_free(ctx, z);
    return status;
}

/* ---------------------------------------------------------------- the best columns */

struct ranked {
    double merit; /* what the order goes by: the value, or a quantile */
    uint32_t column;
};

/* Merits are finite. */
static int by_merit(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->merit != y->merit)
        return x->merit < y->merit ? 1 : -1;
    return (x->column > y->column) - (x->column < y->column);
}

struct top {
    bool *seen;
    uint32_t *row, *column;
    double *value, *sd;
    struct ranked *best;
};

static gbs_status make_top(gbs_context *ctx, size_t columns, struct top *t) {
    t->seen = gbs_array_alloc(ctx, columns, sizeof *t->seen);
    t->row = gbs_array_alloc(ctx, columns, sizeof *t->row);
    t->column = gbs_array_alloc(ctx, columns, sizeof *t->column);
    t->value = gbs_doubles(ctx, columns);
    t->sd = gbs_doubles(ctx, columns);
    t->best = gbs_array_alloc(ctx, columns, sizeof *t->best);
    return t->seen != NULL && t->row != NULL && t->column != NULL && t->value != NULL &&
                   t->sd != NULL && t->best != NULL
               ? GBS_OK
               : GBS_ERR_MEMORY;
}

static void free_top(const gbs_context *ctx, struct top *t) {
    gbs_array_free(ctx, t->seen);
    gbs_array_free(ctx, t->row);
    gbs_array_free(ctx, t->column);
    gbs_array_free(ctx, t->value);
    gbs_array_free(ctx, t->sd);
    gbs_array_free(ctx, t->best);
}

/* The columns that the row has not rated, in t->column; returns their number. */
static size_t find_unrated(const gbs_completion *model, uint32_t row, struct top *t) {
    size_t count = 0, n = 0;
    const uint32_t *rated = gbs_completion_seen(model, row, &count);
    for (size_t k = 0; k < count; k++)
        t->seen[rated[k]] = true;
    for (size_t j = 0; j < model->info.columns; j++)
        if (!t->seen[j]) {
            t->row[n] = row;
            t->column[n++] = (uint32_t)j;
        }
    return n;
}

gbs_status gbs_completion_top(gbs_context *ctx, const gbs_completion *model, uint32_t row,
                              double level, size_t most, uint32_t *column, size_t *count) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS_ARRAY(ctx, column, most);
    GBS_NEEDS(ctx, count);
    *count = 0;
    if (row != GBS_UNSEEN && row >= model->info.rows)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "row %zu lies outside the matrix", (size_t)row + 1);
    if (!(level >= 0.0 && level < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "level must be 0, for the mean, or lie between 0 and 1, not %g", level);
    struct top t = {0};
    size_t n = 0;
    gbs_status status = make_top(ctx, model->info.columns, &t);
    if (status == GBS_OK) {
        n = find_unrated(model, row, &t);
        status = gbs_completion_predict_unclipped(ctx, model, n, t.row, t.column, t.value, t.sd);
    }
    if (status == GBS_OK) {
        double z = level > 0.0 ? normal_quantile(level) : 0.0,
               noise = gbs_completion_noise(model, row);
        for (size_t k = 0; k < n; k++)
            t.best[k] = (struct ranked){t.value[k] + z * sqrt(t.sd[k] * t.sd[k] + noise),
                                        t.column[k]};
        qsort(t.best, n, sizeof *t.best, by_merit);
        *count = n < most ? n : most;
        for (size_t k = 0; k < *count; k++)
            column[k] = t.best[k].column;
    }
    free_top(ctx, &t);
    return status;
}
