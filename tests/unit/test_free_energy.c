/* F, its risk and its KL against numerical integration and naive loops, and the promises of the full family.
 *
 * Integrals are products of 20-point Gauss rules over panels that end where a row's loss has its kink; the Gaussian is cut
 * nine standard deviations out, where less than 1e-18 of it is left (the exponential loss, which grows, meets margins of
 * moderate spread only). Naive loops take the formulas of MATHS.md, sections 2 to 4, row by row over spelled-out cells.
 */
#include "kernel/linalg.h"
#include "unit/rows_support.h"

/* ---------------------------------------------------------------- quadrature */

enum { NODES = 20, PANELS = 8 };

#define REACH 9.0

struct rule {
    double at[NODES], weight[NODES];
};

/* Gauss-Legendre on [-1, 1]: Newton from Chebyshev's guesses. */
static struct rule gauss_rule(void) {
    struct rule q;
    for (int i = 0; i < NODES; i++) {
        double x = cos(3.14159265358979324 * (i + 0.75) / (NODES + 0.5)), slope = 1.0;
        for (int round = 0; round < 50; round++) {
            double p = 1.0, before = 0.0;
            for (int k = 1; k <= NODES; k++) {
                double next = ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k;
                before = p;
                p = next;
            }
            slope = NODES * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        q.at[i] = x;
        q.weight[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
    return q;
}

/* The integral of f from low to high, PANELS panels on each side of `kink` where that lies inside. */
typedef double (*integrand)(double x, void *arg);

static double integrate_smooth(const struct rule *q, double low, double high, integrand f, void *arg) {
    double sum = 0.0, width = (high - low) / PANELS;
    for (int p = 0; p < PANELS; p++)
        for (int i = 0; i < NODES; i++)
            sum += q->weight[i] * f(low + width * (p + 0.5 * (1.0 + q->at[i])), arg);
    return 0.5 * width * sum;
}

static double integrate(const struct rule *q, double low, double high, double kink, integrand f, void *arg) {
    if (!(kink > low && kink < high))
        return integrate_smooth(q, low, high, f, arg);
    return integrate_smooth(q, low, kink, f, arg) + integrate_smooth(q, kink, high, f, arg);
}

/* ---------------------------------------------------------------- Gaussians in one and two dimensions */

struct normal2 {
    size_t d;
    double mean[2], cov[4], inverse[4], determinant;
};

static struct normal2 normal2_from(size_t d, const double *mean, const double *cov) {
    struct normal2 g = {.d = d, .mean = {mean[0], d == 2 ? mean[1] : 0.0}};
    if (d == 1) {
        g.cov[0] = g.determinant = cov[0];
        g.inverse[0] = 1.0 / cov[0];
        return g;
    }
    memcpy(g.cov, cov, sizeof g.cov);
    g.determinant = cov[0] * cov[3] - cov[1] * cov[2];
    double inverse[4] = {cov[3], -cov[1], -cov[2], cov[0]};
    for (int k = 0; k < 4; k++)
        g.inverse[k] = inverse[k] / g.determinant;
    return g;
}

static double log_density(const struct normal2 *g, const double *theta) {
    double e0 = theta[0] - g->mean[0], e1 = g->d == 2 ? theta[1] - g->mean[1] : 0.0;
    double square = e0 * e0 * g->inverse[0] + e0 * e1 * (g->inverse[1] + g->inverse[2]) + e1 * e1 * g->inverse[3];
    return -0.5 * square - 0.5 * log(g->determinant) - (double)g->d * 0.91893853320467274178;
}

/* What is integrated under `under`: a plain loss of one row, or log(q/p). */
struct task {
    const struct rule *rule;
    struct normal2 under, prior;
    double row[2], y, theta[2];
    gbs_loss loss;
    bool divergence;
};

static double plain_loss(gbs_loss loss, double z) {
    if (loss == GBS_LOSS_ZERO_ONE)
        return z < 0.0 ? 1.0 : 0.0;
    return loss == GBS_LOSS_HINGE ? fmax(0.0, 1.0 - z) : exp(-z);
}

static double at_theta(const struct task *t) {
    double log_q = log_density(&t->under, t->theta);
    if (t->divergence)
        return exp(log_q) * (log_q - log_density(&t->prior, t->theta));
    double score = t->row[0] * t->theta[0] + (t->under.d == 2 ? t->row[1] * t->theta[1] : 0.0);
    return exp(log_q) * plain_loss(t->loss, t->y * score);
}

static double first_coordinate(double x, void *arg) {
    struct task *t = arg;
    t->theta[0] = x;
    return at_theta(t);
}

/* Where, along theta_0, the row's loss has its kink. */
static double kink_of(const struct task *t) {
    if (t->divergence || t->loss == GBS_LOSS_EXPONENTIAL)
        return INFINITY;
    double margin = t->loss == GBS_LOSS_HINGE ? t->y : 0.0;
    return (margin - (t->under.d == 2 ? t->row[1] * t->theta[1] : 0.0)) / t->row[0];
}

/* Over theta_0; in two dimensions given theta_1, around its conditional mean. */
static double over_first(struct task *t) {
    double center = t->under.mean[0], spread = sqrt(t->under.cov[0]);
    if (t->under.d == 2) {
        center += t->under.cov[1] / t->under.cov[3] * (t->theta[1] - t->under.mean[1]);
        spread = sqrt(t->under.determinant / t->under.cov[3]);
    }
    return integrate(t->rule, center - REACH * spread, center + REACH * spread, kink_of(t), first_coordinate, t);
}

static double second_coordinate(double x, void *arg) {
    struct task *t = arg;
    t->theta[1] = x;
    return over_first(t);
}

static double expectation(struct task *t) {
    if (t->under.d == 1)
        return over_first(t);
    double spread = sqrt(t->under.cov[3]), center = t->under.mean[1];
    return integrate(t->rule, center - REACH * spread, center + REACH * spread, INFINITY, second_coordinate, t);
}

/* The inner integral runs along the coordinate that moves the row's score most; along the other its result is then smooth. */
static struct task with_row(struct task t, const double *row) {
    double mean[2] = {t.under.mean[1], t.under.mean[0]};
    double cov[4] = {t.under.cov[3], t.under.cov[1], t.under.cov[2], t.under.cov[0]};
    t.row[0] = row[0];
    if (t.under.d == 1)
        return t;
    t.row[1] = row[1];
    if (fabs(row[0]) >= fabs(row[1]))
        return t;
    t.row[0] = row[1];
    t.row[1] = row[0];
    t.under = normal2_from(2, mean, cov);
    return t;
}

static struct normal2 prior_of(const struct bench *b) {
    double v = b->problem.prior.variance, cov[4] = {v, 0.0, 0.0, v};
    return normal2_from(b->g.d, b->prior_mean, cov);
}

/* One posterior, all rows: risk, KL and F by integration. */
static void check_by_integration(const struct rule *rule, const struct design *x, struct bench *b, gbs_loss loss) {
    size_t n = x->table.n, d = b->g.d;
    double cov[4], risk = 0.0;
    covariance_of(&b->g, cov);
    struct task t = {.rule = rule, .under = normal2_from(d, b->g.mean, cov), .prior = prior_of(b), .loss = loss};
    for (size_t i = 0; i < n; i++) {
        struct task one = with_row(t, x->cells + i * d);
        one.y = x->table.y[i];
        risk += expectation(&one) / (double)n;
    }
    t.divergence = true;
    double kl = expectation(&t), f = evaluate(b);
    assert_close(b->point.risk, risk, 1e-10, 1e-12);
    assert_close(b->point.kl, kl, 1e-10, 1e-12);
    assert_close(gbs_gaussian_kl(&b->g, &b->problem.prior), kl, 1e-10, 1e-12);
    assert_close(f, b->problem.lambda * risk + kl, 1e-10, 1e-11);
}

static void integrals_agree_in(size_t d, uint64_t seed) {
    struct rule rule = gauss_rule();
    struct dice r = {seed};
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t f = 0; f < COUNT(all_families); f++) {
            struct design x = make_design(&r, 5, d, f % 2 == 1, 2);
            struct bench *b = make_bench(&r, &x.rows, all_losses[l], all_families[f], 8.0, 0.8, false);
            move_randomly(&r, b, 0.6, 0.4);
            check_by_integration(&rule, &x, b, all_losses[l]);
            free_bench(b);
            free_design(&x);
        }
}

static void F_is_the_integral_in_one_dimension(void **state) {
    (void)state;
    integrals_agree_in(1, 201);
}

static void F_is_the_integral_in_two_dimensions(void **state) {
    (void)state;
    integrals_agree_in(2, 202);
}

/* ---------------------------------------------------------------- naive loops */

/* psi and its partials from libm, without a thought for the far tails. */
static void naive_psi(gbs_loss loss, double mu, double s, double out[3]) {
    double t = (loss == GBS_LOSS_HINGE ? 1.0 - mu : mu) / s;
    double phi = 0.39894228040143267794 * exp(-0.5 * t * t), cdf = 0.5 * erfc(-t * 0.70710678118654752440);
    if (loss == GBS_LOSS_ZERO_ONE) {
        out[0] = 0.5 * erfc(t * 0.70710678118654752440);
        out[1] = -phi / s;
        out[2] = t * phi / s;
    } else if (loss == GBS_LOSS_HINGE) {
        out[0] = (1.0 - mu) * cdf + s * phi;
        out[1] = -cdf;
        out[2] = phi;
    } else {
        out[0] = exp(-mu + 0.5 * s * s);
        out[1] = -out[0];
        out[2] = s * out[0];
    }
}

/* F, dF/dm, H = (lambda/n) sum w x x' and the same with |w|, all by the definition. */
struct naive {
    double risk, kl, d_mean[8], h[64], h_abs[64];
};

static double naive_kl(const gbs_gaussian *g, const double *cov, const gbs_prior *prior) {
    size_t d = g->d;
    double v = prior->variance, sum = 0.0, log_det = 0.0, a[64];
    for (size_t i = 0; i < d; i++) {
        double e = g->mean[i] - prior->mean[i];
        sum += (cov[i * d + i] + e * e) / v - 1.0 + log(v);
    }
    /* log det by plain elimination */
    memcpy(a, cov, d * d * sizeof *a);
    for (size_t k = 0; k < d; k++) {
        log_det += log(a[k * d + k]);
        for (size_t i = k + 1; i < d; i++)
            for (size_t j = d; j-- > k;)
                a[i * d + j] -= a[i * d + k] / a[k * d + k] * a[k * d + j];
    }
    return 0.5 * (sum - log_det);
}

static struct naive naive_pass(const struct design *x, const struct bench *b, gbs_loss loss, size_t stride) {
    size_t d = b->g.d, n = (x->table.n + stride - 1) / stride;
    double cov[64], c = b->problem.lambda / (double)n;
    struct naive out = {0};
    covariance_of(&b->g, cov);
    for (size_t i = 0; i < x->table.n; i += stride) {
        const double *row = x->cells + i * d;
        double mu = 0.0, q = 0.0, psi[3], y = x->table.y[i];
        for (size_t j = 0; j < d; j++) {
            mu += y * row[j] * b->g.mean[j];
            for (size_t k = 0; k < d; k++)
                q += row[j] * cov[j * d + k] * row[k];
        }
        naive_psi(loss, mu, sqrt(q), psi);
        out.risk += psi[0] / (double)n;
        for (size_t j = 0; j < d; j++) {
            out.d_mean[j] += c * y * psi[1] * row[j];
            for (size_t k = 0; k < d; k++) {
                out.h[j * d + k] += c * psi[2] / sqrt(q) * row[j] * row[k];
                out.h_abs[j * d + k] += c * fabs(psi[2]) / sqrt(q) * row[j] * row[k];
            }
        }
    }
    for (size_t k = 0; k < d; k++)
        out.d_mean[k] += (b->g.mean[k] - b->prior_mean[k]) / b->problem.prior.variance;
    out.kl = naive_kl(&b->g, cov, &b->problem.prior);
    return out;
}

/* The family's part of H: the trace, the diagonal, or the lower triangle. */
static void check_pull(const gbs_gaussian *g, const double *pull, const double *h) {
    size_t d = g->d;
    double trace = 0.0, size = 1.0;
    for (size_t k = 0; k < d * d; k++)
        size = fmax(size, fabs(h[k]));
    for (size_t k = 0; k < d; k++)
        trace += h[k * d + k];
    if (g->family == GBS_FAMILY_FIXED || g->family == GBS_FAMILY_ISOTROPIC)
        assert_close(pull[0], trace, 0.0, 1e-12 * size);
    for (size_t i = 0; i < d; i++) {
        if (g->family == GBS_FAMILY_DIAGONAL)
            assert_close(pull[i], h[i * d + i], 0.0, 1e-12 * size);
        for (size_t j = 0; g->family == GBS_FAMILY_FULL && j <= i; j++)
            assert_close(pull[i * d + j], h[i * d + j], 0.0, 1e-12 * size);
    }
}

static void check_against_naive(const struct design *x, struct bench *b, gbs_loss loss, size_t stride) {
    struct naive expected = naive_pass(x, b, loss, stride);
    size_t d = b->g.d;
    evaluate(b);
    assert_close(b->point.risk, expected.risk, 1e-12, 1e-14);
    assert_close(b->point.kl, expected.kl, 1e-12, 1e-13);
    assert_close(b->point.free_energy, b->problem.lambda * expected.risk + expected.kl, 1e-12, 1e-13);
    assert_close(b->point.free_energy, b->problem.lambda * b->point.risk + b->point.kl, 0.0, 0.0);
    double size = 1.0;
    for (size_t k = 0; k < d; k++)
        size = fmax(size, fabs(expected.d_mean[k]));
    for (size_t k = 0; k < d; k++)
        assert_close(b->point.d_mean[k], expected.d_mean[k], 0.0, 1e-12 * size);
    check_pull(&b->g, b->point.pull, expected.h);
    for (size_t i = 0; b->point.curvature != NULL && i < d; i++)
        for (size_t j = 0; j <= i; j++)
            assert_close(b->point.curvature[i * d + j], expected.h_abs[i * d + j], 1e-11, 1e-11 * size);
}

/* Blocks of 1, 7, 32 and all rows; with and without the |w| curvature; dense and sparse rows. */
static void blocks_and_chunks_add_up_to_the_plain_sum(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 31, 32, 33, 1000}, blocks[] = {1, 7, 32, 0};
    struct dice r = {203};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t k = 0; k < COUNT(blocks); k++)
            for (size_t f = 0; f < COUNT(all_families); f++)
                for (int sparse = 0; sparse <= 1; sparse++) {
                    gbs_loss loss = all_losses[(s + k + f) % 3];
                    struct design x = make_design(&r, sizes[s], 4, sparse, blocks[k]);
                    struct bench *b = make_bench(&r, &x.rows, loss, all_families[f], 20.0, 1.3, (s + k) % 2 == 0);
                    move_randomly(&r, b, 0.5, 0.4);
                    check_against_naive(&x, b, loss, 1);
                    free_bench(b);
                    free_design(&x);
                }
}

static void a_subsample_is_the_problem_of_every_kth_row(void **state) {
    (void)state;
    static const size_t strides[] = {2, 3, 8, 64};
    struct dice r = {204};
    for (size_t k = 0; k < COUNT(strides); k++)
        for (size_t f = 0; f < COUNT(all_families); f++)
            for (int sparse = 0; sparse <= 1; sparse++) {
                struct design x = make_design(&r, 331, 4, sparse, 16);
                gbs_rows part = gbs_rows_subsample(&x.rows, strides[k]);
                struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0, 1.3, true);
                b->problem.rows = &part;
                move_randomly(&r, b, 0.5, 0.4);
                check_against_naive(&x, b, GBS_LOSS_HINGE, strides[k]);
                free_bench(b);
                free_design(&x);
            }
}

/* A zero row has no spread: its loss is the plain one at 0, and it pulls on nothing. */
static void a_zero_row_counts_its_plain_loss(void **state) {
    (void)state;
    static const double at_zero[] = {0.5, 1.0, 1.0};
    struct dice r = {205};
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t f = 0; f < COUNT(all_families); f++) {
            struct design x = make_design(&r, 1, 3, false, 1);
            memset(x.cells, 0, 3 * sizeof *x.cells);
            struct bench *b = make_bench(&r, &x.rows, all_losses[l], all_families[f], 5.0, 1.0, false);
            move_randomly(&r, b, 1.0, 0.5);
            evaluate(b);
            assert_close(b->point.risk, at_zero[l], 0.0, 0.0);
            for (size_t k = 0; k < 3; k++)
                assert_close(b->point.d_mean[k], b->g.mean[k] - b->prior_mean[k], 1e-14, 1e-15);
            for (size_t k = 0; k < b->family->pull_size(3); k++)
                assert_close(b->point.pull[k], 0.0, 0.0, 0.0);
            free_bench(b);
            free_design(&x);
        }
}

static void the_longest_row_is_found_wherever_it_is(void **state) {
    (void)state;
    enum { N = 700, D = 4 };
    static const size_t strides[] = {1, 3};
    struct dice r = {207};
    for (int sparse = 0; sparse <= 1; sparse++)
        for (size_t s = 0; s < COUNT(strides); s++) {
            struct design x = make_design(&r, N, D, sparse, 16);
            gbs_rows part = gbs_rows_subsample(&x.rows, strides[s]);
            double longest = 0.0;
            for (size_t i = 0; i < N; i += strides[s])
                longest = fmax(longest, gbs_dot(D, x.cells + i * D, x.cells + i * D));
            assert_close(gbs_rows_longest(&part), longest, 1e-13, 0.0);
            free_design(&x);
        }
}

static void dot_products_add_every_element(void **state) {
    (void)state;
    struct dice r = {206};
    double a[300], b[300];
    for (size_t i = 0; i < COUNT(a); i++) {
        a[i] = dice_normal(&r);
        b[i] = dice_normal(&r);
    }
    for (size_t n = 0; n <= COUNT(a); n++) {
        long double dot = 0.0L, square = 0.0L;
        for (size_t i = 0; i < n; i++) {
            dot += (long double)a[i] * b[i];
            square += (long double)a[i] * a[i] * b[i];
        }
        assert_close(gbs_dot(n, a, b), (double)dot, 1e-13, 1e-13);
        assert_close(gbs_square_dot(n, a, b), (double)square, 1e-13, 1e-13);
    }
}

/* ---------------------------------------------------------------- the full family */

/* max |P S - I| of a full Gaussian. */
static double inverse_error(const gbs_gaussian *g) {
    size_t d = g->d;
    double cov[64], worst = 0.0;
    covariance_of(g, cov);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double sum = i == j ? -1.0 : 0.0;
            for (size_t k = 0; k < d; k++)
                sum += g->precision[i * d + k] * cov[k * d + j];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static void check_upper_with_positive_diagonal(const gbs_gaussian *g) {
    for (size_t i = 0; i < g->d; i++) {
        assert_true(g->factor[i * g->d + i] > 0.0);
        for (size_t j = 0; j < i; j++)
            assert_close(g->factor[i * g->d + j], 0.0, 0.0, 0.0);
    }
}

static void precision_and_factor_are_inverse_to_each_other(void **state) {
    (void)state;
    struct dice r = {207};
    for (size_t d = 1; d <= 8; d++) {
        struct design x = make_design(&r, 9, d, false, 4);
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, GBS_FAMILY_FULL, 5.0, 1.0, false);
        assert_at_most(inverse_error(&b->g), 1e-14); /* as created: the prior */
        move_randomly(&r, b, 0.5, 0.4);
        assert_at_most(inverse_error(&b->g), 1e-12); /* after refresh_precision */
        double factor[64];
        memcpy(factor, b->g.factor, d * d * sizeof *factor);
        memset(b->g.factor, 0, d * d * sizeof *factor);
        assert_true(gbs_full_set_precision(&b->g));
        check_upper_with_positive_diagonal(&b->g);
        assert_at_most(inverse_error(&b->g), 1e-12);
        for (size_t k = 0; k < d * d; k++) /* the factor is unique */
            assert_close(b->g.factor[k], factor[k], 1e-12, 1e-12);
        free_bench(b);
        free_design(&x);
    }
}

static void a_precision_that_is_none_is_refused(void **state) {
    (void)state;
    static const double bad[][4] = {{1.0, 2.0, 2.0, 1.0}, {-1.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 1.0},
                                    {NAN, 0.0, 0.0, 1.0}, {1.0, NAN, NAN, 1.0},  {INFINITY, 0.0, 0.0, 1.0}};
    struct dice r = {208};
    struct design x = make_design(&r, 3, 2, false, 2);
    struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, GBS_FAMILY_FULL, 5.0, 1.0, false);
    for (size_t k = 0; k < COUNT(bad); k++) {
        memcpy(b->g.precision, bad[k], sizeof bad[k]);
        assert_false(gbs_full_set_precision(&b->g));
    }
    free_bench(b);
    free_design(&x);
}

/* b = 0 leaves the spread, b = 1 takes I/v + H, b between mixes the precisions. */
static void a_step_moves_the_precision_in_a_straight_line(void **state) {
    (void)state;
    static const double steps[] = {0.0, 0.25, 1.0};
    struct dice r = {209};
    struct design x = make_design(&r, 40, 4, false, 7);
    for (size_t f = 1; f < COUNT(all_families); f++)
        for (size_t k = 0; k < COUNT(steps); k++) {
            struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0, 0.9, false);
            gbs_gaussian next;
            assert_ok(b->ctx, gbs_gaussian_create(b->ctx, all_families[f], 4, &b->problem.prior, 0.3, &next));
            move_randomly(&r, b, 0.5, 0.4);
            evaluate(b);
            double v = b->problem.prior.variance, step = steps[k], cov[16], mixed[16];
            assert_true(mix_precision(b, b->point.pull, step, &next));
            covariance_of(&b->g, cov);
            covariance_of(&next, mixed);
            const double *pull = b->point.pull;
            for (size_t i = 0; i < 4 && all_families[f] != GBS_FAMILY_FULL; i++) {
                double h = all_families[f] == GBS_FAMILY_DIAGONAL ? pull[i] : pull[0] / 4.0;
                assert_close(1.0 / mixed[5 * i], (1.0 - step) / cov[5 * i] + step * (1.0 / v + h), 1e-13, 0.0);
            }
            for (size_t i = 0; i < 4 && all_families[f] == GBS_FAMILY_FULL; i++)
                for (size_t j = 0; j <= i; j++) {
                    double h = pull[4 * i + j] + (i == j ? 1.0 / v : 0.0);
                    assert_close(next.precision[4 * i + j], (1.0 - step) * b->g.precision[4 * i + j] + step * h, 1e-13, 1e-14);
                    assert_close(next.precision[4 * j + i], next.precision[4 * i + j], 0.0, 0.0);
                }
            if (all_families[f] == GBS_FAMILY_FULL)
                assert_at_most(inverse_error(&next), 1e-12);
            gbs_gaussian_free(b->ctx, &next);
            free_bench(b);
        }
    free_design(&x);
}

static void a_step_refuses_what_is_no_covariance(void **state) {
    (void)state;
    struct dice r = {210};
    struct design x = make_design(&r, 4, 2, false, 2);
    static const double pull[] = {-9.0, 0.0, 0.0, -9.0};
    for (size_t f = 1; f < COUNT(all_families); f++) {
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_ZERO_ONE, all_families[f], 20.0, 1.0, false);
        gbs_gaussian next;
        assert_ok(b->ctx, gbs_gaussian_create(b->ctx, all_families[f], 2, &b->problem.prior, 0.3, &next));
        double scaled[4];
        for (int k = 0; k < 4; k++)
            scaled[k] = pull[k];
        assert_false(mix_precision(b, scaled, 1.0, &next));
        scaled[0] = NAN;
        assert_false(mix_precision(b, scaled, 1.0, &next));
        gbs_gaussian_free(b->ctx, &next);
        free_bench(b);
    }
    free_design(&x);
}

/* The same distribution seen as a member of each larger family has the same F, risk and KL. */
static void an_embedded_posterior_is_the_same_posterior(void **state) {
    (void)state;
    struct dice r = {211};
    for (int sparse = 0; sparse <= 1; sparse++)
        for (size_t small = 0; small < COUNT(all_families); small++)
            for (size_t large = small + 1; large < COUNT(all_families); large++) {
                struct design x = make_design(&r, 25, 4, sparse, 7);
                struct bench *a = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[small], 20.0, 0.9, false);
                struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[large], 20.0, 0.9, false);
                b->problem.prior = a->problem.prior;
                move_randomly(&r, a, 0.5, 0.4);
                gbs_gaussian_embed(&b->g, &a->g);
                assert_close(evaluate(b), evaluate(a), 1e-13, 0.0);
                assert_close(b->point.risk, a->point.risk, 1e-13, 0.0);
                assert_close(b->point.kl, a->point.kl, 1e-13, 1e-14);
                if (all_families[large] == GBS_FAMILY_FULL)
                    assert_at_most(inverse_error(&b->g), 1e-14);
                free_bench(a);
                free_bench(b);
                free_design(&x);
            }
}

static void marginal_sd_is_the_root_of_the_diagonal(void **state) {
    (void)state;
    struct dice r = {212};
    struct design x = make_design(&r, 5, 6, false, 7);
    for (size_t f = 0; f < COUNT(all_families); f++) {
        struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0, 0.9, false);
        double cov[36] = {0}, sd[6] = {0};
        move_randomly(&r, b, 0.5, 0.4);
        covariance_of(&b->g, cov);
        b->family->marginal_sd(&b->g, sd);
        for (size_t k = 0; k < 6; k++)
            assert_close(sd[k], sqrt(cov[7 * k]), 1e-14, 0.0);
        free_bench(b);
    }
    free_design(&x);
}

static void the_kl_of_the_prior_is_zero(void **state) {
    (void)state;
    struct dice r = {213};
    struct design x = make_design(&r, 5, 6, false, 7);
    for (size_t f = 1; f < COUNT(all_families); f++)
        for (int power = -6; power <= 6; power++) {
            struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0, pow(10.0, power), false);
            assert_close(gbs_gaussian_kl(&b->g, &b->problem.prior), 0.0, 0.0, 1e-13);
            free_bench(b);
        }
    free_design(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F_is_the_integral_in_one_dimension),
        cmocka_unit_test(F_is_the_integral_in_two_dimensions),
        cmocka_unit_test(blocks_and_chunks_add_up_to_the_plain_sum),
        cmocka_unit_test(a_subsample_is_the_problem_of_every_kth_row),
        cmocka_unit_test(a_zero_row_counts_its_plain_loss),
        cmocka_unit_test(the_longest_row_is_found_wherever_it_is),
        cmocka_unit_test(dot_products_add_every_element),
        cmocka_unit_test(precision_and_factor_are_inverse_to_each_other),
        cmocka_unit_test(a_precision_that_is_none_is_refused),
        cmocka_unit_test(a_step_moves_the_precision_in_a_straight_line),
        cmocka_unit_test(a_step_refuses_what_is_no_covariance),
        cmocka_unit_test(an_embedded_posterior_is_the_same_posterior),
        cmocka_unit_test(marginal_sd_is_the_root_of_the_diagonal),
        cmocka_unit_test(the_kl_of_the_prior_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
