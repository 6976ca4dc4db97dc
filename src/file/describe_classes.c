/* A model of many classes told as JSON: its classes, how it did on the last block, its parts. */
#include "file/describe.h"

#include <math.h>
#include <stdio.h>

enum { NAME_ROOM = 1024 };

void gbs_describe_class(const gbs_recipe *recipe, size_t k, char *name, size_t room) {
    const char *known = gbs_recipe_class(recipe, k);
    if (known != NULL)
        snprintf(name, room, "%s", known);
    else
        snprintf(name, room, "%zu", k);
}

static void put_class(gbs_writer *w, const char *key, const gbs_recipe *recipe, size_t k) {
    char name[NAME_ROOM];
    gbs_describe_class(recipe, k, name, sizeof name);
    gbs_writer_text(w, key, name);
}

/* {"a": ..., "b": ...} of what each class has. */
static void put_rates(gbs_writer *w, const char *key, const gbs_model *model,
                      const gbs_recipe *recipe, double (*rate)(const gbs_class_result *r)) {
    gbs_writer_open(w, key, '{');
    for (size_t k = 0; k < model->many->classes; k++) {
        char name[NAME_ROOM];
        gbs_describe_class(recipe, k, name, sizeof name);
        gbs_writer_number(w, name, rate(&model->many->result[k]));
    }
    gbs_writer_close(w, '}');
}

static double recall(const gbs_class_result *r) {
    return (double)r->right / (double)r->rows;
}

static double precision(const gbs_class_result *r) {
    return (double)r->right / (double)r->said;
}

static void put_confusion(gbs_writer *w, const gbs_many *m) {
    gbs_writer_open(w, "confusion", '[');
    for (size_t i = 0; i <= m->classes; i++) {
        gbs_writer_open(w, NULL, '[');
        for (size_t j = 0; j < m->classes; j++)
            gbs_writer_count(w, NULL, m->confusion[i * m->classes + j]);
        gbs_writer_close(w, ']');
    }
    gbs_writer_close(w, ']');
}

static void put_learned(gbs_writer *w, const gbs_many *m, const gbs_recipe *recipe) {
    gbs_writer_open(w, "not_learned", '[');
    for (size_t k = 0; k < m->classes; k++)
        if (!m->learned[k])
            put_class(w, NULL, recipe, k);
    gbs_writer_close(w, ']');
}

static double cost_of_saying(const gbs_model *model, size_t said) {
    double sum = 0.0;
    for (size_t is = 0; is < model->many->classes; is++)
        sum += gbs_model_cost(model, is, said) * (double)model->many->result[is].rows;
    return sum / (double)model->many->card.tested;
}

void gbs_describe_guessed_cost(gbs_writer *w, const gbs_model *model) {
    const gbs_card *card = gbs_model_card(model);
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    double least = INFINITY;
    for (size_t k = 0; c != NULL && c->target != GBS_TARGET_COST; k++)
        c = gbs_model_certificate(model, k + 1);
    if (c == NULL)
        return;
    for (size_t said = 0; model->many != NULL && said < model->many->classes; said++)
        least = fmin(least, cost_of_saying(model, said));
    if (card != NULL)
        least = fmin(card->cost_missed * (double)(card->true_positive + card->false_negative),
                     card->cost_false * (double)(card->true_negative + card->false_positive)) /
                (double)card->tested;
    gbs_writer_number(w, "cost", least);
}

void gbs_describe_classes(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe) {
    const gbs_many *m = model->many;
    const gbs_classes_card *c = &m->card;
    gbs_writer_open(w, "classes", '[');
    for (size_t k = 0; k < m->classes; k++)
        put_class(w, NULL, recipe, k);
    gbs_writer_close(w, ']');
    gbs_writer_text(w, "scheme", gbs_scheme_name(m->scheme));
    if (!m->tested)
        return;
    gbs_writer_open(w, "baseline", '{');
    put_class(w, "label", recipe, c->baseline_class);
    gbs_writer_number(w, "error", c->baseline_error);
    gbs_describe_guessed_cost(w, model);
    gbs_writer_close(w, '}');
    gbs_writer_open(w, "card", '{');
    gbs_writer_count(w, "learned", c->learned);
    gbs_writer_count(w, "tested", c->tested);
    gbs_writer_count(w, "errors", c->errors);
    gbs_writer_count(w, "unknown", c->unknown);
    put_learned(w, m, recipe);
    gbs_writer_number(w, "brier", c->brier);
    gbs_writer_number(w, "log_loss", c->log_loss);
    gbs_writer_number(w, "cost", c->cost);
    gbs_writer_bool(w, "one_label", c->one_label != 0);
    gbs_writer_bool(w, "joint", c->joint != 0);
    gbs_writer_open(w, "schemes", '{');
    gbs_writer_number(w, "rest_log_loss", c->rest_log_loss);
    gbs_writer_number(w, "pairs_log_loss", c->pairs_log_loss);
    gbs_writer_number(w, "rest_error", c->rest_error);
    gbs_writer_number(w, "pairs_error", c->pairs_error);
    gbs_writer_number(w, "softmax_log_loss", c->softmax_log_loss);
    gbs_writer_number(w, "softmax_error", c->softmax_error);
    gbs_writer_close(w, '}');
    put_rates(w, "recall", model, recipe, recall);
    put_rates(w, "precision", model, recipe, precision);
    put_confusion(w, m);
    gbs_writer_close(w, '}');
}

gbs_status gbs_describe_parts(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe) {
    const gbs_many *m = model->many;
    gbs_status status = GBS_OK;
    gbs_writer_open(w, "parts", '[');
    for (size_t p = 0; status == GBS_OK && p < m->parts; p++) {
        size_t one, other;
        gbs_many_sides(m->scheme, m->classes, p, &one, &other);
        if (m->part[p] == NULL)
            continue;
        gbs_writer_open(w, NULL, '{');
        put_class(w, "class", recipe, one);
        if (other == SIZE_MAX)
            gbs_writer_text(w, "against", NULL);
        else
            put_class(w, "against", recipe, other);
        gbs_writer_number(w, "prior_sd", m->part[p]->info.prior_sd);
        gbs_writer_number(w, "lambda", m->part[p]->info.lambda);
        gbs_writer_text(w, "columns", gbs_columns_name(m->part[p]->info.columns));
        gbs_writer_number(w, "free_energy", m->part[p]->info.free_energy);
        gbs_writer_bool(w, "converged", m->part[p]->info.converged != 0);
        status = gbs_describe_coefficients(w, m->part[p], recipe);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
    return status;
}
