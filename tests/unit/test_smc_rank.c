/* Sampling rankings: risks over pairs against brute force, traps, the gap, and what a file brings
 * back. */
#include "kernel/sort.h"
#include "smc/smc.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"
#include "unit/zero_prior.h"

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sorting_sorts(void **state) {
    (void)state;
    struct dice r = {41};
    for (size_t n = 0; n < 700; n += 1 + n / 5)
        for (size_t kinds = 1; kinds < 2000; kinds *= 7) {
            double *x = doubles(n + 1), *y = doubles(n + 1), *spare = doubles(n + 1);
            for (size_t i = 0; i < n; i++)
                x[i] = y[i] = (double)dice_below(&r, kinds) - 3.0;
            x[n] = spare[n] = 12345.0;
            gbs_sort(n, x, spare);
            qsort(y, n, sizeof *y, by_value);
            assert_true(same_bits(x, y, n) && x[n] == 12345.0 && spare[n] == 12345.0);
            free(x);
            free(y);
            free(spare);
        }
}

/* Few distinct cells, so that scores tie within and between the classes; the rows of the library
 * are moved together, which no pair sees. */
static struct design tied_design(struct dice *r, size_t n, size_t d, bool sparse) {
    struct design g = make_design(r, n, d, sparse, 0);
    for (size_t k = 0; !sparse && k < n * d; k++)
        g.cells[k] = (double)dice_below(r, 3);
    g.table.y[0] = 1.0;
    g.table.y[n - 1] = -1.0;
    return g;
}

static void check_tile(gbs_context *ctx, struct dice *r, const struct design *g, gbs_loss loss) {
    size_t d = g->rows.d, n = g->rows.all.n, size = d * GBS_LANES;
    gbs_empirical *pairs;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, &g->rows, false, gbs_loss_of(loss), &pairs));
    double *tile = gbs_doubles(ctx, size),
           *scratch = gbs_doubles(ctx, gbs_empirical_tile_room(pairs)), *theta = doubles(d);
    double risk[GBS_LANES];
    for (size_t k = 0; k < size; k++)
        tile[k] = k % GBS_LANES == 3 ? 0.0 : dice_normal(r); /* lane 3: every pair is a tie */
    gbs_empirical_tile(pairs, tile, scratch, risk);
    for (size_t l = 0; l < GBS_LANES; l++) {
        for (size_t k = 0; k < d; k++)
            theta[k] = tile[k * GBS_LANES + l];
        assert_close(risk[l], plain_pair_risk(loss, n, d, g->cells, g->table.y, theta), 1e-11,
                     1e-13);
    }
    gbs_array_free(ctx, tile);
    gbs_array_free(ctx, scratch);
    free(theta);
    gbs_empirical_free(pairs);
}

static void check_ring(gbs_context *ctx, struct dice *r, const struct design *g, gbs_loss loss) {
    enum { STATES = 4 };
    size_t d = g->rows.d, n = g->rows.all.n, size = d * GBS_LANES;
    gbs_empirical *pairs;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, &g->rows, false, gbs_loss_of(loss), &pairs));
    double *mean = doubles(d), *base = doubles(n), *theta = doubles(d),
           *scratch = gbs_doubles(ctx, gbs_empirical_tile_room(pairs));
    double *work = gbs_doubles(ctx, 4 * size + STATES * GBS_LANES);
    gbs_plane plane = {mean,           mean, work, work + size, work + 2 * size, work + 3 * size,
                       work + 4 * size};
    gbs_ring ring;
    for (size_t k = 0; k < d; k++)
        mean[k] = dice_normal(r);
    for (size_t k = 0; k < 4 * size; k++)
        work[k] = dice_normal(r);
    gbs_empirical_base(pairs, mean, base);
    gbs_ring_create(STATES, 0.7, &ring);
    gbs_ring_tile tile = {plane.centred, plane.direction, plane.risk};
    gbs_empirical_ring(pairs, &ring, base, 1, &tile, scratch);
    for (size_t j = 0; j < STATES; j++)
        for (size_t l = 0; l < GBS_LANES; l++) {
            double x = gbs_ring_cosine(&ring, j), y = gbs_ring_sine(&ring, j);
            for (size_t k = 0; k < d; k++)
                theta[k] = mean[k] + x * plane.centred[k * GBS_LANES + l] +
                           y * plane.direction[k * GBS_LANES + l];
            assert_close(plane.risk[j * GBS_LANES + l],
                         plain_pair_risk(loss, n, d, g->cells, g->table.y, theta), 1e-11, 1e-13);
        }
    gbs_array_free(ctx, work);
    gbs_array_free(ctx, scratch);
    free(mean);
    free(base);
    free(theta);
    gbs_empirical_free(pairs);
}

static void pair_risks_are_those_of_brute_force(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {42};
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t n = 2; n < 120; n += 23)
            for (size_t d = 1; d < 9; d += 3)
                for (size_t l = 0; l < COUNT(all_losses); l++) {
                    struct design g = tied_design(&r, n, d, sparse != 0);
                    check_tile(ctx, &r, &g, all_losses[l]);
                    check_ring(ctx, &r, &g, all_losses[l]);
                    free_design(&g);
                }
    gbs_context_free(ctx);
}

static gbs_sample_settings rank_options(gbs_loss loss, double lambda, size_t particles) {
    gbs_sample_settings o = gbs_sample_settings_default();
    o.task = GBS_TASK_RANK;
    o.loss = loss;
    o.lambda = lambda;
    o.particles = particles;
    return o;
}

static void one_class_is_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 2);
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[4] = {-1, -1, -1, -1};
    gbs_data *data;
    gbs_particles *p;
    gbs_sample_settings o = rank_options(GBS_LOSS_HINGE, 3.0, 50);
    assert_ok(ctx, gbs_data_dense(ctx, 4, 2, x, 2, y, GBS_BORROW, &data));
    assert_int_equal(gbs_sample_run(ctx, data, &o, &p), GBS_ERR_DATA);
    assert_null(p);
    assert_non_null(
        strstr(gbs_error_message(ctx), "only one class among 4 rows: every label is -1"));
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* All rows equal: every pair is a tie whatever theta, the risk is loss(0), log Z is exact after one
 * jump. */
static void equal_rows_are_one_jump(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 3);
    double x[12], y[6] = {1, -1, 1, 1, -1, -1};
    for (size_t k = 0; k < 12; k++)
        x[k] = 0.5 + (double)(k % 2);
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, 6, 2, x, 2, y, GBS_BORROW, &data));
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (int scaled = 0; scaled < 2; scaled++) {
            gbs_sample_settings o = rank_options(all_losses[l], 40.0, 64);
            gbs_evaluation e;
            size_t count;
            o.scale = scaled ? GBS_SCALE_STANDARD : GBS_SCALE_NONE;
            gbs_particles *p = sample(ctx, data, &o);
            gbs_sample_info info = sample_info(p);
            count = gbs_particles_path_size(p);
            assert_int_equal(count, 2);
            assert_close(info.log_z, -40.0 * plain_loss(all_losses[l], 0.0), 1e-10, 0.0);
            assert_close(info.gibbs_error, 0.5, 1e-12, 0.0);
            assert_close(info.train_error, 0.5, 1e-12, 0.0);
            assert_ok(ctx, evaluate_particles(ctx, p, data, &e));
            assert_close(e.auc, 0.5, 1e-12, 0.0);
            gbs_particles_free(p);
        }
    gbs_data_free(data);
    gbs_context_free(ctx);
}

/* One positive row among many; the default lambda counts it alone. */
static void one_positive_is_enough(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 4);
    struct dice r = {43};
    struct table_of_numbers t = make_table(&r, 40, 3, 1.0, 0.5);
    for (size_t i = 0; i < t.n; i++)
        t.y[i] = i == 17 ? 1.0 : -1.0;
    gbs_data *data = dense_data(ctx, &t);
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        gbs_sample_settings o = rank_options(all_losses[l], -1.0, 100);
        gbs_particles *p = sample(ctx, data, &o);
        gbs_sample_info info = sample_info(p);
        assert_close(info.lambda, 1.0, 0.0, 0.0);
        assert_int_equal(info.blocks, 1);
        assert_true(isfinite(info.log_z) && isfinite(info.log_z_sd) && info.bound <= 1.0);
        gbs_particles_free(p);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Evaluation, prediction and the file, each against plain loops over the particles. */
static void particles_that_rank_come_back_from_a_file(void **state) {
    (void)state;
    enum { ROWS = 60, D = 3, N = 64 };
    gbs_context *ctx = new_context(2, 5);
    struct dice r = {44};
    struct table_of_numbers t = make_table(&r, ROWS, D, 1.0, 0.5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = rank_options(GBS_LOSS_HINGE, 10.0, N);
    o.scale = GBS_SCALE_NONE;
    gbs_particles *p = sample(ctx, data, &o), *back;
    gbs_sample_info info = sample_info(p);
    const double *theta = gbs_particles_draws(p);
    double risk = 0.0, error = 0.0, score[ROWS], probability[ROWS], again[ROWS], mean[D];
    for (size_t i = 0; i < N; i++) {
        risk += plain_pair_risk(GBS_LOSS_HINGE, ROWS, D, t.x, t.y, theta + i * D) / N;
        error += plain_pair_risk(GBS_LOSS_ZERO_ONE, ROWS, D, t.x, t.y, theta + i * D) / N;
    }
    gbs_particles_moments(p, mean, NULL);
    double disorder = plain_pair_risk(GBS_LOSS_ZERO_ONE, ROWS, D, t.x, t.y, mean);
    assert_close(info.gibbs_risk, risk, 1e-10, 0.0);
    assert_close(info.gibbs_error, error, 1e-10, 0.0);
    assert_close(info.train_error, disorder, 1e-10, 1e-12);
    char *text;
    size_t size;
    assert_ok(ctx, gbs_particles_to_json(ctx, p, &text, &size));
    assert_ok(ctx, gbs_particles_from_json(ctx, text, size, &back));
    gbs_evaluation e;
    assert_ok(ctx, evaluate_particles(ctx, back, data, &e));
    assert_int_equal(e.task, GBS_TASK_RANK);
    assert_close(e.auc, 1.0 - disorder, 1e-10, 0.0);
    assert_close(e.gibbs_risk, risk, 1e-10, 0.0);
    assert_close(e.gibbs_error, error, 1e-10, 0.0);
    assert_ok(ctx, gbs_particles_predict(ctx, p, data, score, NULL, probability));
    assert_ok(ctx, gbs_particles_predict(ctx, back, data, NULL, NULL, again));
    assert_true(same_bits(probability, again, ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        double below = 0.0, negatives = 0.0;
        for (size_t j = 0; j < ROWS; j++)
            if (t.y[j] < 0.0) {
                negatives += 1.0;
                below += score[j] < score[i] ? 1.0 : score[j] == score[i] ? 0.5 : 0.0;
            }
        assert_close(score[i], plain_score(D, t.x + i * D, mean), 1e-10, 1e-12);
        assert_close(probability[i], below / negatives, 1e-10, 1e-12);
    }
    gbs_release(ctx, text);
    gbs_particles_free(p);
    gbs_particles_free(back);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* KL(model || Gibbs) of rankings is positive within error, and ordered by family; a classifier is
 * no ranking. */
static void the_gap_of_rankings(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 6);
    struct dice r = {45};
    struct table_of_numbers t = make_table(&r, 80, 4, 1.0, 0.7);
    gbs_data *data = dense_data(ctx, &t);
    static const gbs_family families[] = {GBS_FAMILY_ISOTROPIC, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_FULL};
    for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_HINGE; loss++) {
        gbs_sample_settings o = rank_options(loss, 40.0, 2000);
        gbs_particles *p = sample(ctx, data, &o);
        gbs_fit_settings f = zero_prior_options();
        gbs_gap gap;
        double before = INFINITY;
        f.loss = loss;
        f.lambda = 40.0;
        gbs_model *classifier = fit(ctx, data, &f);
        assert_int_equal(measure_gap(ctx, data, classifier, p, &gap), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "task classify"));
        gbs_model_free(classifier);
        f.task = GBS_TASK_RANK;
        for (size_t k = 0; k < COUNT(families); k++) {
            f.family = families[k];
            gbs_model *model = fit(ctx, data, &f);
            assert_ok(ctx, measure_gap(ctx, data, model, p, &gap));
            print_message("# %s %s: gap %.4f +- %.4f\n", gbs_loss_name(loss),
                          gbs_family_name(families[k]), gap.gap, gap.gap_sd);
            assert_true(gap.gap > -5.0 * gap.gap_sd && gap.gap < before + 1e-6);
            before = gap.gap;
            gbs_model_free(model);
        }
        gbs_particles_free(p);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_sorts),
        cmocka_unit_test(pair_risks_are_those_of_brute_force),
        cmocka_unit_test(one_class_is_refused),
        cmocka_unit_test(equal_rows_are_one_jump),
        cmocka_unit_test(one_positive_is_enough),
        cmocka_unit_test(particles_that_rank_come_back_from_a_file),
        cmocka_unit_test(the_gap_of_rankings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
