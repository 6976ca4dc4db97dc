/* How much room the prior gives to each column: relevance, the intercept's constant, and what may
 * know of the labels. */
#include "map/map.h"
#include "model/model.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

#include <unistd.h>

/* n rows of d columns; the labels follow the first three, the others are noise. */
static struct table_of_numbers few_relevant(struct dice *r, size_t n, size_t d) {
    struct table_of_numbers t = make_table(r, n, d, 0.6, 0.0);
    for (size_t i = 0; i < n; i++) {
        const double *x = t.x + i * d;
        t.y[i] = x[0] - x[1] + x[2] + 0.3 * dice_normal(r) > 0.8 ? 1.0 : -1.0;
    }
    return t;
}

/* ---------------------------------------------------------------- constants */

/* The definition, column by column, in long double. */
static long double slow_correlation(const struct table_of_numbers *t, size_t k) {
    long double n = (long double)t->n, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < t->n; i++) {
        sx += t->x[i * t->d + k] / n;
        sy += t->y[i] / n;
    }
    for (size_t i = 0; i < t->n; i++) {
        long double x = t->x[i * t->d + k] - sx, y = t->y[i] - sy;
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    return xx > 0 && yy > 0 ? xy / sqrtl(xx * yy) : 0;
}

static void stretches_follow_the_correlation(void **state) {
    (void)state;
    enum { N = 300, D = 7 };
    struct dice r = {1};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = few_relevant(&r, N, D);
    long double c2[D], mean = 0;
    for (size_t i = 0; i < N; i++)
        t.x[i * D + 6] = 3.0; /* a constant column says nothing */
    make_csr(&t);
    for (size_t k = 0; k < D; k++) {
        long double rho = slow_correlation(&t, k);
        c2[k] = fmaxl(rho * rho, 1.0L / N);
        mean += c2[k] / D;
    }
    gbs_data *both[] = {dense_data(ctx, &t), sparse_data(ctx, &t)};
    for (size_t j = 0; j < 2; j++) {
        gbs_fit_settings wanted = {.scale = GBS_SCALE_STANDARD, .constant = 1.0};
        gbs_maps plain, s;
        assert_ok(ctx, gbs_maps_learn(ctx, both[j], &wanted, &plain));
        wanted.columns = GBS_COLUMNS_RELEVANCE;
        assert_ok(ctx, gbs_maps_learn(ctx, both[j], &wanted, &s));
        const gbs_standard *a = gbs_maps_standard(&plain), *b = gbs_maps_standard(&s);
        assert_null(a->stretch);
        for (size_t k = 0; k < D; k++) {
            assert_close(b->stretch[k], (double)sqrtl(c2[k] / mean), 1e-12, 0.0);
            assert_close(b->scale[k] * b->stretch[k], a->scale[k], 1e-14, 0.0);
            assert_true(b->center[k] == a->center[k]);
        }
        gbs_maps_free(ctx, &s);
        gbs_maps_free(ctx, &plain);
        gbs_data_free(both[j]);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- the model */

/* Coefficients are those of standardised columns and of a column of ones, whatever the columns were
 * when theta met them. */
static void check_scores(gbs_context *ctx, const struct table_of_numbers *t, const gbs_data *data,
                         const gbs_model *model) {
    size_t n = t->n, d = t->d;
    double *mean = doubles(d + 1), *sd = doubles(d + 1), *score = doubles(n);
    gbs_fit_settings wanted = {.scale = GBS_SCALE_STANDARD, .constant = 1.0};
    gbs_maps s;
    assert_ok(ctx, gbs_maps_learn(ctx, data, &wanted, &s));
    assert_ok(ctx, gbs_model_coefficients(ctx, model, mean, sd));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, score, NULL, NULL));
    for (size_t i = 0; i < n; i++) {
        double sum = mean[d];
        for (size_t k = 0; k < d; k++)
            sum += mean[k] * (t->x[i * d + k] - gbs_maps_standard(&s)->center[k]) /
                   gbs_maps_standard(&s)->scale[k];
        assert_close(score[i], sum, 1e-10, 1e-10);
    }
    gbs_maps_free(ctx, &s);
    free(mean);
    free(sd);
    free(score);
}

static void a_model_of_relevant_columns_is_kept_and_read_again(void **state) {
    (void)state;
    struct dice r = {2};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = few_relevant(&r, 120, 9);
    gbs_data *both[] = {dense_data(ctx, &t), sparse_data(ctx, &t)};
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.columns = GBS_COLUMNS_RELEVANCE;
    o.constant = 4.0;
    for (size_t j = 0; j < 2; j++) {
        char path[] = "columns_XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        gbs_model *again, *model = fit(ctx, both[j], &o);
        assert_ok(ctx, gbs_model_save(ctx, model, path));
        assert_ok(ctx, gbs_model_load(ctx, path, &again));
        unlink(path);
        check_scores(ctx, &t, both[j], model);
        check_scores(ctx, &t, both[j], again);
        assert_int_equal(info_of(again).columns, GBS_COLUMNS_RELEVANCE);
        assert_true(same_bits(gbs_maps_standard(&model->maps)->scale,
                              gbs_maps_standard(&again->maps)->scale, t.d));
        assert_true(same_bits(gbs_maps_standard(&model->maps)->stretch,
                              gbs_maps_standard(&again->maps)->stretch, t.d));
        assert_true(gbs_maps_constant(&again->maps) == 4.0);
        gbs_model_free(model);
        gbs_model_free(again);
        gbs_data_free(both[j]);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* A wide prior for the intercept is a prior N(0, (c sd)^2) for the coefficient of ones: the fit on
 * hand-made columns is the same. */
static void the_constant_widens_the_prior_of_the_intercept(void **state) {
    (void)state;
    enum { N = 90, D = 3 };
    struct dice r = {3};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = few_relevant(&r, N, D);
    double *wide = doubles(N * (D + 1));
    for (size_t i = 0; i < N; i++) {
        memcpy(wide + i * (D + 1), t.x + i * D, D * sizeof *wide);
        wide[i * (D + 1) + D] = 4.0;
    }
    gbs_data *data = dense_data(ctx, &t), *by_hand;
    assert_ok(ctx, gbs_data_dense(ctx, N, D + 1, wide, D + 1, t.y, GBS_BORROW, &by_hand));
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.scale = GBS_SCALE_NONE;
    o.constant = 4.0;
    double a = fit_info(ctx, data, &o).free_energy;
    o.constant = 1.0;
    double b = fit_info(ctx, data, &o).free_energy;
    o.intercept = 0;
    double c = fit_info(ctx, by_hand, &o).free_energy;
    assert_close(a, c, 1e-7, 0.0);
    assert_true(fabs(a - b) > 1e-3);
    gbs_data_free(data);
    gbs_data_free(by_hand);
    free(wide);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- certificates */

static bool first_is_valid(const gbs_model *model) {
    size_t count;
    const gbs_certificate *c = certificates_of(model, &count);
    assert_true(count > 0);
    return c[0].valid != 0;
}

static void relevance_seen_on_certified_rows_is_conditional(void **state) {
    (void)state;
    struct dice r = {4};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = few_relevant(&r, 200, 5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings zero = zero_prior_options(), informed = gbs_fit_settings_default();
    zero.columns = informed.columns = GBS_COLUMNS_RELEVANCE;
    gbs_model *a = fit(ctx, data, &zero), *b = fit(ctx, data, &informed);
    assert_false(first_is_valid(a));
    assert_true(first_is_valid(b));
    gbs_model_free(a);
    gbs_model_free(b);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Labels and cells of the rows after the first part are changed: what was chosen and learned before
 * them stays, to the bit. */
static void the_choice_knows_the_first_part_alone(void **state) {
    (void)state;
    enum { N = 240, D = 12 };
    struct dice r = {5};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = few_relevant(&r, N, D);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.prior_split = 0.5;
    size_t order[N], first;
    gbs_data *data = dense_data(ctx, &t);
    gbs_hash hash = gbs_data_hash(data);
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, order, &first));
    gbs_model *a = fit(ctx, data, &o);
    gbs_data_free(data);
    for (size_t i = first; i < N; i++) {
        t.y[order[i]] = dice_uniform(&r) < 0.5 ? 1.0 : -1.0;
        for (size_t k = 0; k < D; k++)
            t.x[order[i] * D + k] = 2.0 * dice_normal(&r);
    }
    data = dense_data(ctx, &t);
    data->hashed = true; /* the same order */
    data->summary.hash = hash;
    gbs_model *b = fit(ctx, data, &o);
    gbs_data_free(data);
    /* else there would be little to compare */
    assert_int_equal(info_of(a).columns, GBS_COLUMNS_RELEVANCE);
    assert_int_equal(info_of(b).columns, GBS_COLUMNS_RELEVANCE);
    assert_true(
        same_bits(gbs_maps_standard(&a->maps)->scale, gbs_maps_standard(&b->maps)->scale, D));
    assert_true(
        same_bits(gbs_maps_standard(&a->maps)->stretch, gbs_maps_standard(&b->maps)->stretch, D));
    assert_true(same_bits(a->stages[0].posterior.mean, b->stages[0].posterior.mean, D + 1));
    gbs_model_free(a);
    gbs_model_free(b);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Three columns of sixty matter. Means over ten tables; equal columns were higher by 0.05 and more
 * when this was written. */
static void relevance_pays_where_few_columns_matter(void **state) {
    (void)state;
    size_t tables = repeats(10, 1);
    struct dice r = {6};
    double sum[2] = {0.0, 0.0};
    size_t chosen = 0;
    for (uint64_t j = 0; j < tables; j++) {
        gbs_context *ctx = new_context(0, j);
        struct table_of_numbers t = few_relevant(&r, 300, 60);
        gbs_data *data = dense_data(ctx, &t);
        for (size_t k = 0; k < 2; k++) {
            size_t count;
            gbs_fit_settings o = gbs_fit_settings_default();
            o.columns = k == 0 ? GBS_COLUMNS_AUTO : GBS_COLUMNS_EQUAL;
            gbs_model *model = fit(ctx, data, &o);
            sum[k] += certificates_of(model, &count)[0].value / (double)tables;
            chosen += info_of(model).columns == GBS_COLUMNS_RELEVANCE;
            gbs_model_free(model);
        }
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
    print_message("mean certificate: auto %.4f, equal %.4f; relevance chosen %zu of %zu times\n",
                  sum[0], sum[1], chosen, tables);
    if (!short_form()) /* one table says too little */
        assert_at_most(sum[0], sum[1] - 0.03);
    assert_true(chosen >= tables - 1);
}

/* ---------------------------------------------------------------- what is refused */

static void wishes_that_contradict_each_other_are_refused(void **state) {
    (void)state;
    struct dice r = {7};
    gbs_context *ctx = new_context(1, 1);
    struct table_of_numbers t = few_relevant(&r, 40, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings wrong[6];
    for (size_t k = 0; k < COUNT(wrong); k++)
        wrong[k] = gbs_fit_settings_default();
    wrong[0].columns = GBS_COLUMNS_RELEVANCE;
    wrong[0].scale = GBS_SCALE_UNIT_ROW;
    wrong[1].columns = GBS_COLUMNS_RELEVANCE;
    wrong[1].scale = GBS_SCALE_NONE;
    wrong[2].columns = GBS_COLUMNS_RELEVANCE;
    wrong[2].cx = 2.0;
    wrong[3].constant = 3.0;
    wrong[3].scale = GBS_SCALE_UNIT_ROW;
    wrong[4].constant = NAN;
    wrong[5].columns = (gbs_columns)7;
    for (size_t k = 0; k < COUNT(wrong); k++) {
        gbs_model *model;
        assert_int_equal(gbs_fit_run(ctx, data, &wrong[k], &model), GBS_ERR_ARGUMENT);
        assert_null(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretches_follow_the_correlation),
        cmocka_unit_test(a_model_of_relevant_columns_is_kept_and_read_again),
        cmocka_unit_test(the_constant_widens_the_prior_of_the_intercept),
        cmocka_unit_test(relevance_seen_on_certified_rows_is_conditional),
        cmocka_unit_test(the_choice_knows_the_first_part_alone),
        cmocka_unit_test(relevance_pays_where_few_columns_matter),
        cmocka_unit_test(wishes_that_contradict_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
