/* The certificate, taken apart.
 *
 * kl, catoni, hoeffding and paper all pay with one sum of nats: KL + log xi + grids + log(1/delta).
 * What the bound lies above the risk seen is shared out among these in proportion to their nats: no
 * order of switching them on is better than another, and shares by nats do not depend on one.
 *
 * hoeffding, paper, hinge: nats/lambda is what the formula itself adds; the rest (lambda/(8n), ...)
 * is the price of a fixed lambda.
 *
 * catoni: its value at no nats, (1 - exp(-lambda r/n))/(1 - exp(-lambda/n)) - r, is the price of a
 * fixed lambda.
 *
 * progressive, binomial: a deviation from what was seen, and nothing else; all of it is the price
 * of the confidence.
 *
 * completions: the risk seen comes from draws; the step to its upper bound stands in the place of a
 * fixed lambda.
 */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

static double or_zero(double x) {
    return x > 0.0 ? x : 0.0;
}

/* Shares `excess` out in proportion to nats. */
static void share(double excess, const double nats[PARTS], double part[PARTS]) {
    double sum = 0.0;
    for (int k = 0; k < PARTS; k++)
        sum += nats[k];
    for (int k = 0; k < PARTS && sum > 0.0; k++)
        part[k] += excess * nats[k] / sum;
    if (!(sum > 0.0))
        part[PART_CONFIDENCE] += excess;
}

bool gbs_certificate_parts(const json_t *c, double part[PARTS]) {
    double value = gbs_run_number(c, "value"), seen = gbs_run_number(c, "empirical"),
           lambda = gbs_run_number(c, "lambda");
    double blocks = gbs_run_number(c, "blocks"), upper = gbs_run_number(c, "empirical_upper");
    for (int k = 0; k < PARTS; k++)
        part[k] = 0.0;
    if (!(value >= seen))
        return false;
    part[PART_SEEN] = seen;
    if (!(upper >= seen && upper <= value))
        upper = seen;
    part[PART_FIXED] = upper - seen;
    double nats[PARTS] = {
        [PART_COMPLEXITY] = or_zero(gbs_run_number(c, "kl")),
        [PART_XI] = or_zero(gbs_run_number(c, "penalty_nats.xi")),
        [PART_GRID] = or_zero(gbs_run_number(c, "penalty_nats.grid")),
        [PART_CONFIDENCE] = or_zero(gbs_run_number(c, "penalty_nats.confidence"))};
    double all = nats[PART_COMPLEXITY] + nats[PART_XI] + nats[PART_GRID] + nats[PART_CONFIDENCE],
           fixed = 0.0;
    bool linear = gbs_run_is(c, "method", "hoeffding") || gbs_run_is(c, "method", "paper") ||
                  gbs_run_is(c, "loss", "hinge");
    if (gbs_run_is(c, "method", "progressive") ||
        (gbs_run_is(c, "method", "binomial") && !(nats[PART_GRID] > 0.0))) {
        part[PART_CONFIDENCE] = value - upper;
        return true;
    }
    if (linear && lambda > 0.0)
        fixed = value - upper - all / lambda;
    else if (gbs_run_is(c, "method", "catoni") && lambda > 0.0 && blocks > 0.0)
        fixed = expm1(-lambda * upper / blocks) / expm1(-lambda / blocks) - upper;
    fixed = fmin(or_zero(fixed), value - upper); /* below 0 where the bound was clipped at 1 */
    part[PART_FIXED] += fixed;
    share(value - upper - fixed, nats, part);
    return true;
}

struct part_series gbs_part_series_add(struct chart *c, const bool used[PARTS], bool drawn) {
    static const char *const names[PARTS] = {
        "risk seen",        "complexity (KL)", NULL, "all posteriors at once",
        "grid, or `joint`", "confidence"};
    static const enum series_style styles[PARTS] = {STYLE_SEEN, STYLE_COMPLEXITY, STYLE_FIXED,
                                                    STYLE_XI,   STYLE_GRID,       STYLE_CONFIDENCE};
    struct part_series s;
    char words[PAGE_WORDS];
    for (int k = 0; k < PARTS; k++)
        s.of[k] = used[k]
                      ? gbs_chart_series(c, styles[k], "%s",
                                         names[k] != NULL ? gbs_page_words(c->page, names[k], words)
                                         : drawn          ? "Monte Carlo draws"
                                                          : "fixed lambda")
                      : MOST_SERIES;
    return s;
}

void gbs_part_row(struct chart *c, const struct part_series *series, size_t row,
                  const double part[PARTS]) {
    for (int k = 0; k < PARTS; k++)
        gbs_chart_put(c, row, series->of[k], part[k]);
}

/* Spaces that do not break keep them in one line of a table. */
const char *gbs_certificate_target(const json_t *c, char room[static TARGET_TEXT]) {
    const char *target = gbs_run_text(c, "target");
    if (target == NULL)
        return "–";
    if (gbs_run_is(c, "risk", "pairs"))
        return "one\u00a0draw,\u00a0any\u00a0two\u00a0rows";
    bool ranks = gbs_run_is(c, "risk", "1-auc");
    if (strcmp(target, "gibbs") == 0)
        return gbs_run_is(c, "loss", "hinge") ? "hinge\u00a0risk\u00a0of\u00a0one\u00a0draw"
                                              : "one\u00a0random\u00a0draw";
    if (strcmp(target, "mixture") == 0)
        return "one\u00a0draw,\u00a0any\u00a0stage";
    if (strcmp(target, "vote") == 0)
        return ranks ? "the score"
               : gbs_run_is(c, "method", "binomial") || gbs_run_is(c, "unit", "group")
                   ? "the\u00a0printed\u00a0labels"
                   : "the vote";
    if (strcmp(target, "prior-vote") == 0)
        return ranks ? "the\u00a0first\u00a0part's\u00a0score"
                     : "the\u00a0first\u00a0part's\u00a0vote";
    if (strncmp(target, "recall:", 7) == 0) {
        snprintf(room, TARGET_TEXT, "rows of %.60s mislabelled", target + 7);
        return room;
    }
    if (strcmp(target, "auc") == 0)
        return "1\u00a0−\u00a0AUC\u00a0of\u00a0the\u00a0score";
    if (strcmp(target, "brier") == 0)
        return "the\u00a0Brier\u00a0score";
    if (strcmp(target, "cost") == 0)
        return "the\u00a0mean\u00a0cost";
    if (strcmp(target, "weighted") == 0)
        return "the\u00a0labels,\u00a0by\u00a0weight";
    if (strcmp(target, "rmse") == 0)
        return "the\u00a0printed\u00a0values";
    return target;
}

const json_t *gbs_certificate_of(const json_t *root, const char *target) {
    for (size_t k = 0; k < gbs_run_size(root, "certificates"); k++)
        if (gbs_run_is(gbs_run_item(root, "certificates", k), "target", target))
            return gbs_run_item(root, "certificates", k);
    return NULL;
}

/* ---------------------------------------------------------------- the chart */

enum { MOST_BARS = 5 };

struct bars {
    size_t n;
    char label[MOST_BARS][TARGET_TEXT + 20];
    double part[MOST_BARS][PARTS];
    bool used[PARTS];
};

static void add_bar(struct bars *b, const char *label, const double part[PARTS]) {
    if (b->n == MOST_BARS)
        return;
    snprintf(b->label[b->n], sizeof b->label[0], "%s", label);
    for (int k = 0; k < PARTS; k++) {
        b->part[b->n][k] = part[k];
        b->used[k] |= part[k] > 0.0;
    }
    b->n++;
}

/* What was seen on test rows, and how sure that is; bound NAN: nothing beyond what was seen. */
static void add_test(struct bars *b, const char *label, double seen, double bound) {
    double part[PARTS] = {
        [PART_SEEN] = seen, [PART_CONFIDENCE] = bound > seen ? bound - seen : 0.0};
    if (seen >= 0.0)
        add_bar(b, label, part);
}

static void add_tests(struct bars *b, const json_t *root, const json_t *certificate) {
    double low = NAN, high = NAN, width = 1.0, rmse = gbs_run_number(root, "test.rmse");
    if (gbs_run_completes(root)) {
        low = json_number_value(gbs_run_item(root, "range", 0));
        high = json_number_value(gbs_run_item(root, "range", 1));
        width = (high - low) * (high - low);
        if (gbs_run_is(certificate, "target", "rmse"))
            add_test(b, "test: printed values", rmse, NAN);
        else
            add_test(b, "test: mean prediction", rmse * rmse / width, NAN);
        return;
    }
    if (gbs_run_is(certificate, "risk", "pairs"))
        return; /* tests are of 1 - AUC: another risk */
    if (gbs_run_is(certificate, "loss", "hinge")) {
        add_test(b, "test: hinge loss of one draw", gbs_run_number(root, "test.gibbs_risk"), NAN);
        return;
    }
    if (gbs_run_at(root, "card") == NULL)
        add_test(b, "test: one random draw", gbs_run_number(root, "test.gibbs_error"), NAN);
    add_test(b, gbs_run_labels(root) ? "test: the labels" : "test: the score",
             gbs_run_test_risk(root), gbs_run_number(root, "test.holdout_bound"));
}

static void add_baseline(struct bars *b, const json_t *root) {
    const char *label = gbs_run_text(root, "baseline.label");
    char name[96];
    snprintf(name, sizeof name, "baseline: always %.60s", label != NULL ? label : "?");
    if (label != NULL)
        add_test(b, name, gbs_run_number(root, "baseline.error"), NAN);
}

static void note_text(struct text *note, bool yardstick, bool tested, bool squared, bool learned) {
    gbs_text_add(note,
                 learned ? "What the bound lies above the risk seen is shared out in proportion "
                           "to the nats that each term pays."
                         : "What was seen on fresh rows, and what confidence asks for beyond it.");
    if (yardstick)
        gbs_text_add(note,
                     " The yardstick is the bound of what the first part alone gives, tested on "
                     "the same rows.");
    if (tested && squared)
        gbs_text_add(note, " Of the test ratings: the squared error of the mean prediction.");
    else if (tested)
        gbs_text_add(note,
                     " Of the test rows: what was seen and, for labels or score, the distance "
                     "to a bound at the same confidence.");
}

static const char *risk_title(const json_t *root, const json_t *c) {
    if (gbs_run_is(c, "target", "rmse"))
        return "root mean squared error, in units of the ratings";
    if (gbs_run_completes(root))
        return "mean squared error / (high - low)²";
    if (gbs_run_is(c, "loss", "hinge"))
        return "hinge loss";
    if (gbs_run_is(c, "risk", "pairs"))
        return "share of pairs of any two rows in the wrong order";
    return gbs_task_word(gbs_run_task(root), GBS_WORD_RISK_TITLE);
}

static void chart_certificate(struct page *page, const struct run *run, const json_t *c) {
    const json_t *root = run->root, *yardstick = gbs_certificate_of(root, "prior-vote");
    struct bars b = {0};
    struct text note = {.ctx = page->body.ctx};
    double part[PARTS];
    char label[TARGET_TEXT + 20], value[NUMBER_TEXT], target[TARGET_TEXT];
    bool plain = gbs_run_completes(root) || gbs_run_is(c, "loss", "hinge"), beside = false;
    if (!gbs_certificate_parts(c, part))
        return;
    snprintf(label, sizeof label, "certificate: %s", gbs_certificate_target(c, target));
    add_bar(&b, label, part);
    bool same_risk = !gbs_run_is(c, "loss", "hinge") && !gbs_run_is(c, "risk", "pairs");
    if (yardstick != NULL && same_risk && gbs_certificate_parts(yardstick, part)) {
        add_bar(&b, "yardstick: a plain hold-out", part);
        beside = true;
    }
    size_t before = b.n;
    add_tests(&b, root, c);
    bool tested = b.n > before;
    if (same_risk && !gbs_run_completes(root) && gbs_run_labels(root))
        add_baseline(&b, root);
    bool values = gbs_run_is(c, "target", "rmse");
    note_text(&note, beside, tested && !values, gbs_run_completes(root),
              gbs_run_at(root, "card") == NULL && !values);
    struct chart chart = {.page = page,
                          .kind = CHART_STACK,
                          .title = "The certificate, taken apart",
                          .note = note.bytes,
                          .x_title = risk_title(root, c),
                          .y_title = "of what",
                          .percent_x = !plain,
                          .from_zero = true};
    struct part_series series = gbs_part_series_add(&chart, b.used, gbs_run_completes(root));
    for (size_t k = 0; k < b.n; k++) {
        double sum = 0.0, seen = b.part[k][PART_SEEN];
        for (int p = 0; p < PARTS; p++)
            sum += b.part[k][p];
        gbs_part_row(&chart, &series, gbs_chart_row_named(&chart, b.label[k]), b.part[k]);
        gbs_chart_say(&chart, "%s%s %s", k > 0 ? "; " : "", b.label[k],
                      sum > seen ? gbs_bound_text(sum, !plain, false, value)
                      : plain    ? gbs_number_text(sum, value)
                                 : gbs_percent_text(sum, value));
    }
    gbs_chart_say(&chart, ".");
    gbs_chart_end(&chart);
    page->starved |= note.failed;
    gbs_text_free(&note);
}

/* ---------------------------------------------------------------- the table */

static void table_certificates(struct text *t, const json_t *root) {
    gbs_html_table_open(t, "Every certificate that was computed",
                        "#bound|of|method|#rows or pairs|#risk seen|#KL, nats|#grid, nats|#all at "
                        "once, nats|#confidence, nats|status");
    for (size_t k = 0; k < gbs_run_size(root, "certificates"); k++) {
        const json_t *c = gbs_run_item(root, "certificates", k);
        char target[TARGET_TEXT];
        gbs_html_row_open(t, k == 0);
        gbs_html_bound_cell(t, gbs_run_number(c, "value"), false, false);
        gbs_html_cell(t, gbs_certificate_target(c, target));
        gbs_html_cell(t, gbs_run_text(c, "method"));
        gbs_html_number_cell(t, gbs_run_number(c, "blocks"));
        gbs_html_number_cell(t, gbs_run_number(c, "empirical"));
        gbs_html_number_cell(t, gbs_run_number(c, "kl"));
        gbs_html_number_cell(t, gbs_run_number(c, "penalty_nats.grid"));
        gbs_html_number_cell(t, gbs_run_number(c, "penalty_nats.xi"));
        gbs_html_number_cell(t, gbs_run_number(c, "penalty_nats.confidence"));
        gbs_html_cell(t, gbs_run_text(c, "status"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
    if (gbs_run_size(root, "certificates") < 2)
        return;
    gbs_text_add(t,
                 gbs_run_true(root, "card.joint")
                     ? "<p class=\"note\">All lines hold at once.</p>\n"
                     : "<p class=\"note\">Each line holds by itself; the smallest of them, picked "
                       "after the fact, does not. The first was chosen in advance.</p>\n");
}

void gbs_section_certificate(struct page *page, const struct run *run) {
    const json_t *c = gbs_run_at(run->root, "certificate");
    struct text *t = &page->body;
    gbs_text_add(t, "<h3%s>Certificate</h3>\n", c == NULL ? " class=\"screen\"" : "");
    if (c == NULL) {
        gbs_chart_missing(
            page, "No certificate",
            gbs_run_completes(run->root)
                ? gbs_run_is(run->root, "sampler", "gibbs")
                      ? "draws of a sampler give estimates; the default sampler, vb, is certified."
                      : "it needs the range of the values, known in advance: run with `range` "
                        "LO:HI."
                : "the run has none.");
        return;
    }
    bool card = gbs_run_at(run->root, "card.reliability") != NULL && gbs_run_labels(run->root);
    gbs_text_add(t, card ? "<div class=\"grid\">\n" : "");
    chart_certificate(page, run, c);
    if (card)
        gbs_chart_reliability(page, gbs_run_at(run->root, "card"), RELIABILITY_CARD);
    gbs_text_add(t, card ? "</div>\n" : "");
    if (gbs_run_size(run->root, "certificates") > 0)
        table_certificates(t, run->root);
}
