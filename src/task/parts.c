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

#define BASE_SHARE 0.25
#define SHARE_PER_COLUMN 3.5
/* Rows that a deployed predictor learns from. */
#define LEARN_SHARE ((double)GBS_LEARN_PARTS / (double)GBS_LEARN_OF)

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
                   : gbs_is_progressive(o) ? GBS_STAGED_LEAST_SHARE
                                           : gbs_fit_task(o)->first_share(n);
    return part_of(n, share);
}

size_t gbs_first_part(size_t n, size_t d, const gbs_fit_settings *o) {
    if (o->prior_split > 0.0 || !gbs_is_progressive(o))
        return gbs_least_part(n, o);
    return part_of(n, fmin(GBS_STAGED_MOST_SHARE,
                           fmax(GBS_STAGED_LEAST_SHARE,
                                BASE_SHARE + SHARE_PER_COLUMN * (double)d / (double)n)));
}

size_t gbs_certified_rows(size_t n, const gbs_fit_settings *o) {
    return o->prior == GBS_PRIOR_INFORMED ? n - gbs_least_part(n, o) : n;
}

static void permute(const gbs_ordering *by, size_t n, size_t *order) {
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    if (!by->in_time)
        gbs_shuffle(by->seed, GBS_STREAM_SPLIT, n, order);
}

/* Groups in the order of their first rows are permuted; rows of one stay as they are. */
gbs_status gbs_order_rows(gbs_context *ctx, const gbs_ordering *by, size_t *order, size_t *units) {
    size_t n = by->n, count = 0, end = 0;
    *units = n;
    if (by->group == NULL) {
        permute(by, n, order);
        return GBS_OK;
    }
    /* of each group, by its number: one more than its place; of each place: its rows, then where
     * they go; the places in their new order */
    size_t *place = gbs_array_alloc(ctx, 3 * by->groups, sizeof *place);
    if (place == NULL)
        return GBS_ERR_MEMORY;
    size_t *size = place + by->groups, *turn = size + by->groups;
    for (size_t i = 0; i < n; i++) {
        size_t *at = &place[by->group[i]];
        if (*at == 0)
            *at = ++count;
        size[*at - 1]++;
    }
    permute(by, count, turn);
    for (size_t k = 0; k < count; k++) {
        size_t rows = size[turn[k]];
        size[turn[k]] = end;
        end += rows;
    }
    for (size_t i = 0; i < n; i++)
        order[size[place[by->group[i]] - 1]++] = i;
    gbs_array_free(ctx, place);
    *units = count;
    return GBS_OK;
}

size_t gbs_order_border(const gbs_ordering *by, const size_t *order, size_t units) {
    if (by->group == NULL)
        return units;
    for (size_t i = 0; i < by->n; i++)
        if ((i == 0 || by->group[order[i]] != by->group[order[i - 1]]) && units-- == 0)
            return i;
    return by->n;
}
