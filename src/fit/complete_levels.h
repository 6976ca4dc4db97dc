/* Fits of the hierarchical model that are tried and compared (docs/maths.md, 8.18). */
#ifndef GIBBSITE_FIT_COMPLETE_LEVELS_H
#define GIBBSITE_FIT_COMPLETE_LEVELS_H

#include "completion/level_ascent.h"
#include "fit/complete.h"

/* What is chosen. */
struct gbs_level_candidate {
    gbs_completion_model model;
    size_t rank;
    bool positions; /* hierarchical */
};

struct gbs_level_attempt {
    double *phi[2];
    size_t features[2];
    gbs_levels f;
    gbs_ascent ascent;
    gbs_trace trace;
};

/* Features, room and start of a candidate on some ratings. */
gbs_status gbs_attempt_begin(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                             struct gbs_level_candidate c, struct gbs_level_attempt *a);
/* Up to so many sweeps in all. */
gbs_status gbs_attempt_ascend(const struct gbs_completion_run *r, size_t sweeps,
                              struct gbs_level_attempt *a);
void gbs_attempt_free(const gbs_context *ctx, struct gbs_level_attempt *a);

/* Parts of r->learned that are left out one at a time: `out` ratings each. */
struct gbs_left_out {
    const struct gbs_completion_run *r;
    size_t parts, out, *order;
};

gbs_status gbs_left_out_begin(const struct gbs_completion_run *r, size_t parts, size_t out,
                              struct gbs_left_out *l);
void gbs_left_out_end(struct gbs_left_out *l);
/* Mean squared errors on each part of a candidate that is fitted to the rest, at most `sweeps`. */
gbs_status gbs_left_out_errors(const struct gbs_left_out *l, struct gbs_level_candidate c,
                               size_t sweeps, double *error);

/* Ratings to leave out at a time of so many. */
size_t gbs_left_out_of(size_t n);

/* Whether the paper's model may be taken in place of the hierarchical one: nothing was asked for,
 * or is known of rows and columns, that only the latter has. */
bool gbs_completion_may_be_paper(const struct gbs_completion_run *r);
/* The rank, up to c->rank, and on a small table the model. */
gbs_status gbs_completion_choose_rank(const struct gbs_completion_run *r,
                                      struct gbs_level_candidate *c);
/* What the options leave open into *c, by ratings left out; `a` may have some sweeps of it. */
gbs_status gbs_completion_choose_levels(struct gbs_completion_run *r, struct gbs_level_candidate *c,
                                        struct gbs_level_attempt *a);

#endif
