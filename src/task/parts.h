/* Which rows the options set aside before the others are looked at: the order of the rows, and how
 * many of them make the first part. Both are known before a row is read.
 */
#ifndef GIBBSITE_TASK_PARTS_H
#define GIBBSITE_TASK_PARTS_H

#include "options/settings.h"

#include <stdbool.h>

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

/* The numbers 0 .. n - 1 in the order that the seed gives. */
void gbs_split_order(uint64_t seed, size_t n, size_t *order);

#endif
