/* Our reader of JSON against jansson's, which has all the memory it wants here: the same texts are
 * refused, the others have the same value. */
#include "unit/support.h"

#include "file/json_text.h"

#include <locale.h>

/* True when both took it. */
static bool same_as_jansson(gbs_context *ctx, const char *text, size_t size) {
    json_t *theirs = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL), *ours;
    gbs_status status = gbs_json_parse(ctx, text, size, GBS_JSON_LEVELS, "text", &ours);
    bool same = status == GBS_OK ? ours != NULL && theirs != NULL && json_equal(ours, theirs)
                                 : ours == NULL && theirs == NULL;
    if (!same)
        print_error("%.*s: ours %s, jansson's %s\n", (int)size, text,
                    ours != NULL ? "a value" : gbs_error_message(ctx),
                    theirs != NULL ? "a value" : "refused");
    assert_true(same);
    assert_true(status == GBS_OK || (status == GBS_ERR_FORMAT &&
                                     strncmp(gbs_error_message(ctx), "text: line ", 11) == 0));
    json_decref(ours);
    json_decref(theirs);
    return theirs != NULL;
}

static const char *const good[] = {"0",
                                   "-0",
                                   "-0.0",
                                   "1e5",
                                   "1E+05",
                                   "-1.5e-3",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "5e-324",
                                   "1e-999",
                                   " [ ] ",
                                   "{ }",
                                   "\t\r\n[1 , 2]\n",
                                   "null",
                                   "[true,false,null]",
                                   "\"\"",
                                   "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                   "\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"",
                                   "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
                                   "{\"a\":{\"a\":[[],{}]},\"\":1}",
                                   "\"\x7f\"",
                                   "\"\xef\xbf\xbf\"",
                                   "\"\\u0001\""};
static const char *const wrong[] = {"",
                                    " ",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    "[1",
                                    "[1,",
                                    "[1,]",
                                    "[,1]",
                                    "[1 2]",
                                    "{\"a\"",
                                    "{\"a\":",
                                    "{\"a\":1",
                                    "{\"a\":1,",
                                    "{\"a\":1,}",
                                    "{a:1}",
                                    "{1:2}",
                                    "{\"a\" 1}",
                                    "{\"a\":1,\"a\":2}",
                                    "{\"a\":1,\"\\u0061\":2}",
                                    "01",
                                    "-",
                                    "-a",
                                    "+1",
                                    ".5",
                                    "1.",
                                    "1.e5",
                                    "1e",
                                    "1e+",
                                    "0x10",
                                    "1e999",
                                    "-1e999",
                                    "9223372036854775808",
                                    "-9223372036854775809",
                                    "nul",
                                    "nulll",
                                    "True",
                                    "NaN",
                                    "Infinity",
                                    "\"",
                                    "\"a",
                                    "\"\\\"",
                                    "\"\\x\"",
                                    "\"\\",
                                    "\"\\u\"",
                                    "\"\\u12\"",
                                    "\"\\u12g4\"",
                                    "\"\\u0000\"",
                                    "{\"\\u0000\":1}",
                                    "\"\\ud800\"",
                                    "\"\\ud800x\"",
                                    "\"\\ud800\\n\"",
                                    "\"\\ud800\\ud800\"",
                                    "\"\\udc00\"",
                                    "\"\\ud800\\u\"",
                                    "\"\x80\"",
                                    "\"\xc3\"",
                                    "\"\xc0\x80\"",
                                    "\"\xc1\xbf\"",
                                    "\"\xe0\x80\x80\"",
                                    "\"\xed\xa0\x80\"",
                                    "\"\xf0\x80\x80\x80\"",
                                    "\"\xf4\x90\x80\x80\"",
                                    "\"\xf5\x80\x80\x80\"",
                                    "\"\xe2\x82\"",
                                    "\"\n\"",
                                    "\"\x1f\"",
                                    "1 2",
                                    "[] []",
                                    "{}x",
                                    "'a'",
                                    "\xef\xbb\xbf[]",
                                    "/**/1",
                                    "\x80"};

static void odd_texts(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < COUNT(good); k++)
        assert_true(same_as_jansson(ctx, good[k], strlen(good[k])));
    for (size_t k = 0; k < COUNT(wrong); k++)
        assert_false(same_as_jansson(ctx, wrong[k], strlen(wrong[k])));
    assert_false(same_as_jansson(ctx, "[1]\0", 4));
    assert_false(same_as_jansson(ctx, "\"a\0b\"", 5));
    gbs_context_free(ctx);
}

/* A hundred thousand texts: pieces of JSON thrown together, and a good text with some bytes
 * changed. */
static void random_texts(void **state) {
    (void)state;
    static const char *const pieces[] = {"[",     "]",           "{",       "}", ",",      ":",
                                         "\"a\"", "\"b\":",      "\"a\":1", "1", "-0.5e1", "null",
                                         " ",     "\"\\u00e9\"", "[1,2]",   "{}"};
    static const char whole[] = "{\"a\":[1,-2.5e3,\"x\\ny\\u20ac\",null,true],\"b\":{\"c\":"
                                "\"\xc3\xa9\",\"d\":[[],{}]},\"e\":0}";
    static const char bytes[] = "0123456789-+.eE\"\\u[]{}:, \n\x80\xc3x";
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {21};
    size_t taken = 0;
    for (size_t round = 0; round < 100000; round++) {
        char text[256];
        size_t size = 0;
        if (round % 2 == 0) {
            for (size_t k = 1 + dice_below(&r, 9); k > 0; k--)
                size = (size_t)(stpcpy(text + size, pieces[dice_below(&r, COUNT(pieces))]) - text);
        } else {
            size = sizeof whole - 1;
            memcpy(text, whole, size);
            for (size_t k = 1 + dice_below(&r, 3); k > 0; k--)
                text[dice_below(&r, size)] = bytes[dice_below(&r, sizeof bytes - 1)];
        }
        taken += same_as_jansson(ctx, text, size);
    }
    print_message("%zu of 100000 random texts are JSON\n", taken);
    assert_true(taken > 5000 && taken < 95000);
    gbs_context_free(ctx);
}

static void levels_and_lines(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    char deep[2 * GBS_JSON_LEVELS + 2];
    json_t *value;
    memset(deep, '[', GBS_JSON_LEVELS + 1);
    memset(deep + GBS_JSON_LEVELS + 1, ']', GBS_JSON_LEVELS + 1);
    assert_int_equal(gbs_json_parse(ctx, deep, sizeof deep, GBS_JSON_LEVELS, "text", &value),
                     GBS_ERR_FORMAT);
    assert_int_equal(
        gbs_json_parse(ctx, deep + 1, sizeof deep - 2, GBS_JSON_LEVELS, "text", &value), GBS_OK);
    json_decref(value);
    assert_int_equal(gbs_json_parse(ctx, "[1,\n2,\n}", 8, GBS_JSON_LEVELS, "the file", &value),
                     GBS_ERR_FORMAT);
    assert_string_equal(gbs_error_message(ctx), "the file: line 3, column 1: not a value of JSON");
    char digits[1000];
    memset(digits, '1', sizeof digits);
    assert_int_equal(gbs_json_parse(ctx, digits, sizeof digits, GBS_JSON_LEVELS, "text", &value),
                     GBS_ERR_FORMAT);
    gbs_context_free(ctx);
}

/* Numbers come back to the bit, and in a locale with a decimal comma (where there is one) as well.
 */
static void numbers_come_back(void **state) {
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {22};
    for (size_t l = 0; l < COUNT(locales); l++) {
        if (setlocale(LC_NUMERIC, locales[l]) == NULL)
            continue;
        for (int round = 0; round < 2000; round++) {
            uint64_t bits = dice_bits(&r);
            double x;
            memcpy(&x, &bits, sizeof x);
            if (!isfinite(x))
                continue;
            json_t *value = json_real(x), *back;
            char *text;
            size_t size;
            assert_int_equal(gbs_json_print(ctx, value, " \n", &text, &size), GBS_OK);
            assert_int_equal(size, strlen(text));
            assert_int_equal(gbs_json_parse(ctx, text, size, 0, "text", &back), GBS_OK);
            double y = json_real_value(back);
            assert_true(same_bits(&x, &y, 1));
            json_decref(value);
            json_decref(back);
            gbs_array_free(ctx, text);
        }
    }
    setlocale(LC_NUMERIC, "C");
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_texts),
        cmocka_unit_test(random_texts),
        cmocka_unit_test(levels_and_lines),
        cmocka_unit_test(numbers_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
