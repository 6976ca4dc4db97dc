/* Fits of the hierarchical model that are tried and compared (docs/maths.md, 8.18). */
#ifndef GIBBSITE_FIT_COMPLETE_LEVELS_H
#define GIBBSITE_FIT_COMPLETE_LEVELS_H

#include "completion/level_ascent.h"
#include "fit/complete.h"
#include "options/usual.h"

/* Parts that the ratings of a small table are left out in. */
enum { GBS_MOST_PARTS = 10 };
/* Fewer say nothing of models and ranks but gross differences; and fewer yet nothing at all. */
enum { GBS_LEAST_TO_RANK = 200, GBS_LEAST_TO_COMPETE = 40 };

/* What is chosen. */
struct gbs_level_candidate {
    gbs_completion_model model;
    size_t rank;
    bool positions;   /* hierarchical */
    double inflation; /* of its variances, by ratings left out; 0: not known */
    double tolerance; /* where its ascent may stop, by ratings left out; 0: not known */
};

struct gbs_level_attempt {
    double *phi[2];
    size_t features[2];
    gbs_levels f;
    gbs_ascent ascent;
    gbs_trace trace;
    double tolerance; /* 0: by the number of ratings */
};

/* Where a fit of the same table ended: columns x (rank + 1), factors and bias in units of the
 * ratings. */
struct gbs_place {
    size_t rank;
    const double *columns;
};

/* Features, room and start of a candidate on some ratings: spectral, or in a place, with as many
 * components as that has. */
gbs_status gbs_attempt_begin(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                             struct gbs_level_candidate c, const struct gbs_place *place,
                             struct gbs_level_attempt *a);
/* The same on r->learned, begun where a fit to some of it ended. */
gbs_status gbs_attempt_continue(const struct gbs_completion_run *r,
                                const struct gbs_level_attempt *some, struct gbs_level_candidate c,
                                struct gbs_level_attempt *a);
/* Up to so many sweeps in all. */
gbs_status gbs_attempt_ascend(const struct gbs_completion_run *r, size_t sweeps,
                              struct gbs_level_attempt *a);
void gbs_attempt_free(const gbs_context *ctx, struct gbs_level_attempt *a);

/* The paper's model of so many components fitted to some ratings, its noise learned, or in the
 * place of another fit. *f is the caller's to free where its context is set, also on error. */
gbs_status gbs_paper_attempt(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                             size_t rank, const gbs_factors *from, gbs_factors *f);

/* Ratings left out, as a fit saw them (complete_missed.c): y - p, and the standard deviation that
 * was expected of it, noise included. */
struct gbs_missed {
    size_t n;
    double *off, *sd;
};

gbs_status gbs_missed_reserve(gbs_context *ctx, size_t room, struct gbs_missed *m);
void gbs_missed_free(const gbs_context *ctx, struct gbs_missed *m);
void gbs_missed_swap(struct gbs_missed *a, struct gbs_missed *b);
/* Other ratings of the same table, behind what m holds; *error: their mean squared error. */
gbs_status gbs_levels_miss(const gbs_levels *f, const gbs_ratings *test, struct gbs_missed *m,
                           double *error);
/* Their mean squared error alone. */
double gbs_levels_error(const gbs_levels *f, const gbs_ratings *test);
/* The variance of a new rating in these cells as f has it. */
gbs_status gbs_levels_expect(const gbs_levels *f, size_t n, const uint32_t *row,
                             const uint32_t *column, double *square);
gbs_status gbs_paper_miss(const gbs_factors *f, const gbs_ratings *test, struct gbs_missed *m,
                          double *error);
/* Whether the squares of a are below those of b, of the same ratings, by more than so many standard
 * errors of their sum. */
bool gbs_missed_less(const struct gbs_missed *a, const struct gbs_missed *b, double errors);
/* The factor of the variances under which 95 % of them lie within 1.96 standard deviations. m is
 * used up. */
double gbs_missed_inflation(struct gbs_missed *m);

/* Parts of r->learned that are left out one at a time: `out` ratings each. */
struct gbs_left_out {
    const struct gbs_completion_run *r;
    size_t parts, out, *order; /* of the ratings, twice where there are several parts */
};

gbs_status gbs_left_out_begin(const struct gbs_completion_run *r, size_t parts, size_t out,
                              struct gbs_left_out *l);
void gbs_left_out_end(struct gbs_left_out *l);
/* The ratings without part p, and part p: the caller's to free, also on error. */
gbs_status gbs_left_out_part(const struct gbs_left_out *l, size_t p, gbs_ratings *part[2]);
/* Mean squared errors on each part of a candidate that is fitted to the rest, at most `sweeps`; m
 * has room for all parts, and holds them then. */
gbs_status gbs_left_out_errors(const struct gbs_left_out *l, struct gbs_level_candidate c,
                               size_t sweeps, double *error, struct gbs_missed *m);

/* Ratings to leave out at a time of so many. */
size_t gbs_left_out_of(size_t n);
double gbs_left_out_mean(size_t parts, const double *error);
/* Whether errors b are below errors a by more than so many standard errors of the mean difference
 * over the parts; of one part, at all. */
bool gbs_left_out_below(size_t parts, const double *a, const double *b, double errors);

/* The model, the rank and positions of a small table; `a` has begun it, but for the paper's. */
gbs_status gbs_completion_choose_small(const struct gbs_completion_run *r,
                                       struct gbs_level_candidate *c, struct gbs_level_attempt *a);
/* Of a table that is not: positions where they are open, the rank up to c->rank, all from one part
 * left out; `a` may have begun it. */
gbs_status gbs_completion_choose_large(const struct gbs_completion_run *r,
                                       struct gbs_level_candidate *c, struct gbs_level_attempt *a);
/* Ratings beside which others of the same row and others of the same column stand. One alone in its
 * row or its column is predicted without factors when it is left out, whatever they are: it says
 * nothing of models and ranks. */
size_t gbs_completion_crossed(const gbs_ratings *ratings);
/* Ranks to try on n ratings, from the smallest on; none: `rank` it is. */
enum { GBS_MOST_RANKS = 12 };
size_t gbs_completion_rank_list(size_t n, size_t rank, size_t *list);
/* The rank, up to c->rank. */
gbs_status gbs_completion_choose_rank(const struct gbs_completion_run *r,
                                      struct gbs_level_candidate *c);
/* What the options leave open into *c, by ratings left out; `a` may have some sweeps of it. */
gbs_status gbs_completion_choose_levels(struct gbs_completion_run *r, struct gbs_level_candidate *c,
                                        struct gbs_level_attempt *a);

#endif
