/* Groups of rows: those of one patient, one site, one document. They stay together wherever rows
 * are split (docs/maths.md, 11.8). */
#include "data/rows.h"

#include "core/check.h"

#include <Random123/threefry.h>
#include <string.h>

/* Names of groups to numbers, in order of first appearance: open addressing. */
struct names {
    const uint64_t *of;  /* rows */
    uint32_t *slot;      /* 1 + number of a group; 0: free */
    size_t *row;         /* a row of each group */
    size_t slots, count; /* a power of two; groups */
};

static size_t first_slot(const struct names *n, uint64_t name) {
    threefry2x64_ctr_t counter = {{name, 0}};
    threefry2x64_key_t key = {{1, 0}};
    return (size_t)threefry2x64(counter, key).v[0] & (n->slots - 1);
}

static uint32_t number_of(struct names *n, size_t row) {
    size_t at = first_slot(n, n->of[row]);
    while (n->slot[at] != 0 && n->of[n->row[n->slot[at] - 1]] != n->of[row])
        at = (at + 1) & (n->slots - 1);
    if (n->slot[at] == 0) {
        n->row[n->count++] = row;
        n->slot[at] = (uint32_t)n->count;
    }
    return n->slot[at] - 1;
}

gbs_status gbs_groups_number(gbs_context *ctx, size_t n, const uint64_t *name, uint32_t *group,
                             size_t *count) {
    struct names names = {.of = name, .slots = 4};
    if (n >= UINT32_MAX)
        return gbs_fail(ctx, GBS_ERR_DATA, "%zu rows are too many to be in groups", n);
    while (names.slots < 2 * n)
        names.slots *= 2;
    names.slot = gbs_array_alloc(ctx, names.slots, sizeof *names.slot);
    names.row = gbs_array_alloc(ctx, n, sizeof *names.row);
    gbs_status status = names.slot != NULL && names.row != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        group[i] = number_of(&names, i);
    *count = names.count;
    gbs_array_free(ctx, names.slot);
    gbs_array_free(ctx, names.row);
    return status;
}

gbs_status gbs_data_set_groups(gbs_context *ctx, gbs_data *data, const uint64_t *group) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, data);
    uint32_t *own = NULL;
    size_t count = 0;
    if (group != NULL) {
        own = gbs_array_alloc_for(ctx, data->ctx, data->n, sizeof *own);
        gbs_status status = own != NULL ? gbs_groups_number(ctx, data->n, group, own, &count)
                                        : GBS_ERR_MEMORY;
        if (status != GBS_OK) {
            gbs_array_free(data->ctx, own);
            return status;
        }
    }
    gbs_array_free(data->ctx, (void *)data->group);
    data->group = own;
    data->groups = count;
    return GBS_OK;
}

gbs_status gbs_groups_mean(gbs_context *ctx, const uint32_t *group, size_t groups, size_t n,
                           const double *value, double *mean, size_t *count) {
    size_t *place = gbs_array_alloc(ctx, 2 * groups, sizeof *place);
    *count = 0;
    if (place == NULL)
        return GBS_ERR_MEMORY;
    size_t *size = place + groups;
    for (size_t i = 0; i < n; i++) {
        if (!(value[i] >= 0.0))
            continue;
        size_t *at = &place[group[i]]; /* one more than the place; 0: not seen yet */
        if (*at == 0) {
            *at = ++*count;
            mean[*at - 1] = 0.0;
        }
        mean[*at - 1] += value[i];
        size[*at - 1]++;
    }
    for (size_t k = 0; k < *count; k++)
        mean[k] /= (double)size[k];
    gbs_array_free(ctx, place);
    return GBS_OK;
}
