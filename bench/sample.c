/* The sampler against the matrix product that bounds it.
 *
 *   one sweep of moves of 2,000 particles over the bare product X Theta' of the same shape,
 *   pima's 200 x 8 and 20,000 x 50                     target: at most 3
 *   the whole sampling of pima, lambda 100, 1,000 particles, five moves a temperature
 *                                                      target: a few milliseconds
 *
 * The bare product is the fastest form we know of: OpenBLAS on blocks of rows that leave their
 * scores in cache, or on all rows at once. Times are the best of several, in turn with the sweeps.
 * How soon log Z is known is asked in evidence.c.
 */
#include "bench.h"
#include "fit/run.h"
#include "smc/smc.h"

#include <cblas.h>

static gbs_context *ctx;

/* ---------------------------------------------------------------- sweeps */

/* On one thread and by its processor time: neither other work on the machine nor the start of
 * threads counts. */

enum { PARTICLES = 2000, SLICE = 64 };

struct product {
    size_t n, d;
    const double *x, *theta;
    double *out;
};

static double product_seconds(const struct product *p, size_t rows) {
    double t = thread_seconds();
    for (size_t first = 0; first < p->n; first += rows) {
        size_t count = p->n - first < rows ? p->n - first : rows;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, PARTICLES, (int)p->d, 1.0,
                    p->x + first * p->d, (int)p->d, p->theta, (int)p->d, 0.0, p->out, PARTICLES);
    }
    return thread_seconds() - t;
}

static double sweep_seconds(const gbs_smc_problem *problem, gbs_move move, bool rough, size_t steps,
                            double *theta, double *risk) {
    size_t d = problem->risk->d, *from = calloc(PARTICLES, sizeof *from);
    gbs_reference reference;
    gbs_mover mover;
    gbs_moved moved;
    double *mean = calloc(d, sizeof *mean), *factor = calloc(d * d, sizeof *factor);
    if (from == NULL || mean == NULL || factor == NULL ||
        gbs_mover_create(problem->risk, PARTICLES, &mover) != GBS_OK)
        exit(1);
    for (size_t i = 0; i < PARTICLES; i++)
        from[i] = i;
    for (size_t k = 0; k < d; k++) {
        factor[k * d + k] = 0.3;
        mean[k] = 0.1;
    }
    reference = (gbs_reference){.d = d, .mean = mean, .factor = factor, .sd = mean};
    gbs_chains chains = {.problem = problem,
                         .reference = &reference,
                         .count = PARTICLES,
                         .from = from,
                         .particles = PARTICLES,
                         .steps = steps,
                         .lambda = problem->risk->loss == &gbs_exponential ? 1.0 : 50.0,
                         .move = move,
                         .scale = 0.3,
                         .turns = gbs_ring_turns(problem, rough),
                         .ring = gbs_ring_states(problem, rough),
                         .stream = 1 << 29};
    double t = thread_seconds();
    if (gbs_mover_run(&mover, &chains, theta, risk, &moved) != GBS_OK)
        exit(1);
    t = thread_seconds() - t;
    gbs_mover_free(&mover);
    free(from);
    free(mean);
    free(factor);
    return t / (double)steps;
}

static void say_sweep(const gbs_smc_problem *p, bool rough, double seconds, double base) {
    static const char *const turns[] = {"single states", "a single state, a ring",
                                        "a window, a single state, a ring, a single state",
                                        "a window, a ring"};
    gbs_turns how = gbs_ring_turns(p, rough);
    printf("  one sweep of ring moves (the default), %s%s; in turn %s",
           p->risk->loss->pointwise.name, rough ? " where only near states are any good" : "",
           turns[how]);
    if (how != GBS_TURNS_SINGLE)
        printf(" (of %zu states)", gbs_ring_states(p, rough));
    printf(": %.3f ms, ratio %.2f (target at most 3)\n", 1e3 * seconds, seconds / base);
}

static void sweep(gbs_context *one, const char *name, size_t n, size_t d, size_t steps,
                  int rounds) {
    size_t room = n < 1000 ? n : SLICE;
    double *x = malloc(n * d * sizeof *x), *y = malloc(n * sizeof *y),
           *risk = malloc(PARTICLES * sizeof *risk);
    double *theta = malloc(PARTICLES * d * sizeof *theta),
           *out = malloc(room * PARTICLES * sizeof *out);
    if (x == NULL || y == NULL || risk == NULL || theta == NULL || out == NULL)
        exit(1);
    for (size_t i = 0; i < n * d; i++)
        x[i] = gbs_random_normal(one, 1, i);
    for (size_t i = 0; i < n; i++)
        y[i] = gbs_random_normal(one, 2, i) > 0.0 ? 1.0 : -1.0;
    gbs_rows rows = gbs_rows_wrap(n, d, x, d, y);
    gbs_smc_problem problem[3];
    gbs_empirical *over[3];
    struct product p = {n, d, x, theta, out};
    double base = INFINITY, walk = INFINITY, rough = INFINITY,
           ring[3] = {INFINITY, INFINITY, INFINITY};
    for (size_t k = 0; k < 3; k++) {
        if (gbs_empirical_over_rows(one, &rows, gbs_loss_of((gbs_loss)k), &over[k]) != GBS_OK)
            exit(1);
        problem[k] = (gbs_smc_problem){one, over[k], 1.0, NULL};
    }
    if (gbs_particles_from_prior(&problem[0], PARTICLES, theta, risk) != GBS_OK)
        exit(1);
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < 5; k++)
            base = fmin(base, fmin(product_seconds(&p, SLICE), product_seconds(&p, room)));
        walk = fmin(walk, sweep_seconds(&problem[0], GBS_MOVE_WALK, false, steps, theta, risk));
        rough = fmin(rough, sweep_seconds(&problem[0], GBS_MOVE_RING, true, steps, theta, risk));
        for (size_t k = 0; k < 3; k++)
            ring[k] = fmin(ring[k],
                           sweep_seconds(&problem[k], GBS_MOVE_RING, false, steps, theta, risk));
    }
    printf("%s %zu x %zu, %d particles, one thread: bare product %.3f ms (%.1f GFLOP/s)\n", name, n,
           d, PARTICLES, 1e3 * base, 2e-9 * (double)n * (double)d * PARTICLES / base);
    for (size_t k = 0; k < 3; k++)
        say_sweep(&problem[k], false, ring[k], base);
    say_sweep(&problem[0], true, rough, base);
    printf("  one sweep of random-walk moves (--classic), zero-one: %.3f ms, ratio %.2f (target at "
           "most 3)\n",
           1e3 * walk, walk / base);
    fflush(stdout);
    for (size_t k = 0; k < 3; k++)
        gbs_empirical_free(over[k]);
    free(x);
    free(y);
    free(risk);
    free(theta);
    free(out);
}

static void sweeps(void) {
    gbs_context *one;
    if (gbs_context_create(NULL, &one) != GBS_OK || gbs_context_set_threads(one, 1) != GBS_OK)
        exit(1);
    if (gbs_compute_begin(ctx) != GBS_OK)
        abort();
    sweep(one, "pima's shape", 200, 8, 12, 30);
    sweep(one, "synthetic", 20000, 50, 4, 3);
    gbs_compute_end(ctx);
    gbs_context_free(one);
}

/* ---------------------------------------------------------------- public data */

static gbs_sample_info draw(gbs_data *s, const gbs_sample_settings *o, uint64_t seed) {
    gbs_particles *p;
    ctx->seed = seed;
    if (gbs_sample_run(ctx, s, o, &p) != GBS_OK) {
        fprintf(stderr, "bench: %s\n", gbs_error_message(ctx));
        exit(1);
    }
    gbs_sample_info info = *gbs_particles_get_info(p);
    gbs_particles_free(p);
    return info;
}

static void whole_pima(void) {
    gbs_data *s = public_rows(ctx, "pima/train.csv");
    if (s == NULL)
        return;
    gbs_sample_settings o = gbs_sample_settings_default();
    double classic = INFINITY, plain = INFINITY;
    o.lambda = 100.0;
    o.particles = 1000;
    for (uint64_t k = 0; k < 100; k++) {
        o.classic = 1;
        o.moves = 5;
        classic = fmin(classic, draw(s, &o, k).seconds);
        o.classic = 0;
        o.moves = 0;
        plain = fmin(plain, draw(s, &o, k).seconds);
    }
    printf("pima, lambda 100, 1000 particles, whole: classic with five moves a temperature %.1f "
           "ms, default %.1f ms\n",
           1e3 * classic, 1e3 * plain);
    gbs_data_free(s);
}

int main(int argc, char **argv) {
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 1;
    if (wanted(argc, argv, "sweeps"))
        sweeps();
    if (wanted(argc, argv, "pima"))
        whole_pima();
    gbs_context_free(ctx);
    return 0;
}
