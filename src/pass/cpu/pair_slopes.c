/* All n+ n- pairs without an n+ x n- array: the risk and its slopes (docs/maths.md, 5.2).
 *
 *   mu_ij = a_i - a_j,  s_ij^2 = q_i + q_j - 2 x_i'S x_j,   a = Xm, q_i = x_i'S x_i
 *   risk = mean of psi(mu, s);   d risk/dm = X+'(u 1) - X-'(u'1),   u = d psi/d mu
 *   sum w (x_i-x_j)(x_i-x_j)' = X+'diag(w 1)X+ + X-'diag(w'1)X- - X+'w X- - (X+'w X-)',
 *   w = (d psi/d s)/s
 *
 * The rows of the larger side ("outer") are dealt out in strips; a strip meets the smaller side
 * ("inner") block by block: one product for x_i'S x_j, the loss, one product M += w X_inner, all in
 * cache. Chunks of strips keep their own sums, added in order: the same bits for any number of
 * threads. Pairs of nearly equal rows, for which s^2 cancels, are done from x_i - x_j itself. The
 * risk alone: pair_risk.c.
 */
#include "kernel/pair.h"
#include "pass/cpu/pair_parts.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 32, LOSS_ARRAYS = 7, OUTER_ARRAYS = 3, OUTER_MATRICES = 5 };

/* Doubles in the sums of all chunks, beyond which there are fewer of them. */
#define MOST_SUMS 16e6
/* Pairs times columns from which there are more of both, for as many ranks. */
#define MANY_TERMS 1e12

/* ---------------------------------------------------------------- shapes */

static size_t chunks_for(size_t outer, size_t inner, size_t d, size_t sums_size) {
    size_t blocks = (outer + gbs_pair_outer_rows(d) - 1) / gbs_pair_outer_rows(d);
    double terms = (double)outer * (double)inner * (double)d,
           more = fmin(8.0, fmax(1.0, terms / MANY_TERMS));
    double affordable = fmax(4.0, more * MOST_SUMS / (double)sums_size);
    size_t chunks = (size_t)fmin(affordable, more * MOST_CHUNKS);
    return chunks < blocks ? chunks : blocks;
}

/* ---------------------------------------------------------------- memory */

gbs_status gbs_cpu_pair_room(const gbs_held *held, size_t plus, gbs_pull pull, bool curvature,
                             gbs_room **out) {
    const gbs_rows *rows = gbs_cpu_rows(held);
    size_t d = rows->d, n = rows->all.n, inner = plus < n - plus ? plus : n - plus;
    size_t bi = gbs_pair_outer_rows(d), bj = gbs_pair_inner_rows(d);
    size_t sums_size = 1 + d + gbs_pull_size(pull, d) + (curvature ? d * d : 0) +
                       inner * (curvature ? 3 : 2);
    size_t meeting = bi * (OUTER_MATRICES * d + OUTER_ARRAYS + 2 * bj) + bj * (d + LOSS_ARRAYS) +
                     2 * d;
    size_t projecting = gbs_pair_project_room(rows, pull == GBS_PULL_MATRIX);
    size_t chunks = chunks_for(n - inner, inner, d, sums_size);
    return gbs_cpu_room_create(held->ctx, chunks, sums_size,
                               meeting > projecting ? meeting : projecting, 3, n, out);
}

struct pass {
    gbs_context *ctx;
    const gbs_rows *rows;
    const gbs_spread *g;
    const gbs_pointwise *loss;
    const gbs_cpu_room *w;
    gbs_pair_sides sides;
    /* of the outer and the inner rows; times: equal inner rows */
    const double *a[2], *q[2], *times;
    size_t chunks, pull_size;
    gbs_share share; /* of the chunks */
    atomic_int status;
    double negligible;
    /* matrix: M is wanted; absolute: |w| differs from w and is wanted */
    bool matrix, curvature, absolute;
};

/* Views into one chunk's sums. */
struct sums {
    double *psi, *d_mean, *pull, *curvature, *inner_u, *inner_w, *inner_absolute;
};

static struct sums sums_of(const struct pass *p, size_t chunk) {
    double *at = p->w->sums + chunk * p->w->sums_size;
    size_t d = p->g->d, inner = p->sides.inner.all.n;
    struct sums s = {.psi = at, .d_mean = at + 1};
    s.pull = s.d_mean + d;
    s.curvature = s.pull + p->pull_size;
    s.inner_u = s.curvature + (p->curvature ? d * d : 0);
    s.inner_w = s.inner_u + inner;
    s.inner_absolute = s.inner_w + inner;
    return s;
}

/* Views into one worker's scratch. */
struct room {
    double *x, *xs, *m, *m_absolute, *gram; /* outer block, d columns */
    double *row_u, *row_w, *row_absolute;
    double *cross, *absolute; /* outer x inner */
    double *other;            /* inner block, d columns */
    double *mu, *variance, *inverse, *psi, *u, *w;
    size_t *near;
    double *difference, *work;
};

static struct room room_of(const struct pass *p, size_t worker) {
    size_t d = p->g->d, bi = gbs_pair_outer_rows(d), bj = gbs_pair_inner_rows(d);
    struct room r = {.x = p->w->scratch + worker * p->w->worker_size};
    r.xs = r.x + bi * d;
    r.m = r.xs + bi * d;
    r.m_absolute = r.m + bi * d;
    r.gram = r.m_absolute + bi * d;
    r.row_u = r.gram + bi * d;
    r.row_w = r.row_u + bi;
    r.row_absolute = r.row_w + bi;
    r.cross = r.row_absolute + bi;
    r.absolute = r.cross + bi * bj;
    r.other = r.absolute + bi * bj;
    r.mu = r.other + bj * d;
    r.variance = r.mu + bj;
    r.inverse = r.variance + bj;
    r.psi = r.inverse + bj;
    r.u = r.psi + bj;
    r.w = r.u + bj;
    r.near = (void *)(r.w + bj); /* numbers of pairs, in room that nothing else uses */
    r.difference = r.w + 2 * bj;
    r.work = r.difference + d;
    return r;
}

/* ---------------------------------------------------------------- near pairs, from the difference
 * itself */

/* w dd' for the family, |w| dd' for the curvature. */
static void pull_near(const struct pass *p, const double *difference, double w, double spread,
                      struct sums *sums) {
    int d = (int)p->g->d;
    if (p->g->pull == GBS_PULL_MATRIX)
        cblas_dsyr(CblasRowMajor, CblasLower, d, w, difference, 1, sums->pull, d);
    else if (p->g->pull == GBS_PULL_DIAGONAL)
        for (size_t k = 0; k < p->g->d; k++)
            sums->pull[k] += w * difference[k] * difference[k];
    else
        sums->pull[0] += spread;
    if (p->curvature)
        cblas_dsyr(CblasRowMajor, CblasLower, d, fabs(w), difference, 1, sums->curvature, d);
}

/* Near pairs go straight to the sums of slopes; in the block their slopes count as 0. */
static void add_near(const struct pass *p, const struct room *r, const double *x,
                     const gbs_strip *inner, size_t count, double times, const double *other_times,
                     struct sums *sums) {
    size_t d = p->g->d;
    for (size_t k = 0; k < count; k++) {
        size_t j = r->near[k];
        double mu, s, u, v, both = times * other_times[j];
        bool differ = gbs_pair_near(p->g, x, inner->dense + j * inner->ld, r->difference, r->work,
                                    &mu, &s);
        mu *= p->sides.sign;
        p->loss->smoothed(1, &mu, &s, &r->psi[j], &u, &v);
        r->u[j] = r->w[j] = 0.0;
        if (!differ)
            continue;
        cblas_daxpy((int)d, p->sides.sign * both * u, r->difference, 1, sums->d_mean, 1);
        if (s > 0.0 && fabs(v) * s >= p->negligible)
            pull_near(p, r->difference, both * v / s, both * v * s, sums);
    }
}

/* ---------------------------------------------------------------- a block of outer rows against a
 * block of inner rows */

static void meet_row(const struct pass *p, const struct room *r, const gbs_strip *outer, size_t i,
                     size_t row, const gbs_strip *inner, size_t first, struct sums *sums) {
    size_t n = inner->n;
    const double *other_times = p->times + first;
    double *cross = r->cross + i * n, times = fabs(outer->y[i * outer->stride]);
    size_t near = gbs_pair_moments(n, p->a[0][row], p->q[0][row], p->a[1] + first, p->q[1] + first,
                                   cross, r->mu, r->variance, r->inverse, r->near);
    p->loss->paired(n, r->mu, r->variance, r->inverse, r->psi, r->u, r->w);
    if (near > 0)
        add_near(p, r, outer->dense + i * outer->ld, inner, near, times, other_times, sums);
    gbs_pair_slopes to = {
        .column_u = sums->inner_u + first, .column_w = sums->inner_w + first, .w = cross};
    if (p->absolute) {
        to.column_absolute = sums->inner_absolute + first;
        to.absolute = r->absolute + i * n;
    }
    gbs_pair_sums got = gbs_pair_add(n, times, other_times, r->psi, r->u, r->w, r->variance,
                                     p->negligible, &to);
    r->row_u[i] += got.u;
    r->row_w[i] += got.w;
    r->row_absolute[i] += got.absolute;
    if (p->g->pull == GBS_PULL_TRACE)
        sums->pull[0] += got.spread;
    *sums->psi += got.psi;
}

static void meet(const struct pass *p, const struct room *r, const gbs_strip *outer,
                 size_t first_outer, const gbs_strip *inner, size_t first, struct sums *sums) {
    int rows = (int)outer->n, columns = (int)inner->n, d = (int)p->g->d, ld = (int)inner->ld;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, columns, d, 1.0, r->xs, d,
                inner->dense, ld, 0.0, r->cross, columns);
    for (size_t i = 0; i < outer->n; i++)
        meet_row(p, r, outer, i, first_outer + i, inner, first, sums);
    if (p->matrix)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, d, columns, 1.0, r->cross,
                    columns, inner->dense, ld, 1.0, r->m, d);
    if (p->absolute)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, d, columns, 1.0, r->absolute,
                    columns, inner->dense, ld, 1.0, r->m_absolute, d);
}

/* matrix += X'diag(w)X - X'M - M'X, lower triangle. */
static void add_square(const gbs_strip *b, const double *w, const double *m, double *gram,
                       double *matrix) {
    int d = (int)b->d;
    gbs_strip_gram(b, w, gram, matrix);
    cblas_dsyr2k(CblasRowMajor, CblasLower, CblasTrans, d, (int)b->n, -1.0, b->dense, (int)b->ld, m,
                 d, 1.0, matrix, d);
}

static void add_diagonal(const gbs_strip *b, const double *w, const double *m, double *pull) {
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->dense + i * b->ld, *mi = m + i * b->d;
        for (size_t k = 0; k < b->d; k++)
            pull[k] += x[k] * (w[i] * x[k] - 2.0 * mi[k]);
    }
}

/* What a strip of outer rows gives once it has met all inner rows. */
static void pull_strip(const struct pass *p, const struct room *r, const gbs_strip *outer,
                       struct sums *sums) {
    for (size_t i = 0; i < outer->n; i++)
        r->row_u[i] *= p->sides.sign;
    gbs_strip_pull(outer, r->row_u, sums->d_mean);
    if (p->g->pull == GBS_PULL_MATRIX)
        add_square(outer, r->row_w, r->m, r->gram, sums->pull);
    else if (p->g->pull == GBS_PULL_DIAGONAL)
        add_diagonal(outer, r->row_w, r->m, sums->pull);
    if (p->curvature)
        add_square(outer, p->absolute ? r->row_absolute : r->row_w,
                   p->absolute ? r->m_absolute : r->m, r->gram, sums->curvature);
}

/* False: the caller wants to stop. */
static bool run_strip(struct pass *p, size_t worker, size_t first, size_t count,
                      struct sums *sums) {
    struct room room = room_of(p, worker), *r = &room;
    size_t d = p->g->d, step = gbs_pair_inner_rows(d), n = p->sides.inner.all.n;
    gbs_strip outer = gbs_pair_dense(&p->sides.outer, first, count, r->x);
    gbs_pair_times_covariance(p->g, &outer, r->xs);
    memset(r->m, 0, 2 * gbs_pair_outer_rows(d) * d * sizeof *r->m);
    memset(r->row_u, 0, OUTER_ARRAYS * gbs_pair_outer_rows(d) * sizeof *r->row_u);
    for (size_t at = 0; at < n; at += step) {
        gbs_strip inner = gbs_pair_dense(&p->sides.inner, at, n - at < step ? n - at : step,
                                         r->other);
        if (gbs_loop_stopped(p->ctx, worker, &p->status))
            return false;
        meet(p, r, &outer, first, &inner, at, sums);
    }
    pull_strip(p, r, &outer, sums);
    gbs_pair_passed(&p->sides.outer, first, count);
    return true;
}

static void run_chunk(void *arg, size_t chunk, size_t worker) {
    struct pass *p = arg;
    size_t step = gbs_pair_outer_rows(p->g->d), n = p->sides.outer.all.n,
           blocks = (n + step - 1) / step;
    struct sums sums = sums_of(p, chunk);
    bool on = true;
    memset(p->w->sums + chunk * p->w->sums_size, 0, p->w->sums_size * sizeof(double));
    for (size_t i = blocks * chunk / p->chunks; on && i < blocks * (chunk + 1) / p->chunks; i++)
        on = run_strip(p, worker, i * step, n - i * step < step ? n - i * step : step, &sums);
}

/* ---------------------------------------------------------------- the whole */

/* The rest of the sums: X_inner with its column sums, into chunk 0. */
static void pull_inner(const struct pass *p, struct sums *sums) {
    size_t step = gbs_pair_outer_rows(p->g->d), n = p->sides.inner.all.n;
    struct room r = room_of(p, 0);
    for (size_t at = 0; at < n; at += step) {
        gbs_strip b = gbs_pair_dense(&p->sides.inner, at, n - at < step ? n - at : step, r.x);
        double *w = sums->inner_w + at;
        for (size_t i = 0; i < b.n; i++)
            r.row_u[i] = -p->sides.sign * sums->inner_u[at + i];
        gbs_strip_pull(&b, r.row_u, sums->d_mean);
        if (p->g->pull == GBS_PULL_MATRIX)
            gbs_strip_gram(&b, w, r.gram, sums->pull);
        for (size_t i = 0; p->g->pull == GBS_PULL_DIAGONAL && i < b.n; i++)
            for (size_t k = 0; k < b.d; k++)
                sums->pull[k] += w[i] * b.dense[i * b.ld + k] * b.dense[i * b.ld + k];
        if (p->curvature)
            gbs_strip_gram(&b, p->absolute ? sums->inner_absolute + at : w, r.gram,
                           sums->curvature);
        gbs_pair_passed(&p->sides.inner, at, b.n);
    }
}

static void scale(double *to, const double *from, size_t count, double by) {
    for (size_t k = 0; k < count; k++)
        to[k] = by * from[k];
}

/* The total is the first chunk's own sums. */
static void add_chunk(const void *arg, size_t chunk, double *total) {
    const struct pass *p = arg;
    for (size_t k = 0; chunk > 0 && k < p->w->sums_size; k++)
        total[k] += p->w->sums[chunk * p->w->sums_size + k];
}

static gbs_status gather(const struct pass *p, double lambda, double pairs, gbs_slopes *out) {
    size_t d = p->g->d;
    gbs_status status = gbs_share_fold(p->ctx, &p->share, add_chunk, p, p->w->sums,
                                       p->w->sums_size);
    if (status != GBS_OK)
        return status;
    struct sums sums = sums_of(p, 0);
    out->risk = *sums.psi / pairs;
    pull_inner(p, &sums);
    double c = lambda / pairs;
    scale(out->d_mean, sums.d_mean, d, c);
    /* what was added up for a trace is w s^2 */
    scale(out->pull, sums.pull, p->pull_size,
          p->g->pull == GBS_PULL_TRACE ? c / p->g->variance : c);
    if (p->curvature)
        scale(out->curvature, sums.curvature, d * d, c);
    return GBS_OK;
}

static gbs_status run_chunks(struct pass *p) {
    double d = (double)p->g->d, products = p->absolute ? 3.0 : p->matrix ? 2.0 : 1.0;
    double flops = (double)p->sides.outer.all.n * (double)p->sides.inner.all.n *
                   (2.0 * d * products + 50.0);
    p->share = gbs_share_of(p->ctx, p->chunks, flops, (double)p->w->sums_size * sizeof(double));
    gbs_share_for(p->ctx, &p->share, flops, run_chunk, p);
    return (gbs_status)atomic_load(&p->status);
}

static void lay_out(struct pass *p, size_t positives) {
    const gbs_rows *rows = p->rows;
    p->sides = gbs_pair_sides_of(rows, positives);
    size_t n = rows->all.n, firsts[2] = {p->sides.outer_first, p->sides.inner_first};
    for (size_t side = 0; side < 2; side++) {
        p->a[side] = p->w->values + firsts[side];
        p->q[side] = p->a[side] + n;
    }
    p->times = p->q[1] + n;
    p->chunks = chunks_for(p->sides.outer.all.n, p->sides.inner.all.n, rows->d, p->w->sums_size);
}

static void no_pairs(const struct pass *p, gbs_slopes *out) {
    size_t d = p->g->d;
    out->risk = 0.0;
    memset(out->d_mean, 0, d * sizeof *out->d_mean);
    memset(out->pull, 0, p->pull_size * sizeof *out->pull);
    if (p->curvature)
        memset(out->curvature, 0, d * d * sizeof *out->curvature);
}

static gbs_status run(struct pass *p, size_t positives, double lambda, gbs_slopes *out) {
    lay_out(p, positives);
    if (p->sides.inner.all.n == 0) {
        no_pairs(p, out);
        return GBS_OK;
    }
    gbs_pair_project(p->ctx, p->rows, p->g, p->sides.sign, p->w->scratch, p->w->worker_size,
                     p->w->values);
    gbs_status status = run_chunks(p);
    gbs_see_pairs(p->ctx, (double)p->sides.outer.all.n * (double)p->sides.inner.all.n);
    if (status == GBS_OK)
        status = gather(p, lambda, gbs_pair_weight(p->rows, positives), out);
    if (gbs_any_nan(2 * p->rows->all.n, p->w->values)) /* as in slopes.c */
        out->risk = NAN;
    return status;
}

gbs_status gbs_cpu_pair_slopes(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                               const gbs_spread *g, double lambda, gbs_room *room,
                               gbs_slopes *out) {
    struct pass p = {.ctx = held->ctx,
                     .rows = gbs_cpu_rows(held),
                     .g = g,
                     .loss = loss,
                     .w = (const gbs_cpu_room *)room};
    p.pull_size = gbs_pull_size(g->pull, g->d);
    p.curvature = out->curvature != NULL;
    p.matrix = p.curvature || g->pull != GBS_PULL_TRACE;
    p.absolute = p.curvature && loss->falls;
    p.matrix = p.matrix && !(p.absolute && g->pull != GBS_PULL_DIAGONAL);
    p.negligible = GBS_NO_PULL / lambda;
    return run(&p, positives, lambda, out);
}
