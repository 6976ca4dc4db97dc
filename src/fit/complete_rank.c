/* The rank of a hierarchical completion, by ratings left out (docs/maths.md, 8.18).
 *
 * The mean field shrinks the more the more components there are, which its free energy does not
 * tell; ratings left out do. A small table has room for few components: any rank may be best there.
 */
#include "fit/complete_levels.h"

#include <math.h>

enum { RANK_SWEEPS = 24, MOST_CANDIDATES = 12, FEW_PARTS = 3 };
/* Fewer are left out in all ten parts. */
enum { VERY_FEW = 10000 };
enum { MOST_SMALL_RANK = 32 };

/* Ranks to try, from the smallest on; none: `rank` it is. */
static size_t candidate_list(size_t n, size_t rank, size_t *list) {
    size_t count = 0, most = rank;
    if (n < GBS_LEAST_TO_RANK || rank == 0 || (n >= GBS_FEW_RATINGS && rank <= GBS_PLENTY))
        return 0;
    if (n < GBS_FEW_RATINGS) {
        static const size_t small[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24};
        most = rank < MOST_SMALL_RANK ? rank : MOST_SMALL_RANK;
        for (; count < sizeof small / sizeof *small && small[count] < most; count++)
            list[count] = small[count];
    } else {
        for (size_t k = GBS_PLENTY; k < most && count < MOST_CANDIDATES - 1; k *= 2)
            list[count++] = k;
    }
    list[count++] = most;
    return count;
}

static size_t parts_of(size_t n) {
    return n < VERY_FEW ? GBS_MOST_PARTS : n < GBS_FEW_RATINGS ? FEW_PARTS : 1;
}

/* Upwards, until two in a row do worse. */
static gbs_status climb(const struct gbs_left_out *l, struct gbs_level_candidate *c) {
    size_t list[MOST_CANDIDATES], worse = 0, n = l->r->learned->n,
                                  count = candidate_list(n, c->rank, list),
                                  sweeps = l->parts > 1 ? l->r->o->max_sweeps : RANK_SWEEPS;
    double best = INFINITY, error[GBS_MOST_PARTS];
    struct gbs_level_candidate next = *c;
    gbs_status status = GBS_OK;
    for (size_t k = 0; k < count && worse < 2 && status == GBS_OK; k++) {
        next.rank = list[k];
        status = gbs_left_out_errors(l, next, sweeps, error);
        if (status != GBS_OK)
            break;
        double mean = gbs_left_out_mean(l->parts, error);
        worse++;
        if (mean < best) {
            best = mean;
            c->rank = next.rank;
            worse = 0;
        }
    }
    return status;
}

gbs_status gbs_completion_choose_rank(const struct gbs_completion_run *r,
                                      struct gbs_level_candidate *c) {
    size_t n = r->learned->n, list[MOST_CANDIDATES];
    struct gbs_left_out l;
    if (candidate_list(n, c->rank, list) == 0)
        return GBS_OK;
    gbs_status status = gbs_left_out_begin(r, parts_of(n), gbs_left_out_of(n), &l);
    if (status == GBS_OK)
        status = climb(&l, c);
    gbs_left_out_end(&l);
    return status;
}
