/* What the table readers promise: every rule of the formats, every message, at every cut of the input into buffers.
 *
 * Inputs come from memory through byte sources of 1, 2, 3, 7 and the usual number of bytes, so that each cell, quote and line
 * end falls on a buffer's edge in some run. libcsv is the oracle of CSV, strtod the one of numbers.
 */
#include "table/bytes.h"
#include "table/number.h"
#include "table/reader.h"
#include "table/table.h"

#include <csv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define DETECT (&(struct table_options){.header = -1})
#define NO_HEADER (&(struct table_options){.header = 0})
#define KEEP (&(struct table_options){.header = -1, .keep_missing = true})

static const size_t buffer_sizes[] = {1, 2, 3, 7, 0};
#define N_BUFFERS (sizeof buffer_sizes / sizeof *buffer_sizes)

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 2685821657736338717u;
}

static size_t below(size_t n) {
    return (size_t)(random_bits() >> 16) % n;
}

static enum table_status read_memory(const char *name, const void *data, size_t size, size_t buffer,
                                     const struct table_options *options, struct table *t, char error[512]) {
    struct bytes b;
    *t = (struct table){0};
    enum table_status status = bytes_open_memory(&b, data, size, buffer, options->cancelled, options->user);
    if (status != TABLE_OK) {
        snprintf(error, 512, "%s: %s", name, b.message);
        return status;
    }
    status = table_read_bytes(&b, name, options, t, error, 512);
    bytes_close(&b);
    return status;
}

static void fails_with_bytes(const char *name, const void *data, size_t size, const struct table_options *options,
                             enum table_status expected, const char *message) {
    for (size_t i = 0; i < N_BUFFERS; i++) {
        struct table t;
        char error[512] = "";
        enum table_status status = read_memory(name, data, size, buffer_sizes[i], options, &t, error);
        assert_string_equal(error, message);
        assert_int_equal(status, expected);
        assert_null(t.cells);
        assert_null(t.columns);
    }
}

static void fails(const char *name, const char *text, const struct table_options *options, const char *message) {
    fails_with_bytes(name, text, strlen(text), options, TABLE_BAD_DATA, message);
}

static struct table must_read(const char *name, const void *data, size_t size, size_t buffer,
                              const struct table_options *options) {
    struct table t;
    char error[512] = "";
    if (read_memory(name, data, size, buffer, options, &t, error) != TABLE_OK) {
        fail_msg("%s", error);
        abort(); /* fail_msg does not return, but does not say so to analysers */
    }
    return t;
}

static struct table reads_at(const char *name, const char *text, size_t buffer, const struct table_options *options) {
    return must_read(name, text, strlen(text), buffer, options);
}

/* A dense table of these cells, whatever the buffer. */
static void reads(const char *text, const struct table_options *options, bool header, size_t n, size_t d, const double *cells) {
    for (size_t i = 0; i < N_BUFFERS; i++) {
        struct table t = reads_at("t.csv", text, buffer_sizes[i], options);
        assert_int_equal(t.has_header, header);
        assert_int_equal(t.n_rows, n);
        assert_int_equal(t.n_columns, d);
        for (size_t k = 0; k < n * d; k++)
            if (isnan(cells[k]) ? !isnan(t.cells[k]) : t.cells[k] != cells[k])
                fail_msg("cell %zu of '%s' is %g", k, text, t.cells[k]);
        table_free(&t);
    }
}

#define CELLS(...) ((const double[]){__VA_ARGS__})

/* ---------------------------------------------------------------- numbers */

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void same_as_strtod(const char *text) {
    double expected = strtod(text, NULL), value = -1;
    const char *stop = number_read(text, text + strlen(text), &value);
    if (isinf(expected)) {
        assert_null(stop);
        assert_int_equal(number_kind(text, strlen(text), &value), NUMBER_TOO_LARGE);
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
        snprintf(text, sizeof text, "%.17g", ldexp((double)(int64_t)random_bits(), -(int)below(90)));
        same_as_strtod(text);
        snprintf(text, sizeof text, "%s%llu.%llue%d", k & 1 ? "-" : "+", (unsigned long long)(random_bits() >> below(63)),
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
        enum number_kind kind;
    } cases[] = {{"0x10", NUMBER_NONE},       {"1e", NUMBER_NONE},
                 {"1e+", NUMBER_NONE},        {"abc", NUMBER_NONE},
                 {"12abc", NUMBER_NONE},      {"1 2", NUMBER_NONE},
                 {".", NUMBER_NONE},          {"-", NUMBER_NONE},
                 {"+", NUMBER_NONE},          {"--1", NUMBER_NONE},
                 {"1.2.3", NUMBER_NONE},      {"1,5", NUMBER_NONE},
                 {"na", NUMBER_NONE},         {"-nan", NUMBER_NONE},
                 {"nan(1)", NUMBER_NONE},     {"", NUMBER_MISSING},
                 {"NA", NUMBER_MISSING},      {"NaN", NUMBER_MISSING},
                 {"nan", NUMBER_MISSING},     {"NAN", NUMBER_MISSING},
                 {"inf", NUMBER_NOT_FINITE},  {"-Infinity", NUMBER_NOT_FINITE},
                 {"+INF", NUMBER_NOT_FINITE}, {"1e999", NUMBER_TOO_LARGE},
                 {"infi", NUMBER_NONE},       {"-7.25e1", NUMBER_FINITE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        if (number_kind(cases[i].text, strlen(cases[i].text), &value) != cases[i].kind)
            fail_msg("'%s'", cases[i].text);
    }
}

/* ---------------------------------------------------------------- csv: what is read */

static void csv_reads_numbers_under_a_header(void **state) {
    (void)state;
    reads("a,b\n1,2\n3,4.5\n", DETECT, true, 2, 2, CELLS(1, 2, 3, 4.5));
    reads("1,2\n3,4\n", DETECT, false, 2, 2, CELLS(1, 2, 3, 4));
    reads("a,b\n1,2", DETECT, true, 1, 2, CELLS(1, 2));
}

static void csv_takes_every_line_end(void **state) {
    (void)state;
    reads("a,b\r\n1,2\r\n3,4\r\n", DETECT, true, 2, 2, CELLS(1, 2, 3, 4));
    reads("a,b\r1,2\r3,4", DETECT, true, 2, 2, CELLS(1, 2, 3, 4));
    reads("a,b\r\n1,2\r\n3,\"4\"\r\n5,6", DETECT, true, 3, 2, CELLS(1, 2, 3, 4, 5, 6));
}

static void csv_skips_blank_lines_and_byte_order_mark(void **state) {
    (void)state;
    reads("\xef\xbb\xbf\n\na,b\n\n1,2\n  \t \n\n3,4\n\n\n", DETECT, true, 2, 2, CELLS(1, 2, 3, 4));
    reads("\xef\xbb\xbf\"a\",b\r\n\r\n1,2\r\n", DETECT, true, 1, 2, CELLS(1, 2));
}

static void csv_trims_blanks_around_cells(void **state) {
    (void)state;
    reads(" a , b\n 1 ,\t2 \n\"3\" , \"4\"\n", DETECT, true, 2, 2, CELLS(1, 2, 3, 4));
}

static void csv_finds_tab_and_semicolon(void **state) {
    (void)state;
    reads("a\tb\n1\t2\n", DETECT, true, 1, 2, CELLS(1, 2));
    reads("a;b\n1;2\n", DETECT, true, 1, 2, CELLS(1, 2));
    reads("\"a,b\";c\n1;2\n", DETECT, true, 1, 2, CELLS(1, 2));
    reads("a\tb\n\t2\n", KEEP, true, 1, 2, CELLS(NAN, 2));
}

static void csv_header_is_told_from_data(void **state) {
    (void)state;
    reads("age,sex\n39,m\n", DETECT, true, 1, 2, CELLS(39, 0));
    reads("39,m\n50,f\n", DETECT, false, 2, 2, CELLS(39, 0, 50, 1));
    reads("39,m\n50,7\n", DETECT, true, 1, 2, CELLS(50, 7));
    reads(",a\n1,2\n", DETECT, true, 1, 2, CELLS(1, 2));
    reads("\"1\",\"2\"\n3,4\n", DETECT, false, 2, 2, CELLS(1, 2, 3, 4));
    reads("a,b\nc,d\n", NO_HEADER, false, 2, 2, CELLS(0, 0, 1, 1));
    reads("1,2\n3,4\n", &(struct table_options){.header = 1}, true, 1, 2, CELLS(3, 4));
    reads("39,m\n", DETECT, false, 1, 2, CELLS(39, 0));
}

static void csv_names_columns(void **state) {
    (void)state;
    struct table t = reads_at("t.csv", "\"my \"\"age\"\"\",,z\n1,2,3\n", 2, DETECT);
    assert_string_equal(t.columns[0].name, "my \"age\"");
    assert_string_equal(t.columns[1].name, "V2");
    assert_string_equal(t.columns[2].name, "z");
    table_free(&t);
    t = reads_at("t.csv", "1,2\n", 0, DETECT);
    assert_string_equal(t.columns[1].name, "V2");
    assert_string_equal(t.file, "t.csv");
    assert_int_equal(t.format, TABLE_CSV);
    table_free(&t);
}

static void csv_text_columns_become_levels_in_order(void **state) {
    (void)state;
    struct table t = reads_at("t.csv", "x,c\n1,red\n2,\"blue\"\n3,red\n4,\"a,\n\"\"b\"\"\"\n", 3, DETECT);
    assert_true(t.columns[1].is_text);
    assert_false(t.columns[0].is_text);
    assert_int_equal(t.columns[1].n_levels, 3);
    assert_string_equal(t.columns[1].levels[0], "red");
    assert_string_equal(t.columns[1].levels[1], "blue");
    assert_string_equal(t.columns[1].levels[2], "a,\n\"b\"");
    assert_true(t.cells[1] == 0 && t.cells[3] == 1 && t.cells[5] == 0 && t.cells[7] == 2);
    table_free(&t);
}

static void csv_text_option_takes_names_and_numbers(void **state) {
    (void)state;
    const char *const text[] = {"b", "1"};
    struct table_options options = {.header = -1, .text = text, .n_text = 2};
    struct table t = reads_at("t.csv", "a,b,c\n7,8,9\n7,7,9\n", 0, &options);
    assert_true(t.columns[0].is_text && t.columns[1].is_text && !t.columns[2].is_text);
    assert_string_equal(t.columns[1].levels[1], "7");
    table_free(&t);
    const char *const unknown[] = {"d"};
    options = (struct table_options){.header = -1, .text = unknown, .n_text = 1};
    fails_with_bytes("t.csv", "a,b\n1,2\n", 8, &options, TABLE_BAD_DATA, "t.csv: --text d: the file has no such column");
    fails_with_bytes("t.svm", "1 1:2\n", 6, &options, TABLE_USAGE,
                     "t.svm: --text is for csv files; svmlight holds numbers only");
}

static bool skip_b(void *user, const char *name) {
    (void)user;
    return strcmp(name, "b") == 0;
}

static void csv_skipped_columns_are_not_looked_at(void **state) {
    (void)state;
    struct table_options options = {.header = -1, .skip = skip_b};
    reads("a,b\n1,NA\n2,7\n3,\"x\ny\"\n4,inf\n", &options, true, 4, 2, CELLS(1, NAN, 2, NAN, 3, NAN, 4, NAN));
    struct table t = reads_at("t.csv", "a,b\n1,NA\n", 0, &options);
    assert_true(t.columns[1].skipped && !t.columns[0].skipped && !t.columns[1].is_text);
    table_free(&t);
}

static void csv_missing_cells_are_kept_on_request(void **state) {
    (void)state;
    reads("a,b\n1,\nNA,x\nnan,\"\"\n,NaN\n2,y\n", KEEP, true, 5, 2, CELLS(1, NAN, NAN, 0, NAN, NAN, NAN, NAN, 2, 1));
    reads("a,b\n,1\n,2\n", KEEP, true, 2, 2, CELLS(NAN, 1, NAN, 2));
}

static void lines_of_rows_are_known(void **state) {
    (void)state;
    for (size_t i = 0; i < N_BUFFERS; i++) {
        struct table t = reads_at("t.csv", "a,b\n1,x\n2,\"y\nz\"\n\n3,x\n", buffer_sizes[i], DETECT);
        assert_int_equal(table_line(&t, 0), 2);
        assert_int_equal(table_line(&t, 1), 3);
        assert_int_equal(table_line(&t, 2), 6);
        table_free(&t);
        t = reads_at("t.csv", "a\r\n1\r\n2\r\n", buffer_sizes[i], DETECT);
        assert_null(t.line);
        assert_int_equal(table_line(&t, 1), 3);
        table_free(&t);
        t = reads_at("t.svm", "# top\n1 1:1\n\n-1 2:1 # end\n", buffer_sizes[i], DETECT);
        assert_int_equal(table_line(&t, 0), 2);
        assert_int_equal(table_line(&t, 1), 4);
        table_free(&t);
    }
}

/* ---------------------------------------------------------------- csv: what is refused */

static void csv_later_text_in_a_numeric_column_is_refused(void **state) {
    (void)state;
    fails("train.csv", "id,sex,age\n1,m,3\n2,f,4\n3,m,abc\n", DETECT,
          "train.csv:4: column 'age' (column 3): expected a number, found 'abc' (lines 2 to 3 hold numbers; --text age treats "
          "the "
          "column as categories)");
    fails("train.csv", "1,my\n2x,3\n", NO_HEADER,
          "train.csv:2: column 1: expected a number, found '2x' (line 1 holds a number; --text 1 treats the column as "
          "categories)");
    fails("train.csv", "my age\n1\n0x10\n", DETECT,
          "train.csv:3: column 'my age' (column 1): expected a number, found '0x10' (line 2 holds a number; --text 1 treats "
          "the column "
          "as categories)");
}

static void csv_missing_values_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a,age\n1,2\n3,NA\n", DETECT,
          "t.csv:3: column 'age' (column 2): the value is missing ('NA'); --missing drop leaves such rows out");
    fails("t.csv", "a,age\nx,2\n,3\n", DETECT,
          "t.csv:3: column 'a' (column 1): the value is missing (''); --missing drop leaves such rows out");
}

static void csv_infinite_and_too_large_numbers_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a\n1\n-inf\n", KEEP, "t.csv:3: column 'a' (column 1): '-inf' is not a finite number");
    fails("t.csv", "a\nInfinity\n", DETECT, "t.csv:2: column 'a' (column 1): 'Infinity' is not a finite number");
    fails("t.csv", "a\n1\n1e400\n", DETECT, "t.csv:3: column 'a' (column 1): '1e400' is too large for a double");
    reads("a\n1e-400\n", DETECT, true, 1, 1, CELLS(0));
}

static void csv_ragged_rows_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a,b,c\n1,2,3\n1,2\n", DETECT, "t.csv:3: 2 cells, but the header has 3");
    fails("t.csv", "a,b\n1,2,3,4\n", DETECT, "t.csv:2: 4 cells, but the header has 2");
    fails("t.csv", "a,b\n1,2,\n", DETECT, "t.csv:2: 3 cells, but the header has 2");
    fails("t.csv", "\n1,2\n3\n", DETECT, "t.csv:3: 1 cell, but line 2 has 2");
    fails("t.csv", "1,x\n3\n", DETECT, "t.csv:2: 1 cell, but line 1 has 2");
}

static void csv_double_names_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a,b,a\n1,2,3\n", DETECT,
          "t.csv:1: columns 1 and 3 are both called 'a' (if this line holds data, not names: --no-header)");
    fails("t.csv", "a,b,a\n1,2,3\n", &(struct table_options){.header = 1}, "t.csv:1: columns 1 and 3 are both called 'a'");
}

static void csv_quotes_gone_wrong_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a,b\n1,\"x\ny\"\n2,\"z\n3,w\n", DETECT, "t.csv:4: the quote opened here is never closed");
    fails("t.csv", "a,b\n1,\"x\"y\n", DETECT, "t.csv:2: text follows the closing quote of 'x'");
    fails("t.csv", "a,b\n1,\"\"\"", DETECT, "t.csv:2: the quote opened here is never closed");
}

static void csv_binary_files_are_refused(void **state) {
    (void)state;
    fails_with_bytes("t.csv", "a,b\n1,2\n\0,3\n", 12, DETECT, TABLE_BAD_DATA, "t.csv: not a text file: NUL byte at line 3");
    fails_with_bytes("t.csv", "a,b\n1,\"\n\0\",3\n", 13, DETECT, TABLE_BAD_DATA, "t.csv: not a text file: NUL byte at line 3");
    fails_with_bytes("t.csv",
                     "\xff\xfe"
                     "a\0",
                     4, DETECT, TABLE_BAD_DATA, "t.csv: the file is UTF-16 text; save it as UTF-8");
    fails("t.csv", "a,b\n1,\xe9t\xe9\n", DETECT,
          "t.csv:2: column 'b' (column 2): '\\xe9t\\xe9' is not UTF-8 text; convert the file, for example with iconv");
    fails("t.csv", "a,\xff\n1,2\n", DETECT,
          "t.csv:1: the name '\\xff' of column 2 is not UTF-8 text; convert the file, for example with iconv");
}

static void csv_empty_files_are_refused(void **state) {
    (void)state;
    fails("t.csv", "", DETECT, "t.csv: the file is empty");
    fails("t.csv", "\n \n", DETECT, "t.csv: the file is empty");
    fails("t.csv", "a,b\n", DETECT, "t.csv: the file has a header but no rows (if its only line holds data: --no-header)");
    fails("t.csv", "a,b\n\n", &(struct table_options){.header = 1}, "t.csv: the file has a header but no rows");
}

static void csv_decimal_commas_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a;b\n1,5;2\n", DETECT, "t.csv:2: column 'a' (column 1): '1,5' has a decimal comma; numbers need a point");
}

static void messages_cut_and_escape_what_they_show(void **state) {
    (void)state;
    fails("t.csv", "a\n1\nx\x1b[31m\x07\xc2\x9b\xc3\xa9\n", DETECT,
          "t.csv:3: column 'a' (column 1): expected a number, found 'x\\x1b[31m\\x07\\xc2\\x9b\xc3\xa9' (line 2 holds a "
          "number; --text "
          "a treats the column as categories)");
    fails("t.csv", "a\n1\n1234567890123456789012345678901234567890x\n", DETECT,
          "t.csv:3: column 'a' (column 1): expected a number, found '1234567890123456789012345678901234567890...' (line 2 "
          "holds a "
          "number; --text a treats the column as categories)");
}

static char *repeated(const char *head, const char *unit, size_t n, size_t *size) {
    size_t h = strlen(head), u = strlen(unit);
    char *text = malloc(h + n * u + 1);
    assert_non_null(text);
    memcpy(text, head, h);
    for (size_t i = 0; i < n; i++)
        memcpy(text + h + i * u, unit, u);
    *size = h + n * u;
    text[*size] = '\0';
    return text;
}

static void fails_at_usual_size(char *text, size_t size, const char *message) {
    struct table t;
    char error[512] = "";
    assert_int_equal(read_memory("t.csv", text, size, 0, NO_HEADER, &t, error), TABLE_BAD_DATA);
    assert_string_equal(error, message);
    free(text);
}

static void csv_oversized_input_is_refused(void **state) {
    (void)state;
    size_t size;
    char *text = repeated("a\n", "x", 100000000, &size);
    fails_at_usual_size(text, size, "t.csv:2: a cell is longer than 1 MiB; is this a text file with separators?");
    text = repeated("a,b\n1,\"", "x,\n", 1000000, &size);
    fails_at_usual_size(text, size, "t.csv:2: the quote opened here is not closed within 1 MiB, the longest a cell may be");
    text = repeated("", "1,", 1000001, &size);
    fails_at_usual_size(text, size, "t.csv:1: more than 1000000 columns");
    static char long_cell[1001];
    memset(long_cell, 'x', 999);
    long_cell[999] = ',';
    text = repeated("", long_cell, 100000, &size);
    fails_at_usual_size(text, size, "t.csv:1: the record is longer than 64 MiB; are there line breaks in the file?");
}

static void csv_identifiers_are_refused_as_categories(void **state) {
    (void)state;
    char *text = malloc(1 << 20);
    size_t size = (size_t)snprintf(text, 8, "id\n");
    for (int i = 0; i <= 100000; i++)
        size += (size_t)snprintf(text + size, 16, "u%d\n", i);
    struct table t;
    char error[512];
    assert_int_equal(read_memory("t.csv", text, size, 0, DETECT, &t, error), TABLE_BAD_DATA);
    assert_string_equal(
        error, "t.csv:100002: column 'id' (column 1) has more than 100000 different texts; it looks like an identifier "
               "(--drop id leaves it out)");
    /* One level fewer is read, each by its own number. */
    size -= strlen("u100000\n");
    t = must_read("t.csv", text, size, 0, DETECT);
    assert_int_equal(t.columns[0].n_levels, 100000);
    assert_true(t.cells[54321] == 54321);
    assert_string_equal(t.columns[0].levels[54321], "u54321");
    table_free(&t);
    free(text);
}

/* ---------------------------------------------------------------- csv against libcsv */

struct oracle {
    char cell[64][256];
    size_t n, n_rows, in_row;
};

static void oracle_cell(void *text, size_t length, void *user) {
    struct oracle *o = user;
    assert_true(length < 256 && o->n < 64);
    memcpy(o->cell[o->n], text, length);
    o->cell[o->n++][length] = '\0';
}

static void oracle_row(int end, void *user) {
    (void)end;
    ((struct oracle *)user)->n_rows++;
}

static size_t random_cell(char *to) {
    static const char *const plain[] = {"x",   "1",        "NA",       "nan",    "",
                                        "a b", "5\" pipe", "\xc3\xa9", "-2.5e3", "long text of a cell"};
    static const char *const inside[] = {"x", ",", "\n", "\r\n", "\"\"", " ", "7", "\t", ";", "\"\"\"\""};
    size_t n = 0;
    for (size_t i = below(3); i > 0; i--)
        to[n++] = ' ';
    if (below(2)) {
        n += (size_t)sprintf(to + n, "%s", plain[below(10)]);
    } else {
        to[n++] = '"';
        for (size_t i = below(6); i > 0; i--)
            n += (size_t)sprintf(to + n, "%s", inside[below(10)]);
        to[n++] = '"';
    }
    for (size_t i = below(3); i > 0; i--)
        to[n++] = ' ';
    return n;
}

static size_t random_csv(char *to, size_t d) {
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", "\r\n \r\n"};
    size_t n = 0, rows = 1 + below(5);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < d; j++) {
            n += random_cell(to + n);
            if (j + 1 < d)
                to[n++] = ',';
        }
        if (i + 1 < rows || below(2))
            n += (size_t)sprintf(to + n, "%s", ends[below(5)]);
    }
    return n;
}

static bool counts_as_missing(const char *text) {
    return !*text || strcmp(text, "NA") == 0 || strcmp(text, "nan") == 0;
}

static void csv_random_files_agree_with_libcsv(void **state) {
    (void)state;
    static const char *const all[] = {"1", "2", "3", "4"};
    static struct oracle oracle;
    char text[4096], error[512];
    for (int k = 0; k < 20000; k++) {
        size_t d = 1 + below(4), size = random_csv(text, d);
        struct csv_parser parser;
        oracle = (struct oracle){0};
        csv_init(&parser, 0);
        csv_parse(&parser, text, size, oracle_cell, oracle_row, &oracle);
        csv_fini(&parser, oracle_cell, oracle_row, &oracle);
        csv_free(&parser);
        struct table_options options = {.header = 0, .text = all, .n_text = d, .keep_missing = true};
        struct table t;
        enum table_status status = read_memory("t.csv", text, size, buffer_sizes[k % (int)N_BUFFERS], &options, &t, error);
        if (oracle.n_rows == 0) {
            assert_int_equal(status, TABLE_BAD_DATA);
            continue;
        }
        if (status != TABLE_OK) {
            fail_msg("%s in <%.*s>", error, (int)size, text);
            abort();
        }
        assert_int_equal(t.n_rows, oracle.n_rows);
        assert_int_equal(t.n_rows * t.n_columns, oracle.n);
        for (size_t i = 0; i < oracle.n; i++) {
            bool missing = counts_as_missing(oracle.cell[i]);
            assert_int_equal(missing, isnan(t.cells[i]) != 0);
            if (!missing)
                assert_string_equal(t.columns[i % d].levels[(size_t)t.cells[i]], oracle.cell[i]);
        }
        table_free(&t);
    }
}

static void csv_numbers_survive_every_buffer_size(void **state) {
    (void)state;
    static char text[60000];
    static double cells[1500];
    size_t size = 0;
    for (size_t k = 0; k < 1500; k++) {
        double x = ldexp((double)(int64_t)random_bits(), -(int)below(70));
        size += (size_t)sprintf(text + size, "%.*g%s", k % 2 ? 17 : 4, x, k % 5 == 4 ? "\r\n" : ",");
    }
    char *p = text;
    for (size_t k = 0; k < 1500; k++) {
        cells[k] = strtod(p, &p);
        p += strspn(p, ",\r\n");
    }
    for (size_t buffer = 1; buffer < 64; buffer++) {
        struct table t = reads_at("t.csv", text, buffer, DETECT);
        assert_int_equal(t.n_rows, 300);
        assert_memory_equal(t.cells, cells, sizeof cells);
        assert_null(t.line);
        table_free(&t);
    }
}

/* ---------------------------------------------------------------- svmlight */

static void svmlight_reads_rows(void **state) {
    (void)state;
    const char *text = "# a comment\n+1 1:0.5 3:-2e1 # tail 7:7\n\n-1\r\n  2.5\t2:1  2147483647:4 \n-1 1:1#x\n0 5:0";
    const size_t starts[] = {0, 2, 2, 4, 5, 6};
    const uint32_t index[] = {0, 2, 1, 2147483646, 0, 4};
    const double value[] = {0.5, -20, 1, 4, 1, 0}, label[] = {1, -1, 2.5, -1, 0};
    for (size_t i = 0; i < N_BUFFERS; i++) {
        struct table t = reads_at("t.svm", text, buffer_sizes[i], DETECT);
        assert_int_equal(t.n_rows, 5);
        assert_int_equal(t.n_columns, 2147483647);
        assert_null(t.cells);
        assert_null(t.columns);
        assert_memory_equal(t.row_start, starts, sizeof starts);
        assert_memory_equal(t.index, index, sizeof index);
        assert_memory_equal(t.value, value, sizeof value);
        assert_memory_equal(t.label, label, sizeof label);
        table_free(&t);
    }
}

static void svmlight_random_rows_survive_every_buffer_size(void **state) {
    (void)state;
    static char text[40000];
    static double value[1000];
    static uint32_t index[1000];
    size_t size = 0, n = 0;
    for (size_t i = 0; i < 100; i++) {
        size += (size_t)sprintf(text + size, "%d", i % 3 ? 1 : -1);
        uint32_t k = 0;
        for (size_t j = 0; j < 10; j++, n++) {
            k += 1 + (uint32_t)below(1000);
            index[n] = k - 1;
            value[n] = ldexp((double)(int64_t)random_bits(), -(int)below(70));
            size += (size_t)sprintf(text + size, " %u:%.17g", k, value[n]);
        }
        text[size++] = '\n';
    }
    for (size_t buffer = 1; buffer < 64; buffer++) {
        struct table t = reads_at("t.svm", text, buffer, DETECT);
        assert_int_equal(t.n_rows, 100);
        assert_int_equal(t.row_start[100], n);
        assert_memory_equal(t.index, index, sizeof index);
        assert_memory_equal(t.value, value, sizeof value);
        table_free(&t);
    }
}

static void svmlight_bad_indices_are_refused(void **state) {
    (void)state;
    fails("t.svm", "1 1:1\n1 0:5\n", DETECT, "t.svm:2: '0:5': indices count from 1");
    fails("t.svm", "1 3:1 2:5\n", DETECT, "t.svm:1: '2:5': indices must increase, but this one follows 3");
    fails("t.svm", "1 3:1 3:5\n", DETECT, "t.svm:1: '3:5': index 3 stands twice in the row");
    fails("t.svm", "1 2147483648:1\n", DETECT, "t.svm:1: '2147483648:1': the index is larger than 2147483647");
    fails("t.svm", "1 99999999999999999999999:1\n", DETECT,
          "t.svm:1: '99999999999999999999999:1': the index is larger than 2147483647");
    fails("t.svm", "1 18446744073709551617:1\n", DETECT,
          "t.svm:1: '18446744073709551617:1': the index is larger than 2147483647");
    fails("t.svm", "1 -1:1\n", DETECT, "t.svm:1: expected a whole number before the colon, found '-1:1'");
    fails("t.svm", "1 x:1\n", DETECT, "t.svm:1: expected a whole number before the colon, found 'x:1'");
    fails("t.svm", "1 :1\n", DETECT, "t.svm:1: expected index:value, found ':1'");
    fails("t.svm", "1 5\n", DETECT, "t.svm:1: expected index:value, found '5'");
}

static void svmlight_bad_values_are_refused(void **state) {
    (void)state;
    fails("t.svm", "1 1:nan\n", KEEP,
          "t.svm:1: the value is missing ('nan'); svmlight leaves zeros out, but has no missing values");
    fails("t.svm", "1 1:\n", DETECT,
          "t.svm:1: the value is missing (''); svmlight leaves zeros out, but has no missing values");
    fails("t.svm", "1 1:inf\n", DETECT, "t.svm:1: the value 'inf' is not a finite number");
    fails("t.svm", "1 1:1e400\n", DETECT, "t.svm:1: the value '1e400' is too large for a double");
    fails("t.svm", "1 1:2x 2:1\n", DETECT, "t.svm:1: expected a number for the value, found '2x'");
    fails("t.svm", "yes 1:2\n", DETECT, "t.svm:1: expected a number for the label, found 'yes'");
    fails("t.svm", "inf 1:2\n", DETECT, "t.svm:1: the label 'inf' is not a finite number");
}

static void svmlight_other_mistakes_are_refused(void **state) {
    (void)state;
    fails("t.svm", "1 1:2\n2 qid:3 1:2\n", DETECT, "t.svm:2: 'qid:3': ranking groups (qid) are not supported");
    fails("t.svm", "", DETECT, "t.svm: the file is empty");
    fails("t.svm", "# nothing\n\n", DETECT, "t.svm: the file is empty");
    fails("t.svm", "1\n-1\n", DETECT, "t.svm: the rows hold labels only, not one index:value pair");
    fails_with_bytes("t.svm",
                     "1 1:1\n1 2:\0"
                     "3\n",
                     13, DETECT, TABLE_BAD_DATA, "t.svm: not a text file: NUL byte at line 2");
    size_t size;
    char *text = repeated("1 1:", "5", 3000000, &size);
    struct table t;
    char error[512];
    assert_int_equal(read_memory("t.svm", text, size, 0, DETECT, &t, error), TABLE_BAD_DATA);
    assert_string_equal(error, "t.svm:1: a word is longer than 1 MiB; is this an svmlight file?");
    free(text);
}

/* ---------------------------------------------------------------- npy */

/* The header as numpy writes it, then the data. */
static size_t make_npy(char *to, int version, const char *dictionary, const void *data, size_t data_size) {
    size_t n = strlen(dictionary), at = version == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version;
    to[7] = 0;
    for (size_t i = 8; i < at; i++)
        to[i] = (char)(n >> 8 * (i - 8));
    memcpy(to + at, dictionary, n);
    if (data_size > 0)
        memcpy(to + at + n, data, data_size);
    return at + n + data_size;
}

static void reads_npy(const char *type, bool fortran, const void *data, size_t size, const double *cells) {
    char file[512], dictionary[128];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }   \n", type,
             fortran ? "True" : "False");
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < N_BUFFERS; i++) {
            struct table t = must_read("t.npy", file, make_npy(file, version, dictionary, data, size), buffer_sizes[i], KEEP);
            assert_int_equal(t.n_rows, 2);
            assert_int_equal(t.n_columns, 3);
            assert_string_equal(t.columns[2].name, "V3");
            for (size_t k = 0; k < 6; k++)
                assert_true(isnan(cells[k]) ? isnan(t.cells[k]) : t.cells[k] == cells[k]);
            table_free(&t);
        }
}

static void npy_reads_every_type(void **state) {
    (void)state;
    const double f8[] = {1.5, -2, NAN, 4, 5, 6e300};
    reads_npy("<f8", false, f8, sizeof f8, f8);
    reads_npy("<f8", true, f8, sizeof f8, CELLS(1.5, NAN, 5, -2, 4, 6e300));
    const float f4[] = {1.5f, -2, 3, 4, 5, 6};
    reads_npy("<f4", false, f4, sizeof f4, CELLS(1.5, -2, 3, 4, 5, 6));
    const unsigned char bytes[] = {1, 255, 0, 2, 128, 127};
    reads_npy("|i1", false, bytes, 6, CELLS(1, -1, 0, 2, -128, 127));
    reads_npy("|u1", false, bytes, 6, CELLS(1, 255, 0, 2, 128, 127));
    reads_npy("|b1", false, bytes, 6, CELLS(1, 1, 0, 1, 1, 1));
    reads_npy("<i2", false, "\x01\x00\xff\xff\x00\x80\x00\x01\x02\x00\x03", 12, CELLS(1, -1, -32768, 256, 2, 3));
    reads_npy(">i2", true, "\x00\x01\xff\xff\x80\x00\x01\x00\x00\x02\x00\x03", 12, CELLS(1, -32768, 2, -1, 256, 3));
    reads_npy(">u2", false, "\x00\x01\xff\xff\x80\x00\x01\x00\x00\x02\x00\x03", 12, CELLS(1, 65535, 32768, 256, 2, 3));
    const int32_t i4[] = {1, -1, INT32_MIN, INT32_MAX, 0, 7};
    reads_npy("<i4", false, i4, sizeof i4, CELLS(1, -1, INT32_MIN, INT32_MAX, 0, 7));
    const uint32_t u4[] = {1, UINT32_MAX, 2, 3, 0, 7};
    reads_npy("<u4", false, u4, sizeof u4, CELLS(1, UINT32_MAX, 2, 3, 0, 7));
    const int64_t i8[] = {1, -1, INT64_MIN, 4, 0, 7};
    reads_npy("<i8", false, i8, sizeof i8, CELLS(1, -1, -0x1p63, 4, 0, 7));
    const uint64_t u8[] = {1, (uint64_t)1 << 63, 3, 4, 0, 7};
    reads_npy("<u8", false, u8, sizeof u8, CELLS(1, 0x1p63, 3, 4, 0, 7));
    uint64_t big[6];
    memcpy(big, f8, sizeof big);
    for (size_t i = 0; i < 6; i++)
        big[i] = __builtin_bswap64(big[i]);
    reads_npy(">f8", false, big, sizeof big, f8);
}

static void fails_npy(const char *dictionary, size_t data_size, const char *message) {
    static const double zeros[64];
    char file[2048];
    fails_with_bytes("t.npy", file, make_npy(file, 1, dictionary, zeros, data_size), DETECT, TABLE_BAD_DATA, message);
}

static void npy_lying_shapes_are_refused(void **state) {
    (void)state;
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 40,
              "t.npy: the data ends early: 2 x 3 elements are announced, 5 are there");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 49,
              "t.npy: bytes follow the 2 x 3 elements that the header announces");
    fails_npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1000000000000, 3), }", 8,
              "t.npy: the data ends early: 1000000000000 x 3 elements are announced, 1 are there");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 3), }", 8,
              "t.npy: the header claims more elements (4611686018427387904 x 3) than memory can address");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 1), }", 8,
              "t.npy: the header claims more elements (18446744073709551615 x 1) than memory can address");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1000001), }", 8,
              "t.npy: 1000001 columns; at most 1000000 are read");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", 0,
              "t.npy: the array of 0 rows and 3 columns is empty");
}

static void npy_other_arrays_are_refused(void **state) {
    (void)state;
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", 48,
              "t.npy: an array of 1 dimension; expected 2 (rows and columns)");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8,
              "t.npy: an array of 0 dimensions; expected 2 (rows and columns)");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", 48,
              "t.npy: an array of 3 dimensions; expected 2 (rows and columns)");
    fails_npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }", 48,
              "t.npy: elements of type '<c16'; expected real numbers (f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1)");
    fails_npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 2), }", 48,
              "t.npy: a structured array; expected plain numbers in two dimensions");
}

static void npy_malformed_headers_are_refused(void **state) {
    (void)state;
    fails_npy("", 0, "t.npy: malformed npy header: expected '{' at ''");
    fails_npy("{'descr': '<f8', 'shape': (1, 2), }", 0, "t.npy: malformed npy header: fortran_order is not there");
    fails_npy("{'shape': (1, 2), 'shape': (1, 2), }", 0, "t.npy: malformed npy header: repeated key 'shape'");
    fails_npy("{'extra': 1}", 0, "t.npy: malformed npy header: unknown key 'extra'");
    fails_npy("{'shape': (1, -2)}", 0, "t.npy: malformed npy header: expected a whole number at '-2)}'");
    fails_npy("{'shape': (1 2)}", 0, "t.npy: malformed npy header: expected ',' or ')' at '2)}'");
    fails_npy("{'fortran_order': Maybe}", 0, "t.npy: malformed npy header: expected True or False at 'Maybe}'");
    fails_npy("{'descr", 0, "t.npy: malformed npy header: expected a key at ''descr'");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} x", 0,
              "t.npy: malformed npy header: expected the end at 'x'");
    fails_with_bytes("t.npy", "\x93NUMPY\x01", 7, DETECT, TABLE_BAD_DATA,
                     "t.npy: the npy header ends early (a truncated file?)");
    fails_with_bytes("t.npy", "\x93NUMPY\x01\0\xff\xff{", 11, DETECT, TABLE_BAD_DATA,
                     "t.npy: the npy header ends early (a truncated file?)");
    fails_with_bytes("t.npy", "\x93NUMPY\x02\0\xff\xff\xff\xff", 12, DETECT, TABLE_BAD_DATA,
                     "t.npy: the npy header claims to be 4294967295 bytes long");
    fails_with_bytes("t.npy", "\x93NUMPY\x04\0....", 12, DETECT, TABLE_BAD_DATA,
                     "t.npy: npy version 4.0; 1.0, 2.0 and 3.0 are read");
    fails_with_bytes("t.npy", "a,b\n1,2\n", 8, DETECT, TABLE_BAD_DATA,
                     "t.npy: not an npy file (it does not start with \\x93NUMPY)");
}

static void npy_bad_values_are_named_by_row_and_column(void **state) {
    (void)state;
    char file[512];
    const double nan_at[] = {1, 2, 3, 4, NAN, 6}, inf_at[] = {1, 2, 3, -INFINITY, 5, 6};
    const char *c = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    const char *f = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
    fails_with_bytes("t.npy", file, make_npy(file, 1, c, nan_at, sizeof nan_at), DETECT, TABLE_BAD_DATA,
                     "t.npy: row 2, column 2: the value is missing (NaN); --missing drop leaves such rows out");
    fails_with_bytes("t.npy", file, make_npy(file, 1, f, nan_at, sizeof nan_at), DETECT, TABLE_BAD_DATA,
                     "t.npy: row 1, column 3: the value is missing (NaN); --missing drop leaves such rows out");
    fails_with_bytes("t.npy", file, make_npy(file, 1, c, inf_at, sizeof inf_at), KEEP, TABLE_BAD_DATA,
                     "t.npy: row 2, column 1: -inf is not a finite number");
}

/* ---------------------------------------------------------------- bytes and formats */

static size_t gzip(char *to, size_t room, const char *text, size_t size) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (uInt)size;
    z.next_out = (unsigned char *)to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static void gzip_is_read_whatever_the_name(void **state) {
    (void)state;
    char packed[256];
    size_t n = gzip(packed, 200, "a,b\n1,2\n", 8);
    size_t members = n + gzip(packed + n, 200 - n, "3,4\n", 4);
    memset(packed + members, 0, 5);
    for (size_t i = 0; i < N_BUFFERS; i++)
        for (size_t padding = 0; padding <= 5; padding += 5) {
            struct table t = must_read("t", packed, members + padding, buffer_sizes[i], DETECT);
            assert_int_equal(t.n_rows, 2);
            assert_true(t.cells[3] == 4);
            table_free(&t);
        }
    fails_with_bytes("t.csv.gz", packed, n - 9, DETECT, TABLE_BAD_DATA,
                     "t.csv.gz: the gzip data ends early (a truncated file)");
    fails_with_bytes("t.csv.gz", packed, 2, DETECT, TABLE_BAD_DATA, "t.csv.gz: the gzip data ends early (a truncated file)");
    memset(packed + members, 'x', 4);
    fails_with_bytes("t.csv.gz", packed, members + 4, DETECT, TABLE_BAD_DATA, "t.csv.gz: junk after the end of the gzip data");
    packed[n - 6] ^= 1;
    fails_with_bytes("t.csv.gz", packed, n, DETECT, TABLE_BAD_DATA, "t.csv.gz: corrupt gzip data (incorrect data check)");
}

static void formats_are_told_by_name_then_by_content(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        enum table_format format;
    } cases[] = {{"t", "1 1:2 3:4\n", TABLE_SVMLIGHT},
                 {"-", "# note\n\n-1.5\t7:2\n", TABLE_SVMLIGHT},
                 {"t", "1,2\n", TABLE_CSV},
                 {"t.dat", "1\n2\n", TABLE_CSV},
                 {"t.csv", "1 1:2 3:4\n", TABLE_CSV},
                 {"t.SVM.gz", "1 1:2 3:4\n", TABLE_SVMLIGHT},
                 {"t.libsvm", "1 1:2 3:4\n", TABLE_SVMLIGHT},
                 {"t.svmlight", "1 1:2 3:4\n", TABLE_SVMLIGHT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < N_BUFFERS; k++) {
            struct table t = reads_at(cases[i].name, cases[i].text, buffer_sizes[k], NO_HEADER);
            assert_int_equal(t.format, cases[i].format);
            assert_string_equal(t.file, strcmp(cases[i].name, "-") == 0 ? "standard input" : cases[i].name);
            table_free(&t);
        }
    char file[256];
    const double cell = 7;
    size_t n = make_npy(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", &cell, 8);
    struct table t = must_read("t", file, n, 1, DETECT);
    assert_int_equal(t.format, TABLE_NPY);
    table_free(&t);
    struct table_options csv = {.format = TABLE_CSV, .header = 0};
    t = reads_at("t.svm", "1 1:2\n", 0, &csv);
    assert_int_equal(t.format, TABLE_CSV);
    table_free(&t);
}

static void files_that_cannot_be_read_say_why(void **state) {
    (void)state;
    struct table t;
    char error[512];
    assert_int_equal(table_read("no-such-file.csv", DETECT, &t, error, sizeof error), TABLE_IO);
    assert_string_equal(error, "no-such-file.csv: No such file or directory");
    assert_int_equal(table_read("/", DETECT, &t, error, sizeof error), TABLE_IO);
    assert_string_equal(error, "/: Is a directory");
    if (geteuid() != 0) { /* root may read everything */
        char name[] = "test_table_XXXXXX", expected[64];
        int fd = mkstemp(name);
        assert_true(fd >= 0 && fchmod(fd, 0) == 0 && close(fd) == 0);
        assert_int_equal(table_read(name, DETECT, &t, error, sizeof error), TABLE_IO);
        snprintf(expected, sizeof expected, "%s: Permission denied", name);
        unlink(name);
        assert_string_equal(error, expected);
    }
}

static void files_and_standard_input_are_read(void **state) {
    (void)state;
    char name[] = "test_table_XXXXXX", error[512];
    int fd = mkstemp(name), input = dup(STDIN_FILENO);
    assert_true(fd >= 0 && write(fd, "a,b\n1,2\n", 8) == 8 && lseek(fd, 0, SEEK_SET) == 0);
    struct table t;
    enum table_status by_name = table_read(name, DETECT, &t, error, sizeof error);
    unlink(name);
    assert_int_equal(by_name, TABLE_OK);
    assert_true(t.n_rows == 1 && t.cells && t.cells[1] == 2);
    table_free(&t);
    dup2(fd, STDIN_FILENO);
    close(fd);
    enum table_status by_input = table_read("-", DETECT, &t, error, sizeof error);
    if (input >= 0) {
        dup2(input, STDIN_FILENO);
        close(input);
    }
    assert_int_equal(by_input, TABLE_OK);
    assert_string_equal(t.file, "standard input");
    table_free(&t);
}

static int cancel_after(void *user) {
    return --*(int *)user < 0;
}

static void reading_can_be_cancelled(void **state) {
    (void)state;
    struct table t;
    char error[512];
    int polls = 3;
    struct table_options options = {.header = -1, .cancelled = cancel_after, .user = &polls};
    assert_int_equal(read_memory("t.csv", "a,b\n1,2\n3,4\n", 12, 2, &options, &t, error), TABLE_CANCELLED);
    assert_string_equal(error, "t.csv: interrupted");
}

/* ---------------------------------------------------------------- failing allocations */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#if !defined(OWN_ALLOCATOR) && defined(__GLIBC__)
#define OWN_ALLOCATOR 1
#endif

#if OWN_ALLOCATOR
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *block);

/* libc's own calls (strdup) must find these too, whatever visibility the build hides by default. */
#define EXPORTED __attribute__((visibility("default")))

static long allocations_left = -1; /* -1: as many as wanted */
static long blocks_in_use;

static void *counted(void *block) {
    blocks_in_use += block != NULL;
    return block;
}

static bool refuses(void) {
    if (allocations_left > 0)
        allocations_left--;
    else if (allocations_left == 0)
        return true;
    return false;
}

EXPORTED void *malloc(size_t size) {
    return refuses() ? NULL : counted(__libc_malloc(size));
}

EXPORTED void *calloc(size_t n, size_t size) {
    return refuses() ? NULL : counted(__libc_calloc(n, size));
}

EXPORTED void *realloc(void *old, size_t size) {
    if (refuses())
        return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_malloc(size));
}

EXPORTED void free(void *block) {
    blocks_in_use -= block != NULL;
    __libc_free(block);
}

/* Fails the first allocation and all after it, then the second, ... until the reading gets through. */
static void survives_failing_allocations(const char *name, const char *text, size_t size, const struct table_options *options) {
    for (long k = 0; k < 10000; k++) {
        struct table t;
        char error[512] = "";
        long before = blocks_in_use;
        allocations_left = k;
        enum table_status status = read_memory(name, text, size, 3, options, &t, error);
        allocations_left = -1;
        table_free(&t);
        assert_int_equal(blocks_in_use, before);
        if (status == TABLE_OK)
            return;
        assert_int_equal(status, TABLE_NO_MEMORY);
        assert_non_null(strstr(error, "out of memory"));
    }
    fail_msg("%s never got through", name);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    static const char csv[] =
        "a,b,c\n1,x,3\n\n4,\"y\nz\",6\n7,w,9\n10,v,12\n13,u,15\n16,t,18\n19,s,21\n22,r,24\n25,q,27\n28,p,30\n";
    static const char svm[] =
        "# x\n1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:1 11:1 12:1 13:1 14:1 15:1 16:1 17:1 18:1\n\n-1 2:2\n";
    char npy[512], packed[256];
    static const double data[20];
    survives_failing_allocations("t.csv", csv, sizeof csv - 1, DETECT);
    survives_failing_allocations("t.svm", svm, sizeof svm - 1, DETECT);
    size_t n = make_npy(npy, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (4, 5), }", data, sizeof data);
    survives_failing_allocations("t.npy", npy, n, DETECT);
    /* deflate allocates as well: pack before the counting starts. */
    n = gzip(packed, sizeof packed, csv, sizeof csv - 1);
    survives_failing_allocations("t.csv.gz", packed, n, DETECT);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_bits_of_strtod),
        cmocka_unit_test(numbers_at_the_edges_of_double),
        cmocka_unit_test(only_plain_decimals_are_numbers),
        cmocka_unit_test(csv_reads_numbers_under_a_header),
        cmocka_unit_test(csv_takes_every_line_end),
        cmocka_unit_test(csv_skips_blank_lines_and_byte_order_mark),
        cmocka_unit_test(csv_trims_blanks_around_cells),
        cmocka_unit_test(csv_finds_tab_and_semicolon),
        cmocka_unit_test(csv_header_is_told_from_data),
        cmocka_unit_test(csv_names_columns),
        cmocka_unit_test(csv_text_columns_become_levels_in_order),
        cmocka_unit_test(csv_text_option_takes_names_and_numbers),
        cmocka_unit_test(csv_skipped_columns_are_not_looked_at),
        cmocka_unit_test(csv_missing_cells_are_kept_on_request),
        cmocka_unit_test(lines_of_rows_are_known),
        cmocka_unit_test(csv_later_text_in_a_numeric_column_is_refused),
        cmocka_unit_test(csv_missing_values_are_refused),
        cmocka_unit_test(csv_infinite_and_too_large_numbers_are_refused),
        cmocka_unit_test(csv_ragged_rows_are_refused),
        cmocka_unit_test(csv_double_names_are_refused),
        cmocka_unit_test(csv_quotes_gone_wrong_are_refused),
        cmocka_unit_test(csv_binary_files_are_refused),
        cmocka_unit_test(csv_empty_files_are_refused),
        cmocka_unit_test(csv_decimal_commas_are_refused),
        cmocka_unit_test(messages_cut_and_escape_what_they_show),
        cmocka_unit_test(csv_oversized_input_is_refused),
        cmocka_unit_test(csv_identifiers_are_refused_as_categories),
        cmocka_unit_test(csv_random_files_agree_with_libcsv),
        cmocka_unit_test(csv_numbers_survive_every_buffer_size),
        cmocka_unit_test(svmlight_reads_rows),
        cmocka_unit_test(svmlight_random_rows_survive_every_buffer_size),
        cmocka_unit_test(svmlight_bad_indices_are_refused),
        cmocka_unit_test(svmlight_bad_values_are_refused),
        cmocka_unit_test(svmlight_other_mistakes_are_refused),
        cmocka_unit_test(npy_reads_every_type),
        cmocka_unit_test(npy_lying_shapes_are_refused),
        cmocka_unit_test(npy_other_arrays_are_refused),
        cmocka_unit_test(npy_malformed_headers_are_refused),
        cmocka_unit_test(npy_bad_values_are_named_by_row_and_column),
        cmocka_unit_test(gzip_is_read_whatever_the_name),
        cmocka_unit_test(formats_are_told_by_name_then_by_content),
        cmocka_unit_test(files_that_cannot_be_read_say_why),
        cmocka_unit_test(files_and_standard_input_are_read),
        cmocka_unit_test(reading_can_be_cancelled),
#if OWN_ALLOCATOR
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
