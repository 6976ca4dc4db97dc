/* Open addressing with linear probing, at most half full; a slot keeps the hash so that a probe
 * rarely touches a text. */
#include "levels.h"

#include "reader.h"

#include <stdlib.h>
#include <string.h>

struct levels_slot {
    uint32_t hash;
    uint32_t number; /* from 1; 0 is a free slot */
};

static uint32_t hash_text(const char *text, size_t length) {
    const uint64_t factor = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */
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
    h *= factor;
    return (uint32_t)(h >> 32);
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t find_slot(const struct levels *set, const char *text, size_t length, uint32_t hash) {
    size_t mask = set->n_slots - 1, i = hash & mask;
    for (;; i = (i + 1) & mask) {
        const struct levels_slot *s = &set->slot[i];
        if (s->number == 0)
            return i;
        const char *candidate = set->text[s->number - 1];
        if (s->hash == hash && strncmp(candidate, text, length) == 0 && candidate[length] == '\0')
            return i;
    }
}

size_t levels_find(const struct levels *set, const char *text, size_t length) {
    if (set->n_slots == 0)
        return LEVELS_NONE;
    uint32_t number = set->slot[find_slot(set, text, length, hash_text(text, length))].number;
    return number ? number - 1 : LEVELS_NONE;
}

static bool make_slots(struct levels *set) {
    size_t n_slots = set->n_slots ? 2 * set->n_slots : 16;
    struct levels_slot *slot = calloc(n_slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < set->n_slots; i++) {
        if (set->slot[i].number == 0)
            continue;
        size_t k = set->slot[i].hash & (n_slots - 1);
        while (slot[k].number)
            k = (k + 1) & (n_slots - 1);
        slot[k] = set->slot[i];
    }
    free(set->slot);
    set->slot = slot;
    set->n_slots = n_slots;
    return true;
}

bool levels_add(struct levels *set, const char *text, size_t length) {
    if (set->n >= UINT32_MAX || (2 * (set->n + 1) > set->n_slots && !make_slots(set)))
        return false;
    char **texts = grown(set->text, &set->capacity, set->n + 1, sizeof *texts);
    if (!texts)
        return false;
    set->text = texts;
    char *copy = malloc(length + 1);
    if (!copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    uint32_t hash = hash_text(text, length);
    struct levels_slot *slot = &set->slot[find_slot(set, text, length, hash)];
    slot->hash = hash;
    set->text[set->n++] = copy;
    slot->number = (uint32_t)set->n;
    return true;
}

void levels_free(struct levels *set) {
    for (size_t i = 0; i < set->n; i++)
        free(set->text[i]);
    free(set->text);
    free(set->slot);
    *set = (struct levels){0};
}
