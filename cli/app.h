/* What every command shares: the library's context, the options, messages, exit codes,
 * interruption. */
#ifndef GIBBSITE_CLI_APP_H
#define GIBBSITE_CLI_APP_H

#include "gibbsite.h"
#include "options.h"
#include "out/text.h"

/* Exit codes, as promised in the manual. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_MEMORY = 1,
    EXIT_USAGE = 2,
    EXIT_BAD_DATA = 3,
    EXIT_NOT_CONVERGED = 4,
    EXIT_FILES = 5
    /* 128 + its number after a signal: 129 hung up, 130 interrupted, 143 terminated */
};

struct app {
    const struct command *command;
    struct options options;
    gbs_context *ctx;
    double started;
};

struct command {
    const char *name;
    unsigned bit;
    const char *usage;   /* after "gibbsite " */
    const char *summary; /* one line */
    const char *detail;  /* a paragraph or more for the help */
    const char *examples;
    int (*run)(struct app *app);
};

extern const struct command command_fit, command_predict, command_evaluate, command_inspect,
    command_simulate, command_cv, command_theory, command_sample, command_gap, command_complete,
    command_report, command_help, command_version;
/* NULL-terminated, in the order of the help. */
extern const struct command *const commands[];

/* Seconds since the program started. */
double app_seconds(const struct app *app);
bool app_interrupted(void);

/* "gibbsite: ..." on standard error; returns `code`, so that `return app_fail(...)` ends a command.
 */
int app_fail(const struct app *app, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The error of a library call, with the exit code that belongs to it. `about` (a file name, or
 * NULL) stands before the text. */
int app_fail_status(const struct app *app, gbs_status status, const char *about);
/* A signal asked to stop: "interrupted" or what the signal is called, and the text. */
int app_stopped(const struct app *app, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Says so where a result goes nowhere. */
void app_note_lost(const struct app *app);
/* A remark on standard error, unless --quiet. */
void app_note(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Options that exclude or need one another: EXIT_USAGE, already reported. */
int app_check_options(const struct app *app);

/* Puts finished text where it belongs: path NULL or a name of standard output is that. EXIT_DONE,
 * or an exit code already reported. */
int app_write(const struct app *app, const char *path, const struct text *text);

/* The same of what comes piece by piece; a callback that fails has reported it. */
int app_write_pieces(const struct app *app, const char *path, gbs_piece_callback next, void *user);

/* Several outputs of one command, each a text or, with `next`, pieces: the files among them appear
 * together, or none does. */
struct app_output {
    const char *path;
    const struct text *text;
    gbs_piece_callback next;
    void *user;
};
int app_write_all(const struct app *app, const struct app_output *outputs, size_t n);

/* Standard output cannot be written: says why, and returns the exit code. */
int app_stdout_failed(const struct app *app, int error);

int app_load_model(const struct app *app, const char *path, gbs_model **out);

#endif
