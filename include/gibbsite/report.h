/* The page of a report: what a run found as one HTML file for people, which opens from disk without
 * a network. What the certificate means and assumes in plain words, the certificate taken apart,
 * charts with the numbers behind them, data and options in full; several runs are compared. */
#ifndef GIBBSITE_REPORT_H
#define GIBBSITE_REPORT_H

#include "gibbsite/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs that share a page; made by the library, and freed by gbs_report_free. */
typedef struct gbs_report gbs_report;

/* Without runs yet. */
GBS_API gbs_status gbs_report_create(gbs_context *ctx, gbs_report **out);

/* One more run: `size` bytes of the JSON object that fit, evaluate, cv, sample, gap, complete,
 * theory or inspect of the program print with its option `json`, or one made in their manner
 * (docs/formats.md). Two members must be there: "gibbsite", the version, and "command", which of
 * them it is. Beside them stand the members of gbs_model_describe_json, of
 * gbs_particles_describe_json or gbs_completion_describe_json; "test" holds what evaluate has, of
 * rows that a fit or a completion was tested on; "data" and "options" say what it was given. What a
 * run lacks is named on the page. `name` is what the page calls the run: a file's name, of which
 * the folder is left out.
 * GBS_ERR_FORMAT: it is not JSON, or no run; the message begins with `name`, and the report is as
 * before. */
GBS_API gbs_status gbs_report_add_run(gbs_context *ctx, gbs_report *report, const char *name,
                                      const char *json, size_t size);
/* The same of a model, with all that there is to tell of it: a run of inspect. */
GBS_API gbs_status gbs_report_add_model(gbs_context *ctx, gbs_report *report, const char *name,
                                        const gbs_model *model);

/* The page, zero-terminated; hand it back with gbs_release. Where something is missing the page
 * names the option that brings it: `mark` stands before its name, as a caller's users write it
 * ("--" of a command line); NULL puts the name between backquotes. The same runs give the same
 * bytes, whatever the locale. size and charts (how many it has) may be NULL. GBS_ERR_ARGUMENT
 * without a run. */
GBS_API gbs_status gbs_report_html(gbs_context *ctx, const gbs_report *report, const char *mark,
                                   char **html, size_t *size, size_t *charts);

/* Frees it; NULL is ignored. */
GBS_API void gbs_report_free(gbs_report *report);

#ifdef __cplusplus
}
#endif

#endif
