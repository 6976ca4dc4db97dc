/* gibbsite: finds the command, reads its options, makes the library's context, runs it. */
#include "app.h"
#include "out/progress.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct command *const commands[] = {
    &command_fit,      &command_predict, &command_evaluate, &command_inspect, &command_cv,   &command_sample,  &command_gap,
    &command_complete, &command_report,  &command_simulate, &command_theory,  &command_help, &command_version, NULL};

/* ---------------------------------------------------------------- interruption */

static volatile sig_atomic_t interrupted;

/* The first signal asks the running call to stop; a second one, for the impatient, ends the program: files appear by rename, so none is
 * left half written. */
static void on_signal(int number) {
    if (interrupted)
        _exit(128 + number);
    interrupted = 1;
}

bool app_interrupted(void) {
    return interrupted != 0;
}

static int on_cancel(void *user) {
    (void)user;
    return interrupted != 0;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
}

/* ---------------------------------------------------------------- memory of jansson */

/* jansson (2.14) overlooks some failed allocations: a key or a byte of a text is lost, and where that byte is the closing quote it reads on past the end of
 * its buffer. So it is never told of one. No file is open for writing while it works. */
static void *json_allocate(size_t size) {
    void *memory = malloc(size);
    if (memory != NULL || size == 0)
        return memory;
    progress_clear();
    fputs("gibbsite: out of memory while reading or writing JSON\n", stderr);
    fflush(stderr);
    _exit(EXIT_MEMORY);
}

/* ---------------------------------------------------------------- messages */

static void say(const char *format, va_list args) {
    progress_clear();
    fputs("gibbsite: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int app_fail(const struct app *app, int code, const char *format, ...) {
    va_list args;
    (void)app;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return code;
}

void app_note(const struct app *app, const char *format, ...) {
    va_list args;
    if (given(&app->options, OPT_QUIET))
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

int app_fail_status(const struct app *app, gbs_status status, const char *about) {
    const char *message = gbs_error_message(app->ctx);
    int code = EXIT_BAD_DATA;
    switch (status) {
    case GBS_ERR_CANCELLED:
        return app_fail(app, EXIT_INTERRUPTED, "interrupted; nothing was written");
    case GBS_ERR_MEMORY:
        code = EXIT_MEMORY;
        break;
    case GBS_ERR_ARGUMENT:
        code = EXIT_USAGE;
        break;
    case GBS_ERR_IO:
        code = EXIT_FILES;
        break;
    case GBS_OK:
    case GBS_ERR_DATA:
    case GBS_ERR_NUMERIC:
    case GBS_ERR_FORMAT:
        break;
    }
    if (message[0] == '\0')
        message = gbs_status_message(status);
    return about != NULL ? app_fail(app, code, "%s: %s", about, message) : app_fail(app, code, "%s", message);
}

int app_fail_table(const struct app *app, enum table_status status, const char *message) {
    switch (status) {
    case TABLE_CANCELLED:
        return app_fail(app, EXIT_INTERRUPTED, "interrupted; nothing was written");
    case TABLE_NO_MEMORY:
        return app_fail(app, EXIT_MEMORY, "%s", message[0] != '\0' ? message : "out of memory");
    case TABLE_USAGE:
        return app_fail(app, EXIT_USAGE, "%s", message);
    case TABLE_IO:
        return app_fail(app, EXIT_FILES, "%s", message);
    case TABLE_OK:
    case TABLE_BAD_DATA:
        break;
    }
    return app_fail(app, EXIT_BAD_DATA, "%s", message);
}

/* What several parts of a fit find alike is said once. */
static void on_log(gbs_log_level level, const char *message, void *user) {
    static char last[200];
    if (level < GBS_LOG_INFO || strncmp(message, last, sizeof last - 1) == 0)
        return;
    snprintf(last, sizeof last, "%s", message);
    app_note(user, "%s", message);
}

static void on_progress(const char *stage, double done, void *user) {
    (void)user;
    progress_draw(stage, done);
}

/* ---------------------------------------------------------------- shared work */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double app_seconds(const struct app *app) {
    return now() - app->started;
}

/* A reader that has seen enough (head) is no reason for a word. */
static int stdout_failed(const struct app *app, int error) {
    return error == EPIPE ? EXIT_FILES : app_fail(app, EXIT_FILES, "standard output: %s", strerror(error));
}

/* Not through stdio, which would go on waiting for a reader that does not read after a signal. */
static int write_stdout(const struct app *app, const char *bytes, size_t size) {
    if (fflush(stdout) != 0)
        return stdout_failed(app, errno);
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (interrupted)
            return app_fail(app, EXIT_INTERRUPTED, "interrupted while writing to standard output");
        if (written < 0 && errno != EINTR)
            return stdout_failed(app, errno);
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return EXIT_DONE;
}

int app_write(const struct app *app, const char *path, const struct text *text) {
    progress_clear();
    if (text->failed)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    if (interrupted)
        return app_fail(app, EXIT_INTERRUPTED, "interrupted; %s was not written",
                        path != NULL && strcmp(path, "-") != 0 ? path : "the result");
    if (path != NULL && strcmp(path, "-") != 0) {
        gbs_status status = gbs_write_file(app->ctx, path, text->bytes != NULL ? text->bytes : "", text->size);
        return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
    }
    return write_stdout(app, text->bytes, text->size);
}

/* The folder that `path` lies in, and its last part. False when the name is too long. */
static bool split_path(const char *path, char folder[PATH_MAX], const char **name) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (length >= PATH_MAX)
        return false;
    memcpy(folder, slash != NULL ? path : ".", slash != NULL ? length : 1);
    folder[slash != NULL ? length : 1] = '\0';
    *name = slash != NULL ? slash + 1 : path;
    return true;
}

int app_check_output(const struct app *app, const char *path) {
    char folder[PATH_MAX];
    const char *name;
    struct stat st;
    if (path == NULL || strcmp(path, "-") == 0)
        return EXIT_DONE;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return app_fail(app, EXIT_FILES, "%s: %s", path, strerror(EISDIR));
        if (!S_ISREG(st.st_mode))
            return EXIT_DONE;
    }
    char real[PATH_MAX]; /* a link leads to the file that will be replaced */
    if (!split_path(realpath(path, real) != NULL ? real : path, folder, &name) || strlen(name) > NAME_MAX)
        return app_fail(app, EXIT_FILES, "%s: %s", path, strerror(ENAMETOOLONG));
    if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return app_fail(app, EXIT_FILES, "%s: %s", path, strerror(ENOTDIR));
    if (access(folder, W_OK | X_OK) != 0)
        return app_fail(app, EXIT_FILES, "%s: %s", path, strerror(errno));
    return EXIT_DONE;
}

bool app_same_output(const char *a, const char *b) {
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    const char *name_a, *name_b;
    struct stat x, y;
    if (app_same_file(a, b))
        return true;
    return split_path(a, folder_a, &name_a) && split_path(b, folder_b, &name_b) && strcmp(name_a, name_b) == 0 &&
           stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool app_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int app_load_model(const struct app *app, const char *path, gbs_model **out) {
    errno = 0;
    gbs_status status = gbs_model_load(app->ctx, strcmp(path, "-") == 0 ? "/dev/stdin" : path, out);
    if (status != GBS_OK && errno == ENOMEM) {
        gbs_model_free(*out);
        *out = NULL;
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", path);
    }
    if (status == GBS_ERR_IO && interrupted)
        status = GBS_ERR_CANCELLED;
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

/* ---------------------------------------------------------------- start */

static const struct command *find_command(const char *name) {
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* --threads, else GIBBSITE_THREADS, else all. */
static int choose_threads(const struct app *app, int *threads) {
    const char *env = getenv("GIBBSITE_THREADS");
    *threads = 0;
    if (given(&app->options, OPT_THREADS)) {
        *threads = (int)app->options.count[OPT_THREADS]; /* at most 1024 */
    } else if (env != NULL && env[0] != '\0') {
        char *end;
        long n = strtol(env, &end, 10);
        if (*end != '\0' || n < 1 || n > 1024)
            return app_fail(app, EXIT_USAGE, "GIBBSITE_THREADS: expected a whole number from 1 to 1024, found '%.60s'", env);
        *threads = (int)n;
    }
    return EXIT_DONE;
}

static int run(struct app *app, int argc, char **argv) {
    char error[256];
    const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
    if (inputs == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    int code = EXIT_DONE, threads = 0;
    if (!options_parse(argc, argv, app->command->bit, inputs, &app->options, error, sizeof error)) {
        app_fail(app, EXIT_USAGE, "%s: %s", app->command->name, error);
        fprintf(stderr, "usage: gibbsite %s; 'gibbsite help %s' says more\n", app->command->usage, app->command->name);
        code = EXIT_USAGE;
    } else {
        code = choose_threads(app, &threads);
    }
    if (code == EXIT_DONE) {
        gbs_context_options options = gbs_context_options_default();
        options.log = on_log;
        options.progress = on_progress;
        options.cancel = on_cancel;
        options.user = app;
        options.threads = threads;
        if (given(&app->options, OPT_SEED))
            options.seed = app->options.count[OPT_SEED];
        progress_enable(!given(&app->options, OPT_QUIET));
        if (gbs_context_create(&options, &app->ctx) != GBS_OK)
            code = app_fail(app, EXIT_MEMORY, "out of memory");
    }
    if (code == EXIT_DONE) {
        if (given(&app->options, OPT_HELP)) {
            const char *topic = app->command->name;
            app->options.inputs = &topic;
            app->options.n_inputs = 1;
            code = command_help.run(app);
        } else {
            code = app->command->run(app);
        }
    }
    progress_clear();
    gbs_context_free(app->ctx);
    free(inputs);
    return code;
}

int main(int argc, char **argv) {
    struct app app = {.started = now()};
    catch_signals();
    json_set_alloc_funcs(json_allocate, free);
    /* gibbsite --help and gibbsite --version read as the commands of that name */
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    app.command = find_command(name);
    if (app.command == NULL) {
        app_fail(&app, EXIT_USAGE, "unknown command '%.60s'; 'gibbsite help' lists the commands", name);
        return EXIT_USAGE;
    }
    int code = run(&app, argc > 1 ? argc - 2 : 0, argv + (argc > 1 ? 2 : 1));
    if (argc <= 1 && code == EXIT_DONE)
        code = EXIT_USAGE;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE)
        code = stdout_failed(&app, errno != 0 ? errno : EIO);
    return code;
}
