/* What the CSV reader promises: every rule of the format, every message. (Its cells against libcsv:
 * test_csv_cells.c.) */
#include "unit/table_support.h"

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
    reads("1,2\n3,4\n", &(gbs_reading){.header = 1}, true, 1, 2, CELLS(3, 4));
    reads("39,m\n", DETECT, false, 1, 2, CELLS(39, 0));
}

static void csv_names_columns(void **state) {
    (void)state;
    gbs_table *t = reads_at("t.csv", "\"my \"\"age\"\"\",,z\n1,2,3\n", 2, DETECT);
    assert_string_equal(t->columns[0].name, "my \"age\"");
    assert_string_equal(t->columns[1].name, "V2");
    assert_string_equal(t->columns[2].name, "z");
    gbs_table_free(t);
    t = reads_at("t.csv", "1,2\n", 0, DETECT);
    assert_string_equal(t->columns[1].name, "V2");
    assert_string_equal(t->file, "t.csv");
    assert_int_equal(t->format, GBS_TABLE_CSV);
    gbs_table_free(t);
}

static void csv_text_columns_become_levels_in_order(void **state) {
    (void)state;
    gbs_table *t = reads_at("t.csv", "x,c\n1,red\n2,\"blue\"\n3,red\n4,\"a,\n\"\"b\"\"\"\n", 3,
                            DETECT);
    assert_true(t->columns[1].is_text);
    assert_false(t->columns[0].is_text);
    assert_int_equal(t->columns[1].n_levels, 3);
    assert_string_equal(t->columns[1].levels[0], "red");
    assert_string_equal(t->columns[1].levels[1], "blue");
    assert_string_equal(t->columns[1].levels[2], "a,\n\"b\"");
    assert_true(t->cells[1] == 0 && t->cells[3] == 1 && t->cells[5] == 0 && t->cells[7] == 2);
    gbs_table_free(t);
}

static void csv_text_option_takes_names_and_numbers(void **state) {
    (void)state;
    const char *const text[] = {"b", "1"};
    gbs_reading options = {.header = -1, .text = text, .n_text = 2};
    gbs_table *t = reads_at("t.csv", "a,b,c\n7,8,9\n7,7,9\n", 0, &options);
    assert_true(t->columns[0].is_text && t->columns[1].is_text && !t->columns[2].is_text);
    assert_string_equal(t->columns[1].levels[1], "7");
    gbs_table_free(t);
    const char *const unknown[] = {"d"};
    options = (gbs_reading){.header = -1, .text = unknown, .n_text = 1};
    fails_with_bytes("t.csv", "a,b\n1,2\n", 8, &options, GBS_ERR_DATA,
                     "t.csv: `text` d: the file has no such column");
    fails_with_bytes("t.svm", "1 1:2\n", 6, &options, GBS_ERR_ARGUMENT,
                     "t.svm: `text` is for csv files; svmlight holds numbers only");
}

static bool skip_b(void *user, const char *name) {
    (void)user;
    return strcmp(name, "b") == 0;
}

static void csv_skipped_columns_are_not_looked_at(void **state) {
    (void)state;
    gbs_reading options = {.header = -1, .skip = skip_b};
    reads("a,b\n1,NA\n2,7\n3,\"x\ny\"\n4,inf\n", &options, true, 4, 2,
          CELLS(1, NAN, 2, NAN, 3, NAN, 4, NAN));
    gbs_table *t = reads_at("t.csv", "a,b\n1,NA\n", 0, &options);
    assert_true(t->columns[1].skipped && !t->columns[0].skipped && !t->columns[1].is_text);
    gbs_table_free(t);
}

static void csv_missing_cells_are_kept_on_request(void **state) {
    (void)state;
    reads("a,b\n1,\nNA,x\nnan,\"\"\n,NaN\n2,y\n", KEEP, true, 5, 2,
          CELLS(1, NAN, NAN, 0, NAN, NAN, NAN, NAN, 2, 1));
    reads("a,b\n,1\n,2\n", KEEP, true, 2, 2, CELLS(NAN, 1, NAN, 2));
}

static void lines_of_rows_are_known(void **state) {
    (void)state;
    for (size_t i = 0; i < N_BUFFERS; i++) {
        gbs_table *t = reads_at("t.csv", "a,b\n1,x\n2,\"y\nz\"\n\n3,x\n", buffer_sizes[i], DETECT);
        assert_int_equal(gbs_table_line(t, 0), 2);
        assert_int_equal(gbs_table_line(t, 1), 3);
        assert_int_equal(gbs_table_line(t, 2), 6);
        gbs_table_free(t);
        t = reads_at("t.csv", "a\r\n1\r\n2\r\n", buffer_sizes[i], DETECT);
        assert_null(t->line);
        assert_int_equal(gbs_table_line(t, 1), 3);
        gbs_table_free(t);
        t = reads_at("t.svm", "# top\n1 1:1\n\n-1 2:1 # end\n", buffer_sizes[i], DETECT);
        assert_int_equal(gbs_table_line(t, 0), 2);
        assert_int_equal(gbs_table_line(t, 1), 4);
        gbs_table_free(t);
    }
}

/* ---------------------------------------------------------------- csv: what is refused */

static void csv_later_text_in_a_numeric_column_is_refused(void **state) {
    (void)state;
    fails("train.csv", "id,sex,age\n1,m,3\n2,f,4\n3,m,abc\n", DETECT,
          "train.csv:4: column 'age' (column 3): expected a number, found 'abc' (lines 2 to 3 hold "
          "numbers; `na-values` takes such cells as missing, `text` age the column as categories)");
    fails("train.csv", "1,my\n2x,3\n", NO_HEADER,
          "train.csv:2: column 1: expected a number, found '2x' (line 1 holds a number; "
          "`na-values` takes such cells as missing, `text` 1 the column as categories)");
    fails("train.csv", "my age\n1\n0x10\n", DETECT,
          "train.csv:3: column 'my age' (column 1): expected a number, found '0x10' (line 2 holds "
          "a number; `na-values` takes such cells as missing, `text` `my age` the column as "
          "categories)");
}

static void csv_missing_values_are_refused(void **state) {
    (void)state;
    fails("t.csv", "age,a\n1,2\nNA,3\n", DETECT,
          "t.csv:3: column 'age' (column 1): the value is missing ('NA'); `missing` drop does "
          "without such rows, impute fills them in, `drop` age leaves out the column");
    fails("t.csv", "a,age\nx,2\n,3\n", DETECT,
          "t.csv:3: column 'a' (column 1): the value is missing (''); `missing` drop does without "
          "such rows, impute fills them in, `drop` a leaves out the column");
    fails("t.csv", "a,age\n1,2\n3,NA\n", DETECT, /* the last column is the label */
          "t.csv:3: column 'age' (column 2): the label is missing ('NA'); `missing` drop does "
          "without such rows");
}

static void csv_infinite_and_too_large_numbers_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a\n1\n-inf\n", KEEP,
          "t.csv:3: column 'a' (column 1): '-inf' is not a finite number");
    fails("t.csv", "a\nInfinity\n", DETECT,
          "t.csv:2: column 'a' (column 1): 'Infinity' is not a finite number");
    fails("t.csv", "a\n1\n1e400\n", DETECT,
          "t.csv:3: column 'a' (column 1): '1e400' is too large for a double");
    reads("a\n1e-400\n", DETECT, true, 1, 1, CELLS(0));
}

static void csv_ragged_rows_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a,b,c\n1,2,3\n1,2\n", DETECT, "t.csv:3: 2 cells, but the header has 3");
    fails("t.csv", "a,b\n1,2,3,4\n", DETECT, "t.csv:2: 4 cells, but the header has 2");
    fails("t.csv", "a,b\n1,2,\n", DETECT,
          "t.csv:2: 3 cells, but the header has 2 (if lines begin with row names, the header needs "
          "an empty name there; if they end in a separator, so must it)");
    fails("t.csv", "a,b\n1,2\n1,2,3\n", DETECT, "t.csv:3: 3 cells, but the header has 2");
    fails("t.csv", "a title\na,b\n1,2\n", DETECT,
          "t.csv:2: 2 cells, but the header has 1 (if line 1 is a title: take it out, or begin it "
          "with #)");
    fails("t.csv", "\n1,2\n3\n", DETECT, "t.csv:3: 1 cell, but line 2 has 2");
    fails("t.csv", "1,x\n3\n", DETECT, "t.csv:2: 1 cell, but line 1 has 2");
}

static void csv_quotes_gone_wrong_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a,b\n1,\"x\ny\"\n2,\"z\n3,w\n", DETECT,
          "t.csv:4: the quote opened here is never closed");
    fails("t.csv", "a,b\n1,\"x\"y\n", DETECT,
          "t.csv:2: column 2: text follows the closing quote of 'x'");
    fails("t.csv", "a,b\n1,\"\"\"", DETECT, "t.csv:2: the quote opened here is never closed");
}

static void csv_binary_files_are_refused(void **state) {
    (void)state;
    fails_with_bytes("t.csv", "a,b\n1,2\n\0,3\n", 12, DETECT, GBS_ERR_DATA,
                     "t.csv: not a text file: NUL byte at line 3");
    fails_with_bytes("t.csv", "a,b\n1,\"\n\0\",3\n", 13, DETECT, GBS_ERR_DATA,
                     "t.csv: not a text file: NUL byte at line 3");
    fails_with_bytes("t.csv",
                     "\xff\xfe"
                     "a\0",
                     4, DETECT, GBS_ERR_DATA,
                     "t.csv: the file is UTF-16 text; expected UTF-8, which `iconv -f UTF-16 "
                     "-t UTF-8 t.csv > utf8.csv` makes of it");
    fails("t.csv", "a,b\n1,\xe9t\xe9\n", DETECT,
          "t.csv:2: column 'b' (column 2): '\\xe9t\\xe9' is not UTF-8 text; if it is Latin-1, "
          "`iconv -f latin1 -t UTF-8 t.csv > utf8.csv` converts the file");
    fails("t.csv", "a,\xff\n1,2\n", DETECT,
          "t.csv:1: the name '\\xff' of column 2 is not UTF-8 text; if it is Latin-1, `iconv -f "
          "latin1 -t UTF-8 t.csv > utf8.csv` converts the file");
}

static void csv_empty_files_are_refused(void **state) {
    (void)state;
    fails("t.csv", "", DETECT, "t.csv: the file is empty");
    fails("t.csv", "\n \n", DETECT, "t.csv: the file is empty");
    fails("t.csv", "a,b\n", DETECT,
          "t.csv: the file has a header but no rows (if its only line holds data: `no-header`)");
    fails("t.csv", "a,b\n\n", &(gbs_reading){.header = 1},
          "t.csv: the file has a header but no rows");
}

static void csv_decimal_commas_are_refused(void **state) {
    (void)state;
    fails("t.csv", "a;b\n1,5;2\n", DETECT,
          "t.csv:2: column 'a' (column 1): '1,5' has a decimal comma (`decimal` ,)");
}

static void messages_cut_and_escape_what_they_show(void **state) {
    (void)state;
    fails("t.csv", "a\n1\nx\x1b[31m\x07\xc2\x9b\xc3\xa9\n", DETECT,
          "t.csv:3: column 'a' (column 1): expected a number, found "
          "'x\\x1b[31m\\x07\\xc2\\x9b\xc3\xa9' (line 2 holds a "
          "number; `na-values` takes such cells as missing, `text` a the column as categories)");
    fails("t.csv", "a\n1\n1234567890123456789012345678901234567890x\n", DETECT,
          "t.csv:3: column 'a' (column 1): expected a number, found "
          "'1234567890123456789012345678901234567890...' (line 2 "
          "holds a "
          "number; `na-values` takes such cells as missing, `text` a the column as categories)");
}

static void csv_oversized_input_is_refused(void **state) {
    (void)state;
    size_t size;
    char *text = repeated("a\n", "x", 100000000, &size);
    fails_at_usual_size(
        text, size, "t.csv:2: a cell is longer than 1 MiB; is this a text file with separators?");
    text = repeated("a,b\n1,\"", "x,\n", 1000000, &size);
    fails_at_usual_size(
        text, size,
        "t.csv:2: the quote opened here is not closed within 1 MiB, the longest a cell may be");
    text = repeated("", "1,", 1000001, &size);
    fails_at_usual_size(text, size, "t.csv:1: more than 1000000 columns");
    static char long_cell[1001];
    memset(long_cell, 'x', 999);
    long_cell[999] = ',';
    text = repeated("", long_cell, 100000, &size);
    fails_at_usual_size(
        text, size,
        "t.csv:1: the record is longer than 64 MiB; are there line breaks in the file?");
}

static void csv_identifiers_are_refused_as_categories(void **state) {
    (void)state;
    char *text = malloc(1 << 20);
    size_t size = (size_t)snprintf(text, 8, "id\n");
    for (int i = 0; i <= 100000; i++)
        size += (size_t)snprintf(text + size, 16, "u%d\n", i);
    gbs_table *t;
    char error[512];
    assert_int_equal(read_memory("t.csv", text, size, 0, DETECT, &t, error), GBS_ERR_DATA);
    assert_string_equal(error, "t.csv:100002: column 'id' (column 1) has more than 100000 "
                               "different texts; it looks like an identifier "
                               "(`drop` id leaves it out)");
    /* One level fewer is read, each by its own number. */
    size -= strlen("u100000\n");
    t = must_read("t.csv", text, size, 0, DETECT);
    assert_int_equal(t->columns[0].n_levels, 100000);
    assert_true(t->cells[54321] == 54321);
    assert_string_equal(t->columns[0].levels[54321], "u54321");
    gbs_table_free(t);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(csv_quotes_gone_wrong_are_refused),
        cmocka_unit_test(csv_binary_files_are_refused),
        cmocka_unit_test(csv_empty_files_are_refused),
        cmocka_unit_test(csv_decimal_commas_are_refused),
        cmocka_unit_test(messages_cut_and_escape_what_they_show),
        cmocka_unit_test(csv_oversized_input_is_refused),
        cmocka_unit_test(csv_identifiers_are_refused_as_categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
