/* Which rows the options set aside before the others are looked at: the order of the rows, and how
 * many of them make the first part. Both are known before a row is read.
 */
#ifndef GIBBSITE_TASK_PARTS_H
#define GIBBSITE_TASK_PARTS_H

#include "core/context.h"
#include "options/settings.h"

/* The options ask for one predictor that is tested on a last block. */
bool gbs_is_deployed(const gbs_fit_settings *o);
/* The options ask for several stages. */
bool gbs_is_progressive(const gbs_fit_settings *o);
/* There is a first part. */
bool gbs_has_first_part(const gbs_fit_settings *o);

/* Rows of the first part, of n: at least, and with d coefficients. */
size_t gbs_least_part(size_t n, const gbs_fit_settings *o);
size_t gbs_first_part(size_t n, size_t d, const gbs_fit_settings *o);

/* Rows that a single posterior is certified on. */
size_t gbs_certified_rows(size_t n, const gbs_fit_settings *o);

/* What an order of rows goes by. */
typedef struct gbs_ordering {
    size_t n;
    uint64_t seed;
    const uint32_t *group; /* rows of one group come one after the other; NULL: no groups */
    size_t groups;         /* above any number of a group */
    bool in_time;          /* as they are in the file, groups by their first row; no seed */
} gbs_ordering;

/* The numbers 0 .. n - 1 in that order; *units: groups that there are, without groups n. */
gbs_status gbs_order_rows(gbs_context *ctx, const gbs_ordering *by, size_t *order, size_t *units);
/* How many rows the first `units` of an order have. */
size_t gbs_order_border(const gbs_ordering *by, const size_t *order, size_t units);

#endif
