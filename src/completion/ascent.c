/* Coordinate ascent: rows, columns, mu, variances (with a turn of the factors), noise; F is exact
 * and never rises (docs/maths.md, 8.5).
 *
 * The variances and the noise wait for a few sweeps: a random start explains nothing yet, and
 * variances learned from it would switch every component off (u = v = 0 is a fixed point that such
 * a start falls into).
 *
 * A component that is switched off has mean zero; it still pays for the width of its two Gaussians
 * in both parts of F. Dropping it is one more step that lowers F, in the model of one component
 * less.
 */
#include "completion/ascent.h"

#include <math.h>

enum { HELD_SWEEPS = 5, TURN_SWEEPS = 30, TURN_EVERY = 10, PRUNE_EVERY = 5, CALM_SWEEPS = 3 };

/* Its part of a prediction, in mean square, is below this share of the noise. */
#define SWITCHED_OFF 1e-4

static void tell(const gbs_ascent_options *o, const gbs_factors *f) {
    if (o->step != NULL)
        o->step(o->user, f, gbs_factors_free_energy(f));
}

static gbs_status sweep(gbs_factors *f, const gbs_ascent_options *o, size_t number) {
    gbs_status status = GBS_OK;
    for (int side = 0; side < 2 && status == GBS_OK; side++) {
        status = gbs_factors_update_side(f, side);
        if (status == GBS_OK)
            tell(o, f);
    }
    if (status != GBS_OK)
        return status;
    gbs_factors_update_mu(f);
    tell(o, f);
    if (number < HELD_SWEEPS && !f->is_centred)
        return GBS_OK;
    if (!o->hold_variances && (number < TURN_SWEEPS || number % TURN_EVERY == 0))
        status = gbs_factors_rotate(f);
    else if (!o->hold_variances)
        gbs_factors_update_variances(f);
    tell(o, f);
    gbs_factors_update_noise(f);
    tell(o, f);
    return status;
}

/* True when some component was dropped. */
static bool prune(gbs_factors *f, bool *keep) {
    size_t kept = 0;
    for (size_t c = 0; c < f->own; c++) {
        keep[c] = c >= f->rank || gbs_factors_component(f, c) > SWITCHED_OFF / f->tau;
        kept += keep[c];
    }
    if (kept == f->own)
        return false;
    gbs_factors_keep(f, keep);
    return true;
}

double gbs_ascent_reached(double first, double fall, double stop) {
    if (!(stop > 0.0 && first > stop && fall < first))
        return 0.0;
    return fall > stop ? log(first / fall) / log(first / stop) : 1.0;
}

gbs_status gbs_ascend(gbs_factors *f, const gbs_ascent_options *o, gbs_ascent *out) {
    double before = INFINITY, first = 0.0;
    size_t calm = 0;
    bool *keep = gbs_array_alloc(f->ctx, f->own, sizeof *keep);
    gbs_status status = keep != NULL ? GBS_OK : GBS_ERR_MEMORY;
    *out = (gbs_ascent){0};
    if (status == GBS_OK)
        status = gbs_trace_begin(f->ctx, o->trace,
                                 f->learn_noise ? NAN : 0.5 * (double)f->ratings->n * f->tau);
    while (status == GBS_OK && out->sweeps < o->most_sweeps && !out->converged) {
        status = sweep(f, o, out->sweeps);
        if (status != GBS_OK)
            break;
        out->sweeps++;
        double energy = gbs_factors_free_energy(f);
        if (!isfinite(energy)) {
            status = gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                              "the completion broke down: the free energy is not finite");
            break;
        }
        double stop = o->tolerance * fmax(1.0, fabs(energy)), fall = before - energy;
        calm = fall <= stop ? calm + 1 : 0;
        if (!(first > 0.0) && isfinite(fall))
            first = fall;
        before = out->free_energy = energy;
        gbs_trace_add(o->trace, energy, f->rank);
        bool held = out->sweeps <= HELD_SWEEPS && !f->is_centred;
        if (o->prune && !held && (calm >= CALM_SWEEPS || out->sweeps % PRUNE_EVERY == 0) &&
            prune(f, keep)) {
            /* the sums behind the error are those of the larger model until the next half sweep */
            before = INFINITY;
            calm = 0;
        }
        out->converged = !held && calm >= CALM_SWEEPS;
        gbs_progress(f->ctx, o->stage,
                     fmax((double)out->sweeps / (double)o->most_sweeps,
                          gbs_ascent_reached(first, fall, stop)));
    }
    gbs_array_free(f->ctx, keep);
    return status;
}
