/* Importances and curves of a model on given rows (docs/maths.md, 13).
 *
 * The rows are drawn at random, some of them where all would take long; so are columns, those kept
 * that move the answers most. Then column after column is measured (importance.c), they are put in
 * order, and the first get a curve (curves.c).
 */
#include "explain/explain.h"

#include "core/check.h"
#include "core/count.h"
#include "core/random.h"
#include "explain/curves.h"
#include "explain/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const gbs_explain_limits gbs_usual_limits = {.rows = 20000,
                                             .columns = 256,
                                             .repeats = 10,
                                             .mapped_evaluations = (size_t)1 << 19,
                                             .mapped_repeats = 5,
                                             .mapped_rows = 200,
                                             .curve_rows = 500,
                                             .mapped_cells = (size_t)1 << 23,
                                             .screen_rows = 64};

const char *gbs_cannot_explain(const gbs_model *model, const gbs_data *data) {
    size_t up = 0;
    if (data->y == NULL)
        return "the data has no labels";
    if (data->n < 2)
        return "at least two rows are needed";
    if (model->many != NULL)
        return data->classes == model->many->classes ? NULL
                                                     : "the data has other classes than the model";
    if (data->classes > 2)
        return "the data has more classes than the model";
    for (size_t i = 0; i < data->n; i++)
        up += data->y[i] > 0.0;
    return model->negatives != NULL && (up == 0 || up == data->n)
               ? "the rows are of one class alone"
               : NULL;
}

/* ---------------------------------------------------------------- which rows, which columns */

struct explaining {
    gbs_context *ctx;
    const gbs_model *model;
    const gbs_explain_limits *limits;
    bool linear;
    gbs_inputs inputs;
    gbs_data *rows;   /* in random order */
    size_t *measured; /* inputs */
    size_t columns, repeats;
    gbs_borrowing borrowing;
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* As many rows as the limits allow. */
static size_t rows_to_use(const struct explaining *x, const gbs_data *data) {
    const gbs_explain_limits *l = x->limits;
    if (x->linear)
        return least(data->n, l->rows);
    size_t rows = l->mapped_evaluations / (x->columns * x->repeats),
           room = l->mapped_cells / data->d;
    rows = rows > l->mapped_rows ? rows : l->mapped_rows;
    room = room > 2 ? room : 2;
    return least(data->n, least(rows, room));
}

static gbs_status draw_rows(struct explaining *x, const gbs_data *data) {
    size_t count = rows_to_use(x, data);
    size_t *order = gbs_array_alloc(x->ctx, data->n, sizeof *order);
    if (order == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < data->n; i++)
        order[i] = i;
    gbs_shuffle(x->ctx->seed, GBS_STREAM_EXPLAIN, data->n, order);
    gbs_status status = gbs_data_view(x->ctx, data, order, count, &x->rows);
    gbs_array_free(x->ctx, order);
    return status;
}

struct weight {
    double by; /* how much the column moves the answers */
    size_t input;
};

static int by_weight(const void *a, const void *b) {
    const struct weight *x = a, *y = b;
    return x->by != y->by ? (x->by < y->by) - (x->by > y->by)
                          : (x->input > y->input) - (x->input < y->input);
}

/* The mean square of what borrowing from the next row does to the answers to a few rows. */
static gbs_status screen(struct explaining *x, double *out) {
    gbs_borrowing *b = &x->borrowing;
    size_t n = least(b->n, x->limits->screen_rows), numbers = n * b->answers;
    double *before = gbs_matrix(x->ctx, 2, numbers),
           *after = before != NULL ? before + numbers : NULL;
    size_t *lender = gbs_array_alloc(x->ctx, n, sizeof *lender);
    gbs_status status = before != NULL && lender != NULL ? gbs_borrowed_answers(b, n, NULL, before)
                                                         : GBS_ERR_MEMORY;
    for (size_t i = 0; lender != NULL && i < n; i++)
        lender[i] = (i + 1) % b->n;
    for (size_t k = 0; status == GBS_OK && k < x->inputs.count; k++) {
        gbs_borrow_input(b, k);
        status = gbs_borrowed_answers(b, n, lender, after);
        for (size_t i = 0; status == GBS_OK && i < numbers; i++)
            out[k] += (after[i] - before[i]) * (after[i] - before[i]);
        if (status == GBS_OK)
            status = gbs_check_cancel(x->ctx);
    }
    gbs_array_free(x->ctx, before);
    gbs_array_free(x->ctx, lender);
    return status;
}

/* All inputs, or those that move the answers most. */
static gbs_status choose_columns(struct explaining *x) {
    size_t count = x->inputs.count;
    x->measured = gbs_array_alloc(x->ctx, x->columns, sizeof *x->measured);
    if (x->measured == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < x->columns; k++)
        x->measured[k] = k;
    if (x->columns == count)
        return GBS_OK;
    double *by = gbs_matrix(x->ctx, 2, count);
    struct weight *weight = gbs_array_alloc(x->ctx, count, sizeof *weight);
    gbs_status status = by != NULL && weight != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK && x->linear)
        gbs_linear_weights(&x->borrowing, by + count, by);
    else if (status == GBS_OK)
        status = screen(x, by);
    for (size_t k = 0; status == GBS_OK && k < count; k++)
        weight[k] = (struct weight){by[k], k};
    if (status == GBS_OK)
        qsort(weight, count, sizeof *weight, by_weight);
    for (size_t k = 0; status == GBS_OK && k < x->columns; k++)
        x->measured[k] = weight[k].input;
    gbs_array_free(x->ctx, by);
    gbs_array_free(x->ctx, weight);
    return status;
}

/* ---------------------------------------------------------------- one after the other */

static double mean(size_t n, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static gbs_status measure(struct explaining *x, gbs_explanation *e) {
    gbs_measuring m;
    bool ranks = x->model->negatives != NULL;
    gbs_status status = gbs_measuring_create(&x->borrowing, x->repeats, &m);
    if (status != GBS_OK)
        return status;
    size_t n = x->rows->n;
    e->info.repeats = m.shifts;
    e->info.error = ranks ? NAN : mean(n, m.before);
    e->info.brier = ranks ? NAN : mean(n, m.before + n);
    e->info.auc = ranks ? mean(n, m.before) : NAN;
    for (size_t k = 0; status == GBS_OK && k < x->columns; k++) {
        double rise[GBS_MOST_MEASURES] = {0}, se[GBS_MOST_MEASURES] = {0};
        gbs_importance *c = &e->column[k];
        gbs_progress(x->ctx, "importance", (double)k / (double)x->columns);
        c->column = x->measured[k];
        c->name = gbs_input_name(x->ctx, &x->inputs, c->column, &e->names);
        status = c->name != NULL ? gbs_measure_input(&m, c->column, rise, se) : GBS_ERR_MEMORY;
        c->error = ranks ? NAN : rise[0];
        c->error_se = ranks ? NAN : se[0];
        c->brier = ranks ? NAN : rise[1];
        c->brier_se = ranks ? NAN : se[1];
        c->auc = ranks ? 0.0 - rise[0] : NAN;
        c->auc_se = ranks ? se[0] : NAN;
        if (status == GBS_OK)
            status = gbs_check_cancel(x->ctx);
    }
    gbs_measuring_free(&m);
    return status;
}

/* The largest rise of the Brier score first: it sees every change of a probability, where the error
 * sees only those that turn a label, and with costs the error may fall without a column that
 * matters. Of a ranking the largest fall of the AUC. */
static int by_importance(const void *a, const void *b) {
    const gbs_importance *x = a, *y = b;
    bool ranks = isnan(x->brier);
    double p = ranks ? x->auc : x->brier, q = ranks ? y->auc : y->brier;
    return p != q ? (p < q) - (p > q) : (x->column > y->column) - (x->column < y->column);
}

static gbs_status explain(struct explaining *x, const gbs_data *data, gbs_explanation *e) {
    gbs_status status = draw_rows(x, data);
    if (status == GBS_OK)
        status = gbs_borrowing_create(x->ctx, x->model, x->rows, &x->inputs, &x->borrowing);
    if (status == GBS_OK)
        status = choose_columns(x);
    if (status == GBS_OK)
        status = measure(x, e);
    if (status != GBS_OK)
        return status;
    e->info.rows = x->rows->n;
    e->info.rows_given = data->n;
    e->info.columns_given = x->inputs.count;
    qsort(e->column, e->info.columns, sizeof *e->column, by_importance);
    size_t rows = x->linear ? x->rows->n : least(x->rows->n, x->limits->curve_rows);
    return gbs_make_curves(&x->borrowing, rows, e);
}

gbs_status gbs_explain_within(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              const gbs_explain_limits *limits, gbs_explanation **out) {
    struct explaining x = {.ctx = ctx, .model = model, .limits = limits, .borrowing.ctx = ctx};
    const char *why = gbs_cannot_explain(model, data);
    gbs_explanation *e = NULL;
    *out = NULL;
    if (why != NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "importances cannot be measured: %s", why);
    if (data->d != model->info.features)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has %s, the model %zu",
                        gbs_count(data->d, "column").text, model->info.features);
    gbs_status status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    gbs_progress_begin(ctx);
    x.linear = gbs_is_linear(model);
    status = gbs_inputs_find(ctx, data, &x.inputs);
    if (status == GBS_OK) {
        x.columns = least(x.inputs.count, limits->columns);
        x.repeats = x.linear ? limits->repeats : limits->mapped_repeats;
        status = gbs_explanation_create(ctx, x.columns, &e);
    }
    if (status == GBS_OK)
        status = explain(&x, data, e);
    gbs_compute_end(ctx);
    gbs_borrowing_free(&x.borrowing);
    gbs_array_free(ctx, x.measured);
    gbs_data_free(x.rows);
    gbs_inputs_free(ctx, &x.inputs);
    if (status != GBS_OK)
        gbs_explanation_free(e);
    else
        *out = e;
    return status;
}

gbs_status gbs_model_explain(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                             gbs_explanation **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, data);
    return gbs_explain_within(ctx, model, data, &gbs_usual_limits, out);
}
