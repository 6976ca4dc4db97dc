/* F, its risk and its KL against numerical integration.
 *
 * Integrals are products of 20-point Gauss rules over draws that end where a row's loss has its
 * kink; the Gaussian is cut nine standard deviations out, where less than 1e-18 of it is left (the
 * exponential loss, which grows, meets margins of moderate spread only).
 */
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

/* The integral of f from low to high, PANELS draws on each side of `kink` where that lies inside.
 */
typedef double (*integrand)(double x, void *arg);

static double integrate_smooth(const struct rule *q, double low, double high, integrand f,
                               void *arg) {
    double sum = 0.0, width = (high - low) / PANELS;
    for (int p = 0; p < PANELS; p++)
        for (int i = 0; i < NODES; i++)
            sum += q->weight[i] * f(low + width * (p + 0.5 * (1.0 + q->at[i])), arg);
    return 0.5 * width * sum;
}

static double integrate(const struct rule *q, double low, double high, double kink, integrand f,
                        void *arg) {
    if (!(kink > low && kink < high))
        return integrate_smooth(q, low, high, f, arg);
    return integrate_smooth(q, low, kink, f, arg) + integrate_smooth(q, kink, high, f, arg);
}

/* ---------------------------------------------------------------- Gaussians in one and two
 * dimensions */

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
    double square = e0 * e0 * g->inverse[0] + e0 * e1 * (g->inverse[1] + g->inverse[2]) +
                    e1 * e1 * g->inverse[3];
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
    return integrate(t->rule, center - REACH * spread, center + REACH * spread, kink_of(t),
                     first_coordinate, t);
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
    return integrate(t->rule, center - REACH * spread, center + REACH * spread, INFINITY,
                     second_coordinate, t);
}

/* The inner integral runs along the coordinate that moves the row's score most; along the other its
 * result is then smooth. */
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
static void check_by_integration(const struct rule *rule, const struct design *x, struct bench *b,
                                 gbs_loss loss) {
    size_t n = x->table.n, d = b->g.d;
    double cov[4] = {0}, risk = 0.0;
    covariance_of(&b->g, cov);
    struct task t = {
        .rule = rule, .under = normal2_from(d, b->g.mean, cov), .prior = prior_of(b), .loss = loss};
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
            struct bench *b = make_bench(&r, &x.rows, all_losses[l], all_families[f], 8.0, 0.8,
                                         false);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F_is_the_integral_in_one_dimension),
        cmocka_unit_test(F_is_the_integral_in_two_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
