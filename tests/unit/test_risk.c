/* The empirical risk as an object: what it says of itself, its value, its smaller versions and its
 * batches, over rows and over pairs, against brute force. */
#include "core/random.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

enum { N = 60, D = 4 };

/* A design with some equal rows, in either class. */
static struct design repeated_design(struct dice *r, bool sparse) {
    struct design g = make_design(r, N, D, false, 7);
    for (size_t i = 40; i < N; i++)
        memcpy(g.table.x + i * D, g.table.x + (i - 40) % 10 * D, D * sizeof *g.table.x);
    make_csr(&g.table);
    for (size_t k = 0; sparse && k < D; k++)
        g.shift[k] = 0.4 * dice_normal(r);
    for (size_t i = 0; i < N * D; i++)
        g.cells[i] = g.table.x[i] - g.shift[i % D];
    if (!sparse)
        return g;
    g.rows.all = (gbs_strip){.n = N,
                             .d = D,
                             .start = g.table.start,
                             .column = g.table.column,
                             .value = g.table.value,
                             .shift = g.shift,
                             .y = g.table.y,
                             .stride = 1};
    g.rows.shift_norm2 = gbs_dot(D, g.shift, g.shift);
    return g;
}

/* A Gaussian of the full family, somewhere. */
static gbs_gaussian any_gaussian(gbs_context *ctx, struct dice *r) {
    gbs_prior prior = {NULL, 0.3};
    gbs_gaussian g;
    assert_ok(ctx, gbs_gaussian_create(ctx, GBS_FAMILY_FULL, D, &prior, 1.0, &g));
    for (size_t k = 0; k < D; k++) {
        g.mean[k] = 0.5 * dice_normal(r);
        for (size_t j = k + 1; j < D; j++)
            g.factor[k * D + j] = 0.1 * dice_normal(r);
    }
    return g;
}

/* psi of one margin's row. */
static double psi_of(gbs_loss loss, const gbs_gaussian *g, const double *x, double y) {
    double s[D * D], variance = 0.0, psi, d_mu, d_s;
    covariance_of(g, s);
    for (size_t i = 0; i < D; i++)
        variance += x[i] * gbs_dot(D, s + i * D, x);
    gbs_loss_smoothed(loss, y * gbs_dot(D, x, g->mean), sqrt(variance), &psi, &d_mu, &d_s);
    return psi;
}

struct means {
    double first, second, terms;
};

static struct means over_rows(gbs_loss loss, const gbs_gaussian *g, const struct design *x,
                              size_t stride) {
    struct means m = {0};
    for (size_t i = 0; i < x->table.n; i += stride) {
        double psi = psi_of(loss, g, x->cells + i * D, x->table.y[i]);
        m.first += psi;
        m.second += psi * psi;
        m.terms += 1.0;
    }
    return (struct means){m.first / m.terms, m.second / m.terms, m.terms};
}

static struct means over_pairs(gbs_loss loss, const gbs_gaussian *g, const struct design *x) {
    struct means m = {0};
    for (size_t i = 0; i < x->table.n; i++)
        for (size_t j = 0; j < x->table.n; j++)
            if (x->table.y[i] > 0.0 && x->table.y[j] < 0.0) {
                double difference[D];
                for (size_t k = 0; k < D; k++)
                    difference[k] = x->cells[i * D + k] - x->cells[j * D + k];
                double psi = psi_of(loss, g, difference, 1.0);
                m.first += psi;
                m.second += psi * psi;
                m.terms += 1.0;
            }
    return (struct means){m.first / m.terms, m.second / m.terms, m.terms};
}

static size_t positives_of(const struct design *x) {
    size_t count = 0;
    for (size_t i = 0; i < x->table.n; i++)
        count += x->table.y[i] > 0.0;
    return count;
}

/* The value, with the own loss and any other; the slopes say the same of the first moment. */
static void check_value(const gbs_empirical *risk, const gbs_gaussian *g, gbs_loss loss,
                        struct means own, struct means zero_one) {
    gbs_context *ctx = risk->ctx;
    gbs_spread at = gbs_gaussian_spread(g);
    double mean, second, d_mean[D], pull[D * D];
    gbs_slopes slopes = {.d_mean = d_mean, .pull = pull};
    gbs_room *room;
    assert_ok(ctx, gbs_empirical_value(risk, gbs_loss_of(loss), &at, false, &mean, &second));
    assert_close(mean, own.first, 1e-11, 1e-13);
    assert_close(second, own.second, 1e-11, 1e-13);
    assert_ok(ctx, gbs_empirical_value(risk, &gbs_zero_one, &at, false, &mean, NULL));
    assert_close(mean, zero_one.first, 1e-11, 1e-13);
    assert_ok(ctx, gbs_empirical_room(risk, at.pull, false, &room));
    assert_ok(ctx, gbs_empirical_slopes(risk, &at, 7.0, room, &slopes));
    assert_close(slopes.risk, own.first, 1e-11, 1e-13);
    gbs_empirical other = gbs_empirical_with(risk, &gbs_zero_one);
    assert_ok(ctx, gbs_empirical_slopes(&other, &at, 7.0, room, &slopes));
    assert_close(slopes.risk, zero_one.first, 1e-11, 1e-13);
    gbs_room_free(room);
}

static void a_risk_over_rows_is_their_mean(void **state) {
    (void)state;
    struct dice r = {801};
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t l = 0; l < COUNT(all_losses); l++) {
            gbs_context *ctx = new_context(2, 3);
            struct design x = repeated_design(&r, sparse != 0);
            gbs_gaussian g = any_gaussian(ctx, &r);
            gbs_empirical *risk, *part;
            assert_ok(ctx,
                      gbs_empirical_over_rows(ctx, &x.rows, gbs_loss_of(all_losses[l]), &risk));
            assert_true(risk->d == D && risk->rows == N && risk->units == N && risk->terms == N &&
                        risk->counted == N && !risk->by_draws);
            assert_true(gbs_empirical_has_designs(risk));
            check_value(risk, &g, all_losses[l], over_rows(all_losses[l], &g, &x, 1),
                        over_rows(GBS_LOSS_ZERO_ONE, &g, &x, 1));
            assert_ok(ctx, gbs_empirical_part(risk, 7, &part));
            assert_true(part->rows == 9 && part->units == 9);
            check_value(part, &g, all_losses[l], over_rows(all_losses[l], &g, &x, 7),
                        over_rows(GBS_LOSS_ZERO_ONE, &g, &x, 7));
            gbs_empirical_free(part);
            /* the rows in other coordinates: spelled out, they are the same rows */
            assert_ok(ctx, gbs_empirical_on_design(risk, D, x.cells, &part));
            check_value(part, &g, all_losses[l], over_rows(all_losses[l], &g, &x, 1),
                        over_rows(GBS_LOSS_ZERO_ONE, &g, &x, 1));
            gbs_empirical_free(part);
            gbs_empirical_free(risk);
            gbs_gaussian_free(ctx, &g);
            free_design(&x);
            gbs_context_free(ctx);
        }
}

static void a_risk_over_pairs_is_their_mean(void **state) {
    (void)state;
    struct dice r = {802};
    for (int sparse = 0; sparse < 2; sparse++)
        for (int grouped = 0; grouped < 2; grouped++)
            for (size_t l = 0; l < COUNT(all_losses); l++) {
                gbs_context *ctx = new_context(2, 3);
                struct design x = repeated_design(&r, sparse != 0);
                gbs_gaussian g = any_gaussian(ctx, &r);
                size_t plus = positives_of(&x);
                struct means own = over_pairs(all_losses[l], &g, &x);
                gbs_empirical *risk;
                assert_ok(ctx, gbs_empirical_over_pairs(ctx, &x.rows, grouped != 0,
                                                        gbs_loss_of(all_losses[l]), &risk));
                assert_true(grouped ? risk->rows < N : risk->rows == N);
                assert_true(risk->d == D && risk->counted == N && risk->terms == own.terms &&
                            risk->by_draws && !gbs_empirical_has_designs(risk));
                assert_int_equal(risk->units, plus < N - plus ? plus : N - plus);
                check_value(risk, &g, all_losses[l], own, over_pairs(GBS_LOSS_ZERO_ONE, &g, &x));
                gbs_empirical_free(risk);
                gbs_gaussian_free(ctx, &g);
                free_design(&x);
                gbs_context_free(ctx);
            }
}

/* A part of a risk over pairs is over the pairs of every second, third ... of its own rows. */
static void a_part_of_pairs_keeps_the_classes_apart(void **state) {
    (void)state;
    struct dice r = {803};
    gbs_context *ctx = new_context(1, 3);
    struct design x = repeated_design(&r, false), some = make_design(&r, N, D, false, 7);
    gbs_gaussian g = any_gaussian(ctx, &r);
    gbs_empirical *risk, *part;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, &x.rows, false, &gbs_hinge, &risk));
    for (size_t stride = 2; stride < 8; stride++) {
        size_t left = 0;
        assert_ok(ctx, gbs_empirical_part(risk, stride, &part));
        for (int kind = 0; kind < 2; kind++)
            for (size_t i = 0, seen = 0; i < N; i++) {
                if ((x.table.y[i] > 0.0) != (kind == 0))
                    continue;
                size_t place = seen++ + (kind == 0 ? 0 : positives_of(&x));
                if (place % stride != 0)
                    continue;
                memcpy(some.cells + left * D, x.cells + i * D, D * sizeof *x.cells);
                some.table.y[left++] = x.table.y[i];
            }
        some.table.n = left;
        assert_int_equal(part->rows, left);
        check_value(part, &g, GBS_LOSS_HINGE, over_pairs(GBS_LOSS_HINGE, &g, &some),
                    over_pairs(GBS_LOSS_ZERO_ONE, &g, &some));
        gbs_empirical_free(part);
    }
    gbs_empirical_free(risk);
    gbs_gaussian_free(ctx, &g);
    free_design(&some);
    free_design(&x);
    gbs_context_free(ctx);
}

/* No pair at all: the risk is 0, and nothing pulls. */
static void one_class_has_no_pairs(void **state) {
    (void)state;
    struct dice r = {804};
    gbs_context *ctx = new_context(1, 3);
    struct design x = make_design(&r, N, D, false, 7);
    for (size_t i = 0; i < N; i++)
        x.table.y[i] = 1.0;
    gbs_gaussian g = any_gaussian(ctx, &r);
    gbs_spread at = gbs_gaussian_spread(&g);
    gbs_empirical *risk;
    gbs_room *room;
    double mean = 1.0, second = 1.0, d_mean[D] = {1.0}, pull[D * D] = {1.0}, bent[D * D] = {1.0};
    gbs_slopes slopes = {.d_mean = d_mean, .pull = pull, .curvature = bent};
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, &x.rows, true, &gbs_hinge, &risk));
    assert_true(risk->units == 0 && risk->terms == 0.0);
    assert_ok(ctx, gbs_empirical_value(risk, &gbs_hinge, &at, false, &mean, &second));
    assert_ok(ctx, gbs_empirical_room(risk, at.pull, true, &room));
    assert_ok(ctx, gbs_empirical_slopes(risk, &at, 3.0, room, &slopes));
    assert_true(mean == 0.0 && second == 0.0 && slopes.risk == 0.0);
    for (size_t k = 0; k < D * D; k++)
        assert_true(d_mean[k % D] == 0.0 && pull[k] == 0.0 && bent[k] == 0.0);
    gbs_room_free(room);
    gbs_empirical_free(risk);
    gbs_gaussian_free(ctx, &g);
    free_design(&x);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- batches */

static double risk_on(const gbs_batches *b, const gbs_spread *at) {
    double d_mean[D], pull[D * D];
    gbs_slopes slopes = {.d_mean = d_mean, .pull = pull};
    gbs_room *room;
    assert_ok(b->on->ctx, gbs_empirical_room(b->on, at->pull, false, &room));
    assert_ok(b->on->ctx, gbs_empirical_slopes(b->on, at, 1.0, room, &slopes));
    gbs_room_free(room);
    return slopes.risk;
}

/* An epoch of batches sees each row once; another epoch in another order. */
static void epochs_see_every_row_once(void **state) {
    (void)state;
    enum { SIZE = 16, IN_EPOCH = 4 };
    struct dice r = {805};
    gbs_context *ctx = new_context(1, 3);
    struct design x = make_design(&r, N, D, true, 7);
    gbs_gaussian g = any_gaussian(ctx, &r);
    gbs_spread at = gbs_gaussian_spread(&g);
    gbs_empirical *risk;
    gbs_batches b;
    double first[IN_EPOCH], exact = over_rows(GBS_LOSS_HINGE, &g, &x, 1).first;
    assert_ok(ctx, gbs_empirical_over_rows(ctx, &x.rows, &gbs_hinge, &risk));
    assert_ok(ctx, gbs_batches_create(risk, SIZE, false, GBS_STREAM_BATCH, &b));
    assert_int_equal(b.size, SIZE);
    for (size_t epoch = 0; epoch < 3; epoch++) {
        double sum = 0.0;
        for (size_t t = 0; t < IN_EPOCH; t++) {
            gbs_batches_draw(&b, epoch * IN_EPOCH + t);
            assert_int_equal(b.on->rows, t + 1 < IN_EPOCH ? SIZE : N - (IN_EPOCH - 1) * SIZE);
            double here = risk_on(&b, &at);
            sum += here * (double)b.on->rows;
            if (epoch == 0)
                first[t] = here;
            else
                assert_true(here != first[t]);
        }
        assert_close(sum / N, exact, 1e-12, 0.0);
    }
    gbs_batches_free(&b);
    gbs_empirical_free(risk);
    gbs_gaussian_free(ctx, &g);
    free_design(&x);
    gbs_context_free(ctx);
}

/* Draws over pairs: by blocks and one by one their means are unbiased (5 standard errors), and the
 * same number gives the same batch. */
static void draws_of_pairs_are_unbiased(void **state) {
    (void)state;
    enum { SIZE = 10, DRAWS = 4000 };
    struct dice r = {806};
    gbs_context *ctx = new_context(1, 3);
    struct design x = make_design(&r, N, D, false, 7);
    gbs_gaussian g = any_gaussian(ctx, &r);
    gbs_spread at = gbs_gaussian_spread(&g);
    gbs_empirical *risk;
    double exact = over_pairs(GBS_LOSS_ZERO_ONE, &g, &x).first;
    assert_ok(ctx, gbs_empirical_over_pairs(ctx, &x.rows, false, &gbs_zero_one, &risk));
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        double sum = 0.0, square = 0.0, third = NAN;
        uint64_t seen = ctx->pairs_seen;
        gbs_batches b;
        assert_ok(ctx, gbs_batches_create(risk, SIZE + 1, one_by_one != 0, GBS_STREAM_BATCH, &b));
        assert_int_equal(b.size, one_by_one ? SIZE + 1 : SIZE);
        for (size_t t = 0; t < DRAWS; t++) {
            gbs_batches_draw(&b, t);
            double here = risk_on(&b, &at);
            third = t == 3 ? here : third;
            sum += here / DRAWS;
            square += here * here / DRAWS;
        }
        assert_close(sum, exact, 0.0, 5.0 * sqrt((square - sum * sum) / DRAWS));
        /* every pair is counted that was looked at */
        assert_int_equal(ctx->pairs_seen - seen,
                         DRAWS * (one_by_one ? SIZE + 1 : SIZE / 2 * SIZE / 2));
        gbs_batches_draw(&b, 3);
        assert_close(risk_on(&b, &at), third, 0.0, 0.0);
        gbs_batches_free(&b);
    }
    gbs_empirical_free(risk);
    gbs_gaussian_free(ctx, &g);
    free_design(&x);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_risk_over_rows_is_their_mean),
        cmocka_unit_test(a_risk_over_pairs_is_their_mean),
        cmocka_unit_test(a_part_of_pairs_keeps_the_classes_apart),
        cmocka_unit_test(one_class_has_no_pairs),
        cmocka_unit_test(epochs_see_every_row_once),
        cmocka_unit_test(draws_of_pairs_are_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
