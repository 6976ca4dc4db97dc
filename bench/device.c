/* Passes on a GPU, each beside the products that bound it from below, by cuBLAS in the same run.
 *
 *   pairs      zero-one, full, 7,841 x 24,720, d = 108: risk and slopes    over (X S) X' and W X;
 *              target: 5 ms
 *   fit        an exact ranking of that size                               target: 1 s
 *   rows       hinge, full, 10^7 x 100: one pass                           over its Gram product;
 *              target: 1.5 times
 *   particles  hinge, 10^5 vectors on 20,000 x 50                          over their product;
 *              target: twice
 *   ratings    10^8 of 500,000 x 20,000, K = 32: a sweep of the            over reading its
 *              hierarchical model; target: 0.5 s                           records as fast as
 *                                                                          memory is cleared
 *
 * A time is on the wall, from the call to the numbers on this machine, the Gaussian's way there and
 * the slopes' way back included; the least and the median of several. bench/device.sh runs it and
 * states the clocks. The slopes are compared with those of the processors.
 */
#include "bench.h"
#include "completion/level_ascent.h"
#include "pass/cuda/cuda.h"
#include "vb/free_energy.h"

enum { TURNS = 15, MOST_TURNS = 64 };

static gbs_context *ctx, *host;

static void must(gbs_context *c, gbs_status status) {
    if (status != GBS_OK) {
        printf("device: %s\n", gbs_error_message(c));
        exit(1);
    }
}

/* ---------------------------------------------------------------- times */

struct times {
    double least, median;
};

static int by_size(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* work(arg), `turns` times after one that does not count. */
static struct times time_of(int turns, void (*work)(void *), void *arg) {
    double t[MOST_TURNS] = {0};
    work(arg);
    for (int k = 0; k < turns; k++) {
        double from = gbs_now();
        work(arg);
        t[k] = gbs_now() - from;
    }
    qsort(t, (size_t)turns, sizeof *t, by_size);
    return (struct times){t[0], t[turns / 2]};
}

static void tell(const char *what, struct times t, struct times floor, const char *target) {
    printf("%-34s %9.3f ms least, %9.3f median; floor %9.3f least, %9.3f median; ratio %.2f  "
           "(target %s)\n",
           what, 1e3 * t.least, 1e3 * t.median, 1e3 * floor.least, 1e3 * floor.median,
           t.median / floor.median, target);
    fflush(stdout);
}

/* ---------------------------------------------------------------- numbers */

struct numbers {
    double *to;
    uint64_t stream;
};

enum { PIECE = 1 << 16 };

/* About normal, quickly: the sum of four uniform numbers. */
static void write_piece(void *arg, size_t piece, size_t worker) {
    const struct numbers *w = arg;
    uint64_t s = (piece + 1) * UINT64_C(0x9E3779B97F4A7C15) ^
                 w->stream * UINT64_C(0xD1B54A32D192ED03);
    (void)worker;
    for (size_t k = 0; k < PIECE; k++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        uint64_t sum = (s & 0xffff) + (s >> 16 & 0xffff) + (s >> 32 & 0xffff) + (s >> 48);
        w->to[piece * PIECE + k] = ((double)sum - 131070.0) / 37837.0;
    }
}

static double *make_numbers(size_t count, uint64_t stream) {
    size_t pieces = (count + PIECE - 1) / PIECE;
    struct numbers w = {gbs_doubles(host, pieces * PIECE), stream};
    if (w.to == NULL)
        must(host, GBS_ERR_MEMORY);
    must(host, gbs_compute_begin(host));
    gbs_parallel_for(host, pieces, 1e12, write_piece, &w);
    gbs_compute_end(host);
    return w.to;
}

/* ---------------------------------------------------------------- products by cuBLAS */

struct product {
    bool a_turned, b_turned;
    size_t m, n, k, lda, ldb;
    double *a, *b, *c;
};

static void multiply(void *arg) {
    const struct product *p = arg;
    gbs_cuda_call call = gbs_cuda_begin(ctx, (gbs_cuda *)ctx->device);
    gbs_cuda_multiply(&call, p->a_turned, p->b_turned, p->m, p->n, p->k, p->a, p->lda, p->b, p->ldb,
                      0.0, p->c, p->n);
    call.device->driver.wait();
    must(ctx, gbs_cuda_end(&call));
}

static double *there(size_t count) {
    gbs_cuda_call call = gbs_cuda_begin(ctx, (gbs_cuda *)ctx->device);
    double *memory = gbs_cuda_allocate(&call, count);
    must(ctx, gbs_cuda_end(&call));
    return memory;
}

static void give_back(double *memory) {
    gbs_cuda_call call = gbs_cuda_begin(ctx, (gbs_cuda *)ctx->device);
    gbs_cuda_free(&call, memory);
    gbs_cuda_end(&call);
}

static void send(double *to, const double *from, size_t count) {
    gbs_cuda_call call = gbs_cuda_begin(ctx, (gbs_cuda *)ctx->device);
    gbs_cuda_send(&call, to, from, count * sizeof *to);
    must(ctx, gbs_cuda_end(&call));
}

/* ---------------------------------------------------------------- slopes */

struct slopes {
    gbs_problem problem;
    gbs_gaussian g;
    gbs_workspace w;
    gbs_point point;
};

static void evaluate(void *arg) {
    struct slopes *s = arg;
    must(s->problem.ctx, gbs_evaluate(&s->problem, &s->g, &s->w, &s->point));
}

static struct slopes slopes_of(gbs_context *c, gbs_empirical *risk) {
    struct slopes s = {.problem = {c, risk, {NULL, 1.0}, 1000.0}};
    size_t d = risk->d;
    must(c, gbs_gaussian_create(c, GBS_FAMILY_FULL, d, &s.problem.prior, 0.1, &s.g));
    must(c, gbs_workspace_create(risk, GBS_FAMILY_FULL, false, &s.w));
    must(c, gbs_point_create(c, d, GBS_FAMILY_FULL, false, &s.point));
    for (size_t k = 0; k < d; k++)
        s.g.mean[k] = k % 5 == 0 ? 0.3 : 0.02;
    return s;
}

static void free_slopes(struct slopes *s) {
    gbs_point_free(s->problem.ctx, &s->point);
    gbs_workspace_free(&s->w);
    gbs_gaussian_free(s->problem.ctx, &s->g);
}

/* The largest difference, relative to the largest number. */
static double apart(const double *a, const double *b, size_t d, bool triangle) {
    double most = 0.0, gap = 0.0;
    for (size_t i = 0; i < (triangle ? d : 1); i++)
        for (size_t k = 0; k < (triangle ? i + 1 : d); k++) {
            most = fmax(most, fabs(b[i * d + k]));
            gap = fmax(gap, fabs(a[i * d + k] - b[i * d + k]));
        }
    return gap / most;
}

static void compare(const char *what, struct slopes *a, struct slopes *b) {
    size_t d = a->g.d;
    double from = gbs_now();
    evaluate(b);
    printf("%-34s processors %.3f s; apart: free energy %.1e, slopes in m %.1e, pull %.1e\n", what,
           gbs_now() - from, fabs(a->point.free_energy / b->point.free_energy - 1.0),
           apart(a->point.d_mean, b->point.d_mean, d, false),
           apart(a->point.pull, b->point.pull, d, true));
}

static double *labels(size_t n, size_t positives) {
    double *y = gbs_doubles(host, n);
    for (size_t i = 0; i < n; i++)
        y[i] = i < positives ? 1.0 : -1.0;
    return y;
}

/* ---------------------------------------------------------------- the figures */

enum { POSITIVE = 7841, NEGATIVE = 24720, COLUMNS = 108 };

static void pairs(void) {
    size_t n = POSITIVE + NEGATIVE, d = COLUMNS, ld = gbs_cuda_row_size(d);
    double *x = make_numbers(n * d, 1), *y = labels(n, POSITIVE);
    gbs_rows rows = gbs_rows_wrap(n, d, x, d, y);
    gbs_empirical *risk[2];
    must(ctx, gbs_empirical_over_pairs(ctx, &rows, true, gbs_loss_of(GBS_LOSS_ZERO_ONE), &risk[0]));
    must(host,
         gbs_empirical_over_pairs(host, &rows, true, gbs_loss_of(GBS_LOSS_ZERO_ONE), &risk[1]));
    struct slopes s[2] = {slopes_of(ctx, risk[0]), slopes_of(host, risk[1])};
    struct times exact = time_of(TURNS, evaluate, &s[0]);
    struct product cross = {.b_turned = true, .m = NEGATIVE, .n = POSITIVE, .k = ld},
                   back = {.m = NEGATIVE, .n = ld, .k = POSITIVE};
    cross.lda = cross.ldb = back.ldb = ld;
    back.lda = POSITIVE;
    cross.a = there(NEGATIVE * ld);
    cross.b = back.b = there(POSITIVE * ld);
    cross.c = back.a = there((size_t)NEGATIVE * POSITIVE);
    back.c = there(NEGATIVE * ld);
    send(cross.a, x, NEGATIVE * d);
    send(cross.b, x + NEGATIVE * d, POSITIVE * d);
    struct times first = time_of(TURNS, multiply, &cross), second = time_of(TURNS, multiply, &back);
    struct times floor = {first.least + second.least, first.median + second.median};
    tell("pairs, 7,841 x 24,720, d = 108", exact, floor, "5 ms");
    compare("pairs", &s[0], &s[1]);
    give_back(cross.a);
    give_back(cross.b);
    give_back(cross.c);
    give_back(back.c);
    for (int k = 0; k < 2; k++) {
        free_slopes(&s[k]);
        gbs_empirical_free(risk[k]);
    }
    gbs_array_free(host, x);
    gbs_array_free(host, y);
}

struct fit {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_options *options;
    gbs_model *model;
};

static void run_fit(void *arg) {
    struct fit *f = arg;
    gbs_model_free(f->model);
    f->model = NULL;
    must(f->ctx, gbs_fit(f->ctx, f->data, f->options, &f->model));
}

static void whole_fit(void) {
    size_t n = POSITIVE + NEGATIVE, d = COLUMNS - 1;
    double *x = make_numbers(n * d, 2), *y = labels(n, 0);
    for (size_t i = 0; i < n; i++) {
        double score = 0.0;
        for (size_t k = 0; k < d; k += 5)
            score += x[i * d + k];
        y[i] = score + 4.0 * x[i * d + 1] > 4.2 ? 1.0 : -1.0;
    }
    struct fit f[2] = {{.ctx = ctx}, {.ctx = host}};
    for (int k = 0; k < 2; k++) {
        gbs_data *data;
        gbs_options *o;
        must(f[k].ctx, gbs_data_dense(f[k].ctx, n, d, x, d, y, GBS_BORROW, &data));
        must(f[k].ctx, gbs_options_create(f[k].ctx, "fit", &o));
        must(f[k].ctx, gbs_options_set(o, "task", "rank"));
        must(f[k].ctx, gbs_options_set(o, "loss", "hinge"));
        must(f[k].ctx, gbs_options_set(o, "prior", "zero"));
        must(f[k].ctx, gbs_options_set(o, "solver", "natural"));
        f[k].data = data;
        f[k].options = o;
    }
    struct times t = time_of(3, run_fit, &f[0]);
    double from = gbs_now();
    run_fit(&f[1]);
    double slow = gbs_now() - from;
    const gbs_model_info *a = gbs_model_get_info(f[0].model), *b = gbs_model_get_info(f[1].model);
    printf("%-34s %9.3f ms least, %9.3f median (target 1 s); processors %.3f s; iterations %zu and "
           "%zu; apart: free energy %.1e, certificate %.1e\n",
           "an exact ranking, hinge, full", 1e3 * t.least, 1e3 * t.median, slow, a->iterations,
           b->iterations, fabs(a->free_energy / b->free_energy - 1.0),
           fabs(gbs_model_certificate(f[0].model, 0)->value /
                    gbs_model_certificate(f[1].model, 0)->value -
                1.0));
    for (int k = 0; k < 2; k++) {
        gbs_model_free(f[k].model);
        gbs_options_free(f[k].options);
        gbs_data_free((gbs_data *)f[k].data);
    }
    gbs_array_free(host, x);
    gbs_array_free(host, y);
}

static void rows(void) {
    size_t n = 10000000, d = 100, ld = gbs_cuda_row_size(d), part = 100000;
    double *x = make_numbers(n * d, 3), *y = gbs_doubles(host, n);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i * d] + x[i * d + 5] + x[i * d + 1] > 0.0 ? 1.0 : -1.0;
    gbs_rows all = gbs_rows_wrap(n, d, x, d, y), few = gbs_rows_wrap(part, d, x, d, y);
    gbs_empirical *risk[3];
    const gbs_loss_ops *hinge = gbs_loss_of(GBS_LOSS_HINGE);
    must(ctx, gbs_empirical_over_rows(ctx, &all, hinge, &risk[0]));
    must(ctx, gbs_empirical_over_rows(ctx, &few, hinge, &risk[1]));
    must(host, gbs_empirical_over_rows(host, &few, hinge, &risk[2]));
    struct slopes s[3] = {slopes_of(ctx, risk[0]), slopes_of(ctx, risk[1]),
                          slopes_of(host, risk[2])};
    struct times pass = time_of(TURNS, evaluate, &s[0]);
    const gbs_cuda_held *h = (const gbs_cuda_held *)risk[0]->held;
    struct product gram = {.a_turned = true, .m = ld, .n = ld, .k = n, .lda = ld, .ldb = ld};
    gram.a = gram.b = h->x;
    gram.c = there(ld * ld);
    tell("rows, 10^7 x 100, hinge, full", pass, time_of(TURNS, multiply, &gram), "1.5 times");
    evaluate(&s[1]);
    compare("rows, the first 100,000", &s[1], &s[2]);
    give_back(gram.c);
    for (int k = 0; k < 3; k++) {
        free_slopes(&s[k]);
        gbs_empirical_free(risk[k]);
    }
    gbs_array_free(host, x);
    gbs_array_free(host, y);
}

struct particles {
    gbs_empirical *risk;
    size_t count;
    const double *tiles;
    double *out;
};

static void judge(void *arg) {
    struct particles *p = arg;
    must(ctx, p->risk->held->pass->many(p->risk->held, &p->risk->loss->pointwise, p->count,
                                        p->tiles, p->out));
}

static void particles(void) {
    size_t n = 20000, d = 50, ld = gbs_cuda_row_size(d), count = 100000, few = 64;
    double *x = make_numbers(n * d, 4), *y = labels(n, n / 2), *theta = make_numbers(count * d, 5),
           *out = gbs_doubles(host, 2 * count), worst = 0.0;
    gbs_rows all = gbs_rows_wrap(n, d, x, d, y);
    gbs_empirical *risk[2];
    must(ctx, gbs_empirical_over_rows(ctx, &all, gbs_loss_of(GBS_LOSS_HINGE), &risk[0]));
    must(host, gbs_empirical_over_rows(host, &all, gbs_loss_of(GBS_LOSS_HINGE), &risk[1]));
    struct particles p = {risk[0], count, theta, out};
    struct times t = time_of(TURNS, judge, &p);
    struct product scores = {.b_turned = true, .m = n, .n = count, .k = ld, .lda = ld, .ldb = ld};
    scores.a = ((const gbs_cuda_held *)risk[0]->held)->x;
    scores.b = there(count * ld);
    send(scores.b, theta, count * d);
    scores.c = there(n * count);
    tell("particles, 10^5 on 20,000 x 50", t, time_of(TURNS, multiply, &scores), "twice");
    must(ctx, gbs_empirical_many(risk[0], few, theta, out));
    must(host, gbs_empirical_many(risk[1], few, theta, out + count));
    for (size_t k = 0; k < few; k++)
        worst = fmax(worst, fabs(out[k] / out[count + k] - 1.0));
    printf("%-34s apart: %.1e\n", "particles", worst);
    give_back(scores.b);
    give_back(scores.c);
    for (int k = 0; k < 2; k++)
        gbs_empirical_free(risk[k]);
    gbs_array_free(host, x);
    gbs_array_free(host, y);
    gbs_array_free(host, theta);
    gbs_array_free(host, out);
}

/* ---------------------------------------------------------------- ratings */

enum { SWEEPS = 7 };

struct sweeps {
    double at[SWEEPS];
    int seen;
};

static void see_sweep(void *user, const gbs_levels *f, const char *name) {
    struct sweeps *s = user;
    (void)f;
    if (strcmp(name, "rows") == 0 && s->seen < SWEEPS)
        s->at[s->seen++] = gbs_now();
}

/* So many numbers set to 0. */
static void clear(void *arg) {
    gbs_cuda_call call = gbs_cuda_begin(ctx, (gbs_cuda *)ctx->device);
    gbs_cuda_clear(&call, *(double **)arg, (size_t)1 << 33);
    call.device->driver.wait();
    must(ctx, gbs_cuda_end(&call));
}

/* `count` ratings of a matrix of rank 3, at random cells. */
static gbs_ratings *quick_ratings(gbs_context *c, size_t count, size_t rows, size_t columns) {
    double *x = make_numbers(count, 6);
    uint32_t *row = gbs_array_alloc(host, count, sizeof *row),
             *column = gbs_array_alloc(host, count, sizeof *column);
    gbs_ratings *ratings;
    for (size_t e = 0; e < count; e++) {
        uint64_t bits = (e + 1) * UINT64_C(0x9E3779B97F4A7C15);
        bits ^= bits >> 29;
        bits *= UINT64_C(0xBF58476D1CE4E5B9);
        bits ^= bits >> 32;
        row[e] = (uint32_t)((bits & 0xffffffff) * rows >> 32);
        column[e] = (uint32_t)((bits >> 32) * columns >> 32);
        double u = (double)row[e], v = (double)column[e];
        x[e] = 3.0 + sin(u) * cos(v) + 0.5 * sin(2.0 * u) * sin(3.0 * v) + 0.7 * x[e];
    }
    must(c, gbs_ratings_create(c, count, rows, columns, row, column, x, NULL, NULL, &ratings));
    gbs_array_free(host, x);
    gbs_array_free(host, row);
    gbs_array_free(host, column);
    return ratings;
}

/* Sweeps of the hierarchical model, and the free energy that they end at. */
static double sweep(gbs_context *c, const gbs_ratings *ratings, size_t rank, size_t most,
                    struct sweeps *seen) {
    size_t features[2] = {1, 1};
    double *phi[2];
    gbs_levels f;
    gbs_ascent out = {0};
    gbs_level_options o = {.most_sweeps = most, .stage = "sweeps", .step = see_sweep, .user = seen};
    for (int s = 0; s < 2; s++) {
        phi[s] = gbs_doubles(c, ratings->by[s].items);
        for (size_t i = 0; i < ratings->by[s].items; i++)
            phi[s][i] = 1.0;
    }
    must(c, gbs_levels_create(c, ratings, rank, phi, features, true, &f));
    must(c, gbs_compute_begin(c));
    must(c, gbs_levels_start(&f, 3));
    must(c, gbs_levels_ascend(&f, &o, &out));
    gbs_compute_end(c);
    gbs_levels_free(&f);
    gbs_array_free(c, phi[0]);
    gbs_array_free(c, phi[1]);
    return out.free_energy;
}

static void ratings(void) {
    size_t count = 100000000, rank = 32, numbers = (rank + 1) * (rank + 2) / 2 + rank + 2;
    double *memory = there((size_t)1 << 30),
           bytes = 2.0 * (double)(count * numbers) * sizeof(float);
    struct times one = time_of(TURNS, clear, &memory);
    give_back(memory);
    struct sweeps seen = {0};
    gbs_ratings *few = quick_ratings(ctx, 300000, 2000, 500),
                *same = quick_ratings(host, 300000, 2000, 500);
    double a = sweep(ctx, few, rank, 3, &seen), b = sweep(host, same, rank, 3, &seen);
    printf("%-34s apart: free energy %.1e\n", "ratings, the first 300,000", fabs(a / b - 1.0));
    gbs_ratings_free(few);
    gbs_ratings_free(same);
    gbs_ratings *all = quick_ratings(ctx, count, 500000, 20000);
    seen = (struct sweeps){0};
    sweep(ctx, all, rank, SWEEPS, &seen);
    double t[SWEEPS] = {0};
    for (int k = 1; k < seen.seen; k++)
        t[k - 1] = seen.at[k] - seen.at[k - 1];
    qsort(t, (size_t)seen.seen - 1, sizeof *t, by_size);
    double unit = bytes / 0x1p33;
    tell("ratings, 10^8, K = 32, a sweep", (struct times){t[0], t[(seen.seen - 1) / 2]},
         (struct times){unit * one.least, unit * one.median}, "0.5 s");
    gbs_ratings_free(all);
}

int main(int argc, char **argv) {
    char words[256];
    if (argc < 2) {
        printf("device: bench/device.sh runs it\n");
        return 0;
    }
    if (gbs_context_create(NULL, &ctx) != GBS_OK || gbs_context_create(NULL, &host) != GBS_OK)
        return 1;
    gbs_status status = gbs_device_describe(ctx, "cuda", words, sizeof words);
    printf("device: %s%s\n", status == GBS_OK ? "" : "left out: ", words);
    if (status == GBS_OK) {
        must(ctx, gbs_context_set_device(ctx, "cuda"));
        if (wanted(argc, argv, "pairs"))
            pairs();
        if (wanted(argc, argv, "particles"))
            particles();
        if (wanted(argc, argv, "fit"))
            whole_fit();
        if (wanted(argc, argv, "rows"))
            rows();
        if (wanted(argc, argv, "ratings"))
            ratings();
    }
    gbs_context_free(ctx);
    gbs_context_free(host);
    return 0;
}
