/* The Gaussian kernel, with its distances from one product of matrices.
 *
 *   |x - z|^2 = |x|^2 + |z|^2 - 2 x'z,  never below 0
 *
 * What cancels is of the order of 1e-16 (|x|^2 + |z|^2): nothing beside the width, which is of the
 * size of typical distances.
 */
#include "kernel/gauss.h"

#include "kernel/normal.h"
#include "kernel/strip.h"
#include "kernel/vector.h"

#include <cblas.h>

/* Beyond it the exponential of libmvec leaves its fast path; the kernel is 0 there. */
#define LEAST_EXPONENT (-700.0)

GBS_WIDE static void exponents(size_t m, double x2, const double *z2, double by, double *row) {
#pragma omp simd
    for (size_t j = 0; j < m; j++) {
        double square = x2 + z2[j] - 2.0 * row[j], e = -by * (square > 0.0 ? square : 0.0);
        row[j] = e > LEAST_EXPONENT ? e : LEAST_EXPONENT;
    }
}

void gbs_gauss_rows(size_t n, size_t m, size_t d, const double *x, size_t ldx, const double *z,
                    double width, double *work, double *out, size_t ldo) {
    double *x2 = work, *z2 = work + n, by = 0.5 / (width * width);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)m, (int)d, 1.0, x, (int)ldx,
                z, (int)d, 0.0, out, (int)ldo);
    for (size_t i = 0; i < n; i++)
        x2[i] = gbs_dot(d, x + i * ldx, x + i * ldx);
    for (size_t j = 0; j < m; j++)
        z2[j] = gbs_dot(d, z + j * d, z + j * d);
    for (size_t i = 0; i < n; i++) {
        exponents(m, x2[i], z2, by, out + i * ldo);
        gbs_vector_exp(m, out + i * ldo, out + i * ldo);
    }
}
