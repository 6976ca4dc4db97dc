/* "deployed" in a model file: calibration, threshold, and how the predictor did on the last
 * block.
 */
#include "file/card_file.h"

#include "file/json_numbers.h"

#include <math.h>

#define WHOLE(x) json_integer((json_int_t)(x))

static bool put_reliability(json_t *object, const gbs_card *c) {
    json_t *list = json_array();
    bool ok = gbs_json_put(object, "reliability", list);
    for (size_t k = 0; ok && k < 10; k++) {
        const gbs_reliability *r = &c->reliability[k];
        json_t *bin = json_object();
        ok = bin != NULL && json_array_append_new(list, bin) == 0 &&
             gbs_json_put(bin, "count", WHOLE(r->count)) &&
             gbs_json_put(bin, "mean_probability", gbs_json_real_or_null(r->mean_probability)) &&
             gbs_json_put(bin, "share_positive", gbs_json_real_or_null(r->share_positive));
    }
    return ok;
}

bool gbs_json_put_card(json_t *root, const gbs_model *m) {
    const gbs_card *c = &m->card;
    json_t *o = json_object();
    if (!m->deployed) {
        json_decref(o);
        return true;
    }
    return gbs_json_put(root, "deployed", o) && gbs_json_put(o, "learned", WHOLE(c->learned)) &&
           gbs_json_put(o, "tested", WHOLE(c->tested)) &&
           gbs_json_put(o, "offset", json_real(c->offset)) &&
           gbs_json_put(o, "slope", json_real(c->slope)) &&
           gbs_json_put(o, "threshold", json_real(c->threshold)) &&
           gbs_json_put(o, "cost_missed", json_real(c->cost_missed)) &&
           gbs_json_put(o, "cost_false", json_real(c->cost_false)) &&
           gbs_json_put(o, "baseline_label", WHOLE(c->baseline_label)) &&
           gbs_json_put(o, "baseline_error", json_real(c->baseline_error)) &&
           gbs_json_put(o, "true_positive", WHOLE(c->true_positive)) &&
           gbs_json_put(o, "false_positive", WHOLE(c->false_positive)) &&
           gbs_json_put(o, "true_negative", WHOLE(c->true_negative)) &&
           gbs_json_put(o, "false_negative", WHOLE(c->false_negative)) &&
           gbs_json_put(o, "brier", json_real(c->brier)) &&
           gbs_json_put(o, "log_loss", json_real(c->log_loss)) &&
           gbs_json_put(o, "auc", gbs_json_real_or_null(c->auc)) &&
           gbs_json_put(o, "one_label", json_boolean(c->one_label)) &&
           gbs_json_put(o, "joint", json_boolean(c->joint)) &&
           (!c->weighted || gbs_json_put(o, "weighted", json_true())) &&
           (c->refit == 0 || gbs_json_put(o, "refit", WHOLE(c->refit))) && put_reliability(o, c);
}

static gbs_status get_reliability(gbs_context *ctx, const json_t *o, gbs_card *c) {
    const json_t *list = json_object_get(o, "reliability");
    if (json_array_size(list) != 10)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: 'reliability' should be a list of 10");
    for (size_t k = 0; k < 10; k++) {
        const json_t *bin = json_array_get(list, k);
        gbs_reliability *r = &c->reliability[k];
        TRY(gbs_json_get_size(ctx, bin, "count", SIZE_MAX / 16, &r->count));
        TRY(gbs_json_get_real_or_nan(ctx, bin, "mean_probability", &r->mean_probability));
        TRY(gbs_json_get_real_or_nan(ctx, bin, "share_positive", &r->share_positive));
    }
    return GBS_OK;
}

gbs_status gbs_json_get_card(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *o = json_object_get(root, "deployed");
    gbs_card *c = &m->card;
    double label;
    size_t most = SIZE_MAX / 16;
    if (o == NULL)
        return GBS_OK;
    TRY(gbs_json_get_size(ctx, o, "learned", most, &c->learned));
    TRY(gbs_json_get_size(ctx, o, "tested", most, &c->tested));
    TRY(gbs_json_get_real(ctx, o, "offset", &c->offset));
    TRY(gbs_json_get_real(ctx, o, "slope", &c->slope));
    TRY(gbs_json_get_real(ctx, o, "threshold", &c->threshold));
    TRY(gbs_json_get_real(ctx, o, "cost_missed", &c->cost_missed));
    TRY(gbs_json_get_real(ctx, o, "cost_false", &c->cost_false));
    TRY(gbs_json_get_real(ctx, o, "baseline_label", &label));
    TRY(gbs_json_get_real(ctx, o, "baseline_error", &c->baseline_error));
    TRY(gbs_json_get_size(ctx, o, "true_positive", most, &c->true_positive));
    TRY(gbs_json_get_size(ctx, o, "false_positive", most, &c->false_positive));
    TRY(gbs_json_get_size(ctx, o, "true_negative", most, &c->true_negative));
    TRY(gbs_json_get_size(ctx, o, "false_negative", most, &c->false_negative));
    TRY(gbs_json_get_real(ctx, o, "brier", &c->brier));
    TRY(gbs_json_get_real(ctx, o, "log_loss", &c->log_loss));
    TRY(gbs_json_get_real_or_nan(ctx, o, "auc", &c->auc));
    TRY(gbs_json_get_bool(ctx, o, "one_label", &c->one_label));
    TRY(gbs_json_get_bool(ctx, o, "joint", &c->joint));
    if (json_object_get(o, "weighted") != NULL)
        TRY(gbs_json_get_bool(ctx, o, "weighted", &c->weighted));
    if (json_object_get(o, "refit") != NULL)
        TRY(gbs_json_get_size(ctx, o, "refit", most, &c->refit));
    TRY(get_reliability(ctx, o, c));
    if (!(c->slope > 0.0) || !(c->threshold > 0.0 && c->threshold < 1.0) ||
        !(label == 1.0 || label == -1.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: 'deployed' has a slope, a threshold or a label that "
                        "cannot be");
    c->baseline_label = label > 0.0 ? 1 : -1;
    m->deployed = true;
    return GBS_OK;
}
