/* Files of cells: plain records are read many at a time, and what comes out, messages included, is
 * what one cell after the other gives. */
#include "table/cells.h"
#include "unit/table_support.h"

enum { ROOM = 1 << 18 };

static gbs_status read_cells(const char *data, size_t size, size_t buffer, gbs_cells_reading o,
                             bool one_by_one, gbs_cells **out, char error[512]) {
    gbs_bytes b;
    o.one_by_one = one_by_one;
    assert_int_equal(gbs_bytes_open_memory(table_context(), data, size, buffer, &b), GBS_OK);
    gbs_status status = gbs_cells_read_bytes(&b, "r.csv", &o, out);
    snprintf(error, 512, "%s", status != GBS_OK ? gbs_error_message(table_context()) : "");
    gbs_bytes_close(&b);
    return status;
}

static void same_cells(const gbs_cells *a, const gbs_cells *b) {
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->value != NULL, b->value != NULL);
    for (int side = 0; side < 2; side++) {
        assert_memory_equal(a->id[side], b->id[side], a->n * sizeof *a->id[side]);
        assert_int_equal(a->names[side].n, b->names[side].n);
        for (size_t k = 0; k < a->names[side].n; k++)
            assert_string_equal(a->names[side].text[k], b->names[side].text[k]);
    }
    if (a->value != NULL)
        assert_memory_equal(a->value, b->value, a->n * sizeof *a->value);
}

/* True where the file was read. */
static bool both_ways(const char *data, size_t size, gbs_cells_reading o) {
    gbs_cells *slow, *quick;
    char said[512], error[512];
    gbs_status expected = read_cells(data, size, 0, o, true, &slow, said);
    for (size_t i = 0; i < N_BUFFERS; i++) {
        gbs_status status = read_cells(data, size, buffer_sizes[i], o, false, &quick, error);
        assert_string_equal(error, said);
        assert_int_equal(status, expected);
        if (status == GBS_OK)
            same_cells(quick, slow);
        gbs_cells_free(quick);
    }
    gbs_cells_free(slow);
    return expected == GBS_OK;
}

/* ---------------------------------------------------------------- what a record becomes */

static void names_and_values(void **state) {
    (void)state;
    static const char text[] = "user,item,rating,time\r\n"
                               "7,a b,4.5,10\r\n"
                               "007,\"a b\",-1e-3,\"10\"\n"
                               "\n"
                               " 7 , abcdefgh,3, 11\n"
                               "1234567,abcdefg,+2,\n"
                               "12345678,\"a \"\"b\",.5,x\n"
                               "7,\xc3\xa9,0,1";
    static const uint32_t rows[] = {0, 1, 0, 2, 3, 0}, columns[] = {0, 0, 1, 2, 3, 4};
    static const double values[] = {4.5, -1e-3, 3.0, 2.0, 0.5, 0.0};
    static const char *const names[] = {"a b", "abcdefgh", "abcdefg", "a \"b", "\xc3\xa9"};
    gbs_cells_reading o = {.header = -1, .values = true};
    gbs_cells *t;
    char error[512];
    assert_true(both_ways(text, sizeof text - 1, o));
    assert_int_equal(read_cells(text, sizeof text - 1, 0, o, false, &t, error), GBS_OK);
    assert_int_equal(t->n, 6);
    assert_int_equal(t->names[0].n, 4);
    assert_int_equal(t->names[1].n, 5);
    assert_memory_equal(t->id[0], rows, sizeof rows);
    assert_memory_equal(t->id[1], columns, sizeof columns);
    assert_memory_equal(t->value, values, sizeof values);
    for (size_t k = 0; k < 5; k++)
        assert_string_equal(t->names[1].text[k], names[k]);
    gbs_cells_free(t);
}

/* The line and the words of a mistake behind records that were taken together. */
static void mistakes(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"3,,2", "r.csv:103: column 'col' (column 2): the identifier is missing"},
        {"3,4,", "r.csv:103: column 'value' (column 3): the value is missing ('')"},
        {"3,4,x", "r.csv:103: column 'value' (column 3): expected a number, found 'x'"},
        {"3,4,6", "r.csv:103: column 'value' (column 3): 6 lies outside `range` 1:5"},
        {"3,4", "r.csv:103: 2 cells, but the first line has 3"},
        {"3,4,2,1", "r.csv:103: 4 cells, but the first line has 3"},
        {"3,\xff,2", "r.csv:103: column 'col' (column 2): '\\xff' is not UTF-8 text"},
        {"\xfftoolong,4,2", "r.csv:103: column 'row' (column 1): '\\xfftoolong' is not UTF-8 text"},
        {"3,\"4", "r.csv:103: the quote opened here is never closed"},
    };
    gbs_cells_reading o = {.header = -1, .values = true, .has_range = true, .low = 1, .high = 5};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[4000], error[512];
        size_t size = (size_t)sprintf(text, "row,col,value\n");
        for (int i = 0; i < 101; i++)
            size += (size_t)sprintf(text + size, "%d,%d,%d\n", i % 7, i % 11, 1 + i % 5);
        size += (size_t)sprintf(text + size, "%s\n", cases[k].line);
        if (k % 2 == 0) /* whatever follows */
            size += (size_t)sprintf(text + size, "1,1,1\n8,,9\n");
        if (strchr(cases[k].line, '"') != NULL)
            size = strlen(text);
        gbs_cells *t;
        assert_false(both_ways(text, size, o));
        assert_int_equal(read_cells(text, size, 0, o, false, &t, error), GBS_ERR_DATA);
        assert_string_equal(error, cases[k].message);
    }
}

/* Of two mistakes in a record the first in the file is told, whichever column comes first. */
static void first_mistake(void **state) {
    (void)state;
    static const char text[] = "item,user,rating\n1,2,3\nabcdefgh\xff,abcdefgh\xfe,2\n1,3,4\n";
    gbs_cells_reading o = {.header = -1, .values = true};
    gbs_cells *t;
    char error[512];
    assert_false(both_ways(text, sizeof text - 1, o));
    assert_int_equal(read_cells(text, sizeof text - 1, 0, o, false, &t, error), GBS_ERR_DATA);
    assert_string_equal(error,
                        "r.csv:3: column 'col' (column 1): 'abcdefgh\\xff' is not UTF-8 text");
}

/* Of pairs without values a column of values is none of the two; and the line that tells a header
 * has as many cells as it. */
static void pairs_have_two_cells(void **state) {
    (void)state;
    static const char text[] = "film,rating\nx,3\n";
    gbs_cells_reading o = {.header = -1};
    gbs_cells *t;
    char error[512];
    assert_int_equal(read_cells(text, sizeof text - 1, 0, o, false, &t, error), GBS_ERR_DATA);
    assert_non_null(
        strstr(error, "r.csv:1: the header has 2 columns, and none that is called row"));
    static const char narrow[] = "who,what\n4\n";
    assert_int_equal(read_cells(narrow, sizeof narrow - 1, 0, o, false, &t, error), GBS_ERR_DATA);
    assert_string_equal(error, "r.csv:2: 1 cell, but the first line has 2");
}

/* ---------------------------------------------------------------- any file */

static size_t random_name(char *to) {
    static const char *const odd[] = {"",        " 5",      "5 ",       "a b",      "\"x\"", "\"\"",
                                      "\"a,b\"", "\"a\"\"", "\"a\nb\"", "\xc3\xa9", "5\"",   "\t5",
                                      "#5",      "\"a\" ",  "\"a\"x",   "\xe9\xff"};
    switch (below(60)) {
    case 0:
        return (size_t)sprintf(to, "%s", odd[below(16)]);
    case 1:
        return (size_t)sprintf(to, "\"%zu\"", below(50));
    case 2:
        return (size_t)sprintf(to, "%0*zu", (int)below(12) + 1, below(50));
    case 3:
        return (size_t)sprintf(to, "name %0*d", (int)below(300) + 1, 7);
    default:
        return (size_t)sprintf(to, "%zu", below(2000));
    }
}

static size_t random_value(char *to) {
    static const char *const odd[] = {"",   "x",    "NA",  " 2", "2 ",    "\"2\"", "6",
                                      "-1", "1e99", "inf", "2x", "1e101", "0x1",   "+3"};
    if (below(150) == 0)
        return (size_t)sprintf(to, "%s", odd[below(14)]);
    return (size_t)sprintf(to, "%.*g", (int)below(17) + 1, 1.0 + 4e-6 * (double)below(1000000));
}

static size_t random_file(char *to, size_t records, bool clean) {
    static const char separators[] = ",\t;|";
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", "\n#\n", " \n"};
    char separator = separators[below(4)];
    size_t n = 0, extra = below(3) == 0, usual = below(2);
    static const char *const headers[] = {"row,col,value", "col,row,value", "item,user,rating"};
    if (below(2))
        n = (size_t)sprintf(to, "%s%s%s\n", below(4) ? "" : "# a comment\n", headers[below(3)],
                            extra ? ",time" : "");
    for (size_t k = 0; k < n; k++)
        to[k] = to[k] == ',' ? separator : to[k];
    for (size_t i = 0; i < records; i++) {
        for (int side = 0; side < 2; side++) {
            n += clean ? (size_t)sprintf(to + n, "%zu", 1 + below(2000)) : random_name(to + n);
            to[n++] = separator;
        }
        n += clean ? (size_t)sprintf(to + n, "%zu", 1 + below(5)) : random_value(to + n);
        if (extra)
            n += (size_t)sprintf(to + n, "%c%zu", separator, below(100));
        n += (size_t)sprintf(to + n, "%s", ends[below(clean ? 100 : 40) == 0 ? below(6) : usual]);
    }
    return n - below(2); /* with the last line end, or without */
}

static void any_file(void **state) {
    (void)state;
    static char text[ROOM];
    size_t files = 0;
    for (int k = 0; k < 3000; k++) {
        gbs_cells_reading o = {.header = (int)below(2) - 1,
                               .values = below(4) > 0,
                               .has_range = below(3) == 0,
                               .low = 1.0,
                               .high = 5.0};
        size_t size = random_file(text, 1 + below(200), below(2));
        files += both_ways(text, size, o);
        for (size_t i = below(3); i > 0; i--) { /* and some bytes of it others */
            text[below(size)] = "\0\n\r,\"x5 \xff"[below(9)];
            both_ways(text, size, o);
        }
    }
    assert_true(files > 500);
}

/* Longer than what is looked at first, so that records are cut by the window. */
static void long_files(void **state) {
    (void)state;
    static char text[ROOM];
    for (int k = 0; k < 8; k++) {
        gbs_cells_reading o = {.header = -1, .values = k % 2 == 0};
        size_t size = random_file(text, 14000, true);
        assert_true(size > 1 << 17 && size < ROOM);
        both_ways(text, size, o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values), cmocka_unit_test(mistakes),
        cmocka_unit_test(first_mistake),    cmocka_unit_test(pairs_have_two_cells),
        cmocka_unit_test(any_file),         cmocka_unit_test(long_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
