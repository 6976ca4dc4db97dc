/* One run: the JSON that a command printed, and questions to it. What is missing or of the wrong
 * kind is not there. */
#ifndef GIBBSITE_REPORT_RUN_H
#define GIBBSITE_REPORT_RUN_H

#include "gibbsite.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum run_kind {
    RUN_FIT,
    RUN_EVALUATE,
    RUN_CV,
    RUN_SAMPLE,
    RUN_GAP,
    RUN_COMPLETE,
    RUN_THEORY,
    RUN_INSPECT,
    RUN_KINDS
};

struct run {
    const char *file;
    json_t *root;
    enum run_kind kind;
    size_t number; /* from 1 */
};

/* fit, evaluate, ...; NULL beyond the last. */
const char *gbs_run_kind_name(enum run_kind kind);

/* What lies at a path such as certificate.value; NULL when nothing does, or null. */
const json_t *gbs_run_at(const json_t *from, const char *path);
double gbs_run_number(const json_t *from, const char *path);    /* NAN when it is none */
const char *gbs_run_text(const json_t *from, const char *path); /* NULL when it is none */
bool gbs_run_is(const json_t *from, const char *path, const char *text);
bool gbs_run_true(const json_t *from, const char *path);
/* Elements of the array there; 0 when it is none. */
size_t gbs_run_size(const json_t *from, const char *path);
const json_t *gbs_run_item(const json_t *from, const char *path, size_t k);

/* What the run learned; of a run that does not say, what its numbers tell. Never NULL. */
const gbs_task *gbs_run_task(const json_t *root);
/* It predicts labels: an error counts, and not an AUC. */
bool gbs_run_labels(const json_t *root);
/* Of test rows, "test.error" or 1 - "test.auc": what the certificate's task calls its risk. */
double gbs_run_test_risk(const json_t *root);
/* It is about ratings. */
bool gbs_run_completes(const json_t *root);
/* Its file without the folder. */
const char *gbs_run_short_name(const struct run *run);
/* The training data without the folder, for a heading; NULL when the run does not say. */
const char *gbs_run_data(const struct run *run);

#endif
