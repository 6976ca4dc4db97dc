/* A draw from a ring of states, instead of one proposal that is taken or not (docs/maths.md, 7.4).
 *
 * With the reference N(m, L L'), theta = m + L u, and a fresh z ~ N(0, I), the states  m + L (u cos
 * phi + z sin phi)  lie on an ellipse; turning the pair (u, z) leaves N(0, I) x N(0, I) unchanged.
 * So among angles that form the same set seen from each of them, the draw of one with probability
 *
 *   proportional to  exp(-lambda r - |theta - m0|^2/2v + |u|^2/2)     (the target over the
 * reference)
 *
 * is an exact Gibbs step: nothing is rejected, far states are reached when the reference is good,
 * near ones when it is not. Two kinds of sets: the full ring (phi = 2 pi j/K), and a window of
 * narrow angles delta (j - J), J uniform, for rough or ill-fitted targets. Murray, Adams, MacKay:
 * Elliptical slice sampling (2010); Neal's multi-point moves; Tjelmeland: Using all
 * Metropolis-Hastings proposals (2004)
 *
 * A window may also be a single state at the angle delta, taken or not by Metropolis's rule: one
 * product, no plane. Neal (1998), Cotter, Roberts, Stuart, White (2013): proposals that leave the
 * reference unchanged
 *
 * Scores are linear: x'theta(phi) = x'm + cos phi x'(theta - m) + sin phi x'Lz. Two products with
 * the rows serve all K states; each state more costs n operations, not n d. Both kinds of sets are
 * angles delta apart, delta = 2 pi/K for the full ring. The plane (u, z) is turned first so that
 * they lie around 0 in pairs, +-(k + 1/2) delta: the two states of a pair share their
 * multiplications, and the angles are the same for all chains and steps.
 */
#include "smc/smc.h"

#include <math.h>

/* A state costs a few operations a row, many with an exponential in them or a sort; the two
 * products cost d each. Variance x time is flat around these sizes (measured with 8, 10 and 62
 * columns). */
enum { FEW_STATES = 4, SOME_STATES = 8, MANY_STATES = 16, SOME_COLUMNS = 16, MANY_COLUMNS = 32 };

/* Costs of a state more, on a row: that of an exponential is high, that of a sort very high. */
#define COSTLY 10.0
#define VERY_COSTLY 100.0

/* The approximation of a smooth target is good enough for single states, and a product is cheap: a
 * ring is not worth its second one. */
static bool smooth_and_small(const gbs_smc_problem *p) {
    return p->risk->loss->convex && p->risk->state_cost < VERY_COSTLY && p->risk->d < SOME_COLUMNS;
}

size_t gbs_ring_states(const gbs_smc_problem *problem, bool rough) {
    size_t d = problem->risk->d;
    if (problem->risk->state_cost > COSTLY || smooth_and_small(problem) ||
        (d < SOME_COLUMNS && !rough))
        return FEW_STATES;
    return d < MANY_COLUMNS ? SOME_STATES : MANY_STATES;
}

/* Where states cost much, or far ones are good, one state for one product is worth more than a
 * window of them for two; between a window and a ring it comes at half their price. */
gbs_turns gbs_ring_turns(const gbs_smc_problem *problem, bool rough) {
    if (smooth_and_small(problem))
        return GBS_TURNS_SINGLE;
    if (gbs_ring_states(problem, rough) == FEW_STATES)
        return GBS_TURNS_SINGLE_RING;
    return problem->risk->d < SOME_COLUMNS ? GBS_TURNS_MIXED : GBS_TURNS_WINDOW_RING;
}

gbs_turn gbs_turn_of(gbs_turns turns, size_t step) {
    static const gbs_turn kinds[][4] = {
        [GBS_TURNS_SINGLE] = {GBS_TURN_SINGLE, GBS_TURN_SINGLE, GBS_TURN_SINGLE, GBS_TURN_SINGLE},
        [GBS_TURNS_SINGLE_RING] = {GBS_TURN_SINGLE, GBS_TURN_RING, GBS_TURN_SINGLE, GBS_TURN_RING},
        [GBS_TURNS_MIXED] = {GBS_TURN_WINDOW, GBS_TURN_SINGLE, GBS_TURN_RING, GBS_TURN_SINGLE},
        [GBS_TURNS_WINDOW_RING] = {GBS_TURN_WINDOW, GBS_TURN_RING, GBS_TURN_WINDOW, GBS_TURN_RING},
    };
    return kinds[turns][step % 4];
}

gbs_turn gbs_turn_tuned(gbs_turns turns) {
    return turns == GBS_TURNS_SINGLE || turns == GBS_TURNS_SINGLE_RING ? GBS_TURN_SINGLE
                                                                       : GBS_TURN_WINDOW;
}

double gbs_ring_step(size_t size) {
    return 6.283185307179586476925286766559 / (double)size;
}

void gbs_ring_create(size_t size, double delta, gbs_ring *out) {
    *out = (gbs_ring){.size = size};
    for (size_t k = 0; k < size / 2; k++) {
        out->cosine[k] = cos(((double)k + 0.5) * delta);
        out->sine[k] = sin(((double)k + 0.5) * delta);
    }
}

void gbs_ring_turn(const gbs_smc_problem *problem, const gbs_ring *ring, size_t here,
                   const gbs_plane *p) {
    double x = gbs_ring_cosine(ring, here), y = -gbs_ring_sine(ring, here);
    gbs_tile_rotate(problem->risk->d, x, y, p->centred, p->direction);
    gbs_tile_rotate(problem->risk->d, x, y, p->u, p->z);
}

/* log_weight[j][l] = (|cos u + sin z|^2 - |m - m0 + cos b + sin c|^2/v)/2 - lambda r, b and c the
 * same plane in the coordinates of theta; what is the same for all states is left out. */
static void weigh(const gbs_smc_problem *problem, double lambda, const gbs_ring *ring,
                  const gbs_plane *p, double *log_weight) {
    enum { UU, UZ, ZZ, BB, BC, CC, MB, MC, PRODUCTS };
    double product[PRODUCTS][GBS_LANES] __attribute__((aligned(64))),
        half_precision = 0.5 / (problem->prior_sd * problem->prior_sd);
    size_t d = problem->risk->d;
    gbs_tile_inner(d, p->u, p->u, product[UU]);
    gbs_tile_inner(d, p->u, p->z, product[UZ]);
    gbs_tile_inner(d, p->z, p->z, product[ZZ]);
    gbs_tile_inner(d, p->centred, p->centred, product[BB]);
    gbs_tile_inner(d, p->centred, p->direction, product[BC]);
    gbs_tile_inner(d, p->direction, p->direction, product[CC]);
    gbs_tile_dot(d, p->away, p->centred, product[MB]);
    gbs_tile_dot(d, p->away, p->direction, product[MC]);
    for (size_t j = 0; j < ring->size; j++) {
        double x = gbs_ring_cosine(ring, j), y = gbs_ring_sine(ring, j), v = half_precision;
        double by[] = {0.5 * x * x,      x * y,      0.5 * y * y,  -v * x * x,
                       -2.0 * v * x * y, -v * y * y, -2.0 * v * x, -2.0 * v * y};
        gbs_lanes_weigh(PRODUCTS, by, product[0], -lambda, p->risk + j * GBS_LANES,
                        log_weight + j * GBS_LANES);
    }
}

void gbs_ring_choose(const gbs_smc_problem *problem, double lambda, const gbs_ring *ring,
                     const gbs_plane *plane, const double *draw, size_t *chosen) {
    double weight[GBS_RING_MOST * GBS_LANES] __attribute__((aligned(64)));
    weigh(problem, lambda, ring, plane, weight);
    gbs_lanes_choose(ring->size, weight, draw, chosen);
}
