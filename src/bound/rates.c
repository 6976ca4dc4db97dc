/* Precision, recall, F1 and cost of labels on fresh rows (docs/maths.md, 11.7).
 *
 *   precision, recall   hits among n rows: Clopper and Pearson from below, 1 - U(n - k, n, delta)
 *   F1 = 2q/(1 + q)     q the share of rows that are in the class and said to be, among the rows
 *                       that are the one or the other: monotone, so a bound on q is one on F1
 *   cost                b (error) + (a - b) (dearer mistakes), a >= b: two binomial bounds
 *
 * Lower bounds are rounded down, upper ones up.
 */
#include "bound/bound.h"

#include "gibbsite.h"

#include <float.h>
#include <math.h>

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

double gbs_cost_upper(size_t missed, size_t false_alarms, size_t n, double cost_missed,
                      double cost_false, double confidence) {
    double least = fmin(cost_missed, cost_false), most = fmax(cost_missed, cost_false),
           delta = (1.0 - confidence) / (most > least ? 2.0 : 1.0);
    if (missed > n || false_alarms > n - missed || !(confidence > 0.0 && confidence < 1.0) ||
        !(least > 0.0) || !isfinite(most))
        return NAN;
    size_t dear = cost_missed > cost_false ? missed : false_alarms;
    double bound = least * gbs_binomial_upper_tail(missed + false_alarms, n, delta);
    if (most > least)
        bound += (most - least) * gbs_binomial_upper_tail(dear, n, delta);
    return fmin(most, bound * (1.0 + 4.0 * DBL_EPSILON));
}
