/* The outputs of a command: no two of them are one file, none is an input, each can be written. */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that name a file to write. */
static const char *const written[] = {"output", "path", "draws"};
enum { WRITTEN = sizeof written / sizeof *written };

/* One output. */
struct output {
    const char *name; /* as the user gave it; NULL: what the command prints */
    const char *option;
    char *file; /* what the name leads to; NULL: standard output */
};

/* ---------------------------------------------------------------- what is one file */

static bool same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What is written there is gone: it may be named as often as one likes. */
static bool is_null(const struct stat *st) {
    struct stat null;
    return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && st->st_rdev == null.st_rdev;
}

bool output_is_stdout(const char *path) {
    struct stat named, own, itself;
    if (strcmp(path, "-") == 0)
        return true;
    if (stat(path, &named) != 0 || fstat(STDOUT_FILENO, &own) != 0 || !same(&named, &own))
        return false;
    /* a file by its own name is replaced, and standard output goes on into the old one */
    bool by_link = lstat(path, &itself) == 0 && S_ISLNK(itself.st_mode);
    return (by_link || !S_ISREG(named.st_mode)) && !is_null(&named);
}

/* The file that an option names; NULL when it is not given, or names none here (the draws of
 * complete are a number). */
static const char *named(const struct options *o, const char *option) {
    const gbs_option *line = gbs_options_line(o->set, option);
    return line != NULL && option_is_file(line) ? option_text(o, option) : NULL;
}

bool outputs_print_result(const struct options *o) {
    if (given(o, "json") || given(o, "quiet"))
        return given(o, "json");
    for (size_t k = 0; k < WRITTEN; k++)
        if (named(o, written[k]) != NULL && output_is_stdout(named(o, written[k])))
            return false;
    return true;
}

/* The folder that `path` lies in, and its last part. */
static void split_path(const char *path, char folder[PATH_MAX], const char **name) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, slash != NULL ? path : ".", length);
    folder[length] = '\0';
    *name = slash != NULL ? slash + 1 : path;
}

/* Two files, whether or not they exist yet. */
static bool same_file(const char *a, const char *b) {
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    const char *name_a, *name_b;
    struct stat x, y;
    if (stat(a, &x) == 0 && is_null(&x))
        return false;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return same(&x, &y);
    split_path(a, folder_a, &name_a);
    split_path(b, folder_b, &name_b);
    return strcmp(name_a, name_b) == 0 && stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 &&
           same(&x, &y);
}

/* The regular file that an output is now; false when there is none. */
static bool find_file(const struct output *a, struct stat *st) {
    int failed = a->file != NULL ? stat(a->file, st) : fstat(STDOUT_FILENO, st);
    return failed == 0 && S_ISREG(st->st_mode);
}

static bool same_output(const struct output *a, const struct output *b) {
    struct stat x, y;
    if (a->file != NULL && b->file != NULL)
        return same_file(a->file, b->file);
    if (a->file == NULL && b->file == NULL)
        return true;
    return find_file(a, &x) && find_file(b, &y) && same(&x, &y);
}

/* ---------------------------------------------------------------- checks */

/* -o or --path, as the user wrote it. */
static const char *flag(const char *option) {
    return strcmp(option, "output") == 0 ? "-o"
           : strcmp(option, "path") == 0 ? "--path"
                                         : "--draws";
}

/* b comes after a in the list. */
static int conflict(const struct app *app, const struct output *a, const struct output *b) {
    const char *command = app->command->name;
    const char *result = given(&app->options, "json") ? "--json" : "the result";
    if (a->file != NULL && b->file != NULL)
        return app_fail(app, EXIT_USAGE, "%s: %s and %s name the same file", command,
                        flag(b->option), flag(a->option));
    if (a->file == NULL && b->name == NULL)
        return app_fail(app, EXIT_USAGE, "%s: %s %s and %s both want standard output", command,
                        flag(a->option), a->name, result);
    if (a->file == NULL && b->file == NULL)
        return app_fail(app, EXIT_USAGE, "%s: %s %s and %s %s both want standard output", command,
                        flag(a->option), a->name, flag(b->option), b->name);
    const struct output *file = a->file != NULL ? a : b, *other = a->file != NULL ? b : a;
    const char *what = other->name != NULL ? flag(other->option) : result;
    return app_fail(app, EXIT_USAGE,
                    "%s: %s %s and %s would be one file: standard output goes there", command,
                    flag(file->option), file->name, what);
}

static int check_pairs(const struct app *app, const struct output *outputs, size_t n) {
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < j; i++)
            if (same_output(&outputs[i], &outputs[j]))
                return conflict(app, &outputs[i], &outputs[j]);
    return EXIT_DONE;
}

/* An output over an input would destroy it. */
static int check_input(const struct app *app, const char *input, const struct output *outputs,
                       size_t n) {
    struct stat in, out;
    bool from_stdin = strcmp(input, "-") == 0;
    if ((from_stdin ? fstat(STDIN_FILENO, &in) : stat(input, &in)) != 0 || !S_ISREG(in.st_mode))
        return EXIT_DONE;
    for (size_t k = 0; k < n; k++)
        if (find_file(&outputs[k], &out) && same(&in, &out))
            return app_fail(app, EXIT_USAGE, "%s: %s%s would overwrite the input%s%s",
                            app->command->name, outputs[k].file != NULL ? "the output " : "",
                            outputs[k].file != NULL ? outputs[k].name : "standard output",
                            from_stdin ? ", which is standard input" : " ",
                            from_stdin ? "" : input);
    return EXIT_DONE;
}

static int check_inputs(const struct app *app, const struct output *outputs, size_t n) {
    const char *file;
    int code = EXIT_DONE;
    if (app->command->bit == FOR_SIMULATE) /* its argument is no file */
        return code;
    for (size_t k = 0; code == EXIT_DONE && (file = option_read(&app->options, k, NULL)) != NULL;
         k++)
        code = check_input(app, file, outputs, n);
    return code;
}

/* What the usage calls input k (the last word stands for all that follow), or --option. */
static void name_read(const struct app *app, size_t k, const char *option, char out[static 64]) {
    const char *word = strchr(app->command->usage, ' ');
    for (const char *next; option == NULL && k > 0 && (next = strchr(word + 1, ' ')) != NULL &&
                           next[1] != '[' && next[1] != '-';
         k--)
        word = next;
    if (option != NULL)
        snprintf(out, 64, "--%.60s", option);
    else
        snprintf(out, 64, "%.*s", (int)strcspn(word + 1, " ."), word + 1);
}

/* It can be read once. */
static int check_stdin(const struct app *app) {
    char first[64] = "", second[64];
    const char *file, *option;
    for (size_t k = 0; (file = option_read(&app->options, k, &option)) != NULL; k++) {
        if (strcmp(file, "-") != 0)
            continue;
        name_read(app, k, option, second);
        if (first[0] != '\0')
            return app_fail(app, EXIT_USAGE, "%s: %s and %s cannot both be standard input",
                            app->command->name, first, second);
        memcpy(first, second, sizeof first);
    }
    return EXIT_DONE;
}

/* Closed, or open for reading alone. */
static int check_stdout(const struct app *app) {
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return app_fail(app, EXIT_FILES, "standard output: %s", strerror(EBADF));
    return EXIT_DONE;
}

int outputs_check(const struct app *app, bool prints) {
    const struct options *o = &app->options;
    struct output outputs[WRITTEN + 1] = {0};
    size_t n = 0;
    int code = check_stdin(app);
    for (size_t k = 0; code == EXIT_DONE && k < WRITTEN; k++) {
        if (named(o, written[k]) == NULL)
            continue;
        struct output *out = &outputs[n++];
        out->option = written[k];
        out->name = named(o, written[k]);
        if (output_is_stdout(out->name))
            continue;
        gbs_status status = gbs_output_file(app->ctx, out->name, &out->file);
        code = status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
    }
    if (prints)
        n++; /* its name is NULL */
    if (code == EXIT_DONE)
        code = check_pairs(app, outputs, n);
    if (code == EXIT_DONE)
        code = check_inputs(app, outputs, n);
    for (size_t k = 0; k < n; k++) {
        if (code == EXIT_DONE && outputs[k].file == NULL)
            code = check_stdout(app);
        gbs_release(app->ctx, outputs[k].file);
    }
    return code;
}
