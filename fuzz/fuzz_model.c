/* Fuzzes the reader of model files. A text that is refused must leave no model and say something;
 * one that is taken must survive being written and read again, and must give probabilities for rows
 * and an evaluation of them, or say why it cannot.
 */
#include "gibbsite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { MOST_FEATURES = 1000 };

static void expect(int truth) {
    if (!truth)
        abort();
}

enum { ROWS = 5 };

/* Finite numbers in a file may be as large as they like, so scores may overflow: that is an error.
 * What is no error is a number. */
static void check_prediction(gbs_context *ctx, const gbs_model *model, size_t features) {
    static const double y[ROWS] = {1.0, -1.0, -1.0, 1.0, 1.0};
    double cells[ROWS * MOST_FEATURES], score[ROWS], sd[ROWS], probability[ROWS];
    gbs_data *rows = NULL;
    gbs_evaluation *e;
    for (size_t k = 0; k < ROWS * features; k++)
        cells[k] = (double)(k % 3) - 1.0;
    expect(gbs_data_dense(ctx, ROWS, features, cells, features, y, GBS_BORROW, &rows) == GBS_OK);
    if (gbs_model_predict(ctx, model, rows, score, sd, probability) == GBS_OK)
        for (size_t i = 0; i < ROWS; i++)
            expect(probability[i] >= 0.0 && probability[i] <= 1.0 && sd[i] >= 0.0 &&
                   isfinite(score[i]));
    else
        expect(gbs_error_message(ctx)[0] != '\0');
    if (gbs_model_evaluate(ctx, model, rows, &e) == GBS_OK)
        expect(e->n == ROWS && e->auc >= 0.0 && e->auc <= 1.0 && e->gibbs_error >= 0.0 &&
               e->gibbs_error <= 1.0);
    else
        expect(gbs_error_message(ctx)[0] != '\0');
    gbs_evaluation_free(e);
    gbs_data_free(rows);
}

static void check_round_trip(gbs_context *ctx, const gbs_model *model) {
    char *text = NULL, *again = NULL;
    gbs_model *copy = NULL;
    size_t size = 0, size_again = 0;
    expect(gbs_model_to_json(ctx, model, &text, &size) == GBS_OK);
    expect(gbs_model_from_json(ctx, text, size, &copy) == GBS_OK);
    expect(gbs_model_to_json(ctx, copy, &again, &size_again) == GBS_OK);
    expect(size == size_again && memcmp(text, again, size) == 0);
    gbs_release(ctx, text);
    gbs_release(ctx, again);
    gbs_model_free(copy);
}

static void check_coefficients(gbs_context *ctx, const gbs_model *model, size_t d) {
    double mean[MOST_FEATURES + 1], sd[MOST_FEATURES + 1];
    if (gbs_model_coefficients(ctx, model, mean, sd) != GBS_OK)
        return;
    for (size_t k = 0; k < d; k++)
        expect(!(sd[k] < 0.0));
}

/* Bytes changed at random rarely leave JSON behind, so half of the time one whole value, between
 * its border and the next, becomes another. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static const char *const values[] = {"0",      "-1",       "1",        "2",      "3",
                                         "0.5",    "1e308",    "-1e308",   "5e-324", "2147483647",
                                         "null",   "true",     "\"\"",     "{}",     "4294967296",
                                         "[1, 2]", "\"full\"", "\"none\"", "1, 1",   "100001"};
    if (size == 0 || seed % 2 == 0)
        return LLVMFuzzerMutate(data, size, most);
    const char *value = values[seed / 2 % (sizeof values / sizeof *values)];
    size_t start = seed / 64 % size, stop;
    while (start < size && strchr(":[,", data[start]) == NULL)
        start++;
    start += start < size;
    stop = start + (start < size && data[start] == '-');
    while (stop < size && strchr(",]}", data[stop]) == NULL)
        stop++;
    size_t length = strlen(value), behind = size - stop;
    if (start + length + behind > most)
        return LLVMFuzzerMutate(data, size, most);
    memmove(data + start + length, data + stop, behind);
    memcpy(data + start, value, length);
    return start + length + behind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gbs_context *ctx = NULL;
    gbs_model *model = NULL;
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 0;
    gbs_context_set_threads(ctx, 1);
    if (gbs_model_from_json(ctx, (const char *)data, size, &model) == GBS_OK) {
        const gbs_model_info *info = gbs_model_get_info(model);
        check_round_trip(ctx, model);
        if (info->features < MOST_FEATURES) {
            check_prediction(ctx, model, info->features);
            check_coefficients(ctx, model, info->d);
        }
    } else {
        expect(model == NULL && gbs_error_message(ctx)[0] != '\0');
    }
    gbs_model_free(model);
    gbs_context_free(ctx);
    return 0;
}
