/* A model and its certificates in words: what --verbose and inspect say. */
#include "out/lines.h"
#include "out/result.h"

#include <math.h>
#include <stdio.h>

bool result_is_tested(const gbs_model *model) {
    return gbs_model_card(model) != NULL || gbs_model_classes_card(model) != NULL;
}

const char *result_certified(const gbs_certificate *c, bool calibrated, const gbs_recipe *recipe,
                             char name[static LINE_NAME]) {
    char class[LINE_NAME];
    if (c->risk == GBS_RISK_PAIRS)
        return "one draw, any two rows";
    if (c->risk == GBS_RISK_AUC && c->target != GBS_TARGET_GIBBS && c->target != GBS_TARGET_AUC)
        return c->target == GBS_TARGET_VOTE ? "the score" : "the first part's score";
    switch (c->target) {
    case GBS_TARGET_GIBBS:
        return c->loss == GBS_LOSS_HINGE ? "hinge risk, one draw" : "one random draw";
    case GBS_TARGET_MIXTURE:
        return "one draw, any stage";
    case GBS_TARGET_VOTE:
        return calibrated ? "the printed labels" : "the vote";
    case GBS_TARGET_PRIOR_VOTE:
        return "the first part's vote";
    case GBS_TARGET_RECALL:
        if (!result_is_many(recipe))
            return c->given > 0 ? "positive rows missed" : "negative rows missed";
        snprintf(name, LINE_NAME, "%.200s missed", result_class_short(recipe, c->given, 14, class));
        return name;
    case GBS_TARGET_COST:
        return "the mean cost";
    case GBS_TARGET_BRIER:
        return "the Brier score";
    case GBS_TARGET_AUC:
        return "1 - AUC of the score";
    case GBS_TARGET_WEIGHTED:
        return "the labels, by weight";
    }
    return "";
}

const char *result_class_short(const gbs_recipe *recipe, int class, size_t most,
                               char out[static LINE_NAME]) {
    const char *positive = gbs_recipe_positive(recipe), *negative = gbs_recipe_negative(recipe);
    char other[LINE_NAME];
    if (result_is_many(recipe))
        return line_name(gbs_recipe_class(recipe, (size_t) class - 1), most, out);
    if (class > 0 || negative != NULL)
        return line_name(class > 0 ? positive : negative, most, out);
    snprintf(other, sizeof other, "not %.200s", positive);
    return line_name(other, most, out);
}

struct baseline baseline_of(const gbs_model *model, const gbs_data *data) {
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    struct baseline b = {0};
    if (!gbs_task_has(gbs_model_task(model), GBS_FACT_LABELS))
        return b;
    if (many != NULL)
        return (struct baseline){many->tested, (int)many->baseline_class + 1, many->baseline_error};
    if (card != NULL)
        return (struct baseline){card->tested, card->baseline_label, card->baseline_error};
    if (data == NULL)
        return b;
    size_t positive = 0;
    b.rows = gbs_data_rows(data);
    for (size_t i = 0; i < b.rows; i++)
        positive += gbs_data_labels(data)[i] > 0.0;
    b.label = 2 * positive >= b.rows ? 1 : -1;
    b.error = (double)(b.label > 0 ? b.rows - positive : positive) / (double)b.rows;
    return b;
}

/* Of always saying label or class `said`, on the rows that tested. */
static double cost_of_saying(const gbs_model *model, int said) {
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    double sum = 0.0, tested = 0.0;
    if (card != NULL && said < 0)
        sum = card->cost_missed * (double)(card->true_positive + card->false_negative);
    else if (card != NULL)
        sum = card->cost_false * (double)(card->true_negative + card->false_positive);
    for (size_t is = 0; many != NULL && is < many->classes; is++)
        sum += gbs_model_cost(model, is, (size_t)said - 1) *
               (double)gbs_model_class_result(model, is)->rows;
    if (card != NULL)
        tested = (double)card->tested;
    else if (many != NULL)
        tested = (double)many->tested;
    return sum / tested;
}

struct guess guess_of(const gbs_model *model, const struct baseline *b) {
    const gbs_certificate *c = gbs_model_certificate(model, 0), *of_cost = NULL, *each;
    const gbs_classes_card *many = gbs_model_classes_card(model);
    struct guess g = {.label = b->label, .value = b->error};
    if (b->rows > 0 && c != NULL && c->loss == GBS_LOSS_ZERO_ONE)
        g.certificate = c;
    for (size_t k = 0; (each = gbs_model_certificate(model, k)) != NULL; k++)
        if (each->target == GBS_TARGET_COST)
            of_cost = each;
    if (g.certificate == NULL || of_cost == NULL)
        return g;
    g = (struct guess){.certificate = of_cost, .cost = true, .value = INFINITY};
    for (int said = many != NULL ? 1 : -1; said <= (many != NULL ? (int)many->classes : 1);
         said += many != NULL ? 1 : 2)
        if (cost_of_saying(model, said) < g.value) {
            g.value = cost_of_saying(model, said);
            g.label = said;
        }
    return g;
}

bool guess_is_as_good(const struct guess *g) {
    return g->certificate != NULL && g->certificate->value >= g->value;
}

void result_baseline_text(struct text *t, enum line_kind kind, const gbs_model *model,
                          const gbs_recipe *recipe, const struct baseline *b) {
    char label[LINE_NAME], cheaper[LINE_NAME];
    struct guess g = guess_of(model, b);
    if (b->rows == 0)
        return;
    result_class_short(recipe, b->label, 12, label);
    if (g.cost && isfinite(g.value))
        line_add(t, kind, "baseline",
                 "always saying %s errs in %.2f %%; always saying %s costs %.4g", label,
                 100.0 * b->error, result_class_short(recipe, g.label, 12, cheaper), g.value);
    else
        line_add(t, kind, "baseline", "always saying %s is wrong in %.2f %% of %s rows", label,
                 100.0 * b->error, result_is_tested(model) ? "these fresh" : "the");
}

/* The errors behind the first line of a card. */
static void add_seen(struct text *words, const gbs_certificate *c) {
    if (c->grouped)
        text_add(words, " (seen: %.2f %% in %s)", 100.0 * c->empirical,
                 counted(c->blocks, "fresh group").text);
    else if (c->blocks < 10000)
        text_add(words, " (%.0f of %s %s)", c->empirical * (double)c->blocks,
                 counted(c->blocks, "fresh row").text,
                 fabs(c->empirical * (double)c->blocks - 1.0) < 0.5 ? "was" : "were");
    else
        text_add(words, " (seen: %.2f %%)", 100.0 * c->empirical);
}

void result_sentence(struct text *words, const gbs_model *model) {
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    if (c == NULL) {
        text_add(words, "none");
        return;
    }
    const gbs_card *card = gbs_model_card(model);
    bool calibrated = c->target == GBS_TARGET_VOTE && result_is_tested(model),
         refit = card != NULL && card->refit > 0;
    const char *whose = refit ? "of the fit before the refit" : "that predict prints";
    if (c->target == GBS_TARGET_AUC)
        text_add(words, "the score %s has a true AUC of at least %.4f", whose,
                 text_down(1.0 - c->value, 4));
    else if (calibrated)
        text_add(words, "the labels %s are wrong in at most %.2f %% of %s", whose,
                 text_up(100.0 * c->value, 2),
                 c->grouped ? "the rows of a group, in the mean over groups" : "all cases");
    else if (c->risk != GBS_RISK_ERROR)
        text_add(words, "the true %s of one random draw is at most %.4f",
                 c->risk == GBS_RISK_AUC ? "1 - AUC" : "share of pairs in the wrong order",
                 text_up(c->value, 4));
    else
        text_add(words, "the true %s risk of %s is at most %.4f", gbs_loss_name(c->loss),
                 c->target == GBS_TARGET_MIXTURE ? "one random draw (a stage, then a classifier)"
                                                 : "one random draw",
                 text_up(c->value, 4));
    text_add(words, ", with confidence %g: %s", c->confidence, c->valid ? "valid" : "CONDITIONAL");
    if (calibrated && !refit)
        add_seen(words, c);
    if (refit)
        text_add(words, "; what predict prints is NOT CERTIFIED");
}

/* One line for each certificate, and what it pays, in nats. */
static void table_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe) {
    char name[LINE_NAME];
    const gbs_certificate *c = gbs_model_certificate(model, 0), *each;
    text_add(t, "  %-7s %-22s %-11s %7s %9s   %6s %6s %6s %6s\n", "bound", "of", "method",
             c->risk != GBS_RISK_ERROR ? "pairs" : "rows", "risk seen", "KL", "grid", "all",
             "conf.");
    for (size_t k = 0; (each = gbs_model_certificate(model, k)) != NULL; k++) {
        char seen[32] = "-"; /* of no row */
        if (isfinite(each->empirical))
            snprintf(seen, sizeof seen, "%.4f", each->empirical);
        text_add(t, "  %-7.4f %-22s %-11s %7zu %9s   %6.2f %6.2f %6.2f %6.2f%s\n",
                 text_up(each->value, 4),
                 result_certified(each, result_is_tested(model), recipe, name),
                 gbs_bound_name(each->method), each->blocks, seen, each->kl, each->grid_nats,
                 each->xi_nats, -log(1.0 - each->confidence - each->sampled_delta),
                 each->valid ? "" : "  cond.");
    }
    line_add(t, LINE_LONG, "",
             "nats paid for the KL, a grid or --joint, all posteriors at once, the confidence");
    if (gbs_model_stages(model) > 1)
        line_add(t, LINE_LONG, "",
                 "risk seen: the errors of each stage on the fresh rows that it met, weighted as "
                 "the stages are");
}

void result_certificates_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe,
                              const struct baseline *baseline) {
    const char *text;
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    struct text words = {0};
    result_sentence(&words, model);
    t->failed |= words.failed;
    line_add(t, LINE_LONG, "certificate", "%s", words.bytes != NULL ? words.bytes : "");
    text_free(&words);
    if (c == NULL)
        return;
    result_baseline_text(t, LINE_LONG, model, recipe, baseline);
    table_text(t, model, recipe);
    if (c->sampled > 0)
        line_add(t, LINE_LONG, "",
                 "the risk seen is that of %s drawn at random; over all pairs it is at most %.6g, "
                 "but for probability %.4g, which is part of %.4g",
                 counted(c->sampled, "pair").text, text_up_digits(c->empirical_upper, 6),
                 c->sampled_delta, 1.0 - c->confidence);
    line_add(t, LINE_LONG, "",
             (card != NULL && card->joint) || (many != NULL && many->joint)
                 ? "all lines hold at once."
                 : "each line holds by itself, the smallest of them does not; the first was chosen "
                   "in advance.");
    line_add(t, LINE_LONG, "", "it assumes that");
    for (unsigned k = 0; (text = gbs_assumption_text(k, NULL)) != NULL; k++)
        if ((c->assumptions >> k & 1U) != 0)
            line_add(t, LINE_LONG, "", "- %s", text);
}

/* Classes that the model never says. */
static void note_not_learned(const struct app *app, const gbs_model *model,
                             const gbs_recipe *recipe) {
    const gbs_classes_card *many = gbs_model_classes_card(model);
    const gbs_class_result *r;
    size_t others = 0, first = 0;
    char label[LINE_NAME], more[40] = "";
    for (size_t k = 0; many != NULL && (r = gbs_model_class_result(model, k)) != NULL; k++)
        if (!r->learned && others++ == 0)
            first = k;
    if (others == 0)
        return;
    if (others > 1)
        snprintf(more, sizeof more, " and %zu other label%s", others - 1, others > 2 ? "s" : "");
    app_note(
        app,
        "'%s'%s: fewer than two rows to learn from; predict never says %s (fresh rows that are "
        "wrong for that: %zu of %zu)",
        line_name(gbs_recipe_class(recipe, first), 40, label), more,
        others > 1 ? "these labels" : "this label", many->unknown, many->tested);
}

void result_warnings(const struct app *app, const gbs_model *model, const gbs_recipe *recipe,
                     const struct baseline *b) {
    const gbs_card *card = gbs_model_card(model);
    const gbs_certificate *c = gbs_model_certificate(model, 0);
    const char *text;
    char label[LINE_NAME];
    int breaks;
    for (unsigned k = 0; c != NULL && (text = gbs_assumption_text(k, &breaks)) != NULL; k++)
        if (breaks && (c->assumptions >> k & 1U) != 0)
            app_note(app, "the certificate is CONDITIONAL: %s", text);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    note_not_learned(app, model, recipe);
    if (many != NULL && many->one_label)
        app_note(app, "the model says one label of %s%s that it was tested on",
                 many->tested == 1 ? "the " : "all ", counted(many->tested, "row").text);
    if (b->rows > 0 && card != NULL && card->one_label)
        app_note(app, "the model says '%s' of %s%s that it was tested on",
                 result_class_short(recipe, card->true_positive + card->false_positive > 0 ? 1 : -1,
                                    40, label),
                 card->tested == 1 ? "the " : "all ", counted(card->tested, "row").text);
    if (c != NULL && c->risk == GBS_RISK_AUC && c->value >= 0.5)
        app_note(app, "the certificate says nothing: a coin orders rows as well");
    struct guess g = guess_of(model, b);
    if (guess_is_as_good(&g) && g.cost)
        app_note(app,
                 "the certificate says nothing: a mean cost of %.4g is no better than that of "
                 "always saying '%s', %.4g",
                 text_up_digits(g.certificate->value, 4),
                 result_class_short(recipe, g.label, 40, label), g.value);
    else if (guess_is_as_good(&g))
        app_note(app,
                 "the certificate says nothing: %.2f %% is no better than always saying '%s', "
                 "which is wrong in %.2f %%",
                 text_up(100.0 * g.certificate->value, 2),
                 result_class_short(recipe, g.label, 40, label), 100.0 * g.value);
}

static void stages_text(struct text *t, const gbs_model *model) {
    size_t n = gbs_model_stages(model);
    struct text words = {0};
    if (n < 2)
        return;
    text_add(&words, "%zu, each learned from", n);
    for (size_t k = 0; k < n; k++)
        text_add(&words, "%s %zu", k > 0 ? "," : "", gbs_model_stage(model, k)->rows);
    text_add(&words, " rows and met");
    for (size_t k = 0; k < n; k++)
        text_add(&words, "%s %zu", k > 0 ? "," : "", gbs_model_stage(model, k)->tested);
    text_add(&words, " fresh ones (errors:");
    for (size_t k = 0; k < n; k++)
        text_add(&words, "%s %zu", k > 0 ? "," : "", gbs_model_stage(model, k)->errors);
    text_add(&words, "); prior, free energy and solver: the last one's");
    t->failed |= words.failed;
    line_add(t, LINE_LONG, "stages", "%s", words.bytes != NULL ? words.bytes : "");
    text_free(&words);
}

/* Convex losses have no centre beside 0 in a calibrated model. */
static bool zero_centred(const gbs_model *model) {
    return result_is_tested(model) && gbs_model_get_info(model)->loss != GBS_LOSS_ZERO_ONE;
}

static void solver_text(struct text *t, const gbs_model *model) {
    const gbs_model_info *i = gbs_model_get_info(model);
    char pairs[64] = "", gap[80] = "", number[LINE_NUMBER];
    if (gbs_task_has(gbs_model_task(model), GBS_FACT_PAIRS) && i->pair_evaluations > 0.0)
        snprintf(pairs, sizeof pairs, "%s pairs seen, ",
                 line_number(i->pair_evaluations, 4, number));
    if (isfinite(i->optimality_gap))
        snprintf(gap, sizeof gap, "; free energy proven within %.2g of its minimum",
                 i->optimality_gap);
    line_add(t, LINE_LONG, "solver", "%s, %s, %s%s%s", gbs_solver_name(i->solver),
             counted(i->iterations, "iteration").text, pairs,
             i->converged ? "converged" : "NOT CONVERGED", gap);
}

void result_model_text(struct text *t, const gbs_model *model) {
    const gbs_model_info *i = gbs_model_get_info(model);
    const gbs_task *task = gbs_model_task(model);
    const gbs_card *card = gbs_model_card(model);
    const gbs_classes_card *many = gbs_model_classes_card(model);
    char rows[80], sd[LINE_NUMBER], lambda[LINE_NUMBER];
    if (many != NULL)
        snprintf(rows, sizeof rows, "%s to learn from, %zu to test on",
                 counted(many->learned, "row").text, many->tested);
    else if (card != NULL)
        snprintf(rows, sizeof rows, "%s to learn from, %zu to test on",
                 counted(card->learned, "row").text, card->tested);
    else
        snprintf(rows, sizeof rows, "%s", counted(i->n, "row").text);
    line_add(t, LINE_LONG, "model", "%sloss %s, family %s%s, %s%s, %s",
             gbs_task_word(task, GBS_WORD_PREFIX), gbs_loss_name(i->loss),
             gbs_family_name(i->family), i->dual ? " (in the span of the rows)" : "",
             counted(i->d, "coefficient").text, i->intercept ? " with the intercept" : "", rows);
    if (i->map != GBS_FEATURES_LINEAR)
        line_add(t, LINE_LONG, "features", "%s: of a Gaussian kernel%s, beside the %s themselves",
                 gbs_features_name(i->map),
                 i->map_axes == 1.0  ? " of each column by itself"
                 : i->map_axes > 0.0 ? ", in part of each column by itself"
                                     : "",
                 counted(i->features, "column").text);
    stages_text(t, model);
    if (many != NULL)
        line_add(t, LINE_LONG, "classes", "%zu, %s: %zu posterior%s", many->classes,
                 many->scheme == GBS_SCHEME_PAIRS     ? "each against each"
                 : many->scheme == GBS_SCHEME_SOFTMAX ? "all together"
                                                      : "each against the rest",
                 many->parts,
                 many->parts == 1 ? ", of the two classes among the rows to learn from"
                                  : "s, calibrated together; below, the sums over them, and the "
                                    "prior of the first");
    line_add(t, LINE_LONG, "prior",
             "N(%s, %s^2) on each coefficient, lambda %s, columns scaled: %s%s",
             i->prior == GBS_PRIOR_INFORMED && !zero_centred(model) ? "m0" : "0",
             line_number(i->prior_sd, 6, sd), line_number(i->lambda, 6, lambda),
             gbs_scale_name(i->scale), i->columns == GBS_COLUMNS_RELEVANCE ? ", by relevance" : "");
    line_add(t, LINE_LONG, "free energy",
             "%.6g = lambda x %.6g (mean %s loss of the posterior) + %.6g (KL to the prior)",
             i->free_energy, i->gibbs_risk, gbs_loss_name(i->loss), i->kl);
    if (!gbs_task_has(task, GBS_FACT_LABELS))
        line_add(t, LINE_LONG, card != NULL ? "learned pairs" : "all pairs",
                 "1 - AUC %.4f of the score, %.4f of one random draw", i->train_error,
                 i->gibbs_error);
    else
        line_add(t, LINE_LONG, result_is_tested(model) ? "learned rows" : "all rows",
                 "error %.2f %% of the labels, %.2f %% of one random draw", 100.0 * i->train_error,
                 100.0 * i->gibbs_error);
    solver_text(t, model);
}
