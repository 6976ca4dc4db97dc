/* Minimising the free energy from a given start: the solvers and what they report. */
#ifndef GIBBSITE_VB_SOLVE_H
#define GIBBSITE_VB_SOLVE_H

#include "core/trace.h"
#include "options/settings.h"
#include "vb/anderson.h"
#include "vb/free_energy.h"

/* F is a sum of n terms; differences below this share of it are rounding. */
#define GBS_ROUNDING 1e-13

typedef struct gbs_solve_options {
    gbs_solver solver;
    double tolerance;
    /* also stop when the second-order estimate of what is left falls below this; 0: never */
    double enough;
    size_t max_iterations;
    size_t batch, epochs;
    gbs_schedule schedule;
    /* sgd by draws: F is reported from a subsample, and never computed over all terms */
    bool by_subsample;
    /* sgd by draws: called after step `done` of `steps` with the posterior there; may be NULL. */
    gbs_status (*trace)(void *arg, size_t done, size_t steps, const gbs_gaussian *g);
    void *trace_arg;
} gbs_solve_options;

typedef struct gbs_solution {
    double free_energy, risk, kl;
    double gap; /* NaN when the loss is not convex */
    size_t iterations;
    bool converged;
    gbs_solver solver;
} gbs_solution;

/* Everything a solver allocates, made once and used for every rung and restart. */
typedef struct gbs_engine {
    gbs_context *ctx;
    gbs_family family;
    size_t d;
    gbs_solver solver;
    gbs_workspace workspace;
    gbs_gaussian next;
    gbs_point here, there;
    double *step;
    gbs_anderson anderson;         /* natural: over (m, precision) */
    double *packed;                /* natural: four vectors of that size */
    double done_before, done_span; /* this solve's stretch of the progress bar */
    double first_left;             /* what was left to gain at its start */
    gbs_trace *trace;              /* of this solve's iterations; NULL: not kept */
    bool known;                    /* `here` is the point that the next solve starts from */
} gbs_engine;

/* solver AUTO is settled here, from the family and the number of coefficients. */
gbs_status gbs_engine_create(const gbs_empirical *risk, gbs_family family, gbs_solver solver,
                             gbs_engine *out);
void gbs_engine_free(gbs_engine *e);

/* F and its slopes at the start of a solve, in engine->here, unless they are known. */
gbs_status gbs_evaluate_start(const gbs_problem *problem, gbs_engine *engine,
                              const gbs_gaussian *g);

/* Moves g downhill until the options' tolerance holds. Not converging is no error: see
 * result->converged. With `coarse_first`, large data is first solved on a part of its rows, for a
 * start. */
gbs_status gbs_solve(const gbs_problem *problem, const gbs_solve_options *options,
                     bool coarse_first, gbs_engine *engine, gbs_gaussian *g, gbs_solution *result);

/* Solves on every stride-th row, and reports F, risk and KL on all of them. */
gbs_status gbs_solve_on_part(const gbs_problem *problem, const gbs_solve_options *options,
                             size_t stride, gbs_engine *engine, gbs_gaussian *g,
                             gbs_solution *result);

/* The solvers behind it; same contract, no coarse start. */
gbs_status gbs_solve_natural(const gbs_problem *problem, const gbs_solve_options *options,
                             gbs_engine *engine, gbs_gaussian *g, gbs_solution *result);
gbs_status gbs_solve_lbfgs(const gbs_problem *problem, const gbs_solve_options *options,
                           gbs_engine *engine, gbs_gaussian *g, gbs_solution *result);
gbs_status gbs_solve_sgd(const gbs_problem *problem, const gbs_solve_options *options,
                         gbs_engine *engine, gbs_gaussian *g, gbs_solution *result);

/* What is left to gain at a point: the proven gap for a convex loss, else `decrement` (a
 * second-order guess). */
double gbs_left_to_gain(const gbs_problem *problem, const gbs_gaussian *g, const gbs_point *p,
                        double decrement, double *square);
/* One iteration is done: traces it, and moves the progress bar, on a log scale from what was left
 * at first to the target. */
void gbs_engine_progress(gbs_engine *e, double left, double target);
void gbs_solution_tell(const gbs_problem *problem, const gbs_point *p, double left,
                       gbs_solution *result);

#endif
