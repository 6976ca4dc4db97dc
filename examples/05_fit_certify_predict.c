/* The library from C: fit, certify, predict, save, load.
 *
 *     cc -std=c17 05_fit_certify_predict.c -o example $(pkg-config --cflags --libs gibbsite) &&
 * ./example
 */
#include <gibbsite.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRAIN = 1000, FRESH = 4000, COLUMNS = 4 };

/* Rows of known truth: the sign of x0 - x1 + x2/2, one label in ten flipped. Counter-based numbers:
 * row i is row i, whoever asks. */
static void make_rows(const gbs_context *ctx, size_t first, size_t n, double *x, double *y) {
    for (size_t i = 0; i < n; i++) {
        double *row = x + i * COLUMNS;
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = gbs_random_normal(ctx, j, first + i);
        double sign = row[0] - row[1] + 0.5 * row[2] > 0 ? 1 : -1;
        y[i] = gbs_random_uniform(ctx, COLUMNS, first + i) < 0.1 ? -sign : sign;
    }
}

static void print_certificates(const gbs_model *model) {
    const gbs_certificate *first = gbs_model_certificate(model, 0), *c;
    for (size_t k = 0; (c = gbs_model_certificate(model, k)) != NULL; k++)
        printf("%s%.4f  %-10s %-11s from %zu rows, %s\n", k == 0 ? "* " : "  ", c->value,
               gbs_target_name(c->target), gbs_bound_name(c->method), c->blocks,
               c->valid ? "valid" : "conditional");
    for (unsigned bit = 0; gbs_assumption_text(bit, NULL) != NULL; bit++)
        if ((first->assumptions >> bit & 1) != 0)
            printf("  assumes that %s\n", gbs_assumption_text(bit, NULL));
}

static gbs_status run(gbs_context *ctx, double *x, double *y) {
    gbs_data *train = NULL, *fresh = NULL;
    gbs_model *model = NULL, *again = NULL;
    gbs_options *options = NULL;
    gbs_evaluation *e = NULL;
    double label[FRESH], probability[FRESH];

    make_rows(ctx, 0, TRAIN, x, y);
    gbs_status status = gbs_data_dense(ctx, TRAIN, COLUMNS, x, COLUMNS, y, GBS_COPY, &train);
    if (status == GBS_OK)
        status = gbs_options_create(ctx, "fit", &options);
    if (status == GBS_OK)
        status = gbs_options_set_number(options, "confidence", 0.99);
    if (status == GBS_OK)
        status = gbs_fit(ctx, train, options, &model);
    if (status == GBS_OK)
        print_certificates(model);

    /* a model on disk predicts what the one in memory does */
    if (status == GBS_OK)
        status = gbs_model_save(ctx, model, "example05.json");
    if (status == GBS_OK)
        status = gbs_model_load(ctx, "example05.json", &again);

    make_rows(ctx, TRAIN, FRESH, x, y);
    if (status == GBS_OK)
        status = gbs_data_dense(ctx, FRESH, COLUMNS, x, COLUMNS, y, GBS_BORROW, &fresh);
    if (status == GBS_OK)
        status = gbs_model_classify(ctx, again, fresh, label, probability, NULL, NULL);
    if (status == GBS_OK)
        status = gbs_model_evaluate(ctx, again, fresh, &e);
    if (status == GBS_OK) {
        const gbs_certificate *c = gbs_model_certificate(model, 0);
        printf(
            "fresh rows: error %.4f of the labels, %.4f of one draw; the first is %+.0f, +1 with "
            "probability %.2f\n",
            e->error, e->gibbs_error, label[0], probability[0]);
        printf("the certificate %s\n", e->error <= c->value ? "held" : "did not hold");
    }
    remove("example05.json");
    gbs_evaluation_free(e);
    gbs_options_free(options);
    gbs_data_free(train);
    gbs_data_free(fresh);
    gbs_model_free(model);
    gbs_model_free(again);
    return status;
}

int main(void) {
    gbs_context *ctx;
    double *x = malloc(FRESH * COLUMNS * sizeof *x), *y = malloc(FRESH * sizeof *y);
    if (x == NULL || y == NULL || gbs_context_create(NULL, &ctx) != GBS_OK)
        return EXIT_FAILURE;
    gbs_status status = run(ctx, x, y);
    if (status != GBS_OK)
        fprintf(stderr, "%s: %s\n", gbs_status_message(status), gbs_error_message(ctx));
    gbs_context_free(ctx);
    free(x);
    free(y);
    return status == GBS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
