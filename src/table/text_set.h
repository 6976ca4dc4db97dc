/* The different texts of a column, numbered in order of first appearance: a hash table, since every
 * cell asks. */
#ifndef GIBBSITE_TABLE_TEXT_SET_H
#define GIBBSITE_TABLE_TEXT_SET_H

#include "core/pool.h"

typedef struct gbs_text_set {
    const char **text;
    size_t n, capacity;
    struct gbs_text_slot *slot;
    size_t n_slots; /* a power of two, or 0 before the first text */
} gbs_text_set;

#define GBS_TEXT_NONE SIZE_MAX

/* text holds no '\0'. */
size_t gbs_text_set_find(const gbs_text_set *set, const char *text, size_t length);

/* Adds a text that is not there yet, copied into the pool; its number is the former n. False: no
 * memory, nothing changed. */
bool gbs_text_set_add(gbs_context *ctx, gbs_text_set *set, gbs_pool *pool, const char *text,
                      size_t length);

/* All but the texts, which are the pool's. */
void gbs_text_set_free(const gbs_context *ctx, gbs_text_set *set);

#endif
