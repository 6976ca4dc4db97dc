/* The standard normal with 256 bits, for tests of digits.
 *
 * The truth is computed from the very doubles that the library is given, with no care for
 * cancellation: 256 bits leave 60 digits at the worst point. A value is judged by its relative
 * error where the truth is a normal double, and by an absolute error of DBL_MIN where it is not.
 */
#ifndef GIBBSITE_TESTS_MPFR_SUPPORT_H
#define GIBBSITE_TESTS_MPFR_SUPPORT_H

#include "unit/support.h"

#include <mpfr.h>

enum { BITS = 256 };

#define ALLOWED 1e-12

struct truth {
    mpfr_t t, density, cdf, value[3], scratch;
};

static inline void truth_init(struct truth *w) {
    mpfr_inits2(BITS, w->t, w->density, w->cdf, w->value[0], w->value[1], w->value[2], w->scratch,
                (mpfr_ptr)NULL);
}

static inline void truth_clear(struct truth *w) {
    mpfr_clears(w->t, w->density, w->cdf, w->value[0], w->value[1], w->value[2], w->scratch,
                (mpfr_ptr)NULL);
    mpfr_free_cache();
}

/* density = phi(t), cdf = Phi(t) at w->t. */
static inline void truth_normal(struct truth *w) {
    mpfr_sqr(w->density, w->t, MPFR_RNDN);
    mpfr_div_si(w->density, w->density, -2, MPFR_RNDN);
    mpfr_exp(w->density, w->density, MPFR_RNDN);
    mpfr_const_pi(w->scratch, MPFR_RNDN);
    mpfr_mul_ui(w->scratch, w->scratch, 2, MPFR_RNDN);
    mpfr_sqrt(w->scratch, w->scratch, MPFR_RNDN);
    mpfr_div(w->density, w->density, w->scratch, MPFR_RNDN);
    mpfr_sqrt_ui(w->scratch, 2, MPFR_RNDN);
    mpfr_div(w->cdf, w->t, w->scratch, MPFR_RNDN);
    mpfr_neg(w->cdf, w->cdf, MPFR_RNDN);
    mpfr_erfc(w->cdf, w->cdf, MPFR_RNDN);
    mpfr_div_ui(w->cdf, w->cdf, 2, MPFR_RNDN);
}

/* Relative error where the truth is a normal double; else 0 when within DBL_MIN of it, infinity
 * when not. */
static inline double error_of(struct truth *w, double got, mpfr_srcptr truth) {
    if (isnan(got))
        return INFINITY;
    mpfr_d_sub(w->scratch, got, truth, MPFR_RNDN);
    bool normal = mpfr_cmpabs(truth, (mpfr_set_d(w->t, DBL_MIN, MPFR_RNDN), w->t)) >= 0;
    if (!normal)
        return fabs(mpfr_get_d(w->scratch, MPFR_RNDN)) <= DBL_MIN ? 0.0 : INFINITY;
    mpfr_div(w->scratch, w->scratch, truth, MPFR_RNDN);
    return fabs(mpfr_get_d(w->scratch, MPFR_RNDN));
}

#endif
