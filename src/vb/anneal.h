/* Deterministic annealing, restarts, and the promise that a larger family never ends worse. */
#ifndef GIBBSITE_VB_ANNEAL_H
#define GIBBSITE_VB_ANNEAL_H

#include "vb/reduction.h"
#include "vb/solve.h"

typedef struct gbs_anneal_task {
    gbs_problem problem; /* lambda is set from the ladder */
    gbs_family family;
    double fixed_sd; /* of the fixed family */
    /* full family in the row space; NULL: in the data's own coordinates */
    const gbs_reduction *reduced;
    gbs_solve_options solve;
    const double *ladder; /* increasing */
    size_t rungs;
    /* Called with each rung of the task's family as it is done; may be NULL. */
    gbs_status (*consider)(void *arg, size_t rung, const gbs_gaussian *g,
                           const gbs_solution *solution);
    void *arg;
    gbs_trace *trace; /* of the task's family; may be NULL */
    /* of a convex loss: begin here if F is lower than at the prior; of the task's family or a
     * smaller one, in the data's coordinates. May be NULL */
    const gbs_gaussian *start;
    bool part_below; /* the rungs below the last are only starts: where lambda is small beside n, a
                         part of the rows will do */
} gbs_anneal_task;

/* Climbs the ladder, each rung started from the last, the first from the prior. result: the last
 * rung in the coordinates of task->reduced or the data; path[t]: rung t. For a loss that is not
 * convex the smaller families climb along, and a rung takes over a smaller family's solution
 * whenever that is lower. */
gbs_status gbs_anneal(const gbs_anneal_task *task, gbs_gaussian *result, gbs_solution *path);

/* The best of `restarts` solves at the last lambda whose means are drawn from the prior;
 * energies[i] is the F of each. */
gbs_status gbs_restart(const gbs_anneal_task *task, size_t restarts, gbs_gaussian *result,
                       gbs_solution *best, double *energies);

#endif
