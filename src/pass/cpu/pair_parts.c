/* Parts of the passes over pairs (pair_parts.h): sizes of blocks, one row at a time (a = x'm, q
 * = x'S x), and pairs of nearly equal rows. */
#include "pass/cpu/pair_parts.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

enum { MOST_OUTER = 192, MOST_INNER = GBS_LOSS_TILE, LEAST_OUTER = 8, LEAST_INNER = 32 };
/* Doubles in a block of the wider rows. */
#define BLOCK_CELLS 32768

static size_t within(size_t x, size_t least, size_t most) {
    return x < least ? least : x > most ? most : x;
}

size_t gbs_pair_outer_rows(size_t d) {
    return within(BLOCK_CELLS / d, LEAST_OUTER, MOST_OUTER);
}

size_t gbs_pair_inner_rows(size_t d) {
    return within(2 * BLOCK_CELLS / d, LEAST_INNER, MOST_INNER);
}

gbs_pair_sides gbs_pair_sides_of(const gbs_rows *rows, size_t plus) {
    size_t n = rows->all.n;
    gbs_rows positive = gbs_rows_slice(rows, 0, plus),
             negative = gbs_rows_slice(rows, plus, n - plus);
    if (plus > n - plus)
        return (gbs_pair_sides){
            .outer = positive, .inner = negative, .inner_first = plus, .sign = 1.0};
    return (gbs_pair_sides){
        .outer = negative, .inner = positive, .outer_first = plus, .sign = -1.0};
}

double gbs_pair_weight(const gbs_rows *rows, size_t positives) {
    double size[2] = {0.0, 0.0};
    for (size_t i = 0; i < rows->all.n; i++)
        size[i < positives] += fabs(rows->all.y[i * rows->all.stride]);
    return size[0] * size[1];
}

/* ---------------------------------------------------------------- one row at a time */

struct projection {
    const gbs_rows *rows;
    const gbs_spread *g;
    gbs_cpu_shift shift;
    double sign, *room, *values;
    size_t worker_size;
};

static void project_strip(void *arg, size_t index, size_t worker) {
    const struct projection *p = arg;
    size_t n = p->rows->all.n, first = index * p->rows->strip_rows;
    gbs_strip b = gbs_rows_strip(p->rows, index);
    double *a = p->values + first, *q = a + n, *times = q + n;
    gbs_cpu_project_strip(p->g, &b, &p->shift, p->room + worker * p->worker_size, a, q);
    for (size_t i = 0; i < b.n; i++) {
        a[i] *= p->sign;
        times[i] = fabs(b.y[i * b.stride]);
    }
    gbs_rows_passed(p->rows, &b);
}

size_t gbs_pair_project_room(const gbs_rows *rows, bool matrix) {
    return rows->strip_rows * gbs_cpu_strip_room(rows->d, matrix);
}

void gbs_pair_project(gbs_context *ctx, const gbs_rows *rows, const gbs_spread *g, double sign,
                      double *room, size_t worker_size, double *values) {
    struct projection p = {.rows = rows,
                           .g = g,
                           .shift = gbs_cpu_shift_of(rows, g),
                           .sign = sign,
                           .room = room,
                           .worker_size = worker_size,
                           .values = values};
    double d = (double)g->d, flops = (double)rows->all.n * d * (g->factor != NULL ? d : 4.0);
    size_t n = rows->all.n;
    const gbs_made made[] = {gbs_made_doubles(values, rows->strip_rows, n),
                             gbs_made_doubles(values + n, rows->strip_rows, n),
                             gbs_made_doubles(values + 2 * n, rows->strip_rows, n)};
    gbs_dealt_for(ctx, gbs_rows_strips(rows), flops, project_strip, &p, made, 3);
}

/* ---------------------------------------------------------------- blocks of rows */

gbs_strip gbs_pair_dense(const gbs_rows *rows, size_t first, size_t count, double *buffer) {
    gbs_strip b = gbs_rows_slice(rows, first, count).all;
    if (b.dense != NULL)
        return b;
    gbs_strip_densify(&b, buffer);
    return (gbs_strip){
        .n = count, .d = b.d, .dense = buffer, .ld = b.d, .y = b.y, .stride = b.stride};
}

void gbs_pair_passed(const gbs_rows *rows, size_t first, size_t count) {
    gbs_strip b = gbs_strip_part(&rows->all, first, count);
    gbs_rows_passed(rows, &b);
}

void gbs_pair_times_covariance(const gbs_spread *g, const gbs_strip *b, double *to) {
    size_t d = g->d;
    gbs_strip_densify(b, to);
    if (g->factor != NULL) {
        gbs_rows_times_triangle(GBS_UPPER, d, g->factor, b->n, to);
        gbs_rows_times_triangle(GBS_UPPER_TRANSPOSED, d, g->factor, b->n, to);
        return;
    }
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < d; k++)
            to[i * d + k] *= g->tau != NULL ? g->tau[k] : g->variance;
}

/* ---------------------------------------------------------------- nearly equal rows */

/* False when the rows are equal. */
static bool subtract(size_t d, const double *x, const double *y, double *out) {
    bool differ = false;
    for (size_t k = 0; k < d; k++) {
        out[k] = x[k] - y[k];
        differ = differ || out[k] != 0.0;
    }
    return differ;
}

static double variance_of(const gbs_spread *g, const double *x, double *work) {
    size_t d = g->d;
    if (g->factor == NULL)
        return g->tau != NULL ? gbs_square_dot(d, x, g->tau) : g->variance * gbs_dot(d, x, x);
    memcpy(work, x, d * sizeof *work);
    gbs_triangle_times(GBS_UPPER_TRANSPOSED, d, g->factor, work);
    return gbs_dot(d, work, work);
}

bool gbs_pair_near(const gbs_spread *g, const double *x, const double *y, double *difference,
                   double *work, double *mu, double *s) {
    *mu = *s = 0.0;
    if (!subtract(g->d, x, y, difference))
        return false;
    double variance = variance_of(g, difference, work);
    *mu = gbs_dot(g->d, g->mean, difference);
    *s = variance > GBS_NO_VARIANCE ? sqrt(variance) : 0.0;
    return true;
}
