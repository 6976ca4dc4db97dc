/* Fuzzes the reader of sample files. A text that is refused must leave nothing and say something;
 * one that is taken must survive being written and read again, and must give a vote for a row.
 */
#include "gibbsite.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_FEATURES = 1000 };

static void expect(int truth) {
    if (!truth)
        abort();
}

enum { ROWS = 5 };

static void check_vote(gbs_context *ctx, const gbs_particles *particles, size_t features) {
    static const double y[ROWS] = {1.0, -1.0, -1.0, 1.0, 1.0};
    double cells[ROWS * MOST_FEATURES], share[ROWS];
    gbs_data *rows = NULL;
    gbs_evaluation *e;
    for (size_t k = 0; k < ROWS * features; k++)
        cells[k] = (double)(k % 3) - 1.0;
    expect(gbs_data_dense(ctx, ROWS, features, cells, features, y, GBS_BORROW, &rows) == GBS_OK);
    if (gbs_particles_predict(ctx, particles, rows, NULL, NULL, share) == GBS_OK)
        for (size_t i = 0; i < ROWS; i++)
            expect(share[i] >= 0.0 && share[i] <= 1.0 + 1e-9);
    else
        expect(gbs_error_message(ctx)[0] != '\0');
    if (gbs_particles_evaluate(ctx, particles, rows, &e) == GBS_OK)
        expect(e->n == ROWS && e->auc >= 0.0 && e->auc <= 1.0);
    else
        expect(gbs_error_message(ctx)[0] != '\0');
    gbs_evaluation_free(e);
    gbs_data_free(rows);
}

static void check_round_trip(gbs_context *ctx, const gbs_particles *particles) {
    char *text = NULL, *again = NULL;
    gbs_particles *copy = NULL;
    size_t size = 0, size_again = 0;
    expect(gbs_particles_to_json(ctx, particles, &text, &size) == GBS_OK);
    expect(gbs_particles_from_json(ctx, text, size, &copy) == GBS_OK);
    expect(gbs_particles_to_json(ctx, copy, &again, &size_again) == GBS_OK);
    expect(size == size_again && memcmp(text, again, size) == 0);
    gbs_release(ctx, text);
    gbs_release(ctx, again);
    gbs_particles_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gbs_context *ctx = NULL;
    gbs_particles *particles = NULL;
    expect(gbs_context_create(NULL, &ctx) == GBS_OK);
    expect(gbs_context_set_threads(ctx, 1) == GBS_OK);
    gbs_status status = gbs_particles_from_json(ctx, (const char *)data, size, &particles);
    if (status == GBS_OK) {
        const gbs_sample_info *info = gbs_particles_get_info(particles);
        check_round_trip(ctx, particles);
        if (info->features <= MOST_FEATURES)
            check_vote(ctx, particles, info->features);
    } else {
        expect(particles == NULL && gbs_error_message(ctx)[0] != '\0');
    }
    gbs_particles_free(particles);
    gbs_context_free(ctx);
    return 0;
}
