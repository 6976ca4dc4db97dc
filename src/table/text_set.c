/* Open addressing with linear probing, at most half full. */
#include "table/text_set.h"

#include <string.h>

static const uint64_t factor = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */

static uint64_t hash_text(const char *text, size_t length) {
    uint64_t h = length * factor, block;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&block, text, 8);
        h = (h ^ block) * factor;
        h ^= h >> 32;
    }
    block = 0;
    memcpy(&block, text, length);
    h = (h ^ block) * factor;
    h ^= h >> 29;
    return h * factor;
}

uint64_t gbs_text_key(const char *text, size_t length) {
    uint64_t key = 0;
    if (length > GBS_SHORT_TEXT)
        return hash_text(text, length) | (uint64_t)GBS_LONG_TEXT << GBS_LENGTH_BIT;
    for (size_t k = 0; k < length; k++)
        key |= (uint64_t)(unsigned char)text[k] << 8 * k;
    return key | (uint64_t)length << GBS_LENGTH_BIT;
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t find_slot(const gbs_text_set *set, const char *text, size_t length, uint64_t key) {
    size_t mask = set->n_slots - 1, i = gbs_text_first_slot(key, mask);
    for (;; i = (i + 1) & mask) {
        const struct gbs_text_slot *s = &set->slot[i];
        if (s->number == 0)
            return i;
        if (s->key != key)
            continue;
        const char *candidate = length > GBS_SHORT_TEXT ? set->text[s->number - 1] : NULL;
        if (candidate == NULL ||
            (strncmp(candidate, text, length) == 0 && candidate[length] == '\0'))
            return i;
    }
}

size_t gbs_text_set_find_key(const gbs_text_set *set, const char *text, size_t length,
                             uint64_t key) {
    if (set->n_slots == 0)
        return GBS_TEXT_NONE;
    uint32_t number = set->slot[find_slot(set, text, length, key)].number;
    return number ? number - 1 : GBS_TEXT_NONE;
}

size_t gbs_text_set_find(const gbs_text_set *set, const char *text, size_t length) {
    return gbs_text_set_find_key(set, text, length, gbs_text_key(text, length));
}

static bool make_slots(gbs_context *ctx, gbs_text_set *set) {
    size_t n_slots = set->n_slots ? 2 * set->n_slots : 16;
    struct gbs_text_slot *slot = gbs_array_alloc(ctx, n_slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < set->n_slots; i++) {
        if (set->slot[i].number == 0)
            continue;
        size_t k = gbs_text_first_slot(set->slot[i].key, n_slots - 1);
        while (slot[k].number)
            k = (k + 1) & (n_slots - 1);
        slot[k] = set->slot[i];
    }
    gbs_array_free(ctx, set->slot);
    set->slot = slot;
    set->n_slots = n_slots;
    return true;
}

bool gbs_text_set_add(gbs_context *ctx, gbs_text_set *set, gbs_pool *pool, const char *text,
                      size_t length) {
    if (set->n >= UINT32_MAX || (2 * (set->n + 1) > set->n_slots && !make_slots(ctx, set)))
        return false;
    const char **texts = gbs_array_grow(ctx, set->text, &set->capacity, set->n + 1, sizeof *texts);
    if (!texts)
        return false;
    set->text = texts;
    char *copy = gbs_pool_text(ctx, pool, text, length);
    if (!copy)
        return false;
    uint64_t key = gbs_text_key(text, length);
    struct gbs_text_slot *slot = &set->slot[find_slot(set, text, length, key)];
    slot->key = key;
    set->text[set->n++] = copy;
    slot->number = (uint32_t)set->n;
    return true;
}

void gbs_text_set_free(const gbs_context *ctx, gbs_text_set *set) {
    gbs_array_free(ctx, set->text);
    gbs_array_free(ctx, set->slot);
    *set = (gbs_text_set){0};
}
