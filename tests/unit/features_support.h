/* Fits through a map of a kernel, rows as a map makes them, and labels that no line divides. */
#ifndef GIBBSITE_TESTS_FEATURES_SUPPORT_H
#define GIBBSITE_TESTS_FEATURES_SUPPORT_H

#include "map/map.h"
#include "unit/support.h"

enum { N = 200, D = 3 };

static inline gbs_fit_settings mapped(gbs_features features, size_t size, double width) {
    gbs_fit_settings o = gbs_fit_settings_default();
    o.features = features;
    o.features_size = size;
    o.kernel_width = width;
    o.columns = GBS_COLUMNS_EQUAL;
    o.constant = 1.0;
    return o;
}

/* Labels +1 inside a shell: no line divides them. */
static inline struct table_of_numbers shell(uint64_t seed, size_t n, size_t d) {
    struct dice r = {seed};
    struct table_of_numbers t = make_table(&r, n, d, 1.0, 0.1);
    for (size_t i = 0; i < n; i++) {
        double square = 0.0;
        for (size_t k = 0; k < d; k++)
            square += t.x[i * d + k] * t.x[i * d + k];
        t.y[i] = (square < (double)d) != (dice_uniform(&r) < 0.05) ? 1.0 : -1.0;
    }
    return t;
}

static inline gbs_rows rows_of(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o) {
    gbs_maps maps;
    gbs_rows rows;
    assert_ok(ctx, gbs_maps_learn(ctx, data, o, &maps));
    assert_ok(ctx, gbs_rows_build(ctx, data, &maps, &rows));
    assert_non_null(rows.all.dense);
    gbs_maps_free(ctx, &maps);
    return rows;
}

#endif
