/* Files of ratings that ranks read together are those that one process reads: cells, numbers and
 * names, and the words of a mistake, wherever the file is cut; with one copy of the cells, or one
 * for each rank, in memory or in files.
 */
#include "unit/scratch.h"
#include "unit/thread_ranks.h"

#include "core/ranks.h"
#include "table/cells.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 1 << 15 };

static char folder[SCRATCH_ROOM], path[SCRATCH_ROOM + 32];

static int make_folder(void **state) {
    (void)state;
    assert_non_null(mkdtemp(scratch_name(folder)));
    snprintf(path, sizeof path, "%s/ratings.csv", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails where a test left something */
}

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
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

static void describe(const gbs_cells *t, struct text *out) {
    add(out, "%zu", t->n);
    for (int side = 0; side < 2; side++) {
        add(out, "\n");
        for (size_t k = 0; k < t->names[side].n; k++)
            add(out, "[%s]", t->names[side].text[k]);
    }
    for (size_t e = 0; e < t->n; e++)
        add(out, "\n%u %u %a", (unsigned)t->id[0][e], (unsigned)t->id[1][e], t->value[e]);
}

/* Many cells: all bytes mixed (FNV-1a). */
static void digest(const gbs_cells *t, struct text *out) {
    if (t == NULL)
        return;
    const void *of[] = {t->value, t->id[0], t->id[1]};
    const size_t size[] = {sizeof *t->value, sizeof *t->id[0], sizeof *t->id[1]};
    add(out, "%zu, %zu x %zu", t->n, t->names[0].n, t->names[1].n);
    for (int k = 0; k < 3; k++) {
        uint64_t hash = UINT64_C(14695981039346656037);
        for (size_t i = 0; i < t->n * size[k]; i++)
            hash = (hash ^ ((const unsigned char *)of[k])[i]) * UINT64_C(1099511628211);
        add(out, " %016" PRIx64, hash);
    }
}

/* Where cells lie. */
enum way { IN_MEMORY, IN_A_FOLDER, IN_A_FOLDER_EACH, WAYS };

struct task {
    gbs_cells_reading reading;
    bool large;
    enum way way;
};

static char *read_cells(gbs_context *ctx, size_t rank, const void *arg) {
    const struct task *task = arg;
    struct text out = {.at = calloc(1, TEXT)};
    gbs_cells_reading reading = task->reading;
    gbs_cells *t = NULL;
    bool done = false;
    gbs_status status = GBS_OK;
    char own[SCRATCH_ROOM + 32];
    snprintf(own, sizeof own, "%s/%zu", folder, rank);
    if (task->way != IN_MEMORY)
        reading.folder = task->way == IN_A_FOLDER ? folder : own;
    mkdir(own, 0700);
    if (ctx->crew != NULL)
        status = gbs_cells_read_together(ctx, path, &reading, &done, &t);
    if (status == GBS_OK && done != (t != NULL && t->block != NULL))
        add(&out, "not in one block: ");
    if (ctx->crew != NULL && status == GBS_OK && !done)
        add(&out, "each by itself: ");
    if (status == GBS_OK && !done)
        status = gbs_cells_read_file(ctx, path, &reading, &t);
    if (status != GBS_OK)
        add(&out, "error %d: %s", (int)status, gbs_error_message(ctx));
    else
        (task->large ? digest : describe)(t, &out);
    gbs_cells_free(t);
    rmdir(own);
    return out.at;
}

/* True: it could be read. Then ranks read it together, else each by itself. */
static bool compare(const char *what, const struct task *task) {
    struct rank_run run[MOST_RANKS];
    gbs_context *ctx = new_context(1, 1);
    struct task simple = *task;
    simple.way = IN_MEMORY;
    char *alone = read_cells(ctx, 0, &simple), *same = read_cells(ctx, 0, task);
    bool well = strncmp(alone, "error", 5) != 0;
    assert_string_equal(same, alone);
    free(same);
    gbs_context_free(ctx);
    for (size_t size = repeats(2, 3); size <= repeats(MOST_RANKS, 3); size++) {
        run_ranks(size, 1, read_cells, task, run);
        for (size_t r = 0; r < size; r++) {
            const char *said = run[r].text;
            if (!well && strncmp(said, "each by itself: ", 16) == 0)
                said += 16;
            if (strcmp(said, alone) != 0)
                print_message("%s, rank %zu of %zu:\n%s\nalone:\n%s\n", what, r, size, said, alone);
            assert_string_equal(said, alone);
            free(run[r].text);
        }
    }
    free(alone);
    return well;
}

static const struct task plain = {.reading = {.header = -1, .values = true}};

/* ---------------------------------------------------------------- files by hand */

/* The records behind a name that grows, so that borders move over them. */
static int cut_everywhere(const char *head, const char *records, const struct task *task) {
    char text[2000], name[80];
    int well = 0, cuts = (int)repeats(*head != '\0' ? 3 : 12, *head != '\0' ? 1 : 2);
    for (int k = 0; k < cuts; k++) {
        memset(name, 'x', sizeof name);
        name[1 + 48 / cuts * k] = '\0';
        int size = snprintf(text, sizeof text, "%s%s,c,3\n%s", head, name, records);
        write_file(text, (size_t)size);
        well += compare(text, task);
    }
    assert_true(well == 0 || well == cuts);
    return well > 0;
}

static void ratings_cut_anywhere(void **state) {
    (void)state;
    static const char *const good[] = {
        "1,a,2\n2,a,3\n1,b,4\n3,b,5\n2,c,1\n",
        /* a cell twice; a name that comes first in the last part */
        "1,a,2\n1,a,3\n1,a,2\n1,a,4\n9,z,5",
        "1,a,2\r\n2,a,3\r\n\r\n1,b,4\r\n3,b,5\r\n",
        "1,a,2\r2,a,3\r1,b,4\r3,b,5\r",
        /* line breaks in quotes that look like records, and quotes in quotes */
        "\"1\n1,a,2\n2,b,3\n\",a,2\n\"2\n\n\n\",\"b\n7,7,7\n\",3\n",
        "\"1\"\"\n\"\"y\",a,1\n\"\"\"\n1,2,3\n3,4,5\n\"\"\",b,2\nz,\"a\n\",4\n",
        "\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\",a,1\n2,b,2\n",
    };
    static const char *const bad[] = {
        "1,a,2\n2,a,3\n1,b,4\n3,b,x\n2,c,1\n",     "1,a,2\n2,a,3\n1,b,4\n3,b\n2,c,1\n",
        "1,a,2\n2,a,x\n1,b\n3,b,5\n2,c,y\n",       "1,a,2\n2,a,3\n1,b,4\n\"3,b,5\n2,c,1\n",
        "1,a,2\n2,a,3\n1,b,4\n3\xff,b,5\n",        "1,a,2\n2,a,3\n1,b,4\n\"3\"x,b,5\n",
        "1,a,2\n2,a,3\n\"1\n1,a,\n\",b,\n3,b,5\n",
    };
    static const char *const heads[] = {"", "row,col,value\n",
                                        "# of a shop\n# of films\nuser,item,stars\n"};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
        for (size_t k = 0; k < sizeof good / sizeof *good; k++)
            assert_true(cut_everywhere(heads[h], good[k], &plain));
        for (size_t k = h; k < sizeof bad / sizeof *bad; k += 2)
            assert_false(cut_everywhere(heads[h], bad[k], &plain));
    }
    assert_true(cut_everywhere(heads[2], "#1,a,2\n#,b,1\n1,a,3\n#9,9,9\n2,b,4\n", &plain));
    assert_false(cut_everywhere(heads[2], "#1,a,2\n1,a,3\n2,b,4\n#\n", &plain));
}

static void options_are_those_of_one_process(void **state) {
    (void)state;
    struct task range = plain, data = plain;
    static const char records[] = "1,a,2\n2,a,3\n1,b,4\n3,b,5\n2,c,1\n";
    range.reading.has_range = true;
    range.reading.low = 1.0;
    range.reading.high = 5.0;
    data.reading.header = 0;
    assert_true(cut_everywhere("", records, &range));
    range.reading.high = 4.0;
    assert_false(cut_everywhere("", records, &range));
    assert_false(cut_everywhere("a,b,c\n", records, &data));
}

/* Another order of columns, another separator, one more column; parts without a record. */
static void files_of_other_shapes(void **state) {
    (void)state;
    static const char *const text[] = {
        "item;rating;user\na;1;7\nb;2;007\na;3;8\nc;4;7\n",
        "user\titem\trating\ttime\n1\ta\t2\t10\n2\ta\t3\t\"11\n\"\n1\tb\t4\t\n",
        "1,a,2\n",
        "a name of a row without another,\"and a\n\n\nlong\n\n\nname, of a column\",2\n1,a,2\n",
        "\xef\xbb\xbfrow,col,value\n1,a,2\n1,b,2\n",
    };
    static const char *const bad[] = {"row,col,value\n", "\n\n", "row,plays\n1,2\n", "1,2\n3,4\n"};
    static const char
        market[] = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 5\n2 1 4\n2 2 3\n";
    struct rank_run run[MOST_RANKS];
    struct task task = plain;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        write_file(text[k], strlen(text[k]));
        assert_true(compare(text[k], &plain));
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_file(bad[k], strlen(bad[k]));
        assert_false(compare(bad[k], &plain));
    }
    write_file(market, sizeof market - 1); /* by each of them */
    for (task.way = IN_MEMORY; task.way <= IN_A_FOLDER; task.way++) {
        run_ranks(3, 1, read_cells, &task, run);
        for (size_t r = 0; r < 3; r++) {
            assert_string_equal(run[r].text, "each by itself: 3\n[1][2]\n[1][2]\n0 0 0x1.4p+2\n1 0 "
                                             "0x1p+2\n1 1 0x1.8p+1");
            free(run[r].text);
        }
    }
}

/* ---------------------------------------------------------------- files at random */

static unsigned below(uint64_t *state, unsigned n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % n;
}

static void files_at_random(void **state) {
    (void)state;
    static const char *const name[] = {"1",        "007",        "\"a,b\"",       "\"x\ny\"",
                                       "\"\n\"",   "\"a\"\"b\"", "7\"",           "\"\"\"\n\"",
                                       " green ",  "n/a",        "\"1\n2\n3\n\"", "\"c\r\nd\"",
                                       "\xc3\xa9", "12345678"};
    uint64_t seed = 5;
    int well = 0, files = only_order() ? 12 : 40;
    for (int file = 0; file < files; file++) {
        struct text t = {.at = calloc(1, TEXT)};
        const char *end = below(&seed, 3) == 0 ? "\r\n" : "\n";
        unsigned records = 1 + below(&seed, 40), odd = below(&seed, 3);
        add(&t, "%s%s", below(&seed, 2) ? "row,col,value" : "1,2,3", end);
        for (unsigned i = 0; i < records; i++) {
            for (int side = 0; side < 2; side++)
                if (odd > 0)
                    add(&t, "%s,", name[below(&seed, sizeof name / sizeof *name)]);
                else
                    add(&t, "%u,", below(&seed, 30));
            add(&t, "%s%s", below(&seed, 150) == 0 ? "x" : "4.5", end);
            if (below(&seed, 9) == 0)
                add(&t, "%s", end);
        }
        write_file(t.at, t.size);
        struct task task = plain;
        task.way = (enum way)(file % WAYS);
        well += compare(t.at, &task);
        free(t.at);
    }
    assert_in_range(well, files / 3, files - 1); /* most can be read, some cannot */
}

/* ---------------------------------------------------------------- one copy, or one each */

static void write_many(unsigned records) {
    uint64_t seed = 3;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (unsigned e = 0; e < records; e++) /* most rows come late */
        fprintf(file, "%u,%u,%u\n", below(&seed, 10 + e / 50), below(&seed, 90), below(&seed, 5));
    fclose(file);
}

/* Too few to be shared, or to lie in a file; and enough. */
static void many_cells_once_or_a_copy_each(void **state) {
    (void)state;
    struct task task = plain;
    struct rlimit most, none = {.rlim_cur = 4096};
    task.large = true;
    for (unsigned records = 5000; records <= 70000; records += 65000) {
        write_many(records);
        for (task.way = IN_MEMORY; task.way < WAYS; task.way++)
            assert_true(compare("shared", &task));
    }
    task.way = IN_MEMORY;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &most), 0);
    none.rlim_max = most.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0); /* no such memory can be made */
    assert_true(compare("a copy each", &task));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
}

/* ---------------------------------------------------------------- memory that runs out */

struct scarce {
    struct task task;
    size_t last; /* the allocation of rank 1 that fails, from 0 */
};

static void *allocate_scarce(size_t bytes, void *user) {
    size_t *left = user;
    return (*left)-- == 0 ? NULL : malloc(bytes);
}

static void release_scarce(void *memory, void *user) {
    (void)user;
    free(memory);
}

static char *read_scarce(gbs_context *ctx, size_t rank, const void *arg) {
    const struct scarce *s = arg;
    size_t left = s->last;
    gbs_allocator usual = ctx->allocator;
    gbs_cells *t = NULL;
    bool done = false;
    gbs_cells_reading reading = s->task.reading;
    struct text out = {.at = calloc(1, TEXT)};
    reading.folder = s->task.way == IN_A_FOLDER ? folder : NULL;
    if (rank == 1)
        ctx->allocator = (gbs_allocator){allocate_scarce, release_scarce, &left};
    gbs_status status = gbs_cells_read_together(ctx, path, &reading, &done, &t);
    ctx->allocator = usual;
    status = gbs_ranks_agree(ctx, status, NULL);
    if (status == GBS_OK)
        describe(t, &out);
    else
        add(&out, "%s", gbs_error_message(ctx));
    gbs_cells_free(t);
    return out.at;
}

/* Whatever a rank has no memory for, all of them hear of it, and nothing is lost. */
static void a_rank_without_memory_ends_all(void **state) {
    (void)state;
    static const char text[] = "row,col,value\n1,a,2\n\"1\n1,a,2\n2,b,3\n\",a,2\n2,b,3\n";
    write_file(text, sizeof text - 1);
    for (enum way way = IN_MEMORY; way <= IN_A_FOLDER; way++) {
        struct scarce s = {.task = plain};
        bool enough = false;
        s.task.way = way;
        for (; !enough; s.last += repeats(1, 7)) {
            struct rank_run run[MOST_RANKS];
            run_ranks(3, 1, read_scarce, &s, run);
            enough = strncmp(run[0].text, "3\n", 2) == 0;
            for (size_t r = 0; r < 3; r++) {
                if (enough)
                    assert_string_equal(run[r].text, run[0].text);
                else
                    assert_non_null(strstr(run[r].text, "out of memory"));
            }
            for (size_t r = 0; r < 3; r++)
                free(run[r].text);
        }
        assert_true(s.last > 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratings_cut_anywhere),
        cmocka_unit_test(options_are_those_of_one_process),
        cmocka_unit_test(files_of_other_shapes),
        cmocka_unit_test(files_at_random),
        cmocka_unit_test(many_cells_once_or_a_copy_each),
        cmocka_unit_test(a_rank_without_memory_ends_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
