/* Oracle inequalities: the pieces that `gbs_theory` puts into rows. `delta` = 1 - confidence;
 * excess risks over the best classifier. */
#ifndef GIBBSITE_BOUND_THEORY_H
#define GIBBSITE_BOUND_THEORY_H

#include "core/context.h"
#include "options/settings.h"

#include <stdbool.h>

enum { GBS_THEORY_ROWS = 40 };

struct gbs_theory {
    gbs_context *ctx;
    size_t count;
    gbs_theory_row rows[GBS_THEORY_ROWS];
};

/* Fills count and rows. */
gbs_status gbs_theory_run(gbs_context *ctx, const gbs_theory_settings *settings, gbs_theory *out);

/* min over sigma > 0 of slope sigma + weight (K(sigma) + nats), with K = KL(N(m, sigma^2 I_d) ||
 * N(0, v I_d)) and norm = |m|. The best sigma goes to *sigma unless that is NULL. */
double gbs_oracle_minimum(double slope, double weight, double nats, double d, double v, double norm,
                          double *sigma);

/* Theorem 4.2 with m = theta-bar: min 2c sqrt(d) sigma + 2 (f + K + log(2/delta))/lambda, f as
 * handed in. */
double gbs_oracle_hoeffding(double f, double lambda, double c, double d, double v, double delta);
/* Theorem 4.3: min [ (lambda+g) 2c sqrt(d) sigma + 2K + 2 log(2/delta) ]/(lambda-g); infinite when
 * g >= lambda. */
double gbs_oracle_bernstein(double g, double lambda, double c, double d, double v, double delta);
/* Hinge: min cx sqrt(d) sigma + 2 (f + K + log(2/delta))/lambda. */
double gbs_oracle_hinge(double f, double lambda, double cx, double d, double v, double norm,
                        double delta);
/* The closed forms under margin, at sigma = 1/n and the margin lambda (docs/maths.md, 9.4). */
double gbs_margin_closed(bool ranking, double n, double d, double c, double margin, double v,
                         double delta);

/* What the paper prints (L: line of its LaTeX). The Hoeffding ones fix lambda and the prior
 * themselves. */
double gbs_print_classification(double n, double d, double c, double delta); /* L679 */
double gbs_print_ranking(double n, double d, double c, double delta);        /* L1056 */
double gbs_print_margin(bool ranking, double n, double d, double c, double margin, double sd,
                        double delta);                                  /* L715, L1074 */
double gbs_print_hinge(double n, double d, double cx, double delta);    /* L836 */
double gbs_print_hinge_f(double lambda, double n, double v, double cx); /* L816 */

#endif
