/* The chain of maps: each against a plain twin, through the file and back, and what a certificate
 * is told of it; and a map of the test's own, which the chain carries like any other. */
#include "file/maps_file.h"
#include "fit/certify.h"
#include "fit/ways.h"
#include "map/map.h"
#include "unit/rank_support.h"

enum { N = 70, D = 4 };

static gbs_fit_settings asked(gbs_scale scale, bool intercept, double cx) {
    gbs_fit_settings o = gbs_fit_settings_default();
    o.scale = scale;
    o.intercept = intercept;
    o.constant = intercept ? 3.0 : 1.0;
    o.cx = cx;
    o.columns = GBS_COLUMNS_EQUAL;
    return o;
}

/* A row of the design, dense, from either form. */
static void row_of(const gbs_rows *rows, size_t i, double *out) {
    const gbs_strip *s = &rows->all;
    for (size_t k = 0; k < rows->d; k++)
        out[k] = s->dense != NULL ? s->dense[i * s->ld + k] : s->shift != NULL ? -s->shift[k] : 0.0;
    for (size_t j = s->dense != NULL ? 0 : s->start[i]; s->dense == NULL && j < s->start[i + 1];
         j++)
        out[s->column[j]] += s->value[j];
}

/* The same by the formulas, one cell after the other. */
static void plain_row(const struct table_of_numbers *t, size_t i, const gbs_fit_settings *o,
                      double *out) {
    double norm = 0.0;
    for (size_t k = 0; k < t->d; k++) {
        double mean = 0.0, square = 0.0, x = t->x[i * t->d + k];
        for (size_t j = 0; j < t->n; j++)
            mean += t->x[j * t->d + k] / (double)t->n;
        for (size_t j = 0; j < t->n; j++)
            square += (t->x[j * t->d + k] - mean) * (t->x[j * t->d + k] - mean) / (double)t->n;
        out[k] = o->scale == GBS_SCALE_STANDARD ? (x - mean) / sqrt(square) : x;
    }
    size_t d = t->d;
    if (o->intercept)
        out[d++] = o->constant;
    for (size_t k = 0; k < d; k++)
        norm += out[k] * out[k];
    norm = sqrt(norm);
    if (o->scale == GBS_SCALE_UNIT_ROW) {
        for (size_t k = 0; k < d; k++)
            out[k] /= norm;
        norm = 1.0;
    }
    for (size_t k = 0; o->cx > 0.0 && norm > o->cx && k < d; k++)
        out[k] *= o->cx / norm;
}

static struct table_of_numbers some_table(struct dice *r) {
    struct table_of_numbers t = two_clouds(r, N, D, 0.7, 0.4);
    for (size_t i = 0; i < N; i++) {
        t.x[i * D + 1] = i % 3 == 0 ? t.x[i * D + 1] : 0.0;
        t.x[i * D + 2] += 50.0; /* far from 0: stored centred where rows are sparse */
    }
    make_csr(&t);
    return t;
}

/* Every chain that options can ask for: widths, rows from dense and sparse data, views. */
static void a_chain_does_what_its_maps_do(void **state) {
    (void)state;
    struct dice r = {501};
    struct table_of_numbers t = some_table(&r);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *both[] = {dense_data(ctx, &t), sparse_data(ctx, &t)};
    for (int scale = 0; scale < 3; scale++)
        for (int intercept = 0; intercept < 2; intercept++)
            for (int clipped = 0; clipped < 2; clipped++)
                for (size_t j = 0; j < 2; j++) {
                    gbs_fit_settings o = asked((gbs_scale)scale, intercept != 0,
                                               clipped ? 0.8 : 0.0);
                    gbs_maps maps;
                    gbs_rows rows;
                    double expected[D + 1] = {0}, found[D + 1] = {0};
                    assert_ok(ctx, gbs_maps_learn(ctx, both[j], &o, &maps));
                    assert_int_equal(maps.given, D);
                    assert_int_equal(maps.d, D + (size_t)intercept);
                    assert_int_equal(gbs_maps_columns(&o, D), maps.d);
                    assert_ok(ctx, gbs_rows_build(ctx, both[j], &maps, &rows));
                    assert_int_equal(rows.d, maps.d);
                    /* nothing to do: the caller's own cells */
                    if (maps.count == 0 && j == 0)
                        assert_ptr_equal(rows.all.dense, both[0]->dense);
                    for (size_t i = 0; i < N; i++) {
                        plain_row(&t, i, &o, expected);
                        row_of(&rows, i, found);
                        for (size_t k = 0; k < maps.d; k++)
                            assert_close(found[k], expected[k], 1e-11, 1e-13);
                    }
                    gbs_rows_free(ctx, &rows);
                    gbs_maps_free(ctx, &maps);
                }
    gbs_data_free(both[0]);
    gbs_data_free(both[1]);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Large sparse data stays sparse; its rows are those of the same data made dense. */
static void sparse_rows_stay_sparse_and_mean_the_same(void **state) {
    (void)state;
    enum { ROWS = 900, WIDE = 3000, STORED = 6 };
    struct dice r = {502};
    gbs_context *ctx = new_context(1, 1);
    size_t start[ROWS + 1] = {0};
    uint32_t *column = take(ROWS * STORED, sizeof *column);
    double *value = doubles(ROWS * STORED), *y = doubles(ROWS), *x = doubles((size_t)ROWS * WIDE);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < STORED; j++) { /* column 0 in every row, far from 0 */
            size_t k = i * STORED + j;
            column[k] = (uint32_t)(j == 0 ? 0 : (j - 1) * 600 + 1 + dice_below(&r, 590));
            value[k] = dice_normal(&r) + (j == 0 ? 40.0 : 0.0);
            x[i * WIDE + column[k]] = value[k];
        }
        start[i + 1] = (i + 1) * STORED;
        y[i] = i % 2 == 0 ? 1.0 : -1.0;
    }
    gbs_data *sparse, *dense;
    assert_ok(ctx, gbs_data_csr(ctx, ROWS, WIDE, start, column, value, y, GBS_BORROW, &sparse));
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, WIDE, x, WIDE, y, GBS_BORROW, &dense));
    double *a = doubles(WIDE + 1), *b = doubles(WIDE + 1);
    for (int scale = 0; scale < 3; scale++) {
        gbs_fit_settings o = asked((gbs_scale)scale, true, 0.0);
        gbs_maps maps;
        gbs_rows rows, twin;
        assert_ok(ctx, gbs_maps_learn(ctx, sparse, &o, &maps));
        assert_ok(ctx, gbs_rows_build(ctx, sparse, &maps, &rows));
        assert_ok(ctx, gbs_rows_build(ctx, dense, &maps, &twin));
        assert_null(rows.all.dense);
        assert_true((rows.all.shift != NULL) == (scale == GBS_SCALE_STANDARD));
        for (size_t i = 0; i < ROWS; i += 37) {
            row_of(&rows, i, a);
            row_of(&twin, i, b);
            for (size_t k = 0; k < maps.d; k++)
                assert_close(a[k], b[k], 1e-12, 1e-13);
        }
        gbs_rows_free(ctx, &rows);
        gbs_rows_free(ctx, &twin);
        gbs_maps_free(ctx, &maps);
    }
    /* a length cannot be kept on rows that share a shift */
    gbs_fit_settings o = asked(GBS_SCALE_STANDARD, true, 1.0);
    gbs_maps maps;
    gbs_rows rows;
    assert_ok(ctx, gbs_maps_learn(ctx, sparse, &o, &maps));
    assert_int_equal(gbs_rows_build(ctx, sparse, &maps, &rows), GBS_ERR_ARGUMENT);
    assert_non_null(strstr(gbs_error_message(ctx), "cx cannot be kept"));
    gbs_maps_free(ctx, &maps);
    gbs_data_free(sparse);
    gbs_data_free(dense);
    free(column);
    free(value);
    free(y);
    free(x);
    free(a);
    free(b);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- kept, copied, compared */

static gbs_status through_file(gbs_context *ctx, const gbs_map_ops *const *table, gbs_scale kind,
                               bool intercept, const gbs_maps *maps, gbs_maps *out) {
    json_t *root = json_object();
    gbs_scale read;
    assert_true(gbs_json_put_maps(ctx, root, kind, maps));
    gbs_status status = gbs_json_get_maps(ctx, root, table, intercept, maps->given, maps->d, &read,
                                          out);
    assert_true(status != GBS_OK || read == kind);
    json_decref(root);
    return status;
}

static void check_same_rows(gbs_context *ctx, const gbs_data *data, const gbs_maps *a,
                            const gbs_maps *b) {
    gbs_rows x, y;
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->d, b->d);
    assert_ok(ctx, gbs_rows_build(ctx, data, a, &x));
    assert_ok(ctx, gbs_rows_build(ctx, data, b, &y));
    double one[3 * D], two[3 * D];
    for (size_t i = 0; i < data->n; i++) {
        row_of(&x, i, one);
        row_of(&y, i, two);
        assert_true(same_bits(one, two, a->d));
    }
    assert_ok(ctx, gbs_maps_agree(ctx, a, b));
    for (size_t k = 0; k < a->d; k++) {
        assert_int_equal(gbs_maps_column(a, k), gbs_maps_column(b, k));
        assert_true(gbs_maps_unit(a, k) == gbs_maps_unit(b, k));
    }
    gbs_rows_free(ctx, &x);
    gbs_rows_free(ctx, &y);
}

static void files_and_copies_give_the_same_bits(void **state) {
    (void)state;
    struct dice r = {503};
    struct table_of_numbers t = some_table(&r);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    for (int scale = 0; scale < 3; scale++)
        for (int relevance = 0; relevance < (scale == GBS_SCALE_STANDARD ? 2 : 1); relevance++)
            for (int clipped = 0; clipped < 2; clipped++) {
                gbs_fit_settings o = asked((gbs_scale)scale, true, clipped ? 0.8 : 0.0);
                gbs_maps maps, copy, read;
                o.columns = relevance ? GBS_COLUMNS_RELEVANCE : GBS_COLUMNS_EQUAL;
                assert_ok(ctx, gbs_maps_learn(ctx, data, &o, &maps));
                assert_ok(ctx, gbs_maps_copy(ctx, &maps, &copy));
                assert_ok(ctx, through_file(ctx, gbs_map_table, o.scale, true, &maps, &read));
                check_same_rows(ctx, data, &maps, &read);
                gbs_maps_free(ctx, &maps);
                check_same_rows(ctx, data, &copy, &read);
                assert_false(gbs_maps_plain(&copy)); /* the constant is 3 */
                gbs_maps_free(ctx, &copy);
                gbs_maps_free(ctx, &read);
            }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Columns that were left out: raw rows of all columns give rows of those used. */
static void columns_that_are_left_out_stay_out(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    const size_t start[] = {0, 2, 4, 5, 7};
    const uint32_t column[] = {1, 4, 1, 4, 1, 1, 4}, other_column[] = {0, 1, 1, 4, 1, 1, 4};
    const double value[] = {1.0, 2.0, 3.0, 1.0, 2.0, 5.0, 4.0}, y[] = {1.0, -1.0, 1.0, -1.0};
    gbs_data *data, *kept, *other;
    gbs_seen seen;
    size_t lost;
    gbs_maps maps, read;
    gbs_fit_settings o = asked(GBS_SCALE_STANDARD, true, 0.0);
    assert_ok(ctx, gbs_data_csr(ctx, 4, 6, start, column, value, y, GBS_COPY, &data));
    assert_ok(ctx, gbs_data_csr(ctx, 4, 6, start, other_column, value, y, GBS_COPY, &other));
    assert_ok(ctx, gbs_data_seen(ctx, data, NULL, 4, &seen));
    assert_int_equal(seen.size, 2);
    assert_ok(ctx, gbs_data_keep(ctx, data, &seen, &kept, &lost));
    assert_ok(ctx, gbs_maps_learn(ctx, kept, &o, &maps));
    assert_int_equal(gbs_maps_learned(&maps), GBS_LEARNED_SCALING);
    assert_ok(ctx, gbs_maps_see(ctx, &maps, &seen));
    assert_null(seen.column);
    assert_int_equal(gbs_maps_learned(&maps), GBS_LEARNED_SCALING | GBS_LEARNED_COLUMNS);
    assert_int_equal(maps.given, 6);
    assert_int_equal(maps.d, 3);
    assert_int_equal(gbs_maps_column(&maps, 0), 1);
    assert_int_equal(gbs_maps_column(&maps, 1), 4);
    assert_int_equal(gbs_maps_column(&maps, 2), 6); /* the intercept */
    assert_true(gbs_maps_unit(&maps, 2) == 3.0);
    gbs_rows a, b;
    assert_ok(ctx, gbs_rows_build(ctx, data, &maps, &a));
    assert_ok(ctx, gbs_rows_build(ctx, other, &maps, &b)); /* a cell of column 0 is left out */
    double one[3], two[3];
    row_of(&a, 1, one);
    row_of(&b, 1, two);
    assert_true(same_bits(one, two, 3));
    assert_ok(ctx, through_file(ctx, gbs_map_table, o.scale, true, &maps, &read));
    check_same_rows(ctx, other, &maps, &read);
    assert_int_equal(gbs_rows_build(ctx, kept, &maps, &b), GBS_ERR_DATA);
    gbs_rows_free(ctx, &a);
    gbs_rows_free(ctx, &b);
    gbs_maps_free(ctx, &maps);
    gbs_maps_free(ctx, &read);
    gbs_data_free(data);
    gbs_data_free(other);
    gbs_data_free(kept);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- validity */

/* Under the zero prior, what a map learned came from certified rows; from a first part it is
 * free. */
static void a_certificate_is_told_what_maps_learned(void **state) {
    (void)state;
    struct dice r = {504};
    struct table_of_numbers t = some_table(&r);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    for (int scale = 0; scale < 3; scale++)
        for (int informed = 0; informed < 2; informed++) {
            gbs_fit_settings o = asked((gbs_scale)scale, true, 0.0);
            gbs_maps maps;
            o.prior = informed ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
            assert_ok(ctx, gbs_maps_learn(ctx, data, &o, &maps));
            unsigned bits = gbs_common_assumptions(&o, &maps);
            bool broken = scale == GBS_SCALE_STANDARD && !informed;
            assert_true(((bits & GBS_BROKEN_SCALING) != 0) == broken);
            assert_true(gbs_assumptions_hold(bits) == !broken);
            gbs_maps_free(ctx, &maps);
        }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- a map of our own */

/* Squares of the scaled columns about a point learned from scaled rows, in twice as many columns: a
 * map of another width. All that it takes stands between here and the next line. */
struct toy {
    gbs_map map;
    double sharpness;
    double *point; /* the mean of the rows that come in */
};

static bool toy_wanted(const gbs_fit_settings *o) {
    return o->folds == 77; /* an option of its own, were it real */
}

static size_t toy_columns(const gbs_fit_settings *o, size_t in) {
    (void)o;
    return 2 * in;
}

static void toy_set(gbs_map *map, const gbs_fit_settings *o) {
    (void)o;
    ((struct toy *)map)->sharpness = 1.5;
}

static gbs_status toy_learn(gbs_context *ctx, gbs_map *map, const gbs_data *data,
                            const gbs_fit_settings *o, const gbs_maps *before) {
    struct toy *toy = (struct toy *)map;
    gbs_rows rows;
    (void)o;
    assert_int_equal(before->d, map->in);
    gbs_status status = gbs_rows_build(ctx, data, before, &rows);
    if (status != GBS_OK)
        return status;
    toy->point = gbs_doubles(ctx, map->in);
    if (toy->point == NULL)
        status = GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < data->n; i++) {
        double row[D];
        row_of(&rows, i, row);
        for (size_t k = 0; k < map->in; k++)
            toy->point[k] += row[k] / (double)data->n;
    }
    gbs_rows_free(ctx, &rows);
    return status;
}

static gbs_status toy_keep(gbs_map *map, gbs_archive *a) {
    struct toy *toy = (struct toy *)map;
    gbs_status status = a->real(a, "sharpness", 1.0, &toy->sharpness);
    return status == GBS_OK ? a->reals(a, "point", map->in, false, &toy->point) : status;
}

static gbs_status toy_settle(gbs_context *ctx, gbs_map *map) {
    (void)ctx;
    map->out = 2 * map->in;
    return GBS_OK;
}

static gbs_status toy_transform(gbs_context *ctx, const gbs_map *map, const gbs_strip *in,
                                double *out, size_t ld) {
    const struct toy *toy = (const struct toy *)map;
    (void)ctx;
    for (size_t i = 0; i < in->n; i++)
        for (size_t k = 0; k < map->in; k++) {
            double x = in->dense[i * in->ld + k];
            out[i * ld + k] = x;
            out[i * ld + map->in + k] = toy->sharpness * (x - toy->point[k]) * (x - toy->point[k]);
        }
    return GBS_OK;
}

static size_t toy_origin(const gbs_map *map, size_t k) {
    return k < map->in ? k : GBS_FROM_MANY;
}

static const gbs_map_ops toy_ops = {
    .name = "toy",
    .place = GBS_PLACE_FEATURES,
    .size = sizeof(struct toy),
    .learned = GBS_LEARNED_SCALING,
    .wanted = toy_wanted,
    .columns = toy_columns,
    .set = toy_set,
    .learn = toy_learn,
    .keep = toy_keep,
    .settle = toy_settle,
    .transform = toy_transform,
    .origin = toy_origin,
};

/* The table with a line more: the new map last, though it stands in the middle of the chain. */
static const gbs_map_ops *const with_toy[] = {
    &gbs_map_seen, &gbs_map_standard, &gbs_map_intercept, &gbs_map_length, &toy_ops, NULL};

/* A certificate knows that the map learned, and a posterior is fitted to its rows. */
static void check_fit_of_mapped(gbs_context *ctx, const gbs_maps *maps, const gbs_rows *rows) {
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_empirical *risk;
    gbs_posterior fitted;
    o.scale = GBS_SCALE_STANDARD;
    o.prior = GBS_PRIOR_ZERO;
    assert_true((gbs_common_assumptions(&o, maps) & GBS_BROKEN_SCALING) != 0);
    o = gbs_fit_settings_default();
    o.loss = GBS_LOSS_HINGE;
    gbs_fill_defaults(&o, rows->all.n, rows->d);
    assert_ok(ctx, gbs_empirical_over_rows(ctx, rows, &gbs_hinge, &risk));
    gbs_posterior_job job = {.ctx = ctx,
                             .options = &o,
                             .risk = risk,
                             .lambda = (double)rows->all.n,
                             .prior = {NULL, 1.0}};
    assert_ok(ctx, gbs_posterior_fit(&job, &fitted));
    assert_int_equal(fitted.stage.posterior.d, 2 * D + 1);
    assert_true(fitted.stage.posterior.mean[0] > 0.3);
    gbs_posterior_free(ctx, &fitted);
    gbs_empirical_free(risk);
}

static void a_new_map_is_one_file(void **state) {
    (void)state;
    enum { MANY = 5000 };
    struct dice r = {505};
    struct table_of_numbers t = two_clouds(&r, MANY, D, 0.7, 0.4);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *both[] = {dense_data(ctx, &t), sparse_data(ctx, &t)};
    for (size_t j = 0; j < 2; j++) {
        gbs_fit_settings o = asked(GBS_SCALE_STANDARD, true, 0.0);
        gbs_maps maps, plain, read;
        gbs_rows rows, scaled;
        assert_ok(ctx, gbs_maps_learn_from(ctx, with_toy, both[j], &o, &plain));
        o.folds = 77;
        assert_ok(ctx, gbs_maps_learn_from(ctx, with_toy, both[j], &o, &maps));
        assert_int_equal(maps.count, 3);
        assert_int_equal(maps.d, 2 * D + 1);
        assert_ok(ctx, gbs_rows_build(ctx, both[j], &plain, &scaled));
        assert_ok(ctx, gbs_rows_build(ctx, both[j], &maps, &rows));
        assert_int_equal(rows.d, 2 * D + 1);
        for (size_t i = 0; i < MANY; i++) {
            double in[D + 1] = {0}, out[2 * D + 1] = {0};
            row_of(&scaled, i, in);
            row_of(&rows, i, out);
            for (size_t k = 0; k < D; k++) {
                assert_true(out[k] == in[k]);
                assert_close(out[D + k], 1.5 * in[k] * in[k], 1e-9, 1e-9); /* the mean is 0 */
            }
            assert_true(out[2 * D] == 3.0);
        }
        assert_int_equal(gbs_maps_column(&maps, 1), 1);
        assert_int_equal(gbs_maps_column(&maps, D), SIZE_MAX);
        assert_int_equal(gbs_maps_column(&maps, 2 * D), D);
        assert_true(gbs_maps_unit(&maps, 2 * D) == 3.0);
        /* the file has an object of its name; a reader without the map finds another d */
        assert_false(gbs_maps_plain(&maps));
        assert_ok(ctx, through_file(ctx, with_toy, o.scale, true, &maps, &read));
        check_same_rows(ctx, both[j], &maps, &read);
        gbs_maps_free(ctx, &read);
        assert_int_equal(through_file(ctx, gbs_map_table, o.scale, true, &maps, &read),
                         GBS_ERR_FORMAT);
        check_fit_of_mapped(ctx, &maps, &rows);
        gbs_rows_free(ctx, &rows);
        gbs_rows_free(ctx, &scaled);
        gbs_maps_free(ctx, &maps);
        gbs_maps_free(ctx, &plain);
    }
    gbs_data_free(both[0]);
    gbs_data_free(both[1]);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_chain_does_what_its_maps_do),
        cmocka_unit_test(sparse_rows_stay_sparse_and_mean_the_same),
        cmocka_unit_test(files_and_copies_give_the_same_bits),
        cmocka_unit_test(columns_that_are_left_out_stay_out),
        cmocka_unit_test(a_certificate_is_told_what_maps_learned),
        cmocka_unit_test(a_new_map_is_one_file),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
