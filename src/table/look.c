/* What a column of a table looks like: missing cells, levels, range, and whether it is one that
 * says nothing of rows to come (guard.c). For people: nothing is decided by it. */
#include "table/guard.h"

#include "core/check.h"

#include <math.h>

static void measure(const gbs_table *t, size_t k, gbs_column_look *look) {
    double sum = 0.0;
    size_t there = 0;
    look->low = look->high = look->mean = NAN;
    for (size_t i = 0; i < t->n_rows; i++) {
        double x = t->cells[i * t->n_columns + k];
        gbs_table_passed(t, i, i);
        if (isnan(x))
            continue;
        there++;
        sum += (x - sum) / (double)there;
        look->low = there == 1 ? x : fmin(look->low, x);
        look->high = there == 1 ? x : fmax(look->high, x);
    }
    look->missing = t->n_rows - there;
    look->mean = there > 0 ? sum : NAN;
    if (t->columns[k].is_text)
        look->low = look->high = look->mean = NAN;
}

static gbs_status guard_of(gbs_context *ctx, const gbs_table *t, size_t k, gbs_column_look *look) {
    gbs_guard guard = GBS_GUARD_NONE;
    gbs_status status = gbs_guard_column(ctx, t, k, &guard);
    static const char *const names[] = {NULL,        "dates", "identifier", "row number",
                                        "row names", NULL /* codes: they say a lot */};
    look->guard = names[guard];
    bool one = look->is_text ? look->levels == 1 : look->low == look->high;
    if (look->guard == NULL && one && look->missing == 0)
        look->guard = "constant";
    return status;
}

gbs_status gbs_table_look(gbs_context *ctx, gbs_table *table, size_t k,
                          const gbs_column_look **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, table);
    if (table->columns == NULL || table->cells == NULL || k >= table->n_columns)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the table has no column %zu to look at", k + 1);
    gbs_column_look *look = &table->look;
    *look = (gbs_column_look){.name = table->columns[k].name,
                              .is_text = table->columns[k].is_text,
                              .levels = table->columns[k].is_text ? table->columns[k].n_levels : 0,
                              .read = !table->columns[k].skipped};
    measure(table, k, look);
    gbs_status status = look->read ? guard_of(ctx, table, k, look) : GBS_OK;
    *out = status == GBS_OK ? look : NULL;
    return status;
}
