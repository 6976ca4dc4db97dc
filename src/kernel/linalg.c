/* Small dense linear algebra. LAPACK thinks in columns: a row-major lower triangle is its upper
 * one. */
#include "kernel/linalg.h"

#include <cblas.h>
#include <float.h>
#include <math.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
extern void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda,
                    int *info);
extern void dpstrf_(const char *uplo, const int *n, double *a, const int *lda, int *piv, int *rank,
                    const double *tol, double *work, int *info);
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
                   double *w, double *work, const int *lwork, int *info);

bool gbs_cholesky(size_t d, double *a) {
    int n = (int)d, info = 0;
    for (size_t i = 0; i < d; i++)
        if (!isfinite(a[i * d + i]))
            return false;
    dpotrf_("U", &n, a, &n, &info);
    if (info != 0)
        return false;
    for (size_t i = 0; i < d; i++) {
        if (!isfinite(a[i * d + i]))
            return false;
        for (size_t j = i + 1; j < d; j++)
            a[i * d + j] = 0.0;
    }
    return true;
}

bool gbs_lower_inverse(size_t d, double *r) {
    int n = (int)d, info = 0;
    dtrtri_("U", "N", &n, r, &n, &info);
    return info == 0;
}

void gbs_transpose(size_t d, const double *a, double *out) {
    enum { TILE = 16 };
    for (size_t i0 = 0; i0 < d; i0 += TILE)
        for (size_t j0 = 0; j0 < d; j0 += TILE)
            for (size_t i = i0; i < d && i < i0 + TILE; i++)
                for (size_t j = j0; j < d && j < j0 + TILE; j++)
                    out[j * d + i] = a[i * d + j];
}

void gbs_symmetrise(size_t d, double *a) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            a[j * d + i] = a[i * d + j];
}

size_t gbs_pivoted_cholesky_to(size_t n, double least, double *k, int *pivot, double *work) {
    int size = (int)n, rank = 0, info = 0;
    dpstrf_("U", &size, k, &size, pivot, &rank, &least, work, &info);
    for (size_t i = 0; i < n; i++) {
        pivot[i]--;
        for (size_t j = i + 1; j < n; j++)
            k[i * n + j] = 0.0;
    }
    return rank > 0 ? (size_t)rank : 0;
}

size_t gbs_pivoted_cholesky(size_t n, double *k, int *pivot, double *work) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, k[i * n + i]);
    if (!(largest > 0.0))
        return 0;
    return gbs_pivoted_cholesky_to(n, (double)n * DBL_EPSILON * largest, k, pivot, work);
}

void gbs_lower_solve(size_t d, const double *r, size_t ld, bool transpose, double *x) {
    cblas_dtrsv(CblasRowMajor, CblasLower, transpose ? CblasTrans : CblasNoTrans, CblasNonUnit,
                (int)d, r, (int)ld, x, 1);
}

/* ---------------------------------------------------------------- triangles */

static CBLAS_UPLO half_of(gbs_triangle kind) {
    return kind == GBS_LOWER || kind == GBS_LOWER_TRANSPOSED ? CblasLower : CblasUpper;
}

static CBLAS_TRANSPOSE turn_of(gbs_triangle kind) {
    return kind == GBS_LOWER_TRANSPOSED || kind == GBS_UPPER_TRANSPOSED ? CblasTrans : CblasNoTrans;
}

void gbs_triangle_times(gbs_triangle kind, size_t d, const double *t, double *x) {
    cblas_dtrmv(CblasRowMajor, half_of(kind), turn_of(kind), CblasNonUnit, (int)d, t, (int)d, x, 1);
}

void gbs_triangle_solve(gbs_triangle kind, size_t d, const double *t, double *x) {
    cblas_dtrsv(CblasRowMajor, half_of(kind), turn_of(kind), CblasNonUnit, (int)d, t, (int)d, x, 1);
}

void gbs_triangle_times_columns(gbs_triangle kind, size_t d, const double *t, size_t columns,
                                double *x) {
    cblas_dtrmm(CblasRowMajor, CblasLeft, half_of(kind), turn_of(kind), CblasNonUnit, (int)d,
                (int)columns, 1.0, t, (int)d, x, (int)columns);
}

void gbs_triangle_solve_columns(gbs_triangle kind, size_t d, const double *t, size_t columns,
                                double *x) {
    cblas_dtrsm(CblasRowMajor, CblasLeft, half_of(kind), turn_of(kind), CblasNonUnit, (int)d,
                (int)columns, 1.0, t, (int)d, x, (int)columns);
}

void gbs_rows_times_triangle(gbs_triangle kind, size_t d, const double *t, size_t rows, double *x) {
    cblas_dtrmm(CblasRowMajor, CblasRight, half_of(kind), turn_of(kind), CblasNonUnit, (int)rows,
                (int)d, 1.0, t, (int)d, x, (int)d);
}

void gbs_rows_solve_triangle(gbs_triangle kind, size_t d, const double *t, size_t rows, double *x) {
    cblas_dtrsm(CblasRowMajor, CblasRight, half_of(kind), turn_of(kind), CblasNonUnit, (int)rows,
                (int)d, 1.0, t, (int)d, x, (int)d);
}

/* Row by row from the end: row i needs rows j <= i only. */
void gbs_lower_square(size_t d, double *r) {
    for (size_t i = d; i-- > 0;)
        for (size_t j = 0; j <= i; j++)
            r[j * d + i] = cblas_ddot((int)j + 1, r + i * d, 1, r + j * d, 1);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            r[i * d + j] = r[j * d + i];
}

void gbs_add_gram(size_t d, size_t rows, const double *x, double keep, double *m) {
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)d, (int)rows, 1.0, x, (int)d, keep, m,
                (int)d);
}

void gbs_strided_rows_times(size_t rows, size_t d, size_t columns, const double *x, size_t ldx,
                            const double *m, double *out, size_t ldo) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)d, 1.0, x,
                (int)ldx, m, (int)columns, 0.0, out, (int)ldo);
}

void gbs_rows_times(size_t rows, size_t d, size_t columns, const double *x, const double *m,
                    double *out) {
    gbs_strided_rows_times(rows, d, columns, x, d, m, out, columns);
}

void gbs_add_cross(size_t rows, size_t d, size_t columns, const double *x, const double *y,
                   double *m) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)d, (int)columns, (int)rows, 1.0, x,
                (int)d, y, (int)columns, 1.0, m, (int)columns);
}

void gbs_add_scaled(size_t n, double a, const double *x, double *y) {
    cblas_daxpy((int)n, a, x, 1, y, 1);
}

bool gbs_symmetric_eigen(size_t d, double *a, double *values, double *work) {
    int n = (int)d, room = 64 * n, info = 0;
    dsyev_("V", "U", &n, a, &n, values, work, &room, &info);
    return info == 0;
}
