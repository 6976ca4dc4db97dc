/* Which columns are told of, and which cells are numbers in disguise: lists of both kinds, each
 * beside look-alikes that must pass. */
#include "table/guard.h"
#include "unit/table_support.h"

/* The guard of the first column, whose n cells are made by a function. */
static gbs_guard guard_of(const char *name, size_t n, void (*cell)(size_t, char *, size_t)) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "%s,y\n", name);
    for (size_t i = 0; i < n; i++) {
        char value[64];
        cell(i, value, sizeof value);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s,%zu\n", value, i % 2);
    }
    gbs_table *t = reads_at("t.csv", text, 64, DETECT);
    gbs_guard guard = GBS_GUARD_NONE;
    assert_int_equal(gbs_guard_column(table_context(), t, 0, &guard), GBS_OK);
    gbs_table_free(t);
    return guard;
}

static void running(size_t i, char *out, size_t room) {
    snprintf(out, room, "%zu", 100 + i);
}

static void rising(size_t i, char *out, size_t room) {
    snprintf(out, room, "%zu", 3 * i + i * i);
}

static void falling(size_t i, char *out, size_t room) {
    snprintf(out, room, "%zu", 9000 - 7 * i - i * i);
}

static void scattered(size_t i, char *out, size_t room) { /* all different, in no order */
    snprintf(out, room, "%zu", 3 * ((17 * i) % 41));
}

static void in_pairs(size_t i, char *out, size_t room) {
    snprintf(out, room, "%zu", 3 * (i / 2));
}

static void fractions(size_t i, char *out, size_t room) {
    snprintf(out, room, "%zu.5", i);
}

static void days(size_t i, char *out, size_t room) {
    snprintf(out, room, "2023%02zu%02zu", 1 + (5 * i) % 12, 1 + i % 28);
}

static void no_days(size_t i, char *out, size_t room) { /* the month is 13 in some */
    snprintf(out, room, "2023%02zu%02zu", 1 + (5 * i) % 13, 1 + i % 28);
}

static void written_days(size_t i, char *out, size_t room) {
    static const char *const month[] = {"Jan", "February", "SEP"};
    snprintf(out, room, "%zu %s 2023", 1 + i % 28, month[i % 3]);
}

static void hours(size_t i, char *out, size_t room) {
    snprintf(out, room, "%02zu:%02zu", i % 24, (7 * i) % 60);
}

static void streets(size_t i, char *out, size_t room) { /* May 3 rd is no date, it has no year */
    snprintf(out, room, "%zu May Street", i % 9);
}

static void long_numbers(size_t i, char *out, size_t room) { /* of ten digits, in no order */
    snprintf(out, room, "%zu", 1000000007 + 219999989 * ((17 * i) % 41));
}

static void amounts(size_t i, char *out, size_t room) { /* as large, of eight to ten digits */
    snprintf(out, room, "%zu", 20000003 + 219999989 * ((17 * i) % 41));
}

static void columns_that_say_nothing_are_told(void **state) {
    (void)state;
    assert_int_equal(guard_of("n", 40, running), GBS_GUARD_ROW_NUMBER);
    assert_int_equal(guard_of("n", 40, rising), GBS_GUARD_IDENTIFIER);
    assert_int_equal(guard_of("n", 40, falling), GBS_GUARD_IDENTIFIER);
    assert_int_equal(guard_of("n", 40, scattered), GBS_GUARD_NONE);
    assert_int_equal(guard_of("n", 40, long_numbers), GBS_GUARD_IDENTIFIER);
    assert_int_equal(guard_of("n", 40, amounts), GBS_GUARD_NONE);
    assert_int_equal(guard_of("n", 40, in_pairs), GBS_GUARD_NONE);
    assert_int_equal(guard_of("n", 40, fractions), GBS_GUARD_NONE);
    assert_int_equal(guard_of("n", 19, rising), GBS_GUARD_NONE); /* too few rows to tell */
    assert_int_equal(guard_of("n", 40, days), GBS_GUARD_DATES);
    assert_int_equal(guard_of("n", 40, no_days), GBS_GUARD_NONE);
    assert_int_equal(guard_of("n", 40, written_days), GBS_GUARD_DATES);
    assert_int_equal(guard_of("n", 40, hours), GBS_GUARD_DATES);
    assert_int_equal(guard_of("n", 40, streets), GBS_GUARD_NONE);
}

static void a_name_of_an_identifier_counts(void **state) {
    (void)state;
    static const char *const named[] = {"id",     "ID",         "customer_id", "customerId",
                                        "row.ID", "user id",    "id_customer", "idCustomer",
                                        "uuid",   "account_no", "orderNr",     "Phone Number"};
    static const char *const others[] = {"paid", "humid", "PAID",  "ideal",  "d",
                                         "i",    "idle",  "piano", "monkey", "no_rooms"};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        assert_int_equal(guard_of(named[k], 40, scattered), GBS_GUARD_IDENTIFIER);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_int_equal(guard_of(others[k], 40, scattered), GBS_GUARD_NONE);
}

static void numbers_with_signs_are_known(void **state) {
    (void)state;
    static const char *const dressed[] = {"$5",
                                          "-$5.20",
                                          "5%",
                                          "15.20 \xe2\x82\xac",
                                          "\xc2\xa3"
                                          "12",
                                          "1,234,567.5",
                                          "47 124",
                                          "47\xc2\xa0"
                                          "124",
                                          "1'234",
                                          "\xe2\x88\x92"
                                          "1.5"};
    static const char *const others[] = {"555 1234", "A5", "12 34", "",
                                         "5-9kg",    "$",  "1 2 3", "3-4"};
    for (size_t k = 0; k < sizeof dressed / sizeof *dressed; k++)
        assert_int_equal(gbs_dress_of(dressed[k]), GBS_DRESS_SIGNS);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_int_equal(gbs_dress_of(others[k]), GBS_DRESS_NONE);
}

static void other_dresses_of_numbers_are_known(void **state) {
    (void)state;
    static const struct {
        const char *text;
        gbs_dress dress;
    } known[] = {{"71.8 kg", GBS_DRESS_UNIT},
                 {"5kg", GBS_DRESS_UNIT},
                 {"-3 mg/l", GBS_DRESS_UNIT},
                 {"37.2\xc2\xa0\xc2\xb0"
                  "C",
                  GBS_DRESS_UNIT},
                 {"120/80", GBS_DRESS_PAIR},
                 {"1.5/2", GBS_DRESS_PAIR},
                 {"0.99D+00", GBS_DRESS_EXPONENT},
                 {"-1d3", GBS_DRESS_EXPONENT},
                 {"1/2/2024", GBS_DRESS_NONE},
                 {"12:30", GBS_DRESS_NONE},
                 {"25-34", GBS_DRESS_NONE},
                 {"5 to 9 years", GBS_DRESS_NONE},
                 {"3 or more people", GBS_DRESS_NONE}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (gbs_dress_of(known[k].text) != known[k].dress)
            fail_msg("'%s' is %d", known[k].text, (int)gbs_dress_of(known[k].text));
}

/* What is no text at all, by its first bytes: the message says what it is. */
static void other_files_are_named(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } files[] = {{"PK\x03\x04zip", 7, "zip archive"},
                 {"PAR1xxxx", 8, "Parquet"},
                 {"SQLite format 3", 15, "SQLite"},
                 {"\xff\xfe\0\0a\0\0\0", 8, "UTF-32"},
                 {"\xff\xfe"
                  "a\0,\0",
                  6, "UTF-16"},
                 {"a\0,\0b\0", 6, "UTF-16LE"},
                 {"\0a\0,\0b", 6, "UTF-16BE"},
                 {"\n <HTML><body>", 14, "HTML"},
                 {"{ \"format\": 1 }", 15, "JSON"},
                 {"[\n{\"x\": 1}]", 11, "JSON"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        for (size_t b = 0; b < N_BUFFERS; b++) {
            gbs_table *t;
            assert_int_equal(read_with(table_context(), "t.csv", files[k].bytes, files[k].size,
                                       buffer_sizes[b], DETECT, &t),
                             GBS_ERR_DATA);
            assert_non_null(strstr(gbs_error_message(table_context()), files[k].says));
        }
    reads("[a],{b}\n1,2\n", DETECT, true, 1, 2, (const double[]){1.0, 2.0}); /* names may */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_that_say_nothing_are_told),
        cmocka_unit_test(a_name_of_an_identifier_counts),
        cmocka_unit_test(numbers_with_signs_are_known),
        cmocka_unit_test(other_dresses_of_numbers_are_known),
        cmocka_unit_test(other_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
