/* The states of a ring: their risks against plain loops, the draw among them, and moves on them
 * against quadrature. */
#include "core/random.h"
#include "smc/smc.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

/* Theta of state j of lane l, from planes before they are turned. */
static void ring_state(size_t d, const double *mean, const double *centred, const double *direction,
                       double angle, size_t l, double *theta) {
    for (size_t k = 0; k < d; k++)
        theta[k] = mean[k] + cos(angle) * centred[k * GBS_LANES + l] +
                   sin(angle) * direction[k * GBS_LANES + l];
}

/* Every state of a ring, wherever the current one stands in it; also where the reference has mean
 * 0, and for rows of zeros. */
static void check_ring(gbs_context *ctx, struct dice *r, const struct design *g, gbs_loss loss,
                       bool centred_mean) {
    enum { STATES = 6 };
    size_t d = g->rows.d, n = g->rows.all.n, size = d * GBS_LANES, here = dice_below(r, STATES);
    gbs_empirical *over;
    assert_ok(ctx, gbs_empirical_over_rows(ctx, &g->rows, gbs_loss_of(loss), &over));
    gbs_smc_problem p = {ctx, over, 1.0, NULL};
    double *mean = doubles(d), *base = doubles(n), *begun = doubles(n), *theta = doubles(d),
           *copy = doubles(2 * size);
    double *work = gbs_doubles(ctx, 4 * size + STATES * GBS_LANES),
           *scratch = gbs_doubles(ctx, gbs_empirical_tile_room(over));
    gbs_plane plane = {mean,           mean, work, work + size, work + 2 * size, work + 3 * size,
                       work + 4 * size};
    gbs_ring ring;
    for (size_t k = 0; k < d; k++)
        mean[k] = centred_mean ? 0.0 : dice_normal(r);
    for (size_t k = 0; k < 4 * size; k++)
        work[k] = dice_normal(r);
    memcpy(copy, work, 2 * size * sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++)
            base[i] += g->cells[i * d + k] * mean[k];
        base[i] = g->table.y[i] * base[i] + 0.0;
    }
    gbs_ring_create(STATES, 0.4, &ring);
    gbs_ring_turn(&p, &ring, here, &plane);
    gbs_ring_tile tile = {plane.centred, plane.direction, plane.risk};
    gbs_empirical_ring(over, &ring, base, 1, &tile, scratch);
    gbs_empirical_base(over, mean, begun);
    for (size_t i = 0; i < n; i++) {
        assert_close(begun[i], base[i], 1e-12, 1e-13);
        assert_false(signbit(begun[i]) && begun[i] == 0.0);
    }
    for (size_t j = 0; j < STATES; j++) /* numbers 2 k and 2 k + 1 stand at +-(k + 1/2) times 0.4 */
        for (size_t l = 0; l < GBS_LANES; l++) {
            double at[2];
            for (size_t k = 0; k < 2; k++) {
                size_t number = k == 0 ? j : here, step = number / 2;
                at[k] = 0.4 * ((double)step + 0.5) * (number % 2 == 0 ? 1.0 : -1.0);
            }
            ring_state(d, mean, copy, copy + size, at[0] - at[1], l, theta);
            assert_close(plane.risk[j * GBS_LANES + l],
                         plain_risk(loss, n, d, g->cells, g->table.y, theta), 1e-11, 1e-13);
        }
    gbs_empirical_free(over);
    free(mean);
    free(base);
    free(begun);
    free(theta);
    free(copy);
    gbs_array_free(ctx, work);
    gbs_array_free(ctx, scratch);
}

static void ring_risks_are_those_of_plain_loops(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {15};
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t n = 1; n < 150; n += 37)
            for (size_t d = 1; d < 20; d += 6)
                for (size_t l = 0; l < COUNT(all_losses); l++) {
                    struct design g = make_design(&r, n, d, sparse != 0, 0);
                    for (size_t k = 0; sparse == 0 && k < d; k++)
                        ((double *)g.cells)[k] = 0.0;
                    check_ring(ctx, &r, &g, all_losses[l], dice_below(&r, 2) == 0);
                    free_design(&g);
                }
    gbs_context_free(ctx);
}

/* Weights that span hundreds of orders of magnitude, some of them none at all: shares of the draws,
 * 5 standard errors. */
static void lanes_draw_by_their_weights(void **state) {
    (void)state;
    enum { STATES = 6, ROUNDS = 4000 };
    static const double log_weight[STATES] = {0.0, -INFINITY, 1.5, NAN, -800.0, 0.7};
    double share[STATES] = {0}, expected[STATES], total = 1.0 + exp(1.5) + exp(0.7);
    struct dice r = {16};
    for (int round = 0; round < ROUNDS; round++) {
        double weight[STATES * GBS_LANES] __attribute__((aligned(64))), draw[GBS_LANES];
        size_t chosen[GBS_LANES];
        for (size_t k = 0; k < (size_t)STATES * GBS_LANES; k++)
            weight[k] = log_weight[k / GBS_LANES] + 1e4;
        for (size_t l = 0; l < GBS_LANES; l++)
            draw[l] = dice_uniform(&r);
        gbs_lanes_choose(STATES, weight, draw, chosen);
        for (size_t l = 0; l < GBS_LANES; l++)
            share[chosen[l]] += 1.0 / (ROUNDS * GBS_LANES);
    }
    for (size_t j = 0; j < STATES; j++) {
        expected[j] = j == 0 || j == 2 || j == 5 ? exp(log_weight[j]) / total : 0.0;
        assert_close(share[j], expected[j], 0.0,
                     5.0 * sqrt(expected[j] * (1.0 - expected[j]) / (ROUNDS * GBS_LANES)));
    }
}

/* ---------------------------------------------------------------- the moves themselves */

enum { ROWS = 30 };

struct truth {
    double risk, mean[2];
};

/* exp(-lambda r) N(theta; prior_mean, prior_sd^2 I) in two dimensions, by the midpoint rule. */
static struct truth integrate(const gbs_smc_problem *p, gbs_loss loss, double lambda,
                              const double *x, const double *y) {
    enum { CELLS = 600 };
    double width = 12.0 * p->prior_sd / CELLS, total = 0.0;
    struct truth t = {0};
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double u = (i + 0.5) * width - 6.0 * p->prior_sd,
                   v = (j + 0.5) * width - 6.0 * p->prior_sd;
            double theta[2] = {p->prior_mean[0] + u, p->prior_mean[1] + v},
                   risk = plain_risk(loss, ROWS, 2, x, y, theta);
            double weight = exp(-lambda * risk -
                                0.5 * (u * u + v * v) / (p->prior_sd * p->prior_sd));
            total += weight;
            t.risk += weight * risk;
            t.mean[0] += weight * theta[0];
            t.mean[1] += weight * theta[1];
        }
    return (struct truth){t.risk / total, {t.mean[0] / total, t.mean[1] / total}};
}

/* Mean over the chains of what they averaged, against the truth: 6 standard errors, which come from
 * the independent chains. */
static void check_mean(size_t chains, const double *average, double truth, double slack) {
    double mean = 0.0, square = 0.0;
    for (size_t c = 0; c < chains; c++)
        mean += average[c] / (double)chains;
    for (size_t c = 0; c < chains; c++)
        square += (average[c] - mean) * (average[c] - mean);
    assert_close(mean, truth, 0.0,
                 6.0 * sqrt(square / ((double)chains * (double)(chains - 1))) + slack);
}

/* Chains long enough to forget where they began, under a reference that is off in mean and
 * covariance. */
static void check_moves(gbs_context *ctx, gbs_loss loss, gbs_move move, gbs_turns turns,
                        const double *x, const double *y) {
    enum { LENGTH = 300, FORGOTTEN = 60 };
    size_t count = repeats(400, 80);
    gbs_rows rows = gbs_rows_wrap(ROWS, 2, x, 2, y);
    double prior_mean[2] = {0.8, -0.5}, lambda = loss == GBS_LOSS_EXPONENTIAL ? 6.0 : 20.0;
    gbs_empirical *over;
    assert_ok(ctx, gbs_empirical_over_rows(ctx, &rows, gbs_loss_of(loss), &over));
    gbs_smc_problem p = {ctx, over, 0.7, prior_mean};
    double mean[2] = {0.6, -0.2}, factor[4] = {0.5, 0.0, 0.2, 0.4}, sd[2] = {0.5, 0.45};
    gbs_reference reference = {.d = 2, .mean = mean, .factor = factor, .sd = sd};
    size_t *from = take(count, sizeof *from), particles = count * LENGTH;
    double *theta = doubles(2 * particles), *risk = doubles(particles),
           *average = doubles(3 * count);
    gbs_mover mover;
    gbs_moved moved;
    assert_ok(ctx, gbs_particles_from_prior(&p, count, theta, risk));
    for (size_t c = 0; c < count; c++)
        from[c] = c;
    assert_ok(ctx, gbs_mover_create(over, count, &mover));
    gbs_chains chains = {.problem = &p,
                         .reference = &reference,
                         .count = count,
                         .from = from,
                         .particles = particles,
                         .keep_all = true,
                         .steps = 1,
                         .lambda = lambda,
                         .move = move,
                         .scale = 0.6,
                         .ring = 8,
                         .turns = turns,
                         .stream = 1 << 29};
    assert_ok(ctx, gbs_mover_run(&mover, &chains, theta, risk, &moved));
    assert_true(moved.narrow > 0.05 && moved.narrow < 1.0 && moved.acceptance > 0.05 &&
                moved.acceptance < 1.0);
    for (size_t c = 0; c < count; c++)
        for (size_t i = FORGOTTEN; i < LENGTH; i++) {
            size_t at = c * LENGTH + i;
            average[c] += risk[at] / (LENGTH - FORGOTTEN);
            average[count + c] += theta[2 * at] / (LENGTH - FORGOTTEN);
            average[2 * count + c] += theta[2 * at + 1] / (LENGTH - FORGOTTEN);
        }
    struct truth t = integrate(&p, loss, lambda, x, y);
    check_mean(count, average, t.risk, 2e-4); /* the grid's own error where the risk jumps */
    check_mean(count, average + count, t.mean[0], 2e-4);
    check_mean(count, average + 2 * count, t.mean[1], 2e-4);
    gbs_mover_free(&mover);
    gbs_empirical_free(over);
    free(from);
    free(theta);
    free(risk);
    free(average);
}

/* Every order of turns, and the walk, leaves the target as it is. */
static void moves_leave_the_target_unchanged(void **state) {
    (void)state;
    gbs_context *ctx = new_context(2, 3);
    struct dice r = {17};
    double x[2 * ROWS], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = dice_normal(&r);
        x[2 * i + 1] = dice_normal(&r);
        y[i] = x[2 * i] + 0.5 * x[2 * i + 1] + dice_normal(&r) > 0.0 ? 1.0 : -1.0;
    }
    for (size_t l = 0; l < COUNT(all_losses); l++) {
        for (gbs_turns turns = GBS_TURNS_SINGLE; turns <= GBS_TURNS_WINDOW_RING; turns++)
            check_moves(ctx, all_losses[l], GBS_MOVE_RING, turns, x, y);
        check_moves(ctx, all_losses[l], GBS_MOVE_WALK, GBS_TURNS_SINGLE, x, y);
    }
    gbs_context_free(ctx);
}

static void lane_numbers_are_those_of_the_counters(void **state) {
    (void)state;
    double u[GBS_LANES];
    for (uint64_t first = 0; first < 3000; first += 917) {
        gbs_lane_uniforms(9, 1 << 29, first, u);
        for (size_t l = 0; l < GBS_LANES; l++)
            assert_true(u[l] == gbs_uniform(9, 1 << 29, first + l));
    }
}

static void changes_of_squares_are_those_of_plain_loops(void **state) {
    (void)state;
    enum { D = 7 };
    struct dice r = {18};
    double from[D * GBS_LANES] __attribute__((aligned(64))),
        to[D * GBS_LANES] __attribute__((aligned(64))), centre[D],
        change[GBS_LANES] __attribute__((aligned(64)));
    for (int centred = 0; centred < 2; centred++) {
        for (size_t k = 0; k < D; k++)
            centre[k] = centred ? 3.0 * dice_normal(&r) : 0.0;
        for (size_t k = 0; k < (size_t)D * GBS_LANES; k++) {
            from[k] = dice_normal(&r);
            to[k] = dice_normal(&r);
        }
        gbs_tile_change(D, centred ? centre : NULL, from, to, change);
        for (size_t l = 0; l < GBS_LANES; l++) {
            double expected = 0.0;
            for (size_t k = 0; k < D; k++)
                expected += pow(to[k * GBS_LANES + l] - centre[k], 2.0) -
                            pow(from[k * GBS_LANES + l] - centre[k], 2.0);
            assert_close(change[l], expected, 1e-12, 1e-12);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_risks_are_those_of_plain_loops),
        cmocka_unit_test(lanes_draw_by_their_weights),
        cmocka_unit_test(moves_leave_the_target_unchanged),
        cmocka_unit_test(lane_numbers_are_those_of_the_counters),
        cmocka_unit_test(changes_of_squares_are_those_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
