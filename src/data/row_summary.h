/* What the rows of a file tell by their hashes, in one pass: which rows they are, in which order
 * they come, and whether that order can be taken for random (docs/maths.md, 11.2). */
#ifndef GIBBSITE_DATA_TOLD_H
#define GIBBSITE_DATA_TOLD_H

#include "core/context.h"
#include "data/hash.h"
#include "data/kinds.h"

typedef struct gbs_row_summary {
    gbs_hash hash;     /* of the rows, in whatever order they come */
    gbs_hash in_order; /* of the rows as they come */
    bool sorted;       /* few kinds of rows, and not in random order (kinds.h); of groups of rows,
                          where there are some */
} gbs_row_summary;

typedef struct gbs_row_tally {
    gbs_context *ctx;
    uint64_t n;
    gbs_hash_sum set, placed;
    gbs_kinds kinds;
    const uint32_t *group; /* of each row, numbered in order of first appearance; NULL: no groups */
    gbs_hash *of_group;    /* sum of its rows */
    bool *met;             /* rows of weight 0 may have been all of a group */
    size_t groups;
} gbs_row_tally;

gbs_status gbs_row_tally_begin(gbs_context *ctx, const uint32_t *group, size_t groups,
                               gbs_row_tally *out);
/* The next row: its cells, added up, and its label. */
void gbs_row_tally_add(gbs_row_tally *tally, gbs_hash cells, double label);
/* Frees what it holds; after a failed beginning too. */
void gbs_row_tally_end(gbs_row_tally *tally, gbs_row_summary *out);

#endif
