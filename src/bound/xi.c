/* xi(n), the price of a bound that holds for every posterior at once (Maurer 2004;
 * docs/maths.md, 6.1).
 *
 *   xi(n) = sum_k C(n,k) (k/n)^k (1-k/n)^(n-k) = e^n n^-n Gamma(n+1, n)
 *         = sum_(j=0..n) prod_(i<j) (1 - i/n)
 *
 * The last form has positive, falling terms, about sqrt(72 n) of which count in double: exact up to
 * rounding, which is added on top. Beyond 10^9 the expansion sqrt(pi n/2) + 2/3 + O(n^-1/2) is used
 * with 2/3 replaced by 1.
 */
#include "bound/bound.h"

#include <float.h>
#include <math.h>

double gbs_xi_upper(uint64_t n) {
    if (n == 0)
        return 1.0;
    double size = (double)n;
    if (n > 1000000000)
        return (sqrt(1.57079632679489661923 * size) + 1.0) * (1.0 + 8.0 * DBL_EPSILON);
    double sum = 0.0, term = 1.0;
    uint64_t j = 0;
    /* term j+1 = term j * (1 - j/n); what is cut off is below n times the last term */
    while (j <= n && term * size > DBL_EPSILON) {
        sum += term;
        term *= 1.0 - (double)j / size;
        j++;
    }
    double left = j <= n ? term * size : 0.0;
    return (sum + left) * (1.0 + 4.0 * DBL_EPSILON * (double)(j + 2));
}
