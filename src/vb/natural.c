/* Natural gradient (Opper & Archambeau 2009; docs/maths.md, 4.2 and 4.3).
 *
 *   H = I/v + (lambda/n) X' diag(w) X,   w_i = (d psi/d s)/s = d^2 psi/d mu^2
 *   full:     P <- (1-b) P + b H,  m <- m - b P^-1 dF/dm   with the new P = S^-1
 *   smaller:  the family's part of H for the spread; Newton's step (H with |w|)^-1 dF/dm for m
 *
 * b starts at 1 and is halved until F falls. Where m and S push each other to and fro (a rare
 * level, a long row) b would have to stay small for all; Anderson's acceleration of the map is
 * tried first and taken whenever F falls. For the zero-one loss some w_i < 0: a step whose P is not
 * positive definite counts as one that does not fall. One step costs one pass over the rows with
 * its X'DX, O(n d^2), and O(d^3).
 */
#include "kernel/linalg.h"
#include "vb/solve.h"

#include <math.h>
#include <string.h>

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

/* engine->step = P^-1 dF/dm with the covariance of `g`. */
static void covariance_direction(const gbs_gaussian *g, gbs_engine *e) {
    memcpy(e->step, e->here.d_mean, g->d * sizeof *e->step);
    gbs_family_of(g->family)->times_covariance(g, e->step);
}

/* engine->packed: x = (m, precision) here, what the natural gradient aims at minus it, the metric's
 * weights, and one more. */
struct packed {
    double *x, *aim, *weight, *trial;
    size_t size;
};

static struct packed packed_of(const gbs_engine *e) {
    size_t size = e->anderson.size;
    return (struct packed){e->packed, e->packed + size, e->packed + 2 * size, e->packed + 3 * size,
                           size};
}

/* engine->next = the Gaussian with the mean and precision of `trial`. */
static bool unpack(gbs_engine *e, const double *trial) {
    memcpy(e->next.mean, trial, e->d * sizeof *trial);
    return gbs_family_of(e->family)->set_precision(&e->next, trial + e->d);
}

/* engine->next = g moved by b along the natural gradient. */
static bool propose(const gbs_problem *problem, gbs_engine *e, const gbs_gaussian *g, double b) {
    struct packed p = packed_of(e);
    const gbs_family_ops *family = gbs_family_of(g->family);
    size_t d = g->d;
    memcpy(p.x, g->mean, d * sizeof *p.x);
    family->get_precision(g, p.x + d);
    family->aim_precision(g, e->here.pull, problem->prior.variance, p.aim + d);
    for (size_t k = d; k < p.size; k++)
        p.trial[k] = (1.0 - b) * p.x[k] + b * p.aim[k];
    if (!family->set_precision(&e->next, p.trial + d))
        return false;
    if (family->pull == GBS_PULL_MATRIX)
        covariance_direction(&e->next, e);
    for (size_t k = 0; k < d; k++)
        e->next.mean[k] = g->mean[k] - b * e->step[k];
    return true;
}

/* F at engine->next; *better when it falls enough for a step of size b. */
static gbs_status try_next(const gbs_problem *problem, gbs_engine *e, double slope, double b,
                           bool *better) {
    gbs_status status = gbs_evaluate(problem, &e->next, &e->workspace, &e->there);
    double old = e->here.free_energy, fall = old - e->there.free_energy;
    /* far from the optimum the slope promises more than F holds */
    *better = fall >= 1e-4 * b * fmin(slope, fabs(old));
    /* at the floor of rounding F cannot tell any more: trust the step */
    if (fabs(fall) <= GBS_ROUNDING * fabs(old) && slope <= 1e2 * GBS_ROUNDING * fabs(old))
        *better = true;
    return status;
}

/* The accelerated point, made from the full step in engine->next. */
static gbs_status accelerate(const gbs_problem *problem, gbs_engine *e, const gbs_gaussian *g,
                             double slope, bool *moved) {
    struct packed p = packed_of(e);
    size_t d = g->d;
    gbs_family_of(g->family)->weigh(g, p.weight, p.weight + d);
    for (size_t k = 0; k < d; k++)
        p.aim[k] = e->next.mean[k];
    for (size_t k = 0; k < p.size; k++)
        p.aim[k] -= p.x[k];
    if (!gbs_anderson_propose(&e->anderson, p.x, p.aim, p.weight, p.trial) || !unpack(e, p.trial))
        return GBS_OK;
    return try_next(problem, e, slope, 1.0, moved);
}

/* Moves to engine->next: the accelerated point if F falls there, else the plain step, *b halved
 * until it does. */
static gbs_status descend(const gbs_problem *problem, gbs_engine *e, const gbs_gaussian *g,
                          double slope, double *b, bool *moved) {
    *moved = false;
    gbs_status status = GBS_OK;
    if (propose(problem, e, g, 1.0))
        status = accelerate(problem, e, g, slope, moved);
    else
        gbs_anderson_forget(&e->anderson);
    for (; status == GBS_OK && !*moved && *b > 1e-8; *b *= 0.5) {
        if (!propose(problem, e, g, *b))
            continue;
        status = try_next(problem, e, slope, *b, moved);
        if (*moved)
            break;
    }
    return status;
}

/* The mean is the prior's: whatever the tolerance, a step that gains something comes first. */
static bool knows_nothing(const gbs_problem *problem, const gbs_gaussian *g) {
    const double *prior = problem->prior.mean;
    for (size_t k = 0; k < g->d; k++)
        if (g->mean[k] != (prior != NULL ? prior[k] : 0.0))
            return false;
    return true;
}

static void accept(gbs_engine *e, gbs_gaussian *g) {
    gbs_gaussian g_old = *g;
    *g = e->next;
    e->next = g_old;
    gbs_point p_old = e->here;
    e->here = e->there;
    e->there = p_old;
}

gbs_status gbs_solve_natural(const gbs_problem *problem, const gbs_solve_options *options,
                             gbs_engine *e, gbs_gaussian *g, gbs_solution *result) {
    const gbs_family_ops *family = gbs_family_of(g->family);
    *result = (gbs_solution){.solver = GBS_SOLVER_NATURAL};
    gbs_status status = gbs_evaluate_start(problem, e, g);
    double b = 1.0, left = INFINITY, best = INFINITY;
    gbs_anderson_forget(&e->anderson);
    /* what a family never moves (fixed) must be right from the start */
    gbs_gaussian_copy(&e->next, g);
    size_t stalled = 0;
    while (status == GBS_OK) {
        if (family->pull == GBS_PULL_MATRIX)
            covariance_direction(g, e);
        else if (!newton_direction(problem, e))
            break;
        double slope = gbs_dot(g->d, e->here.d_mean, e->step);
        double spread = family->decrement(g, e->here.pull, problem->prior.variance,
                                          e->workspace.square);
        left = gbs_left_to_gain(problem, g, &e->here, 0.5 * slope + spread, e->workspace.square);
        double scale = fmax(1.0, fabs(e->here.free_energy));
        double target = options->tolerance * scale;
        result->converged = left <= target;
        bool first = result->converged && result->iterations == 0 && left > GBS_ROUNDING * scale &&
                     knows_nothing(problem, g);
        gbs_engine_progress(e, left, target);
        /* at the floor of rounding the gap wanders: three steps without a new best end it */
        stalled = left < best ? 0 : stalled + 1;
        best = fmin(best, left);
        bool at_floor = stalled >= 3 &&
                        slope + 2.0 * spread <= GBS_ROUNDING * 1e2 * fabs(e->here.free_energy);
        bool enough = 0.5 * slope + spread <= options->enough;
        result->converged = result->converged || enough;
        if ((result->converged && !first) || enough || at_floor ||
            result->iterations >= options->max_iterations)
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
        gbs_solution_tell(problem, &e->here, left, result);
    return status;
}
