/* What automatic rank, uncertainty and sampling buy in matrix completion: the tables of
 * docs/completion-table.md.
 *
 *   completion methods [SET]   the methods side by side: VB, the same model at fixed gamma, maximum
 * a posteriori (alternating least squares), Gibbs completion starts          a random start against
 * the spectral one
 *
 * Simulated ratings of known truth (simulated_matrix.h). "signal" is the RMSE of the predictions
 * against the noiseless values of 100,000 cells drawn as the ratings are; "excess" is the RMSE of
 * fresh ratings less the noise, sqrt(noise^2 + signal^2) - noise. The oracle is told the columns'
 * factors and biases, the mean and the noise, and does the exact conjugate regression of each row.
 */
#include "../tests/unit/als.h"
#include "completion/ascent.h"
#include "fit/run.h"
#include "kernel/moments.h"
#include "simulated_matrix.h"
#include <time.h>

enum { COMPONENTS = 20, ALS_SWEEPS = 60, DRAWS = 200, BURN_IN = 50, LONG = 5 };
#define NORMAL_975 1.959963984540054

struct result {
    const char *name;
    char rank[16];
    double signal, coverage, seconds;
};

static gbs_context *ctx;

/* One thread everywhere, and its own time: others may be using the machine. */
static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void must(gbs_status status) {
    if (status != GBS_OK) {
        fprintf(stderr, "%s\n", gbs_error_message(ctx));
        exit(1);
    }
}

static gbs_ratings *ratings_of(const struct simulated *t) {
    gbs_ratings *r;
    must(gbs_ratings_create(ctx, t->n, t->items[0], t->items[1], t->id[0], t->id[1], t->y, NULL,
                            NULL, &r));
    return r;
}

/* From predictions of the test cells and the variances of new ratings there. */
static void score(const struct simulated *t, const double *value, const double *variance,
                  struct result *r) {
    double squares = 0.0;
    size_t inside = 0;
    for (size_t e = 0; e < t->tests; e++) {
        squares += (value[e] - t->theta[e]) * (value[e] - t->theta[e]);
        inside += fabs(value[e] - t->fresh[e]) <= NORMAL_975 * sqrt(variance[e]);
    }
    r->signal = sqrt(squares / (double)t->tests);
    r->coverage = 100.0 * (double)inside / (double)t->tests;
}

static void print_result(const struct simulated *t, const struct result *r) {
    double rmse = sqrt(t->noise * t->noise + r->signal * r->signal);
    printf("| %s | %.4f | %.4f | %.4f | %.1f %% | %s | %.1f |\n", r->name, rmse, r->signal,
           rmse - t->noise, r->coverage, r->rank, r->seconds);
    fflush(stdout);
}

/* ---------------------------------------------------------------- the oracle */

/* Rows given the truth of the columns: coordinates (u, a), prior variances 1/sqrt(rank) and 1/4,
 * known noise. */
static struct result oracle(const struct simulated *t) {
    size_t own = t->rank + 1, *start = room(t->items[0] + 2, sizeof *start),
           *rating = room(t->n, sizeof *rating);
    double *inverse = room(t->items[0] * gbs_packed_size(own), sizeof(double)),
           *mean = room(t->items[0] * own, sizeof(double));
    double *p = room(own * own, sizeof(double)), *lower = room(own * own, sizeof(double)),
           *z = room(own, sizeof(double));
    double *b = room(own, sizeof(double)), *work = room(own, sizeof(double)),
           *value = room(t->tests, sizeof(double));
    double *variance = room(t->tests, sizeof(double)), tau = 1.0 / (t->noise * t->noise), log_det,
           begin = cpu_seconds();
    struct result r = {.name = "oracle: columns known", .rank = "5"};
    for (size_t e = 0; e < t->n; e++)
        start[t->id[0][e] + 2]++;
    for (size_t i = 0; i < t->items[0]; i++)
        start[i + 2] += start[i + 1];
    for (size_t e = 0; e < t->n; e++)
        rating[start[t->id[0][e] + 1]++] = e;
    z[t->rank] = 1.0;
    for (size_t i = 0; i < t->items[0]; i++) {
        memset(p, 0, own * own * sizeof *p);
        memset(b, 0, own * sizeof *b);
        for (size_t c = 0; c < own; c++)
            p[c * own + c] = c < t->rank ? sqrt((double)t->rank) : 4.0;
        for (size_t at = start[i]; at < start[i + 1]; at++) {
            size_t e = rating[at], j = t->id[1][e];
            memcpy(z, t->factor[1] + j * t->rank, t->rank * sizeof *z);
            for (size_t c = 0; c < own; c++) {
                b[c] += tau * z[c] * (t->y[e] - 3.0 - t->bias[1][j]);
                for (size_t d = c; d < own; d++)
                    p[c * own + d] += tau * z[c] * z[d];
            }
        }
        if (!gbs_small_factor(own, p, lower, &log_det))
            exit(1);
        gbs_small_inverse(own, lower, inverse + i * gbs_packed_size(own));
        gbs_small_solve(own, lower, b, NULL, work, mean + i * own);
    }
    r.seconds = cpu_seconds() - begin;
    for (size_t e = 0; e < t->tests; e++) {
        size_t i = t->test[0][e], j = t->test[1][e];
        memcpy(z, t->factor[1] + j * t->rank, t->rank * sizeof *z);
        value[e] = 3.0 + t->bias[1][j];
        for (size_t c = 0; c < own; c++)
            value[e] += z[c] * mean[i * own + c];
        variance[e] = gbs_packed_quadratic(own, inverse + i * gbs_packed_size(own), z) +
                      t->noise * t->noise;
    }
    score(t, value, variance, &r);
    free(start), free(rating), free(inverse), free(mean), free(p), free(lower), free(z), free(b),
        free(work), free(value), free(variance);
    return r;
}

/* ---------------------------------------------------------------- Gibbsite */

/* times: how much longer than by default the sampler runs; 0: none of it. */
static struct result complete(const struct simulated *t, size_t times) {
    gbs_sampler sampler = times > 0 ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
    struct result r = {.name = times == 0   ? "VB, automatic rank"
                               : times == 1 ? "Gibbs, from the VB fit"
                                            : "Gibbs, 1000 draws after 250"};
    double *value = room(t->tests, sizeof(double)), *variance = room(t->tests, sizeof(double));
    gbs_ratings *ratings = ratings_of(t);
    gbs_complete_settings o = gbs_complete_settings_default();
    o.model = GBS_COMPLETION_PAPER;
    o.tolerance = 1e-6;
    gbs_completion *model;
    gbs_completion_info info;
    o.rank = COMPONENTS;
    o.sampler = sampler;
    o.draws = DRAWS * times;
    o.burn_in = BURN_IN * times;
    if (sampler == GBS_SAMPLER_GIBBS) {
        o.cells = t->tests;
        o.cell_row = t->test[0];
        o.cell_column = t->test[1];
        o.cell_value = value;
        o.cell_sd = variance;
    }
    double begin = cpu_seconds();
    must(gbs_complete_run(ctx, ratings, &o, &model));
    r.seconds = cpu_seconds() - begin;
    info = *gbs_completion_get_info(model);
    if (sampler == GBS_SAMPLER_VB)
        must(gbs_completion_predict(ctx, model, t->tests, t->test[0], t->test[1], value, variance));
    for (size_t e = 0; e < t->tests; e++)
        variance[e] = variance[e] * variance[e] + info.noise_variance;
    score(t, value, variance, &r);
    snprintf(r.rank, sizeof r.rank, "%zu", info.effective_rank);
    gbs_completion_free(model);
    gbs_ratings_free(ratings);
    free(value), free(variance);
    return r;
}

static double spread_of(const struct simulated *t) {
    double mean = 0.0, squares = 0.0;
    for (size_t e = 0; e < t->n; e++)
        mean += t->y[e] / (double)t->n;
    for (size_t e = 0; e < t->n; e++)
        squares += (t->y[e] - mean) * (t->y[e] - mean) / (double)t->n;
    return sqrt(squares);
}

/* The prior that gbs_complete has without a range. */
static gbs_factors begin_factors(const gbs_ratings *r, double spread, size_t rank) {
    double square = spread * spread;
    const gbs_completion_prior prior = {.shape = 1.0,
                                        .scale = 0.1 * spread,
                                        .bias_scale = 0.1 * square,
                                        .mean = r->center,
                                        .variance = 4.0 * square,
                                        .noise_shape = 1.0,
                                        .noise_scale = 1e-4 * square};
    gbs_factors f;
    must(gbs_factors_create(ctx, r, rank, true, &prior, &f));
    f.learn_noise = true;
    return f;
}

/* The test cells by q as it stands. */
static void score_factors(const struct simulated *t, const gbs_factors *f, struct result *r) {
    double *value = room(t->tests, sizeof(double)), *variance = room(t->tests, sizeof(double));
    double *x = room(f->own, sizeof(double)), *z = room(f->own, sizeof(double));
    size_t own = f->own, packed = gbs_packed_size(own);
    for (size_t e = 0; e < t->tests; e++) {
        size_t i = t->test[0][e], j = t->test[1][e];
        const double *si = f->side[0].cov + i * packed, *sj = f->side[1].cov + j * packed;
        memcpy(x, f->side[0].mean + i * own, own * sizeof *x);
        memcpy(z, f->side[1].mean + j * own, own * sizeof *z);
        value[e] = f->ratings->center + f->mu + x[f->rank] + z[f->rank];
        for (size_t k = 0; k < f->rank; k++)
            value[e] += x[k] * z[k];
        x[f->rank] = z[f->rank] = 1.0;
        variance[e] = f->mu_variance + gbs_packed_quadratic(own, si, z) +
                      gbs_packed_quadratic(own, sj, x) +
                      gbs_packed_inner(f->rank, own, si, own, sj) + 1.0 / f->tau;
    }
    score(t, value, variance, r);
    free(value), free(variance), free(x), free(z);
}

/* gamma held at c x spread / sqrt(components), the c with the smallest error on the test cells
 * themselves: more than it could have in use. */
static struct result fixed_gamma(const struct simulated *t) {
    static const double sizes[] = {0.125, 0.25, 0.5};
    struct result best = {.signal = INFINITY};
    double spread = spread_of(t);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct result r = {.name = "VB, gamma fixed (best of 3)"};
        gbs_ratings *ratings = ratings_of(t);
        gbs_factors f = begin_factors(ratings, spread, COMPONENTS);
        gbs_ascent_options o = {
            .most_sweeps = 200, .tolerance = 1e-6, .hold_variances = true, .stage = "study"};
        gbs_ascent out;
        double begin = cpu_seconds();
        gbs_factors_start(&f, sizes[k] * spread / sqrt(COMPONENTS), 0.25 * spread * spread, 1);
        must(gbs_ascend(&f, &o, &out));
        r.seconds = cpu_seconds() - begin;
        score_factors(t, &f, &r);
        snprintf(r.rank, sizeof r.rank, "%d", (int)COMPONENTS);
        if (r.signal < best.signal)
            best = r;
        gbs_factors_free(&f);
        gbs_ratings_free(ratings);
    }
    return best;
}

/* ---------------------------------------------------------------- alternating least squares */

/* The pull with the smallest error on the test cells; intervals from the residuals of the training
 * ratings, all that such a fit knows. */
static struct result least_squares(const struct simulated *t, size_t rank) {
    static const double pulls[] = {0.5, 1.0, 2.0, 4.0, 8.0};
    struct result best = {.signal = INFINITY};
    double *start = room(t->items[1] * rank, sizeof *start), *value = room(t->tests, sizeof *value);
    double *variance = room(t->tests, sizeof *variance),
           size = 0.5 * spread_of(t) / sqrt((double)rank);
    for (size_t k = 0; k < t->items[1] * rank; k++)
        start[k] = sqrt(size) * gbs_random_normal(ctx, 90, k);
    for (size_t k = 0; k < sizeof pulls / sizeof *pulls; k++) {
        struct result r = {.name = rank == t->rank ? "ALS-MAP, rank known (best of 5)"
                                                   : "ALS-MAP (best of 5)"};
        double begin = cpu_seconds();
        struct als a = als_fit(t->items[0], t->items[1], t->n, t->id[0], t->id[1], t->y, rank,
                               pulls[k], start, ALS_SWEEPS);
        r.seconds = cpu_seconds() - begin;
        double noise = als_squares(&a) / (double)t->n;
        for (size_t e = 0; e < t->tests; e++) {
            value[e] = als_cell(&a, t->test[0][e], t->test[1][e]);
            variance[e] = noise;
        }
        score(t, value, variance, &r);
        snprintf(r.rank, sizeof r.rank, "%zu", rank);
        if (r.signal < best.signal)
            best = r;
        als_free(&a);
    }
    free(start), free(value), free(variance);
    return best;
}

/* ---------------------------------------------------------------- the tables */

static void compare(const struct design *d) {
    struct simulated t = simulate_matrix(ctx, d);
    printf("\n**%zu x %zu, %g %% observed (%zu ratings)%s%s**\n\n"
           "| method | RMSE | signal RMSE | excess RMSE | 95 %% intervals cover | components | CPU "
           "seconds "
           "|\n|---|---|---|---|---|---|---|\n",
           d->rows, d->columns, 100.0 * (double)d->n / (double)d->rows / (double)d->columns, d->n,
           d->skew > 0.0 ? ", uneven sampling" : "", d->stars ? ", stars" : "");
    /* stars are no linear function of the factors: nothing is exact there, and no number of
     * components is the right one */
    struct result results[7];
    size_t count = 0;
    if (!d->stars)
        results[count++] = oracle(&t);
    results[count++] = complete(&t, 0);
    results[count++] = fixed_gamma(&t);
    results[count++] = least_squares(&t, COMPONENTS);
    if (!d->stars)
        results[count++] = least_squares(&t, t.rank);
    results[count++] = complete(&t, 1);
    if (100 * d->n <= d->rows * d->columns)
        results[count++] = complete(&t, LONG);
    for (size_t k = 0; k < count; k++)
        print_result(&t, &results[k]);
    free_simulated(&t);
}

struct summary {
    double energy, sweeps, rank, signal, seconds;
};

static struct summary ascend_from(const struct simulated *t, const gbs_ratings *ratings,
                                  bool spectral, uint64_t seed) {
    double spread = spread_of(t), begin = cpu_seconds();
    struct result r = {0};
    gbs_factors f = begin_factors(ratings, spread, COMPONENTS);
    gbs_ascent_options o = {.most_sweeps = 500, .tolerance = 1e-6, .prune = true, .stage = "study"};
    gbs_ascent out;
    gbs_factors_start(&f, 0.5 * spread / sqrt(COMPONENTS), 0.25 * spread * spread, 1000 + 2 * seed);
    if (spectral)
        must(gbs_factors_start_spectral(&f, 5000 + seed));
    must(gbs_ascend(&f, &o, &out));
    struct summary s = {out.free_energy, (double)out.sweeps, (double)f.rank, 0.0,
                        cpu_seconds() - begin};
    score_factors(t, &f, &r);
    s.signal = r.signal;
    gbs_factors_free(&f);
    return s;
}

/* Ten truths, one start each. */
static void compare_starts(const struct design *d) {
    enum { TRUTHS = 10 };
    struct summary sum[2] = {{0}}, one[2];
    size_t lower = 0, higher = 0, right[2] = {0, 0};
    uint64_t seed = ctx->seed;
    for (uint64_t truth = 0; truth < TRUTHS; truth++) {
        ctx->seed = seed + truth;
        struct simulated t = simulate_matrix(ctx, d);
        gbs_ratings *ratings = ratings_of(&t);
        for (int s = 0; s < 2; s++) {
            one[s] = ascend_from(&t, ratings, s == 1, truth);
            sum[s].sweeps += one[s].sweeps / TRUTHS;
            sum[s].rank += one[s].rank / TRUTHS;
            sum[s].signal += one[s].signal / TRUTHS;
            sum[s].seconds += one[s].seconds / TRUTHS;
            right[s] += one[s].rank == 5.0;
        }
        lower += one[1].energy < one[0].energy - 1.0;
        higher += one[1].energy > one[0].energy + 1.0;
        gbs_ratings_free(ratings);
        free_simulated(&t);
    }
    ctx->seed = seed;
    for (int s = 0; s < 2; s++) {
        char energy[64] = "";
        if (s == 1)
            snprintf(energy, sizeof energy, "lower %zu, higher %zu", lower, higher);
        printf("| %zu x %zu, %g %%%s | %s | %s | %.1f | %zu | %.4f | %.1f | %.2f |\n", d->rows,
               d->columns, 100.0 * (double)d->n / (double)d->rows / (double)d->columns,
               d->skew > 0.0 ? ", uneven" : "", s == 1 ? "spectral" : "random", energy, sum[s].rank,
               right[s], sum[s].signal, sum[s].sweeps, sum[s].seconds);
    }
    fflush(stdout);
}

#define EQUAL(rows, columns, n, skew)                                                              \
    { rows, columns, 5, n, 0.5, skew, 1.0, 0.0, 0.5, false }
#define STARS(rows, columns, n)                                                                    \
    { rows, columns, 40, n, 0.8, 1.0, 0.6, 0.7, 0.4, true }
static const struct design sets[] = {EQUAL(1000, 1000, 10000, 0.0),  EQUAL(1000, 1000, 50000, 0.0),
                                     EQUAL(1000, 1000, 200000, 0.0), EQUAL(1000, 1000, 10000, 1.0),
                                     EQUAL(1000, 1000, 50000, 1.0),  EQUAL(1000, 1000, 200000, 1.0),
                                     EQUAL(3000, 2000, 60000, 0.0),  STARS(3000, 2000, 60000),
                                     STARS(1000, 2000, 100000),      STARS(1000, 1000, 200000)},
                           sparse[] = {
                               EQUAL(1000, 1000, 10000, 0.0), EQUAL(1000, 1000, 12000, 0.0),
                               EQUAL(1000, 1000, 15000, 0.0), EQUAL(1000, 1000, 20000, 0.0),
                               EQUAL(1000, 1000, 50000, 0.0), EQUAL(1000, 1000, 10000, 1.0),
                               EQUAL(1000, 1000, 15000, 1.0), EQUAL(1000, 1000, 50000, 1.0)};

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    size_t only = argc > 2 ? (size_t)atoi(argv[2]) : 0;
    must(gbs_context_create(NULL, &ctx));
    must(gbs_context_set_threads(ctx, 1));
    must(gbs_compute_begin(ctx));
    if (strcmp(what, "methods") == 0) {
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
            if (only == 0 || only == k + 1)
                compare(&sets[k]);
    } else if (strcmp(what, "starts") == 0) {
        printf("| set | start | F, spectral against random | components | right rank, of 10 | "
               "signal RMSE | sweeps | CPU "
               "seconds |\n"
               "|---|---|---|---|---|---|---|---|\n");
        for (size_t k = 0; k < sizeof sparse / sizeof *sparse; k++)
            compare_starts(&sparse[k]);
    } else {
        fputs("usage: completion methods [SET] | starts\n", stderr);
        return 2;
    }
    gbs_compute_end(ctx);
    gbs_context_free(ctx);
    return 0;
}
