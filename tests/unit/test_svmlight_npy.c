/* What the readers of svmlight and npy files promise: every rule of the formats, every message. */
#include "unit/table_support.h"

/* ---------------------------------------------------------------- svmlight */

static void svmlight_reads_rows(void **state) {
    (void)state;
    const char *text = "# a comment\n+1 1:0.5 3:-2e1 # tail 7:7\n\n-1\r\n  2.5\t2:1  2147483647:4 "
                       "\n-1 1:1#x\n0 5:0";
    const size_t starts[] = {0, 2, 2, 4, 5, 6};
    const uint32_t index[] = {0, 2, 1, 2147483646, 0, 4};
    const double value[] = {0.5, -20, 1, 4, 1, 0}, label[] = {1, -1, 2.5, -1, 0};
    for (size_t i = 0; i < N_BUFFERS; i++) {
        gbs_table *t = reads_at("t.svm", text, buffer_sizes[i], DETECT);
        assert_int_equal(t->n_rows, 5);
        assert_int_equal(t->n_columns, 2147483647);
        assert_null(t->cells);
        assert_null(t->columns);
        assert_memory_equal(t->row_start, starts, sizeof starts);
        assert_memory_equal(t->index, index, sizeof index);
        assert_memory_equal(t->value, value, sizeof value);
        assert_memory_equal(t->label, label, sizeof label);
        gbs_table_free(t);
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
        gbs_table *t = reads_at("t.svm", text, buffer, DETECT);
        assert_int_equal(t->n_rows, 100);
        assert_int_equal(t->row_start[100], n);
        assert_memory_equal(t->index, index, sizeof index);
        assert_memory_equal(t->value, value, sizeof value);
        gbs_table_free(t);
    }
}

static void svmlight_bad_indices_are_refused(void **state) {
    (void)state;
    fails("t.svm", "1 1:1\n1 0:5\n", DETECT, "t.svm:2: '0:5': indices count from 1");
    fails("t.svm", "1 3:1 2:5\n", DETECT,
          "t.svm:1: '2:5': indices must increase, but this one follows 3");
    fails("t.svm", "1 3:1 3:5\n", DETECT, "t.svm:1: '3:5': index 3 stands twice in the row");
    fails("t.svm", "1 2147483648:1\n", DETECT,
          "t.svm:1: '2147483648:1': the index is larger than 2147483647");
    fails("t.svm", "1 99999999999999999999999:1\n", DETECT,
          "t.svm:1: '99999999999999999999999:1': the index is larger than 2147483647");
    fails("t.svm", "1 18446744073709551617:1\n", DETECT,
          "t.svm:1: '18446744073709551617:1': the index is larger than 2147483647");
    fails("t.svm", "1 -1:1\n", DETECT,
          "t.svm:1: expected a whole number before the colon, found '-1:1'");
    fails("t.svm", "1 x:1\n", DETECT,
          "t.svm:1: expected a whole number before the colon, found 'x:1'");
    fails("t.svm", "1 :1\n", DETECT, "t.svm:1: expected index:value, found ':1'");
    fails("t.svm", "1 5\n", DETECT, "t.svm:1: expected index:value, found '5'");
}

static void svmlight_bad_values_are_refused(void **state) {
    (void)state;
    fails("t.svm", "1 1:nan\n", KEEP,
          "t.svm:1: the value is missing ('nan'); svmlight leaves zeros out, but has no missing "
          "values");
    fails(
        "t.svm", "1 1:\n", DETECT,
        "t.svm:1: the value is missing (''); svmlight leaves zeros out, but has no missing values");
    fails("t.svm", "1 1:inf\n", DETECT, "t.svm:1: the value 'inf' is not a finite number");
    fails("t.svm", "1 1:1e400\n", DETECT, "t.svm:1: the value '1e400' is too large for a double");
    fails("t.svm", "1 1:2x 2:1\n", DETECT, "t.svm:1: expected a number for the value, found '2x'");
    fails("t.svm", "yes 1:2\n", DETECT, "t.svm:1: expected a number for the label, found 'yes'");
    fails("t.svm", "inf 1:2\n", DETECT, "t.svm:1: the label 'inf' is not a finite number");
}

static void svmlight_other_mistakes_are_refused(void **state) {
    (void)state;
    fails("t.svm", "1 1:2\n2 qid:3 1:2\n", DETECT,
          "t.svm:2: 'qid:3': ranking groups (qid) are not supported");
    fails("t.svm", "", DETECT, "t.svm: the file is empty");
    fails("t.svm", "# nothing\n\n", DETECT, "t.svm: the file is empty");
    fails("t.svm", "1\n-1\n", DETECT, "t.svm: the rows hold labels only, not one index:value pair");
    fails_with_bytes("t.svm",
                     "1 1:1\n1 2:\0"
                     "3\n",
                     13, DETECT, GBS_ERR_DATA, "t.svm: not a text file: NUL byte at line 2");
    size_t size;
    char *text = repeated("1 1:", "5", 3000000, &size);
    gbs_table *t;
    char error[512];
    assert_int_equal(read_memory("t.svm", text, size, 0, DETECT, &t, error), GBS_ERR_DATA);
    assert_string_equal(error, "t.svm:1: a word is longer than 1 MiB; is this an svmlight file?");
    free(text);
}

/* ---------------------------------------------------------------- npy */

static void reads_npy(const char *type, bool fortran, const void *data, size_t size,
                      const double *cells) {
    char file[512], dictionary[128];
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }   \n", type,
             fortran ? "True" : "False");
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < N_BUFFERS; i++) {
            gbs_table *t = must_read("t.npy", file, make_npy(file, version, dictionary, data, size),
                                     buffer_sizes[i], KEEP);
            assert_int_equal(t->n_rows, 2);
            assert_int_equal(t->n_columns, 3);
            assert_string_equal(t->columns[2].name, "V3");
            for (size_t k = 0; k < 6; k++)
                assert_true(isnan(cells[k]) ? isnan(t->cells[k]) : t->cells[k] == cells[k]);
            gbs_table_free(t);
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
    reads_npy("<i2", false, "\x01\x00\xff\xff\x00\x80\x00\x01\x02\x00\x03", 12,
              CELLS(1, -1, -32768, 256, 2, 3));
    reads_npy(">i2", true, "\x00\x01\xff\xff\x80\x00\x01\x00\x00\x02\x00\x03", 12,
              CELLS(1, -32768, 2, -1, 256, 3));
    reads_npy(">u2", false, "\x00\x01\xff\xff\x80\x00\x01\x00\x00\x02\x00\x03", 12,
              CELLS(1, 65535, 32768, 256, 2, 3));
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
    fails_with_bytes("t.npy", file, make_npy(file, 1, dictionary, zeros, data_size), DETECT,
                     GBS_ERR_DATA, message);
}

static void npy_lying_shapes_are_refused(void **state) {
    (void)state;
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 40,
              "t.npy: the data ends early: 2 x 3 elements are announced, 5 are there");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 49,
              "t.npy: bytes follow the 2 x 3 elements that the header announces");
    fails_npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1000000000000, 3), }", 8,
              "t.npy: the data ends early: 1000000000000 x 3 elements are announced, 1 are there");
    fails_npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 3), }", 8,
        "t.npy: the header claims more elements (4611686018427387904 x 3) than memory can address");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 1), }",
              8,
              "t.npy: the header claims more elements (18446744073709551615 x 1) than memory can "
              "address");
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
    fails_npy(
        "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }", 48,
        "t.npy: elements of type '<c16'; expected real numbers (f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1)");
    fails_npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 2), }", 48,
              "t.npy: a structured array; expected plain numbers in two dimensions");
}

static void npy_malformed_headers_are_refused(void **state) {
    (void)state;
    fails_npy("", 0, "t.npy: malformed npy header: expected '{' at ''");
    fails_npy("{'descr': '<f8', 'shape': (1, 2), }", 0,
              "t.npy: malformed npy header: fortran_order is not there");
    fails_npy("{'shape': (1, 2), 'shape': (1, 2), }", 0,
              "t.npy: malformed npy header: repeated key 'shape'");
    fails_npy("{'extra': 1}", 0, "t.npy: malformed npy header: unknown key 'extra'");
    fails_npy("{'shape': (1, -2)}", 0,
              "t.npy: malformed npy header: expected a whole number at '-2)}'");
    fails_npy("{'shape': (1 2)}", 0, "t.npy: malformed npy header: expected ',' or ')' at '2)}'");
    fails_npy("{'fortran_order': Maybe}", 0,
              "t.npy: malformed npy header: expected True or False at 'Maybe}'");
    fails_npy("{'descr", 0, "t.npy: malformed npy header: expected a key at ''descr'");
    fails_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} x", 0,
              "t.npy: malformed npy header: expected the end at 'x'");
    fails_with_bytes("t.npy", "\x93NUMPY\x01", 7, DETECT, GBS_ERR_DATA,
                     "t.npy: the npy header ends early (a truncated file?)");
    fails_with_bytes("t.npy", "\x93NUMPY\x01\0\xff\xff{", 11, DETECT, GBS_ERR_DATA,
                     "t.npy: the npy header ends early (a truncated file?)");
    fails_with_bytes("t.npy", "\x93NUMPY\x02\0\xff\xff\xff\xff", 12, DETECT, GBS_ERR_DATA,
                     "t.npy: the npy header claims to be 4294967295 bytes long");
    fails_with_bytes("t.npy", "\x93NUMPY\x04\0....", 12, DETECT, GBS_ERR_DATA,
                     "t.npy: npy version 4.0; 1.0, 2.0 and 3.0 are read");
    fails_with_bytes("t.npy", "a,b\n1,2\n", 8, DETECT, GBS_ERR_DATA,
                     "t.npy: not an npy file (it does not start with \\x93NUMPY)");
}

static void npy_bad_values_are_named_by_row_and_column(void **state) {
    (void)state;
    char file[512];
    const double nan_at[] = {1, 2, 3, 4, NAN, 6}, inf_at[] = {1, 2, 3, -INFINITY, 5, 6};
    const char *c = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    const char *f = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
    fails_with_bytes("t.npy", file, make_npy(file, 1, c, nan_at, sizeof nan_at), DETECT,
                     GBS_ERR_DATA,
                     "t.npy: row 2, column 2: the value is missing (NaN); `missing` drop does "
                     "without such rows, impute fills them in");
    fails_with_bytes("t.npy", file, make_npy(file, 1, f, nan_at, sizeof nan_at), DETECT,
                     GBS_ERR_DATA,
                     "t.npy: row 1, column 3: the value is missing (NaN); `missing` drop does "
                     "without such rows, impute fills them in");
    fails_with_bytes("t.npy", file, make_npy(file, 1, c, inf_at, sizeof inf_at), KEEP, GBS_ERR_DATA,
                     "t.npy: row 2, column 1: -inf is not a finite number");
}

/* Those of 64 bits that no double is; as from a CSV file, unless a model wants numbers there. */
static void npy_whole_numbers_that_lose_digits_are_refused(void **state) {
    (void)state;
    char file[512];
    const int64_t lossy[] = {1, INT64_MIN, INT64_MAX, 4, 5, -9007199254740993};
    const uint64_t large[] = {1, UINT64_C(0xfffffffffffff800), UINT64_MAX, 4, 5, 6};
    const gbs_reading model = {.header = -1, .from_model = true};
    const char *c = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }";
    const char *f = "{'descr': '<i8', 'fortran_order': True, 'shape': (3, 2), }";
    const char *u = "{'descr': '<u8', 'fortran_order': False, 'shape': (2, 3), }";
    size_t size = make_npy(file, 1, c, lossy, sizeof lossy);
    const char *const message =
        "t.npy: row 1, column 3: 9223372036854775807 loses digits as a number, which has room for "
        "whole numbers to 2^53; a measurement is of type f8, and what is none is left out of the "
        "array, or is text in a CSV file";
    fails_with_bytes("t.npy", file, size, DETECT, GBS_ERR_DATA, message);
    gbs_table *t = must_read("t.npy", file, size, 64, &model);
    assert_true(t->cells[1] == -0x1p63);
    gbs_table_free(t);
    const int64_t negative[] = {1, 2, 3, 4, -9007199254740993, 6};
    fails_with_bytes("t.npy", file, make_npy(file, 1, f, negative, sizeof negative), DETECT,
                     GBS_ERR_DATA,
                     "t.npy: row 2, column 2: -9007199254740993 loses digits as a number, which "
                     "has room for whole numbers to 2^53; a measurement is of type f8, and what is "
                     "none is left out of the array, or is text in a CSV file");
    fails_with_bytes("t.npy", file, make_npy(file, 1, u, large, sizeof large), DETECT, GBS_ERR_DATA,
                     "t.npy: row 1, column 3: 18446744073709551615 loses digits as a number, which "
                     "has room for whole numbers to 2^53; a measurement is of type f8, and what is "
                     "none is left out of the array, or is text in a CSV file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svmlight_reads_rows),
        cmocka_unit_test(svmlight_random_rows_survive_every_buffer_size),
        cmocka_unit_test(svmlight_bad_indices_are_refused),
        cmocka_unit_test(svmlight_bad_values_are_refused),
        cmocka_unit_test(svmlight_other_mistakes_are_refused),
        cmocka_unit_test(npy_reads_every_type),
        cmocka_unit_test(npy_lying_shapes_are_refused),
        cmocka_unit_test(npy_other_arrays_are_refused),
        cmocka_unit_test(npy_whole_numbers_that_lose_digits_are_refused),
        cmocka_unit_test(npy_malformed_headers_are_refused),
        cmocka_unit_test(npy_bad_values_are_named_by_row_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
