/* Labels of a table as -1 and +1. */
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

gbs_status gbs_design_labels(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                             size_t target, gbs_design *out) {
    struct sides s = sides_of(r);
    const gbs_column *column = t->cells != NULL ? &t->columns[target] : NULL;
    if ((out->y = gbs_doubles(ctx, out->n)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < out->n; i++) {
        size_t row = out->rows != NULL ? out->rows[i] : i;
        double value = column != NULL ? t->cells[row * t->n_columns + target] : t->label[row];
        const char *text = column != NULL && column->is_text ? column->levels[(size_t)value] : NULL;
        out->y[i] = sign_of(&s, text, value);
        if (out->y[i] == 0.0)
            return bad_label(ctx, r, t, row, text, value);
    }
    return GBS_OK;
}
