/* How a fit went and what it learned: convergence, stages, restarts, coefficients. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- convergence */

enum { MOST_SOLVES = 6 };

/* Points of one minimisation are neighbours; [from, to) of the last few of them. */
struct solves {
    size_t n, from[MOST_SOLVES], to[MOST_SOLVES], left_out;
};

static struct solves find_solves(const json_t *root) {
    struct solves s = {0};
    size_t count = gbs_run_size(root, "trace");
    for (size_t from = 0, to; from < count; from = to) {
        double number = gbs_run_number(gbs_run_item(root, "trace", from), "solve");
        for (to = from + 1;
             to < count && gbs_run_number(gbs_run_item(root, "trace", to), "solve") == number;)
            to++;
        if (to - from < 3)
            continue;
        if (s.n == MOST_SOLVES) {
            memmove(s.from, s.from + 1, (MOST_SOLVES - 1) * sizeof *s.from);
            memmove(s.to, s.to + 1, (MOST_SOLVES - 1) * sizeof *s.to);
            s.n--;
            s.left_out++;
        }
        s.from[s.n] = from;
        s.to[s.n++] = to;
    }
    return s;
}

static double energy_at(const json_t *root, size_t k) {
    return gbs_run_number(gbs_run_item(root, "trace", k), "free_energy");
}

static void add_solve(struct chart *c, const json_t *root, const struct solves *s, size_t which,
                      bool stages) {
    size_t from = s->from[which], to = s->to[which];
    const json_t *first = gbs_run_item(root, "trace", from);
    double end = INFINITY, lambda = gbs_run_number(first, "lambda");
    char value[NUMBER_TEXT];
    for (size_t k = from; k < to; k++)
        end = fmin(end, energy_at(root, k));
    size_t series, again = 0;
    for (size_t k = s->from[0]; k < from; k++)
        again += gbs_run_number(gbs_run_item(root, "trace", k), "lambda") == lambda;
    if (gbs_run_size(root, "restarts") > 1)
        series = gbs_chart_series(c, STYLE_LINE, "restart %.0f", gbs_run_number(first, "solve"));
    else if (stages)
        series = gbs_chart_series(c, STYLE_LINE, "stage %zu, lambda %s", which + 1,
                                  gbs_number_text(lambda, value));
    else if (lambda > 0.0 && again > 0)
        series = gbs_chart_series(c, STYLE_LINE, "lambda %s, once more (%.0f)",
                                  gbs_number_text(lambda, value), gbs_run_number(first, "solve"));
    else if (lambda > 0.0)
        series = gbs_chart_series(c, STYLE_LINE, "lambda %s", gbs_number_text(lambda, value));
    else
        series = gbs_chart_series(c, STYLE_LINE, "free energy");
    for (size_t k = from; k < to; k++) {
        double above = energy_at(root, k) - end;
        if (above > 0.0)
            gbs_chart_put(
                c, gbs_chart_row_at(c, gbs_run_number(gbs_run_item(root, "trace", k), "iteration")),
                series, above);
    }
}

void gbs_chart_convergence(struct page *page, const json_t *root) {
    const char *title = "Convergence";
    struct solves s = find_solves(root);
    if (s.n == 0) {
        bool sgd = gbs_run_is(root, "solver", "sgd");
        gbs_chart_missing(
            page, title,
            gbs_run_size(root, "classes") > 2
                ? "of three classes or more several posteriors are fitted; how is not kept."
            : sgd ? "the stochastic solver never sees the exact free energy on its way; `solver` "
                    "natural or lbfgs does."
            : gbs_run_at(root, "trace") == NULL
                ? "the run does not say how it went; the JSON of fit and complete does."
                : "the solver was done in one or two iterations: there is nothing to draw.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = title,
                      .screen = true,
                      .x_title = "iteration",
                      .y_title = "nats above the lowest (log scale)",
                      .log_y = true};
    c.note = s.left_out > 0 ? "Free energy of each iteration above the lowest of its minimisation; "
                              "the last six minimisations."
                            : "Free energy of each iteration above the lowest of its minimisation.";
    bool stages = gbs_run_size(root, "stages") > 1 && gbs_run_size(root, "stages") == s.n;
    for (size_t k = 0; k < s.n; k++)
        add_solve(&c, root, &s, k, stages);
    gbs_chart_say(&c, "%zu minimisations of at most %zu iterations.", s.n + s.left_out, c.rows);
    gbs_chart_end(&c);
}

/* ---------------------------------------------------------------- stages, restarts */

static void table_stages(struct text *t, const json_t *root) {
    if (gbs_run_size(root, "stages") < 2)
        return;
    gbs_html_table_open(
        t, "Stages of the model",
        "#stage|#probability of being drawn|#rows learned from|#fresh rows met|#errors "
        "there|#share|#prior sd");
    for (size_t k = 0; k < gbs_run_size(root, "stages"); k++) {
        const json_t *s = gbs_run_item(root, "stages", k);
        gbs_html_row_open(t, false);
        gbs_html_number_cell(t, (double)(k + 1));
        gbs_html_number_cell(t, gbs_run_number(s, "weight"));
        gbs_html_number_cell(t, gbs_run_number(s, "rows"));
        gbs_html_number_cell(t, gbs_run_number(s, "tested"));
        gbs_html_number_cell(t, gbs_run_number(s, "errors"));
        gbs_html_percent_cell(t, gbs_run_number(s, "errors") / gbs_run_number(s, "tested"));
        gbs_html_number_cell(t, gbs_run_number(s, "prior_sd"));
        gbs_html_row_close(t);
    }
    gbs_html_table_close(t);
}

/* Each stage on the fresh rows that it met: what more rows to learn from are worth. */
static void chart_stages(struct page *page, const json_t *root) {
    size_t n = gbs_run_size(root, "stages");
    char first[NUMBER_TEXT], last[NUMBER_TEXT];
    double from = NAN, to = NAN;
    if (n < 2)
        return;
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Learning curve of the stages",
                      .note = "Errors of one draw from each stage on the fresh rows that it met, "
                              "against the rows that it had learned from. Bands are exact (Clopper "
                              "and Pearson, 95 % of each stage by itself).",
                      .x_title = "rows learned from",
                      .y_title = "share of errors",
                      .percent_y = true};
    size_t series = gbs_chart_series(&c, STYLE_POINTS, "share of errors, 95 %% band");
    for (size_t k = 0; k < n; k++) {
        const json_t *s = gbs_run_item(root, "stages", k);
        double tested = gbs_run_number(s, "tested"), errors = gbs_run_number(s, "errors");
        if (!(tested > 0.0 && tested < 1e15 && errors >= 0.0 && errors <= tested))
            continue;
        from = isnan(from) ? errors / tested : from;
        to = errors / tested;
        gbs_chart_put_interval(&c, gbs_chart_row(&c, gbs_run_number(s, "rows")), series, to,
                               gbs_binomial_lower((size_t)errors, (size_t)tested, 0.975),
                               gbs_binomial_upper((size_t)errors, (size_t)tested, 0.975));
    }
    gbs_chart_say(&c, "From %s to %s.", gbs_percent_text(from, first), gbs_percent_text(to, last));
    gbs_chart_end(&c);
}

static void chart_restarts(struct page *page, const json_t *root) {
    size_t n = gbs_run_size(root, "restarts");
    if (n < 2)
        return;
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Free energies of the restarts",
                      .screen = true,
                      .x_title = "restart",
                      .y_title = "free energy, nats"};
    size_t series = gbs_chart_series(&c, STYLE_POINTS, "free energy");
    for (size_t k = 0; k < n && k < 1000; k++)
        gbs_chart_put(&c, gbs_chart_row(&c, (double)(k + 1)), series,
                      json_number_value(gbs_run_item(root, "restarts", k)));
    gbs_chart_say(&c, "%zu restarts.", n);
    gbs_chart_end(&c);
}

/* ---------------------------------------------------------------- coefficients */

enum { MOST_COEFFICIENTS = 40 };
#define NORMAL_95 1.959963984540054

static const char *unit_of(const json_t *root) {
    if (gbs_run_is(root, "scale", "standard"))
        return "coefficient: change of the score for one standard deviation of the column";
    return gbs_run_is(root, "scale", "unit-row") ? "coefficient, rows scaled to length 1"
                                                 : "coefficient, columns as they are";
}

struct coefficient {
    const json_t *item;
    double distance;
};

static int by_distance(const void *a, const void *b) {
    double x = ((const struct coefficient *)a)->distance,
           y = ((const struct coefficient *)b)->distance;
    return (x < y) - (x > y);
}

/* Sorted, the farthest from zero in its own standard deviations first; to be freed. */
static struct coefficient *sorted_coefficients(struct page *page, const json_t *root, size_t n) {
    struct coefficient *c = gbs_array_alloc(page->body.ctx, n, sizeof *c);
    if (c == NULL)
        page->starved = true;
    for (size_t k = 0; c != NULL && k < n; k++) {
        const json_t *item = gbs_run_item(root, "coefficients", k);
        double distance = fabs(gbs_run_number(item, "mean")) / gbs_run_number(item, "sd");
        c[k] = (struct coefficient){item, isnan(distance) ? -1.0 : distance};
    }
    if (c != NULL)
        qsort(c, n, sizeof *c, by_distance);
    return c;
}

static void chart_coefficients(struct page *page, const struct run *run) {
    const json_t *root = run->root;
    size_t n = gbs_run_size(root, "coefficients"),
           shown = n < MOST_COEFFICIENTS ? n : MOST_COEFFICIENTS;
    bool some = (double)shown < gbs_run_number(root, "d");
    if (n == 0) {
        gbs_chart_missing(
            page, "Coefficients",
            gbs_run_size(root, "classes") > 2
                ? "of three classes or more there are several posteriors; inspect `json` "
                  "has them."
                : "the run does not have them; fit `json` and inspect `json` do.");
        return;
    }
    struct coefficient *sorted = sorted_coefficients(page, root, n);
    if (sorted == NULL)
        return;
    struct text note = {.ctx = page->body.ctx};
    gbs_text_add(
        &note,
        "Posterior mean and 95 %% interval (1.96 standard deviations) of %s%s, those that lie "
        "farthest from zero in "
        "their own standard deviations first.%s",
        some ? "forty coefficients" : "all coefficients",
        gbs_run_at(root, "card") != NULL   ? " of the deployed posterior"
        : gbs_run_size(root, "stages") > 1 ? " of the mixture of stages"
                                           : "",
        gbs_run_at(root, "card") != NULL
            ? " Their means make the score that predict prints."
            : " Only their proportions matter for the labels: the score may be scaled freely.");
    page->starved |= note.failed;
    struct chart c = {.page = page,
                      .kind = CHART_INTERVALS,
                      .title = "Coefficients with posterior intervals",
                      .screen = true,
                      .note = note.bytes,
                      .x_title = unit_of(root),
                      .y_title = "column"};
    size_t series = gbs_chart_series(&c, STYLE_POINTS, "posterior mean and 95 %% interval");
    for (size_t k = 0; k < shown; k++) {
        double mean = gbs_run_number(sorted[k].item, "mean"),
               sd = gbs_run_number(sorted[k].item, "sd");
        const char *name = gbs_run_text(sorted[k].item, "name");
        if (k == 0)
            gbs_chart_say(&c, "Farthest from zero: %s.", name != NULL ? name : "?");
        gbs_chart_put_interval(&c, gbs_chart_row_named(&c, name != NULL ? name : "?"), series, mean,
                               mean - NORMAL_95 * sd, mean + NORMAL_95 * sd);
    }
    gbs_array_free(page->body.ctx, sorted);
    gbs_chart_end(&c);
    gbs_text_free(&note);
}

void gbs_section_fit(struct page *page, const struct run *run) {
    /* on paper there are the path and the stages alone */
    bool printed = gbs_run_size(run->root, "path") > 1 || gbs_run_size(run->root, "stages") > 1;
    gbs_text_add(&page->body, "<h3%s>The fit</h3>\n<div class=\"grid\">\n",
                 printed ? "" : " class=\"screen\"");
    gbs_chart_path(page, run);
    chart_stages(page, run->root);
    gbs_chart_convergence(page, run->root);
    chart_restarts(page, run->root);
    chart_coefficients(page, run);
    gbs_text_add(&page->body, "</div>\n");
    table_stages(&page->body, run->root);
}
