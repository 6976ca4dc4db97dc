/* Model files: versioned JSON.
 *
 * "format" counts the incompatible versions; keys may be added within one. A reader takes its own format and leaves keys it does not know
 * alone. Triangular matrices are stored packed, row by row.
 */
#include "model/json_numbers.h"
#include "model/model.h"
#include "risk/loss.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

/* ---------------------------------------------------------------- writing */

static bool put_fit(json_t *root, const gbs_model *m) {
    const gbs_model_info *i = &m->info;
    json_t *fit = json_object();
    return gbs_json_put(root, "fit", fit) && gbs_json_put(fit, "lambda", json_real(i->lambda)) &&
           gbs_json_put(fit, "prior_sd", json_real(i->prior_sd)) &&
           gbs_json_put(fit, "free_energy", json_real(i->free_energy)) && gbs_json_put(fit, "kl", json_real(i->kl)) &&
           gbs_json_put(fit, "gibbs_risk", json_real(i->gibbs_risk)) &&
           gbs_json_put(fit, "gibbs_error", json_real(i->gibbs_error)) &&
           gbs_json_put(fit, "train_error", json_real(i->train_error)) &&
           gbs_json_put(fit, "optimality_gap", gbs_json_real_or_null(i->optimality_gap)) &&
           gbs_json_put(fit, "iterations", json_integer((json_int_t)i->iterations)) &&
           gbs_json_put(fit, "converged", json_boolean(i->converged)) && gbs_json_put(fit, "seconds", json_real(i->seconds));
}

static bool put_scaling(json_t *root, const gbs_scaling *s) {
    json_t *scaling = json_object();
    bool ok = gbs_json_put(root, "scaling", scaling) && gbs_json_put(scaling, "kind", json_string(gbs_scale_name(s->kind)));
    if (s->kind == GBS_SCALE_STANDARD)
        ok = ok && gbs_json_put(scaling, "center", gbs_json_reals(s->center, s->features)) &&
             gbs_json_put(scaling, "scale", gbs_json_reals(s->scale, s->features));
    return ok;
}

static json_t *sizes(const size_t *x, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < count; i++)
        if (json_array_append_new(array, json_integer((json_int_t)x[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *columns(const uint32_t *x, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < count; i++)
        if (json_array_append_new(array, json_integer((json_int_t)x[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static bool put_dual(json_t *posterior, const gbs_dual *dual, size_t d) {
    json_t *object = json_object(), *rows = json_object();
    bool ok = gbs_json_put(posterior, "dual", object) && gbs_json_put(object, "rows", rows) &&
              gbs_json_put(object, "rank", json_integer((json_int_t)dual->rank)) &&
              gbs_json_put(object, "lower", gbs_json_triangle(dual->lower, dual->rank, false)) &&
              gbs_json_put(object, "factor", gbs_json_triangle(dual->factor, dual->rank, true));
    const gbs_block *kept = &dual->kept;
    if (kept->dense != NULL)
        return ok && gbs_json_put(rows, "cells", gbs_json_reals(kept->dense, dual->rank * d));
    size_t stored = kept->start[dual->rank];
    ok = ok && gbs_json_put(rows, "start", sizes(kept->start, dual->rank + 1)) &&
         gbs_json_put(rows, "column", columns(kept->column, stored)) &&
         gbs_json_put(rows, "value", gbs_json_reals(kept->value, stored));
    return kept->shift != NULL ? ok && gbs_json_put(rows, "shift", gbs_json_reals(kept->shift, d)) : ok;
}

static bool put_posterior(json_t *root, const gbs_model *m) {
    const gbs_gaussian *g = &m->posterior;
    json_t *posterior = json_object();
    bool ok = gbs_json_put(root, "posterior", posterior) && gbs_json_put(posterior, "mean", gbs_json_reals(g->mean, g->d));
    if (m->info.dual)
        return ok && put_dual(posterior, &m->dual, g->d);
    if (g->family == GBS_FAMILY_FULL)
        return ok && gbs_json_put(posterior, "factor", gbs_json_triangle(g->factor, g->d, true));
    return ok && gbs_json_put(posterior, "sd", gbs_json_reals(g->sd, g->family == GBS_FAMILY_DIAGONAL ? g->d : 1));
}

static bool put_path(json_t *root, const gbs_model *m) {
    json_t *path = json_array();
    if (!gbs_json_put(root, "path", path))
        return false;
    for (size_t t = 0; t < m->path_size; t++) {
        const gbs_path_point *p = &m->path[t];
        json_t *point = json_object();
        if (point == NULL || json_array_append_new(path, point) != 0)
            return false;
        if (!gbs_json_put(point, "lambda", json_real(p->lambda)) || !gbs_json_put(point, "prior_sd", json_real(p->prior_sd)) ||
            !gbs_json_put(point, "free_energy", json_real(p->free_energy)) ||
            !gbs_json_put(point, "gibbs_risk", json_real(p->gibbs_risk)) || !gbs_json_put(point, "kl", json_real(p->kl)) ||
            !gbs_json_put(point, "optimality_gap", gbs_json_real_or_null(p->optimality_gap)) ||
            !gbs_json_put(point, "iterations", json_integer((json_int_t)p->iterations)) ||
            !gbs_json_put(point, "converged", json_boolean(p->converged)))
            return false;
    }
    return m->restarts_size == 0 || gbs_json_put(root, "restarts", gbs_json_reals(m->restarts, m->restarts_size));
}

static bool put_recipe(json_t *root, const gbs_model *m) {
    if (m->recipe == NULL)
        return true;
    return gbs_json_put(root, "recipe", json_loads(m->recipe, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL));
}

static bool put_model(json_t *root, const gbs_model *m) {
    const gbs_model_info *i = &m->info;
    return gbs_json_put(root, "gibbsite", json_string(GBS_VERSION)) && gbs_json_put(root, "format", json_integer(FORMAT)) &&
           gbs_json_put(root, "kind", json_string("model")) && gbs_json_put(root, "task", json_string("classify")) &&
           gbs_json_put(root, "loss", json_string(gbs_loss_name(i->loss))) &&
           gbs_json_put(root, "family", json_string(gbs_family_name(i->family))) &&
           gbs_json_put(root, "solver", json_string(gbs_solver_name(i->solver))) &&
           gbs_json_put(root, "n", json_integer((json_int_t)i->n)) &&
           gbs_json_put(root, "features", json_integer((json_int_t)i->features)) &&
           gbs_json_put(root, "d", json_integer((json_int_t)i->d)) &&
           gbs_json_put(root, "intercept", json_boolean(i->intercept)) && put_fit(root, m) && put_scaling(root, &m->scaling) &&
           put_posterior(root, m) && put_path(root, m) && put_recipe(root, m);
}

/* Where jansson's dump goes. The failure is remembered here: jansson 2.14 does not look at what the callback says after a key. */
struct sink {
    gbs_context *ctx;
    char *bytes;
    size_t size, room;
    bool failed;
};

static int pour(const char *bytes, size_t size, void *data) {
    struct sink *s = data;
    if (!s->failed && s->size + size + 2 > s->room) {
        size_t room = 2 * (s->size + size) + 4096;
        char *larger = gbs_array_alloc(s->ctx, room, 1);
        if (larger != NULL && s->size > 0)
            memcpy(larger, s->bytes, s->size);
        gbs_array_free(s->ctx, s->bytes);
        s->bytes = larger;
        s->room = room;
        s->failed = larger == NULL;
    }
    if (s->failed)
        return -1;
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return 0;
}

gbs_status gbs_model_to_json(gbs_context *ctx, const gbs_model *model, char **text, size_t *size) {
    *text = NULL;
    struct sink sink = {.ctx = ctx};
    json_t *root = json_object();
    bool ok = root != NULL && put_model(root, model) &&
              json_dump_callback(root, pour, &sink, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0 && pour("\n", 1, &sink) == 0;
    json_decref(root);
    if (!ok || sink.failed) {
        gbs_array_free(ctx, sink.bytes);
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing the model");
    }
    sink.bytes[sink.size] = '\0';
    *text = sink.bytes;
    if (size != NULL)
        *size = sink.size;
    return GBS_OK;
}

/* ---------------------------------------------------------------- reading */

static const char *loss_name(int i) {
    return gbs_loss_name((gbs_loss)i);
}

static const char *family_name(int i) {
    return gbs_family_name((gbs_family)(i + GBS_FAMILY_FIXED));
}

static const char *solver_name(int i) {
    return gbs_solver_name((gbs_solver)i);
}

static const char *scale_name(int i) {
    return gbs_scale_name((gbs_scale)i);
}

#define TRY(call)                                                                                                              \
    do {                                                                                                                       \
        gbs_status try_status = (call);                                                                                        \
        if (try_status != GBS_OK)                                                                                              \
            return try_status;                                                                                                 \
    } while (0)

static gbs_status get_head(gbs_context *ctx, const json_t *root, gbs_model_info *info) {
    const char *kind = json_string_value(json_object_get(root, "kind"));
    size_t format;
    int choice;
    if (kind == NULL || strcmp(kind, "model") != 0 || !json_is_string(json_object_get(root, "gibbsite")))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "not a gibbsite model file");
    TRY(gbs_json_get_size(ctx, root, "format", INT_MAX, &format));
    if (format != FORMAT)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "a model of format %zu; this version reads format %d", format, (int)FORMAT);
    TRY(gbs_json_get_choice(ctx, root, "loss", loss_name, 3, &choice));
    info->loss = (gbs_loss)choice;
    TRY(gbs_json_get_choice(ctx, root, "family", family_name, 4, &choice));
    info->family = (gbs_family)(choice + GBS_FAMILY_FIXED);
    TRY(gbs_json_get_choice(ctx, root, "solver", solver_name, 4, &choice));
    info->solver = (gbs_solver)choice;
    TRY(gbs_json_get_size(ctx, root, "n", SIZE_MAX / 16, &info->n));
    TRY(gbs_json_get_size(ctx, root, "features", INT_MAX - 1, &info->features));
    TRY(gbs_json_get_size(ctx, root, "d", INT_MAX, &info->d));
    TRY(gbs_json_get_bool(ctx, root, "intercept", &info->intercept));
    if (info->d != info->features + (info->intercept ? 1 : 0) || info->features == 0)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: d does not match its features");
    return GBS_OK;
}

static gbs_status get_fit(gbs_context *ctx, const json_t *root, gbs_model_info *info) {
    const json_t *fit = json_object_get(root, "fit");
    TRY(gbs_json_get_real(ctx, fit, "lambda", &info->lambda));
    TRY(gbs_json_get_real(ctx, fit, "prior_sd", &info->prior_sd));
    TRY(gbs_json_get_real(ctx, fit, "free_energy", &info->free_energy));
    TRY(gbs_json_get_real(ctx, fit, "kl", &info->kl));
    TRY(gbs_json_get_real(ctx, fit, "gibbs_risk", &info->gibbs_risk));
    TRY(gbs_json_get_real(ctx, fit, "gibbs_error", &info->gibbs_error));
    TRY(gbs_json_get_real(ctx, fit, "train_error", &info->train_error));
    TRY(gbs_json_get_real_or_nan(ctx, fit, "optimality_gap", &info->optimality_gap));
    TRY(gbs_json_get_size(ctx, fit, "iterations", SIZE_MAX / 16, &info->iterations));
    TRY(gbs_json_get_bool(ctx, fit, "converged", &info->converged));
    TRY(gbs_json_get_real(ctx, fit, "seconds", &info->seconds));
    if (!(info->prior_sd > 0.0) || !(info->lambda > 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: lambda and prior_sd should be positive");
    return GBS_OK;
}

static gbs_status get_scaling(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *scaling = json_object_get(root, "scaling");
    int kind;
    TRY(gbs_json_get_choice(ctx, scaling, "kind", scale_name, 3, &kind));
    m->info.scale = (gbs_scale)kind;
    m->scaling = (gbs_scaling){.kind = m->info.scale, .intercept = m->info.intercept != 0, .features = m->info.features};
    if (m->info.scale != GBS_SCALE_STANDARD)
        return GBS_OK;
    TRY(gbs_json_get_reals(ctx, scaling, "center", m->info.features, &m->scaling.center));
    TRY(gbs_json_get_reals(ctx, scaling, "scale", m->info.features, &m->scaling.scale));
    for (size_t k = 0; k < m->info.features; k++)
        if (!(m->scaling.scale[k] > 0.0))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a scale is not positive");
    return GBS_OK;
}

/* CSR rows as gbs_data_csr would check them. */
static gbs_status get_sparse_rows(gbs_context *ctx, const json_t *rows, gbs_block *kept) {
    const json_t *starts = json_object_get(rows, "start"), *cols = json_object_get(rows, "column");
    if (json_array_size(starts) != kept->n + 1 || !json_is_array(cols))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'start' or 'column' has the wrong length");
    size_t stored = json_array_size(cols);
    size_t *start = gbs_array_alloc(ctx, kept->n + 1, sizeof *start);
    uint32_t *column = gbs_array_alloc(ctx, stored, sizeof *column);
    kept->start = start;
    kept->column = column;
    if (start == NULL || column == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i <= kept->n; i++) {
        json_int_t x = json_integer_value(json_array_get(starts, i));
        if (x < (i > 0 ? (json_int_t)start[i - 1] : 0) || (size_t)x > stored || (i == 0 && x != 0) ||
            (i == kept->n && (size_t)x != stored))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'start' is out of order");
        start[i] = (size_t)x;
    }
    for (size_t k = 0; k < stored; k++) {
        json_int_t x = json_integer_value(json_array_get(cols, k));
        if (x < 0 || (size_t)x >= kept->d)
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a column is out of range");
        column[k] = (uint32_t)x;
    }
    TRY(gbs_json_get_reals(ctx, rows, "value", stored, (double **)&kept->value));
    if (json_object_get(rows, "shift") != NULL)
        TRY(gbs_json_get_reals(ctx, rows, "shift", kept->d, (double **)&kept->shift));
    return GBS_OK;
}

static gbs_status get_dual(gbs_context *ctx, const json_t *object, gbs_model *m) {
    gbs_dual *dual = &m->dual;
    size_t d = m->info.d, cells;
    m->info.dual = 1;
    TRY(gbs_json_get_size(ctx, object, "rank", d, &dual->rank));
    if (dual->rank == 0)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'rank' should be positive");
    TRY(gbs_json_get_triangle(ctx, object, "lower", dual->rank, false, &dual->lower));
    TRY(gbs_json_get_triangle(ctx, object, "factor", dual->rank, true, &dual->factor));
    const json_t *rows = json_object_get(object, "rows");
    dual->kept = (gbs_block){.n = dual->rank, .d = d, .ld = d, .stride = 1};
    if (json_object_get(rows, "cells") == NULL)
        return get_sparse_rows(ctx, rows, &dual->kept);
    if (__builtin_mul_overflow(dual->rank, d, &cells))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: rank is too large");
    return gbs_json_get_reals(ctx, rows, "cells", cells, (double **)&dual->kept.dense);
}

static gbs_status get_posterior(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *posterior = json_object_get(root, "posterior");
    gbs_gaussian *g = &m->posterior;
    g->family = m->info.family;
    g->d = m->info.d;
    TRY(gbs_json_get_reals(ctx, posterior, "mean", g->d, &g->mean));
    if (g->family == GBS_FAMILY_FULL) {
        if (json_object_get(posterior, "dual") != NULL)
            return get_dual(ctx, json_object_get(posterior, "dual"), m);
        return gbs_json_get_triangle(ctx, posterior, "factor", g->d, true, &g->factor);
    }
    size_t count = g->family == GBS_FAMILY_DIAGONAL ? g->d : 1;
    TRY(gbs_json_get_reals(ctx, posterior, "sd", count, &g->sd));
    if (g->family == GBS_FAMILY_DIAGONAL && (g->tau = gbs_doubles(ctx, g->d)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        if (!(g->sd[k] > 0.0))
            return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: a standard deviation is not positive");
        if (g->tau != NULL)
            g->tau[k] = g->sd[k] * g->sd[k];
    }
    return GBS_OK;
}

static gbs_status get_path(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *path = json_object_get(root, "path"), *restarts = json_object_get(root, "restarts");
    if (!json_is_array(path))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'path' should be a list");
    m->path_size = json_array_size(path);
    m->path = gbs_array_alloc(ctx, m->path_size, sizeof *m->path);
    if (m->path == NULL)
        return GBS_ERR_MEMORY;
    for (size_t t = 0; t < m->path_size; t++) {
        const json_t *point = json_array_get(path, t);
        gbs_path_point *p = &m->path[t];
        TRY(gbs_json_get_real(ctx, point, "lambda", &p->lambda));
        TRY(gbs_json_get_real(ctx, point, "prior_sd", &p->prior_sd));
        TRY(gbs_json_get_real(ctx, point, "free_energy", &p->free_energy));
        TRY(gbs_json_get_real(ctx, point, "gibbs_risk", &p->gibbs_risk));
        TRY(gbs_json_get_real(ctx, point, "kl", &p->kl));
        TRY(gbs_json_get_real_or_nan(ctx, point, "optimality_gap", &p->optimality_gap));
        TRY(gbs_json_get_size(ctx, point, "iterations", SIZE_MAX / 16, &p->iterations));
        TRY(gbs_json_get_bool(ctx, point, "converged", &p->converged));
    }
    m->restarts_size = json_array_size(restarts);
    return restarts != NULL ? gbs_json_get_reals(ctx, root, "restarts", m->restarts_size, &m->restarts) : GBS_OK;
}

static gbs_status get_recipe(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *recipe = json_object_get(root, "recipe");
    if (recipe == NULL)
        return GBS_OK;
    char *dump = json_dumps(recipe, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    if (dump == NULL)
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while reading the model");
    gbs_status status = gbs_model_set_recipe(ctx, m, dump);
    free(dump);
    return status;
}

gbs_status gbs_model_from_json(gbs_context *ctx, const char *text, size_t size, gbs_model **out) {
    *out = NULL;
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while reading the model");
        return gbs_fail(ctx, GBS_ERR_FORMAT, "not a whole JSON text: line %d: %s", error.line, error.text);
    }
    gbs_model *model;
    gbs_status status = gbs_model_create(ctx, &model);
    if (status == GBS_OK)
        status = get_head(ctx, root, &model->info);
    if (status == GBS_OK)
        status = get_fit(ctx, root, &model->info);
    if (status == GBS_OK)
        status = get_scaling(ctx, root, model);
    if (status == GBS_OK)
        status = get_posterior(ctx, root, model);
    if (status == GBS_OK)
        status = get_path(ctx, root, model);
    if (status == GBS_OK)
        status = get_recipe(ctx, root, model);
    json_decref(root);
    if (status != GBS_OK)
        gbs_model_free(model);
    else
        *out = model;
    return status;
}
