/* A matrix of known truth and ratings of it: for the studies. With equal components and no stars
 * they are as `gibbsite simulate ratings` makes them; stars and components that decay are nearer to
 * what people click. */
#ifndef GIBBSITE_STUDY_SIMULATED_MATRIX_H
#define GIBBSITE_STUDY_SIMULATED_MATRIX_H

#include <gibbsite.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct design {
    size_t rows, columns, rank, n;
    double noise;
    double skew; /* 0: every cell alike; else rows and columns have log-normal frequencies of this
                    sigma */
    double strength; /* standard deviation of a product of factors */
    double decay;    /* component k has a part of it in proportion to k^-decay */
    double bias_sd;
    bool stars; /* ratings are rounded to 1 .. 5 */
};

struct simulated {
    struct design design;
    size_t items[2], rank, n, tests;
    double noise; /* of a rating about its expectation, in root mean square */
    double *factor[2], *bias[2], *cumulated[2];
    /* of the ratings; of cells drawn in the same way, whose expected value is `theta` and fresh
     * rating `fresh` */
    uint32_t *id[2], *test[2];
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

static inline uint32_t simulated_item(const gbs_context *ctx, const struct simulated *t, int s,
                                      size_t e) {
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

/* Factors, biases and frequencies. */
static inline void simulate_items(const gbs_context *ctx, struct simulated *t, int s) {
    size_t m = t->items[s], rank = t->rank;
    double squares = 0.0;
    for (size_t k = 0; k < rank; k++)
        squares += pow((double)(k + 1), -2.0 * t->design.decay);
    t->factor[s] = room(m * rank, sizeof(double));
    t->bias[s] = room(m, sizeof(double));
    t->cumulated[s] = room(m, sizeof(double));
    for (size_t k = 0; k < m * rank; k++) {
        double part = t->design.strength * pow((double)(k % rank + 1), -t->design.decay) /
                      sqrt(squares);
        t->factor[s][k] = sqrt(part) * gbs_random_normal(ctx, 16 + (uint64_t)s, k);
    }
    for (size_t i = 0; i < m; i++) {
        t->bias[s][i] = t->design.bias_sd * gbs_random_normal(ctx, 18 + (uint64_t)s, i);
        t->cumulated[s][i] = (i > 0 ? t->cumulated[s][i - 1] : 0.0) +
                             exp(t->design.skew * gbs_random_normal(ctx, 20 + (uint64_t)s, i));
    }
}

/* Mean and variance of max(1, min(5, round(x + noise))). */
static inline void star_moments(double x, double noise, double *mean, double *variance) {
    double square = *mean = 0.0;
    for (int star = 1; star <= 5; star++) {
        double above = star == 1 ? 1.0 : 0.5 * erfc((star - 0.5 - x) / noise / sqrt(2.0));
        double below = star == 5 ? 0.0 : 0.5 * erfc((star + 0.5 - x) / noise / sqrt(2.0));
        *mean += star * (above - below);
        square += star * star * (above - below);
    }
    *variance = square - *mean * *mean;
}

static inline struct simulated simulate_matrix(const gbs_context *ctx, const struct design *d) {
    struct simulated t = {.design = *d,
                          .items = {d->rows, d->columns},
                          .rank = d->rank,
                          .n = d->n,
                          .tests = 100000,
                          .noise = d->noise};
    double variances = 0.0;
    for (int s = 0; s < 2; s++) {
        simulate_items(ctx, &t, s);
        t.id[s] = room(t.n, sizeof(uint32_t));
        t.test[s] = room(t.tests, sizeof(uint32_t));
    }
    t.y = room(t.n, sizeof(double));
    t.theta = room(t.tests, sizeof(double));
    t.fresh = room(t.tests, sizeof(double));
    for (size_t e = 0; e < t.n + t.tests; e++) {
        uint32_t i = simulated_item(ctx, &t, 0, e), j = simulated_item(ctx, &t, 1, e);
        double theta = simulated_theta(&t, i, j),
               y = theta + d->noise * gbs_random_normal(ctx, 24, e);
        if (d->stars)
            y = fmin(5.0, fmax(1.0, round(y)));
        if (e < t.n) {
            t.id[0][e] = i;
            t.id[1][e] = j;
            t.y[e] = y;
            continue;
        }
        double variance = d->noise * d->noise;
        if (d->stars)
            star_moments(theta, d->noise, &theta, &variance);
        variances += variance;
        t.test[0][e - t.n] = i;
        t.test[1][e - t.n] = j;
        t.theta[e - t.n] = theta;
        t.fresh[e - t.n] = y;
    }
    if (d->stars)
        t.noise = sqrt(variances / (double)t.tests);
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
