/* Which labels a training table has, and which of them is +1. */
#include "core/decimal.h"
#include "table/number.h"
#include "table/recipe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A label is a word, not a document; a message lists no more than a handful. */
enum { MOST_LABELS = 8, LABEL_ROOM = 256 };

struct labels {
    double value[MOST_LABELS + 1]; /* number, or index of the level */
    size_t n;                      /* MOST_LABELS + 1: that many or more */
    bool text;
};

static void add_label(struct labels *l, double value) {
    for (size_t k = 0; k < l->n; k++)
        if (l->value[k] == value)
            return;
    if (l->n <= MOST_LABELS)
        l->value[l->n++] = value;
}

static double label_at(const gbs_table *t, const gbs_recipe *r, size_t row) {
    return t->cells != NULL ? t->cells[row * t->n_columns + r->target_position] : t->label[row];
}

static void label_text(const gbs_table *t, const gbs_recipe *r, const struct labels *l, size_t k,
                       char *out, size_t room) {
    if (l->text)
        snprintf(out, room, "%s", t->columns[r->target_position].levels[(size_t)l->value[k]]);
    else
        gbs_decimal_print(l->value[k], out, room);
}

static bool same_label(const struct labels *l, size_t k, const char *text, const char *wanted) {
    double number;
    if (!l->text && gbs_number_is(wanted, strlen(wanted), &number) == GBS_NUMBER_FINITE)
        return l->value[k] == number;
    return strcmp(text, wanted) == 0;
}

/* The label that the caller calls positive is looked for in every row and comes first: the list may
 * be cut, the label must not be missed. */
static void collect_labels(const gbs_table *t, const gbs_recipe *r, const char *positive,
                           struct labels *l) {
    *l = (struct labels){.text = t->cells != NULL && t->columns[r->target_position].is_text};
    for (size_t i = 0; positive != NULL && l->n == 0 && i < t->n_rows; i++) {
        char text[LABEL_ROOM];
        gbs_table_passed(t, i, i);
        l->value[0] = label_at(t, r, i);
        if (isnan(l->value[0]))
            continue;
        label_text(t, r, l, 0, text, sizeof text);
        l->n = same_label(l, 0, text, positive);
    }
    for (size_t i = 0; i < t->n_rows && l->n <= MOST_LABELS; i++) {
        double value = label_at(t, r, i);
        gbs_table_passed(t, i, i);
        if (!isnan(value))
            add_label(l, value);
    }
}

/* The labels as texts, the list of them for messages, which is wanted (SIZE_MAX: none) and which is
 * the larger. */
struct choice {
    char text[MOST_LABELS + 1][LABEL_ROOM], list[400];
    size_t positive, larger;
};

static gbs_status compare_labels(gbs_context *ctx, const gbs_table *t, const char *positive,
                                 const gbs_recipe *r, const struct labels *l, struct choice *c) {
    size_t used = 0;
    *c = (struct choice){.positive = SIZE_MAX};
    for (size_t k = 0; k < l->n; k++) {
        if (l->text &&
            strlen(t->columns[r->target_position].levels[(size_t)l->value[k]]) >= LABEL_ROOM)
            return gbs_fail(ctx, GBS_ERR_DATA,
                            "%s: column '%.60s': a label is longer than %d bytes; `target` COL "
                            "names another column",
                            gbs_table_place(t).text, r->target, LABEL_ROOM - 1);
        label_text(t, r, l, k, c->text[k], LABEL_ROOM);
        if (k < MOST_LABELS)
            used += (size_t)snprintf(c->list + used, sizeof c->list - used, "%s%.40s",
                                     k > 0 ? ", " : "", c->text[k]);
        if (positive != NULL && same_label(l, k, c->text[k], positive))
            c->positive = k;
        bool above = l->text ? strcmp(c->text[k], c->text[c->larger]) > 0
                             : l->value[k] > l->value[c->larger];
        c->larger = above ? k : c->larger;
    }
    return GBS_OK;
}

gbs_status gbs_recipe_choose_labels(gbs_context *ctx, const gbs_table *t,
                                    const gbs_recipe_wishes *o, gbs_recipe *r) {
    struct labels l;
    struct choice c;
    collect_labels(t, r, o->positive, &l);
    gbs_status status = compare_labels(ctx, t, o->positive, r, &l, &c);
    if (status != GBS_OK)
        return status;
    const char *target = r->target != NULL ? r->target : "label";
    bool zeros = t->file != NULL && t->format == GBS_TABLE_CSV && !l.text && l.n == 1;
    const char *more = l.n > MOST_LABELS ? ", ..." : "";
    if (l.n < 2)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "%s: column '%.60s': only one class, '%.60s'; expected two%s%s%s",
                        gbs_table_place(t).text, target, l.n > 0 ? c.text[0] : "",
                        zeros ? " (labels such as 1 and 01 are one number; `text` " : "",
                        zeros ? target : "", zeros ? " keeps them apart)" : "");
    if (l.n > 2 && o->positive == NULL)
        return gbs_recipe_learn_classes(ctx, t, r);
    if (o->positive != NULL && c.positive == SIZE_MAX)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "%s: `positive`: column '%.60s' has no label '%.60s'; there are %s%s",
                        gbs_table_place(t).text, target, o->positive, c.list, more);
    size_t positive = c.positive != SIZE_MAX ? c.positive : c.larger, other = 1 - positive;
    r->positive = gbs_pool_text(ctx, &r->pool, c.text[positive], strlen(c.text[positive]));
    if (l.n == 2)
        r->negative = gbs_pool_text(ctx, &r->pool, c.text[other], strlen(c.text[other]));
    if (r->positive == NULL || (l.n == 2 && r->negative == NULL))
        return GBS_ERR_MEMORY;
    return l.n == 2 && l.text ? gbs_warn_of_labels(ctx, r) : GBS_OK;
}
