/* Runs of a report, and its page: JSON in, HTML out. */
#include "core/check.h"
#include "file/json_text.h"
#include "report/page.h"

#include <locale.h>
#include <string.h>

struct gbs_report {
    gbs_context *ctx;
    struct run *runs; /* .file and .root are the report's */
    size_t n, room;
};

gbs_status gbs_report_create(gbs_context *ctx, gbs_report **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    gbs_report *report = gbs_handle_alloc(ctx, sizeof *report);
    if (report == NULL)
        return GBS_ERR_MEMORY;
    report->ctx = ctx;
    *out = report;
    return GBS_OK;
}

void gbs_report_free(gbs_report *report) {
    if (report == NULL)
        return;
    for (size_t k = 0; k < report->n; k++) {
        json_decref(report->runs[k].root);
        gbs_array_free(report->ctx, (char *)report->runs[k].file);
    }
    gbs_array_free(report->ctx, report->runs);
    gbs_handle_free(report->ctx, report);
}

/* ---------------------------------------------------------------- runs */

/* Is it a run, and of which command? */
static gbs_status recognise(gbs_context *ctx, const char *name, struct run *run) {
    static const char expected[] = "expected what fit, evaluate, cv, sample, gap, complete, theory "
                                   "or inspect print with `json`";
    const char *command = gbs_run_text(run->root, "command");
    if (gbs_run_text(run->root, "gibbsite") == NULL)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "%.300s: not a run of gibbsite; %s", name, expected);
    if (command == NULL && gbs_run_text(run->root, "kind") != NULL)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "%.300s: a file of kind '%.40s', not a run; %s (inspect MODEL `json` makes "
                        "one of a model)",
                        name, gbs_run_text(run->root, "kind"), expected);
    for (int k = 0; command != NULL && k < RUN_KINDS; k++)
        if (strcmp(command, gbs_run_kind_name((enum run_kind)k)) == 0) {
            run->kind = (enum run_kind)k;
            return GBS_OK;
        }
    return gbs_fail(ctx, GBS_ERR_FORMAT,
                    "%.300s: a run of '%.40s', which has nothing to report; %s", name,
                    command != NULL ? command : "nothing", expected);
}

/* Takes the reference to root, whatever comes of it. */
static gbs_status add(gbs_context *ctx, gbs_report *report, const char *name, json_t *root) {
    struct run run = {.root = root, .number = report->n + 1};
    size_t size = strlen(name) + 1;
    char *file = NULL;
    gbs_status status = recognise(ctx, name, &run);
    if (status == GBS_OK && report->n == report->room) {
        size_t room = 2 * report->room + 4;
        struct run *runs = gbs_array_alloc_for(ctx, report->ctx, room, sizeof *runs);
        if (runs != NULL && report->n > 0)
            memcpy(runs, report->runs, report->n * sizeof *runs);
        if (runs != NULL) {
            gbs_array_free(report->ctx, report->runs);
            report->runs = runs;
            report->room = room;
        }
        status = runs != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    if (status == GBS_OK) {
        file = gbs_array_alloc_for(ctx, report->ctx, size, 1);
        status = file != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    if (status != GBS_OK) {
        json_decref(root);
        return status;
    }
    memcpy(file, name, size);
    run.file = file;
    report->runs[report->n++] = run;
    return GBS_OK;
}

gbs_status gbs_report_add_run(gbs_context *ctx, gbs_report *report, const char *name,
                              const char *json, size_t size) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, report);
    GBS_NEEDS(ctx, name);
    GBS_NEEDS_ARRAY(ctx, json, size);
    json_t *root = NULL;
    gbs_status status = gbs_json_parse(ctx, size > 0 ? json : "", size, GBS_JSON_LEVELS, name,
                                       &root);
    if (status == GBS_ERR_FORMAT) {
        char why[GBS_MESSAGE_ROOM];
        memcpy(why, ctx->error, sizeof why);
        return gbs_fail(ctx, status, "%.900s; expected the JSON of a run", why);
    }
    return status == GBS_OK ? add(ctx, report, name, root) : status;
}

gbs_status gbs_report_add_model(gbs_context *ctx, gbs_report *report, const char *name,
                                const gbs_model *model) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, report);
    GBS_NEEDS(ctx, name);
    GBS_NEEDS(ctx, model);
    char *told = NULL;
    size_t size;
    json_t *root = NULL;
    gbs_status status = gbs_model_describe_json(ctx, model, 0, &told, &size);
    if (status == GBS_OK)
        status = gbs_json_parse(ctx, told, size, GBS_JSON_LEVELS, name, &root);
    gbs_release(ctx, told);
    if (status != GBS_OK)
        return status;
    if (json_object_set_new(root, "gibbsite", json_string(gbs_version())) != 0 ||
        json_object_set_new(root, "command", json_string("inspect")) != 0) {
        json_decref(root);
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory");
    }
    return add(ctx, report, name, root);
}

/* ---------------------------------------------------------------- the page */

gbs_status gbs_report_html(gbs_context *ctx, const gbs_report *report, const char *mark,
                           char **html, size_t *size, size_t *charts) {
    GBS_NEEDS(ctx, html);
    *html = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, report);
    if (report->n == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the report has no run");
    struct text page = {.ctx = ctx};
    size_t drawn = 0;
    /* numbers have a point, not the comma of the caller's locale; that of C takes no memory */
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(own);
    bool whole = gbs_report_page(report->runs, report->n, mark, &page, &drawn);
    uselocale(before);
    freelocale(own);
    if (!whole) {
        gbs_text_free(&page);
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory");
    }
    gbs_context_retain(ctx); /* until gbs_release */
    *html = page.bytes;
    if (size != NULL)
        *size = page.size;
    if (charts != NULL)
        *charts = drawn;
    return GBS_OK;
}
