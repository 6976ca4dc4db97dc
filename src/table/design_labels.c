/* Labels of a table as -1 and +1, or as numbers of classes. */
#include "table/design.h"
#include "table/number.h"
#include "table/shown.h"

#include "core/decimal.h"

#include <math.h>
#include <string.h>

/* The labels of the recipe, as texts and as numbers (NaN: it is none, and no number is it). */
struct sides {
    const char *text[2];
    double number[2];
};

static struct sides sides_of(const gbs_recipe *r) {
    struct sides s = {{r->negative, r->positive}, {NAN, NAN}};
    for (int k = 0; k < 2; k++) {
        const char *text = s.text[k];
        if (text != NULL && gbs_number_is(text, strlen(text), &s.number[k]) != GBS_NUMBER_FINITE)
            s.number[k] = NAN;
    }
    return s;
}

static bool is_side(const struct sides *s, int k, const char *text, double number) {
    return text != NULL ? strcmp(text, s->text[k]) == 0 : number == s->number[k];
}

/* +1, -1, or 0 for a label the model does not know. */
static double sign_of(const struct sides *s, const char *text, double number) {
    if (is_side(s, 1, text, number))
        return 1.0;
    if (s->text[0] == NULL)
        return -1.0;
    return is_side(s, 0, text, number) ? -1.0 : 0.0;
}

static gbs_status bad_label(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t, size_t row,
                            const char *text, double number) {
    char printed[40];
    if (text == NULL) {
        gbs_decimal_print(number, printed, sizeof printed);
        text = printed;
    }
    return gbs_fail(
        ctx, GBS_ERR_DATA,
        "%s: the label '%s' is neither '%.40s' nor '%.40s', which the model was trained on",
        gbs_row_place(t, row).text, gbs_show(text, strlen(text)).text, r->negative, r->positive);
}

/* Classes as numbers, in the order of the recipe: which of its classes each label of the table is,
 * n_classes for none of them. */
struct class_finder {
    const gbs_recipe *r;
    double *number; /* of each class; NaN: it is none */
    size_t *level;  /* of a column of texts: the class of each level */
};

static gbs_status prepare_classes(gbs_context *ctx, const gbs_recipe *r, const gbs_column *column,
                                  struct class_finder *f) {
    bool text = column != NULL && column->is_text;
    *f = (struct class_finder){.r = r, .number = gbs_doubles(ctx, r->n_classes)};
    f->level = gbs_array_alloc(ctx, text ? column->n_levels + 1 : 1, sizeof *f->level);
    if (f->number == NULL || f->level == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < r->n_classes; k++)
        if (gbs_number_is(r->classes[k], strlen(r->classes[k]), &f->number[k]) != GBS_NUMBER_FINITE)
            f->number[k] = NAN;
    for (size_t j = 0; text && j < column->n_levels; j++) {
        f->level[j] = r->n_classes;
        for (size_t k = 0; k < r->n_classes && f->level[j] == r->n_classes; k++)
            if (strcmp(column->levels[j], r->classes[k]) == 0)
                f->level[j] = k;
    }
    return GBS_OK;
}

static size_t class_of_number(const struct class_finder *f, double value) {
    for (size_t k = 0; k < f->r->n_classes; k++)
        if (f->number[k] == value)
            return k;
    return f->r->n_classes;
}

static gbs_status class_labels(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                               size_t target, gbs_design *out) {
    const gbs_column *column = t->cells != NULL ? &t->columns[target] : NULL;
    struct class_finder f;
    gbs_status status = prepare_classes(ctx, r, column, &f);
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        size_t row = out->rows != NULL ? out->rows[i] : i;
        gbs_table_passed(t, i, row);
        double value = column != NULL ? t->cells[row * t->n_columns + target] : t->label[row];
        out->y[i] = (double)(column != NULL && column->is_text ? f.level[(size_t)value]
                                                               : class_of_number(&f, value));
    }
    gbs_array_free(ctx, f.number);
    gbs_array_free(ctx, f.level);
    return status;
}

gbs_status gbs_design_labels(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                             size_t target, gbs_design *out) {
    struct sides s = sides_of(r);
    const gbs_column *column = t->cells != NULL ? &t->columns[target] : NULL;
    if ((out->y = gbs_doubles(ctx, out->n)) == NULL)
        return GBS_ERR_MEMORY;
    if (r->n_classes > 0)
        return class_labels(ctx, r, t, target, out);
    for (size_t i = 0; i < out->n; i++) {
        size_t row = out->rows != NULL ? out->rows[i] : i;
        gbs_table_passed(t, i, row);
        double value = column != NULL ? t->cells[row * t->n_columns + target] : t->label[row];
        const char *text = column != NULL && column->is_text ? column->levels[(size_t)value] : NULL;
        out->y[i] = sign_of(&s, text, value);
        if (out->y[i] == 0.0)
            return bad_label(ctx, r, t, row, text, value);
    }
    return GBS_OK;
}
