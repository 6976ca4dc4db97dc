/* Rows that memory does not hold: arrays in files, the digest of bytes, caches of tables, rows put
 * in the order of a view. */
#include "unit/scratch.h"
#include "unit/table_support.h"

#include "data/digest.h"
#include "data/rows.h"
#include "table/cache_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SCRATCH_ROOM], path[SCRATCH_ROOM + 8];

static int make_folder(void **state) {
    (void)state;
    assert_non_null(mkdtemp(scratch_name(folder)));
    snprintf(path, sizeof path, "%s/cache", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails where a test left something */
}

/* ---------------------------------------------------------------- arrays in files */

/* Of every other row of an array in a file, pages go up to the last cell: what lies behind the
 * array is another's. */
static void pages_behind_the_last_row_are_left_alone(void **state) {
    (void)state;
    enum { ROWS = 8, D = 4 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), ld = 2 * page / sizeof(double),
           size = ROWS * page * 2 - page; /* the last row lies on one page */
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS, nothing = -1;
    /* cppcheck-suppress invalidFunctionArg */
    char *block = mmap(NULL, size + 2 * page, PROT_READ | PROT_WRITE, flags, nothing, 0);
    assert_true(block != MAP_FAILED);
    int fd = memfd_create("rows", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    /* cppcheck-suppress leakReturnValNotUsed */
    assert_true(mmap(block, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == block);
    memset(block, 1, size + 2 * page);
    gbs_strip strip = {.n = ROWS, .d = D, .ld = ld, .dense = (double *)(void *)block};
    gbs_rows rows = {.all = strip, .d = D, .in_file = true};
    gbs_rows_passed(&rows, &strip);
    for (size_t k = 0; k < size + 2 * page; k++)
        assert_int_equal(block[k], 1);
    munmap(block, size + 2 * page);
    close(fd);
}

static void arrays_in_files_hold_what_was_written(void **state) {
    (void)state;
    gbs_context *ctx = table_context();
    gbs_spill spill = {.folder = folder, .least = 1000};
    void *array = NULL;
    size_t n = 100000;
    assert_int_equal(gbs_spill_array(ctx, &spill, n, sizeof(double), &array), GBS_OK);
    double *x = array;
    for (size_t i = 0; i < n; i++) {
        assert_true(x[i] == 0.0);
        x[i] = (double)i;
    }
    gbs_pages_drop(x, x + n);
    for (size_t i = 0; i < n; i++)
        assert_true(x[i] == (double)i);
    gbs_pages_drop(x + 100, x + 101); /* no page lies between */
    gbs_array_free(ctx, array);
    assert_true(gbs_spills(&spill, 125, 8));
    assert_false(gbs_spills(&spill, 124, 8));
    assert_false(gbs_spills(NULL, n, 8));
    assert_false(gbs_spills(&spill, SIZE_MAX, 8));
}

static void arrays_that_cannot_be_made_say_where(void **state) {
    (void)state;
    gbs_context *ctx = table_context();
    gbs_spill nowhere = {.folder = "/nowhere/at/all"}, here = {.folder = folder};
    void *array = folder;
    assert_int_equal(gbs_spill_array(ctx, &nowhere, 10, 8, &array), GBS_ERR_IO);
    assert_null(array);
    assert_non_null(strstr(gbs_error_message(ctx), "/nowhere/at/all: No such file"));
    gbs_status status = gbs_spill_array(ctx, &here, (size_t)1 << 57, 8,
                                        &array); /* more than any disk */
    assert_true(status == GBS_ERR_IO || status == GBS_ERR_MEMORY);
    assert_null(array);
    assert_int_equal(gbs_spill_array(ctx, NULL, 3, 8, &array), GBS_OK); /* memory */
    gbs_array_free(ctx, array);
}

static void memory_that_is_left_is_told(void **state) {
    (void)state;
    assert_true(gbs_memory_left() > 0);
}

/* ---------------------------------------------------------------- the digest */

static gbs_hash digest_in_pieces(const unsigned char *bytes, size_t size, size_t piece) {
    gbs_digest d = gbs_digest_start();
    for (size_t at = 0; at < size; at += piece)
        gbs_digest_add(&d, bytes + at, size - at < piece ? size - at : piece);
    return gbs_digest_end(&d);
}

static bool same(gbs_hash a, gbs_hash b) {
    return a.low == b.low && a.high == b.high;
}

static void the_digest_does_not_hang_on_pieces_and_sees_every_bit(void **state) {
    (void)state;
    unsigned char bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)random_bits();
    for (size_t size = 0; size <= sizeof bytes; size++) {
        gbs_hash whole = digest_in_pieces(bytes, size, sizeof bytes);
        for (size_t piece = 1; piece < 70; piece += 7)
            assert_true(same(whole, digest_in_pieces(bytes, size, piece)));
        if (size > 0) /* zeros that fill up the last words are told from zeros that were there */
            assert_false(same(whole, digest_in_pieces(bytes, size - 1, 64)));
        for (size_t bit = 0; bit < 8 * size; bit += 13) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_false(same(whole, digest_in_pieces(bytes, size, sizeof bytes)));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
    unsigned char zeros[64] = {0};
    assert_false(same(digest_in_pieces(zeros, 63, 64), digest_in_pieces(zeros, 64, 64)));
}

/* ---------------------------------------------------------------- caches of tables */

static const char text[] = "id,name,,\xc3\xa4\n1,red,2.5,x\n\n2,blue,?,y\n3,,-1e300,x\n4,red,0,\n";
static const char pairs[] = "1 1:2.5 3:-1e300\n\n-1 # none\n1 2:7 3:8 5:1\n-1 4:0.25\n";
static const gbs_cache_key key = {.file = {1, 2}, .reading = {3, 4}, .size = sizeof text - 1};
static bool sparse; /* which of the two is read */

/* What a reader makes of the text, in memory or in a file. */
static gbs_table *read_text(gbs_cache *store, size_t buffer) {
    gbs_reading reading = {.header = -1, .keep_missing = true, .store = store};
    gbs_table *t = NULL;
    assert_int_equal(read_with(table_context(), sparse ? "t.svm" : "t.csv", sparse ? pairs : text,
                               sparse ? sizeof pairs - 1 : sizeof text - 1, buffer, &reading, &t),
                     GBS_OK);
    return t;
}

static void write_cache(void) {
    gbs_cache *store = NULL;
    unlink(path);
    assert_int_equal(gbs_cache_create(table_context(), folder, true, &store), GBS_OK);
    gbs_table *t = read_text(store, 0);
    gbs_table_store(t, store);
    assert_int_equal(access(path, F_OK), -1); /* not before it is whole */
    assert_int_equal(gbs_cache_keep(store, t, &key, path), GBS_OK);
    gbs_table_free(t);
}

static void assert_same_pairs(const gbs_table *a, const gbs_table *b) {
    size_t stored = a->row_start[a->n_rows];
    assert_memory_equal(a->row_start, b->row_start, (a->n_rows + 1) * sizeof *a->row_start);
    assert_memory_equal(a->label, b->label, a->n_rows * sizeof *a->label);
    assert_memory_equal(a->index, b->index, stored * sizeof *a->index);
    assert_memory_equal(a->value, b->value, stored * sizeof *a->value);
    for (size_t i = 0; i < a->n_rows; i++)
        assert_int_equal(gbs_table_line(a, i), gbs_table_line(b, i));
}

static void assert_same_tables(const gbs_table *a, const gbs_table *b) {
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_columns, b->n_columns);
    assert_int_equal(a->format, b->format);
    if (a->format == GBS_TABLE_SVMLIGHT) {
        assert_same_pairs(a, b);
        return;
    }
    assert_int_equal(a->has_header, b->has_header);
    assert_memory_equal(a->cells, b->cells, a->n_rows * a->n_columns * sizeof *a->cells);
    for (size_t j = 0; j < a->n_columns; j++) {
        const gbs_column *c = &a->columns[j], *d = &b->columns[j];
        assert_string_equal(c->name, d->name);
        assert_true(c->is_text == d->is_text && c->guessed == d->guessed);
        assert_true(c->unnamed == d->unnamed && c->skipped == d->skipped);
        assert_int_equal(c->n_levels, d->n_levels);
        for (size_t k = 0; k < c->n_levels; k++)
            assert_string_equal(c->levels[k], d->levels[k]);
    }
    for (size_t i = 0; i < a->n_rows; i++)
        assert_int_equal(gbs_table_line(a, i), gbs_table_line(b, i));
}

static void cells_in_a_file_are_those_in_memory(void **state) {
    (void)state;
    sparse = !sparse;
    for (size_t i = 0; i < N_BUFFERS; i++) {
        gbs_cache *store = NULL;
        gbs_table *memory = read_text(NULL, buffer_sizes[i]);
        assert_int_equal(gbs_cache_create(table_context(), folder, false, &store), GBS_OK);
        gbs_table *file = read_text(store, buffer_sizes[i]);
        gbs_table_store(file, store);
        assert_same_tables(memory, file);
        gbs_table_free(memory);
        gbs_table_free(file);
    }
}

static void a_cache_gives_the_table_back(void **state) {
    (void)state;
    sparse = !sparse;
    gbs_table *memory = read_text(NULL, 0), *again = NULL;
    struct stat st;
    write_cache();
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(gbs_cache_open(table_context(), path, &key, "t.csv", false, &again), GBS_OK);
    assert_non_null(again);
    assert_true(memory->line != NULL && again->line != NULL); /* a line is blank */
    assert_same_tables(memory, again);
    assert_string_equal(gbs_row_place(again, 1).text, sparse ? "t.csv:3" : "t.csv:4");
    gbs_table_free(memory);
    gbs_table_free(again);
    unlink(path);
    assert_int_equal(gbs_cache_open(table_context(), path, &key, "t.csv", false, &again), GBS_OK);
    assert_null(again); /* there is none */
}

static void refused(const gbs_cache_key *by, const char *says) {
    gbs_table *t = (gbs_table *)folder;
    assert_int_equal(gbs_cache_open(table_context(), path, by, "t.csv", false, &t), GBS_ERR_FORMAT);
    assert_null(t);
    assert_non_null(strstr(gbs_error_message(table_context()), says));
    assert_non_null(strstr(gbs_error_message(table_context()), path));
}

static void the_cache_of_another_file_is_refused(void **state) {
    (void)state;
    gbs_cache_key other = key;
    write_cache();
    other.size++;
    refused(&other, "the cache of another file");
    other = key;
    other.file.high++;
    refused(&other, "the cache of another file");
    other = key;
    other.reading.low++;
    refused(&other, "or of other options");
}

static size_t slurp(unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(size < room);
    return size;
}

static void spill_bytes(const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void a_damaged_cache_is_refused_wherever_it_is(void **state) {
    (void)state;
    sparse = !sparse;
    unsigned char bytes[1 << 14];
    write_cache();
    size_t size = slurp(bytes, sizeof bytes);
    for (size_t at = 0; at < size; at++) {
        if (at == 256) /* the header is shorter; the rest of its page says nothing */
            at = 4096;
        bytes[at] ^= 0x10;
        spill_bytes(bytes, size);
        bytes[at] ^= 0x10;
        bool used = at < sizeof(gbs_cache_header) || at >= 4096;
        gbs_table *t = NULL;
        gbs_status status = gbs_cache_open(table_context(), path, &key, "t.csv", false, &t);
        assert_int_equal(status, used ? GBS_ERR_FORMAT : GBS_OK);
        gbs_table_free(t);
    }
    for (size_t less = 0; less < size; less += less < 200 ? 1 : 97) {
        spill_bytes(bytes, less);
        refused(&key, "damaged");
    }
    bytes[size] = 0;
    spill_bytes(bytes, size + 1);
    refused(&key, "damaged (its size)");
}

/* The digests of what was changed, as if it had been written so. */
static void seal(unsigned char *bytes, size_t size) {
    gbs_digest d = gbs_digest_start();
    gbs_digest_add(&d, bytes + 4096, size - 4096);
    gbs_hash h = gbs_digest_end(&d);
    memcpy(bytes + offsetof(gbs_cache_header, digest), &h, sizeof h);
    d = gbs_digest_start();
    gbs_digest_add(&d, bytes, offsetof(gbs_cache_header, check));
    h = gbs_digest_end(&d);
    memcpy(bytes + offsetof(gbs_cache_header, check), &h, sizeof h);
}

/* Texts are levels, indices are columns. */
static void walk(const gbs_table *t) {
    for (size_t j = 0; t->columns != NULL && j < t->n_columns; j++)
        for (size_t i = 0; t->columns[j].is_text && i < t->n_rows; i++) {
            double x = t->cells[i * t->n_columns + j];
            assert_true(isnan(x) || strlen(t->columns[j].levels[(size_t)x]) < 20);
        }
    for (size_t i = 0; t->cells == NULL && i < t->n_rows; i++)
        for (size_t k = t->row_start[i]; k < t->row_start[i + 1]; k++)
            assert_true(t->index[k] < t->n_columns && isfinite(t->value[k]));
}

static void numbers_that_lie_lead_nowhere(void **state) {
    (void)state;
    sparse = !sparse;
    static const uint64_t lies[] = {0, 1, 2, 3, 255, UINT32_MAX, (uint64_t)1 << 61, UINT64_MAX};
    unsigned char whole[1 << 14], bytes[1 << 14];
    write_cache();
    size_t size = slurp(whole, sizeof whole), refusals = 0, tried = 0;
    for (size_t at = offsetof(gbs_cache_header, rows); at + 8 <= size; at++) {
        if (at == offsetof(gbs_cache_header, digest))
            at = 4096;
        for (size_t k = 0; k < sizeof lies / sizeof *lies; k++, tried++) {
            memcpy(bytes, whole, size);
            memcpy(bytes + at, &lies[k], sizeof lies[k]);
            seal(bytes, size);
            spill_bytes(bytes, size);
            gbs_table *t = NULL;
            gbs_status status = gbs_cache_open(table_context(), path, &key, "t.csv", false, &t);
            assert_true(status == GBS_OK || status == GBS_ERR_FORMAT);
            refusals += status != GBS_OK;
            if (t != NULL)
                walk(t);
            gbs_table_free(t);
        }
    }
    assert_true(refusals > tried / 4);
}

static void what_is_no_file_of_ours_is_refused(void **state) {
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(&key, "it is no file");
    if (geteuid() == 0) {
        write_cache();
        assert_int_equal(chown(path, 12345, 12345), 0);
        refused(&key, "another user's");
    }
}

static void a_full_or_absent_folder_is_named(void **state) {
    (void)state;
    gbs_cache *store = (gbs_cache *)folder;
    double *cells;
    assert_int_equal(gbs_cache_create(table_context(), "/nowhere", false, &store), GBS_ERR_IO);
    assert_null(store);
    assert_non_null(strstr(gbs_error_message(table_context()), "/nowhere: No such file"));
    assert_int_equal(gbs_cache_create(table_context(), folder, false, &store), GBS_OK);
    gbs_status status = gbs_cache_room(store, (size_t)1 << 57, &cells);
    assert_true(status == GBS_ERR_IO || status == GBS_ERR_MEMORY);
    assert_null(cells);
    assert_int_equal(gbs_cache_room(store, SIZE_MAX / 8, &cells), GBS_ERR_MEMORY);
    assert_int_equal(gbs_cache_room(store, 10, &cells), GBS_OK); /* it is as before */
    cells[9] = 1.0;
    gbs_cache_free(store);
}

/* ---------------------------------------------------------------- rows in the order of a view */

/* n rows of d cells and more, in a file. */
static gbs_data *rows_in_file(const gbs_spill *spill, size_t n, size_t d, size_t stride,
                              double **cells) {
    void *array = NULL;
    gbs_data *data = NULL;
    gbs_context *ctx = table_context();
    assert_int_equal(gbs_spill_array(ctx, spill, n * stride, sizeof(double), &array), GBS_OK);
    *cells = array;
    for (size_t i = 0; i < n * stride; i++)
        (*cells)[i] = (double)i;
    assert_int_equal(gbs_data_in_file(ctx, n, d, *cells, stride, NULL, &data), GBS_OK);
    data->spill = spill;
    return data;
}

static void a_view_that_is_arranged_has_the_same_rows(void **state) {
    (void)state;
    gbs_context *ctx = table_context();
    gbs_spill spill = {.folder = folder, .least = 1};
    static const size_t shapes[][3] = {{1, 1, 1}, {1000, 3, 5}, {200, 40000, 40000}, {50000, 7, 8}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t n = shapes[s][0], d = shapes[s][1], stride = shapes[s][2], kept = 0;
        double *cells;
        gbs_data *data = rows_in_file(&spill, n, d, stride, &cells), *view = NULL, *part = NULL;
        size_t *pick = gbs_array_alloc(ctx, n, sizeof *pick);
        for (size_t i = 0; i < n; i++)
            if (n == 1 || below(10) > 0) /* some are left out */
                pick[kept++] = i;
        for (size_t i = kept - 1; i > 0; i--) {
            size_t j = below(i + 1), t = pick[i];
            pick[i] = pick[j];
            pick[j] = t;
        }
        assert_int_equal(gbs_data_view(ctx, data, pick, kept, &view), GBS_OK);
        assert_int_equal(gbs_data_arrange(ctx, view), GBS_OK);
        assert_non_null(view->arranged[0]);
        for (size_t i = 0; i < kept; i++) {
            assert_int_equal(gbs_data_origin(view, i), pick[i]);
            assert_int_equal(gbs_data_place(view, i), i);
            gbs_data_passed(view, i);
            assert_memory_equal(gbs_data_at(view, i).value, cells + pick[i] * stride,
                                d * sizeof *cells);
        }
        size_t few[] = {kept / 2, 0};
        assert_int_equal(gbs_data_view(ctx, view, few, 2, &part), GBS_OK);
        assert_null(part->arranged[0]);
        assert_int_equal(gbs_data_origin(part, 0), pick[kept / 2]);
        assert_true(gbs_data_at(part, 1).value[0] == cells[pick[0] * stride]);
        gbs_data_free(part);
        gbs_data_free(view);
        gbs_data_free(data);
        gbs_array_free(ctx, pick);
        gbs_array_free(ctx, cells);
    }
}

/* Rows of up to 7 cells in files, some of none. */
static void a_view_of_sparse_rows_is_arranged(void **state) {
    (void)state;
    gbs_context *ctx = table_context();
    gbs_spill spill = {.folder = folder, .least = 1};
    enum { N = 4000, D = 50000, LONG = 900 };
    size_t *start = gbs_array_alloc(ctx, N + 1, sizeof *start), kept = 0;
    size_t *pick = gbs_array_alloc(ctx, N, sizeof *pick);
    void *columns = NULL, *values = NULL;
    assert_true(start != NULL && pick != NULL);
    for (size_t i = 0; i < N; i++)
        start[i + 1] = start[i] + (i % 5 == 0 ? 0 : below(i % 2 == 0 ? LONG : 7));
    assert_int_equal(gbs_spill_array(ctx, &spill, start[N], sizeof(uint32_t), &columns), GBS_OK);
    assert_int_equal(gbs_spill_array(ctx, &spill, start[N], sizeof(double), &values), GBS_OK);
    uint32_t *column = columns;
    double *value = values;
    for (size_t i = 0; i < N; i++)
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            column[k] = (uint32_t)(7 * (k - start[i]) + below(7));
            value[k] = (double)k;
        }
    gbs_data *data = NULL, *view = NULL;
    assert_int_equal(gbs_data_csr_in_file(ctx, N, D, start, column, value, NULL, &data), GBS_OK);
    data->spill = &spill;
    for (size_t i = 0; i < N; i++)
        if (below(10) > 0)
            pick[kept++] = i;
    for (size_t i = kept - 1; i > 0; i--) {
        size_t j = below(i + 1), t = pick[i];
        pick[i] = pick[j];
        pick[j] = t;
    }
    assert_int_equal(gbs_data_view(ctx, data, pick, kept, &view), GBS_OK);
    assert_int_equal(gbs_data_arrange(ctx, view), GBS_OK);
    assert_non_null(view->arranged[2]);
    for (size_t i = 0; i < kept; i++) {
        gbs_raw_row row = gbs_data_at(view, i);
        size_t from = start[pick[i]];
        gbs_data_passed(view, i);
        assert_int_equal(gbs_data_origin(view, i), pick[i]);
        assert_int_equal(row.stored, start[pick[i] + 1] - from);
        assert_memory_equal(row.column, column + from, row.stored * sizeof *column);
        assert_memory_equal(row.value, value + from, row.stored * sizeof *value);
    }
    gbs_data_free(view);
    gbs_data_free(data);
    gbs_array_free(ctx, columns);
    gbs_array_free(ctx, values);
    gbs_array_free(ctx, start);
    gbs_array_free(ctx, pick);
}

static void views_in_memory_are_left_alone(void **state) {
    (void)state;
    gbs_context *ctx = table_context();
    double x[] = {1, 2, 3};
    size_t pick[] = {2, 0};
    gbs_data *data = NULL, *view = NULL;
    assert_int_equal(gbs_data_dense(ctx, 3, 1, x, 1, NULL, GBS_BORROW, &data), GBS_OK);
    assert_int_equal(gbs_data_view(ctx, data, pick, 2, &view), GBS_OK);
    assert_int_equal(gbs_data_arrange(ctx, view), GBS_OK);
    assert_null(view->arranged[0]);
    assert_true(gbs_data_at(view, 0).value[0] == 3.0);
    gbs_data_free(view);
    gbs_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_in_files_hold_what_was_written),
        cmocka_unit_test(arrays_that_cannot_be_made_say_where),
        cmocka_unit_test(memory_that_is_left_is_told),
        cmocka_unit_test(the_digest_does_not_hang_on_pieces_and_sees_every_bit),
        /* the same of sparse rows, and of dense ones */
        cmocka_unit_test(cells_in_a_file_are_those_in_memory),
        cmocka_unit_test(cells_in_a_file_are_those_in_memory),
        cmocka_unit_test(a_cache_gives_the_table_back),
        cmocka_unit_test(a_cache_gives_the_table_back),
        cmocka_unit_test(the_cache_of_another_file_is_refused),
        cmocka_unit_test(a_damaged_cache_is_refused_wherever_it_is),
        cmocka_unit_test(a_damaged_cache_is_refused_wherever_it_is),
        cmocka_unit_test(numbers_that_lie_lead_nowhere),
        cmocka_unit_test(numbers_that_lie_lead_nowhere),
        cmocka_unit_test(what_is_no_file_of_ours_is_refused),
        cmocka_unit_test(a_full_or_absent_folder_is_named),
        cmocka_unit_test(pages_behind_the_last_row_are_left_alone),
        cmocka_unit_test(a_view_that_is_arranged_has_the_same_rows),
        cmocka_unit_test(a_view_of_sparse_rows_is_arranged),
        cmocka_unit_test(views_in_memory_are_left_alone),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
