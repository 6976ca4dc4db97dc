/* Writing the outputs of a command: all of them, or none.
 *
 * Files are written and synced first, then pipes and devices, then standard output; only when all
 * of that is done do the files get their names. A reader of standard output that has seen enough
 * (head) does not cost the files.
 */
#include "app.h"
#include "out/progress.h"
#include "outputs.h"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum turn { FILES, PIPES, STDOUT, TURNS };

/* Outputs on their way. */
struct writing {
    const struct app *app;
    const struct app_output *outputs;
    size_t n;
    gbs_outputs *files;
};

static enum turn turn_of(const struct app_output *output) {
    struct stat st;
    if (output->path == NULL || output_is_stdout(output->path))
        return STDOUT;
    return stat(output->path, &st) == 0 && !S_ISREG(st.st_mode) ? PIPES : FILES;
}

/* ---------------------------------------------------------------- interrupted */

/* "a.json and b.csv"; false: no output is a file. */
static bool name_files(const struct writing *w, char *out, size_t room) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t k = 0; k < w->n; k++)
        if (turn_of(&w->outputs[k]) == FILES && used < room)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used > 0 ? " and " : "",
                                     w->outputs[k].path);
    return used > 0;
}

static int stopped_while(const struct writing *w, const char *path) {
    char names[512];
    if (name_files(w, names, sizeof names))
        return app_stopped(w->app, " while writing to %s; %s not written", path, names);
    return app_stopped(w->app, " while writing to %s", path);
}

static int stopped(const struct writing *w) {
    char names[512];
    const char *what = name_files(w, names, sizeof names) ? names : "the result";
    return app_stopped(w->app, "; %s %s not written", what,
                       strstr(what, " and ") != NULL ? "were" : "was");
}

/* ---------------------------------------------------------------- standard output */

int app_stdout_failed(const struct app *app, int error) {
    /* a reader that has seen enough (head) is no reason for a word */
    if (error == EPIPE)
        return EXIT_FILES;
    return app_fail(app, EXIT_FILES, "standard output: %s", strerror(error));
}

/* Not through stdio, which would go on waiting for a reader that does not read after a signal.
 * *gone: nobody reads on. */
static int write_stdout(const struct writing *w, const char *bytes, size_t size, bool *gone) {
    struct pollfd wait = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int error = fflush(stdout) != 0 ? errno : 0;
    while (size > 0 && error == 0) {
        ssize_t done = write(STDOUT_FILENO, bytes, size);
        error = done < 0 ? errno : 0;
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
        if (size > 0 && signals_caught() != 0)
            return stopped_while(w, "standard output");
        if (error == EAGAIN) /* whoever shares the pipe with us may have asked for that */
            poll(&wait, 1, -1);
        if (error == EAGAIN || error == EINTR)
            error = 0;
    }
    *gone = error == EPIPE;
    return error == 0 ? EXIT_DONE : app_stdout_failed(w->app, error);
}

static int code_of(gbs_status status) {
    return status == GBS_ERR_MEMORY ? EXIT_MEMORY : EXIT_FILES;
}

static int pieces_to_stdout(const struct writing *w, gbs_piece_callback next, void *user,
                            bool *gone) {
    for (;;) {
        const char *bytes = NULL;
        size_t size = 0;
        gbs_status status = next(&bytes, &size, user);
        if (status == GBS_ERR_CANCELLED)
            return stopped_while(w, "standard output");
        if (status != GBS_OK || size == 0)
            return status == GBS_OK ? EXIT_DONE : code_of(status);
        int code = write_stdout(w, bytes, size, gone);
        if (code != EXIT_DONE)
            return code;
    }
}

/* ---------------------------------------------------------------- files and pipes */

struct watched {
    gbs_piece_callback next;
    void *user;
    bool failed; /* a callback that fails has said why, unless it was stopped */
};

static gbs_status next_watched(const char **bytes, size_t *size, void *user) {
    struct watched *w = user;
    gbs_status status = w->next(bytes, size, w->user);
    w->failed = status != GBS_OK && status != GBS_ERR_CANCELLED;
    return status;
}

static int pieces_to_file(const struct writing *w, const char *path, enum turn turn,
                          gbs_piece_callback next, void *user) {
    struct watched from = {next, user, false};
    signals_hold(true); /* a second signal would leave a temporary file */
    gbs_status status = gbs_outputs_write(w->app->ctx, w->files, path, next_watched, &from);
    if (from.failed)
        return code_of(status);
    if (status == GBS_ERR_CANCELLED)
        return turn == PIPES ? stopped_while(w, path) : stopped(w);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(w->app, status, NULL);
}

/* A text, once. */
struct one {
    const struct text *text;
};

static gbs_status next_text(const char **bytes, size_t *size, void *user) {
    struct one *one = user;
    *bytes = one->text != NULL ? one->text->bytes : NULL;
    *size = one->text != NULL ? one->text->size : 0;
    one->text = NULL;
    return GBS_OK;
}

static int write_one(const struct writing *w, const struct app_output *output, enum turn turn,
                     bool *gone) {
    struct one one = {output->text};
    gbs_piece_callback next = output->next != NULL ? output->next : next_text;
    void *user = output->next != NULL ? output->user : &one;
    if (turn == STDOUT && output->next == NULL && output->text->size == 0)
        return EXIT_DONE;
    if (signals_caught() != 0)
        return stopped(w);
    return turn == STDOUT ? pieces_to_stdout(w, next, user, gone)
                          : pieces_to_file(w, output->path, turn, next, user);
}

/* ---------------------------------------------------------------- all of them */

int app_write_all(const struct app *app, const struct app_output *outputs, size_t n) {
    struct writing w = {app, outputs, n, NULL};
    bool gone = false;
    progress_clear();
    for (size_t k = 0; k < n; k++)
        if (outputs[k].next == NULL && outputs[k].text->failed)
            return app_fail(app, EXIT_MEMORY, "out of memory");
    gbs_status status = gbs_outputs_create(app->ctx, &w.files);
    int code = status == GBS_OK ? EXIT_DONE : app_fail_status(app, status, NULL);
    for (enum turn turn = FILES; turn < TURNS; turn++)
        for (size_t k = 0; code == EXIT_DONE && k < n; k++)
            if (turn_of(&outputs[k]) == turn)
                code = write_one(&w, &outputs[k], turn, &gone);
    if (code == EXIT_DONE || gone)
        status = gbs_outputs_keep(app->ctx, w.files);
    if (status != GBS_OK && (code == EXIT_DONE || gone))
        code = app_fail_status(app, status, NULL);
    gbs_outputs_free(w.files);
    signals_hold(false);
    return code;
}

int app_write_pieces(const struct app *app, const char *path, gbs_piece_callback next, void *user) {
    struct app_output output = {.path = path, .next = next, .user = user};
    return app_write_all(app, &output, 1);
}

int app_write(const struct app *app, const char *path, const struct text *text) {
    struct app_output output = {.path = path, .text = text};
    return app_write_all(app, &output, 1);
}
