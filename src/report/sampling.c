/* sample and gap: the way through the temperatures, and how far models are from its end. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>

struct curve {
    const char *title, *note, *y_title, *key, *sd_key, *name;
    bool percent, by_step;
};

/* One number of the path against lambda (on a log scale: the prior, lambda 0, is left out) or
 * against the step. */
static void chart_along(struct page *page, const json_t *root, const struct curve *curve) {
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = curve->title,
                      .note = curve->note,
                      .y_title = curve->y_title,
                      .percent_y = curve->percent};
    c.x_title = curve->by_step ? "temperature, counted from the prior"
                               : "lambda, the inverse temperature (log scale)";
    c.log_x = !curve->by_step;
    c.log_y = curve->by_step;
    size_t series = gbs_chart_series(&c, STYLE_LINE, "%s", curve->name);
    double first = NAN, last = NAN;
    for (size_t k = 0; k < gbs_run_size(root, "path"); k++) {
        const json_t *p = gbs_run_item(root, "path", k);
        double lambda = gbs_run_number(p, "lambda"), y = gbs_run_number(p, curve->key),
               sd = curve->sd_key != NULL ? gbs_run_number(p, curve->sd_key) : NAN;
        if (!(lambda > 0.0) || isnan(y))
            continue;
        size_t row = gbs_chart_row(&c, curve->by_step ? (double)k : lambda);
        if (isnan(sd))
            gbs_chart_put(&c, row, series, y);
        else
            gbs_chart_put_interval(&c, row, series, y, y - 2.0 * sd, y + 2.0 * sd);
        first = isnan(first) ? y : first;
        last = y;
    }
    char from[NUMBER_TEXT], to[NUMBER_TEXT];
    gbs_chart_say(&c, "From %s to %s.", gbs_number_text(first, from), gbs_number_text(last, to));
    gbs_chart_end(&c);
}

/* Share of effective particles and of moves taken, on one scale. */
static void chart_health(struct page *page, const json_t *root) {
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Health of the sampler",
                      .note = "Effective particles after the weights of each step, and the share "
                              "of the proposed moves that were taken.",
                      .x_title = "lambda, the inverse temperature (log scale)",
                      .y_title = "share",
                      .log_x = true,
                      .percent_y = true,
                      .from_zero = true};
    double particles = gbs_run_number(root, "particles");
    size_t ess = gbs_chart_series(&c, STYLE_DASHED, "effective particles"),
           taken = gbs_chart_series(&c, STYLE_LINE, "moves taken");
    for (size_t k = 0; k < gbs_run_size(root, "path"); k++) {
        const json_t *p = gbs_run_item(root, "path", k);
        double lambda = gbs_run_number(p, "lambda");
        if (!(lambda > 0.0))
            continue;
        size_t row = gbs_chart_row(&c, lambda);
        gbs_chart_put(&c, row, ess, gbs_run_number(p, "ess") / particles);
        gbs_chart_put(&c, row, taken, gbs_run_number(p, "acceptance"));
    }
    gbs_chart_say(&c, "%zu temperatures.", c.rows);
    gbs_chart_end(&c);
}

static void add_gap(struct chart *c, size_t series, const char *name, const json_t *item) {
    double gap = gbs_run_number(item, "gap"), sd = gbs_run_number(item, "gap_sd");
    if (!isnan(gap))
        gbs_chart_put_interval(c, gbs_chart_row_named(c, name != NULL ? name : "model"), series,
                               gap, gap - 2.0 * sd, gap + 2.0 * sd);
}

/* "a against b" of three classes or more; false: there are two, and `name` is left as it is. */
static bool name_problem(const json_t *item, char *name, size_t size) {
    const char *one = gbs_run_text(item, "class"), *other = gbs_run_text(item, "against");
    if (one != NULL)
        snprintf(name, size, "%.60s against %.60s", one, other != NULL ? other : "the rest");
    return one != NULL;
}

/* Its file, and its stage or its classes where there are several. */
static void name_model(const json_t *root, const json_t *item, char *name, size_t size) {
    const char *file = gbs_run_text(item, "model");
    char problem[140];
    if (name_problem(item, problem, sizeof problem))
        snprintf(name, size, "%.50s, %s", file != NULL ? file : "model", problem);
    else if (gbs_run_number(root, "stages") > 1.0)
        snprintf(name, size, "%.150s, stage %.0f", file != NULL ? file : "model",
                 gbs_run_number(item, "stage"));
    else
        snprintf(name, size, "%.150s", file != NULL ? file : "model");
}

static void chart_gap(struct page *page, const struct run *run) {
    const json_t *root = run->root;
    size_t n = gbs_run_size(root, "models"), problems = n == 0 ? gbs_run_size(root, "problems") : 0;
    const json_t *first = problems > 0 ? gbs_run_item(root, "problems", 0) : root;
    if (n == 0 && isnan(gbs_run_number(first, "gap"))) {
        gbs_chart_missing(
            page, "Gap",
            "no model was measured; run sample with `against` MODEL, or gap TRAIN MODEL...");
        return;
    }
    struct chart c = {
        .page = page,
        .kind = CHART_INTERVALS,
        .title = "Gap: KL(model || Gibbs posterior)",
        .note =
            "Free energy plus log Z, with two standard errors of log Z, which all models share.",
        .x_title = "gap, nats",
        .y_title = "model",
        .from_zero = true};
    size_t series = gbs_chart_series(&c, STYLE_BARS, "gap and two standard errors");
    for (size_t k = 0; k < n; k++) {
        const json_t *m = gbs_run_item(root, "models", k);
        const char *family = gbs_run_text(m, "family");
        char model[200], name[250];
        name_model(root, m, model, sizeof model);
        snprintf(name, sizeof name, "%s (%.40s)", model, family != NULL ? family : "?");
        add_gap(&c, series, name, m);
    }
    for (size_t k = 0; k < problems; k++) {
        char name[140];
        const json_t *item = gbs_run_item(root, "problems", k);
        add_gap(&c, series, name_problem(item, name, sizeof name) ? name : NULL, item);
    }
    if (n == 0 && problems == 0)
        add_gap(&c, series, gbs_run_text(root, "options.given.against"), root);
    for (size_t r = 0; r < c.rows; r++)
        gbs_chart_say(&c, "%s%s %.3g", r > 0 ? "; " : "", c.label[r], c.cell[r][series][0]);
    gbs_chart_say(&c, " nats.");
    gbs_chart_end(&c);
}

static void table_models(struct text *t, const json_t *root) {
    if (gbs_run_size(root, "models") == 0)
        return;
    gbs_html_table_open(
        t, "Models against the Gibbs posterior",
        "model|family|#free energy|#Gibbs risk|#gap, nats|#standard error|#gap over lambda");
    for (size_t k = 0; k < gbs_run_size(root, "models"); k++) {
        const json_t *m = gbs_run_item(root, "models", k);
        gbs_html_row_open(t, false);
        char name[200];
        name_model(root, m, name, sizeof name);
        gbs_html_head_cell(t, name);
        gbs_html_cell(t, gbs_run_text(m, "family"));
        gbs_html_number_cell(t, gbs_run_number(m, "free_energy"));
        gbs_html_number_cell(t, gbs_run_number(m, "gibbs_risk"));
        gbs_html_number_cell(t, gbs_run_number(m, "gap"));
        gbs_html_number_cell(t, gbs_run_number(m, "gap_sd"));
        gbs_html_number_cell(t, gbs_run_number(m, "gap_over_lambda"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

/* Three classes or more: one sampling for each problem. */
static void table_problems(struct text *t, const json_t *root) {
    gbs_html_table_open(t, "The sampling of each binary problem",
                        "class|against|#rows|#lambda|#log Z|#standard error|#Gibbs risk|#standard "
                        "error|#moves taken");
    for (size_t k = 0; k < gbs_run_size(root, "problems"); k++) {
        const json_t *p = gbs_run_item(root, "problems", k);
        const char *other = gbs_run_text(p, "against"), *one = gbs_run_text(p, "class");
        char error[NUMBER_TEXT];
        gbs_html_row_open(t, false);
        gbs_html_head_cell(t, one != NULL ? one : "?");
        gbs_html_cell(t, other != NULL ? other : "the rest");
        gbs_html_number_cell(t, gbs_run_number(p, "n"));
        gbs_html_number_cell(t, gbs_run_number(p, "lambda"));
        gbs_html_number_cell(t, gbs_run_number(p, "log_z"));
        gbs_text_add(t, "<td class=\"n\">%s%s</td>",
                     gbs_run_true(p, "log_z_sd_at_least") ? "≥\u00a0" : "",
                     gbs_number_text(gbs_run_number(p, "log_z_sd"), error));
        gbs_html_number_cell(t, gbs_run_number(p, "gibbs_risk"));
        gbs_html_number_cell(t, gbs_run_number(p, "gibbs_risk_sd"));
        gbs_html_percent_cell(t, gbs_run_number(p, "acceptance"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

void gbs_section_sampling(struct page *page, const struct run *run) {
    static const struct curve log_z = {
        "log Z along lambda",
        "Two standard errors; they are small where the bars do not show.",
        "log Z, nats",
        "log_z",
        "log_z_sd",
        "log Z",
        false,
        false};
    static const struct curve risk = {"Gibbs risk along lambda",
                                      "Mean loss of the particles, with two standard errors.",
                                      "mean loss",
                                      "gibbs_risk",
                                      "gibbs_risk_sd",
                                      "Gibbs risk",
                                      false,
                                      false};
    static const struct curve ladder = {"Temperatures",
                                        "Each step is as long as the effective particles allow.",
                                        "lambda (log scale)",
                                        "lambda",
                                        NULL,
                                        "lambda",
                                        false,
                                        true};
    bool measured = run->kind == RUN_GAP || !isnan(gbs_run_number(run->root, "gap")) ||
                    gbs_run_size(run->root, "problems") > 0;
    gbs_text_add(&page->body, "<h3%s>Distance from the Gibbs posterior</h3>\n",
                 measured ? "" : " class=\"screen\"");
    chart_gap(page, run);
    table_models(&page->body, run->root);
    if (gbs_run_size(run->root, "problems") > 0) {
        gbs_text_add(&page->body, "<h3>The samplings</h3>\n");
        table_problems(&page->body, run->root);
        return;
    }
    gbs_text_add(&page->body, "<h3>The sampling</h3>\n<div class=\"grid\">\n");
    if (gbs_run_size(run->root, "path") < 3) {
        gbs_chart_missing(
            page, "Path",
            "the run has no path of temperatures; lambda may be 0, the prior itself.");
    } else {
        chart_along(page, run->root, &log_z);
        chart_along(page, run->root, &risk);
        chart_along(page, run->root, &ladder);
        chart_health(page, run->root);
    }
    gbs_text_add(&page->body, "</div>\n");
}
