/* Rows to folds. Each class is dealt out in turn, which keeps the folds alike; rows of one group go
 * to one fold, those with a row of the rarer class first.
 */
#include "fit/deal.h"

#include "task/task.h"

static size_t row_at(const size_t *order, size_t k) {
    return order != NULL ? order[k] : k;
}

/* Which classes each group has: bit 0 for -1, bit 1 for +1. */
static unsigned char *classes_of_groups(gbs_context *ctx, const gbs_data *data) {
    unsigned char *has = gbs_array_alloc(ctx, data->groups, sizeof *has);
    for (size_t i = 0; has != NULL && i < data->n; i++)
        has[data->group[i]] |= data->y[i] > 0.0 ? 2 : 1;
    return has;
}

/* Rows of the smallest class. */
static gbs_status fewest_rows(gbs_context *ctx, const gbs_data *data, size_t *fewest) {
    size_t classes = gbs_data_classes(data), *rows = gbs_array_alloc(ctx, classes, sizeof *rows);
    *fewest = data->n;
    for (size_t i = 0; rows != NULL && i < data->n; i++)
        rows[gbs_data_class(data, i)]++;
    for (size_t k = 0; rows != NULL && k < classes; k++)
        *fewest = rows[k] < *fewest ? rows[k] : *fewest;
    gbs_array_free(ctx, rows);
    return rows != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_deal_fewest(gbs_context *ctx, const gbs_data *data, size_t *fewest) {
    size_t with[2] = {0, 0};
    if (data->group == NULL)
        return fewest_rows(ctx, data, fewest);
    unsigned char *has = classes_of_groups(ctx, data);
    if (has == NULL)
        return GBS_ERR_MEMORY;
    for (size_t g = 0; g < data->groups; g++) {
        with[0] += (has[g] & 1) != 0;
        with[1] += (has[g] & 2) != 0;
    }
    gbs_array_free(ctx, has);
    *fewest = with[0] < with[1] ? with[0] : with[1];
    return GBS_OK;
}

static gbs_status deal_groups(gbs_context *ctx, const gbs_data *data, const size_t *order,
                              size_t folds, size_t *fold_of) {
    unsigned char *has = classes_of_groups(ctx, data);
    size_t *fold = gbs_array_alloc(ctx, data->groups, sizeof *fold), dealt = 0, positive = 0;
    gbs_status status = has != NULL && fold != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        positive += data->y[i] > 0.0;
    unsigned rarer = 2 * positive <= data->n ? 2 : 1;
    for (int turn = 0; status == GBS_OK && turn < 2; turn++) /* 0: with the rarer class */
        for (size_t k = 0; k < data->n; k++) {
            size_t g = data->group[row_at(order, k)];
            if (fold[g] == 0 && ((has[g] & rarer) != 0) == (turn == 0))
                fold[g] = 1 + dealt++ % folds;
        }
    for (size_t i = 0; status == GBS_OK && i < data->n; i++)
        fold_of[i] = fold[data->group[i]] - 1;
    gbs_array_free(ctx, has);
    gbs_array_free(ctx, fold);
    return status;
}

gbs_status gbs_deal(gbs_context *ctx, const gbs_data *data, const size_t *order, size_t folds,
                    size_t *fold_of) {
    if (data->group != NULL)
        return deal_groups(ctx, data, order, folds, fold_of);
    size_t *dealt = gbs_array_alloc(ctx, gbs_data_classes(data), sizeof *dealt);
    for (size_t k = 0; dealt != NULL && k < data->n; k++) {
        size_t i = row_at(order, k);
        fold_of[i] = dealt[gbs_data_class(data, i)]++ % folds;
    }
    gbs_array_free(ctx, dealt);
    return dealt != NULL ? GBS_OK : GBS_ERR_MEMORY;
}
