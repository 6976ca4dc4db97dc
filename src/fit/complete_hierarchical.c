/* The hierarchical model fitted, start to stop; what it leaves open is chosen first
 * (complete_levels_choose.c). */
#include "completion/positions.h"
#include "core/random.h"
#include "fit/complete_levels.h"

#include <math.h>

/* Of values that are all the same there is nothing to learn, and the prior shrinks without end. */
#define SAME_TOLERANCE 0.1

void gbs_attempt_free(const gbs_context *ctx, struct gbs_level_attempt *a) {
    if (a->f.ctx != NULL)
        gbs_levels_free(&a->f);
    gbs_array_free(ctx, a->phi[0]);
    gbs_array_free(ctx, a->phi[1]);
    gbs_trace_free(ctx, &a->trace);
    *a = (struct gbs_level_attempt){0};
}

gbs_status gbs_attempt_begin(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                             struct gbs_level_candidate c, const struct gbs_place *place,
                             struct gbs_level_attempt *a) {
    size_t rank = place != NULL ? place->rank : c.rank;
    for (int s = 0; s < 2 && place == NULL; s++)
        rank = rank < ratings->by[s].items ? rank : ratings->by[s].items;
    *a = (struct gbs_level_attempt){0};
    gbs_status status = gbs_position_features(r->ctx, ratings, c.positions,
                                              GBS_STREAM_COMPLETION + GBS_COMPLETION_POSITIONS,
                                              a->phi, a->features);
    if (status == GBS_OK)
        status = gbs_levels_create(r->ctx, ratings, rank, a->phi, a->features, true, &a->f);
    if (status == GBS_OK)
        status = place != NULL
                     ? gbs_levels_start_from(&a->f, place->columns)
                     : gbs_levels_start(&a->f, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPECTRUM);
    return status;
}

gbs_status gbs_attempt_continue(const struct gbs_completion_run *r,
                                const struct gbs_level_attempt *some, struct gbs_level_candidate c,
                                struct gbs_level_attempt *a) {
    gbs_status status = gbs_position_features(r->ctx, r->learned, c.positions,
                                              GBS_STREAM_COMPLETION + GBS_COMPLETION_POSITIONS,
                                              a->phi, a->features);
    if (status == GBS_OK)
        status = gbs_levels_create(r->ctx, r->learned, some->f.rank, a->phi, a->features, true,
                                   &a->f);
    return status == GBS_OK ? gbs_levels_start_at(&a->f, &some->f) : status;
}

gbs_status gbs_attempt_ascend(const struct gbs_completion_run *r, size_t sweeps,
                              struct gbs_level_attempt *a) {
    double n = (double)r->learned->n, chosen = GBS_MOST_TOLERANCE * sqrt(n / GBS_MANY_RATINGS);
    chosen = fmin(GBS_MOST_TOLERANCE, fmax(fmax(GBS_LEAST_TOLERANCE, a->tolerance), chosen));
    if (!(r->learned->low < r->learned->high))
        chosen = SAME_TOLERANCE;
    gbs_level_options o = {.most_sweeps = sweeps < r->o->max_sweeps ? sweeps : r->o->max_sweeps,
                           .tolerance = r->o->tolerance > 0.0 ? r->o->tolerance : chosen,
                           .whole = r->o->max_sweeps,
                           .stage = r->stage != NULL ? r->stage : "completing",
                           .trace = &a->trace};
    return gbs_levels_ascend(&a->f, &o, &a->ascent);
}

static gbs_status fit_levels(struct gbs_completion_run *r, struct gbs_level_candidate c,
                             struct gbs_level_attempt *a) {
    gbs_status status = a->f.ctx == NULL ? gbs_attempt_begin(r, r->learned, c, NULL, a) : GBS_OK;
    a->tolerance = c.tolerance;
    if (status == GBS_OK)
        status = gbs_attempt_ascend(r, r->o->max_sweeps, a);
    r->ascent = a->ascent;
    if (status == GBS_OK)
        status = r->o->sampler == GBS_SAMPLER_GIBBS
                     ? gbs_completion_sample_levels(r, &a->f, c.positions)
                     : gbs_completion_keep_hierarchical(r, &a->f, c.positions);
    if (status == GBS_OK && r->trace != NULL) {
        gbs_trace kept = *r->trace;
        *r->trace = a->trace;
        a->trace = kept;
    }
    return status;
}

/* The same options for the paper's model: one start, with `rank` components. */
static gbs_complete_settings paper_settings(const gbs_complete_settings *o, size_t rank) {
    gbs_complete_settings paper = *o;
    paper.model = GBS_COMPLETION_PAPER;
    paper.rank = rank;
    paper.restarts = 1;
    if (!(paper.tolerance > 0.0))
        paper.tolerance = GBS_PAPER_TOLERANCE;
    return paper;
}

gbs_status gbs_paper_attempt(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                             size_t rank, const gbs_factors *from, gbs_factors *f) {
    gbs_complete_settings once = paper_settings(r->o, rank);
    struct gbs_completion_run one = {.ctx = r->ctx, .o = &once, .all = ratings, .from = from};
    gbs_status status = gbs_completion_ascend(&one, ratings, "choosing the model");
    *f = one.f;
    return status;
}

/* The paper's model where ratings left out have preferred it. */
static gbs_status fit_paper(struct gbs_completion_run *r, size_t rank) {
    const gbs_complete_settings *asked = r->o;
    gbs_complete_settings paper = paper_settings(asked, rank);
    r->o = &paper;
    gbs_status status = gbs_completion_ascend(r, r->learned, "completing");
    if (status == GBS_OK)
        status = paper.sampler == GBS_SAMPLER_GIBBS ? gbs_completion_sample(r)
                                                    : gbs_completion_keep_variational(r);
    r->o = asked;
    return status;
}

static gbs_status fit_learned(struct gbs_completion_run *r) {
    struct gbs_level_attempt a = {0};
    struct gbs_level_candidate c = {.model = GBS_COMPLETION_HIERARCHICAL,
                                    .rank = r->o->rank,
                                    .positions = r->o->positions == GBS_POSITIONS_ON};
    r->stage = "choosing the model";
    gbs_status status = gbs_completion_choose_levels(r, &c, &a);
    r->stage = "completing";
    gbs_progress_begin(r->ctx);
    r->inflation = c.inflation;
    if (status == GBS_OK)
        status = c.model == GBS_COMPLETION_PAPER ? fit_paper(r, c.rank) : fit_levels(r, c, &a);
    gbs_attempt_free(r->ctx, &a);
    return status;
}

/* With a range the last ratings are kept for the certificate; under an informed prior the second
 * part. */
gbs_status gbs_completion_fit_hierarchical(struct gbs_completion_run *r) {
    gbs_status status = GBS_OK;
    bool informed = r->o->prior == GBS_PRIOR_INFORMED;
    r->learned = r->all;
    if (r->o->has_range && r->o->zero_prior)
        return gbs_completion_fit_zero(r);
    if (r->o->has_range) {
        status = informed ? gbs_completion_split_first(r) : gbs_completion_split_last(r);
        r->learned = r->part[0];
    }
    if (status == GBS_OK)
        status = fit_learned(r);
    if (status == GBS_OK && informed)
        return gbs_completion_certify_informed(r);
    return status == GBS_OK && r->o->has_range ? gbs_completion_certify_deployed(r) : status;
}
