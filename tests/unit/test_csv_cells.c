/* The cells of the CSV reader against libcsv, and its numbers whatever the size of the buffer. */
#include "unit/table_support.h"

#include <csv.h>

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
    static const char *const plain[] = {
        "x", "1", "NA", "nan", "", "a b", "5\" pipe", "\xc3\xa9", "-2.5e3", "long text of a cell"};
    static const char *const inside[] = {"x", ",", "\n", "\r\n", "\"\"",
                                         " ", "7", "\t", ";",    "\"\"\"\""};
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
        gbs_reading options = {.header = 0, .text = all, .n_text = d, .keep_missing = true};
        gbs_table *t;
        gbs_status status = read_memory("t.csv", text, size, buffer_sizes[k % (int)N_BUFFERS],
                                        &options, &t, error);
        if (oracle.n_rows == 0) {
            assert_int_equal(status, GBS_ERR_DATA);
            continue;
        }
        if (t == NULL) {
            fail_msg("%s in <%.*s>", error, (int)size, text);
            abort();
        }
        assert_int_equal(t->n_rows, oracle.n_rows);
        assert_int_equal(t->n_rows * t->n_columns, oracle.n);
        for (size_t i = 0; i < oracle.n; i++) {
            bool missing = counts_as_missing(oracle.cell[i]);
            assert_int_equal(missing, isnan(t->cells[i]) != 0);
            if (!missing)
                assert_string_equal(t->columns[i % d].levels[(size_t)t->cells[i]], oracle.cell[i]);
        }
        gbs_table_free(t);
    }
}

static void csv_numbers_survive_every_buffer_size(void **state) {
    (void)state;
    static char text[60000];
    static double cells[1500];
    size_t size = 0;
    for (size_t k = 0; k < 1500; k++) {
        double x = ldexp((double)(int64_t)random_bits(), -(int)below(70));
        size += (size_t)sprintf(text + size, "%.*g%s", k % 2 ? 17 : 4, x,
                                k % 5 == 4 ? "\r\n" : ",");
    }
    char *p = text;
    for (size_t k = 0; k < 1500; k++) {
        cells[k] = strtod(p, &p);
        p += strspn(p, ",\r\n");
    }
    for (size_t buffer = 1; buffer < 64; buffer++) {
        gbs_table *t = reads_at("t.csv", text, buffer, DETECT);
        assert_int_equal(t->n_rows, 300);
        assert_memory_equal(t->cells, cells, sizeof cells);
        assert_null(t->line);
        gbs_table_free(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_random_files_agree_with_libcsv),
        cmocka_unit_test(csv_numbers_survive_every_buffer_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
