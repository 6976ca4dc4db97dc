/* The page of a report: runs as JSON in, one HTML text out; what is no run is refused, and whatever
 * memory is refused nothing is lost. */
#include "unit/one_of_each.h"

#include <locale.h>

static const char theory_run[] =
    "{\"gibbsite\": \"0\", \"command\": \"theory\", \"n\": 100, \"d\": 3, \"values\": []}";
static const char fit_run[] =
    "{\"gibbsite\": \"0\", \"command\": \"fit\", \"task\": \"classify\", \"loss\": \"hinge\", "
    "\"family\": \"full\", \"n\": 50, \"d\": 2, \"lambda\": 12.5, \"prior_sd\": 0.25, "
    "\"data\": {\"file\": \"folder/<rows>.csv\"}, "
    "\"options\": {\"inputs\": [\"rows.csv\"], \"given\": {\"loss\": \"hinge\"}, \"seed\": 3}, "
    "\"certificate\": {\"target\": \"vote\", \"loss\": \"zero-one\", \"method\": \"binomial\", "
    "\"value\": 0.375, \"confidence\": 0.95, \"rows\": 20, \"blocks\": 20, \"empirical\": 0.25, "
    "\"status\": \"valid\", \"assumptions\": []}, \"test\": null}";

static gbs_status add(gbs_context *ctx, gbs_report *report, const char *name, const char *json) {
    return gbs_report_add_run(ctx, report, name, json, strlen(json));
}

static char *page_of(gbs_context *ctx, const char *json, const char *mark, size_t *charts) {
    gbs_report *report;
    char *html;
    size_t size;
    assert_ok(ctx, gbs_report_create(ctx, &report));
    assert_ok(ctx, add(ctx, report, "here/run.json", json));
    assert_ok(ctx, gbs_report_html(ctx, report, mark, &html, &size, charts));
    assert_int_equal(strlen(html), size);
    gbs_report_free(report);
    return html;
}

/* In the words of the page, between its styles and its scripts. */
static bool says(const char *html, const char *words) {
    const char *at = strstr(strstr(html, "<body"), words), *end = strstr(html, "<script");
    return at != NULL && (end == NULL || at < end);
}

static void a_run_becomes_a_page(void **state) {
    (void)state;
    struct host host;
    gbs_context *ctx = host_context(&host);
    size_t charts, boxes = 0;
    char *html = page_of(ctx, fit_run, NULL, &charts);
    assert_true(strncmp(html, "<!doctype html>", 15) == 0 ||
                strncmp(html, "<!DOCTYPE html>", 15) == 0);
    assert_non_null(strstr(html, "</html>"));
    assert_true(says(html, "In plain words"));
    assert_true(says(html, "Fit of &lt;rows&gt;.csv"));
    assert_true(says(html, "from run.json"));
    assert_true(says(html, "37.50"));
    for (const char *at = html; (at = strstr(at, "<canvas")) != NULL; at++)
        boxes++;
    assert_true(charts > 0);
    assert_int_equal(boxes, charts);
    gbs_release(ctx, html);
    leave(&host, ctx);
}

/* Options are called as the caller's users write them. */
static void options_are_named_by_the_mark(void **state) {
    (void)state;
    struct host host;
    gbs_context *ctx = host_context(&host);
    char *plain = page_of(ctx, fit_run, NULL, NULL), *typed = page_of(ctx, fit_run, "--", NULL),
         *dotted = page_of(ctx, fit_run, ".", NULL);
    assert_true(says(plain, "run with `lambda-grid` LO:HI:K"));
    assert_true(says(plain, "fit rows.csv, loss hinge, seed 3<"));
    assert_false(says(plain, " --"));
    assert_true(says(typed, "run with --lambda-grid LO:HI:K"));
    assert_true(says(typed, "gibbsite fit rows.csv --loss hinge --seed 3<"));
    assert_false(says(typed, "`"));
    assert_true(says(dotted, "run with .lambda-grid LO:HI:K"));
    gbs_release(ctx, plain);
    gbs_release(ctx, typed);
    gbs_release(ctx, dotted);
    leave(&host, ctx);
}

static void several_runs_are_compared_in_their_order(void **state) {
    (void)state;
    struct host host;
    gbs_context *ctx = host_context(&host);
    gbs_report *report;
    char *html;
    assert_ok(ctx, gbs_report_create(ctx, &report));
    for (int k = 0; k < 6; k++)
        assert_ok(ctx,
                  add(ctx, report, k % 2 == 0 ? "one" : "two", k % 2 == 0 ? fit_run : theory_run));
    assert_int_equal(add(ctx, report, "three", "{\"gibbsite\": 1"), GBS_ERR_FORMAT);
    assert_ok(ctx, gbs_report_html(ctx, report, NULL, &html, NULL, NULL));
    assert_true(says(html, "Side by side"));
    const char *one = strstr(html, "id=\"run-1\""), *two = strstr(html, "id=\"run-6\"");
    assert_true(one != NULL && two != NULL && one < two);
    assert_null(strstr(html, "id=\"run-7\""));
    gbs_release(ctx, html);
    gbs_report_free(report);
    leave(&host, ctx);
}

static void a_model_is_a_run(void **state) {
    (void)state;
    struct setting s;
    gbs_report *report;
    char *html;
    set_up(&s);
    assert_ok(s.ctx, gbs_report_create(s.ctx, &report));
    assert_ok(s.ctx, gbs_report_add_model(s.ctx, report, "the model", s.model));
    assert_ok(s.ctx, gbs_report_html(s.ctx, report, NULL, &html, NULL, NULL));
    assert_true(says(html, "Model the model"));
    assert_true(says(html, "Coefficients with posterior intervals"));
    assert_true(says(html, "What was chosen</h3>"));
    assert_false(says(html, "and why"));
    gbs_release(s.ctx, html);
    gbs_report_free(report);
    tear_down(&s);
}

/* Where the machine has no such locale there is nothing to see. */
static void a_comma_of_the_locale_is_none_of_the_page(void **state) {
    (void)state;
    struct host host;
    gbs_context *ctx = host_context(&host);
    char *before = page_of(ctx, fit_run, NULL, NULL);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL &&
        setlocale(LC_NUMERIC, "fr_FR.UTF-8") == NULL)
        print_message("no locale with a comma here\n");
    const char *point = localeconv()->decimal_point;
    char *after = page_of(ctx, fit_run, NULL, NULL);
    assert_string_equal(localeconv()->decimal_point, point);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(before, after);
    gbs_release(ctx, before);
    gbs_release(ctx, after);
    leave(&host, ctx);
}

static void what_is_no_run_is_refused(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"", "text ends too early; expected the JSON of a run"},
        {"[1, 2]", "not a run of gibbsite"},
        {"{\"command\": \"fit\"}", "not a run of gibbsite"},
        {"{\"gibbsite\": \"0\", \"kind\": \"model\"}", "a file of kind 'model', not a run"},
        {"{\"gibbsite\": \"0\", \"command\": \"predict\"}",
         "a run of 'predict', which has nothing"},
        {"{\"gibbsite\": \"0\"}", "a run of 'nothing'"}};
    struct host host;
    gbs_context *ctx = host_context(&host);
    gbs_report *report;
    char *html;
    assert_ok(ctx, gbs_report_create(ctx, &report));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(add(ctx, report, "x.json", wrong[k][0]), GBS_ERR_FORMAT);
        assert_true(strncmp(gbs_error_message(ctx), "x.json: ", 8) == 0);
        assert_non_null(strstr(gbs_error_message(ctx), wrong[k][1]));
        assert_null(strstr(gbs_error_message(ctx), "--"));
    }
    for (size_t size = 0; size < strlen(fit_run); size++)
        assert_int_equal(gbs_report_add_run(ctx, report, "cut", fit_run, size), GBS_ERR_FORMAT);
    refused_handle(ctx, "no run", html, gbs_report_html(ctx, report, NULL, &html, NULL, NULL));
    refused(ctx, "json", gbs_report_add_run(ctx, report, "x", NULL, 3));
    refused(ctx, "name", gbs_report_add_run(ctx, report, NULL, fit_run, 3));
    refused(ctx, "report", gbs_report_add_run(ctx, NULL, "x", fit_run, 3));
    refused(ctx, "model", gbs_report_add_model(ctx, report, "x", NULL));
    refused_handle(ctx, "report", html, gbs_report_html(ctx, NULL, NULL, &html, NULL, NULL));
    refused(ctx, "html", gbs_report_html(ctx, report, NULL, NULL, NULL, NULL));
    refused(ctx, "out", gbs_report_create(ctx, NULL));
    gbs_report_free(report);
    refused_without_context(report, gbs_report_create(NULL, &report));
    gbs_report_free(NULL);
    leave(&host, ctx);
}

/* Each allocation fails in turn: out of memory, nothing leaks, and the same call works after. */
static void a_page_survives_any_failing_allocation(void **state) {
    (void)state;
    struct setting s;
    set_up(&s);
    gbs_context *ctx = s.ctx;
    struct host *host = &s.host;
    bool done = false;
    for (long k = 0; !done; k++) {
        gbs_report *report = NULL;
        char *html = NULL;
        host->calls = 0;
        host->fail_at = k;
        gbs_status status = gbs_report_create(ctx, &report);
        for (int run = 0; status == GBS_OK && run < 5; run++)
            status = add(ctx, report, "run", run % 2 == 0 ? fit_run : theory_run);
        if (status == GBS_OK)
            status = gbs_report_add_model(ctx, report, "model", s.model);
        if (status == GBS_OK)
            status = gbs_report_html(ctx, report, "--", &html, NULL, NULL);
        done = host->calls <= k;
        host->fail_at = -1;
        assert_int_equal(status, done ? GBS_OK : GBS_ERR_MEMORY);
        assert_true((html != NULL) == done);
        gbs_release(ctx, html);
        gbs_report_free(report);
    }
    tear_down(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_becomes_a_page),
        cmocka_unit_test(options_are_named_by_the_mark),
        cmocka_unit_test(several_runs_are_compared_in_their_order),
        cmocka_unit_test(a_model_is_a_run),
        cmocka_unit_test(a_comma_of_the_locale_is_none_of_the_page),
        cmocka_unit_test(what_is_no_run_is_refused),
        cmocka_unit_test(a_page_survives_any_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
