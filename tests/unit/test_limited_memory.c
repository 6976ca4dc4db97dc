/* L-BFGS alone: minima that are known, functions that misbehave, and memory that runs out. */
#include "kernel/linalg.h"
#include "unit/host.h"
#include "vb/limited_memory.h"

#include <math.h>

/* What a search is asked to minimise, and what it did. */
struct valley {
    size_t n;
    void (*shape)(const struct valley *v, const double *x, double *value, double *gradient);
    const double *matrix, *target; /* of quadratics */
    double stop;                   /* at this length of the gradient */
    double last, lowest_seen;      /* values; where iterations ended they may only fall */
    size_t calls, iterations, fail_call;
    bool rose;
};

static gbs_status ask(void *user, const double *x, double *value, double *gradient) {
    struct valley *v = user;
    if (v->calls++ == v->fail_call)
        return GBS_ERR_CANCELLED;
    v->shape(v, x, value, gradient);
    v->last = *value;
    return GBS_OK;
}

static bool arrived(void *user, double gradient_norm) {
    struct valley *v = user;
    v->iterations++;
    v->rose = v->rose || !(v->last <= v->lowest_seen);
    v->lowest_seen = v->last;
    return gradient_norm <= v->stop;
}

static gbs_status minimise(gbs_context *ctx, struct valley *v, size_t most, double *x) {
    gbs_smooth f = {ask, arrived, v};
    v->calls = v->iterations = 0;
    v->lowest_seen = INFINITY;
    v->rose = false;
    return gbs_limited_memory(ctx, v->n, most, &f, x);
}

#define NEVER ((size_t)-1)

/* (x - t)'A(x - t)/2 */
static void quadratic(const struct valley *v, const double *x, double *value, double *gradient) {
    *value = 0.0;
    for (size_t i = 0; i < v->n; i++) {
        gradient[i] = 0.0;
        for (size_t j = 0; j < v->n; j++)
            gradient[i] += v->matrix[i * v->n + j] * (x[j] - v->target[j]);
        *value += 0.5 * (x[i] - v->target[i]) * gradient[i];
    }
}

static void quadratics_of_known_minimum(void **state) {
    (void)state;
    enum { N = 7 };
    gbs_context *ctx = new_context(1, 1);
    struct dice r = {4711};
    for (int round = 0; round < 20; round++) {
        double b[N * N], a[N * N] = {0}, target[N], x[N];
        for (int i = 0; i < N * N; i++)
            b[i] = dice_normal(&r);
        for (int i = 0; i < N; i++) {
            target[i] = 10.0 * dice_normal(&r);
            x[i] = dice_normal(&r);
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    a[i * N + j] += b[k * N + i] * b[k * N + j] + (i == j) * 0.1;
        }
        struct valley v = {.n = N,
                           .shape = quadratic,
                           .matrix = a,
                           .target = target,
                           .stop = 1e-9,
                           .fail_call = NEVER};
        assert_ok(ctx, minimise(ctx, &v, 500, x));
        for (int i = 0; i < N; i++)
            assert_close(x[i], target[i], 1e-7, 1e-7);
        assert_false(v.rose);
    }
    gbs_context_free(ctx);
}

/* A chain of Rosenbrock's valleys: sum 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, least at (1, .., 1).
 */
static void rosenbrock(const struct valley *v, const double *x, double *value, double *gradient) {
    *value = 0.0;
    memset(gradient, 0, v->n * sizeof *gradient);
    for (size_t i = 0; i + 1 < v->n; i++) {
        double bend = x[i + 1] - x[i] * x[i], off = 1.0 - x[i];
        *value += 100.0 * bend * bend + off * off;
        gradient[i] -= 400.0 * bend * x[i] + 2.0 * off;
        gradient[i + 1] += 200.0 * bend;
    }
}

static void curved_valleys_are_followed(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    double x[10] = {-1.2, 1.0};
    struct valley v = {.n = 2, .shape = rosenbrock, .stop = 1e-9, .fail_call = NEVER};
    assert_ok(ctx, minimise(ctx, &v, 200, x));
    print_message("Rosenbrock's valley: %zu iterations, %zu values\n", v.iterations, v.calls);
    assert_true(v.iterations < 100 && !v.rose);
    assert_close(x[0], 1.0, 0.0, 1e-8);
    assert_close(x[1], 1.0, 0.0, 1e-8);
    v.n = 10;
    for (size_t i = 0; i < 10; i++)
        x[i] = 0.5;
    assert_ok(ctx, minimise(ctx, &v, 1000, x));
    assert_true(!v.rose);
    for (size_t i = 0; i < 10; i++)
        assert_close(x[i], 1.0, 0.0, 1e-7);
    gbs_context_free(ctx);
}

/* A Hilbert matrix and a little ridge, condition about 1e7: the target is found from the right side
 * by a Cholesky factor, and b = A t makes the two agree on what is sought. */
static void ill_conditioned_as_a_direct_solve(void **state) {
    (void)state;
    enum { N = 12 };
    gbs_context *ctx = new_context(1, 1);
    double a[N * N], factor[N * N], target[N], x[N] = {0};
    for (int i = 0; i < N; i++) {
        target[i] = sin(1.0 + i); /* the right side, until it is solved for */
        for (int j = 0; j < N; j++)
            a[i * N + j] = 1.0 / (1.0 + i + j) + (i == j) * 1e-7;
    }
    memcpy(factor, a, sizeof a);
    assert_true(gbs_cholesky(N, factor));
    gbs_lower_solve(N, factor, N, false, target);
    gbs_lower_solve(N, factor, N, true, target);
    struct valley v = {.n = N,
                       .shape = quadratic,
                       .matrix = a,
                       .target = target,
                       .stop = 1e-10,
                       .fail_call = NEVER};
    double start, gradient[N], end;
    quadratic(&v, x, &start, gradient);
    assert_ok(ctx, minimise(ctx, &v, 5000, x));
    quadratic(&v, x, &end, gradient);
    print_message("ridge over Hilbert: %zu iterations, value %.3g of %.3g left\n", v.iterations,
                  end, start);
    assert_true(end <= 1e-10 * start && !v.rose);
    gbs_context_free(ctx);
}

/* -log x + x, which is no number left of 0 and overflows far out. */
static void walled(const struct valley *v, const double *x, double *value, double *gradient) {
    *value = 0.0;
    for (size_t i = 0; i < v->n; i++) {
        *value += x[i] > 1e3 ? INFINITY : exp(x[i]) - log(x[i]);
        gradient[i] = exp(x[i]) - 1.0 / x[i];
    }
}

static void what_is_not_finite_turns_the_search_back(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    double x[3] = {1e-8, 9.0, 1e-3};
    struct valley v = {.n = 3, .shape = walled, .stop = 1e-9, .fail_call = NEVER};
    assert_ok(ctx, minimise(ctx, &v, 500, x));
    for (int i = 0; i < 3; i++)
        assert_close(x[i], 0.56714329040978384, 0.0, 1e-9); /* x e^x = 1 */
    assert_false(v.rose);
    /* a start without a value stays what it was, and nothing is asked further */
    double nowhere[3] = {-1.0, 1.0, 1.0};
    assert_ok(ctx, minimise(ctx, &v, 500, nowhere));
    assert_true(nowhere[0] == -1.0 && v.calls == 1 && v.iterations == 0);
    gbs_context_free(ctx);
}

/* Falls for ever: no step is too long. */
static void slide(const struct valley *v, const double *x, double *value, double *gradient) {
    (void)v;
    *value = -x[0];
    gradient[0] = -1.0;
}

/* Slopes that point the wrong way: no step falls. */
static void liar(const struct valley *v, const double *x, double *value, double *gradient) {
    (void)v;
    *value = fabs(x[0]);
    gradient[0] = x[0] > 0.0 ? -1.0 : 1.0;
}

static void it_gives_up_where_it_should(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    double x = 2.0;
    struct valley v = {.n = 1, .shape = slide, .fail_call = NEVER};
    assert_ok(ctx, minimise(ctx, &v, 500, &x));
    assert_true(x == 2.0 && v.iterations == 0);
    v.shape = liar;
    assert_ok(ctx, minimise(ctx, &v, 500, &x));
    assert_true(x == 2.0 && v.iterations == 0 && v.calls <= 41);
    /* at the minimum there is nothing to do, and no iteration at all is one too */
    double one[2] = {1.0, 1.0}, off[2] = {-1.2, 1.0};
    v = (struct valley){.n = 2, .shape = rosenbrock, .fail_call = NEVER};
    assert_ok(ctx, minimise(ctx, &v, 500, one));
    assert_true(one[0] == 1.0 && v.calls == 1);
    assert_ok(ctx, minimise(ctx, &v, 0, off));
    assert_true(off[0] == -1.2 && v.calls == 1);
    assert_ok(ctx, minimise(ctx, &v, 3, off));
    assert_int_equal(v.iterations, 3);
    gbs_context_free(ctx);
}

static void a_failing_value_ends_it_at_the_last_good_point(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    for (size_t k = 0; k < 30; k++) {
        double x[2] = {-1.2, 1.0}, value, gradient[2];
        struct valley v = {.n = 2, .shape = rosenbrock, .stop = 1e-9, .fail_call = k};
        assert_int_equal(minimise(ctx, &v, 200, x), GBS_ERR_CANCELLED);
        assert_int_equal(v.calls, k + 1);
        rosenbrock(&v, x, &value, gradient);
        assert_true(v.iterations == 0 ? x[0] == -1.2 : value == v.lowest_seen);
    }
    gbs_context_free(ctx);
}

static void every_failing_allocation_is_told_and_leaks_nothing(void **state) {
    (void)state;
    gbs_status status = GBS_ERR_MEMORY;
    for (long k = 0; status != GBS_OK; k++) {
        struct host h;
        gbs_context *ctx = host_context(&h);
        double x[2] = {-1.2, 1.0};
        struct valley v = {.n = 2, .shape = rosenbrock, .stop = 1e-9, .fail_call = NEVER};
        long before = h.blocks;
        h.fail_at = h.calls + k;
        status = minimise(ctx, &v, 200, x);
        assert_true(status == GBS_OK || status == GBS_ERR_MEMORY);
        assert_true(status == GBS_OK || (x[0] == -1.2 && v.calls == 0));
        assert_int_equal(h.blocks, before);
        assert_true(k < 10);
        leave(&h, ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratics_of_known_minimum),
        cmocka_unit_test(curved_valleys_are_followed),
        cmocka_unit_test(ill_conditioned_as_a_direct_solve),
        cmocka_unit_test(what_is_not_finite_turns_the_search_back),
        cmocka_unit_test(it_gives_up_where_it_should),
        cmocka_unit_test(a_failing_value_ends_it_at_the_last_good_point),
        cmocka_unit_test(every_failing_allocation_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
