/* Model texts, whole and damaged, and what models say of rows. Every call goes through an allocator
 * that counts. */
#include "judge/judge.h"
#include "unit/host.h"
#include "unit/scratch.h"

#include <unistd.h>

/* ---------------------------------------------------------------- model texts */

/* Predictions of a model and of its text read back are the same bits, and so is its info. */
static void check_round_trip(gbs_context *ctx, const gbs_model *model, const gbs_data *data) {
    size_t n = gbs_data_rows(data), size = 0;
    double *v = doubles(6 * n);
    char *text;
    gbs_model *again;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, v, v + n, v + 2 * n));
    assert_ok(ctx, gbs_model_predict(ctx, again, data, v + 3 * n, v + 4 * n, v + 5 * n));
    assert_true(same_bits(v, v + 3 * n, 3 * n));
    gbs_model_info a = info_of(model), b = info_of(again);
    assert_true(same_bits(&a.free_energy, &b.free_energy, 1) && same_bits(&a.kl, &b.kl, 1));
    assert_true(a.n == b.n && a.d == b.d && a.dual == b.dual && a.loss == b.loss &&
                a.family == b.family && a.scale == b.scale);
    assert_true(isnan(a.optimality_gap) ? isnan(b.optimality_gap)
                                        : a.optimality_gap == b.optimality_gap);
    assert_int_equal(gbs_model_path_size(again), gbs_model_path_size(model));
    size_t restarts[2];
    const double *energies[2] = {gbs_model_restarts(model, &restarts[0]),
                                 gbs_model_restarts(again, &restarts[1])};
    assert_int_equal(restarts[0], restarts[1]);
    assert_true(restarts[0] == 0 || same_bits(energies[0], energies[1], restarts[0]));
    char *second;
    assert_ok(ctx, gbs_model_to_json(ctx, again, &second, NULL));
    assert_string_equal(text, second);
    gbs_release(ctx, second);
    gbs_release(ctx, text);
    gbs_model_free(again);
    free(v);
}

static void a_model_read_back_predicts_the_same_bits(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(13, 18, 5);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 3 * KINDS; k++) {
        gbs_fit_settings o = one_of_each(k);
        o.scale = (gbs_scale)(k / KINDS);
        o.intercept = k % 2;
        gbs_model *model = fit(ctx, data, &o);
        check_round_trip(ctx, model, data);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* 30 x 79,980 cells, each column in one row: large enough to stay sparse in the model too. */
static struct table_of_numbers wide_sparse_table(void) {
    enum { ROWS = 30, EACH = 2666, COLUMNS = ROWS * EACH };
    struct table_of_numbers t = {.n = ROWS, .d = COLUMNS, .y = doubles(ROWS)};
    struct dice r = {14};
    t.start = take(ROWS + 1, sizeof *t.start);
    t.column = take(COLUMNS, sizeof *t.column);
    t.value = doubles(COLUMNS);
    for (size_t i = 0; i < ROWS; i++) {
        t.y[i] = i % 2 == 0 ? 1.0 : -1.0;
        t.start[i + 1] = EACH * (i + 1);
        for (size_t k = 0; k < EACH; k++) {
            t.column[EACH * i + k] = (uint32_t)(k * ROWS + i);
            t.value[EACH * i + k] = dice_normal(&r);
        }
    }
    return t;
}

/* A text of which no version can be told stays one when it is written again. */
static void an_unknown_version_stays_unknown(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(13, 18, 5);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = one_of_each(0);
    gbs_model *model = fit(ctx, data, &o), *again;
    char *text;
    size_t size;
    assert_non_null(gbs_model_origin(model)->version);
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    char *origin = strstr(text, "\"origin\":{\"version\":\"");
    assert_non_null(origin);
    origin[strlen("\"origin\":{\"version\":\"")] = '>';
    assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
    assert_null(gbs_model_origin(again)->version);
    assert_int_equal(gbs_model_origin(again)->seed, gbs_model_origin(model)->seed);
    check_round_trip(ctx, again, data);
    gbs_release(ctx, text);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void a_sparse_dual_model_read_back_predicts_the_same_bits(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = wide_sparse_table();
    gbs_data *data = sparse_data(ctx, &t);
    for (int scale = 0; scale < 2; scale++) {
        gbs_fit_settings o = zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.family = GBS_FAMILY_FULL;
        o.scale = scale == 0 ? GBS_SCALE_NONE : GBS_SCALE_STANDARD;
        gbs_model *model = fit(ctx, data, &o);
        assert_true(info_of(model).dual);
        assert_null(model->stages[0].dual.kept.dense);
        check_round_trip(ctx, model, data);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static char *text_of_kind(gbs_context *ctx, int k, size_t *size) {
    struct table_of_numbers t = small_table(15, 12, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings o = one_of_each(k);
    gbs_model *model = fit(ctx, data, &o);
    char *text;
    assert_ok(ctx, gbs_model_set_recipe(ctx, model, "{\"a\":[1,\"b\"]}"));
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, size));
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    return text;
}

static void a_cut_off_text_is_refused(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    for (int k = 0; k < KINDS; k += 3) {
        size_t size;
        char *text = text_of_kind(ctx, k, &size);
        long before = h.blocks;
        gbs_model *model;
        /* the last byte is a newline: without it the text is still whole */
        for (size_t length = 0; length + 1 < size; length++) {
            assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_from_json(ctx, text, length, &model),
                           model);
            assert_int_equal(h.blocks, before);
        }
        gbs_release(ctx, text);
    }
    leave(&h, ctx);
}

/* Reads a text that may be damaged; if it passes for a model, uses it. */
static void use_text(struct host *h, gbs_context *ctx, const char *text, size_t size) {
    long before = h->blocks;
    gbs_model *model = (void *)1;
    gbs_status status = gbs_model_from_json(ctx, text, size, &model);
    if (status != GBS_OK) {
        assert_null(model);
        assert_true(strlen(gbs_error_message(ctx)) > 0);
    } else {
        gbs_model_info info = info_of(model);
        struct table_of_numbers t = small_table(16, 4, info.features);
        gbs_data *data = dense_data(ctx, &t);
        double *v = doubles(2 * info.d), out[3 * 4];
        gbs_evaluation e;
        gbs_model_coefficients(ctx, model, v, v + info.d);
        gbs_model_predict(ctx, model, data, out, out + 4, out + 8);
        evaluate_model(ctx, model, data, &e);
        free(v);
        gbs_data_free(data);
        free_table(&t);
    }
    gbs_model_free(model);
    assert_int_equal(h->blocks, before);
}

static void a_damaged_byte_never_crashes(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct dice r = {17};
    static const char likely[] = "0123456789-+.eE,:[]{}\" ntf\\";
    for (int k = 0; k < KINDS; k++) {
        size_t size;
        char *text = text_of_kind(ctx, k, &size);
        for (int round = 0; round < 1500; round++) {
            size_t at = dice_below(&r, size);
            char kept = text[at];
            text[at] = round % 3 == 0 ? (char)dice_bits(&r)
                                      : likely[dice_below(&r, sizeof likely - 1)];
            use_text(&h, ctx, text, size);
            text[at] = kept;
        }
        gbs_release(ctx, text);
    }
    leave(&h, ctx);
}

/* A dual model by hand; the changes below break one thing each. */
#define DUAL_MODEL(rank, lower, factor, rows)                                                      \
    "{\"gibbsite\":\"0.1.0\",\"format\":1,\"kind\":\"model\",\"task\":\"classify\",\"loss\":"      \
    "\"hinge\",\"family\":\"full\","                                                               \
    "\"solver\":\"natural\",\"n\":2,\"features\":2,\"d\":2,\"intercept\":false,\"fit\":{"          \
    "\"lambda\":2,\"prior_sd\":1,"                                                                 \
    "\"free_energy\":1,\"kl\":0.5,\"gibbs_risk\":0.25,\"gibbs_error\":0.1,\"train_error\":0,"      \
    "\"optimality_gap\":0,"                                                                        \
    "\"iterations\":1,\"converged\":true,\"seconds\":0},\"scaling\":{\"kind\":\"none\"},"          \
    "\"posterior\":{\"mean\":[1,2],"                                                               \
    "\"dual\":{"                                                                                   \
    "\"rank\":" rank ",\"lower\":" lower ",\"factor\":" factor ",\"rows\":" rows "}},\"path\":[]}"

static void dual_texts_are_checked_cell_by_cell(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    static const char good[] = DUAL_MODEL("1", "[2]", "[0.5]",
                                          "{\"start\":[0,2],\"column\":[0,1],\"value\":[2,0]}");
    static const char *const bad[] = {
        DUAL_MODEL("3", "[2,0,2,0,0,2]", "[1,0,0,1,0,1]", "{\"cells\":[1,2,3,4,5,6]}"),
        DUAL_MODEL("1", "[0]", "[0.5]", "{\"cells\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[-0.5]", "{\"cells\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"cells\":[2]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,2],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,3],\"column\":[0,1],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[1,2],\"column\":[0,1],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,-1],\"value\":[2,0]}"),
        DUAL_MODEL("1", "[2]", "[0.5]", "{\"start\":[0,2],\"column\":[0,1],\"value\":[2]}"),
        DUAL_MODEL("1", "[2]", "[0.5]",
                   "{\"start\":[0,2],\"column\":[0,1],\"value\":[2,0],\"shift\":[1]}"),
        DUAL_MODEL("-1", "[]", "[]", "{\"cells\":[]}"),
    };
    gbs_model *model;
    assert_ok(ctx, gbs_model_from_json(ctx, good, strlen(good), &model));
    gbs_model_free(model);
    use_text(&h, ctx, good, strlen(good));
    for (size_t k = 0; k < COUNT(bad); k++)
        assert_refused(ctx, GBS_ERR_FORMAT,
                       gbs_model_from_json(ctx, bad[k], strlen(bad[k]), &model), model);
    leave(&h, ctx);
}

/* No fit writes rank 0, and BLAS would complain on stderr about its strides. */
static void a_dual_text_of_rank_zero_is_refused(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    static const char text[] = DUAL_MODEL("0", "[]", "[]", "{\"cells\":[]}");
    gbs_model *model;
    assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_from_json(ctx, text, strlen(text), &model),
                   model);
    leave(&h, ctx);
}

static void models_are_saved_and_loaded_whole(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    char path[SCRATCH_ROOM + 16], missing[SCRATCH_ROOM + 48];
    assert_non_null(mkdtemp(scratch_name(path)));
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/model.json");
    snprintf(missing, sizeof missing, "%s/below", path);
    struct table_of_numbers t = small_table(18, 20, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_model *model = fit(ctx, data, NULL), *again;
    assert_ok(ctx, gbs_model_save(ctx, model, path));
    assert_ok(ctx, gbs_model_load(ctx, path, &again));
    assert_close(info_of(again).free_energy, info_of(model).free_energy, 0.0, 0.0);
    gbs_model_free(again);
    assert_int_equal(gbs_model_save(ctx, model, missing), GBS_ERR_IO);
    assert_refused(ctx, GBS_ERR_IO, gbs_model_load(ctx, missing, &again), again);
    assert_ok(ctx, gbs_write_file(ctx, path, "{}", 2));
    assert_refused(ctx, GBS_ERR_FORMAT, gbs_model_load(ctx, path, &again), again);
    unlink(path);
    path[length] = '\0';
    assert_int_equal(rmdir(path), 0); /* no temporary file was left behind */
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

/* ---------------------------------------------------------------- predictions and evaluations */

static void predictions_refuse_other_columns_and_take_null_outputs(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(19, 20, 3), other = small_table(20, 20, 4);
    gbs_data *data = dense_data(ctx, &t), *wrong = dense_data(ctx, &other), *unlabelled;
    assert_ok(ctx, gbs_data_dense(ctx, 20, 3, t.x, 3, NULL, GBS_BORROW, &unlabelled));
    gbs_model *model = fit(ctx, data, NULL);
    double score[20], sd[20], p[20], alone[20];
    gbs_evaluation e;
    assert_int_equal(gbs_model_predict(ctx, model, wrong, score, sd, p), GBS_ERR_DATA);
    assert_true(strlen(gbs_error_message(ctx)) > 0);
    assert_int_equal(evaluate_model(ctx, model, wrong, &e), GBS_ERR_DATA);
    assert_int_equal(evaluate_model(ctx, model, unlabelled, &e), GBS_ERR_DATA);
    assert_ok(ctx, gbs_model_predict(ctx, model, unlabelled, score, sd, p));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, NULL, NULL, alone));
    assert_true(same_bits(p, alone, 20));
    assert_ok(ctx, gbs_model_predict(ctx, model, data, NULL, NULL, NULL));
    for (size_t i = 0; i < 20; i++) /* of a mixture too */
        assert_close(p[i], 0.5 * erfc(-score[i] / sd[i] / sqrt(2.0)), 1e-11, 0.0);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_data_free(wrong);
    gbs_data_free(unlabelled);
    free_table(&t);
    free_table(&other);
    leave(&h, ctx);
}

static double brute_auc(size_t n, const double *y, const double *score) {
    double wins = 0.0, pairs = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] > 0.0 && y[j] < 0.0) {
                pairs += 1.0;
                wins += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
            }
    return pairs > 0.0 ? wins / pairs : NAN;
}

static void auc_counts_ties_one_half(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct dice r = {21};
    enum { MOST = 200 };
    double y[MOST], score[MOST];
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + dice_below(&r, MOST), levels = 1 + dice_below(&r, 12);
        for (size_t i = 0; i < n; i++) {
            y[i] = dice_uniform(&r) < 0.3 ? 1.0 : -1.0;
            score[i] = (double)dice_below(&r, levels) - 3.0;
        }
        double auc, expected = brute_auc(n, y, score);
        assert_ok(ctx, gbs_area(ctx, n, y, score, &auc));
        if (isnan(expected))
            assert_true(isnan(auc));
        else
            assert_close(auc, expected, 1e-14, 0.0);
    }
    leave(&h, ctx);
}

static void evaluations_count_what_predictions_say(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(22, 300, 4);
    for (size_t i = 0; i < 300; i += 3) /* equal rows with either label: tied scores */
        memcpy(t.x + 4 * i, t.x, 4 * sizeof *t.x);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        gbs_fit_settings o = zero_prior_options();
        o.loss = all_losses[l];
        o.prior_sd = 0.3;
        gbs_model *model = fit(ctx, data, &o);
        double score[300], sd[300];
        size_t counts[4] = {0};
        gbs_evaluation e;
        assert_ok(ctx, gbs_model_predict(ctx, model, data, score, sd, NULL));
        assert_ok(ctx, evaluate_model(ctx, model, data, &e));
        double risk = 0.0, error = 0.0;
        for (size_t i = 0; i < 300; i++) {
            double psi, unused[2];
            gbs_loss_smoothed(o.loss, t.y[i] * score[i], sd[i], &psi, unused, unused + 1);
            risk += psi / 300.0;
            gbs_loss_smoothed(GBS_LOSS_ZERO_ONE, t.y[i] * score[i], sd[i], &psi, unused,
                              unused + 1);
            error += psi / 300.0;
            counts[2 * (score[i] >= 0.0) + (t.y[i] > 0.0)]++;
        }
        assert_int_equal(e.n, 300);
        assert_int_equal(e.true_negative, counts[0]);
        assert_int_equal(e.false_negative, counts[1]);
        assert_int_equal(e.false_positive, counts[2]);
        assert_int_equal(e.true_positive, counts[3]);
        assert_close(e.error, (double)(counts[1] + counts[2]) / 300.0, 1e-15, 0.0);
        assert_close(e.gibbs_risk, risk, 1e-12, 0.0);
        assert_close(e.gibbs_error, error, 1e-12, 0.0);
        assert_close(e.auc, brute_auc(300, t.y, score), 1e-14, 0.0);
        gbs_model_info info = info_of(model);
        assert_close(info.gibbs_error, e.gibbs_error, 1e-13, 0.0);
        assert_close(info.train_error, e.error, 0.0, 0.0);
        assert_close(info.gibbs_risk, e.gibbs_risk, 1e-12, 0.0);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

static void a_tie_is_half_an_error(void **state) {
    (void)state;
    static const double y[] = {1.0, -1.0, 1.0, -1.0};
    double gibbs[] = {0.5, 0.5, 0.15865525393145705, 1.0}, log_right[4] = {0}, risk[4] = {0};
    gbs_judgement judged = {.gibbs = gibbs, .log_right = log_right, .risk = risk};
    gbs_evaluated e = {0};
    gbs_evaluation_add(&e, 4, y, &judged);
    gbs_evaluation_finish(&e);
    assert_close(e.told.error, (0.5 + 0.5 + 0.0 + 1.0) / 4.0, 0.0, 0.0);
    assert_close(e.told.gibbs_error, (0.5 + 0.5 + 0.15865525393145705 + 1.0) / 4.0, 1e-14, 0.0);
    assert_int_equal(e.told.true_positive, 2);
    assert_int_equal(e.told.false_positive, 2);
    assert_int_equal(e.told.errors, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_read_back_predicts_the_same_bits),
        cmocka_unit_test(an_unknown_version_stays_unknown),
        cmocka_unit_test(a_sparse_dual_model_read_back_predicts_the_same_bits),
        cmocka_unit_test(a_cut_off_text_is_refused),
        cmocka_unit_test(a_damaged_byte_never_crashes),
        cmocka_unit_test(dual_texts_are_checked_cell_by_cell),
        cmocka_unit_test(a_dual_text_of_rank_zero_is_refused),
        cmocka_unit_test(models_are_saved_and_loaded_whole),
        cmocka_unit_test(predictions_refuse_other_columns_and_take_null_outputs),
        cmocka_unit_test(auc_counts_ties_one_half),
        cmocka_unit_test(evaluations_count_what_predictions_say),
        cmocka_unit_test(a_tie_is_half_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
