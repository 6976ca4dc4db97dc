/* One pass over the rows: scores and their variances, smoothed losses, pull-backs.
 *
 *   lambda/n sum_i psi(y_i x_i'm, s_i),   its slope in m  lambda/n sum_i y_i psi_mu x_i   and what
 *   the spread asks for of  lambda/n sum_i w_i x_i x_i',  w = psi_s/s          (docs/maths.md, 4.1)
 *
 * Rows with weights: each term is taken so many times, and n is the sum of the weights (5.6).
 *
 * Rows go through in strips that stay in cache, strips are dealt out in chunks, and the chunks'
 * sums are added in their order: the number of chunks depends on the shape of the data, never on
 * the threads.
 */
#include "core/ranks.h"
#include "pass/cpu/cpu.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 32, ROW_ARRAYS = 6, EXTRA_SUMS = 3 };

/* Cells from which there are more chunks, for as many ranks. */
#define MANY_CELLS 2.5e8

/* More chunks balance better, but their sums must stay small beside the data. */
static size_t chunks_of(const gbs_rows *rows, size_t sums_size) {
    size_t strips = gbs_rows_strips(rows);
    const gbs_strip *b = &rows->all;
    double stored = b->dense != NULL ? (double)b->n * (double)rows->d
                                     : (double)(b->start[(b->n - 1) * b->stride + 1]);
    double affordable = fmax(4.0, 0.25 * stored / (double)sums_size);
    double most = MOST_CHUNKS * fmin(8.0, fmax(1.0, stored / MANY_CELLS));
    size_t chunks = (size_t)fmin(affordable, most);
    return chunks < strips ? chunks : strips;
}

gbs_status gbs_cpu_slopes_room(const gbs_held *held, gbs_pull pull, bool curvature,
                               gbs_room **out) {
    const gbs_rows *rows = gbs_cpu_rows(held);
    size_t d = rows->d;
    bool matrices = curvature || pull == GBS_PULL_MATRIX;
    size_t sums_size = EXTRA_SUMS + d + gbs_pull_size(pull, d) + (curvature ? d * d : 0);
    size_t worker_size = rows->strip_rows * (ROW_ARRAYS + gbs_cpu_strip_room(d, matrices));
    /* a set of sums a chunk, and their total */
    return gbs_cpu_room_create(held->ctx, chunks_of(rows, sums_size) + 1, sums_size, worker_size, 0,
                               0, out);
}

struct pass {
    gbs_context *ctx;
    const gbs_rows *rows;
    const gbs_pointwise *loss;
    const gbs_spread *g;
    const gbs_cpu_room *room;
    gbs_cpu_shift shift;
    double mass, scale; /* lambda/mass */
    size_t chunks, pull_size;
    bool curvature;
    double negligible; /* |w| s^2 below it: see GBS_NO_PULL */
    atomic_int status;
};

/* Views into one chunk's sums. */
struct sums {
    double *risk, *u, *w, *d_mean, *pull, *curvature;
};

static struct sums sums_of(const struct pass *p, size_t chunk) {
    double *base = p->room->sums + chunk * p->room->sums_size;
    size_t d = p->g->d;
    return (struct sums){base,
                         base + 1,
                         base + 2,
                         base + EXTRA_SUMS,
                         base + EXTRA_SUMS + d,
                         base + EXTRA_SUMS + d + p->pull_size};
}

static void weigh(const gbs_strip *b, double *psi, double *u, double *w) {
    for (size_t i = 0; b->weight != NULL && i < b->n; i++) {
        double times = b->weight[i * b->stride];
        psi[i] *= times;
        u[i] *= times;
        w[i] *= times;
    }
}

static void add_strip(const struct pass *p, const gbs_strip *b, double *scratch,
                      struct sums *sums) {
    size_t rows = p->rows->strip_rows;
    double *mu = scratch, *s = mu + rows, *psi = s + rows, *u = psi + rows, *w = u + rows,
           *score = w + rows, *rest = score + rows;
    gbs_cpu_project_strip(p->g, b, &p->shift, rest, score, s);
    /* losses take NaN for a margin far on one side: what overflowed must not look like a small risk
     */
    bool broken = gbs_any_nan(b->n, score) || gbs_any_nan(b->n, s);
    for (size_t i = 0; i < b->n; i++) {
        mu[i] = b->y[i * b->stride] * score[i];
        s[i] = s[i] > GBS_NO_VARIANCE ? sqrt(s[i]) : 0.0;
    }
    p->loss->smoothed(b->n, mu, s, psi, u, w);
    weigh(b, psi, u, w);
    double risk = broken ? NAN : 0.0, u_sum = 0.0, w_sum = 0.0;
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
    gbs_cpu_pull_strip(p->g, b, rest, u, w, sums->d_mean, sums->pull);
    if (p->curvature) {
        for (size_t i = 0; i < b->n; i++)
            w[i] = fabs(w[i]);
        gbs_strip_gram(b, w, rest, sums->curvature);
    }
}

static void run_chunk(void *arg, size_t chunk, size_t worker) {
    struct pass *p = arg;
    struct sums sums = sums_of(p, chunk);
    memset(p->room->sums + chunk * p->room->sums_size, 0, p->room->sums_size * sizeof(double));
    size_t strips = gbs_rows_strips(p->rows);
    size_t first = chunk * strips / p->chunks, last = (chunk + 1) * strips / p->chunks;
    for (size_t i = first; i < last; i++) {
        gbs_strip b = gbs_rows_strip(p->rows, i);
        if (gbs_loop_stopped(p->ctx, worker, &p->status))
            return;
        add_strip(p, &b, p->room->scratch + worker * p->room->worker_size, &sums);
        gbs_rows_passed(p->rows, &b);
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

/* A chunk joins the total: the slopes times lambda/mass. */
static void add_chunk(const void *arg, size_t chunk, double *total) {
    const struct pass *p = arg;
    const double *sums = p->room->sums + chunk * p->room->sums_size;
    for (size_t k = 0; k < EXTRA_SUMS; k++)
        total[k] = (chunk == 0 ? 0.0 : total[k]) + sums[k];
    add_scaled(total + EXTRA_SUMS, sums + EXTRA_SUMS, p->room->sums_size - EXTRA_SUMS, p->scale,
               chunk == 0);
}

/* Out of the total of all chunks, giving the shift of sparse rows its due. */
static void take_out(const struct pass *p, gbs_slopes *out) {
    struct sums total = sums_of(p, p->chunks);
    size_t d = p->rows->d;
    out->risk = *total.risk / p->mass;
    memcpy(out->d_mean, total.d_mean, d * sizeof *out->d_mean);
    memcpy(out->pull, total.pull, p->pull_size * sizeof *out->pull);
    if (out->curvature != NULL)
        memcpy(out->curvature, total.curvature, d * d * sizeof *out->curvature);
    const double *shift = p->rows->all.shift;
    for (size_t k = 0; shift != NULL && k < d; k++) {
        out->d_mean[k] -= p->scale * *total.u * shift[k];
        if (p->g->pull == GBS_PULL_DIAGONAL)
            out->pull[k] += p->scale * *total.w * shift[k] * shift[k];
    }
}

gbs_status gbs_cpu_slopes(const gbs_held *held, const gbs_pointwise *loss, const gbs_spread *spread,
                          double lambda, gbs_room *room, gbs_slopes *out) {
    const gbs_rows *rows = gbs_cpu_rows(held);
    struct pass pass = {.ctx = held->ctx,
                        .rows = rows,
                        .loss = loss,
                        .g = spread,
                        .room = (const gbs_cpu_room *)room,
                        .shift = gbs_cpu_shift_of(rows, spread),
                        .mass = held->mass,
                        .scale = lambda / held->mass,
                        .pull_size = gbs_pull_size(spread->pull, spread->d),
                        .curvature = out->curvature != NULL,
                        .negligible = GBS_NO_PULL / lambda};
    pass.chunks = chunks_of(rows, pass.room->sums_size);
    double columns = (double)spread->d, cells = (double)rows->all.n * columns;
    bool matrices = pass.curvature || spread->pull == GBS_PULL_MATRIX;
    double flops = cells * (matrices ? 2.0 * columns : 8.0);
    size_t count = pass.room->sums_size;
    gbs_share share = gbs_share_of(held->ctx, pass.chunks, flops, (double)count * sizeof(double));
    gbs_share_for(held->ctx, &share, flops, run_chunk, &pass);
    gbs_status status = gbs_share_fold(held->ctx, &share, add_chunk, &pass,
                                       pass.room->sums + pass.chunks * count, count);
    if (status == GBS_OK)
        status = (gbs_status)atomic_load(&pass.status);
    if (status == GBS_OK)
        take_out(&pass, out);
    return status;
}
