/* L-BFGS (limited_memory.h) on (m, spread) in coordinates of about unit curvature (docs/maths.md,
 * 4.6).
 *
 *   m_k = D_k u_k,  D_k = (I/v + H)_kk^-1/2;   z = log sigma / sqrt 2 (full: C with a log diagonal)
 *
 * The scaling D is refreshed between rounds, as the curvature changes on the way. The stop is the
 * same as everywhere: the proven gap in the (m, sigma) or (m, C) coordinates, whatever coordinates
 * the search runs in.
 */
#include "vb/limited_memory.h"
#include "vb/solve.h"

#include <math.h>

enum { ROUND = 120 };

struct search {
    const gbs_problem *problem;
    const gbs_solve_options *options;
    gbs_engine *engine;
    gbs_gaussian *g;
    double *scale, *z; /* d + free; free */
    size_t free_size;
    double left;
    bool converged, here; /* here: g is where the last iteration ended, or the round began */
    size_t iterations;
    double at_start; /* of a round: half the squared gradient; negative until it is known */
};

static void unpack(const struct search *s, const double *x) {
    size_t d = s->g->d;
    for (size_t k = 0; k < d; k++)
        s->g->mean[k] = s->scale[k] * x[k];
    double *z = s->z;
    for (size_t k = 0; k < s->free_size; k++)
        z[k] = s->scale[d + k] * x[d + k];
    gbs_family_of(s->g->family)->set_free(s->g, z);
}

static void pack(const struct search *s, double *x) {
    size_t d = s->g->d;
    for (size_t k = 0; k < d; k++)
        x[k] = s->g->mean[k] / s->scale[k];
    gbs_family_of(s->g->family)->get_free(s->g, x + d);
    for (size_t k = 0; k < s->free_size; k++)
        x[d + k] /= s->scale[d + k];
}

/* F and its gradient at the packed coordinates. */
static gbs_status evaluate(void *user, const double *x, double *value, double *gradient) {
    struct search *s = user;
    size_t d = s->g->d, size = d + s->free_size;
    const gbs_point *p = &s->engine->here;
    gbs_status status = GBS_OK;
    if (s->at_start >= 0.0) { /* a round starts where g is */
        unpack(s, x);
        s->here = false;
        status = gbs_evaluate(s->problem, s->g, &s->engine->workspace, &s->engine->here);
    }
    *value = p->free_energy;
    if (status != GBS_OK || !isfinite(*value))
        return status;
    gbs_family_of(s->g->family)
        ->free_gradient(s->g, p->pull, s->problem->prior.variance, s->engine->workspace.square,
                        gradient + d);
    for (size_t k = 0; k < d; k++)
        gradient[k] = p->d_mean[k];
    double square = 0.0;
    for (size_t k = 0; k < size; k++) {
        gradient[k] *= s->scale[k];
        square += 0.5 * gradient[k] * gradient[k];
    }
    /* A tiny spread may leave F finite and its slopes not; their direction would be NaN. */
    if (!isfinite(square))
        *value = INFINITY;
    else if (s->at_start < 0.0) /* the first call of a round */
        s->at_start = square;
    return GBS_OK;
}

/* In scaled coordinates the Hessian is near the identity, so |gradient|^2/2 is about what is left.
 */
static bool close_enough(struct search *s, double gradient_norm) {
    double f = fmax(1.0, fabs(s->engine->here.free_energy));
    s->left = gbs_left_to_gain(s->problem, s->g, &s->engine->here,
                               0.5 * gradient_norm * gradient_norm, s->engine->workspace.square);
    s->converged = s->left <= s->options->tolerance * f ||
                   0.5 * gradient_norm * gradient_norm <= s->options->enough;
    gbs_engine_progress(s->engine, s->left, s->options->tolerance * f);
    return s->converged;
}

static bool enough(void *user, double gradient_norm) {
    struct search *s = user;
    s->here = true;
    s->iterations++;
    return close_enough(s, gradient_norm);
}

/* D from the diagonal of I/v + H where the family knows it, else from its average. */
static void rescale(const struct search *s) {
    size_t d = s->g->d;
    const gbs_family_ops *family = gbs_family_of(s->g->family);
    const double *pull = s->engine->here.pull;
    double base = 1.0 / s->problem->prior.variance;
    for (size_t k = 0; k < d; k++) {
        double curvature = family->mean_curvature(pull, d, k);
        s->scale[k] = 1.0 / sqrt(base + fabs(curvature));
    }
    family->free_units(d, s->scale, s->scale + d);
}

static gbs_status one_round(struct search *s, double *x) {
    gbs_context *ctx = s->problem->ctx;
    size_t size = s->g->d + s->free_size, left = s->options->max_iterations - s->iterations;
    gbs_smooth f = {evaluate, enough, s};
    rescale(s);
    pack(s, x);
    s->at_start = -1.0;
    s->here = true;
    size_t before = s->iterations;
    gbs_status status = gbs_limited_memory(ctx, size, left < ROUND ? left : ROUND, &f, x);
    if (status != GBS_OK)
        return status;
    /* a start that cannot be bettered is left as it was: what was left there is what is left now */
    if (s->iterations == before && s->at_start >= 0.0)
        s->left = s->at_start;
    if (s->here)
        return GBS_OK;
    /* a failed line search leaves the last good point in x, not in g */
    unpack(s, x);
    return gbs_evaluate(s->problem, s->g, &s->engine->workspace, &s->engine->here);
}

gbs_status gbs_solve_lbfgs(const gbs_problem *problem, const gbs_solve_options *options,
                           gbs_engine *e, gbs_gaussian *g, gbs_solution *result) {
    const gbs_family_ops *family = gbs_family_of(g->family);
    struct search s = {
        .problem = problem, .options = options, .engine = e, .g = g, .left = INFINITY};
    s.free_size = family->free_size(g->d);
    size_t size = g->d + s.free_size;
    *result = (gbs_solution){.solver = GBS_SOLVER_LBFGS};
    s.scale = gbs_matrix(problem->ctx, 3, size);
    if (s.scale == NULL)
        return GBS_ERR_MEMORY;
    s.z = s.scale + size;
    double *x = s.scale + 2 * size;
    gbs_status status = gbs_evaluate_start(problem, e, g);
    if (status == GBS_OK)
        gbs_trace_add(e->trace, e->here.free_energy, 0);
    double before = INFINITY;
    while (status == GBS_OK && !s.converged && s.iterations < options->max_iterations) {
        status = one_round(&s, x);
        double now = e->here.free_energy;
        if (status != GBS_OK || !(now < before - 1e-13 * fabs(now)))
            break;
        before = now;
    }
    if (status == GBS_OK) {
        if (problem->risk->loss->convex)
            s.left = gbs_optimality_gap(problem, g, &e->here, e->workspace.square);
        s.converged = s.converged ||
                      s.left <= options->tolerance * fmax(1.0, fabs(e->here.free_energy));
        result->iterations = s.iterations;
        result->converged = s.converged;
        gbs_solution_tell(problem, &e->here, s.left, result);
        if (family->settle != NULL)
            family->settle(g);
    }
    gbs_array_free(problem->ctx, s.scale);
    return status;
}
