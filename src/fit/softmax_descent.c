/* The joint calibration of many classes from its gradients (docs/maths.md, 11.10).
 *
 * One step of Newton's method computes n (2k)^2 second derivatives, and with five rows a class the
 * time grows as k^3. L-BFGS (docs/maths.md, 4.6) needs n k an iteration, in units u_j = x_j / c_j
 * in which the curvature is of the size of 1:
 *
 *   c_j^-2 = n_c + 1 of an offset,  n_c + 1/(spread b0)^2 of a slope of class c,  n of a shared one
 *
 * The scores are in units of their own spread. Half the squared slope in these units is about what
 * is left of the sum.
 */
#include "fit/softmax.h"

#include "vb/limited_memory.h"

#include <math.h>

#define ENOUGH 1e-10 /* of the sum that may be left */
enum { MOST_STEPS = 500 };

struct descent {
    const gbs_softmax_fit *f;
    size_t size;
    double *unit, *at; /* c, and the parameters at u */
    double value;
};

static void set_units(const struct descent *d) {
    const gbs_softmax_fit *f = d->f;
    size_t k = f->s->k;
    double narrow = gbs_softmax_narrow(f), total = 0.0;
    for (size_t c = 0; c < k; c++) {
        d->unit[c] = 1.0 / sqrt((double)f->rows[c] + 1.0);
        total += (double)f->rows[c];
    }
    for (size_t j = k; j < d->size; j++)
        d->unit[j] = f->slopes == GBS_SLOPES_SHARED
                         ? 1.0 / sqrt(total)
                         : 1.0 /
                               sqrt((double)f
                                        ->rows[f->slopes == GBS_SLOPES_EACH ? j - k : (j - k) / k] +
                                    1.0 / (narrow * narrow));
}

static gbs_status value_at(void *user, const double *u, double *value, double *gradient) {
    struct descent *d = user;
    for (size_t j = 0; j < d->size; j++)
        d->at[j] = u[j] * d->unit[j];
    d->value = *value = gbs_softmax_value(d->f, d->at, gradient, NULL);
    for (size_t j = 0; j < d->size; j++)
        gradient[j] *= d->unit[j];
    return *d->f->status;
}

static bool is_enough(void *user, double length) {
    const struct descent *d = user;
    return 0.5 * length * length <= ENOUGH * (1.0 + d->value);
}

gbs_status gbs_softmax_descend(const gbs_softmax_fit *f, double *parameter) {
    struct descent d = {.f = f, .size = gbs_softmax_parameters(f)};
    gbs_smooth smooth = {value_at, is_enough, &d};
    gbs_status status = GBS_ERR_MEMORY;
    d.unit = gbs_matrix(f->ctx, 2, d.size);
    if (d.unit != NULL) {
        d.at = d.unit + d.size;
        set_units(&d);
        for (size_t j = 0; j < d.size; j++)
            parameter[j] /= d.unit[j];
        status = gbs_limited_memory(f->ctx, d.size, MOST_STEPS, &smooth, parameter);
        for (size_t j = 0; j < d.size; j++)
            parameter[j] *= d.unit[j];
    }
    gbs_array_free(f->ctx, d.unit);
    return status;
}
