/* Classes of rows, three or more of them, and what it costs to take one for another. */
#include "data/rows.h"

#include "core/check.h"

#include <math.h>
#include <string.h>

gbs_status gbs_data_set_classes(gbs_context *ctx, gbs_data *data, size_t rows,
                                const uint32_t *class_of, size_t classes) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    GBS_NEEDS(ctx, class_of);
    if (data->y != NULL || data->pick != NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the data has labels already");
    if (rows != data->n)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "classes of %zu rows, where the data has %zu", rows,
                        data->n);
    if (classes < 3 || classes > GBS_MOST_CLASSES)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "classes must be 3 to %d, not %zu",
                        (int)GBS_MOST_CLASSES, classes);
    for (size_t i = 0; i < rows; i++)
        if (class_of[i] >= classes)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "the class of row %zu is %lu, expected less than %zu", i,
                            (unsigned long)class_of[i], classes);
    double *y = gbs_array_alloc_for(ctx, data->ctx, rows, sizeof *y);
    if (y == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        y[i] = (double)class_of[i];
    data->y = data->own_labels = y;
    data->classes = classes;
    return GBS_OK;
}

gbs_status gbs_data_set_costs(gbs_context *ctx, gbs_data *data, size_t classes,
                              const double *cost) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    double *copy = NULL, largest = 0.0;
    if (classes != data->classes || classes < 3)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "costs of %zu classes, where the labels have %zu; costs are for three "
                        "classes or more",
                        classes, gbs_data_classes(data));
    for (size_t i = 0; cost != NULL && i < classes * classes; i++) {
        if (!(cost[i] >= 0.0) || !isfinite(cost[i]) ||
            (i / classes == i % classes && cost[i] != 0.0))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                            "the cost of saying class %zu of class %zu is %g, expected a number "
                            "from 0, and 0 where they are the same",
                            i % classes, i / classes, cost[i]);
        largest = cost[i] > largest ? cost[i] : largest;
    }
    if (cost != NULL && !(largest > 0.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "every cost is 0");
    if (cost != NULL) {
        copy = gbs_array_alloc_for(ctx, data->ctx, classes * classes, sizeof *copy);
        if (copy == NULL)
            return GBS_ERR_MEMORY;
        memcpy(copy, cost, classes * classes * sizeof *copy);
    }
    gbs_array_free(data->ctx, data->costs);
    data->costs = copy;
    return GBS_OK;
}

gbs_status gbs_data_against(gbs_context *ctx, const gbs_data *data, size_t one, size_t other,
                            gbs_data **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    if (data->classes <= 2)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "data must have three classes or more");
    if (one >= data->classes || one == other || (other != SIZE_MAX && other >= data->classes))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "one and other must be two of the %zu classes, not %zu and %zu",
                        data->classes, one, other);
    size_t *rows = gbs_array_alloc(ctx, data->n, sizeof *rows), count = 0;
    double first = (double)one, second = (double)other;
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        if (other == SIZE_MAX || data->y[i] == first || data->y[i] == second)
            rows[count++] = i;
    gbs_status status = gbs_data_view(ctx, data, rows, count, out);
    gbs_array_free(ctx, rows);
    if (status != GBS_OK)
        return status;
    double *y = (double *)(*out)->y; /* a view's own */
    for (size_t i = 0; i < count; i++)
        y[i] = y[i] == first ? 1.0 : -1.0;
    (*out)->classes = 0;
    (*out)->hashed = false;
    return GBS_OK;
}

size_t gbs_data_classes(const gbs_data *data) {
    return data == NULL || data->y == NULL ? 0 : data->classes > 2 ? data->classes : 2;
}

uint32_t gbs_data_class(const gbs_data *data, size_t i) {
    if (data == NULL || data->y == NULL || i >= data->n)
        return GBS_UNSEEN;
    if (data->classes <= 2)
        return data->y[i] > 0.0;
    return data->y[i] < (double)data->classes ? (uint32_t)data->y[i] : GBS_UNSEEN;
}
