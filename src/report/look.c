/* What was chosen and why, and what the data look like: read from the run, in tables. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- choices */

/* why NULL: the run does not say. */
static void choice(struct text *t, const char *what, const char *taken, const char *why) {
    gbs_html_row_open(t, false);
    gbs_html_head_cell(t, what);
    gbs_html_cell(t, taken);
    if (why != NULL)
        gbs_html_cell(t, why);
    gbs_html_row_close(t);
}

/* A model file does not hold what was asked for, and so no reasons. */
static bool knows_why(const struct run *run) {
    return run->kind != RUN_INSPECT;
}

static bool was_given(const json_t *root, const char *option) {
    char path[64];
    snprintf(path, sizeof path, "options.given.%s", option);
    return gbs_run_at(root, path) != NULL;
}

/* Who settled it: the one who asked, a comparison on rows to learn from, or a rule. */
static const char *settled(const json_t *root, const char *option, const char *rule) {
    if (was_given(root, option))
        return "asked for";
    return gbs_run_at(root, "selection") != NULL
               ? "the best out of fold on the rows to learn from: see below"
               : rule;
}

static void threshold_choice(struct text *t, const struct run *run) {
    const json_t *root = run->root;
    double threshold = gbs_run_number(root, "card.threshold");
    const char *costs = gbs_run_text(root, "options.given.cost");
    char taken[NUMBER_TEXT], why[160];
    if (isnan(threshold))
        return;
    if (costs != NULL)
        snprintf(why, sizeof why,
                 "a missed positive and a false alarm cost %.40s: from this probability on, saying "
                 "positive is cheaper",
                 costs);
    else
        snprintf(why, sizeof why, "both errors cost the same: the more probable label");
    choice(t, "positive from probability", gbs_number_text(threshold, taken),
           knows_why(run) ? why : NULL);
}

static void choices_table(struct text *t, const struct run *run) {
    const json_t *root = run->root;
    bool known = knows_why(run);
    char number[NUMBER_TEXT];
    gbs_html_table_open(t, "What the fit settled", known ? "choice|taken|why" : "choice|taken");
#define WHY(words) (known ? (words) : NULL)
    choice(t, "loss", gbs_run_text(root, "loss"),
           WHY(settled(root, "loss", "the default of this bound")));
    choice(t, "family of Gaussians", gbs_run_text(root, "family"),
           WHY(was_given(root, "family") ? "asked for"
                                         : "full where there are few coefficients, else diagonal"));
    choice(t, "features", gbs_run_text(root, "features.map"),
           WHY(was_given(root, "features") ? "asked for"
                                           : "the columns themselves, unless asked for"));
    choice(t, "width of columns", gbs_run_text(root, "columns"),
           WHY(settled(root, "columns", "the default of this bound")));
    choice(t, "prior standard deviation", gbs_number_text(gbs_run_number(root, "prior_sd"), number),
           WHY(settled(root, "prior-sd", "the default, or learned from earlier rows")));
    choice(t, "lambda", gbs_number_text(gbs_run_number(root, "lambda"), number),
           WHY(was_given(root, "lambda") || was_given(root, "lambda-grid")
                   ? "asked for"
                   : "the number of rows learned from, or chosen from earlier rows"));
#undef WHY
    threshold_choice(t, run);
    gbs_html_table_close(t);
}

void gbs_section_choices(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    char erred[120], error[NUMBER_TEXT], se[NUMBER_TEXT], candidates[NUMBER_TEXT],
        folds[NUMBER_TEXT];
    if (gbs_run_text(root, "loss") == NULL || gbs_run_completes(root))
        return;
    gbs_text_add(t, knows_why(run) ? "<h3>What was chosen, and why</h3>\n"
                                   : "<h3>What was chosen</h3>\n");
    choices_table(t, run);
    if (gbs_run_at(root, "selection") == NULL)
        return;
    snprintf(erred, sizeof erred,
             gbs_run_labels(root) ? "the one taken erred on %s"
                                  : "labels by the calibrated score of the one taken erred on %s",
             gbs_percent_text(gbs_run_number(root, "selection.error"), error));
    gbs_text_add(t, "<p class=\"note\">");
    gbs_html_print(
        t,
        "%s candidates were compared on %s folds of the rows to learn from; %s there (standard "
        "error %s). The choice flatters that number; the certificate does not look at it.",
        gbs_number_text(gbs_run_number(root, "selection.candidates"), candidates),
        gbs_number_text(gbs_run_number(root, "selection.folds"), folds), erred,
        gbs_percent_text(gbs_run_number(root, "selection.error_se"), se));
    gbs_text_add(t, "</p>\n");
}

/* ---------------------------------------------------------------- data */

static const char *warning(const char *guard) {
    static const struct {
        const char *guard, *words;
    } known[] = {{"row names", "row names, not a measurement"},
                 {"identifier", "looks like an identifier"},
                 {"row number", "looks like a row number"},
                 {"dates", "looks like dates"},
                 {"constant", "one value in every row"}};
    for (size_t k = 0; guard != NULL && k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].guard, guard) == 0)
            return known[k].words;
    return "";
}

static void look_row(struct text *t, const json_t *c) {
    bool is_text = gbs_run_is(c, "type", "text");
    char low[NUMBER_TEXT], high[NUMBER_TEXT], mean[NUMBER_TEXT], words[4 * NUMBER_TEXT];
    if (is_text)
        snprintf(words, sizeof words, "%s levels",
                 gbs_number_text(gbs_run_number(c, "levels"), low));
    else
        snprintf(words, sizeof words, "%s to %s, mean %s",
                 gbs_number_text(gbs_run_number(c, "low"), low),
                 gbs_number_text(gbs_run_number(c, "high"), high),
                 gbs_number_text(gbs_run_number(c, "mean"), mean));
    gbs_html_row_open(t, gbs_run_text(c, "guard") != NULL);
    gbs_html_head_cell(t, gbs_run_text(c, "name"));
    gbs_html_cell(t, gbs_run_text(c, "role"));
    gbs_html_cell(t, gbs_run_text(c, "type"));
    gbs_html_number_cell(t, gbs_run_number(c, "missing"));
    gbs_html_cell(t, gbs_run_is(c, "role", "left out") ? "" : words);
    gbs_html_cell(t, warning(gbs_run_text(c, "guard")));
    gbs_html_row_close(t);
}

/* "No cell is missing", "1 row is an exact copy of another". */
static void count_words(struct text *t, double count, const char *none, const char *one,
                        const char *several) {
    char number[NUMBER_TEXT];
    gbs_html_print(t, "%s%s. ", count > 1.0 ? gbs_number_text(count, number) : "",
                   count == 0.0   ? none
                   : count == 1.0 ? one
                                  : several);
}

void gbs_section_look(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *data = gbs_run_at(run->root, "data");
    size_t n = gbs_run_size(data, "look");
    double missing = 0.0, guarded = 0.0;
    char rows[NUMBER_TEXT];
    if (n == 0)
        return;
    for (size_t k = 0; k < n; k++) {
        const json_t *c = gbs_run_item(data, "look", k);
        missing += fmax(0.0, gbs_run_number(c, "missing"));
        guarded += gbs_run_text(c, "guard") != NULL;
    }
    gbs_text_add(t, "<h3>The data</h3>\n<p>");
    gbs_html_print(t, "%s rows. ", gbs_number_text(gbs_run_number(data, "rows"), rows));
    count_words(t, missing, "No cell is missing", "One cell is missing", " cells are missing");
    if (gbs_run_number(data, "left_out") > 0.0)
        count_words(t, gbs_run_number(data, "left_out"), "", "One row was left out",
                    " rows were left out");
    count_words(t, gbs_run_number(data, "copies"), "No row is an exact copy of another",
                "One row is an exact copy of another", " rows are exact copies of others");
    count_words(t, guarded, "No column looks like an identifier, a row number or a date",
                "One column looks as if it said nothing of rows to come",
                " columns look as if they said nothing of rows to come");
    gbs_text_add(t, "</p>\n<details class=\"numbers\"><summary>Column by column</summary>\n");
    gbs_html_table_open(t, "Columns of the training file",
                        "column|role|kind|#missing|values|remark");
    for (size_t k = 0; k < n; k++)
        look_row(t, gbs_run_item(data, "look", k));
    gbs_html_table_close(t);
    gbs_text_add(t, "</details>\n");
}
