/* One posterior: the minimiser of lambda (empirical risk) + KL(. || prior) in a family. */
#ifndef GIBBSITE_FIT_POSTERIOR_H
#define GIBBSITE_FIT_POSTERIOR_H

#include "model/model.h"
#include "vb/anneal.h"

/* What a rung of the ladder is worth (less is better), from its zero-one Gibbs risk, its KL (and
 * the paper's) and its lambda. */
typedef double (*gbs_rung_value)(void *arg, double gibbs, double kl, double paper_kl,
                                 double lambda);

typedef struct gbs_posterior_job {
    gbs_context *ctx;
    const gbs_fit_settings *options; /* solver and its numbers, form; family settled */
    const gbs_empirical *risk;
    gbs_prior prior;
    double lambda; /* the last of the ladder, where the options have none */
    bool climb;    /* without a ladder: anneal from small lambdas where the loss is not convex */
    gbs_rung_value value; /* NULL: rungs are not valued */
    void *arg;
    bool last; /* take the last rung whatever the values */
    /* where to begin, in the coordinates of the risk; NULL, or its mean NULL: at the prior */
    const gbs_gaussian *start;
    gbs_trace *trace; /* of the minimisations; may be NULL */
} gbs_posterior_job;

typedef struct gbs_posterior {
    gbs_stage stage; /* weight 1 */
    gbs_path_point *path;
    size_t rungs, chosen;
    /* sgd by draws: steps on the way, with the bound at each; NULL: not asked for */
    gbs_path_point *trace;
    size_t traced;
    double *restarts; /* free energies; NULL: there were none */
    gbs_solver solver;
} gbs_posterior;

/* Stochastic steps over so many terms that the solver is not to make a pass over all of them at its
 * end: what it reports of F comes from a sample of rows. So it is where pairs are sampled on
 * request. A choice by bounds, and a path of them, need the passes. */
bool gbs_posterior_by_sample(const gbs_fit_settings *o, const gbs_empirical *risk);

gbs_status gbs_posterior_fit(const gbs_posterior_job *job, gbs_posterior *out);
void gbs_posterior_free(const gbs_context *ctx, gbs_posterior *p);

#endif
