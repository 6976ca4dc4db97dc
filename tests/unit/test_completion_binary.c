/* The binary part of completion files: it keeps every bit, and nothing in it is trusted. */
#include "complete_support.h"
#include "file/completion_binary.h"
#include "paper_settings.h"

enum { CELLS = 40 };

static void predict_some(gbs_context *ctx, const gbs_completion *m, double *value, double *sd) {
    uint32_t row[CELLS], column[CELLS];
    for (uint32_t e = 0; e < CELLS; e++) {
        row[e] = e % 7 == 0 ? GBS_UNSEEN : e % 30;
        column[e] = e % 5 == 0 ? GBS_UNSEEN : e % 20;
    }
    assert_int_equal(gbs_completion_predict(ctx, m, CELLS, row, column, value, sd), GBS_OK);
}

/* Both models, means and draws: what comes back predicts to the bit, and is written to the same
 * bytes again. */
static void binary_files_keep_the_model(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(11, 30, 20, 2, 400, 0.4, 3.0, true);
    for (int k = 0; k < 4; k++) {
        gbs_complete_settings o = k < 2 ? hierarchical_settings() : paper_settings();
        o.rank = 3;
        o.sampler = k % 2 == 0 ? GBS_SAMPLER_VB : GBS_SAMPLER_GIBBS;
        o.draws = 6, o.burn_in = 2, o.keep = 3;
        gbs_completion *m = complete(ctx, &t, &o), *back = NULL;
        char *text = NULL, *again = NULL;
        size_t size = 0, size_again = 0;
        double value[2][CELLS], sd[2][CELLS];
        assert_int_equal(gbs_completion_print(ctx, m, true, &text, &size), GBS_OK);
        assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
        assert_int_equal(gbs_completion_get_model(back), gbs_completion_get_model(m));
        predict_some(ctx, m, value[0], sd[0]);
        predict_some(ctx, back, value[1], sd[1]);
        assert_true(same_bits(value[0], value[1], CELLS) && same_bits(sd[0], sd[1], CELLS));
        for (size_t i = 0; i < 30; i++) {
            size_t count[2];
            const uint32_t *seen[2] = {gbs_completion_seen(m, i, &count[0]),
                                       gbs_completion_seen(back, i, &count[1])};
            assert_int_equal(count[0], count[1]);
            assert_memory_equal(seen[0], seen[1], count[0] * sizeof *seen[0]);
            assert_string_equal(gbs_completion_row_id(m, i), gbs_completion_row_id(back, i));
        }
        assert_int_equal(gbs_completion_print(ctx, back, true, &again, &size_again), GBS_OK);
        assert_int_equal(size, size_again);
        assert_memory_equal(text, again, size);
        gbs_release(ctx, text);
        gbs_release(ctx, again);
        gbs_completion_free(m);
        gbs_completion_free(back);
    }
    free_truth(&t);
    gbs_context_free(ctx);
}

static void refuse(gbs_context *ctx, const char *text, size_t size, const char *why) {
    gbs_completion *m = NULL;
    char *copy = take(size + 1, 1); /* of its own size: a read beyond it is seen by a sanitizer */
    memcpy(copy, text, size);
    assert_int_equal(gbs_completion_from_json(ctx, copy, size, &m), GBS_ERR_FORMAT);
    assert_null(m);
    if (why != NULL)
        assert_non_null(strstr(gbs_error_message(ctx), why));
    free(copy);
}

/* Cut off anywhere, longer, or with a byte changed: a clear error each time. */
static void damage_is_told(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(12, 6, 5, 1, 20, 0.4, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 1;
    gbs_completion *m = complete(ctx, &t, &o);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gbs_completion_print(ctx, m, true, &text, &size), GBS_OK);
    size_t head = strlen(text);
    assert_true(head + 1 < size);
    for (size_t cut = 0; cut < size; cut++)
        refuse(ctx, text, cut,
               cut > head    ? "cut off"
               : cut == head ? "binary part is missing"
                             : NULL);
    for (size_t at = head + 1; at < size; at++) {
        text[at] ^= 64;
        refuse(ctx, text, size, "checksum");
        text[at] ^= 64;
    }
    char *longer = take(size + 1, 1);
    memcpy(longer, text, size);
    refuse(ctx, longer, size + 1, "instead of");
    free(longer);
    gbs_release(ctx, text);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* A head that lies about sizes, its checksum right. */
static void sizes_are_held_against_the_bytes(void **state) {
    (void)state;
    static const char *const lies[][2] = {{"\"n_rows\":6", "\"n_rows\":7"},
                                          {"\"n_rows\":6", "\"n_rows\":5"},
                                          {"\"n_rows\":6", "\"n_rows\":99999999"},
                                          {"\"n_columns\":5", "\"n_columns\":4"},
                                          {"\"effective_rank\":1", "\"effective_rank\":500"},
                                          {"\"row_text_bytes\":12", "\"row_text_bytes\":11"},
                                          {"\"row_text_bytes\":12", "\"row_text_bytes\":99"},
                                          {"\"binary\":", "\"bin\":"}};
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(12, 6, 5, 1, 20, 0.4, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    o.rank = 1;
    gbs_completion *m = complete(ctx, &t, &o);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gbs_completion_print(ctx, m, true, &text, &size), GBS_OK);
    for (size_t k = 0; k < COUNT(lies); k++) {
        char *lie = take(size + 64, 1), *at = strstr(text, lies[k][0]);
        assert_non_null(at);
        size_t before = (size_t)(at - text), old = strlen(lies[k][0]), new = strlen(lies[k][1]);
        memcpy(lie, text, before);
        memcpy(lie + before, lies[k][1], new);
        memcpy(lie + before + new, at + old, size - before - old);
        refuse(ctx, lie, size - old + new, NULL);
        free(lie);
    }
    gbs_release(ctx, text);
    gbs_completion_free(m);
    free_truth(&t);
    gbs_context_free(ctx);
}

/* Many numbers go to the binary part by themselves. */
static void long_models_have_a_binary_part(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct matrix_truth t = make_truth(13, 6000, 1500, 1, 21000, 0.4, 3.0, true);
    gbs_complete_settings o = hierarchical_settings();
    o.positions = GBS_POSITIONS_OFF;
    o.max_sweeps = 1;
    gbs_completion *m = complete(ctx, &t, &o), *back = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gbs_completion_to_json(ctx, m, &text, &size), GBS_OK);
    assert_true(strlen(text) < size);
    assert_int_equal(gbs_completion_from_json(ctx, text, size, &back), GBS_OK);
    gbs_release(ctx, text);
    gbs_completion_free(m);
    gbs_completion_free(back);
    free_truth(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_files_keep_the_model),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(sizes_are_held_against_the_bytes),
        cmocka_unit_test(long_models_have_a_binary_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
