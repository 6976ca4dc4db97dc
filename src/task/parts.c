/* The first part of the split of docs/maths.md, 6.4.
 *
 * Its default share. What is learned from h n rows errs more than what n rows would teach by
 * something like d/(h n); what is certified on the others is off by something like 1/sqrt((1-h) n).
 * So the first part should be larger where there are few rows a coefficient. Under the progressive
 * bound, whose later stages go on learning, h = 1/4 + (7/2) d/n within 3/10 and 1/2 served the data
 * sets tried best (docs/certificates.md); of a single split the task says the share. d may itself
 * be known from the first 3/10 of the rows alone (levels of text columns): the part is then
 * lengthened by what its own beginning says, which is as good as fixed.
 */
#include "task/parts.h"

#include "core/random.h"
#include "task/task.h"

#include <math.h>

#define LEAST_SHARE 0.3
#define BASE_SHARE 0.25
#define SHARE_PER_COLUMN 3.5
#define MOST_SHARE 0.5
/* Rows that a deployed predictor learns from. */
#define LEARN_SHARE (2.0 / 3.0)

bool gbs_is_deployed(const gbs_fit_settings *o) {
    return o->prior == GBS_PRIOR_INFORMED && gbs_fit_task(o)->deploys(o) &&
           (o->bound == GBS_BOUND_VOTE || (o->bound == GBS_BOUND_AUTO && o->blocks == 0));
}

bool gbs_is_progressive(const gbs_fit_settings *o) {
    if (!gbs_has(gbs_fit_task(o), GBS_FACT_STAGES))
        return false;
    return o->bound == GBS_BOUND_PROGRESSIVE ||
           (o->bound == GBS_BOUND_AUTO && o->prior == GBS_PRIOR_INFORMED && o->blocks > 0);
}

bool gbs_has_first_part(const gbs_fit_settings *o) {
    return o->prior == GBS_PRIOR_INFORMED || gbs_is_progressive(o);
}

/* Rows in the first part, at least 1 and leaving at least 1. */
static size_t part_of(size_t n, double share) {
    double rows = floor(share * (double)n + 0.5);
    return rows < 1.0 ? 1 : rows > (double)n - 1.0 ? n - 1 : (size_t)rows;
}

size_t gbs_least_part(size_t n, const gbs_fit_settings *o) {
    double share = o->prior_split > 0.0    ? o->prior_split
                   : gbs_is_deployed(o)    ? LEARN_SHARE
                   : gbs_is_progressive(o) ? LEAST_SHARE
                                           : gbs_fit_task(o)->first_share(n);
    return part_of(n, share);
}

size_t gbs_first_part(size_t n, size_t d, const gbs_fit_settings *o) {
    if (o->prior_split > 0.0 || !gbs_is_progressive(o))
        return gbs_least_part(n, o);
    return part_of(n, fmin(MOST_SHARE, fmax(LEAST_SHARE, BASE_SHARE + SHARE_PER_COLUMN * (double)d /
                                                                          (double)n)));
}

size_t gbs_certified_rows(size_t n, const gbs_fit_settings *o) {
    return o->prior == GBS_PRIOR_INFORMED ? n - gbs_least_part(n, o) : n;
}

void gbs_split_order(uint64_t seed, size_t n, size_t *order) {
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    gbs_shuffle(seed, GBS_STREAM_SPLIT, n, order);
}
