/* The back end's sums against plain loops, its twin: rows of every kind, every shape of a Gaussian,
 * and a loss that no other part of the library knows. */
#include "kernel/linalg.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

enum { D = 5 };

/* psi of (1 - z)^2: a loss is what its table says, and nothing else is asked of it here. */
static void square_smoothed(size_t n, const double *mu, const double *s, double *psi, double *d_mu,
                            double *d_s) {
    for (size_t i = 0; i < n; i++) {
        psi[i] = (1.0 - mu[i]) * (1.0 - mu[i]) + s[i] * s[i];
        d_mu[i] = -2.0 * (1.0 - mu[i]);
        d_s[i] = 2.0 * s[i];
    }
}

static const gbs_pointwise square_loss = {.name = "square", .smoothed = square_smoothed};

/* ---------------------------------------------------------------- Gaussians */

/* One of each shape, and S spelled out. */
struct shape {
    gbs_spread spread;
    double mean[D], tau[D], factor[D * D], s[D * D];
};

enum { SHAPES = 3 };

static void make_shape(struct dice *r, size_t kind, struct shape *g) {
    *g = (struct shape){.spread = {.d = D, .variance = 0.36}};
    for (size_t k = 0; k < D; k++) {
        g->mean[k] = dice_normal(r);
        g->tau[k] = exp(dice_normal(r));
        for (size_t j = k; j < D; j++)
            g->factor[k * D + j] = j == k ? exp(0.3 * dice_normal(r)) : 0.4 * dice_normal(r);
    }
    g->spread.mean = g->mean;
    g->spread.tau = kind == 1 ? g->tau : NULL;
    g->spread.factor = kind == 2 ? g->factor : NULL;
    g->spread.pull = kind == 2 ? GBS_PULL_MATRIX : kind == 1 ? GBS_PULL_DIAGONAL : GBS_PULL_TRACE;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < D; k++)
                sum += g->factor[i * D + k] * g->factor[j * D + k];
            g->s[i * D + j] = kind == 2 ? sum : i != j ? 0.0 : kind == 1 ? g->tau[i] : 0.36;
        }
}

static double quadratic(const double *s, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            sum += x[i] * s[i * D + j] * x[j];
    return sum;
}

/* ---------------------------------------------------------------- rows */

/* What is held of a design: all of it, or every third row. */
struct holding {
    struct design g;
    gbs_held *all, *held;
    size_t stride;
};

static struct holding hold(gbs_context *ctx, struct dice *r, size_t n, bool sparse, size_t stride) {
    struct holding h = {.g = make_design(r, n, D, sparse, 7), .stride = stride};
    assert_ok(ctx, gbs_hold(ctx, &h.g.rows, &h.all));
    assert_ok(ctx, h.all->pass->hold_part(h.all, stride, &h.held));
    assert_int_equal(h.held->n, (n + stride - 1) / stride);
    assert_int_equal(h.held->d, D);
    return h;
}

static void let_go(struct holding *h) {
    gbs_held_free(h->held);
    gbs_held_free(h->all);
    free_design(&h->g);
}

static const double *row_of(const struct holding *h, size_t i) {
    return h->g.cells + i * h->stride * D;
}

static double label_of(const struct holding *h, size_t i) {
    return h->g.table.y[i * h->stride];
}

/* Every kind of rows. */
static void everywhere(void (*check)(gbs_context *, struct dice *, const struct holding *),
                       uint64_t seed) {
    static const size_t sizes[] = {1, 8, 150}, strides[] = {1, 3};
    struct dice r = {seed};
    for (int threads = 1; threads <= 2; threads++)
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (size_t s = 0; s < COUNT(strides); s++)
                for (int sparse = 0; sparse < 2; sparse++) {
                    gbs_context *ctx = new_context(threads, 1);
                    struct holding h = hold(ctx, &r, sizes[k], sparse != 0, strides[s]);
                    check(ctx, &r, &h);
                    let_go(&h);
                    gbs_context_free(ctx);
                }
}

static void check_rows(gbs_context *ctx, struct dice *r, const struct holding *h) {
    const gbs_held *held = h->held;
    size_t n = held->n, first = n / 3, count = n - first;
    double *cells = doubles(n * D), *norm2 = doubles(n), *score = doubles(n), *margin = doubles(n);
    double m[D], longest = 0.0, square = 0.0;
    (void)ctx;
    for (size_t k = 0; k < D; k++)
        m[k] = dice_normal(r);
    held->pass->cells(held, first, count, cells);
    held->pass->norms(held, first, count, norm2);
    held->pass->scores(held, first, count, m, score);
    held->pass->margins(held, first, count, score, margin);
    for (size_t i = 0; i < count; i++) {
        const double *x = row_of(h, first + i);
        double length = 0.0, dot = 0.0;
        for (size_t k = 0; k < D; k++) {
            assert_close(cells[i * D + k], x[k], 1e-14, 1e-15);
            length += x[k] * x[k];
            dot += x[k] * m[k];
        }
        assert_close(norm2[i], length, 1e-12, 1e-13);
        assert_close(score[i], dot, 1e-12, 1e-12);
        assert_close(margin[i], label_of(h, first + i) * score[i], 0.0, 0.0);
    }
    for (size_t i = 0; i < n; i++) {
        double length = gbs_dot(D, row_of(h, i), row_of(h, i));
        longest = fmax(longest, length);
        square += length / (double)n;
    }
    assert_close(gbs_held_longest(held), longest, 1e-12, 0.0);
    assert_close(gbs_held_typical_cell(held), square > 0.0 ? sqrt(square / D) : 1.0, 1e-12, 0.0);
    free(cells);
    free(norm2);
    free(score);
    free(margin);
}

static void rows_are_what_was_given(void **state) {
    (void)state;
    everywhere(check_rows, 701);
}

/* Some rows into a room, as they are and less others; kept as a strip. */
static void check_copies(gbs_context *ctx, struct dice *r, const struct holding *h) {
    enum { MOST = 12 };
    const gbs_held *held = h->held;
    size_t row[MOST], less[MOST], count = 1 + dice_below(r, MOST);
    double cells[MOST * D], margin[MOST], ones[MOST];
    gbs_held *room;
    gbs_strip kept;
    for (size_t i = 0; i < MOST; i++) {
        row[i] = dice_below(r, held->n);
        less[i] = dice_below(r, held->n);
        ones[i] = 1.0;
    }
    assert_ok(ctx, held->pass->hold_room(held, MOST, &room));
    for (int differences = 0; differences < 2; differences++) {
        held->pass->fill(room, held, count, row, differences ? less : NULL);
        assert_int_equal(room->n, count);
        room->pass->cells(room, 0, count, cells);
        room->pass->margins(room, 0, count, ones, margin);
        for (size_t i = 0; i < count; i++) {
            assert_close(margin[i], differences ? 1.0 : label_of(h, row[i]), 0.0, 0.0);
            for (size_t k = 0; k < D; k++)
                assert_close(cells[i * D + k],
                             row_of(h, row[i])[k] - (differences ? row_of(h, less[i])[k] : 0.0),
                             1e-13, 1e-14);
        }
    }
    gbs_held_free(room);
    assert_ok(ctx, held->pass->keep(held, count, row, &kept));
    assert_int_equal(kept.n, count);
    gbs_strip_densify(&kept, cells);
    for (size_t i = 0; i < count * D; i++)
        assert_close(cells[i], row_of(h, row[i / D])[i % D], 1e-14, 1e-15);
    void *const arrays[] = {(void *)kept.dense, (void *)kept.start, (void *)kept.column,
                            (void *)kept.value, (void *)kept.shift};
    for (size_t k = 0; k < COUNT(arrays); k++)
        gbs_array_free(ctx, arrays[k]);
}

static void copies_of_rows_are_those_named(void **state) {
    (void)state;
    everywhere(check_copies, 702);
}

static void check_gram(gbs_context *ctx, struct dice *r, const struct holding *h) {
    enum { MOST = 20 };
    const gbs_held *held = h->held;
    size_t n = held->n < MOST ? held->n : MOST, pick[MOST];
    double weight[D], k[MOST * MOST];
    for (size_t i = 0; i < D; i++)
        weight[i] = exp(dice_normal(r));
    for (size_t i = 0; i < n; i++)
        pick[i] = held->n - 1 - i;
    for (int weighted = 0; weighted < 2; weighted++)
        for (int picked = 0; picked < 2; picked++) {
            assert_ok(ctx,
                      held->pass->gram(held, weighted ? weight : NULL, picked ? pick : NULL, n, k));
            for (size_t i = 0; i < n * n; i++) {
                const double *x = row_of(h, picked ? pick[i / n] : i / n),
                             *y = row_of(h, picked ? pick[i % n] : i % n);
                double sum = 0.0;
                for (size_t c = 0; c < D; c++)
                    sum += x[c] * y[c] * (weighted ? weight[c] : 1.0);
                assert_close(k[i], sum, 1e-12, 1e-12);
            }
        }
}

static void gram_matrices_are_those_of_plain_loops(void **state) {
    (void)state;
    everywhere(check_gram, 703);
}

/* ---------------------------------------------------------------- under a Gaussian */

static void check_projection(gbs_context *ctx, struct dice *r, const struct holding *h) {
    const gbs_held *held = h->held;
    size_t n = held->n, first = n / 4, count = n - first;
    double *score = doubles(2 * n), *variance = score + n;
    for (size_t kind = 0; kind < SHAPES; kind++) {
        struct shape g;
        make_shape(r, kind, &g);
        assert_ok(ctx, held->pass->project(held, &g.spread, first, count, score, variance));
        for (size_t i = 0; i < count; i++) {
            const double *x = row_of(h, first + i);
            assert_close(score[i], gbs_dot(D, x, g.mean), 1e-12, 1e-12);
            assert_close(variance[i], quadratic(g.s, x), 1e-12, 1e-12);
        }
    }
    free(score);
}

static void scores_and_variances_are_those_of_plain_loops(void **state) {
    (void)state;
    everywhere(check_projection, 704);
}

/* S = v I + Q'(C C' - v I) Q spelled out, Q = lower^-1 (kept rows). */
static void a_span_is_the_covariance_it_stands_for(void **state) {
    (void)state;
    enum { RANK = 3, N = 40 };
    struct dice r = {705};
    for (int sparse = 0; sparse < 2; sparse++) {
        gbs_context *ctx = new_context(2, 1);
        struct holding h = hold(ctx, &r, N, sparse != 0, 1);
        size_t row[RANK] = {4, 17, 30};
        double v = 0.7, lower[RANK * RANK], factor[RANK * RANK] = {0}, q[RANK * D] = {0}, s[D * D],
               mean[D] = {0.3, -0.2, 0.1, 0.5, -1.0}, score[N], variance[N];
        gbs_span span = {.rank = RANK, .lower = lower, .factor = factor};
        assert_ok(ctx, h.held->pass->keep(h.held, RANK, row, &span.kept));
        assert_ok(ctx, h.held->pass->gram(h.held, NULL, row, RANK, lower));
        assert_true(gbs_cholesky(RANK, lower));
        for (size_t i = 0; i < RANK; i++)
            for (size_t j = i; j < RANK; j++)
                factor[i * RANK + j] = i == j ? 0.2 + 0.3 * (double)i : 0.1;
        for (size_t i = 0; i < RANK; i++)
            for (size_t k = 0; k < D; k++) {
                double sum = row_of(&h, row[i])[k];
                for (size_t j = 0; j < i; j++)
                    sum -= lower[i * RANK + j] * q[j * D + k];
                q[i * D + k] = sum / lower[i * RANK + i];
            }
        for (size_t a = 0; a < D; a++)
            for (size_t b = 0; b < D; b++) {
                s[a * D + b] = a == b ? v : 0.0;
                for (size_t i = 0; i < RANK; i++)
                    for (size_t j = 0; j < RANK; j++) {
                        double inside = i == j ? -v : 0.0;
                        for (size_t k = 0; k < RANK; k++)
                            inside += factor[i * RANK + k] * factor[j * RANK + k];
                        s[a * D + b] += q[i * D + a] * inside * q[j * D + b];
                    }
            }
        gbs_spread spread = {.d = D, .mean = mean, .variance = v, .span = &span};
        assert_ok(ctx, h.held->pass->project(h.held, &spread, 0, N, score, variance));
        for (size_t i = 0; i < N; i++) {
            assert_close(score[i], gbs_dot(D, row_of(&h, i), mean), 1e-12, 1e-12);
            assert_close(variance[i], quadratic(s, row_of(&h, i)), 1e-10, 1e-11);
        }
        void *const arrays[] = {(void *)span.kept.dense, (void *)span.kept.start,
                                (void *)span.kept.column, (void *)span.kept.value,
                                (void *)span.kept.shift};
        for (size_t k = 0; k < COUNT(arrays); k++)
            gbs_array_free(ctx, arrays[k]);
        let_go(&h);
        gbs_context_free(ctx);
    }
}

/* Mean loss, slope in m and H of the square loss by their definitions; w = 2 is never negative. */
static void check_slopes(gbs_context *ctx, struct dice *r, const struct holding *h) {
    const gbs_held *held = h->held;
    size_t n = held->n;
    double lambda = 3.0, c = lambda / (double)n;
    for (size_t kind = 0; kind < SHAPES; kind++)
        for (int curvature = 0; curvature < 2; curvature++) {
            struct shape g;
            gbs_room *room;
            double risk = 0.0, d_mean[D] = {0}, hessian[D * D] = {0}, trace = 0.0;
            double got_mean[D], got_pull[D * D], got_curvature[D * D];
            gbs_slopes out = {.d_mean = got_mean,
                              .pull = got_pull,
                              .curvature = curvature ? got_curvature : NULL};
            make_shape(r, kind, &g);
            assert_ok(ctx, held->pass->room(held, g.spread.pull, curvature != 0, &room));
            assert_ok(ctx, held->pass->slopes(held, &square_loss, &g.spread, lambda, room, &out));
            gbs_room_free(room);
            for (size_t i = 0; i < n; i++) {
                const double *x = row_of(h, i);
                double y = label_of(h, i), gap = 1.0 - y * gbs_dot(D, x, g.mean);
                risk += (gap * gap + quadratic(g.s, x)) / (double)n;
                for (size_t a = 0; a < D; a++) {
                    d_mean[a] -= c * y * 2.0 * gap * x[a];
                    trace += c * 2.0 * x[a] * x[a];
                    for (size_t b = 0; b < D; b++)
                        hessian[a * D + b] += c * 2.0 * x[a] * x[b];
                }
            }
            assert_close(out.risk, risk, 1e-12, 0.0);
            for (size_t a = 0; a < D; a++) {
                assert_close(got_mean[a], d_mean[a], 1e-11, 1e-11);
                if (g.spread.pull == GBS_PULL_DIAGONAL)
                    assert_close(got_pull[a], hessian[a * D + a], 1e-11, 1e-11);
                for (size_t b = 0; b <= a; b++) {
                    if (g.spread.pull == GBS_PULL_MATRIX)
                        assert_close(got_pull[a * D + b], hessian[a * D + b], 1e-11, 1e-11);
                    if (curvature)
                        assert_close(got_curvature[a * D + b], hessian[a * D + b], 1e-11, 1e-11);
                }
            }
            if (g.spread.pull == GBS_PULL_TRACE)
                assert_close(got_pull[0], trace, 1e-11, 1e-11);
        }
}

static void slopes_of_a_new_loss_are_those_of_plain_loops(void **state) {
    (void)state;
    everywhere(check_slopes, 706);
}

/* Large enough for several chunks. */
static void threads_change_no_bit_of_slopes(void **state) {
    (void)state;
    enum { N = 20000 };
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t kind = 0; kind < SHAPES; kind++) {
            double one[1 + D + D * D], more[1 + D + D * D];
            for (int threads = 1; threads <= 7; threads += 3) {
                struct dice r = {707};
                gbs_context *ctx = new_context(threads, 1);
                struct holding h = hold(ctx, &r, N, sparse != 0, 1);
                struct shape g;
                gbs_room *room;
                double *to = threads == 1 ? one : more;
                gbs_slopes out = {.d_mean = to + 1, .pull = to + 1 + D};
                make_shape(&r, kind, &g);
                assert_ok(ctx, h.held->pass->room(h.held, g.spread.pull, false, &room));
                assert_ok(ctx,
                          h.held->pass->slopes(h.held, &square_loss, &g.spread, 10.0, room, &out));
                to[0] = out.risk;
                size_t pull = gbs_pull_size(g.spread.pull, D);
                assert_true(threads == 1 || same_bits(one, more, 1 + D + (pull < D ? pull : D)));
                for (size_t a = 0; pull == D * D && threads > 1 && a < D; a++)
                    assert_true(same_bits(one + 1 + D + a * D, more + 1 + D + a * D, a + 1));
                gbs_room_free(room);
                let_go(&h);
                gbs_context_free(ctx);
            }
        }
}

/* ---------------------------------------------------------------- pairs by name, votes */

static void check_list(gbs_context *ctx, struct dice *r, const struct holding *h) {
    const gbs_held *held = h->held;
    size_t count = 700, *row = take(count, sizeof *row), *less = take(count, sizeof *less);
    for (size_t kind = 0; kind < SHAPES; kind++) {
        struct shape g;
        double expected = 5.0, sum = 5.0, x[D];
        make_shape(r, kind, &g);
        for (size_t t = 0; t < count; t++) {
            row[t] = dice_below(r, held->n);
            less[t] = dice_below(r, held->n);
            for (size_t k = 0; k < D; k++)
                x[k] = row_of(h, row[t])[k] - row_of(h, less[t])[k];
            double gap = 1.0 - gbs_dot(D, x, g.mean);
            expected += gap * gap + quadratic(g.s, x);
        }
        assert_ok(ctx,
                  held->pass->listed_pairs(held, &square_loss, &g.spread, count, row, less, &sum));
        assert_close(sum, expected, 1e-11, 0.0);
    }
    free(row);
    free(less);
}

static void listed_pairs_are_added_one_by_one(void **state) {
    (void)state;
    everywhere(check_list, 708);
}

static void check_votes(gbs_context *ctx, struct dice *r, const struct holding *h) {
    enum { MANY = 2 * GBS_LANES + 5, TILES = 3 };
    const gbs_held *held = h->held;
    size_t n = held->n;
    double *tiles = gbs_matrix(ctx, (size_t)TILES * GBS_LANES, D), theta[MANY][D], mean[D] = {0};
    double *all = doubles(5 * n);
    gbs_vote out = {all, all + n, all + 2 * n, all + 3 * n, all + 4 * n};
    for (size_t p = 0; p < MANY; p++)
        for (size_t k = 0; k < D; k++) {
            theta[p][k] = p == 7 ? 0.0 : dice_normal(r); /* number 7 scores 0 */
            mean[k] += theta[p][k] / MANY;
            tiles[(p / GBS_LANES * D + k) * GBS_LANES + p % GBS_LANES] = theta[p][k];
        }
    assert_ok(ctx, held->pass->vote(held, &gbs_hinge.pointwise, MANY, tiles, mean, &out));
    for (size_t i = 0; i < n; i++) {
        double square = 0.0, share = 0.0, loss = 0.0, centre = plain_score(D, row_of(h, i), mean);
        for (size_t p = 0; p < MANY; p++) {
            double score = plain_score(D, row_of(h, i), theta[p]);
            if (p == 7)
                score = 0.0;
            square += (score - centre) * (score - centre) / MANY;
            share += (score > 0.0 ? 1.0 : score < 0.0 ? 0.0 : 0.5) / MANY;
            loss += plain_loss(GBS_LOSS_HINGE, label_of(h, i) * score) / MANY;
        }
        assert_close(out.score[i], centre, 1e-12, 1e-12);
        assert_close(out.sd[i], sqrt(square), 1e-11, 1e-11);
        assert_close(out.share[i], share, 1e-12, 0.0);
        assert_close(out.loss[i], loss, 1e-12, 1e-12);
        assert_close(out.error[i], label_of(h, i) > 0.0 ? 1.0 - share : share, 1e-12, 1e-13);
    }
    free(all);
    gbs_array_free(ctx, tiles);
}

static void votes_are_those_of_plain_loops(void **state) {
    (void)state;
    everywhere(check_votes, 709);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_was_given),
        cmocka_unit_test(copies_of_rows_are_those_named),
        cmocka_unit_test(gram_matrices_are_those_of_plain_loops),
        cmocka_unit_test(scores_and_variances_are_those_of_plain_loops),
        cmocka_unit_test(a_span_is_the_covariance_it_stands_for),
        cmocka_unit_test(slopes_of_a_new_loss_are_those_of_plain_loops),
        cmocka_unit_test(threads_change_no_bit_of_slopes),
        cmocka_unit_test(listed_pairs_are_added_one_by_one),
        cmocka_unit_test(votes_are_those_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
