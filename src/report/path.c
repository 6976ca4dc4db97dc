/* The path of a fit: bound and risk along lambda, or along the steps. */
#include "core/count.h"
#include "report/html.h"
#include "report/sections.h"

#include <math.h>

enum { MOST_SPREADS = 6, MOST_STEPS = 200 };

/* The different values of prior_sd along the path. */
static size_t spreads(const json_t *root, double value[MOST_SPREADS]) {
    size_t n = 0;
    for (size_t k = 0; k < gbs_run_size(root, "path"); k++) {
        double sd = gbs_run_number(gbs_run_item(root, "path", k), "prior_sd");
        bool known = false;
        for (size_t i = 0; i < n; i++)
            known |= value[i] == sd;
        if (!known && n < MOST_SPREADS && !isnan(sd))
            value[n++] = sd;
    }
    return n;
}

static bool one_lambda(const json_t *root) {
    double first = gbs_run_number(gbs_run_item(root, "path", 0), "lambda");
    for (size_t k = 1; k < gbs_run_size(root, "path"); k++)
        if (gbs_run_number(gbs_run_item(root, "path", k), "lambda") != first)
            return false;
    return true;
}

/* sgd in ranking, with its path: every point is a step. */
static void chart_steps(struct page *page, const json_t *root, struct chart *c) {
    size_t n = gbs_run_size(root, "path"), stride = 1 + n / MOST_STEPS;
    c->title = "Bound and risk along the steps";
    c->x_title = "step on the path";
    size_t bound = gbs_chart_series(c, STYLE_LINE, "bound"),
           risk = gbs_chart_series(c, STYLE_LINE, "risk of one draw");
    for (size_t k = 0; k < n; k += k + stride < n || k + 1 == n ? stride : n - 1 - k) {
        const json_t *p = gbs_run_item(root, "path", k);
        size_t row = gbs_chart_row(c, (double)(k + 1));
        gbs_chart_put(c, row, bound, gbs_run_number(p, "bound"));
        gbs_chart_put(c, row, risk, gbs_run_number(p, "gibbs_risk"));
    }
    gbs_chart_say(c, "%s.", gbs_count(n, "step").text);
    (void)page;
    gbs_chart_end(c);
}

/* A bound for each prior_sd, and the risk under the one that was chosen. */
static void chart_ladder(const json_t *root, struct chart *c) {
    double sd[MOST_SPREADS], chosen = gbs_run_number(root, "prior_sd"), least = INFINITY, at = NAN;
    size_t n = spreads(root, sd), bound[MOST_SPREADS], count = gbs_run_size(root, "path");
    char value[NUMBER_TEXT], other[NUMBER_TEXT];
    for (size_t i = 0; i < n; i++)
        bound[i] = n == 1 ? gbs_chart_series(c, STYLE_LINE, "bound")
                          : gbs_chart_series(c, STYLE_LINE, "bound, prior sd %s",
                                             gbs_number_text(sd[i], value));
    size_t risk = gbs_chart_series(c, STYLE_DASHED,
                                   n > 1 ? "%s of one draw, chosen prior sd" : "%s of one draw",
                                   gbs_run_is(root, "loss", "zero-one") ? "risk"
                                   : gbs_run_text(root, "loss") != NULL ? gbs_run_text(root, "loss")
                                                                        : "loss");
    for (size_t k = 0; k < count; k++) {
        const json_t *p = gbs_run_item(root, "path", k);
        double lambda = gbs_run_number(p, "lambda"), of = gbs_run_number(p, "prior_sd"),
               b = gbs_run_number(p, "bound");
        if (!(lambda > 0.0))
            continue;
        size_t row = gbs_chart_row_at(c, lambda);
        for (size_t i = 0; i < n; i++)
            if (sd[i] == of)
                gbs_chart_put(c, row, bound[i], b);
        if (of == chosen || n == 1)
            gbs_chart_put(c, row, risk, gbs_run_number(p, "gibbs_risk"));
        if (b < least) {
            least = b;
            at = lambda;
        }
    }
    if (isfinite(least))
        gbs_chart_say(c, "The bound is smallest, %s, at lambda %s.",
                      gbs_bound_text(least, true, false, value), gbs_number_text(at, other));
    gbs_chart_end(c);
}

void gbs_chart_path(struct page *page, const struct run *run) {
    const json_t *root = run->root;
    const char *title = "Bound and risk along lambda";
    size_t n = gbs_run_size(root, "path");
    if (n < 2) {
        gbs_chart_missing(
            page, title,
            gbs_run_is(root, "prior", "informed")
                ? "under an informed prior lambda is settled before the certified rows are seen; "
                  "`prior` zero `lambda-grid` "
                  "LO:HI:K fits several."
                : "one lambda alone was fitted; run with `lambda-grid` LO:HI:K for several.");
        return;
    }
    struct chart c = {.page = page,
                      .kind = CHART_LINES,
                      .title = title,
                      .x_title = "lambda, the inverse temperature (log scale)",
                      .y_title = "risk"};
    c.percent_y = gbs_run_is(root, "loss", "zero-one");
    c.from_zero = true;
    if (!c.percent_y)
        c.y_title = "bound on the error; mean loss";
    if (one_lambda(root)) {
        chart_steps(page, root, &c);
        return;
    }
    c.log_x = true;
    bool valued = !isnan(gbs_run_number(gbs_run_item(root, "path", n - 1), "bound"));
    c.note = valued ? "Each point is a posterior of its own, started from the one before. The "
                      "bound is what the certificate "
                      "would be there, the price of "
                      "choosing among all points paid."
                    : "Each point is a posterior of its own, started from the one before.";
    chart_ladder(root, &c);
}
