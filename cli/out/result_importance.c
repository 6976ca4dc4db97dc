/* How much each column matters, for people: a line, or a table. */
#include "out/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 3, TABLED = 20, NAME_COLUMNS = 18 };

static bool of_ranking(const gbs_explanation *e) {
    return !isnan(gbs_explanation_get_info(e)->auc);
}

/* On which rows. */
static void rows_words(const gbs_explanation *e, char *out, size_t room) {
    const gbs_explanation_info *i = gbs_explanation_get_info(e);
    char some[48] = "";
    if (i->rows < i->rows_given)
        snprintf(some, sizeof some, " of %zu", i->rows_given);
    snprintf(out, room, "%zu%s %s", i->rows, some,
             i->fresh ? "rows that nothing of the model has seen" : "rows");
}

/* " (se 0.0125)"; nothing where it is not known: the rows are of one group. */
static void add_error(struct text *t, double se) {
    if (isfinite(se))
        text_add(t, " (se %.4f)", se);
}

/* A cell of the table, in so many columns. */
static void add_cell(struct text *t, int columns, int digits, double x, const char *unit) {
    double least = digits > 2 ? 5e-5 : 5e-3; /* what is shown as 0 has no sign */
    if (isfinite(x))
        text_add(t, " %*.*f%s", columns, digits, fabs(x) < least ? 0.0 : x, unit);
    else
        text_add(t, " %*s%*s", columns, "not known", (int)strlen(unit), "");
}

static void line(struct text *t, const gbs_explanation *e, size_t most) {
    const gbs_importance *c;
    struct text words = {0};
    char name[LINE_NAME];
    text_add(&words, "%s without", of_ranking(e) ? "AUC falls" : "Brier score rises");
    for (size_t k = 0; k < most && (c = gbs_explanation_importance(e, k)) != NULL; k++) {
        const char *between = k > 0 ? "," : "", *of = line_name(c->name, NAME_COLUMNS, name);
        text_add(&words, "%s %s by %.4f", between, of, of_ranking(e) ? c->auc : c->brier);
        add_error(&words, of_ranking(e) ? c->auc_se : c->brier_se);
    }
    t->failed |= words.failed;
    line_add(t, LINE_SHORT, "importance", "%s", words.bytes != NULL ? words.bytes : "");
    text_free(&words);
}

static void row(struct text *t, const gbs_explanation *e, const gbs_importance *c) {
    char name[LINE_NAME];
    line_name(c->name, NAME_COLUMNS, name);
    size_t columns = line_columns(name, strlen(name));
    text_add(t, "  %s%*s", name, columns < NAME_COLUMNS ? (int)(NAME_COLUMNS - columns) : 0, "");
    if (of_ranking(e)) {
        add_cell(t, 12, 4, c->auc, "");
        add_cell(t, 12, 4, c->auc_se, "");
    } else {
        add_cell(t, 19, 4, c->brier, "");
        add_cell(t, 9, 4, c->brier_se, "");
        add_cell(t, 9, 2, 100.0 * c->error, " %");
        add_cell(t, 9, 2, 100.0 * c->error_se, " %");
    }
    text_add(t, "\n");
}

static void table(struct text *t, const gbs_explanation *e) {
    const gbs_explanation_info *i = gbs_explanation_get_info(e);
    const gbs_importance *c;
    char rows[120];
    rows_words(e, rows, sizeof rows);
    line_add(t, LINE_LONG, "importance",
             "what becomes worse when a row takes the column from another row, with standard "
             "errors; on %s, each with %zu others",
             rows, i->repeats);
    if (of_ranking(e))
        text_add(t, "  %*s %12s %12s\n", NAME_COLUMNS, "", "fall of AUC", "se");
    else
        text_add(t, "  %*s %19s %9s %11s %11s\n", NAME_COLUMNS, "", "rise of Brier score", "se",
                 "of error", "se");
    for (size_t k = 0; k < TABLED && (c = gbs_explanation_importance(e, k)) != NULL; k++)
        row(t, e, c);
    if (i->columns > TABLED)
        text_add(t, "  ... and %zu more (--json has them all)\n", i->columns - TABLED);
    if (i->columns < i->columns_given)
        line_add(t, LINE_LONG, "", "%zu of %zu columns: those that move the answers most",
                 i->columns, i->columns_given);
}

void result_importance_text(struct text *t, enum line_kind kind, const gbs_explanation *e) {
    if (e != NULL)
        kind == LINE_SHORT ? line(t, e, NAMED) : table(t, e);
}

static size_t lines_of(const struct text *t) {
    size_t lines = 0;
    for (size_t i = 0; i < t->size; i++)
        lines += t->bytes[i] == '\n';
    return lines;
}

void result_importance_within(struct text *t, const gbs_explanation *e, size_t lines) {
    for (size_t most = NAMED; e != NULL && most > 0; most--) {
        struct text words = {0};
        line(&words, e, most);
        bool fits = lines_of(t) + lines_of(&words) <= lines;
        if (fits)
            text_add_bytes(t, words.bytes, words.size);
        t->failed |= words.failed;
        text_free(&words);
        if (fits)
            return;
    }
}

int result_importance(struct json *j, const struct app *app, const gbs_explanation *e) {
    char *object = NULL;
    if (e == NULL)
        return EXIT_DONE;
    gbs_status status = gbs_explanation_to_json(app->ctx, e, &object, NULL);
    if (status != GBS_OK)
        return app_fail_status(app, status, NULL);
    json_put_members(j, object);
    gbs_release(app->ctx, object);
    return EXIT_DONE;
}
