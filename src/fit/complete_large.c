/* What the hierarchical model leaves open on a table that is not small (docs/maths.md, 8.18), from
 * one part of the ratings that is left out.
 *
 * positions: fits to the rest with and without features of them go a few sweeps. Features are taken
 * where their free energy is lower already (it charges them for every coefficient, so it errs on
 * the other side), or their errors on the part by a standard error. The one that was taken goes on
 * until it stops; so do larger ranks, while errors fall. What the best one expected of the part and
 * what it found tell how far to trust its variances. Where ratings are as many as the numbers of
 * the items the fit to all of them goes on from there; where they are fewer it might end in another
 * place, and has a start of its own. Sweeps are many there, and on some tables the last half of
 * them gains nothing: the part is looked at every few sweeps, a fit stops where its error falls no
 * more, and the fit to all ratings where F falls as slowly as it did then.
 */
#include "fit/complete_levels.h"

#include <math.h>

/* Sweeps after which positions are judged: the sign of what they gain does not change later. */
enum { RACE_SWEEPS = 4 };
#define RACE_SHARE 0.1 /* of the bar */
/* Sweeps between two looks at the part, and the share of its error that they must gain. */
enum { LOOK_SWEEPS = 4 };
#define LEAST_GAIN 1e-3

/* A fit to the rest, and what it makes of the part. */
struct tried {
    struct gbs_level_candidate c;
    struct gbs_level_attempt a;
    struct gbs_missed missed;
    double error;
};

struct trial {
    const struct gbs_completion_run *r;
    gbs_ratings *part[2]; /* the rest, and the part */
    struct tried best, next;
};

static gbs_status leave_out(struct trial *t) {
    struct gbs_left_out l;
    size_t out = gbs_left_out_of(t->r->learned->n);
    gbs_status status = gbs_left_out_begin(t->r, 1, out, &l);
    if (status == GBS_OK)
        status = gbs_left_out_part(&l, 0, t->part);
    gbs_left_out_end(&l);
    if (status == GBS_OK)
        status = gbs_missed_reserve(t->r->ctx, out, &t->best.missed);
    return status == GBS_OK ? gbs_missed_reserve(t->r->ctx, out, &t->next.missed) : status;
}

/* Up to so many sweeps in all. */
static gbs_status ascend(const struct trial *t, size_t sweeps, struct tried *x) {
    gbs_status status = x->a.f.ctx == NULL ? gbs_attempt_begin(t->r, t->part[0], x->c, NULL, &x->a)
                                           : GBS_OK;
    return status == GBS_OK ? gbs_attempt_ascend(t->r, sweeps, &x->a) : status;
}

static gbs_status miss(const struct trial *t, struct tried *x) {
    x->missed.n = 0;
    return gbs_levels_miss(&x->a.f, t->part[1], &x->missed, &x->error);
}

static gbs_status go_on(const struct trial *t, size_t sweeps, struct tried *x) {
    gbs_status status = ascend(t, sweeps, x);
    return status == GBS_OK ? miss(t, x) : status;
}

/* As many ratings as numbers of the items. */
static bool is_plenty(const gbs_ratings *r, size_t own) {
    return (double)r->n >= (double)(r->by[0].items + r->by[1].items) * (double)own;
}

/* The bar: each candidate that goes far has half of what is left of it, for nobody knows how many
 * there will be. */
static gbs_stretch turn_of(const struct trial *t, int candidate) {
    return gbs_progress_narrow(t->r->ctx, 1.0 - ldexp(1.0, -candidate),
                               1.0 - ldexp(1.0, -candidate - 1));
}

/* Until it stops, or the part gains no more. */
static gbs_status go_far(const struct trial *t, struct tried *x) {
    const gbs_complete_settings *o = t->r->o;
    if (o->tolerance > 0.0 || is_plenty(t->r->learned, x->c.rank + 1))
        return go_on(t, o->max_sweeps, x);
    gbs_status status = GBS_OK;
    double error = INFINITY, before = INFINITY, fall = INFINITY;
    bool gains = true;
    while (status == GBS_OK && gains && !x->a.ascent.converged &&
           x->a.ascent.sweeps < o->max_sweeps) {
        status = ascend(t, x->a.ascent.sweeps + LOOK_SWEEPS, x);
        if (status != GBS_OK)
            break;
        before = error;
        error = gbs_levels_error(&x->a.f, t->part[1]);
        fall = x->a.f.fall / (double)t->part[0]->n;
        gains = fall > 2.0 * GBS_MOST_TOLERANCE || error < (1.0 - LEAST_GAIN) * before;
    }
    x->c.tolerance = gains ? 0.0 : fall;
    return status == GBS_OK ? miss(t, x) : status;
}

static void take_next(struct trial *t) {
    struct tried kept = t->best;
    t->best = t->next;
    t->next = kept;
}

static void drop_next(struct trial *t) {
    gbs_attempt_free(t->r->ctx, &t->next.a);
}

/* t->best: without positions or with. */
static gbs_status race(struct trial *t) {
    t->next.c = t->best.c;
    t->best.c.positions = false;
    t->next.c.positions = true;
    gbs_status status = go_on(t, RACE_SWEEPS, &t->next);
    if (status == GBS_OK)
        status = go_on(t, RACE_SWEEPS, &t->best);
    if (status == GBS_OK && (t->next.a.ascent.free_energy < t->best.a.ascent.free_energy ||
                             gbs_missed_less(&t->next.missed, &t->best.missed, 1.0)))
        take_next(t);
    drop_next(t);
    return status;
}

/* Ranks above that of t->best, until two in a row do worse. */
static gbs_status climb(struct trial *t, size_t most) {
    size_t list[GBS_MOST_RANKS], worse = 0,
                                 count = gbs_completion_rank_list(t->r->learned->n, most, list);
    int candidate = 1;
    gbs_status status = GBS_OK;
    for (size_t k = 0; k < count && worse < 2 && status == GBS_OK; k++) {
        if (list[k] <= t->best.c.rank)
            continue;
        t->next.c = t->best.c;
        t->next.c.rank = list[k];
        gbs_stretch all = turn_of(t, candidate++);
        status = go_far(t, &t->next);
        gbs_progress_widen(t->r->ctx, all);
        worse++;
        if (status == GBS_OK && t->next.error < t->best.error) {
            take_next(t);
            worse = 0;
        }
        drop_next(t);
    }
    return status;
}

static gbs_status compare(struct trial *t, size_t most) {
    gbs_status status = leave_out(t);
    bool automatic = t->r->o->positions == GBS_POSITIONS_AUTO;
    t->best.c.rank = most < GBS_PLENTY ? most : GBS_PLENTY;
    gbs_stretch all = gbs_progress_narrow(t->r->ctx, 0.0, RACE_SHARE);
    if (status == GBS_OK && automatic)
        status = race(t);
    gbs_progress_widen(t->r->ctx, all);
    all = turn_of(t, 0);
    if (status == GBS_OK)
        status = go_far(t, &t->best);
    gbs_progress_widen(t->r->ctx, all);
    return status == GBS_OK ? climb(t, most) : status;
}

gbs_status gbs_completion_choose_large(const struct gbs_completion_run *r,
                                       struct gbs_level_candidate *c, struct gbs_level_attempt *a) {
    struct trial t = {.r = r, .best.c = *c};
    gbs_status status = compare(&t, c->rank);
    if (status == GBS_OK) {
        *c = t.best.c;
        c->inflation = gbs_missed_inflation(&t.best.missed);
        if (is_plenty(r->learned, t.best.a.f.own))
            status = gbs_attempt_continue(r, &t.best.a, *c, a);
    }
    gbs_attempt_free(r->ctx, &t.best.a);
    gbs_attempt_free(r->ctx, &t.next.a); /* where an error left it */
    gbs_missed_free(r->ctx, &t.best.missed);
    gbs_missed_free(r->ctx, &t.next.missed);
    gbs_ratings_free(t.part[0]);
    gbs_ratings_free(t.part[1]);
    return status;
}
