/* Coordinate ascent for matrix completion, start to end. */
#ifndef GIBBSITE_COMPLETION_ASCENT_H
#define GIBBSITE_COMPLETION_ASCENT_H

#include "completion/factors.h"
#include "core/trace.h"

typedef struct gbs_ascent_options {
    size_t most_sweeps;
    double tolerance;    /* stop when a sweep lowers F by less than this share of it */
    bool prune;          /* drop components that are switched off */
    bool hold_variances; /* gamma stays as it is: no automatic rank */
    /* called after each step that may only lower F (NULL: not); rank tells where components were
     * dropped */
    void (*step)(void *user, const gbs_factors *f, double free_energy);
    void *user;
    const char *stage; /* of the progress */
    gbs_trace *trace;  /* of the sweeps; may be NULL */
} gbs_ascent_options;

typedef struct gbs_ascent {
    double free_energy;
    size_t sweeps;
    bool converged;
} gbs_ascent;

/* How far an ascent is on its way from the first fall of F in a sweep to the one that stops it, by
 * their logarithms: falls shrink about as powers do. */
double gbs_ascent_reached(double first, double fall, double stop);

gbs_status gbs_ascend(gbs_factors *f, const gbs_ascent_options *options, gbs_ascent *out);

#endif
