/* The next inverse temperature, and the weights that lead there (docs/maths.md, 7.2).
 *
 *   w_i = exp(-delta r_i),   ESS(delta) = (sum w)^2 / sum w^2
 *   log Z(lambda + delta) - log Z(lambda) ~ log mean w
 *
 * ESS falls in delta: with K the cumulant generating function of -r under the particles, log(ESS/n)
 * = 2 K(delta) - K(2 delta), and K is convex. For Gaussian risks log(ESS/n) = -delta^2 var r, so a
 * step that missed is mended by the square root of the ratio of the logarithms; where risks are far
 * from Gaussian (an exponential loss under a wide prior) the bracket is halved on the log scale
 * instead. That cannot stall at delta = 0: there is no absolute tolerance in it.
 */
#include "kernel/normal.h"
#include "smc/smc.h"

#include <math.h>

enum { MOST_TRIALS = 300 };
/* The share of effective particles is met to within this, relatively. */
#define CLOSE_ENOUGH 0.005
/* exp of less is no weight at all, and slow. */
#define LEAST_EXPONENT (-700.0)

static double least(size_t n, const double *risk) {
    double x = INFINITY;
    for (size_t i = 0; i < n; i++)
        x = risk[i] < x ? risk[i] : x;
    return x;
}

/* exp(-delta (risk - best)), and its sums. */
static void tilt(size_t n, const double *risk, double best, double delta, double *weight,
                 double *sum, double *square) {
    for (size_t i = 0; i < n; i++) {
        double exponent = delta > 0.0 ? -delta * (risk[i] - best) : 0.0;
        weight[i] = exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT;
    }
    gbs_vector_exp(n, weight, weight);
    *sum = *square = 0.0;
    for (size_t i = 0; i < n; i++) {
        *sum += weight[i];
        *square += weight[i] * weight[i];
    }
}

static double share_of(size_t n, const double *risk, double best, double delta, double *weight,
                       size_t among) {
    double sum, square;
    tilt(n, risk, best, delta, weight, &sum, &square);
    return sum * sum / (square * (double)among);
}

static double deviation(size_t n, const double *risk, size_t *among) {
    double mean = 0.0, square = 0.0;
    *among = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(risk[i])) {
            double delta = risk[i] - mean;
            mean += delta / (double)++*among;
            square += delta * (risk[i] - mean);
        }
    return *among > 0 ? sqrt(square / (double)*among) : 0.0;
}

double gbs_temper_step(size_t n, const double *risk, double most, double share, double *weight) {
    size_t among;
    double best = least(n, risk), sd = deviation(n, risk, &among);
    if (among == 0)
        return 0.0;
    if (share_of(n, risk, best, most, weight, among) >= share)
        return most;
    double low = 0.0, high = most, delta = sqrt(-log(share)) / sd;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        if (!(delta > low && delta < high))
            delta = low > 0.0 ? sqrt(low) * sqrt(high) : 1e-3 * high;
        double reached = share_of(n, risk, best, delta, weight, among);
        if (fabs(reached - share) <= CLOSE_ENOUGH * share || delta == low || delta == high)
            break;
        *(reached > share ? &low : &high) = delta;
        delta *= sqrt(log(share) / log(reached < 1.0 ? reached : 1.0 - 1e-15));
    }
    return delta;
}

double gbs_temper_weights(size_t n, const double *risk, double delta, double *weight,
                          double *log_mean) {
    double best = least(n, risk), sum, square;
    tilt(n, risk, best, delta, weight, &sum, &square);
    *log_mean = (delta > 0.0 ? -delta * best : 0.0) + log(sum / (double)n);
    for (size_t i = 0; i < n; i++)
        weight[i] *= (double)n / sum;
    return sum * sum / square;
}
