/* Several runs side by side. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

/* Certificates of one kind share a chart. */
static const char *risk_of(const json_t *c) {
    const char *risk = gbs_run_text(c, "risk"), *loss = gbs_run_text(c, "loss");
    return loss != NULL && strcmp(loss, "zero-one") != 0 ? loss : risk != NULL ? risk : "error";
}

/* What a certificate bounds, in a word. */
static const char *quantity_of(const json_t *root, const json_t *c) {
    if (gbs_run_completes(root))
        return "RMSE";
    if (gbs_run_is(c, "loss", "hinge"))
        return "hinge loss";
    return gbs_run_is(c, "risk", "1-auc")   ? "1 - AUC"
           : gbs_run_is(c, "risk", "pairs") ? "any two rows"
                                            : "error";
}

static size_t of_kind(const struct run *runs, size_t n, const char *risk, bool used[PARTS]) {
    size_t count = 0;
    double part[PARTS];
    for (size_t k = 0; k < n; k++) {
        const json_t *c = gbs_run_at(runs[k].root, "certificate");
        if (c == NULL || strcmp(risk_of(c), risk) != 0 || !gbs_certificate_parts(c, part))
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
    struct part_series series = gbs_part_series_add(&c, used, false);
    size_t tick = gbs_chart_series(&c, STYLE_TICK,
                                   strcmp(risk, "1-auc") == 0 ? "1 - AUC of the score, test rows"
                                                              : "error of the labels, test rows");
    char value[NUMBER_TEXT];
    for (size_t k = 0; k < n; k++) {
        const json_t *certificate = gbs_run_at(runs[k].root, "certificate");
        double part[PARTS];
        if (certificate == NULL || strcmp(risk_of(certificate), risk) != 0 ||
            !gbs_certificate_parts(certificate, part))
            continue;
        size_t row = gbs_chart_row_named(&c, gbs_run_short_name(&runs[k]));
        gbs_part_row(&c, &series, row, part);
        gbs_chart_put(&c, row, tick, gbs_run_test_risk(runs[k].root));
        gbs_chart_say(&c, "%s %s; ", gbs_run_short_name(&runs[k]),
                      gbs_bound_text(gbs_run_number(certificate, "value"), true, false, value));
    }
    gbs_chart_end(&c);
}

/* A cell that stays empty where there is nothing. */
static void number_or_nothing(struct text *t, double x, bool percent) {
    if (isnan(x))
        gbs_text_add(t, "<td class=\"n\"></td>");
    else if (percent)
        gbs_html_percent_cell(t, x);
    else
        gbs_html_number_cell(t, x);
}

/* What test rows may say; a column that no run has is left out. */
enum { TESTS = 3 };
static const struct {
    const char *key, *head;
    bool percent;
} tests[TESTS] = {
    {"error", "|#test error", true}, {"auc", "|#test AUC", false}, {"rmse", "|#test RMSE", false}};

static const json_t *test_rows(const struct run *run) {
    return run->kind == RUN_EVALUATE ? run->root : gbs_run_at(run->root, "test");
}

static void compare_row(struct text *t, const struct run *run, const bool shown[TESTS]) {
    const json_t *root = run->root, *c = gbs_run_at(root, "certificate");
    const char *loss = gbs_run_text(root, "loss"), *family = gbs_run_text(root, "family"),
               *status = gbs_run_text(c, "status");
    bool plain = gbs_run_completes(root) || gbs_run_is(c, "loss", "hinge");
    char model[100], certified[64] = "";
    if (c != NULL)
        snprintf(certified, sizeof certified, "%s (%.10g\u00a0%%)", quantity_of(root, c),
                 100.0 * gbs_run_number(c, "confidence"));
    snprintf(model, sizeof model, "%.40s%s%.40s", loss != NULL ? loss : "",
             loss != NULL && family != NULL ? ", " : "", family != NULL ? family : "");
    gbs_html_row_open(t, false);
    gbs_text_add(t, "<th scope=\"row\"><a href=\"#run-%zu\">", run->number);
    gbs_html_text(t, gbs_run_short_name(run));
    gbs_text_add(t, "</a></th>");
    gbs_html_cell(t, gbs_run_kind_name(run->kind));
    gbs_html_cell(t, gbs_run_data(run));
    gbs_html_cell(t, model);
    number_or_nothing(t, gbs_run_number(root, "n"), false);
    number_or_nothing(t, gbs_run_number(root, "d"), false);
    gbs_html_cell(t, certified);
    number_or_nothing(
        t, gbs_run_completes(root) ? gbs_run_number(c, "rmse") : gbs_run_number(c, "value"),
        !plain);
    gbs_html_cell(t, status != NULL ? status : "");
    for (int k = 0; k < TESTS; k++)
        if (shown[k])
            number_or_nothing(t, gbs_run_number(test_rows(run), tests[k].key), tests[k].percent);
    gbs_html_row_close(t);
}

void gbs_section_comparison(struct page *page, const struct run *runs, size_t n) {
    struct text *t = &page->body;
    if (n < 2)
        return;
    gbs_text_add(t, "<section id=\"comparison\" aria-labelledby=\"comparison-title\"><h2 "
                    "id=\"comparison-title\">Side by side</h2>\n");
    bool shown[TESTS] = {false};
    struct text head = {.ctx = t->ctx};
    gbs_text_add(&head, "run|command|data|model|#rows|#coefficients|certified|#at most|status");
    for (int i = 0; i < TESTS; i++) {
        for (size_t k = 0; k < n; k++)
            shown[i] |= !isnan(gbs_run_number(test_rows(&runs[k]), tests[i].key));
        if (shown[i])
            gbs_text_add(&head, "%s", tests[i].head);
    }
    gbs_html_table_open(t, "The runs of this page", head.bytes != NULL ? head.bytes : "");
    page->starved |= head.failed;
    gbs_text_free(&head);
    for (size_t k = 0; k < n; k++)
        compare_row(t, &runs[k], shown);
    gbs_html_table_close(t);
    chart_certificates(page, runs, n, "error", "share of rows that are wrong");
    chart_certificates(page, runs, n, "1-auc", "1 - AUC");
    gbs_text_add(t, "</section>\n");
}
