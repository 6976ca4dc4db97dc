/* Scores of rows and their variances under a Gaussian, and what the rows pull back.
 *
 *   score      x'm
 *   variance   sigma^2 |x|^2,   sum_k x_k^2 tau_k,   |C'x|^2          (docs/maths.md, 2.1)
 *   pull       of H = sum_i w_i x_i x_i' the trace, the diagonal, or the matrix
 *
 * On the span of a few rows, S = v I + Q'(C C' - v I) Q:   v (|x|^2 - |q|^2) + |C'q|^2,  q = Q x.
 */
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "pass/cpu/cpu.h"

#include <math.h>

gbs_cpu_shift gbs_cpu_shift_of(const gbs_rows *rows, const gbs_spread *g) {
    const double *shift = rows->all.shift;
    gbs_cpu_shift out = {0.0, 0.0};
    if (shift != NULL) {
        out.dot = gbs_dot(g->d, shift, g->mean);
        out.square = g->tau != NULL ? gbs_square_dot(g->d, shift, g->tau) : rows->shift_norm2;
    }
    return out;
}

size_t gbs_cpu_strip_room(size_t d, bool matrix) {
    return matrix ? d : 1;
}

/* Without a factor the squared lengths of the rows stay in the scratch space for pull_strip. */
void gbs_cpu_project_strip(const gbs_spread *g, const gbs_strip *b, const gbs_cpu_shift *shift,
                           double *scratch, double *score, double *variance) {
    if (g->factor != NULL) {
        gbs_strip_scores(b, g->mean, shift->dot, score);
        gbs_strip_factor_variance(b, g->factor, scratch, variance);
    } else if (g->tau != NULL) {
        gbs_strip_scores_squares(b, g->mean, g->tau, shift->dot, shift->square, score, variance);
    } else {
        gbs_strip_scores_squares(b, g->mean, NULL, shift->dot, shift->square, score, scratch);
        for (size_t i = 0; i < b->n; i++)
            variance[i] = g->variance * scratch[i];
    }
}

void gbs_cpu_pull_strip(const gbs_spread *g, const gbs_strip *b, double *scratch, const double *u,
                        const double *w, double *d_mean, double *pull) {
    if (g->pull == GBS_PULL_DIAGONAL) {
        gbs_strip_pull_squares(b, u, w, d_mean, pull);
        return;
    }
    gbs_strip_pull(b, u, d_mean);
    if (g->pull == GBS_PULL_MATRIX) {
        gbs_strip_gram(b, w, scratch, pull);
        return;
    }
    double sum = 0.0;
    for (size_t i = 0; i < b->n; i++)
        sum += w[i] * scratch[i];
    pull[0] += sum;
}

/* ---------------------------------------------------------------- all rows */

struct projection {
    gbs_context *ctx;
    const gbs_spread *g;
    gbs_rows rows;
    gbs_cpu_shift shift;
    double *scratch, *score, *variance;
    size_t worker_size;
    atomic_int status;
};

/* The prior's variance off the span, the posterior's on it. */
static double span_variance(const gbs_span *s, double v, const double *x, size_t d, double *q) {
    const double *shift = s->kept.shift;
    gbs_strip_scores(&s->kept, x, shift != NULL ? gbs_dot(d, shift, x) : 0.0, q);
    gbs_lower_solve(s->rank, s->lower, s->rank, false, q);
    double inside = gbs_dot(s->rank, q, q);
    gbs_triangle_times(GBS_UPPER_TRANSPOSED, s->rank, s->factor, q);
    double outside = gbs_dot(d, x, x) - inside;
    return v * (outside < 0.0 ? 0.0 : outside) + gbs_dot(s->rank, q, q); /* NaN stays NaN */
}

static void project_strip(void *arg, size_t index, size_t worker) {
    struct projection *p = arg;
    gbs_strip b = gbs_rows_strip(&p->rows, index);
    if (gbs_loop_stopped(p->ctx, worker, &p->status))
        return;
    double *scratch = p->scratch + worker * p->worker_size;
    double *score = p->score + index * p->rows.strip_rows,
           *variance = p->variance + index * p->rows.strip_rows;
    if (p->g->span == NULL) {
        gbs_cpu_project_strip(p->g, &b, &p->shift, scratch, score, variance);
        gbs_rows_passed(&p->rows, &b);
        return;
    }
    gbs_strip_scores(&b, p->g->mean, p->shift.dot, score);
    gbs_strip_densify(&b, scratch);
    double *q = scratch + p->rows.strip_rows * b.d;
    for (size_t i = 0; i < b.n; i++)
        variance[i] = span_variance(p->g->span, p->g->variance, scratch + i * b.d, b.d, q);
    gbs_rows_passed(&p->rows, &b);
}

gbs_status gbs_cpu_project(const gbs_held *held, const gbs_spread *g, size_t first, size_t count,
                           double *score, double *variance) {
    gbs_context *ctx = held->ctx;
    struct projection p = {.ctx = ctx,
                           .g = g,
                           .rows = gbs_rows_slice(gbs_cpu_rows(held), first, count),
                           .score = score,
                           .variance = variance};
    bool matrix = g->factor != NULL || g->span != NULL;
    size_t rank = g->span != NULL ? g->span->rank : 0;
    p.shift = gbs_cpu_shift_of(&p.rows, g);
    p.worker_size = p.rows.strip_rows * gbs_cpu_strip_room(g->d, matrix) + rank;
    p.scratch = gbs_matrix(ctx, gbs_workers(ctx), p.worker_size);
    gbs_status status = p.scratch != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        double cells = (double)count * (double)g->d;
        const gbs_made made[] = {gbs_made_doubles(score, p.rows.strip_rows, count),
                                 gbs_made_doubles(variance, p.rows.strip_rows, count)};
        gbs_dealt_for(ctx, gbs_rows_strips(&p.rows), cells * (matrix ? (double)g->d : 4.0),
                      project_strip, &p, made, 2);
        gbs_compute_end(ctx);
        status = (gbs_status)atomic_load(&p.status);
    }
    gbs_array_free(ctx, p.scratch);
    return status;
}
