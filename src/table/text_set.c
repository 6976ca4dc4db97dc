/* Open addressing with linear probing, at most half full. A slot keeps a key of its text: of up to
 * seven bytes the text itself, so that a probe for one, as most identifiers are, touches nothing
 * else; of a longer one its hash, and the text is looked at where the keys agree. */
#include "table/text_set.h"

#include <string.h>

struct gbs_text_slot {
    uint64_t key;    /* the length in its highest byte; LONG_TEXT there: a hash */
    uint32_t number; /* from 1; 0 is a free slot */
};

enum { SHORT_TEXT = 7, LONG_TEXT = 0xff, LENGTH_BIT = 56 };

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

static uint64_t key_of(const char *text, size_t length) {
    uint64_t key = 0;
    if (length > SHORT_TEXT)
        return hash_text(text, length) | (uint64_t)LONG_TEXT << LENGTH_BIT;
    for (size_t k = 0; k < length; k++)
        key |= (uint64_t)(unsigned char)text[k] << 8 * k;
    return key | (uint64_t)length << LENGTH_BIT;
}

/* Where a probe begins: all bits of the key count. */
static size_t first_slot(uint64_t key, size_t mask) {
    uint64_t h = key * factor;
    h = (h ^ h >> 32) * factor;
    return (size_t)(h >> 32) & mask;
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t find_slot(const gbs_text_set *set, const char *text, size_t length, uint64_t key) {
    size_t mask = set->n_slots - 1, i = first_slot(key, mask);
    for (;; i = (i + 1) & mask) {
        const struct gbs_text_slot *s = &set->slot[i];
        if (s->number == 0)
            return i;
        if (s->key != key)
            continue;
        const char *candidate = length > SHORT_TEXT ? set->text[s->number - 1] : NULL;
        if (candidate == NULL ||
            (strncmp(candidate, text, length) == 0 && candidate[length] == '\0'))
            return i;
    }
}

size_t gbs_text_set_find(const gbs_text_set *set, const char *text, size_t length) {
    if (set->n_slots == 0)
        return GBS_TEXT_NONE;
    uint32_t number = set->slot[find_slot(set, text, length, key_of(text, length))].number;
    return number ? number - 1 : GBS_TEXT_NONE;
}

static bool make_slots(gbs_context *ctx, gbs_text_set *set) {
    size_t n_slots = set->n_slots ? 2 * set->n_slots : 16;
    struct gbs_text_slot *slot = gbs_array_alloc(ctx, n_slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < set->n_slots; i++) {
        if (set->slot[i].number == 0)
            continue;
        size_t k = first_slot(set->slot[i].key, n_slots - 1);
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
    uint64_t key = key_of(text, length);
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
