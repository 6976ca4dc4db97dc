/* cv and theory: a table, and what can be drawn of it. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- cv */

/* What a row of the table has in common with those it is joined to by a line. */
static void line_name(const json_t *row, char name[SERIES_NAME]) {
    char sd[NUMBER_TEXT];
    const char *loss = run_text(row, "loss"), *family = run_text(row, "family");
    snprintf(name, SERIES_NAME, "%.14s, %.12s, prior sd %s", loss != NULL ? loss : "?",
             family != NULL ? family : "?", number_text(run_number(row, "prior_sd"), sd));
}

static size_t line_of(struct chart *c, const json_t *row) {
    char name[SERIES_NAME];
    line_name(row, name);
    for (size_t s = 0; s < c->n_series; s++)
        if (strcmp(c->series[s].name, name) == 0)
            return s;
    return chart_series(c, STYLE_LINE, "%s", name);
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
    double least = INFINITY, at = NAN, first = run_number(run_item(root, "table", 0), "lambda");
    bool several = false;
    char value[NUMBER_TEXT], lambda_text[NUMBER_TEXT];
    for (size_t k = 0; k < run_size(root, "table"); k++) {
        const json_t *row = run_item(root, "table", k);
        double lambda = run_number(row, "lambda"), error = run_number(row, "error"),
               se = run_number(row, "error_se");
        several |= lambda != first;
        chart_put_interval(&c, chart_row_at(&c, lambda), line_of(&c, row), error, error - se,
                           error + se);
        if (error < least) {
            least = error;
            at = lambda;
        }
    }
    if (!several)
        c.note = "Error of the labels, with one standard error over the folds either side. One "
                 "lambda alone was tried: "
                 "--lambda-grid LO:HI:K tries several.";
    text_add(&c.summary, "Smallest error %s, at lambda %s.", percent_text(least, value),
             number_text(at, lambda_text));
    chart_end(&c);
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
    html_table_open(t, "What the default fit does on rows left out",
                    "measure|#mean|#standard error");
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++) {
        double x = run_number(row, measures[k].key), se = run_number(row, measures[k].se);
        if (isnan(x))
            continue;
        html_row_open(t, false);
        html_head_cell(t, measures[k].name);
        if (measures[k].percent) {
            html_percent_cell(t, x);
            html_percent_cell(t, se);
        } else {
            html_number_cell(t, x);
            html_number_cell(t, se);
        }
        html_row_close(t);
    }
    html_table_close(t);
}

void section_cv(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    text_add(t, "<h3>Cross-validation</h3>\n");
    if (run_size(root, "table") == 0) {
        chart_missing(page, "Cross-validated error", "the run has no table.");
        return;
    }
    if (run_true(root, "deployed")) {
        table_deployed(t, run_item(root, "table", 0));
        return;
    }
    chart_cv(page, root);
    html_table_open(t, "Every combination; the marked row has the smallest error",
                    "loss|family|#lambda|#prior sd|#error|#standard error|#error of one "
                    "draw|#folds not converged");
    for (size_t k = 0; k < run_size(root, "table"); k++) {
        const json_t *row = run_item(root, "table", k);
        html_row_open(t, run_true(row, "best"));
        html_cell(t, run_text(row, "loss"));
        html_cell(t, run_text(row, "family"));
        html_number_cell(t, run_number(row, "lambda"));
        html_number_cell(t, run_number(row, "prior_sd"));
        html_percent_cell(t, run_number(row, "error"));
        html_percent_cell(t, run_number(row, "error_se"));
        html_percent_cell(t, run_number(row, "gibbs_error"));
        html_number_cell(t, run_number(row, "not_converged"));
        html_row_close(t);
    }
    html_table_close(t);
}

/* ---------------------------------------------------------------- theory */

static void verdict_cell(struct text *t, const char *verdict) {
    text_add(t, "<td>");
    if (verdict != NULL) {
        const char *kind = strcmp(verdict, "valid") == 0   ? "good"
                           : strcmp(verdict, "loose") == 0 ? "fair"
                                                           : "bad";
        text_add(t, "<span class=\"badge %s\">", kind);
        html_text(t, verdict);
        text_add(t, "</span>");
    }
    text_add(t, "</td>");
}

void section_theory(struct page *page, const struct run *run) {
    struct text *t = &page->body;
    const json_t *root = run->root;
    const char *group = "";
    bool open = false;
    text_add(t, "<h3>Oracle inequalities and recommended constants</h3>\n");
    for (size_t k = 0; k < run_size(root, "rows"); k++) {
        const json_t *row = run_item(root, "rows", k);
        const char *of = run_text(row, "group") != NULL ? run_text(row, "group") : "others";
        if (!open || strcmp(of, group) != 0) {
            if (open)
                html_table_close(t);
            html_table_open(t, of, "name|#value|#as the paper prints it|verdict|from");
            open = true;
            group = of;
        }
        html_row_open(t, false);
        html_head_cell(t, run_text(row, "name"));
        html_number_cell(t, run_number(row, "value"));
        html_number_cell(t, run_number(row, "paper"));
        verdict_cell(t, run_text(row, "verdict"));
        html_cell(t, run_text(row, "source"));
        html_row_close(t);
    }
    if (open)
        html_table_close(t);
    else
        chart_missing(page, "Table", "the run has no rows.");
}
