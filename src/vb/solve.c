/* Choosing a solver, the engine's memory, and the coarse start. */
#include "vb/solve.h"

#include <math.h>

/* Up to here a smaller family's Newton step (one X'DX, at BLAS speed) beats the many passes of
 * L-BFGS. */
enum { NEWTON_COLUMNS = 128 };

/* Strides of the coarse start. */
enum { FINEST = 8, COARSEST = 64 };
/* Of the progress of a fit that begins with parts of the rows: their share of the work. */
#define COARSE_SHARE 0.2

/* A part of the rows moves the optimum by about one nat a coordinate; solving it much closer than
 * that is wasted. */
#define ROUGHLY 0.05

gbs_status gbs_engine_create(const gbs_empirical *risk, gbs_family family, gbs_solver solver,
                             gbs_engine *out) {
    gbs_context *ctx = risk->ctx;
    size_t d = risk->d;
    bool matrix = gbs_family_of(family)->pull == GBS_PULL_MATRIX;
    if (solver == GBS_SOLVER_AUTO)
        solver = matrix || d <= NEWTON_COLUMNS ? GBS_SOLVER_NATURAL : GBS_SOLVER_LBFGS;
    bool curvature = solver == GBS_SOLVER_NATURAL && !matrix;
    *out = (gbs_engine){.ctx = ctx, .family = family, .d = d, .solver = solver, .done_span = 1.0};
    gbs_prior any = {NULL, 1.0};
    gbs_status status = gbs_workspace_create(risk, family, curvature, &out->workspace);
    if (status == GBS_OK)
        status = gbs_gaussian_create(ctx, family, d, &any, 1.0, &out->next);
    if (status == GBS_OK)
        status = gbs_point_create(ctx, d, family, curvature, &out->here);
    if (status == GBS_OK)
        status = gbs_point_create(ctx, d, family, curvature, &out->there);
    if (status == GBS_OK && (out->step = gbs_doubles(ctx, d)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK && solver == GBS_SOLVER_NATURAL) {
        size_t size = d + gbs_family_of(family)->free_size(d);
        status = gbs_anderson_create(ctx, size, &out->anderson);
        if (status == GBS_OK && (out->packed = gbs_matrix(ctx, 4, size)) == NULL)
            status = GBS_ERR_MEMORY;
    }
    if (status != GBS_OK)
        gbs_engine_free(out);
    return status;
}

void gbs_engine_free(gbs_engine *e) {
    if (e->ctx == NULL)
        return;
    gbs_workspace_free(&e->workspace);
    gbs_gaussian_free(e->ctx, &e->next);
    gbs_point_free(e->ctx, &e->here);
    gbs_point_free(e->ctx, &e->there);
    gbs_array_free(e->ctx, e->step);
    gbs_array_free(e->ctx, e->packed);
    gbs_anderson_free(e->ctx, &e->anderson);
    *e = (gbs_engine){0};
}

double gbs_left_to_gain(const gbs_problem *problem, const gbs_gaussian *g, const gbs_point *p,
                        double decrement, double *square) {
    return problem->risk->loss->convex ? gbs_optimality_gap(problem, g, p, square) : decrement;
}

void gbs_engine_progress(gbs_engine *e, double left, double target) {
    gbs_trace_add(e->trace, e->here.free_energy, 0);
    if (!(e->first_left > 0.0))
        e->first_left = left;
    double whole = log(e->first_left / target), now = log(e->first_left / left);
    double share = whole > 0.0 && now > 0.0 ? fmin(1.0, now / whole) : 0.0;
    gbs_progress(e->ctx, "fit", e->done_before + e->done_span * share);
}

void gbs_solution_tell(const gbs_problem *problem, const gbs_point *p, double left,
                       gbs_solution *result) {
    result->free_energy = p->free_energy;
    result->risk = p->risk;
    result->kl = p->kl;
    result->gap = problem->risk->loss->convex ? left : NAN;
}

/* The natural gradient may find no step that falls (separable rows, a huge lambda); where it was
 * our choice and not the caller's, L-BFGS goes on from there. */
static gbs_status natural_or_lbfgs(const gbs_problem *problem, const gbs_solve_options *options,
                                   gbs_engine *engine, gbs_gaussian *g, gbs_solution *result) {
    gbs_status status = gbs_solve_natural(problem, options, engine, g, result);
    if (status != GBS_OK || result->converged || options->solver != GBS_SOLVER_AUTO ||
        result->iterations >= options->max_iterations)
        return status;
    size_t spent = result->iterations;
    gbs_solve_options rest = *options;
    rest.max_iterations -= spent;
    status = gbs_solve_lbfgs(problem, &rest, engine, g, result);
    result->iterations += spent;
    return status;
}

static gbs_status run(const gbs_problem *problem, const gbs_solve_options *options,
                      gbs_engine *engine, gbs_gaussian *g, gbs_solution *result) {
    switch (engine->solver) {
    case GBS_SOLVER_NATURAL:
        return natural_or_lbfgs(problem, options, engine, g, result);
    case GBS_SOLVER_SGD:
        return gbs_solve_sgd(problem, options, engine, g, result);
    case GBS_SOLVER_LBFGS:
    case GBS_SOLVER_AUTO:
        break;
    }
    return gbs_solve_lbfgs(problem, options, engine, g, result);
}

/* Every stride-th row stands for all; a level is used while it has rows enough for its columns. */
static bool worth_a_level(const gbs_problem *problem, size_t stride) {
    size_t rows = problem->risk->rows / stride;
    return rows >= 500 && rows >= 5 * problem->risk->d;
}

/* The mean risk over every 64th, then every 8th row is close to the mean over all; solving there
 * first leaves few passes over all. A convex problem counts a part for what it is, lambda / stride:
 * its posterior is then as wide as those rows leave it, the losses are smooth around it, and the
 * steps to the narrower posterior of all rows go down at full length. At lambda a part is
 * overfitted, and the way back is slow where some columns are rare. With many minima (zero-one) the
 * start decides which one is found, and lambda stays: a wide posterior would have forgotten it. */
static gbs_status climb_levels(const gbs_problem *problem, const gbs_solve_options *options,
                               gbs_engine *engine, gbs_gaussian *g, size_t *spent) {
    for (size_t stride = COARSEST; stride > 1; stride /= FINEST) {
        if (!worth_a_level(problem, stride))
            continue;
        gbs_empirical *part;
        gbs_solve_options rough = *options;
        rough.enough = ROUGHLY * (double)g->d;
        gbs_solution result;
        gbs_status status = gbs_empirical_part(problem->risk, stride, &part);
        gbs_problem coarse = *problem;
        coarse.risk = part;
        if (problem->risk->loss->convex)
            coarse.lambda /= (double)stride;
        if (status == GBS_OK)
            status = run(&coarse, &rough, engine, g, &result);
        gbs_empirical_free(part);
        if (status != GBS_OK)
            return status;
        *spent += result.iterations;
    }
    return GBS_OK;
}

/* F of the start on every few rows: it is tame there, so that some of them say it well. */
static gbs_status rough_value(const gbs_problem *problem, gbs_engine *engine,
                              const gbs_gaussian *start, double *value) {
    gbs_problem coarse = *problem;
    gbs_empirical *part;
    gbs_status status = gbs_empirical_part(problem->risk, FINEST, &part);
    coarse.risk = part;
    if (status == GBS_OK)
        status = gbs_evaluate(&coarse, start, &engine->workspace, &engine->there);
    gbs_empirical_free(part);
    *value = engine->there.free_energy;
    return status;
}

/* The part may have missed the rows that matter most (a rare level, and the exponential loss
 * explodes on it): its solution becomes the start only if it is better than the start it came from.
 */
static gbs_status coarse_start(const gbs_problem *problem, const gbs_solve_options *options,
                               gbs_engine *engine, gbs_gaussian *g, size_t *spent) {
    gbs_gaussian kept;
    double at_start = INFINITY;
    gbs_status status = gbs_gaussian_create(problem->ctx, g->family, g->d, &problem->prior, 1.0,
                                            &kept);
    if (status != GBS_OK)
        return status;
    gbs_gaussian_copy(&kept, g);
    status = climb_levels(problem, options, engine, g, spent);
    if (status == GBS_OK)
        status = rough_value(problem, engine, &kept, &at_start);
    if (status == GBS_OK)
        status = gbs_evaluate(problem, g, &engine->workspace, &engine->here);
    engine->known = status == GBS_OK && engine->here.free_energy < at_start;
    if (!engine->known)
        gbs_gaussian_copy(g, &kept);
    gbs_gaussian_free(problem->ctx, &kept);
    return status;
}

gbs_status gbs_evaluate_start(const gbs_problem *problem, gbs_engine *engine,
                              const gbs_gaussian *g) {
    bool known = engine->known;
    engine->known = false;
    return known ? GBS_OK : gbs_evaluate(problem, g, &engine->workspace, &engine->here);
}

gbs_status gbs_solve(const gbs_problem *problem, const gbs_solve_options *options,
                     bool coarse_first, gbs_engine *engine, gbs_gaussian *g, gbs_solution *result) {
    size_t spent = 0;
    gbs_status status = GBS_OK;
    gbs_trace *trace = engine->trace;
    double before = engine->done_before, span = engine->done_span;
    engine->trace = NULL; /* the free energy of a part of the rows is another one */
    if (coarse_first && engine->solver != GBS_SOLVER_SGD && worth_a_level(problem, FINEST)) {
        engine->done_span = COARSE_SHARE * span;
        status = coarse_start(problem, options, engine, g, &spent);
        engine->done_before += engine->done_span;
        engine->done_span = span - engine->done_span;
    }
    engine->first_left = 0.0;
    engine->trace = trace;
    if (status == GBS_OK)
        status = gbs_trace_begin(problem->ctx, trace, problem->lambda);
    if (status == GBS_OK)
        status = run(problem, options, engine, g, result);
    if (status == GBS_OK)
        result->iterations += spent;
    engine->done_before = before;
    engine->done_span = span;
    return status;
}

gbs_status gbs_solve_on_part(const gbs_problem *problem, const gbs_solve_options *options,
                             size_t stride, gbs_engine *engine, gbs_gaussian *g,
                             gbs_solution *result) {
    gbs_empirical *part;
    gbs_status status = gbs_empirical_part(problem->risk, stride, &part);
    gbs_problem coarse = *problem;
    coarse.risk = part;
    engine->first_left = 0.0;
    gbs_trace *trace = engine->trace;
    engine->trace = NULL;
    if (status == GBS_OK)
        status = run(&coarse, options, engine, g, result);
    gbs_empirical_free(part);
    engine->trace = trace;
    if (status == GBS_OK)
        status = gbs_evaluate(problem, g, &engine->workspace, &engine->here);
    if (status == GBS_OK)
        gbs_solution_tell(problem, &engine->here, NAN, result);
    return status;
}
