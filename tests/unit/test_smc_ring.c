/* The states of a ring: their risks against plain loops, and the draw among them. */
#include "smc/smc.h"
#include "unit/rows_support.h"
#include "unit/smc_support.h"

/* Theta of state j of lane l, from planes before they are turned. */
static void ring_state(size_t d, const double *mean, const double *centred, const double *direction, double angle, size_t l,
                       double *theta) {
    for (size_t k = 0; k < d; k++)
        theta[k] = mean[k] + cos(angle) * centred[k * GBS_LANES + l] + sin(angle) * direction[k * GBS_LANES + l];
}

/* Every state of a ring, wherever the current one stands in it; also where the reference has mean 0, and for rows of zeros. */
static void check_ring(gbs_context *ctx, struct dice *r, const struct design *g, gbs_loss loss, bool centred_mean) {
    enum { STATES = 6 };
    size_t d = g->rows.d, n = g->rows.all.n, size = d * GBS_LANES, here = dice_below(r, STATES);
    gbs_smc_problem p = {ctx, &g->rows, gbs_loss_of(loss), 1.0, NULL};
    double *mean = doubles(d), *base = doubles(n), *theta = doubles(d), *copy = doubles(2 * size);
    double *work = gbs_doubles(ctx, 4 * size + STATES * GBS_LANES), *scratch = gbs_doubles(ctx, gbs_risk_scratch(&g->rows));
    gbs_plane plane = {mean, mean, work, work + size, work + 2 * size, work + 3 * size, work + 4 * size};
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
    gbs_ring_risks(&p, &ring, base, 1, &plane, scratch);
    for (size_t j = 0; j < STATES; j++) /* numbers 2 k and 2 k + 1 stand at +-(k + 1/2) times 0.4 */
        for (size_t l = 0; l < GBS_LANES; l++) {
            double at[2];
            for (size_t k = 0; k < 2; k++) {
                size_t number = k == 0 ? j : here, step = number / 2;
                at[k] = 0.4 * ((double)step + 0.5) * (number % 2 == 0 ? 1.0 : -1.0);
            }
            ring_state(d, mean, copy, copy + size, at[0] - at[1], l, theta);
            assert_close(plane.risk[j * GBS_LANES + l], plain_risk(loss, n, d, g->cells, g->table.y, theta), 1e-11, 1e-13);
        }
    free(mean);
    free(base);
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

/* Weights that span hundreds of orders of magnitude, some of them none at all: shares of the draws, 5 standard errors. */
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
        assert_close(share[j], expected[j], 0.0, 5.0 * sqrt(expected[j] * (1.0 - expected[j]) / (ROUNDS * GBS_LANES)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_risks_are_those_of_plain_loops),
        cmocka_unit_test(lanes_draw_by_their_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
