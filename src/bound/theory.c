/* gbs_theory: what the theorems promise before any data is seen, row by row, with the paper's
 * closed forms beside them.
 *
 * The verdict on a printed number comes from comparing it with the value computed here from the
 * theorem it is meant to follow from. Below it, the theorem, read as the paper reads it (m =
 * theta-bar, E |theta - theta-bar| <= sqrt(d) sigma), does not give the print: not valid. Above it
 * the print holds: valid, or loose when by more than a tenth.
 */
#include "bound/theory.h"

#include "bound/bound.h"
#include "core/check.h"
#include "options/options.h"

#include <math.h>

struct table {
    const gbs_theory_settings *q;
    gbs_theory *out;
    double n, d, delta;
    const char *group;
};

static gbs_verdict judge(double value, double paper) {
    if (isnan(value) || isnan(paper))
        return GBS_VERDICT_NONE;
    if (!(paper >= value * (1.0 - 1e-9)))
        return GBS_VERDICT_NOT_VALID;
    return paper <= 1.1 * value ? GBS_VERDICT_VALID : GBS_VERDICT_LOOSE;
}

static gbs_theory_row *add(struct table *t, const char *name, const char *source, double value,
                           double paper) {
    gbs_theory_row *row = &t->out->rows[t->out->count++];
    *row = (gbs_theory_row){t->group, name, source, value, paper, judge(value, paper)};
    return row;
}

static double or_else(double given, double standard) {
    return given > 0.0 ? given : standard;
}

static double square(double x) {
    return x * x;
}

/* The paper's choice, and where lambda - g falls to 0. */
static double margin_lambda(const gbs_theory_settings *q, bool ranking) {
    double n = (double)q->n;
    return ranking ? (n - 1.0) / (q->margin + 5.0) : 2.0 * n / (q->margin + 2.0);
}

static double lambda_limit(const gbs_theory_settings *q, bool ranking) {
    double n = (double)q->n;
    return ranking ? (n - 1.0) / (q->margin + 4.0) : 2.0 * n / (q->margin + 1.0);
}

/* ---------------------------------------------------------------- the parts */

/* Theorem 4.2. The prints fix lambda and the prior: they stand beside the value only when neither
 * was given. */
static void add_hoeffding(struct table *t, bool ranking) {
    const gbs_theory_settings *q = t->q;
    double lambda = or_else(q->lambda,
                            ranking ? sqrt(t->d * (t->n - 1.0) / 2.0) : sqrt(t->n * t->d));
    double sd = or_else(q->prior_sd, ranking ? 1.0 : 1.0 / sqrt(t->d));
    double blocks = ranking ? floor(t->n / 2.0) : t->n;
    double f = lambda * lambda / (8.0 * blocks), print = NAN;
    double printed_f = ranking ? lambda * lambda / (t->n - 1.0) : lambda * lambda / (2.0 * t->n);
    if (!(q->lambda > 0.0) && !(q->prior_sd > 0.0))
        print = ranking ? gbs_print_ranking(t->n, t->d, q->c, t->delta)
                        : gbs_print_classification(t->n, t->d, q->c, t->delta);
    t->group = ranking ? "ranking" : "classification";
    add(t, "lambda", ranking ? "sqrt(d (n-1)/2), or as given" : "sqrt(n d), or as given", lambda,
        NAN);
    add(t, "prior_sd", ranking ? "1, or as given" : "1/sqrt(d), or as given", sd, NAN);
    add(t, "hoeffding_f",
        ranking ? "lambda^2/(8 floor(n/2)); paper lambda^2/(n-1)"
                : "lambda^2/(8n); paper lambda^2/(2n)",
        f, printed_f);
    add(t, "excess_risk",
        ranking ? "Theorem 4.2, least over sigma; paper L1056"
                : "Theorem 4.2, least over sigma; paper L679",
        gbs_oracle_hoeffding(f, lambda, q->c, t->d, sd * sd, t->delta), print);
}

/* Theorem 4.3. The prints hold for any prior, at the margin lambda. */
static void add_bernstein(struct table *t, bool ranking) {
    const gbs_theory_settings *q = t->q;
    double margin = q->margin, lambda = or_else(q->lambda, margin_lambda(q, ranking));
    double best = sqrt(1.0 / t->d + 1.0 / (t->n * t->n)), sd = or_else(q->prior_sd, best),
           v = sd * sd;
    double g = ranking ? margin * lambda * lambda / (t->n - 1.0 - 4.0 * lambda)
                       : margin * lambda * lambda / (2.0 * t->n - lambda);
    double value = gbs_oracle_bernstein(g, lambda, q->c, t->d, v, t->delta), closed = NAN,
           print = NAN;
    if (!(q->lambda > 0.0)) {
        closed = gbs_margin_closed(ranking, t->n, t->d, q->c, margin, v, t->delta);
        print = gbs_print_margin(ranking, t->n, t->d, q->c, margin, sd, t->delta);
    }
    t->group = ranking ? "ranking, margin" : "classification, margin";
    add(t, "lambda", ranking ? "(n-1)/(C+5), or as given" : "2n/(C+2), or as given", lambda, NAN);
    add(t, "lambda_limit", ranking ? "(n-1)/(C+4)" : "2n/(C+1)", lambda_limit(q, ranking), NAN);
    add(t, "prior_sd", "sqrt(1/d + 1/n^2), or as given", sd, NAN);
    add(t, "bernstein_g", ranking ? "C lambda^2/(n-1-4 lambda)" : "C lambda^2/(2n-lambda)", g, NAN);
    add(t, "excess_risk",
        ranking ? "Theorem 4.3, least over sigma; paper L1074"
                : "Theorem 4.3, least over sigma; paper L715",
        value, print);
    add(t, "excess_risk_closed", "Theorem 4.3 at sigma = 1/n", closed, NAN);
    /* the print's best prior is right if it minimises the closed form as well as ours does */
    double theirs = t->d / (t->d + 2.0 + 2.0 * t->d / t->n);
    double least = gbs_margin_closed(ranking, t->n, t->d, q->c, margin, best * best, t->delta);
    gbs_theory_row *row = add(t, "best_prior_variance",
                              "1/d + 1/n^2 minimises the closed form; paper L720", best * best,
                              theirs);
    bool as_good = gbs_margin_closed(ranking, t->n, t->d, q->c, margin, theirs, t->delta) <=
                   least * (1.0 + 1e-9);
    row->verdict = as_good ? GBS_VERDICT_VALID : GBS_VERDICT_NOT_VALID;
}

static void add_hinge(struct table *t) {
    const gbs_theory_settings *q = t->q;
    double sd = or_else(q->prior_sd, 1.0 / sqrt(t->d)), v = sd * sd,
           lambda = or_else(q->lambda, sqrt(t->n) / (sd * q->cx));
    double exact = gbs_hinge_f_exact(lambda, q->n, q->d, v, 0.0, q->cx);
    double closed = gbs_hinge_f_closed(lambda, q->n, q->d, v, 0.0, q->cx), print = NAN;
    if (!(q->lambda > 0.0) && !(q->prior_sd > 0.0) && q->norm == 1.0)
        print = gbs_print_hinge(t->n, t->d, q->cx, t->delta);
    t->group = "hinge";
    add(t, "lambda", "sqrt(n)/(prior_sd cx), or as given", lambda, NAN);
    add(t, "lambda_limit", "2 sqrt(n)/(prior_sd cx)", gbs_hinge_lambda_limit(true, q->n, v, q->cx),
        NAN);
    add(t, "prior_sd", "1/sqrt(d), or as given", sd, NAN);
    add(t, "hoeffding_f", "log E exp(lambda^2 b^2/(8n)); paper L816", exact,
        gbs_print_hinge_f(lambda, t->n, v, q->cx));
    add(t, "hoeffding_f_closed", "lambda^2/(4n) - (d/2) log(1 - lambda^2 cx^2 v/(2n))",
        isfinite(closed) ? closed : NAN, NAN);
    add(t, "excess_risk", "Theorem 4.2, exact f, least over sigma; paper L836",
        gbs_oracle_hinge(exact, lambda, q->cx, t->d, v, q->norm, t->delta), print);
    /* Theorem 6.3, N(m, I/n): the objective r_H + KL/lambda is Lipschitz with cx + M/(lambda v) on
     * the ball of radius M = norm */
    if (q->wanted_error > 0.0) {
        double slope = q->cx + q->norm / (lambda * v);
        add(t, "steps", "Theorem 6.3: L M/sqrt(1+k) <= wanted error",
            ceil(fmax(0.0, square(slope * q->norm / q->wanted_error) - 1.0)), NAN);
    }
}

/* The rate up to the constant C(a, C), at beta = n and the largest b that the theorem allows. */
static void add_matrix(struct table *t) {
    const gbs_theory_settings *q = t->q;
    if (q->rows == 0 || q->cols == 0 || q->rank == 0)
        return;
    double m1 = (double)q->rows, m2 = (double)q->cols, most = fmax(m1, m2), width = fmin(m1, m2);
    double b = 1.0 / (2.0 * t->n * most * log(2.0 * width * most)),
           scale = (double)q->rank * (m1 + m2) / t->n;
    t->group = "matrix completion";
    gbs_theory_row *row = add(t, "rate", "r (m1+m2) log(n (m1+m2) K/b)/n; paper L1237: K b for K/b",
                              scale * log(t->n * (m1 + m2) * width / b),
                              scale * log(t->n * (m1 + m2) * width * b));
    row->verdict = GBS_VERDICT_UP_TO_A_CONSTANT;
    row = add(t, "minimax_rate", "r (m1+m2)/n", scale, NAN);
    row->verdict = GBS_VERDICT_UP_TO_A_CONSTANT;
    add(t, "K", "components of the factors: min(m1, m2)", width, NAN);
    add(t, "b", "of the inverse gamma prior: 1/(2 n M log(2 K M)), M = max(m1, m2)", b, NAN);
}

/* ---------------------------------------------------------------- outside */

const char *gbs_verdict_name(gbs_verdict verdict) {
    static const char *const names[] = {"none", "valid", "loose", "not valid", "up to a constant"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

struct number {
    const char *name;
    double value;
};

static gbs_status check_numbers(gbs_context *ctx, const gbs_theory_settings *q) {
    const struct number positive[] = {{"c", q->c}, {"cx", q->cx}, {"norm", q->norm}};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (!(positive[k].value > 0.0 && isfinite(positive[k].value)))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`%s`: expected a positive number, found %g",
                            positive[k].name, positive[k].value);
    const struct number from_zero[] = {
        {"lambda", q->lambda}, {"prior_sd", q->prior_sd}, {"wanted_error", q->wanted_error}};
    for (size_t k = 0; k < sizeof from_zero / sizeof *from_zero; k++)
        if (!(from_zero[k].value >= 0.0 && isfinite(from_zero[k].value)))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`%s`: expected a number from 0, found %g",
                            from_zero[k].name, from_zero[k].value);
    return GBS_OK;
}

static gbs_status check(gbs_context *ctx, const gbs_theory_settings *q) {
    if (q->n < 2)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`n`: expected at least 2 rows, found %llu",
                        (unsigned long long)q->n);
    if (q->d < 1)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`d`: expected at least 1 coefficient, found 0");
    if (!(q->confidence > 0.0 && q->confidence < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`confidence`: expected a number between 0 and 1, both left out, found %g",
                        q->confidence);
    /* E (1_a - 1_b)^2 >= E (1_a - 1_b): no smaller constant can hold */
    if (!(q->margin >= 1.0 && isfinite(q->margin)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`C`: the margin constant is at least 1, found %g",
                        q->margin);
    gbs_status status = check_numbers(ctx, q);
    if (status != GBS_OK || !(q->lambda > 0.0))
        return status;
    double sd = or_else(q->prior_sd, 1.0 / sqrt((double)q->d));
    double first = lambda_limit(q, false), second = lambda_limit(q, true);
    double third = gbs_hinge_lambda_limit(true, q->n, sd * sd, q->cx),
           least = fmin(fmin(first, second), third);
    if (!(q->lambda < least * (1.0 - 1e-9)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`lambda`: expected below %.6g, found %g; the ranges end at %.6g for "
                        "classification under margin, %.6g for "
                        "ranking under margin, %.6g for hinge",
                        least, q->lambda, first, second, third);
    return GBS_OK;
}

gbs_status gbs_theory_run(gbs_context *ctx, const gbs_theory_settings *query, gbs_theory *out) {
    GBS_NEEDS(ctx, out);
    *out = (gbs_theory){0};
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, query);
    gbs_status status = check(ctx, query);
    if (status != GBS_OK)
        return status;
    struct table t = {.q = query,
                      .out = out,
                      .n = (double)query->n,
                      .d = (double)query->d,
                      .delta = 1.0 - query->confidence};
    add_hoeffding(&t, false);
    add_bernstein(&t, false);
    add_hinge(&t);
    add_hoeffding(&t, true);
    add_bernstein(&t, true);
    add_matrix(&t);
    return GBS_OK;
}

gbs_status gbs_theory_compute(gbs_context *ctx, const gbs_options *options, gbs_theory **out) {
    if (out != NULL)
        *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, out);
    gbs_theory_settings s;
    gbs_status status = gbs_options_check_plain(options);
    if (status != GBS_OK)
        return status;
    gbs_theory_settings_from(options, &s);
    gbs_theory *theory = gbs_handle_alloc(ctx, sizeof *theory);
    if (theory == NULL)
        return GBS_ERR_MEMORY;
    status = gbs_theory_run(ctx, &s, theory);
    theory->ctx = ctx;
    if (status != GBS_OK) {
        gbs_theory_free(theory);
        return status;
    }
    *out = theory;
    return GBS_OK;
}

const gbs_theory_row *gbs_theory_row_at(const gbs_theory *theory, size_t k) {
    return theory != NULL && k < theory->count ? &theory->rows[k] : NULL;
}

void gbs_theory_free(gbs_theory *theory) {
    if (theory != NULL)
        gbs_handle_free(theory->ctx, theory);
}
