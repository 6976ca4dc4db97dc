/* Standard errors from a single run.
 *
 * Waste-free: given the past the M chains of a temperature are independent, and long enough to forget where they began; so the mean over all states has
 * the squared error  sum_m (share_m)^2 (mean_m - mean)^2  x M/(M-1),  and the errors of log Z add up over the temperatures.
 *   Dau, Chopin: Waste-free sequential Monte Carlo (2022), section 4
 *
 * Classic: every particle descends from one of the first, its eve. With W_e the weight that the family of e holds in the end, and with the part of
 * sum_e W_e^2 taken off that resampling alone would have made,
 *
 *   relative variance of Z ~ sum_e W_e^2 - 1/N - (sum over the resamplings of sum_i f_i (1 - f_i) / N^2),   f_i the fractional part of N w_i
 *
 *   Chan, Lai (2013); Lee, Whiteley: Variance estimation in the particle filter (2018), who have 1/N a generation: multinomial resampling. It is never taken
 * below what independent particles at every temperature would have.
 */
#include "smc/smc.h"

#include <math.h>
#include <string.h>

double gbs_chain_variance(size_t n, size_t chains, const double *x) {
    double all = 0.0, sum = 0.0;
    if (chains < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        all += x[i];
    all /= (double)n;
    for (size_t c = 0; c < chains; c++) {
        size_t from = gbs_chain_offset(n, chains, c), to = gbs_chain_offset(n, chains, c + 1);
        double excess = 0.0;
        for (size_t i = from; i < to; i++)
            excess += x[i] - all;
        sum += excess * excess;
    }
    return sum / ((double)n * (double)n) * ((double)chains / (double)(chains - 1));
}

double gbs_family_variance(size_t n, const size_t *eve, const double *weight, double resampled, double *scratch) {
    double square = 0.0, total = 0.0;
    memset(scratch, 0, n * sizeof *scratch);
    for (size_t i = 0; i < n; i++) {
        scratch[eve[i]] += weight[i];
        total += weight[i];
    }
    for (size_t e = 0; e < n; e++)
        square += (scratch[e] / total) * (scratch[e] / total);
    return fmax(0.0, square - 1.0 / (double)n - resampled);
}

double gbs_family_spread(size_t n, const size_t *eve, const double *x, double *scratch) {
    double mean = 0.0, sum = 0.0;
    memset(scratch, 0, n * sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        scratch[eve[i]] += x[i] - mean;
    for (size_t e = 0; e < n; e++)
        sum += scratch[e] * scratch[e];
    return sum / ((double)n * (double)n);
}
