/* Which device a call runs on: the context's, or the one that its options name. */
#include "unit/cuda_played.h"
#include "unit/rows_support.h"

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

/* `device` among the options is for one call; the context keeps its own. */
static void an_option_is_for_one_call(void **state) {
    (void)state;
    enum { N = 120, D = 3 };
    static const char *const wanted[] = {"cpu", "cuda"};
    struct dice r = {811};
    struct table_of_numbers t = make_table(&r, N, D, 1.0, 0.5);
    gbs_context *ctx[2] = {new_context(1, 1), played_context()};
    const gbs_device *own = ctx[1]->device;
    gbs_data *data[2];
    gbs_options *o[2];
    gbs_model *plain, *model;
    for (int j = 0; j < 2; j++) {
        assert_ok(ctx[j], gbs_data_dense(ctx[j], N, D, t.x, D, t.y, GBS_BORROW, &data[j]));
        assert_ok(ctx[j], gbs_options_create(ctx[j], "fit", &o[j]));
        assert_ok(ctx[j], gbs_options_set(o[j], "prior", "zero"));
    }
    assert_ok(ctx[0], gbs_fit(ctx[0], data[0], o[0], &plain));
    for (int k = 0; k < 2; k++) {
        size_t launched = played.launches;
        assert_ok(ctx[1], gbs_options_set(o[1], "device", wanted[k]));
        assert_ok(ctx[1], gbs_fit(ctx[1], data[1], o[1], &model));
        assert_int_equal(played.launches > launched, k == 1);
        assert_ptr_equal(ctx[1]->device, own);
        double energy = gbs_model_get_info(model)->free_energy;
        if (k == 0)
            assert_true(energy == gbs_model_get_info(plain)->free_energy);
        gbs_model_free(model);
    }
    assert_int_equal(gbs_options_set(o[0], "device", "abacus"), GBS_ERR_ARGUMENT);
    assert_ok(ctx[0], gbs_options_set(o[0], "device", "cuda"));
    char text[300];
    if (gbs_device_describe(ctx[0], "cuda", text, sizeof text) != GBS_OK) {
        assert_int_equal(gbs_fit(ctx[0], data[0], o[0], &model), GBS_ERR_ARGUMENT);
        assert_non_null(strstr(gbs_error_message(ctx[0]), text));
        assert_null(model);
        assert_null(ctx[0]->device);
    }
    gbs_model_free(plain);
    for (int j = 0; j < 2; j++) {
        gbs_options_free(o[j]);
        gbs_data_free(data[j]);
        gbs_context_free(ctx[j]);
    }
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_is_not_there_is_refused_with_words),
        cmocka_unit_test(an_option_is_for_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
