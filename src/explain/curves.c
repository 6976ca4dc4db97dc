/* What a column does to the answers of a model: partial dependence.
 *
 *   f(v) = mean over rows i of the answer to row i with the column set to v   (docs/maths.md, 13.3)
 *
 * v are values that the rows have: all of them where they are few, else those at the middles of
 * twenty equal shares of the rows; of a text the levels, the most frequent where they are many. So
 * a point is a row that lends its column to all others.
 */
#include "explain/curves.h"

#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value of the column, a row that has it, and how many do. */
struct value {
    double number;     /* NaN: */
    const char *level; /* of the recipe */
    size_t row, rows;
};

static int by_value(const void *a, const void *b) {
    const struct value *x = a, *y = b;
    bool named_x = x->level != NULL, named_y = y->level != NULL;
    if (named_x != named_y)
        return named_x - named_y; /* a missing cell behind the numbers */
    if (named_x && strcmp(x->level, y->level) != 0)
        return strcmp(x->level, y->level);
    if (!named_x && x->number != y->number)
        return (x->number > y->number) - (x->number < y->number);
    return (x->row > y->row) - (x->row < y->row);
}

static int by_count(const void *a, const void *b) {
    const struct value *x = a, *y = b;
    return x->rows != y->rows ? (x->rows < y->rows) - (x->rows > y->rows) : by_value(a, b);
}

static bool same(const struct value *x, const struct value *y) {
    return x->level != NULL ? y->level != NULL && strcmp(x->level, y->level) == 0
                            : y->level == NULL && x->number == y->number;
}

static gbs_status list_values(gbs_borrowing *b, struct value *out) {
    size_t width = b->inputs->first[b->input + 1] - b->inputs->first[b->input];
    double *cells = gbs_doubles(b->ctx, width);
    for (size_t i = 0; cells != NULL && i < b->n; i++) {
        bool missing;
        gbs_borrowed_cells(b, i, cells);
        const char *level = gbs_input_level(b->inputs, b->input, cells, &missing);
        out[i] = (struct value){level != NULL ? NAN : cells[0], level, i, 1};
    }
    gbs_array_free(b->ctx, cells);
    return cells != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

/* The values to draw at, in order; returns how many. */
static size_t choose_values(size_t n, struct value *v) {
    size_t distinct = 0, numbers = 0, kept = 0;
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++) {
        distinct += i == 0 || !same(&v[i], &v[i - 1]);
        numbers += v[i].level == NULL;
    }
    bool many = distinct > GBS_CURVE_POINTS;
    for (size_t k = 0; many && numbers > 0 && k < GBS_CURVE_POINTS; k++) {
        struct value at = v[(size_t)(((double)k + 0.5) * (double)numbers / GBS_CURVE_POINTS)];
        if (kept == 0 || !same(&at, &v[kept - 1]))
            v[kept++] = at; /* never ahead of what is read */
    }
    for (size_t i = many ? numbers : 0; i < n; i++) {
        if (kept > 0 && same(&v[i], &v[kept - 1]))
            v[kept - 1].rows++;
        else
            v[kept++] = v[i];
    }
    if (kept > GBS_CURVE_POINTS && numbers == 0) {
        qsort(v, kept, sizeof *v, by_count);
        kept = GBS_CURVE_POINTS;
        qsort(v, kept, sizeof *v, by_value);
    }
    return kept;
}

/* Of a model that ranks the score's place among those of negative rows. */
static double mean_answer(const gbs_borrowing *b, size_t rows, const double *answers, size_t k) {
    const gbs_model *m = b->model;
    double sum = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double x = answers[i * b->answers + k];
        sum += m->negatives != NULL ? gbs_place(m->negatives_size, m->negatives, x) : x;
    }
    return sum / (double)rows;
}

struct room {
    struct value *value;
    size_t *lender;
    double *answers;
};

static gbs_status make_curve(gbs_borrowing *b, size_t rows, const struct room *room, size_t k,
                             gbs_explanation *e) {
    gbs_curve_kept *c = &e->curve[k];
    c->told.name = e->column[k].name;
    c->told.column = e->column[k].column;
    gbs_borrow_input(b, c->told.column);
    gbs_status status = list_values(b, room->value);
    size_t points = status == GBS_OK ? choose_values(b->n, room->value) : 0;
    if (status == GBS_OK)
        status = gbs_explanation_add_points(b->ctx, e, k, points);
    for (size_t j = 0; status == GBS_OK && j < points; j++) {
        const struct value *v = &room->value[j];
        c->point[j].value = v->number;
        if (v->level != NULL) {
            c->point[j].level = gbs_pool_text(b->ctx, &e->names, v->level, strlen(v->level));
            status = c->point[j].level != NULL ? GBS_OK : GBS_ERR_MEMORY;
        }
        for (size_t i = 0; i < rows; i++)
            room->lender[i] = v->row;
        if (status == GBS_OK)
            status = gbs_borrowed_answers(b, rows, room->lender, room->answers);
        for (size_t a = 0; status == GBS_OK && a < e->info.outcomes; a++)
            c->probability[j * e->info.outcomes + a] = mean_answer(b, rows, room->answers, a);
    }
    return status;
}

gbs_status gbs_make_curves(gbs_borrowing *b, size_t rows, gbs_explanation *e) {
    size_t curves = e->info.columns < GBS_MOST_CURVES ? e->info.columns : GBS_MOST_CURVES;
    if (b->answers > GBS_MOST_OUTCOMES)
        return GBS_OK;
    e->info.outcomes = b->answers;
    e->info.curve_rows = rows;
    struct room room = {.value = gbs_array_alloc(b->ctx, b->n, sizeof *room.value),
                        .lender = gbs_array_alloc(b->ctx, rows, sizeof *room.lender),
                        .answers = gbs_matrix(b->ctx, rows, b->answers)};
    gbs_status status = GBS_OK;
    if (room.value == NULL || room.lender == NULL || room.answers == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_explanation_add_curves(b->ctx, e, curves);
    for (size_t k = 0; status == GBS_OK && k < curves; k++) {
        status = make_curve(b, rows, &room, k, e);
        if (status == GBS_OK)
            status = gbs_check_cancel(b->ctx);
    }
    gbs_array_free(b->ctx, room.value);
    gbs_array_free(b->ctx, room.lender);
    gbs_array_free(b->ctx, room.answers);
    return status;
}
