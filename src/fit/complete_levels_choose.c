/* What the hierarchical model leaves open: whether positions inform it, its rank
 * (complete_rank.c), on a small table (complete_small.c) or with cross-validation the model itself
 * (docs/maths.md, 8.18). Where ratings are many one part left out tells (complete_large.c); else
 *
 * positions: both fits go a few sweeps. Where features of the positions have the lower free energy
 * already they are taken: it charges them for every coefficient, so it errs on the other side. Else
 * ratings left out decide.
 */
#include "fit/complete_levels.h"

#include <math.h>

enum { RACE_SWEEPS = 6, LEFT_OUT_SWEEPS = 12 };
/* Fewer say nothing of what is left out of them, even to one question. */
enum { LEAST_RATINGS = 100 };

/* Whether the paper's model may be taken in place of the hierarchical one: no option asks for what
 * only the hierarchical one has, and there are no features of rows or columns. */
static bool may_be_paper(const struct gbs_completion_run *r) {
    return r->o->choose_model && r->o->positions == GBS_POSITIONS_AUTO &&
           r->o->sampler == GBS_SAMPLER_VB &&
           r->learned->features[0] + r->learned->features[1] == 0;
}

/* ---------------------------------------------------------------- positions */

/* A candidate as it is after the race. */
static gbs_status race(const struct gbs_completion_run *r, struct gbs_level_candidate c,
                       struct gbs_level_attempt *a) {
    gbs_status status = gbs_attempt_begin(r, r->learned, c, NULL, a);
    return status == GBS_OK ? gbs_attempt_ascend(r, RACE_SWEEPS, a) : status;
}

/* Features must win by a standard error of what the parts say. */
static gbs_status ask_of_positions(const struct gbs_completion_run *r,
                                   struct gbs_level_candidate *c) {
    struct gbs_left_out l;
    struct gbs_level_candidate off = *c, on = *c;
    struct gbs_missed missed = {0};
    double error[2][GBS_MOST_PARTS];
    off.positions = false;
    on.positions = true;
    gbs_status status = gbs_left_out_begin(r, GBS_MOST_PARTS, gbs_left_out_of(r->learned->n), &l);
    if (status == GBS_OK)
        status = gbs_missed_reserve(r->ctx, l.parts * l.out, &missed);
    if (status == GBS_OK)
        status = gbs_left_out_errors(&l, off, LEFT_OUT_SWEEPS, error[0], &missed);
    if (status == GBS_OK)
        status = gbs_left_out_errors(&l, on, LEFT_OUT_SWEEPS, error[1], &missed);
    gbs_missed_free(r->ctx, &missed);
    gbs_left_out_end(&l);
    if (status == GBS_OK)
        c->positions = gbs_left_out_below(GBS_MOST_PARTS, error[0], error[1], 1.0);
    return status;
}

/* The better of positions on and off into `best`, some sweeps on its way. The features are most of
 * the memory of a fit: none is kept while others are made, and one that was let go and wins runs
 * again. */
static gbs_status choose_positions(const struct gbs_completion_run *r,
                                   struct gbs_level_candidate *c, struct gbs_level_attempt *best) {
    struct gbs_level_candidate off = *c, on = *c;
    struct gbs_level_attempt with = {0};
    off.positions = false;
    on.positions = true;
    gbs_status status = race(r, on, &with);
    if (status == GBS_OK)
        status = race(r, off, best);
    *c = on;
    if (status == GBS_OK && !(with.ascent.free_energy < best->ascent.free_energy)) {
        gbs_attempt_free(r->ctx, &with);
        status = ask_of_positions(r, c);
        if (status == GBS_OK && c->positions) {
            gbs_attempt_free(r->ctx, best);
            return race(r, on, best);
        }
    }
    if (c->positions) {
        gbs_attempt_free(r->ctx, best);
        *best = with;
    } else {
        gbs_attempt_free(r->ctx, &with);
    }
    return status;
}

/* ---------------------------------------------------------------- cross-validation */

/* Root mean square over the folds; its standard error by the delta method. */
static void score(const double *error, size_t folds, gbs_noise_choice *choice) {
    double mean = gbs_left_out_mean(folds, error), square = 0.0, count = (double)folds;
    for (size_t k = 0; k < folds; k++)
        square += (error[k] - mean) * (error[k] - mean);
    choice->rmse = sqrt(mean);
    choice->rmse_se = mean > 0.0 ? sqrt(square / (count * (count - 1.0))) / (2.0 * choice->rmse)
                                 : 0.0;
}

/* A quarter, a half, one and two times the rank; the paper's model of the last where models are
 * compared. */
static gbs_status choose_by_folds(struct gbs_completion_run *r, struct gbs_level_candidate *c) {
    size_t folds = r->o->folds, n = r->learned->n, rank = c->rank, best = 0;
    struct gbs_level_candidate list[5] = {0};
    if (n < folds)
        return gbs_fail(r->ctx, GBS_ERR_DATA,
                        "%zu folds need at least as many ratings; there are %zu to choose from",
                        folds, n);
    for (size_t k = rank < 4 ? 1 : rank / 4; k <= 2 * rank && r->n_choices < 4; k *= 2)
        list[r->n_choices++] = (struct gbs_level_candidate){
            .model = GBS_COMPLETION_HIERARCHICAL,
            .rank = k < GBS_COMPLETION_MOST_RANK ? k : GBS_COMPLETION_MOST_RANK,
            .positions = c->positions};
    if (r->n_choices == 0)
        list[r->n_choices++] = *c;
    if (r->o->choose_model) {
        list[r->n_choices] = list[r->n_choices - 1];
        list[r->n_choices++].model = GBS_COMPLETION_PAPER;
    }
    struct gbs_left_out l = {.r = r};
    struct gbs_missed missed[2] = {0}; /* the best one's, and the next one's */
    double *error = gbs_doubles(r->ctx, folds);
    r->choices = gbs_array_alloc(r->ctx, r->n_choices, sizeof *r->choices);
    gbs_status status = error != NULL && r->choices != NULL
                            ? gbs_left_out_begin(r, folds, n / folds, &l)
                            : GBS_ERR_MEMORY;
    for (int k = 0; k < 2 && status == GBS_OK; k++)
        status = gbs_missed_reserve(r->ctx, l.parts * l.out, &missed[k]);
    for (size_t k = 0; k < r->n_choices && status == GBS_OK; k++) {
        gbs_stretch all = gbs_progress_narrow(r->ctx, (double)k / (double)r->n_choices,
                                           (double)(k + 1) / (double)r->n_choices);
        status = gbs_left_out_errors(&l, list[k], r->o->max_sweeps, error, &missed[1]);
        gbs_progress_widen(r->ctx, all);
        r->choices[k] = (gbs_noise_choice){.learned = 1,
                                           .model = list[k].model,
                                           .rank = list[k].rank,
                                           .noise_variance = NAN,
                                           .lambda = NAN,
                                           .effective_rank = (double)list[k].rank};
        score(error, folds, &r->choices[k]);
        best = r->choices[k].rmse < r->choices[best].rmse ? k : best;
        if (best == k)
            gbs_missed_swap(&missed[0], &missed[1]);
    }
    gbs_left_out_end(&l);
    gbs_array_free(r->ctx, error);
    if (status == GBS_OK) {
        r->choices[best].taken = 1;
        *c = list[best];
        c->inflation = gbs_missed_inflation(&missed[0]);
    }
    gbs_missed_free(r->ctx, &missed[0]);
    gbs_missed_free(r->ctx, &missed[1]);
    return status;
}

gbs_status gbs_completion_choose_levels(struct gbs_completion_run *r, struct gbs_level_candidate *c,
                                        struct gbs_level_attempt *a) {
    size_t asked = c->rank, most = r->learned->by[0].items < r->learned->by[1].items
                                       ? r->learned->by[0].items
                                       : r->learned->by[1].items;
    bool automatic = r->o->positions == GBS_POSITIONS_AUTO && r->learned->n >= LEAST_RATINGS;
    gbs_status status = GBS_OK;
    if (r->learned->n < GBS_FEW_RATINGS && !r->o->cross_validate && may_be_paper(r)) {
        c->rank = asked < most ? asked : most;
        return gbs_completion_choose_small(r, c, a);
    }
    if (r->learned->n >= GBS_FEW_RATINGS && !r->o->cross_validate) {
        c->rank = asked < most ? asked : most;
        return gbs_completion_choose_large(r, c, a);
    }
    c->rank = asked < GBS_PLENTY ? asked : GBS_PLENTY;
    c->rank = c->rank < most ? c->rank : most;
    if (automatic)
        status = choose_positions(r, c, a);
    size_t raced = automatic ? c->rank : SIZE_MAX;
    c->rank = asked < most ? asked : most;
    if (status == GBS_OK)
        status = r->o->cross_validate ? choose_by_folds(r, c) : gbs_completion_choose_rank(r, c);
    if (raced != SIZE_MAX && (c->rank != raced || c->model == GBS_COMPLETION_PAPER))
        gbs_attempt_free(r->ctx, a);
    return status;
}
