/* The Gibbs sampler of the hierarchical model: against brute-force integration, and its law by
 * Geweke's joint-distribution test (docs/maths.md, 8.20). */
#include "levels_support.h"

#include "completion/level_average.h"
#include "completion/level_gibbs.h"

/* ---------------------------------------------------------------- against integration */

/* 3 x 3, one component, hyper-parameters held. Given the columns, rows integrate out: with c their
 * prior mean, P = Lambda + A, m = P^-1 (r + Lambda c),
 *
 *   p(y_i | columns) ~ |P|^-1/2 (beta + 1/2 [err(m) + (m - c)'Lambda (m - c)])^-(alpha + n_i/2)
 *
 * and the columns, six numbers, are left to a grid. */
enum {
    SIDE = 3,
    GRID = 11,
    CELLS = SIDE * SIDE,
    TRUTHS = CELLS + SIDE,
    QUANTITIES = TRUTHS + CELLS
};

static const double lambda_rows[4] = {1.5, 0.3, 0.3, 2.0}, lambda_columns[4] = {3.0, 0.8, 0.8, 4.0},
                    centre_rows[2] = {0.4, -0.1}, centre_columns[2] = {0.7, 0.2};

/* log p(y_i | columns), the row's best mean and E tau. */
static double slow_row(const gbs_levels *f, const struct matrix_truth *t, size_t i, const double *w,
                       double *m, double *tau) {
    double p[3] = {lambda_rows[0], lambda_rows[1], lambda_rows[3]}, r[2], n = 0.0, err = 0.0;
    r[0] = lambda_rows[0] * centre_rows[0] + lambda_rows[1] * centre_rows[1];
    r[1] = lambda_rows[2] * centre_rows[0] + lambda_rows[3] * centre_rows[1];
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < t->n; e++) {
            if (t->row[e] != i)
                continue;
            double v = w[2 * t->column[e]],
                   y = (t->y[e] - f->ratings->center) / f->scale - w[2 * t->column[e] + 1],
                   off = y - m[0] * v - m[1];
            if (pass == 0) {
                p[0] += v * v, p[1] += v, p[2] += 1.0;
                r[0] += v * y, r[1] += y, n += 1.0;
            } else {
                err += off * off;
            }
        }
        double det = p[0] * p[2] - p[1] * p[1];
        m[0] = (p[2] * r[0] - p[1] * r[1]) / det;
        m[1] = (p[0] * r[1] - p[1] * r[0]) / det;
    }
    double g[2] = {m[0] - centre_rows[0], m[1] - centre_rows[1]}, shape = f->alpha + 0.5 * n,
           rate = f->beta +
                  0.5 * (err + lambda_rows[0] * g[0] * g[0] + 2.0 * lambda_rows[1] * g[0] * g[1] +
                         lambda_rows[3] * g[1] * g[1]);
    *tau = shape / rate;
    return -0.5 * log(p[0] * p[2] - p[1] * p[1]) - shape * log(rate);
}

/* Posterior means of the nine cells and of the three tau, and of the nine cells again. */
static void integrate(const gbs_levels *f, const struct matrix_truth *t, double *expected) {
    double mass = 0.0, sd[2] = {0.75, 0.65};
    size_t points = 1;
    for (int k = 0; k < 2 * SIDE; k++)
        points *= GRID;
    memset(expected, 0, QUANTITIES * sizeof *expected);
    for (size_t at = 0; at < points; at++) {
        double w[2 * SIDE], m[SIDE][2], tau[SIDE], log_p = 0.0;
        size_t left = at;
        for (int k = 0; k < 2 * SIDE; k++, left /= GRID)
            w[k] = centre_columns[k % 2] +
                   sd[k % 2] * 3.6 * (2.0 * (double)(left % GRID) / (GRID - 1) - 1.0);
        for (size_t j = 0; j < SIDE; j++) {
            double a = w[2 * j] - centre_columns[0], b = w[2 * j + 1] - centre_columns[1];
            log_p -= 0.5 * (lambda_columns[0] * a * a + 2.0 * lambda_columns[1] * a * b +
                            lambda_columns[3] * b * b);
        }
        if (log_p < -25.0)
            continue;
        for (size_t i = 0; i < SIDE; i++)
            log_p += slow_row(f, t, i, w, m[i], &tau[i]);
        double p = exp(log_p);
        mass += p;
        for (size_t i = 0; i < SIDE; i++) {
            expected[CELLS + i] += p * tau[i];
            for (size_t j = 0; j < SIDE; j++)
                expected[i * SIDE + j] += p * (m[i][0] * w[2 * j] + m[i][1] + w[2 * j + 1]);
        }
    }
    for (size_t k = 0; k < QUANTITIES; k++)
        expected[k] /= mass;
    for (size_t k = 0; k < CELLS; k++)
        expected[TRUTHS + k] = expected[k];
}

static void hold_hyper(gbs_levels *f) {
    const double *lambda[2] = {lambda_rows, lambda_columns},
                 *centre[2] = {centre_rows, centre_columns};
    for (int s = 0; s < 2; s++) {
        memcpy(f->side[s].precision, lambda[s], sizeof lambda_rows);
        memcpy(f->side[s].coef, centre[s], sizeof centre_rows);
        memset(f->side[s].cov, 0, SIDE * 3 * sizeof(double));
    }
    memset(f->side[0].leverage, 0, SIDE * sizeof(double));
    f->alpha = 5.0;
    f->beta = 2.0;
    f->relax = 1.0;
}

/* One sweep; out: the drawn cells and tau, then the cells by conditional means. */
static void look_at_sweep(gbs_levels *f, gbs_level_average *a, double *out) {
    assert_int_equal(gbs_level_average_aim(f, a), GBS_OK);
    assert_int_equal(gbs_levels_update_side(f, 0), GBS_OK);
    assert_int_equal(gbs_levels_update_side(f, 1), GBS_OK);
    const double *x = f->side[0].mean, *w = f->side[1].mean;
    for (size_t i = 0; i < SIDE; i++) {
        out[CELLS + i] = f->side[0].omega[i];
        for (size_t j = 0; j < SIDE; j++) {
            size_t k = i * SIDE + j;
            out[TRUTHS + k] = gbs_level_average_cell(f, a, (uint32_t)i, (uint32_t)j, &out[k]);
            assert_close(out[k], x[2 * i] * w[2 * j] + x[2 * i + 1] + w[2 * j + 1], 1e-12, 1e-12);
        }
    }
    gbs_level_average_take(f, a);
}

/* 21 quantities within 5 standard errors of batch means, and 1e-4 for the grid: a false alarm in
 * 80,000 runs. Conditional means vary less than what is drawn: summed over the cells, the ratio of
 * variances was .47 on 20 short chains, with a standard deviation of .07 of its logarithm, so .7 is
 * beyond five of them: a false alarm in three million runs. */
static void sampler_is_the_integral(void **state) {
    (void)state;
    enum { BATCHES = 100 };
    size_t length = repeats(400, 40);
    gbs_context *ctx = new_context(1, 1);
    struct levels_case c = make_levels(ctx, 77, SIDE, SIDE, 8, 1, false, false);
    gbs_levels *f = &c.f;
    gbs_level_average average;
    double expected[QUANTITIES], mean[QUANTITIES] = {0}, square[QUANTITIES] = {0}, one[QUANTITIES],
                                 variance[2] = {0};
    hold_hyper(f);
    integrate(f, &c.truth, expected);
    assert_int_equal(gbs_level_average_begin(f, &average), GBS_OK);
    for (size_t b = 0; b <= BATCHES; b++) { /* the first forgets the start */
        double batch[QUANTITIES] = {0};
        for (size_t k = 0; k < length; k++) {
            f->stream = 1000 + 16 * (b * length + k);
            look_at_sweep(f, &average, one);
            for (size_t q = 0; q < QUANTITIES; q++)
                batch[q] += one[q] / (double)length;
        }
        for (size_t k = 0; b > 0 && k < QUANTITIES; k++) {
            mean[k] += batch[k] / BATCHES;
            square[k] += batch[k] * batch[k] / BATCHES;
        }
    }
    for (size_t k = 0; k < QUANTITIES; k++)
        assert_close(mean[k], expected[k], 0.0,
                     1e-4 + 5.0 * sqrt((square[k] - mean[k] * mean[k]) / (BATCHES - 1)));
    for (size_t k = 0; k < CELLS; k++) {
        variance[0] += square[k] - mean[k] * mean[k];
        variance[1] += square[TRUTHS + k] - mean[TRUTHS + k] * mean[TRUTHS + k];
    }
    print_message("variance of conditional means over that of draws: %.3f\n",
                  variance[1] / variance[0]);
    assert_at_most(variance[1], 0.7 * variance[0]);
    gbs_level_average_free(ctx, &average);
    free_levels(ctx, &c);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- Geweke (2004) */

/* Draws from prior and model, once directly, once by a chain that takes turns between a sweep of
 * the sampler given the ratings and fresh ratings given the unknowns: both have the same law when
 * every conditional draw is right. Everything is free. Means of statistics that have all moments
 * are compared, 5 standard errors on 17 of them: a false alarm in 100,000 runs. */
enum { G_ROWS = 3, G_COLUMNS = 2, G_N = 7, D = 2, P = 2, MOMENTS = 17 };

static const double phi_rows[G_ROWS * P] = {1.0, 0.8, 1.0, -1.2, 1.0, 0.3},
                                      phi_columns[G_COLUMNS * P] = {1.0, -0.6, 1.0, 1.1};

/* The unknowns that are looked at, of either simulation. */
struct unknowns {
    double beta, tau[G_ROWS], lambda[2][4], b[2], coef[2][P * D], x[G_ROWS * D], w[G_COLUMNS * D];
};

static double bounded(double x) {
    return x * x / (1.0 + x * x);
}

static void moments_of(const struct unknowns *u, double *m) {
    double p = u->x[0] * u->w[0] + u->x[1] + u->w[1];
    const double values[MOMENTS] = {
        log(u->beta),
        log(u->tau[0]),
        bounded(u->tau[1]),
        log(u->lambda[0][0] * u->lambda[0][3] - u->lambda[0][1] * u->lambda[0][2]),
        log(u->lambda[1][0] * u->lambda[1][3] - u->lambda[1][1] * u->lambda[1][2]),
        bounded(u->lambda[0][0]),
        bounded(u->lambda[1][1]),
        log(u->b[0]),
        log(u->b[1]),
        bounded(u->coef[0][1]),
        bounded(u->coef[1][2]),
        tanh(u->coef[0][2] * u->coef[0][3]),
        bounded(u->x[2]),
        tanh(u->x[0]),
        bounded(u->w[3]),
        bounded(p),
        bounded(p * sqrt(u->tau[0]))};
    memcpy(m, values, sizeof values);
}

static double exponential(struct dice *d) {
    return -log(1.0 - dice_uniform(d));
}

static double gamma_whole(struct dice *d, int shape) {
    double sum = 0.0;
    for (int k = 0; k < shape; k++)
        sum += exponential(d);
    return sum;
}

/* z' R with R'R = (scale Lambda)^-1 added to out: a normal vector of that precision. */
static void add_normal(struct dice *d, const double *lambda, double scale, double *out) {
    double a = sqrt(lambda[0]), b = lambda[1] / a, c = sqrt(lambda[3] - b * b); /* lower root */
    double z0 = dice_normal(d), z1 = dice_normal(d) / c;                        /* L' x = z */
    out[1] += z1 / sqrt(scale);
    out[0] += (z0 - b * z1) / a / sqrt(scale);
}

static void add_prior_means(const double *phi, const double *coef, double *out) {
    for (int p = 0; p < P; p++)
        for (int k = 0; k < D; k++)
            out[k] += phi[p] * coef[p * D + k];
}

/* Everything from the prior; alpha 6, b ~ Ga(3, 3), Lambda ~ W(3, I). */
static void draw_prior(struct dice *d, struct unknowns *u) {
    *u = (struct unknowns){.beta = 6.0 * exponential(d)};
    for (int i = 0; i < G_ROWS; i++)
        u->tau[i] = gamma_whole(d, 6) / u->beta;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < D + 1; k++) {
            double z[2] = {dice_normal(d), dice_normal(d)};
            for (int c = 0; c < 4; c++)
                u->lambda[s][c] += z[c / 2] * z[c % 2];
        }
        u->b[s] = gamma_whole(d, 3) / 3.0;
        add_normal(d, u->lambda[s], 1.0, u->coef[s]);
        add_normal(d, u->lambda[s], u->b[s], u->coef[s] + D);
    }
    for (int i = 0; i < G_ROWS; i++) {
        add_prior_means(phi_rows + i * P, u->coef[0], u->x + i * D);
        add_normal(d, u->lambda[0], u->tau[i], u->x + i * D);
    }
    for (int j = 0; j < G_COLUMNS; j++) {
        add_prior_means(phi_columns + j * P, u->coef[1], u->w + j * D);
        add_normal(d, u->lambda[1], 1.0, u->w + j * D);
    }
}

static void look_at(const gbs_levels *f, struct unknowns *u) {
    u->beta = f->beta;
    memcpy(u->tau, f->side[0].omega, sizeof u->tau);
    for (int s = 0; s < 2; s++) {
        memcpy(u->lambda[s], f->side[s].precision, sizeof u->lambda[s]);
        memcpy(u->coef[s], f->side[s].coef, sizeof u->coef[s]);
        u->b[s] = f->side[s].relevance[1];
    }
    memcpy(u->x, f->side[0].mean, sizeof u->x);
    memcpy(u->w, f->side[1].mean, sizeof u->w);
}

/* Ratings given the unknowns; each cell is rated once but for (0, 0), whose two come in order. */
static void fresh_ratings(struct dice *d, const struct unknowns *u, gbs_levels *f, gbs_ratings *r) {
    for (size_t i = 0; i < G_ROWS; i++) {
        f->squares[i] = 0.0;
        for (size_t e = r->by[0].start[i]; e < r->by[0].start[i + 1]; e++) {
            const double *x = u->x + i * D, *w = u->w + r->by[0].other[e] * D;
            double y = x[0] * w[0] + x[1] + w[1] + dice_normal(d) / sqrt(u->tau[i]);
            r->by[0].value[e] = y;
            f->squares[i] += y * y;
        }
    }
    for (size_t j = 0; j < G_COLUMNS; j++)
        for (size_t e = r->by[1].start[j], last = SIZE_MAX; e < r->by[1].start[j + 1]; e++) {
            size_t from = r->by[0].start[r->by[1].other[e]];
            while (r->by[0].other[from] != j || from == last)
                from++;
            r->by[1].value[e] = r->by[0].value[from];
            last = from;
        }
}

static gbs_status ignore(void *user, const gbs_levels *f, size_t draw) {
    (void)user, (void)f, (void)draw;
    return GBS_OK;
}

static void sampler_keeps_its_law(void **state) {
    (void)state;
    enum { BATCHES = 100 };
    size_t length = repeats(800, 60), direct = 40 * BATCHES * length;
    static const uint32_t row[G_N] = {0, 0, 0, 1, 1, 2, 2}, column[G_N] = {0, 0, 1, 0, 1, 0, 1};
    static const double y[G_N] = {1.0, -1.0};
    gbs_context *ctx = new_context(1, 1);
    gbs_ratings *r;
    gbs_levels f;
    struct dice dice = {3};
    struct unknowns u;
    double phi[2][G_ROWS * P], *const both[2] = {phi[0], phi[1]}, one[MOMENTS];
    double mean[2][MOMENTS] = {{0}}, square[2][MOMENTS] = {{0}};
    memcpy(phi[0], phi_rows, sizeof phi_rows);
    memcpy(phi[1], phi_columns, sizeof phi_columns);
    assert_int_equal(
        gbs_ratings_create(ctx, G_N, G_ROWS, G_COLUMNS, row, column, y, NULL, NULL, &r), GBS_OK);
    assert_int_equal(gbs_levels_create(ctx, r, 1, both, (size_t[]){P, P}, false, &f), GBS_OK);
    assert_int_equal(gbs_levels_start(&f, 6), GBS_OK);
    r->center = 0.0;
    f.scale = 1.0;
    f.alpha = 6.0;
    f.relevance_prior = 3.0;
    for (size_t k = 0; k < direct; k++) {
        draw_prior(&dice, &u);
        moments_of(&u, one);
        for (int m = 0; m < MOMENTS; m++) {
            mean[0][m] += one[m] / (double)direct;
            square[0][m] += one[m] * one[m] / (double)direct;
        }
    }
    for (size_t b = 0; b < BATCHES + 4; b++) { /* four batches to forget the start */
        double batch[MOMENTS] = {0};
        for (size_t k = 0; k < length; k++) {
            look_at(&f, &u);
            fresh_ratings(&dice, &u, &f, r);
            assert_int_equal(gbs_levels_sample(&f, b * length + k, 0, 1, ignore, NULL), GBS_OK);
            look_at(&f, &u);
            moments_of(&u, one);
            for (int m = 0; m < MOMENTS; m++)
                batch[m] += one[m] / (double)length;
        }
        for (int m = 0; b >= 4 && m < MOMENTS; m++) {
            mean[1][m] += batch[m] / BATCHES;
            square[1][m] += batch[m] * batch[m] / BATCHES;
        }
    }
    for (int m = 0; m < MOMENTS; m++) {
        double direct_variance = (square[0][m] - mean[0][m] * mean[0][m]) / (double)direct,
               chain_variance = (square[1][m] - mean[1][m] * mean[1][m]) / (BATCHES - 1);
        assert_close(mean[1][m], mean[0][m], 0.0, 5.0 * sqrt(direct_variance + chain_variance));
    }
    gbs_levels_free(&f);
    gbs_ratings_free(r);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampler_is_the_integral),
        cmocka_unit_test(sampler_keeps_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
