/* Importances by column, models by one option, and people of mixed columns. */
#ifndef GIBBSITE_TESTS_EXPLAIN_SUPPORT_H
#define GIBBSITE_TESTS_EXPLAIN_SUPPORT_H

#include "unit/people.h"

static inline const gbs_importance *importance_of(const gbs_explanation *e, size_t column) {
    for (size_t k = 0; gbs_explanation_importance(e, k) != NULL; k++)
        if (gbs_explanation_importance(e, k)->column == column)
            return gbs_explanation_importance(e, k);
    fail();
    return NULL;
}

static inline gbs_model *fit_with(gbs_context *ctx, const gbs_data *data, const char *option,
                                  const char *value) {
    gbs_options *o;
    gbs_model *model;
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    if (option != NULL)
        assert_ok(ctx, gbs_options_set(o, option, value));
    assert_ok(ctx, gbs_fit(ctx, data, o, &model));
    gbs_options_free(o);
    return model;
}

/* Age, job and shoe size, every seventh job and ninth age missing. */
static inline gbs_data *people_data(gbs_context *ctx, struct people *p, gbs_table **table) {
    gbs_options *o;
    gbs_data *data;
    for (size_t i = 0; i < ROWS; i++) {
        if (i % 7 == 3)
            p->job[i] = NULL;
        if (i % 9 == 4)
            p->age[i] = NAN;
    }
    assert_ok(ctx, gbs_table_create(ctx, ROWS, 4, table));
    assert_ok(ctx, gbs_table_add_numbers(ctx, *table, "age", p->age));
    assert_ok(ctx, gbs_table_add_texts(ctx, *table, "job", p->job));
    assert_ok(ctx, gbs_table_add_numbers(ctx, *table, "shoe", p->shoe));
    assert_ok(ctx, gbs_table_add_texts(ctx, *table, "happy", p->label));
    assert_ok(ctx, gbs_options_create(ctx, "fit", &o));
    assert_ok(ctx, gbs_options_set(o, "missing", "impute"));
    assert_ok(ctx, gbs_table_train(ctx, *table, o, &data));
    gbs_options_free(o);
    return data;
}

#endif
