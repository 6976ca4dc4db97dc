/* The hierarchical model fitted, start to stop; whether positions inform it, and on small tables its
 * rank (docs/maths.md, 8.18).
 *
 * auto: both fits go a few sweeps. Where features of the positions have the lower free energy
 * already they are taken: it charges them for every coefficient, so it errs on the other side.
 * Else both are fitted to nine tenths of the ratings, and the smaller squared error on the others
 * decides.
 */
#include "completion/level_ascent.h"
#include "completion/positions.h"
#include "core/random.h"
#include "fit/complete.h"

#include <math.h>

enum { RACE_SWEEPS = 6, LEFT_OUT_SWEEPS = 12, MOST_LEFT_OUT = 100000 };
/* Fewer say nothing of what is left out of them; so few can be left out tenth by tenth. */
enum { LEAST_RATINGS = 100, FEW_RATINGS = 20000 };
enum { MOST_CANDIDATES = 10 };
/* Items of the smaller side, for each coordinate, from which a rank is taken as it is. */
enum { ITEMS_A_COMPONENT = 8, MOST_SMALL_RANK = 32 };

/* Where the ascent stops, in nats a rating: small sets, whose sweeps cost little, go further. */
#define LEAST_TOLERANCE 5e-5
#define MOST_TOLERANCE 2e-4
#define MANY_RATINGS 1e6

/* What is chosen. */
struct candidate {
    size_t rank;
    bool positions;
};

struct attempt {
    double *phi[2];
    size_t features[2];
    gbs_levels f;
    gbs_ascent ascent;
    gbs_trace trace;
};

static void free_attempt(const gbs_context *ctx, struct attempt *a) {
    if (a->f.ctx != NULL)
        gbs_levels_free(&a->f);
    gbs_array_free(ctx, a->phi[0]);
    gbs_array_free(ctx, a->phi[1]);
    gbs_trace_free(ctx, &a->trace);
    *a = (struct attempt){0};
}

static gbs_status begin(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                        struct candidate c, struct attempt *a) {
    *a = (struct attempt){0};
    gbs_status status = gbs_position_features(r->ctx, ratings, c.positions,
                                              GBS_STREAM_COMPLETION + GBS_COMPLETION_POSITIONS,
                                              a->phi, a->features);
    if (status == GBS_OK)
        status = gbs_levels_create(r->ctx, ratings, c.rank, a->phi, a->features, true, &a->f);
    if (status == GBS_OK)
        status = gbs_levels_start(&a->f, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPECTRUM);
    return status;
}

static gbs_status ascend(const struct gbs_completion_run *r, size_t sweeps, struct attempt *a) {
    double n = (double)r->learned->n, chosen = MOST_TOLERANCE * sqrt(n / MANY_RATINGS);
    chosen = fmin(MOST_TOLERANCE, fmax(LEAST_TOLERANCE, chosen));
    gbs_level_options o = {.most_sweeps = sweeps < r->o->max_sweeps ? sweeps : r->o->max_sweeps,
                           .tolerance = r->o->tolerance > 0.0 ? r->o->tolerance : chosen,
                           .stage = "completing",
                           .trace = &a->trace};
    return gbs_levels_ascend(&a->f, &o, &a->ascent);
}

/* ---------------------------------------------------------------- ratings left out */

static double squared_error(const gbs_levels *f, const gbs_ratings *test) {
    const gbs_rating_list *l = &test->by[0];
    double sum = 0.0;
    for (size_t i = 0; i < l->items; i++)
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            const double *x = f->side[0].mean + i * f->own,
                         *z = f->side[1].mean + l->other[e] * f->own;
            double p = x[f->rank] + z[f->rank];
            for (size_t k = 0; k < f->rank; k++)
                p += x[k] * z[k];
            double off = l->value[e] - f->ratings->center - f->scale * p;
            sum += off * off;
        }
    return sum / (double)test->n;
}

static gbs_status held_out(const struct gbs_completion_run *r, gbs_ratings *const part[2],
                           struct candidate c, double *error) {
    struct attempt a;
    gbs_status status = begin(r, part[0], c, &a);
    if (status == GBS_OK)
        status = ascend(r, LEFT_OUT_SWEEPS, &a);
    if (status == GBS_OK)
        *error = squared_error(&a.f, part[1]);
    free_attempt(r->ctx, &a);
    return status;
}

/* Each tenth of the ratings, or of many one, left out once: the candidate of the smallest error on
 * them. `margin`: it must be below that of the first by so many standard errors of what the tenths
 * say of it. */
static gbs_status ask_left_out(const struct gbs_completion_run *r, double margin, size_t count,
                               const struct candidate *candidates, struct candidate *best) {
    size_t n = r->learned->n, out = n / 10 < MOST_LEFT_OUT ? n / 10 : MOST_LEFT_OUT,
           parts = n < FEW_RATINGS ? 10 : 1, chosen = 0,
           *order = gbs_array_alloc(r->ctx, 2 * n, sizeof *order);
    double gain[MOST_CANDIDATES] = {0.0}, square[MOST_CANDIDATES] = {0.0};
    gbs_status status = order != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t e = 0; status == GBS_OK && e < n; e++)
        order[e] = e;
    if (status == GBS_OK)
        gbs_shuffle(r->ctx->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_LEFT_OUT, n, order);
    for (size_t p = 0; p < parts && status == GBS_OK; p++) {
        gbs_ratings *part[2] = {NULL, NULL};
        /* those left out first: the order once more behind itself */
        for (size_t e = 0; e < n; e++)
            order[n + e] = order[(e + p * out) % n];
        status = gbs_ratings_subset(r->ctx, r->learned, n - out, order + n + out, &part[0]);
        if (status == GBS_OK)
            status = gbs_ratings_subset(r->ctx, r->learned, out, order + n, &part[1]);
        double error[MOST_CANDIDATES] = {0.0};
        for (size_t k = 0; k < count && status == GBS_OK; k++) {
            status = held_out(r, part, candidates[k], &error[k]);
            gain[k] += (error[0] - error[k]) / (double)parts;
            square[k] += (error[0] - error[k]) * (error[0] - error[k]) / (double)parts;
        }
        gbs_ratings_free(part[0]);
        gbs_ratings_free(part[1]);
    }
    gbs_array_free(r->ctx, order);
    for (size_t k = 1; k < count; k++) {
        double doubt = parts > 1 ? sqrt((square[k] - gain[k] * gain[k]) / (double)(parts - 1))
                                 : 0.0;
        chosen = gain[k] - margin * doubt > fmax(0.0, gain[chosen]) ? k : chosen;
    }
    *best = candidates[chosen];
    return status;
}

/* ---------------------------------------------------------------- the fit */

/* A Wishart prior of D + 1 degrees of freedom weighs as much as D items: on a table of few of them
 * it takes components from the ratings, and a lower rank may do better. */
static gbs_status choose_rank(const struct gbs_completion_run *r, struct candidate *c) {
    struct candidate list[MOST_CANDIDATES] = {*c};
    size_t count = 1, least = r->learned->by[0].items < r->learned->by[1].items
                                  ? r->learned->by[0].items
                                  : r->learned->by[1].items;
    if (r->learned->n < LEAST_RATINGS || r->learned->n >= FEW_RATINGS ||
        least >= ITEMS_A_COMPONENT * (c->rank + 1))
        return GBS_OK;
    if (c->rank > MOST_SMALL_RANK)
        list[0].rank = MOST_SMALL_RANK;
    for (size_t rank = list[0].rank / 2; rank > 0 && count < MOST_CANDIDATES; rank /= 2)
        list[count++] = (struct candidate){rank, c->positions};
    return ask_left_out(r, 0.0, count, list, c);
}

/* A candidate as it is after the race. */
static gbs_status race(const struct gbs_completion_run *r, struct candidate c, struct attempt *a) {
    gbs_status status = begin(r, r->learned, c, a);
    return status == GBS_OK ? ascend(r, RACE_SWEEPS, a) : status;
}

/* The better of positions on and off into `best`, some sweeps on its way. The features are most of
 * the memory of a fit: none is kept while others are made, and one that was
 * let go and wins runs again. */
static gbs_status choose_positions(const struct gbs_completion_run *r, struct candidate *c,
                                   struct attempt *best) {
    const struct candidate off = {c->rank, false}, on = {c->rank, true}, both[] = {off, on};
    struct attempt with = {0};
    gbs_status status = race(r, on, &with);
    if (status == GBS_OK)
        status = race(r, off, best);
    *c = on;
    if (status == GBS_OK && !(with.ascent.free_energy < best->ascent.free_energy)) {
        free_attempt(r->ctx, &with);
        status = ask_left_out(r, 1.0, 2, both, c);
        if (status == GBS_OK && c->positions) {
            free_attempt(r->ctx, best);
            return race(r, on, best);
        }
    }
    if (c->positions) {
        free_attempt(r->ctx, best);
        *best = with;
    } else {
        free_attempt(r->ctx, &with);
    }
    return status;
}

static gbs_status fit_learned(struct gbs_completion_run *r) {
    struct attempt a = {0};
    struct candidate c = {r->o->rank, r->o->positions == GBS_POSITIONS_ON};
    for (int s = 0; s < 2; s++)
        c.rank = c.rank < r->learned->by[s].items ? c.rank : r->learned->by[s].items;
    bool automatic = r->o->positions == GBS_POSITIONS_AUTO && r->learned->n >= LEAST_RATINGS;
    gbs_status status = choose_rank(r, &c);
    if (status == GBS_OK)
        status = automatic ? choose_positions(r, &c, &a) : begin(r, r->learned, c, &a);
    if (status == GBS_OK)
        status = ascend(r, r->o->max_sweeps, &a);
    r->ascent = a.ascent;
    if (status == GBS_OK)
        status = r->o->sampler == GBS_SAMPLER_GIBBS
                     ? gbs_completion_sample_levels(r, &a.f, c.positions)
                     : gbs_completion_keep_hierarchical(r, &a.f, c.positions);
    if (status == GBS_OK && r->trace != NULL) {
        gbs_trace kept = *r->trace;
        *r->trace = a.trace;
        a.trace = kept;
    }
    free_attempt(r->ctx, &a);
    return status;
}

/* With a range the last ratings are kept for the certificate. */
gbs_status gbs_completion_fit_hierarchical(struct gbs_completion_run *r) {
    gbs_status status = GBS_OK;
    r->learned = r->all;
    if (r->o->has_range) {
        status = gbs_completion_split_last(r);
        r->learned = r->part[0];
    }
    if (status == GBS_OK)
        status = fit_learned(r);
    return status == GBS_OK && r->o->has_range ? gbs_completion_certify_deployed(r) : status;
}
