/* Callbacks from C: progress, messages, cancellation; sparse rows of one's own; and the gap to the
 * Gibbs posterior.
 *
 *     cc -std=c17 06_progress_and_cancel.c -o example $(pkg-config --cflags --libs gibbsite) &&
 * ./example
 */
#include <gibbsite.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 600, COLUMNS = 30, PER_ROW = 5 };

/* What the callbacks share. They run on the thread that called the library. */
struct watch {
    size_t calls;
    double furthest;
    int patience; /* questions until the answer is: stop; negative: never */
};

static void on_progress(const char *stage, double done, void *user) {
    struct watch *w = user;
    (void)stage;
    w->calls++;
    w->furthest = done > w->furthest ? done : w->furthest;
}

static void on_log(gbs_log_level level, const char *message, void *user) {
    (void)user;
    if (level >= GBS_LOG_INFO)
        fprintf(stderr, "note: %s\n", message);
}

static int on_cancel(void *user) {
    struct watch *w = user;
    return w->patience >= 0 && w->patience-- == 0;
}

/* Sparse rows: five cells of thirty; the label is the sign of the first ten columns' sum, with
 * noise. */
static gbs_status make_data(gbs_context *ctx, gbs_data **out) {
    static size_t start[ROWS + 1];
    static uint32_t column[ROWS * PER_ROW];
    static double value[ROWS * PER_ROW], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0.5 * gbs_random_normal(ctx, 2, i);
        for (size_t k = 0; k < PER_ROW; k++) {
            size_t cell = i * PER_ROW + k, width = COLUMNS / PER_ROW;
            column[cell] = (uint32_t)(k * width +
                                      (size_t)((double)width * gbs_random_uniform(ctx, 0, cell)));
            value[cell] = gbs_random_normal(ctx, 1, cell);
            sum += column[cell] < 10 ? value[cell] : 0.0;
        }
        y[i] = sum > 0 ? 1 : -1;
        start[i + 1] = start[i] + PER_ROW;
    }
    return gbs_data_csr(ctx, ROWS, COLUMNS, start, column, value, y, GBS_COPY, out);
}

static gbs_status measure_gap(gbs_context *ctx, const gbs_data *data) {
    gbs_options *fit = NULL, *sampling = NULL;
    gbs_model *model = NULL;
    gbs_particles *particles = NULL;
    gbs_gap *gap = NULL;
    /* the gap is measured against the posterior of this prior and lambda */
    gbs_status status = gbs_options_create(ctx, "fit", &fit);
    if (status == GBS_OK)
        status = gbs_options_set(fit, "prior", "zero");
    if (status == GBS_OK)
        status = gbs_options_set(fit, "loss", "hinge");
    if (status == GBS_OK)
        status = gbs_options_set(fit, "lambda", "100");
    if (status == GBS_OK)
        status = gbs_fit(ctx, data, fit, &model);
    if (status == GBS_OK)
        status = gbs_options_create(ctx, "sample", &sampling);
    if (status == GBS_OK)
        status = gbs_options_set(sampling, "loss", "hinge");
    if (status == GBS_OK)
        status = gbs_options_set(sampling, "lambda", "100");
    if (status == GBS_OK)
        status = gbs_options_set_count(sampling, "particles", 500);
    if (status == GBS_OK)
        status = gbs_sample(ctx, data, sampling, &particles);
    if (status == GBS_OK)
        status = gbs_measure_gap(ctx, data, model, particles, &gap);
    if (status == GBS_OK)
        printf("KL(model || Gibbs posterior) = %.3f +- %.3f\n", gap->gap, gap->gap_sd);
    gbs_options_free(fit);
    gbs_options_free(sampling);
    gbs_gap_free(gap);
    gbs_particles_free(particles);
    gbs_model_free(model);
    return status;
}

int main(void) {
    struct watch watch = {.patience = -1};
    gbs_context *ctx;
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return EXIT_FAILURE;
    gbs_context_set_progress(ctx, on_progress, &watch);
    gbs_context_set_log(ctx, on_log, &watch);
    gbs_context_set_cancel(ctx, on_cancel, &watch);
    gbs_status status = make_data(ctx, &data);
    if (status == GBS_OK)
        status = gbs_fit(ctx, data, NULL, &model);
    if (status == GBS_OK)
        printf("fitted: progress was reported%s, up to %.0f %%\n",
               watch.calls > 1 ? " several times" : "", 100 * watch.furthest);
    gbs_model_free(model);
    if (status == GBS_OK)
        status = measure_gap(ctx, data);

    /* again, but out of patience at the third question: the call ends early, the model is NULL,
     * nothing leaks */
    if (status == GBS_OK) {
        watch.patience = 2;
        gbs_status stopped = gbs_fit(ctx, data, NULL, &model);
        printf("cancelled: %s, model is %s\n", gbs_status_message(stopped),
               model == NULL ? "NULL" : "there");
        status = stopped == GBS_ERR_CANCELLED ? GBS_OK : GBS_ERR_ARGUMENT;
    }
    if (status != GBS_OK)
        fprintf(stderr, "%s: %s\n", gbs_status_message(status), gbs_error_message(ctx));
    gbs_data_free(data);
    gbs_context_free(ctx);
    return status == GBS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
