/* gibbsite report: the JSON of runs as a page for people. */
#include "app.h"
#include "out/json.h"
#include "out/result.h"
#include "outputs.h"
#include "report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Why reading stopped: zlib's word, or the system's. */
static int cannot_read(const struct app *app, const char *file, gzFile in) {
    int code = Z_ERRNO, error = errno;
    const char *why = in != NULL ? gzerror(in, &code) : "";
    if (app_interrupted())
        return app_stopped(app, "; nothing was written");
    if (code == Z_ERRNO)
        return app_fail(app, EXIT_FILES, "%s: %s", file, strerror(error));
    if (code == Z_MEM_ERROR)
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", file);
    return app_fail(app, EXIT_BAD_DATA, "%s: the gzip data is damaged or ends early (%s)", file,
                    why);
}

/* A file, or standard input, gzipped or not, whole. */
static int read_whole(const struct app *app, const char *file, struct text *out) {
    char buffer[1 << 15];
    int fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC), got = 0;
    gzFile in = fd >= 0 ? gzdopen(fd, "rb") : NULL;
    if (fd >= 0 && in == NULL) {
        close(fd);
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", file);
    }
    while (in != NULL && !out->failed && (got = gzread(in, buffer, sizeof buffer)) > 0)
        text_add_bytes(out, buffer, (size_t)got);
    int ended = Z_OK, code = EXIT_DONE;
    if (in != NULL && got == 0)
        (void)gzerror(in, &ended); /* a truncated file says so only here */
    if (in == NULL || got < 0 || ended != Z_OK)
        code = cannot_read(app, file, in);
    else if (out->failed)
        code = app_fail(app, EXIT_MEMORY, "%s: out of memory", file);
    if (in != NULL)
        gzclose(in);
    return code;
}

static int not_json(const struct app *app, const char *file, const json_error_t *error) {
    if (json_error_code(error) == json_error_out_of_memory)
        return app_fail(app, EXIT_MEMORY, "%s: out of memory", file);
    return app_fail(app, EXIT_BAD_DATA, "%s: line %d, column %d: expected the JSON of a run: %s",
                    file, error->line > 0 ? error->line : 1, error->column > 0 ? error->column : 1,
                    error->text);
}

/* Is it a run, and of which command? */
static int recognise(const struct app *app, struct run *run) {
    static const char expected[] = "expected what fit, evaluate, cv, sample, gap, complete, theory "
                                   "or inspect print with --json";
    const char *command = run_text(run->root, "command");
    if (run_text(run->root, "gibbsite") == NULL)
        return app_fail(app, EXIT_BAD_DATA, "%s: not a run of gibbsite; %s", run->file, expected);
    if (command == NULL && run_text(run->root, "kind") != NULL)
        return app_fail(
            app, EXIT_BAD_DATA,
            "%s: a file of kind '%.40s', not a run; %s (inspect MODEL --json makes one of a model)",
            run->file, run_text(run->root, "kind"), expected);
    for (int k = 0; command != NULL && k < RUN_KINDS; k++)
        if (strcmp(command, run_kind_name((enum run_kind)k)) == 0) {
            run->kind = (enum run_kind)k;
            return EXIT_DONE;
        }
    return app_fail(app, EXIT_BAD_DATA, "%s: a run of '%.40s', which has nothing to report; %s",
                    run->file, command != NULL ? command : "nothing", expected);
}

static int read_run(const struct app *app, const char *file, size_t number, struct run *out) {
    struct text whole = {0};
    json_error_t error;
    *out = (struct run){.file = file, .number = number};
    int code = read_whole(app, file, &whole);
    if (code == EXIT_DONE)
        out->root = json_loadb(whole.size > 0 ? whole.bytes : "", whole.size, 0, &error);
    text_free(&whole);
    if (code != EXIT_DONE)
        return code;
    if (out->root == NULL)
        return not_json(app, file, &error);
    return recognise(app, out);
}

static int check_options(const struct app *app) {
    const struct options *o = &app->options;
    const char *output = option_text(o, "output");
    size_t from_stdin = 0;
    if (o->n_inputs == 0)
        return app_fail(app, EXIT_USAGE, "report: expected at least one run; gibbsite %s",
                        app->command->usage);
    for (size_t k = 0; k < o->n_inputs; k++)
        from_stdin += strcmp(o->inputs[k], "-") == 0;
    if (from_stdin > 1)
        return app_fail(app, EXIT_USAGE, "report: only one of the runs can be standard input");
    if (given(o, "json") && (output == NULL || output_is_stdout(output)))
        return app_fail(app, EXIT_USAGE,
                        "report: the page and --json both want standard output; -o FILE.html takes "
                        "the page away");
    return outputs_check(app, given(o, "json") || output == NULL);
}

static int write_page(const struct app *app, const struct run *runs, size_t n) {
    const struct options *o = &app->options;
    /* nobody reads a page of HTML on a terminal */
    const char *output = option_text(o, "output") == NULL && isatty(STDOUT_FILENO)
                             ? "report.html"
                             : option_text(o, "output");
    struct text page = {0}, said = {0};
    size_t charts = 0;
    bool whole = report_page(runs, n, gbs_version(), &page, &charts);
    if (given(o, "json")) {
        struct json j = json_writer(&said);
        json_open_object(&j, NULL);
        result_head(&j, app);
        json_put_string(&j, "file", output);
        json_put_count(&j, "runs", n);
        json_put_count(&j, "charts", charts);
        json_put_count(&j, "bytes", page.size);
        json_close_object(&j);
    }
    int code = whole && !said.failed ? app_write(app, output, &page)
                                     : app_fail(app, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && given(o, "json"))
        code = app_write(app, NULL, &said);
    else if (code == EXIT_DONE && output != NULL && !output_is_stdout(output))
        app_note(app, "%zu run%s, %zu chart%s in %s; it opens in any browser, without a network", n,
                 n == 1 ? "" : "s", charts, charts == 1 ? "" : "s", output);
    text_free(&page);
    text_free(&said);
    return code;
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    int code = check_options(app);
    if (code != EXIT_DONE)
        return code;
    struct run *runs = calloc(o->n_inputs, sizeof *runs);
    if (runs == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    for (size_t k = 0; code == EXIT_DONE && k < o->n_inputs; k++)
        code = read_run(app, o->inputs[k], k + 1, &runs[k]);
    if (code == EXIT_DONE)
        code = write_page(app, runs, o->n_inputs);
    for (size_t k = 0; k < o->n_inputs; k++)
        json_decref(runs[k].root);
    free(runs);
    return code;
}

const struct command command_report = {
    "report",
    FOR_REPORT,
    "report RUN.json... [-o FILE.html] [OPTIONS]",
    "a page with charts of one or more runs",
    "RUN.json is what fit, evaluate, cv, sample, gap, complete, theory or inspect print with "
    "--json; - is standard input. The "
    "page is one HTML file that\n"
    "opens from disk without a network: what the certificate means and assumes in plain words, the "
    "certificate taken apart, "
    "bound and risks along\n"
    "lambda, convergence, coefficients with posterior intervals, reliability diagram, ROC curve, "
    "residuals, gaps; data and "
    "options in full. Several runs\n"
    "share a page, with a comparison at its top. What a run lacks is named, with the option that "
    "brings it.",
    "gibbsite fit train.csv --test test.csv --json > run.json\n"
    "gibbsite report run.json -o report.html\n"
    "gibbsite report zero.json informed.json ranking.json -o report.html\n"
    "gibbsite inspect model.json --json | gibbsite report - -o report.html",
    run,
};
