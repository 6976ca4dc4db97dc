/* The losses as a device computes them, one number at a time; the same functions run on this
 * machine's processors, where tests compare them with those of src/risk.
 *
 *   psi(mu, s) = E loss(z), z ~ N(mu, s^2),   u = d psi/d mu,   w = (d psi/d s)/s
 *                                                                          (docs/maths.md, 3)
 */
#ifndef GIBBSITE_PASS_CUDA_LOSSES_H
#define GIBBSITE_PASS_CUDA_LOSSES_H

#include "kernel/mills.h"

#include <math.h>

enum {
    GBS_CUDA_ZERO_ONE,
    GBS_CUDA_HINGE,
    GBS_CUDA_EXPONENTIAL,
    GBS_CUDA_PROBIT,
    GBS_CUDA_LOSSES,
    GBS_CUDA_PAIR_LOSSES = GBS_CUDA_PROBIT /* those before it have kernels for pairs */
};

typedef struct gbs_cuda_slope {
    double psi, u, w;
} gbs_cuda_slope;

/* Beyond 40 density and tail are 0 in double; NaN goes to the low end, and is told apart before. */
GBS_EVERYWHERE double gbs_cuda_bounded(double t) {
    t = t > -GBS_FAR_TAIL ? t : -GBS_FAR_TAIL;
    return t < GBS_FAR_TAIL ? t : GBS_FAR_TAIL;
}

GBS_EVERYWHERE gbs_cuda_slope gbs_cuda_zero_one(double mu, double inverse) {
    double t = gbs_cuda_bounded(mu * inverse), x = fabs(t), over = 1.0 / (x + GBS_MILLS_CENTRE);
    double density = gbs_density_at(x),
           tail = density * (gbs_mills(1.0 - 2.0 * GBS_MILLS_CENTRE * over) * over);
    gbs_cuda_slope s;
    s.psi = t > 0.0 ? tail : 1.0 - tail;
    s.u = -density * inverse;
    s.w = -t * s.u * inverse;
    return s;
}

/* E max(0, a + s Z) and its slopes: hinge and probit loss. */
GBS_EVERYWHERE gbs_cuda_slope gbs_cuda_excess(double a, double variance, double inverse) {
    double t = gbs_cuda_bounded(a * inverse), x = fabs(t), over = 1.0 / (x + GBS_MILLS_CENTRE),
           v = 1.0 - 2.0 * GBS_MILLS_CENTRE * over;
    double density = gbs_density_at(x), tail = density * (gbs_mills(v) * over),
           below = density * (gbs_excess(v) * over * over);
    gbs_cuda_slope s;
    s.psi = t < 30.0 ? variance * inverse * (t < 0.0 ? below : t + below) : a;
    s.u = -(t < 0.0 ? tail : 1.0 - tail);
    s.w = density * inverse;
    return s;
}

GBS_EVERYWHERE gbs_cuda_slope gbs_cuda_probit(double mu, double variance) {
    double wide = 1.0 + variance;
    return gbs_cuda_excess(-mu, wide, 1.0 / sqrt(wide));
}

GBS_EVERYWHERE gbs_cuda_slope gbs_cuda_exponential(double mu, double variance) {
    gbs_cuda_slope s;
    s.psi = exp(fma(0.5, variance, -mu));
    s.u = -s.psi;
    s.w = s.psi;
    return s;
}

/* A margin that spreads: inverse = 1/s > 0. `loss` is known to the compiler where it matters. */
GBS_EVERYWHERE gbs_cuda_slope gbs_cuda_smoothed(int loss, double mu, double variance,
                                                double inverse) {
    return loss == GBS_CUDA_ZERO_ONE ? gbs_cuda_zero_one(mu, inverse)
           : loss == GBS_CUDA_HINGE  ? gbs_cuda_excess(1.0 - mu, variance, inverse)
           : loss == GBS_CUDA_PROBIT ? gbs_cuda_probit(mu, variance)
                                     : gbs_cuda_exponential(mu, variance);
}

/* The loss itself, and its slope at a margin that does not spread. */
GBS_EVERYWHERE gbs_cuda_slope gbs_cuda_plain(int loss, double mu) {
    double a = 1.0 - mu;
    gbs_cuda_slope s = {0.0, 0.0, 0.0};
    if (loss == GBS_CUDA_ZERO_ONE) {
        s.psi = mu < 0.0 ? 1.0 : mu > 0.0 ? 0.0 : 0.5;
    } else if (loss == GBS_CUDA_HINGE) {
        s.psi = a > 0.0 ? a : 0.0;
        s.u = a > 0.0 ? -1.0 : a < 0.0 ? 0.0 : -0.5;
    } else if (loss == GBS_CUDA_PROBIT) {
        s = gbs_cuda_probit(mu, 0.0);
        s.w = 0.0;
    } else {
        s.psi = exp(-mu);
        s.u = -s.psi;
    }
    return s;
}

#endif
