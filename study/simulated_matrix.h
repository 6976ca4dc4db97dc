/* A matrix of known truth and ratings of it, as `gibbsite simulate ratings` makes them: for the studies. */
#ifndef GIBBSITE_STUDY_SIMULATED_MATRIX_H
#define GIBBSITE_STUDY_SIMULATED_MATRIX_H

#include <gibbsite.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct simulated {
    size_t items[2], rank, n, tests;
    double noise, skew;
    double *factor[2], *bias[2], *cumulated[2];
    uint32_t *id[2],
        *test
            [2]; /* of the ratings; of cells drawn in the same way, whose noiseless value is `theta` and fresh rating `fresh` */
    double *y, *theta, *fresh;
};

static inline void *room(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static inline double simulated_theta(const struct simulated *t, size_t i, size_t j) {
    double x = 3.0 + t->bias[0][i] + t->bias[1][j];
    for (size_t k = 0; k < t->rank; k++)
        x += t->factor[0][i * t->rank + k] * t->factor[1][j * t->rank + k];
    return x;
}

static inline uint32_t simulated_item(const gbs_context *ctx, const struct simulated *t, int s, size_t e) {
    double u = gbs_random_uniform(ctx, 22 + (uint64_t)s, e) * t->cumulated[s][t->items[s] - 1];
    size_t low = 0, high = t->items[s] - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->cumulated[s][middle] >= u)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

/* skew 0: every cell alike; else rows and columns have log-normal frequencies of this sigma. */
static inline struct simulated simulate_matrix(const gbs_context *ctx, size_t rows, size_t columns, size_t rank, size_t n,
                                               double noise, double skew) {
    struct simulated t = {.items = {rows, columns}, .rank = rank, .n = n, .tests = 100000, .noise = noise, .skew = skew};
    for (int s = 0; s < 2; s++) {
        size_t m = t.items[s];
        t.factor[s] = room(m * rank, sizeof(double));
        t.bias[s] = room(m, sizeof(double));
        t.cumulated[s] = room(m, sizeof(double));
        t.id[s] = room(n, sizeof(uint32_t));
        t.test[s] = room(t.tests, sizeof(uint32_t));
        for (size_t k = 0; k < m * rank; k++)
            t.factor[s][k] = pow((double)rank, -0.25) * gbs_random_normal(ctx, 16 + (uint64_t)s, k);
        for (size_t i = 0; i < m; i++) {
            t.bias[s][i] = 0.5 * gbs_random_normal(ctx, 18 + (uint64_t)s, i);
            t.cumulated[s][i] = (i > 0 ? t.cumulated[s][i - 1] : 0.0) + exp(skew * gbs_random_normal(ctx, 20 + (uint64_t)s, i));
        }
    }
    t.y = room(n, sizeof(double));
    t.theta = room(t.tests, sizeof(double));
    t.fresh = room(t.tests, sizeof(double));
    for (size_t e = 0; e < n + t.tests; e++) {
        uint32_t i = simulated_item(ctx, &t, 0, e), j = simulated_item(ctx, &t, 1, e);
        double theta = simulated_theta(&t, i, j), y = theta + noise * gbs_random_normal(ctx, 24, e);
        if (e < n) {
            t.id[0][e] = i;
            t.id[1][e] = j;
            t.y[e] = y;
        } else {
            t.test[0][e - n] = i;
            t.test[1][e - n] = j;
            t.theta[e - n] = theta;
            t.fresh[e - n] = y;
        }
    }
    return t;
}

static inline void free_simulated(struct simulated *t) {
    for (int s = 0; s < 2; s++) {
        free(t->factor[s]);
        free(t->bias[s]);
        free(t->cumulated[s]);
        free(t->id[s]);
        free(t->test[s]);
    }
    free(t->y);
    free(t->theta);
    free(t->fresh);
}

#endif
