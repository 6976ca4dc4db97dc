/* Sample files: versioned JSON, like model files (model_write.c, model_read.c). "kind" is "sample";
 * the particles come last, one after the other. Nothing in a file is trusted. */
#include "core/check.h"
#include "file/json_numbers.h"
#include "file/json_text.h"
#include "file/maps_file.h"
#include "task/task.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool put_count(json_t *object, const char *key, size_t x) {
    return gbs_json_put(object, key, json_integer((json_int_t)x));
}

static bool put_sample(json_t *root, const gbs_sample_info *i) {
    json_t *sample = json_object();
    return gbs_json_put(root, "sample", sample) &&
           gbs_json_put(sample, "move", json_string(gbs_move_name(i->move))) &&
           gbs_json_put(sample, "classic", json_boolean(i->classic)) &&
           put_count(sample, "particles", i->particles) && put_count(sample, "chains", i->chains) &&
           put_count(sample, "moves", i->moves) &&
           gbs_json_put(sample, "lambda", json_real(i->lambda)) &&
           gbs_json_put(sample, "prior_sd", json_real(i->prior_sd)) &&
           gbs_json_put(sample, "prior", json_string(gbs_prior_name(i->prior))) &&
           put_count(sample, "n_data", i->n_data) &&
           gbs_json_put(sample, "ess", json_real(i->ess)) &&
           gbs_json_put(sample, "log_z", json_real(i->log_z)) &&
           gbs_json_put(sample, "log_z_sd", gbs_json_real_or_null(i->log_z_sd)) &&
           gbs_json_put(sample, "log_z_sd_at_least", json_boolean(i->log_z_sd_at_least)) &&
           gbs_json_put(sample, "gibbs_risk", gbs_json_real_or_null(i->gibbs_risk)) &&
           gbs_json_put(sample, "gibbs_risk_sd", gbs_json_real_or_null(i->gibbs_risk_sd)) &&
           gbs_json_put(sample, "acceptance", gbs_json_real_or_null(i->acceptance)) &&
           gbs_json_put(sample, "gibbs_error", json_real(i->gibbs_error)) &&
           gbs_json_put(sample, "train_error", json_real(i->train_error)) &&
           gbs_json_put(sample, "kl", gbs_json_real_or_null(i->kl)) &&
           gbs_json_put(sample, "confidence", json_real(i->confidence)) &&
           gbs_json_put(sample, "bound", gbs_json_real_or_null(i->bound)) &&
           gbs_json_put(sample, "seconds", json_real(i->seconds));
}

static bool put_path(json_t *root, const gbs_particles *p) {
    json_t *path = json_array();
    if (!gbs_json_put(root, "path", path))
        return false;
    for (size_t t = 0; t < p->path_size; t++) {
        const gbs_sample_point *q = &p->path[t];
        json_t *point = json_object();
        if (point == NULL || json_array_append_new(path, point) != 0)
            return false;
        if (!gbs_json_put(point, "lambda", json_real(q->lambda)) ||
            !gbs_json_put(point, "log_z", json_real(q->log_z)) ||
            !gbs_json_put(point, "log_z_sd", gbs_json_real_or_null(q->log_z_sd)) ||
            !gbs_json_put(point, "gibbs_risk", gbs_json_real_or_null(q->gibbs_risk)) ||
            !gbs_json_put(point, "gibbs_risk_sd", gbs_json_real_or_null(q->gibbs_risk_sd)) ||
            !gbs_json_put(point, "ess", json_real(q->ess)) ||
            !gbs_json_put(point, "acceptance", gbs_json_real_or_null(q->acceptance)) ||
            !gbs_json_put(point, "step", gbs_json_real_or_null(q->step)))
            return false;
    }
    return true;
}

static bool put_all(gbs_context *ctx, json_t *root, const gbs_particles *p) {
    const gbs_sample_info *i = &p->info;
    const gbs_task *task = gbs_particles_task(p);
    bool pairs = gbs_has(task, GBS_FACT_PAIRS);
    bool ok = gbs_json_put(root, "gibbsite", json_string(GBS_VERSION)) &&
              gbs_json_put(root, "format",
                           json_integer(pairs ? GBS_SAMPLE_FORMAT : GBS_SAMPLE_FORMAT_CLASSIFY)) &&
              gbs_json_put(root, "kind", json_string("sample")) &&
              gbs_json_put(root, "task", json_string(gbs_task_name(task->kind))) &&
              gbs_json_put(root, "loss", json_string(gbs_loss_name(i->loss))) &&
              put_count(root, "n", i->n) && put_count(root, "features", i->features) &&
              put_count(root, "d", i->d) &&
              gbs_json_put(root, "intercept", json_boolean(i->intercept)) && put_sample(root, i) &&
              gbs_json_put_maps(ctx, root, i->scale, &p->maps) && put_path(root, p);
    if (pairs)
        ok = ok && put_count(root, "blocks", i->blocks);
    if (p->negatives != NULL)
        ok = ok &&
             gbs_json_put(root, "negative_scores", gbs_json_reals(p->negatives, p->negatives_size));
    if (p->prior_mean != NULL)
        ok = ok && gbs_json_put(root, "prior_mean", gbs_json_reals(p->prior_mean, i->d));
    return ok && gbs_json_put_text(ctx, root, "recipe", p->recipe) &&
           gbs_json_put(root, "theta", gbs_json_reals(p->theta, i->particles * i->d));
}

gbs_status gbs_particles_to_json(gbs_context *ctx, const gbs_particles *particles, char **text,
                                 size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    json_t *root = json_object();
    bool ok = root != NULL && put_all(ctx, root, particles) &&
              gbs_json_print(ctx, root, "\n", text, size) == GBS_OK;
    json_decref(root);
    if (!ok)
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing the particles");
    gbs_context_retain(ctx); /* until gbs_release */
    return GBS_OK;
}

/* ---------------------------------------------------------------- reading */

/* Of those of a margin. */
static const char *loss_name(int i) {
    return gbs_loss_of((gbs_loss)i) != NULL ? gbs_loss_name((gbs_loss)i) : NULL;
}

static const char *task_name(int i) {
    return gbs_task_name((gbs_task_kind)i);
}

static const char *prior_name(int i) {
    return gbs_prior_name((gbs_prior_kind)i);
}

static const char *move_name(int i) {
    return gbs_move_name((gbs_move)i);
}

static gbs_status get_head(gbs_context *ctx, const json_t *root, gbs_sample_info *i) {
    const char *kind = json_string_value(json_object_get(root, "kind"));
    size_t format;
    int choice;
    if (kind == NULL || strcmp(kind, "sample") != 0 ||
        !json_is_string(json_object_get(root, "gibbsite")))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "not a gibbsite sample file");
    TRY(gbs_json_get_size(ctx, root, "format", INT_MAX, &format));
    if (format < GBS_SAMPLE_FORMAT_CLASSIFY || format > GBS_SAMPLE_FORMAT)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "a sample of format %zu; this version reads the formats 1 to %d", format,
                        (int)GBS_SAMPLE_FORMAT);
    if (format > GBS_SAMPLE_FORMAT_CLASSIFY) {
        TRY(gbs_json_get_choice(ctx, root, "task", task_name, &choice));
        i->task = (gbs_task_kind)choice;
    }
    TRY(gbs_json_get_choice(ctx, root, "loss", loss_name, &choice));
    i->loss = (gbs_loss)choice;
    TRY(gbs_json_get_size(ctx, root, "n", SIZE_MAX / 16, &i->n));
    TRY(gbs_json_get_size(ctx, root, "features", (size_t)UINT32_MAX + 1, &i->features));
    TRY(gbs_json_get_size(ctx, root, "d", INT_MAX, &i->d));
    TRY(gbs_json_get_bool(ctx, root, "intercept", &i->intercept));
    if (i->d == 0 || i->features == 0)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the sample is damaged: d does not match its features");
    i->blocks = i->n;
    const gbs_task *task = gbs_task_of(i->task);
    if (i->intercept && !gbs_has(task, GBS_FACT_INTERCEPT))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the sample is damaged: its task has no intercept");
    if (!gbs_has(task, GBS_FACT_PAIRS))
        return GBS_OK;
    return gbs_json_get_size(ctx, root, "blocks", i->n, &i->blocks);
}

static gbs_status get_sample(gbs_context *ctx, const json_t *root, gbs_sample_info *i) {
    const json_t *sample = json_object_get(root, "sample");
    int choice;
    TRY(gbs_json_get_choice(ctx, sample, "move", move_name, &choice));
    i->move = (gbs_move)choice;
    TRY(gbs_json_get_bool(ctx, sample, "classic", &i->classic));
    TRY(gbs_json_get_size(ctx, sample, "particles", (size_t)1 << 30, &i->particles));
    TRY(gbs_json_get_size(ctx, sample, "chains", (size_t)1 << 30, &i->chains));
    TRY(gbs_json_get_size(ctx, sample, "moves", SIZE_MAX / 16, &i->moves));
    TRY(gbs_json_get_real(ctx, sample, "lambda", &i->lambda));
    TRY(gbs_json_get_real(ctx, sample, "prior_sd", &i->prior_sd));
    i->n_data = i->n;
    if (json_object_get(sample, "n_data") != NULL)
        TRY(gbs_json_get_size(ctx, sample, "n_data", SIZE_MAX / 16, &i->n_data));
    TRY(gbs_json_get_real(ctx, sample, "ess", &i->ess));
    TRY(gbs_json_get_real(ctx, sample, "log_z", &i->log_z));
    TRY(gbs_json_get_real_or_nan(ctx, sample, "log_z_sd", &i->log_z_sd));
    /* older files do not have it */
    i->log_z_sd_at_least = json_is_true(json_object_get(sample, "log_z_sd_at_least"));
    TRY(gbs_json_get_real_or_nan(ctx, sample, "gibbs_risk", &i->gibbs_risk));
    TRY(gbs_json_get_real_or_nan(ctx, sample, "gibbs_risk_sd", &i->gibbs_risk_sd));
    TRY(gbs_json_get_real_or_nan(ctx, sample, "acceptance", &i->acceptance));
    TRY(gbs_json_get_real(ctx, sample, "gibbs_error", &i->gibbs_error));
    TRY(gbs_json_get_real(ctx, sample, "train_error", &i->train_error));
    TRY(gbs_json_get_real_or_nan(ctx, sample, "kl", &i->kl));
    TRY(gbs_json_get_real(ctx, sample, "confidence", &i->confidence));
    TRY(gbs_json_get_real_or_nan(ctx, sample, "bound", &i->bound));
    TRY(gbs_json_get_real(ctx, sample, "seconds", &i->seconds));
    if (i->particles == 0 || !(i->prior_sd > 0.0) || !(i->lambda >= 0.0))
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the sample is damaged: particles, lambda or prior_sd is out of range");
    return GBS_OK;
}

static gbs_status get_path(gbs_context *ctx, const json_t *root, gbs_particles *p) {
    const json_t *path = json_object_get(root, "path");
    if (!json_is_array(path) || json_array_size(path) == 0)
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the sample is damaged: 'path' should be a list");
    p->path = gbs_array_alloc(ctx, json_array_size(path), sizeof *p->path);
    if (p->path == NULL)
        return GBS_ERR_MEMORY;
    for (; p->path_size < json_array_size(path); p->path_size++) {
        const json_t *point = json_array_get(path, p->path_size);
        gbs_sample_point *q = &p->path[p->path_size];
        TRY(gbs_json_get_real(ctx, point, "lambda", &q->lambda));
        TRY(gbs_json_get_real(ctx, point, "log_z", &q->log_z));
        TRY(gbs_json_get_real_or_nan(ctx, point, "log_z_sd", &q->log_z_sd));
        TRY(gbs_json_get_real_or_nan(ctx, point, "gibbs_risk", &q->gibbs_risk));
        TRY(gbs_json_get_real_or_nan(ctx, point, "gibbs_risk_sd", &q->gibbs_risk_sd));
        TRY(gbs_json_get_real(ctx, point, "ess", &q->ess));
        TRY(gbs_json_get_real_or_nan(ctx, point, "acceptance", &q->acceptance));
        TRY(gbs_json_get_real_or_nan(ctx, point, "step", &q->step));
    }
    return GBS_OK;
}

static gbs_status get_theta(gbs_context *ctx, const json_t *root, gbs_particles *p) {
    size_t count;
    if (__builtin_mul_overflow(p->info.particles, p->info.d, &count))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the sample is damaged: it has too many particles");
    return gbs_json_get_reals(ctx, root, "theta", count, &p->theta);
}

/* Older files do not name the prior: informed, where they have its mean. */
static gbs_status get_prior(gbs_context *ctx, const json_t *root, gbs_particles *p) {
    const json_t *sample = json_object_get(root, "sample");
    int choice;
    if (json_object_get(sample, "prior") != NULL) {
        TRY(gbs_json_get_choice(ctx, sample, "prior", prior_name, &choice));
        p->info.prior = (gbs_prior_kind)choice;
    }
    if (json_object_get(root, "prior_mean") == NULL)
        return GBS_OK;
    p->info.prior = GBS_PRIOR_INFORMED;
    return gbs_json_get_reals(ctx, root, "prior_mean", p->info.d, &p->prior_mean);
}

static gbs_status get_negatives(gbs_context *ctx, const json_t *root, gbs_particles *p) {
    if (gbs_has(gbs_particles_task(p), GBS_FACT_LABELS))
        return GBS_OK;
    p->negatives_size = json_array_size(json_object_get(root, "negative_scores"));
    TRY(gbs_json_get_reals(ctx, root, "negative_scores", p->negatives_size, &p->negatives));
    for (size_t k = 1; k < p->negatives_size; k++)
        if (!(p->negatives[k] >= p->negatives[k - 1]))
            return gbs_fail(ctx, GBS_ERR_FORMAT,
                            "the sample is damaged: 'negative_scores' is out of order");
    return GBS_OK;
}

static gbs_status get_all(gbs_context *ctx, const json_t *root, gbs_particles *p) {
    TRY(get_head(ctx, root, &p->info));
    TRY(get_sample(ctx, root, &p->info));
    TRY(gbs_json_get_maps(ctx, root, gbs_map_table, p->info.intercept != 0, p->info.features,
                          p->info.d, &p->info.scale, &p->maps));
    TRY(get_path(ctx, root, p));
    TRY(get_theta(ctx, root, p));
    TRY(get_prior(ctx, root, p));
    TRY(get_negatives(ctx, root, p));
    return gbs_json_get_text(ctx, root, "recipe", &p->recipe);
}

gbs_status gbs_particles_from_json(gbs_context *ctx, const char *text, size_t size,
                                   gbs_particles **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, text);
    gbs_particles *p = NULL;
    json_t *root;
    TRY(gbs_json_parse(ctx, text, size, GBS_JSON_LEVELS,
                       "expected a gibbsite model, found no whole JSON text", &root));
    gbs_status status = gbs_particles_create(ctx, &p);
    if (status == GBS_OK)
        status = get_all(ctx, root, p);
    json_decref(root);
    if (status != GBS_OK)
        gbs_particles_free(p);
    else
        *out = p;
    return status;
}
