/* A loss of the margin z = y x'theta, smoothed by a Gaussian: psi(mu, s) = E loss(z), z ~ N(mu,
 * s^2).
 *
 * A loss enters the rest of the library through this table alone; a new one is one small file and
 * one line in loss.c.
 */
#ifndef GIBBSITE_RISK_LOSS_H
#define GIBBSITE_RISK_LOSS_H

#include "gibbsite.h"

#include <stdbool.h>

typedef struct gbs_loss_ops {
    const char *name;
    bool convex; /* psi is convex in (mu, s) and does not fall in s: the optimality gap is proven */
    /* psi and its partials for n margins; s = 0 gives the loss at mu itself. */
    void (*smoothed)(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                     double *d_s);
    /* The same for n pairs of rows (vb/pair_energy.c), of which there are many: given s^2 and 1/s,
     * and w = (d psi/d s)/s in place of d psi/d s. s^2 = 1/s = 0 gives any finite numbers. */
    void (*paired)(size_t n, const double *mu, const double *variance, const double *inverse,
                   double *psi, double *d_mu, double *w);
    /* The plain loss of n rows under GBS_LANES classifiers at once (kernel/tile.h): total[l] +=
     * sum_i loss(margin[i][l]). Both begin on a cache line. */
    void (*add_lanes)(size_t n, const double *margin, double *total);
    /* The same on a ring of states (smc/ring.c), two at a time: the margins are base[i] + c[k]
     * here[i][l] +- s[k] slope[i][l] and are never stored; total[2 k] takes the plus, total[2 k +
     * 1] the minus, GBS_LANES each. No base is -0. */
    void (*add_ring)(size_t n, const double *base, const double *here, const double *slope,
                     size_t pairs, const double *c, const double *s, double *total);
    /* Ranking: the plain loss of all n m differences a_i - b_j, added up; a and b ascending. */
    double (*add_pairs)(size_t n, const double *a, size_t m, const double *b);
} gbs_loss_ops;

extern const gbs_loss_ops gbs_zero_one;
extern const gbs_loss_ops gbs_hinge;
extern const gbs_loss_ops gbs_exponential;

/* NULL for a value out of range. */
const gbs_loss_ops *gbs_loss_of(gbs_loss loss);

/* The array length a loss file works in, so that its temporaries live on the stack. */
enum { GBS_LOSS_TILE = 256 };

#endif
