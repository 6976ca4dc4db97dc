/* Importances of the columns, on rows that nothing of a fit has seen: the last block, found again
 * (docs/maths.md, 11.2, 13). */
#include "fit/fresh.h"

#include "explain/explain.h"
#include "fit/run.h"
#include "model/many.h"

static gbs_status last_block(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                             gbs_data **out) {
    unsigned char *learned = gbs_array_alloc(ctx, data->n, sizeof *learned);
    size_t *rows = gbs_array_alloc(ctx, data->n, sizeof *rows), count = 0;
    gbs_status status = learned != NULL && rows != NULL ? gbs_fit_split_run(ctx, data, o, learned)
                                                        : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < data->n; i++)
        if (!learned[i] && (data->weight == NULL || data->weight[i] != 0.0))
            rows[count++] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, data, rows, count, out);
    gbs_array_free(ctx, learned);
    gbs_array_free(ctx, rows);
    return status;
}

gbs_status gbs_explain_fresh(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                             gbs_model *model) {
    bool tested = model->deployed || (model->many != NULL && model->many->tested);
    gbs_data *fresh = NULL;
    const char *why = "no rows were kept from the fit";
    gbs_status status = tested ? last_block(ctx, data, o, &fresh) : GBS_OK;
    if (status == GBS_OK && tested)
        why = gbs_cannot_explain(model, fresh);
    if (status == GBS_OK && why != NULL)
        gbs_log(ctx, GBS_LOG_WARNING, "importances are not measured: %s", why);
    else if (status == GBS_OK)
        status = gbs_explain_within(ctx, model, fresh, &gbs_usual_limits, &model->explanation);
    if (status == GBS_OK && model->explanation != NULL)
        model->explanation->info.fresh = 1;
    gbs_data_free(fresh);
    return status;
}
