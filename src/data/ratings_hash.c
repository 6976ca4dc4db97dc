/* The hashes of ratings (docs/maths.md, 11.2): of the set of them, which the split goes by, and of
 * the ratings as they came, which the draws of a certificate go by. That of a rating is
 *
 *   H(H(name of its row) + H(name of its column), value)
 */
#include "data/ratings.h"

#include <string.h>

gbs_hash gbs_rating_hash(gbs_hash row, gbs_hash column, double value) {
    return gbs_hash_row(gbs_hash_add(row, column), value);
}

static gbs_hash name_of(const gbs_ratings *r, int side, size_t item) {
    const char *id = r->id[side][item];
    return gbs_hash_text((uint64_t)side, id, strlen(id));
}

gbs_hash gbs_ratings_hash(const gbs_ratings *r) {
    const gbs_rating_list *l = &r->by[0];
    gbs_hash sum = {0};
    for (size_t i = 0; i < l->items; i++) {
        gbs_hash row = name_of(r, 0, i);
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++)
            sum = gbs_hash_add(sum, gbs_rating_hash(row, name_of(r, 1, l->other[e]), l->value[e]));
    }
    return sum;
}

gbs_status gbs_ratings_note_order(gbs_context *ctx, gbs_ratings *r, const uint32_t *row,
                                  const uint32_t *column, const double *value) {
    gbs_hash *name[2] = {NULL, NULL};
    bool room = true;
    for (int side = 0; side < 2; side++) {
        size_t items = r->by[side].items;
        name[side] = gbs_array_alloc(ctx, items, sizeof **name);
        room = room && name[side] != NULL;
        for (size_t i = 0; room && i < items; i++)
            name[side][i] = name_of(r, side, i);
    }
    for (size_t e = 0; room && e < r->n; e++) {
        gbs_hash rating = gbs_rating_hash(name[0][row[e]], name[1][column[e]], value[e]);
        r->in_order = gbs_hash_add(r->in_order, gbs_hash_placed(rating, e));
    }
    gbs_array_free(ctx, name[0]);
    gbs_array_free(ctx, name[1]);
    return room ? GBS_OK : GBS_ERR_MEMORY;
}
