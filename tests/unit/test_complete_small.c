/* The model of a small table: the hierarchical one from where the paper's ended, wins that are
 * clear, and the default beside the paper's. */
#include "complete_support.h"
#include "fit/complete_levels.h"
#include "levels_support.h"
#include "paper_settings.h"

/* Where ratings determine the factors, a fit that begins at the paper's columns and one that begins
 * at singular vectors end in one place; the first has less of a way. */
static void a_fit_begins_where_another_ended(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct levels_case c = make_levels(ctx, 11, 60, 40, 1500, 2, false, false);
    gbs_complete_settings o = hierarchical_settings();
    struct gbs_completion_run r = {.ctx = ctx, .o = &o, .all = c.ratings, .learned = c.ratings};
    struct gbs_level_candidate same = {.model = GBS_COMPLETION_HIERARCHICAL, .rank = 7};
    struct gbs_level_attempt a;
    gbs_level_options long_way = {.most_sweeps = 300, .tolerance = 1e-12, .stage = "test"};
    gbs_ascent spectral = {0}, guided = {0}, first = {0};
    gbs_factors paper;
    assert_int_equal(gbs_paper_attempt(&r, c.ratings, 6, NULL, &paper), GBS_OK);
    assert_int_equal(paper.rank, 2);
    struct gbs_place place = {2, paper.side[1].mean};
    assert_int_equal(gbs_attempt_begin(&r, c.ratings, same, &place, &a), GBS_OK);
    assert_int_equal(a.f.rank, 2);
    gbs_level_options one_sweep = {.most_sweeps = 1, .tolerance = 1e-12, .stage = "test"};
    assert_int_equal(gbs_levels_ascend(&c.f, &one_sweep, &first), GBS_OK);
    assert_int_equal(gbs_levels_ascend(&a.f, &one_sweep, &guided), GBS_OK);
    assert_true(guided.free_energy < first.free_energy);
    spectral = first;
    assert_int_equal(gbs_levels_ascend(&c.f, &long_way, &spectral), GBS_OK);
    assert_int_equal(gbs_levels_ascend(&a.f, &long_way, &guided), GBS_OK);
    assert_close(guided.free_energy, spectral.free_energy, 0.0, 0.2);
    struct gbs_missed missed;
    double error[2];
    assert_int_equal(gbs_missed_reserve(ctx, 2 * c.ratings->n, &missed), GBS_OK);
    assert_int_equal(gbs_levels_miss(&a.f, c.ratings, &missed, &error[0]), GBS_OK);
    assert_int_equal(gbs_levels_miss(&c.f, c.ratings, &missed, &error[1]), GBS_OK);
    assert_close(error[0], error[1], 0.0, 1e-3);
    gbs_missed_free(ctx, &missed);
    gbs_attempt_free(ctx, &a);
    gbs_factors_free(&paper);
    free_levels(ctx, &c);
    gbs_context_free(ctx);
}

struct falling {
    double last;
    size_t steps;
};

static void must_fall(void *user, const gbs_levels *f, const char *name) {
    struct falling *fall = user;
    double energy = gbs_levels_free_energy(f);
    (void)name;
    assert_true(energy <= fall->last + 1e-9 * fabs(fall->last));
    fall->last = energy;
    fall->steps++;
}

/* A fit to nine tenths of the ratings goes on with all of them: features are others, the free
 * energy never rises, and it ends where a fit with a start of its own does, in fewer sweeps. */
static void a_fit_goes_on_with_more_ratings(void **state) {
    (void)state;
    enum { N = 3000, SOME = 2700 };
    for (int positions = 0; positions < 2; positions++) {
        gbs_context *ctx = new_context(1, 1);
        struct levels_case c = make_levels(ctx, 11, 60, 40, N, 2, positions == 1, false),
                           all = make_levels(ctx, 11, 60, 40, N, 2, positions == 1, false);
        struct gbs_level_attempt part = {0};
        gbs_ratings *some = NULL;
        size_t pick[SOME];
        struct falling fall = {INFINITY, 0};
        gbs_ascent before = {0}, anew = {0}, on = {0};
        for (size_t e = 0; e < SOME; e++)
            pick[e] = e + e / 9;
        assert_int_equal(gbs_ratings_subset(ctx, c.ratings, SOME, pick, &some), GBS_OK);
        assert_int_equal(
            gbs_position_features(ctx, some, positions == 1, 5, part.phi, part.features), GBS_OK);
        assert_int_equal(gbs_levels_create(ctx, some, 2, part.phi, part.features, false, &part.f),
                         GBS_OK);
        assert_int_equal(gbs_levels_start(&part.f, 6), GBS_OK);
        gbs_level_options o = {.most_sweeps = 500, .tolerance = 1e-6, .stage = "test"};
        assert_int_equal(gbs_levels_ascend(&part.f, &o, &before), GBS_OK);
        assert_int_equal(gbs_levels_ascend(&c.f, &o, &anew), GBS_OK);
        assert_int_equal(gbs_levels_start_at(&all.f, &part.f), GBS_OK);
        o.step = must_fall;
        o.user = &fall;
        assert_int_equal(gbs_levels_ascend(&all.f, &o, &on), GBS_OK);
        assert_true(on.converged && fall.steps == 9 * on.sweeps);
        assert_close(on.free_energy, anew.free_energy, 0.0, 1e-4 * N);
        assert_true(on.sweeps < anew.sweeps);
        gbs_attempt_free(ctx, &part);
        gbs_ratings_free(some);
        free_levels(ctx, &c);
        free_levels(ctx, &all);
        gbs_context_free(ctx);
    }
}

/* Differences 1, 2, 3, 2: mean 2, standard error sqrt(2 / 12). */
static void wins_are_counted_in_standard_errors(void **state) {
    (void)state;
    static const double a[] = {5.0, 5.0, 5.0, 5.0}, b[] = {4.0, 3.0, 2.0, 3.0};
    double errors = 2.0 / sqrt(2.0 / 12.0);
    assert_close(gbs_left_out_mean(4, b), 3.0, 0.0, 1e-15);
    assert_true(gbs_left_out_below(4, a, b, errors - 1e-9));
    assert_false(gbs_left_out_below(4, a, b, errors + 1e-9));
    assert_false(gbs_left_out_below(4, b, a, 0.0));
    assert_true(gbs_left_out_below(1, a, b, 100.0));
    assert_false(gbs_left_out_below(4, a, a, 0.0));
}

/* On a small table the default is the paper's model unless the hierarchical one wins clearly on
 * ratings left out; one that was asked for stays. */
static void small_tables_are_no_worse(void **state) {
    (void)state;
    static const struct {
        size_t rows, columns, rank, n;
    } of[] = {{12, 9, 1, 150}, {60, 30, 3, 500}, {100, 20, 2, 900}, {100, 80, 3, 800}};
    enum { TEST = 2000 };
    gbs_context *ctx = new_context(2, 1);
    for (size_t k = 0; k < COUNT(of); k++) {
        struct matrix_truth t = make_truth(700 + k, of[k].rows, of[k].columns, of[k].rank,
                                           of[k].n + TEST, 0.5, 3.0, true);
        gbs_complete_settings o = gbs_complete_settings_default(), paper = paper_settings(),
                              asked = hierarchical_settings();
        gbs_completion *m, *h;
        struct score chosen = split_score(ctx, &t, TEST, &o, &m),
                     old = split_score(ctx, &t, TEST, &paper, NULL);
        split_score(ctx, &t, TEST, &asked, &h);
        assert_at_most(chosen.theta_rmse, 1.005 * old.theta_rmse);
        assert_int_equal(gbs_completion_get_model(h), GBS_COMPLETION_HIERARCHICAL);
        if (of[k].n < 200)
            assert_int_equal(gbs_completion_get_model(m), GBS_COMPLETION_PAPER);
        gbs_completion_free(m);
        gbs_completion_free(h);
        free_truth(&t);
    }
    gbs_context_free(ctx);
}

/* A rating alone in its row or its column is predicted without factors when it is left out: it says
 * nothing of ranks, and no rank is taken for what the parts say by chance. */
static void lone_ratings_choose_nothing(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    enum { N = 400 };
    struct matrix_truth t = make_truth(3, 30, 200, 1, N, 0.5, 3.0, true);
    gbs_ratings *r = ratings_of(ctx, &t);
    size_t crossed = 0;
    for (size_t e = 0; e < N; e++) {
        size_t row = 0, column = 0;
        for (size_t k = 0; k < N; k++) {
            row += t.row[k] == t.row[e];
            column += t.column[k] == t.column[e];
        }
        crossed += row > 1 && column > 1;
    }
    assert_true(crossed > 0 && crossed < N);
    assert_int_equal(gbs_completion_crossed(r), crossed);
    gbs_ratings_free(r);
    struct matrix_truth lone = t;
    lone.rows = lone.columns = N;
    for (uint32_t e = 0; e < N; e++) {
        lone.row[e] = lone.column[e] = e;
        lone.y[e] = 1.0 + e % 5;
    }
    r = ratings_of(ctx, &lone);
    assert_int_equal(gbs_completion_crossed(r), 0);
    gbs_ratings_free(r);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 16;
    gbs_completion *m = complete(ctx, &lone, &o);
    assert_int_equal(facts_of(m).effective_rank, 0);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* What the bar of a choice said: how many of its tenths, in order. */
struct told {
    bool tenth[11];
    double last;
    bool fell;
};

static void note_choice(const char *stage, double done, void *user) {
    struct told *told = user;
    if (strcmp(stage, "choosing the model") != 0)
        return;
    told->fell = told->fell || done < told->last;
    told->last = done;
    told->tenth[(int)(10.0 * done)] = true;
}

/* Fits of parts stop after other numbers of sweeps than they may take at most: the bar goes by the
 * parts, and does not stand where the first of them ended. */
static void the_bar_goes_by_the_fits_that_choose(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (int lone = 0; lone < 2; lone++) {
        struct levels_case c = make_levels(ctx, 11, 60, 40, lone ? 40 : 1500, 2, false, false);
        gbs_complete_settings o = hierarchical_settings();
        struct told told = {.last = 0.0};
        gbs_completion *model = NULL;
        o.choose_model = true;
        gbs_context_set_progress(ctx, note_choice, &told);
        assert_int_equal(gbs_complete_run(ctx, c.ratings, &o, &model), GBS_OK);
        gbs_context_set_progress(ctx, NULL, NULL);
        int tenths = 0;
        for (int k = 0; k <= 10; k++)
            tenths += told.tenth[k];
        assert_true(tenths >= 9);
        assert_false(told.fell);
        gbs_completion_free(model);
        free_levels(ctx, &c);
    }
    gbs_context_free(ctx);
}

/* The first fall of F is the beginning, the one that stops the end, their geometric mean half way;
 * a fall that grew, or a stop that never comes, says nothing. */
static void an_ascent_is_measured_by_logarithms(void **state) {
    (void)state;
    assert_close(gbs_ascent_reached(1e3, 1e3, 1e-3), 0.0, 0.0, 1e-15);
    assert_close(gbs_ascent_reached(1e3, 1.0, 1e-3), 0.5, 0.0, 1e-15);
    assert_close(gbs_ascent_reached(1e3, 1e-3, 1e-3), 1.0, 0.0, 1e-15);
    assert_close(gbs_ascent_reached(1e3, -1.0, 1e-3), 1.0, 0.0, 1e-15);
    const double nothing[][3] = {{1e3, 2e3, 1e-3}, {1e3, 1.0, 0.0},       {1e-4, 1e-5, 1e-3},
                                 {0.0, 1.0, 1e-3}, {1e3, INFINITY, 1e-3}, {1e3, NAN, 1e-3}};
    for (size_t k = 0; k < sizeof nothing / sizeof *nothing; k++)
        assert_true(gbs_ascent_reached(nothing[k][0], nothing[k][1], nothing[k][2]) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_begins_where_another_ended),
        cmocka_unit_test(a_fit_goes_on_with_more_ratings),
        cmocka_unit_test(wins_are_counted_in_standard_errors),
        cmocka_unit_test(small_tables_are_no_worse),
        cmocka_unit_test(lone_ratings_choose_nothing),
        cmocka_unit_test(the_bar_goes_by_the_fits_that_choose),
        cmocka_unit_test(an_ascent_is_measured_by_logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
