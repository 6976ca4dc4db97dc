/* Columns of sparse data that no learn row sets are left out: the rest of the model is that of the
 * rows without them, in time and memory of what is stored. */
#include "data/rows.h"
#include "unit/host.h"

enum { ROWS = 60, USED = 5, PER_ROW = 3 };

/* Columns far apart; `used[k]` is where column k of the compact rows stands in the wide ones. */
static const uint32_t used[USED] = {0, 7, 1000, 123456789, 4000000000U};

struct sparse {
    size_t start[ROWS + 1];
    uint32_t narrow[ROWS * PER_ROW], wide[ROWS * PER_ROW];
    double value[ROWS * PER_ROW], y[ROWS];
};

static struct sparse make_rows(gbs_context *ctx) {
    struct sparse s = {0};
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0.0;
        for (size_t k = 0, column = 0; k < PER_ROW; column++) { /* all but two of them, in turn */
            if (column == i % USED || column == (i + 2) % USED)
                continue;
            s.narrow[i * PER_ROW + k] = (uint32_t)column;
            s.value[i * PER_ROW + k] = 0.5 + gbs_random_uniform(ctx, 3, i * PER_ROW + k);
            k++;
        }
        for (size_t k = 0; k < PER_ROW; k++) {
            s.wide[i * PER_ROW + k] = used[s.narrow[i * PER_ROW + k]];
            sum += s.value[i * PER_ROW + k] * (s.narrow[i * PER_ROW + k] % 2 == 0 ? 1.0 : -1.0);
        }
        s.y[i] = sum + 0.5 * gbs_random_normal(ctx, 4, i) > 0.2 ? 1.0 : -1.0;
        s.start[i + 1] = (i + 1) * PER_ROW;
    }
    return s;
}

/* A fit to wide rows is the fit to narrow ones, whatever the prior; predictions too, after a file.
 */
static void the_columns_between_cost_nothing(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 11);
    struct sparse s = make_rows(ctx);
    gbs_data *narrow, *wide;
    assert_int_equal(
        gbs_data_csr(ctx, ROWS, USED, s.start, s.narrow, s.value, s.y, GBS_COPY, &narrow), GBS_OK);
    assert_int_equal(gbs_data_csr(ctx, ROWS, (size_t)UINT32_MAX + 1, s.start, s.wide, s.value, s.y,
                                  GBS_COPY, &wide),
                     GBS_OK);
    wide->hashed = true; /* the columns have other numbers, which is another order of the rows */
    wide->summary.hash = gbs_data_hash(narrow);
    for (int kind = 0; kind < 4; kind++) {
        gbs_fit_settings o = gbs_fit_settings_default();
        o.loss = kind % 2 == 0 ? GBS_LOSS_ZERO_ONE : GBS_LOSS_HINGE;
        o.prior = kind < 2 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
        gbs_model *a, *b, *again;
        gbs_model_info ia, ib;
        double pa[ROWS], pb[ROWS], pc[ROWS];
        char *text;
        size_t size;
        assert_int_equal(gbs_fit_run(ctx, narrow, &o, &a), GBS_OK);
        assert_int_equal(gbs_fit_run(ctx, wide, &o, &b), GBS_OK);
        ia = *gbs_model_get_info(a);
        ib = *gbs_model_get_info(b);
        assert_true(ia.d == ib.d && ib.features == (size_t)UINT32_MAX + 1);
        assert_true(ia.free_energy == ib.free_energy && ia.train_error == ib.train_error);
        for (size_t k = 0; k < USED; k++)
            assert_true(gbs_model_column(b, k) == used[gbs_model_column(a, k)]);
        assert_true(gbs_model_column(b, ib.d - 1) == ib.features); /* the intercept */
        assert_true(gbs_model_column(b, ib.d) == SIZE_MAX);
        assert_int_equal(gbs_model_predict(ctx, a, narrow, NULL, NULL, pa), GBS_OK);
        assert_int_equal(gbs_model_predict(ctx, b, wide, NULL, NULL, pb), GBS_OK);
        assert_memory_equal(pa, pb, sizeof pa);
        assert_int_equal(gbs_model_to_json(ctx, b, &text, &size), GBS_OK);
        assert_int_equal(gbs_model_from_json(ctx, text, size, &again), GBS_OK);
        assert_int_equal(gbs_model_predict(ctx, again, wide, NULL, NULL, pc), GBS_OK);
        assert_memory_equal(pb, pc, sizeof pb);
        assert_int_equal(gbs_model_predict(ctx, again, narrow, NULL, NULL, pc), GBS_ERR_DATA);
        gbs_release(ctx, text);
        gbs_model_free(a);
        gbs_model_free(b);
        gbs_model_free(again);
    }
    gbs_data_free(narrow);
    gbs_data_free(wide);
    gbs_context_free(ctx);
}

/* Under an informed prior the list comes from the first part alone: rows behind it cannot move it.
 */
static void later_rows_do_not_choose_columns(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 11);
    struct sparse s = make_rows(ctx), t = s;
    gbs_fit_settings o = gbs_fit_settings_default();
    size_t order[ROWS], first;
    gbs_data *data[2], *before;
    assert_int_equal(gbs_data_csr(ctx, ROWS, (size_t)UINT32_MAX + 1, s.start, s.wide, s.value, s.y,
                                  GBS_COPY, &before),
                     GBS_OK);
    assert_int_equal(gbs_fit_order_run(ctx, before, &o, order, &first), GBS_OK);
    size_t last = order[ROWS - 1];
    t.wide[last * PER_ROW + PER_ROW - 1] = 4100000000U; /* set in a row that certifies alone */
    gbs_model *model[2];
    gbs_model_info info[2];
    for (int k = 0; k < 2; k++) {
        struct sparse *from = k == 0 ? &s : &t;
        size_t count;
        assert_int_equal(gbs_data_csr(ctx, ROWS, (size_t)UINT32_MAX + 1, from->start, from->wide,
                                      from->value, from->y, GBS_COPY, &data[k]),
                         GBS_OK);
        data[k]->hashed = true; /* the same order for both */
        data[k]->summary.hash = gbs_data_hash(before);
        assert_int_equal(gbs_fit_run(ctx, data[k], &o, &model[k]), GBS_OK);
        info[k] = *gbs_model_get_info(model[k]);
        assert_true(certificates_of(model[k], &count)->valid);
    }
    assert_true(info[0].d == info[1].d && info[0].d == USED + 1);
    o.prior = GBS_PRIOR_ZERO; /* all rows learn: the list looks at certified rows, and says so */
    gbs_model *zero;
    size_t count;
    assert_int_equal(gbs_fit_run(ctx, data[1], &o, &zero), GBS_OK);
    info[0] = *gbs_model_get_info(zero);
    assert_true(info[0].d == USED + 2 && !certificates_of(zero, &count)->valid);
    gbs_model_free(zero);
    gbs_data_free(before);
    for (int k = 0; k < 2; k++) {
        gbs_model_free(model[k]);
        gbs_data_free(data[k]);
    }
    gbs_context_free(ctx);
}

/* Dense rows may be predicted by a model of sparse ones, and what stands elsewhere is left out. */
static void dense_rows_meet_the_same_columns(void **state) {
    (void)state;
    enum { WIDE = 9 };
    gbs_context *ctx = new_context(1, 11);
    struct sparse s = make_rows(ctx);
    double cells[ROWS * WIDE] = {0}, a[ROWS], b[ROWS];
    static const uint32_t place[USED] = {1, 2, 4, 5, 8};
    for (size_t k = 0; k < ROWS * PER_ROW; k++) {
        s.wide[k] = place[s.narrow[k]];
        cells[k / PER_ROW * WIDE + s.wide[k]] = s.value[k];
    }
    gbs_data *sparse, *dense;
    gbs_model *model;
    gbs_fit_settings o = gbs_fit_settings_default();
    o.scale = GBS_SCALE_NONE;
    o.intercept = 0;
    o.prior = GBS_PRIOR_ZERO;
    assert_int_equal(
        gbs_data_csr(ctx, ROWS, WIDE, s.start, s.wide, s.value, s.y, GBS_COPY, &sparse), GBS_OK);
    assert_int_equal(gbs_fit_run(ctx, sparse, &o, &model), GBS_OK);
    assert_int_equal(gbs_model_predict(ctx, model, sparse, a, NULL, NULL), GBS_OK);
    for (size_t i = 0; i < ROWS; i++)
        cells[i * WIDE + 3] = 5.0; /* a column that no row set */
    assert_int_equal(gbs_data_dense(ctx, ROWS, WIDE, cells, WIDE, s.y, GBS_BORROW, &dense), GBS_OK);
    assert_int_equal(gbs_model_predict(ctx, model, dense, b, NULL, NULL), GBS_OK);
    assert_memory_equal(a, b, sizeof a);
    gbs_model_free(model);
    gbs_data_free(sparse);
    gbs_data_free(dense);
    gbs_context_free(ctx);
}

static void particles_know_their_columns(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 11);
    struct sparse s = make_rows(ctx);
    gbs_data *wide;
    gbs_particles *p;
    gbs_sample_settings o = gbs_sample_settings_default();
    double share[ROWS];
    o.particles = 64;
    o.lambda = 5.0;
    assert_int_equal(gbs_data_csr(ctx, ROWS, (size_t)UINT32_MAX + 1, s.start, s.wide, s.value, s.y,
                                  GBS_COPY, &wide),
                     GBS_OK);
    assert_int_equal(gbs_sample_run(ctx, wide, &o, &p), GBS_OK);
    const gbs_sample_info *info = gbs_particles_get_info(p);
    assert_true(info->d == USED + 1 && info->features == (size_t)UINT32_MAX + 1);
    for (size_t k = 0; k < USED; k++)
        assert_true(gbs_particles_column(p, k) == used[k]);
    assert_true(gbs_particles_column(p, USED) == info->features);
    assert_int_equal(gbs_particles_predict(ctx, p, wide, NULL, NULL, share), GBS_OK);
    gbs_particles_free(p);
    gbs_data_free(wide);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_columns_between_cost_nothing),
        cmocka_unit_test(later_rows_do_not_choose_columns),
        cmocka_unit_test(dense_rows_meet_the_same_columns),
        cmocka_unit_test(particles_know_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
