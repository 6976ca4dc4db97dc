/* The back end for graphics processors where there is none: its losses against those of src/risk,
 * and all of it, kernels included, on a device that is played by this machine (cuda_twin.h),
 * against the cpu back end. From the release build alone: a sanitizer cannot follow threads that
 * take turns on stacks of their own. */
#include "unit/cuda_twin.h"

#include "pass/cuda/kernels.cu"

#include "completion/level_ascent.h"
#include "pass/cuda/cuda.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

#include <cblas.h>

/* ---------------------------------------------------------------- the losses */

static void losses_are_those_of_the_processors(void **state) {
    (void)state;
    static const gbs_loss losses[] = {GBS_LOSS_ZERO_ONE, GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL};
    static const double sizes[] = {1e-6, 1e-3, 0.1, 0.7, 1.0, 3.0, 40.0};
    for (size_t k = 0; k < COUNT(losses); k++) {
        const gbs_pointwise *p = &gbs_loss_of(losses[k])->pointwise;
        int loss = gbs_cuda_loss_of(p);
        assert_true(loss < GBS_CUDA_LOSSES);
        for (size_t j = 0; j < COUNT(sizes); j++)
            for (double mu = -30.0; mu <= 30.0; mu += 0.37) {
                double s = sizes[j], psi, u, v;
                gbs_cuda_slope got = gbs_cuda_smoothed(loss, mu, s * s, 1.0 / s);
                p->smoothed(1, &mu, &s, &psi, &u, &v);
                if (isinf(psi)) {
                    assert_true(isinf(got.psi) && isinf(got.u) && isinf(got.w));
                    continue;
                }
                assert_close(got.psi, psi, 1e-12, 1e-300);
                assert_close(got.u, u, 1e-12, 1e-290);
                assert_close(got.w, v / s, 1e-12, 1e-290);
            }
        for (double mu = -3.0; mu <= 3.0; mu += 0.25) {
            double s = 0.0, psi, u, v, lanes[GBS_LANES] __attribute__((aligned(64))),
                   total[GBS_LANES] __attribute__((aligned(64))) = {0};
            gbs_cuda_slope got = gbs_cuda_plain(loss, mu);
            p->smoothed(1, &mu, &s, &psi, &u, &v);
            for (size_t l = 0; l < GBS_LANES; l++)
                lanes[l] = mu;
            p->add_lanes(1, lanes, total);
            assert_close(got.psi, psi, 1e-14, 0.0);
            assert_close(got.u, u, 1e-14, 0.0);
            assert_close(device_plain_loss(loss, mu), total[3], 1e-13, 0.0);
        }
    }
}

/* ---------------------------------------------------------------- a device that is played */

#define PLAY(kernel, type)                                                                         \
    static void play_##kernel(void *arguments) {                                                   \
        kernel(*(gbs_cuda_##type##_arguments *)arguments);                                         \
    }
GBS_CUDA_KERNELS(PLAY)
#undef PLAY

static const struct {
    const char *name;
    void (*play)(void *);
} kernels[] = {
#define LINE(kernel, type) {#kernel, play_##kernel},
    GBS_CUDA_KERNELS(LINE)
#undef LINE
};

static struct {
    size_t allocations, launches, products;
    size_t fail_at; /* the allocation that is refused; 0: none */
} played;

static int play_number(int *value, int number) {
    *value = number;
    return 0;
}

static int play_init(unsigned int flags) {
    (void)flags;
    return 0;
}

static int play_count(int *count) {
    return play_number(count, 1);
}

static int play_name(char *name, int room, int device) {
    (void)device;
    snprintf(name, (size_t)room, "a played device");
    return 0;
}

static int play_total(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)1 << 30;
    return 0;
}

static int play_attribute(int *value, int which, int device) {
    (void)device;
    return play_number(value, which == GBS_CUDA_MULTIPROCESSORS ? 2 : TWIN_SHARED);
}

static int play_retain(void **context, int device) {
    (void)device;
    *context = &played;
    return 0;
}

static int play_device(int device) {
    (void)device;
    return 0;
}

static int play_push(void *context) {
    return context == &played ? 0 : 1;
}

static int play_pop(void **context) {
    *context = &played;
    return 0;
}

static int play_load(void **module, const void *image) {
    *module = (void *)image;
    return 0;
}

static int play_unload(void *module) {
    return module != NULL ? 0 : 1;
}

static int play_function(void **function, void *module, const char *name) {
    (void)module;
    for (size_t k = 0; k < COUNT(kernels); k++)
        if (strcmp(kernels[k].name, name) == 0) {
            *function = (void *)&kernels[k];
            return 0;
        }
    return 500;
}

static int play_set(void *function, int which, int value) {
    (void)function;
    return which == GBS_CUDA_MOST_SHARED && value <= TWIN_SHARED ? 0 : 1;
}

static int play_allocate(gbs_cuda_address *address, size_t bytes) {
    if (++played.allocations == played.fail_at)
        return GBS_CUDA_OUT_OF_MEMORY;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(memory, 0xff, bytes); /* NaN */
    *address = (gbs_cuda_address)(size_t)memory;
    return 0;
}

static int play_free(gbs_cuda_address address) {
    free((void *)(size_t)address);
    return 0;
}

static int play_to_device(gbs_cuda_address to, const void *from, size_t bytes) {
    memcpy((void *)(size_t)to, from, bytes);
    return 0;
}

static int play_to_host(void *to, gbs_cuda_address from, size_t bytes) {
    memcpy(to, (const void *)(size_t)from, bytes);
    return 0;
}

static int play_copy(const gbs_cuda_copy *what) {
    assert_int_equal(what->from_kind, GBS_CUDA_HOST);
    for (size_t i = 0; i < what->height; i++)
        memcpy((char *)(size_t)what->to + i * what->to_pitch,
               (const char *)what->from_host + i * what->from_pitch, what->width);
    return 0;
}

static int play_clear(gbs_cuda_address address, unsigned char value, size_t bytes) {
    memset((void *)(size_t)address, value, bytes);
    return 0;
}

static int play_wait(void) {
    return 0;
}

static int play_launch(void *function, unsigned int grid_x, unsigned int grid_y,
                       unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                       unsigned int block_z, unsigned int shared, void *stream, void **arguments,
                       void **extra) {
    (void)stream;
    (void)extra;
    assert_true(grid_z == 1 && block_y == 1 && block_z == 1 && grid_y < 65536);
    assert_true(block_x <= TWIN_THREADS && shared <= TWIN_SHARED);
    played.launches++;
    size_t k = 0;
    while (&kernels[k] != function)
        k++;
    twin_run(kernels[k].play, arguments[0], grid_x, grid_y, block_x, shared);
    return 0;
}

static int play_error(int error, const char **name) {
    *name = error == 500 ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR";
    return 0;
}

static int play_create(void **handle) {
    *handle = &played;
    return 0;
}

static int play_destroy(void *handle) {
    return handle == &played ? 0 : 1;
}

static int play_multiply(void *handle, int a_way, int b_way, int m, int n, int k,
                         const double *alpha, const double *a, int lda, const double *b, int ldb,
                         const double *beta, double *c, int ldc) {
    (void)handle;
    played.products++;
    cblas_dgemm(CblasColMajor, a_way ? CblasTrans : CblasNoTrans, b_way ? CblasTrans : CblasNoTrans,
                m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
    return 0;
}

static const gbs_cuda_driver driver = {
    play_init,     play_count,  play_number,   play_name,   play_total,     play_attribute,
    play_retain,   play_device, play_push,     play_pop,    play_load,      play_unload,
    play_function, play_set,    play_allocate, play_free,   play_to_device, play_to_host,
    play_copy,     play_clear,  play_wait,     play_launch, play_error};
static const gbs_cuda_blas blas = {play_create, play_destroy, play_multiply};

/* A context on the played device. */
static gbs_context *played_context(void) {
    gbs_context *ctx = new_context(2, 1);
    gbs_cuda *device;
    assert_ok(ctx, gbs_cuda_open(ctx, &driver, &blas, "an image", &device));
    ctx->device = &device->head;
    return ctx;
}

/* ---------------------------------------------------------------- against the processors */

/* The same rows on both. */
struct both {
    struct design g;
    gbs_context *ctx[2];
    gbs_empirical *risk[2];
    double *weight; /* of the rows, where these are of odd width */
};

static struct both make_both(struct dice *r, size_t n, size_t d, gbs_loss loss, bool pairs) {
    struct both b = {.g = make_design(r, n, d, d == 13, 0), .weight = doubles(n)};
    for (size_t i = 0; i < n; i++)
        b.weight[i] = (double)(i % 4);
    b.g.rows.all.weight = pairs || d % 2 == 0 ? NULL : b.weight;
    b.ctx[0] = new_context(2, 1);
    b.ctx[1] = played_context();
    for (int k = 0; k < 2; k++)
        assert_ok(b.ctx[k], pairs ? gbs_empirical_over_pairs(b.ctx[k], &b.g.rows, true,
                                                             gbs_loss_of(loss), &b.risk[k])
                                  : gbs_empirical_over_rows(b.ctx[k], &b.g.rows, gbs_loss_of(loss),
                                                            &b.risk[k]));
    assert_string_equal(b.risk[0]->held->pass->name, "cpu");
    assert_string_equal(b.risk[1]->held->pass->name, "cuda");
    return b;
}

static void free_both(struct both *b) {
    for (int k = 0; k < 2; k++) {
        gbs_empirical_free(b->risk[k]);
        gbs_context_free(b->ctx[k]);
    }
    free_design(&b->g);
    free(b->weight);
}

struct shape {
    gbs_spread spread;
    double *mean, *tau, *factor;
};

enum { SHAPES = 3 };

static struct shape make_shape(struct dice *r, size_t d, size_t kind) {
    struct shape g = {.mean = doubles(d), .tau = doubles(d), .factor = doubles(d * d)};
    for (size_t k = 0; k < d; k++) {
        g.mean[k] = dice_normal(r) / sqrt((double)d);
        g.tau[k] = 0.2 * exp(dice_normal(r)) / (double)d;
        for (size_t j = k; j < d; j++)
            g.factor[k * d + j] = (j == k ? 0.6 : 0.1 * dice_normal(r)) / sqrt((double)d);
    }
    g.spread = (gbs_spread){.d = d,
                            .mean = g.mean,
                            .variance = 0.3 / (double)d,
                            .tau = kind == 1 ? g.tau : NULL,
                            .factor = kind == 2 ? g.factor : NULL,
                            .pull = kind == 2   ? GBS_PULL_MATRIX
                                    : kind == 1 ? GBS_PULL_DIAGONAL
                                                : GBS_PULL_TRACE};
    return g;
}

static void free_shape(struct shape *g) {
    free(g->mean);
    free(g->tau);
    free(g->factor);
}

static double size_of(const double *x, size_t count) {
    double most = 0.0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* Relative to the largest, in the lower triangle where `d` is not 0. */
static void assert_alike(size_t count, const double *got, const double *expected, size_t d) {
    double scale = d == 0 ? size_of(expected, count) : 0.0;
    for (size_t k = 0; k < count; k++)
        if (d > 0 && k % d <= k / d)
            scale = fmax(scale, fabs(expected[k]));
    for (size_t k = 0; k < count; k++)
        if (d == 0 || k % d <= k / d)
            assert_close(got[k], expected[k], 1e-11, 1e-11 * scale);
}

static void check_slopes(struct both *b, const struct shape *g, bool curvature) {
    size_t d = g->spread.d, pull = gbs_pull_size(g->spread.pull, d);
    double *room = doubles(2 * (d + pull + d * d)), *to = room;
    gbs_slopes out[2];
    for (int k = 0; k < 2; k++) {
        gbs_room *work;
        out[k] = (gbs_slopes){.d_mean = to, .pull = to + d};
        out[k].curvature = curvature ? to + d + pull : NULL;
        to += d + pull + d * d;
        assert_ok(b->ctx[k], gbs_empirical_room(b->risk[k], g->spread.pull, curvature, &work));
        assert_ok(b->ctx[k], gbs_empirical_slopes(b->risk[k], &g->spread, 30.0, work, &out[k]));
        gbs_room_free(work);
    }
    assert_close(out[1].risk, out[0].risk, 1e-12, 0.0);
    assert_alike(d, out[1].d_mean, out[0].d_mean, 0);
    assert_alike(pull, out[1].pull, out[0].pull, g->spread.pull == GBS_PULL_MATRIX ? d : 0);
    if (curvature)
        assert_alike(d * d, out[1].curvature, out[0].curvature, d);
    free(room);
}

static const size_t widths[] = {1, 13, 40, 107, 119, 127, 140};

static void over(uint64_t seed, size_t n, bool pairs) {
    struct dice r = {seed};
    for (size_t w = 0; w < COUNT(widths); w++)
        for (size_t l = 0; l < COUNT(all_losses); l++) {
            struct both b = make_both(&r, n, widths[w], all_losses[l], pairs);
            for (size_t kind = 0; kind < SHAPES; kind++) {
                struct shape g = make_shape(&r, widths[w], kind);
                /* the processors do not take a curvature from zero-one pairs under a full one */
                for (int curvature = 0; curvature < (kind == 2 ? 1 : 2); curvature++)
                    check_slopes(&b, &g, curvature != 0);
                double mean[2], second[2];
                for (int k = 0; k < 2; k++)
                    assert_ok(b.ctx[k],
                              gbs_empirical_value(b.risk[k], gbs_loss_of(all_losses[l]), &g.spread,
                                                  false, &mean[k], &second[k]));
                assert_close(mean[1], mean[0], 1e-12, 0.0);
                assert_close(second[1], second[0], 1e-12, 0.0);
                free_shape(&g);
            }
            free_both(&b);
        }
}

static void slopes_over_rows_are_those_of_the_processors(void **state) {
    (void)state;
    over(801, 330, false);
}

static void slopes_over_pairs_are_those_of_the_processors(void **state) {
    (void)state;
    over(802, 100, true);
}

/* Rows that are nearly equal, and equal ones: pairs whose s^2 cancels. */
static void nearly_equal_rows_are_told_apart(void **state) {
    (void)state;
    enum { N = 90, D = 6 };
    struct dice r = {803};
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t kind = 0; kind < SHAPES; kind++) {
            struct both b = make_both(&r, N, D, all_losses[l], true);
            /* the copy that the risk made is ours to change before the device has it */
            for (int k = 0; k < 2; k++) {
                double *x = (double *)b.risk[k]->host.all.dense;
                size_t n = b.risk[k]->rows, p = b.risk[k]->positives;
                for (size_t i = 0; i < n / 2; i++) {
                    size_t j = i % 2 == 0 ? i % p : p + i % (n - p), from = i % 3;
                    for (size_t c = 0; c < D; c++)
                        x[j * D + c] = x[from * D + c] +
                                       (i % 5 == 0 ? 0.0 : 1e-5 * (double)((i + c) % 7));
                }
            }
            struct shape g = make_shape(&r, D, kind);
            check_slopes(&b, &g, kind != 2);
            free_shape(&g);
            free_both(&b);
        }
}

static void other_passes_are_those_of_the_processors(void **state) {
    (void)state;
    enum { N = 210, D = 9, LISTED = 300, PICKED = 20, MANY = 37 };
    struct dice r = {804};
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        struct both b = make_both(&r, N, D, all_losses[l], false);
        size_t row[LISTED], less[LISTED];
        double theta[MANY * D], risks[2][MANY], k[2][PICKED * PICKED], weight[D];
        for (size_t t = 0; t < LISTED; t++) {
            row[t] = dice_below(&r, N);
            less[t] = dice_below(&r, N);
        }
        for (size_t i = 0; i < MANY * D; i++)
            theta[i] = dice_normal(&r);
        for (size_t i = 0; i < D; i++)
            weight[i] = exp(dice_normal(&r));
        for (size_t kind = 0; kind < SHAPES; kind++) {
            struct shape g = make_shape(&r, D, kind);
            double score[2][N], variance[2][N], sum[2] = {1.0, 1.0};
            for (int j = 0; j < 2; j++) {
                const gbs_held *h = b.risk[j]->held;
                assert_ok(b.ctx[j],
                          h->pass->project(h, &g.spread, 3, N - 3, score[j], variance[j]));
                assert_ok(b.ctx[j], h->pass->listed_pairs(h, &b.risk[j]->loss->pointwise, &g.spread,
                                                          LISTED, row, less, &sum[j]));
            }
            assert_alike(N - 3, score[1], score[0], 0);
            assert_alike(N - 3, variance[1], variance[0], 0);
            assert_close(sum[1], sum[0], 1e-12, 0.0);
            free_shape(&g);
        }
        for (int weighted = 0; weighted < 2; weighted++) {
            for (int j = 0; j < 2; j++) {
                const gbs_held *h = b.risk[j]->held;
                assert_ok(b.ctx[j], h->pass->gram(h, weighted ? weight : NULL, row, PICKED, k[j]));
            }
            assert_alike((size_t)PICKED * PICKED, k[1], k[0], 0);
        }
        size_t before = played.launches;
        for (int j = 0; j < 2; j++)
            assert_ok(b.ctx[j], gbs_empirical_many(b.risk[j], MANY, theta, risks[j]));
        assert_true(played.launches > before);
        assert_alike(MANY, risks[1], risks[0], 0);
        free_both(&b);
    }
}

/* A whole fit: the same steps, and the same numbers to 1e-10. */
static void fits_are_those_of_the_processors(void **state) {
    (void)state;
    enum { N = 160, D = 4 };
    static const char *const tasks[] = {"classify", "rank"};
    struct dice r = {805};
    struct table_of_numbers t = make_table(&r, N, D, 1.0, 0.5);
    for (size_t k = 0; k < COUNT(tasks); k++) {
        const gbs_model_info *got[2];
        gbs_model *model[2];
        gbs_context *ctx[2] = {new_context(2, 1), played_context()};
        gbs_data *data[2];
        gbs_options *o[2];
        for (int j = 0; j < 2; j++) {
            assert_ok(ctx[j], gbs_data_dense(ctx[j], N, D, t.x, D, t.y, GBS_BORROW, &data[j]));
            assert_ok(ctx[j], gbs_options_create(ctx[j], "fit", &o[j]));
            assert_ok(ctx[j], gbs_options_set(o[j], "task", tasks[k]));
            assert_ok(ctx[j], gbs_options_set(o[j], "prior", "zero"));
            assert_ok(ctx[j], gbs_options_set(o[j], "loss", "hinge"));
            assert_ok(ctx[j], gbs_fit(ctx[j], data[j], o[j], &model[j]));
            got[j] = gbs_model_get_info(model[j]);
        }
        assert_int_equal(got[0]->iterations, got[1]->iterations);
        assert_close(got[1]->free_energy, got[0]->free_energy, 1e-10, 0.0);
        for (int j = 0; j < 2; j++) {
            gbs_model_free(model[j]);
            gbs_data_free(data[j]);
            gbs_options_free(o[j]);
            gbs_context_free(ctx[j]);
        }
    }
    free_table(&t);
}

/* A completion: the same sweeps, and the same free energy to 1e-10. Some items have no rating. */
static void completions_are_those_of_the_processors(void **state) {
    (void)state;
    enum { ROWS = 40, COLUMNS = 23, N = 500, SWEEPS = 4 };
    struct dice r = {807};
    uint32_t row[N], column[N];
    double value[N], *phi[2] = {doubles(ROWS), doubles(COLUMNS)};
    for (size_t e = 0; e < N; e++) {
        row[e] = (uint32_t)dice_below(&r, ROWS - 1);
        column[e] = (uint32_t)dice_below(&r, COLUMNS);
        value[e] = 3.0 + sin((double)row[e]) * cos((double)column[e]) + 0.3 * dice_normal(&r);
    }
    for (size_t i = 0; i < ROWS; i++)
        phi[0][i] = phi[1][i % COLUMNS] = 1.0;
    for (int single = 0; single < 2; single++)
        for (size_t rank = 1; rank <= 7; rank += 3) {
            gbs_context *ctx[2] = {new_context(2, 1), played_context()};
            gbs_ratings *ratings[2];
            gbs_levels f[2];
            for (int k = 0; k < 2; k++) {
                size_t features[2] = {1, 1};
                gbs_ascent out = {0};
                gbs_level_options o = {.most_sweeps = SWEEPS, .stage = "sweeps"};
                assert_ok(ctx[k], gbs_ratings_create(ctx[k], N, ROWS, COLUMNS, row, column, value,
                                                     NULL, NULL, &ratings[k]));
                assert_ok(ctx[k], gbs_levels_create(ctx[k], ratings[k], rank, phi, features,
                                                    single != 0, &f[k]));
                assert_ok(ctx[k], gbs_levels_start(&f[k], 3));
                size_t before = played.launches;
                assert_ok(ctx[k], gbs_levels_ascend(&f[k], &o, &out));
                assert_true((played.launches > before) == (k == 1));
                assert_int_equal(out.sweeps, SWEEPS);
                assert_null(f[k].rated);
            }
            assert_close(gbs_levels_free_energy(&f[1]), gbs_levels_free_energy(&f[0]), 1e-10, 0.0);
            for (int s = 0; s < 2; s++) {
                size_t items = f[0].side[s].items, own = f[0].own;
                assert_alike(items * own, f[1].side[s].mean, f[0].side[s].mean, 0);
                assert_alike(items * (own * (own + 1) / 2), f[1].side[s].cov, f[0].side[s].cov, 0);
                assert_alike(items, f[1].side[s].omega, f[0].side[s].omega, 0);
            }
            for (int k = 0; k < 2; k++) {
                gbs_levels_free(&f[k]);
                gbs_ratings_free(ratings[k]);
                gbs_context_free(ctx[k]);
            }
        }
    free(phi[0]);
    free(phi[1]);
}

/* Any allocation on the device may fail: GBS_ERR_MEMORY, and it goes on with the next call. */
static void memory_of_the_device_may_run_out(void **state) {
    (void)state;
    struct dice r = {806};
    for (int pairs = 0; pairs < 2; pairs++) {
        size_t failures = 0;
        for (size_t at = 1;; at++) {
            struct both b = make_both(&r, 60, 5, GBS_LOSS_ZERO_ONE, pairs != 0);
            struct shape g = make_shape(&r, 5, 2);
            double room[5 + 25];
            gbs_slopes out = {.d_mean = room, .pull = room + 5};
            gbs_room *work;
            assert_ok(b.ctx[1], gbs_empirical_room(b.risk[1], g.spread.pull, false, &work));
            played.allocations = 0;
            played.fail_at = at;
            gbs_status status = gbs_empirical_slopes(b.risk[1], &g.spread, 3.0, work, &out);
            played.fail_at = 0;
            if (status != GBS_OK) {
                assert_int_equal(status, GBS_ERR_MEMORY);
                failures++;
                assert_ok(b.ctx[1], gbs_empirical_slopes(b.risk[1], &g.spread, 3.0, work, &out));
            }
            gbs_room_free(work);
            free_shape(&g);
            free_both(&b);
            if (status == GBS_OK)
                break;
        }
        assert_true(failures > 5);
    }
}

/* ---------------------------------------------------------------- the setting */

static void a_device_that_is_not_there_is_refused_with_words(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    char text[300];
    assert_string_equal(gbs_device_name(0), "cpu");
    assert_string_equal(gbs_device_name(1), "cuda");
    assert_null(gbs_device_name(2));
    assert_ok(ctx, gbs_context_set_device(ctx, "cpu"));
    assert_ok(ctx, gbs_device_describe(ctx, "cpu", text, sizeof text));
    assert_non_null(strstr(text, "processors"));
    assert_int_equal(gbs_context_set_device(ctx, "abacus"), GBS_ERR_ARGUMENT);
    assert_non_null(strstr(gbs_error_message(ctx), "cpu or cuda"));
    assert_int_equal(gbs_context_set_device(NULL, "cpu"), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_context_set_device(ctx, NULL), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_device_describe(ctx, "cuda", NULL, 0), GBS_ERR_ARGUMENT);
    gbs_status status = gbs_device_describe(ctx, "cuda", text, sizeof text);
    assert_true(strlen(text) > 10);
    if (status != GBS_OK) {
        assert_int_equal(status, GBS_ERR_ARGUMENT);
        assert_int_equal(gbs_context_set_device(ctx, "cuda"), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx), text));
        assert_null(ctx->device);
    }
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_of_the_processors),
        cmocka_unit_test(slopes_over_rows_are_those_of_the_processors),
        cmocka_unit_test(slopes_over_pairs_are_those_of_the_processors),
        cmocka_unit_test(nearly_equal_rows_are_told_apart),
        cmocka_unit_test(other_passes_are_those_of_the_processors),
        cmocka_unit_test(fits_are_those_of_the_processors),
        cmocka_unit_test(completions_are_those_of_the_processors),
        cmocka_unit_test(memory_of_the_device_may_run_out),
        cmocka_unit_test(a_device_that_is_not_there_is_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
