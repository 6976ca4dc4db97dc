/* The rank of a hierarchical completion, and on a small table the model itself, by ratings left
 * out (docs/maths.md, 8.18).
 *
 * The mean field shrinks the more the more components there are, which its free energy does not
 * tell; ratings left out do. A small table has room for few components, and there the paper's
 * model, which has less to learn, is often the better one: it is taken unless the hierarchical one
 * wins clearly.
 */
#include "fit/complete_levels.h"

#include <math.h>

enum { RANK_SWEEPS = 24, MOST_CANDIDATES = 12, MOST_PARTS = 10, FEW_PARTS = 3 };
/* Fewer than the last of these are left out part by part; fewer than the first say nothing of the
 * rank, which has more candidates than the question of positions (complete_levels_choose.c). */
enum { LEAST_TO_RANK = 200, VERY_FEW = 10000, FEW_RATINGS = 20000 };
enum { MOST_SMALL_RANK = 32, PLENTY = 16 };
/* Standard errors, over the parts, that the hierarchical model must win by on a small table. */
#define CLEARLY 2.0

/* Ranks to try, from the smallest on; none: `rank` it is. On a small table any may be best. */
static size_t candidate_list(size_t n, size_t rank, size_t *list) {
    size_t count = 0, most = rank;
    if (n < LEAST_TO_RANK || rank == 0 || (n >= FEW_RATINGS && rank <= PLENTY))
        return 0;
    if (n < FEW_RATINGS) {
        static const size_t small[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24};
        most = rank < MOST_SMALL_RANK ? rank : MOST_SMALL_RANK;
        for (; count < sizeof small / sizeof *small && small[count] < most; count++)
            list[count] = small[count];
    } else {
        for (size_t k = PLENTY; k < most && count < MOST_CANDIDATES - 1; k *= 2)
            list[count++] = k;
    }
    list[count++] = most;
    return count;
}

static size_t parts_of(size_t n) {
    return n < VERY_FEW ? MOST_PARTS : n < FEW_RATINGS ? FEW_PARTS : 1;
}

static double mean_of(const double *x, size_t n) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += x[k];
    return sum / (double)n;
}

/* Whether errors b are below errors a by so many standard errors of the mean difference. */
static bool clearly_below(size_t parts, const double *a, const double *b) {
    double gain = mean_of(a, parts) - mean_of(b, parts), square = 0.0;
    for (size_t p = 0; p < parts; p++) {
        double away = a[p] - b[p] - gain;
        square += away * away / (double)(parts * (parts - 1));
    }
    return gain > CLEARLY * sqrt(square);
}

/* Upwards, until two in a row do worse; the errors of the best into `least`. */
static gbs_status climb(const struct gbs_left_out *l, struct gbs_level_candidate *c,
                        double *least) {
    size_t list[MOST_CANDIDATES], worse = 0, n = l->r->learned->n,
                                  count = candidate_list(n, c->rank, list),
                                  sweeps = l->parts > 1 ? l->r->o->max_sweeps : RANK_SWEEPS;
    double best = INFINITY, error[MOST_PARTS];
    struct gbs_level_candidate next = *c;
    gbs_status status = GBS_OK;
    for (size_t k = 0; k < count && worse < 2 && status == GBS_OK; k++) {
        next.rank = list[k];
        status = gbs_left_out_errors(l, next, sweeps, error);
        double mean = mean_of(error, l->parts);
        worse = mean < best ? 0 : worse + 1;
        if (status != GBS_OK || !(mean < best))
            continue;
        best = mean;
        c->rank = next.rank;
        for (size_t p = 0; p < l->parts; p++)
            least[p] = error[p];
    }
    return count == 0 && status == GBS_OK && l->parts > 1
               ? gbs_left_out_errors(l, *c, sweeps, least)
               : status;
}

/* The paper's model switches components off by itself, from the rank that was asked for. */
static gbs_status try_paper(const struct gbs_left_out *l, const double *least,
                            struct gbs_level_candidate *c) {
    struct gbs_level_candidate paper = {GBS_COMPLETION_PAPER, l->r->o->rank, false};
    double error[MOST_PARTS];
    gbs_status status = gbs_left_out_errors(l, paper, l->r->o->max_sweeps, error);
    if (status == GBS_OK && !clearly_below(l->parts, error, least))
        *c = paper;
    return status;
}

gbs_status gbs_completion_choose_rank(const struct gbs_completion_run *r,
                                      struct gbs_level_candidate *c) {
    size_t n = r->learned->n, parts = parts_of(n), list[MOST_CANDIDATES];
    bool small = n < FEW_RATINGS && gbs_completion_may_be_paper(r);
    if (small && n < LEAST_TO_RANK) {
        *c = (struct gbs_level_candidate){GBS_COMPLETION_PAPER, r->o->rank, false};
        return GBS_OK;
    }
    if (n < LEAST_TO_RANK || (!small && candidate_list(n, c->rank, list) == 0))
        return GBS_OK;
    struct gbs_left_out l;
    double least[MOST_PARTS];
    gbs_status status = gbs_left_out_begin(r, parts, gbs_left_out_of(n), &l);
    if (status == GBS_OK)
        status = climb(&l, c, least);
    if (status == GBS_OK && small)
        status = try_paper(&l, least, c);
    gbs_left_out_end(&l);
    return status;
}
