/* The different texts of a column, numbered in order of first appearance: a hash table, since every
 * cell asks. */
#ifndef GIBBSITE_CLI_TABLE_LEVELS_H
#define GIBBSITE_CLI_TABLE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct levels {
    char **text;
    size_t n, capacity;
    struct levels_slot *slot;
    size_t n_slots; /* a power of two, or 0 before the first text */
};

#define LEVELS_NONE SIZE_MAX

/* text holds no '\0'. */
size_t levels_find(const struct levels *set, const char *text, size_t length);

/* Adds a text that is not there yet; its number is the former n. False: no memory, nothing changed.
 */
bool levels_add(struct levels *set, const char *text, size_t length);

void levels_free(struct levels *set);

#endif
