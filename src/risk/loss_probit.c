/* Probit loss: the hinge max(0, -z) blurred by a standard normal, smoothed by a Gaussian margin.
 *
 *   loss(z) = E max(0, Z - z) = phi(z) - z Phi(-z)
 *   psi(mu, s) = -mu Phi(t) + r phi(t) = r h(t),   r = sqrt(1 + s^2),  t = -mu/r
 *   d psi/d mu = -Phi(t),   d psi/d s = (s/r) phi(t)                      (docs/maths.md, 3.7)
 *
 * Its slope is -Phi(-z), so the score of least risk is Phi^-1 of the probability of the label: it
 * orders rows well where a class is rare, and the hinge's best score is the same for all of them.
 * Convex in (mu, s) and smooth; s = 0 is the plain loss.
 */
#include "kernel/mills.h"
#include "kernel/normal.h"
#include "kernel/tile.h"
#include "kernel/vector.h"
#include "risk/loss.h"

#include <math.h>

/* From here on the loss is -z to the last bit; density and tail count as 0. */
#define LINEAR 30.0

/* r and t of each margin, t within what the normal kernels want. */
GBS_WIDE static void widen(size_t n, const double *restrict mu, const double *restrict variance,
                           double *restrict r, double *restrict t) {
    for (size_t i = 0; i < n; i++) {
        r[i] = sqrt(1.0 + variance[i]);
        double here = -mu[i] / r[i];
        here = here > -GBS_FAR_TAIL ? here : -GBS_FAR_TAIL;
        t[i] = here < GBS_FAR_TAIL ? here : GBS_FAR_TAIL;
    }
}

/* w comes as the density. */
GBS_WIDE static void values(size_t n, const double *restrict mu, const double *restrict r,
                            const double *restrict t, const double *restrict cdf,
                            const double *restrict h, double *restrict psi, double *restrict d_mu,
                            double *restrict w) {
    for (size_t i = 0; i < n; i++) {
        double smooth = r[i] * h[i];
        psi[i] = t[i] < LINEAR ? smooth : -mu[i];
        d_mu[i] = -cdf[i];
        w[i] /= r[i];
    }
}

static void paired(size_t n, const double *mu, const double *variance, const double *inverse,
                   double *psi, double *d_mu, double *w) {
    (void)inverse; /* a margin that does not spread needs no care here */
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double r[GBS_LOSS_TILE], t[GBS_LOSS_TILE], cdf[GBS_LOSS_TILE], h[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        widen(m, mu + from, variance + from, r, t);
        gbs_normal_all(m, t, w + from, cdf, h);
        values(m, mu + from, r, t, cdf, h, psi + from, d_mu + from, w + from);
    }
}

GBS_WIDE static void squares(size_t n, const double *restrict s, double *restrict variance) {
    for (size_t i = 0; i < n; i++)
        variance[i] = s[i] * s[i];
}

GBS_WIDE static void times(size_t n, const double *restrict s, double *restrict d_s) {
    for (size_t i = 0; i < n; i++)
        d_s[i] *= s[i];
}

static void smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                     double *d_s) {
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double variance[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        squares(m, s + from, variance);
        paired(m, mu + from, variance, NULL, psi + from, d_mu + from, d_s + from);
        times(m, s + from, d_s + from); /* (d psi/d s)/s until here */
    }
}

/* The plain loss, for loops that become vectors. */
static inline __attribute__((always_inline)) double plain(double z) {
    double x = z < 0.0 ? -z : z;
    x = x < GBS_FAR_TAIL ? x : GBS_FAR_TAIL;
    double over = 1.0 / (x + GBS_MILLS_CENTRE), u = 1.0 - 2.0 * GBS_MILLS_CENTRE * over;
    double below = gbs_density_at(x) * (gbs_excess(u) * over * over);
    return z < 0.0 ? below - z : below;
}

GBS_WIDE static void add_lanes(size_t n, const double *margin, double *total) {
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++)
            total[l] += plain(margin[i * GBS_LANES + l]);
}

GBS_WIDE static void add_two(size_t n, const double *base, const double *here, const double *slope,
                             double c, double s, double *plus, double *minus) {
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < GBS_LANES; l++) {
            double u = base[i] + c * here[i * GBS_LANES + l], v = s * slope[i * GBS_LANES + l];
            plus[l] += plain(u + v);
            minus[l] += plain(u - v);
        }
}

static void add_ring(size_t n, const double *base, const double *here, const double *slope,
                     size_t pairs, const double *c, const double *s, double *total) {
    for (size_t k = 0; k < pairs; k++, total += 2 * GBS_LANES)
        add_two(n, base, here, slope, c[k], s[k], total, total + GBS_LANES);
}

/* One by one: no sum over the b serves all a. */
GBS_WIDE static double add_pairs(size_t n, const double *a, size_t m, const double *b) {
    double lost = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < m; j++)
            sum += plain(a[i] - b[j]);
        lost += sum;
    }
    return lost;
}

const gbs_loss_ops gbs_probit = {.pointwise = {.name = "probit",
                                               .smoothed = smoothed,
                                               .paired = paired,
                                               .add_lanes = add_lanes,
                                               .add_ring = add_ring,
                                               .state_cost = 40.0,
                                               .add_pairs = add_pairs},
                                 .convex = true};
