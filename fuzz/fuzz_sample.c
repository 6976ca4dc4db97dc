/* Fuzzes the reader of sample files. A text that is refused must leave nothing and say something; one that is taken must survive being written and read
 * again, and must give a vote for a row.
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

static void check_vote(gbs_context *ctx, const gbs_particles *particles, size_t features) {
    double row[MOST_FEATURES], share;
    gbs_data *rows = NULL;
    for (size_t k = 0; k < features; k++)
        row[k] = (double)(k % 3) - 1.0;
    expect(gbs_data_dense(ctx, 1, features, row, features, NULL, GBS_BORROW, &rows) == GBS_OK);
    if (gbs_particles_predict(ctx, particles, rows, NULL, NULL, &share) == GBS_OK)
        expect(!(share < 0.0) && !(share > 1.0 + 1e-9));
    else
        expect(gbs_error_message(ctx)[0] != '\0');
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
    gbs_context_options options = gbs_context_options_default();
    gbs_context *ctx = NULL;
    gbs_particles *particles = NULL;
    options.threads = 1;
    expect(gbs_context_create(&options, &ctx) == GBS_OK);
    gbs_status status = gbs_particles_from_json(ctx, (const char *)data, size, &particles);
    if (status == GBS_OK) {
        gbs_sample_info info;
        gbs_particles_get_info(particles, &info);
        check_round_trip(ctx, particles);
        if (info.features <= MOST_FEATURES)
            check_vote(ctx, particles, info.features);
    } else {
        expect(particles == NULL && gbs_error_message(ctx)[0] != '\0');
    }
    gbs_particles_free(particles);
    gbs_context_free(ctx);
    return 0;
}
