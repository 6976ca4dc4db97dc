/* Zero-one loss 1{z < 0} (one half at 0) smoothed by a Gaussian margin.
 *
 *   psi(mu, s) = Phi(-t),   t = mu/s
 *   d psi/d mu = -phi(t)/s,   d psi/d s = t phi(t)/s                      (docs/maths.md, 3.2)
 *
 * Not convex. s = 0 is the plain loss, whose slope is taken as 0.
 */
#include "kernel/normal.h"
#include "kernel/pair.h"
#include "kernel/tile.h"
#include "kernel/vector.h"
#include "risk/loss.h"

/* Beyond 40 density and tail are 0 in double; the bound keeps infinity out of the products. */
GBS_WIDE static void minus_ratio(size_t n, const double *restrict mu, const double *restrict s,
                                 double *restrict minus_t) {
    for (size_t i = 0; i < n; i++) {
        double t = s[i] > 0.0 ? mu[i] / s[i] : 0.0;
        t = t > -40.0 ? t : -40.0;
        minus_t[i] = t < 40.0 ? -t : -40.0;
    }
}

GBS_WIDE static void slopes(size_t n, const double *restrict mu, const double *restrict s,
                            const double *restrict minus_t, const double *restrict phi,
                            double *restrict psi, double *restrict d_mu, double *restrict d_s) {
    for (size_t i = 0; i < n; i++) {
        bool spread = s[i] > 0.0;
        double plain = mu[i] < 0.0   ? 1.0
                       : mu[i] > 0.0 ? 0.0
                                     : 0.5,
               slope = spread ? phi[i] / s[i] : 0.0;
        psi[i] = spread ? psi[i] : plain;
        d_mu[i] = -slope;
        d_s[i] = spread ? -minus_t[i] * phi[i] / s[i] : 0.0;
    }
}

static void tile(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                 double *d_s) {
    double minus_t[GBS_LOSS_TILE], phi[GBS_LOSS_TILE];
    minus_ratio(n, mu, s, minus_t);
    gbs_normal_density(n, minus_t, phi);
    gbs_normal_distribution(n, minus_t, psi);
    slopes(n, mu, s, minus_t, phi, psi, d_mu, d_s);
}

GBS_WIDE static void minus_product(size_t n, const double *restrict mu,
                                   const double *restrict inverse, double *restrict minus_t) {
    for (size_t i = 0; i < n; i++) {
        double t = mu[i] * inverse[i];
        t = t > -40.0 ? t : -40.0;
        minus_t[i] = t < 40.0 ? -t : -40.0;
    }
}

GBS_WIDE static void paired_slopes(size_t n, const double *restrict inverse,
                                   const double *restrict minus_t, const double *restrict phi,
                                   double *restrict d_mu, double *restrict w) {
    for (size_t i = 0; i < n; i++) {
        double slope = -phi[i] * inverse[i];
        d_mu[i] = slope;
        w[i] = minus_t[i] * slope * inverse[i];
    }
}

static void paired(size_t n, const double *mu, const double *variance, const double *inverse,
                   double *psi, double *d_mu, double *w) {
    (void)variance;
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double minus_t[GBS_LOSS_TILE], phi[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        minus_product(m, mu + from, inverse + from, minus_t);
        gbs_normal_both(m, minus_t, phi, psi + from);
        paired_slopes(m, inverse + from, minus_t, phi, d_mu + from, w + from);
    }
}

static void smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                     double *d_s) {
    for (size_t i = 0; i < n; i += GBS_LOSS_TILE)
        tile(n - i < GBS_LOSS_TILE ? n - i : GBS_LOSS_TILE, mu + i, s + i, psi + i, d_mu + i,
             d_s + i);
}

/* Counts below 2^52 as doubles: they become the last bits of 2^52, which is then taken off. Not
 * every processor converts them by the word. */
#define COUNTED(counts) ((gbs_wide)((gbs_wide_bits)(counts) | 0x4330000000000000U) - 0x1p52)

/* One half for z < 0 and one half for z <= 0. A comparison that holds is the integer -1. */
GBS_WIDE static void add_lanes(size_t n, const double *margin, double *total) {
    const gbs_wide *z = (const gbs_wide *)margin, zero = {0};
    gbs_wide_mask a = {0}, b = {0};
    for (size_t i = 0; i < n; i++, z += 2) {
        a -= (z[0] < zero) + (z[0] <= zero);
        b -= (z[1] < zero) + (z[1] <= zero);
    }
    ((gbs_wide *)total)[0] += 0.5 * COUNTED(a);
    ((gbs_wide *)total)[1] += 0.5 * COUNTED(b);
}

/* The sign bit counts. A margin that is 0 has none, as base is 0 and not -0 there; it lacks a half.
 */
GBS_WIDE static void count_signs(size_t n, const double *base, const gbs_wide *here,
                                 const gbs_wide *slope, double c, double s, gbs_wide *plus,
                                 gbs_wide *minus) {
    gbs_wide_bits a0 = {0}, a1 = a0, b0 = a0, b1 = a0;
    for (size_t i = 0; i < n; i++, here += 2, slope += 2) {
        gbs_wide u0 = base[i] + c * here[0], u1 = base[i] + c * here[1], w0 = s * slope[0],
                 w1 = s * slope[1];
        a0 += (gbs_wide_bits)(u0 + w0) >> 63;
        a1 += (gbs_wide_bits)(u1 + w1) >> 63;
        b0 += (gbs_wide_bits)(u0 - w0) >> 63;
        b1 += (gbs_wide_bits)(u1 - w1) >> 63;
    }
    plus[0] += COUNTED(a0);
    plus[1] += COUNTED(a1);
    minus[0] += COUNTED(b0);
    minus[1] += COUNTED(b1);
}

/* The missing halves of a row with base 0, which is a row of zeros, or any row when the reference
 * has mean 0. (Other margins are 0 by chance alone, and double precision leaves it none to speak
 * of.) */
static void add_ties(const double *here, const double *slope, size_t pairs, const double *c,
                     const double *s, double *total) {
    for (size_t k = 0; k < pairs; k++, total += 2 * GBS_LANES)
        for (size_t l = 0; l < GBS_LANES; l++) {
            double u = c[k] * here[l], w = s[k] * slope[l];
            total[l] += u == -w ? 0.5 : 0.0;
            total[GBS_LANES + l] += u == w ? 0.5 : 0.0;
        }
}

static void add_ring(size_t n, const double *base, const double *here, const double *slope,
                     size_t pairs, const double *c, const double *s, double *total) {
    for (size_t k = 0; k < pairs; k++) {
        gbs_wide *plus = (gbs_wide *)(total + 2 * k * GBS_LANES);
        count_signs(n, base, (const gbs_wide *)here, (const gbs_wide *)slope, c[k], s[k], plus,
                    plus + 2);
    }
    size_t zeros = 0;
    for (size_t i = 0; i < n; i++)
        zeros += base[i] == 0.0;
    for (size_t i = 0; zeros > 0 && i < n; i++)
        if (base[i] == 0.0)
            add_ties(here + i * GBS_LANES, slope + i * GBS_LANES, pairs, c, s, total);
}

/* Each a is below the b from `above` on, and level with those between `level` and it. */
static double add_pairs(size_t n, const double *a, size_t m, const double *b) {
    double lost = 0.0;
    for (size_t i = 0, level = 0, above = 0; i < n; i++) {
        while (level < m && b[level] < a[i])
            level++;
        while (above < m && b[above] <= a[i])
            above++;
        lost += 0.5 * ((double)(m - level) + (double)(m - above));
    }
    return lost;
}

const gbs_loss_ops gbs_zero_one = {.pointwise = {.name = "zero-one",
                                                 .smoothed = smoothed,
                                                 .paired = paired,
                                                 .falls = true,
                                                 .decided = 8.4,
                                                 .pair_sums = gbs_pair_tails,
                                                 .add_lanes = add_lanes,
                                                 .add_ring = add_ring,
                                                 .state_cost = 4.0,
                                                 .add_pairs = add_pairs},
                                   .error = true,
                                   .over_pairs = true};
