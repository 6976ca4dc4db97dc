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
    text_add(t, "<li class=\"badge %s\">", kind);
    html_text(t, text);
    text_add(t, "</li>");
}

static void badges(struct text *t, const struct run *run) {
    const json_t *root = run->root;
    const char *status = run_text(root, "certificate.status");
    text_add(t, "<ul class=\"badges\">");
    badge(t, "", run_text(root, "task"));
    badge(t, "", run_text(root, "loss"));
    badge(t, "", run_text(root, "family"));
    if (status != NULL && run_true(root, "certificate.vacuous"))
        badge(t, "bad", "certificate: vacuous");
    else if (status != NULL)
        badge(t, strcmp(status, "valid") == 0 ? "good" : "bad",
              strcmp(status, "valid") == 0 ? "certificate: valid" : "certificate: conditional");
    if (card_says_nothing(root))
        badge(t, "bad", "no better than guessing");
    if (run_at(root, "converged") != NULL)
        badge(t, run_true(root, "converged") ? "good" : "bad",
              run_true(root, "converged") ? "converged" : "NOT CONVERGED");
    text_add(t, "</ul>\n");
}

static void run_title(struct text *t, const struct run *run) {
    static const char *const titles[RUN_KINDS] = {
        "Fit of ",      "Evaluation on ", "Cross-validation on ",
        "Sampling of ", "Gaps on ",       "Completion of ",
        "Theory",       "Model "};
    const char *data = run_data(run);
    char n[NUMBER_TEXT], d[NUMBER_TEXT];
    text_add(t, "%s", titles[run->kind]);
    if (run->kind != RUN_THEORY)
        html_text(t, data != NULL ? data : run_short_name(run));
    else
        html_print(t, ": n = %s, d = %s", number_text(run_number(run->root, "n"), n),
                   number_text(run_number(run->root, "d"), d));
}

static void sections(struct page *page, const struct run *run) {
    section_headline(page, run);
    section_words(page, run);
    switch (run->kind) {
    case RUN_FIT:
    case RUN_INSPECT:
        section_certificate(page, run);
        section_choices(page, run);
        section_look(page, run);
        section_fit(page, run);
        section_importance(page, run);
        if (run->kind == RUN_FIT)
            section_evaluation(page, run->root, run_at(run->root, "test"));
        break;
    case RUN_COMPLETE:
        section_certificate(page, run);
        section_completion(page, run);
        section_evaluation(page, run->root, run_at(run->root, "test"));
        break;
    case RUN_EVALUATE:
        section_evaluation(page, run->root, run->root);
        section_importance(page, run);
        break;
    case RUN_SAMPLE:
    case RUN_GAP:
        section_sampling(page, run);
        break;
    case RUN_CV:
        section_cv(page, run);
        break;
    case RUN_THEORY:
    case RUN_KINDS:
        section_theory(page, run);
        break;
    }
    section_facts(page, run);
}

static void section_run(struct page *page, const struct run *run, bool alone) {
    struct text *t = &page->body;
    /* the only run has its name in the title of the page already */
    text_add(t,
             "<section id=\"run-%zu\" class=\"run%s\" aria-labelledby=\"run-%zu-title\">\n<h2 "
             "id=\"run-%zu-title\"%s>",
             run->number, alone ? " alone" : "", run->number, run->number,
             alone ? " class=\"sr\"" : "");
    run_title(t, run);
    text_add(t, "</h2>\n<p class=\"note\">from ");
    html_text(t, run_short_name(run));
    if (run_text(run->root, "gibbsite") != NULL)
        html_print(t, ", made by gibbsite %.20s", run_text(run->root, "gibbsite"));
    text_add(t, "</p>\n");
    badges(t, run);
    sections(page, run);
    text_add(t, "</section>\n");
}

static void page_title(struct text *t, const struct run *runs, size_t n) {
    if (n == 1)
        run_title(t, &runs[0]);
    else
        text_add(t, "%zu runs", n);
}

static void page_nav(struct text *t, const struct run *runs, size_t n) {
    if (n < 2)
        return;
    text_add(t, "<nav aria-label=\"Runs\"><ul><li><a href=\"#comparison\">Side by side</a></li>");
    for (size_t k = 0; k < n; k++) {
        text_add(t, "<li><a href=\"#run-%zu\">", runs[k].number);
        html_text(t, run_short_name(&runs[k]));
        text_add(t, " (%s)</a></li>", run_kind_name(runs[k].kind));
    }
    text_add(t, "</ul></nav>");
}

static void add_asset(struct text *t, const struct asset *a) {
    text_add_bytes(t, (const char *)a->bytes, a->size);
}

struct filling {
    const struct run *runs;
    size_t n;
    const char *version;
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
        add_asset(out, &asset_page_css);
        break;
    case 2:
        page_nav(out, f->runs, f->n);
        break;
    case 3:
        text_add_bytes(out, f->page->body.bytes, f->page->body.size);
        break;
    case 4:
        html_text(out, f->version);
        break;
    case 5:
        add_asset(out, &asset_licence);
        break;
    case 6:
        html_script_json(out, f->page->charts.bytes, f->page->charts.size);
        break;
    case 7:
        add_asset(out, &asset_chart_js);
        break;
    case 8:
        add_asset(out, &asset_page_js);
        break;
    default:
        break;
    }
}

bool report_page(const struct run *runs, size_t n, const char *version, struct text *out,
                 size_t *charts) {
    struct page page = {0};
    section_comparison(&page, runs, n);
    for (size_t k = 0; k < n; k++)
        section_run(&page, &runs[k], n == 1);
    struct filling f = {runs, n, version, &page};
    const char *at = (const char *)asset_page_html.bytes, *end = at + asset_page_html.size;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open != NULL ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
        if (close == NULL)
            break;
        text_add_bytes(out, at, (size_t)(open - at));
        fill(out, open + 2, (size_t)(close - open) - 2, &f);
        at = close + 2;
    }
    text_add_bytes(out, at, (size_t)(end - at));
    bool whole = !page.starved && !page.body.failed && !page.charts.failed && !out->failed;
    *charts = page.n_charts;
    text_free(&page.body);
    text_free(&page.charts);
    return whole;
}
