/* Fits against the BLAS calls that bound them from below, as ratios in one run.
 *
 *   full, hinge, 20,000 x 100, relative gap 1e-6        over one threaded X'X of the same matrix;
 *                                                       target: at most 60
 *   diagonal, hinge, 200,000 x 50, relative gap 1e-6    over one pass X m plus X'r;
 *                                                       target: at most 150
 *
 * The denominators are the fastest threaded form we know of: OpenBLAS's own threads, or row blocks
 * on our threads with BLAS single-threaded inside, whichever is faster here. Times are the best of
 * several, taken in turn with the fits, so that a busy machine hurts both.
 */
#include "core/context.h"
#include "fit/run.h"
#include "gibbsite.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void openblas_set_num_threads(int threads);

static gbs_context *ctx;

/* y = sign(x'theta + noise), Gaussian x; deterministic. */
static void make_data(size_t n, size_t d, double *x, double *y) {
    for (size_t i = 0; i < n; i++) {
        double score = 0.0;
        for (size_t k = 0; k < d; k++) {
            x[i * d + k] = gbs_random_normal(ctx, 1, i * d + k);
            score += k % 5 == 0 ? x[i * d + k] : 0.0;
        }
        y[i] = score + sqrt(0.1 * (double)d) * gbs_random_normal(ctx, 2, i) > 0.0 ? 1.0 : -1.0;
    }
}

/* ---------------------------------------------------------------- denominators */

enum { CHUNKS = 16 };

struct product {
    size_t n, d;
    const double *x, *m, *r;
    double *out; /* gram: CHUNKS x d x d; pass: scores n, then CHUNKS x d */
};

static void gram_chunk(void *arg, size_t chunk, size_t worker) {
    const struct product *p = arg;
    (void)worker;
    size_t from = chunk * p->n / CHUNKS, to = (chunk + 1) * p->n / CHUNKS;
    int d = (int)p->d;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, d, (int)(to - from), 1.0, p->x + from * p->d,
                d, 0.0, p->out + chunk * p->d * p->d, d);
}

static void pass_chunk(void *arg, size_t chunk, size_t worker) {
    const struct product *p = arg;
    (void)worker;
    size_t from = chunk * p->n / CHUNKS, rows = (chunk + 1) * p->n / CHUNKS - from;
    int d = (int)p->d;
    const double *x = p->x + from * p->d;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, d, 1.0, x, d, p->m, 1, 0.0, p->out + from,
                1);
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)rows, d, 1.0, x, d, p->r + from, 1, 0.0,
                p->out + p->n + chunk * p->d, 1);
}

static double gram_seconds(const struct product *p) {
    int d = (int)p->d, n = (int)p->n;
    double t = gbs_now();
    if (gbs_compute_begin(ctx) != GBS_OK)
        abort();
    gbs_parallel_for(ctx, CHUNKS, 1e12, gram_chunk, (void *)p);
    gbs_compute_end(ctx);
    for (size_t c = 1; c < CHUNKS; c++)
        cblas_daxpy(d * d, 1.0, p->out + c * p->d * p->d, 1, p->out, 1);
    double blocks = gbs_now() - t;
    t = gbs_now();
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, d, n, 1.0, p->x, d, p->x, d, 0.0,
                p->out, d);
    double gemm = gbs_now() - t;
    t = gbs_now();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, d, n, 1.0, p->x, d, 0.0, p->out, d);
    return fmin(gbs_now() - t, fmin(blocks, gemm));
}

static double pass_seconds(const struct product *p) {
    int d = (int)p->d, n = (int)p->n;
    double t = gbs_now();
    if (gbs_compute_begin(ctx) != GBS_OK)
        abort();
    gbs_parallel_for(ctx, CHUNKS, 1e12, pass_chunk, (void *)p);
    gbs_compute_end(ctx);
    double blocks = gbs_now() - t;
    t = gbs_now();
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, d, 1.0, p->x, d, p->m, 1, 0.0, p->out, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, d, 1.0, p->x, d, p->r, 1, 0.0, p->out + n, 1);
    return fmin(gbs_now() - t, blocks);
}

/* ---------------------------------------------------------------- fits */

static gbs_model_info fit(const gbs_data *data, gbs_family family) {
    gbs_fit_settings options = gbs_fit_settings_default();
    options.prior = GBS_PRIOR_ZERO;
    options.prior_sd = 1.0;
    gbs_model *model;
    gbs_model_info info;
    options.loss = GBS_LOSS_HINGE;
    options.family = family;
    options.tolerance = 1e-6;
    if (gbs_fit_run(ctx, data, &options, &model) != GBS_OK) {
        fprintf(stderr, "bench: %s\n", gbs_error_message(ctx));
        exit(1);
    }
    info = *gbs_model_get_info(model);
    gbs_model_free(model);
    return info;
}

static void run(size_t n, size_t d, gbs_family family,
                double (*denominator)(const struct product *), const char *what, double flops,
                double target) {
    double *x = malloc(n * d * sizeof *x), *y = malloc(n * sizeof *y), *m = calloc(d, sizeof *m);
    double *out = calloc(n + CHUNKS * d * d, sizeof *out);
    if (x == NULL || y == NULL || m == NULL || out == NULL)
        exit(1);
    make_data(n, d, x, y);
    gbs_data *data;
    if (gbs_data_dense(ctx, n, d, x, d, y, GBS_BORROW, &data) != GBS_OK)
        exit(1);
    struct product p = {n, d, x, m, y, out};
    double base = INFINITY, best = INFINITY;
    gbs_model_info info = {0};
    for (int round = 0; round < 7; round++) {
        for (int k = 0; k < 5; k++)
            base = fmin(base, denominator(&p));
        info = fit(data, family);
        best = fmin(best, info.seconds);
    }
    double bytes = (double)(n * d) * 8.0;
    printf("%-9s hinge %zu x %zu: %.1f ms, %zu iterations, relative gap %.1e\n",
           gbs_family_name(family), n, d, 1e3 * best, info.iterations,
           info.optimality_gap / info.free_energy);
    printf("  %s: %.2f ms (%.1f GFLOP/s, %.1f GB/s of the matrix)\n", what, 1e3 * base,
           1e-9 * flops / base, 1e-9 * bytes / base);
    printf("  ratio %.1f (target at most %.0f)\n", best / base, target);
    gbs_data_free(data);
    free(x);
    free(y);
    free(m);
    free(out);
}

int main(void) {
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 1;
    size_t n = 20000, d = 100;
    run(n, d, GBS_FAMILY_FULL, gram_seconds, "one threaded X'X",
        (double)n * (double)d * (double)(d + 1), 60.0);
    n = 200000;
    d = 50;
    run(n, d, GBS_FAMILY_DIAGONAL, pass_seconds, "one pass X m plus X'r",
        4.0 * (double)n * (double)d, 150.0);
    gbs_context_free(ctx);
    return 0;
}
