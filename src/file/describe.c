/* A fitted model told as JSON: how it was fitted, what it is worth, what is certified.
 *
 * One object whose members are those of `fit` and `inspect` on the command line; each part is a
 * bit of gbs_describe. Class names come from the recipe that the model carries; without one they
 * are -1 and 1.
 */
#include "file/describe.h"
#include "core/check.h"
#include "file/explanation_file.h"
#include "file/json_write.h"
#include "model/many.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>

enum { GBS_DESCRIBE_EVERY = 2 * GBS_DESCRIBE_IMPORTANCE - 1 };

/* ---------------------------------------------------------------- how it was fitted */

static void put_info(gbs_writer *w, const gbs_model *model) {
    const gbs_model_info *i = &model->info;
    const gbs_task *task = gbs_model_task(model);
    gbs_writer_text(w, "task", gbs_task_name(task->kind));
    gbs_writer_text(w, "loss", gbs_loss_name(i->loss));
    gbs_writer_text(w, "family", gbs_family_name(i->family));
    gbs_writer_open(w, "features", '{');
    gbs_writer_text(w, "map", gbs_features_name(i->map));
    gbs_writer_count(w, "columns", i->d);
    if (i->map_axes > 0.0)
        gbs_writer_number(w, "single_columns", i->map_axes);
    gbs_writer_close(w, '}');
    gbs_writer_count(w, "n", i->n);
    gbs_writer_count(w, "d", i->d);
    gbs_writer_number(w, "lambda", i->lambda);
    gbs_writer_number(w, "prior_sd", i->prior_sd);
    gbs_writer_text(w, "prior", gbs_prior_name(i->prior));
    gbs_writer_number(w, "free_energy", i->free_energy);
    gbs_writer_number(w, "kl", i->kl);
    gbs_writer_number(w, "gibbs_risk", i->gibbs_risk);
    gbs_writer_number(w, "gibbs_error", i->gibbs_error);
    gbs_writer_number(w, "train_error", i->train_error);
    gbs_writer_number(w, "optimality_gap", i->optimality_gap);
    gbs_writer_count(w, "iterations", i->iterations);
    if (gbs_has(task, GBS_FACT_PAIRS))
        gbs_writer_number(w, "pair_evaluations", i->pair_evaluations);
    gbs_writer_bool(w, "converged", i->converged != 0);
    gbs_writer_text(w, "solver", gbs_solver_name(i->solver));
    bool two_forms = gbs_family_of(i->family)->pull == GBS_PULL_MATRIX;
    gbs_writer_text(w, "form", !two_forms ? NULL : i->dual ? "dual" : "primal");
    gbs_writer_text(w, "scale", gbs_scale_name(i->scale));
    gbs_writer_text(w, "columns", gbs_columns_name(i->columns));
    gbs_writer_bool(w, "intercept", i->intercept != 0);
    if (i->weighted)
        gbs_writer_bool(w, "weighted", true);
}

static void put_selection(gbs_writer *w, const gbs_model *model) {
    const gbs_selection *s = &model->selection;
    if (s->candidates == 0)
        return;
    gbs_writer_open(w, "selection", '{');
    gbs_writer_text(w, "by", "cv");
    gbs_writer_count(w, "candidates", s->candidates);
    gbs_writer_count(w, "folds", s->folds);
    gbs_writer_number(w, "error", s->error);
    gbs_writer_number(w, "error_se", s->error_se);
    gbs_writer_close(w, '}');
}

/* A seed is a text: it may not fit in a number of JSON. */
void gbs_describe_origin(gbs_writer *w, const gbs_origin *o, bool table) {
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)o->seed);
    gbs_writer_open(w, "origin", '{');
    gbs_writer_text(w, "version", o->version);
    gbs_writer_bool(w, "recorded", o->recorded != 0);
    if (o->recorded) {
        gbs_writer_text(w, "seed", seed);
        gbs_writer_count(w, "rows", o->rows);
        gbs_writer_text(w, "hash", o->hash);
    }
    if (o->recorded && table) {
        gbs_writer_count(w, "left_out", o->left_out);
        gbs_writer_count(w, "copies", o->copies);
    }
    gbs_writer_close(w, '}');
}

/* ---------------------------------------------------------------- what it is worth */

/* The label of a class, +1 or -1. */
static void class_name(const gbs_recipe *recipe, int class, char *name, size_t room) {
    const char *positive = recipe != NULL ? gbs_recipe_positive(recipe) : "1",
               *negative = recipe != NULL ? gbs_recipe_negative(recipe) : "-1";
    if (class > 0)
        snprintf(name, room, "%s", positive);
    else if (negative != NULL)
        snprintf(name, room, "%s", negative);
    else
        snprintf(name, room, "not %s", positive);
}

static void put_class(gbs_writer *w, const char *key, const gbs_recipe *recipe, int class) {
    char name[GBS_DESCRIBE_NAME];
    class_name(recipe, class, name, sizeof name);
    gbs_writer_text(w, key, name);
}

static void put_reliability(gbs_writer *w, const gbs_card *c) {
    gbs_writer_open(w, "reliability", '[');
    for (size_t k = 0; k < 10; k++) {
        gbs_writer_open(w, NULL, '{');
        gbs_writer_count(w, "count", c->reliability[k].count);
        gbs_writer_number(w, "mean_prob", c->reliability[k].mean_probability);
        gbs_writer_number(w, "share_positive", c->reliability[k].share_positive);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

/* What is deployed is not what the rest is about. */
static void put_refit(gbs_writer *w, const gbs_card *c) {
    if (c->refit == 0)
        return;
    gbs_writer_open(w, "refit", '{');
    gbs_writer_count(w, "rows", c->refit);
    gbs_writer_bool(w, "certified", false);
    gbs_writer_close(w, '}');
}

/* Of a score there is no label to tell of. */
static void put_ranking_card(gbs_writer *w, const gbs_card *c) {
    if (c == NULL)
        return;
    put_refit(w, c);
    gbs_writer_open(w, "card", '{');
    gbs_writer_count(w, "learned", c->learned);
    gbs_writer_count(w, "tested", c->tested);
    gbs_writer_number(w, "auc", c->auc);
    gbs_writer_bool(w, "joint", c->joint != 0);
    gbs_writer_close(w, '}');
}

static void put_card(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe) {
    if (model->many != NULL) {
        gbs_describe_classes(w, model, recipe);
        return;
    }
    const gbs_card *c = gbs_model_card(model);
    if (!gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS)) {
        put_ranking_card(w, c);
        return;
    }
    gbs_writer_open(w, "classes", '[');
    put_class(w, NULL, recipe, -1);
    put_class(w, NULL, recipe, 1);
    gbs_writer_close(w, ']');
    if (c == NULL)
        return;
    put_refit(w, c);
    gbs_writer_open(w, "baseline", '{');
    put_class(w, "label", recipe, c->baseline_label);
    gbs_writer_number(w, "error", c->baseline_error);
    gbs_describe_guessed_cost(w, model);
    gbs_writer_close(w, '}');
    gbs_writer_open(w, "card", '{');
    gbs_writer_count(w, "learned", c->learned);
    gbs_writer_count(w, "tested", c->tested);
    gbs_writer_number(w, "offset", c->offset);
    gbs_writer_number(w, "slope", c->slope);
    gbs_writer_number(w, "threshold", c->threshold);
    gbs_writer_number(w, "brier", c->brier);
    gbs_writer_number(w, "log_loss", c->log_loss);
    gbs_writer_number(w, "auc", c->auc);
    gbs_writer_bool(w, "one_label", c->one_label != 0);
    gbs_writer_bool(w, "joint", c->joint != 0);
    gbs_writer_bool(w, "weighted", c->weighted != 0);
    gbs_writer_open(w, "confusion", '{');
    gbs_writer_count(w, "true_positive", c->true_positive);
    gbs_writer_count(w, "false_positive", c->false_positive);
    gbs_writer_count(w, "true_negative", c->true_negative);
    gbs_writer_count(w, "false_negative", c->false_negative);
    gbs_writer_close(w, '}');
    put_reliability(w, c);
    gbs_writer_close(w, '}');
}

/* ---------------------------------------------------------------- what is certified */

static void put_target(gbs_writer *w, const gbs_model *model, const gbs_certificate *c,
                       const gbs_recipe *recipe) {
    char target[GBS_DESCRIBE_NAME + 32], class[GBS_DESCRIBE_NAME];
    if (model->many != NULL)
        gbs_describe_class(recipe, (size_t)c->given - 1, class, sizeof class);
    else
        class_name(recipe, c->given, class, sizeof class);
    if (c->target == GBS_TARGET_RECALL)
        snprintf(target, sizeof target, "%s:%s", gbs_target_name(c->target), class);
    else
        snprintf(target, sizeof target, "%s", gbs_target_name(c->target));
    gbs_writer_text(w, "target", target);
}

static void put_certificate(gbs_writer *w, const char *key, const gbs_model *model,
                            const gbs_certificate *c, const gbs_recipe *recipe) {
    const char *text;
    gbs_writer_open(w, key, '{');
    put_target(w, model, c, recipe);
    gbs_writer_text(w, "loss", gbs_loss_name(c->loss));
    if (c->risk != GBS_RISK_ERROR)
        gbs_writer_text(w, "risk", gbs_risk_name(c->risk));
    gbs_writer_text(w, "method", gbs_bound_name(c->method));
    gbs_writer_number(w, "value", c->value);
    gbs_writer_number(w, "confidence", c->confidence);
    gbs_writer_count(w, "rows", c->blocks);
    gbs_writer_count(w, "blocks", c->blocks);
    if (c->grouped)
        gbs_writer_text(w, "unit", "group");
    gbs_writer_number(w, "empirical", c->empirical);
    gbs_writer_number(w, "kl", c->kl);
    gbs_writer_number(w, "lambda", c->lambda);
    gbs_writer_open(w, "penalty_nats", '{');
    gbs_writer_number(w, "grid", c->grid_nats);
    gbs_writer_number(w, "xi", c->xi_nats);
    gbs_writer_number(w, "confidence", -log(1.0 - c->confidence - c->sampled_delta));
    gbs_writer_close(w, '}');
    if (c->sampled > 0) {
        gbs_writer_open(w, "sampled", '{');
        gbs_writer_count(w, "pairs", c->sampled);
        gbs_writer_number(w, "delta", c->sampled_delta);
        gbs_writer_number(w, "empirical_upper", c->empirical_upper);
        gbs_writer_close(w, '}');
    }
    gbs_writer_text(w, "status", c->valid ? "valid" : "conditional");
    gbs_writer_open(w, "assumptions", '[');
    for (unsigned k = 0; (text = gbs_assumption_text(k, NULL)) != NULL; k++)
        if ((c->assumptions >> k & 1U) != 0)
            gbs_writer_text(w, NULL, text);
    gbs_writer_close(w, ']');
    gbs_writer_close(w, '}');
}

static void put_certificates(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe) {
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    if (c != NULL)
        put_certificate(w, "certificate", model, c, recipe);
    else
        gbs_writer_text(w, "certificate", NULL);
    gbs_writer_open(w, "certificates", '[');
    for (size_t k = 0; (c = gbs_model_certificate(model, k)) != NULL; k++)
        put_certificate(w, NULL, model, c, recipe);
    gbs_writer_close(w, ']');
}

/* ---------------------------------------------------------------- all of it */

static gbs_status put_parts(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe,
                            unsigned parts) {
    gbs_status status = GBS_OK;
    gbs_writer_open(w, NULL, '{');
    if ((parts & GBS_DESCRIBE_INFO) != 0)
        put_info(w, model);
    if ((parts & GBS_DESCRIBE_SELECTION) != 0)
        put_selection(w, model);
    if ((parts & GBS_DESCRIBE_CARD) != 0)
        put_card(w, model, recipe);
    if ((parts & GBS_DESCRIBE_CERTIFICATES) != 0)
        put_certificates(w, model, recipe);
    if ((parts & GBS_DESCRIBE_STAGES) != 0)
        gbs_describe_stages(w, model);
    if ((parts & GBS_DESCRIBE_PATH) != 0)
        gbs_describe_path(w, model);
    if ((parts & GBS_DESCRIBE_RESTARTS) != 0)
        gbs_describe_restarts(w, model);
    if ((parts & GBS_DESCRIBE_TRACE) != 0)
        gbs_describe_trace(w, model);
    if ((parts & GBS_DESCRIBE_COEFFICIENTS) != 0)
        status = gbs_describe_coefficients(w, model, recipe);
    if ((parts & GBS_DESCRIBE_ORIGIN) != 0)
        gbs_describe_origin(w, &model->origin.told, true);
    if ((parts & GBS_DESCRIBE_IMPORTANCE) != 0)
        gbs_describe_explanation(w, model->explanation);
    gbs_writer_close(w, '}');
    return status;
}

gbs_status gbs_describe_which(gbs_context *ctx, unsigned *parts) {
    if ((*parts & ~(unsigned)GBS_DESCRIBE_EVERY) != 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "parts must be bits of gbs_describe, not %#x",
                        *parts);
    if (*parts == 0)
        *parts = GBS_DESCRIBE_EVERY;
    return GBS_OK;
}

gbs_status gbs_describe_end(gbs_writer *w, gbs_status status, char **text, size_t *size) {
    if (status == GBS_OK)
        return gbs_writer_end(w, text, size);
    gbs_array_free(w->ctx, w->bytes);
    return status;
}

gbs_status gbs_model_describe_json(gbs_context *ctx, const gbs_model *model, unsigned parts,
                                   char **text, size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    gbs_recipe *recipe = NULL;
    gbs_writer w = {.ctx = ctx, .first = true};
    gbs_status status = gbs_describe_which(ctx, &parts);
    if (status == GBS_OK && model->recipe != NULL)
        status = gbs_recipe_from_model(ctx, model, &recipe);
    if (status == GBS_OK)
        status = put_parts(&w, model, recipe, parts);
    gbs_recipe_free(recipe);
    return gbs_describe_end(&w, status, text, size);
}
