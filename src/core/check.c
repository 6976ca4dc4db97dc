/* Arguments and options out of range, in words (core/check.h). */
#include "core/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

gbs_status gbs_refuse_null(gbs_context *ctx, const char *argument) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s must not be NULL", argument);
}

gbs_status gbs_check_array(gbs_context *ctx, const char *name, const void *array, size_t count) {
    if (count == 0 || array != NULL)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s is NULL, where %zu values were announced", name,
                    count);
}

/* "loss must be 0 (zero-one), 1 (hinge) or 2 (exponential), not 99" */
static gbs_status refuse_choice(gbs_context *ctx, const char *option, int value,
                                const char *choices, int last) {
    char list[256] = "";
    size_t used = 0;
    const char *name = choices;
    for (int k = 0; *name != '\0' && used < sizeof list; k++) {
        size_t size = strcspn(name, "|");
        bool end = name[size] == '\0';
        const char *before = k == 0 ? "" : end ? " or " : ", ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d (%.*s)", before,
                                 end && last != 0 ? last : k, (int)size, name);
        name += size + (name[size] != '\0');
    }
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%s must be %s, not %d", option, list, value);
}

gbs_status gbs_check_choice(gbs_context *ctx, const char *option, int value, const char *choices,
                            int last) {
    int most = 0;
    for (const char *p = choices; *p != '\0'; p++)
        most += *p == '|';
    bool fine = last != 0 && value >= most ? value == last : value >= 0 && value <= most;
    return fine ? GBS_OK : refuse_choice(ctx, option, value, choices, last);
}

gbs_status gbs_check_ladder(gbs_context *ctx, const double *ladder, size_t count) {
    gbs_status status = gbs_check_array(ctx, "ladder", ladder, count);
    for (size_t t = 0; status == GBS_OK && t < count; t++)
        if (!(ladder[t] > (t > 0 ? ladder[t - 1] : 0.0)) || !isfinite(ladder[t]))
            status = gbs_fail(
                ctx, GBS_ERR_ARGUMENT,
                "the ladder of lambdas must be positive and increasing; number %zu is %g", t + 1,
                ladder[t]);
    return status;
}

gbs_status gbs_check_confidence(gbs_context *ctx, double confidence) {
    if (confidence > 0.0 && confidence < 1.0)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the confidence must lie between 0 and 1, not %g",
                    confidence);
}
