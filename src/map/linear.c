/* A linear score told in the columns as they were handed in.
 *
 *   x'theta = sum_k theta_k (raw_k - center_k)/scale_k + theta_d c
 *           = a + sum_k b_k raw_k,   b_k = theta_k/scale_k,   a = theta_d c - sum_k b_k center_k
 *
 * with c the value of the intercept's column; columns that were left out have b = 0. Other maps
 * make no linear score.                                              (docs/maths.md, 1.1, 6.4)
 */
#include "map/map.h"

#include <string.h>

bool gbs_maps_is_linear(const gbs_maps *maps) {
    for (size_t k = 0; k < maps->count; k++)
        if (!maps->at[k]->ops->affine)
            return false;
    return true;
}

double gbs_maps_slope(const gbs_maps *maps, size_t k) {
    const gbs_standard *s = gbs_maps_standard(maps);
    return gbs_maps_column(maps, k) == maps->given ? gbs_maps_constant(maps)
           : s != NULL                             ? 1.0 / s->scale[k]
                                                   : 1.0;
}

/* b_k; a, where k is the intercept's. */
static double per_unit(const gbs_maps *maps, const double *theta, double intercept, size_t k) {
    const gbs_standard *s = gbs_maps_standard(maps);
    if (gbs_maps_column(maps, k) == maps->given)
        return intercept;
    return s != NULL ? theta[k] / s->scale[k] : theta[k];
}

double gbs_maps_intercept(const gbs_maps *maps, const double *theta) {
    const gbs_standard *s = gbs_maps_standard(maps);
    double a = 0.0;
    for (size_t k = 0; k < maps->d; k++)
        if (gbs_maps_column(maps, k) == maps->given)
            a += theta[k] * gbs_maps_constant(maps);
        else if (s != NULL)
            a -= per_unit(maps, theta, 0.0, k) * s->center[k];
    return a;
}

bool gbs_maps_per_unit(const gbs_maps *maps, const double *theta, double *out) {
    if (!gbs_maps_is_linear(maps))
        return false;
    double intercept = gbs_maps_intercept(maps, theta);
    for (size_t k = 0; k < maps->d; k++)
        out[k] = per_unit(maps, theta, intercept, k);
    return true;
}

bool gbs_maps_linear(const gbs_maps *maps, const double *theta, double *coefficient,
                     double *intercept) {
    if (!gbs_maps_is_linear(maps))
        return false;
    *intercept = gbs_maps_intercept(maps, theta);
    memset(coefficient, 0, maps->given * sizeof *coefficient);
    for (size_t k = 0; k < maps->d; k++) {
        size_t column = gbs_maps_column(maps, k);
        if (column != maps->given)
            coefficient[column] = per_unit(maps, theta, *intercept, k);
    }
    return true;
}
