/* Questions to the JSON of a run. */
#include "report/run.h"

#include <math.h>
#include <string.h>

const char *run_kind_name(enum run_kind kind) {
    static const char *const names[RUN_KINDS] = {"fit", "evaluate", "cv",     "sample",
                                                 "gap", "complete", "theory", "inspect"};
    return kind < RUN_KINDS ? names[kind] : NULL;
}

const json_t *run_at(const json_t *from, const char *path) {
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

double run_number(const json_t *from, const char *path) {
    const json_t *x = run_at(from, path);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

const char *run_text(const json_t *from, const char *path) {
    return json_string_value(run_at(from, path));
}

bool run_is(const json_t *from, const char *path, const char *text) {
    const char *found = run_text(from, path);
    return found != NULL && strcmp(found, text) == 0;
}

bool run_true(const json_t *from, const char *path) {
    return json_is_true(run_at(from, path));
}

size_t run_size(const json_t *from, const char *path) {
    return json_array_size(run_at(from, path));
}

const json_t *run_item(const json_t *from, const char *path, size_t k) {
    return json_array_get(run_at(from, path), k);
}

bool run_ranks(const json_t *root) {
    /* evaluate does not say its task: only a ranking has no error but an AUC */
    if (run_text(root, "task") != NULL)
        return run_is(root, "task", "rank");
    return isnan(run_number(root, "error")) && !isnan(run_number(root, "auc"));
}

bool run_completes(const json_t *root) {
    return run_is(root, "task", "complete") || !isnan(run_number(root, "rmse"));
}

const char *run_short_name(const struct run *run) {
    const char *slash = strrchr(run->file, '/');
    return strcmp(run->file, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : run->file;
}

const char *run_data(const struct run *run) {
    const char *file = run_text(run->root, "data.file");
    /* evaluate takes the model first */
    if (file == NULL)
        file = json_string_value(
            run_item(run->root, "options.inputs", run->kind == RUN_EVALUATE ? 1 : 0));
    return file != NULL && strcmp(file, "-") == 0 ? "standard input" : file;
}
