/* The limits of a model card (cmd/card_limits.h). */
#include "cmd/card_limits.h"

#include <math.h>
#include <stdio.h>

static void limit(const struct card_limits *to, const char *text) {
    if (to->json != NULL)
        json_put_string(to->json, NULL, text);
    else
        text_add(to->markdown, "- %s\n", text);
}

static bool has_levels(const gbs_recipe *recipe) {
    size_t levels = 0;
    for (size_t k = 0; gbs_recipe_input(recipe, k, &levels) != NULL; k++)
        if (levels > 0)
            return true;
    return false;
}

static void certificate_limits(const struct card_limits *to, const gbs_model *model) {
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    struct baseline base = baseline_of(model, NULL);
    const char *text;
    int breaks;
    if (c == NULL) {
        limit(to, "nothing is certified");
        return;
    }
    for (unsigned k = 0; (text = gbs_assumption_text(k, &breaks)) != NULL; k++)
        if (breaks && (c->assumptions >> k & 1U) != 0) {
            char words[512];
            snprintf(words, sizeof words, "the certificate is conditional: %s", text);
            limit(to, words);
        }
    if (card != NULL && card->refit > 0)
        limit(to, "the model was fitted again to all rows after its test: what predict prints is "
                  "not certified");
    struct guess guess = guess_of(model, &base);
    if (guess_is_as_good(&guess))
        limit(to, guess.cost
                      ? "the certified mean cost is no better than that of always saying one "
                        "label"
                      : "the certified error is no better than that of always saying the most "
                        "frequent label");
    if ((card != NULL && card->one_label) || (many != NULL && many->one_label))
        limit(to, "it said one label of all rows that it was tested on");
}

void card_model_limits(const struct card_limits *to, const gbs_model *model,
                       const gbs_recipe *recipe) {
    const gbs_origin *o = gbs_model_origin(model);
    certificate_limits(to, model);
    if (!gbs_model_get_info(model)->converged)
        limit(to, "the solver did not converge");
    if (o->left_out > 0)
        limit(to, "rows with a missing value were left out: it is about complete rows alone");
    if (o->copies > 0)
        limit(to, "some rows are exact copies of others and not independent: certificates can be "
                  "too small");
    if (!result_is_tested(model) && gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS))
        limit(to, "its probabilities are shares of votes and not calibrated");
    if (has_levels(recipe))
        limit(to,
              "a level of a text column that training did not see counts as none of its levels");
    limit(to, "it is about cases that come as these rows came: other places, times or ways to "
              "measure are not covered");
    limit(to, "what is certified is a mean over all cases, or over the class that a line names; "
              "smaller groups can fare worse");
    limit(to, "coefficients and probabilities describe what goes together, not what causes what");
}

void card_completion_limits(const struct card_limits *to, const gbs_completion *model) {
    const gbs_completion_info *i = gbs_completion_get_info(model);
    const gbs_rating_certificate *c = gbs_completion_certificate(model);
    if (!c->present)
        limit(to, "nothing is certified");
    if (c->present && c->vacuous)
        limit(to, "the certificate is no better than always predicting the middle of the range");
    if (!i->converged && i->sampler != GBS_SAMPLER_GIBBS)
        limit(to, "the solver did not converge");
    limit(to, "it is about cells that come to be rated as these did: cells that nobody would rate "
              "are not covered");
    limit(to, "what is certified is a mean over all such cells; single rows and columns can fare "
              "worse");
}
