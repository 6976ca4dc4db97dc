/* Costs of classes from a CSV file: the header has the class that is said, the first column the
 * class that is, in any order, and every class of the data comes once in both. */
#include "table/table.h"

#include "core/check.h"
#include "data/rows.h"
#include "table/recipe.h"

#include <math.h>
#include <string.h>

static size_t class_of(const gbs_recipe *r, const char *name) {
    size_t k = 0;
    while (k < r->n_classes && strcmp(r->classes[k], name) != 0)
        k++;
    return k;
}

static gbs_status wrong_name(gbs_context *ctx, const char *place, const char *what,
                             const char *name, bool again) {
    return gbs_fail(ctx, GBS_ERR_DATA, "%s: %s '%.60s' %s", place, what, name,
                    again ? "comes a second time" : "is no class of the training data");
}

/* cost[is * classes + said], NAN where the file has none. */
static gbs_status place_costs(gbs_context *ctx, const gbs_table *t, const gbs_recipe *r,
                              double *cost) {
    size_t classes = r->n_classes;
    for (size_t k = 0; k < classes * classes; k++)
        cost[k] = NAN;
    for (size_t i = 0; i < t->n_rows; i++) {
        double cell = t->cells[i * t->n_columns];
        gbs_place place = gbs_row_place(t, i);
        if (isnan(cell))
            return gbs_fail(ctx, GBS_ERR_DATA, "%s: the class is missing", place.text);
        const char *name = t->columns[0].levels[(size_t)cell];
        size_t is = class_of(r, name);
        if (is == classes)
            return wrong_name(ctx, place.text, "class", name, false);
        for (size_t j = 1; j < t->n_columns; j++) {
            const gbs_column *c = &t->columns[j];
            size_t said = class_of(r, c->name);
            double value = t->cells[i * t->n_columns + j];
            if (said == classes)
                return wrong_name(ctx, gbs_table_place(t).text, "column", c->name, false);
            if (!isnan(cost[is * classes + said]))
                return wrong_name(ctx, place.text, "class", name, true);
            if (c->is_text || !(value >= 0.0) || (is == said && value != 0.0))
                return gbs_fail(ctx, GBS_ERR_DATA,
                                "%s: column '%.60s': expected a number from 0, and 0 where the "
                                "class is the one that is said",
                                place.text, c->name);
            cost[is * classes + said] = value;
        }
    }
    for (size_t k = 0; k < classes * classes; k++)
        if (isnan(cost[k]))
            return gbs_fail(
                ctx, GBS_ERR_DATA, "%s: the cost of saying '%.60s' of class '%.60s' is missing",
                gbs_table_place(t).text, r->classes[k % classes], r->classes[k / classes]);
    return GBS_OK;
}

gbs_status gbs_data_read_costs(gbs_context *ctx, gbs_data *data, const char *path) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, path);
    const gbs_recipe *r = gbs_data_recipe(data);
    gbs_reading reading = {.format = GBS_TABLE_CSV, .header = 1, .names_first = true};
    gbs_table *t = NULL;
    double *cost = NULL;
    if (r == NULL || r->n_classes < 3)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`cost`: expected FN:FP, found '%.60s'; a file of costs is for three "
                        "classes or more",
                        path);
    gbs_status status = gbs_table_read_file(ctx, path, &reading, &t);
    if (status == GBS_OK) {
        cost = gbs_matrix(ctx, r->n_classes, r->n_classes);
        status = cost != NULL ? place_costs(ctx, t, r, cost) : GBS_ERR_MEMORY;
    }
    if (status == GBS_OK)
        status = gbs_data_set_costs(ctx, data, r->n_classes, cost);
    gbs_array_free(ctx, cost);
    gbs_table_free(t);
    return status;
}
