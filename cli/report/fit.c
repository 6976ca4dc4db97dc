/* How a fit went and what it learned: the path along lambda, convergence, stages, restarts,
 * coefficients. */
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- path */

enum { MOST_SPREADS = 6, MOST_STEPS = 200 };

/* The different values of prior_sd along the path. */
static size_t spreads(const json_t *root, double value[MOST_SPREADS]) {
    size_t n = 0;
    for (size_t k = 0; k < run_size(root, "path"); k++) {
        double sd = run_number(run_item(root, "path", k), "prior_sd");
        bool known = false;
        for (size_t i = 0; i < n; i++)
            known |= value[i] == sd;
        if (!known && n < MOST_SPREADS && !isnan(sd))
            value[n++] = sd;
    }
    return n;
}

static bool one_lambda(const json_t *root) {
    double first = run_number(run_item(root, "path", 0), "lambda");
    for (size_t k = 1; k < run_size(root, "path"); k++)
        if (run_number(run_item(root, "path", k), "lambda") != first)
            return false;
    return true;
}

/* sgd in ranking with --path: every point is a step. */
static void chart_steps(struct page *page, const json_t *root, struct chart *c) {
    size_t n = run_size(root, "path"), stride = 1 + n / MOST_STEPS;
    c->title = "Bound and risk along the steps";
    c->x_title = "step on the path";
    size_t bound = chart_series(c, STYLE_LINE, "bound"),
           risk = chart_series(c, STYLE_LINE, "risk of one draw");
    for (size_t k = 0; k < n; k += k + stride < n || k + 1 == n ? stride : n - 1 - k) {
        const json_t *p = run_item(root, "path", k);
        size_t row = chart_row(c, (double)(k + 1));
        chart_put(c, row, bound, run_number(p, "bound"));
        chart_put(c, row, risk, run_number(p, "gibbs_risk"));
    }
    text_add(&c->summary, "%zu steps.", n);
    (void)page;
    chart_end(c);
}

/* A bound for each prior_sd, and the risk under the one that was chosen. */
static void chart_ladder(const json_t *root, struct chart *c) {
    double sd[MOST_SPREADS], chosen = run_number(root, "prior_sd"), least = INFINITY, at = NAN;
    size_t n = spreads(root, sd), bound[MOST_SPREADS], count = run_size(root, "path");
    char value[NUMBER_TEXT], other[NUMBER_TEXT];
    for (size_t i = 0; i < n; i++)
        bound[i] = n == 1 ? chart_series(c, STYLE_LINE, "bound")
                          : chart_series(c, STYLE_LINE, "bound, prior sd %s",
                                         number_text(sd[i], value));
    size_t risk = chart_series(c, STYLE_DASHED,
                               n > 1 ? "%s of one draw, chosen prior sd" : "%s of one draw",
                               run_is(root, "loss", "zero-one") ? "risk"
                               : run_text(root, "loss") != NULL ? run_text(root, "loss")
                                                                : "loss");
    for (size_t k = 0; k < count; k++) {
        const json_t *p = run_item(root, "path", k);
        double lambda = run_number(p, "lambda"), of = run_number(p, "prior_sd"),
               b = run_number(p, "bound");
        if (!(lambda > 0.0))
            continue;
        size_t row = chart_row_at(c, lambda);
        for (size_t i = 0; i < n; i++)
            if (sd[i] == of)
                chart_put(c, row, bound[i], b);
        if (of == chosen || n == 1)
            chart_put(c, row, risk, run_number(p, "gibbs_risk"));
        if (b < least) {
            least = b;
            at = lambda;
        }
    }
    if (isfinite(least))
        text_add(&c->summary, "The bound is smallest, %s, at lambda %s.",
                 percent_text(least, value), number_text(at, other));
    chart_end(c);
}

static void chart_path(struct page *page, const struct run *run) {
    const json_t *root = run->root;
    const char *title = "Bound and risk along lambda";
    size_t n = run_size(root, "path");
    if (n < 2) {
        chart_missing(
            page, title,
            run_is(root, "prior", "informed")
                ? "under an informed prior lambda is settled before the certified rows are seen; "
                  "--prior zero --lambda-grid "
                  "LO:HI:K fits several."
                : "one lambda alone was fitted; run with --lambda-grid LO:HI:K for several.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = title,
                      .x_title = "lambda, the inverse temperature (log scale)",
                      .y_title = "risk"};
    c.percent_y = run_is(root, "loss", "zero-one");
    c.from_zero = true;
    if (!c.percent_y)
        c.y_title = "bound on the error; mean loss";
    if (one_lambda(root)) {
        chart_steps(page, root, &c);
        return;
    }
    c.log_x = true;
    bool valued = !isnan(run_number(run_item(root, "path", n - 1), "bound"));
    c.note = valued ? "Each point is a posterior of its own, started from the one before. The "
                      "bound is what the certificate "
                      "would be there, the price of "
                      "choosing among all points paid."
                    : "Each point is a posterior of its own, started from the one before.";
    chart_ladder(root, &c);
}

/* ---------------------------------------------------------------- convergence */

enum { MOST_SOLVES = 6 };

/* Points of one minimisation are neighbours; [from, to) of the last few of them. */
struct solves {
    size_t n, from[MOST_SOLVES], to[MOST_SOLVES], left_out;
};

static struct solves find_solves(const json_t *root) {
    struct solves s = {0};
    size_t count = run_size(root, "trace");
    for (size_t from = 0, to; from < count; from = to) {
        double number = run_number(run_item(root, "trace", from), "solve");
        for (to = from + 1;
             to < count && run_number(run_item(root, "trace", to), "solve") == number;)
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
    return run_number(run_item(root, "trace", k), "free_energy");
}

static void add_solve(struct chart *c, const json_t *root, const struct solves *s, size_t which,
                      bool stages) {
    size_t from = s->from[which], to = s->to[which];
    const json_t *first = run_item(root, "trace", from);
    double end = INFINITY, lambda = run_number(first, "lambda");
    char value[NUMBER_TEXT];
    for (size_t k = from; k < to; k++)
        end = fmin(end, energy_at(root, k));
    size_t series, again = 0;
    for (size_t k = s->from[0]; k < from; k++)
        again += run_number(run_item(root, "trace", k), "lambda") == lambda;
    if (run_size(root, "restarts") > 1)
        series = chart_series(c, STYLE_LINE, "restart %.0f", run_number(first, "solve"));
    else if (stages)
        series = chart_series(c, STYLE_LINE, "stage %zu, lambda %s", which + 1,
                              number_text(lambda, value));
    else if (lambda > 0.0 && again > 0)
        series = chart_series(c, STYLE_LINE, "lambda %s, once more (%.0f)",
                              number_text(lambda, value), run_number(first, "solve"));
    else if (lambda > 0.0)
        series = chart_series(c, STYLE_LINE, "lambda %s", number_text(lambda, value));
    else
        series = chart_series(c, STYLE_LINE, "free energy");
    for (size_t k = from; k < to; k++) {
        double above = energy_at(root, k) - end;
        if (above > 0.0)
            chart_put(c, chart_row_at(c, run_number(run_item(root, "trace", k), "iteration")),
                      series, above);
    }
}

void chart_convergence(struct page *page, const json_t *root) {
    const char *title = "Convergence";
    struct solves s = find_solves(root);
    if (s.n == 0) {
        bool sgd = run_is(root, "solver", "sgd");
        chart_missing(
            page, title,
            run_size(root, "classes") > 2
                ? "of three classes or more several posteriors are fitted; how is not kept."
            : sgd ? "the stochastic solver never sees the exact free energy on its way; --solver "
                    "natural or lbfgs does."
            : run_at(root, "trace") == NULL
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
    bool stages = run_size(root, "stages") > 1 && run_size(root, "stages") == s.n;
    for (size_t k = 0; k < s.n; k++)
        add_solve(&c, root, &s, k, stages);
    text_add(&c.summary, "%zu minimisations of at most %zu iterations.", s.n + s.left_out, c.rows);
    chart_end(&c);
}

/* ---------------------------------------------------------------- stages, restarts */

static void table_stages(struct text *t, const json_t *root) {
    if (run_size(root, "stages") < 2)
        return;
    html_table_open(t, "Stages of the model",
                    "#stage|#probability of being drawn|#rows learned from|#fresh rows met|#errors "
                    "there|#share|#prior sd");
    for (size_t k = 0; k < run_size(root, "stages"); k++) {
        const json_t *s = run_item(root, "stages", k);
        html_row_open(t, false);
        html_number_cell(t, (double)(k + 1));
        html_number_cell(t, run_number(s, "weight"));
        html_number_cell(t, run_number(s, "rows"));
        html_number_cell(t, run_number(s, "tested"));
        html_number_cell(t, run_number(s, "errors"));
        html_percent_cell(t, run_number(s, "errors") / run_number(s, "tested"));
        html_number_cell(t, run_number(s, "prior_sd"));
        html_row_close(t);
    }
    html_table_close(t);
}

/* Each stage on the fresh rows that it met: what more rows to learn from are worth. */
static void chart_stages(struct page *page, const json_t *root) {
    size_t n = run_size(root, "stages");
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
    size_t series = chart_series(&c, STYLE_POINTS, "share of errors, 95 %% band");
    for (size_t k = 0; k < n; k++) {
        const json_t *s = run_item(root, "stages", k);
        double tested = run_number(s, "tested"), errors = run_number(s, "errors");
        if (!(tested > 0.0 && tested < 1e15 && errors >= 0.0 && errors <= tested))
            continue;
        from = isnan(from) ? errors / tested : from;
        to = errors / tested;
        chart_put_interval(&c, chart_row(&c, run_number(s, "rows")), series, to,
                           gbs_binomial_lower((size_t)errors, (size_t)tested, 0.975),
                           gbs_binomial_upper((size_t)errors, (size_t)tested, 0.975));
    }
    text_add(&c.summary, "From %s to %s.", percent_text(from, first), percent_text(to, last));
    chart_end(&c);
}

static void chart_restarts(struct page *page, const json_t *root) {
    size_t n = run_size(root, "restarts");
    if (n < 2)
        return;
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = "Free energies of the restarts",
                      .screen = true,
                      .x_title = "restart",
                      .y_title = "free energy, nats"};
    size_t series = chart_series(&c, STYLE_POINTS, "free energy");
    for (size_t k = 0; k < n && k < 1000; k++)
        chart_put(&c, chart_row(&c, (double)(k + 1)), series,
                  json_number_value(run_item(root, "restarts", k)));
    text_add(&c.summary, "%zu restarts.", n);
    chart_end(&c);
}

/* ---------------------------------------------------------------- coefficients */

enum { MOST_COEFFICIENTS = 40 };
#define NORMAL_95 1.959963984540054

static const char *unit_of(const json_t *root) {
    if (run_is(root, "scale", "standard"))
        return "coefficient: change of the score for one standard deviation of the column";
    return run_is(root, "scale", "unit-row") ? "coefficient, rows scaled to length 1"
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
    struct coefficient *c = calloc(n, sizeof *c);
    if (c == NULL)
        page->starved = true;
    for (size_t k = 0; c != NULL && k < n; k++) {
        const json_t *item = run_item(root, "coefficients", k);
        double distance = fabs(run_number(item, "mean")) / run_number(item, "sd");
        c[k] = (struct coefficient){item, isnan(distance) ? -1.0 : distance};
    }
    if (c != NULL)
        qsort(c, n, sizeof *c, by_distance);
    return c;
}

static void chart_coefficients(struct page *page, const struct run *run) {
    const json_t *root = run->root;
    size_t n = run_size(root, "coefficients"),
           shown = n < MOST_COEFFICIENTS ? n : MOST_COEFFICIENTS;
    bool some = (double)shown < run_number(root, "d");
    if (n == 0) {
        chart_missing(page, "Coefficients",
                      run_size(root, "classes") > 2
                          ? "of three classes or more there are several posteriors; inspect --json "
                            "has them."
                          : "the run does not have them; fit --json and inspect --json do.");
        return;
    }
    struct coefficient *sorted = sorted_coefficients(page, root, n);
    if (sorted == NULL)
        return;
    struct text note = {0};
    text_add(
        &note,
        "Posterior mean and 95 %% interval (1.96 standard deviations) of %s%s, those that lie "
        "farthest from zero in "
        "their own standard deviations first.%s",
        some ? "forty coefficients" : "all coefficients",
        run_at(root, "card") != NULL   ? " of the deployed posterior"
        : run_size(root, "stages") > 1 ? " of the mixture of stages"
                                       : "",
        run_at(root, "card") != NULL
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
    size_t series = chart_series(&c, STYLE_POINTS, "posterior mean and 95 %% interval");
    for (size_t k = 0; k < shown; k++) {
        double mean = run_number(sorted[k].item, "mean"), sd = run_number(sorted[k].item, "sd");
        const char *name = run_text(sorted[k].item, "name");
        if (k == 0)
            text_add(&c.summary, "Farthest from zero: %s.", name != NULL ? name : "?");
        chart_put_interval(&c, chart_row_named(&c, name != NULL ? name : "?"), series, mean,
                           mean - NORMAL_95 * sd, mean + NORMAL_95 * sd);
    }
    free(sorted);
    chart_end(&c);
    text_free(&note);
}

void section_fit(struct page *page, const struct run *run) {
    /* on paper there are the path and the stages alone */
    bool printed = run_size(run->root, "path") > 1 || run_size(run->root, "stages") > 1;
    text_add(&page->body, "<h3%s>The fit</h3>\n<div class=\"grid\">\n",
             printed ? "" : " class=\"screen\"");
    chart_path(page, run);
    chart_stages(page, run->root);
    chart_convergence(page, run->root);
    chart_restarts(page, run->root);
    chart_coefficients(page, run);
    text_add(&page->body, "</div>\n");
    table_stages(&page->body, run->root);
}
