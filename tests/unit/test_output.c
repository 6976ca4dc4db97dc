/* gbs_write_file, gbs_output_file, gbs_outputs_*: where a name leads, whole or not at all, several
 * together, Ctrl-C on the way.
 * (Rights, failures of the file system and signals: tests/cli/output_safe.sh.) */
#include "unit/host.h"
#include "unit/scratch.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_TEXT = 40 << 20 }; /* longer than one piece */

struct folder {
    struct host host;
    gbs_context *ctx;
    char name[SCRATCH_ROOM], before[256];
};

/* A fresh folder to stand in. */
static struct folder enter(void) {
    struct folder f = {0};
    assert_non_null(getcwd(f.before, sizeof f.before));
    assert_non_null(mkdtemp(scratch_name(f.name)));
    assert_int_equal(chdir(f.name), 0);
    return f;
}

static size_t entries(void) {
    size_t n = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        n++;
    closedir(folder);
    return n - 2;
}

static void go_home(struct folder *f) {
    assert_int_equal(chdir(f->before), 0);
    assert_int_equal(rmdir(f->name), 0); /* nothing else was left in it */
    leave(&f->host, f->ctx);
}

static void assert_holds(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[size] = '\0';
    assert_string_equal(found, text);
}

static void a_link_stays_and_leads_to_what_is_written(void **state) {
    (void)state;
    struct folder f = enter();
    f.ctx = host_context(&f.host);
    char *file;
    assert_int_equal(symlink("second", "first"), 0);
    assert_int_equal(symlink("./target", "second"), 0);
    assert_ok(f.ctx, gbs_output_file(f.ctx, "first", &file));
    assert_string_equal(file, "./target");
    gbs_release(f.ctx, file);
    assert_int_equal(entries(), 2);
    for (int k = 0; k < 2; k++) { /* dangling, then not */
        assert_ok(f.ctx, gbs_write_file(f.ctx, "first", k == 0 ? "new" : "newer", k == 0 ? 3 : 5));
        assert_holds("target", k == 0 ? "new" : "newer");
        assert_int_equal(entries(), 3);
    }
    unlink("first");
    unlink("second");
    unlink("target");
    go_home(&f);
}

static void what_cannot_be_written_is_known_in_advance(void **state) {
    (void)state;
    struct folder f = enter();
    f.ctx = host_context(&f.host);
    char *file, deep[PATH_MAX + 100];
    memset(deep, 'd', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(symlink("absent/file", "lost"), 0);
    assert_ok(f.ctx, gbs_write_file(f.ctx, "plain", "", 0));
    const char *wrong[] = {"",     ".",    "absent/file", "absent/", "plain/", "plain/below",
                           "loop", "lost", deep};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_refused(f.ctx, GBS_ERR_IO, gbs_output_file(f.ctx, wrong[k], &file), file);
        assert_int_equal(gbs_write_file(f.ctx, wrong[k], "x", 1), GBS_ERR_IO);
        assert_true(strlen(gbs_error_message(f.ctx)) > 5);
    }
    assert_int_equal(entries(), 3);
    f.host.fail_at = f.host.calls;
    assert_refused(f.ctx, GBS_ERR_MEMORY, gbs_output_file(f.ctx, "plain", &file), file);
    unlink("loop");
    unlink("lost");
    unlink("plain");
    go_home(&f);
}

static void a_cancelled_file_is_not_there(void **state) {
    (void)state;
    struct folder f = enter();
    f.ctx = host_context(&f.host);
    char *text = calloc(LONG_TEXT, 1);
    assert_non_null(text);
    assert_ok(f.ctx, gbs_write_file(f.ctx, "file", "old", 3));
    for (long allowed = 0; allowed < 2; allowed++) {
        f.host.cancels = 0;
        f.host.allowed = allowed;
        assert_int_equal(gbs_write_file(f.ctx, "file", text, LONG_TEXT), GBS_ERR_CANCELLED);
        assert_int_equal(gbs_write_file(f.ctx, "other", text, LONG_TEXT), GBS_ERR_CANCELLED);
        assert_holds("file", "old");
        assert_int_equal(entries(), 1);
    }
    assert_ok(f.ctx, gbs_write_file(f.ctx, "file", "short", 5)); /* no time to ask */
    assert_holds("file", "short");
    free(text);
    unlink("file");
    go_home(&f);
}

/* One piece; then `fails`. */
struct text {
    const char *text;
    gbs_status fails;
};

static gbs_status next_piece(const char **bytes, size_t *size, void *user) {
    struct text *t = user;
    *bytes = t->text;
    *size = t->text != NULL ? strlen(t->text) : 0;
    gbs_status status = t->text == NULL ? t->fails : GBS_OK;
    t->text = NULL;
    return status;
}

static void several_files_appear_together(void **state) {
    (void)state;
    struct folder f = enter();
    f.ctx = host_context(&f.host);
    gbs_outputs *outputs;
    assert_ok(f.ctx, gbs_write_file(f.ctx, "old", "before", 6));
    for (int keep = 0; keep < 2; keep++) {
        struct text texts[] = {{"one", GBS_OK}, {"two", GBS_OK}, {"three", GBS_ERR_NUMERIC}};
        assert_ok(f.ctx, gbs_outputs_create(f.ctx, &outputs));
        assert_ok(f.ctx, gbs_outputs_write(f.ctx, outputs, "new", next_piece, &texts[0]));
        assert_ok(f.ctx, gbs_outputs_write(f.ctx, outputs, "old", next_piece, &texts[1]));
        assert_int_equal(gbs_outputs_write(f.ctx, outputs, "third", next_piece, &texts[2]),
                         GBS_ERR_NUMERIC);
        assert_int_equal(gbs_outputs_write(f.ctx, outputs, "absent/fourth", next_piece, &texts[0]),
                         GBS_ERR_IO);
        assert_holds("old", "before");
        assert_int_not_equal(access("new", F_OK), 0);
        if (keep) {
            assert_ok(f.ctx, gbs_outputs_keep(f.ctx, outputs));
            assert_ok(f.ctx, gbs_outputs_keep(f.ctx, outputs)); /* there is nothing left to do */
        }
        gbs_outputs_free(outputs);
        assert_int_equal(entries(), keep ? 2 : 1);
    }
    assert_holds("new", "one");
    assert_holds("old", "two");
    gbs_outputs_free(NULL);
    unlink("new");
    unlink("old");
    go_home(&f);
}

/* A folder in the place of the second file, which came while they were written. */
static void a_name_that_cannot_be_had_leaves_none(void **state) {
    (void)state;
    struct folder f = enter();
    f.ctx = host_context(&f.host);
    gbs_outputs *outputs;
    struct text texts[] = {{"one", GBS_OK}, {"two", GBS_OK}};
    assert_ok(f.ctx, gbs_outputs_create(f.ctx, &outputs));
    assert_ok(f.ctx, gbs_outputs_write(f.ctx, outputs, "second", next_piece, &texts[0]));
    assert_ok(f.ctx, gbs_outputs_write(f.ctx, outputs, "first", next_piece, &texts[1]));
    assert_int_equal(mkdir("second", 0777), 0);
    assert_int_equal(gbs_outputs_keep(f.ctx, outputs), GBS_ERR_IO);
    assert_non_null(strstr(gbs_error_message(f.ctx), "second: "));
    gbs_outputs_free(outputs);
    assert_int_equal(entries(), 1);
    assert_int_equal(rmdir("second"), 0);
    go_home(&f);
}

static void memory_that_runs_out_leaves_no_file(void **state) {
    (void)state;
    struct folder f = enter();
    f.ctx = host_context(&f.host);
    gbs_outputs *outputs;
    f.host.fail_at = f.host.calls;
    assert_refused(f.ctx, GBS_ERR_MEMORY, gbs_outputs_create(f.ctx, &outputs), outputs);
    assert_ok(f.ctx, gbs_outputs_create(f.ctx, &outputs));
    f.host.fail_at = f.host.calls;
    struct text text = {"one", GBS_OK};
    assert_int_equal(gbs_outputs_write(f.ctx, outputs, "file", next_piece, &text), GBS_ERR_MEMORY);
    assert_ok(f.ctx, gbs_outputs_keep(f.ctx, outputs));
    gbs_outputs_free(outputs);
    assert_int_equal(entries(), 0);
    go_home(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_stays_and_leads_to_what_is_written),
        cmocka_unit_test(what_cannot_be_written_is_known_in_advance),
        cmocka_unit_test(a_cancelled_file_is_not_there),
        cmocka_unit_test(several_files_appear_together),
        cmocka_unit_test(a_name_that_cannot_be_had_leaves_none),
        cmocka_unit_test(memory_that_runs_out_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
