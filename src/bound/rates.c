/* Precision, recall, F1 and cost of labels on fresh rows (docs/maths.md, 11.7).
 *
 *   precision, recall   hits among n rows: Clopper and Pearson from below, 1 - U(n - k, n, delta)
 *   F1 = 2q/(1 + q)     q the share of rows that are in the class and said to be, among the rows
 *                       that are the one or the other: monotone, so a bound on q is one on F1
 *   cost                sum over the costs c_1 < c_2 < ... of (c_k - c_(k-1)) (rows that cost c_k
 *                       or more): a binomial bound each
 *
 * Lower bounds are rounded down, upper ones up.
 */
#include "bound/bound.h"

#include "gibbsite.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double gbs_binomial_lower(size_t hits, size_t n, double confidence) {
    if (hits > n || !(confidence > 0.0 && confidence < 1.0))
        return NAN;
    if (hits == 0)
        return 0.0;
    double below = 1.0 - gbs_binomial_upper_tail(n - hits, n, 1.0 - confidence);
    return fmax(0.0, nextafter(below, 0.0));
}

double gbs_f1_lower(size_t hits, size_t mistakes, double confidence) {
    double q = gbs_binomial_lower(hits, hits + mistakes, confidence);
    return 2.0 * q / (1.0 + q) * (1.0 - 2.0 * DBL_EPSILON);
}

double gbs_mean_cost_upper(size_t kinds, const double *cost, const size_t *rows, size_t n,
                           double confidence) {
    double bound = 0.0, delta = (1.0 - confidence) / (double)kinds, dearer = INFINITY;
    size_t so_dear = 0; /* rows that cost this or more */
    if (!(confidence > 0.0 && confidence < 1.0) || kinds == 0 || cost == NULL || rows == NULL)
        return NAN;
    for (size_t k = kinds; k-- > 0; dearer = cost[k]) {
        double less = k > 0 ? cost[k - 1] : 0.0;
        if (!(cost[k] > less) || !(cost[k] < dearer) || rows[k] > n - so_dear)
            return NAN;
        so_dear += rows[k];
        bound += (cost[k] - less) * gbs_binomial_upper_tail(so_dear, n, delta);
    }
    return fmin(cost[kinds - 1], bound * (1.0 + 2.0 * (double)(kinds + 1) * DBL_EPSILON));
}

double gbs_cost_upper(size_t missed, size_t false_alarms, size_t n, double cost_missed,
                      double cost_false, double confidence) {
    bool missed_is_dear = cost_missed > cost_false;
    double cost[2] = {fmin(cost_missed, cost_false), fmax(cost_missed, cost_false)};
    size_t rows[2] = {missed_is_dear ? false_alarms : missed,
                      missed_is_dear ? missed : false_alarms};
    if (missed > n || false_alarms > n - missed || isnan(cost_missed + cost_false))
        return NAN;
    if (cost[0] == cost[1]) {
        rows[0] += rows[1];
        return gbs_mean_cost_upper(1, cost, rows, n, confidence);
    }
    return gbs_mean_cost_upper(2, cost, rows, n, confidence);
}
