/* Few kinds of rows, in an order that is not random. */
#ifndef GIBBSITE_DATA_KINDS_H
#define GIBBSITE_DATA_KINDS_H

#include "data/hash.h"

#include <stdbool.h>

/* With more kinds than these a file is never one of few (kinds.c). */
enum { GBS_FEW_KINDS = 12 };

/* Rows counted by kind, one after the other: equal rows, labels included, are of one kind. */
typedef struct gbs_kinds {
    size_t n, kinds, last; /* last: the kind of the row before */
    bool many;             /* there are more kinds: nothing is counted any more */
    gbs_hash kind[GBS_FEW_KINDS];
    size_t count[GBS_FEW_KINDS], runs[GBS_FEW_KINDS]; /* rows; stretches of neighbours */
} gbs_kinds;

void gbs_kinds_add(gbs_kinds *k, gbs_hash row);

/* The logarithm of how many different tables of so many rows are as likely as this one, about;
 * INFINITY where there are many kinds. */
double gbs_kinds_tables(const gbs_kinds *k);

/* P(R <= runs) and P(R >= runs), the smaller one, R the stretches of neighbours that `count` of n
 * rows make in random order. */
double gbs_runs_tail(size_t n, size_t count, size_t runs);

/* There are too few tables for the hash of a table to stand for chance, and the rows are not in an
 * order that chance would give. In random order that is said of one file in 1,000 at most. */
bool gbs_kinds_sorted(const gbs_kinds *k);

#endif
