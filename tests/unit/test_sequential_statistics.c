/* The bounds on a mixture of stages (bound/sequential.c, and the weighted bets of bound/methods.c):
 * against their formulas, and against an adversary who chooses each stage's risk after he has seen
 * how the earlier ones fared.
 *
 * Small cases are exact: the adversary's best play is computed, and no play may win more often than
 * delta. Larger cases are simulated with fixed seeds; each of their tests alarms falsely with
 * probability 1e-6.
 */
#include "bound/bound.h"
#include "unit/shares.h"

#if defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 100, DRAWS = 10000, SANITIZED = 1 };
#else
enum { ROUNDS = 1000, DRAWS = 100000, SANITIZED = 0 };
#endif
enum { MOST = 8 };

/* Stages of n[t] rows and their weights, and what was predicted. */
struct plan {
    size_t m;
    uint64_t n[MOST];
    double weight[MOST];
    double predicted;
};

static double bound_of(const struct plan *p, const uint64_t *errors, double delta) {
    return gbs_bound_sequential(p->m, errors, p->n, p->weight, p->predicted, -log(delta));
}

/* As fit makes them: equal blocks, weights 1 : 2 : ... : m. */
static struct plan equal_blocks(size_t m, uint64_t n, double predicted) {
    struct plan p = {.m = m, .predicted = predicted};
    for (size_t t = 0; t < m; t++) {
        p.n[t] = n;
        p.weight[t] = 2.0 * (double)(t + 1) / (double)(m * (m + 1));
    }
    return p;
}

/* ---------------------------------------------------------------- formulas */

static void one_stage_is_clopper_and_pearson(void **state) {
    (void)state;
    const uint64_t sizes[] = {1, 5, 20, 300, 10000, 10000000};
    const double deltas[] = {0.5, 0.2, 0.05, 1e-6}, predicted[] = {0.0, 0.1, 1.0}, one = 1.0;
    for (size_t i = 0; i < COUNT(sizes) * COUNT(deltas) * COUNT(predicted); i++) {
        uint64_t n = sizes[i % COUNT(sizes)];
        double price = -log(deltas[i / COUNT(sizes) % COUNT(deltas)]);
        for (int k = 0; k <= 4; k++) {
            uint64_t errors = n * (uint64_t)k / 4;
            double value = gbs_bound_sequential(
                1, &errors, &n, &one, predicted[i / (COUNT(sizes) * COUNT(deltas))], price);
            assert_true(value == gbs_binomial_upper_tail(errors, n, exp(-price)));
        }
    }
}

/* Marsaglia and Tsang; shape >= 1. */
static double gamma_draw(struct dice *r, double shape) {
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double x = dice_normal(r), v = pow(1.0 + c * x, 3.0);
        if (v > 0.0 && log(dice_uniform(r)) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* c, the (1 - delta)-quantile of sum_t w_t max(Beta(k_t + 1, n_t - k_t), b_t), b_t the
 * 0.3-quantile, by simulation; *error: 5 of its standard errors, *width: c less the mean. */
static double simulated_quantile(const struct plan *p, double delta, double *error, double *width) {
    struct dice r = {17};
    double *sum = doubles(DRAWS), *one = doubles(DRAWS), *sorted = doubles(DRAWS), mean = 0.0;
    for (size_t t = 0; t < p->m; t++) {
        double n = (double)p->n[t], k = fmin(n - 1.0, floor(n * p->predicted + 0.5));
        for (size_t i = 0; i < DRAWS; i++) {
            double a = gamma_draw(&r, k + 1.0), b = gamma_draw(&r, n - k);
            one[i] = sorted[i] = a / (a + b);
        }
        qsort(sorted, DRAWS, sizeof *sorted, by_size);
        for (size_t i = 0; i < DRAWS; i++)
            sum[i] += p->weight[t] * fmax(one[i], sorted[(size_t)(0.3 * DRAWS)]);
    }
    for (size_t i = 0; i < DRAWS; i++)
        mean += sum[i] / DRAWS;
    qsort(sum, DRAWS, sizeof *sum, by_size);
    double at = (1.0 - delta) * DRAWS, off = 5.0 * sqrt(DRAWS * delta * (1.0 - delta));
    double c = sum[(size_t)at];
    *error = fmax(sum[(size_t)fmin(DRAWS - 1.0, at + off)] - c, c - sum[(size_t)(at - off)]);
    *width = c - mean;
    free(sum);
    free(one);
    free(sorted);
    return c;
}

/* When the errors are those predicted the bound is c. The lattice rounds each stage up by at most
 * one step, a 400th of a width that is itself no more than three times c less the mean. False
 * alarms: 5 sigma. */
static void the_predicted_errors_give_the_quantile(void **state) {
    (void)state;
    const struct plan plans[] = {
        equal_blocks(2, 100, 0.1),
        equal_blocks(2, 1000, 0.25),
        equal_blocks(3, 300, 0.02),
        equal_blocks(4, 1000, 0.3),
        equal_blocks(8, 1000, 0.1),
        /* the last quantiles of a light stage are far beyond the smallest double */
        equal_blocks(8, 200000, 0.1),
        {2, {50, 400}, {0.5, 0.5}, 0.2},
        {3, {400, 50, 20}, {0.2, 0.5, 0.3}, 0.1},
        equal_blocks(2, 40, 0.0),
    };
    const double deltas[] = {0.05, 0.2};
    for (size_t i = 0; i < COUNT(plans) * COUNT(deltas); i++) {
        const struct plan *p = &plans[i / COUNT(deltas)];
        double delta = deltas[i % COUNT(deltas)], error, width;
        uint64_t errors[MOST];
        for (size_t t = 0; t < p->m; t++)
            errors[t] = (uint64_t)floor((double)p->n[t] * p->predicted + 0.5);
        double c = simulated_quantile(p, delta, &error, &width), value = bound_of(p, errors, delta);
        print_message("# %zu stages of %llu.. rows, predicted %g, delta %g: %.6f, simulated %.6f "
                      "+- %.6f, width %.6f\n",
                      p->m, (unsigned long long)p->n[0], p->predicted, delta, value, c, error,
                      width);
        assert_true(value >= c - error);
        assert_at_most(value, c + error + (double)p->m * 3.0 * width / 400.0);
    }
}

static void bounds_move_the_right_way(void **state) {
    (void)state;
    struct dice r = {21};
    for (int i = 0; i < (SANITIZED ? 10 : 40); i++) {
        struct plan p = {.m = 2 + dice_below(&r, 3),
                         .predicted = i % 5 == 0 ? 0.0 : dice_between(&r, 0.0, 0.5)};
        uint64_t errors[MOST] = {0};
        double delta = i % 4 == 0 ? 0.95 : dice_between(&r, 0.01, 0.4), seen = 0.0, total = 0.0;
        for (size_t t = 0; t < p.m; t++) {
            p.n[t] = 1 + dice_below(&r, 200);
            total += p.weight[t] = dice_between(&r, 0.1, 1.0);
            errors[t] = (uint64_t)((double)p.n[t] * pow(dice_uniform(&r), 2.0));
        }
        for (size_t t = 0; t < p.m; t++) {
            p.weight[t] /= total;
            seen += p.weight[t] * (double)errors[t] / (double)p.n[t];
        }
        double value = bound_of(&p, errors, delta), surer = bound_of(&p, errors, 0.3 * delta);
        assert_true(value > 0.0 && value <= 1.0);
        assert_true(value >= seen * (1.0 - 1e-12));
        assert_true(surer >= value);
        size_t t = dice_below(&r, p.m);
        if (errors[t] < p.n[t]) {
            errors[t]++;
            assert_true(bound_of(&p, errors, delta) >= value);
        }
    }
}

/* The bets: catoni's formula written out, for the k of the grid that is best for the predicted
 * losses. */
static void weighted_bets_match_their_formula(void **state) {
    (void)state;
    struct dice r = {23};
    for (int i = 0; i < 200; i++) {
        struct plan p = {.m = 1 + dice_below(&r, 4), .predicted = dice_between(&r, 0.0, 0.6)};
        double loss[MOST] = {0}, delta = dice_between(&r, 0.01, 0.4), total = 0.0, steepest = 0.0;
        for (size_t t = 0; t < p.m; t++) {
            p.n[t] = 5 + dice_below(&r, 300);
            total += p.weight[t] = dice_between(&r, 0.1, 1.0);
            loss[t] = (double)p.n[t] * dice_between(&r, 0.0, 0.6);
        }
        for (size_t t = 0; t < p.m; t++)
            steepest = fmax(steepest, (p.weight[t] /= total) / (double)p.n[t]);
        double value = gbs_bound_progressive_weighted(p.m, loss, p.n, p.weight, p.predicted,
                                                      -log(delta)),
               best = INFINITY, is = 0.0;
        double least = INFINITY, seen = 0.0;
        for (int j = 0; j < 95; j++) {
            double k = 0.01 * pow(1.05, j), predicted = -log(delta), said = -log(delta);
            if (k >= 0.99)
                break;
            for (size_t t = 0; t < p.m; t++) {
                double c = -log(1.0 - k * p.weight[t] / (double)p.n[t] / steepest);
                predicted += c * p.predicted * (double)p.n[t];
                said += c * loss[t];
            }
            least = fmin(least, said * steepest / k);
            if (predicted / k < best) {
                best = predicted / k;
                is = said * steepest / k;
            }
        }
        for (size_t t = 0; t < p.m; t++)
            seen += p.weight[t] * loss[t] / (double)p.n[t];
        assert_close(value, fmin(1.0, is), 1e-9, 0.0);
        assert_true(value >= seen && value >= fmin(1.0, least) * (1.0 - 1e-12));
        size_t t = dice_below(&r, p.m);
        loss[t] = fmin((double)p.n[t], loss[t] + 1.0);
        assert_true(gbs_bound_progressive_weighted(p.m, loss, p.n, p.weight, p.predicted,
                                                   -log(delta)) >= value);
        loss[t] = 0.0;
        assert_true(gbs_bound_progressive_weighted(p.m, loss, p.n, p.weight, p.predicted,
                                                   -log(delta)) <= value);
    }
}

static void odd_input_is_refused(void **state) {
    (void)state;
    uint64_t errors[20] = {1, 2}, rows[20] = {10, 20}, none[2] = {10, 0}, many[2] = {11, 2};
    double weight[20] = {0.4, 0.6}, heavy[2] = {0.7, 0.6}, zero[2] = {0.0, 1.0},
           negative[2] = {-0.1, 0.5}, nan[2] = {NAN, 0.5};
    double loss[2] = {1.0, 2.5}, below[2] = {-0.1, 2.0}, above[2] = {10.5, 2.0},
           lost[2] = {NAN, 2.0};
    assert_true(gbs_bound_sequential(2, errors, rows, weight, 0.1, 3.0) < 1.0);
    assert_true(isnan(gbs_bound_sequential(0, errors, rows, weight, 0.1, 3.0)));
    assert_true(isnan(gbs_bound_sequential(GBS_MOST_STAGES + 1, errors, rows, weight, 0.1, 3.0)));
    assert_true(isnan(gbs_bound_sequential(2, errors, none, weight, 0.1, 3.0)));
    assert_true(isnan(gbs_bound_sequential(2, many, rows, weight, 0.1, 3.0)));
    double *const bad[] = {heavy, zero, negative, nan};
    for (size_t k = 0; k < COUNT(bad); k++)
        assert_true(isnan(gbs_bound_sequential(2, errors, rows, bad[k], 0.1, 3.0)));
    const double odd[] = {-0.1, 1.1, NAN}, prices[] = {0.0, -1.0, NAN, INFINITY, 800.0};
    for (size_t k = 0; k < COUNT(odd); k++) {
        assert_true(isnan(gbs_bound_sequential(2, errors, rows, weight, odd[k], 3.0)));
        assert_true(isnan(gbs_bound_progressive_weighted(2, loss, rows, weight, odd[k], 3.0)));
    }
    for (size_t k = 0; k < COUNT(prices); k++)
        assert_true(isnan(gbs_bound_sequential(2, errors, rows, weight, 0.1, prices[k])));
    assert_true(gbs_bound_progressive_weighted(2, loss, rows, weight, 0.1, 3.0) <= 1.0);
    assert_true(isnan(gbs_bound_progressive_weighted(0, loss, rows, weight, 0.1, 3.0)));
    assert_true(isnan(gbs_bound_progressive_weighted(2, loss, none, weight, 0.1, 3.0)));
    assert_true(isnan(gbs_bound_progressive_weighted(2, loss, rows, zero, 0.1, 3.0)));
    double *const losses[] = {below, above, lost};
    for (size_t k = 0; k < COUNT(losses); k++)
        assert_true(isnan(gbs_bound_progressive_weighted(2, losses[k], rows, weight, 0.1, 3.0)));
    assert_true(isnan(gbs_bound_progressive_weighted(2, loss, rows, weight, 0.1, -1.0)));
    /* all errors, none, the smallest stages */
    uint64_t ones[2] = {1, 1}, zeros[2] = {0, 0};
    assert_true(gbs_bound_sequential(2, ones, ones, weight, 0.5, 3.0) == 1.0);
    double value = gbs_bound_sequential(2, zeros, ones, weight, 0.5, 3.0);
    assert_true(value > 0.0 && value <= 1.0);
}

static void ten_million_rows_a_block(void **state) {
    (void)state;
    const double risks[] = {0.0, 1e-6, 0.2};
    for (size_t k = 0; k < COUNT(risks); k++)
        for (size_t m = 1; m <= 3; m += 2) {
            struct plan p = equal_blocks(m, 10000000, risks[k]);
            uint64_t errors[MOST], right = (uint64_t)(1e7 * risks[k]);
            for (size_t t = 0; t < m; t++)
                errors[t] = right;
            double value = bound_of(&p, errors, 0.05), sd = sqrt(risks[k] * (1.0 - risks[k]) / 1e7);
            assert_true(value > risks[k]);
            assert_at_most(value, risks[k] + 2.5 * sd + 6.0 * 1e-7);
        }
    double kl = gbs_bound_kl(0.2, 1.0, 10000000, 3.0),
           exact = gbs_binomial_upper_tail(2000000, 10000000, 0.05);
    assert_true(kl > exact && kl < 0.2 + 1e-3);
}

/* ---------------------------------------------------------------- the adversary, exactly */

/* Bounds for every outcome, the last stage running fastest. */
struct game {
    const struct plan *p;
    double delta;
    double *bound;
    size_t outcomes;
};

static struct game new_game(const struct plan *p, double delta) {
    struct game g = {.p = p, .delta = delta, .outcomes = 1};
    for (size_t t = 0; t < p->m; t++)
        g.outcomes *= p->n[t] + 1;
    g.bound = doubles(g.outcomes);
    for (size_t i = 0; i < g.outcomes; i++) {
        uint64_t errors[MOST];
        size_t rest = i;
        for (size_t t = p->m; t-- > 0; rest /= p->n[t] + 1)
            errors[t] = rest % (p->n[t] + 1);
        g.bound[i] = bound_of(p, errors, delta);
    }
    return g;
}

/* The last stage's best play: the smallest risk that some number of errors cannot cover, tried for
 * each number. `mixture` is what the stages before add up to, `bound` that of 0 errors. */
static double last_play(const struct game *g, double mixture, const double *bound) {
    size_t last = g->p->m - 1;
    double best = 0.0;
    uint64_t n = g->p->n[last];
    for (uint64_t j = 0; j <= n; j++) {
        double risk = fmax(0.0, (bound[j] - mixture) / g->p->weight[last] * (1.0 + 1e-12) + 1e-15);
        if (risk >= 1.0)
            break;
        double term = pow(1.0 - risk, (double)n), below = term;
        for (uint64_t i = 0; i < j; i++)
            below += term *= risk / (1.0 - risk) * (double)(n - i) / (double)(i + 1);
        best = fmax(best, below);
    }
    return best;
}

/* The largest probability that the mixture's risk exceeds the bound, from stage t on: over a grid
 * of risks for each stage but the last. */
static double best_play(const struct game *g, size_t t, double mixture, const double *bound,
                        size_t outcomes, int grid) {
    if (t + 1 == g->p->m)
        return last_play(g, mixture, bound);
    uint64_t n = g->p->n[t];
    double best = 0.0;
    size_t each = outcomes / (n + 1);
    for (int i = 0; i <= grid; i++) {
        double risk = pow((double)i / grid, 1.5), wins = 0.0;
        for (uint64_t x = 0; x <= n; x++) {
            double chance = binomial_pmf(x, n, risk);
            if (chance > 1e-15)
                wins += chance * best_play(g, t + 1, mixture + g->p->weight[t] * risk,
                                           bound + x * each, each, grid);
        }
        best = fmax(best, wins);
    }
    return best;
}

static void no_play_wins_more_often_than_delta(void **state) {
    (void)state;
    const struct plan plans[] = {
        {2, {5, 5}, {1.0 / 3.0, 2.0 / 3.0}, 0.2},
        {2, {5, 5}, {0.9, 0.1}, 0.0},
        {2, {5, 5}, {0.1, 0.9}, 1.0},
        {2, {5, 20}, {1.0 / 3.0, 2.0 / 3.0}, 0.1},
        {2, {20, 5}, {0.5, 0.5}, 0.25},
        {2, {12, 14}, {1.0 / 3.0, 2.0 / 3.0}, 0.1},
        {3, {5, 5, 5}, {1 / 6.0, 2 / 6.0, 0.5}, 0.2},
        {3, {3, 6, 4}, {0.5, 0.2, 0.3}, 0.0},
    };
    const double deltas[] = {0.05, 0.2};
    for (size_t i = 0; i < COUNT(plans); i++) {
        const struct plan *p = &plans[i];
        if (SANITIZED && p->n[0] * p->n[1] > 30)
            continue;
        struct game g = new_game(p, deltas[i / 2 % 2 ^ i % 2]);
        int grid = p->m == 2 ? 300 : 50; /* risks to choose from */
        double wins = best_play(&g, 0, 0.0, g.bound, g.outcomes, SANITIZED ? grid / 4 : grid);
        print_message("# %zu stages, %llu and %llu rows, predicted %g, delta %g: the adversary "
                      "wins %.5f of the time\n",
                      p->m, (unsigned long long)p->n[0], (unsigned long long)p->n[1], p->predicted,
                      g.delta, wins);
        assert_at_most(wins, g.delta * (1.0 + 1e-9));
        assert_true(wins > 0.1 * g.delta); /* he does play */
        free(g.bound);
    }
}

/* ---------------------------------------------------------------- the adversary, simulated */

enum play { STEADY, REST_AFTER_LUCK, REST_AFTER_MISHAP, RISING, FALLING, CHASING, PLAYS };

/* The risk of stage t, from what happened before. */
static double next_risk(enum play play, double base, const struct plan *p, size_t t,
                        const uint64_t *errors) {
    double shown = 0.0, due = 0.0;
    for (size_t s = 0; s < t; s++) {
        shown += (double)errors[s];
        due += base * (double)p->n[s];
    }
    bool lucky = shown < due;
    switch (play) {
    case REST_AFTER_LUCK: /* what was undercounted stays, nothing is added to it */
        return t == 0 ? base : lucky ? 0.0 : fmin(1.0, 3.0 * base);
    case REST_AFTER_MISHAP:
        return t == 0 ? base : lucky ? fmin(1.0, 2.0 * base) : 0.002;
    case RISING:
        return fmin(1.0, base * (double)(t + 1) / (double)p->m * 2.0);
    case FALLING:
        return fmin(1.0, base * (double)(p->m - t) / (double)p->m * 2.0);
    case CHASING: /* stays near the share shown so far, where the bound is tight */
        return t == 0 ? base : fmin(1.0, (shown + 0.5 * base) / (due / base + 1.0) + 0.3 * base);
    default:
        return base;
    }
}

/* Outcomes whose bound is known. The bound rises with every error, so one outcome answers for all
 * above or below it. */
struct memory {
    size_t used;
    struct {
        uint64_t errors[MOST];
        double bound;
    } known[1 << 14];
};

static bool all_at_most(size_t m, const uint64_t *a, const uint64_t *b) {
    for (size_t t = 0; t < m; t++)
        if (a[t] > b[t])
            return false;
    return true;
}

static bool exceeds(struct memory *memory, const struct plan *p, double delta,
                    const uint64_t *errors, double risk) {
    for (size_t k = 0; k < memory->used; k++) {
        if (memory->known[k].bound >= risk && all_at_most(p->m, memory->known[k].errors, errors))
            return false;
        if (memory->known[k].bound < risk && all_at_most(p->m, errors, memory->known[k].errors))
            return true;
    }
    assert_true(memory->used < COUNT(memory->known));
    memcpy(memory->known[memory->used].errors, errors, p->m * sizeof *errors);
    double bound = memory->known[memory->used++].bound = bound_of(p, errors, delta);
    return bound < risk;
}

static uint64_t binomial_draw(struct dice *r, uint64_t n, double p) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += dice_uniform(r) < p;
    return count;
}

static uint64_t violations(const struct plan *p, double delta, double base, enum play play,
                           struct memory *memory, uint64_t seed, uint64_t *bets) {
    struct dice r = {seed};
    uint64_t wrong = 0;
    memory->used = 0;
    *bets = 0;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t errors[MOST];
        double risk = 0.0, loss[MOST];
        for (size_t t = 0; t < p->m; t++) {
            double now = next_risk(play, base, p, t, errors);
            errors[t] = binomial_draw(&r, p->n[t], now);
            loss[t] = (double)errors[t];
            risk += p->weight[t] * now;
        }
        wrong += exceeds(memory, p, delta, errors, risk);
        *bets += gbs_bound_progressive_weighted(p->m, loss, p->n, p->weight, p->predicted,
                                                -log(delta)) < risk;
    }
    return wrong;
}

/* Plans, and whether what is predicted is right, too small, too large, none or all. */
static void simulated_plays_win_no_more_often_than_delta(void **state) {
    (void)state;
    const struct plan plans[] = {
        {2, {75, 20}, {1 / 3.0, 2 / 3.0}, -1.0},
        {2, {300, 5}, {0.5, 0.5}, 0.5},
        {2, {5, 300}, {0.8, 0.2}, 2.0},
        {2, {20, 20}, {1 / 3.0, 2 / 3.0}, 1.0},
        {3, {5, 20, 20}, {1 / 6.0, 2 / 6.0, 0.5}, 1.0},
        {3, {75, 20, 5}, {0.2, 0.3, 0.5}, 0.0},
        {4, {5, 5, 20, 5}, {0.1, 0.2, 0.3, 0.4}, 1.0},
        {2, {20, 75}, {0.3, 0.7}, -2.0},
    };
    const double risks[] = {0.02, 0.1, 0.25, 0.45}, deltas[] = {0.05, 0.2};
    struct memory *memory = take(1, sizeof *memory);
    double worst[2] = {0.0, 0.0};
    size_t calls = 0;
    /* under a sanitizer a fifth of them, with every risk among them */
    for (size_t i = 0; i < COUNT(plans) * COUNT(risks); i += SANITIZED ? 5 : 1) {
        struct plan p = plans[i / COUNT(risks)];
        double base = risks[i % COUNT(risks)], delta = deltas[(i / COUNT(risks) + i) % 2];
        /* -1: all rows err, -2: an eighth of the truth; else times the truth */
        p.predicted = p.predicted == -1.0   ? 1.0
                      : p.predicted == -2.0 ? 0.125 * base
                                            : fmin(1.0, p.predicted * base);
        for (int play = (int)(i % 3); play < PLAYS;
             play += 3) { /* a third of the plays each, all of them with every plan */
            uint64_t bets, wrong = violations(&p, delta, base, (enum play)play, memory,
                                              1000 + (uint64_t)(i * PLAYS) + (uint64_t)play, &bets);
            char what[120];
            snprintf(what, sizeof what, "plan %zu, risk %g, predicted %g, play %d, delta %g",
                     i / COUNT(risks), base, p.predicted, play, delta);
            assert_share(wrong, ROUNDS, delta, 1e-6, what);
            assert_share(bets, ROUNDS, delta, 1e-6, what);
            worst[0] = fmax(worst[0], (double)wrong / ROUNDS / delta);
            worst[1] = fmax(worst[1], (double)bets / ROUNDS / delta);
            calls += memory->used;
        }
    }
    print_message("# largest share of violations, in units of delta: %.3f (sequential), %.3f "
                  "(bets); %zu bounds computed\n",
                  worst[0], worst[1], calls);
    free(memory);
}

/* Eight stages have too many outcomes for a memory: few rounds, and risks that make few outcomes.
 */
static void eight_stages_hold(void **state) {
    (void)state;
    struct memory *memory = take(1, sizeof *memory);
    struct plan p = equal_blocks(8, 5, 0.1);
    for (int play = 0; play < PLAYS; play++) {
        struct dice r = {4000 + (uint64_t)play};
        uint64_t wrong = 0, rounds = SANITIZED ? 60 : 400;
        memory->used = 0;
        for (uint64_t i = 0; i < rounds; i++) {
            uint64_t errors[MOST];
            double risk = 0.0;
            for (size_t t = 0; t < p.m; t++) {
                double now = next_risk((enum play)play, 0.04, &p, t, errors);
                errors[t] = binomial_draw(&r, p.n[t], now);
                risk += p.weight[t] * now;
            }
            wrong += exceeds(memory, &p, 0.2, errors, risk);
        }
        assert_share(wrong, rounds, 0.2, 1e-6, "eight stages");
    }
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stage_is_clopper_and_pearson),
        cmocka_unit_test(the_predicted_errors_give_the_quantile),
        cmocka_unit_test(bounds_move_the_right_way),
        cmocka_unit_test(weighted_bets_match_their_formula),
        cmocka_unit_test(odd_input_is_refused),
        cmocka_unit_test(ten_million_rows_a_block),
        cmocka_unit_test(no_play_wins_more_often_than_delta),
        cmocka_unit_test(simulated_plays_win_no_more_often_than_delta),
        cmocka_unit_test(eight_stages_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
