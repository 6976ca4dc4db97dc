/* The back end for graphics processors where there is none: its losses against those of src/risk,
 * and all of it, kernels included, on a device that is played by this machine (cuda_played.h),
 * against the cpu back end. From the release build alone: a sanitizer cannot follow threads that
 * take turns on stacks of their own. */
#include "unit/cuda_played.h"

#include "completion/level_ascent.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

/* ---------------------------------------------------------------- the losses */

static void losses_are_those_of_the_processors(void **state) {
    (void)state;
    static const gbs_loss losses[] = {GBS_LOSS_ZERO_ONE, GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL,
                                      GBS_LOSS_PROBIT};
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
            size_t launched = played.launches, multiplied = played.products;
            assert_ok(ctx[j], gbs_fit(ctx[j], data[j], o[j], &model[j]));
            got[j] = gbs_model_get_info(model[j]);
            /* the second one's sums really come from the device */
            assert_int_equal(played.launches > launched, j == 1);
            assert_true(j == 1 || played.products == multiplied);
        }
        assert_int_equal(got[0]->iterations, got[1]->iterations);
        assert_close(got[1]->free_energy, got[0]->free_energy, 1e-10, 0.0);
        assert_close(gbs_model_certificate(model[1], 0)->value,
                     gbs_model_certificate(model[0], 0)->value, 1e-10, 0.0);
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

/* A context that could not be pushed is not popped: that would be the caller's own. */
static void contexts_are_pushed_and_popped_in_pairs(void **state) {
    (void)state;
    struct dice r = {807};
    struct both b = make_both(&r, 60, 5, GBS_LOSS_ZERO_ONE, false);
    struct shape g = make_shape(&r, 5, 2);
    double room[5 + 25];
    gbs_slopes out = {.d_mean = room, .pull = room + 5};
    gbs_room *work;
    assert_ok(b.ctx[1], gbs_empirical_room(b.risk[1], g.spread.pull, false, &work));
    played.push_error = 201;
    assert_int_equal(gbs_empirical_slopes(b.risk[1], &g.spread, 3.0, work, &out), GBS_ERR_IO);
    assert_non_null(strstr(gbs_error_message(b.ctx[1]), "taking the device"));
    played.push_error = 0;
    assert_int_equal(played.pushed, 0);
    assert_ok(b.ctx[1], gbs_empirical_slopes(b.risk[1], &g.spread, 3.0, work, &out));
    assert_int_equal(played.pushed, 0);
    gbs_room_free(work);
    free_shape(&g);
    free_both(&b);
    assert_int_equal(played.retained, 0);
    gbs_context *ctx = new_context(1, 1);
    gbs_cuda *device;
    played.push_error = 201; /* found, but it cannot be used: it is given back */
    assert_int_equal(gbs_cuda_open(ctx, &driver, &blas, "an image", &device), GBS_ERR_ARGUMENT);
    played.push_error = 0;
    assert_null(device);
    assert_int_equal(played.pushed, 0);
    assert_int_equal(played.retained, 0);
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
        cmocka_unit_test(contexts_are_pushed_and_popped_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
