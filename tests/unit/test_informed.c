/* What is promised of informed priors, of models with stages, and of the words "valid" and "conditional". */
#include "bound/bound.h"
#include "core/random.h"
#include "learn/anchor.h"
#include "learn/learn.h"
#include "model/model.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

enum { N = 90, D = 3 };

/* Allocations that are made to fail, of each kind of fit. */
#if defined(__SANITIZE_ADDRESS__)
enum { MOST_FAILURES = 300 };
#else
enum { MOST_FAILURES = 3000 };
#endif

static struct table_of_numbers table(uint64_t seed, size_t n, size_t d) {
    struct dice r = {seed};
    return make_table(&r, n, d, 1.0, 0.5);
}

static const gbs_certificate *find(const gbs_model *model, gbs_target target, gbs_loss loss, gbs_bound method) {
    size_t count;
    const gbs_certificate *c = gbs_model_certificates(model, &count);
    for (size_t k = 0; k < count; k++)
        if (c[k].target == target && c[k].loss == loss && c[k].method == method)
            return &c[k];
    return NULL;
}

static gbs_fit_options informed(gbs_bound bound) {
    gbs_fit_options o = gbs_fit_options_default();
    o.bound = bound;
    return o;
}

/* ---------------------------------------------------------------- the split */

static void the_order_depends_on_seed_and_n_alone(void **state) {
    (void)state;
    gbs_fit_options o = gbs_fit_options_default();
    size_t order[N], again[N], other[N], part;
    bool seen[N] = {false};
    gbs_context *ctx = new_context(1, 5), *seven = new_context(7, 5), *sixth = new_context(1, 6);
    assert_ok(ctx, gbs_fit_order(ctx, N, &o, order, &part));
    assert_int_equal(part, 27); /* three tenths */
    for (size_t i = 0; i < N; i++) {
        assert_true(order[i] < N && !seen[order[i]]);
        seen[order[i]] = true;
    }
    o.bound = GBS_BOUND_KL;
    assert_ok(seven, gbs_fit_order(seven, N, &o, again, &part));
    assert_int_equal(part, 45); /* half of them */
    assert_memory_equal(order, again, sizeof order);
    o.prior_split = 0.3;
    assert_ok(seven, gbs_fit_order(seven, N, &o, again, &part));
    assert_int_equal(part, 27);
    assert_memory_equal(order, again, sizeof order);
    assert_ok(sixth, gbs_fit_order(sixth, N, &o, other, &part));
    assert_memory_not_equal(order, other, sizeof order);
    assert_int_equal(gbs_fit_order(ctx, 1, &o, order, &part), GBS_ERR_DATA);
    o.prior_split = 1e-9; /* both parts have a row */
    assert_ok(ctx, gbs_fit_order(ctx, N, &o, order, &part));
    assert_int_equal(part, 1);
    o.prior_split = 1.0 - 1e-9;
    assert_ok(ctx, gbs_fit_order(ctx, N, &o, order, &part));
    assert_int_equal(part, N - 1);
    gbs_context_free(ctx);
    gbs_context_free(seven);
    gbs_context_free(sixth);
}

/* A table whose rows from `from` on, in the order of the fit, are others: cells, sizes and labels. */
static struct table_of_numbers changed_from(const struct table_of_numbers *t, const size_t *order, size_t from) {
    struct dice r = {77};
    struct table_of_numbers c = {.n = t->n, .d = t->d, .x = doubles(t->n * t->d), .y = doubles(t->n)};
    memcpy(c.x, t->x, t->n * t->d * sizeof *c.x);
    memcpy(c.y, t->y, t->n * sizeof *c.y);
    for (size_t i = from; i < t->n; i++) {
        for (size_t k = 0; k < t->d; k++)
            c.x[order[i] * t->d + k] = 30.0 * dice_normal(&r) + 5.0;
        c.y[order[i]] = dice_uniform(&r) < 0.5 ? -t->y[order[i]] : t->y[order[i]];
    }
    make_csr(&c);
    return c;
}

static bool same_stage(const gbs_stage *a, const gbs_stage *b) {
    size_t d = a->posterior.d;
    if (!same_bits(&a->prior_sd, &b->prior_sd, 1) || !same_bits(a->posterior.mean, b->posterior.mean, d) || a->rows != b->rows)
        return false;
    if (a->dual.rank != b->dual.rank || a->tested != b->tested || a->weight != b->weight)
        return false;
    return a->dual.rank > 0 ? same_bits(a->dual.factor, b->dual.factor, a->dual.rank * a->dual.rank)
                            : same_bits(a->posterior.factor, b->posterior.factor, d * d);
}

/* Stage t and the scaling are the same bits when only rows after its own change; not when one row of them does. */
static void a_stage_knows_nothing_of_later_rows(void **state) {
    (void)state;
    static const struct {
        size_t n, d, blocks;
        bool sparse;
        gbs_prior_kind prior;
        gbs_loss loss;
    } cases[] = {
        {N, D, 0, false, GBS_PRIOR_INFORMED, GBS_LOSS_ZERO_ONE}, {N, D, 4, false, GBS_PRIOR_INFORMED, GBS_LOSS_HINGE},
        {N, D, 3, true, GBS_PRIOR_INFORMED, GBS_LOSS_ZERO_ONE},  {N, D, 3, false, GBS_PRIOR_ZERO, GBS_LOSS_ZERO_ONE},
        {60, 48, 3, false, GBS_PRIOR_INFORMED, GBS_LOSS_HINGE}, /* dual stages, then primal ones */
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_context *ctx = new_context(1, 3 + k);
        struct table_of_numbers t = table(40 + k, cases[k].n, cases[k].d);
        gbs_fit_options o = informed(GBS_BOUND_PROGRESSIVE);
        o.prior = cases[k].prior;
        o.prior_sd = o.prior == GBS_PRIOR_ZERO ? 1.0 : 0.0;
        o.loss = cases[k].loss;
        o.blocks = cases[k].blocks;
        size_t *order = take(t.n, sizeof *order), least;
        assert_ok(ctx, gbs_fit_order(ctx, t.n, &o, order, &least));
        gbs_data *data = cases[k].sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
        gbs_model *whole = fit(ctx, data, &o);
        assert_true(whole->stages[0].rows >= least);
        for (size_t s = 0; s < gbs_model_stages(whole); s++) {
            struct table_of_numbers c = changed_from(&t, order, gbs_model_stage(whole, s).rows);
            gbs_data *other = cases[k].sparse ? sparse_data(ctx, &c) : dense_data(ctx, &c);
            gbs_model *model = fit(ctx, other, &o);
            assert_int_equal(gbs_model_stages(model), gbs_model_stages(whole));
            assert_true(same_bits(model->scaling.center, whole->scaling.center, t.d));
            assert_true(same_bits(model->scaling.scale, whole->scaling.scale, t.d));
            for (size_t u = 0; u <= s; u++) {
                if (!same_stage(&model->stages[u], &whole->stages[u]))
                    print_error("case %zu: stage %zu of %zu rows changed with rows after those of stage %zu\n", k, u,
                                gbs_model_stage(whole, u).rows, s);
                assert_true(same_stage(&model->stages[u], &whole->stages[u]));
            }
            for (size_t u = 0; u < s; u++)
                assert_int_equal(model->stages[u].errors, whole->stages[u].errors);
            gbs_model_free(model);
            gbs_data_free(other);
            free_table(&c);
            /* the last row that it may know */
            size_t known = order[gbs_model_stage(whole, s).rows - 1];
            double was = t.x[known * t.d];
            t.y[known] = -t.y[known];
            t.x[known * t.d] += 1.0;
            model = fit(ctx, data, &o);
            assert_true(cases[k].sparse || !same_stage(&model->stages[s], &whole->stages[s]));
            t.y[known] = -t.y[known];
            t.x[known * t.d] = was;
            gbs_model_free(model);
        }
        gbs_model_free(whole);
        gbs_data_free(data);
        free(order);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* Under kl the posterior at a lambda of almost 0 is the prior: its centre and width, the scaling and the lambda that catoni is given do not
 * change with the second part. */
static void an_informed_prior_knows_nothing_of_the_second_part(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 8);
    struct table_of_numbers t = table(50, N, D);
    size_t order[N], first;
    gbs_fit_options o = informed(GBS_BOUND_CATONI);
    assert_ok(ctx, gbs_fit_order(ctx, N, &o, order, &first));
    struct table_of_numbers c = changed_from(&t, order, first);
    gbs_data *data[2] = {dense_data(ctx, &t), dense_data(ctx, &c)};
    gbs_model *model[2];
    for (int own = 0; own < 2; own++) {
        o.lambda = own ? 1e-9 : 0.0;
        for (int k = 0; k < 2; k++)
            model[k] = fit(ctx, data[k], &o);
        assert_true(same_bits(model[0]->scaling.center, model[1]->scaling.center, D));
        assert_true(same_bits(model[0]->scaling.scale, model[1]->scaling.scale, D));
        assert_true(info_of(model[0]).lambda == info_of(model[1]).lambda &&
                    info_of(model[0]).prior_sd == info_of(model[1]).prior_sd);
        for (size_t j = 0; own && j <= D; j++)
            assert_close(model[0]->stages[0].posterior.mean[j], model[1]->stages[0].posterior.mean[j], 1e-6, 1e-9);
        if (!own) /* while the posterior did learn from the second part */
            assert_false(same_bits(model[0]->stages[0].posterior.mean, model[1]->stages[0].posterior.mean, D + 1));
        size_t count;
        for (int k = 0; k < 2; k++) {
            const gbs_certificate *list = gbs_model_certificates(model[k], &count);
            for (size_t j = 0; j < count; j++)
                assert_int_equal(list[j].blocks, N - first);
            gbs_model_free(model[k]);
        }
    }
    gbs_data_free(data[0]);
    gbs_data_free(data[1]);
    free_table(&t);
    free_table(&c);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- stages and their certificate */

static void stages_add_up_and_the_certificate_is_theirs(void **state) {
    (void)state;
    for (size_t blocks = 0; blocks <= 16; blocks += blocks < 4 ? 1 : 6) {
        gbs_context *ctx = new_context(2, 60 + blocks);
        struct table_of_numbers t = table(61, N, D);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_options o = gbs_fit_options_default();
        o.blocks = blocks;
        o.confidence = 0.9;
        gbs_model *model = fit(ctx, data, &o);
        size_t m = gbs_model_stages(model), first = gbs_model_stage(model, 0).rows, rows = first, count;
        uint64_t errors[GBS_MOST_STAGES], tested[GBS_MOST_STAGES];
        double weight[GBS_MOST_STAGES], total = 0.0, seen = 0.0;
        assert_int_equal(m, blocks > 0 ? blocks : 2);
        for (size_t s = 0; s < m; s++) {
            gbs_stage_info info = gbs_model_stage(model, s);
            assert_int_equal(info.rows, rows);
            rows += tested[s] = info.tested;
            errors[s] = info.errors;
            total += weight[s] = info.weight;
            seen += info.weight * (double)info.errors / (double)info.tested;
            assert_true(info.tested > 0 && info.errors <= info.tested && info.prior_sd > 0.0);
            /* two stages: the second has just the majority */
            double expected = m == 2 ? (s == 0 ? 0.48 : 0.52) : 2.0 * (double)(s + 1) / (double)(m * (m + 1));
            assert_close(info.weight, expected, 1e-14, 0.0);
            assert_close((double)info.tested, (double)(N - first) * (m == 2 ? 0.6 - 0.2 * (double)s : 1.0 / (double)m), 0.0,
                         1.0);
        }
        assert_int_equal(rows, N);
        assert_close(total, 1.0, 1e-14, 0.0);
        /* what the first part foretells, found again */
        gbs_split split;
        gbs_anchor anchor;
        gbs_fill_defaults(&o, N, D);
        assert_ok(ctx, gbs_split_create(ctx, data, &o, &split));
        assert_int_equal(split.first, first);
        assert_ok(ctx, gbs_anchor_choose(ctx, &split, &o, &anchor));
        gbs_split_free(&split);
        const gbs_certificate *c = gbs_model_certificates(model, &count);
        assert_true(c[0].target == (GBS_TARGET_MIXTURE) && c[0].method == GBS_BOUND_PROGRESSIVE && c[0].valid);
        assert_int_equal(c[0].blocks, N - first);
        assert_close(c[0].empirical, seen, 1e-14, 0.0);
        assert_true(c[0].value == gbs_bound_sequential(m, errors, tested, weight, anchor.foretold, -log(1.0 - 0.9)));
        assert_true(c[0].kl == 0.0 && c[0].grid_nats == 0.0 && c[0].xi_nats == 0.0);
        const gbs_certificate *vote = find(model, GBS_TARGET_VOTE, GBS_LOSS_ZERO_ONE, GBS_BOUND_PROGRESSIVE);
        assert_true(vote->value == fmin(1.0, 2.0 * c[0].value));
        gbs_model_free(model);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* The errors of a stage are those of one draw for each row: over many seeds their number is that of the Gibbs errors. 200 fits of some 40 rows;
 * 5 standard deviations of a sum of independent draws, each of variance at most 1/4. */
static void errors_are_those_of_draws(void **state) {
    (void)state;
    struct table_of_numbers t = table(62, N, D);
    double drawn = 0.0, expected = 0.0, rows = 0.0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        gbs_context *ctx = new_context(1, seed);
        gbs_data *data = dense_data(ctx, &t);
        gbs_fit_options o = gbs_fit_options_default();
        o.blocks = 1;
        o.loss = GBS_LOSS_HINGE;
        o.prior = GBS_PRIOR_ZERO;
        o.prior_sd = 1.0;
        o.bound = GBS_BOUND_PROGRESSIVE;
        gbs_model *model = fit(ctx, data, &o);
        gbs_stage_info info = gbs_model_stage(model, 0);
        drawn += (double)info.errors;
        rows += (double)info.tested;
        expected += find(model, GBS_TARGET_MIXTURE, GBS_LOSS_ZERO_ONE, GBS_BOUND_CATONI)->empirical * (double)info.tested;
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    assert_true(fabs(drawn - expected) > 1e-6);
    assert_close(drawn, expected, 0.0, 5.0 * sqrt(0.25 * rows));
    free_table(&t);
}

static void the_declared_certificate_comes_first(void **state) {
    (void)state;
    static const gbs_bound bounds[] = {GBS_BOUND_KL, GBS_BOUND_CATONI, GBS_BOUND_HOEFFDING, GBS_BOUND_PAPER};
    gbs_context *ctx = new_context(1, 9);
    struct table_of_numbers t = table(63, N, D);
    gbs_data *data = dense_data(ctx, &t);
    size_t smaller = 0;
    for (size_t k = 0; k < 2 * COUNT(bounds); k++) {
        gbs_fit_options o = informed(bounds[k / 2]);
        o.prior = k % 2 ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
        gbs_model *model = fit(ctx, data, &o);
        size_t count, kinds = 0;
        const gbs_certificate *c = gbs_model_certificates(model, &count);
        assert_true(c[0].method == bounds[k / 2] && c[0].target == GBS_TARGET_GIBBS && c[0].loss == GBS_LOSS_ZERO_ONE);
        for (size_t j = 0; j < count; j++) {
            kinds += c[j].target == GBS_TARGET_GIBBS;
            smaller += j > 0 && c[j].target == GBS_TARGET_GIBBS && c[j].value < c[0].value;
        }
        assert_int_equal(kinds, 4);
        gbs_model_free(model);
    }
    assert_true(smaller > 0); /* so that the order meant something */
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- valid and conditional */

enum { VALID = 1, CONDITIONAL = 0 };

static void a_conditional_situation_is_never_called_valid(void **state) {
    (void)state;
    static const struct {
        const char *what;
        gbs_prior_kind prior;
        gbs_bound bound;
        gbs_scale scale;
        unsigned looked;
        int stratify, first; /* status of the certificate asked for */
        int catoni;          /* of the catoni line listed with it, or -1 */
    } cases[] = {
        {"nothing wrong", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, 0, 0, VALID, VALID},
        {"unit rows", GBS_PRIOR_ZERO, GBS_BOUND_CATONI, GBS_SCALE_UNIT_ROW, 0, 0, VALID, VALID},
        {"scaling on certified rows", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_STANDARD, 0, 0, CONDITIONAL, CONDITIONAL},
        {"the same", GBS_PRIOR_ZERO, GBS_BOUND_HOEFFDING, GBS_SCALE_STANDARD, 0, 0, CONDITIONAL, CONDITIONAL},
        {"prior_sd after a look", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_PRIOR, 0, CONDITIONAL, CONDITIONAL},
        {"lambda after a look, kl", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0, VALID, CONDITIONAL},
        {"lambda, catoni", GBS_PRIOR_ZERO, GBS_BOUND_CATONI, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0, CONDITIONAL, CONDITIONAL},
        {"lambda, hoeffding", GBS_PRIOR_ZERO, GBS_BOUND_HOEFFDING, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0, CONDITIONAL,
         CONDITIONAL},
        {"lambda, paper", GBS_PRIOR_ZERO, GBS_BOUND_PAPER, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0, CONDITIONAL, CONDITIONAL},
        {"columns", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_COLUMNS, 0, CONDITIONAL, CONDITIONAL},
        {"the better of two methods", GBS_PRIOR_ZERO, GBS_BOUND_KL, GBS_SCALE_NONE, GBS_LOOKED_METHOD, 0, CONDITIONAL,
         CONDITIONAL},
        {"informed", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, 0, 0, VALID, VALID},
        {"informed, lambda, kl", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_LAMBDA, 0, VALID,
         CONDITIONAL},
        {"informed, lambda", GBS_PRIOR_INFORMED, GBS_BOUND_CATONI, GBS_SCALE_STANDARD, GBS_LOOKED_LAMBDA, 0, CONDITIONAL,
         CONDITIONAL},
        {"informed, prior_sd", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_PRIOR, 0, CONDITIONAL,
         CONDITIONAL},
        {"informed, columns", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_COLUMNS, 0, CONDITIONAL,
         CONDITIONAL},
        {"informed, method", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, GBS_LOOKED_METHOD, 0, CONDITIONAL,
         CONDITIONAL},
        {"a stratified split", GBS_PRIOR_INFORMED, GBS_BOUND_KL, GBS_SCALE_STANDARD, 0, 1, CONDITIONAL, CONDITIONAL},
        {"the default", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, 0, 0, VALID, -1},
        {"progressive, zero prior", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_STANDARD, 0, 0, VALID, -1},
        {"progressive, stratified", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, 0, 1, CONDITIONAL, -1},
        {"progressive, prior_sd", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, GBS_LOOKED_PRIOR, 0, CONDITIONAL, -1},
        {"progressive, prior_sd", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_NONE, GBS_LOOKED_PRIOR, 0, CONDITIONAL, -1},
        {"progressive, lambda", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, GBS_LOOKED_LAMBDA, 0, CONDITIONAL, -1},
        {"progressive, lambda", GBS_PRIOR_ZERO, GBS_BOUND_PROGRESSIVE, GBS_SCALE_NONE, GBS_LOOKED_LAMBDA, 0, CONDITIONAL, -1},
        {"progressive, columns", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, GBS_LOOKED_COLUMNS, 0, CONDITIONAL,
         -1},
        {"progressive, method", GBS_PRIOR_INFORMED, GBS_BOUND_AUTO, GBS_SCALE_STANDARD, GBS_LOOKED_METHOD, 0, CONDITIONAL, -1},
    };
    gbs_context *ctx = new_context(1, 10);
    struct table_of_numbers t = table(64, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_fit_options o = gbs_fit_options_default();
        o.prior = cases[k].prior;
        o.bound = cases[k].bound;
        o.scale = cases[k].scale;
        o.looked = cases[k].looked;
        o.stratify = cases[k].stratify;
        gbs_model *model = fit(ctx, data, &o);
        size_t count;
        const gbs_certificate *c = gbs_model_certificates(model, &count);
        const gbs_certificate *catoni = find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_CATONI);
        if (c[0].valid != cases[k].first || (cases[k].catoni >= 0 && catoni->valid != cases[k].catoni)) {
            print_error("case %zu, %s: the certificate asked for is called %s\n", k, cases[k].what,
                        c[0].valid ? "valid" : "conditional");
            fail();
        }
        for (size_t j = 0; j < count; j++) { /* conditional if and only if an assumption in words says NOT MET */
            int broken = 0, breaks;
            const char *text;
            for (unsigned b = 0; (text = gbs_assumption_text(b, &breaks)) != NULL; b++) {
                broken |= (c[j].assumptions >> b & 1U) != 0 && breaks;
                assert_int_equal(breaks, strncmp(text, "NOT MET", 7) == 0);
            }
            assert_int_equal(c[j].valid, !broken);
        }
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- c_x and the hinge risk */

static void the_hinge_risk_needs_a_declared_length(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 11);
    struct table_of_numbers t = table(65, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_options o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.scale = GBS_SCALE_NONE;
    o.bound = GBS_BOUND_KL;
    gbs_model *model = fit(ctx, data, &o);
    assert_null(find(model, GBS_TARGET_GIBBS, GBS_LOSS_HINGE, GBS_BOUND_HOEFFDING)); /* rows of any length */
    gbs_model_free(model);
    o.cx = 2.5;
    double limit = gbs_hinge_lambda_limit(true, 60, 1.0, o.cx);
    for (int looked = 0; looked < 2; looked++) {
        o.lambda = 0.9 * limit;
        o.looked = looked ? GBS_LOOKED_CX : 0;
        model = fit(ctx, data, &o);
        const gbs_certificate *c = find(model, GBS_TARGET_GIBBS, GBS_LOSS_HINGE, GBS_BOUND_HOEFFDING);
        gbs_model_info i = info_of(model);
        assert_non_null(c);
        assert_int_equal(c->valid, !looked);
        assert_true(find(model, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL)->valid); /* zero-one needs no length */
        double f = gbs_hinge_f_exact(o.lambda, 60, D + 1, 1.0, 0.0, o.cx);
        assert_close(c->value, i.gibbs_risk + (f + i.kl - log(0.05)) / o.lambda, 1e-12, 0.0);
        gbs_model_free(model);
    }
    o.looked = 0;
    char range[64];
    snprintf(range, sizeof range, "between 0 and %g", limit);
    for (int k = 0; k < 3; k++) {
        o.lambda = limit * (k == 0 ? 1.0 : k == 1 ? 1.001 : 100.0);
        assert_int_equal(gbs_fit(ctx, data, &o, &model), GBS_ERR_ARGUMENT);
        assert_null(model);
        assert_non_null(strstr(gbs_error_message(ctx), range));
    }
    o.cx = 0.0; /* without it any lambda will do; unit rows bring their own length */
    o.scale = GBS_SCALE_UNIT_ROW;
    o.lambda = 0.5 * gbs_hinge_lambda_limit(true, 60, 1.0, 1.0);
    model = fit(ctx, data, &o);
    assert_true(find(model, GBS_TARGET_GIBBS, GBS_LOSS_HINGE, GBS_BOUND_HOEFFDING)->valid);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* With cx a row longer than it is the row of that length, for every kind of model. Without an intercept its length is that of the features. */
static void long_rows_are_shortened_at_prediction_too(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 12);
    struct table_of_numbers t = table(66, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    for (int k = 0; k < 3; k++) {
        gbs_fit_options o = k == 0 ? gbs_fit_options_default() : k == 1 ? informed(GBS_BOUND_KL) : zero_prior_options();
        o.loss = GBS_LOSS_HINGE;
        o.scale = GBS_SCALE_NONE;
        o.intercept = 0;
        o.cx = 1.5;
        o.lambda = k == 2 ? 5.0 : 0.0;
        gbs_model *model = fit(ctx, data, &o);
        double rows[3 * D] = {6.0, -9.0, 10.2, 0.6, -0.9, 1.02, 0.2, -0.3, 0.34}, score[3], sd[3],
                        p[3]; /* lengths 14.9, 1.49, 0.50 */
        double norm = sqrt(rows[0] * rows[0] + rows[1] * rows[1] + rows[2] * rows[2]);
        for (size_t j = 0; j < D; j++)
            rows[D + j] = rows[j] * (1.5 / norm);
        gbs_data *ask;
        char *text;
        size_t size;
        gbs_model *again;
        assert_ok(ctx, gbs_data_dense(ctx, 3, D, rows, D, NULL, GBS_BORROW, &ask));
        assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
        assert_ok(ctx, gbs_model_from_json(ctx, text, size, &again));
        for (int read = 0; read < 2; read++) {
            assert_ok(ctx, gbs_model_predict(ctx, read ? again : model, ask, score, sd, p));
            assert_close(score[0], score[1], 1e-12, 1e-14);
            assert_close(sd[0], sd[1], 1e-12, 0.0);
            assert_close(p[0], p[1], 1e-12, 0.0);
            assert_true(k == 0 || fabs(score[2]) < 0.5 * fabs(score[1])); /* a short one is left alone */
        }
        gbs_release(ctx, text);
        gbs_model_free(again);
        gbs_data_free(ask);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- grids and their price */

static double recomputed(const gbs_certificate *c) {
    double price = -log(1.0 - c->confidence) + c->grid_nats;
    switch (c->method) {
    case GBS_BOUND_KL:
        return gbs_bound_kl(c->empirical, c->kl, c->blocks, price);
    case GBS_BOUND_CATONI:
        return gbs_bound_catoni(c->empirical, c->kl, c->blocks, c->lambda, price);
    case GBS_BOUND_HOEFFDING:
        return gbs_bound_hoeffding(c->empirical, c->kl, c->blocks, c->lambda, price);
    default:
        return gbs_bound_paper(c->empirical, c->kl, c->blocks, c->lambda, price);
    }
}

static void grids_are_paid_for(void **state) {
    (void)state;
    static const double ladder[] = {3.0, 10.0, 30.0, 100.0, 300.0}, sds[] = {0.2, 1.0, 5.0};
    static const gbs_bound bounds[] = {GBS_BOUND_KL, GBS_BOUND_CATONI, GBS_BOUND_HOEFFDING, GBS_BOUND_PAPER};
    gbs_context *ctx = new_context(1, 13);
    struct table_of_numbers t = table(67, N, D);
    gbs_data *data = dense_data(ctx, &t);
    for (size_t k = 0; k < 16 * COUNT(bounds); k++) {
        gbs_bound bound = bounds[k / 16];
        size_t rungs = k % 4 == 0 ? 0 : k % 4 == 1 ? 1 : 5, widths = k / 4 % 2 ? 3 : 1;
        gbs_fit_options o = informed(bound);
        o.prior = k / 8 % 2 ? GBS_PRIOR_INFORMED : GBS_PRIOR_ZERO;
        o.scale = GBS_SCALE_UNIT_ROW;
        o.loss = k % 4 == 3 ? GBS_LOSS_HINGE : GBS_LOSS_ZERO_ONE;
        o.ladder = ladder;
        o.ladder_size = rungs;
        o.prior_grid = sds;
        o.prior_grid_size = widths;
        o.select = GBS_SELECT_BOUND;
        gbs_model *model = fit(ctx, data, &o);
        gbs_model_info info = info_of(model);
        size_t count, points = gbs_model_path_size(model);
        const gbs_certificate *c = gbs_model_certificates(model, &count);
        const gbs_path_point *path = gbs_model_path(model);
        double least = INFINITY;
        for (size_t j = 0; j < points; j++)
            if (rungs > 0 || path[j].lambda == info.lambda) /* steps of the fit's own are not chosen from */
                least = fmin(least, path[j].bound);
        if (rungs > 0)
            assert_int_equal(points, rungs * widths);
        else if (o.prior == GBS_PRIOR_ZERO)
            assert_true(info.lambda == (double)N);
        for (size_t j = 0; j < count && c[j].target == GBS_TARGET_GIBBS && c[j].loss == GBS_LOSS_ZERO_ONE; j++) {
            double lambdas = c[j].method == GBS_BOUND_KL || rungs == 0 ? 1.0 : (double)rungs;
            assert_close(c[j].grid_nats, log((double)widths) + log(lambdas), 1e-14, 1e-300);
            assert_true(c[j].value == recomputed(&c[j]) && c[j].valid);
            assert_true(c[j].method == GBS_BOUND_KL ? isnan(c[j].lambda) : c[j].lambda == info.lambda);
        }
        assert_int_equal(c[0].method, bound);
        if (bound != GBS_BOUND_PAPER && (rungs * widths > 1 || o.loss == GBS_LOSS_ZERO_ONE))
            assert_close(c[0].value, least, 1e-9, 0.0);
        /* one more nat of grid is one more nat in the price */
        o.select = GBS_SELECT_LAST;
        o.prior_grid_size = 1;
        gbs_model *last = fit(ctx, data, &o);
        const gbs_certificate *free_of_charge = gbs_model_certificates(last, &count);
        assert_true(free_of_charge[0].grid_nats == 0.0);
        gbs_model_free(last);
        gbs_model_free(model);
    }
    for (int k = 0; k < 3; k++) { /* a grid of one is its value */
        gbs_fit_options o = informed(k == 0 ? GBS_BOUND_AUTO : GBS_BOUND_KL);
        o.prior = k == 2 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
        o.prior_grid = sds;
        o.prior_grid_size = 1;
        assert_true(fit_info(ctx, data, &o).prior_sd == sds[0]);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- model texts */

static char *text_of(gbs_context *ctx, const gbs_model *model) {
    char *text;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, NULL));
    return text;
}

static void a_model_with_stages_reads_back_the_same_bits(void **state) {
    (void)state;
    static const struct {
        size_t n, d;
        gbs_family family;
        bool sparse;
    } cases[] = {
        {N, D, GBS_FAMILY_FULL, false},  {N, D, GBS_FAMILY_DIAGONAL, true}, {N, D, GBS_FAMILY_ISOTROPIC, false},
        {N, D, GBS_FAMILY_FIXED, false}, {60, 48, GBS_FAMILY_FULL, false}, /* dual stages, then primal ones */
        {30, 60, GBS_FAMILY_FULL, true},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        gbs_context *ctx = new_context(1, 14);
        struct table_of_numbers t = table(70 + k, cases[k].n, cases[k].d);
        gbs_data *data = cases[k].sparse ? sparse_data(ctx, &t) : dense_data(ctx, &t);
        gbs_fit_options o = gbs_fit_options_default();
        o.family = cases[k].family;
        o.blocks = 3;
        gbs_model *model = fit(ctx, data, &o), *again;
        char *text = text_of(ctx, model);
        assert_ok(ctx, gbs_model_from_json(ctx, text, strlen(text), &again));
        char *second = text_of(ctx, again);
        assert_string_equal(text, second);
        double *v = doubles(6 * t.n);
        assert_ok(ctx, gbs_model_predict(ctx, model, data, v, v + t.n, v + 2 * t.n));
        assert_ok(ctx, gbs_model_predict(ctx, again, data, v + 3 * t.n, v + 4 * t.n, v + 5 * t.n));
        assert_true(same_bits(v, v + 3 * t.n, 3 * t.n));
        assert_int_equal(gbs_model_stages(again), 3);
        for (size_t s = 0; s < 3; s++) {
            gbs_stage_info a = gbs_model_stage(model, s), b = gbs_model_stage(again, s);
            assert_true(a.weight == b.weight && a.rows == b.rows && a.tested == b.tested && a.errors == b.errors &&
                        a.prior_sd == b.prior_sd);
        }
        size_t a, b;
        const gbs_certificate *c = gbs_model_certificates(model, &a), *e = gbs_model_certificates(again, &b);
        assert_int_equal(a, b);
        for (size_t j = 0; j < a; j++)
            assert_true(c[j].value == e[j].value && c[j].target == e[j].target && c[j].method == e[j].method &&
                        c[j].valid == e[j].valid && c[j].assumptions == e[j].assumptions && c[j].blocks == e[j].blocks);
        free(v);
        gbs_release(ctx, text);
        gbs_release(ctx, second);
        gbs_model_free(model);
        gbs_model_free(again);
        gbs_data_free(data);
        free_table(&t);
        gbs_context_free(ctx);
    }
}

/* text with `to` in the place of the first `from`. */
static char *with(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    assert_non_null(at);
    char *out = take(strlen(text) + strlen(to) + 1, 1);
    memcpy(out, text, (size_t)(at - text));
    strcat(out, to);
    strcat(out, at + strlen(from));
    return out;
}

static void damaged_stages_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 15);
    struct table_of_numbers t = table(80, 60, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_options o = gbs_fit_options_default();
    o.blocks = 3;
    gbs_model *model = fit(ctx, data, &o), *out;
    char *text = text_of(ctx, model);
    static const struct {
        const char *from, *to;
    } damage[] = {
        {"\"weight\":0.16", "\"weight\":0.17"},
        {"\"weight\":0.5", "\"weight\":0"},
        {"\"weight\":0.5", "\"weight\":-0.5"},
        {"\"weight\":0.5", "\"weight\":1.5"},
        {"\"weight\":0.5", "\"weight\":\"half\""},
        {"\"weight\":0.5,", ""},
        {"\"posterior\":", "\"anterior\":"},
        {"\"mean\":[", "\"mean\":[1.0,"},
        {"\"factor\":[", "\"factor\":[-"},
        {"\"stages\":[", "\"stages\":[7,"},
        {"\"stages\":[", "\"stages\":[],\"other\":["},
        {"\"stages\":[", "\"stages\":{},\"other\":["},
        {"\"stages\":[", "\"other\":["},
        {"\"tested\":", "\"tested\":-"},
        {"\"errors\":", "\"errors\":0.5,\"rest\":"},
        {"\"format\":2", "\"format\":3"},
    };
    for (size_t k = 0; k < COUNT(damage); k++) {
        char *bad = with(text, damage[k].from, damage[k].to);
        out = (void *)1;
        gbs_status status = gbs_model_from_json(ctx, bad, strlen(bad), &out);
        if (status != GBS_ERR_FORMAT)
            print_error("%s -> %s: status %d\n", damage[k].from, damage[k].to, (int)status);
        assert_int_equal(status, GBS_ERR_FORMAT);
        assert_null(out);
        assert_true(strlen(gbs_error_message(ctx)) > 0);
        free(bad);
    }
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size - 1; cut += 23)
        assert_int_equal(gbs_model_from_json(ctx, text, cut, &out), GBS_ERR_FORMAT);
    gbs_release(ctx, text);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- predictions of a mixture */

static double phi(double z) {
    return 0.5 * erfc(-z / sqrt(2.0));
}

static void a_mixture_votes_as_its_stages_do(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 16);
    struct table_of_numbers t = table(81, N, D);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_options o = gbs_fit_options_default();
    o.blocks = 4;
    o.prior_sd = 0.5;
    gbs_model *model = fit(ctx, data, &o);
    double score[N], sd[N], p[N], one_score[N], one_sd[N], sum[N] = {0.0}, gibbs = 0.0, wrong = 0.0;
    assert_ok(ctx, gbs_model_predict(ctx, model, data, score, sd, p));
    for (size_t s = 0; s < 4; s++) {
        gbs_stage alone = model->stages[s];
        alone.weight = 1.0;
        gbs_model one = {.ctx = ctx, .info = model->info, .scaling = model->scaling, .stages = &alone, .stages_size = 1};
        assert_ok(ctx, gbs_model_predict(ctx, &one, data, one_score, one_sd, NULL));
        for (size_t i = 0; i < N; i++)
            sum[i] += gbs_model_stage(model, s).weight * phi(one_score[i] / one_sd[i]);
    }
    for (size_t i = 0; i < N; i++) {
        assert_close(p[i], sum[i], 1e-12, 1e-15);
        assert_close(phi(score[i] / sd[i]), p[i], 1e-9, 1e-15);
        assert_true(sd[i] == 1.0);
        gibbs += (t.y[i] > 0.0 ? 1.0 - p[i] : p[i]) / N;
        wrong += (p[i] > 0.5) != (t.y[i] > 0.0);
    }
    gbs_evaluation e;
    assert_ok(ctx, gbs_model_evaluate(ctx, model, data, &e));
    assert_int_equal(e.errors, (size_t)wrong);
    assert_close(e.error, wrong / N, 1e-14, 0.0);
    assert_close(e.gibbs_error, gibbs, 1e-12, 0.0);
    assert_close(info_of(model).gibbs_error, gibbs, 1e-12, 0.0);
    assert_close(info_of(model).train_error, wrong / N, 1e-12, 0.0);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- threads, memory */

static void threads_change_nothing(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 7};
    struct table_of_numbers t = table(82, 3000, 6);
    for (int kind = 0; kind < 3; kind++) {
        char *first = NULL;
        for (size_t k = 0; k < COUNT(threads); k++) {
            gbs_context *ctx = new_context(threads[k], 17);
            gbs_data *data = dense_data(ctx, &t);
            gbs_fit_options o =
                kind == 0 ? gbs_fit_options_default() : informed(kind == 1 ? GBS_BOUND_KL : GBS_BOUND_PROGRESSIVE);
            o.prior = kind == 2 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
            gbs_model *model = fit(ctx, data, &o);
            model->info.seconds = 0.0;
            char *text = text_of(ctx, model);
            if (first == NULL)
                first = strdup(text);
            assert_string_equal(text, first);
            gbs_release(ctx, text);
            gbs_model_free(model);
            gbs_data_free(data);
            gbs_context_free(ctx);
        }
        free(first);
    }
    free_table(&t);
}

struct host {
    long blocks, calls, fail_at;
};

static void *host_allocate(size_t bytes, void *user) {
    struct host *h = user;
    if (h->calls++ == h->fail_at)
        return NULL;
    void *memory = malloc(bytes);
    h->blocks += memory != NULL;
    return memory;
}

static void host_release(void *memory, void *user) {
    ((struct host *)user)->blocks -= memory != NULL;
    free(memory);
}

/* Fit, predict, write, read. */
static gbs_status whole_story(gbs_context *ctx, const struct table_of_numbers *t, const gbs_fit_options *o) {
    gbs_data *data = NULL;
    gbs_model *model = NULL, *again = NULL;
    char *text = NULL;
    double p[64];
    size_t size;
    gbs_status status = gbs_data_dense(ctx, t->n, t->d, t->x, t->d, t->y, GBS_COPY, &data);
    if (status == GBS_OK)
        status = gbs_fit(ctx, data, o, &model);
    if (status == GBS_OK)
        status = gbs_model_predict(ctx, model, data, p, NULL, NULL);
    if (status == GBS_OK)
        status = gbs_model_to_json(ctx, model, &text, &size);
    if (status == GBS_OK)
        status = gbs_model_from_json(ctx, text, size, &again);
    gbs_release(ctx, text);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_data_free(data);
    return status;
}

static void every_failed_allocation_comes_back_as_a_status(void **state) {
    (void)state;
    struct table_of_numbers t = table(83, 40, D);
    static const double sds[] = {0.1, 1.0};
    for (int kind = 0; kind < 6; kind++) {
        struct host h = {.fail_at = -1};
        gbs_context_options options = gbs_context_options_default();
        gbs_context *ctx;
        options.allocator = (gbs_allocator){host_allocate, host_release, &h};
        options.threads = 1;
        assert_int_equal(gbs_context_create(&options, &ctx), GBS_OK);
        gbs_fit_options o = informed(kind < 3 ? GBS_BOUND_AUTO : GBS_BOUND_KL);
        o.loss = GBS_LOSS_HINGE;
        o.tolerance = 1e-3;
        o.blocks = kind < 3 ? 2 : 0;
        o.stratify = kind == 1;
        o.cx = kind == 2 ? 3.0 : 0.0;
        o.family = kind == 4 ? GBS_FAMILY_DIAGONAL : GBS_FAMILY_FULL;
        if (kind == 5) {
            o.prior_grid = sds;
            o.prior_grid_size = 2;
            o.select = GBS_SELECT_BOUND;
        }
        long before = h.blocks;
        h.calls = 0;
        assert_ok(ctx, whole_story(ctx, &t, &o));
        long calls = h.calls;
        assert_true(calls > 50 && h.blocks == before);
        for (long fail_at = 0; fail_at < calls; fail_at += 1 + calls / MOST_FAILURES) {
            h.calls = 0;
            h.fail_at = fail_at;
            gbs_status status = whole_story(ctx, &t, &o);
            if (status != GBS_ERR_MEMORY || h.blocks != before)
                print_error("kind %d, allocation %ld of %ld: status %d, %ld blocks left\n", kind, fail_at, calls, (int)status,
                            h.blocks - before);
            assert_int_equal(status, GBS_ERR_MEMORY);
            assert_int_equal(h.blocks, before);
        }
        gbs_context_free(ctx);
        assert_int_equal(h.blocks, 0);
    }
    free_table(&t);
}

/* ---------------------------------------------------------------- what cannot be fitted */

static void odd_data_is_refused_or_certified(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 18);
    gbs_model *model;
    gbs_data *data;
    gbs_fit_options o = gbs_fit_options_default();
    double two[2] = {1.0, -1.0}, signs[2] = {1.0, -1.0};
    assert_ok(ctx, gbs_data_dense(ctx, 2, 1, two, 1, signs, GBS_BORROW, &data));
    assert_int_equal(gbs_fit(ctx, data, &o, &model), GBS_ERR_DATA); /* one row has one class */
    assert_non_null(strstr(gbs_error_message(ctx), "first part of the split (1 of 2 rows)"));
    gbs_data_free(data);
    /* one feature tells all; one is constant */
    enum { ROWS = 200 };
    struct dice r = {19};
    double x[ROWS * 2], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = dice_normal(&r);
        x[2 * i + 1] = 7.0;
        y[i] = x[2 * i] > 0.0 ? 1.0 : -1.0;
        x[2 * i] += y[i];
    }
    assert_ok(ctx, gbs_data_dense(ctx, ROWS, 2, x, 2, y, GBS_BORROW, &data));
    static const gbs_bound bounds[] = {GBS_BOUND_AUTO, GBS_BOUND_KL, GBS_BOUND_CATONI, GBS_BOUND_HOEFFDING};
    for (size_t k = 0; k < COUNT(bounds); k++) {
        o.bound = bounds[k];
        model = fit(ctx, data, &o);
        size_t count;
        const gbs_certificate *c = gbs_model_certificates(model, &count);
        assert_true(c[0].valid && c[0].value > 0.0 && c[0].empirical < 0.01);
        assert_at_most(c[0].value, 0.2);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    /* three rows of a class among many: some splits miss them, and say so; the others work */
    size_t missed = 0, fitted = 0;
    for (size_t i = 0; i < ROWS; i++)
        y[i] = i < 3 ? 1.0 : -1.0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        gbs_context *own = new_context(1, seed);
        assert_ok(own, gbs_data_dense(own, ROWS, 2, x, 2, y, GBS_BORROW, &data));
        o.bound = GBS_BOUND_AUTO;
        gbs_status status = gbs_fit(own, data, &o, &model);
        assert_true(status == GBS_OK || status == GBS_ERR_DATA);
        if (status == GBS_ERR_DATA) {
            assert_null(model);
            assert_non_null(strstr(gbs_error_message(own), "has no row of class +1; a larger prior split, another seed"));
        }
        missed += status == GBS_ERR_DATA;
        fitted += status == GBS_OK;
        gbs_model_free(model);
        gbs_data_free(data);
        gbs_context_free(own);
    }
    assert_true(missed > 0 && fitted > 0);
    gbs_context_free(ctx);
}

static void odd_options_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 20);
    struct table_of_numbers t = table(84, 40, D);
    gbs_data *data = dense_data(ctx, &t);
    static const double values[] = {1.0, 2.0}, bad_values[] = {1.0, -2.0};
    for (int k = 0; k < 17; k++) {
        gbs_fit_options o = gbs_fit_options_default();
        switch (k) {
        case 0:
            o.confidence = 0.0;
            break;
        case 1:
            o.confidence = 1.0;
            break;
        case 2:
            o.confidence = NAN;
            break;
        case 3:
            o.prior_split = 1.0;
            break;
        case 4:
            o.prior_split = -0.1;
            break;
        case 5:
            o.prior_split = NAN;
            break;
        case 6:
            o.blocks = GBS_MOST_STAGES + 1;
            break;
        case 7:
            o.blocks = 2;
            o.bound = GBS_BOUND_KL;
            break;
        case 8:
            o.bound = GBS_BOUND_BINOMIAL;
            break;
        case 9:
            o.bound = (gbs_bound)99;
            break;
        case 10:
            o.ladder = values;
            o.ladder_size = 2;
            break;
        case 11:
            o.prior_grid = values;
            o.prior_grid_size = 2;
            o.select = GBS_SELECT_BOUND;
            break;
        case 12:
            o.prior_grid = values;
            o.prior_grid_size = 2;
            o.bound = GBS_BOUND_KL;
            break;
        case 13:
            o.prior_grid = bad_values;
            o.prior_grid_size = 2;
            o.bound = GBS_BOUND_KL;
            o.select = GBS_SELECT_BOUND;
            break;
        case 16:
            o.restarts = 2;
            o.prior = GBS_PRIOR_ZERO;
            o.bound = GBS_BOUND_KL;
            o.select = GBS_SELECT_BOUND;
            o.prior_grid = values;
            o.prior_grid_size = 2;
            break;
        case 14:
            o.cx = -1.0;
            break;
        default:
            o.prior = (gbs_prior_kind)7;
            break;
        }
        gbs_model *model = (void *)1;
        assert_int_equal(gbs_fit(ctx, data, &o, &model), GBS_ERR_ARGUMENT);
        assert_null(model);
        assert_true(strlen(gbs_error_message(ctx)) > 0);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_depends_on_seed_and_n_alone),
        cmocka_unit_test(a_stage_knows_nothing_of_later_rows),
        cmocka_unit_test(an_informed_prior_knows_nothing_of_the_second_part),
        cmocka_unit_test(stages_add_up_and_the_certificate_is_theirs),
        cmocka_unit_test(errors_are_those_of_draws),
        cmocka_unit_test(the_declared_certificate_comes_first),
        cmocka_unit_test(a_conditional_situation_is_never_called_valid),
        cmocka_unit_test(the_hinge_risk_needs_a_declared_length),
        cmocka_unit_test(long_rows_are_shortened_at_prediction_too),
        cmocka_unit_test(grids_are_paid_for),
        cmocka_unit_test(a_model_with_stages_reads_back_the_same_bits),
        cmocka_unit_test(damaged_stages_are_refused),
        cmocka_unit_test(a_mixture_votes_as_its_stages_do),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(every_failed_allocation_comes_back_as_a_status),
        cmocka_unit_test(odd_data_is_refused_or_certified),
        cmocka_unit_test(odd_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
