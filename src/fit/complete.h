/* One matrix completion, in parts: how q is fitted (complete_ascend.c), how the noise is chosen
 * (complete_choose.c), what is certified (complete_certify.c), what is kept of it
 * (complete_keep.c); the hierarchical model is in complete_hierarchical.c, what is chosen of
 * it in complete_levels.h, what is kept in complete_keep_levels.c and complete_sample_levels.c.
 */
#ifndef GIBBSITE_FIT_COMPLETE_H
#define GIBBSITE_FIT_COMPLETE_H

#include "completion/ascent.h"
#include "completion/hierarchical.h"
#include "model/completion.h"
#include "options/settings.h"

struct gbs_completion_run {
    gbs_context *ctx;
    const gbs_complete_settings *o;
    const gbs_ratings *all, *certified;
    /* of what a certificate takes for random: which ratings are left out, from the set of them; the
     * draws that it counts, from the ratings in their order */
    uint64_t seed, draw_seed;
    const gbs_ratings *learned; /* hierarchical: what is fitted to */
    gbs_ratings *part[2];       /* informed: the first part, and the rest */
    gbs_factors f;
    const gbs_factors *from; /* where the first start begins; NULL: it is spectral */
    gbs_ascent ascent;
    gbs_completion *model;
    double noise_variance;     /* 0: learned; where cross-validation chose it, what it chose */
    double share, share_noise; /* informed: t, and the noise variance of the first part */
    gbs_ascent second;
    /* informed: normalised squared error of the first part's mean prediction on the others */
    double holdout;
    double *restarts;
    const char *stage; /* hierarchical: what the bar says */
    double inflation; /* hierarchical: of the variances, by ratings left out; 0: not known */
    gbs_trace *trace; /* of the ascents; NULL: none is wanted */
    size_t n_choices;
    gbs_noise_choice *choices;
};

/* Coordinate ascent on these ratings: the best of options->restarts starts into r->f, r->ascent. */
gbs_status gbs_completion_ascend(struct gbs_completion_run *r, const gbs_ratings *ratings,
                                 const char *stage);
/* For the sampler: what the mean field dropped begins anew, since it may be there all the same. */
void gbs_completion_reopen(struct gbs_completion_run *r);
/* Splits the ratings; an informed prior from the first part (its noise chosen there), and the
 * second part's say. */
gbs_status gbs_completion_ascend_informed(struct gbs_completion_run *r);

/* Its two halves: the ratings split; what the second part teaches q = prior, and how much. */
gbs_status gbs_completion_split_first(struct gbs_completion_run *r);
gbs_status gbs_completion_learn_second(struct gbs_completion_run *r);

/* The noise variance with the smallest held-out error over folds of these ratings, into
 * r->noise_variance; r->choices tells of all. */
gbs_status gbs_completion_choose_noise(struct gbs_completion_run *r, const gbs_ratings *ratings);

/* kl (docs/maths.md, 6.1) over the Monte Carlo term (docs/maths.md, 6.6) of q as it stands, on
 * r->certified. */
gbs_status gbs_completion_certify(struct gbs_completion_run *r, size_t least_terms, uint64_t stream,
                                  gbs_rating_certificate *c);
/* The same of a risk that was drawn: empirical, draws, kl and grid_nats of `drawn` are known. */
void gbs_completion_bound(const struct gbs_completion_run *r, const gbs_rating_certificate *drawn,
                          gbs_rating_certificate *c);
/* Mean over the ratings of ((y - clip(mean prediction)) / (high - low))^2. */
double gbs_completion_mean_risk(const gbs_factors *f, const gbs_ratings *ratings, double low,
                                double high);

/* GBS_ERR_DATA where values are counts of events rather than ratings; a warning where they may be
 * (complete_counts.c). */
gbs_status gbs_completion_check_kind(gbs_context *ctx, const gbs_ratings *r);

/* The hierarchical model, start to stop, into r->ascent and r->model. */
gbs_status gbs_completion_fit_hierarchical(struct gbs_completion_run *r);
gbs_status gbs_completion_keep_hierarchical(struct gbs_completion_run *r, const gbs_levels *f,
                                            bool positions);
/* Draws of its sampler instead, begun where f stands. */
gbs_status gbs_completion_sample_levels(struct gbs_completion_run *r, gbs_levels *f,
                                        bool positions);
/* f as it stands, but for its noise, into r->model as draw number `draw`; turn: axes of rows and
 * columns, NULL: those of f. */
gbs_status gbs_completion_keep_levels(const struct gbs_completion_run *r, const gbs_levels *f,
                                      double *const turn[2], size_t draw);
/* Moves the draws that are kept of each item, and of one without ratings, about a better mean of
 * them, (items + 1) x own of each side, in the units of f, and `spread` times as far from it. */
void gbs_completion_centre_draws(gbs_completion *c, const gbs_levels *f, double *const mean[2],
                                 double spread);
/* Packed covariance of an item without ratings, in the units of f; scratch: own x own. False: it is
 * not positive definite. */
bool gbs_completion_new_item(const gbs_levels *f, int side, bool drawn, double *scratch,
                             double *packed);
/* noise_variance and lambda from the noise of the rows, the mean over the ratings. */
void gbs_completion_mean_noise(const struct gbs_completion_run *r, gbs_completion *c);

/* Its informed prior: r->model, fitted to the first part, learns from the second and is certified
 * there (complete_informed.c). */
gbs_status gbs_completion_certify_informed(struct gbs_completion_run *r);

/* Its zero prior, which looks at no rating: fitted to all of them and certified there
 * (complete_zero.c). */
gbs_status gbs_completion_fit_zero(struct gbs_completion_run *r);
/* r->model as a product of Gaussians of the items, over these ratings, into r->f. */
gbs_status gbs_completion_gaussians(struct gbs_completion_run *r, const gbs_ratings *ratings);

/* What the last ratings of a random order certify of the predictor that is fitted to the others:
 * into r->part, then of r->model into its info. */
gbs_status gbs_completion_split_last(struct gbs_completion_run *r);
gbs_status gbs_completion_certify_deployed(struct gbs_completion_run *r);
/* Mean over the ratings of ((y - middle of the range) / (high - low))^2. */
double gbs_completion_middle_risk(const gbs_ratings *ratings, double low, double high);

/* A model of r's sizes into r->model, components of `rank` left, to be filled. */
gbs_status gbs_completion_begin_model(struct gbs_completion_run *r, size_t rank, size_t own,
                                      size_t kept, bool covariance, double kl);
/* Into r->model. */
gbs_status gbs_completion_keep_variational(struct gbs_completion_run *r);
gbs_status gbs_completion_sample(struct gbs_completion_run *r);

/* Mean prediction of a cell, not clipped. */
double gbs_completion_mean_cell(const gbs_factors *f, size_t row, size_t column);

#endif
