/* Questions to the JSON of a run. */
#include "report/run.h"

#include <math.h>
#include <string.h>

const char *gbs_run_kind_name(enum run_kind kind) {
    static const char *const names[RUN_KINDS] = {"fit", "evaluate", "cv",     "sample",
                                                 "gap", "complete", "theory", "inspect"};
    return kind < RUN_KINDS ? names[kind] : NULL;
}

const json_t *gbs_run_at(const json_t *from, const char *path) {
    while (from != NULL) {
        char key[64];
        size_t size = strcspn(path, ".");
        if (size >= sizeof key)
            return NULL;
        memcpy(key, path, size);
        key[size] = '\0';
        from = json_object_get(from, key);
        if (path[size] == '\0')
            break;
        path += size + 1;
    }
    return json_is_null(from) ? NULL : from;
}

double gbs_run_number(const json_t *from, const char *path) {
    const json_t *x = gbs_run_at(from, path);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

const char *gbs_run_text(const json_t *from, const char *path) {
    return json_string_value(gbs_run_at(from, path));
}

bool gbs_run_is(const json_t *from, const char *path, const char *text) {
    const char *found = gbs_run_text(from, path);
    return found != NULL && strcmp(found, text) == 0;
}

bool gbs_run_true(const json_t *from, const char *path) {
    return json_is_true(gbs_run_at(from, path));
}

size_t gbs_run_size(const json_t *from, const char *path) {
    return json_array_size(gbs_run_at(from, path));
}

const json_t *gbs_run_item(const json_t *from, const char *path, size_t k) {
    return json_array_get(gbs_run_at(from, path), k);
}

const gbs_task *gbs_run_task(const json_t *root) {
    const gbs_task *task = gbs_task_named(gbs_run_text(root, "task")), *first = gbs_task_of(0);
    if (task != NULL || gbs_run_text(root, "task") != NULL)
        return task != NULL ? task : first;
    /* evaluate does not say its task: without labels there is no error, but an AUC */
    bool labels = !isnan(gbs_run_number(root, "error")) || isnan(gbs_run_number(root, "auc"));
    for (int k = 0; (task = gbs_task_of((gbs_task_kind)k)) != NULL; k++)
        if ((gbs_task_has(task, GBS_FACT_LABELS) != 0) == labels)
            return task;
    return first;
}

bool gbs_run_labels(const json_t *root) {
    return gbs_task_has(gbs_run_task(root), GBS_FACT_LABELS) != 0;
}

double gbs_run_test_risk(const json_t *root) {
    return gbs_run_labels(root) ? gbs_run_number(root, "test.error")
                                : 1.0 - gbs_run_number(root, "test.auc");
}

bool gbs_run_completes(const json_t *root) {
    return gbs_run_is(root, "task", "complete") || !isnan(gbs_run_number(root, "rmse"));
}

const char *gbs_run_short_name(const struct run *run) {
    const char *slash = strrchr(run->file, '/');
    return slash != NULL ? slash + 1 : run->file;
}

const char *gbs_run_data(const struct run *run) {
    const char *file = gbs_run_text(run->root, "data.file");
    /* evaluate takes the model first */
    if (file == NULL)
        file = json_string_value(
            gbs_run_item(run->root, "options.inputs", run->kind == RUN_EVALUATE ? 1 : 0));
    if (file == NULL)
        return NULL;
    const char *slash = strrchr(file, '/'); /* the folder is nobody's business */
    return strcmp(file, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : file;
}
