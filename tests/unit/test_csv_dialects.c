/* Separators, decimal signs, comments, double names, and what counts as missing. */
#include "unit/table_support.h"

#include <math.h>

#define DETECT (&(gbs_reading){.header = -1})
#define KEEP (&(gbs_reading){.header = -1, .keep_missing = true})

static void separators_are_found_or_told(void **state) {
    (void)state;
    const double cells[] = {1.0, 2.5, 3.0, 4.0};
    reads("a|b\n1|2.5\n3|4\n", DETECT, true, 2, 2, cells);
    reads("a\tb\n1\t2.5\n3\t4\n", DETECT, true, 2, 2, cells);
    reads("a:b\n1:2.5\n3:4\n", &(gbs_reading){.header = -1, .separator = ':'}, true, 2, 2, cells);
    reads("a;b\n1;2,5\n3;4\n", &(gbs_reading){.header = -1, .comma = true}, true, 2, 2, cells);
    reads("a,b\n1,\"2,5\"\n3,4\n", &(gbs_reading){.header = -1, .comma = true}, true, 2, 2, cells);
}

/* Excel's own first line is no row, and says what separates cells. */
static void a_line_that_names_the_separator_is_understood(void **state) {
    (void)state;
    const double cells[] = {1.0, 2.5, 3.0, 4.0};
    reads("sep=,\na,b\n1,2.5\n3,4\n", DETECT, true, 2, 2, cells);
    reads("\xef\xbb\xbfSEP=;\r\na;b\r\n1;2.5\r\n3;4\r\n", DETECT, true, 2, 2, cells);
    reads("\"sep=:\"\r# note\r\na:b\r1:2.5\r3:4\r", DETECT, true, 2, 2, cells);
    reads("sep=\t\na,x\tb\n1\t2.5\n3\t4\n", DETECT, true, 2, 2, cells);
    reads("sep=;\na|b\n1|2.5\n3|4\n", &(gbs_reading){.header = -1, .separator = '|'}, true, 2, 2,
          cells);
    reads("sep=;\na;b\n1;2,5\n3;4\n", &(gbs_reading){.header = -1, .comma = true}, true, 2, 2,
          cells);
    fails("t.csv", "sep=;\na;b\n1;2\n3\n", DETECT, "t.csv:4: 1 cell, but the header has 2");
    fails("t.csv", "sep=,\na,b\n1,2\n", &(gbs_reading){.header = -1, .comma = true},
          "t.csv:1: commas separate the cells by this line, and are the decimal sign by `decimal`: "
          "cells cannot be told apart");
    static const char *const names[] = {"sep=x,b\n1,2\n", "sep=,b\n1,2\n", "sep=\n1\n",
                                        "\"sep=;\",b\n1,2\n"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        gbs_table *t = reads_at("t.csv", names[k], 64, DETECT); /* a header */
        assert_true(t->has_header && t->n_rows == 1 && strncmp(t->columns[0].name, "sep=", 4) == 0);
        gbs_table_free(t);
    }
    fails("t.csv", "sep=,\n", DETECT, "t.csv: the file is empty");
}

/* Between thousands or in front of decimals? Where the decimal sign is a comma a point is neither
 * without a word; dates, marks and columns of texts have theirs. */
static void points_beside_decimal_commas_are_refused(void **state) {
    (void)state;
    const char *const name[] = {"a"};
    const gbs_reading comma = {.header = -1, .comma = true},
                      text = {.header = -1, .comma = true, .text = name, .n_text = 1},
                      model = {.header = -1, .comma = true, .from_model = true};
    static const char *const cells[] = {"5.469", "-5.469", "1.234.567", "2.822,5",
                                        "0.5",   ".5",     "5.",        "1.5e3"};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        char file[80], message[320];
        snprintf(file, sizeof file, "a;b\n824;0,1\n%s;0,2\n", cells[k]);
        snprintf(message, sizeof message,
                 "t.csv:3: column 'a' (column 1): '%s' has a point, where the decimal sign is a "
                 "comma; take points between thousands out of the file, or treat the column as "
                 "categories (`text` a) or leave it out (`drop` a)",
                 cells[k]);
        fails("t.csv", file, &comma, message);
        snprintf(file, sizeof file, "a;b\n\n%s;0,2\n", cells[k]); /* the first of its column */
        fails("t.csv", file, &comma, message);
        gbs_table *t = reads_at("t.csv", file, 64, &text);
        assert_string_equal(t->columns[0].levels[0], cells[k]);
        gbs_table_free(t);
    }
    fails("t.csv", "a;b\n5.469;1\n", &model,
          "t.csv:2: column 'a' (column 1): '5.469' has a point, where the decimal sign is a comma; "
          "take points between thousands out of the file, or say `decimal` .");
    reads("a;b\n1,5e3;.\n-2;1e3\n",
          &(gbs_reading){.header = -1, .comma = true, .keep_missing = true}, true, 2, 2,
          (const double[]){1500.0, NAN, -2.0, 1000.0});
    gbs_table *t = reads_at("t.csv", "a;b\n31.12.2024;1.2.3\n1.1.2025;b\n", 64, &comma);
    assert_true(t->columns[0].is_text && t->columns[1].is_text);
    gbs_table_free(t);
}

/* 1,5 is a number where the comma is the decimal sign, in the first line too. */
static void decimal_commas_make_no_header(void **state) {
    (void)state;
    const gbs_reading comma = {.header = -1, .comma = true};
    gbs_table *t = reads_at("t.csv", "1,5;2,5;no\n1;2;yes\n", 64, &comma);
    assert_true(!t->has_header && t->n_rows == 2 && t->cells[1] == 2.5);
    gbs_table_free(t);
    t = reads_at("t.csv", "a;no\n1,5;yes\n", 64, &comma);
    assert_true(t->has_header && t->n_rows == 1);
    gbs_table_free(t);
}

/* What pandas writes above a frame without names may be a row: the options say. */
static void numbers_of_the_columns_are_in_doubt(void **state) {
    (void)state;
    const char *doubt = "t.csv:1: this line counts the columns (%d, %d, ...): is it a header "
                        "(`header`) or data (`no-header`)?";
    const gbs_reading model = {.header = -1, .from_model = true, .keep_missing = true},
                      named = {.header = -1, .from_model = true, .named = true};
    static const char *const files[] = {"0,1,2\n5,6,7\n", "1,2,3\n5,6,7\n", "0,1,2,y\n5,6,7,z\n",
                                        ",0,1\n0,5,6\n",  "0,1,2\n",        ",0,1,2\n17,5,6,7\n"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char message[160];
        snprintf(message, sizeof message, doubt, k == 1, 1 + (k == 1));
        fails("t.csv", files[k], KEEP, message);
        fails("t.csv", files[k], &model, message);
        if (k == 4) /* no rows */
            continue;
        gbs_table *t = reads_at("t.csv", files[k], 64, &(gbs_reading){.header = 1});
        assert_true(t->has_header && t->n_rows == 1);
        gbs_table_free(t);
        t = reads_at("t.csv", files[k], 64, &(gbs_reading){.header = 0, .keep_missing = true});
        assert_true(!t->has_header && t->n_rows == 2);
        gbs_table_free(t);
        t = reads_at("t.csv", files[k], 64, &named);
        assert_true(t->has_header && t->n_rows == 1);
        gbs_table_free(t);
    }
}

/* Row numbers below the empty cell show that the line is a header; two columns, other numbers and
 * a file whose first column holds names leave no doubt that it is none. */
static void other_first_lines_of_numbers_are_not(void **state) {
    (void)state;
    static const char *const rows[] = {"0,1\n5,6\n",     ",0\n5,6\n",        "0,1,3\n5,6,7\n",
                                       "0,2,3\n5,6,7\n", "0,1,1.5\n5,6,7\n", "2,3,4\n5,6,7\n"};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        gbs_table *t = reads_at("t.csv", rows[k], 64, KEEP);
        assert_true(!t->has_header && t->n_rows == 2);
        gbs_table_free(t);
    }
    const gbs_reading names = {.header = -1, .names_first = true};
    gbs_table *t = reads_at("t.csv", "0,1,2\n5,6,7\n", 64, &names);
    assert_true(!t->has_header && t->n_rows == 2);
    gbs_table_free(t);
    t = reads_at("t.csv", ",0,1,2\n0,5,6,7\n1,8,9,9\n", 64, DETECT);
    assert_true(t->has_header && t->n_rows == 2 && t->columns[0].unnamed);
    assert_string_equal(t->columns[3].name, "2");
    gbs_table_free(t);
}

/* From 2^53 on not every whole number is a double: one that would become another is refused, unless
 * a model wants a number there. */
static void whole_numbers_that_lose_digits_are_refused(void **state) {
    (void)state;
    const char *const name[] = {"a"};
    const gbs_reading text = {.header = -1, .text = name, .n_text = 1},
                      drop = {.header = -1, .drop = name, .n_drop = 1},
                      model = {.header = -1, .from_model = true};
    static const char *const lossy[] = {"9007199254740993", "-9007199254740993",
                                        "0009007199254740993", "123456789012345678901234567890"};
    for (size_t k = 0; k < sizeof lossy / sizeof *lossy; k++) {
        char file[100], message[320];
        snprintf(file, sizeof file, "a,b\n1,2\n%s,3\n", lossy[k]);
        snprintf(
            message, sizeof message,
            "t.csv:3: column 'a' (column 1): '%s' loses digits as a number, which has room for "
            "whole numbers to 2^53; `text` a keeps them, `drop` a leaves the column out, and "
            "a measurement is written with a point or an exponent",
            lossy[k]);
        fails("t.csv", file, DETECT, message);
        gbs_table *t = reads_at("t.csv", file, 64, &text);
        assert_string_equal(t->columns[0].levels[1], lossy[k]);
        gbs_table_free(t);
        gbs_table_free(reads_at("t.csv", file, 64, &drop));
        gbs_table_free(reads_at("t.csv", file, 64, &model));
    }
    reads("a,b\n9007199254740992,9007199254740994\n100000000000000000000,9007199254740993.0\n"
          "9007199254740993e0,-36893488147419103232\n",
          DETECT, true, 3, 2,
          (const double[]){0x1p53, 0x1p53 + 2.0, 1e20, 0x1p53, 0x1p53, -0x1p65});
}

/* Any number of blanks is one separator, at the ends of a line none. */
static void blanks_separate_when_told(void **state) {
    (void)state;
    const gbs_reading blank = {.header = -1, .separator = ' '};
    reads("a b\n1 2.5\n3 4\n", &blank, true, 2, 2, (const double[]){1.0, 2.5, 3.0, 4.0});
    reads("  a \t b  \r\n 1\t\t2.5 \r\n\r\n3   4", &blank, true, 2, 2,
          (const double[]){1.0, 2.5, 3.0, 4.0});
    gbs_table *t = reads_at("t.csv", "a b\n\"one word\" 2\n\"c\"  3 \n", 1, &blank);
    assert_true(t->n_rows == 2 && t->n_columns == 2 && t->cells[1] == 2.0 && t->cells[3] == 3.0);
    assert_string_equal(t->columns[0].levels[0], "one word");
    gbs_table_free(t);
    fails("t.csv", "a b\n1 2 3\n", &blank,
          "t.csv:2: 3 cells, but the header has 2 (if lines begin with row names, the header needs "
          "an empty name there; if they end in a separator, so must it)");
    fails("t.csv", "a b\n1 2\n\"x\"y 2\n", &blank,
          "t.csv:3: column 1: text follows the closing quote of 'x'");
}

/* A separator at the end of each line makes a column of neither a name nor a value. */
static void what_line_ends_make_is_left_out(void **state) {
    (void)state;
    gbs_table *t = reads_at("t.csv", "a,y,\n1,2,\n3,4,\n", 3, DETECT);
    assert_true(t->columns[2].unnamed && t->columns[2].skipped && !t->columns[1].skipped);
    gbs_table_free(t);
    fails("t.csv", "a,y,\n1,2,\n3,4,\n5,6,7\n", DETECT,
          "t.csv:2: column 'V3' (column 3): the value is missing (''); `missing` drop does without "
          "such rows, impute fills them in, `drop` V3 leaves out the column");
    fails("t.csv", "a,y,\n1,2,\n3,4,word\n", DETECT,
          "t.csv:2: column 'V3' (column 3): the value is missing (''); `missing` drop does without "
          "such rows, impute fills them in, `drop` V3 leaves out the column");
    t = reads_at("t.csv", "a,y,\n1,2,\n3,4,5\n", 64, KEEP); /* values come: it is a column */
    assert_true(!t->columns[2].skipped && isnan(t->cells[2]) && t->cells[5] == 5.0);
    gbs_table_free(t);
    fails("t.csv", "a,y\n1,2\n3,\n", DETECT,
          "t.csv:3: column 'y' (column 2): the label is missing (''); `missing` drop does without "
          "such rows");
}

/* A message about a missing cell says what it is for, and offers what helps there. */
static void missing_cells_are_called_what_they_are(void **state) {
    (void)state;
    const gbs_reading fit = {.header = -1, .weights = "w", .group = "3", .target = "4"},
                      model = {.header = -1, .from_model = true},
                      labels = {.header = -1, .from_model = true, .target = "l"},
                      fills = {.header = -1, .from_model = true, .fills = true};
    const char *drop = "`missing` drop does without such rows";
    static const char *const names[] = {"a", "w", "g", "l"}, *const what[] = {"value", "weight",
                                                                              "group", "label"};
    for (size_t k = 0; k < 4; k++) {
        char file[40] = "a,w,g,l\n", message[240];
        for (size_t j = 0; j < 4; j++)
            snprintf(file + strlen(file), sizeof file - strlen(file), "%s%s", j == k ? "" : "1",
                     j < 3 ? "," : "\n");
        snprintf(message, sizeof message,
                 "t.csv:2: column '%s' (column %zu): the %s is missing (''); %s%s", names[k], k + 1,
                 what[k], drop,
                 k == 0 ? ", impute fills them in, `drop` a leaves out the column" : "");
        fails("t.csv", file, &fit, message);
        snprintf(message, sizeof message,
                 "t.csv:2: column '%s' (column %zu): the %s is missing (''); %s", names[k], k + 1,
                 k == 3 ? "label" : "value", drop);
        fails("t.csv", file, &labels, message);
        snprintf(message, sizeof message,
                 "t.csv:2: column '%s' (column %zu): the value is missing (''); %s", names[k],
                 k + 1, drop);
        fails("t.csv", file, &model, message);
        size_t length = strlen(message);
        snprintf(message + length, sizeof message - length, ", impute fills them in");
        fails("t.csv", file, &fills, message);
    }
}

static void lines_of_comment_are_none_of_the_table(void **state) {
    (void)state;
    const double cells[] = {1.0, 2.0, 3.0, 4.0};
    reads("# made, by hand; \"\n#\na,b\n1,2\n3,4\n", DETECT, true, 2, 2, cells);
    reads("# one\n\n# two\r\n\r\n\na,b\n1,2\n3,4\n", DETECT, true, 2, 2, cells);
    reads("# note\n#a,b\n1,2\n3,4\n", DETECT, true, 2, 2, cells); /* a header */
    gbs_table *t = reads_at("t.csv", "# note\n#a,b\n1,2\n3,4\n", 64, DETECT);
    assert_string_equal(t->columns[0].name, "#a");
    assert_int_equal(gbs_table_line(t, 1), 4);
    gbs_table_free(t);
    /* below the header # begins a text, whatever is at the top */
    static const char *const files[] = {"a,b\n#1,2\n#2,3\n", "# note\na,b\n#1,2\n#2,3\n",
                                        "# note\n#1,2\nx,4\n#2,3\n"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        t = reads_at("t.csv", files[k], 64, k < 2 ? DETECT : NO_HEADER);
        assert_int_equal(t->n_rows, 2 + (k == 2));
        assert_string_equal(t->columns[0].levels[t->columns[0].n_levels - 1], "#2");
        gbs_table_free(t);
    }
    fails("t.csv", "# note\na,b\nx,2\n# a word\ny,4\n", DETECT,
          "t.csv:4: 1 cell, but the header has 2 (lines that begin with # are comments above the "
          "first line alone)");
    fails("t.csv", "# note\nid,b\n1,0.5\n#2,0.4\n3,0.1\n", DETECT,
          "t.csv:4: column 'id' (column 1): expected a number, found '#2' (line 3 holds a number; "
          "`na-values` takes such cells as missing, `text` id the column as categories) (lines "
          "that begin with # are comments above the first line alone)");
    fails("t.csv", "# note\n#\n\n# 1,2", DETECT,
          "t.csv: there are no rows: lines that begin with # at the top of a file are comments");
}

static void double_names_get_a_number(void **state) {
    (void)state;
    gbs_table *t = reads_at("t.csv", "a,b,a,a.2,a\n1,2,3,4,5\n", 64, DETECT);
    const char *const names[] = {"a", "b", "a.2", "a.2.2", "a.3"};
    for (size_t k = 0; k < 5; k++)
        assert_string_equal(t->columns[k].name, names[k]);
    gbs_table_free(t);
}

/* But for the label: which of two columns it is would be a guess. */
static void labels_of_a_double_name_are_asked_for(void **state) {
    (void)state;
    const char *const third[] = {"3"};
    fails("t.csv", "y,a,y,z,z\n1,2,3,4,5\n", DETECT,
          "t.csv:1: columns 1 and 3 are both called 'y': `target` 1 or `target` 3 says which of "
          "them holds the labels");
    fails("t.csv", "y,a,y,z,z\n1,2,3,4,5\n", &(gbs_reading){.header = -1, .target = "z"},
          "t.csv:1: columns 4 and 5 are both called 'z': `target` 4 or `target` 5 says which of "
          "them holds the labels");
    const gbs_reading fine[] = {{.header = -1, .target = "3"},
                                {.header = -1, .target = "a"},
                                {.header = -1, .target = "z.2"},
                                {.header = -1, .drop = third, .n_drop = 1},
                                {.header = -1, .from_model = true}};
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) {
        gbs_table *t = reads_at("t.csv", "y,a,y,z,z\n1,2,3,4,5\n", 64, &fine[k]);
        assert_string_equal(t->columns[2].name, "y.2");
        gbs_table_free(t);
    }
}

/* A mark is a level of a text column and a missing value of one of numbers, also where it comes
 * first. */
static void marks_are_missing_in_columns_of_numbers(void **state) {
    (void)state;
    static const char *const marks[] = {"?", "-", "--", ".", "n/a", "N/A", "#N/A", "null", "None"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
        char text[80];
        snprintf(text, sizeof text, "x,w\n%s,%s\n%s,b\n3,c\n", marks[k], marks[k], marks[k]);
        gbs_table *t = reads_at("t.csv", text, 64, KEEP);
        assert_true(!t->columns[0].is_text && t->columns[1].is_text);
        assert_true(isnan(t->cells[0]) && isnan(t->cells[2]) && t->cells[4] == 3.0);
        assert_int_equal(t->columns[1].n_levels, 3);
        assert_string_equal(t->columns[1].levels[0], marks[k]);
        gbs_table_free(t);
        snprintf(text, sizeof text, "x\n2\n%s\n3\n", marks[k]);
        reads(text, KEEP, true, 3, 1, (const double[]){2.0, NAN, 3.0});
    }
    fails("t.csv", "x,y\n1,2\n?,3\n", DETECT,
          "t.csv:3: column 'x' (column 1): the value is missing ('?'); `missing` drop does without "
          "such rows, impute fills them in, `drop` x leaves out the column");
    fails("t.csv", "x,y\n?,2\n\nn/a,3\n1,4\n", DETECT,
          "t.csv:2: column 'x' (column 1): the value is missing ('?'); `missing` drop does without "
          "such rows, impute fills them in, `drop` x leaves out the column");
}

static void declared_values_are_missing_everywhere(void **state) {
    (void)state;
    const char *const na[] = {"-999", "unknown"};
    gbs_reading o = {.header = -1, .keep_missing = true, .na = na, .n_na = 2};
    gbs_table *t = reads_at("t.csv", "x,w\n-999,unknown\n3,b\n-999.0,c\n", 64, &o);
    assert_true(isnan(t->cells[0]) && t->cells[2] == 3.0 && t->cells[4] == -999.0);
    assert_true(isnan(t->cells[1]) && t->columns[1].n_levels == 2);
    gbs_table_free(t);
}

/* A model knows which columns hold texts: of the others nothing but marks is missing numbers. */
static void a_model_settles_columns_of_marks(void **state) {
    (void)state;
    gbs_reading o = {.header = -1, .keep_missing = true, .from_model = true};
    gbs_table *t = reads_at("t.csv", "x,w\n?,1\n-,2\n", 64, &o);
    assert_true(!t->columns[0].is_text && isnan(t->cells[0]) && isnan(t->cells[2]));
    gbs_table_free(t);
    t = reads_at("t.csv", "x,w\n?,1\n-,2\n", 64, DETECT);
    assert_true(t->columns[0].is_text && t->columns[0].n_levels == 2);
    gbs_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_are_found_or_told),
        cmocka_unit_test(a_line_that_names_the_separator_is_understood),
        cmocka_unit_test(points_beside_decimal_commas_are_refused),
        cmocka_unit_test(decimal_commas_make_no_header),
        cmocka_unit_test(numbers_of_the_columns_are_in_doubt),
        cmocka_unit_test(other_first_lines_of_numbers_are_not),
        cmocka_unit_test(whole_numbers_that_lose_digits_are_refused),
        cmocka_unit_test(blanks_separate_when_told),
        cmocka_unit_test(what_line_ends_make_is_left_out),
        cmocka_unit_test(missing_cells_are_called_what_they_are),
        cmocka_unit_test(lines_of_comment_are_none_of_the_table),
        cmocka_unit_test(double_names_get_a_number),
        cmocka_unit_test(labels_of_a_double_name_are_asked_for),
        cmocka_unit_test(marks_are_missing_in_columns_of_numbers),
        cmocka_unit_test(declared_values_are_missing_everywhere),
        cmocka_unit_test(a_model_settles_columns_of_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
