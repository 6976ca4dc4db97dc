/* The oracle inequalities against plain grids over sigma, and the slips of the paper that are about
 * formulas (docs/errata.md): each with
 * the printed value beside the right one. */
#include "bound/bound.h"
#include "bound/theory.h"
#include "unit/support.h"

static gbs_theory compute(const gbs_theory_settings *q) {
    gbs_context *ctx = new_context(1, 1);
    gbs_theory theory;
    assert_ok(ctx, gbs_theory_run(ctx, q, &theory));
    assert_true(theory.count > 0 && theory.count <= GBS_THEORY_ROWS);
    gbs_context_free(ctx);
    return theory;
}

static gbs_theory_row find(const gbs_theory *t, const char *group, const char *name) {
    for (size_t k = 0; k < t->count; k++)
        if (strcmp(t->rows[k].group, group) == 0 && strcmp(t->rows[k].name, name) == 0)
            return t->rows[k];
    fail_msg("no row %s of %s", name, group);
    return t->rows[0];
}

/* KL(N(m, sigma^2 I_d) || N(0, v I_d)), |m|^2 = norm2, straight from docs/maths.md, 2.2. */
static double gaussian_kl(double d, double sigma, double v, double norm2) {
    return 0.5 * (d * sigma * sigma / v + norm2 / v - d + d * log(v) - 2.0 * d * log(sigma));
}

/* min over a fine grid of sigma of spread sigma + (2 K + 2 nats)/divisor. */
static double slow_minimum(double spread, double divisor, double nats, double d, double v,
                           double norm2) {
    double best = INFINITY;
    for (int k = 0; k < 230000; k++) { /* sigma from 1e-7 to 1e3 */
        double sigma = 1e-7 * exp(1e-4 * k);
        best = fmin(best,
                    spread * sigma + 2.0 * (gaussian_kl(d, sigma, v, norm2) + nats) / divisor);
    }
    return best;
}

static void values_are_minima_over_sigma(void **state) {
    (void)state;
    gbs_theory_settings q = gbs_theory_settings_default();
    const double logs = log(2.0 / 0.1);
    q.n = 733, q.d = 7, q.c = 0.6, q.margin = 1.5, q.confidence = 0.9, q.prior_sd = 0.8, q.cx = 1.2,
    q.norm = 2.0, q.lambda = 52.0;
    gbs_theory t = compute(&q);
    double n = 733.0, d = 7.0, v = 0.64, lambda = 52.0, spread = 2.0 * 0.6 * sqrt(d),
           f = lambda * lambda / (8.0 * n);
    assert_close(find(&t, "classification", "excess_risk").value,
                 slow_minimum(spread, lambda, f + logs, d, v, 1.0), 1e-7, 0.0);
    f = lambda * lambda / (8.0 * 366.0);
    assert_close(find(&t, "ranking", "excess_risk").value,
                 slow_minimum(spread, lambda, f + logs, d, v, 1.0), 1e-7, 0.0);
    double g = 1.5 * lambda * lambda / (2.0 * n - lambda);
    assert_close(find(&t, "classification, margin", "excess_risk").value,
                 slow_minimum(spread * (lambda + g) / (lambda - g), lambda - g, logs, d, v, 1.0),
                 1e-7, 0.0);
    g = 1.5 * lambda * lambda / (n - 1.0 - 4.0 * lambda);
    assert_close(find(&t, "ranking, margin", "excess_risk").value,
                 slow_minimum(spread * (lambda + g) / (lambda - g), lambda - g, logs, d, v, 1.0),
                 1e-7, 0.0);
    f = gbs_hinge_f_exact(lambda, 733, 7, v, 0.0, 1.2);
    assert_close(find(&t, "hinge", "hoeffding_f").value, f, 1e-14, 0.0);
    assert_close(find(&t, "hinge", "excess_risk").value,
                 slow_minimum(1.2 * sqrt(d), lambda, f + logs, d, v, 4.0), 1e-7, 0.0);
    /* the printed forms fix lambda and the prior themselves: nothing to compare with here */
    assert_int_equal(find(&t, "classification", "excess_risk").verdict, GBS_VERDICT_NONE);
    assert_int_equal(find(&t, "ranking, margin", "excess_risk").verdict, GBS_VERDICT_NONE);
}

static void margin_closed_forms_are_the_theorem_at_one_sigma(void **state) {
    (void)state;
    for (int ranking = 0; ranking < 2; ranking++)
        for (int k = 0; k < 4; k++) {
            double margin = 1.0 + 1.5 * k, n = 500.0, d = 4.0, v = 0.3, c = 0.7, delta = 0.05;
            double lambda = ranking ? (n - 1.0) / (margin + 5.0) : 2.0 * n / (margin + 2.0);
            double g = ranking ? margin * lambda * lambda / (n - 1.0 - 4.0 * lambda)
                               : margin * lambda * lambda / (2.0 * n - lambda);
            assert_close(lambda - g,
                         ranking ? (n - 1.0) / ((margin + 5.0) * (margin + 1.0))
                                 : 2.0 * n / ((margin + 2.0) * (margin + 1.0)),
                         1e-12, 0.0);
            assert_close((lambda + g) / (lambda - g), 2.0 * margin + 1.0, 1e-12, 0.0);
            double direct = ((lambda + g) * 2.0 * c * sqrt(d) / n +
                             2.0 * gaussian_kl(d, 1.0 / n, v, 1.0) + 2.0 * log(2.0 / delta)) /
                            (lambda - g);
            assert_close(gbs_margin_closed(ranking, n, d, c, margin, v, delta), direct, 1e-12, 0.0);
            assert_at_most(gbs_oracle_bernstein(g, lambda, c, d, v, delta), direct);
            /* the best prior for it */
            double best = 1.0 / d + 1.0 / (n * n),
                   least = gbs_margin_closed(ranking, n, d, c, margin, best, delta);
            for (int u = -500; u < 500; u++)
                assert_at_most(least,
                               gbs_margin_closed(ranking, n, d, c, margin, exp(0.01 * u), delta));
        }
    assert_true(isinf(gbs_oracle_bernstein(10.0, 10.0, 1.0, 2.0, 1.0, 0.05)));
}

static void recommended_constants(void **state) {
    (void)state;
    gbs_theory_settings q = gbs_theory_settings_default();
    q.n = 1001, q.d = 4, q.margin = 3.0, q.cx = 2.0;
    gbs_theory t = compute(&q);
    assert_close(find(&t, "classification", "lambda").value, sqrt(4004.0), 1e-14, 0.0);
    assert_close(find(&t, "classification", "prior_sd").value, 0.5, 1e-14, 0.0);
    assert_close(find(&t, "ranking", "lambda").value, sqrt(2000.0), 1e-14, 0.0);
    assert_close(find(&t, "ranking", "prior_sd").value, 1.0, 1e-14, 0.0);
    assert_close(find(&t, "classification, margin", "lambda").value, 2002.0 / 5.0, 1e-14, 0.0);
    assert_close(find(&t, "ranking, margin", "lambda").value, 125.0, 1e-14, 0.0);
    assert_close(find(&t, "hinge", "lambda").value, sqrt(1001.0 * 4.0) / 2.0, 1e-14, 0.0);
    assert_close(find(&t, "hinge", "lambda_limit").value, sqrt(1001.0 * 4.0), 1e-14, 0.0);
    /* L M/sqrt(1+k) with L = cx + M/(lambda v), M = 1 */
    double slope = 2.0 + 4.0 / (sqrt(4004.0) / 2.0), k = find(&t, "hinge", "steps").value;
    assert_true(slope / sqrt(1.0 + k) <= 0.01 && slope / sqrt(k) > 0.01);
}

/* ---------------------------------------------------------------- the slips */

/* log E_X exp(lambda (R - r_n)) for one theta when the hinge loss takes the values loss[k] with
 * equal probability. */
static double log_deviation(const double *loss, size_t count, double lambda, double n) {
    double mean = 0.0, small = loss[0], sum = DBL_MIN;
    for (size_t k = 0; k < count; k++) {
        mean += loss[k] / (double)count;
        small = fmin(small, loss[k]);
    }
    for (size_t k = 0; k < count; k++)
        sum += exp(-lambda * (loss[k] - small) / n) / (double)count;
    return lambda * (mean - small) + n * log(sum);
}

/* Slip 1, exactly: X = (1,...,1) or its opposite, y a coin. Then t = |sum theta_j| is sqrt(d v)
 * |N(0,1)|, and one integral remains. */
static void printed_hinge_lemma_fails_on_two_vertices_of_the_cube(void **state) {
    (void)state;
    const double n = 1000.0, d = 10.0, v = 1.0, cx = 1.0, lambda = sqrt(n / v) / cx,
                 print = gbs_print_hinge_f(lambda, n, v, cx);
    double top = -INFINITY, sum = DBL_MIN;
    const double step = 1e-3;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 60000; k++) {
            double u = (k + 0.5) * step, t = cx * sqrt(d * v) * u,
                   loss[2] = {1.0 + t, fmax(0.0, 1.0 - t)};
            double h = log_deviation(loss, 2, lambda, n) - 0.5 * u * u +
                       log(2.0 / sqrt(2.0 * M_PI));
            if (pass == 0)
                top = fmax(top, h);
            else
                sum += step * exp(h - top);
        }
    double truth = top + log(sum);
    print_message("# hinge lemma: printed f %.3f, the true moment %.1f\n", print, truth);
    assert_close(print, 0.25 - 0.5 * log(0.75), 1e-14, 0.0);
    assert_true(truth > 10.0 * print);
    /* those rows have length sqrt(d) cx; the right f, where it is finite, holds for them */
    double right = gbs_hinge_f_exact(0.3 * lambda, 1000, 10, v, 0.0, sqrt(d) * cx);
    sum = DBL_MIN;
    for (int k = 0; k < 30000; k++) {
        double u = (k + 0.5) * step, t = cx * sqrt(d * v) * u,
               loss[2] = {1.0 + t, fmax(0.0, 1.0 - t)};
        sum += step * exp(log_deviation(loss, 2, 0.3 * lambda, n) - 0.5 * u * u) * 2.0 /
               sqrt(2.0 * M_PI);
    }
    assert_at_most(log(sum), right);
}

/* Slip 1 by Monte Carlo: X uniform on all 2^d vertices. By Jensen log E exp(G) >= E G, which 5
 * standard errors below is still above. */
static void printed_hinge_lemma_fails_on_the_whole_cube(void **state) {
    (void)state;
    enum { D = 10, VERTICES = 1 << D, THETAS = 2000 };
    static double loss[VERTICES];
    const double n = 1000.0, lambda = sqrt(n), print = gbs_print_hinge_f(lambda, n, 1.0, 1.0);
    struct dice r = {13};
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < THETAS; k++) {
        double theta[D];
        for (int j = 0; j < D; j++)
            theta[j] = dice_normal(&r);
        for (int x = 0; x < VERTICES; x++) {
            double z = 0.0;
            for (int j = 0; j < D; j++)
                z += (x >> j & 1) != 0 ? theta[j] : -theta[j];
            loss[x] = fmax(0.0, 1.0 - z);
        }
        double g = log_deviation(loss, VERTICES, lambda, n);
        sum += g;
        squares += g * g;
    }
    double mean = sum / THETAS, sd = sqrt((squares / THETAS - mean * mean) / THETAS);
    print_message("# hinge lemma: printed f %.3f, at least %.3f on the cube\n", print,
                  mean - 5.0 * sd);
    assert_true(mean - 5.0 * sd > 3.0 * print);
}

static void printed_constants_of_hoeffding_are_loose(void **state) {
    (void)state;
    gbs_theory_settings q = gbs_theory_settings_default();
    q.n = 1001;
    gbs_theory t = compute(&q);
    gbs_theory_row one = find(&t, "classification", "hoeffding_f"),
                   two = find(&t, "ranking", "hoeffding_f");
    assert_close(one.paper_value, 4.0 * one.value, 1e-14, 0.0);
    assert_close(two.paper_value, 4.0 * two.value, 1e-14, 0.0); /* floor(n/2) = (n-1)/2 for odd n */
    assert_int_equal(one.verdict, GBS_VERDICT_LOOSE);
    assert_int_equal(two.verdict, GBS_VERDICT_LOOSE);
    /* the corollaries' KL has 1 where the KL has 1/2 */
    double right = gaussian_kl(3.0, 0.2, 0.5, 4.0),
           print = gbs_kl_paper(3.0, 0.5, 3.0 * 0.04, 3.0 * log(0.04), 4.0);
    assert_close(print - right, 0.5 * (3.0 * 0.04 / 0.5 + 4.0 / 0.5), 1e-12, 0.0);
}

static void printed_ranking_corollary_is_not_valid(void **state) {
    (void)state;
    gbs_theory_settings q = gbs_theory_settings_default();
    q.n = 1000, q.d = 5;
    gbs_theory t = compute(&q);
    gbs_theory_row ranking = find(&t, "ranking", "excess_risk"),
                   classification = find(&t, "classification", "excess_risk");
    assert_close(ranking.value, 0.915, 0.0, 5e-4);
    assert_close(ranking.paper_value, 0.793, 0.0, 5e-4);
    assert_int_equal(ranking.verdict, GBS_VERDICT_NOT_VALID);
    assert_true(classification.paper_value > classification.value);
    assert_int_equal(classification.verdict, GBS_VERDICT_LOOSE);
    /* the paper's own steps, sigma = 1/(2 lambda), v = 1, f = lambda^2/(n-1), with nothing lost: 2d
     * log(2 lambda) - d + d/(2 lambda^2) */
    double lambda = sqrt(5.0 * 999.0 / 2.0), logs = log(2.0 / 0.05);
    double kept = 2.0 * lambda / 999.0 + (sqrt(5.0) + 10.0 * log(2.0 * lambda) - 5.0 +
                                          5.0 / (2.0 * lambda * lambda) + 2.0 + 2.0 * logs) /
                                             lambda;
    double lost = 2.0 * lambda / 999.0 +
                  (sqrt(5.0) + 5.0 * log(2.0 * lambda) + 2.0 + 2.0 * logs) / lambda;
    assert_close(lost, ranking.paper_value, 1e-12, 0.0);
    assert_true(kept > lost + 0.2 && kept > ranking.value);
    /* half of the logarithm is lost for good */
    q.n = 1000000000000;
    t = compute(&q);
    ranking = find(&t, "ranking", "excess_risk");
    assert_true(ranking.paper_value < 0.65 * ranking.value);
}

/* The theorem as sharp as we can read it: m = a theta-bar with the best a, and E |theta/|theta| -
 * theta-bar| itself (Monte Carlo) in place of 2 sqrt(d) sigma. At n = 1000 that falls below the
 * print, which then follows after all; from n = 10^5 on it does not. */
static void printed_ranking_corollary_is_beyond_every_reading_for_large_n(void **state) {
    (void)state;
    enum { D = 5, DRAWS = 4000 };
    static double z[DRAWS][2]; /* along theta-bar, and the length of the rest */
    struct dice r = {15};
    for (int i = 0; i < DRAWS; i++) {
        double rest = 0.0;
        for (int j = 1; j < D; j++) {
            double x = dice_normal(&r);
            rest += x * x;
        }
        z[i][0] = dice_normal(&r);
        z[i][1] = sqrt(rest);
    }
    for (int large = 0; large < 2; large++) {
        double n = large ? 1e6 : 1e3, lambda = sqrt(D * (n - 1.0) / 2.0),
               f = lambda * lambda / (8.0 * floor(n / 2.0)), sharp = INFINITY;
        for (int k = 0; k < 180; k++) {
            double s = 1e-4 * exp(0.06 * k), chord = 0.0; /* sigma/a */
            for (int i = 0; i < DRAWS; i++) {
                double x = 1.0 + s * z[i][0], y = s * z[i][1];
                chord += sqrt(fmax(0.0, 2.0 - 2.0 * x / sqrt(x * x + y * y))) / DRAWS;
            }
            /* at a^2 = d v/(1 + d s^2) */
            double kl = 0.5 * D * log((1.0 + D * s * s) / (D * s * s));
            sharp = fmin(sharp, chord + 2.0 * (f + kl + log(2.0 / 0.05)) / lambda);
        }
        print_message("# ranking, n = %g: print %.4f, the theorem at its sharpest %.4f\n", n,
                      gbs_print_ranking(n, D, 1.0, 0.05), sharp);
        assert_int_equal(gbs_print_ranking(n, D, 1.0, 0.05) < 0.95 * sharp, large);
    }
}

static void printed_margin_corollaries_are_off(void **state) {
    (void)state;
    static const char *const groups[] = {"classification, margin", "ranking, margin"};
    gbs_theory_settings q = gbs_theory_settings_default();
    q.n = 10000, q.d = 5, q.prior_sd = 1.0;
    gbs_theory constant = compute(&q);
    q.prior_sd = 1000.0;
    gbs_theory wide = compute(&q);
    for (int k = 0; k < 2; k++) {
        /* 2/theta is not divided by n: useless for a constant prior */
        gbs_theory_row row = find(&constant, groups[k], "excess_risk");
        assert_true(row.value < 0.2 && row.paper_value > 1.0);
        assert_int_equal(row.verdict, GBS_VERDICT_LOOSE);
        /* log(n/theta) where 2 log(n theta) is meant: too small for a wide one */
        row = find(&wide, groups[k], "excess_risk");
        assert_true(row.paper_value < 0.6 * row.value);
        assert_int_equal(row.verdict, GBS_VERDICT_NOT_VALID);
        /* and the prior that the print calls best is not */
        row = find(&constant, groups[k], "best_prior_variance");
        assert_close(row.value, 0.2, 1e-6, 0.0);
        assert_close(row.paper_value, 5.0 / (7.0 + 10.0 / 10000.0), 1e-12, 0.0);
        assert_int_equal(row.verdict, GBS_VERDICT_NOT_VALID);
    }
    /* the factor before 2 log(2/delta): printed, half of 1/(lambda - g) for ranking; right for
     * classification */
    double n = 10000.0, by_half = gbs_print_margin(true, n, 5.0, 1.0, 1.0, 1.0, 0.05) -
                                  gbs_print_margin(true, n, 5.0, 1.0, 1.0, 1.0, 0.5);
    double right = gbs_margin_closed(true, n, 5.0, 1.0, 1.0, 1.0, 0.05) -
                   gbs_margin_closed(true, n, 5.0, 1.0, 1.0, 1.0, 0.5);
    assert_close(by_half, 0.5 * right, 1e-9, 0.0);
    by_half = gbs_print_margin(false, n, 5.0, 1.0, 1.0, 1.0, 0.05) -
              gbs_print_margin(false, n, 5.0, 1.0, 1.0, 1.0, 0.5);
    right = gbs_margin_closed(false, n, 5.0, 1.0, 1.0, 1.0, 0.05) -
            gbs_margin_closed(false, n, 5.0, 1.0, 1.0, 1.0, 0.5);
    assert_close(by_half, right, 1e-9, 0.0);
}

static void printed_hinge_corollary_is_off(void **state) {
    (void)state;
    gbs_theory_settings q = gbs_theory_settings_default();
    q.n = 1000, q.d = 5;
    gbs_theory t = compute(&q);
    assert_int_equal(find(&t, "hinge", "excess_risk").verdict, GBS_VERDICT_NOT_VALID);
    assert_int_equal(find(&t, "hinge", "hoeffding_f").verdict, GBS_VERDICT_NOT_VALID);
    /* L1749: E cx sqrt(d) |theta - theta-bar| is close to cx d sigma, not cx d sigma^2 */
    struct dice r = {14};
    double sum = 0.0, sigma = 0.05, d = 40.0;
    for (int k = 0; k < 20000; k++) {
        double norm2 = 0.0;
        for (int j = 0; j < 40; j++) {
            double z = sigma * dice_normal(&r);
            norm2 += z * z;
        }
        sum += sqrt(d) * sqrt(norm2) / 20000.0;
    }
    assert_close(sum, d * sigma, 0.02, 0.0);
    assert_true(sum > 10.0 * d * sigma * sigma);
    /* L1756's lambda = cx sqrt(n/v) leaves the range of the lemma from cx = sqrt(2) on, L825's
     * never does */
    for (int k = 0; k < 6; k++) {
        double cx = 1.0 + 0.5 * k, end = gbs_hinge_lambda_limit(true, 1000, 0.2, cx),
               theirs = cx * sqrt(1000.0 / 0.2);
        assert_int_equal(theirs < end, cx < sqrt(2.0));
        assert_true(sqrt(1000.0 / 0.2) / cx < end);
    }
}

static void printed_objective_has_no_minimum_in_sigma(void **state) {
    (void)state;
    /* L883: -(d/2)(log sigma^2 - v/sigma^2) falls for ever; with sigma^2/v it is the KL up to a
     * constant and least at sigma^2 = v */
    double d = 3.0, v = 0.5, last = INFINITY, best = INFINITY, at = 0.0;
    for (int u = -600; u < 600; u++) {
        double square = exp(0.01 * u), print = -0.5 * d * (log(square) - v / square),
               right = -0.5 * d * (log(square) - square / v);
        assert_true(print < last);
        last = print;
        assert_close(right - 0.5 * d * (1.0 - log(v)), gaussian_kl(d, sqrt(square), v, 0.0), 1e-9,
                     1e-9);
        if (right < best) {
            best = right;
            at = square;
        }
    }
    assert_close(at, v, 0.01, 0.0);
}

static void adult_has_as_many_rows_as_its_pairs_say(void **state) {
    (void)state;
    /* n+ n- = 193829520 with n+ + n- = 32556 has no whole solution; 7841 and 24720 give 32561 */
    long pairs = 193829520, printed = 32556;
    bool possible = false;
    for (long a = 1; a < printed; a++)
        possible = possible || a * (printed - a) == pairs;
    assert_false(possible);
    assert_true(7841L * 24720L == pairs && 7841 + 24720 == 32561);
}

static void matrix_rate_puts_b_below(void **state) {
    (void)state;
    gbs_theory_settings q = gbs_theory_settings_default();
    q.n = 100000, q.rows = 943, q.cols = 1682, q.rank = 10;
    gbs_theory t = compute(&q);
    gbs_theory_row row = find(&t, "matrix completion", "rate");
    double b = 1.0 / (2.0 * 1e5 * 1682.0 * log(2.0 * 943.0 * 1682.0)), scale = 10.0 * 2625.0 / 1e5;
    assert_close(row.value, scale * log(1e5 * 2625.0 * 943.0 / b), 1e-12, 0.0);
    assert_close(row.paper_value, scale * log(1e5 * 2625.0 * 943.0 * b), 1e-12, 0.0);
    assert_int_equal(row.verdict, GBS_VERDICT_UP_TO_A_CONSTANT);
    assert_close(find(&t, "matrix completion", "minimax_rate").value, scale, 1e-14, 0.0);
    assert_close(find(&t, "matrix completion", "K").value, 943.0, 0.0, 0.0);
    assert_close(find(&t, "matrix completion", "b").value, b, 1e-14, 0.0);
}

static void bad_queries_are_named(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 1);
    gbs_theory out;
    const struct {
        gbs_theory_settings change;
        const char *says;
    } bad[] = {{{.n = 1}, "`n`: "},
               {{.confidence = 1.0}, "`confidence`: "},
               {{.margin = 0.5}, "`C`: "},
               {{.c = -1.0}, "`c`: "},
               {{.cx = NAN}, "`cx`: "},
               {{.lambda = -1.0}, "`lambda`"},
               {{.lambda = 1e6}, "`lambda`: expected below"}};
    for (size_t k = 0; k < COUNT(bad); k++) {
        gbs_theory_settings q = gbs_theory_settings_default(), b = bad[k].change;
        q.n = b.n != 0 ? b.n : q.n;
        q.confidence = b.confidence != 0.0 ? b.confidence : q.confidence;
        q.margin = b.margin != 0.0 ? b.margin : q.margin;
        q.c = b.c != 0.0 ? b.c : q.c;
        q.cx = b.cx != 0.0 ? b.cx : q.cx;
        q.lambda = b.lambda;
        assert_int_equal(gbs_theory_run(ctx, &q, &out), GBS_ERR_ARGUMENT);
        assert_int_equal(out.count, 0);
        assert_ptr_equal(strstr(gbs_error_message(ctx), bad[k].says), gbs_error_message(ctx));
    }
    /* the message of the last one names where the ranges end */
    assert_non_null(strstr(gbs_error_message(ctx), "199.8"));
    assert_int_equal(gbs_theory_run(ctx, NULL, &out), GBS_ERR_ARGUMENT);
    assert_int_equal(gbs_theory_run(NULL, NULL, NULL), GBS_ERR_ARGUMENT);
    gbs_theory_settings zero = gbs_theory_settings_default();
    zero.d = 0;
    assert_int_equal(gbs_theory_run(ctx, &zero, &out), GBS_ERR_ARGUMENT);
    assert_string_equal(gbs_verdict_name(GBS_VERDICT_NOT_VALID), "not valid");
    assert_null(gbs_verdict_name((gbs_verdict)9));
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_minima_over_sigma),
        cmocka_unit_test(margin_closed_forms_are_the_theorem_at_one_sigma),
        cmocka_unit_test(recommended_constants),
        cmocka_unit_test(printed_hinge_lemma_fails_on_two_vertices_of_the_cube),
        cmocka_unit_test(printed_hinge_lemma_fails_on_the_whole_cube),
        cmocka_unit_test(printed_constants_of_hoeffding_are_loose),
        cmocka_unit_test(printed_ranking_corollary_is_not_valid),
        cmocka_unit_test(printed_ranking_corollary_is_beyond_every_reading_for_large_n),
        cmocka_unit_test(printed_margin_corollaries_are_off),
        cmocka_unit_test(printed_hinge_corollary_is_off),
        cmocka_unit_test(printed_objective_has_no_minimum_in_sigma),
        cmocka_unit_test(adult_has_as_many_rows_as_its_pairs_say),
        cmocka_unit_test(matrix_rate_puts_b_below),
        cmocka_unit_test(bad_queries_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
