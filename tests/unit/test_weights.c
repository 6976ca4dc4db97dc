/* Weights of rows: a whole number w is a row that is there w times, in every sum that a risk is
 * made of; and what they may and may not change in a fit. */
#include "core/random.h"
#include "data/rows.h"
#include "fit/ways.h"
#include "model/model.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

enum { N = 50, D = 4, MOST = 3 };

/* Rows with weights 1 .. 3, and the same rows so many times. */
struct twins {
    struct design once, often;
    double *weight;
};

static struct twins make_twins(struct dice *r, bool sparse) {
    struct twins t = {.once = make_design(r, N, D, sparse, 7), .weight = doubles(N)};
    size_t n = 0;
    for (size_t i = 0; i < N; i++) {
        t.weight[i] = 1.0 + (double)dice_below(r, MOST);
        n += (size_t)t.weight[i];
    }
    t.often = (struct design){.cells = doubles(n * D), .shift = doubles(D)};
    t.often.table = (struct table_of_numbers){.n = n, .d = D, .y = doubles(n), .x = doubles(n * D)};
    n = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < (size_t)t.weight[i]; k++, n++) {
            memcpy(t.often.cells + n * D, t.once.cells + i * D, D * sizeof *t.often.cells);
            memcpy(t.often.table.x + n * D, t.once.table.x + i * D, D * sizeof *t.often.cells);
            t.often.table.y[n] = t.once.table.y[i];
        }
    t.often.rows = gbs_rows_wrap(n, D, t.often.cells, D, t.often.table.y);
    t.often.rows.strip_rows = 11;
    t.once.rows.all.weight = t.weight;
    return t;
}

static void free_twins(struct twins *t) {
    free_design(&t->once);
    free_design(&t->often);
    free(t->weight);
}

static void check_slopes(struct dice *r, const struct twins *t, gbs_loss loss, gbs_family family) {
    struct bench *a = make_bench(r, &t->once.rows, loss, family, 40.0, 0.7, true),
                 *b = make_bench(r, &t->often.rows, loss, family, 40.0, 0.7, true);
    move_randomly(r, a, 0.6, 0.4);
    gbs_gaussian_copy(&b->g, &a->g);
    memcpy(b->prior_mean, a->prior_mean, D * sizeof *b->prior_mean);
    evaluate(a);
    evaluate(b);
    assert_close(a->point.free_energy, b->point.free_energy, 1e-12, 0.0);
    assert_close(a->point.risk, b->point.risk, 1e-12, 0.0);
    for (size_t k = 0; k < D; k++)
        assert_close(a->point.d_mean[k], b->point.d_mean[k], 1e-11, 1e-12);
    for (size_t k = 0; k < gbs_pull_size(a->family->pull, D); k++)
        assert_close(a->point.pull[k], b->point.pull[k], 1e-11, 1e-12);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j <= i; j++)
            assert_close(a->point.curvature[i * D + j], b->point.curvature[i * D + j], 1e-11,
                         1e-12);
    /* and the slope is that of the value */
    double slope[D];
    memcpy(slope, a->point.d_mean, sizeof slope);
    for (size_t k = 0; k < D; k++) {
        double at = a->g.mean[k], step = 1e-5;
        a->g.mean[k] = at + step;
        double up = evaluate(a);
        a->g.mean[k] = at - step;
        double down = evaluate(a);
        a->g.mean[k] = at;
        assert_close((up - down) / (2.0 * step), slope[k], 1e-6, 1e-6);
    }
    free_bench(a);
    free_bench(b);
}

static void whole_weights_are_repeated_rows(void **state) {
    (void)state;
    struct dice r = {1201};
    static const gbs_family families[] = {GBS_FAMILY_ISOTROPIC, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_FULL};
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t l = 0; l < COUNT(all_losses); l++)
            for (size_t f = 0; f < COUNT(families); f++) {
                struct twins t = make_twins(&r, sparse != 0);
                check_slopes(&r, &t, all_losses[l], families[f]);
                free_twins(&t);
            }
}

/* Values with a second moment, of the whole, of a part and in other coordinates; counted once. */
static void values_go_by_the_weights(void **state) {
    (void)state;
    struct dice r = {1202};
    for (int sparse = 0; sparse < 2; sparse++) {
        struct twins t = make_twins(&r, sparse != 0);
        struct bench *a = make_bench(&r, &t.once.rows, GBS_LOSS_HINGE, GBS_FAMILY_FULL, 40.0, 0.7,
                                     false);
        gbs_context *ctx = a->ctx;
        gbs_empirical *often, *plain, *other;
        gbs_rows bare = t.once.rows;
        bare.all.weight = NULL;
        move_randomly(&r, a, 0.6, 0.4);
        gbs_spread at = gbs_gaussian_spread(&a->g);
        double mean[2], second[2];
        assert_ok(ctx, gbs_empirical_over_rows(ctx, &t.often.rows, &gbs_hinge, &often));
        assert_ok(ctx, gbs_empirical_over_rows(ctx, &bare, &gbs_hinge, &plain));
        assert_ok(ctx, gbs_empirical_on_design(a->risk, D, t.once.cells, &other));
        for (int zero_one = 0; zero_one < 2; zero_one++) {
            const gbs_loss_ops *loss = zero_one ? &gbs_zero_one : &gbs_hinge;
            assert_ok(ctx, gbs_empirical_value(a->risk, loss, &at, false, mean, second));
            assert_ok(ctx, gbs_empirical_value(often, loss, &at, false, mean + 1, second + 1));
            assert_close(mean[0], mean[1], 1e-12, 0.0);
            assert_close(second[0], second[1], 1e-12, 0.0);
            assert_ok(ctx, gbs_empirical_value(other, loss, &at, false, mean + 1, NULL));
            assert_close(mean[0], mean[1], 1e-11, 0.0);
            gbs_empirical once = gbs_empirical_counted_once(a->risk);
            assert_ok(ctx, gbs_empirical_value(&once, loss, &at, false, mean, second));
            assert_ok(ctx, gbs_empirical_value(plain, loss, &at, false, mean + 1, second + 1));
            assert_true(same_bits(mean, mean + 1, 1) && same_bits(second, second + 1, 1));
        }
        gbs_empirical_free(often);
        gbs_empirical_free(plain);
        gbs_empirical_free(other);
        free_bench(a);
        free_twins(&t);
    }
}

/* Risks of many coefficient vectors, in tiles and on rings of states. */
static void particles_see_repeated_rows(void **state) {
    (void)state;
    enum { COUNT_OF = 21, STATES = 6, SIZE = D * GBS_LANES };
    struct dice r = {1203};
    gbs_context *ctx = new_context(2, 3);
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t l = 0; l < COUNT(all_losses); l++) {
            struct twins t = make_twins(&r, sparse != 0);
            gbs_empirical *risk[2];
            double theta[COUNT_OF * D], risks[2][COUNT_OF], mean[D];
            double *states = gbs_doubles(ctx, 2 * SIZE + 2 * STATES * GBS_LANES);
            gbs_ring ring = {.size = STATES};
            for (size_t k = 0; k < STATES / 2; k++) {
                ring.cosine[k] = cos(0.3 * ((double)k + 0.5));
                ring.sine[k] = sin(0.3 * ((double)k + 0.5));
            }
            for (size_t k = 0; k < COUNT_OF * D; k++)
                theta[k] = dice_normal(&r);
            for (size_t k = 0; k < 2 * SIZE; k++)
                states[k] = dice_normal(&r);
            for (size_t k = 0; k < D; k++)
                mean[k] = dice_normal(&r);
            for (int k = 0; k < 2; k++) {
                assert_ok(ctx, gbs_empirical_over_rows(ctx, k == 0 ? &t.once.rows : &t.often.rows,
                                                       gbs_loss_of(all_losses[l]), &risk[k]));
                assert_ok(ctx, gbs_empirical_many(risk[k], COUNT_OF, theta, risks[k]));
                double *base = doubles(risk[k]->rows),
                       *scratch = gbs_doubles(ctx, gbs_empirical_tile_room(risk[k]));
                gbs_ring_tile tile = {states, states + SIZE,
                                      states + 2 * SIZE + (size_t)k * STATES * GBS_LANES};
                gbs_empirical_base(risk[k], mean, base);
                gbs_empirical_ring(risk[k], &ring, base, 1, &tile, scratch);
                gbs_array_free(ctx, scratch);
                free(base);
            }
            for (size_t k = 0; k < COUNT_OF; k++)
                assert_close(risks[0][k], risks[1][k], 1e-12, 1e-14);
            const double *seen = states + 2 * SIZE;
            for (size_t k = 0; k < STATES * GBS_LANES; k++)
                assert_close(seen[k], seen[STATES * GBS_LANES + k], 1e-12, 1e-14);
            gbs_empirical_free(risk[0]);
            gbs_empirical_free(risk[1]);
            gbs_array_free(ctx, states);
            free_twins(&t);
        }
    gbs_context_free(ctx);
}

/* Batches are unbiased: an epoch of them makes the whole. */
static void an_epoch_makes_the_whole(void **state) {
    (void)state;
    enum { SIZE = 16, IN_EPOCH = (N + SIZE - 1) / SIZE };
    struct dice r = {1204};
    struct twins t = make_twins(&r, true);
    struct bench *a = make_bench(&r, &t.once.rows, GBS_LOSS_HINGE, GBS_FAMILY_DIAGONAL, 1.0, 0.7,
                                 false);
    gbs_batches b;
    double sum[1 + D] = {0};
    move_randomly(&r, a, 0.6, 0.4);
    evaluate(a);
    gbs_spread at = gbs_gaussian_spread(&a->g);
    assert_ok(a->ctx, gbs_batches_create(a->risk, SIZE, false, GBS_STREAM_BATCH, &b));
    for (size_t k = 0; k < IN_EPOCH; k++) {
        double d_mean[D], pull[D];
        gbs_slopes slopes = {.d_mean = d_mean, .pull = pull};
        gbs_room *room;
        gbs_batches_draw(&b, k);
        assert_ok(a->ctx, gbs_empirical_room(b.on, at.pull, false, &room));
        assert_ok(a->ctx, gbs_empirical_slopes(b.on, &at, 1.0, room, &slopes));
        double share = (double)b.on->rows / N;
        sum[0] += share * slopes.risk;
        for (size_t j = 0; j < D; j++)
            sum[1 + j] += share * d_mean[j];
        gbs_room_free(room);
    }
    assert_close(sum[0], a->point.risk, 1e-12, 0.0);
    for (size_t j = 0; j < D; j++)
        assert_close(sum[1 + j],
                     a->point.d_mean[j] - (a->g.mean[j] - a->prior_mean[j]) / (0.7 * 0.7), 1e-10,
                     1e-12);
    gbs_batches_free(&b);
    free_bench(a);
    free_twins(&t);
}

/* ---------------------------------------------------------------- fits */

/* At one lambda the posterior is that of the repeated rows, whatever the common factor; what is
 * certified is the risk of rows that count once. */
static void a_fit_goes_by_the_weights(void **state) {
    (void)state;
    struct dice r = {1205};
    struct twins t = make_twins(&r, false);
    gbs_context *ctx = new_context(1, 1);
    gbs_fit_settings o = gbs_fit_settings_default();
    o.prior = GBS_PRIOR_ZERO;
    o.bound = GBS_BOUND_KL;
    o.scale = GBS_SCALE_NONE;
    o.lambda = 60.0;
    o.tolerance = 1e-12;
    static const gbs_loss losses[] = {GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL};
    for (size_t l = 0; l < COUNT(losses); l++) {
        o.loss = losses[l];
        gbs_data *once = dense_data(ctx, &t.once.table), *often = dense_data(ctx, &t.often.table);
        gbs_evaluation e;
        gbs_model *plain = fit(ctx, once, &o), *b = fit(ctx, often, &o);
        double scaled[N];
        for (size_t i = 0; i < N; i++)
            scaled[i] = 1e300 * t.weight[i];
        assert_ok(ctx, gbs_data_set_weights(ctx, once, scaled));
        gbs_model *a = fit(ctx, once, &o);
        const double *ma = a->stages[0].posterior.mean, *mb = b->stages[0].posterior.mean;
        double moved = 0.0;
        for (size_t k = 0; k < D + 1; k++) {
            assert_close(ma[k], mb[k], 1e-5, 1e-6);
            moved += fabs(ma[k] - plain->stages[0].posterior.mean[k]);
        }
        assert_true(moved > 1e-3);
        assert_close(a->info.free_energy, b->info.free_energy, 1e-9, 0.0);
        assert_true(a->info.weighted && !b->info.weighted);
        assert_ok(ctx, evaluate_model(ctx, a, once, &e));
        const gbs_certificate *c = gbs_model_certificate(a, 0);
        assert_int_equal(c->blocks, N);
        assert_close(c->empirical, e.gibbs_error, 1e-12, 0.0);
        assert_true((c->assumptions & GBS_ASSUMES_UNWEIGHTED) != 0);
        assert_true((gbs_model_certificate(b, 0)->assumptions & GBS_ASSUMES_UNWEIGHTED) == 0);
        /* found again, with the weights alone */
        gbs_particles *p;
        gbs_sample_settings s = gbs_sample_settings_default();
        s.particles = 64;
        assert_ok(ctx, gbs_sample_run_for(ctx, once, a, 0, &s, &p));
        gbs_particles_free(p);
        assert_ok(ctx, gbs_data_set_weights(ctx, once, NULL));
        assert_int_equal(gbs_sample_run_for(ctx, once, a, 0, &s, &p), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "weights"));
        gbs_model_free(plain);
        gbs_model_free(a);
        gbs_model_free(b);
        gbs_data_free(once);
        gbs_data_free(often);
    }
    free_twins(&t);
    gbs_context_free(ctx);
}

/* The default fit, whose parts depend on the rows: a row of weight 0 is not there, weights that are
 * all alike are none, and the last block counts its rows once. */
static void absent_rows_are_absent(void **state) {
    (void)state;
    enum { ROWS = 120, LEFT = 100 };
    struct table_of_numbers all = small_table(1206, ROWS, D), some = all;
    gbs_context *ctx = new_context(1, 1);
    double weight[ROWS], other[ROWS];
    some.n = LEFT; /* the first rows */
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = i < LEFT ? 2.5 : 0.0;
        other[i] = i < LEFT ? 1.0 + (double)(i % 3) : 0.0;
    }
    gbs_data *a = dense_data(ctx, &all), *b = dense_data(ctx, &some);
    gbs_fit_settings o = gbs_fit_settings_default();
    for (int kind = 0; kind < 2; kind++) {
        size_t order[2][ROWS], first[2];
        assert_ok(ctx, gbs_data_set_weights(ctx, a, kind == 0 ? weight : other));
        assert_ok(ctx, gbs_data_set_weights(ctx, b, kind == 0 ? weight : other));
        gbs_model *ma = fit(ctx, a, &o), *mb = fit(ctx, b, &o);
        assert_true(ma->info.weighted == kind && mb->info.weighted == kind);
        assert_int_equal(ma->info.n, LEFT);
        assert_true(same_bits(ma->stages[0].posterior.mean, mb->stages[0].posterior.mean, D + 1));
        const gbs_certificate *c = gbs_model_certificate(ma, 0);
        assert_true(c->value == gbs_model_certificate(mb, 0)->value && c->valid);
        assert_int_equal(c->blocks, gbs_model_card(ma)->tested);
        assert_true((c->assumptions & GBS_ASSUMES_WEIGHED) != 0);
        assert_true((gbs_model_certificate(mb, 0)->assumptions & GBS_ASSUMES_WEIGHED) == 0);
        assert_ok(ctx, gbs_fit_order_run(ctx, a, &o, order[0], &first[0]));
        assert_ok(ctx, gbs_fit_order_run(ctx, b, &o, order[1], &first[1]));
        assert_int_equal(first[0], first[1]);
        assert_memory_equal(order[0], order[1], LEFT * sizeof **order);
        for (size_t i = LEFT; i < ROWS; i++)
            assert_int_equal(order[0][i], i);
        gbs_model_free(ma);
        gbs_model_free(mb);
    }
    gbs_data_free(a);
    gbs_data_free(b);
    free_table(&all);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- costs */

/* Rows count by the cost of their error where that was better out of fold; the posterior is then
 * the one of these weights, which finding its target again proves. */
static void costs_weigh_the_rows_where_that_helps(void **state) {
    (void)state;
    enum { ROWS = 600, TABLES = 8 };
    gbs_context *ctx = new_context(1, 1);
    size_t weighted = 0;
    for (size_t k = 0; k < TABLES; k++) {
        struct table_of_numbers t = small_table(1300 + k, ROWS, D);
        struct dice r = {1400 + k};
        for (size_t i = 0; i < ROWS; i++) { /* what decides at 1/2 is not what decides at 1/5 */
            double high = t.x[i * D] > 1.2 ? 0.95 : t.x[i * D + 1] > 0.0 ? 0.35 : 0.03;
            t.y[i] = dice_uniform(&r) < high ? 1.0 : -1.0;
        }
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_settings o = gbs_fit_settings_default();
        gbs_model *plain = fit(ctx, data, &o);
        o.has_cost = 1;
        o.cost_missed = o.cost_false = 3.0;
        gbs_model *even = fit(ctx, data, &o);
        assert_false(gbs_model_card(even)->weighted);
        assert_true(same_bits(even->stages[0].posterior.mean, plain->stages[0].posterior.mean, D));
        o.cost_missed = 12.0;
        gbs_model *model = fit(ctx, data, &o);
        const gbs_card *card = gbs_model_card(model);
        weighted += card->weighted != 0;
        assert_close(card->threshold, 0.2, 1e-15, 0.0);
        gbs_sample_settings s = gbs_sample_settings_default();
        gbs_particles *p;
        s.particles = 16;
        assert_ok(ctx, gbs_sample_run_for(ctx, data, model, 0, &s, &p));
        gbs_particles_free(p);
        char *text;
        size_t size;
        gbs_model *back;
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
        assert_ok(ctx, gbs_model_from_json(ctx, text, size, &back));
        assert_int_equal(gbs_model_card(back)->weighted, card->weighted);
        gbs_release(ctx, text);
        gbs_model_free(back);
        gbs_model_free(plain);
        gbs_model_free(even);
        gbs_model_free(model);
        gbs_data_free(data);
        free_table(&t);
    }
    print_message("# weighted in %zu of %d\n", weighted, TABLES);
    assert_true(weighted > 0 && weighted < TABLES);
    gbs_context_free(ctx);
}

static void bad_weights_are_refused(void **state) {
    (void)state;
    struct table_of_numbers t = small_table(1207, N, D);
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data = dense_data(ctx, &t);
    static const double bad[] = {-1.0, NAN, INFINITY};
    double weight[N], zero[N] = {0};
    for (size_t i = 0; i < N; i++)
        weight[i] = 1.0 + (double)i;
    assert_int_equal(gbs_data_set_weights(ctx, NULL, weight), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_weights(NULL, data, weight), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_data_set_weights(ctx, data, zero), GBS_ERR_DATA);
    for (size_t k = 0; k < COUNT(bad); k++) {
        weight[7] = bad[k];
        assert_int_equal(gbs_data_set_weights(ctx, data, weight), GBS_ERR_DATA);
        assert_non_null(strstr(gbs_error_message(ctx), "row 7"));
    }
    weight[7] = 0.0;
    data->hashed = true; /* as text columns leave it */
    assert_int_equal(gbs_data_set_weights(ctx, data, weight), GBS_ERR_DATA);
    data->hashed = false;
    assert_ok(ctx, gbs_data_set_weights(ctx, data, weight));
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model *model;
    o.task = GBS_TASK_RANK;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &model), GBS_ERR_ARGUMENT);
    assert_null(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Shares of a declared largest weight are the caller's weights over it, whatever the library made
 * of them, in the order of a view, and where rows of weight 0 are gone. */
static void shares_are_in_the_callers_units(void **state) {
    (void)state;
    struct dice r = {1210};
    struct twins t = make_twins(&r, false);
    gbs_context *ctx = new_context(1, 1);
    static const double units[] = {1.0, 1e-3, 7.3e200};
    for (size_t u = 0; u < COUNT(units); u++)
        for (int alike = 0; alike < 2; alike++) {
            gbs_data *data = dense_data(ctx, &t.once.table), *weighed, *view;
            double weight[N], share[N], most = 0.0;
            size_t back[N], kept = 0;
            for (size_t i = 0; i < N; i++) {
                weight[i] = i % 7 == 0 ? 0.0 : units[u] * (alike ? 3.0 : t.weight[i] / 3.0);
                most = fmax(most, weight[i]);
                back[i] = N - N / 7 - 2 - i; /* of the rows that are left */
                kept += weight[i] > 0.0;
            }
            assert_close(gbs_data_largest_weight(data), 0.0, 0.0, 0.0);
            assert_ok(ctx, gbs_data_set_weights(ctx, data, weight));
            assert_close(gbs_data_largest_weight(data), most, 1e-15, 0.0);
            assert_ok(ctx, gbs_data_weighed(ctx, data, &weighed));
            assert_ok(ctx, gbs_data_view(ctx, weighed, back, kept, &view));
            assert_true((weighed->weight == NULL) == (alike != 0));
            gbs_data_weight_shares(view, 2.0 * most, share);
            for (size_t i = 0, at = kept; i < N; i++)
                if (weight[i] > 0.0)
                    assert_close(share[--at], weight[i] / (2.0 * most), 1e-15, 0.0);
            gbs_data_free(view);
            gbs_data_free(weighed);
            assert_ok(ctx, gbs_data_set_weights(ctx, data, NULL));
            assert_close(gbs_data_largest_weight(data), 0.0, 0.0, 0.0);
            gbs_data_free(data);
        }
    gbs_context_free(ctx);
    free_twins(&t);
}

/* The line by weight stands beside the others, which it does not change. */
static void a_largest_weight_certifies_the_weighted_risk(void **state) {
    (void)state;
    enum { ROWS = 400 };
    struct dice r = {1211};
    double x[ROWS], y[ROWS], weight[ROWS];
    gbs_context *ctx = new_context(1, 1);
    gbs_data *data;
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = dice_normal(&r);
        y[i] = x[i] + 0.7 * dice_normal(&r) > 0.0 ? 1.0 : -1.0;
        weight[i] = fabs(x[i]) < 0.5 ? 4.0 : 1.0; /* where labels are hard to tell */
    }
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, 1, x, 1, y, GBS_BORROW, &data));
    assert_ok(ctx, gbs_data_set_weights(ctx, data, weight));
    gbs_fit_settings o = gbs_fit_settings_default();
    gbs_model *plain = fit(ctx, data, &o), *model, *none;
    o.max_weight = 4.0;
    model = fit(ctx, data, &o);
    size_t n = gbs_model_certificates(plain), found = 0;
    assert_int_equal(gbs_model_certificates(model), n + 1);
    for (size_t k = 0; k <= n; k++) {
        const gbs_certificate *c = gbs_model_certificate(model, k);
        if (c->target != GBS_TARGET_WEIGHTED) {
            assert_true(gbs_model_certificate(plain, k - found)->value == c->value);
            assert_true((c->assumptions & GBS_ASSUMES_UNWEIGHTED) != 0);
            continue;
        }
        found++;
        assert_true(c->valid && c->empirical < c->value && c->value < 1.0);
        assert_true(c->value > gbs_model_certificate(model, 0)->value); /* hard rows count more */
        assert_true((c->assumptions & GBS_ASSUMES_UNWEIGHTED) == 0);
        assert_true((c->assumptions & GBS_ASSUMES_MAX_WEIGHT) != 0);
    }
    assert_int_equal(found, 1);
    o.max_weight = 3.9;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_DATA);
    assert_non_null(strstr(gbs_error_message(ctx), "weight 4, above `max-weight` 3.9"));
    o.max_weight = 4.0;
    o.prior = GBS_PRIOR_ZERO;
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_ARGUMENT);
    o.prior = GBS_PRIOR_INFORMED;
    assert_ok(ctx, gbs_data_set_weights(ctx, data, NULL));
    assert_int_equal(gbs_fit_run(ctx, data, &o, &none), GBS_ERR_ARGUMENT);
    gbs_model_free(plain);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_weights_are_repeated_rows),
        cmocka_unit_test(values_go_by_the_weights),
        cmocka_unit_test(particles_see_repeated_rows),
        cmocka_unit_test(an_epoch_makes_the_whole),
        cmocka_unit_test(a_fit_goes_by_the_weights),
        cmocka_unit_test(absent_rows_are_absent),
        cmocka_unit_test(costs_weigh_the_rows_where_that_helps),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(shares_are_in_the_callers_units),
        cmocka_unit_test(a_largest_weight_certifies_the_weighted_risk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
