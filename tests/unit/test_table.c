/* What all table readers share: gzip, formats told apart, files that cannot be read, cancelling,
 * memory that runs out. */
#include "unit/table_support.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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
            gbs_table *t = must_read("t", packed, members + padding, buffer_sizes[i], DETECT);
            assert_int_equal(t->n_rows, 2);
            assert_true(t->cells[3] == 4);
            gbs_table_free(t);
        }
    fails_with_bytes("t.csv.gz", packed, n - 9, DETECT, GBS_ERR_DATA,
                     "t.csv.gz: the gzip data ends early (a truncated file)");
    fails_with_bytes("t.csv.gz", packed, 2, DETECT, GBS_ERR_DATA,
                     "t.csv.gz: the gzip data ends early (a truncated file)");
    memset(packed + members, 'x', 4);
    fails_with_bytes("t.csv.gz", packed, members + 4, DETECT, GBS_ERR_DATA,
                     "t.csv.gz: junk after the end of the gzip data");
    packed[n - 6] ^= 1;
    fails_with_bytes("t.csv.gz", packed, n, DETECT, GBS_ERR_DATA,
                     "t.csv.gz: corrupt gzip data (incorrect data check)");
}

static void formats_are_told_by_name_then_by_content(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        gbs_table_format format;
    } cases[] = {{"t", "1 1:2 3:4\n", GBS_TABLE_SVMLIGHT},
                 {"-", "# note\n\n-1.5\t7:2\n", GBS_TABLE_SVMLIGHT},
                 {"t", "1,2\n", GBS_TABLE_CSV},
                 {"t.dat", "1\n2\n", GBS_TABLE_CSV},
                 {"t.csv", "1 1:2 3:4\n", GBS_TABLE_CSV},
                 {"t.SVM.gz", "1 1:2 3:4\n", GBS_TABLE_SVMLIGHT},
                 {"t.libsvm", "1 1:2 3:4\n", GBS_TABLE_SVMLIGHT},
                 {"t.svmlight", "1 1:2 3:4\n", GBS_TABLE_SVMLIGHT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < N_BUFFERS; k++) {
            gbs_table *t = reads_at(cases[i].name, cases[i].text, buffer_sizes[k], NO_HEADER);
            assert_int_equal(t->format, cases[i].format);
            assert_string_equal(t->file,
                                strcmp(cases[i].name, "-") == 0 ? "standard input" : cases[i].name);
            gbs_table_free(t);
        }
    char file[256];
    const double cell = 7;
    size_t n = make_npy(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", &cell,
                        8);
    gbs_table *t = must_read("t", file, n, 1, DETECT);
    assert_int_equal(t->format, GBS_TABLE_NPY);
    gbs_table_free(t);
    gbs_reading csv = {.format = GBS_TABLE_CSV, .header = 0};
    t = reads_at("t.svm", "1 1:2\n", 0, &csv);
    assert_int_equal(t->format, GBS_TABLE_CSV);
    gbs_table_free(t);
}

static gbs_status read_file(const char *name, gbs_table **t, char error[512]) {
    gbs_status status = gbs_table_read_file(table_context(), name, DETECT, t);
    snprintf(error, 512, "%s", gbs_error_message(table_context()));
    return status;
}

static void files_that_cannot_be_read_say_why(void **state) {
    (void)state;
    gbs_table *t;
    char error[512];
    assert_int_equal(read_file("no-such-file.csv", &t, error), GBS_ERR_IO);
    assert_string_equal(error, "no-such-file.csv: No such file or directory");
    assert_int_equal(read_file("/", &t, error), GBS_ERR_IO);
    assert_string_equal(error, "/: Is a directory");
    if (geteuid() != 0) { /* root may read everything */
        char name[] = "test_table_XXXXXX", expected[64];
        int fd = mkstemp(name);
        assert_true(fd >= 0 && fchmod(fd, 0) == 0 && close(fd) == 0);
        assert_int_equal(read_file(name, &t, error), GBS_ERR_IO);
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
    gbs_table *t;
    gbs_status by_name = read_file(name, &t, error);
    unlink(name);
    assert_int_equal(by_name, GBS_OK);
    assert_true(t->n_rows == 1 && t->cells && t->cells[1] == 2);
    gbs_table_free(t);
    dup2(fd, STDIN_FILENO);
    close(fd);
    gbs_status by_input = read_file("-", &t, error);
    if (input >= 0) {
        dup2(input, STDIN_FILENO);
        close(input);
    }
    assert_int_equal(by_input, GBS_OK);
    assert_string_equal(t->file, "standard input");
    gbs_table_free(t);
}

static int cancel_after(void *user) {
    return --*(int *)user < 0;
}

static void reading_can_be_cancelled(void **state) {
    (void)state;
    gbs_table *t;
    gbs_context *ctx;
    int polls = 3;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    assert_int_equal(gbs_context_set_cancel(ctx, cancel_after, &polls), GBS_OK);
    assert_int_equal(read_with(ctx, "t.csv", "a,b\n1,2\n3,4\n", 12, 2, DETECT, &t),
                     GBS_ERR_CANCELLED);
    assert_null(t);
    assert_string_equal(gbs_error_message(ctx), "t.csv: interrupted");
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- failing allocations */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
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

/* Fails the first allocation and all after it, then the second, ... until the reading gets through.
 */
static void survives_failing_allocations(const char *name, const char *text, size_t size,
                                         const gbs_reading *options) {
    for (long k = 0; k < 10000; k++) {
        gbs_table *t;
        char error[512] = "";
        long before = blocks_in_use;
        allocations_left = k;
        gbs_status status = read_memory(name, text, size, 3, options, &t, error);
        allocations_left = -1;
        gbs_table_free(t);
        assert_int_equal(blocks_in_use, before);
        if (status == GBS_OK)
            return;
        assert_int_equal(status, GBS_ERR_MEMORY);
        assert_non_null(strstr(error, "out of memory"));
    }
    fail_msg("%s never got through", name);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    static const char csv[] = "a,b,c\n1,x,3\n\n4,\"y\nz\",6\n7,w,9\n10,v,12\n13,u,15\n16,t,18\n19,"
                              "s,21\n22,r,24\n25,q,27\n28,p,30\n";
    static const char svm[] = "# x\n1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:1 11:1 12:1 13:1 14:1 "
                              "15:1 16:1 17:1 18:1\n\n-1 2:2\n";
    char npy[512], packed[256];
    static const double data[20];
    survives_failing_allocations("t.csv", csv, sizeof csv - 1, DETECT);
    survives_failing_allocations("t.svm", svm, sizeof svm - 1, DETECT);
    size_t n = make_npy(npy, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (4, 5), }", data,
                        sizeof data);
    survives_failing_allocations("t.npy", npy, n, DETECT);
    /* deflate allocates as well: pack before the counting starts. */
    n = gzip(packed, sizeof packed, csv, sizeof csv - 1);
    survives_failing_allocations("t.csv.gz", packed, n, DETECT);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
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
