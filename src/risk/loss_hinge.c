/* Hinge loss max(0, 1 - z) smoothed by a Gaussian margin.
 *
 *   psi(mu, s) = a Phi(t) + s phi(t) = s h(t),   a = 1 - mu,  t = a/s
 *   d psi/d mu = -Phi(t),   d psi/d s = phi(t)                            (docs/maths.md, 3.3)
 *
 * Convex in (mu, s); s = 0 is the plain hinge.
 */
#include "kernel/normal.h"
#include "kernel/tile.h"
#include "kernel/vector.h"
#include "risk/loss.h"

GBS_WIDE static void ratio(size_t n, const double *restrict mu, const double *restrict s,
                           double *restrict t) {
    for (size_t i = 0; i < n; i++) {
        double here = s[i] > 0.0 ? (1.0 - mu[i]) / s[i] : 0.0;
        here = here > -40.0 ? here : -40.0;
        t[i] = here < 40.0 ? here : 40.0;
    }
}

GBS_WIDE static void values(size_t n, const double *restrict mu, const double *restrict s,
                            const double *restrict t, const double *restrict cdf,
                            const double *restrict h, double *restrict psi, double *restrict d_mu,
                            double *restrict d_s) {
    for (size_t i = 0; i < n; i++) {
        double a = 1.0 - mu[i], corner = a > 0.0 ? -1.0 : a < 0.0 ? 0.0 : -0.5;
        bool spread = s[i] > 0.0;
        double smooth = t[i] < 30.0 ? s[i] * h[i] : a, plain = a > 0.0 ? a : 0.0;
        psi[i] = spread ? smooth : plain;
        d_mu[i] = spread ? -cdf[i] : corner;
        d_s[i] = spread || a == 0.0 ? d_s[i] : 0.0;
    }
}

static void tile(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                 double *d_s) {
    double t[GBS_LOSS_TILE], cdf[GBS_LOSS_TILE], h[GBS_LOSS_TILE];
    ratio(n, mu, s, t);
    gbs_normal_density(n, t, d_s);
    gbs_normal_distribution(n, t, cdf);
    gbs_normal_excess(n, t, d_s, cdf, h);
    values(n, mu, s, t, cdf, h, psi, d_mu, d_s);
}

GBS_WIDE static void product(size_t n, const double *restrict mu, const double *restrict inverse,
                             double *restrict t) {
    for (size_t i = 0; i < n; i++) {
        double here = (1.0 - mu[i]) * inverse[i];
        here = here > -40.0 ? here : -40.0;
        t[i] = here < 40.0 ? here : 40.0;
    }
}

GBS_WIDE static void paired_values(size_t n, const double *restrict mu,
                                   const double *restrict variance, const double *restrict inverse,
                                   const double *restrict t, const double *restrict phi,
                                   const double *restrict cdf, const double *restrict h,
                                   double *restrict psi, double *restrict d_mu,
                                   double *restrict w) {
    for (size_t i = 0; i < n; i++) {
        double smooth = variance[i] * inverse[i] * h[i];
        psi[i] = t[i] < 30.0 ? smooth : 1.0 - mu[i];
        d_mu[i] = -cdf[i];
        w[i] = phi[i] * inverse[i];
    }
}

static void paired(size_t n, const double *mu, const double *variance, const double *inverse,
                   double *psi, double *d_mu, double *w) {
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double t[GBS_LOSS_TILE], phi[GBS_LOSS_TILE], cdf[GBS_LOSS_TILE], h[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        product(m, mu + from, inverse + from, t);
        gbs_normal_all(m, t, phi, cdf, h);
        paired_values(m, mu + from, variance + from, inverse + from, t, phi, cdf, h, psi + from,
                      d_mu + from, w + from);
    }
}

static void smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                     double *d_s) {
    for (size_t i = 0; i < n; i += GBS_LOSS_TILE)
        tile(n - i < GBS_LOSS_TILE ? n - i : GBS_LOSS_TILE, mu + i, s + i, psi + i, d_mu + i,
             d_s + i);
}

GBS_WIDE static void add_lanes(size_t n, const double *margin, double *total) {
    const gbs_wide *z = (const gbs_wide *)margin, zero = {0};
    gbs_wide a = zero, b = zero;
    for (size_t i = 0; i < n; i++, z += 2) {
        gbs_wide p = 1.0 - z[0], q = 1.0 - z[1];
        a += (gbs_wide)((gbs_wide_mask)p & (p > zero));
        b += (gbs_wide)((gbs_wide_mask)q & (q > zero));
    }
    ((gbs_wide *)total)[0] += a;
    ((gbs_wide *)total)[1] += b;
}

/* max(0, a) = (a + |a|)/2, and the sum of the a = 1 - margin is linear in the sums of here and
 * slope: a state more costs its absolute values. */
GBS_WIDE static void add_absolute(size_t n, const double *base, const gbs_wide *here,
                                  const gbs_wide *slope, double c, double s, gbs_wide *plus,
                                  gbs_wide *minus) {
    const gbs_wide_bits all = {0}, size = ~all >> 1;
    gbs_wide a0 = {0}, a1 = a0, b0 = a0, b1 = a0;
    for (size_t i = 0; i < n; i++, here += 2, slope += 2) {
        double rest = 1.0 - base[i];
        gbs_wide u0 = rest - c * here[0], u1 = rest - c * here[1], w0 = s * slope[0],
                 w1 = s * slope[1];
        a0 += (gbs_wide)((gbs_wide_bits)(u0 - w0) & size);
        a1 += (gbs_wide)((gbs_wide_bits)(u1 - w1) & size);
        b0 += (gbs_wide)((gbs_wide_bits)(u0 + w0) & size);
        b1 += (gbs_wide)((gbs_wide_bits)(u1 + w1) & size);
    }
    plus[0] += 0.5 * a0;
    plus[1] += 0.5 * a1;
    minus[0] += 0.5 * b0;
    minus[1] += 0.5 * b1;
}

GBS_WIDE static void add_ring(size_t n, const double *base, const double *here, const double *slope,
                              size_t pairs, const double *c, const double *s, double *total) {
    const gbs_wide *p = (const gbs_wide *)here, *q = (const gbs_wide *)slope;
    gbs_wide p0 = {0}, p1 = p0, q0 = p0, q1 = p0;
    double rest = 0.0;
    for (size_t i = 0; i < n; i++) {
        rest += 1.0 - base[i];
        p0 += p[2 * i];
        p1 += p[2 * i + 1];
        q0 += q[2 * i];
        q1 += q[2 * i + 1];
    }
    for (size_t k = 0; k < pairs; k++) {
        gbs_wide *plus = (gbs_wide *)(total + 2 * k * GBS_LANES), *minus = plus + 2;
        add_absolute(n, base, p, q, c[k], s[k], plus, minus);
        plus[0] += 0.5 * (rest - c[k] * p0 - s[k] * q0);
        plus[1] += 0.5 * (rest - c[k] * p1 - s[k] * q1);
        minus[0] += 0.5 * (rest - c[k] * p0 + s[k] * q0);
        minus[1] += 0.5 * (rest - c[k] * p1 + s[k] * q1);
    }
}

/* From the largest a downwards the b above a - 1 become more: their number and their sum follow. */
static double add_pairs(size_t n, const double *a, size_t m, const double *b) {
    double lost = 0.0, sum = 0.0;
    size_t next = m;
    for (size_t i = n; i-- > 0;) {
        while (next > 0 && b[next - 1] > a[i] - 1.0)
            sum += b[--next];
        lost += (double)(m - next) * (1.0 - a[i]) + sum;
    }
    return lost;
}

const gbs_loss_ops gbs_hinge = {.pointwise = {.name = "hinge",
                                              .smoothed = smoothed,
                                              .paired = paired,
                                              .add_lanes = add_lanes,
                                              .add_ring = add_ring,
                                              .state_cost = 4.0,
                                              .add_pairs = add_pairs},
                                .convex = true,
                                .by_length = true,
                                .over_pairs = true};
