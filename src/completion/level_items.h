/* The items of a half sweep of the hierarchical model, one or eight at a time. */
#ifndef GIBBSITE_COMPLETION_LEVEL_ITEMS_H
#define GIBBSITE_COMPLETION_LEVEL_ITEMS_H

#include "completion/hierarchical.h"
#include "kernel/eight.h"

/* What a block of items adds up, `to` below: the triangles of the sums of S and of omega mm', then
 * these. */
enum { GBS_LEVEL_LOG_DET, GBS_LEVEL_ERROR };

/* Places of the sums over an item's ratings (level_records.c). */
struct gbs_level_sums {
    double *pairs, *offset, *single, *weighted;
};

struct gbs_level_sums gbs_level_sum_item(const gbs_levels *f, int side, size_t i, double *sum);
/* tau of row i, gap: (m - c)'E Lambda (m - c). */
void gbs_level_update_scale(gbs_levels *f, size_t i, double err, double gap);
/* One item's best law, or a draw; false: its precision is not positive definite. */
bool gbs_level_update_item(gbs_levels *f, int side, size_t i, double *scratch, double *to);

/* Whether eight go at a time: in the mean field, of ranks whose matrices stay in the cache. */
bool gbs_level_side_by_side(const gbs_levels *f);
/* Numbers of scratch space that they need behind two records. */
size_t gbs_level_eight_room(size_t own);
/* Before the first of a block; items i .. i + count - 1, up to eight; after the last. */
void gbs_level_eight_begin(const gbs_levels *f, double *scratch);
bool gbs_level_update_eight(gbs_levels *f, int side, size_t i, size_t count, double *scratch,
                            double *to);
void gbs_level_eight_end(const gbs_levels *f, double *scratch, double *to);

#endif
