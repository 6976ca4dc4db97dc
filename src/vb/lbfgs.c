/* L-BFGS (liblbfgs) on (m, spread) in coordinates of about unit curvature (docs/maths.md, 4.6).
 *
 *   m_k = D_k u_k,  D_k = (I/v + H)_kk^-1/2;   z = log sigma / sqrt 2 (full: C with a log diagonal)
 *
 * The scaling D is refreshed between rounds, as the curvature changes on the way. The stop is the
 * same as everywhere: the proven gap in the (m, sigma) or (m, C) coordinates, whatever coordinates
 * the search runs in.
 */
#include "vb/solve.h"

#include <lbfgs.h>
#include <limits.h>
#include <math.h>

enum { MEMORY = 12, ROUND = 120 };

struct search {
    const gbs_problem *problem;
    const gbs_solve_options *options;
    gbs_engine *engine;
    gbs_gaussian *g;
    double *scale, *z; /* d + free; free */
    size_t free_size, evaluations;
    gbs_status status;
    double left;
    bool converged;
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

/* A step too far: F is huge there, and the line search comes back. */
#define TOO_FAR 1e300

static double no_slope(double *gradient, size_t size, double value) {
    for (size_t k = 0; k < size; k++)
        gradient[k] = 0.0;
    return value;
}

/* F and its gradient at the packed coordinates. */
static double evaluate(void *instance, const double *x, double *gradient, const int n,
                       const double step) {
    struct search *s = instance;
    (void)n;
    (void)step;
    size_t d = s->g->d, size = d + s->free_size;
    if (s->status == GBS_OK) {
        unpack(s, x);
        s->status = gbs_evaluate(s->problem, s->g, &s->engine->workspace, &s->engine->here);
        s->evaluations++;
    }
    const gbs_point *p = &s->engine->here;
    if (s->status != GBS_OK || !isfinite(p->free_energy))
        return no_slope(gradient, size, s->status != GBS_OK ? HUGE_VAL : TOO_FAR);
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
        return no_slope(gradient, size, TOO_FAR);
    if (s->at_start < 0.0) /* the first call of a round */
        s->at_start = square;
    return p->free_energy;
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

static int progress(void *instance, const double *x, const double *gradient, const double fx,
                    const double xnorm, const double gnorm, const double step, int n, int k,
                    int ls) {
    struct search *s = instance;
    (void)x, (void)gradient, (void)fx, (void)xnorm, (void)step, (void)n, (void)k, (void)ls;
    if (s->status != GBS_OK)
        return 1;
    s->iterations++;
    return close_enough(s, gnorm) || s->iterations >= s->options->max_iterations;
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
    size_t size = s->g->d + s->free_size, left = s->options->max_iterations - s->iterations;
    lbfgs_parameter_t p;
    lbfgs_parameter_init(&p);
    p.m = MEMORY;
    p.epsilon = 0.0;
    p.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    p.max_linesearch = 40;
    p.max_iterations = left < ROUND ? (int)left : ROUND;
    rescale(s);
    pack(s, x);
    s->at_start = -1.0;
    size_t before = s->iterations;
    int code = lbfgs((int)size, x, NULL, evaluate, progress, s, &p);
    if (s->status != GBS_OK)
        return s->status;
    if (code == LBFGSERR_OUTOFMEMORY)
        return gbs_fail(s->problem->ctx, GBS_ERR_MEMORY, "out of memory in L-BFGS");
    /* a start that cannot be bettered is left as it was: what was left there is what is left now */
    if (s->iterations == before && s->at_start >= 0.0)
        s->left = s->at_start;
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
    if (size > INT_MAX / 2)
        return gbs_fail(problem->ctx, GBS_ERR_ARGUMENT, "%zu parameters are too many for L-BFGS",
                        size);
    s.scale = gbs_matrix(problem->ctx, 2, size);
    double *x = lbfgs_malloc((int)size); /* its vector code asks for its own alignment */
    if (s.scale == NULL || x == NULL) {
        lbfgs_free(x);
        gbs_array_free(problem->ctx, s.scale);
        return gbs_fail(problem->ctx, GBS_ERR_MEMORY, "out of memory in L-BFGS");
    }
    s.z = s.scale + size;
    gbs_status status = gbs_evaluate(problem, g, &e->workspace, &e->here);
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
        s.converged = s.left <= options->tolerance * fmax(1.0, fabs(e->here.free_energy));
        result->iterations = s.iterations;
        result->converged = s.converged;
        gbs_report(problem, &e->here, s.left, result);
        if (family->settle != NULL)
            family->settle(g);
    }
    lbfgs_free(x);
    gbs_array_free(problem->ctx, s.scale);
    return status;
}
