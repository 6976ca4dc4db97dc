/* Parts of the passes over pairs (vb/pair_parts.h): sizes of blocks, one row at a time (a = x'm, q
 * = x'S x), and pairs of nearly equal rows. */
#include "vb/pair_parts.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_OUTER = 192, MOST_INNER = GBS_LOSS_TILE, LEAST_OUTER = 8, LEAST_INNER = 32 };
/* Doubles in a block of the wider rows. */
#define BLOCK_CELLS 32768
/* As in free_energy.c. */
#define NO_VARIANCE 1e-280

static size_t within(size_t x, size_t least, size_t most) {
    return x < least ? least : x > most ? most : x;
}

size_t gbs_pair_outer_rows(size_t d) {
    return within(BLOCK_CELLS / d, LEAST_OUTER, MOST_OUTER);
}

size_t gbs_pair_inner_rows(size_t d) {
    return within(2 * BLOCK_CELLS / d, LEAST_INNER, MOST_INNER);
}

gbs_pair_sides gbs_pair_sides_of(const gbs_rows *rows) {
    size_t n = rows->all.n, plus = gbs_pair_positives(rows);
    gbs_rows positive = gbs_rows_slice(rows, 0, plus),
             negative = gbs_rows_slice(rows, plus, n - plus);
    if (plus > n - plus)
        return (gbs_pair_sides){
            .outer = positive, .inner = negative, .inner_first = plus, .sign = 1.0};
    return (gbs_pair_sides){
        .outer = negative, .inner = positive, .outer_first = plus, .sign = -1.0};
}

/* ---------------------------------------------------------------- one row at a time */

struct projection {
    const gbs_rows *rows;
    const gbs_gaussian *g;
    gbs_pass pass;
    double sign, *room, *values;
    size_t worker_size;
};

static void project_strip(void *arg, size_t index, size_t worker) {
    const struct projection *p = arg;
    size_t n = p->rows->all.n, first = index * p->rows->strip_rows;
    gbs_strip b = gbs_rows_strip(p->rows, index);
    gbs_pass pass = p->pass;
    pass.scratch = p->room + worker * p->worker_size;
    double *a = p->values + first, *q = a + n, *times = q + n;
    gbs_family_of(p->g->family)->project(p->g, &b, &pass, a, q);
    for (size_t i = 0; i < b.n; i++) {
        a[i] *= p->sign;
        times[i] = fabs(b.y[i * b.stride]);
    }
}

size_t gbs_pair_project_room(const gbs_rows *rows, gbs_family family) {
    return rows->strip_rows * (family == GBS_FAMILY_FULL ? rows->d : 1);
}

void gbs_pair_project(gbs_context *ctx, const gbs_rows *rows, const gbs_gaussian *g, double sign,
                      double *room, size_t worker_size, double *values) {
    struct projection p = {.rows = rows,
                           .g = g,
                           .sign = sign,
                           .room = room,
                           .worker_size = worker_size,
                           .values = values};
    const double *shift = rows->all.shift;
    if (shift != NULL) {
        p.pass.shift_dot = gbs_dot(g->d, shift, g->mean);
        p.pass.shift_square = g->tau != NULL ? gbs_square_dot(g->d, shift, g->tau)
                                             : rows->shift_norm2;
    }
    double d = (double)g->d,
           flops = (double)rows->all.n * d * (g->family == GBS_FAMILY_FULL ? d : 4.0);
    gbs_parallel_for(ctx, gbs_rows_strips(rows), flops, project_strip, &p);
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

void gbs_pair_times_covariance(const gbs_gaussian *g, const gbs_strip *b, double *to) {
    size_t d = g->d;
    int n = (int)b->n, size = (int)d;
    gbs_strip_densify(b, to);
    if (g->family == GBS_FAMILY_FULL) {
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, size, 1.0,
                    g->factor, size, to, size);
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, n, size, 1.0,
                    g->factor, size, to, size);
        return;
    }
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < d; k++)
            to[i * d + k] *= g->tau != NULL ? g->tau[k] : g->sd[0] * g->sd[0];
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

static double variance_of(const gbs_gaussian *g, const double *x, double *work) {
    size_t d = g->d;
    if (g->family != GBS_FAMILY_FULL)
        return g->tau != NULL ? gbs_square_dot(d, x, g->tau)
                              : g->sd[0] * g->sd[0] * gbs_dot(d, x, x);
    memcpy(work, x, d * sizeof *work);
    cblas_dtrmv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)d, g->factor, (int)d,
                work, 1);
    return gbs_dot(d, work, work);
}

bool gbs_pair_near(const gbs_gaussian *g, const double *x, const double *y, double *difference,
                   double *work, double *mu, double *s) {
    *mu = *s = 0.0;
    if (!subtract(g->d, x, y, difference))
        return false;
    double variance = variance_of(g, difference, work);
    *mu = gbs_dot(g->d, g->mean, difference);
    *s = variance > NO_VARIANCE ? sqrt(variance) : 0.0;
    return true;
}
