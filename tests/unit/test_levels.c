/* The steps of the hierarchical model: the free energy against its definition, every update at its
 * minimum, a fall at every step, and the rows' posterior against brute-force integration. */
#include "levels_support.h"

/* ---------------------------------------------------------------- the free energy */

struct watch {
    const struct matrix_truth *truth;
    double last;
    size_t steps;
    bool slowly; /* against the definition, too */
};

static void watch_step(void *user, const gbs_levels *f, const char *name) {
    struct watch *w = user;
    double energy = gbs_levels_free_energy(f);
    if (!(energy <= w->last + 1e-9 * fabs(w->last))) {
        print_error("%s: F rose from %.12g to %.12g\n", name, w->last, energy);
        fail();
    }
    if (w->slowly)
        assert_close(energy, slow_free_energy(f, w->truth), 1e-10, 1e-8);
    w->last = energy;
    w->steps++;
}

static void free_energy_is_its_definition_and_never_rises(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (int positions = 0; positions < 2; positions++)
        for (size_t rank = 0; rank <= 4; rank += 2)
            for (int plain = 0; plain < 2; plain++) {
                struct levels_case c = make_levels(ctx, 40 + rank, 14, 11, 70, rank, positions,
                                                   false);
                struct watch w = {&c.truth, INFINITY, 0, true};
                gbs_ascent a = {0};
                gbs_level_options o = {.most_sweeps = 12,
                                       .tolerance = 0.0,
                                       .plain = plain,
                                       .step = watch_step,
                                       .user = &w,
                                       .stage = ""};
                assert_int_equal(gbs_levels_ascend(&c.f, &o, &a), GBS_OK);
                assert_int_equal(w.steps, 9 * 12);
                assert_close(gbs_levels_expected_loss(&c.f), slow_loss(&c.f, &c.truth), 1e-10, 0.0);
                free_levels(ctx, &c);
            }
    gbs_context_free(ctx);
}

static void free_energy_never_rises_in_long_runs(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 3);
    for (int positions = 0; positions < 2; positions++) {
        struct levels_case c = make_levels(ctx, 50, 300, 200, 6000, 5, positions, false);
        struct watch w = {&c.truth, INFINITY, 0, false};
        gbs_ascent a = {0};
        gbs_level_options o = {
            .most_sweeps = 60, .tolerance = 1e-9, .step = watch_step, .user = &w, .stage = ""};
        assert_int_equal(gbs_levels_ascend(&c.f, &o, &a), GBS_OK);
        free_levels(ctx, &c);
    }
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- updates are minima */

/* Central differences of the slow free energy along x[0] .. x[count - 1]: each at most `limit`. */
static void assert_flat(const struct levels_case *c, double *x, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++) {
        double kept = x[k], step = 1e-4 * fmax(0.1, fabs(kept));
        x[k] = kept + step;
        double up = slow_free_energy(&c->f, &c->truth);
        x[k] = kept - step;
        double down = slow_free_energy(&c->f, &c->truth);
        x[k] = kept;
        double here = slow_free_energy(&c->f, &c->truth), slope = (up - down) / (2.0 * step),
               curve = (up + down - 2.0 * here) / (step * step);
        if (!(fabs(slope) <= 1e-3 * step * fabs(curve) + 1e-6)) {
            print_error("%s[%zu]: slope %g, curvature %g\n", name, k, slope, curve);
            fail();
        }
    }
}

static void updates_are_stationary_points(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct levels_case c = make_levels(ctx, 61, 9, 8, 40, 2, true, false);
    gbs_levels *f = &c.f;
    size_t D = f->own, free_widths = 0;
    for (int sweep = 0; sweep < 3; sweep++)
        for (int s = 0; s < 2; s++) {
            gbs_level_side *side = &f->side[s];
            assert_int_equal(gbs_levels_update_side(f, s), GBS_OK);
            assert_flat(&c, side->mean, side->items * D, "mean");
            assert_flat(&c, side->cov, side->items * gbs_packed_size(D), "cov");
            if (s == 0) {
                assert_flat(&c, f->rate, side->items, "rate");
                gbs_levels_update_rate(f);
                assert_flat(&c, &f->beta, 1, "beta");
            }
            assert_int_equal(gbs_levels_update_hyper(f, s, 1.0), GBS_OK);
            assert_flat(&c, side->coef, side->features * D, "coef");
            for (size_t p = 0; p < side->features; p++)
                assert_flat(&c, side->gram_root + p * side->features, p + 1, "gram");
            for (size_t k = 0; k < D; k++)
                assert_flat(&c, side->scatter + k * (D + 1), 1, "scatter");
            gbs_levels_update_width(f, s);
            free_widths += f->w0[s] > 1.0;
            if (f->w0[s] > 1.0) /* else at its least */
                assert_flat(&c, &f->w0[s], 1, "width");
            gbs_levels_update_relevance(f, s);
            assert_flat(&c, side->relevance_rate + 1, side->features - 1, "relevance");
        }
    assert_true(free_widths > 0);
    free_levels(ctx, &c);
    gbs_context_free(ctx);
}

/* Any factor below 2 keeps F falling; 2 leaves it where it was. */
static void relaxed_steps_fall(void **state) {
    (void)state;
    static const double factors[] = {0.3, 1.0, 1.5, 1.99};
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < COUNT(factors); k++) {
        struct levels_case c = make_levels(ctx, 71, 30, 20, 200, 3, true, false);
        struct watch w = {&c.truth, INFINITY, 0, false};
        for (int sweep = 0; sweep < 8; sweep++)
            for (int s = 0; s < 2; s++) {
                c.f.relax = sweep == 0 ? 1.0 : factors[k];
                assert_int_equal(gbs_levels_update_side(&c.f, s), GBS_OK);
                watch_step(&w, &c.f, "side");
                assert_int_equal(gbs_levels_update_hyper(&c.f, s, sweep == 0 ? 1.0 : factors[k]),
                                 GBS_OK);
                watch_step(&w, &c.f, "hyper");
            }
        free_levels(ctx, &c);
    }
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- brute force */

/* A 3 x 3 table, rank 1, hyper-parameters and columns known: q(x_i, tau_i) is then the posterior
 * itself, and its moments are integrals over u, a and tau, taken here on a grid. */
static void rows_are_the_integrals(void **state) {
    (void)state;
    enum { K = 1, D = 2, G = 80, T = 120 };
    gbs_context *ctx = new_context(1, 1);
    struct levels_case c = make_levels(ctx, 81, 3, 3, 9, K, false, false);
    gbs_levels *f = &c.f;
    gbs_level_side *rows = &f->side[0];
    memset(f->side[1].cov, 0, 3 * gbs_packed_size(D) * sizeof(double));
    for (size_t j = 0; j < 3; j++) {
        f->side[1].mean[j * D] = 0.5 * (double)j - 0.7;
        f->side[1].mean[j * D + 1] = 0.3 - 0.2 * (double)j;
    }
    const double lambda[D * D] = {2.0, 0.5, 0.5, 1.5};
    memcpy(rows->precision, lambda, sizeof lambda);
    rows->coef[0] = 0.2, rows->coef[1] = -0.1;
    rows->gram_root[0] = 1e8; /* B is known */
    assert_int_equal(gbs_levels_update_side(f, 0), GBS_OK);
    for (size_t i = 0; i < 3; i++) {
        double mass = 0.0, mean[D] = {0}, square[3] = {0}, tau_mean = 0.0, log_most = -INFINITY;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < T * G * G; k++) {
                double tau = 0.02 + 12.0 * (k / (G * G)) / T;
                double u = -4.0 + 8.0 * (k / G % G) / (G - 1), a = -4.0 + 8.0 * (k % G) / (G - 1);
                double gap[D] = {u - 0.2, a + 0.1};
                double log_p = (GBS_LEVEL_SHAPE - 1.0) * log(tau) - f->beta * tau + log(tau);
                log_p -= 0.5 * tau *
                         (lambda[0] * gap[0] * gap[0] + 2.0 * lambda[1] * gap[0] * gap[1] +
                          lambda[3] * gap[1] * gap[1]);
                for (size_t e = 0; e < c.truth.n; e++) {
                    if (c.truth.row[e] != i)
                        continue;
                    const double *z = f->side[1].mean + c.truth.column[e] * D;
                    double y = (c.truth.y[e] - f->ratings->center) / f->scale,
                           off = y - u * z[0] - a - z[1];
                    log_p += 0.5 * log(tau) - 0.5 * tau * off * off;
                }
                if (pass == 0) {
                    log_most = fmax(log_most, log_p);
                    continue;
                }
                double p = exp(log_p - log_most);
                mass += p, tau_mean += p * tau;
                mean[0] += p * u, mean[1] += p * a;
                square[0] += p * u * u, square[1] += p * u * a, square[2] += p * a * a;
            }
        double inverse = f->rate[i] / (f->shape[i] - 1.0);
        assert_close(rows->omega[i], tau_mean / mass, 1e-3, 0.0);
        for (size_t k = 0; k < D; k++)
            assert_close(rows->mean[i * D + k], mean[k] / mass, 0.0, 1e-3);
        assert_close(level_cov(f, 0, i, 0, 0) * inverse,
                     square[0] / mass - mean[0] * mean[0] / (mass * mass), 5e-3, 0.0);
        assert_close(level_cov(f, 0, i, 0, 1) * inverse,
                     square[1] / mass - mean[0] * mean[1] / (mass * mass), 5e-3, 1e-4);
        assert_close(level_cov(f, 0, i, 1, 1) * inverse,
                     square[2] / mass - mean[1] * mean[1] / (mass * mass), 5e-3, 0.0);
    }
    free_levels(ctx, &c);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- precision, axes, threads */

static void single_precision_changes_little(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_ascent a[2] = {0};
    struct levels_case c[2];
    for (int single = 0; single < 2; single++) {
        c[single] = make_levels(ctx, 91, 60, 50, 900, 4, true, single);
        gbs_level_options o = {.most_sweeps = 15, .tolerance = 0.0, .stage = ""};
        assert_int_equal(gbs_levels_ascend(&c[single].f, &o, &a[single]), GBS_OK);
    }
    assert_close(a[1].free_energy, a[0].free_energy, 1e-6, 0.0);
    for (size_t k = 0; k < 60; k++)
        assert_close(c[1].f.side[0].mean[k * 5 + 4], c[0].f.side[0].mean[k * 5 + 4], 1e-4, 1e-4);
    free_levels(ctx, &c[0]);
    free_levels(ctx, &c[1]);
    gbs_context_free(ctx);
}

static void axes_keep_predictions(void **state) {
    (void)state;
    enum { K = 3, D = 4 };
    gbs_context *ctx = new_context(1, 1);
    struct levels_case c = make_levels(ctx, 92, 40, 30, 500, K, false, false);
    gbs_ascent a = {0};
    gbs_level_options o = {.most_sweeps = 10, .tolerance = 0.0, .stage = ""};
    assert_int_equal(gbs_levels_ascend(&c.f, &o, &a), GBS_OK);
    double *turn[2] = {doubles(D * D), doubles(D * D)}, *x[2] = {doubles(40 * D), doubles(30 * D)};
    assert_int_equal(gbs_levels_axes(&c.f, turn), GBS_OK);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c.f.side[s].items; i++)
            for (size_t k = 0; k < D; k++)
                for (size_t l = 0; l < D; l++)
                    x[s][i * D + k] += turn[s][k * D + l] * c.f.side[s].mean[i * D + l];
    double last = INFINITY;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l <= k; l++) {
            double square[2] = {0.0, 0.0};
            for (int s = 0; s < 2; s++)
                for (size_t i = 0; i < c.f.side[s].items; i++)
                    square[s] += x[s][i * D + k] * x[s][i * D + l] / (double)c.f.side[s].items;
            if (l < k) {
                assert_close(square[0], 0.0, 0.0, 1e-8);
                assert_close(square[1], 0.0, 0.0, 1e-8);
                continue;
            }
            assert_close(square[0], square[1], 1e-6, 1e-9);
            assert_true(square[0] <= last);
            last = square[0];
        }
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 30; j++) {
            double before = 0.0, after = 0.0;
            for (size_t k = 0; k < K; k++) {
                before += c.f.side[0].mean[i * D + k] * c.f.side[1].mean[j * D + k];
                after += x[0][i * D + k] * x[1][j * D + k];
            }
            assert_close(after, before, 1e-8, 1e-9);
        }
    free(turn[0]), free(turn[1]), free(x[0]), free(x[1]);
    free_levels(ctx, &c);
    gbs_context_free(ctx);
}

static void threads_leave_the_bits(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 7};
    double *kept = NULL;
    for (size_t k = 0; k < COUNT(threads); k++) {
        gbs_context *ctx = new_context(threads[k], 1);
        struct levels_case c = make_levels(ctx, 93, 900, 400, 12000, 6, true, true);
        gbs_ascent a = {0};
        gbs_level_options o = {.most_sweeps = 4, .tolerance = 0.0, .stage = ""};
        assert_int_equal(gbs_compute_begin(ctx), GBS_OK);
        assert_int_equal(gbs_levels_ascend(&c.f, &o, &a), GBS_OK);
        gbs_compute_end(ctx);
        if (kept == NULL) {
            kept = doubles(900 * 7);
            memcpy(kept, c.f.side[0].mean, 900 * 7 * sizeof *kept);
        }
        assert_true(same_bits(kept, c.f.side[0].mean, 900 * 7));
        free_levels(ctx, &c);
        gbs_context_free(ctx);
    }
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_energy_is_its_definition_and_never_rises),
        cmocka_unit_test(free_energy_never_rises_in_long_runs),
        cmocka_unit_test(updates_are_stationary_points),
        cmocka_unit_test(relaxed_steps_fall),
        cmocka_unit_test(rows_are_the_integrals),
        cmocka_unit_test(single_precision_changes_little),
        cmocka_unit_test(axes_keep_predictions),
        cmocka_unit_test(threads_leave_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
