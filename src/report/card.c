/* The headline of a calibrated model: each number that is certified, what was seen, and what
 * guessing would do beside it. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What one certificate is called, and what guessing does. */
struct line {
    char name[120], guess[120];
    double value, seen, guessed; /* guessed: NaN where there is nothing to compare with */
    bool unseen;                 /* no row tested it */
    bool percent, at_least;
    bool rival; /* one that is no better than guessing says nothing */
};

static void label_line(struct line *l, const json_t *root) {
    const char *label = gbs_run_text(root, "baseline.label");
    l->percent = true;
    l->rival = gbs_certificate_of(root, "cost") == NULL; /* else costs are compared, not errors */
    l->guessed = gbs_run_number(root, "baseline.error");
    snprintf(l->name, sizeof l->name, "Wrong labels, at most");
    snprintf(l->guess, sizeof l->guess, "always saying %.40s", label != NULL ? label : "?");
}

static void recall_line(struct line *l, const json_t *root, const char *class) {
    const char *label = gbs_run_text(root, "baseline.label");
    bool same = label != NULL && strcmp(label, class) == 0;
    l->percent = true;
    l->guessed = label != NULL ? same ? 0.0 : 1.0 : NAN;
    snprintf(l->name, sizeof l->name, "Rows of %.40s mislabelled, at most", class);
    snprintf(l->guess, sizeof l->guess, "always saying %.40s", label != NULL ? label : "?");
}

/* Of the positive label, among the rows that tested. */
static double positive_share(const json_t *root) {
    return (gbs_run_number(root, "card.confusion.true_positive") +
            gbs_run_number(root, "card.confusion.false_negative")) /
           gbs_run_number(root, "card.tested");
}

/* Guessing: the label that costs least, always. */
static void cost_line(struct line *l, const json_t *root) {
    snprintf(l->name, sizeof l->name, "Mean cost of a row, at most");
    snprintf(l->guess, sizeof l->guess, "the %s label, always",
             gbs_run_size(root, "classes") > 2 ? "cheapest" : "cheaper");
    l->guessed = gbs_run_number(root, "baseline.cost");
    l->rival = true;
}

/* Guessing with a probability: the share of the positive label on the same rows. */
static void brier_line(struct line *l, const json_t *root) {
    double share = positive_share(root);
    snprintf(l->name, sizeof l->name, "Brier score, at most");
    snprintf(l->guess, sizeof l->guess, "the best constant probability");
    l->guessed = share * (1.0 - share);
    l->rival = true;
}

static void weighted_line(struct line *l) {
    snprintf(l->name, sizeof l->name, "Wrong labels by weight, at most");
    l->percent = true;
}

static void auc_line(struct line *l) {
    snprintf(l->name, sizeof l->name, "AUC, at least");
    snprintf(l->guess, sizeof l->guess, "a coin");
    l->guessed = 0.5;
    l->value = 1.0 - l->value;
    l->seen = 1.0 - l->seen;
    l->at_least = l->rival = true;
}

/* False: it is no line of the headline. */
static bool make_line(const json_t *root, const json_t *c, struct line *l) {
    const char *target = gbs_run_text(c, "target");
    *l = (struct line){.value = gbs_run_number(c, "value"),
                       .seen = gbs_run_number(c, "empirical"),
                       .guessed = NAN,
                       .unseen = gbs_run_number(c, "rows") == 0.0};
    if (target == NULL || isnan(l->value))
        return false;
    if (strcmp(target, "vote") == 0)
        label_line(l, root);
    else if (strncmp(target, "recall:", 7) == 0)
        recall_line(l, root, target + 7);
    else if (strcmp(target, "brier") == 0)
        brier_line(l, root);
    else if (strcmp(target, "auc") == 0)
        auc_line(l);
    else if (strcmp(target, "cost") == 0)
        cost_line(l, root);
    else if (strcmp(target, "weighted") == 0)
        weighted_line(l);
    else
        return false;
    return true;
}

static const char *shown(const struct line *l, double x, char buffer[static NUMBER_TEXT]) {
    return l->percent ? gbs_percent_text(x, buffer) : gbs_number_text(x, buffer);
}

static bool is_empty(const struct line *l) {
    return l->rival && (l->at_least ? l->value <= l->guessed : l->value >= l->guessed);
}

static void put_line(struct text *t, const struct line *l) {
    char value[NUMBER_TEXT], seen[NUMBER_TEXT], guessed[NUMBER_TEXT];
    bool nothing = is_empty(l);
    gbs_text_add(t, "<div class=\"card%s\"><dt>", nothing ? " empty" : "");
    gbs_html_text(t, l->name);
    gbs_text_add(t, "</dt><dd>");
    gbs_html_text(t, gbs_bound_text(l->value, l->percent, l->at_least, value));
    gbs_text_add(t, "<small>");
    if (l->unseen)
        gbs_html_print(t, "no such row tested it");
    else
        gbs_html_print(t, "seen: %s", shown(l, l->seen, seen));
    if (!isnan(l->guessed)) {
        gbs_text_add(t, "<br>");
        gbs_html_print(t, "%s: %s%s", l->guess, shown(l, l->guessed, guessed),
                       nothing ? " – so it says nothing" : "");
    }
    gbs_text_add(t, "</small></dd></div>\n");
}

bool gbs_card_says_nothing(const json_t *root) {
    struct line l;
    const json_t *c = gbs_certificate_of(root, "cost");
    if (c == NULL)
        c = gbs_run_at(root, "certificate");
    return (gbs_run_is(c, "target", "cost") || gbs_run_is(c, "target", "vote")) &&
           make_line(root, c, &l) && is_empty(&l);
}

/* Of many classes those are shown whose rows are mislabelled most: all are in the table. */
enum { MOST_CLASSES = 12, WORST = 3 };

static bool is_recall(const json_t *c) {
    const char *target = gbs_run_text(c, "target");
    return target != NULL && strncmp(target, "recall:", 7) == 0;
}

/* How many classes are certified, and in worst[] the largest bounds, falling. */
static size_t worst_classes(const json_t *root, double worst[static WORST]) {
    size_t classes = 0;
    for (size_t i = 0; i < WORST; i++)
        worst[i] = -INFINITY;
    for (size_t k = 0; k < gbs_run_size(root, "certificates"); k++) {
        const json_t *c = gbs_run_item(root, "certificates", k);
        double value = gbs_run_number(c, "value");
        if (!is_recall(c))
            continue;
        classes++;
        for (size_t i = 0; i < WORST; i++)
            if (value > worst[i]) {
                double less = worst[i];
                worst[i] = value;
                value = less;
            }
    }
    return classes;
}

void gbs_card_lines(struct text *t, const json_t *root) {
    struct line l;
    double worst[WORST];
    size_t classes = worst_classes(root, worst), left = WORST;
    for (size_t k = 0; k < gbs_run_size(root, "certificates"); k++) {
        const json_t *c = gbs_run_item(root, "certificates", k);
        bool told = classes <= MOST_CLASSES || !is_recall(c);
        if (!told && left > 0 && gbs_run_number(c, "value") >= worst[WORST - 1]) {
            told = true;
            left--;
        }
        if (told && make_line(root, c, &l))
            put_line(t, &l);
    }
}

void gbs_card_note(struct text *t, const json_t *root) {
    char rows[NUMBER_TEXT];
    gbs_text_add(t, "<p class=\"note\">");
    gbs_html_print(
        t,
        "Of the predictor that predict uses, tested on %s rows that nothing of it has seen; "
        "confidence %.10g\u00a0%%%s.",
        gbs_number_text(gbs_run_number(root, "card.tested"), rows),
        100.0 * gbs_run_number(root, "certificate.confidence"),
        gbs_run_size(root, "certificates") < 2 ? ""
        : gbs_run_true(root, "card.joint")     ? " of all numbers at once"
                                               : " of each number by itself, the first chosen in "
                                                 "advance");
    double worst[WORST];
    size_t classes = worst_classes(root, worst);
    if (classes > MOST_CLASSES)
        gbs_html_print(t,
                       " Of %zu classes the %d with the largest bounds; all stand in the table of "
                       "certificates.",
                       classes, (int)WORST);
    gbs_text_add(t, "</p>\n");
}
