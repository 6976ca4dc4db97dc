/* The classes of a training table with more than two labels, in their order: numbers by size, texts
 * by their bytes.
 *
 * Numbers with many values are measurements rather than names of classes, and a column of them is
 * refused: where some are no whole numbers and more than MOST_FRACTIONS differ, or where more than
 * MANY differ and a label has fewer than FEW rows in the mean.
 */
#include "core/decimal.h"
#include "data/rows.h"
#include "table/number.h"
#include "table/odd_values.h"
#include "table/recipe.h"
#include "table/shown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRACTIONS = 8, MANY = 20, FEW = 5, MOST_SHOWN = 5, NUMBER_ROOM = 40 };

static double label_at(const gbs_table *t, const gbs_recipe *r, size_t row) {
    return t->cells != NULL ? t->cells[row * t->n_columns + r->target_position] : t->label[row];
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The labels that occur, ascending, and how many rows have one. */
static gbs_status distinct(gbs_context *ctx, const gbs_table *t, const gbs_recipe *r,
                           double **labels, size_t *count, size_t *rows) {
    double *all = gbs_doubles(ctx, t->n_rows);
    size_t n = 0, kept = 0;
    bool room = all != NULL;
    for (size_t i = 0; room && i < t->n_rows; i++) {
        gbs_table_passed(t, i, i);
        if (!isnan(label_at(t, r, i)))
            all[n++] = label_at(t, r, i);
    }
    if (room)
        qsort(all, n, sizeof *all, by_size);
    for (size_t i = 0; room && i < n; i++)
        if (kept == 0 || all[i] != all[kept - 1])
            all[kept++] = all[i];
    *labels = all;
    *count = kept;
    *rows = n;
    return room ? GBS_OK : GBS_ERR_MEMORY;
}

static gbs_status refuse_numbers(gbs_context *ctx, const gbs_table *t, const gbs_recipe *r,
                                 const double *labels, size_t count, size_t rows) {
    bool whole = true;
    char shown[MOST_SHOWN][NUMBER_ROOM];
    for (size_t k = 0; k < count; k++)
        whole = whole && labels[k] == floor(labels[k]);
    if ((whole || count <= MOST_FRACTIONS) && (count <= MANY || rows >= FEW * count))
        return GBS_OK;
    for (size_t k = 0; k < MOST_SHOWN; k++)
        gbs_decimal_print(labels[k < count ? k : 0], shown[k], NUMBER_ROOM);
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "%s: column '%.60s' has %zu different numbers in %zu rows (%s, %s, %s, %s, %s, "
                    "...): it looks like regression, which gibbsite does not do; `target` COL "
                    "names another column, `positive` LABEL sets one against the rest, `text` COL "
                    "takes the numbers for names",
                    gbs_table_place(t).text, r->target != NULL ? r->target : "label", count, rows,
                    shown[0], shown[1], shown[2], shown[3], shown[4]);
}

/* Texts of which nearly every row has its own are no classes. */
static gbs_status refuse_names(gbs_context *ctx, const gbs_table *t, const gbs_recipe *r,
                               size_t count, size_t rows) {
    if (count <= MANY || 10 * count < 9 * rows)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "%s: column '%.60s' has %zu different texts in %zu rows: it looks like an "
                    "identifier, not a label; `target` COL names another column",
                    gbs_table_place(t).text, r->target, count, rows);
}

/* Labels that somebody may have meant to be one, or none. */
gbs_status gbs_warn_of_labels(gbs_context *ctx, const gbs_recipe *r) {
    size_t n = gbs_recipe_classes(r), n_texts = 0;
    const char *const two[] = {r->negative, r->positive};
    for (size_t k = 0; k < n; k++) {
        const char *label = gbs_recipe_class(r, k);
        if (label != NULL && gbs_number_is_mark(label, strlen(label)))
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': '%.20s' is a label like any other; `na-values` %s makes "
                    "it a missing value",
                    r->target, label, gbs_show_value(label, SIZE_MAX).text);
        if (label != NULL && strcmp(label, r->target) == 0)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': '%.40s' is a label, too; does the header stand in the file "
                    "twice?",
                    r->target, label);
        n_texts += label != NULL;
    }
    const char *const *text = r->n_classes > 0 ? r->classes : two;
    return n_texts < n ? GBS_OK
                       : gbs_warn_of_alike(ctx, r->target, "labels", "they are two classes here",
                                           text, n, MANY);
}

static gbs_status refuse_many(gbs_context *ctx, const gbs_table *t, const gbs_recipe *r,
                              size_t count) {
    if (count <= GBS_MOST_CLASSES)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "%s: column '%.60s' has %zu different labels, more than %d; `target` COL names "
                    "another column",
                    gbs_table_place(t).text, r->target != NULL ? r->target : "label", count,
                    (int)GBS_MOST_CLASSES);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

gbs_status gbs_recipe_learn_classes(gbs_context *ctx, const gbs_table *t, gbs_recipe *r) {
    bool text = t->cells != NULL && t->columns[r->target_position].is_text;
    double *labels = NULL;
    size_t count, rows;
    gbs_status status = distinct(ctx, t, r, &labels, &count, &rows);
    if (status == GBS_OK && !text)
        status = refuse_numbers(ctx, t, r, labels, count, rows);
    else if (status == GBS_OK)
        status = refuse_names(ctx, t, r, count, rows);
    if (status == GBS_OK)
        status = refuse_many(ctx, t, r, count);
    if (status == GBS_OK && (r->classes = gbs_array_alloc(ctx, count, sizeof *r->classes)) == NULL)
        status = GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < count; k++) {
        char number[NUMBER_ROOM];
        const char *name = number;
        if (text)
            name = t->columns[r->target_position].levels[(size_t)labels[k]];
        else
            gbs_decimal_print(labels[k], number, sizeof number);
        r->classes[k] = gbs_pool_text(ctx, &r->pool, name, strlen(name));
        status = r->classes[k] != NULL ? GBS_OK : GBS_ERR_MEMORY;
        r->n_classes++;
    }
    if (status == GBS_OK && text)
        qsort(r->classes, r->n_classes, sizeof *r->classes, by_text);
    if (status == GBS_OK && text)
        status = gbs_warn_of_labels(ctx, r);
    gbs_array_free(ctx, labels);
    return status;
}

size_t gbs_recipe_classes(const gbs_recipe *r) {
    return r == NULL ? 0 : r->n_classes > 0 ? r->n_classes : 2;
}

const char *gbs_recipe_class(const gbs_recipe *r, size_t k) {
    if (r == NULL || k >= gbs_recipe_classes(r))
        return NULL;
    return r->n_classes > 0 ? r->classes[k] : k == 0 ? r->negative : r->positive;
}
