/* "importance" in a model file and in the JSON of commands: what was measured on which rows, the
 * columns, the curves. Both have the same keys.
 */
#include "file/explanation_file.h"

#include "core/check.h"
#include "file/json_numbers.h"

#include <math.h>
#include <string.h>

#define WHOLE(x) json_integer((json_int_t)(x))

/* ---------------------------------------------------------------- files: writing */

static bool put_columns(json_t *object, const gbs_explanation *e) {
    json_t *list = json_array();
    bool ok = gbs_json_put(object, "columns", list);
    for (size_t k = 0; ok && k < e->info.columns; k++) {
        const gbs_importance *c = &e->column[k];
        json_t *one = json_object();
        ok = one != NULL && json_array_append_new(list, one) == 0 &&
             gbs_json_put(one, "name", json_string(c->name)) &&
             gbs_json_put(one, "column", WHOLE(c->column)) &&
             gbs_json_put(one, "error", gbs_json_real_or_null(c->error)) &&
             gbs_json_put(one, "error_se", gbs_json_real_or_null(c->error_se)) &&
             gbs_json_put(one, "brier", gbs_json_real_or_null(c->brier)) &&
             gbs_json_put(one, "brier_se", gbs_json_real_or_null(c->brier_se)) &&
             gbs_json_put(one, "auc", gbs_json_real_or_null(c->auc)) &&
             gbs_json_put(one, "auc_se", gbs_json_real_or_null(c->auc_se));
    }
    return ok;
}

static bool put_points(json_t *curve, const gbs_explanation *e, const gbs_curve_kept *c) {
    json_t *list = json_array();
    size_t outcomes = e->info.outcomes;
    bool ok = gbs_json_put(curve, "points", list);
    for (size_t j = 0; ok && j < c->told.points; j++) {
        json_t *point = json_object();
        ok = point != NULL && json_array_append_new(list, point) == 0;
        if (ok && c->point[j].level != NULL)
            ok = gbs_json_put(point, "level", json_string(c->point[j].level));
        else if (ok)
            ok = gbs_json_put(point, "value", json_real(c->point[j].value));
        ok = ok && gbs_json_put(point, "probability",
                                gbs_json_reals(c->probability + j * outcomes, outcomes));
    }
    return ok;
}

bool gbs_json_put_explanation(json_t *root, const gbs_explanation *e) {
    if (e == NULL)
        return true;
    const gbs_explanation_info *i = &e->info;
    json_t *object = json_object(), *curves = NULL;
    bool ok = gbs_json_put(root, "importance", object) &&
              gbs_json_put(object, "rows", WHOLE(i->rows)) &&
              gbs_json_put(object, "rows_given", WHOLE(i->rows_given)) &&
              gbs_json_put(object, "columns_given", WHOLE(i->columns_given)) &&
              gbs_json_put(object, "repeats", WHOLE(i->repeats)) &&
              gbs_json_put(object, "fresh", json_boolean(i->fresh)) &&
              gbs_json_put(object, "error", gbs_json_real_or_null(i->error)) &&
              gbs_json_put(object, "brier", gbs_json_real_or_null(i->brier)) &&
              gbs_json_put(object, "auc", gbs_json_real_or_null(i->auc)) &&
              gbs_json_put(object, "curve_rows", WHOLE(i->curve_rows)) &&
              gbs_json_put(object, "outcomes", WHOLE(i->outcomes)) && put_columns(object, e) &&
              gbs_json_put(object, "curves", curves = json_array());
    for (size_t k = 0; ok && k < i->curves; k++) {
        json_t *curve = json_object();
        ok = curve != NULL && json_array_append_new(curves, curve) == 0 &&
             gbs_json_put(curve, "name", json_string(e->curve[k].told.name)) &&
             put_points(curve, e, &e->curve[k]);
    }
    return ok;
}

/* ---------------------------------------------------------------- files: reading */

static gbs_status damaged(gbs_context *ctx, const char *what) {
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'importance' %s", what);
}

static gbs_status get_name(gbs_context *ctx, const json_t *object, const char *key,
                           gbs_explanation *e, const char **out) {
    const json_t *name = json_object_get(object, key);
    if (!json_is_string(name))
        return damaged(ctx, "has a column or a level without a name");
    *out = gbs_pool_text(ctx, &e->names, json_string_value(name), json_string_length(name));
    return *out != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static gbs_status get_column(gbs_context *ctx, const json_t *one, gbs_explanation *e,
                             gbs_importance *c) {
    TRY(get_name(ctx, one, "name", e, &c->name));
    TRY(gbs_json_get_size(ctx, one, "column", e->info.columns_given - 1, &c->column));
    TRY(gbs_json_get_real_or_nan(ctx, one, "error", &c->error));
    TRY(gbs_json_get_real_or_nan(ctx, one, "error_se", &c->error_se));
    TRY(gbs_json_get_real_or_nan(ctx, one, "brier", &c->brier));
    TRY(gbs_json_get_real_or_nan(ctx, one, "brier_se", &c->brier_se));
    TRY(gbs_json_get_real_or_nan(ctx, one, "auc", &c->auc));
    return gbs_json_get_real_or_nan(ctx, one, "auc_se", &c->auc_se);
}

static gbs_status get_point(gbs_context *ctx, const json_t *point, gbs_explanation *e, size_t k,
                            size_t j) {
    gbs_curve_kept *c = &e->curve[k];
    size_t outcomes = e->info.outcomes;
    double *probability = NULL;
    c->point[j].value = NAN;
    if (json_object_get(point, "level") != NULL)
        TRY(get_name(ctx, point, "level", e, &c->point[j].level));
    else
        TRY(gbs_json_get_real(ctx, point, "value", &c->point[j].value));
    TRY(gbs_json_get_reals(ctx, point, "probability", outcomes, &probability));
    memcpy(c->probability + j * outcomes, probability, outcomes * sizeof *probability);
    gbs_array_free(ctx, probability);
    return GBS_OK;
}

static gbs_status get_curves(gbs_context *ctx, const json_t *object, gbs_explanation *e) {
    const json_t *curves = json_object_get(object, "curves");
    size_t count = json_array_size(curves);
    if (count > e->info.columns)
        return damaged(ctx, "has more curves than columns");
    TRY(gbs_explanation_add_curves(ctx, e, count));
    for (size_t k = 0; k < count; k++) {
        const json_t *curve = json_array_get(curves, k), *points = json_object_get(curve, "points");
        e->curve[k].told.name = e->column[k].name;
        e->curve[k].told.column = e->column[k].column;
        TRY(gbs_explanation_add_points(ctx, e, k, json_array_size(points)));
        for (size_t j = 0; j < e->curve[k].told.points; j++)
            TRY(get_point(ctx, json_array_get(points, j), e, k, j));
    }
    return GBS_OK;
}

static gbs_status get_all(gbs_context *ctx, const json_t *object, const json_t *columns,
                          gbs_explanation *e) {
    gbs_explanation_info *i = &e->info;
    size_t most = SIZE_MAX / 16;
    TRY(gbs_json_get_size(ctx, object, "rows", most, &i->rows));
    TRY(gbs_json_get_size(ctx, object, "rows_given", most, &i->rows_given));
    TRY(gbs_json_get_size(ctx, object, "columns_given", most, &i->columns_given));
    TRY(gbs_json_get_size(ctx, object, "repeats", most, &i->repeats));
    TRY(gbs_json_get_bool(ctx, object, "fresh", &i->fresh));
    TRY(gbs_json_get_real_or_nan(ctx, object, "error", &i->error));
    TRY(gbs_json_get_real_or_nan(ctx, object, "brier", &i->brier));
    TRY(gbs_json_get_real_or_nan(ctx, object, "auc", &i->auc));
    TRY(gbs_json_get_size(ctx, object, "curve_rows", most, &i->curve_rows));
    TRY(gbs_json_get_size(ctx, object, "outcomes", 1000, &i->outcomes));
    if (i->columns_given < i->columns || i->columns == 0)
        return damaged(ctx, "has more columns than there were");
    for (size_t k = 0; k < i->columns; k++)
        TRY(get_column(ctx, json_array_get(columns, k), e, &e->column[k]));
    return get_curves(ctx, object, e);
}

gbs_status gbs_json_get_explanation(gbs_context *ctx, const json_t *root, gbs_model *model) {
    const json_t *object = json_object_get(root, "importance"),
                 *columns = json_object_get(object, "columns");
    if (object == NULL)
        return GBS_OK;
    TRY(gbs_explanation_create(ctx, json_array_size(columns), &model->explanation));
    return get_all(ctx, object, columns, model->explanation);
}

/* ---------------------------------------------------------------- for people and programs */

/* What the task does not have is left out. */
static void number(gbs_writer *w, const char *key, double x) {
    if (!isnan(x))
        gbs_writer_number(w, key, x);
}

static void describe_curve(gbs_writer *w, const gbs_explanation *e, const gbs_curve_kept *c) {
    gbs_writer_open(w, NULL, '{');
    gbs_writer_text(w, "name", c->told.name);
    gbs_writer_open(w, "points", '[');
    for (size_t j = 0; j < c->told.points; j++) {
        gbs_writer_open(w, NULL, '{');
        if (c->point[j].level != NULL)
            gbs_writer_text(w, "level", c->point[j].level);
        else
            gbs_writer_number(w, "value", c->point[j].value);
        gbs_writer_open(w, "probability", '[');
        for (size_t a = 0; a < e->info.outcomes; a++)
            gbs_writer_number(w, NULL, c->probability[j * e->info.outcomes + a]);
        gbs_writer_close(w, ']');
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
    gbs_writer_close(w, '}');
}

void gbs_describe_explanation(gbs_writer *w, const gbs_explanation *e) {
    if (e == NULL)
        return;
    const gbs_explanation_info *i = &e->info;
    gbs_writer_open(w, "importance", '{');
    gbs_writer_count(w, "rows", i->rows);
    gbs_writer_count(w, "rows_given", i->rows_given);
    gbs_writer_count(w, "columns_given", i->columns_given);
    gbs_writer_count(w, "repeats", i->repeats);
    gbs_writer_bool(w, "fresh", i->fresh != 0);
    number(w, "error", i->error);
    number(w, "brier", i->brier);
    number(w, "auc", i->auc);
    gbs_writer_open(w, "columns", '[');
    for (size_t k = 0; k < i->columns; k++) {
        const gbs_importance *c = &e->column[k];
        gbs_writer_open(w, NULL, '{');
        gbs_writer_text(w, "name", c->name);
        number(w, "error", c->error);
        number(w, "error_se", c->error_se);
        number(w, "brier", c->brier);
        number(w, "brier_se", c->brier_se);
        number(w, "auc", c->auc);
        number(w, "auc_se", c->auc_se);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
    gbs_writer_count(w, "curve_rows", i->curve_rows);
    gbs_writer_open(w, "curves", '[');
    for (size_t k = 0; k < i->curves; k++)
        describe_curve(w, e, &e->curve[k]);
    gbs_writer_close(w, ']');
    gbs_writer_close(w, '}');
}

gbs_status gbs_explanation_to_json(gbs_context *ctx, const gbs_explanation *explanation,
                                   char **text, size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, explanation);
    gbs_writer w = {.ctx = ctx, .first = true};
    gbs_writer_open(&w, NULL, '{');
    gbs_describe_explanation(&w, explanation);
    gbs_writer_close(&w, '}');
    return gbs_writer_end(&w, text, size);
}
