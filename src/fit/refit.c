/* A second posterior, from all rows (docs/maths.md, 11.9).
 *
 * Whatever was chosen and calibrated before the last block stays; scaling and posterior are learned
 * again from all rows, the last block among them. No row is left to test the result, so nothing is
 * certified of it: the certificates stay those of the predictor that it replaces, marked.
 */
#include "fit/refit.h"

#include "fit/ways.h"

static gbs_status all_rows(gbs_context *ctx, const gbs_data *data, gbs_data **out) {
    size_t *rows = gbs_array_alloc(ctx, data->n, sizeof *rows);
    *out = NULL;
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        rows[i] = i;
    gbs_status status = gbs_data_view(ctx, data, rows, data->n, out);
    gbs_array_free(ctx, rows);
    return status;
}

static void keep(gbs_context *ctx, const gbs_fit_settings *o, const gbs_data *data,
                 gbs_posterior *p, gbs_maps *maps, gbs_model *model) {
    gbs_stage_info tested = model->stages[0].info;
    gbs_keep_fit(model, o, data, p);
    gbs_stage_free(ctx, &model->stages[0]);
    model->stages[0] = p->stage;
    p->stage = (gbs_stage){0};
    model->stages[0].info.tested = tested.tested;
    model->stages[0].info.errors = tested.errors;
    gbs_maps_free(ctx, &model->maps);
    model->maps = *maps;
    *maps = (gbs_maps){0};
    model->card.refit = data->n;
    for (size_t k = 0; k < model->certificates_size; k++) {
        gbs_certificate *c = &model->certificates[k];
        c->assumptions |= GBS_BROKEN_REFIT;
        c->valid = 0;
    }
}

gbs_status gbs_refit(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *asked,
                     const gbs_choice *choice, size_t learned, gbs_model *model, gbs_data **view,
                     gbs_rows *rows) {
    gbs_maps maps = {0};
    gbs_posterior p = {0};
    gbs_fit_settings o = gbs_choice_settings(choice, asked, data, learned);
    gbs_status status = all_rows(ctx, data, view);
    if (status == GBS_OK && choice->weighted)
        status = gbs_data_weigh_classes(ctx, *view, o.cost_missed, o.cost_false);
    if (status == GBS_OK)
        status = gbs_maps_learn(ctx, *view, &o, &maps);
    if (status == GBS_OK) {
        gbs_settle_family(&o, maps.d);
        status = gbs_rows_build(ctx, *view, &maps, rows);
    }
    gbs_progress_begin(ctx);
    if (status == GBS_OK)
        status = gbs_choice_fit(ctx, rows, &o, NULL, &model->trace, &p);
    if (status == GBS_OK)
        status = gbs_keep_path(ctx, model, &p, o.restarts);
    if (status == GBS_OK)
        keep(ctx, &o, data, &p, &maps, model);
    gbs_posterior_free(ctx, &p);
    gbs_maps_free(ctx, &maps);
    return status;
}
