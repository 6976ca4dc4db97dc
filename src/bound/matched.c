/* An upper bound on 1 - AUC of a fixed score, given the labels, by betting on matched rows
 * (docs/maths.md, 11.4).
 *
 * Let k = min(n+, n-) and q = floor(max(n+, n-)/k). A matching deals q rows of the larger class to
 * each row of the smaller one; x_l in [0, 1] is the share of them in the wrong order with row l,
 * ties one half. Under one matching the x_l are independent with mean R = 1 - AUC, so for a bet
 * kappa in (0, 1) fixed beforehand
 *
 *   W(m) = prod_l (1 - kappa x_l)/(1 - kappa m),   E W(R) = 1.
 *
 * The mean of W over matchings and over bets is 1 too, whatever they are, as long as they do not
 * look at the scores: so it reaches 1/delta at m = R with probability at most delta (Markov). It
 * grows with m, and the least m at which it has reached 1/delta is the bound.
 *
 * Why many matchings: one alone knows k pairs, and its logarithm scatters with the pairs that it
 * happens to take. To second order in kappa the mean over all of them depends on the variances of
 * the rows' own means alone, those of the U statistic, which a bound by k independent pairs
 * cannot see.
 */
#include "bound/bound.h"

#include "core/random.h"

#include <float.h>
#include <math.h>

/* Logarithms to compute, and matchings, at least and at most. */
#define WORK 4e6
enum { FEWEST = 8 };

static size_t matchings(size_t k) {
    double wanted = WORK / ((double)k * GBS_MATCHED_BETS);
    return wanted < FEWEST                  ? FEWEST
           : wanted > GBS_MATCHED_MATCHINGS ? GBS_MATCHED_MATCHINGS
                                            : (size_t)wanted;
}

/* sum_l log(1 - kappa x_l) of one matching, for each bet. `above` says whether the larger class is
 * the one that should score lower. */
static void bet(const double *small, size_t k, const double *large, size_t q, bool above,
                const size_t *order, const double *kappa, double *logs) {
    for (size_t j = 0; j < GBS_MATCHED_BETS; j++)
        logs[j] = 0.0;
    for (size_t l = 0; l < k; l++) {
        double wrong = 0.0;
        for (size_t i = 0; i < q; i++) {
            double other = large[order[l * q + i]];
            wrong += other == small[l] ? 0.5 : (other > small[l]) == above ? 1.0 : 0.0;
        }
        for (size_t j = 0; j < GBS_MATCHED_BETS; j++)
            logs[j] += log1p(-kappa[j] * wrong / (double)q);
    }
}

/* Has the capital reached exp(goal) at m, rounding errors on m's side? */
static bool refuted(const double *logs, size_t count, size_t k, const double *kappa, double m,
                    double goal) {
    double most = -INFINITY, sum = 0.0, slack = 8.0 * DBL_EPSILON * (double)k;
    double won[GBS_MATCHED_BETS];
    for (size_t j = 0; j < GBS_MATCHED_BETS; j++)
        won[j] = -(double)k * log1p(-kappa[j] * m);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, logs[i] + won[i % GBS_MATCHED_BETS]);
    for (size_t i = 0; i < count; i++)
        sum += exp(logs[i] + won[i % GBS_MATCHED_BETS] - most);
    return most + log(sum / (double)count) - slack > goal;
}

double gbs_matched_upper(const double *positive, size_t positives, const double *negative,
                         size_t negatives, const double *kappa, uint64_t seed, double log_price,
                         size_t *order, double *logs) {
    bool few = positives <= negatives;
    const double *small = few ? positive : negative, *large = few ? negative : positive;
    size_t k = few ? positives : negatives, most = few ? negatives : positives;
    if (k == 0 || !(log_price >= 0.0))
        return 1.0;
    size_t count = matchings(k);
    for (size_t b = 0; b < count; b++) {
        for (size_t i = 0; i < most; i++)
            order[i] = i;
        gbs_shuffle(seed, GBS_STREAM_MATCHINGS + b, most, order);
        bet(small, k, large, most / k, few, order, kappa, logs + b * GBS_MATCHED_BETS);
    }
    double low = 0.0, high = 1.0, goal = log_price * (1.0 + DBL_EPSILON);
    while (high - low > 1e-12) {
        double m = 0.5 * (low + high);
        if (refuted(logs, count * GBS_MATCHED_BETS, k, kappa, m, goal))
            high = m;
        else
            low = m;
    }
    return high;
}

/* A bet C = -log(1 - kappa) wins about k (C (m - R) - C^2 v/2), v = k se^2: best at
 * C = sqrt(2 log_price/(k v)). Half a wrong pair is thrown in, so that few rows without an error do
 * not lead to a reckless bet. */
void gbs_matched_bets(double variance, size_t seen, size_t k, double log_price, double *kappa) {
    static const double shares[GBS_MATCHED_BETS] = {1.0, 0.5, 1.0, 2.0};
    double v = fmax(variance, 0.0) + 0.5 / ((double)seen + 0.5);
    double best = k > 0 && isfinite(v) ? sqrt(2.0 * log_price / ((double)k * v)) : 1.0;
    for (size_t j = 0; j < GBS_MATCHED_BETS; j++)
        kappa[j] = fmin(-expm1(-shares[j] * fmin(best, 16.0)), 0.95);
}
