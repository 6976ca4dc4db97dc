/* gibbsite report: the JSON of runs as a page for people. */
#include "app.h"
#include "input.h"
#include "out/json.h"
#include "out/result.h"
#include "outputs.h"

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

static int add_run(const struct app *app, const char *file, gbs_report *report) {
    struct text whole = {0};
    int code = read_whole(app, file, &whole);
    if (code == EXIT_DONE) {
        gbs_status status = gbs_report_add_run(app->ctx, report, input_name(file), whole.bytes,
                                               whole.size);
        if (status == GBS_ERR_MEMORY)
            code = app_fail(app, EXIT_MEMORY, "%s: out of memory", file);
        else if (status != GBS_OK)
            code = app_fail_status(app, status, NULL);
    }
    text_free(&whole);
    return code;
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

static int write_page(const struct app *app, const gbs_report *report) {
    const struct options *o = &app->options;
    size_t n = o->n_inputs;
    /* nobody reads a page of HTML on a terminal */
    const char *output = option_text(o, "output") == NULL && isatty(STDOUT_FILENO)
                             ? "report.html"
                             : option_text(o, "output");
    struct text page = {0}, said = {0};
    size_t charts = 0;
    gbs_status status = gbs_report_html(app->ctx, report, "--", &page.bytes, &page.size, &charts);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
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
    const struct app_output outputs[] = {{output, &page, NULL, NULL}, {NULL, &said, NULL, NULL}};
    int code = app_write_all(app, outputs, 2);
    if (code == EXIT_DONE && !given(o, "json") && output != NULL && !output_is_stdout(output))
        app_note(app, "%zu run%s, %zu chart%s in %s; it opens in any browser, without a network", n,
                 n == 1 ? "" : "s", charts, charts == 1 ? "" : "s", output);
    gbs_release(app->ctx, page.bytes);
    text_free(&said);
    return code;
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    int code = check_options(app);
    if (code != EXIT_DONE)
        return code;
    gbs_report *report = NULL;
    gbs_status status = gbs_report_create(app->ctx, &report);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    for (size_t k = 0; code == EXIT_DONE && k < o->n_inputs; k++)
        code = add_run(app, o->inputs[k], report);
    if (code == EXIT_DONE)
        code = write_page(app, report);
    gbs_report_free(report);
    return code;
}

const struct command command_report = {
    "report",
    FOR_REPORT,
    "report RUN.json... [-o FILE.html] [OPTIONS]",
    "a page with charts of one or more runs",
    "RUN.json is what fit, evaluate, cv, sample, gap, complete, theory or inspect print with "
    "--json; - is standard input. The page is one HTML file that opens from disk without a "
    "network: what the certificate means and assumes in plain words, the certificate taken apart, "
    "bound and risks along lambda, convergence, coefficients with posterior intervals, reliability "
    "diagram, ROC curve, residuals, gaps; data and options in full. Several runs share a page, "
    "with a comparison at its top. What a run lacks is named, with the option that brings it.",
    "gibbsite fit train.csv --test test.csv --json > run.json\n"
    "gibbsite report run.json -o report.html\n"
    "gibbsite report zero.json informed.json ranking.json -o report.html\n"
    "gibbsite inspect model.json --json | gibbsite report - -o report.html",
    run,
};
