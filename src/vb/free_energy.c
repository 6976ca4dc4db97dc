/* One pass over the rows: scores and their variances (family), smoothed losses (risk), pull-backs
 * (family; docs/maths.md, 4.1).
 *
 *   F = lambda/n sum_i psi(y_i x_i'm, s_i) + KL,   dF/dm = lambda/n sum_i y_i psi_mu x_i + (m -
 * m0)/v
 *
 * Rows go through in blocks that stay in cache, blocks are dealt out in chunks, and the chunks'
 * sums are added in their order: the number of chunks depends on the shape of the data, never on
 * the threads.
 */
#include "vb/pair_energy.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 32, ROW_ARRAYS = 6, EXTRA_SUMS = 3 };

/* A score variance below this is rounding dust of a zero row. */
#define NO_VARIANCE 1e-280

/* Measured by S itself, a row's share (lambda/n) w x x' of the precision has size (lambda/n) w s^2.
 * Rows whose shares add up to less than this cannot be seen beside S^-1; leaving them out spares
 * the matrix sums the rows far from the margin. */
#define NO_PULL 1e-18

/* More chunks balance better, but their sums must stay small beside the data. */
static size_t chunks_of(const gbs_rows *rows, size_t sums_size) {
    size_t blocks = gbs_rows_strips(rows);
    const gbs_strip *b = &rows->all;
    double stored = b->dense != NULL ? (double)b->n * (double)rows->d
                                     : (double)(b->start[(b->n - 1) * b->stride + 1]);
    double affordable = fmax(4.0, 0.25 * stored / (double)sums_size);
    size_t chunks = affordable < MOST_CHUNKS ? (size_t)affordable : MOST_CHUNKS;
    return chunks < blocks ? chunks : blocks;
}

gbs_status gbs_workspace_create(gbs_context *ctx, const gbs_rows *rows, gbs_family family,
                                bool curvature, gbs_workspace *out) {
    if (rows->pairs)
        return gbs_pair_workspace_create(ctx, rows, family, curvature, out);
    size_t d = rows->d;
    bool matrices = curvature || family == GBS_FAMILY_FULL;
    *out = (gbs_workspace){.ctx = ctx};
    out->sums_size = EXTRA_SUMS + d + gbs_family_of(family)->pull_size(d) + (curvature ? d * d : 0);
    out->worker_size = rows->strip_rows * (ROW_ARRAYS + (matrices ? d : 1));
    out->max_chunks = chunks_of(rows, out->sums_size);
    out->sums = gbs_matrix(ctx, out->max_chunks, out->sums_size);
    out->scratch = gbs_matrix(ctx, gbs_workers(ctx), out->worker_size);
    out->square = matrices ? gbs_matrix(ctx, d, d) : NULL;
    if (out->sums == NULL || out->scratch == NULL || (matrices && out->square == NULL)) {
        gbs_workspace_free(out);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_workspace_free(gbs_workspace *w) {
    if (w->ctx == NULL)
        return;
    gbs_array_free(w->ctx, w->sums);
    gbs_array_free(w->ctx, w->scratch);
    gbs_array_free(w->ctx, w->values);
    gbs_array_free(w->ctx, w->square);
    *w = (gbs_workspace){0};
}

gbs_status gbs_point_create(gbs_context *ctx, size_t d, gbs_family family, bool curvature,
                            gbs_point *out) {
    *out = (gbs_point){0};
    out->d_mean = gbs_doubles(ctx, d);
    out->pull = gbs_doubles(ctx, gbs_family_of(family)->pull_size(d));
    out->curvature = curvature ? gbs_matrix(ctx, d, d) : NULL;
    if (out->d_mean == NULL || out->pull == NULL || (curvature && out->curvature == NULL)) {
        gbs_point_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_point_free(const gbs_context *ctx, gbs_point *p) {
    gbs_array_free(ctx, p->d_mean);
    gbs_array_free(ctx, p->pull);
    gbs_array_free(ctx, p->curvature);
    *p = (gbs_point){0};
}

/* ---------------------------------------------------------------- the pass */

struct pass {
    const gbs_problem *problem;
    const gbs_gaussian *g;
    const gbs_family_ops *family;
    gbs_workspace *w;
    gbs_pass common;
    size_t chunks, pull_size;
    bool curvature;
    double negligible; /* |w| s^2 below it: see NO_PULL */
};

/* Views into one chunk's sums. */
struct sums {
    double *risk, *u, *w, *d_mean, *pull, *curvature;
};

static struct sums sums_of(const struct pass *p, size_t chunk) {
    double *base = p->w->sums + chunk * p->w->sums_size;
    size_t d = p->g->d;
    return (struct sums){base,
                         base + 1,
                         base + 2,
                         base + EXTRA_SUMS,
                         base + EXTRA_SUMS + d,
                         base + EXTRA_SUMS + d + p->pull_size};
}

static void add_strip(const struct pass *p, const gbs_strip *b, double *scratch,
                      struct sums *sums) {
    size_t rows = p->problem->rows->strip_rows;
    double *mu = scratch, *s = mu + rows, *psi = s + rows, *u = psi + rows, *w = u + rows,
           *score = w + rows;
    gbs_pass pass = p->common;
    pass.scratch = score + rows;
    p->family->project(p->g, b, &pass, score, s);
    /* losses take NaN for a margin far on one side: what overflowed must not look like a small risk
     */
    bool broken = gbs_any_nan(b->n, score) || gbs_any_nan(b->n, s);
    double risk = broken ? NAN : 0.0, u_sum = 0.0, w_sum = 0.0;
    for (size_t i = 0; i < b->n; i++) {
        mu[i] = b->y[i * b->stride] * score[i];
        s[i] = s[i] > NO_VARIANCE ? sqrt(s[i]) : 0.0;
    }
    p->problem->loss->smoothed(b->n, mu, s, psi, u, w);
    for (size_t i = 0; i < b->n; i++) {
        u[i] *= b->y[i * b->stride];
        bool unseen = !(s[i] > 0.0) || fabs(w[i]) * s[i] < p->negligible;
        w[i] = unseen ? 0.0 : w[i] / s[i];
        risk += psi[i];
        u_sum += u[i];
        w_sum += w[i];
    }
    *sums->risk += risk;
    *sums->u += u_sum;
    *sums->w += w_sum;
    p->family->pull_back(p->g, b, &pass, u, w, sums->d_mean, sums->pull);
    if (p->curvature) {
        for (size_t i = 0; i < b->n; i++)
            w[i] = fabs(w[i]);
        gbs_strip_gram(b, w, pass.scratch, sums->curvature);
    }
}

static void run_chunk(void *arg, size_t chunk, size_t worker) {
    const struct pass *p = arg;
    struct sums sums = sums_of(p, chunk);
    memset(p->w->sums + chunk * p->w->sums_size, 0, p->w->sums_size * sizeof(double));
    size_t blocks = gbs_rows_strips(p->problem->rows);
    size_t first = chunk * blocks / p->chunks, last = (chunk + 1) * blocks / p->chunks;
    for (size_t i = first; i < last; i++) {
        gbs_strip b = gbs_rows_strip(p->problem->rows, i);
        add_strip(p, &b, p->w->scratch + worker * p->w->worker_size, &sums);
    }
}

static void add_scaled(double *to, const double *from, size_t count, double by, bool first) {
    if (first)
        for (size_t k = 0; k < count; k++)
            to[k] = by * from[k];
    else
        for (size_t k = 0; k < count; k++)
            to[k] += by * from[k];
}

/* Adds the chunks in order, times lambda/n, and gives the shift of sparse rows its due. */
static void gather(const struct pass *p, gbs_point *out) {
    const gbs_rows *rows = p->problem->rows;
    size_t d = rows->d;
    double c = p->problem->lambda / (double)rows->all.n, risk = 0.0, u = 0.0, w = 0.0;
    for (size_t chunk = 0; chunk < p->chunks; chunk++) {
        struct sums sums = sums_of(p, chunk);
        risk += *sums.risk;
        u += *sums.u;
        w += *sums.w;
        add_scaled(out->d_mean, sums.d_mean, d, c, chunk == 0);
        add_scaled(out->pull, sums.pull, p->pull_size, c, chunk == 0);
        if (out->curvature != NULL)
            add_scaled(out->curvature, sums.curvature, d * d, c, chunk == 0);
    }
    out->risk = risk / (double)rows->all.n;
    const double *shift = rows->all.shift;
    for (size_t k = 0; shift != NULL && k < d; k++) {
        out->d_mean[k] -= c * u * shift[k];
        if (p->g->family == GBS_FAMILY_DIAGONAL)
            out->pull[k] += c * w * shift[k] * shift[k];
    }
}

static void pass_over_rows(const gbs_problem *problem, const gbs_gaussian *g,
                           gbs_workspace *workspace, gbs_point *out) {
    const gbs_rows *rows = problem->rows;
    const gbs_family_ops *family = gbs_family_of(g->family);
    struct pass pass = {.problem = problem,
                        .g = g,
                        .family = family,
                        .w = workspace,
                        .pull_size = family->pull_size(g->d)};
    pass.curvature = out->curvature != NULL;
    pass.chunks = chunks_of(rows, workspace->sums_size);
    pass.negligible = NO_PULL / problem->lambda;
    if (rows->all.shift != NULL) {
        pass.common.shift_dot = gbs_dot(g->d, rows->all.shift, g->mean);
        pass.common.shift_square = g->tau != NULL ? gbs_square_dot(g->d, rows->all.shift, g->tau)
                                                  : rows->shift_norm2;
    }
    double columns = (double)g->d, cells = (double)rows->all.n * columns;
    bool matrices = pass.curvature || g->family == GBS_FAMILY_FULL;
    gbs_parallel_for(problem->ctx, pass.chunks, cells * (matrices ? 2.0 * columns : 8.0), run_chunk,
                     &pass);
    gather(&pass, out);
}

gbs_status gbs_evaluate(const gbs_problem *problem, const gbs_gaussian *g, gbs_workspace *workspace,
                        gbs_point *out) {
    gbs_status status = gbs_check_cancel(problem->ctx);
    if (status == GBS_OK && problem->rows->pairs)
        status = gbs_pair_slopes_of(problem, g, workspace, out);
    else if (status == GBS_OK)
        pass_over_rows(problem, g, workspace, out);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < g->d; k++)
        out->d_mean[k] += (g->mean[k] -
                           (problem->prior.mean != NULL ? problem->prior.mean[k] : 0.0)) /
                          problem->prior.variance;
    out->kl = gbs_gaussian_kl(g, &problem->prior);
    out->free_energy = problem->lambda * out->risk + out->kl;
    if (!isfinite(out->free_energy))
        out->free_energy = INFINITY;
    return GBS_OK;
}

double gbs_optimality_gap(const gbs_problem *problem, const gbs_gaussian *g, const gbs_point *p,
                          double *square) {
    double v = problem->prior.variance;
    double gap = 0.5 * v * gbs_dot(g->d, p->d_mean, p->d_mean);
    gap += gbs_family_of(g->family)->gap(g, p->pull, v, square);
    return isnan(gap) ? INFINITY : gap; /* slopes that overflow prove nothing */
}
