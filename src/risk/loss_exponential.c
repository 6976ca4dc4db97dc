/* Exponential loss exp(-z) smoothed by a Gaussian margin.
 *
 *   psi(mu, s) = exp(-mu + s^2/2),   d psi/d mu = -psi,   d psi/d s = s psi     (MATHS.md, section 3)
 *
 * Convex in (mu, s). The exponent is formed by one fused operation, so -mu and s^2/2 may cancel without loss. It overflows to
 * infinity where the expectation exceeds the range of double; solvers treat that as a step too far.
 */
#include "kernel/normal.h"
#include "kernel/tile.h"
#include "risk/loss.h"

#include <math.h>

/* w = psi: the partial in s is s psi. */
static void paired(size_t n, const double *mu, const double *variance, const double *inverse, double *psi, double *d_mu,
                   double *w) {
    for (size_t i = 0; i < n; i++) {
        double here = inverse[i] > 0.0 ? exp(0.5 * variance[i] - mu[i]) : 0.0;
        psi[i] = w[i] = here;
        d_mu[i] = -here;
    }
}

static void smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu, double *d_s) {
    for (size_t i = 0; i < n; i++)
        psi[i] = fma(0.5 * s[i], s[i], -mu[i]);
    gbs_vector_exp(n, psi, psi);
    for (size_t i = 0; i < n; i++) {
        d_mu[i] = -psi[i];
        d_s[i] = s[i] > 0.0 ? s[i] * psi[i] : 0.0;
    }
}

static void add_lanes(size_t n, const double *margin, double *total) {
    enum { ROWS = GBS_LOSS_TILE / GBS_LANES };
    double loss[GBS_LOSS_TILE];
    for (size_t from = 0; from < n; from += ROWS) {
        size_t rows = n - from < ROWS ? n - from : ROWS;
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < GBS_LANES; l++)
                loss[i * GBS_LANES + l] = -margin[(from + i) * GBS_LANES + l];
        gbs_vector_exp(rows * GBS_LANES, loss, loss);
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < GBS_LANES; l++)
                total[l] += loss[i * GBS_LANES + l];
    }
}

/* A few rows at a time: the exponential is worth an array. */
static void add_ring(size_t n, const double *base, const double *here, const double *slope, size_t pairs, const double *c,
                     const double *s, double *total) {
    enum { ROWS = GBS_LOSS_TILE / GBS_LANES };
    double margin[GBS_LOSS_TILE] __attribute__((aligned(64)));
    for (size_t from = 0; from < n; from += ROWS) {
        size_t rows = n - from < ROWS ? n - from : ROWS, at = from * GBS_LANES;
        for (size_t k = 0; k < 2 * pairs; k++) {
            gbs_tile_turn(rows, base + from, c[k / 2], here + at, k % 2 == 0 ? s[k / 2] : -s[k / 2], slope + at, margin);
            add_lanes(rows, margin, total + k * GBS_LANES);
        }
    }
}

/* exp(-(a - b)) is a product: two sums, each relative to its largest term. */
static double add_pairs(size_t n, const double *a, size_t m, const double *b) {
    double up = 0.0, down = 0.0;
    if (n == 0 || m == 0)
        return 0.0;
    for (size_t i = 0; i < n; i++)
        up += exp(a[0] - a[i]);
    for (size_t j = 0; j < m; j++)
        down += exp(b[j] - b[m - 1]);
    return exp(b[m - 1] - a[0]) * up * down;
}

const gbs_loss_ops gbs_exponential = {"exponential", true, smoothed, paired, add_lanes, add_ring, add_pairs};
