/* "many" in a model file: classes, scheme, calibration, costs, how it did on the last block, and
 * the binary problems in "parts", each a model of its own or null where a class was not learned.
 */
#include "file/many_file.h"

#include "data/rows.h"
#include "file/json_numbers.h"
#include "task/task.h"

#include <math.h>

#define WHOLE(x) json_integer((json_int_t)(x))

static const char *scheme_name(int i) {
    return gbs_scheme_name((gbs_scheme)i);
}

/* ---------------------------------------------------------------- writing */

static bool put_card(json_t *object, const gbs_many *m) {
    const gbs_classes_card *c = &m->card;
    json_t *card = json_object(), *confusion = NULL;
    bool ok = gbs_json_put(object, "card", card) &&
              gbs_json_put(card, "learned", WHOLE(c->learned)) &&
              gbs_json_put(card, "tested", WHOLE(c->tested)) &&
              gbs_json_put(card, "unknown", WHOLE(c->unknown)) &&
              gbs_json_put(card, "errors", WHOLE(c->errors)) &&
              gbs_json_put(card, "baseline_class", WHOLE(c->baseline_class)) &&
              gbs_json_put(card, "baseline_error", json_real(c->baseline_error)) &&
              gbs_json_put(card, "brier", json_real(c->brier)) &&
              gbs_json_put(card, "log_loss", gbs_json_real_or_null(c->log_loss)) &&
              gbs_json_put(card, "cost", gbs_json_real_or_null(c->cost)) &&
              gbs_json_put(card, "one_label", json_boolean(c->one_label)) &&
              gbs_json_put(card, "joint", json_boolean(c->joint)) &&
              gbs_json_put(card, "rest_log_loss", gbs_json_real_or_null(c->rest_log_loss)) &&
              gbs_json_put(card, "pairs_log_loss", gbs_json_real_or_null(c->pairs_log_loss)) &&
              gbs_json_put(card, "rest_error", gbs_json_real_or_null(c->rest_error)) &&
              gbs_json_put(card, "pairs_error", gbs_json_real_or_null(c->pairs_error)) &&
              gbs_json_put(card, "softmax_log_loss", gbs_json_real_or_null(c->softmax_log_loss)) &&
              gbs_json_put(card, "softmax_error", gbs_json_real_or_null(c->softmax_error)) &&
              gbs_json_put(card, "confusion", confusion = json_array());
    for (size_t i = 0; ok && i < (m->classes + 1) * m->classes; i++)
        ok = json_array_append_new(confusion, WHOLE(m->confusion[i])) == 0;
    return ok;
}

static bool put_parts(gbs_context *ctx, json_t *object, const gbs_many *m, gbs_model_putter put) {
    json_t *parts = json_array();
    bool ok = gbs_json_put(object, "parts", parts);
    for (size_t p = 0; ok && p < m->parts; p++) {
        json_t *part = m->part[p] != NULL ? json_object() : json_null();
        ok = part != NULL && json_array_append_new(parts, part) == 0;
        if (ok && m->part[p] != NULL)
            ok = put(ctx, part, m->part[p]) &&
                 gbs_json_put(part, "odds_offset", json_real(m->odds[p].offset)) &&
                 gbs_json_put(part, "odds_slope", json_real(m->odds[p].slope));
    }
    return ok;
}

bool gbs_json_put_many(gbs_context *ctx, json_t *root, const gbs_model *model,
                       gbs_model_putter put) {
    const gbs_many *m = model->many;
    if (m == NULL)
        return true;
    json_t *object = json_object(), *learned = NULL;
    size_t k = m->classes;
    bool ok = gbs_json_put(root, "many", object) && gbs_json_put(object, "classes", WHOLE(k)) &&
              gbs_json_put(object, "scheme", json_string(scheme_name((int)m->scheme))) &&
              gbs_json_put(object, "offset", gbs_json_reals(m->offset, k)) &&
              gbs_json_put(object, "slope", gbs_json_reals(m->slope, k * k)) &&
              gbs_json_put(object, "learned", learned = json_array());
    for (size_t c = 0; ok && c < k; c++)
        ok = json_array_append_new(learned, json_boolean(m->learned[c])) == 0;
    if (ok && m->cost != NULL)
        ok = gbs_json_put(object, "cost", gbs_json_reals(m->cost, k * k));
    if (ok && m->tested)
        ok = put_card(object, m);
    return ok && put_parts(ctx, object, m, put);
}

/* ---------------------------------------------------------------- reading */

static gbs_status damaged(gbs_context *ctx, const char *what) {
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: %s", what);
}

static gbs_status get_card(gbs_context *ctx, const json_t *card, gbs_many *m) {
    gbs_classes_card *c = &m->card;
    size_t most = SIZE_MAX / 16;
    const json_t *confusion = json_object_get(card, "confusion");
    TRY(gbs_json_get_size(ctx, card, "learned", most, &c->learned));
    TRY(gbs_json_get_size(ctx, card, "tested", most, &c->tested));
    TRY(gbs_json_get_size(ctx, card, "unknown", c->tested, &c->unknown));
    TRY(gbs_json_get_size(ctx, card, "errors", c->tested, &c->errors));
    TRY(gbs_json_get_size(ctx, card, "baseline_class", m->classes - 1, &c->baseline_class));
    TRY(gbs_json_get_real(ctx, card, "baseline_error", &c->baseline_error));
    TRY(gbs_json_get_real(ctx, card, "brier", &c->brier));
    TRY(gbs_json_get_real_or_nan(ctx, card, "log_loss", &c->log_loss));
    TRY(gbs_json_get_real_or_nan(ctx, card, "cost", &c->cost));
    TRY(gbs_json_get_bool(ctx, card, "one_label", &c->one_label));
    TRY(gbs_json_get_bool(ctx, card, "joint", &c->joint));
    TRY(gbs_json_get_real_or_nan(ctx, card, "rest_log_loss", &c->rest_log_loss));
    TRY(gbs_json_get_real_or_nan(ctx, card, "pairs_log_loss", &c->pairs_log_loss));
    TRY(gbs_json_get_real_or_nan(ctx, card, "rest_error", &c->rest_error));
    TRY(gbs_json_get_real_or_nan(ctx, card, "pairs_error", &c->pairs_error));
    TRY(gbs_json_get_real_or_nan(ctx, card, "softmax_log_loss", &c->softmax_log_loss));
    TRY(gbs_json_get_real_or_nan(ctx, card, "softmax_error", &c->softmax_error));
    if (json_array_size(confusion) != (m->classes + 1) * m->classes)
        return damaged(ctx, "'confusion' has the wrong length");
    for (size_t i = 0; i < json_array_size(confusion); i++) {
        const json_t *x = json_array_get(confusion, i);
        if (!json_is_integer(x) || json_integer_value(x) < 0 ||
            (unsigned long long)json_integer_value(x) > most)
            return damaged(ctx, "'confusion' should be counts");
        m->confusion[i] = (size_t)json_integer_value(x);
    }
    gbs_many_count(m->classes, m->confusion, m->result);
    for (size_t k = 0; k < m->classes; k++)
        m->result[k].learned = m->learned[k];
    m->tested = true;
    return GBS_OK;
}

static gbs_status get_calibration(gbs_context *ctx, const json_t *object, gbs_many *m) {
    size_t k = m->classes, some = 0;
    const json_t *learned = json_object_get(object, "learned");
    double *offset = NULL, *slope = NULL;
    gbs_status status = gbs_json_get_reals(ctx, object, "offset", k, &offset);
    if (status == GBS_OK)
        status = gbs_json_get_reals(ctx, object, "slope", k * k, &slope);
    for (size_t c = 0; status == GBS_OK && c < k; c++) {
        m->offset[c] = offset[c];
        m->learned[c] = json_is_true(json_array_get(learned, c));
        some += m->learned[c];
    }
    for (size_t i = 0; status == GBS_OK && i < k * k; i++)
        m->slope[i] = slope[i];
    gbs_many_tell_full(m);
    gbs_array_free(ctx, offset);
    gbs_array_free(ctx, slope);
    if (status == GBS_OK && (some == 0 || json_array_size(learned) != k))
        return damaged(ctx, "'learned' names no class");
    if (status == GBS_OK && json_object_get(object, "cost") != NULL)
        status = gbs_json_get_reals(ctx, object, "cost", k * k, &m->cost);
    for (size_t i = 0; status == GBS_OK && m->cost != NULL && i < k * k; i++)
        if (!(m->cost[i] >= 0.0))
            return damaged(ctx, "a cost is negative");
    return status;
}

/* Rows that one part can score, all can. */
static gbs_status get_parts(gbs_context *ctx, const json_t *object, gbs_model_getter get,
                            gbs_model_info *info, gbs_many *m) {
    const json_t *parts = json_object_get(object, "parts");
    const gbs_model_info *first = NULL;
    if (json_array_size(parts) != m->parts)
        return damaged(ctx, "'parts' has the wrong length");
    for (size_t p = 0; p < m->parts; p++) {
        const json_t *part = json_array_get(parts, p);
        if (json_is_null(part))
            continue;
        if (!json_is_object(part) || json_object_get(part, "many") != NULL)
            return damaged(ctx, "a part is no model of two classes");
        TRY(get(ctx, part, &m->part[p]));
        m->part[p]->origin = (gbs_origin_kept){0}; /* that of the whole */
        TRY(gbs_json_get_real(ctx, part, "odds_offset", &m->odds[p].offset));
        TRY(gbs_json_get_real(ctx, part, "odds_slope", &m->odds[p].slope));
        if (m->part[p]->info.features != info->features || m->part[p]->stages_size != 1 ||
            !gbs_has(gbs_model_task(m->part[p]), GBS_FACT_LABELS))
            return damaged(ctx, "its parts are of different columns");
        if (gbs_loss_is_joint(m->part[p]->info.loss) != (m->scheme == GBS_SCHEME_SOFTMAX))
            return damaged(ctx, "a part has another loss than its scheme");
        m->card.parts++;
        first = first != NULL ? first : &m->part[p]->info;
    }
    if (first == NULL)
        return damaged(ctx, "it has no parts");
    gbs_many_tell_sides(m);
    info->scale = first->scale;
    info->columns = first->columns;
    info->map = first->map;
    info->map_axes = first->map_axes;
    info->dual = first->dual;
    return GBS_OK;
}

gbs_status gbs_json_get_many(gbs_context *ctx, const json_t *root, gbs_model_getter get,
                             gbs_model *model) {
    const json_t *object = json_object_get(root, "many");
    size_t classes;
    int scheme;
    if (object == NULL)
        return GBS_OK;
    TRY(gbs_json_get_size(ctx, object, "classes", GBS_MOST_CLASSES, &classes));
    TRY(gbs_json_get_choice(ctx, object, "scheme", scheme_name, &scheme));
    if (classes < 3 || scheme == GBS_SCHEME_TWO || !gbs_has(gbs_model_task(model), GBS_FACT_LABELS))
        return damaged(ctx, "'many' should be three classes or more");
    TRY(gbs_many_create(ctx, classes, (gbs_scheme)scheme, &model->many));
    TRY(get_calibration(ctx, object, model->many));
    TRY(get_parts(ctx, object, get, &model->info, model->many));
    if (json_object_get(object, "card") != NULL)
        TRY(get_card(ctx, json_object_get(object, "card"), model->many));
    return GBS_OK;
}
