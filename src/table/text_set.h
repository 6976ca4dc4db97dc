/* The different texts of a column, numbered in order of first appearance: a hash table, since every
 * cell asks. */
#ifndef GIBBSITE_TABLE_TEXT_SET_H
#define GIBBSITE_TABLE_TEXT_SET_H

#include "core/pool.h"

/* A slot keeps a key of its text: of up to seven bytes the text itself, so that a probe for one, as
 * most identifiers are, touches nothing else; of a longer one its hash, and the text is looked at
 * where the keys agree. */
struct gbs_text_slot {
    uint64_t key;    /* the length in its highest byte; GBS_LONG_TEXT there: a hash */
    uint32_t number; /* from 1; 0 is a free slot */
};

enum { GBS_SHORT_TEXT = 7, GBS_LONG_TEXT = 0xff, GBS_LENGTH_BIT = 56 };

typedef struct gbs_text_set {
    const char **text;
    size_t n, capacity;
    struct gbs_text_slot *slot;
    size_t n_slots; /* a power of two, or 0 before the first text */
} gbs_text_set;

#define GBS_TEXT_NONE SIZE_MAX

/* text holds no '\0'. */
size_t gbs_text_set_find(const gbs_text_set *set, const char *text, size_t length);

/* The same with the key of the text at hand. */
size_t gbs_text_set_find_key(const gbs_text_set *set, const char *text, size_t length,
                             uint64_t key);

uint64_t gbs_text_key(const char *text, size_t length);

/* The key of the first `length` bytes of eight, the first of them lowest; length <= GBS_SHORT_TEXT.
 */
static inline uint64_t gbs_text_short_key(uint64_t bytes, size_t length) {
    return (bytes & (((uint64_t)1 << 8 * length) - 1)) | (uint64_t)length << GBS_LENGTH_BIT;
}

/* Where a probe begins: all bits of the key count. */
static inline size_t gbs_text_first_slot(uint64_t key, size_t mask) {
    const uint64_t factor = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */
    uint64_t h = key * factor;
    h = (h ^ h >> 32) * factor;
    return (size_t)(h >> 32) & mask;
}

/* The slot that a search of this key looks at first; NULL: the set is empty. */
static inline const struct gbs_text_slot *gbs_text_slot_of(const gbs_text_set *set, uint64_t key) {
    return set->n_slots > 0 ? &set->slot[gbs_text_first_slot(key, set->n_slots - 1)] : NULL;
}

/* Adds a text that is not there yet, copied into the pool; its number is the former n. False: no
 * memory, nothing changed. */
bool gbs_text_set_add(gbs_context *ctx, gbs_text_set *set, gbs_pool *pool, const char *text,
                      size_t length);

/* All but the texts, which are the pool's. */
void gbs_text_set_free(const gbs_context *ctx, gbs_text_set *set);

#endif
