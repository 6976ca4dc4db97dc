/* cv and theory: a table, and what can be drawn of it. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- cv */

/* What a row of the table has in common with those it is joined to by a line. */
static void line_name(const json_t *row, char name[SERIES_NAME]) {
    char sd[NUMBER_TEXT];
    const char *loss = gbs_run_text(row, "loss"), *family = gbs_run_text(row, "family");
    snprintf(name, SERIES_NAME, "%.14s, %.12s, prior sd %s", loss != NULL ? loss : "?",
             family != NULL ? family : "?", gbs_number_text(gbs_run_number(row, "prior_sd"), sd));
}

static size_t line_of(struct chart *c, const json_t *row) {
    char name[SERIES_NAME];
    line_name(row, name);
    for (size_t s = 0; s < c->n_series; s++)
        if (strcmp(c->series[s].name, name) == 0)
            return s;
    return gbs_chart_series(c, STYLE_LINE, "%s", name);
}

static void chart_cv(struct page *page, const json_t *root) {
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Cross-validated error",
                      .note = "Error of the labels, with one standard error over the folds either "
                              "side; at most eight lines, the "
                              "others are in the table.",
                      .x_title = "lambda, the inverse temperature (log scale)",
                      .y_title = "cross-validated error",
                      .log_x = true,
                      .percent_y = true};
    double least = INFINITY, at = NAN,
           first = gbs_run_number(gbs_run_item(root, "table", 0), "lambda");
    bool several = false;
    char value[NUMBER_TEXT], lambda_text[NUMBER_TEXT];
    for (size_t k = 0; k < gbs_run_size(root, "table"); k++) {
        const json_t *row = gbs_run_item(root, "table", k);
        double lambda = gbs_run_number(row, "lambda"), error = gbs_run_number(row, "error"),
               se = gbs_run_number(row, "error_se");
        several |= lambda != first;
        gbs_chart_put_interval(&c, gbs_chart_row_at(&c, lambda), line_of(&c, row), error,
                               error - se, error + se);
        if (error < least) {
            least = error;
            at = lambda;
        }
    }
    if (!several)
        c.note = "Error of the labels, with one standard error over the folds either side. One "
                 "lambda alone was tried: "
                 "`lambda-grid` LO:HI:K tries several.";
    gbs_chart_say(&c, "Smallest error %s, at lambda %s.", gbs_percent_text(least, value),
                  gbs_number_text(at, lambda_text));
    gbs_chart_end(&c);
}

/* What a default fit is worth. */
static void table_deployed(struct text *t, const json_t *row) {
    static const struct {
        const char *key, *se, *name;
        bool percent;
    } measures[] = {{"error", "error_se", "error of the labels", true},
                    {"auc", "auc_se", "AUC of the score", false},
                    {"brier", "brier_se", "Brier score", false},
                    {"log_loss", "log_loss_se", "log loss, nats", false}};
    gbs_html_table_open(t, "What the default fit does on rows left out",
                        "measure|#mean|#standard error");
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++) {
        double x = gbs_run_number(row, measures[k].key), se = gbs_run_number(row, measures[k].se);
        if (isnan(x))
            continue;
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, measures[k].name);
        if (measures[k].percent) {
            gbs_html_percent_cell(t, x);
            gbs_html_percent_cell(t, se);
        } else {
            gbs_html_number_cell(t, x);
            gbs_html_number_cell(t, se);
        }
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

void gbs_section_cv(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    gbs_text_add(t, "<h3>Cross-validation</h3>\n");
    if (gbs_run_size(root, "table") == 0) {
        gbs_chart_missing(page, "Cross-validated error", "the run has no table.");
        return;
    }
    if (gbs_run_true(root, "deployed")) {
        table_deployed(t, gbs_run_item(root, "table", 0));
        return;
    }
    chart_cv(page, root);
    gbs_html_table_open(t, "Every combination; the marked row has the smallest error",
                        "loss|family|#lambda|#prior sd|#error|#standard error|#error of one "
                        "draw|#folds not converged");
    for (size_t k = 0; k < gbs_run_size(root, "table"); k++) {
        const json_t *row = gbs_run_item(root, "table", k);
        gbs_html_row_open(t, gbs_run_true(row, "best"));
        gbs_html_cell(t, gbs_run_text(row, "loss"));
        gbs_html_cell(t, gbs_run_text(row, "family"));
        gbs_html_number_cell(t, gbs_run_number(row, "lambda"));
        gbs_html_number_cell(t, gbs_run_number(row, "prior_sd"));
        gbs_html_percent_cell(t, gbs_run_number(row, "error"));
        gbs_html_percent_cell(t, gbs_run_number(row, "error_se"));
        gbs_html_percent_cell(t, gbs_run_number(row, "gibbs_error"));
        gbs_html_number_cell(t, gbs_run_number(row, "not_converged"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

/* ---------------------------------------------------------------- theory */

static void verdict_cell(struct text *t, const char *verdict) {
    gbs_text_add(t, "<td>");
    if (verdict != NULL) {
        const char *kind = strcmp(verdict, "valid") == 0   ? "good"
                           : strcmp(verdict, "loose") == 0 ? "fair"
                                                           : "bad";
        gbs_text_add(t, "<span class=\"badge %s\">", kind);
        gbs_html_text(t, verdict);
        gbs_text_add(t, "</span>");
    }
    gbs_text_add(t, "</td>");
}

void gbs_section_theory(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    const char *group = "";
    bool open = false;
    gbs_text_add(t, "<h3>Oracle inequalities and recommended constants</h3>\n");
    for (size_t k = 0; k < gbs_run_size(root, "rows"); k++) {
        const json_t *row = gbs_run_item(root, "rows", k);
        const char *of = gbs_run_text(row, "group") != NULL ? gbs_run_text(row, "group") : "others";
        if (!open || strcmp(of, group) != 0) {
            if (open)
                gbs_html_table_close(t);
            gbs_html_table_open(t, of, "name|#value|#as the paper prints it|verdict|from");
            open = true;
            group = of;
        }
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, gbs_run_text(row, "name"));
        gbs_html_number_cell(t, gbs_run_number(row, "value"));
        gbs_html_number_cell(t, gbs_run_number(row, "paper"));
        verdict_cell(t, gbs_run_text(row, "verdict"));
        gbs_html_cell(t, gbs_run_text(row, "source"));
        gbs_html_row_close(t);
    }
    if (open)
        gbs_html_table_close(t);
    else
        gbs_chart_missing(page, "Table", "the run has no rows.");
}
