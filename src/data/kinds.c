/* Few kinds of rows, in an order that is not random (docs/maths.md, 11.2).
 *
 * n rows of k kinds, c_j of kind j, are one table of about
 *
 *   M = prod_j sqrt(4 pi c_j) / sqrt(4 pi n)
 *
 * that could have come, 1/M = P(a second file is the same table). The c rows of a kind make R
 * stretches of neighbours; in random order
 *
 *   P(R = r) = C(n - c + 1, r) C(c - 1, r - 1) / C(n, c)      (hypergeometric)
 *
 * and every kind makes just one with probability k! prod_j c_j! / n!.
 */
#include "data/kinds.h"

#include <math.h>

#define PI 3.14159265358979323846
/* The rate at which a seed fails is then off from 5 % by 1/50 of it, five standard deviations. */
#define ENOUGH_TABLES 1e6
/* How often a file in random order is taken for one that is not, at most. */
#define FALSE_ALARM 1e-3
/* Most of them are kept for files that are sorted outright: of few rows chance makes such too. */
#define SORTED_SHARE 0.9

void gbs_kinds_add(gbs_kinds *k, gbs_hash row) {
    size_t at = 0;
    if (k->many)
        return;
    while (at < k->kinds && (k->kind[at].low != row.low || k->kind[at].high != row.high))
        at++;
    if (at == GBS_FEW_KINDS) {
        k->many = true;
        return;
    }
    if (at == k->kinds)
        k->kind[k->kinds++] = row;
    if (k->n == 0 || at != k->last)
        k->runs[at]++;
    k->last = at;
    k->count[at]++;
    k->n++;
}

double gbs_kinds_tables(const gbs_kinds *k) {
    double sum = k->n > 0 ? -0.5 * log(4.0 * PI * (double)k->n) : 0.0;
    for (size_t j = 0; j < k->kinds; j++)
        sum += 0.5 * log(4.0 * PI * (double)k->count[j]);
    return k->many ? INFINITY : sum;
}

static double log_factorial(size_t n) {
    int sign; /* lgamma would write to a global */
    return lgamma_r((double)n + 1.0, &sign);
}

static double log_choose(size_t n, size_t k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/* From `runs` away from the mean, where terms fall. */
double gbs_runs_tail(size_t n, size_t count, size_t runs) {
    double gaps = (double)(n - count + 1), c = (double)count, r = (double)runs, sum = 0.0;
    double mean = c * gaps / (double)n;
    size_t most = count < n - count + 1 ? count : n - count + 1;
    if (runs == 0 || runs > most)
        return 0.0;
    double term = exp(log_choose(n - count + 1, runs) + log_choose(count - 1, runs - 1) -
                      log_choose(n, count));
    bool down = r <= mean;
    while (term > 1e-17 * sum) {
        sum += term;
        term *= down ? r * (r - 1.0) / ((gaps - r + 1.0) * (c - r + 1.0))
                     : (gaps - r) * (c - r) / ((r + 1.0) * r);
        r += down ? -1.0 : 1.0;
    }
    return fmin(sum, 1.0);
}

bool gbs_kinds_sorted(const gbs_kinds *k) {
    if (k->kinds < 2 || gbs_kinds_tables(k) >= log(ENOUGH_TABLES))
        return false;
    double together = log_factorial(k->kinds) - log_factorial(k->n);
    bool one_each = true, far = false;
    for (size_t j = 0; j < k->kinds; j++) {
        together += log_factorial(k->count[j]);
        one_each = one_each && k->runs[j] == 1;
        far = far || gbs_runs_tail(k->n, k->count[j], k->runs[j]) <
                         0.5 * (1.0 - SORTED_SHARE) * FALSE_ALARM / (double)k->kinds;
    }
    return far || (one_each && together < log(SORTED_SHARE * FALSE_ALARM));
}
