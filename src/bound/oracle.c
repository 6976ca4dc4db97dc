/* The oracle inequalities of the paper as numbers: from its theorems (docs/maths.md, 9), and as it
 * prints them (docs/errata.md).
 *
 * Every theorem restricted to N(theta-bar, sigma^2 I) has the shape  min_sigma  slope sigma +
 * weight (K(sigma) + nats), K = 1/2 [ d sigma^2/v + |theta-bar|^2/v - d + d log(v/sigma^2) ]. Its
 * derivative, slope + weight d (sigma/v - 1/sigma), is a quadratic in sigma with one positive root.
 * slope comes from E |theta - theta-bar| <= sqrt(d) sigma.
 */
#include "bound/theory.h"

#include <math.h>

double gbs_oracle_minimum(double slope, double weight, double nats, double d, double v, double norm,
                          double *sigma) {
    double push = weight * d;
    double best = 2.0 * push / (slope + sqrt(slope * slope + 4.0 * push * push / v));
    double square = best * best / v;
    double kl = 0.5 * (d * (square - 1.0 - log(square)) + norm * norm / v);
    if (sigma != NULL)
        *sigma = best;
    return slope * best + weight * (kl + nats);
}

double gbs_oracle_hoeffding(double f, double lambda, double c, double d, double v, double delta) {
    return gbs_oracle_minimum(2.0 * c * sqrt(d), 2.0 / lambda, f + log(2.0 / delta), d, v, 1.0,
                              NULL);
}

double gbs_oracle_bernstein(double g, double lambda, double c, double d, double v, double delta) {
    double left = lambda - g;
    if (!(left > 0.0 && g >= 0.0))
        return INFINITY;
    return gbs_oracle_minimum(2.0 * c * sqrt(d) * (lambda + g) / left, 2.0 / left, log(2.0 / delta),
                              d, v, 1.0, NULL);
}

double gbs_oracle_hinge(double f, double lambda, double cx, double d, double v, double norm,
                        double delta) {
    return gbs_oracle_minimum(cx * sqrt(d), 2.0 / lambda, f + log(2.0 / delta), d, v, norm, NULL);
}

double gbs_margin_closed(bool ranking, double n, double d, double c, double margin, double v,
                         double delta) {
    double terms = d * log(n * n * v) + d / (n * n * v) + 1.0 / v - d + 2.0 * log(2.0 / delta);
    double factor = ranking ? (margin + 5.0) * (margin + 1.0) / (n - 1.0)
                            : (margin + 2.0) * (margin + 1.0) / (2.0 * n);
    return factor * terms + 2.0 * c * (2.0 * margin + 1.0) * sqrt(d) / n;
}

double gbs_print_classification(double n, double d, double c, double delta) {
    return sqrt(d / n) * (log(4.0 * n) + 2.0) + c / sqrt(n) + sqrt(d / (4.0 * n * n * n)) +
           2.0 * log(2.0 / delta) / sqrt(n * d);
}

double gbs_print_ranking(double n, double d, double c, double delta) {
    double m = n - 1.0;
    return sqrt(2.0 * d / m) * (1.0 + 0.5 * log(2.0 * d * m)) + c * sqrt(2.0 / m) +
           2.0 * sqrt(2.0) * (log(2.0 / delta) + 1.0) / sqrt(m * d);
}

double gbs_print_margin(bool ranking, double n, double d, double c, double margin, double sd,
                        double delta) {
    double m = ranking ? n - 1.0 : n, last = ranking ? sd * n - 1.0 : sd * n;
    double terms = d * log(n / sd) / m + 2.0 * d * sd / (n * m) + 2.0 / sd - d / last +
                   2.0 / m * log(2.0 / delta);
    double factor = (ranking ? margin + 5.0 : margin + 2.0) * (margin + 1.0) / 2.0;
    double spread = ranking ? 4.0 * c * (margin + 1.0) : 2.0 * c * (2.0 * margin + 1.0);
    return factor * terms + spread * sqrt(d) / n;
}

double gbs_print_hinge(double n, double d, double cx, double delta) {
    return 0.5 * cx * sqrt(d / n) * log(n / d) + 2.0 * cx * d / n +
           ((cx * cx + 1.0) / (2.0 * cx) + 2.0 * cx * log(2.0 / delta)) / sqrt(n * d);
}

double gbs_print_hinge_f(double lambda, double n, double v, double cx) {
    double square = lambda * lambda / (4.0 * n);
    return square - 0.5 * log1p(-square * v * cx * cx);
}
