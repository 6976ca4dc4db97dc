/* gibbsite: finds the command, reads its options, makes the library's context, runs it. */
#include "app.h"
#include "blas.h"
#include "near.h"
#include "out/progress.h"
#include "out/text.h"
#include "ranks.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct command *const commands[] = {&command_fit,      &command_predict,
                                          &command_evaluate, &command_inspect,
                                          &command_cv,       &command_sample,
                                          &command_gap,      &command_complete,
                                          &command_report,   &command_simulate,
                                          &command_theory,   &command_help,
                                          &command_version,  NULL};

/* The last message: what a rank that fails tells the others. */
static char said[1000];

/* ---------------------------------------------------------------- interruption */

bool app_interrupted(void) {
    return signals_caught() != 0;
}

static int on_cancel(void *user) {
    (void)user;
    return app_interrupted();
}

int app_stopped(const struct app *app, const char *format, ...) {
    char what[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (signals_caught() == 0) /* another rank was asked to stop */
        return app_fail(app, EXIT_FILES, "%s", gbs_error_message(app->ctx));
    if (!ranks_stopped())
        return app_fail(app, 128 + signals_caught(), "%s%s", signals_word(), what);
    /* mpirun ends all ranks alike, perhaps since one was lost, which has been said */
    snprintf(said, sizeof said, "%s%.900s", signals_word(), what);
    return 128 + signals_caught();
}

/* ---------------------------------------------------------------- messages */

/* One line, whatever the names and cells in it: a control character of theirs could move the cursor
 * of a terminal, or fake a second message. */
static void say(const char *format, va_list args) {
    char text[4096], line[4 * sizeof text], *to = line;
    vsnprintf(text, sizeof text, format, args);
    for (const char *c = text; *c != '\0';) {
        size_t hidden = utf8_is_control(c) ? utf8_length(c) : 0;
        if (hidden == 0)
            *to++ = *c++;
        for (; hidden > 0; hidden--)
            to += sprintf(to, "\\x%02x", (unsigned char)*c++);
    }
    *to = '\0';
    progress_clear();
    fprintf(stderr, "gibbsite: %s\n", line);
    snprintf(said, sizeof said, "%.*s", (int)sizeof said - 1, line);
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
    if (given(&app->options, "quiet"))
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

void app_note_lost(const struct app *app) {
    const struct options *o = &app->options;
    if (given(o, "quiet") && !given(o, "output") && !given(o, "json"))
        fprintf(stderr, "gibbsite: nothing was kept: --quiet prints nothing, and neither -o nor "
                        "--json is given\n");
}

int app_fail_status(const struct app *app, gbs_status status, const char *about) {
    const char *message = gbs_error_message(app->ctx);
    int code = EXIT_BAD_DATA;
    switch (status) {
    case GBS_ERR_CANCELLED:
        return app_stopped(app, "; nothing was written");
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
    char spelled[1200];
    option_spell(message, spelled, sizeof spelled);
    message = spelled;
    size_t known = about != NULL ? strlen(about)
                                 : 0; /* "train.csv:7: ..." names the file already */
    if (known > 0 && strncmp(message, about, known) == 0 && message[known] == ':')
        about = NULL;
    return about != NULL ? app_fail(app, code, "%s: %s", about, message)
                         : app_fail(app, code, "%s", message);
}

int app_check_options(const struct app *app) {
    gbs_status status = gbs_options_check(app->options.set);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, app->command->name);
}

/* What several parts of a fit find alike is said once. */
static void on_log(gbs_log_level level, const char *message, void *user) {
    enum { REMEMBERED = 64 };
    static char told[REMEMBERED][200];
    static size_t count;
    if (level < GBS_LOG_INFO)
        return;
    for (size_t k = 0; k < REMEMBERED; k++)
        if (strncmp(message, told[k], sizeof told[k] - 1) == 0)
            return;
    snprintf(told[count++ % REMEMBERED], sizeof told[0], "%s", message);
    char text[1000];
    option_spell(message, text, sizeof text);
    app_note(user, "%s", text);
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

int app_load_model(const struct app *app, const char *path, gbs_model **out) {
    errno = 0;
    gbs_status status = gbs_model_load(app->ctx, strcmp(path, "-") == 0 ? "/dev/stdin" : path, out);
    if (status != GBS_OK && errno == ENOMEM) {
        gbs_model_free(*out);
        *out = NULL;
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", path);
    }
    if (status == GBS_ERR_IO && app_interrupted())
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

static const char *meant_command(const char *name) {
    for (size_t i = 0; commands[i] != NULL; i++)
        if (near_enough(name, commands[i]->name))
            return commands[i]->name;
    return NULL;
}

/* --threads, else GIBBSITE_THREADS, else all. */
static int choose_threads(const struct app *app) {
    const char *env = getenv("GIBBSITE_THREADS");
    if (given(&app->options, "threads")) {
        gbs_context_set_threads(app->ctx, (int)option_count(&app->options, "threads"));
    } else if (env != NULL && env[0] != '\0') {
        char *end;
        long n = strtol(env, &end, 10);
        if (*end != '\0' || n < 1 || n > 1024)
            return app_fail(
                app, EXIT_USAGE,
                "GIBBSITE_THREADS: expected a whole number from 1 to 1024, found '%.60s'", env);
        gbs_context_set_threads(app->ctx, (int)n);
    }
    return EXIT_DONE;
}

/* The device that the options name; without it the message says what is missing. */
static int choose_device(const struct app *app) {
    const char *device = gbs_options_get(app->options.set, "device");
    gbs_status status = gbs_context_set_device(app->ctx, device);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
}

static int make_context(struct app *app) {
    if (gbs_context_create(NULL, &app->ctx) != GBS_OK)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    gbs_context_set_log(app->ctx, on_log, app);
    gbs_context_set_progress(app->ctx, on_progress, app);
    gbs_context_set_cancel(app->ctx, on_cancel, app);
    return EXIT_DONE;
}

static int run(struct app *app, int argc, char **argv) {
    char error[640];
    const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
    if (inputs == NULL)
        return ranks_join(app, app_fail(app, EXIT_MEMORY, "out of memory"), said);
    int code = make_context(app);
    gbs_status parsed = GBS_OK;
    if (code == EXIT_DONE)
        parsed = options_parse(app->ctx, argc, argv, app->command->bit, inputs, &app->options,
                               error, sizeof error);
    if (parsed != GBS_OK) {
        code = parsed == GBS_ERR_MEMORY ? EXIT_MEMORY : EXIT_USAGE;
        app_fail(app, code, "%s: %s", app->command->name, error);
        if (code == EXIT_USAGE)
            fprintf(stderr, "usage: gibbsite %s; 'gibbsite help %s' says more\n",
                    app->command->usage, app->command->name);
    } else if (code == EXIT_DONE) {
        code = choose_threads(app);
    }
    if (code == EXIT_DONE && !given(&app->options, "help"))
        code = choose_device(app);
    code = ranks_join(app, code, said);
    if (code == EXIT_DONE) {
        gbs_context_set_seed(app->ctx,
                             strtoull(gbs_options_get(app->options.set, "seed"), NULL, 10));
        progress_enable(!given(&app->options, "quiet"));
        if (given(&app->options, "help")) {
            const char *topic = app->command->name;
            app->options.inputs = &topic;
            app->options.n_inputs = 1;
            code = command_help.run(app);
        } else {
            code = app->command->run(app);
        }
    }
    progress_clear();
    code = ranks_leave(app, code, said);
    gbs_options_free(app->options.set);
    gbs_context_free(app->ctx);
    free(inputs);
    return code;
}

/* A file opened while one of the first three descriptors is closed would take its place, and
 * messages or results would go into it. So they are held, but useless: using them fails. */
static void hold_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* "fit --help --all" is "help fit --all", whose option that is. */
static bool asks_for_all(int argc, char **argv) {
    bool help = false, all = false;
    for (int k = 0; k < argc && strcmp(argv[k], "--") != 0; k++) {
        help = help || strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0;
        all = all || strcmp(argv[k], "--all") == 0;
    }
    return help && all;
}

int main(int argc, char **argv) {
    struct app app = {.started = now()};
    hold_descriptors();
    blas_choose_kernels();
    signals_catch();
    int code = ranks_begin(&app);
    if (code != EXIT_DONE)
        return code;
    /* gibbsite --help and gibbsite --version read as the commands of that name */
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    char *page[] = {(char *)name, "--all"};
    bool whole = argc > 2 && find_command(name) != NULL && asks_for_all(argc - 2, argv + 2);
    app.command = find_command(whole ? "help" : name);
    if (app.command == NULL) {
        const char *meant = meant_command(name);
        if (meant != NULL)
            app_fail(&app, EXIT_USAGE, "unknown command '%.60s'; did you mean %s?", name, meant);
        else
            app_fail(&app, EXIT_USAGE,
                     "unknown command '%.60s'; 'gibbsite help' lists the commands", name);
        code = ranks_join(&app, EXIT_USAGE, said);
        ranks_end();
        return code;
    }
    code = whole ? run(&app, 2, page)
                 : run(&app, argc > 1 ? argc - 2 : 0, argv + (argc > 1 ? 2 : 1));
    if (argc <= 1 && code == EXIT_DONE)
        code = EXIT_USAGE;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE)
        code = app_stdout_failed(&app, errno != 0 ? errno : EIO);
    ranks_end();
    return code;
}
