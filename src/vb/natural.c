/* Natural gradient (Opper & Archambeau 2009; MATHS.md, section 4).
 *
 *   H = I/v + (lambda/n) X' diag(w) X,   w_i = (d psi/d s)/s = d^2 psi/d mu^2
 *   full:     P <- (1-b) P + b H,  m <- m - b P^-1 dF/dm   with the new P = S^-1
 *   smaller:  the family's part of H for the spread; Newton's step (H with |w|)^-1 dF/dm for m
 *
 * b starts at 1 and is halved until F falls. For the zero-one loss some w_i < 0: a step whose P is not positive definite counts as one
 * that does not fall. One step costs one pass over the rows with its X'DX, O(n d^2), and O(d^3).
 */
#include "kernel/linalg.h"
#include "vb/solve.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* F is a sum of n terms; differences below this share of it are rounding. */
#define ROUNDING 1e-13

/* Newton's direction for m under a smaller family: engine->step = (I/v + curvature)^-1 dF/dm. */
static bool newton_direction(const gbs_problem *problem, gbs_engine *e) {
    size_t d = e->d;
    double *h = e->workspace.square;
    memcpy(h, e->here.curvature, d * d * sizeof *h);
    for (size_t k = 0; k < d; k++)
        h[k * d + k] += 1.0 / problem->prior.variance;
    if (!gbs_cholesky(d, h))
        return false;
    memcpy(e->step, e->here.d_mean, d * sizeof *e->step);
    gbs_lower_solve(d, h, d, false, e->step);
    gbs_lower_solve(d, h, d, true, e->step);
    return true;
}

/* engine->step = P^-1 dF/dm = C C' dF/dm with the covariance of `g`. */
static void covariance_direction(const gbs_gaussian *g, gbs_engine *e) {
    int d = (int)g->d;
    memcpy(e->step, e->here.d_mean, g->d * sizeof *e->step);
    cblas_dtrmv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, d, g->factor, d, e->step, 1);
    cblas_dtrmv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, d, g->factor, d, e->step, 1);
}

/* engine->next = g moved by b along the natural gradient. */
static bool propose(const gbs_problem *problem, gbs_engine *e, const gbs_gaussian *g, double b) {
    const gbs_family_ops *family = gbs_family_of(g->family);
    if (!family->mix(g, e->here.pull, problem->prior.variance, b, &e->next))
        return false;
    if (g->family == GBS_FAMILY_FULL)
        covariance_direction(&e->next, e);
    for (size_t k = 0; k < g->d; k++)
        e->next.mean[k] = g->mean[k] - b * e->step[k];
    return true;
}

/* Halves *b until F falls; next and there then hold the new point. False when no step helps. */
static gbs_status descend(const gbs_problem *problem, gbs_engine *e, const gbs_gaussian *g, double slope, double *b, bool *moved) {
    double old = e->here.free_energy;
    *moved = false;
    for (; *b > 1e-8; *b *= 0.5) {
        if (!propose(problem, e, g, *b))
            continue;
        gbs_status status = gbs_evaluate(problem, &e->next, &e->workspace, &e->there);
        if (status != GBS_OK)
            return status;
        double fall = old - e->there.free_energy;
        /* far from the optimum the slope promises more than F holds */
        if (fall >= 1e-4 * *b * fmin(slope, fabs(old)) || (fabs(fall) <= ROUNDING * fabs(old) && slope <= ROUNDING * 1e2 * fabs(old))) {
            *moved = true;
            return GBS_OK;
        }
    }
    return GBS_OK;
}

static void accept(gbs_engine *e, gbs_gaussian *g) {
    gbs_gaussian g_old = *g;
    *g = e->next;
    e->next = g_old;
    gbs_point p_old = e->here;
    e->here = e->there;
    e->there = p_old;
}

gbs_status gbs_solve_natural(const gbs_problem *problem, const gbs_solve_options *options, gbs_engine *e, gbs_gaussian *g,
                             gbs_solution *result) {
    const gbs_family_ops *family = gbs_family_of(g->family);
    *result = (gbs_solution){.solver = GBS_SOLVER_NATURAL};
    gbs_status status = gbs_evaluate(problem, g, &e->workspace, &e->here);
    double b = 1.0, left = INFINITY, best = INFINITY;
    size_t stalled = 0;
    while (status == GBS_OK) {
        if (g->family == GBS_FAMILY_FULL)
            covariance_direction(g, e);
        else if (!newton_direction(problem, e))
            break;
        double slope = gbs_dot(g->d, e->here.d_mean, e->step);
        double spread = family->decrement(g, e->here.pull, problem->prior.variance, e->workspace.square);
        left = gbs_left_to_gain(problem, g, &e->here, 0.5 * slope + spread, e->workspace.square);
        double target = options->tolerance * fmax(1.0, fabs(e->here.free_energy));
        result->converged = left <= target;
        gbs_engine_progress(e, left, target);
        /* at the floor of rounding the gap wanders: three steps without a new best end it */
        stalled = left < best ? 0 : stalled + 1;
        best = fmin(best, left);
        bool at_floor = stalled >= 3 && slope + 2.0 * spread <= ROUNDING * 1e2 * fabs(e->here.free_energy);
        if (result->converged || at_floor || result->iterations >= options->max_iterations)
            break;
        bool moved;
        status = descend(problem, e, g, slope + 2.0 * spread, &b, &moved);
        if (status != GBS_OK || !moved)
            break;
        accept(e, g);
        b = fmin(1.0, 2.0 * b);
        result->iterations++;
    }
    if (status == GBS_OK)
        gbs_report(problem, &e->here, left, result);
    return status;
}
