/* F, its risk and its KL against naive loops, which take the formulas of docs/maths.md, 2 to 4, row
 * by row over spelled-out cells. */
#include "unit/rows_support.h"

/* psi and its partials from libm, without a thought for the far tails. */
static void naive_psi(gbs_loss loss, double mu, double s, double out[3]) {
    double r = loss == GBS_LOSS_PROBIT ? sqrt(1.0 + s * s) : s,
           t = (loss == GBS_LOSS_HINGE    ? 1.0 - mu
                : loss == GBS_LOSS_PROBIT ? -mu
                                          : mu) /
               r;
    double phi = 0.39894228040143267794 * exp(-0.5 * t * t),
           cdf = 0.5 * erfc(-t * 0.70710678118654752440);
    if (loss == GBS_LOSS_ZERO_ONE) {
        out[0] = 0.5 * erfc(t * 0.70710678118654752440);
        out[1] = -phi / s;
        out[2] = t * phi / s;
    } else if (loss == GBS_LOSS_HINGE) {
        out[0] = (1.0 - mu) * cdf + s * phi;
        out[1] = -cdf;
        out[2] = phi;
    } else if (loss == GBS_LOSS_PROBIT) {
        out[0] = r * phi - mu * cdf;
        out[1] = -cdf;
        out[2] = phi * s / r;
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

static struct naive naive_pass(const struct design *x, const struct bench *b, gbs_loss loss,
                               size_t stride) {
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

static void check_against_naive(const struct design *x, struct bench *b, gbs_loss loss,
                                size_t stride) {
    struct naive expected = naive_pass(x, b, loss, stride);
    size_t d = b->g.d;
    evaluate(b);
    assert_close(b->point.risk, expected.risk, 1e-12, 1e-14);
    assert_close(b->point.kl, expected.kl, 1e-12, 1e-13);
    assert_close(b->point.free_energy, b->problem.lambda * expected.risk + expected.kl, 1e-12,
                 1e-13);
    assert_close(b->point.free_energy, b->problem.lambda * b->point.risk + b->point.kl, 0.0, 0.0);
    double size = 1.0;
    for (size_t k = 0; k < d; k++)
        size = fmax(size, fabs(expected.d_mean[k]));
    for (size_t k = 0; k < d; k++)
        assert_close(b->point.d_mean[k], expected.d_mean[k], 0.0, 1e-12 * size);
    check_pull(&b->g, b->point.pull, expected.h);
    for (size_t i = 0; b->point.curvature != NULL && i < d; i++)
        for (size_t j = 0; j <= i; j++)
            assert_close(b->point.curvature[i * d + j], expected.h_abs[i * d + j], 1e-11,
                         1e-11 * size);
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
                    gbs_loss loss = all_losses[(s + k + f) % COUNT(all_losses)];
                    struct design x = make_design(&r, sizes[s], 4, sparse, blocks[k]);
                    struct bench *b = make_bench(&r, &x.rows, loss, all_families[f], 20.0, 1.3,
                                                 (s + k) % 2 == 0);
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
                gbs_empirical *part;
                struct bench *b = make_bench(&r, &x.rows, GBS_LOSS_HINGE, all_families[f], 20.0,
                                             1.3, true);
                assert_ok(b->ctx, gbs_empirical_part(b->risk, strides[k], &part));
                b->problem.risk = part;
                move_randomly(&r, b, 0.5, 0.4);
                check_against_naive(&x, b, GBS_LOSS_HINGE, strides[k]);
                gbs_empirical_free(part);
                free_bench(b);
                free_design(&x);
            }
}

/* A zero row has no spread: its loss is the plain one at 0, and it pulls on nothing. */
static void a_zero_row_counts_its_plain_loss(void **state) {
    (void)state;
    struct dice r = {205};
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (size_t f = 0; f < COUNT(all_families); f++) {
            struct design x = make_design(&r, 1, 3, false, 1);
            memset(x.cells, 0, 3 * sizeof *x.cells);
            struct bench *b = make_bench(&r, &x.rows, all_losses[l], all_families[f], 5.0, 1.0,
                                         false);
            move_randomly(&r, b, 1.0, 0.5);
            evaluate(b);
            assert_close(b->point.risk, plain_loss(all_losses[l], 0.0), 0.0, 0.0);
            for (size_t k = 0; k < 3; k++)
                assert_close(b->point.d_mean[k], b->g.mean[k] - b->prior_mean[k], 1e-14, 1e-15);
            for (size_t k = 0; k < gbs_pull_size(b->family->pull, 3); k++)
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
            gbs_context *ctx = new_context(1, 1);
            gbs_empirical *risk, *part;
            double longest = 0.0;
            assert_ok(ctx, gbs_empirical_over_rows(ctx, &x.rows, &gbs_hinge, &risk));
            assert_ok(ctx, gbs_empirical_part(risk, strides[s], &part));
            for (size_t i = 0; i < N; i += strides[s])
                longest = fmax(longest, gbs_dot(D, x.cells + i * D, x.cells + i * D));
            assert_close(gbs_empirical_longest(part), longest, 1e-13, 0.0);
            gbs_empirical_free(part);
            gbs_empirical_free(risk);
            gbs_context_free(ctx);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_chunks_add_up_to_the_plain_sum),
        cmocka_unit_test(a_subsample_is_the_problem_of_every_kth_row),
        cmocka_unit_test(a_zero_row_counts_its_plain_loss),
        cmocka_unit_test(the_longest_row_is_found_wherever_it_is),
        cmocka_unit_test(dot_products_add_every_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
