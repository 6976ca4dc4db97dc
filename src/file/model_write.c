/* Model files: versioned JSON.
 *
 * "format" counts the incompatible versions; keys may be added within one. A reader takes its own
 * format and leaves keys it does not know alone. Triangular matrices are stored packed, row by row.
 *
 * "split" and "gibbs" say what a posterior approximates, so that it can be sampled
 * (fit/target.c): the order of the rows (a seed is a text: it may not fit in JSON's numbers), and
 * lambda, prior mean and place of the rows in that order. Models of the zero prior on all rows do
 * without.
 */
#include "core/check.h"
#include "file/card_file.h"
#include "file/explanation_file.h"
#include "file/json_numbers.h"
#include "file/json_text.h"
#include "file/many_file.h"
#include "file/maps_file.h"
#include "file/origin_file.h"
#include "model/model.h"
#include "risk/loss.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool put_fit(json_t *root, const gbs_model *m) {
    const gbs_model_info *i = &m->info;
    json_t *fit = json_object();
    return gbs_json_put(root, "fit", fit) &&
           gbs_json_put(fit, "prior", json_string(gbs_prior_name(i->prior))) &&
           gbs_json_put(fit, "lambda", json_real(i->lambda)) &&
           gbs_json_put(fit, "prior_sd", json_real(i->prior_sd)) &&
           gbs_json_put(fit, "free_energy", json_real(i->free_energy)) &&
           gbs_json_put(fit, "kl", json_real(i->kl)) &&
           gbs_json_put(fit, "gibbs_risk", json_real(i->gibbs_risk)) &&
           gbs_json_put(fit, "gibbs_error", json_real(i->gibbs_error)) &&
           gbs_json_put(fit, "train_error", json_real(i->train_error)) &&
           gbs_json_put(fit, "optimality_gap", gbs_json_real_or_null(i->optimality_gap)) &&
           gbs_json_put(fit, "iterations", json_integer((json_int_t)i->iterations)) &&
           (!gbs_has(gbs_model_task(m), GBS_FACT_PAIRS) ||
            gbs_json_put(fit, "pair_evaluations", json_real(i->pair_evaluations))) &&
           gbs_json_put(fit, "converged", json_boolean(i->converged)) &&
           (!i->weighted || gbs_json_put(fit, "weighted", json_true())) &&
           gbs_json_put(fit, "seconds", json_real(i->seconds));
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

static bool put_dual(json_t *posterior, const gbs_span *dual, size_t d) {
    json_t *object = json_object(), *rows = NULL;
    bool ok = gbs_json_put(posterior, "dual", object) &&
              gbs_json_put(object, "rows", rows = json_object()) &&
              gbs_json_put(object, "rank", json_integer((json_int_t)dual->rank)) &&
              gbs_json_put(object, "lower", gbs_json_triangle(dual->lower, dual->rank, false)) &&
              gbs_json_put(object, "factor", gbs_json_triangle(dual->factor, dual->rank, true));
    const gbs_strip *kept = &dual->kept;
    if (kept->dense != NULL)
        return ok && gbs_json_put(rows, "cells", gbs_json_reals(kept->dense, dual->rank * d));
    size_t stored = kept->start[dual->rank];
    ok = ok && gbs_json_put(rows, "start", sizes(kept->start, dual->rank + 1)) &&
         gbs_json_put(rows, "column", columns(kept->column, stored)) &&
         gbs_json_put(rows, "value", gbs_json_reals(kept->value, stored));
    return kept->shift != NULL ? ok && gbs_json_put(rows, "shift", gbs_json_reals(kept->shift, d))
                               : ok;
}

static bool put_split(json_t *root, const gbs_split_key *key) {
    char seed[24];
    json_t *split = json_object();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)key->seed);
    return gbs_json_put(root, "split", split) && gbs_json_put(split, "seed", json_string(seed)) &&
           gbs_json_put(split, "first", json_integer((json_int_t)key->first)) &&
           gbs_json_put(split, "stratified", json_boolean(key->stratified)) &&
           (!key->in_time || gbs_json_put(split, "in_time", json_true())) &&
           (!key->grouped || gbs_json_put(split, "grouped", json_true())) &&
           (!key->said || gbs_json_put(split, "said", json_true()));
}

static bool put_gibbs(json_t *root, const gbs_stage *s) {
    json_t *gibbs = json_object();
    return gbs_json_put(root, "gibbs", gibbs) &&
           gbs_json_put(gibbs, "lambda", json_real(s->info.lambda)) &&
           gbs_json_put(gibbs, "free_energy", gbs_json_real_or_null(s->free_energy)) &&
           gbs_json_put(gibbs, "from", json_integer((json_int_t)s->from)) &&
           gbs_json_put(gibbs, "rows", json_integer((json_int_t)s->info.rows)) &&
           gbs_json_put(gibbs, "prior_mean",
                        s->prior_mean != NULL ? gbs_json_reals(s->prior_mean, s->posterior.d)
                                              : json_null());
}

static bool put_posterior(json_t *root, const gbs_stage *s) {
    const gbs_gaussian *g = &s->posterior;
    json_t *posterior = json_object();
    bool ok = gbs_json_put(root, "posterior", posterior) &&
              gbs_json_put(posterior, "mean", gbs_json_reals(g->mean, g->d));
    if (s->dual.rank > 0)
        return ok && put_dual(posterior, &s->dual, g->d);
    if (g->factor != NULL)
        return ok && gbs_json_put(posterior, "factor", gbs_json_triangle(g->factor, g->d, true));
    return ok && gbs_json_put(posterior, "sd",
                              gbs_json_reals(g->sd, gbs_family_of(g->family)->sd_size(g->d)));
}

/* A plain model's posterior stands in the model itself. */
static bool put_stages(json_t *root, const gbs_model *m) {
    bool known = m->split.known;
    if (known && !put_split(root, &m->split))
        return false;
    if (m->stages_size == 1)
        return put_posterior(root, &m->stages[0]) && (!known || put_gibbs(root, &m->stages[0]));
    json_t *list = json_array();
    if (!gbs_json_put(root, "stages", list))
        return false;
    for (size_t t = 0; t < m->stages_size; t++) {
        const gbs_stage *s = &m->stages[t];
        json_t *stage = json_object();
        if (stage == NULL || json_array_append_new(list, stage) != 0)
            return false;
        if (!gbs_json_put(stage, "weight", json_real(s->info.weight)) ||
            !gbs_json_put(stage, "prior_sd", json_real(s->info.prior_sd)) ||
            !gbs_json_put(stage, "rows", json_integer((json_int_t)s->info.rows)) ||
            !gbs_json_put(stage, "tested", json_integer((json_int_t)s->info.tested)) ||
            !gbs_json_put(stage, "errors", json_integer((json_int_t)s->info.errors)) ||
            !put_posterior(stage, s) || (known && !put_gibbs(stage, s)))
            return false;
    }
    return true;
}

static json_t *assumption_list(unsigned assumptions) {
    json_t *list = json_array();
    const char *text;
    for (unsigned k = 0; list != NULL && (text = gbs_assumption_text(k, NULL)) != NULL; k++)
        if ((assumptions >> k & 1U) != 0 && json_array_append_new(list, json_string(text)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static bool put_certificates(json_t *root, const gbs_model *m) {
    json_t *list = json_array();
    if (!gbs_json_put(root, "certificates", list))
        return false;
    for (size_t k = 0; k < m->certificates_size; k++) {
        const gbs_certificate *c = &m->certificates[k];
        json_t *object = json_object();
        if (object == NULL || json_array_append_new(list, object) != 0)
            return false;
        if (!gbs_json_put(object, "target", json_string(gbs_target_name(c->target))) ||
            !gbs_json_put(object, "loss", json_string(gbs_loss_name(c->loss))) ||
            !gbs_json_put(object, "method", json_string(gbs_bound_name(c->method))) ||
            !gbs_json_put(object, "value", json_real(c->value)) ||
            !gbs_json_put(object, "confidence", json_real(c->confidence)) ||
            !gbs_json_put(object, "blocks", json_integer((json_int_t)c->blocks)) ||
            !gbs_json_put(object, "empirical", gbs_json_real_or_null(c->empirical)) ||
            !gbs_json_put(object, "kl", json_real(c->kl)) ||
            !gbs_json_put(object, "lambda", gbs_json_real_or_null(c->lambda)) ||
            !gbs_json_put(object, "grid_nats", json_real(c->grid_nats)) ||
            !gbs_json_put(object, "xi_nats", json_real(c->xi_nats)) ||
            !gbs_json_put(object, "valid", json_boolean(c->valid)) ||
            !gbs_json_put(object, "risk", json_string(gbs_risk_name(c->risk))) ||
            !gbs_json_put(object, "assumptions", assumption_list(c->assumptions)))
            return false;
        if (c->grouped && !gbs_json_put(object, "grouped", json_true()))
            return false;
        if (c->given != 0 && !gbs_json_put(object, "given", json_integer(c->given)))
            return false;
        if (c->sampled > 0 &&
            (!gbs_json_put(object, "sampled", json_integer((json_int_t)c->sampled)) ||
             !gbs_json_put(object, "sampled_delta", json_real(c->sampled_delta)) ||
             !gbs_json_put(object, "empirical_upper", json_real(c->empirical_upper))))
            return false;
    }
    return true;
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
        if (!gbs_json_put(point, "lambda", json_real(p->lambda)) ||
            !gbs_json_put(point, "prior_sd", json_real(p->prior_sd)) ||
            /* what overflowed on the way is null */
            !gbs_json_put(point, "free_energy", gbs_json_real_or_null(p->free_energy)) ||
            !gbs_json_put(point, "gibbs_risk", gbs_json_real_or_null(p->gibbs_risk)) ||
            !gbs_json_put(point, "kl", gbs_json_real_or_null(p->kl)) ||
            !gbs_json_put(point, "optimality_gap", gbs_json_real_or_null(p->optimality_gap)) ||
            !gbs_json_put(point, "bound", gbs_json_real_or_null(p->bound)) ||
            !gbs_json_put(point, "iterations", json_integer((json_int_t)p->iterations)) ||
            !gbs_json_put(point, "converged", json_boolean(p->converged)))
            return false;
    }
    return m->restarts_size == 0 ||
           gbs_json_put(root, "restarts", gbs_json_reals(m->restarts, m->restarts_size));
}

static bool put_negatives(json_t *root, const gbs_model *m) {
    return m->negatives == NULL ||
           gbs_json_put(root, "negative_scores", gbs_json_reals(m->negatives, m->negatives_size));
}

/* Maps and posteriors; a model of many classes has those of its parts. */
static bool put_two(gbs_context *ctx, json_t *root, const gbs_model *m) {
    return m->many != NULL ||
           (gbs_json_put_maps(ctx, root, m->info.scale, &m->maps) && put_stages(root, m));
}

static bool put_model(gbs_context *ctx, json_t *root, const gbs_model *m) {
    const gbs_model_info *i = &m->info;
    /* what older versions understand */
    bool plain = m->stages_size == 1 && gbs_maps_plain(&m->maps);
    int format = m->many != NULL ? GBS_MODEL_FORMAT
                 : m->deployed   ? GBS_MODEL_FORMAT_CALIBRATED
                 : plain         ? GBS_MODEL_FORMAT_PLAIN
                                 : GBS_MODEL_FORMAT_MIXTURE;
    return gbs_json_put(root, "gibbsite", json_string(GBS_VERSION)) &&
           gbs_json_put(root, "format", json_integer(format)) &&
           gbs_json_put(root, "kind", json_string("model")) &&
           gbs_json_put(root, "task", json_string(gbs_task_name(gbs_model_task(m)->kind))) &&
           gbs_json_put(root, "loss", json_string(gbs_loss_name(i->loss))) &&
           gbs_json_put(root, "family", json_string(gbs_family_name(i->family))) &&
           gbs_json_put(root, "solver", json_string(gbs_solver_name(i->solver))) &&
           gbs_json_put(root, "n", json_integer((json_int_t)i->n)) &&
           gbs_json_put(root, "features", json_integer((json_int_t)i->features)) &&
           gbs_json_put(root, "d", json_integer((json_int_t)i->d)) &&
           gbs_json_put(root, "intercept", json_boolean(i->intercept)) && put_fit(root, m) &&
           put_two(ctx, root, m) && gbs_json_put_many(ctx, root, m, put_model) &&
           put_certificates(root, m) && gbs_json_put_card(root, m) &&
           gbs_json_put_explanation(root, m->explanation) && put_path(root, m) &&
           gbs_json_put_origin(root, &m->origin) && gbs_json_put_selection(root, &m->selection) &&
           put_negatives(root, m) && gbs_json_put_text(ctx, root, "recipe", m->recipe);
}

gbs_status gbs_model_to_json(gbs_context *ctx, const gbs_model *model, char **text, size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    json_t *root = json_object();
    bool ok = root != NULL && put_model(ctx, root, model) &&
              gbs_json_print(ctx, root, "\n", text, size) == GBS_OK;
    json_decref(root);
    if (!ok)
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing the model");
    gbs_context_retain(ctx); /* until gbs_release */
    return GBS_OK;
}
