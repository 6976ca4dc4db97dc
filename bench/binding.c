/* What a binding is measured against: fit and predict of 100,000 x 50 rows by the C call.
 *
 *   bench/python.sh runs it beside the same fit through Python.
 *
 * Prints processor seconds of the fit and of the predictions, the fastest of ten, and the peak of
 * the memory in MB.
 */
#include "bench.h"

#include <sys/resource.h>

enum { ROWS = 100000, COLUMNS = 50, TRIES = 10 };

static void need(gbs_context *ctx, gbs_status status) {
    if (status == GBS_OK)
        return;
    fprintf(stderr, "%s\n", gbs_error_message(ctx));
    exit(1);
}

/* The rows of `simulate classify --rows 100000 --cols 50`. */
static void make_rows(const gbs_context *ctx, double *x, double *y) {
    double theta[COLUMNS], norm2 = 0.0;
    for (size_t k = 0; k < COLUMNS; k++) {
        theta[k] = gbs_random_normal(ctx, 1, k);
        norm2 += theta[k] * theta[k];
    }
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < COLUMNS; k++) {
            x[i * COLUMNS + k] = gbs_random_normal(ctx, 2, i * COLUMNS + k);
            sum += x[i * COLUMNS + k] * theta[k] / sqrt(norm2);
        }
        y[i] = (sum >= 0.0) != (gbs_random_uniform(ctx, 4, i) < 0.1) ? 1.0 : -1.0;
    }
}

int main(void) {
    gbs_context *ctx;
    gbs_data *data, *fresh;
    gbs_model *model;
    struct rusage used;
    static double y[ROWS], label[ROWS];
    double *x = malloc(sizeof(double) * ROWS * COLUMNS);
    if (x == NULL || gbs_context_create(NULL, &ctx) != GBS_OK) {
        free(x);
        return 1;
    }
    need(ctx, gbs_context_set_threads(ctx, 1));
    make_rows(ctx, x, y);
    double start = process_seconds();
    need(ctx, gbs_data_dense(ctx, ROWS, COLUMNS, x, COLUMNS, y, GBS_BORROW, &data));
    need(ctx, gbs_fit(ctx, data, NULL, &model));
    double fitted = process_seconds();
    double predicted = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        double before = process_seconds();
        need(ctx, gbs_data_dense(ctx, ROWS, COLUMNS, x, COLUMNS, NULL, GBS_BORROW, &fresh));
        need(ctx, gbs_model_classify(ctx, model, fresh, label, NULL, NULL, NULL));
        gbs_data_free(fresh);
        predicted = fmin(predicted, process_seconds() - before);
    }
    getrusage(RUSAGE_SELF, &used);
    printf("fit %.4f predict %.4f peak %.1f certificate %.17g\n", fitted - start, predicted,
           (double)used.ru_maxrss / 1024.0, gbs_model_certificate(model, 0)->value);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
    free(x);
    return 0;
}
