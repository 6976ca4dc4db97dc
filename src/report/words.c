/* What the numbers mean, in plain words. Everything said is read from the run. */
#include "report/words.h"

#include <math.h>
#include <string.h>

static void strong(struct text *t, bool open) {
    gbs_text_add(t, open ? "<strong>" : "</strong>");
}

/* It is about the labels that predict prints: of rows, or of rows in groups. */
static bool of_labels(const json_t *c) {
    return gbs_run_is(c, "target", "vote") &&
           (gbs_run_is(c, "method", "binomial") || gbs_run_is(c, "unit", "group"));
}

/* It is no better than guessing; where errors have costs, card.c says so. */
static void vacuous(struct text *t, const json_t *root, const json_t *c, struct word_numbers *n) {
    double value = gbs_run_number(c, "value");
    if (gbs_certificate_of(root, "cost") != NULL)
        return;
    if (gbs_run_is(c, "loss", "zero-one") && value >= gbs_run_number(root, "baseline.error"))
        SAY("Always saying %.60s is wrong in %s of the same rows: the certificate says nothing "
            "here "
            "(it is vacuous). ",
            gbs_run_text(root, "baseline.label") != NULL ? gbs_run_text(root, "baseline.label")
                                                         : "?",
            gbs_percent_text(gbs_run_number(root, "baseline.error"), n->value));
    else if (!gbs_run_completes(root) && !gbs_run_is(c, "loss", "hinge") &&
             gbs_run_size(root, "classes") <= 2 && /* of more classes a coin is no guess */
             value >= (gbs_run_is(c, "risk", "pairs") ? 0.25 : 0.5))
        SAY("A coin does no worse than that: the certificate says nothing here (it is vacuous). ");
}

/* The claim itself. */
static void claim(struct text *t, const json_t *root, const json_t *c, struct word_numbers *n) {
    double value = gbs_run_number(c, "value");
    strong(t, true);
    if (!gbs_run_is(c, "status", "valid"))
        SAY("Were all its assumptions met: ");
    if (gbs_run_is(c, "target", "auc"))
        SAY("Take a positive and a negative row at random: the score that predict prints puts them "
            "in the wrong order with probability at most %s. Its true AUC is at least %s.",
            gbs_bound_text(value, true, false, n->value),
            gbs_bound_text(1.0 - value, false, true, n->other));
    else if (gbs_run_is(c, "risk", "1-auc"))
        SAY("Take a positive and a negative row at random, and a scorer drawn from the model: it "
            "puts them in the wrong order "
            "with probability at "
            "most %s. The true AUC of such a scorer is at least %s.",
            gbs_bound_text(value, true, false, n->value),
            gbs_bound_text(1.0 - value, false, true, n->other));
    else if (gbs_run_is(c, "risk", "pairs"))
        SAY("Take any two rows at random, and a scorer drawn from the model: their labels differ "
            "and it puts them in the wrong "
            "order with "
            "probability at most %s.",
            gbs_bound_text(value, true, false, n->value));
    else if (gbs_run_is(c, "loss", "hinge"))
        SAY("The true mean hinge loss of a classifier drawn from the model is at most %s.",
            gbs_bound_text(value, false, false, n->value));
    else if (gbs_run_is(c, "target", "rmse"))
        SAY("The true root mean squared error of the values that predict prints is at most %s.",
            gbs_bound_text(gbs_run_number(c, "rmse"), false, false, n->value));
    else if (gbs_run_completes(root))
        SAY("If each missing cell is predicted by one draw from the model, clipped to the range, "
            "the true root mean squared "
            "error is at most %s.",
            gbs_bound_text(gbs_run_number(c, "rmse"), false, false, n->value));
    else if (of_labels(c) && gbs_run_is(c, "unit", "group"))
        SAY("If groups of rows like these keep coming, the labels that predict prints are wrong in "
            "at most %s of the rows of a group, in the mean over groups.",
            gbs_bound_text(value, true, false, n->value));
    else if (of_labels(c))
        SAY("If rows like these keep coming, the labels that predict prints are wrong in at most "
            "%s "
            "of all cases.",
            gbs_bound_text(value, true, false, n->value));
    else
        SAY("If rows like these keep coming and each is classified by one classifier drawn from "
            "the model%s, the long-run "
            "share of mistakes is at "
            "most %s.",
            gbs_run_is(c, "target", "mixture") ? " (first a stage, then a classifier from it)" : "",
            gbs_bound_text(value, true, false, n->value));
    strong(t, false);
    if (!gbs_run_is(c, "status", "valid"))
        SAY(" That would hold with confidence %s if everything it needs were so. ", n->confidence);
    else
        SAY(" That holds with confidence %s: in at most %s of all draws of training data would a "
            "number computed this way be "
            "too small. ",
            n->confidence, n->doubt);
}

static void how_it_is_had(struct text *t, const json_t *root, const json_t *c,
                          struct word_numbers *n) {
    double blocks = gbs_run_number(c, "blocks"), kl = gbs_run_number(c, "kl");
    const char *rows = gbs_run_is(c, "risk", "1-auc") || gbs_run_is(c, "risk", "pairs")
                           ? "independent pairs"
                       : gbs_run_completes(root) ? "ratings"
                                                 : "rows";
    if (gbs_run_is(c, "method", "progressive"))
        SAY("It rests on %s rows, each met by a stage of the model that had not learned from it: "
            "every one was a fresh test "
            "row, and only then, but for the last block, a training row, so nothing is paid for "
            "having learned. ",
            gbs_number_text(blocks, n->other));
    else if (gbs_run_is(c, "target", "auc"))
        SAY("It rests on the %s rows of the smaller class in a last block that nothing of the "
            "predictor has seen, matched with rows of the other class: nothing is paid for having "
            "learned. ",
            gbs_number_text(blocks, n->other));
    else if (of_labels(c))
        SAY("It rests on %s %s of a last block that nothing of the predictor has seen, neither "
            "its posterior nor its calibration nor any choice: nothing is paid for having "
            "learned. ",
            gbs_number_text(blocks, n->other), gbs_run_is(c, "unit", "group") ? "groups" : "rows");
    else if (gbs_run_is(c, "target", "rmse"))
        SAY("It rests on %s ratings that were kept from the fit and from every choice in it: "
            "nothing is paid for having learned. ",
            gbs_number_text(blocks, n->other));
    else
        SAY("It rests on %s %s; the price of having learned is the distance of the posterior from "
            "the prior, %s nats. ",
            gbs_number_text(blocks, n->other), rows, gbs_number_text(kl, n->third));
}

static void validity(struct text *t, const json_t *root, const json_t *c) {
    const char *rows = gbs_run_completes(root) ? "ratings" : "rows";
    if (gbs_run_is(c, "status", "valid")) {
        SAY("The certificate is valid: all it needs is in the list of what it assumes, above all "
            "that the %s are independent "
            "draws from one "
            "distribution. If the world that the %s come from changes, it says nothing any more.",
            rows, rows);
        return;
    }
    strong(t, true);
    SAY("The certificate is only conditional");
    strong(t, false);
    SAY(": one of the things it needs is known not to hold (marked in the list). Read it as an "
        "optimistic estimate, not as a "
        "guarantee.");
}

static void drawn_against_vote(struct text *t, const json_t *root, const json_t *c,
                               struct word_numbers *n) {
    const json_t *vote = gbs_certificate_of(root, "vote");
    if (gbs_run_completes(root)) {
        if (gbs_run_is(c, "target", "rmse"))
            SAY("The number is about the very values that predict prints.");
        else
            SAY("The number is about a prediction drawn from the posterior. The mean prediction, "
                "which predict prints, is usually better, but this bound does not say by how "
                "much.");
        if (gbs_run_true(c, "vacuous"))
            SAY(" Here the bound is vacuous: always predicting the middle of the range would do as "
                "well.");
        else if (gbs_run_number(c, "rmse") >= gbs_run_number(c, "middle_rmse"))
            SAY(" Here it says little: always predicting the middle of the range is certified to "
                "do as well, from the same "
                "ratings.");
        return;
    }
    if (of_labels(c)) {
        SAY("The number is about the very labels that predict prints. Always saying %.60s is wrong "
            "in %s of the rows that tested them.",
            gbs_run_text(root, "baseline.label") != NULL ? gbs_run_text(root, "baseline.label")
                                                         : "?",
            gbs_percent_text(gbs_run_number(root, "baseline.error"), n->value));
        return;
    }
    if (gbs_run_is(c, "target", "auc")) {
        SAY("The number is about the very score that predict prints.");
        return;
    }
    const gbs_task *task = gbs_run_task(root);
    SAY("The number is about a %s that is drawn anew each time (the Gibbs %s), not about the %s "
        "that predict uses. ",
        gbs_task_word(task, GBS_WORD_DRAWN), gbs_task_word(task, GBS_WORD_DRAWN),
        gbs_task_word(task, GBS_WORD_AVERAGE));
    if (vote != NULL)
        SAY("For the %s at most %s is proven, which is usually far too careful: averaging tends to "
            "help, but that is not what is "
            "proven here.",
            gbs_task_word(task, GBS_WORD_VOTE),
            gbs_bound_text(gbs_run_number(vote, "value"), true, false, n->value));
}

static void against_rating_yardsticks(struct text *t, const json_t *c, struct word_numbers *n) {
    double middle = gbs_run_number(c, "middle_rmse"), holdout = gbs_run_number(c, "holdout_rmse");
    if (!isnan(middle))
        SAY("From the same ratings, always predicting the middle of the range is certified at RMSE "
            "%s. ",
            gbs_bound_text(middle, false, false, n->value));
    if (!isnan(holdout))
        SAY("A plain hold-out, the first part's means tested on the same ratings, would have "
            "certified %s. ",
            gbs_bound_text(holdout, false, false, n->value));
}

static void against_yardstick(struct text *t, const json_t *root, const json_t *c,
                              struct word_numbers *n) {
    if (gbs_run_completes(root)) {
        against_rating_yardsticks(t, c, n);
        return;
    }
    const json_t *yardstick = gbs_certificate_of(root, "prior-vote");
    double value = gbs_run_number(c, "value"), other = gbs_run_number(yardstick, "value");
    if (yardstick == NULL || gbs_run_is(c, "loss", "hinge") || gbs_run_is(c, "risk", "pairs") ||
        isnan(other))
        return;
    SAY("A plain hold-out, the first part's %s tested on the same rows, would have certified %s: "
        "the certificate is %s by %.2f "
        "points. ",
        gbs_task_word(gbs_run_task(root), GBS_WORD_CENTRE),
        gbs_bound_text(other, true, false, n->value), value <= other ? "smaller" : "larger",
        100.0 * fabs(other - value));
}

static void against_test(struct text *t, const json_t *root, const json_t *c,
                         struct word_numbers *n) {
    double value = gbs_run_number(c, "value"), rows = gbs_run_number(root, "test.n"),
           drawn = gbs_run_number(root, "test.gibbs_error");
    if (gbs_run_completes(root)) {
        double rmse = gbs_run_number(root, "test.rmse");
        value = gbs_run_number(c, "rmse");
        if (isnan(rmse))
            return;
        SAY("On %s test ratings the mean prediction has RMSE %s", gbs_number_text(rows, n->value),
            gbs_number_text(rmse, n->other));
        if (c != NULL)
            SAY(", %s the certificate", rmse <= value ? "below" : "ABOVE");
        SAY(". ");
        return;
    }
    if (isnan(drawn) || gbs_run_is(c, "loss", "hinge"))
        return;
    double mean = gbs_run_test_risk(root);
    if (!gbs_run_labels(root))
        SAY("Of the pairs of a positive and a negative among %s test rows one random draw puts %s "
            "in the wrong order, the mean "
            "score %s",
            gbs_number_text(rows, n->value), gbs_percent_text(drawn, n->other),
            gbs_percent_text(mean, n->third));
    else
        SAY("On %s test rows %s of the labels are wrong, and %s of those of one random draw",
            gbs_number_text(rows, n->value), gbs_percent_text(mean, n->third),
            gbs_percent_text(drawn, n->other));
    if (gbs_run_is(c, "risk", "pairs"))
        SAY(" (1 - AUC, not the risk of any two rows that the certificate is about). ");
    else if (c == NULL)
        SAY(". ");
    else if (gbs_run_is(c, "target", "auc"))
        SAY(mean <= value ? "; the score stays below the certificate, as it should. "
                          : "; the score lies ABOVE the certificate. ");
    else if (gbs_run_is(c, "target", "vote"))
        SAY(mean <= value ? "; the labels stay below the certificate, as they should. "
                          : "; the labels lie ABOVE the certificate: either this is one of the "
                            "unlucky draws of training rows that the confidence allows for, or the "
                            "test rows do not come from the same distribution. ");
    else if (drawn <= value)
        SAY("; the draw stays below the certificate, as it should. ");
    else
        SAY("; the draw lies ABOVE the certificate: either this is one of the unlucky draws of "
            "training rows that the confidence allows for, or the test rows do not come from the "
            "same distribution. ");
}

static void words_certified(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root, *c = gbs_run_at(root, "certificate");
    struct word_numbers n = {0};
    gbs_confidence_texts(&n, gbs_run_number(c, "confidence"));
    gbs_text_add(t, "<p>");
    claim(t, root, c, &n);
    vacuous(t, root, c, &n);
    how_it_is_had(t, root, c, &n);
    validity(t, root, c);
    gbs_text_add(t, "</p>\n<p>");
    drawn_against_vote(t, root, c, &n);
    gbs_text_add(t, "</p>\n<p>");
    against_yardstick(t, root, c, &n);
    against_test(t, root, c, &n);
    gbs_text_add(t, "</p>\n");
    gbs_words_expert(t, c);
}

static void list_assumptions(struct text *t, const json_t *c) {
    size_t n = gbs_run_size(c, "assumptions");
    if (n == 0)
        return;
    gbs_text_add(t,
                 "<aside class=\"assumes\"><h4>It assumes that</h4><ul class=\"assumptions\">\n");
    for (size_t k = 0; k < n; k++) {
        const char *text = json_string_value(gbs_run_item(c, "assumptions", k));
        bool broken = text != NULL && strncmp(text, "NOT MET", 7) == 0;
        gbs_text_add(t, broken ? "<li class=\"broken\">" : "<li>");
        gbs_html_text(t, text != NULL ? text : "–");
        gbs_text_add(t, "</li>\n");
    }
    gbs_text_add(t, "</ul></aside>\n");
}

static void words_uncertified(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    struct word_numbers n = {0};
    gbs_text_add(t, "<p>");
    SAY("This run carries no certificate: what it says about fresh data are estimates. ");
    against_test(t, run->root, NULL, &n);
    gbs_text_add(t, "</p>\n");
}

void gbs_section_words(struct page *page, const struct run *run) {
    const json_t *certificate = gbs_run_at(run->root, "certificate");
    gbs_text_add(&page->body,
                 "<h3>In plain words</h3>\n<div class=\"meaning%s\"><div class=\"words\">\n",
                 certificate != NULL ? " two" : "");
    switch (run->kind) {
    case RUN_FIT:
    case RUN_COMPLETE:
    case RUN_INSPECT:
        if (certificate != NULL)
            words_certified(page, run);
        else
            words_uncertified(page, run);
        break;
    case RUN_EVALUATE:
        gbs_words_evaluate(page, run);
        break;
    case RUN_SAMPLE:
    case RUN_GAP:
        gbs_words_sampling(page, run);
        break;
    case RUN_CV:
    case RUN_THEORY:
    case RUN_KINDS:
        gbs_words_plain(page, run);
        break;
    }
    gbs_text_add(&page->body, "</div>\n");
    list_assumptions(&page->body, certificate);
    gbs_text_add(&page->body, "</div>\n");
}
