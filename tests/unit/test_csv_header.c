/* Is line 1 a header? What the lines below say of it, and where the options have to. */
#include "unit/table_support.h"

enum { DATA, NAMES, ASKS };

/* `first`, and `rows` lines below it made of the patterns, one a column: each letter of a pattern
 * is the cell of one line, in turn; '#' a number with decimals that no other line has, '@' a whole
 * one, '$' a text that no other line has. */
static char *file_of(const char *first, size_t rows, size_t columns, const char *const *pattern) {
    char *text = malloc(1 << 16);
    size_t n = (size_t)sprintf(text, "%s\n", first);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            char c = pattern[j][i % strlen(pattern[j])];
            const char *end = j + 1 < columns ? "," : "\n";
            if (c == '#')
                n += (size_t)sprintf(text + n, "%.2f%s", 0.37 * (double)i - 3.1, end);
            else if (c == '@')
                n += (size_t)sprintf(text + n, "%zu%s", 10 + i, end);
            else if (c == '$')
                n += (size_t)sprintf(text + n, "t%zu%s", i, end);
            else
                n += (size_t)sprintf(text + n, "%c%s", c, end);
        }
    return text;
}

static void is(int expected, const char *first, size_t rows, size_t columns,
               const char *const *pattern) {
    char *text = file_of(first, rows, columns, pattern), error[512];
    for (size_t k = 0; k < N_BUFFERS; k++) {
        gbs_table *t;
        gbs_status status = read_memory("t.csv", text, strlen(text), buffer_sizes[k], KEEP, &t,
                                        error);
        if (expected == ASKS) {
            assert_int_equal(status, GBS_ERR_DATA);
            assert_non_null(strstr(error, "t.csv:1: is this line a header (`header`) or data"));
            continue;
        }
        if (status != GBS_OK || t->has_header != (expected == NAMES))
            fail_msg("'%s': %s", first, status == GBS_OK ? "taken for the other" : error);
        assert_int_equal(t->n_rows, rows + (expected == DATA));
        gbs_table_free(t);
    }
    free(text);
}

#define IS(expected, first, rows, ...)                                                             \
    is(expected, first, rows, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),         \
       (const char *const[]){__VA_ARGS__})

static void years_may_be_names(void **state) {
    (void)state;
    IS(NAMES, "name,2019,2020,better", 40, "ew", "#", "#", "yn");
    IS(NAMES, "2019,2020,2021,better", 40, "#", "#", "#", "yn");
    IS(NAMES, "2019,2020,2021,y", 3, "#", "#", "#", "01");
    IS(NAMES, "1100.5,1101.5,1102.5,class", 40, "#", "#", "#", "ab");
    IS(ASKS, "2019,2020,2021,2022", 40, "#", "#", "#", "01");
    IS(ASKS, "2022,2021,2020,2019", 40, "#", "#", "#", "01");
    IS(DATA, "2019,2020,2021,1", 40, "#", "#", "#", "01"); /* 1 is found below */
    IS(DATA, "2019,2020", 2, "@", "@");                    /* too few to say */
}

static void rows_stay_rows(void **state) {
    (void)state;
    IS(DATA, "0.5,1,yes", 40, "#", "@", "yn");
    IS(DATA, "?,0.3,1", 40, "#", "#", "01");
    IS(DATA, "NA,0.3,y", 40, "#", "#", "yn");
    IS(DATA, "e,n,y", 40, "ew", "nm", "yn");
    IS(DATA, "e,0.5,new", 40, "ew", "#", "yn");
    IS(DATA, "900,800,700,y", 40, "@", "@", "@", "yn"); /* the largest of each column */
    IS(DATA, "unknown,0.3,1", 40, "#", "#", "01");      /* refused with a message of its own */
    IS(DATA, "e,n", 1, "e", "q");
}

static void names_are_no_values_of_their_columns(void **state) {
    (void)state;
    IS(NAMES, "class,cap-shape,odor", 40, "ep", "xbf", "nal");
    IS(NAMES, "class,e,odor,ring,veil", 40, "ep", "edf", "nal", "xy", "uvw"); /* but for one */
    IS(NAMES, "id,comment,label", 40, "$", "$", "yn");
    IS(NAMES, "a,b,label", 12, "#", "$", "yn");
    IS(NAMES, "id,0,1,2,label", 40, "@", "0123", "0123", "0123", "ab"); /* pixels */
    IS(ASKS, "a,b", 30, "$", "$");
    IS(ASKS, "unknown,n", 40, "#", "nm");
    IS(ASKS, "red,x", 1, "b", "y");
}

/* Files that were put together have the header again: that it is found below says nothing. */
static void the_header_once_more_says_nothing(void **state) {
    (void)state;
    gbs_table *t = reads_at("t.csv", "u,v\na,p\nb,q\na,q\nb,p\nu,v\na,p\nb,q\n", 64, DETECT);
    assert_true(t->has_header && t->n_rows == 7);
    gbs_table_free(t);
    fails("t.csv", "u,v\n1,2\n3,4\nu,v\n", DETECT,
          "t.csv:4: column 'u' (column 1): expected a number, found 'u' (lines 2 to 3 hold "
          "numbers; `na-values` takes such cells as missing, `text` u the column as categories) "
          "(the header once more?)");
}

static void a_title_among_separators_is_no_header(void **state) {
    (void)state;
    fails("t.csv", "My table,,\na,b,y\n1,2,3\n4,5,6\n", DETECT,
          "t.csv:1: one of 3 cells says anything; if this line is a title: take it out, or begin "
          "it with #");
}

/* A mistake below is told by the reader, not by the look. */
static void mistakes_below_are_told_once(void **state) {
    (void)state;
    fails("t.csv", "a,b\n1,2\n3,\"4\n", DETECT, "t.csv:3: the quote opened here is never closed");
    fails_with_bytes("t.csv", "a,b\n1,2\n\0,3\n", 12, DETECT, GBS_ERR_DATA,
                     "t.csv: not a text file: NUL byte at line 3");
}

/* A model that knows names, and one whose file had none. */
static gbs_status knows(void *user, const char *const *cell, size_t n, bool *out) {
    (void)user;
    *out = n == 2 && strcmp(cell[0], "0.5") == 0 && strcmp(cell[1], "e") == 0;
    return GBS_OK;
}

static void models_say_what_a_line_is(void **state) {
    (void)state;
    const gbs_reading named = {.header = -1, .from_model = true, .named = true, .knows = knows},
                      bare = {.header = -1, .from_model = true};
    gbs_table *t = reads_at("t.csv", "0.5,e\n0.7,e\n0.1,f\n", 64, &named);
    assert_true(t->has_header && t->n_rows == 2);
    gbs_table_free(t);
    t = reads_at("t.csv", "0.6,e\n0.7,e\n0.1,f\n", 64, &named);
    assert_true(!t->has_header && t->n_rows == 3);
    gbs_table_free(t);
    t = reads_at("t.csv", "red,x\nblue,y\n", 64, &bare); /* asked about elsewhere */
    assert_true(!t->has_header && t->n_rows == 2);
    gbs_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(years_may_be_names),
        cmocka_unit_test(rows_stay_rows),
        cmocka_unit_test(names_are_no_values_of_their_columns),
        cmocka_unit_test(the_header_once_more_says_nothing),
        cmocka_unit_test(a_title_among_separators_is_no_header),
        cmocka_unit_test(mistakes_below_are_told_once),
        cmocka_unit_test(models_say_what_a_line_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
