/* Level-3 sums over CSR rows z - c, c the shift that all rows share.
 *
 *   |C'(z - c)|^2                       k d / 2 products for a row of k cells, in place of d^2 / 2
 *   sum w (z - c)(z - c)' = sum w z z' - a c' - c a' + (sum w) c c',   a = sum w z       k^2 / 2
 *
 * C is taken GBS_PANEL columns at a time, which stay in the first-level cache while all rows pass
 * by. C'(z - c) is squared as it stands: where C has a direction that no row has (columns that add
 * up to a constant, under a wide prior), z'CC'z would cancel against c'CC'c.
 */
#include "kernel/strip_sparse.h"

#include "kernel/vector.h"

#include <string.h>

/* Products of a panel run at about half the speed of BLAS, and scattered sums at a twentieth. */
#define PANEL_COST 2.0
#define SCATTER_COST 20.0

static double cells(const gbs_strip *b) {
    size_t sum = 0;
    for (size_t i = 0; i < b->n; i++)
        sum += b->start[i * b->stride + 1] - b->start[i * b->stride];
    return (double)sum;
}

bool gbs_sparse_factor_pays(const gbs_strip *b) {
    return b->dense == NULL && b->n > GBS_PANEL &&
           PANEL_COST * cells(b) < (double)b->n * (double)b->d;
}

bool gbs_sparse_gram_pays(const gbs_strip *b) {
    double d = (double)b->d, squares = 0.0;
    if (b->dense != NULL)
        return false;
    for (size_t i = 0; i < b->n; i++) {
        double k = (double)(b->start[i * b->stride + 1] - b->start[i * b->stride]);
        squares += k * k;
    }
    return SCATTER_COST * squares < (double)b->n * d * d;
}

/* ---------------------------------------------------------------- variances */

/* base = -C'c */
GBS_WIDE static void fill_base(const gbs_strip *b, const double *restrict c,
                               double *restrict base) {
    size_t d = b->d;
    memset(base, 0, d * sizeof *base);
    for (size_t j = 0; b->shift != NULL && j < d; j++)
        for (size_t t = j; t < d; t++)
            base[t] -= b->shift[j] * c[j * d + t];
}

/* The columns first .. end - 1 of C, one row of it after the other, with zeros below the diagonal
 * and beyond d. */
static void fill_panel(const double *c, size_t d, size_t first, size_t end, double *panel) {
    for (size_t j = 0; j < end; j++) {
        size_t from = j < first ? first : j;
        double *row = panel + j * GBS_PANEL;
        if (end - from < GBS_PANEL)
            memset(row, 0, GBS_PANEL * sizeof *row);
        memcpy(row + (from - first), c + j * d + from, (end - from) * sizeof *row);
    }
}

#define LANES 8
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

/* variance_i += |base + sum of z_j panel_j|^2; columns from `rows` on have nothing in the panel. */
GBS_WIDE static void add_panel(const gbs_strip *b, const double *panel, size_t rows,
                               const double *base, double *variance) {
    const lanes *start = (const lanes *)base;
    for (size_t i = 0; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        lanes y0 = start[0], y1 = start[1], y2 = start[2], y3 = start[3];
        for (size_t k = s[0]; k < s[1] && b->column[k] < rows; k++) {
            const lanes *row = (const lanes *)(panel + (size_t)b->column[k] * GBS_PANEL);
            double z = b->value[k];
            y0 += z * row[0];
            y1 += z * row[1];
            y2 += z * row[2];
            y3 += z * row[3];
        }
        lanes squares = (y0 * y0 + y1 * y1) + (y2 * y2 + y3 * y3);
        double sum = 0.0;
        for (int t = 0; t < LANES; t++)
            sum += squares[t];
        variance[i] += sum;
    }
}

void gbs_sparse_factor_variance(const gbs_strip *b, const double *c, double *scratch,
                                double *variance) {
    size_t d = b->d;
    double *base = scratch, *panel = scratch + d, here[GBS_PANEL];
    fill_base(b, c, base);
    memset(variance, 0, b->n * sizeof *variance);
    for (size_t first = 0; first < d; first += GBS_PANEL) {
        size_t end = first + GBS_PANEL < d ? first + GBS_PANEL : d;
        memset(here, 0, sizeof here);
        memcpy(here, base + first, (end - first) * sizeof *here);
        fill_panel(c, d, first, end, panel);
        add_panel(b, panel, end, here, variance);
    }
}

/* ---------------------------------------------------------------- Gram matrices */

/* m += sum w z z', lower triangle: the columns of a row ascend. */
static void add_products(const gbs_strip *b, const double *w, double *m) {
    size_t d = b->d;
    for (size_t i = 0; i < b->n; i++) {
        if (w[i] == 0.0)
            continue; /* far from the margin */
        size_t first = b->start[i * b->stride], end = b->start[i * b->stride + 1];
        for (size_t p = first; p < end; p++) {
            double *row = m + b->column[p] * d, wz = w[i] * b->value[p];
            for (size_t q = first; q <= p; q++)
                row[b->column[q]] += wz * b->value[q];
        }
    }
}

/* m += (sum w) c c' - a c' - c a', lower triangle. */
static void add_shift(const gbs_strip *b, const double *w, double *a, double *m) {
    size_t d = b->d;
    const double *c = b->shift;
    double sum = 0.0;
    memset(a, 0, d * sizeof *a);
    gbs_strip_pull(b, w, a);
    for (size_t i = 0; i < b->n; i++)
        sum += w[i];
    for (size_t j = 0; j < d; j++)
        for (size_t t = 0; t <= j; t++)
            m[j * d + t] += c[j] * (sum * c[t] - a[t]) - a[j] * c[t];
}

void gbs_sparse_gram(const gbs_strip *b, const double *w, double *scratch, double *m) {
    add_products(b, w, m);
    if (b->shift != NULL)
        add_shift(b, w, scratch, m);
}
