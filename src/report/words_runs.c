/* What the numbers mean of runs that certify nothing: evaluations, samplings, cross-validations,
 * the theory. */
#include "report/words.h"

#include <math.h>

void gbs_confidence_texts(struct word_numbers *n, double confidence) {
    gbs_number_text(NAN, n->confidence);
    gbs_number_text(NAN, n->doubt);
    if (isnan(confidence))
        return;
    snprintf(n->confidence, sizeof n->confidence, "%.10g\u00a0%%", 100.0 * confidence);
    snprintf(n->doubt, sizeof n->doubt, "%.10g\u00a0%%", round(1e8 * (1.0 - confidence)) / 1e6);
}

void gbs_words_evaluate(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    struct word_numbers n = {0};
    double bound = gbs_run_number(root, "holdout_bound");
    gbs_confidence_texts(&n, gbs_run_number(root, "confidence"));
    gbs_text_add(t, "<p>");
    if (!gbs_run_completes(root) && isnan(gbs_run_number(root, "error")) &&
        isnan(gbs_run_number(root, "auc")))
        SAY("The run does not say how well the model does. ");
    else if (gbs_run_completes(root))
        SAY("On %s ratings the mean prediction has RMSE %s; %s of the values lie within 1.96 "
            "standard deviations of it, where "
            "95 %% are hoped for. ",
            gbs_number_text(gbs_run_number(root, "n"), n.value),
            gbs_number_text(gbs_run_number(root, "rmse"), n.other),
            gbs_percent_text(gbs_run_number(root, "coverage"), n.third));
    else if (!gbs_run_labels(root))
        SAY("On %s rows the score has AUC %.4f. If these rows are fresh (no part in the fit, none "
            "in choosing it), its true "
            "AUC is at least %s with "
            "confidence %s: Chernoff's bound over the independent pairs. ",
            gbs_number_text(gbs_run_number(root, "n"), n.value), gbs_run_number(root, "auc"),
            gbs_bound_text(1.0 - bound, false, true, n.other), n.confidence);
    else if (isnan(bound))
        SAY("On %s rows %s of the labels are wrong. There is no bound on the true error: the model "
            "was fitted to rows in groups, and the bound would need independent rows. ",
            gbs_number_text(gbs_run_number(root, "n"), n.value),
            gbs_percent_text(gbs_run_number(root, "error"), n.other));
    else
        SAY("On %s rows %s of the labels are wrong. If these rows are fresh (no part in the "
            "fit, none in choosing it) "
            "and independent draws from "
            "one distribution, its true error is at most %s with confidence %s: the exact binomial "
            "bound. ",
            gbs_number_text(gbs_run_number(root, "n"), n.value),
            gbs_percent_text(gbs_run_number(root, "error"), n.other),
            gbs_bound_text(bound, true, false, n.third), n.confidence);
    SAY("Used a second time, to choose between models, the same rows no longer are fresh.");
    gbs_text_add(t, "</p>\n");
}

void gbs_words_sampling(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    struct word_numbers n = {0};
    gbs_confidence_texts(&n, gbs_run_number(root, "estimate.confidence"));
    gbs_text_add(t, "<p>");
    SAY("Particles were carried from the prior to the Gibbs posterior itself, which the Gaussian "
        "fits approximate. log Z, the "
        "integral of exp(-lambda x "
        "mean loss) under the prior, comes with a standard error from the run itself. ");
    if (!isnan(gbs_run_number(root, "estimate.value")))
        SAY("If the averages over particles were exact, the true error of one draw would be at "
            "most %s with confidence %s. "
            "That is an estimate and "
            "no certificate: particles are not independent draws. ",
            gbs_percent_text(gbs_run_number(root, "estimate.value"), n.value), n.confidence);
    if (gbs_run_size(root, "problems") > 0)
        SAY("Of three classes or more that was done for each binary problem by itself, with the "
            "same random numbers. ");
    if (run->kind == RUN_GAP || !isnan(gbs_run_number(root, "gap")) ||
        !isnan(gbs_run_number(gbs_run_item(root, "problems", 0), "gap")))
        SAY("The gap, KL(model || Gibbs posterior) = free energy + log Z, is what the "
            "approximation costs, in nats; divided by "
            "lambda it is in units of a "
            "risk. Its standard error is that of log Z, common to all models, so differences "
            "between models are sharper than "
            "the bars suggest. An "
            "estimate near zero may come out slightly negative.");
    gbs_text_add(t, "</p>\n");
}

void gbs_words_plain(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    struct word_numbers n = {0};
    gbs_confidence_texts(&n, gbs_run_number(run->root, "confidence"));
    gbs_text_add(t, "<p>");
    if (run->kind == RUN_CV && gbs_run_size(run->root, "table") < 2)
        SAY("The fit was made on all folds but one and tested on the one left out, in turn: the "
            "error is an estimate of what such a fit does on fresh rows, and promises nothing.");
    else if (run->kind == RUN_CV)
        SAY("Each row of the table was fitted on all folds but one and tested on the one left out, "
            "in turn. The best row was "
            "chosen by its error, so "
            "that error flatters it: an honest number needs rows that took no part in the choice. "
            "Differences well below one "
            "standard error say nothing.");
    else
        SAY("No data is read here: these are promises made before any row is seen. With confidence "
            "%s, the risk of the Gibbs "
            "posterior, and of its "
            "Gaussian approximation, exceeds that of the best classifier by at most excess_risk, "
            "if the assumptions behind c "
            "and C hold. The verdict is on the number that the paper prints: valid, loose (above "
            "the value by more than a "
            "tenth), or not valid (below it, so that the theorem does not give it; of a prior "
            "variance: not the best one).",
            n.confidence);
    gbs_text_add(t, "</p>\n");
}
