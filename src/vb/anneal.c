/* Deterministic annealing (docs/maths.md, 4.8).
 *
 * For 0 < lambda_1 < ... < lambda_T each problem is solved from the last solution, the first from
 * the prior. The zero-one objective has many local minima, and a richer family has more of them:
 * left alone, its path may end above that of a smaller family. So the chain isotropic < diagonal <
 * full climbs together, and at each rung a family that finds itself above its smaller neighbour
 * restarts from there.
 */
#include "vb/anneal.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

/* One family of the chain on its way up. */
struct climber {
    gbs_problem problem;
    gbs_engine engine;
    gbs_gaussian here, other;
    gbs_solution solution;
    const gbs_reduction *reduced;
};

/* Families that climb together, at most. */
enum { CHAIN = 8 };

/* Rungs below the last are starts for the next, and honest posteriors at any precision. */
#define ON_THE_WAY 1e-5

static gbs_status climber_create(const gbs_anneal_task *task, gbs_family family,
                                 struct climber *c) {
    gbs_context *ctx = task->problem.ctx;
    *c = (struct climber){.problem = task->problem};
    if (gbs_family_of(family)->pull == GBS_PULL_MATRIX && task->reduced != NULL) {
        c->reduced = task->reduced;
        c->problem.risk = task->reduced->reduced;
        c->problem.prior.mean = task->reduced->prior_mean;
    }
    size_t d = c->problem.risk->d;
    gbs_status status = gbs_engine_create(c->problem.risk, family, task->solve.solver, &c->engine);
    if (status == GBS_OK)
        status = gbs_gaussian_create(ctx, family, d, &c->problem.prior, task->fixed_sd, &c->here);
    if (status == GBS_OK)
        status = gbs_gaussian_create(ctx, family, d, &c->problem.prior, task->fixed_sd, &c->other);
    return status;
}

/* A convex problem may start anywhere. From the prior, the exponential risk of a long row
 * overflows; with the spread below the row lengths every loss is tame. */
static void tame_start(struct climber *c) {
    double longest = gbs_empirical_longest(c->problem.risk);
    gbs_prior tame = {c->problem.prior.mean,
                      fmin(c->problem.prior.variance, longest > 0.0 ? 1.0 / longest : 1.0)};
    if (gbs_family_of(c->here.family)->free_size(c->here.d) > 0)
        gbs_gaussian_set_prior(&c->here, &tame, 0.0);
}

/* The caller's start in the climber's coordinates, in c->other; false: it cannot be had. */
static gbs_status lay_start(const gbs_anneal_task *task, struct climber *c, bool *laid) {
    const gbs_gaussian *start = task->start;
    *laid = c->reduced == NULL || start->factor == NULL;
    if (c->reduced != NULL)
        return *laid ? gbs_reduction_project(c->reduced, start, &c->other) : GBS_OK;
    if (start->family != c->other.family)
        gbs_gaussian_embed(&c->other, start);
    else if (gbs_family_of(start->family)->free_size(start->d) > 0)
        gbs_gaussian_copy(&c->other, start);
    else
        memcpy(c->other.mean, start->mean, start->d * sizeof *start->mean);
    return GBS_OK;
}

/* Begins at the caller's start, if that is the better one (docs/maths.md, 4.10). */
static gbs_status take_start(const gbs_anneal_task *task, struct climber *c, bool *taken) {
    gbs_status status = lay_start(task, c, taken);
    if (status != GBS_OK || !*taken)
        return status;
    c->problem.lambda = task->ladder[0];
    status = gbs_evaluate_start(&c->problem, &c->engine, &c->here);
    double usual = c->engine.here.free_energy;
    if (status == GBS_OK)
        status = gbs_evaluate_start(&c->problem, &c->engine, &c->other);
    *taken = status == GBS_OK && c->engine.here.free_energy < usual;
    if (!*taken)
        return status;
    gbs_gaussian swap = c->here;
    c->here = c->other;
    c->other = swap;
    c->engine.known = true;
    return GBS_OK;
}

static void climber_free(gbs_context *ctx, struct climber *c) {
    gbs_engine_free(&c->engine);
    gbs_gaussian_free(ctx, &c->here);
    gbs_gaussian_free(ctx, &c->other);
}

/* Starts again from the smaller family's solution; keeps the lower of the two ends. */
static gbs_status start_from_smaller(const gbs_anneal_task *task, struct climber *c,
                                     const struct climber *smaller) {
    gbs_status status = GBS_OK;
    if (c->reduced != NULL)
        status = gbs_reduction_project(c->reduced, &smaller->here, &c->other);
    else
        gbs_gaussian_embed(&c->other, &smaller->here);
    gbs_solution solution;
    if (status == GBS_OK)
        status = gbs_solve(&c->problem, &task->solve, false, &c->engine, &c->other, &solution);
    if (status != GBS_OK)
        return status;
    size_t spent = c->solution.iterations + solution.iterations;
    if (solution.free_energy < c->solution.free_energy) {
        gbs_gaussian t = c->here;
        c->here = c->other;
        c->other = t;
        c->solution = solution;
    }
    c->solution.iterations = spent;
    return GBS_OK;
}

/* Some rows resolve the risk well enough for a small lambda, and the rest of a large file adds
 * nothing yet. */
static size_t stride_of(const gbs_anneal_task *task, size_t t, const gbs_empirical *risk) {
    double n = (double)risk->rows, wanted = fmax(risk->rows_per_lambda * task->ladder[t],
                                                 fmax(4000.0, 40.0 * (double)risk->d));
    bool below = task->part_below && t + 1 < task->rungs;
    return below && n >= 2.0 * wanted ? (size_t)(n / wanted) : 1;
}

/* One family on one rung. */
static gbs_status solve_rung(const gbs_anneal_task *task, size_t t, bool coarse,
                             struct climber *c) {
    gbs_solve_options options = task->solve;
    if (t + 1 < task->rungs)
        options.tolerance = fmax(options.tolerance, ON_THE_WAY);
    size_t stride = stride_of(task, t, c->problem.risk);
    if (stride > 1)
        return gbs_solve_on_part(&c->problem, &options, stride, &c->engine, &c->here, &c->solution);
    return gbs_solve(&c->problem, &options, coarse, &c->engine, &c->here, &c->solution);
}

/* By more than rounding: where lambda is small two families may have one and the same solution. */
static bool is_lower(const gbs_solution *a, const gbs_solution *b) {
    return a->free_energy < b->free_energy - GBS_ROUNDING * fabs(b->free_energy);
}

static gbs_status climb_rung(const gbs_anneal_task *task, size_t t, bool coarse,
                             struct climber *chain, size_t count) {
    for (size_t k = 0; k < count; k++) {
        struct climber *c = &chain[k];
        c->problem.lambda = task->ladder[t];
        double done = (double)t + (double)k / (double)count;
        c->engine.done_before = done / (double)task->rungs;
        c->engine.done_span = 1.0 / (double)(task->rungs * count);
        c->engine.trace = k + 1 == count ? task->trace : NULL;
        gbs_status status = solve_rung(task, t, coarse, c);
        if (status == GBS_OK && k > 0 && is_lower(&chain[k - 1].solution, &c->solution))
            status = start_from_smaller(task, c, &chain[k - 1]);
        if (status != GBS_OK)
            return status;
    }
    return GBS_OK;
}

/* The families that climb, the smallest first: the task's own, and where minima are many those
 * below it. Returns how many. */
static size_t choose_chain(const gbs_anneal_task *task, gbs_family *families) {
    bool alone = task->problem.risk->loss->convex || task->solve.solver == GBS_SOLVER_SGD;
    size_t count = 0;
    gbs_family next = task->family;
    for (; count == 0 || (!alone && count < CHAIN && gbs_family_of(next) != NULL); count++) {
        families[count] = next;
        next = gbs_family_of(next)->smaller;
    }
    for (size_t k = 0; k < count / 2; k++) {
        gbs_family t = families[k];
        families[k] = families[count - 1 - k];
        families[count - 1 - k] = t;
    }
    return count;
}

gbs_status gbs_anneal(const gbs_anneal_task *task, gbs_gaussian *result, gbs_solution *path) {
    gbs_context *ctx = task->problem.ctx;
    struct climber chain[CHAIN] = {0};
    gbs_family families[CHAIN];
    size_t count = choose_chain(task, families), last = count - 1, created = 0;
    gbs_status status;
    bool convex = task->problem.risk->loss->convex, started = false;
    do { /* a chain is of one family at least */
        status = climber_create(task, families[created], &chain[created]);
    } while (status == GBS_OK && ++created < count);
    if (status == GBS_OK && convex)
        tame_start(&chain[last]);
    if (status == GBS_OK && convex && task->start != NULL)
        status = take_start(task, &chain[last], &started);
    for (size_t t = 0; status == GBS_OK && t < task->rungs; t++) {
        status = climb_rung(task, t, t == 0 && !started, chain, count);
        path[t] = chain[last].solution;
        if (status == GBS_OK && task->consider != NULL)
            status = task->consider(task->arg, t, &chain[last].here, &path[t]);
    }
    if (status == GBS_OK) {
        gbs_gaussian swap = *result;
        *result = chain[last].here;
        chain[last].here = swap;
    }
    for (size_t k = 0; k < count; k++)
        climber_free(ctx, &chain[k]);
    return status;
}

gbs_status gbs_restart(const gbs_anneal_task *task, size_t restarts, gbs_gaussian *result,
                       gbs_solution *best, double *energies) {
    gbs_context *ctx = task->problem.ctx;
    struct climber c;
    gbs_status status = climber_create(task, task->family, &c);
    c.problem.lambda = task->ladder[task->rungs - 1];
    double sd = sqrt(c.problem.prior.variance);
    size_t spent = 0;
    for (size_t i = 0; status == GBS_OK && i < restarts; i++) {
        gbs_gaussian_set_prior(&c.here, &c.problem.prior, task->fixed_sd);
        if (c.problem.risk->loss->convex)
            tame_start(&c);
        for (size_t k = 0; k < c.here.d; k++)
            c.here.mean[k] += sd * gbs_normal(ctx->seed, GBS_STREAM_RESTART + i, k);
        c.engine.done_before = (double)i / (double)restarts;
        c.engine.done_span = 1.0 / (double)restarts;
        c.engine.trace = task->trace;
        status = gbs_solve(&c.problem, &task->solve, false, &c.engine, &c.here, &c.solution);
        if (status != GBS_OK)
            break;
        spent += c.solution.iterations;
        energies[i] = c.solution.free_energy;
        /* a start from which F overflowed is worth nothing, unless there is no other */
        if (i == 0 || energies[i] < best->free_energy) {
            *best = c.solution;
            gbs_gaussian_copy(result, &c.here);
        }
    }
    best->iterations = spent;
    climber_free(ctx, &c);
    return status;
}
