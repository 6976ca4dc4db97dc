/* How much worse a model does without what a column says.
 *
 *   D(i, k)  the loss of row i with the column of row k, less its loss as it is
 *   I = E D(i, k),  i and k independent;   its estimate is the mean over rows i and shifts s of
 *   D(i, i + s)
 *
 * Rows come in random order and shifts are never 0: the mean over all n - 1 shifts is that over all
 * pairs of different rows, unbiased for I, and some shifts are a sample of it without repetition.
 * Row i counts twice, as it borrows and as it lends:
 *
 *   psi_i = mean_s D(i, i + s) + mean_s D(i - s, i)
 *   se^2  = max(var(psi) - (1 - R/(n-1)) v/R, v/R)/n,   R shifts, v the variance of D over all i, s
 *
 * psi is Hoeffding's projection; what is subtracted is the noise that means over few shifts leave
 * in it, beyond that of the estimate (docs/maths.md, 13.2). Rows of one group add up before they
 * are squared, and nothing is subtracted.
 */
#include "explain/importance.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

/* One of each of `count` equal stretches of 1 .. n - 1. */
static void draw_shifts(const gbs_context *ctx, size_t n, size_t count, size_t *shift) {
    for (size_t r = 0; r < count; r++) {
        size_t low = 1 + (size_t)((double)r * (double)(n - 1) / (double)count),
               high = 1 + (size_t)((double)(r + 1) * (double)(n - 1) / (double)count);
        shift[r] = low + (size_t)gbs_below(ctx->seed, GBS_STREAM_BORROW, r, high - low);
    }
}

gbs_status gbs_measuring_create(gbs_borrowing *of, size_t most, gbs_measuring *out) {
    gbs_context *ctx = of->ctx;
    size_t n = of->n, count = n - 1 < most ? n - 1 : most, measures = gbs_measures(of->model);
    *out = (gbs_measuring){.of = of, .shifts = count, .measures = measures};
    out->shift = gbs_array_alloc(ctx, count, sizeof *out->shift);
    out->lender = gbs_array_alloc(ctx, n, sizeof *out->lender);
    out->before = gbs_matrix(ctx, measures, n);
    out->after = gbs_matrix(ctx, measures, n);
    out->total = gbs_matrix(ctx, measures, n);
    out->answers = gbs_matrix(ctx, n, of->answers);
    if (of->rows->group != NULL)
        out->by_group = gbs_matrix(ctx, 2, of->rows->groups);
    gbs_status status = GBS_OK;
    if (out->shift == NULL || out->lender == NULL || out->before == NULL || out->after == NULL ||
        out->total == NULL || out->answers == NULL ||
        (of->rows->group != NULL && out->by_group == NULL))
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        draw_shifts(ctx, n, count, out->shift);
        status = gbs_borrowed_answers(of, n, NULL, out->answers);
    }
    if (status == GBS_OK)
        status = gbs_row_losses(ctx, of->model, n, of->rows->y, out->answers, out->before);
    if (status != GBS_OK)
        gbs_measuring_free(out);
    return status;
}

void gbs_measuring_free(gbs_measuring *m) {
    gbs_context *ctx = m->of->ctx;
    gbs_array_free(ctx, m->shift);
    gbs_array_free(ctx, m->lender);
    gbs_array_free(ctx, m->before);
    gbs_array_free(ctx, m->after);
    gbs_array_free(ctx, m->total);
    gbs_array_free(ctx, m->answers);
    gbs_array_free(ctx, m->by_group);
    *m = (gbs_measuring){.of = m->of};
}

/* Rows by themselves; v is the variance of all that was added up. */
static double error_by_rows(size_t rows, const double *psi, double mean, size_t shifts, double v) {
    double n = (double)rows, r = (double)shifts, square = 0.0;
    for (size_t i = 0; i < rows; i++)
        square += (psi[i] - mean) * (psi[i] - mean);
    return sqrt(fmax(square / (n - 1.0) - (1.0 - r / (n - 1.0)) * v / r, v / r) / n);
}

/* Groups as wholes; NaN where there is one. `room` has two numbers a group. */
static double error_by_groups(const gbs_data *rows, const double *psi, double mean, double *room) {
    double square = 0.0, units = 0.0, *sum = room, *there = room + rows->groups;
    memset(room, 0, 2 * rows->groups * sizeof *room);
    for (size_t i = 0; i < rows->n; i++) {
        sum[rows->group[i]] += psi[i] - mean;
        there[rows->group[i]] = 1.0;
    }
    for (size_t g = 0; g < rows->groups; g++) {
        square += sum[g] * sum[g];
        units += there[g];
    }
    return units > 1.0 ? sqrt(square * units / (units - 1.0)) / (double)rows->n : NAN;
}

gbs_status gbs_measure_input(gbs_measuring *m, size_t input, double *rise, double *se) {
    size_t n = m->of->n;
    gbs_status status = GBS_OK;
    double squares[GBS_MOST_MEASURES] = {0};
    const gbs_data *rows = m->of->rows;
    gbs_borrow_input(m->of, input);
    memset(m->total, 0, m->measures * n * sizeof *m->total);
    for (size_t r = 0; status == GBS_OK && r < m->shifts; r++) {
        for (size_t i = 0; i < n; i++)
            m->lender[i] = (i + m->shift[r]) % n;
        status = gbs_borrowed_answers(m->of, n, m->lender, m->answers);
        if (status == GBS_OK)
            status = gbs_row_losses(m->of->ctx, m->of->model, n, rows->y, m->answers, m->after);
        for (size_t k = 0; status == GBS_OK && k < m->measures; k++)
            for (size_t i = 0; i < n; i++) {
                double more = m->after[k * n + i] - m->before[k * n + i];
                m->total[k * n + i] += more;
                m->total[k * n + m->lender[i]] += more;
                squares[k] += more * more;
            }
    }
    for (size_t k = 0; status == GBS_OK && k < m->measures; k++) {
        double *psi = m->total + k * n, sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            psi[i] /= (double)m->shifts;
            sum += psi[i];
        }
        rise[k] = 0.5 * sum / (double)n; /* every D counts in two rows */
        double pairs = (double)n * (double)m->shifts,
               v = fmax(squares[k] / pairs - rise[k] * rise[k], 0.0);
        se[k] = rows->group != NULL ? error_by_groups(rows, psi, sum / (double)n, m->by_group)
                                    : error_by_rows(n, psi, sum / (double)n, m->shifts, v);
    }
    return status;
}
