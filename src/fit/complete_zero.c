/* A zero prior of the hierarchical model, and its certificate (docs/maths.md, 8.22).
 *
 * Nothing of the prior may look at the ratings it is certified on: the centre is the middle of the
 * declared range and the unit a quarter of it, phi = 1, w0 = 1, beta / 20 ~ Ga(1, 1). The rank is
 * the one asked for, or the number of rows or columns that have ratings where these are fewer: one
 * of 1 .. rank, which the positions decide, for log(rank) nats. q is fitted to all ratings, F less
 * the expected loss is KL(q || prior) with all levels in it, and kl (6.1) certifies one draw.
 */
#include "completion/draws.h"
#include "completion/positions.h"
#include "core/random.h"
#include "fit/complete_levels.h"

#include <math.h>

/* Terms that the Monte Carlo part of a certificate draws at least. */
enum { LEAST_TERMS = 1000000 };
/* Units in the range. */
#define UNITS 4.0

/* All ratings, about the middle of the range, into r->part[0]. */
static gbs_status recentre(struct gbs_completion_run *r) {
    gbs_status status = gbs_ratings_subset(r->ctx, r->all, r->all->n, NULL, &r->part[0]);
    if (status == GBS_OK)
        gbs_ratings_recentre(r->part[0], 0.5 * (r->o->low + r->o->high));
    return status;
}

static gbs_status begin(struct gbs_completion_run *r, struct gbs_level_attempt *a) {
    size_t rank = r->o->rank;
    for (int s = 0; s < 2; s++)
        rank = rank < r->learned->by[s].items ? rank : r->learned->by[s].items;
    gbs_status status = gbs_position_features(r->ctx, r->learned, false,
                                              GBS_STREAM_COMPLETION + GBS_COMPLETION_POSITIONS,
                                              a->phi, a->features);
    if (status == GBS_OK)
        status = gbs_levels_create(r->ctx, r->learned, rank, a->phi, a->features, true, &a->f);
    if (status != GBS_OK)
        return status;
    gbs_levels_fix_prior(&a->f, (r->o->high - r->o->low) / UNITS);
    return gbs_levels_start(&a->f, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPECTRUM);
}

static gbs_status certify(struct gbs_completion_run *r, const gbs_levels *f) {
    size_t n = r->certified->n, rounds = 1 + (LEAST_TERMS - 1) / n;
    gbs_rating_certificate drawn = {.empirical = 1.0,
                                    .draws = n * rounds,
                                    .kl = r->model->info.kl,
                                    .grid_nats = r->o->rank > 1 ? log((double)r->o->rank) : 0.0};
    gbs_status status = gbs_completion_gaussians(r, r->certified);
    if (status == GBS_OK)
        status = gbs_factors_drawn_risk(
            &r->f, r->certified, r->o->low, r->o->high, f->shape, rounds, r->draw_seed,
            GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY, &drawn.empirical);
    if (status == GBS_OK)
        gbs_completion_bound(r, &drawn, &r->model->certificate);
    return status;
}

gbs_status gbs_completion_fit_zero(struct gbs_completion_run *r) {
    struct gbs_level_attempt a = {0};
    if (r->all->features[0] + r->all->features[1] > 0)
        return gbs_fail(r->ctx, GBS_ERR_ARGUMENT,
                        "a zero prior has no features of rows and columns: their units are those "
                        "of the items that have ratings");
    gbs_status status = recentre(r);
    r->learned = r->certified = r->part[0];
    if (status == GBS_OK)
        status = begin(r, &a);
    if (status == GBS_OK)
        status = gbs_attempt_ascend(r, r->o->max_sweeps, &a);
    r->ascent = a.ascent;
    if (status == GBS_OK)
        status = gbs_completion_keep_hierarchical(r, &a.f, false);
    if (status == GBS_OK)
        status = certify(r, &a.f);
    if (r->trace != NULL) {
        gbs_trace kept = *r->trace;
        *r->trace = a.trace;
        a.trace = kept;
    }
    gbs_attempt_free(r->ctx, &a);
    return status;
}
