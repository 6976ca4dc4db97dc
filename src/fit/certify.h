/* From a fitted posterior to its certificates. */
#ifndef GIBBSITE_FIT_CERTIFY_H
#define GIBBSITE_FIT_CERTIFY_H

#include "model/model.h"

/* What a posterior did on the rows that certify it, and what was chosen how. */
typedef struct gbs_evidence {
    size_t n; /* certified rows */
    /* means of Phi_i and Phi_i^2 over them, Phi_i the Gibbs error of row i */
    double gibbs, second_moment;
    double hinge; /* mean hinge loss; only for a hinge posterior */
    double kl;
    double lambda;          /* of catoni, hoeffding, paper */
    double prior_distance2; /* |m - m0|^2 */
    double prior_norm;      /* |m0| */
    double prior_sd;
    size_t grid, ladder; /* sizes of the declared grids that were chosen from; 1: nothing was */
    size_t vote_errors;  /* of sign(x'm0) on those rows; only under an informed prior */
    /* Of ranking: n counts the rows of the smaller class, gibbs and second_moment are means over
     * pairs, and */
    size_t paired_rows;    /* rows of both classes; 0: no ranking */
    double pair_share;     /* share of all pairs of rows that have two labels */
    double score_disorder; /* 1 - AUC of x'm0 on those rows; only under an informed prior */
    size_t sampled;        /* pairs drawn at random that gibbs comes from; 0: from all of them */
    double sampled_mean; /* their mean; gibbs is the upper bound that it gives, at sampled_delta */
    double sampled_delta;
} gbs_evidence;

/* The bits that every certificate of a fit carries. */
unsigned gbs_common_assumptions(const gbs_fit_settings *o);
int gbs_assumptions_hold(unsigned assumptions);

/* The method behind GBS_BOUND_AUTO under one posterior. */
gbs_bound gbs_single_method(const gbs_fit_settings *o);

/* Price of the declared grids for a method, in nats. */
double gbs_grid_nats(const gbs_fit_settings *o, gbs_bound method, size_t grid, size_t ladder);

/* One bound on the zero-one Gibbs risk. paper_kl is only used by the paper's. */
double gbs_gibbs_bound(gbs_bound method, double gibbs, double kl, double paper_kl, size_t n,
                       double lambda, double log_price);

/* Fills model->certificates, the one asked for first. */
gbs_status gbs_certify(gbs_context *ctx, gbs_model *model, const gbs_fit_settings *options,
                       const gbs_evidence *evidence);

#endif
