/* Results that several commands print. */
#include "out/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void result_head(struct json *j, const struct app *app) {
    json_put_string(j, "gibbsite", gbs_version());
    json_put_string(j, "command", app->command->name);
}

const char *result_task(const gbs_model *model) {
    return gbs_task_name(gbs_model_get_info(model)->task);
}

bool result_has_labels(const gbs_evaluation *e) {
    return gbs_task_has(gbs_task_of(e->task), GBS_FACT_LABELS);
}

int result_describe(struct json *j, const struct app *app, const gbs_model *model, unsigned parts) {
    char *members = NULL;
    gbs_status status = gbs_model_describe_json(app->ctx, model, parts, &members, NULL);
    return result_members(j, app, status, members);
}

int result_members(struct json *j, const struct app *app, gbs_status status, char *members) {
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    json_put_members(j, members);
    gbs_release(app->ctx, members);
    return EXIT_DONE;
}

void result_class(const gbs_recipe *recipe, int class, struct text *out) {
    const char *positive = gbs_recipe_positive(recipe), *negative = gbs_recipe_negative(recipe);
    if (result_is_many(recipe))
        text_add(out, "%s", gbs_recipe_class(recipe, (size_t) class - 1));
    else if (class > 0)
        text_add(out, "%s", positive);
    else if (negative != NULL)
        text_add(out, "%s", negative);
    else
        text_add(out, "not %s", positive);
}

void result_baseline(struct json *j, const gbs_recipe *recipe, const struct baseline *b) {
    struct text label = {0};
    if (b->rows == 0)
        return;
    result_class(recipe, b->label, &label);
    j->out->failed |= label.failed;
    json_open_object(j, "baseline");
    json_put_string(j, "label", label.bytes != NULL ? label.bytes : "");
    json_put_number(j, "error", b->error);
    json_close_object(j);
    text_free(&label);
}
