/* The model of a small table (docs/maths.md, 8.18), where nothing was asked for.
 *
 * Near the edge of what can be found, fits of one table from other starts end in other places, and
 * a tenth of its ratings less may leave a place that all of them have. Fits of the parts then tell
 * which places are lucky, not which of the fits to all is the better one. So each candidate is
 * fitted to all ratings first, and the parts are left out from where it ended: what is held against
 * each other is what would be taken. The candidates: the paper's model; the hierarchical one in its
 * place, without and with positions; and that with a start and a rank of its own. The paper's,
 * which has less to learn, stays unless another wins clearly.
 */
#include "fit/complete_levels.h"

#include <math.h>

/* Standard errors to win by: Student's t of nine degrees of freedom, 1 % above; and where the
 * candidate was the best of some ten ranks on the same parts, a tenth of that. */
#define CLEARLY 2.821
#define MORE_CLEARLY 4.297

/* Ratings of a part that is left out of a table on which nothing is chosen, at least. */
enum { LEAST_OUT = 4 };
enum { PAPER, PLAIN, WITH_POSITIONS, OWN, WAYS };
/* The share of the work that the paper's fit to all ratings takes, which comes first. */
#define PAPER_FIRST 0.03

/* Fits to all ratings, and errors of the same on the parts. */
struct contest {
    const struct gbs_left_out *l;
    const gbs_factors *paper;
    struct gbs_place place[WAYS];
    bool positions[WAYS];
    double error[WAYS][GBS_MOST_PARTS];
    struct gbs_missed missed[WAYS];
};

static gbs_status levels_on(struct contest *t, int way, gbs_ratings *const part[2], double *error) {
    const struct gbs_completion_run *r = t->l->r;
    struct gbs_level_attempt a;
    struct gbs_level_candidate c = {.model = GBS_COMPLETION_HIERARCHICAL,
                                    .rank = t->place[way].rank,
                                    .positions = t->positions[way]};
    gbs_status status = gbs_attempt_begin(r, part[0], c, &t->place[way], &a);
    if (status == GBS_OK)
        status = gbs_attempt_ascend(r, r->o->max_sweeps, &a);
    if (status == GBS_OK)
        status = gbs_levels_miss(&a.f, part[1], &t->missed[way], error);
    gbs_attempt_free(r->ctx, &a);
    return status;
}

static gbs_status paper_on(struct contest *t, gbs_ratings *const part[2], double *error) {
    gbs_factors f;
    gbs_status status = gbs_paper_attempt(t->l->r, part[0], t->l->r->o->rank, t->paper, &f);
    if (status == GBS_OK)
        status = gbs_paper_miss(&f, part[1], &t->missed[PAPER], error);
    if (f.ctx != NULL)
        gbs_factors_free(&f);
    return status;
}

static gbs_status try_way(struct contest *t, int way) {
    gbs_status status = gbs_missed_reserve(t->l->r->ctx, t->l->parts * t->l->out, &t->missed[way]);
    for (size_t p = 0; p < t->l->parts && status == GBS_OK; p++) {
        gbs_ratings *part[2];
        gbs_stretch all = gbs_progress_narrow(t->l->r->ctx, (double)p / (double)t->l->parts,
                                           (double)(p + 1) / (double)t->l->parts);
        status = gbs_left_out_part(t->l, p, part);
        if (status == GBS_OK)
            status = way == PAPER ? paper_on(t, part, &t->error[way][p])
                                  : levels_on(t, way, part, &t->error[way][p]);
        gbs_ratings_free(part[0]);
        gbs_ratings_free(part[1]);
        gbs_progress_widen(t->l->r->ctx, all);
    }
    return status;
}

/* Whether errors of `way` are clearly below those of `other`. */
static bool beats(const struct contest *t, int way, int other, double errors) {
    return gbs_left_out_below(t->l->parts, t->error[other], t->error[way], errors);
}

/* Columns of a fit in units of the ratings, of the context. */
static gbs_status columns_of(const gbs_levels *f, double **columns) {
    const gbs_level_side *side = &f->side[1];
    *columns = gbs_matrix(f->ctx, side->items, f->own);
    if (*columns == NULL)
        return GBS_ERR_MEMORY;
    for (size_t j = 0; j < side->items; j++)
        for (size_t k = 0; k < f->own; k++)
            (*columns)[j * f->own + k] = side->mean[j * f->own + k] *
                                         (k < f->rank ? sqrt(f->scale) : f->scale);
    return GBS_OK;
}

/* The hierarchical model from its own start, of the rank that predicts the parts best; columns in
 * units of the ratings into *columns, of the context. */
static gbs_status fit_own(struct contest *t, struct gbs_level_candidate c,
                          struct gbs_level_attempt *a, double **columns) {
    const struct gbs_completion_run *r = t->l->r;
    gbs_status status = gbs_completion_choose_rank(r, &c);
    if (status == GBS_OK)
        status = gbs_attempt_begin(r, r->learned, c, NULL, a);
    if (status == GBS_OK)
        status = gbs_attempt_ascend(r, r->o->max_sweeps, a);
    if (status != GBS_OK)
        return status;
    status = columns_of(&a->f, columns);
    if (status != GBS_OK)
        return status;
    t->place[OWN] = (struct gbs_place){a->f.rank, *columns};
    t->positions[OWN] = c.positions;
    return GBS_OK;
}

/* The paper's model, unless others beat it clearly; a fit in a place of its own must beat those in
 * the paper's as well. */
static int winner(const struct contest *t) {
    int best = PAPER;
    for (int way = PLAIN; way < WAYS; way++)
        if (beats(t, way, PAPER, way == OWN ? MORE_CLEARLY : CLEARLY) &&
            beats(t, way, best, way == OWN ? MORE_CLEARLY : 0.0))
            best = way;
    return best;
}

/* What is behind when candidate `way` begins, about: each is fitted as often as the others, and the
 * one with a place of its own looks for its rank first. */
static double reached(int way) {
    return PAPER_FIRST + (1.0 - PAPER_FIRST) * way / (WAYS + 1);
}

/* Errors of all candidates; `own` is the one with a place of its own. */
static gbs_status compete(struct contest *t, struct gbs_level_candidate c,
                          struct gbs_level_attempt *own, double **columns) {
    gbs_context *ctx = t->l->r->ctx;
    gbs_status status = GBS_OK;
    t->place[PLAIN] = t->place[WITH_POSITIONS] = (struct gbs_place){t->paper->rank,
                                                                    t->paper->side[1].mean};
    t->positions[WITH_POSITIONS] = true;
    for (int way = PAPER; way < OWN && status == GBS_OK; way++) {
        gbs_stretch all = gbs_progress_narrow(ctx, reached(way), reached(way + 1));
        status = try_way(t, way);
        gbs_progress_widen(ctx, all);
    }
    c.positions = status == GBS_OK && beats(t, WITH_POSITIONS, PLAIN, 0.0);
    gbs_stretch all = gbs_progress_narrow(ctx, reached(OWN), reached(WAYS));
    if (status == GBS_OK)
        status = fit_own(t, c, own, columns);
    gbs_progress_widen(ctx, all);
    all = gbs_progress_narrow(ctx, reached(WAYS), 1.0);
    if (status == GBS_OK)
        status = try_way(t, OWN);
    gbs_progress_widen(ctx, all);
    return status;
}

/* *c becomes what is taken; `a` has begun it, but for the paper's. */
static gbs_status decide(struct contest *t, struct gbs_level_candidate *c,
                         struct gbs_level_attempt *a) {
    const struct gbs_completion_run *r = t->l->r;
    struct gbs_level_attempt own = {0};
    double *columns = NULL;
    gbs_status status = compete(t, *c, &own, &columns);
    int best = status == GBS_OK ? winner(t) : PAPER;
    *c = (struct gbs_level_candidate){
        .model = best == PAPER ? GBS_COMPLETION_PAPER : GBS_COMPLETION_HIERARCHICAL,
        .rank = best == PAPER ? r->o->rank : t->place[best].rank,
        .positions = t->positions[best],
        .inflation = status == GBS_OK ? gbs_missed_inflation(&t->missed[best]) : 0.0};
    if (best == OWN) {
        *a = own;
        own = (struct gbs_level_attempt){0};
    } else if (best != PAPER) {
        status = gbs_attempt_begin(r, r->learned, *c, &t->place[best], a);
    }
    gbs_attempt_free(r->ctx, &own);
    gbs_array_free(r->ctx, columns);
    for (int way = PAPER; way < WAYS; way++)
        gbs_missed_free(r->ctx, &t->missed[way]);
    return status;
}

/* How far the variances of the paper's model can be trusted on ratings that choose nothing. */
static gbs_status trust_paper(const struct gbs_completion_run *r, struct gbs_level_candidate *c) {
    struct gbs_left_out l;
    struct gbs_missed missed;
    double error[GBS_MOST_PARTS];
    size_t out = r->learned->n / GBS_MOST_PARTS;
    if (out < LEAST_OUT)
        return GBS_OK;
    gbs_status status = gbs_left_out_begin(r, GBS_MOST_PARTS, out, &l);
    if (status != GBS_OK)
        return status;
    status = gbs_missed_reserve(r->ctx, l.parts * l.out, &missed);
    if (status == GBS_OK)
        status = gbs_left_out_errors(&l, *c, r->o->max_sweeps, error, &missed);
    if (status == GBS_OK)
        c->inflation = gbs_missed_inflation(&missed);
    gbs_missed_free(r->ctx, &missed);
    gbs_left_out_end(&l);
    return status;
}

gbs_status gbs_completion_choose_small(const struct gbs_completion_run *r,
                                       struct gbs_level_candidate *c, struct gbs_level_attempt *a) {
    gbs_factors paper;
    struct gbs_left_out l;
    if (gbs_completion_crossed(r->learned) < GBS_LEAST_TO_RANK) {
        *c = (struct gbs_level_candidate){.model = GBS_COMPLETION_PAPER, .rank = r->o->rank};
        return trust_paper(r, c);
    }
    gbs_stretch all = gbs_progress_narrow(r->ctx, 0.0, PAPER_FIRST);
    gbs_status status = gbs_paper_attempt(r, r->learned, r->o->rank, NULL, &paper);
    gbs_progress_widen(r->ctx, all);
    if (status == GBS_OK)
        status = gbs_left_out_begin(r, GBS_MOST_PARTS, gbs_left_out_of(r->learned->n), &l);
    if (status == GBS_OK) {
        struct contest t = {.l = &l, .paper = &paper};
        status = decide(&t, c, a);
        gbs_left_out_end(&l);
    }
    if (paper.ctx != NULL)
        gbs_factors_free(&paper);
    return status;
}
