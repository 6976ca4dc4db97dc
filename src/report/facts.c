/* Headline numbers of a run, and at its end the data, the options and every number in full. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- headline */

static void card(struct text *t, const char *name, const char *value, const char *note) {
    gbs_text_add(t, "<div class=\"card\"><dt>");
    gbs_html_text(t, name);
    gbs_text_add(t, "</dt><dd>");
    gbs_html_text(t, value);
    if (note != NULL && note[0] != '\0') {
        gbs_text_add(t, "<small>");
        gbs_html_text(t, note);
        gbs_text_add(t, "</small>");
    }
    gbs_text_add(t, "</dd></div>\n");
}

static void number_card(struct text *t, const char *name, double x, bool percent,
                        const char *note) {
    char value[NUMBER_TEXT];
    if (!isnan(x))
        card(t, name, percent ? gbs_percent_text(x, value) : gbs_number_text(x, value), note);
}

static void bound_card(struct text *t, const char *name, double x, bool percent, const char *note) {
    char value[NUMBER_TEXT];
    if (!isnan(x))
        card(t, name, gbs_bound_text(x, percent, false, value), note);
}

static void certificate_card(struct text *t, const json_t *root) {
    const json_t *c = gbs_run_at(root, "certificate");
    char note[200], target[TARGET_TEXT];
    if (c == NULL)
        return;
    const char *of = gbs_run_is(c, "target", "rmse") ? "RMSE of printed values"
                     : gbs_run_completes(root)       ? "RMSE of one draw"
                                                     : gbs_certificate_target(c, target);
    snprintf(note, sizeof note, "%s, confidence %.10g\u00a0%%", of,
             100.0 * gbs_run_number(c, "confidence"));
    bool plain = gbs_run_completes(root) || gbs_run_is(c, "loss", "hinge");
    bound_card(t,
               gbs_run_is(c, "risk", "1-auc") ? "Certified: 1 - AUC at most" : "Certified: at most",
               gbs_run_completes(root) ? gbs_run_number(c, "rmse") : gbs_run_number(c, "value"),
               !plain, note);
}

static void test_cards(struct text *t, const json_t *root, const json_t *e, const char *where) {
    char note[200] = "", rows[NUMBER_TEXT];
    double bound = gbs_run_number(e, "holdout_bound"), rmse = gbs_run_number(e, "rmse");
    snprintf(note, sizeof note, "%s %s", gbs_number_text(gbs_run_number(e, "n"), rows),
             isnan(rmse) ? "rows" : "ratings");
    char name[64];
    snprintf(name, sizeof name, "%s, %s", where,
             !isnan(rmse)           ? "RMSE"
             : gbs_run_labels(root) ? "wrong labels"
                                    : "AUC");
    if (!isnan(rmse))
        number_card(t, name, rmse, false, note);
    else if (gbs_run_labels(root))
        number_card(t, name, gbs_run_number(e, "error"), true, note);
    else
        number_card(t, name, gbs_run_number(e, "auc"), false, note);
    if (isnan(rmse) && gbs_run_labels(root))
        number_card(t, "AUC of the score", gbs_run_number(e, "auc"), false, note);
    if (!isnan(bound) && gbs_run_labels(root))
        bound_card(t, "Exact bound from these rows", bound, true,
                   "wrong labels, if they are fresh");
}

static void fit_cards(struct text *t, const json_t *root) {
    const json_t *yardstick = gbs_certificate_of(root, "prior-vote"),
                 *test = gbs_run_at(root, "test");
    bool completes = gbs_run_completes(root), card = gbs_run_at(root, "card") != NULL;
    if (card) { /* what is certified, then what else was seen */
        gbs_card_lines(t, root);
        gbs_text_add(t, "</dl>\n");
        gbs_card_note(t, root);
        gbs_text_add(t, "<dl class=\"cards\">");
    } else {
        certificate_card(t, root);
    }
    if (completes) {
        bound_card(
            t, "Yardstick: the middle", gbs_run_number(root, "certificate.middle_rmse"), false,
            "RMSE of always predicting the middle of the range, certified from the same ratings");
        bound_card(t, "Yardstick: a plain hold-out",
                   gbs_run_number(root, "certificate.holdout_rmse"), false,
                   "RMSE of the first part's means, the same ratings, the same confidence");
    }
    if (yardstick != NULL)
        bound_card(t, "Yardstick: a plain hold-out", gbs_run_number(yardstick, "value"), true,
                   "the same rows, the same confidence");
    if (test != NULL)
        test_cards(t, root, test, "Test rows");
    if (completes) {
        char note[120], sd[NUMBER_TEXT];
        snprintf(note, sizeof note, "standard deviation; of the ratings themselves %s",
                 gbs_number_text(gbs_run_number(root, "ratings_sd"), sd));
        number_card(t, "Noise left over", sqrt(gbs_run_number(root, "noise_variance")), false,
                    isnan(gbs_run_number(root, "ratings_sd")) ? "standard deviation" : note);
    }
    if (completes)
        number_card(t, "Effective rank", gbs_run_number(root, "effective_rank"), false,
                    gbs_run_is(root, "sampler", "gibbs")        ? "components drawn"
                    : gbs_run_is(root, "model", "hierarchical") ? "components kept"
                                                                : "components left");
    else if (!card)
        number_card(t, "Training, one draw", gbs_run_number(root, "gibbs_error"), true,
                    gbs_run_labels(root) ? "all rows" : "1 - AUC, all pairs");
}

static void sampling_cards(struct text *t, const json_t *root) {
    char note[80], sd[NUMBER_TEXT];
    snprintf(note, sizeof note, "± %s%s", gbs_number_text(gbs_run_number(root, "log_z_sd"), sd),
             gbs_run_true(root, "log_z_sd_at_least") ? " at least" : "");
    number_card(t, "log Z", gbs_run_number(root, "log_z"), false, note);
    snprintf(note, sizeof note, "± %s", gbs_number_text(gbs_run_number(root, "gibbs_risk_sd"), sd));
    number_card(t, "Gibbs risk", gbs_run_number(root, "gibbs_risk"), false, note);
    snprintf(note, sizeof note, "± %s nats", gbs_number_text(gbs_run_number(root, "gap_sd"), sd));
    number_card(t, "Gap", gbs_run_number(root, "gap"), false, note);
    number_card(t, "Moves taken", gbs_run_number(root, "acceptance"), true, "mean over the path");
    number_card(t, "Estimated bound", gbs_run_number(root, "estimate.value"), true,
                "no certificate");
}

void gbs_section_headline(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    gbs_text_add(t, "<dl class=\"cards\">\n");
    if (run->kind == RUN_FIT || run->kind == RUN_INSPECT || run->kind == RUN_COMPLETE)
        fit_cards(t, root);
    else if (run->kind == RUN_SAMPLE || run->kind == RUN_GAP)
        sampling_cards(t, root);
    else if (run->kind == RUN_EVALUATE)
        test_cards(t, root, root, "These rows");
    for (size_t k = 0; run->kind == RUN_CV && k < gbs_run_size(root, "table"); k++)
        if (gbs_run_true(gbs_run_item(root, "table", k), "best"))
            number_card(t, gbs_run_size(root, "table") > 1 ? "Smallest error" : "Error",
                        gbs_run_number(gbs_run_item(root, "table", k), "error"), true,
                        gbs_run_size(root, "table") > 1 ? "chosen by it, so it flatters"
                                                        : "over all folds");
    gbs_text_add(t, "</dl>\n");
}

/* ---------------------------------------------------------------- in full */

static void fact(struct text *t, const char *name, const json_t *value) {
    char buffer[NUMBER_TEXT];
    if (json_is_number(value))
        gbs_html_fact(t, name, gbs_number_text(json_number_value(value), buffer));
    else if (json_is_string(value))
        gbs_html_fact(t, name, json_string_value(value));
    else if (json_is_boolean(value))
        gbs_html_fact(t, name, json_is_true(value) ? "yes" : "no");
    else if (json_is_null(value))
        gbs_html_fact(t, name, "none");
}

/* Every member that is a number, a text or a truth; members of members with both names. Lists are
 * drawn elsewhere. */
static void facts_of(struct text *t, const char *before, const json_t *object, int depth) {
    void *at = json_object_iter((json_t *)object);
    for (; at != NULL; at = json_object_iter_next((json_t *)object, at)) {
        char name[160];
        const json_t *value = json_object_iter_value(at);
        snprintf(name, sizeof name, "%s%s%s", before, before[0] != '\0' ? " " : "",
                 json_object_iter_key(at));
        for (char *c = name; *c != '\0'; c++)
            *c = *c == '_' ? ' ' : *c;
        if (!json_is_object(value))
            fact(t, name, value);
        else if (depth < 2 && strcmp(name, "options") != 0 && strcmp(name, "data") != 0)
            facts_of(t, name, value, depth + 1);
    }
}

static void data_facts(struct text *t, const json_t *root) {
    if (gbs_run_at(root, "data") == NULL)
        return;
    gbs_text_add(t, "<h4 class=\"screen\">Data</h4><dl class=\"facts\">\n");
    facts_of(t, "", gbs_run_at(root, "data"), 2);
    gbs_text_add(t, "</dl>\n");
}

/* The seed, which beyond 2^53 is text; NULL: the run has none. */
static const char *seed_text(const json_t *root, char room[static NUMBER_TEXT]) {
    const char *seed = gbs_run_text(root, "options.seed");
    double number = gbs_run_number(root, "options.seed");
    snprintf(room, NUMBER_TEXT, "%.0f", number);
    return seed != NULL ? seed : isnan(number) ? NULL : room;
}

/* With a mark the command as it was typed, else what was asked for, name by name. */
static void option_facts(struct page *page, const json_t *root) {
    struct text *t = &page->body;
    const json_t *given = gbs_run_at(root, "options.given");
    const char *mark = page->mark, *command = gbs_run_text(root, "command");
    char seed[NUMBER_TEXT];
    gbs_text_add(t, "<h4>Options</h4>\n");
    if (gbs_run_at(root, "options") == NULL) {
        gbs_text_add(t,
                     "<p class=\"missing\">The run does not say what was asked for; runs of this "
                     "version do.</p>\n");
        return;
    }
    gbs_text_add(t, mark != NULL ? "<p>The command, but for where its results went:</p>"
                                   "<pre><code>gibbsite "
                                 : "<p>What was asked for:</p><pre><code>");
    gbs_html_text(t, command != NULL ? command : "");
    for (size_t k = 0; k < gbs_run_size(root, "options.inputs"); k++) {
        const char *input = json_string_value(gbs_run_item(root, "options.inputs", k));
        gbs_html_print(t, " %.600s", input != NULL ? input : "?");
    }
    void *at = json_object_iter((json_t *)given);
    for (; at != NULL; at = json_object_iter_next((json_t *)given, at)) {
        const char *text = json_string_value(json_object_iter_value(at));
        gbs_html_print(t, "%s%.20s%.100s%s%.600s", mark != NULL ? " " : ", ",
                       mark != NULL ? mark : "", json_object_iter_key(at), text != NULL ? " " : "",
                       text != NULL ? text : "");
    }
    if (seed_text(root, seed) != NULL)
        gbs_html_print(t, "%s%.20sseed %.40s", mark != NULL ? " " : ", ", mark != NULL ? mark : "",
                       seed_text(root, seed));
    gbs_text_add(t, "</code></pre>\n<p class=\"screen\">What was not asked for was settled by the "
                    "program; the list "
                    "below has what came of it.</p>\n");
}

void gbs_section_facts(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    gbs_text_add(t, "<h3>Data and options in full</h3>\n");
    data_facts(t, run->root);
    option_facts(page, run->root);
    gbs_text_add(t,
                 "<details class=\"numbers every\"><summary>Every number of the run</summary><dl "
                 "class=\"facts\">\n");
    facts_of(t, "", run->root, 0);
    gbs_text_add(t, "</dl></details>\n");
}
