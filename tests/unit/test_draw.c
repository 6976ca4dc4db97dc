/* One classifier drawn at random: how often it errs on a row (docs/maths.md, 11.12), and the line
 * of the card that is made of it, against draws of classifiers and their labels.
 *
 * A mean of M draws is compared within 6 of its standard errors, at most 1/(2 sqrt M): a comparison
 * alarms falsely with probability below 2e-9, all of them together below 1e-6.
 */
#include "rows_support.h"

#include "judge/many.h"
#include "model/model.h"

enum { MOST_K = 8, N = 240, D = 3 };

/* ---------------------------------------------------------------- heights of a row */

static gbs_many *heights(gbs_context *ctx, size_t classes, gbs_scheme scheme) {
    gbs_many *m;
    assert_ok(ctx, gbs_many_create(ctx, classes, scheme, &m));
    for (size_t k = 0; k < classes; k++) {
        m->learned[k] = true;
        m->slope[k * (classes + 1)] = 1.0;
    }
    return m;
}

/* The share of M draws in which another class has the largest height. */
static double by_draws(struct dice *r, const gbs_many *m, const double *score, const double *sd,
                       size_t class, size_t draws) {
    size_t wrong = 0;
    for (size_t t = 0; t < draws; t++) {
        double most = -INFINITY;
        size_t label = 0;
        for (size_t k = 0; k < m->classes; k++) {
            double z = m->offset[k] +
                       m->slope[k * (m->classes + 1)] * (score[k] + sd[k] * dice_normal(r));
            if (m->learned[k] && z > most) {
                most = z;
                label = k;
            }
        }
        wrong += label != class;
    }
    return (double)wrong / (double)draws;
}

static void the_chance_of_a_row_is_that_of_its_draws(void **state) {
    (void)state;
    static const double widest[] = {1.0, 1.0, 30.0, 3e3}; /* the last: beyond the nodes */
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {11};
    size_t draws = repeats(200000, 5000);
    for (size_t world = 0; world < 24; world++) {
        size_t k = 2 + world % (MOST_K - 1);
        gbs_many *m = heights(ctx, k, world % 2 == 0 ? GBS_SCHEME_SOFTMAX : GBS_SCHEME_REST);
        double score[MOST_K], sd[MOST_K], wide = widest[world % COUNT(widest)];
        for (size_t c = 0; c < k; c++) {
            score[c] = 1.5 * dice_normal(&r);
            sd[c] = exp(dice_normal(&r) - 0.5 * log(wide)) * (c % 2 == 0 ? wide : 1.0);
            m->offset[c] = dice_normal(&r);
            m->slope[c * (k + 1)] = dice_between(&r, 0.5, 2.0);
        }
        if (world % 5 == 4)
            sd[k - 1] = 0.0;
        if (world % 7 == 6 && k > 2)
            m->learned[1] = false;
        assert_true(gbs_many_draws_known(m));
        for (size_t c = 0; c < k; c++) {
            double p = gbs_many_draw_wrong(m, score, sd, c);
            if (!m->learned[c])
                assert_true(p == 1.0);
            else
                assert_close(p, by_draws(&r, m, score, sd, c, draws), 0.0,
                             3.0 / sqrt((double)draws));
        }
        assert_true(gbs_many_draw_wrong(m, score, sd, k) == 1.0); /* a class that nobody met */
        gbs_many_free(ctx, m);
    }
    gbs_context_free(ctx);
}

/* What has another form: two classes, many that are alike, none that spreads. */
static void the_chance_of_a_row_is_exact(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {12};
    for (size_t k = 2; k <= MOST_K; k++) {
        gbs_many *m = heights(ctx, k, GBS_SCHEME_SOFTMAX);
        double score[MOST_K], sd[MOST_K], sum = 0.0;
        for (size_t c = 0; c < k; c++) {
            score[c] = 0.7;
            sd[c] = 0.4;
        }
        assert_close(gbs_many_draw_wrong(m, score, sd, k - 1), 1.0 - 1.0 / (double)k, 0.0, 3e-12);
        for (size_t c = 0; c < k; c++) {
            score[c] = dice_normal(&r);
            sd[c] = dice_between(&r, 0.01, 2.0);
        }
        for (size_t c = 0; c < k; c++)
            sum += 1.0 - gbs_many_draw_wrong(m, score, sd, c);
        assert_close(sum, 1.0, 0.0, 1e-11); /* some class is said */
        for (size_t c = 0; c < k; c++)
            sd[c] = 0.0;
        score[0] = score[k - 1] = 9.0; /* of several the first */
        assert_true(gbs_many_draw_wrong(m, score, sd, 0) < 1e-11);
        assert_true(gbs_many_draw_wrong(m, score, sd, k - 1) == 1.0);
        gbs_many_free(ctx, m);
    }
    gbs_many *two = heights(ctx, 2, GBS_SCHEME_REST);
    for (size_t i = 0; i < 400; i++) {
        double score[2] = {dice_normal(&r), dice_normal(&r)},
               sd[2] = {exp(2.0 * dice_normal(&r)), exp(2.0 * dice_normal(&r))},
               z = (score[1] - score[0]) / hypot(sd[0], sd[1]),
               p = gbs_many_draw_wrong(two, score, sd, 0);
        bool steep = sd[0] > 190.0 * sd[1];
        assert_close(p, 0.5 * erfc(-z / sqrt(2.0)), 0.0, steep ? 2e-3 : 3e-12);
        assert_true(p >= 0.5 * erfc(-z / sqrt(2.0)) - 1e-15);
    }
    gbs_many_free(ctx, two);
    gbs_context_free(ctx);
}

static void heights_that_share_posteriors_have_no_form(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    double drawn[3] = {0.1, 0.9, 0.3};
    gbs_many *m = heights(ctx, 3, GBS_SCHEME_REST);
    m->slope[1] = 0.1; /* the score of one class speaks for another */
    assert_false(gbs_many_draws_known(m));
    assert_true(gbs_many_draw_wrong(m, drawn, drawn, 1) == 0.0);
    assert_true(gbs_many_draw_wrong(m, drawn, drawn, 0) == 1.0);
    gbs_many_free(ctx, m);
    m = heights(ctx, 3, GBS_SCHEME_PAIRS);
    m->card.parts = 3;
    assert_false(gbs_many_draws_known(m));
    m->card.parts = 1;
    assert_true(gbs_many_draws_known(m));
    gbs_many_free(ctx, m);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- the line of the card */

struct sample {
    double x[N * D], y[N];
    uint32_t class_of[N];
    uint64_t group[N];
};

static struct sample draw_sample(uint64_t seed) {
    struct sample s;
    struct dice r = {seed};
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++)
            s.x[i * D + k] = dice_normal(&r);
        double *x = s.x + i * D, noise[2] = {1.2 * dice_normal(&r), 0.8 * dice_normal(&r)};
        s.y[i] = x[0] + 0.5 * x[1] + noise[0] > 0.0 ? 1.0 : -1.0;
        s.class_of[i] = x[0] + noise[1] > 0.5 ? 2 : x[1] + noise[0] > 0.0;
        s.group[i] = i / 3;
    }
    return s;
}

static const gbs_certificate *line_of_draws(const gbs_model *model) {
    const gbs_certificate *found = NULL;
    for (size_t k = 0; k < gbs_model_certificates(model); k++)
        if (gbs_model_certificate(model, k)->target == GBS_TARGET_GIBBS)
            found = gbs_model_certificate(model, k);
    assert_non_null(found);
    return found;
}

/* Scores of rows by one theta drawn from the posterior of a model. */
static void draw_scores(gbs_context *ctx, struct dice *r, const gbs_model *m, const gbs_rows *rows,
                        double *score) {
    const gbs_gaussian *g = &m->stages[0].posterior;
    double theta[64], z[64];
    gbs_held *held;
    assert_true(g->d <= COUNT(theta) && m->stages[0].dual.rank == 0);
    for (size_t k = 0; k < g->d; k++)
        z[k] = dice_normal(r);
    for (size_t k = 0; k < g->d; k++) {
        theta[k] = g->mean[k];
        if (g->factor == NULL)
            theta[k] += g->sd[g->family == GBS_FAMILY_DIAGONAL ? k : 0] * z[k];
        for (size_t l = k; g->factor != NULL && l < g->d; l++)
            theta[k] += g->factor[k * g->d + l] * z[l];
    }
    assert_ok(ctx, gbs_hold(ctx, rows, &held));
    held->pass->scores(held, 0, rows->all.n, theta, score);
    gbs_held_free(held);
}

/* The rows that tested, as the model's maps make them. */
static gbs_rows tested_rows(gbs_context *ctx, const gbs_data *data, const gbs_model *m,
                            const size_t *at, size_t n, gbs_data **view) {
    gbs_rows rows;
    assert_ok(ctx, gbs_data_view(ctx, data, at, n, view));
    assert_ok(ctx, gbs_rows_build(ctx, *view, &m->maps, &rows));
    return rows;
}

/* How often thetas drawn from the posterior err: the mean over rows, or over groups of them. */
static void check_two(gbs_family family, gbs_loss loss, gbs_features features, bool grouped) {
    gbs_context *ctx = new_context(1, 7);
    struct sample s = draw_sample(21 + (uint64_t)family);
    struct dice r = {31};
    size_t at[N], first, draws = repeats(4000, 200);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.family = family;
    o.loss = loss;
    o.features = features;
    o.features_size = features == GBS_FEATURES_LINEAR ? 0 : 16;
    gbs_data *data, *view;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, s.x, D, s.y, GBS_BORROW, &data));
    if (grouped)
        assert_ok(ctx, gbs_data_set_groups(ctx, data, s.group));
    gbs_model *model = fit(ctx, data, &o);
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, at, &first));
    const gbs_certificate *line = line_of_draws(model);
    size_t learned = gbs_model_card(model)->learned, n = N - learned, groups = 0;
    gbs_rows rows = tested_rows(ctx, data, model, at + learned, n, &view);
    double score[N], weight[N], sum = 0.0, squares = 0.0;
    size_t rows_of[N] = {0};
    for (size_t i = 0; i < n; i++)
        groups += rows_of[s.group[at[learned + i]]]++ == 0;
    for (size_t i = 0; i < n; i++)
        weight[i] = grouped ? 1.0 / (double)(groups * rows_of[s.group[at[learned + i]]])
                            : 1.0 / (double)n;
    for (size_t t = 0; t < draws; t++) {
        double wrong = 0.0;
        draw_scores(ctx, &r, model, &rows, score);
        for (size_t i = 0; i < n; i++)
            wrong += weight[i] * (score[i] * view->y[i] < 0.0);
        sum += wrong / (double)draws;
        squares += wrong * wrong / (double)draws;
    }
    double se = sqrt((squares - sum * sum) / (double)(draws - 1));
    assert_close(line->empirical, sum, 0.0, 6.0 * se + 1e-12);
    assert_int_equal(line->method, GBS_BOUND_BETTING);
    assert_int_equal(line->blocks, grouped ? groups : n);
    assert_int_equal(line->risk, GBS_RISK_ERROR);
    assert_true(line->valid && (line->assumptions & GBS_ASSUMES_DRAWS) == 0);
    assert_true(line->value > line->empirical && line->value <= 1.0);
    gbs_rows_free(ctx, &rows);
    gbs_data_free(view);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

static void the_line_of_two_classes_is_that_of_drawn_thetas(void **state) {
    (void)state;
    static const gbs_family families[] = {GBS_FAMILY_FULL, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_ISOTROPIC, GBS_FAMILY_FIXED};
    for (size_t k = 0; k < COUNT(families); k++)
        check_two(families[k], GBS_LOSS_AUTO, GBS_FEATURES_LINEAR, false);
    check_two(GBS_FAMILY_FULL, GBS_LOSS_PROBIT, GBS_FEATURES_LINEAR, true);
    check_two(GBS_FAMILY_FULL, GBS_LOSS_ZERO_ONE, GBS_FEATURES_LINEAR, false);
    check_two(GBS_FAMILY_FULL, GBS_LOSS_PROBIT, GBS_FEATURES_FOURIER, false);
    check_two(GBS_FAMILY_FULL, GBS_LOSS_PROBIT, GBS_FEATURES_NYSTROM, true);
}

/* Of three classes fitted together, one theta a class. */
static void the_line_of_three_classes_is_that_of_drawn_thetas(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 9);
    struct sample s = draw_sample(41);
    struct dice r = {51};
    size_t at[N], first, draws = repeats(4000, 200), known = 0;
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_data *data, *view;
    assert_ok(ctx, gbs_data_dense(ctx, N, D, s.x, D, NULL, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_classes(ctx, data, N, s.class_of, 3));
    gbs_model *model = fit(ctx, data, &o);
    const gbs_many *m = model->many;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &o, at, &first));
    assert_int_equal(m->scheme, GBS_SCHEME_SOFTMAX);
    assert_true(gbs_many_draws_known(m));
    const gbs_certificate *line = line_of_draws(model);
    size_t learned = m->card.learned, n = N - learned;
    gbs_rows rows = tested_rows(ctx, data, m->part[0], at + learned, n, &view);
    double score[3][N], sum = 0.0, squares = 0.0;
    for (size_t t = 0; t < draws; t++) {
        size_t wrong = 0;
        for (size_t k = 0; k < 3; k++)
            draw_scores(ctx, &r, m->part[k], &rows, score[k]);
        for (size_t i = 0; i < n; i++) {
            size_t label = score[1][i] > score[0][i];
            label = score[2][i] > score[label][i] ? 2 : label;
            wrong += (double)label != view->y[i];
        }
        double share = (double)wrong / (double)n;
        sum += share / (double)draws;
        squares += share * share / (double)draws;
        known += wrong > 0;
    }
    assert_true(known > 0);
    double se = sqrt((squares - sum * sum) / (double)(draws - 1));
    assert_close(line->empirical, sum, 0.0, 6.0 * se + 1e-11);
    assert_int_equal(line->method, GBS_BOUND_BETTING);
    assert_int_equal(line->blocks, n);
    assert_true(line->valid && (line->assumptions & GBS_ASSUMES_DRAWS) == 0);
    assert_true(line->value > line->empirical && line->value <= 1.0);
    gbs_rows_free(ctx, &rows);
    gbs_data_free(view);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chance_of_a_row_is_that_of_its_draws),
        cmocka_unit_test(the_chance_of_a_row_is_exact),
        cmocka_unit_test(heights_that_share_posteriors_have_no_form),
        cmocka_unit_test(the_line_of_two_classes_is_that_of_drawn_thetas),
        cmocka_unit_test(the_line_of_three_classes_is_that_of_drawn_thetas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
