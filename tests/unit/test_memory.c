/* Arrays that grow, texts in a pool, and numbers as text: what the readers of files stand on. */
#include "core/decimal.h"
#include "core/pool.h"
#include "unit/host.h"

#include <locale.h>

static bool holds(const uint32_t *array, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (array[i] != (uint32_t)i)
            return false;
    return true;
}

/* By realloc, and by hand where the hooks are the caller's. */
static void an_array_keeps_its_values_when_it_grows_and_shrinks(void **state) {
    (void)state;
    struct host h;
    gbs_context *both[] = {new_context(1, 1), host_context(&h)};
    for (size_t c = 0; c < 2; c++) {
        uint32_t *array = NULL;
        size_t capacity = 0;
        for (size_t n = 0; n < 100000; n++) {
            uint32_t *grown = gbs_array_grow(both[c], array, &capacity, n + 1, sizeof *array);
            assert_non_null(grown);
            array = grown;
            array[n] = (uint32_t)n;
        }
        assert_true(holds(array, 100000));
        for (size_t n = 100000; n > 0; n /= 3) {
            array = gbs_array_resize(both[c], array, n, n, sizeof *array);
            assert_non_null(array);
            assert_int_equal((uintptr_t)array % 64, 0);
            assert_true(holds(array, n));
        }
        gbs_array_free(both[c], array);
        gbs_context_free(both[c]);
    }
    assert_int_equal(h.blocks, 0);
}

static void an_array_that_cannot_grow_is_as_before(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    uint32_t *array = gbs_array_alloc(ctx, 10, sizeof *array);
    for (uint32_t i = 0; i < 10; i++)
        array[i] = i;
    h.fail_at = h.calls;
    assert_null(gbs_array_resize(ctx, array, 10, 1000, sizeof *array));
    assert_null(gbs_array_resize(ctx, array, 10, SIZE_MAX / 2, sizeof *array));
    assert_true(holds(array, 10));
    gbs_array_free(ctx, array);
    gbs_context_free(ctx);
    assert_int_equal(h.blocks, 0);
}

static void texts_of_a_pool_stay_where_they_are(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    gbs_pool pool = {0};
    static char longer[200000];
    memset(longer, 'x', sizeof longer - 1);
    const char *texts[3000];
    for (size_t i = 0; i < 3000; i++) {
        char text[32];
        snprintf(text, sizeof text, "level %zu, and more", i);
        texts[i] = i == 1500 ? gbs_pool_text(ctx, &pool, longer, sizeof longer - 1)
                             : gbs_pool_text(ctx, &pool, text, strlen(text) - 10);
        assert_non_null(texts[i]);
    }
    for (size_t i = 0; i < 3000; i++) {
        char text[32];
        snprintf(text, sizeof text, "level %zu", i);
        assert_string_equal(texts[i], i == 1500 ? longer : text);
    }
    h.fail_at = h.calls;
    assert_null(gbs_pool_text(ctx, &pool, longer, sizeof longer - 1));
    gbs_pool_free(ctx, &pool);
    gbs_context_free(ctx);
    assert_int_equal(h.blocks, 0);
}

/* A locale with a decimal comma, where one is installed; the point is expected in any case. */
static void numbers_have_a_point_in_every_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0.5, "0.5"}, {-1.25e-7, "-1.25e-07"}, {0.1 + 0.2, "0.30000000000000004"},
                 {3.0, "3"},   {123456.0, "123456"},    {1e300, "1e+300"}};
    for (size_t l = 0; l < 3; l++) {
        if (setlocale(LC_ALL, locales[l]) == NULL)
            continue;
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char text[40], *end;
            gbs_decimal_print(cases[k].x, text, sizeof text);
            assert_string_equal(text, cases[k].text);
            assert_true(gbs_decimal_read(text, &end) == cases[k].x && *end == '\0');
        }
    }
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_keeps_its_values_when_it_grows_and_shrinks),
        cmocka_unit_test(an_array_that_cannot_grow_is_as_before),
        cmocka_unit_test(texts_of_a_pool_stay_where_they_are),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
