/* The page: a template with holes, each filled once from left to right. */
#include "report/page.h"

#include "report/assets.h"
#include "report/html.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

static void badge(struct text *t, const char *kind, const char *text) {
    if (text == NULL)
        return;
    gbs_text_add(t, "<li class=\"badge %s\">", kind);
    gbs_html_text(t, text);
    gbs_text_add(t, "</li>");
}

static void badges(struct text *t, const struct run *run) {
    const json_t *root = run->root;
    const char *status = gbs_run_text(root, "certificate.status");
    gbs_text_add(t, "<ul class=\"badges\">");
    badge(t, "", gbs_run_text(root, "task"));
    badge(t, "", gbs_run_text(root, "loss"));
    badge(t, "", gbs_run_text(root, "family"));
    if (status != NULL && gbs_run_true(root, "certificate.vacuous"))
        badge(t, "bad", "certificate: vacuous");
    else if (status != NULL)
        badge(t, strcmp(status, "valid") == 0 ? "good" : "bad",
              strcmp(status, "valid") == 0 ? "certificate: valid" : "certificate: conditional");
    if (gbs_card_says_nothing(root))
        badge(t, "bad", "no better than guessing");
    if (gbs_run_is(root, "sampler", "gibbs")) /* of draws nobody knows that: it is their start */
        badge(t, gbs_run_true(root, "converged") ? "" : "fair",
              gbs_run_true(root, "converged") ? "draws, from a fit that converged"
                                              : "draws, from a fit that did NOT CONVERGE");
    else if (gbs_run_at(root, "converged") != NULL)
        badge(t, gbs_run_true(root, "converged") ? "good" : "bad",
              gbs_run_true(root, "converged") ? "converged" : "NOT CONVERGED");
    gbs_text_add(t, "</ul>\n");
}

static void run_title(struct text *t, const struct run *run) {
    static const char *const titles[RUN_KINDS] = {
        "Fit of ",      "Evaluation on ", "Cross-validation on ",
        "Sampling of ", "Gaps on ",       "Completion of ",
        "Theory",       "Model "};
    const char *data = gbs_run_data(run);
    char n[NUMBER_TEXT], d[NUMBER_TEXT];
    gbs_text_add(t, "%s", titles[run->kind]);
    if (run->kind != RUN_THEORY)
        gbs_html_text(t, data != NULL ? data : gbs_run_short_name(run));
    else
        gbs_html_print(t, ": n = %s, d = %s", gbs_number_text(gbs_run_number(run->root, "n"), n),
                       gbs_number_text(gbs_run_number(run->root, "d"), d));
}

static void sections(struct page *page, const struct run *run) {
    gbs_section_headline(page, run);
    gbs_section_words(page, run);
    switch (run->kind) {
    case RUN_FIT:
    case RUN_INSPECT:
        gbs_section_certificate(page, run);
        gbs_section_choices(page, run);
        gbs_section_look(page, run);
        gbs_section_fit(page, run);
        gbs_section_importance(page, run);
        if (run->kind == RUN_FIT)
            gbs_section_evaluation(page, run->root, gbs_run_at(run->root, "test"));
        break;
    case RUN_COMPLETE:
        gbs_section_certificate(page, run);
        gbs_section_completion(page, run);
        gbs_section_evaluation(page, run->root, gbs_run_at(run->root, "test"));
        break;
    case RUN_EVALUATE:
        gbs_section_evaluation(page, run->root, run->root);
        gbs_section_importance(page, run);
        break;
    case RUN_SAMPLE:
    case RUN_GAP:
        gbs_section_sampling(page, run);
        break;
    case RUN_CV:
        gbs_section_cv(page, run);
        break;
    case RUN_THEORY:
    case RUN_KINDS:
        gbs_section_theory(page, run);
        break;
    }
    gbs_section_facts(page, run);
}

static void section_run(struct page *page, const struct run *run, bool alone) {
    struct text *t = &page->body;
    /* the only run has its name in the title of the page already */
    gbs_text_add(t,
                 "<section id=\"run-%zu\" class=\"run%s\" aria-labelledby=\"run-%zu-title\">\n<h2 "
                 "id=\"run-%zu-title\"%s>",
                 run->number, alone ? " alone" : "", run->number, run->number,
                 alone ? " class=\"sr\"" : "");
    run_title(t, run);
    gbs_text_add(t, "</h2>\n<p class=\"note\">from ");
    gbs_html_text(t, gbs_run_short_name(run));
    if (gbs_run_text(run->root, "gibbsite") != NULL)
        gbs_html_print(t, ", made by gibbsite %.20s", gbs_run_text(run->root, "gibbsite"));
    gbs_text_add(t, "</p>\n");
    badges(t, run);
    sections(page, run);
    gbs_text_add(t, "</section>\n");
}

static void page_title(struct text *t, const struct run *runs, size_t n) {
    if (n == 1)
        run_title(t, &runs[0]);
    else
        gbs_text_add(t, "%zu runs", n);
}

static void page_nav(struct text *t, const struct run *runs, size_t n) {
    if (n < 2)
        return;
    gbs_text_add(t,
                 "<nav aria-label=\"Runs\"><ul><li><a href=\"#comparison\">Side by side</a></li>");
    for (size_t k = 0; k < n; k++) {
        gbs_text_add(t, "<li><a href=\"#run-%zu\">", runs[k].number);
        gbs_html_text(t, gbs_run_short_name(&runs[k]));
        gbs_text_add(t, " (%s)</a></li>", gbs_run_kind_name(runs[k].kind));
    }
    gbs_text_add(t, "</ul></nav>");
}

static void add_asset(struct text *t, const struct asset *a) {
    gbs_text_add_bytes(t, (const char *)a->bytes, a->size);
}

struct filling {
    const struct run *runs;
    size_t n;
    const struct page *page;
};

static void fill(struct text *out, const char *name, size_t size, const struct filling *f) {
    static const char *const names[] = {"title",   "css",    "nav",     "body", "version",
                                        "licence", "charts", "chartjs", "js"};
    size_t k = 0;
    while (k < sizeof names / sizeof *names &&
           !(strlen(names[k]) == size && strncmp(names[k], name, size) == 0))
        k++;
    switch (k) {
    case 0:
        page_title(out, f->runs, f->n);
        break;
    case 1:
        add_asset(out, &gbs_asset_page_css);
        break;
    case 2:
        page_nav(out, f->runs, f->n);
        break;
    case 3:
        gbs_text_add_bytes(out, f->page->body.bytes, f->page->body.size);
        break;
    case 4:
        gbs_html_text(out, gbs_version());
        break;
    case 5:
        add_asset(out, &gbs_asset_licence);
        break;
    case 6:
        gbs_html_script_json(out, f->page->charts.bytes, f->page->charts.size);
        break;
    case 7:
        add_asset(out, &gbs_asset_chart_js);
        break;
    case 8:
        add_asset(out, &gbs_asset_page_js);
        break;
    default:
        break;
    }
}

bool gbs_report_page(const struct run *runs, size_t n, const char *mark, struct text *out,
                     size_t *charts) {
    struct page page = {.body = {.ctx = out->ctx}, .charts = {.ctx = out->ctx}, .mark = mark};
    gbs_section_comparison(&page, runs, n);
    for (size_t k = 0; k < n; k++)
        section_run(&page, &runs[k], n == 1);
    struct filling f = {runs, n, &page};
    const char *at = (const char *)gbs_asset_page_html.bytes, *end = at + gbs_asset_page_html.size;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open != NULL ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
        if (close == NULL)
            break;
        gbs_text_add_bytes(out, at, (size_t)(open - at));
        fill(out, open + 2, (size_t)(close - open) - 2, &f);
        at = close + 2;
    }
    gbs_text_add_bytes(out, at, (size_t)(end - at));
    bool whole = !page.starved && !page.body.failed && !page.charts.failed && !out->failed;
    *charts = page.n_charts;
    gbs_text_free(&page.body);
    gbs_text_free(&page.charts);
    return whole;
}
