/* gbs_write_file and gbs_output_file: where a name leads, whole or not at all, Ctrl-C on the way.
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_stays_and_leads_to_what_is_written),
        cmocka_unit_test(what_cannot_be_written_is_known_in_advance),
        cmocka_unit_test(a_cancelled_file_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
