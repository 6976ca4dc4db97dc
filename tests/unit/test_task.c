/* The table of tasks: what every line of it promises, against plain twins; and that programs can
 * tell tasks apart by facts and words alone. */
#include "task/parts.h"
#include "task/task.h"
#include "unit/rank_support.h"

enum { N = 60, D = 3 };

static const gbs_task *at(size_t k) {
    return gbs_task_of((gbs_task_kind)k);
}

static size_t tasks(void) {
    size_t count = 0;
    while (at(count) != NULL)
        count++;
    return count;
}

static void every_line_is_whole(void **state) {
    (void)state;
    assert_int_equal(tasks(), gbs_tasks());
    for (size_t k = 0; k < tasks(); k++) {
        const gbs_task *t = at(k);
        assert_int_equal(t->kind, k);
        assert_non_null(gbs_task_name(t->kind));
        assert_ptr_equal(gbs_task_named(gbs_task_name(t->kind)), t);
        for (int w = 0; w < GBS_WORDS; w++) {
            const char *word = gbs_task_word(t, (gbs_word)w);
            assert_non_null(word);
            assert_true(w == GBS_WORD_PREFIX || word[0] != '\0');
        }
        assert_true(t->refuse && t->usual_bound && t->paper && t->first_share && t->units &&
                    t->risk && t->centre && t->count && t->judge && t->judge_particles &&
                    t->evaluate && t->evaluate_particles && t->error && t->full_columns > 0);
    }
    /* as many names as lines */
    assert_null(gbs_task_name((gbs_task_kind)tasks()));
}

static void what_is_not_there_is_answered(void **state) {
    (void)state;
    assert_null(gbs_task_of((gbs_task_kind)-1));
    assert_null(gbs_task_of((gbs_task_kind)1000));
    assert_null(gbs_task_named(NULL));
    assert_null(gbs_task_named("dance"));
    assert_int_equal(gbs_task_has(NULL, GBS_FACT_LABELS), 0);
    assert_int_equal(gbs_task_has(at(0), (gbs_fact)1000), 0);
    assert_string_equal(gbs_task_word(NULL, GBS_WORD_RISK), "");
    assert_string_equal(gbs_task_word(at(0), (gbs_word)1000), "");
    assert_null(gbs_model_task(NULL));
    assert_null(gbs_particles_task(NULL));
}

/* Facts that programs rely on. */
static void facts_and_words_tell_tasks_apart(void **state) {
    (void)state;
    const gbs_task *classify = gbs_task_named("classify"), *rank = gbs_task_named("rank");
    assert_true(gbs_task_has(classify, GBS_FACT_LABELS) && !gbs_task_has(rank, GBS_FACT_LABELS));
    assert_true(!gbs_task_has(classify, GBS_FACT_PAIRS) && gbs_task_has(rank, GBS_FACT_PAIRS));
    assert_true(gbs_task_has(classify, GBS_FACT_INTERCEPT) &&
                !gbs_task_has(rank, GBS_FACT_INTERCEPT));
    assert_true(gbs_task_has(classify, GBS_FACT_STAGES) && !gbs_task_has(rank, GBS_FACT_STAGES));
    assert_string_equal(gbs_task_word(classify, GBS_WORD_RISK), "zero-one risk");
    assert_string_equal(gbs_task_word(rank, GBS_WORD_RISK), "1 - AUC");
}

/* ---------------------------------------------------------------- the risk, against loops */

static double hinge(double z) {
    return z < 1.0 ? 1.0 - z : 0.0;
}

static double margin(const struct table_of_numbers *t, size_t i, const double *theta) {
    double sum = 0.0;
    for (size_t k = 0; k < t->d; k++)
        sum += t->x[i * t->d + k] * theta[k];
    return sum;
}

/* Mean hinge loss of a single coefficient vector: over rows, or over pairs of two labels. */
static double plain_risk(const gbs_task *task, const struct table_of_numbers *t,
                         const double *theta) {
    double sum = 0.0, terms = 0.0;
    if (!gbs_task_has(task, GBS_FACT_PAIRS)) {
        for (size_t i = 0; i < t->n; i++)
            sum += hinge(t->y[i] * margin(t, i, theta));
        return sum / (double)t->n;
    }
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++)
            if (t->y[i] > 0.0 && t->y[j] < 0.0) {
                sum += hinge(margin(t, i, theta) - margin(t, j, theta));
                terms += 1.0;
            }
    return sum / terms;
}

static void its_risk_is_the_mean_it_says(void **state) {
    (void)state;
    struct dice r = {77};
    for (size_t k = 0; k < tasks(); k++)
        for (int many = 0; many < 2; many++) {
            const gbs_task *task = at(k);
            gbs_context *ctx = new_context(1, 1);
            struct table_of_numbers t = two_clouds(&r, N, D, 0.5, 0.3);
            gbs_data *data = dense_data(ctx, &t);
            gbs_rows rows = gbs_rows_wrap(N, D, t.x, D, t.y);
            gbs_empirical *risk;
            double theta[D] = {dice_normal(&r), dice_normal(&r), dice_normal(&r)}, value;
            gbs_spread sharp = {.d = D, .mean = theta, .variance = 0.0};
            assert_ok(ctx, task->risk(ctx, &rows, many != 0, &gbs_hinge, &risk));
            assert_ok(ctx, gbs_empirical_value(risk, &gbs_hinge, &sharp, false, &value, NULL));
            assert_close(value, plain_risk(task, &t, theta), 1e-12, 0.0);
            if (many) {
                assert_ok(ctx, gbs_empirical_many(risk, 1, theta, &value));
                assert_close(value, plain_risk(task, &t, theta), 1e-12, 0.0);
            }
            /* the units of the data are those of its risk, and what a certificate counts */
            gbs_evidence e = {0};
            task->count(risk, N, &e);
            assert_int_equal(task->units(data), risk->units);
            assert_int_equal(e.n, risk->units);
            assert_int_equal(e.paired_rows, gbs_task_has(task, GBS_FACT_PAIRS) ? N : 0);
            gbs_empirical_free(risk);
            gbs_data_free(data);
            free_table(&t);
            gbs_context_free(ctx);
        }
}

/* ---------------------------------------------------------------- options */

static void defaults_are_not_refused_and_shares_are_shares(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < tasks(); k++)
        for (size_t n = 2; n < 10000000; n *= 7) {
            gbs_fit_settings o = gbs_fit_settings_default();
            o.task = (gbs_task_kind)k;
            assert_ok(ctx, at(k)->refuse(ctx, &o));
            assert_true(at(k)->first_share(n) > 0.0 && at(k)->first_share(n) < 1.0);
            assert_true(gbs_least_part(n, &o) > 0 && gbs_least_part(n, &o) < n);
            assert_true(!gbs_is_progressive(&o) || gbs_task_has(at(k), GBS_FACT_STAGES));
            at(k)->paper(&o, (double)n, 3.0);
            assert_true(o.lambda > 0.0 && o.prior_sd > 0.0);
        }
    gbs_context_free(ctx);
}

static void refuses(const char *task, const char *name, const char *value, const char *words) {
    gbs_context *ctx = new_context(1, 1);
    gbs_options *o;
    gbs_fit_settings s;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "task", task));
    assert_ok(ctx, gbs_options_set(o, name, value));
    gbs_fit_settings_from(o, &s);
    assert_int_equal(gbs_task_named(task)->refuse(ctx, &s), GBS_ERR_ARGUMENT);
    assert_non_null(strstr(gbs_error_message(ctx), words));
    /* the options say it too, in the same words */
    assert_int_equal(gbs_options_check(o), GBS_ERR_ARGUMENT);
    assert_non_null(strstr(gbs_error_message(ctx), words));
    gbs_options_free(o);
    gbs_context_free(ctx);
}

static void what_a_task_lacks_is_named(void **state) {
    (void)state;
    refuses("classify", "pairs", "100", "`pairs` needs `task` rank");
    refuses("rank", "loss", "exponential", "`task` rank has the losses");
    refuses("rank", "form", "dual", "no dual form");
    refuses("rank", "bound", "progressive", "`task` rank has the bounds");
    refuses("rank", "stratify", NULL, "`stratify` is for `task` classify");
}

/* ---------------------------------------------------------------- through a whole fit */

static void models_and_particles_know_their_task(void **state) {
    (void)state;
    struct dice r = {78};
    for (size_t k = 0; k < tasks(); k++) {
        gbs_context *ctx = new_context(1, 1);
        struct table_of_numbers t = two_clouds(&r, N, D, 1.0, 0.4);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = zero_prior_options();
        gbs_sample_settings s = gbs_sample_settings_default();
        gbs_model *model, *again;
        gbs_particles *particles;
        gbs_evaluation e;
        char *text;
        size_t size;
        o.task = s.task = (gbs_task_kind)k;
        s.particles = 64;
        assert_ok(ctx, gbs_fit_run(ctx, data, &o, &model));
        assert_ptr_equal(gbs_model_task(model), at(k));
        assert_true(gbs_task_has(at(k), GBS_FACT_INTERCEPT) == (int)(model->info.d == D + 1));
        assert_ok(ctx, evaluate_model(ctx, model, data, &e));
        assert_int_equal(e.task, k);
        assert_true(at(k)->error(&e) ==
                    (gbs_task_has(at(k), GBS_FACT_LABELS) ? e.error : 1.0 - e.auc));
        assert_close(at(k)->error(&e), model->info.train_error, 1e-12, 0.0);
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
        assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
        gbs_release(ctx, text);
        assert_ptr_equal(gbs_model_task(again), at(k));
        assert_ok(ctx, gbs_sample_run(ctx, data, &s, &particles));
        assert_ptr_equal(gbs_particles_task(particles), at(k));
        assert_ok(ctx, evaluate_particles(ctx, particles, data, &e));
        assert_int_equal(e.task, k);
        assert_close(at(k)->error(&e), particles->info.train_error, 1e-12, 0.0);
        gbs_particles_free(particles);
        gbs_model_free(again);
        gbs_model_free(model);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_line_is_whole),
        cmocka_unit_test(what_is_not_there_is_answered),
        cmocka_unit_test(facts_and_words_tell_tasks_apart),
        cmocka_unit_test(its_risk_is_the_mean_it_says),
        cmocka_unit_test(defaults_are_not_refused_and_shares_are_shares),
        cmocka_unit_test(what_a_task_lacks_is_named),
        cmocka_unit_test(models_and_particles_know_their_task),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
