/* What a model says of rows that borrow one column from other rows.
 *
 *   row i with the column of row k: x_i with x_kj for x_ij, j the columns of the data that it is
 *
 * Where the score is a + b'x this moves it by sum_j b_j (x_kj - x_ij), and a row costs a few
 * operations whatever the number of columns. Other models see the changed rows from the beginning.
 *                                                                         (docs/maths.md, 13.1)
 */
#include "explain/borrow.h"

#include "judge/calibrated.h"
#include "judge/many.h"

#include <string.h>

/* ---------------------------------------------------------------- cells */

/* Of columns from .. from + count - 1 of row i. */
static void read_cells(const gbs_data *data, size_t i, size_t from, size_t count, double *out) {
    gbs_raw_row row = gbs_data_at(data, i);
    if (row.column == NULL) {
        for (size_t k = 0; k < count; k++)
            out[k] = gbs_raw_value(&row, from + k);
        return;
    }
    size_t low = 0, high = row.stored; /* the first stored cell from `from` on */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row.column[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    memset(out, 0, count * sizeof *out);
    for (; low < row.stored && row.column[low] < from + count; low++)
        out[row.column[low] - from] = gbs_raw_value(&row, low);
}

static size_t width_of(const gbs_borrowing *b) {
    return b->inputs->first[b->input + 1] - b->inputs->first[b->input];
}

void gbs_borrowed_cells(const gbs_borrowing *b, size_t i, double *out) {
    read_cells(b->rows, i, b->inputs->first[b->input], width_of(b), out);
}

/* ---------------------------------------------------------------- linear scores */

bool gbs_is_linear(const gbs_model *model) {
    const gbs_many *m = model->many;
    if (m == NULL) /* the share of votes is no function of the score */
        return model->stages_size == 1 && (model->deployed || model->negatives != NULL) &&
               gbs_maps_is_linear(&model->maps);
    for (size_t p = 0; p < m->parts; p++)
        if (m->part[p] != NULL && !gbs_maps_is_linear(&m->part[p]->maps))
            return false;
    return true;
}

/* Part p of b is part part_number of a model of many classes; the parts that there are. */
static size_t list_parts(const gbs_model *model, const gbs_model **part) {
    const gbs_many *m = model->many;
    size_t count = 0;
    if (m == NULL) {
        part[0] = model;
        return 1;
    }
    for (size_t p = 0; p < m->parts; p++)
        if (m->part[p] != NULL)
            part[count++] = m->part[p];
    return count;
}

static gbs_status create_linear(gbs_borrowing *b) {
    size_t d = b->rows->d, most = b->model->many != NULL ? b->model->many->parts : 1;
    double intercept;
    b->part = gbs_array_alloc(b->ctx, most, sizeof *b->part);
    if (b->part == NULL)
        return GBS_ERR_MEMORY;
    b->parts = list_parts(b->model, b->part);
    b->coefficient = gbs_matrix(b->ctx, b->parts, d);
    b->score = gbs_matrix(b->ctx, b->parts, b->n);
    b->share = gbs_matrix(b->ctx, b->parts, b->n);
    b->changed = gbs_doubles(b->ctx, b->n);
    if (b->coefficient == NULL || b->score == NULL || b->share == NULL || b->changed == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = GBS_OK;
    for (size_t p = 0; status == GBS_OK && p < b->parts; p++) {
        status = gbs_model_linear(b->ctx, b->part[p], b->coefficient + p * d, &intercept);
        if (status == GBS_OK)
            status = gbs_model_predict(b->ctx, b->part[p], b->rows, b->score + p * b->n, NULL,
                                       NULL);
    }
    return status;
}

/* One number a part becomes what is said. */
static void say(gbs_borrowing *b, size_t count, const size_t *lender, double *out) {
    const gbs_many *m = b->model->many;
    size_t number = 0;
    if (m != NULL)
        memset(out, 0, count * b->answers * sizeof *out);
    for (size_t p = 0; p < b->parts; p++) {
        const double *score = b->score + p * b->n, *share = b->share + p * b->n;
        for (size_t i = 0; i < count; i++)
            b->changed[i] = score[i] + (lender != NULL ? share[lender[i]] - share[i] : 0.0);
        while (m != NULL && m->part[number] != b->part[p])
            number++;
        if (m != NULL)
            gbs_many_add_part(m, number, count, b->changed, out);
        for (size_t i = 0; m == NULL && i < count; i++)
            out[i] = b->model->negatives != NULL ? b->changed[i]
                                                 : gbs_calibrated(&b->model->card, b->changed[i]);
    }
    for (size_t i = 0; m != NULL && i < count; i++)
        gbs_many_probabilities(m, out + i * b->answers);
}

void gbs_linear_weights(const gbs_borrowing *b, double *room, double *out) {
    size_t n = b->n, inputs = b->inputs->count;
    double *mean = room; /* one number for each input */
    memset(out, 0, inputs * sizeof *out);
    for (size_t p = 0; p < b->parts; p++) {
        const double *coefficient = b->coefficient + p * b->rows->d;
        for (size_t turn = 0; turn < 2; turn++) { /* means, then squares */
            if (turn == 0)
                memset(mean, 0, inputs * sizeof *mean);
            for (size_t i = 0; i < n; i++) {
                gbs_raw_row row = gbs_data_at(b->rows, i);
                size_t at = 0;
                for (size_t k = 0; k < inputs; k++) {
                    double share = 0.0;
                    for (; at < row.stored; at++) {
                        size_t column = row.column != NULL ? row.column[at] : at;
                        if (column >= b->inputs->first[k + 1])
                            break;
                        share += coefficient[column] * gbs_raw_value(&row, at);
                    }
                    if (turn == 0)
                        mean[k] += share / (double)n;
                    else
                        out[k] += (share - mean[k]) * (share - mean[k]) / (double)n;
                }
            }
        }
    }
}

/* ---------------------------------------------------------------- any other model */

static gbs_status create_cells(gbs_borrowing *b) {
    size_t d = b->rows->d;
    b->cells = gbs_matrix(b->ctx, b->n, d);
    b->mixed = gbs_matrix(b->ctx, b->n, d);
    if (b->cells == NULL || b->mixed == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < b->n; i++)
        read_cells(b->rows, i, 0, d, b->cells + i * d);
    memcpy(b->mixed, b->cells, b->n * d * sizeof *b->mixed);
    return GBS_OK;
}

static void lend(gbs_borrowing *b, size_t count, const size_t *lender) {
    size_t d = b->rows->d, first = b->inputs->first[b->input], width = width_of(b);
    for (size_t i = 0; i < count; i++) {
        size_t from = lender != NULL ? lender[i] : i;
        memcpy(b->mixed + i * d + first, b->cells + from * d + first, width * sizeof *b->mixed);
    }
}

static gbs_status ask(gbs_borrowing *b, size_t count, double *out) {
    gbs_data *data = NULL;
    gbs_status status = gbs_data_dense(b->ctx, count, b->rows->d, b->mixed, b->rows->d, NULL,
                                       GBS_BORROW, &data);
    if (status != GBS_OK)
        return status;
    if (b->model->many != NULL)
        status = gbs_model_classify_rows(b->ctx, b->model, data, count, b->answers, NULL, out);
    else if (b->model->negatives != NULL)
        status = gbs_model_predict(b->ctx, b->model, data, out, NULL, NULL);
    else
        status = gbs_model_classify(b->ctx, b->model, data, NULL, out, NULL, NULL);
    gbs_data_free(data);
    return status;
}

/* ---------------------------------------------------------------- both */

gbs_status gbs_borrowing_create(gbs_context *ctx, const gbs_model *model, const gbs_data *rows,
                                const gbs_inputs *inputs, gbs_borrowing *out) {
    *out = (gbs_borrowing){.ctx = ctx,
                           .model = model,
                           .rows = rows,
                           .inputs = inputs,
                           .n = rows->n,
                           .answers = model->many != NULL ? model->many->classes : 1};
    out->linear = gbs_is_linear(model);
    gbs_status status = out->linear ? create_linear(out) : create_cells(out);
    if (status != GBS_OK)
        gbs_borrowing_free(out);
    return status;
}

void gbs_borrowing_free(gbs_borrowing *b) {
    gbs_array_free(b->ctx, (void *)b->part);
    gbs_array_free(b->ctx, b->coefficient);
    gbs_array_free(b->ctx, b->score);
    gbs_array_free(b->ctx, b->share);
    gbs_array_free(b->ctx, b->changed);
    gbs_array_free(b->ctx, b->cells);
    gbs_array_free(b->ctx, b->mixed);
    *b = (gbs_borrowing){.ctx = b->ctx};
}

void gbs_borrow_input(gbs_borrowing *b, size_t input) {
    if (!b->linear)
        lend(b, b->n, NULL); /* the one before is as it was */
    b->input = input;
    size_t first = b->inputs->first[input], width = width_of(b);
    for (size_t i = 0; b->linear && i < b->n; i++) {
        for (size_t p = 0; p < b->parts; p++)
            b->share[p * b->n + i] = 0.0;
        for (size_t k = 0; k < width; k++) {
            double cell;
            read_cells(b->rows, i, first + k, 1, &cell);
            for (size_t p = 0; p < b->parts; p++)
                b->share[p * b->n + i] += b->coefficient[p * b->rows->d + first + k] * cell;
        }
    }
}

gbs_status gbs_borrowed_answers(gbs_borrowing *b, size_t count, const size_t *lender, double *out) {
    if (b->linear) {
        say(b, count, lender, out);
        return GBS_OK;
    }
    lend(b, count, lender);
    return ask(b, count, out);
}
