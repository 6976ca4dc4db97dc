/* Several runs side by side. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

/* Certificates of one kind share a chart. */
static const char *risk_of(const json_t *c) {
    const char *risk = run_text(c, "risk"), *loss = run_text(c, "loss");
    return loss != NULL && strcmp(loss, "zero-one") != 0 ? loss : risk != NULL ? risk : "error";
}

/* What a certificate bounds, in a word. */
static const char *quantity_of(const json_t *root, const json_t *c) {
    if (run_completes(root))
        return "RMSE";
    if (run_is(c, "loss", "hinge"))
        return "hinge loss";
    return run_is(c, "risk", "1-auc")   ? "1 - AUC"
           : run_is(c, "risk", "pairs") ? "any two rows"
                                        : "error";
}

static size_t of_kind(const struct run *runs, size_t n, const char *risk, bool used[PARTS]) {
    size_t count = 0;
    double part[PARTS];
    for (size_t k = 0; k < n; k++) {
        const json_t *c = run_at(runs[k].root, "certificate");
        if (c == NULL || strcmp(risk_of(c), risk) != 0 || !certificate_parts(c, part))
            continue;
        count++;
        for (int p = 0; p < PARTS; p++)
            used[p] |= part[p] > 0.0;
    }
    return count;
}

static void chart_certificates(struct page *page, const struct run *runs, size_t n,
                               const char *risk, const char *x_title) {
    bool used[PARTS] = {false};
    if (of_kind(runs, n, risk, used) < 2)
        return;
    struct chart c = {
        .page = page,
        .kind = CHART_STACK,
        .title = strcmp(risk, "1-auc") == 0 ? "Certificates side by side, ranking"
                                            : "Certificates side by side",
        .note = "Each bar ends at its bound, at the confidence in the table. A run that is picked "
                "because its bar "
                "is the shortest has a certificate no longer: choosing costs confidence.",
        .x_title = x_title,
        .y_title = "run",
        .percent_x = true,
        .from_zero = true};
    struct part_series series = part_series_add(&c, used, false);
    size_t tick = chart_series(&c, STYLE_TICK,
                               strcmp(risk, "1-auc") == 0 ? "1 - AUC of the score, test rows"
                                                          : "error of the labels, test rows");
    char value[NUMBER_TEXT];
    for (size_t k = 0; k < n; k++) {
        const json_t *certificate = run_at(runs[k].root, "certificate");
        double part[PARTS];
        if (certificate == NULL || strcmp(risk_of(certificate), risk) != 0 ||
            !certificate_parts(certificate, part))
            continue;
        size_t row = chart_row_named(&c, run_short_name(&runs[k]));
        part_row(&c, &series, row, part);
        chart_put(&c, row, tick, run_test_risk(runs[k].root));
        text_add(&c.summary, "%s %s; ", run_short_name(&runs[k]),
                 percent_text(run_number(certificate, "value"), value));
    }
    chart_end(&c);
}

/* A cell that stays empty where there is nothing. */
static void number_or_nothing(struct text *t, double x, bool percent) {
    if (isnan(x))
        text_add(t, "<td class=\"n\"></td>");
    else if (percent)
        html_percent_cell(t, x);
    else
        html_number_cell(t, x);
}

/* What test rows may say; a column that no run has is left out. */
enum { TESTS = 3 };
static const struct {
    const char *key, *head;
    bool percent;
} tests[TESTS] = {
    {"error", "|#test error", true}, {"auc", "|#test AUC", false}, {"rmse", "|#test RMSE", false}};

static const json_t *test_rows(const struct run *run) {
    return run->kind == RUN_EVALUATE ? run->root : run_at(run->root, "test");
}

static void compare_row(struct text *t, const struct run *run, const bool shown[TESTS]) {
    const json_t *root = run->root, *c = run_at(root, "certificate");
    const char *loss = run_text(root, "loss"), *family = run_text(root, "family"),
               *status = run_text(c, "status");
    bool plain = run_completes(root) || run_is(c, "loss", "hinge");
    char model[100], certified[64] = "";
    if (c != NULL)
        snprintf(certified, sizeof certified, "%s (%.10g\u00a0%%)", quantity_of(root, c),
                 100.0 * run_number(c, "confidence"));
    snprintf(model, sizeof model, "%.40s%s%.40s", loss != NULL ? loss : "",
             loss != NULL && family != NULL ? ", " : "", family != NULL ? family : "");
    html_row_open(t, false);
    text_add(t, "<th scope=\"row\"><a href=\"#run-%zu\">", run->number);
    html_text(t, run_short_name(run));
    text_add(t, "</a></th>");
    html_cell(t, run_kind_name(run->kind));
    html_cell(t, run_data(run));
    html_cell(t, model);
    number_or_nothing(t, run_number(root, "n"), false);
    number_or_nothing(t, run_number(root, "d"), false);
    html_cell(t, certified);
    number_or_nothing(t, run_completes(root) ? run_number(c, "rmse") : run_number(c, "value"),
                      !plain);
    html_cell(t, status != NULL ? status : "");
    for (int k = 0; k < TESTS; k++)
        if (shown[k])
            number_or_nothing(t, run_number(test_rows(run), tests[k].key), tests[k].percent);
    html_row_close(t);
}

void section_comparison(struct page *page, const struct run *runs, size_t n) {
    struct text *t = &page->body;
    if (n < 2)
        return;
    text_add(t, "<section id=\"comparison\" aria-labelledby=\"comparison-title\"><h2 "
                "id=\"comparison-title\">Side by side</h2>\n");
    bool shown[TESTS] = {false};
    struct text head = {0};
    text_add(&head, "run|command|data|model|#rows|#coefficients|certified|#at most|status");
    for (int i = 0; i < TESTS; i++) {
        for (size_t k = 0; k < n; k++)
            shown[i] |= !isnan(run_number(test_rows(&runs[k]), tests[i].key));
        if (shown[i])
            text_add(&head, "%s", tests[i].head);
    }
    html_table_open(t, "The runs of this page", head.bytes != NULL ? head.bytes : "");
    page->starved |= head.failed;
    text_free(&head);
    for (size_t k = 0; k < n; k++)
        compare_row(t, &runs[k], shown);
    html_table_close(t);
    chart_certificates(page, runs, n, "error", "share of rows that are wrong");
    chart_certificates(page, runs, n, "1-auc", "1 - AUC");
    text_add(t, "</section>\n");
}
