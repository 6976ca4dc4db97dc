/* Fuzzes the reader of completion files. A text that is refused must leave nothing and say
 * something; one that is taken must survive being written and read again, and must predict cells it
 * knows and cells it does not.
 */
#include "gibbsite.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int truth) {
    if (!truth)
        abort();
}

static void check_prediction(gbs_context *ctx, const gbs_completion *model) {
    const uint32_t row[] = {0, GBS_UNSEEN, 0, GBS_UNSEEN},
                   column[] = {0, 0, GBS_UNSEEN, GBS_UNSEEN};
    double value[4], sd[4];
    size_t count;
    const gbs_completion_info *info = gbs_completion_get_info(model);
    expect(info->rows > 0 && info->columns > 0 &&
           gbs_completion_row_id(model, info->rows - 1) != NULL);
    gbs_status status = gbs_completion_predict(ctx, model, 4, row, column, value, sd);
    expect(status == GBS_OK || gbs_error_message(ctx)[0] != '\0');
    const uint32_t *seen = gbs_completion_seen(model, 0, &count);
    for (size_t k = 0; k < count; k++)
        expect(seen[k] < info->columns);
    for (int k = 0; status == GBS_OK && k < 4; k++)
        expect(sd[k] >= 0.0 &&
               (!info->has_range || !(value[k] < info->low || value[k] > info->high)));
}

static void check_round_trip(gbs_context *ctx, const gbs_completion *model) {
    char *text = NULL, *again = NULL;
    gbs_completion *copy = NULL;
    size_t size = 0, size_again = 0;
    expect(gbs_completion_to_json(ctx, model, &text, &size) == GBS_OK);
    expect(gbs_completion_from_json(ctx, text, size, &copy) == GBS_OK);
    expect(gbs_completion_to_json(ctx, copy, &again, &size_again) == GBS_OK);
    expect(size == size_again && memcmp(text, again, size) == 0);
    gbs_release(ctx, text);
    gbs_release(ctx, again);
    gbs_completion_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gbs_context *ctx = NULL;
    gbs_completion *model = NULL;
    expect(gbs_context_create(NULL, &ctx) == GBS_OK);
    expect(gbs_context_set_threads(ctx, 1) == GBS_OK);
    if (gbs_completion_from_json(ctx, (const char *)data, size, &model) == GBS_OK) {
        check_prediction(ctx, model);
        check_round_trip(ctx, model);
    } else {
        expect(model == NULL && gbs_error_message(ctx)[0] != '\0');
    }
    gbs_completion_free(model);
    gbs_context_free(ctx);
    return 0;
}
