/* Scores of sixteen coefficient vectors against a block of rows.
 *
 * The product X Theta with Theta only sixteen columns gbs_wide: four rows times sixteen lanes stay in registers while k runs, a tile of a few hundred
 * coefficients stays in the first-level cache, and nothing has to be packed. That is as fast as a large dgemm and, for the eight or fifty columns of
 * common data, faster; what is done with a score can be done while it is still in cache.
 */
#include "kernel/tile.h"

#include "kernel/vector.h"

#include <string.h>

GBS_WIDE static void four_rows(size_t d, const double *x, size_t ld, const double *theta, double *score) {
    const gbs_wide *t = (const gbs_wide *)theta;
    const double *x0 = x, *x1 = x + ld, *x2 = x1 + ld, *x3 = x2 + ld;
    gbs_wide a0 = {0}, b0 = {0}, a1 = {0}, b1 = {0}, a2 = {0}, b2 = {0}, a3 = {0}, b3 = {0};
    for (size_t k = 0; k < d; k++) {
        gbs_wide low = t[2 * k], high = t[2 * k + 1];
        a0 += x0[k] * low;
        b0 += x0[k] * high;
        a1 += x1[k] * low;
        b1 += x1[k] * high;
        a2 += x2[k] * low;
        b2 += x2[k] * high;
        a3 += x3[k] * low;
        b3 += x3[k] * high;
    }
    gbs_wide *s = (gbs_wide *)score;
    s[0] = a0, s[1] = b0, s[2] = a1, s[3] = b1;
    s[4] = a2, s[5] = b2, s[6] = a3, s[7] = b3;
}

GBS_WIDE static void one_row(size_t d, const double *x, const double *theta, double *score) {
    const gbs_wide *t = (const gbs_wide *)theta;
    gbs_wide a = {0}, b = {0};
    for (size_t k = 0; k < d; k++) {
        a += x[k] * t[2 * k];
        b += x[k] * t[2 * k + 1];
    }
    gbs_wide *s = (gbs_wide *)score;
    s[0] = a, s[1] = b;
}

GBS_WIDE static void sparse_row(size_t stored, const uint32_t *column, const double *value, const double *theta,
                                double *score) {
    const gbs_wide *t = (const gbs_wide *)theta;
    gbs_wide a = {0}, b = {0};
    for (size_t k = 0; k < stored; k++) {
        size_t j = column[k];
        a += value[k] * t[2 * j];
        b += value[k] * t[2 * j + 1];
    }
    gbs_wide *s = (gbs_wide *)score;
    s[0] = a, s[1] = b;
}

void gbs_tile_scores(const gbs_block *b, const double *theta, double *score) {
    _Static_assert(GBS_LANES * sizeof(double) == 2 * sizeof(gbs_wide), "a row of lanes is two wide words");
    size_t i = 0;
    if (b->dense != NULL) {
        for (; i + 4 <= b->n; i += 4)
            four_rows(b->d, b->dense + i * b->ld, b->ld, theta, score + i * GBS_LANES);
        for (; i < b->n; i++)
            one_row(b->d, b->dense + i * b->ld, theta, score + i * GBS_LANES);
        return;
    }
    for (; i < b->n; i++) {
        const size_t *s = b->start + i * b->stride;
        sparse_row(s[1] - s[0], b->column + s[0], b->value + s[0], theta, score + i * GBS_LANES);
    }
}

GBS_WIDE void gbs_tile_margins(size_t n, const double *y, size_t y_step, const double *less, double *score) {
    gbs_wide *s = (gbs_wide *)score, low = {0}, high = {0};
    if (less != NULL) {
        low = ((const gbs_wide *)less)[0];
        high = ((const gbs_wide *)less)[1];
    }
    for (size_t i = 0; i < n; i++, s += 2) {
        s[0] = y[i * y_step] * (s[0] - low);
        s[1] = y[i * y_step] * (s[1] - high);
    }
}

GBS_WIDE void gbs_tile_turn(size_t n, const double *a, double x, const double *b, double y, const double *c, double *out) {
    const gbs_wide *p = (const gbs_wide *)b, *q = (const gbs_wide *)c;
    gbs_wide *s = (gbs_wide *)out;
    for (size_t i = 0; i < n; i++, p += 2, q += 2, s += 2) {
        s[0] = a[i] + x * p[0] + y * q[0];
        s[1] = a[i] + x * p[1] + y * q[1];
    }
}

void gbs_tile_dot(size_t d, const double *shift, const double *theta, double *out) {
    one_row(d, shift, theta, out);
}

void gbs_tile_gather(size_t d, size_t lanes, const double *const *row, double *tile) {
    for (size_t l = 0; l < lanes; l++)
        for (size_t k = 0; k < d; k++)
            tile[k * GBS_LANES + l] = row[l][k];
    for (size_t l = lanes; l < GBS_LANES; l++)
        for (size_t k = 0; k < d; k++)
            tile[k * GBS_LANES + l] = 0.0;
}

void gbs_tile_scatter(size_t d, size_t lanes, const double *tile, double *const *row) {
    for (size_t l = 0; l < lanes; l++)
        for (size_t k = 0; k < d; k++)
            row[l][k] = tile[k * GBS_LANES + l];
}
