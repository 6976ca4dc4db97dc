/* Shapes: the functions of x ~ N(0, I) whose sign divides the classes.
 *
 *   linear   x'theta
 *   xor      u v, u the part of x'theta in the columns 1, 3, 5, ..., v that in the others
 *   rings    four rings around 0 of equal probability, in turn -1 and +1: the quarter in which the
 *            distribution function of |x|^2, chi-squared, lies
 *   waves    sum_k theta_k (cos(2 x_k) - exp(-2)), the mean of the cosine taken off
 *
 * A label is a function of x alone, flipped with probability `noise` < 1/2: so the Bayes risk is
 * `noise` whatever the function is. xor, rings and waves are even in x: no column correlates with
 * the label, and a hyperplane through the middle is no better than a coin on xor.
 */
#include "cmd/simulate_shape.h"

#include <math.h>

/* P(|x|^2 <= q) in k dimensions: 1 - Q_k, with Q_1 = erfc(sqrt(q/2)), Q_2 = exp(-q/2) and
 * Q_(k+2) = Q_k + (q/2)^(k/2) exp(-q/2) / Gamma(k/2 + 1). */
static double chi_squared(size_t k, double q) {
    double half = 0.5 * q, above = k % 2 == 1 ? erfc(sqrt(half)) : exp(-half);
    for (size_t j = k % 2 == 1 ? 1 : 2; j < k && half > 0.0; j += 2) {
        double a = 0.5 * (double)j;
        above += exp(a * log(half) - half - lgamma(a + 1.0));
    }
    return 1.0 - above;
}

static double product_of_halves(size_t signal, const double *x, const double *theta) {
    double part[2] = {0.0, 0.0};
    for (size_t k = 0; k < signal; k++)
        part[k % 2] += x[k] * theta[k];
    return part[0] * part[1];
}

static double ring(size_t signal, const double *x) {
    double square = 0.0;
    for (size_t k = 0; k < signal; k++)
        square += x[k] * x[k];
    return fmod(floor(4.0 * chi_squared(signal, square)), 2.0) == 1.0 ? 1.0 : -1.0;
}

static double sum_of_waves(size_t signal, const double *x, const double *theta) {
    double sum = 0.0;
    for (size_t k = 0; k < signal; k++)
        sum += theta[k] * (cos(2.0 * x[k]) - exp(-2.0));
    return sum;
}

double shape_value(enum shape shape, size_t signal, const double *x, const double *theta) {
    double sum = 0.0;
    switch (shape) {
    case SHAPE_XOR:
        return product_of_halves(signal, x, theta);
    case SHAPE_RINGS:
        return ring(signal, x);
    case SHAPE_WAVES:
        return sum_of_waves(signal, x, theta);
    case SHAPE_LINEAR:
        break;
    }
    for (size_t k = 0; k < signal; k++)
        sum += x[k] * theta[k];
    return sum;
}
