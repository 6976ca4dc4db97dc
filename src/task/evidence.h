/* What certifies a posterior: numbers of the rows, or of pairs of them, that it is judged on. */
#ifndef GIBBSITE_TASK_EVIDENCE_H
#define GIBBSITE_TASK_EVIDENCE_H

#include <stddef.h>

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

#endif
