/* Where the rows of a data handle came from, when a table made them: what a fit must know of how
 * the columns were made, and who gives the memory back. */
#ifndef GIBBSITE_DATA_SOURCE_H
#define GIBBSITE_DATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gbs_source {
    void (*release)(struct gbs_source *source);
    const struct gbs_recipe *recipe; /* how the columns were made */
    /* what the k-th of them is called */
    void (*name)(const struct gbs_recipe *recipe, size_t k, char *name, size_t room);
    /* where a row of the table stands: "line 6" */
    void (*place)(const struct gbs_source *source, size_t row, char *text, size_t room);
    /* What the columns are was learned from rows of this very data: from the first `rows` of the
     * order that `seed` gives (gbs_data_order_seed, task/parts.h). All of them: from every row.
     * `fills`: so was what stands in for missing cells. */
    bool learned, fills;
    /* or from the very rows that the caller named (data->learned) */
    bool by_split;
    uint64_t seed;
    size_t rows;
    size_t left_out;       /* rows of the table that have a missing cell and are not here */
    size_t absent;         /* and those of weight 0 */
    size_t units;          /* the same in groups, where rows are in groups */
    bool grouped, in_time; /* what else that order went by */
} gbs_source;

#endif
