/* What the reader of numbers promises: the bits of strtod, and only plain decimals. */
#include "table/number.h"
#include "unit/table_support.h"

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void same_as_strtod(const char *text) {
    double expected = strtod(text, NULL), value = -1;
    const char *stop = gbs_number_read(text, text + strlen(text), &value);
    if (isinf(expected)) {
        assert_null(stop);
        assert_int_equal(gbs_number_is(text, strlen(text), &value), GBS_NUMBER_TOO_LARGE);
        return;
    }
    if (stop != text + strlen(text) || bits_of(value) != bits_of(expected))
        fail_msg("%s reads as %.17g, strtod says %.17g", text, value, expected);
}

static void numbers_have_the_bits_of_strtod(void **state) {
    (void)state;
    char text[128];
    for (int k = 0; k < 300000; k++) {
        uint64_t bits = random_bits();
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            snprintf(text, sizeof text, "%.17g", x);
            same_as_strtod(text);
        }
        snprintf(text, sizeof text, "%.17g",
                 ldexp((double)(int64_t)random_bits(), -(int)below(90)));
        same_as_strtod(text);
        snprintf(text, sizeof text, "%s%llu.%llue%d", k & 1 ? "-" : "+",
                 (unsigned long long)(random_bits() >> below(63)),
                 (unsigned long long)(random_bits() >> below(63)), (int)below(240) - 120);
        same_as_strtod(text);
        /* Half-way between two doubles, and a hair above. */
        uint64_t half = (random_bits() >> 10 | (uint64_t)1 << 53) | 1;
        snprintf(text, sizeof text, "%llu", (unsigned long long)half);
        same_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%030d1", (unsigned long long)half, 0);
        same_as_strtod(text);
        snprintf(text, sizeof text, "%.1f", (double)(half >> 1) / 4 + 0.25);
        same_as_strtod(text);
    }
}

static void numbers_at_the_edges_of_double(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "-0.0e5",
                                        "5.",
                                        ".5",
                                        "+7",
                                        "1e0",
                                        "1E+05",
                                        "00000000000000000000000000012",
                                        "0.00000000000000000000000000012",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "2.2250738585072014e-308",
                                        "2.2250738585072011e-308",
                                        "4.9e-324",
                                        "2e-324",
                                        "1e-400",
                                        "1e400",
                                        "-1e400",
                                        "1e99999999999999999999",
                                        "0e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "9007199254740993",
                                        "9007199254740992",
                                        "18446744073709551616",
                                        "123456789012345678901234567890",
                                        "8.5e-23",
                                        "1e23",
                                        "9e-97",
                                        "1.5e64",
                                        "1.5e65"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        same_as_strtod(texts[i]);
}

static void only_plain_decimals_are_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        gbs_number_kind kind;
    } cases[] = {{"0x10", GBS_NUMBER_NONE},       {"1e", GBS_NUMBER_NONE},
                 {"1e+", GBS_NUMBER_NONE},        {"abc", GBS_NUMBER_NONE},
                 {"12abc", GBS_NUMBER_NONE},      {"1 2", GBS_NUMBER_NONE},
                 {".", GBS_NUMBER_NONE},          {"-", GBS_NUMBER_NONE},
                 {"+", GBS_NUMBER_NONE},          {"--1", GBS_NUMBER_NONE},
                 {"1.2.3", GBS_NUMBER_NONE},      {"1,5", GBS_NUMBER_NONE},
                 {"na", GBS_NUMBER_NONE},         {"-nan", GBS_NUMBER_NONE},
                 {"nan(1)", GBS_NUMBER_NONE},     {"", GBS_NUMBER_MISSING},
                 {"NA", GBS_NUMBER_MISSING},      {"NaN", GBS_NUMBER_MISSING},
                 {"nan", GBS_NUMBER_MISSING},     {"NAN", GBS_NUMBER_MISSING},
                 {"inf", GBS_NUMBER_NOT_FINITE},  {"-Infinity", GBS_NUMBER_NOT_FINITE},
                 {"+INF", GBS_NUMBER_NOT_FINITE}, {"1e999", GBS_NUMBER_TOO_LARGE},
                 {"infi", GBS_NUMBER_NONE},       {"-7.25e1", GBS_NUMBER_FINITE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        if (gbs_number_is(cases[i].text, strlen(cases[i].text), &value) != cases[i].kind)
            fail_msg("'%s'", cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_bits_of_strtod),
        cmocka_unit_test(numbers_at_the_edges_of_double),
        cmocka_unit_test(only_plain_decimals_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
