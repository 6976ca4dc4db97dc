/* The rank of a hierarchical completion, by ratings left out (docs/maths.md, 8.18).
 *
 * The mean field shrinks the more the more components there are, which its free energy does not
 * tell; ratings left out do. A small table has room for few components: any rank may be best there.
 */
#include "fit/complete_levels.h"

#include <math.h>

enum { FEW_PARTS = 3 };
/* Fewer are left out in all ten parts. */
enum { VERY_FEW = 10000 };
enum { MOST_SMALL_RANK = 32 };

size_t gbs_completion_rank_list(size_t n, size_t rank, size_t *list) {
    size_t count = 0, most = rank;
    if (n < GBS_LEAST_TO_RANK || rank == 0 || (n >= GBS_FEW_RATINGS && rank <= GBS_PLENTY))
        return 0;
    if (n < GBS_FEW_RATINGS) {
        static const size_t small[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24};
        most = rank < MOST_SMALL_RANK ? rank : MOST_SMALL_RANK;
        for (; count < sizeof small / sizeof *small && small[count] < most; count++)
            list[count] = small[count];
    } else {
        for (size_t k = GBS_PLENTY; k < most && count < GBS_MOST_RANKS - 1; k *= 2)
            list[count++] = k;
    }
    list[count++] = most;
    return count;
}

size_t gbs_completion_crossed(const gbs_ratings *ratings) {
    const gbs_rating_list *rows = &ratings->by[0], *columns = &ratings->by[1];
    size_t count = 0;
    for (size_t i = 0; i < rows->items; i++)
        for (size_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            size_t j = rows->other[e];
            count += rows->start[i + 1] - rows->start[i] > 1 &&
                     columns->start[j + 1] - columns->start[j] > 1;
        }
    return count;
}

static size_t parts_of(size_t n) {
    return n < VERY_FEW ? GBS_MOST_PARTS : FEW_PARTS;
}

/* Upwards, until two in a row do worse; missed: the best one's, and room for the next. */
static gbs_status climb(const struct gbs_left_out *l, struct gbs_level_candidate *c,
                        struct gbs_missed missed[2]) {
    size_t list[GBS_MOST_RANKS], worse = 0, n = l->r->learned->n,
                                 count = gbs_completion_rank_list(n, c->rank, list);
    double best = INFINITY, error[GBS_MOST_PARTS];
    if (count > 0 && list[0] == 0 && gbs_completion_crossed(l->r->learned) == 0)
        count = 1; /* no part would tell any other rank from none */
    struct gbs_level_candidate next = *c;
    gbs_status status = GBS_OK;
    for (size_t k = 0; k < count && worse < 2 && status == GBS_OK; k++) {
        next.rank = list[k];
        gbs_stretch all = gbs_progress_narrow(l->r->ctx, (double)k / (double)count,
                                           (double)(k + 1) / (double)count);
        status = gbs_left_out_errors(l, next, l->r->o->max_sweeps, error, &missed[1]);
        gbs_progress_widen(l->r->ctx, all);
        if (status != GBS_OK)
            break;
        double mean = gbs_left_out_mean(l->parts, error);
        worse++;
        if (mean < best) {
            best = mean;
            c->rank = next.rank;
            gbs_missed_swap(&missed[0], &missed[1]);
            worse = 0;
        }
    }
    return status;
}

gbs_status gbs_completion_choose_rank(const struct gbs_completion_run *r,
                                      struct gbs_level_candidate *c) {
    size_t n = r->learned->n, list[GBS_MOST_RANKS];
    struct gbs_left_out l;
    struct gbs_missed missed[2] = {0};
    if (gbs_completion_rank_list(n, c->rank, list) == 0)
        return GBS_OK;
    gbs_status status = gbs_left_out_begin(r, parts_of(n), gbs_left_out_of(n), &l);
    for (int k = 0; k < 2 && status == GBS_OK; k++)
        status = gbs_missed_reserve(r->ctx, l.parts * l.out, &missed[k]);
    if (status == GBS_OK)
        status = climb(&l, c, missed);
    if (status == GBS_OK)
        c->inflation = gbs_missed_inflation(&missed[0]);
    gbs_missed_free(r->ctx, &missed[0]);
    gbs_missed_free(r->ctx, &missed[1]);
    gbs_left_out_end(&l);
    return status;
}
