/* What the rows of a file tell by their hashes (docs/maths.md, 11.2). A group of rows is of one
 * kind with another where the sums of their rows are the same. */
#include "data/row_summary.h"

gbs_status gbs_row_tally_begin(gbs_context *ctx, const uint32_t *group, size_t groups,
                               gbs_row_tally *out) {
    *out = (gbs_row_tally){.ctx = ctx, .group = group, .groups = group != NULL ? groups : 0};
    if (group == NULL)
        return GBS_OK;
    out->of_group = gbs_array_alloc(ctx, groups, sizeof *out->of_group);
    out->met = gbs_array_alloc(ctx, groups, sizeof *out->met);
    return out->of_group != NULL && out->met != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

void gbs_row_tally_add(gbs_row_tally *tally, gbs_hash cells, double label) {
    gbs_hash row = gbs_hash_row(cells, label), turned = gbs_hash_row(cells, -label);
    gbs_hash_sum *set = &tally->set, *placed = &tally->placed;
    set->as_is = gbs_hash_add(set->as_is, row);
    set->turned = gbs_hash_add(set->turned, turned);
    placed->as_is = gbs_hash_add(placed->as_is, gbs_hash_placed(row, tally->n));
    placed->turned = gbs_hash_add(placed->turned, gbs_hash_placed(turned, tally->n));
    if (tally->group != NULL) {
        size_t group = tally->group[tally->n];
        tally->of_group[group] = gbs_hash_add(tally->of_group[group], row);
        tally->met[group] = true;
    } else {
        gbs_kinds_add(&tally->kinds, row);
    }
    tally->n++;
}

void gbs_row_tally_end(gbs_row_tally *tally, gbs_row_summary *out) {
    bool whole = tally->of_group != NULL && tally->met != NULL;
    for (size_t k = 0; whole && k < tally->groups; k++)
        if (tally->met[k])
            gbs_kinds_add(&tally->kinds, tally->of_group[k]);
    *out = (gbs_row_summary){.hash = gbs_hash_sum_of(&tally->set),
                             .in_order = gbs_hash_sum_of(&tally->placed),
                             .sorted = gbs_kinds_sorted(&tally->kinds)};
    gbs_array_free(tally->ctx, tally->of_group);
    gbs_array_free(tally->ctx, tally->met);
}
