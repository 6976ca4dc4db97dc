/* Fuzzes what evaluate does: a file of rows meets the recipe of a model and its labels. Rows that
 * are refused leave no data and say why; those that are taken have an evaluation whose numbers
 * agree with each other, or say why they have none. The first byte chooses the buffer's size and
 * the options. */
#include "fuzz_table.h"

#include <math.h>

static void expect(int truth) {
    if (!truth)
        abort();
}

enum { ROWS = 90 };

/* A model of the columns x, z and y, which most files of tests/messy have. */
static gbs_model *make_model(gbs_context *ctx) {
    static double x[ROWS], z[ROWS];
    static const char *y[ROWS];
    gbs_table *t = NULL;
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    for (int i = 0; i < ROWS; i++) {
        x[i] = (double)(i * 37 % 101) / 10.0;
        z[i] = (double)(i % 7);
        y[i] = i * 37 % 101 > 50 ? "yes" : "no";
    }
    expect(gbs_table_create(ctx, ROWS, 3, &t) == GBS_OK);
    expect(gbs_table_add_numbers(ctx, t, "x", x) == GBS_OK);
    expect(gbs_table_add_numbers(ctx, t, "z", z) == GBS_OK);
    expect(gbs_table_add_texts(ctx, t, "y", y) == GBS_OK);
    expect(gbs_table_train(ctx, t, NULL, &data) == GBS_OK);
    expect(gbs_fit(ctx, data, NULL, &model) == GBS_OK);
    gbs_data_free(data);
    gbs_table_free(t);
    return model;
}

static void check_evaluation(gbs_context *ctx, const gbs_model *model, const gbs_data *rows) {
    gbs_evaluation *e = NULL;
    if (gbs_model_evaluate(ctx, model, rows, &e) != GBS_OK) {
        expect(e == NULL && gbs_error_message(ctx)[0] != '\0');
        return;
    }
    size_t labels = e->true_positive + e->false_positive + e->true_negative + e->false_negative;
    expect(e->n == gbs_data_rows(rows) && e->errors <= e->n && labels == e->n);
    expect(e->error >= 0.0 && e->error <= 1.0 && e->gibbs_error >= 0.0 && e->gibbs_error <= 1.0);
    expect(isnan(e->auc) || (e->auc >= 0.0 && e->auc <= 1.0));
    expect(e->brier >= 0.0 && e->brier <= 1.0);
    gbs_evaluation_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gbs_context *ctx;
    static gbs_model *model;
    static gbs_recipe *recipe;
    static gbs_options *drop;
    if (size == 0)
        return 0;
    if (ctx == NULL) {
        expect(gbs_context_create(NULL, &ctx) == GBS_OK);
        gbs_context_set_threads(ctx, 1);
        model = make_model(ctx);
        expect(gbs_recipe_from_model(ctx, model, &recipe) == GBS_OK);
        expect(gbs_options_create(ctx, "evaluate", &drop) == GBS_OK);
        expect(gbs_options_set(drop, "missing", "drop") == GBS_OK);
    }
    gbs_reading options = {.format = GBS_TABLE_CSV, .header = data[0] % 3 - 1, .from_model = true};
    gbs_bytes b;
    gbs_table *t = NULL;
    gbs_data *rows = NULL;
    bool leave_out = (data[0] & 64) != 0;
    options.keep_missing = leave_out;
    (void)gbs_fail(ctx, GBS_OK, "%s", "");
    if (gbs_bytes_open_memory(ctx, data + 1, size - 1, 1 + data[0] % 32, &b) != GBS_OK)
        return 0;
    gbs_status status = gbs_table_read_bytes(&b, "fuzz", &options, &t);
    if (status == GBS_OK)
        status = gbs_table_apply(ctx, t, recipe, GBS_WITH_LABELS, leave_out ? drop : NULL, &rows);
    if (status == GBS_OK)
        check_evaluation(ctx, model, rows);
    else
        expect(rows == NULL && gbs_error_message(ctx)[0] != '\0');
    gbs_data_free(rows);
    gbs_table_free(t);
    gbs_bytes_close(&b);
    return 0;
}
