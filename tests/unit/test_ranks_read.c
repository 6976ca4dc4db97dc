/* Tables that ranks read together are those that one process reads: cells, levels, lines and
 * places, for files cut at every kind of byte; and files of ranks that share none. */
#include "unit/scratch.h"
#include "unit/thread_ranks.h"

#include "core/joint_file.h"
#include "core/ranks.h"
#include "table/cache.h"

#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 3, TEXT = 1 << 15 };

static char folder[SCRATCH_ROOM], paths[MOST_FILES][SCRATCH_ROOM + 32];

static int make_folder(void **state) {
    (void)state;
    assert_non_null(mkdtemp(scratch_name(folder)));
    for (size_t k = 0; k < MOST_FILES; k++)
        snprintf(paths[k], sizeof paths[k], "%s/part-%zu.csv", folder, k + 1);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    for (size_t k = 0; k < MOST_FILES; k++)
        unlink(paths[k]);
    return rmdir(folder); /* fails where a test left something */
}

/* ---------------------------------------------------------------- what was read, in words */

struct text {
    char *at;
    size_t size;
};

static void add(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->size, TEXT - t->size, format, args);
    va_end(args);
    t->size += n > 0 && (size_t)n < TEXT - t->size ? (size_t)n : 0;
}

static void describe_sparse(const gbs_table *t, struct text *out) {
    add(out, "%zu x %zu\n", t->n_rows, t->n_columns);
    for (size_t i = 0; i < t->n_rows; i++) {
        add(out, "%s: %g", strrchr(gbs_row_place(t, i).text, '/'), t->label[i]);
        for (size_t k = t->row_start[i]; k < t->row_start[i + 1]; k++)
            add(out, " %u:%a", (unsigned)t->index[k], t->value[k]);
        add(out, "\n");
    }
}

static void describe(const gbs_table *t, struct text *out) {
    if (t->cells == NULL) {
        describe_sparse(t, out);
        return;
    }
    add(out, "%zu x %zu, header %d\n", t->n_rows, t->n_columns, t->has_header);
    for (size_t j = 0; j < t->n_columns; j++) {
        const gbs_column *c = &t->columns[j];
        add(out, "%s: text %d guessed %d skipped %d:", c->name, c->is_text, c->guessed, c->skipped);
        for (size_t k = 0; k < c->n_levels; k++)
            add(out, " [%s]", c->levels[k]);
        add(out, "\n");
    }
    for (size_t i = 0; i < t->n_rows; i++) {
        add(out, "%s:", strrchr(gbs_row_place(t, i).text, '/'));
        for (size_t j = 0; j < t->n_columns; j++)
            add(out, " %a", t->cells[i * t->n_columns + j]);
        add(out, "\n");
    }
    add(out, "lines %d\n", t->line != NULL);
}

/* ---------------------------------------------------------------- reading */

struct task {
    size_t files;
    const gbs_reading *reading;
    bool in_file, apart; /* apart: ranks have a folder each */
};

static char *read_jointly(gbs_context *ctx, size_t rank, const void *arg) {
    const struct task *task = arg;
    const char *name[MOST_FILES] = {paths[0], paths[1], paths[2]};
    gbs_inputs inputs = {name, task->files};
    gbs_caching caching = {0};
    gbs_table *t = NULL;
    bool done = false;
    struct text out = {.at = calloc(1, TEXT)};
    if (task->apart) {
        snprintf(caching.folder, sizeof caching.folder, "%s/%zu", folder, rank);
        mkdir(caching.folder, 0700);
    } else {
        snprintf(caching.folder, sizeof caching.folder, "%s", folder);
    }
    gbs_status status = gbs_table_read_together(ctx, &inputs, task->reading, &caching,
                                                task->in_file, &done, &t);
    if (status != GBS_OK)
        add(&out, "error %d: %s", (int)status, gbs_error_message(ctx));
    else if (!done)
        add(&out, "not together");
    else
        describe(t, &out);
    gbs_table_free(t);
    if (task->apart)
        rmdir(caching.folder);
    return out.at;
}

/* As one process does it; false: it cannot be read. */
static bool read_alone(const struct task *task, struct text *out) {
    gbs_context *ctx;
    gbs_table *t = NULL;
    gbs_piece piece[MOST_FILES] = {0};
    gbs_pieces pieces = {.piece = piece, .count = task->files, .from_start = true};
    gbs_reading reading = *task->reading;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    for (size_t k = 0; k < task->files; k++)
        piece[k] = (gbs_piece){.path = paths[k], .end = UINT64_MAX};
    if (task->files > 1)
        reading.pieces = &pieces;
    bool well = gbs_table_read_file(ctx, paths[0], &reading, &t) == GBS_OK;
    if (well)
        describe(t, out);
    gbs_table_free(t);
    gbs_context_free(ctx);
    return well;
}

/* True: it could be read. */
static bool compare(const struct task *task, const char *what) {
    struct rank_run run[MOST_RANKS];
    struct text alone = {.at = calloc(1, TEXT)};
    bool well = read_alone(task, &alone);
    if (!well)
        snprintf(alone.at, TEXT, "not together");
    for (size_t size = repeats(2, 3); size <= repeats(MOST_RANKS, 3); size++) {
        run_ranks(size, 1, read_jointly, task, run);
        for (size_t r = 0; r < size; r++) {
            if (strcmp(run[r].text, alone.at) != 0)
                print_message("%s, rank %zu of %zu:\n%s\nalone:\n%s\n", what, r, size, run[r].text,
                              alone.at);
            assert_string_equal(run[r].text, alone.at);
            free(run[r].text);
        }
    }
    free(alone.at);
    return well;
}

/* In memory, in a file that all share, in a file each. */
static void compare_all(const char *what, size_t files, const gbs_reading *reading) {
    for (int way = 0; way < 3; way++)
        compare(&(struct task){files, reading, way > 0, way > 1}, what);
}

static void write_file(size_t k, const char *text, size_t size) {
    FILE *file = fopen(paths[k], "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* ---------------------------------------------------------------- files by hand */

static void files_by_hand(void **state) {
    (void)state;
    static const char *const text[] = {
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,x\r\n\r\n3,y\r\n5,x",
        "a,b\r1,x\r3,y\r5,x\r",
        "\xef\xbb\xbf# made by hand\n# twice\na,b\nx,2\n#3,4\ny,6\n#,7\nx,8\n",
        "# made by hand\na,b\n1,2\n#3,4\n5,6\n#\n7,8\n",
        /* line breaks in quotes, more of them than rows */
        "a,b\n\"x\n\n\n\n\ny\",1\n\"\n\n\n\n\n\n\n\n\",2\n\"x\n\n\n\n\ny\",3\nz,4\n",
        "a,b\n\"x\"\"\n\"\"y\",1\n\"\"\"\n1,2\n3,4\n5,6\n\"\"\",2\nz,4\n",
        /* types that rows say late; marks before them */
        "a,b\n?,1\n?,2\n?,3\n?,4\n7,5\n8,6\n",
        "a,b\n?,1\n?,2\n?,3\n?,4\nred,5\n8,6\n",
        "a,b\n?,1\n?,2\n?,3\n?,4\n?,5\n?,6\n",
        "a,b\n,1\n,2\n,3\n12,4\n13,5\n14,6\n",
        /* levels of which some look like numbers */
        "a,b\nx,1\n12,2\n13,3\n12,4\nx,5\ny,6\nx,7\n",
        /* errors, wherever they are */
        "a,b\n1,2\n3,4\n5,6\nx,8\n",
        "a,b\n1,2\n3,4\n5,6,7\n7,8\n",
        "a,b\n1,2\n3,4\n5,6\n\"7,8\n9,10\n",
        "a,b\n",
        /* separators at the ends of lines, and a value there after all */
        "a,b,\n1,2,\n3,4,\n5,6,\n7,8,\n",
        "a,b,\n1,2,\n3,4,\n5,6,\n7,8,9\n",
        "a,b,\n1,2,?\n3,4,\n5,6,\n7,8,?\n",
        "1\n2\n3\n4\n5\n6\n",
        "x,1\ny,2\nx,3\n",
    };
    for (int missing = only_order() ? 1 : 0; missing < 2; missing++) {
        gbs_reading reading = {.header = -1, .keep_missing = missing != 0};
        for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
            write_file(0, text[k], strlen(text[k]));
            compare_all(text[k], 1, &reading);
        }
    }
}

static void files_of_one_table(void **state) {
    (void)state;
    gbs_reading reading = {.header = -1, .keep_missing = true};
    static const char first[] = "a,b\nx,1\ny,2\n", second[] = "# more\na,b\n\nz,3\nx,?\n",
                      third[] = "a,b\r\n\"q\nr\",5\r\nx,6\r\n", other[] = "a,c\nz,3\n";
    write_file(0, first, sizeof first - 1);
    write_file(1, second, sizeof second - 1);
    write_file(2, third, sizeof third - 1);
    compare_all("three files", 3, &reading);
    write_file(1, "a,b\n", 4);
    compare_all("one of them without rows", 3, &reading);
    write_file(1, other, sizeof other - 1);
    compare_all("another header", 3, &reading);
    unlink(paths[1]);
    compare_all("a file is missing", 3, &reading);
}

/* By the public call, without ranks. */
static void several_files_are_one_table(void **state) {
    (void)state;
    gbs_context *ctx;
    gbs_table *t = NULL;
    const char *both[] = {paths[0], paths[1]}, *none[] = {paths[0], NULL};
    write_file(0, "a,b\n1,2\n", 8);
    write_file(1, "a,b\n3,4\n5,6\n", 12);
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    assert_int_equal(gbs_table_read_files(ctx, both, 2, NULL, &t), GBS_OK);
    assert_int_equal(gbs_table_rows(t), 3);
    assert_true(t->cells[4] == 5.0);
    gbs_table_free(t);
    assert_int_equal(gbs_table_read_files(ctx, both, 0, NULL, &t), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_table_read_files(ctx, none, 2, NULL, &t), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_table_read_files(ctx, NULL, 2, NULL, &t), GBS_ERR_ARGUMENT);
    assert_null(t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- files at random */

static unsigned below(uint64_t *state, unsigned n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % n;
}

/* Records of quotes, blanks, marks and numbers, with or without line breaks in them. */
static void files_at_random(void **state) {
    (void)state;
    static const char *const cell[] = {
        "1",       "-2.5",           "1e3",      "?",      "",           "red",     "blue",
        "\"a,b\"", "\"\"",           "\"x\ny\"", "\"\n\"", "\"a\"\"b\"", "7\"",     "\"\"\"\n\"",
        " green ", "\"1\n2\n3\n4\"", "n/a",      "12",     "\"c\r\nd\"", "5\" pipe"};
    uint64_t seed = 5;
    int well = 0;
    int files = only_order() ? 12 : 90; /* numbers are compared by the other builds */
    for (int file = 0; file < files; file++) {
        struct text t = {.at = calloc(1, TEXT)};
        gbs_reading reading = {.header = -1, .keep_missing = true};
        unsigned rows = 1 + below(&seed, 30), kinds[3];
        const char *end = below(&seed, 3) == 0 ? "\r\n" : "\n";
        for (size_t j = 0; j < 3; j++)
            kinds[j] = below(&seed, 3);
        add(&t, "n,m,t%s", end);
        for (unsigned i = 0; i < rows; i++) {
            for (size_t j = 0; j < 3; j++) /* numbers, mostly numbers, anything */
                add(&t, "%s%s", j > 0 ? "," : "",
                    cell[kinds[j] == 0 ? below(&seed, 5)
                                       : below(&seed, sizeof cell / sizeof *cell)]);
            add(&t, "%s", end);
            if (below(&seed, 9) == 0)
                add(&t, "%s", end);
        }
        write_file(0, t.at, t.size);
        int way = file % 3;
        well += compare(&(struct task){1, &reading, way > 0, way > 1}, t.at);
        free(t.at);
    }
    assert_in_range(well, files / 3, files * 8 / 9); /* most can be read, some cannot */
}

/* Rows of svmlight, with comments, blank lines and lines cut anywhere. */
static void sparse_files_at_random(void **state) {
    (void)state;
    uint64_t seed = 7;
    gbs_reading reading = {.format = GBS_TABLE_SVMLIGHT};
    int well = 0;
    int files = only_order() ? 12 : 60;
    for (int file = 0; file < files; file++) {
        struct text t = {.at = calloc(1, TEXT)};
        unsigned rows = below(&seed, 12);
        for (unsigned i = 0; i < rows; i++) {
            if (below(&seed, 6) == 0)
                add(&t, "%s", below(&seed, 2) == 0 ? "\n" : "# a comment\n");
            add(&t, "%s", below(&seed, 2) == 0 ? "1" : "-1");
            for (unsigned k = 1; k < 8; k++)
                if (below(&seed, 3) == 0)
                    add(&t, " %u:%u.5", k, below(&seed, 100));
            if (below(&seed, 80) == 0)
                add(&t, " 3:x");
            add(&t, "%s", i + 1 < rows || below(&seed, 2) == 0 ? "\n" : "");
        }
        write_file(0, t.at, t.size);
        int way = file % 3;
        well += compare(&(struct task){1, &reading, way > 0, way > 1}, t.at);
        free(t.at);
    }
    assert_in_range(well, files / 2, files - 2);
}

/* Arrays of NumPy, of any number of rows; in the order of columns, cut off, with a byte too many:
 * as one process has it. */
static void arrays_of_numpy(void **state) {
    (void)state;
    gbs_reading reading = {.format = GBS_TABLE_NPY};
    for (unsigned rows = 1; rows < 12; rows++)
        for (unsigned odd = 0; odd < 4; odd++) {
            char head[129], all[2048];
            double cell[3];
            size_t size = 128;
            snprintf(head, sizeof head,
                     "%cNUMPY%c%cv%c{'descr': '<f8', 'fortran_order': %s, 'shape': (%u, 3), }",
                     0x93, 1, 1, 1, odd == 1 ? "True" : "False", rows);
            size_t used = strlen(head);
            memset(head + used, ' ', 127 - used);
            head[127] = '\n';
            memcpy(all, head, 128);
            all[7] = '\0'; /* version 1.0, 118 bytes of header */
            all[8] = 118;
            all[9] = '\0';
            for (unsigned i = 0; i < rows; i++, size += sizeof cell) {
                for (unsigned j = 0; j < 3; j++)
                    cell[j] = 10.0 * i + j;
                memcpy(all + size, cell, sizeof cell);
            }
            size += odd == 2 ? 1 : 0;
            size -= odd == 3 ? 1 : 0;
            write_file(0, all, size);
            struct task task = {.files = 1, .reading = &reading};
            if (odd == 1) { /* ranks leave it to each of them */
                struct rank_run run[MOST_RANKS];
                run_ranks(2, 1, read_jointly, &task, run);
                assert_string_equal(run[0].text, "not together");
                free(run[0].text);
                free(run[1].text);
            } else {
                for (int way = 0; way < 3; way++) { /* in memory, in one file, in a file each */
                    task.in_file = way > 0;
                    task.apart = way > 1;
                    assert_int_equal(compare(&task, "npy"), odd == 0);
                }
            }
        }
}

/* ---------------------------------------------------------------- shared arrays */

static char *fill_array(gbs_context *ctx, size_t rank, const void *arg) {
    size_t n = *(const size_t *)arg, from, to;
    gbs_spill spill = {.folder = folder, .least = 1};
    void *array = NULL;
    char *out = calloc(1, 200);
    gbs_status status = gbs_joint_meet(ctx, &spill);
    if (status == GBS_OK)
        status = gbs_joint_array(ctx, &spill, n, sizeof(double), &array);
    gbs_joint_part(&spill, n, &from, &to);
    for (size_t i = from; array != NULL && i < to; i++)
        ((double *)array)[i] += (double)i + 1.0; /* once, or it shows */
    status = gbs_joint_end(ctx, &spill, status);
    size_t wrong = 0;
    for (size_t i = 0; status == GBS_OK && array != NULL && i < n; i++)
        wrong += ((double *)array)[i] != (double)i + 1.0;
    snprintf(out, 200, "%d %zu", (int)status, wrong);
    /* the failure of one is everybody's, with its words */
    gbs_status failed = gbs_joint_end(
        ctx, &spill, rank == 1 ? gbs_fail(ctx, GBS_ERR_DATA, "row 7 is bad") : GBS_OK);
    snprintf(out + strlen(out), 100, " %d %s", (int)failed, gbs_error_message(ctx));
    failed = gbs_joint_end(ctx, &spill,
                           rank == 1 ? gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory") : GBS_OK);
    snprintf(out + strlen(out), 100, " %d %s", (int)failed, gbs_error_message(ctx));
    gbs_array_free(ctx, array);
    return out;
}

static void a_shared_array_is_filled_once(void **state) {
    (void)state;
    struct rank_run run[MOST_RANKS];
    static const size_t sizes[] = {1, 3, 4, 1000, 100003};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t size = repeats(2, 3); size <= repeats(MOST_RANKS, 3); size++) {
            run_ranks(size, 1, fill_array, &sizes[k], run);
            for (size_t r = 0; r < size; r++) {
                char want[100];
                snprintf(want, sizeof want, "0 0 %d row 7 is bad %d rank 1 failed: out of memory",
                         (int)GBS_ERR_DATA, (int)GBS_ERR_IO);
                assert_string_equal(run[r].text, want);
                free(run[r].text);
            }
        }
}

/* ---------------------------------------------------------------- who shares */

/* The folder by another name on each rank, from `longest` on by one so long that no file can be
 * opened in it. */
static void call_folder(size_t rank, size_t longest, char name[4096]) {
    int length = snprintf(name, 4096, "%s", folder);
    for (size_t k = 0; rank >= longest ? length < 4085 : k < rank; k++)
        length += snprintf(name + length, 4096 - (size_t)length, "/.");
}

static char *meet(gbs_context *ctx, size_t rank, const void *arg) {
    char name[4096], *out = calloc(1, 100);
    gbs_spill spill = {.folder = name, .least = 1};
    call_folder(rank, *(const size_t *)arg, name);
    gbs_status status = gbs_joint_meet(ctx, &spill);
    snprintf(out, 100, "%d %d: %zu, %zu of %zu", (int)status, spill.joint, spill.leader,
             spill.place, spill.members);
    return out;
}

static void a_folder_may_have_several_names(void **state) {
    (void)state;
    struct rank_run run[MOST_RANKS];
    static const size_t longest = MOST_RANKS;
    run_ranks(MOST_RANKS, 1, meet, &longest, run);
    for (size_t r = 0; r < MOST_RANKS; r++) {
        char want[100];
        snprintf(want, sizeof want, "0 1: 0, %zu of %d", r, (int)MOST_RANKS);
        assert_string_equal(run[r].text, want);
        free(run[r].text);
    }
}

static void who_does_not_find_the_file_is_apart(void **state) {
    (void)state;
    struct rank_run run[MOST_RANKS];
    static const char *const want[2][MOST_RANKS] = {
        {"0 1: 0, 0 of 1", "0 1: 1, 0 of 3", "0 1: 1, 1 of 3", "0 1: 1, 2 of 3"},
        {"0 1: 0, 0 of 2", "0 1: 0, 1 of 2", "0 1: 2, 0 of 2", "0 1: 2, 1 of 2"}};
    for (size_t longest = 1; longest <= 2; longest++) {
        run_ranks(MOST_RANKS, 1, meet, &longest, run);
        for (size_t r = 0; r < MOST_RANKS; r++) {
            assert_string_equal(run[r].text, want[longest - 1][r]);
            free(run[r].text);
        }
    }
}

/* As on a machine where the numbers of process and file are those of something else. */
static void memory_with_another_mark_is_not_opened(void **state) {
    (void)state;
    gbs_spill spill = {.folder = NULL, .least = 1};
    gbs_notice first, second;
    int made = gbs_joint_make(&spill, &first), other = gbs_joint_make(&spill, &second);
    assert_true(made >= 0 && other >= 0);
    int fd = gbs_joint_open(&spill, &first);
    assert_true(fd >= 0 && write(fd, "here", 4) == 4);
    close(fd);
    assert_int_equal(lseek(made, 0, SEEK_END), 4);
    assert_string_not_equal(first.mark, second.mark);
    memcpy(first.name, second.name, sizeof first.name);
    assert_int_equal(gbs_joint_open(&spill, &first), -1);
    close(made);
    close(other);
    assert_int_equal(gbs_joint_open(&spill, &second), -1);
}

/* ---------------------------------------------------------------- a folder that is not there */

static char *nowhere(gbs_context *ctx, size_t rank, const void *arg) {
    gbs_spill spill = {.folder = rank == 1 ? "/nowhere" : folder, .least = 1};
    void *array = NULL;
    char *out = calloc(1, 20);
    (void)arg;
    gbs_status status = gbs_joint_meet(ctx, &spill);
    if (status == GBS_OK && spill.joint)
        status = gbs_joint_array(ctx, &spill, 1000, sizeof(double), &array);
    snprintf(out, 20, "%d %d", (int)status, array != NULL);
    gbs_array_free(ctx, array);
    return out;
}

static void a_rank_without_the_folder_ends_all(void **state) {
    (void)state;
    struct rank_run run[MOST_RANKS];
    run_ranks(3, 1, nowhere, NULL, run);
    for (size_t r = 0; r < 3; r++) {
        char want[20];
        snprintf(want, sizeof want, "%d 0", (int)GBS_ERR_IO);
        assert_string_equal(run[r].text, want);
        free(run[r].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_by_hand),
        cmocka_unit_test(files_of_one_table),
        cmocka_unit_test(several_files_are_one_table),
        cmocka_unit_test(files_at_random),
        cmocka_unit_test(sparse_files_at_random),
        cmocka_unit_test(arrays_of_numpy),
        cmocka_unit_test(a_shared_array_is_filled_once),
        cmocka_unit_test(a_folder_may_have_several_names),
        cmocka_unit_test(who_does_not_find_the_file_is_apart),
        cmocka_unit_test(memory_with_another_mark_is_not_opened),
        cmocka_unit_test(a_rank_without_the_folder_ends_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
