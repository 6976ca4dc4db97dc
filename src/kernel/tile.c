/* Scores of sixteen coefficient vectors against a strip of rows.
 *
 * The product X Theta with Theta only sixteen columns gbs_wide: four rows times sixteen lanes stay
 * in registers while k runs, a tile of a few hundred coefficients stays in the first-level cache,
 * and nothing has to be packed. That is as fast as a large dgemm and, for the eight or fifty
 * columns of common data, faster; what is done with a score can be done while it is still in cache.
 */
#include "kernel/tile.h"

#include "kernel/normal.h"
#include "kernel/vector.h"

#include <string.h>

/* score[i][l] = y_i (x_i'theta_l - less_l), y_i at y[i * y_step] */
struct sign {
    const double *y, *less;
    size_t y_step;
};

static const double unsigned_y = 1.0;
static const double no_less[GBS_LANES] __attribute__((aligned(64))) = {0};

GBS_WIDE static void dense_rows(size_t n, size_t d, const double *x, size_t ld, const double *theta,
                                const struct sign *by, double *score) {
    const gbs_wide *t = (const gbs_wide *)theta, low = ((const gbs_wide *)by->less)[0],
                   high = ((const gbs_wide *)by->less)[1];
    const double *y = by->y;
    gbs_wide *s = (gbs_wide *)score;
    size_t i = 0;
    for (; i + 4 <= n; i += 4, x += 4 * ld, y += 4 * by->y_step, s += 8) {
        const double *x1 = x + ld, *x2 = x1 + ld, *x3 = x2 + ld, *y2 = y + 2 * by->y_step;
        gbs_wide a0 = {0}, b0 = a0, a1 = a0, b1 = a0, a2 = a0, b2 = a0, a3 = a0, b3 = a0;
        for (size_t k = 0; k < d; k++) {
            gbs_wide p = t[2 * k], q = t[2 * k + 1];
            a0 += x[k] * p, b0 += x[k] * q;
            a1 += x1[k] * p, b1 += x1[k] * q;
            a2 += x2[k] * p, b2 += x2[k] * q;
            a3 += x3[k] * p, b3 += x3[k] * q;
        }
        s[0] = y[0] * (a0 - low), s[1] = y[0] * (b0 - high);
        s[2] = y[by->y_step] * (a1 - low), s[3] = y[by->y_step] * (b1 - high);
        s[4] = y2[0] * (a2 - low), s[5] = y2[0] * (b2 - high);
        s[6] = y2[by->y_step] * (a3 - low), s[7] = y2[by->y_step] * (b3 - high);
    }
    for (; i < n; i++, x += ld, y += by->y_step, s += 2) {
        gbs_wide a = {0}, b = a;
        for (size_t k = 0; k < d; k++)
            a += x[k] * t[2 * k], b += x[k] * t[2 * k + 1];
        s[0] = y[0] * (a - low), s[1] = y[0] * (b - high);
    }
}

GBS_WIDE static void sparse_rows(const gbs_strip *strip, const double *theta, const struct sign *by,
                                 double *score) {
    const gbs_wide *t = (const gbs_wide *)theta, low = ((const gbs_wide *)by->less)[0],
                   high = ((const gbs_wide *)by->less)[1];
    gbs_wide *s = (gbs_wide *)score;
    for (size_t i = 0; i < strip->n; i++, s += 2) {
        const size_t *start = strip->start + i * strip->stride;
        double y = by->y[i * by->y_step];
        gbs_wide a = {0}, b = a;
        for (size_t k = start[0]; k < start[1]; k++) {
            const gbs_wide *at = t + 2 * (size_t)strip->column[k];
            a += strip->value[k] * at[0], b += strip->value[k] * at[1];
        }
        s[0] = y * (a - low), s[1] = y * (b - high);
    }
}

static void signed_scores(const gbs_strip *b, const double *theta, const struct sign *by,
                          double *score) {
    _Static_assert(GBS_LANES * sizeof(double) == 2 * sizeof(gbs_wide),
                   "a row of lanes is two wide words");
    if (b->dense != NULL)
        dense_rows(b->n, b->d, b->dense, b->ld, theta, by, score);
    else
        sparse_rows(b, theta, by, score);
}

void gbs_tile_scores(const gbs_strip *b, const double *theta, double *score) {
    signed_scores(b, theta, &(struct sign){&unsigned_y, no_less, 0}, score);
}

void gbs_tile_margins(const gbs_strip *b, const double *theta, const double *less, double *margin) {
    signed_scores(b, theta, &(struct sign){b->y, less != NULL ? less : no_less, b->stride}, margin);
}

GBS_WIDE void gbs_tile_turn(size_t n, const double *a, double x, const double *b, double y,
                            const double *c, double *out) {
    const gbs_wide *p = (const gbs_wide *)b, *q = (const gbs_wide *)c;
    gbs_wide *s = (gbs_wide *)out;
    for (size_t i = 0; i < n; i++, p += 2, q += 2, s += 2) {
        s[0] = a[i] + x * p[0] + y * q[0];
        s[1] = a[i] + x * p[1] + y * q[1];
    }
}

GBS_WIDE void gbs_tile_rotate(size_t d, double x, double y, double *a, double *b) {
    gbs_wide *p = (gbs_wide *)a, *q = (gbs_wide *)b;
    for (size_t k = 0; k < 2 * d; k++) {
        gbs_wide turned = x * p[k] + y * q[k];
        q[k] = x * q[k] - y * p[k];
        p[k] = turned;
    }
}

GBS_WIDE void gbs_tile_combine(size_t d, const double *x, double *a, const double *y,
                               const double *b) {
    const gbs_wide *u = (const gbs_wide *)x, *v = (const gbs_wide *)y, *q = (const gbs_wide *)b;
    gbs_wide *p = (gbs_wide *)a;
    for (size_t k = 0; k < 2 * d; k++)
        p[k] = u[k % 2] * p[k] + v[k % 2] * q[k];
}

GBS_WIDE void gbs_tile_select(size_t d, const int64_t *mask, const double *there, double *state,
                              double *way) {
    const gbs_wide_mask *m = (const gbs_wide_mask *)mask;
    const gbs_wide *p = (const gbs_wide *)there;
    gbs_wide *s = (gbs_wide *)state, sum[2] = {{0}, {0}};
    for (size_t k = 0; k < 2 * d; k++) {
        gbs_wide_mask chosen = ((gbs_wide_mask)p[k] & m[k % 2]) | ((gbs_wide_mask)s[k] & ~m[k % 2]);
        gbs_wide step = (gbs_wide)chosen - s[k];
        sum[k % 2] += step * step;
        s[k] = (gbs_wide)chosen;
    }
    if (way == NULL)
        return;
    ((gbs_wide *)way)[0] += sum[0];
    ((gbs_wide *)way)[1] += sum[1];
}

GBS_WIDE void gbs_tile_shift(size_t d, double times, const double *by, double *tile) {
    gbs_wide *p = (gbs_wide *)tile;
    for (size_t k = 0; k < d; k++) {
        p[2 * k] += times * by[k];
        p[2 * k + 1] += times * by[k];
    }
}

GBS_WIDE void gbs_tile_change(size_t d, const double *centre, const double *from, const double *to,
                              double *out) {
    const gbs_wide *p = (const gbs_wide *)from, *q = (const gbs_wide *)to;
    gbs_wide low = {0}, high = low;
    for (size_t k = 0; k < d; k++, p += 2, q += 2) {
        double twice = centre != NULL ? 2.0 * centre[k] : 0.0;
        low += (q[0] - p[0]) * (q[0] + p[0] - twice);
        high += (q[1] - p[1]) * (q[1] + p[1] - twice);
    }
    ((gbs_wide *)out)[0] = low;
    ((gbs_wide *)out)[1] = high;
}

GBS_WIDE void gbs_tile_inner(size_t d, const double *a, const double *b, double *out) {
    const gbs_wide *p = (const gbs_wide *)a, *q = (const gbs_wide *)b;
    gbs_wide low = {0}, high = low;
    for (size_t k = 0; k < 2 * d; k += 2) {
        low += p[k] * q[k];
        high += p[k + 1] * q[k + 1];
    }
    ((gbs_wide *)out)[0] = low;
    ((gbs_wide *)out)[1] = high;
}

GBS_WIDE void gbs_lanes_weigh(size_t count, const double *by, const double *a, double times,
                              const double *b, double *out) {
    const gbs_wide *p = (const gbs_wide *)a, *q = (const gbs_wide *)b;
    gbs_wide low = times * q[0], high = times * q[1];
    for (size_t k = 0; k < count; k++) {
        low += by[k] * p[2 * k];
        high += by[k] * p[2 * k + 1];
    }
    ((gbs_wide *)out)[0] = low;
    ((gbs_wide *)out)[1] = high;
}

/* exp of less is no weight at all, and slow. */
#define LEAST_EXPONENT (-700.0)

/* x - its largest value in each lane, at least LEAST_EXPONENT. */
GBS_WIDE static void below_the_largest(size_t count, double *x) {
    double most[GBS_LANES];
    for (size_t l = 0; l < GBS_LANES; l++)
        most[l] = -__builtin_inf();
    for (size_t j = 0; j < count; j++)
        for (size_t l = 0; l < GBS_LANES; l++)
            most[l] = x[j * GBS_LANES + l] > most[l] ? x[j * GBS_LANES + l] : most[l];
    for (size_t j = 0; j < count; j++)
        for (size_t l = 0; l < GBS_LANES; l++) {
            double exponent = x[j * GBS_LANES + l] - most[l];
            x[j * GBS_LANES + l] = exponent > LEAST_EXPONENT ? exponent : LEAST_EXPONENT;
        }
}

/* Sums of the first 1, 2, ... rows of lanes, in place; then, in each lane, how many of them are at
 * most draw times the last. */
GBS_WIDE static void place(size_t count, double *x, const double *draw, double *below) {
    for (size_t j = 1; j < count; j++)
        for (size_t l = 0; l < GBS_LANES; l++)
            x[j * GBS_LANES + l] += x[(j - 1) * GBS_LANES + l];
    for (size_t l = 0; l < GBS_LANES; l++)
        below[l] = 0.0;
    for (size_t j = 0; j + 1 < count; j++)
        for (size_t l = 0; l < GBS_LANES; l++)
            below[l] += x[j * GBS_LANES + l] <= draw[l] * x[(count - 1) * GBS_LANES + l] ? 1.0
                                                                                         : 0.0;
}

void gbs_lanes_choose(size_t count, double *log_weight, const double *draw, size_t *chosen) {
    double below[GBS_LANES];
    below_the_largest(count, log_weight);
    gbs_vector_exp(count * GBS_LANES, log_weight, log_weight);
    place(count, log_weight, draw, below);
    for (size_t l = 0; l < GBS_LANES; l++)
        chosen[l] = (size_t)below[l];
}

void gbs_tile_dot(size_t d, const double *shift, const double *theta, double *out) {
    dense_rows(1, d, shift, d, theta, &(struct sign){&unsigned_y, no_less, 0}, out);
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
