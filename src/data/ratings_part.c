/* Parts of ratings: which of them, in a random order, and those as ratings of their own. Ranks of
 * one machine have one copy of what is as long as the ratings, and fill it in together. */
#include "data/ratings.h"

#include "core/joint.h"
#include "core/random.h"

#include <string.h>

gbs_status gbs_ratings_shuffled(gbs_context *ctx, const gbs_ratings *r, uint64_t seed,
                                uint64_t stream, bool twice, size_t **out) {
    size_t n = r->n, *order = NULL;
    gbs_spill spill;
    void *block = NULL;
    gbs_status status = gbs_joint_room(ctx, r->folder, (twice ? 2 : 1) * n * sizeof *order, &spill,
                                       &block);
    order = block;
    if (status == GBS_OK && spill.place == 0) { /* one for all who share it */
        for (size_t e = 0; e < n; e++)
            order[e] = e;
        gbs_shuffle(seed, stream, n, order);
        if (twice)
            memcpy(order + n, order, n * sizeof *order);
        status = gbs_check_cancel(ctx);
    }
    status = gbs_joint_end(ctx, &spill, status);
    if (status != GBS_OK) {
        gbs_array_free(ctx, block);
        order = NULL;
    }
    *out = order;
    return status;
}

/* What a subset is made of: of each of its ratings row, column and value, and of all ratings the
 * row. */
struct picked {
    void *block; /* which the arrays lie in */
    double *value;
    uint32_t *row, *column, *owner;
};

static void find_owners(const gbs_rating_list *l, size_t from, size_t to, uint32_t *owner) {
    for (size_t i = 0; i < l->items; i++) {
        size_t first = l->start[i] > from ? l->start[i] : from,
               last = l->start[i + 1] < to ? l->start[i + 1] : to;
        for (size_t e = first; e < last; e++)
            owner[e] = (uint32_t)i;
    }
}

static gbs_status pick_ratings(gbs_context *ctx, const gbs_ratings *all, size_t count,
                               const size_t *pick, struct picked *p) {
    const gbs_rating_list *l = &all->by[0];
    size_t from, to,
        bytes = count * (sizeof *p->value + 2 * sizeof *p->row) + all->n * sizeof *p->owner;
    gbs_spill spill;
    gbs_status status = gbs_joint_room(ctx, all->folder, bytes, &spill, &p->block);
    if (p->block != NULL) {
        p->value = p->block;
        p->row = (uint32_t *)(void *)(p->value + count);
        p->column = p->row + count;
        p->owner = p->column + count;
        gbs_joint_part(&spill, all->n, &from, &to);
        find_owners(l, from, to, p->owner);
    }
    status = gbs_joint_end(ctx, &spill, status);
    gbs_joint_part(&spill, count, &from, &to);
    for (size_t k = from; status == GBS_OK && p->block != NULL && k < to; k++) {
        size_t e = pick != NULL ? pick[k] : k;
        p->row[k] = p->owner[e];
        p->column[k] = l->other[e];
        p->value[k] = l->value[e];
    }
    return gbs_joint_end(ctx, &spill, status);
}

gbs_status gbs_ratings_subset(gbs_context *ctx, const gbs_ratings *all, size_t count,
                              const size_t *pick, gbs_ratings **out) {
    struct picked p = {0};
    *out = NULL;
    gbs_status status = pick_ratings(ctx, all, count, pick, &p);
    if (status == GBS_OK)
        status = gbs_ratings_create_in(ctx, all->folder, count, all->by[0].items, all->by[1].items,
                                       p.row, p.column, p.value, NULL, NULL, out);
    for (int side = 0; side < 2 && status == GBS_OK; side++)
        if (all->feature[side] != NULL)
            status = gbs_ratings_set_features(ctx, *out, side, all->features[side],
                                              all->feature[side]);
    if (status != GBS_OK) {
        gbs_ratings_free(*out);
        *out = NULL;
    }
    gbs_array_free(ctx, p.block);
    return status;
}
