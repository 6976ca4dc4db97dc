/* What the numerical tests share: comparisons that print numbers, a small random source, random
 * tables, contexts, fits. */
#ifndef GIBBSITE_TESTS_SUPPORT_H
#define GIBBSITE_TESTS_SUPPORT_H

#include "fit/run.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const gbs_loss all_losses[] = {GBS_LOSS_ZERO_ONE, GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL,
                                      GBS_LOSS_PROBIT};
static const gbs_loss convex_losses[] = {GBS_LOSS_HINGE, GBS_LOSS_EXPONENTIAL, GBS_LOSS_PROBIT};
/* The loss itself, by its definition. */
static inline double plain_loss(gbs_loss loss, double z) {
    switch (loss) {
    case GBS_LOSS_ZERO_ONE:
        return z < 0.0 ? 1.0 : z > 0.0 ? 0.0 : 0.5;
    case GBS_LOSS_HINGE:
        return fmax(0.0, 1.0 - z);
    case GBS_LOSS_EXPONENTIAL:
        return exp(-z);
    default: /* probit: phi(z) - z Phi(-z) */
        return exp(-0.5 * z * z) * 0.39894228040143267794 - z * 0.5 * erfc(z * sqrt(0.5));
    }
}

static const gbs_family all_families[] = {GBS_FAMILY_FIXED, GBS_FAMILY_ISOTROPIC,
                                          GBS_FAMILY_DIAGONAL, GBS_FAMILY_FULL};

/* ---------------------------------------------------------------- the short form of a test */

/* Loops that are statistical, or repeat themselves, take long under a sanitizer, which needs few
 * rounds to see wrong memory. tests/run asks for the short form there, and runs every file that
 * calls repeats() from the release build too, in full. A limit that depends on the count is
 * computed from it. */
static inline bool short_form(void) {
    return getenv("GIBBSITE_TEST_SHORT") != NULL;
}

/* Under ThreadSanitizer, which looks at the order of accesses: other builds compare the numbers. */
static inline bool only_order(void) {
#ifdef __SANITIZE_THREAD__
    return short_form();
#else
    return false;
#endif
}

static inline size_t repeats(size_t full, size_t few) {
    return short_form() ? few : full;
}

/* The most of n rounds that may fail, when each does with probability at most p: 5 sigma above. */
static inline size_t most_failures(size_t n, double p) {
    return (size_t)((double)n * p + 5.0 * sqrt((double)n * p * (1.0 - p)));
}

/* ---------------------------------------------------------------- comparisons */

/* |actual - expected| <= relative |expected| + absolute; NaN never passes. */
static inline void check_close(double actual, double expected, double relative, double absolute,
                               const char *what, const char *file, int line) {
    if (fabs(actual - expected) <= relative * fabs(expected) + absolute)
        return;
    print_error("%s: %.17g, expected %.17g, difference %.3g (relative %.3g)\n", what, actual,
                expected, actual - expected, fabs(actual - expected) / fabs(expected));
    _fail(file, line);
}

#define assert_close(actual, expected, relative, absolute)                                         \
    check_close((actual), (expected), (relative), (absolute), #actual, __FILE__, __LINE__)

static inline void check_at_most(double actual, double limit, const char *what, const char *file,
                                 int line) {
    if (actual <= limit)
        return;
    print_error("%s: %.17g is above %.17g, by %.3g\n", what, actual, limit, actual - limit);
    _fail(file, line);
}

#define assert_at_most(actual, limit) check_at_most((actual), (limit), #actual, __FILE__, __LINE__)

static inline bool same_bits(const double *a, const double *b, size_t count) {
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* ---------------------------------------------------------------- random numbers: splitmix64, the
 * tests' own */

struct dice {
    uint64_t state;
};

static inline uint64_t dice_bits(struct dice *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double dice_uniform(struct dice *r) {
    return ((double)(dice_bits(r) >> 12) + 0.5) * 0x1p-52;
}

static inline double dice_between(struct dice *r, double low, double high) {
    return low + (high - low) * dice_uniform(r);
}

static inline size_t dice_below(struct dice *r, size_t bound) {
    return (size_t)(dice_uniform(r) * (double)bound);
}

static inline double dice_normal(struct dice *r) {
    double radius = sqrt(-2.0 * log(dice_uniform(r)));
    return radius * cos(6.28318530717958648 * dice_uniform(r));
}

/* ---------------------------------------------------------------- memory that must be there */

static inline void *take(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static inline double *doubles(size_t count) {
    return take(count, sizeof(double));
}

/* ---------------------------------------------------------------- random tables */

/* n x d cells, labels of a noisy linear rule; the same cells as CSR in start, column, value. */
struct table_of_numbers {
    size_t n, d;
    double *x, *y;
    size_t *start;
    uint32_t *column;
    double *value;
};

/* Anew, where there is one. */
static inline void make_csr(struct table_of_numbers *t) {
    free(t->start);
    free(t->column);
    free(t->value);
    t->start = take(t->n + 1, sizeof *t->start);
    size_t stored = 0;
    for (size_t i = 0; i < t->n * t->d; i++)
        stored += t->x[i] != 0.0;
    t->column = take(stored, sizeof *t->column);
    t->value = doubles(stored);
    size_t end = 0;
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < t->d; k++) {
            if (t->x[i * t->d + k] == 0.0)
                continue;
            t->column[end] = (uint32_t)k;
            t->value[end++] = t->x[i * t->d + k];
        }
        t->start[i + 1] = end;
    }
}

/* Each cell is non-zero with probability `density`; labels follow sign(x'w + noise), both classes
 * present. */
static inline struct table_of_numbers make_table(struct dice *r, size_t n, size_t d, double density,
                                                 double noise) {
    struct table_of_numbers t = {.n = n, .d = d, .x = doubles(n * d), .y = doubles(n)};
    double *w = doubles(d);
    for (size_t k = 0; k < d; k++)
        w[k] = dice_normal(r) / sqrt((double)d * density);
    for (size_t i = 0; i < n; i++) {
        double score = noise * dice_normal(r);
        for (size_t k = 0; k < d; k++) {
            if (density >= 1.0 || dice_uniform(r) < density)
                t.x[i * d + k] = dice_normal(r) + (k % 3 == 0 ? 0.7 : 0.0);
            score += t.x[i * d + k] * w[k];
        }
        t.y[i] = score >= 0.0 ? 1.0 : -1.0;
    }
    t.y[0] = 1.0;
    if (n > 1)
        t.y[1] = -1.0;
    free(w);
    make_csr(&t);
    return t;
}

static inline struct table_of_numbers small_table(uint64_t seed, size_t n, size_t d) {
    struct dice r = {seed};
    return make_table(&r, n, d, 1.0, 0.5);
}

static inline void free_table(struct table_of_numbers *t) {
    free(t->x);
    free(t->y);
    free(t->start);
    free(t->column);
    free(t->value);
    *t = (struct table_of_numbers){0};
}

/* ---------------------------------------------------------------- contexts, data, fits */

static inline gbs_context *new_context(int threads, uint64_t seed) {
    gbs_context *ctx;
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    assert_int_equal(gbs_context_set_threads(ctx, threads), GBS_OK);
    assert_int_equal(gbs_context_set_seed(ctx, seed), GBS_OK);
    return ctx;
}

/* A test is built with the library whose results it reads, and may copy them. */
static inline gbs_status measure_gap(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                     const gbs_particles *particles, gbs_gap *out) {
    gbs_gap *told;
    gbs_status status = gbs_measure_gap(ctx, data, model, particles, &told);
    *out = status == GBS_OK ? *told : (gbs_gap){0};
    gbs_gap_free(told);
    return status;
}

static inline gbs_status evaluate_model(gbs_context *ctx, const gbs_model *model,
                                        const gbs_data *data, gbs_evaluation *out) {
    gbs_evaluation *told;
    gbs_status status = gbs_model_evaluate(ctx, model, data, &told);
    *out = status == GBS_OK ? *told : (gbs_evaluation){0};
    gbs_evaluation_free(told);
    return status;
}

static inline gbs_status evaluate_particles(gbs_context *ctx, const gbs_particles *particles,
                                            const gbs_data *data, gbs_evaluation *out) {
    gbs_evaluation *told;
    gbs_status status = gbs_particles_evaluate(ctx, particles, data, &told);
    *out = status == GBS_OK ? *told : (gbs_evaluation){0};
    gbs_evaluation_free(told);
    return status;
}

/* The library keeps lists in one piece: tests, which look inside, step through them. */
static inline const gbs_certificate *certificates_of(const gbs_model *model, size_t *count) {
    *count = gbs_model_certificates(model);
    return gbs_model_certificate(model, 0);
}

static inline const gbs_path_point *path_of(const gbs_model *model) {
    return gbs_model_path_at(model, 0);
}

static inline const gbs_trace_point *trace_of(const gbs_model *model, size_t *count) {
    *count = gbs_model_trace_size(model);
    return gbs_model_trace_at(model, 0);
}

static inline const gbs_trace_point *completion_trace_of(const gbs_completion *m, size_t *count) {
    *count = gbs_completion_trace_size(m);
    return gbs_completion_trace_at(m, 0);
}

static inline const gbs_noise_choice *choices_of(const gbs_completion *m, size_t *count) {
    *count = gbs_completion_choices(m);
    return gbs_completion_choice(m, 0);
}

static inline const gbs_sample_point *temperatures_of(const gbs_particles *p, size_t *count) {
    *count = gbs_particles_path_size(p);
    return gbs_particles_path_at(p, 0);
}

#define assert_ok(ctx, call)                                                                       \
    do {                                                                                           \
        if ((call) != GBS_OK) {                                                                    \
            print_error("%s: %s\n", #call, gbs_error_message(ctx));                                \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static inline gbs_data *dense_data(gbs_context *ctx, const struct table_of_numbers *t) {
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_BORROW, &data));
    return data;
}

static inline gbs_data *sparse_data(gbs_context *ctx, const struct table_of_numbers *t) {
    gbs_data *data;
    assert_ok(
        ctx, gbs_data_csr(ctx, t->n, t->d, t->start, t->column, t->value, t->y, GBS_BORROW, &data));
    return data;
}

static inline gbs_model *fit(gbs_context *ctx, const gbs_data *data,
                             const gbs_fit_settings *options) {
    gbs_model *model;
    assert_ok(ctx, gbs_fit_run(ctx, data, options, &model));
    return model;
}

static inline gbs_model_info info_of(const gbs_model *model) {
    return *gbs_model_get_info(model);
}

/* The info of a fit whose model is not needed. */
static inline gbs_model_info fit_info(gbs_context *ctx, const gbs_data *data,
                                      const gbs_fit_settings *options) {
    gbs_model *model = fit(ctx, data, options);
    gbs_model_info info = info_of(model);
    gbs_model_free(model);
    return info;
}

#endif
