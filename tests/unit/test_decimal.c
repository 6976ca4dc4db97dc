/* Numbers as text: every double is read back, by the C library, from the text that is printed; no
 * text of fewer digits is, but for powers of two none that is nearer; and the layout is printf's.
 *
 * printf and strtod are the other way: %.*e with the same number of digits is correctly rounded. */
#include "core/decimal.h"
#include "support.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Significant digits of a text without its zeros at both ends. */
static int digits_of(const char *text) {
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0))
            continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

static void check(double x, bool power_of_two) {
    char text[GBS_NUMBER_ROOM], other[64];
    size_t size = gbs_print_number(x, text);
    assert_int_equal(size, strlen(text));
    assert_true(strtod(text, NULL) == x && signbit(strtod(text, NULL)) == signbit(x));
    int digits = digits_of(text);
    if (x == 0.0)
        return;
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    if (!power_of_two) /* the nearest of so many digits */
        assert_true(strtod(other, NULL) == x);
    if (digits > 1) {
        snprintf(other, sizeof other, "%.*e", digits - 2, x);
        assert_true(strtod(other, NULL) != x);
    }
    if (!power_of_two) {
        snprintf(other, sizeof other, "%.*g", digits > 15 ? digits : 15, x);
        if (fabs(x) >= DBL_MIN)
            assert_string_equal(text, other);
    }
}

static void edges_are_read_back(void **unused) {
    (void)unused;
    for (int e = -1074; e <= 1023; e++) {
        double x = ldexp(1.0, e);
        check(x, true);
        check(-x, true);
        check(nextafter(x, 0.0), false);
        check(nextafter(x, INFINITY), e < -1022);
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        double x = strtod(text, NULL);
        check(x, e < -307);
        check(nextafter(x, 0.0), e < -307);
        check(nextafter(x, INFINITY), e < -307);
    }
    check(0.0, false);
    check(-0.0, false);
    check(DBL_MAX, false);
}

static void random_numbers_are_read_back(void **unused) {
    (void)unused;
    size_t count = repeats(300000, 20000);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = draw();
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            check(x, (bits & ((UINT64_C(1) << 52) - 1)) == 0 || fabs(x) < DBL_MIN);
        check((double)(draw() % 1000000000) / (double)(1 + draw() % 10000), false);
        check((double)((draw() >> 11) >> draw() % 50) + 3.0, false);
        check((double)(draw() % 100000 + 1) / 100.0, false);
    }
}

static void texts_are_as_expected(void **unused) {
    (void)unused;
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-05"},
                 {123456.0, "123456"},
                 {1e14, "100000000000000"},
                 {1e15, "1e+15"},
                 {9007199254740993.0, "9007199254740992"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {1e100, "1e+100"},
                 {1.25e-200, "1.25e-200"},
                 {INFINITY, "inf"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        char text[GBS_NUMBER_ROOM];
        gbs_print_number(cases[k].x, text);
        assert_string_equal(text, cases[k].text);
    }
    char six[GBS_NUMBER_ROOM], narrow[4];
    gbs_decimal_print(1e6, six, sizeof six); /* from six digits on, as a label is shown */
    assert_string_equal(six, "1e+06");
    gbs_decimal_print(1234567.0, six, sizeof six);
    assert_string_equal(six, "1234567");
    gbs_decimal_print(1.2345, narrow, sizeof narrow);
    assert_string_equal(narrow, "1.2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_as_expected),
        cmocka_unit_test(edges_are_read_back),
        cmocka_unit_test(random_numbers_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
