/* The mixture of stages that were each tested on fresh rows: an exact binomial bound for means that
 * drift (docs/maths.md, 6.9).
 *
 * Stage t is fixed before its block is seen; it makes X_t errors on the n_t rows of the block, so
 * X_t given the past is Bin(n_t, p_t), with p_t chosen by the past in whatever way. Wanted: an
 * upper bound on R = sum_t w_t p_t, the weights fixed beforehand.
 *
 * The p-value u_t = P(Bin(n_t, p) <= X_t) at p = p_t is, given the past, never stochastically
 * smaller than a uniform variable. So whatever the p_t are and however they depend on one another,
 * (u_1 .. u_m) lies above m independent uniforms, and any falling function of them has a known law
 * that its value does not exceed. Take
 *
 *   T(p) = sum_t w_t max(B_t(u_t), b_t),
 *   B_t(u) = the (1 - u)-quantile of Beta(k_t + 1, n_t - k_t),
 *
 * with k_t the errors predicted from the first rows and b_t the `KEPT`-quantile of that law. T at
 * the true p is at most the sum of the m independent variables w_t max(Beta_t, b_t), whose (1 -
 * delta)-quantile is c; so with probability 1 - delta
 *
 *   R <= U = max{ sum_t w_t p_t : T(p) <= c }.
 *
 * When X_t = k_t, B_t is p_t itself and U = c: the predicted errors choose the shape of the
 * confidence set, never its validity. Without the floor b_t a lucky stage could pay for a stage
 * that cannot be excluded by its own block. One stage gives Clopper and Pearson's bound; m stages
 * lose about one error each, where Ville's inequality (betting.c) loses half of the deviation.
 *
 * Everything lives on a lattice of step h in w p: B is rounded up to it in T, in its law and in the
 * set alike, so nothing is lost but h.
 */
#include "bound/bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What a stage gains below this quantile of its predicted law does not count. */
#define KEPT 0.3
/* Lattice points between the floors and c, aimed at. */
#define POINTS 400
/* And most of them: beyond it the bound is 1. Few are enough as a rule, and a law on the first of
 * them hangs on nothing behind. */
enum { FIRST_POINTS = 512, MOST_POINTS = 2048 };
/* Relative error of the binomial tails and of the sums of probabilities, far above what they have.
 */
#define SLACK 1e-9

typedef struct stage {
    uint64_t errors, rows, predicted;
    double weight, floor;
} stage;

/* P(Beta(k + 1, n - k) <= x). */
static double beta_cdf(const stage *s, double x) {
    return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : 1.0 - gbs_binomial_cdf(s->predicted, s->rows, x);
}

static double beta_quantile(const stage *s, double level) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high);
        *(beta_cdf(s, x) < level ? &low : &high) = x;
    }
    return high;
}

/* mass[j] = P(w max(Beta, b) rounds up to w b + j step). */
static void lattice_law(const stage *s, double step, size_t points, double *mass) {
    double below = 0.0;
    for (size_t j = 0; j < points; j++) {
        double upto = beta_cdf(s, s->floor + (double)j * step / s->weight);
        mass[j] = fmax(0.0, upto - below);
        below = fmax(below, upto);
    }
}

/* The largest p with P(Bin(n, p) <= errors) >= level, from above; below errors/n too, where Clopper
 * and Pearson's bound stops. */
static double largest_risk(const stage *s, double level) {
    double share = (double)s->errors / (double)s->rows,
           high = gbs_binomial_upper_tail(s->errors, s->rows, level);
    if (high > share * (1.0 + 4.0 * DBL_EPSILON) || s->errors == 0)
        return high;
    double low = 0.0;
    for (int i = 0; i < 50; i++) {
        double p = 0.5 * (low + high);
        *(gbs_binomial_cdf(s->errors, s->rows, p) < level ? &high : &low) = p;
    }
    return high;
}

/* The same for the level P(Bin(n, x) <= predicted) where it is no longer a double, from above: it
 * is at least the probability of `predicted` alone, and P(Bin(n, p) <= errors) at most exp(-n
 * kl(errors/n, p)). */
static double largest_risk_far(const stage *s, double x) {
    if (!(x < 1.0))
        return 1.0;
    double n = (double)s->rows, nats = -gbs_binomial_log_pmf(s->predicted, s->rows, x);
    return gbs_kl_inverse_upper((double)s->errors / n, nats * (1.0 + SLACK) / n);
}

/* risk[j]: the largest p whose rounded B is at most the floor plus j steps. */
static void largest_risks(const stage *s, double step, size_t points, double *risk) {
    for (size_t j = 0; j < points; j++) {
        double x = s->floor + (double)j * step / s->weight;
        double level = x < 1.0 ? gbs_binomial_cdf(s->predicted, s->rows, x) * (1.0 - SLACK) : 0.0;
        risk[j] = level > DBL_MIN ? largest_risk(s, fmin(level, 1.0 - DBL_EPSILON))
                                  : largest_risk_far(s, x);
    }
}

/* sum[j] = sum_i a[i] b[j - i], in place of a. */
static void convolve(size_t points, double *a, const double *b, double *scratch) {
    for (size_t j = 0; j < points; j++) {
        double sum = 0.0;
        for (size_t i = 0; i <= j; i++)
            sum += a[i] * b[j - i];
        scratch[j] = sum;
    }
    memcpy(a, scratch, points * sizeof *a);
}

/* The index of c: the fewest steps that the sum of the laws exceeds with probability at most delta;
 * `points` when there is none. */
static size_t critical_steps(const stage *s, size_t m, double step, double delta, size_t points,
                             double *work) {
    double *law = work, *next = work + points, *scratch = work + 2 * points, reached = 0.0;
    lattice_law(&s[0], step, points, law);
    for (size_t t = 1; t < m; t++) {
        lattice_law(&s[t], step, points, next);
        convolve(points, law, next, scratch);
    }
    for (size_t j = 0; j < points; j++) {
        reached += law[j];
        if (reached >= (1.0 - delta) * (1.0 + 1e-13) + SLACK * delta)
            return j;
    }
    return points;
}

/* max sum_t w_t p_t over sum_t j_t <= steps, stage by stage. */
static double largest_mixture(const stage *s, size_t m, double step, size_t steps, double *work) {
    size_t points = steps + 1;
    double *best = work, *risk = work + points, *scratch = work + 2 * points;
    memset(best, 0, points * sizeof *best);
    for (size_t t = 0; t < m; t++) {
        largest_risks(&s[t], step, points, risk);
        for (size_t j = 0; j < points; j++) {
            double most = 0.0;
            for (size_t i = 0; i <= j; i++)
                most = fmax(most, best[j - i] + s[t].weight * risk[i]);
            scratch[j] = most;
        }
        memcpy(best, scratch, points * sizeof *best);
    }
    return fmin(1.0, best[steps] * (1.0 + 16.0 * (double)m * DBL_EPSILON));
}

/* A guess of c minus the floors: three standard deviations of the sum, or what the exponential tail
 * of few errors needs. */
static double guess_reach(const stage *s, size_t m, double delta) {
    double variance = 0.0, tail = 0.0;
    for (size_t t = 0; t < m; t++) {
        double n = (double)s[t].rows, p = ((double)s[t].predicted + 1.0) / (n + 1.0),
               w = s[t].weight;
        variance += w * w * p * (1.0 - p) / n;
        tail = fmax(tail, w / n);
    }
    double nats = -log(delta);
    return (sqrt(2.0 * nats) + 0.6 * sqrt((double)m)) * sqrt(variance) + nats * tail;
}

double gbs_bound_sequential(size_t m, const uint64_t *errors, const uint64_t *rows,
                            const double *weight, double predicted_risk, double log_price) {
    stage s[GBS_MOST_STAGES];
    double delta = exp(-log_price), total = 0.0, seen = 0.0;
    if (m == 0 || m > GBS_MOST_STAGES || !(predicted_risk >= 0.0 && predicted_risk <= 1.0) ||
        !(log_price > 0.0) || delta == 0.0)
        return NAN;
    for (size_t t = 0; t < m; t++) {
        if (rows[t] == 0 || errors[t] > rows[t] || !(weight[t] > 0.0))
            return NAN;
        double n = (double)rows[t];
        s[t] = (stage){errors[t], rows[t], (uint64_t)fmin(n - 1.0, floor(n * predicted_risk + 0.5)),
                       weight[t], 0.0};
        s[t].floor = beta_quantile(&s[t], KEPT);
        total += weight[t];
        seen += weight[t] * ((double)errors[t] / n);
    }
    if (!(total <= 1.0 + 1e-9))
        return NAN;
    if (m == 1)
        return fmin(1.0, total * gbs_binomial_upper_tail(errors[0], rows[0], delta));
    double work[3 * MOST_POINTS];
    double step = guess_reach(s, m, delta) / POINTS;
    size_t points = FIRST_POINTS, steps = critical_steps(s, m, step, delta, points, work);
    while (steps == points && points < MOST_POINTS) {
        points *= 2;
        steps = critical_steps(s, m, step, delta, points, work);
    }
    double bound = steps < points ? largest_mixture(s, m, step, steps, work) : 1.0;
    return fmin(1.0, fmax(bound, seen)); /* a confidence below one half could go lower */
}
