/* Sweeps of the hierarchical model (docs/maths.md, 8.16): rows, beta, their hyper-parameters,
 * columns, theirs. F never rises; means that go 1.5 times their step, and coefficients 1.7 times,
 * halve the number of sweeps. Where F falls slowly, a sweep lowering it nearly as much as the one
 * before, means go further, up to 1.8 times: what is slow then is far from where it ends. The first
 * sweep is plain: its start is no step of an ascent.
 */
#include "completion/level_ascent.h"

#include <math.h>

#define MEAN_RELAX 1.5
#define MOST_RELAX 1.8
#define MORE_RELAX 0.05
#define COEF_RELAX 1.7
/* A sweep is slow that lowers F by more than this share of what the one before did. */
#define SLOW 0.75

enum { CALM_SWEEPS = 2 };

static void tell(const gbs_level_options *o, const gbs_levels *f, const char *name) {
    if (o->step != NULL)
        o->step(o->user, f, name);
}

static gbs_status sweep(gbs_levels *f, const gbs_level_options *o, size_t number) {
    bool plain = o->plain || number == 0;
    gbs_status status = GBS_OK;
    f->relax = plain ? 1.0 : f->reach;
    for (int side = 0; side < 2 && status == GBS_OK; side++) {
        status = gbs_levels_update_side(f, side);
        if (status != GBS_OK)
            break;
        tell(o, f, side == 0 ? "rows" : "columns");
        if (side == 0) {
            status = gbs_levels_update_rate(f);
            if (status != GBS_OK)
                break;
            tell(o, f, "rate");
        }
        status = gbs_levels_update_hyper(f, side, plain ? 1.0 : COEF_RELAX);
        if (status != GBS_OK)
            break;
        tell(o, f, side == 0 ? "rows' hyper" : "columns' hyper");
        gbs_levels_update_width(f, side);
        tell(o, f, side == 0 ? "rows' width" : "columns' width");
        gbs_levels_update_relevance(f, side);
        tell(o, f, side == 0 ? "rows' relevance" : "columns' relevance");
    }
    return status;
}

/* How far the next sweep goes, by what the last two lowered F by. */
static void adapt(gbs_levels *f, double fall) {
    bool slow = fall > SLOW * f->fall;
    f->reach = fmin(MOST_RELAX, fmax(MEAN_RELAX, f->reach + (slow ? MORE_RELAX : -MORE_RELAX)));
    f->fall = fall;
}

gbs_status gbs_levels_ascend(gbs_levels *f, const gbs_level_options *o, gbs_ascent *out) {
    double before = out->sweeps > 0 ? out->free_energy : INFINITY, n = (double)f->ratings->n;
    size_t calm = 0;
    gbs_status status = out->sweeps == 0 ? gbs_trace_begin(f->ctx, o->trace, NAN) : GBS_OK;
    if (status == GBS_OK)
        status = gbs_levels_part(f);
    while (status == GBS_OK && out->sweeps < o->most_sweeps && !out->converged) {
        status = sweep(f, o, out->sweeps);
        if (status != GBS_OK)
            break;
        out->sweeps++;
        double energy = gbs_levels_free_energy(f);
        if (f->ctx->crew != NULL && f->ctx->crew->lost) {
            status = gbs_fail(f->ctx, GBS_ERR_IO, "%s", f->ctx->crew->words);
            break;
        }
        if (!isfinite(energy)) {
            status = gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                              "the completion broke down: the free energy is not finite");
            break;
        }
        calm = before - energy <= o->tolerance * n ? calm + 1 : 0;
        if (!(f->first_fall > 0.0) && isfinite(before))
            f->first_fall = before - energy;
        double swept = (double)out->sweeps / (double)(o->whole > 0 ? o->whole : o->most_sweeps);
        gbs_progress(
            f->ctx, o->stage,
            fmax(swept, gbs_ascent_reached(f->first_fall, before - energy, o->tolerance * n)));
        adapt(f, before - energy);
        before = out->free_energy = energy;
        gbs_trace_add(o->trace, energy, f->rank);
        out->converged = calm >= CALM_SWEEPS;
    }
    if (status == GBS_OK)
        gbs_levels_join(f);
    else /* the others may be elsewhere */
        gbs_levels_leave(f);
    gbs_status settled = gbs_levels_settle(f);
    return status != GBS_OK ? status : settled;
}
