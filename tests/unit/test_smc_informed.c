/* Gaps under informed priors and of the stages of a progressive model: against quadrature, ordered
 * by family, through files old and new, and refused for rows that are not those of the fit. */
#include "model/model.h"
#include "model/particles.h"
#include "unit/host.h"
#include "unit/smc_support.h"

static gbs_fit_settings informed(gbs_loss loss, gbs_family family, gbs_bound bound, double lambda) {
    gbs_fit_settings f = gbs_fit_settings_default();
    f.loss = loss;
    f.family = family;
    f.bound = bound;
    f.lambda = lambda;
    return f;
}

static gbs_sample_settings particles_of(size_t particles, bool classic) {
    gbs_sample_settings o = gbs_sample_settings_default();
    o.particles = particles;
    o.classic = classic;
    o.moves = classic ? 20 : 0;
    return o;
}

static gbs_particles *sample_for(gbs_context *ctx, const gbs_data *data, const gbs_model *model,
                                 size_t stage, const gbs_sample_settings *o, gbs_gap *gap) {
    gbs_particles *p;
    assert_ok(ctx, gbs_sample_run_for(ctx, data, model, stage, o, &p));
    assert_ok(ctx, measure_gap(ctx, data, model, p, gap));
    return p;
}

/* ---------------------------------------------------------------- quadrature with one coefficient
 */

/* Rows of the fit's order, as the public header promises it: from .. from + count - 1. */
static struct table_of_numbers part_of(gbs_context *ctx, const struct table_of_numbers *t,
                                       const gbs_fit_settings *f, size_t from, size_t count) {
    size_t *order = take(t->n, sizeof *order), least;
    struct table_of_numbers part = {.n = count, .d = 1, .x = doubles(count), .y = doubles(count)};
    gbs_data *all = dense_data(ctx, t);
    assert_ok(ctx, gbs_fit_order_run(ctx, all, f, order, &least));
    gbs_data_free(all);
    for (size_t i = 0; i < count; i++) {
        part.x[i] = t->x[order[from + i]];
        part.y[i] = t->y[order[from + i]];
    }
    free(order);
    return part;
}

static double log_normal(double x, double mean, double sd) {
    double u = (x - mean) / sd;
    return -0.5 * u * u - log(sd) - 0.91893853320467274178;
}

struct integral {
    double free_energy, log_z, risk;
};

/* F = E_q(lambda r + log q - log prior), log Z = log E_prior exp(-lambda r) and the Gibbs risk by
 * the midpoint rule; 0, where the zero-one risk jumps, is a border. */
static struct integral integrate(const struct table_of_numbers *t, gbs_task_kind task,
                                 gbs_loss loss, const gbs_stage *s) {
    enum { CELLS = 40000 };
    double q = s->posterior.mean[0], q_sd = s->posterior.factor[0], m0 = s->prior_mean[0],
           sd = s->info.prior_sd;
    double reach = fabs(m0) + fabs(q) + 12.0 * fmax(sd, q_sd), width = 2.0 * reach / CELLS,
           energy = 0.0, z = 0.0, lost = 0.0;
    for (long k = -CELLS / 2; k < CELLS / 2; k++) {
        double theta = ((double)k + 0.5) * width, log_q = log_normal(theta, q, q_sd),
               log_prior = log_normal(theta, m0, sd);
        double risk = (task == GBS_TASK_RANK ? plain_pair_risk : plain_risk)(loss, t->n, 1, t->x,
                                                                             t->y, &theta);
        double weight =
            /* the exponential loss may overflow */
            isfinite(risk) ? width * exp(log_prior - s->info.lambda * risk) : 0.0;
        z += weight;
        lost += weight > 0.0 ? weight * risk : 0.0;
        if (log_q > -200.0)
            energy += width * exp(log_q) * (s->info.lambda * risk + log_q - log_prior);
    }
    return (struct integral){energy, log(z), lost / z};
}

/* Every stage, both algorithms. The false-alarm rate of 7.5 standard errors, themselves estimated
 * to within a half, is that of 5. */
static void check_quadrature(gbs_context *ctx, const struct table_of_numbers *t,
                             const gbs_fit_settings *f, size_t stages) {
    gbs_data *data = dense_data(ctx, t);
    gbs_model *model = fit(ctx, data, f);
    assert_int_equal(gbs_model_stages(model), stages);
    for (size_t k = 0; k < stages; k++) {
        const gbs_stage *s = &model->stages[k];
        struct table_of_numbers part = part_of(ctx, t, f, s->from, s->info.rows);
        struct integral truth = integrate(&part, f->task, f->loss, s);
        if (k + 1 == stages) /* what the fit itself said */
            assert_close(truth.free_energy, info_of(model).free_energy, 1e-5, 1e-5);
        for (int classic = 0; classic < 2; classic++) {
            gbs_sample_settings o = particles_of(
                classic ? repeats(10000, 2000) : repeats(100000, 10000), classic != 0);
            gbs_gap gap;
            gbs_particles *p = sample_for(ctx, data, model, k, &o, &gap);
            print_message(
                "# %s %s, %zu of %zu rows, %s: m0 %.3f, gap %.5f +- %.5f, by quadrature %.5f\n",
                gbs_task_name(f->task), gbs_loss_name(f->loss), s->info.rows, t->n,
                classic ? "classic" : "default", s->prior_mean[0], gap.gap, gap.gap_sd,
                truth.free_energy + truth.log_z);
            /* else the test would not see it */
            assert_true(fabs(s->prior_mean[0]) > 0.2 * s->info.prior_sd);
            assert_close(gap.free_energy, truth.free_energy, 1e-5, 1e-5);
            assert_close(p->info.gibbs_risk, truth.risk, 0.0, 7.5 * p->info.gibbs_risk_sd + 1e-6);
            assert_close(p->info.log_z, truth.log_z, 0.0, 7.5 * p->info.log_z_sd + 1e-5);
            assert_close(gap.gap, truth.free_energy + truth.log_z, 0.0, 7.5 * gap.gap_sd + 2e-5);
            gbs_particles_free(p);
        }
        free_table(&part);
    }
    gbs_model_free(model);
    gbs_data_free(data);
}

static void gaps_are_those_of_quadrature(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 5);
    struct dice r = {71};
    struct table_of_numbers t = make_table(&r, 60, 1, 1.0, 1.0);
    for (size_t l = 0; l < COUNT(all_losses); l++)
        for (int progressive = 0; progressive < 2; progressive++) {
            gbs_fit_settings f = informed(all_losses[l], GBS_FAMILY_FULL,
                                          progressive ? GBS_BOUND_PROGRESSIVE : GBS_BOUND_KL,
                                          100.0);
            f.prior_sd = all_losses[l] == GBS_LOSS_ZERO_ONE ? 1.0 : 0.3;
            f.scale = GBS_SCALE_NONE;
            f.intercept = 0;
            f.blocks = progressive ? 2 : 0;
            check_quadrature(ctx, &t, &f, progressive ? 2 : 1);
        }
    for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_HINGE; loss++) {
        gbs_fit_settings f = informed(loss, GBS_FAMILY_FULL, GBS_BOUND_KL, 100.0);
        f.task = GBS_TASK_RANK;
        f.prior_sd = 0.4;
        f.scale = GBS_SCALE_NONE;
        f.intercept = 0;
        check_quadrature(ctx, &t, &f, 1);
    }
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- families */

/* Positive within error and full <= diagonal <= isotropic, by one sampling: the families share
 * prior, lambda and rows. */
static void gaps_are_positive_and_ordered(void **state) {
    (void)state;
    static const gbs_family families[] = {GBS_FAMILY_FULL, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_ISOTROPIC};
    static const gbs_bound bounds[] = {GBS_BOUND_KL, GBS_BOUND_CATONI, GBS_BOUND_PROGRESSIVE};
    gbs_context *ctx = new_context(2, 6);
    struct table_of_numbers t = small_table(72, 200, 4);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = particles_of(repeats(2000, 500), false);
    for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_HINGE; loss++)
        for (size_t b = 0; b < COUNT(bounds); b++) {
            gbs_particles *p = NULL;
            double before = 0.0;
            for (size_t k = 0; k < COUNT(families); k++) {
                gbs_fit_settings f = informed(loss, families[k], bounds[b], 60.0);
                f.prior_sd = 0.2;
                gbs_model *model = fit(ctx, data, &f);
                gbs_gap gap;
                if (k == 0)
                    p = sample_for(ctx, data, model, gbs_model_stages(model) - 1, &o, &gap);
                assert_ok(ctx, measure_gap(ctx, data, model, p, &gap));
                print_message("# %s %s %s: gap %.4f +- %.4f\n", gbs_loss_name(loss),
                              gbs_bound_name(bounds[b]), gbs_family_name(families[k]), gap.gap,
                              gap.gap_sd);
                assert_true(k > 0 || gap.gap > -7.5 * gap.gap_sd);
                assert_true(k == 0 || gap.gap >= before - 1e-6);
                before = gap.gap;
                gbs_model_free(model);
            }
            gbs_particles_free(p);
        }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Whatever the fit did to the columns and the order of the rows, it is found again; the same bits
 * for any number of threads. */
static void every_kind_of_model_is_found_again(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, UINT64_MAX), *many = new_context(7, UINT64_MAX);
    struct table_of_numbers t = small_table(73, 90, 3);
    gbs_data *data = dense_data(ctx, &t), *data_of_many = dense_data(many, &t);
    gbs_sample_settings o = particles_of(200, false);
    for (int k = 0; k < 16; k++) {
        gbs_fit_settings f = informed(all_losses[k % 4], all_families[k / 4],
                                      (k + k / 4) % 2 ? GBS_BOUND_KL : GBS_BOUND_PROGRESSIVE, 0.0);
        f.prior = k == 8 ? GBS_PRIOR_ZERO : GBS_PRIOR_INFORMED;
        f.bound = k == 8 ? GBS_BOUND_PROGRESSIVE : f.bound;
        f.stratify = k == 1 || k == 2;
        f.scale = k == 3 ? GBS_SCALE_UNIT_ROW : k == 4 ? GBS_SCALE_NONE : GBS_SCALE_STANDARD;
        f.intercept = k != 5;
        f.constant = k == 6 ? 3.0 : 0.0;
        f.cx = k == 7 ? 1.5 : 0.0;
        f.prior_split = k == 9 ? 0.7 : 0.0;
        f.blocks = k == 10 ? 1 : 0;
        f.form = k == 11 ? GBS_FORM_DUAL : GBS_FORM_AUTO;
        f.family = k == 11 ? GBS_FAMILY_FULL : f.family;
        gbs_model *model = fit(ctx, data, &f);
        for (size_t stage = 0; stage < gbs_model_stages(model); stage++) {
            gbs_gap gap;
            gbs_particles *p = sample_for(ctx, data, model, stage, &o, &gap), *q;
            assert_ok(many, gbs_sample_run_for(many, data_of_many, model, stage, &o, &q));
            assert_true(same_bits(p->theta, q->theta, p->info.particles * p->info.d));
            assert_int_equal(p->info.n_data, t.n);
            assert_int_equal(p->info.prior, f.prior);
            assert_int_equal(isnan(p->info.bound) != 0,
                             f.prior == GBS_PRIOR_INFORMED && model->stages[stage].from == 0);
            gbs_particles_free(p);
            gbs_particles_free(q);
        }
        gbs_model_free(model);
    }
    gbs_data_free(data);
    gbs_data_free(data_of_many);
    free_table(&t);
    gbs_context_free(ctx);
    gbs_context_free(many);
}

/* ---------------------------------------------------------------- files */

static gbs_model *through_text(gbs_context *ctx, const gbs_model *model, const char *from,
                               const char *to, gbs_status expected) {
    char *text;
    size_t size;
    gbs_model *back;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, &size));
    for (char *at = text; from != NULL && (at = strstr(at, from)) != NULL;) {
        assert_int_equal(strlen(from), strlen(to));
        for (size_t k = 0; to[k] != '\0'; k++)
            at[k] = to[k];
    }
    assert_int_equal(gbs_model_from_json(ctx, text, size, &back), expected);
    gbs_release(ctx, text);
    return back;
}

static void models_and_particles_come_back_from_files(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, UINT64_MAX); /* a seed that is no number of JSON's */
    struct table_of_numbers t = small_table(74, 80, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = particles_of(200, false);
    for (int progressive = 0; progressive < 2; progressive++) {
        gbs_fit_settings f = informed(GBS_LOSS_HINGE, GBS_FAMILY_FULL,
                                      progressive ? GBS_BOUND_PROGRESSIVE : GBS_BOUND_KL, 0.0);
        f.stratify = 1;
        gbs_model *model = fit(ctx, data, &f), *back = through_text(ctx, model, NULL, NULL, GBS_OK);
        size_t stage = gbs_model_stages(model) - 1, size;
        gbs_gap gap, again;
        assert_true(gbs_model_stage(back, stage)->lambda == model->stages[stage].info.lambda);
        assert_int_equal(gbs_model_stage(back, stage)->rows, model->stages[stage].info.rows);
        gbs_particles *p = sample_for(ctx, data, model, stage, &o, &gap),
                      *q = sample_for(ctx, data, back, stage, &o, &again);
        assert_true(same_bits(&gap.gap, &again.gap, 1));
        gbs_particles_free(q);
        char *text;
        assert_ok(ctx, gbs_particles_to_json(ctx, p, &text, &size));
        assert_ok(ctx, gbs_particles_from_json(ctx, text, size, &q));
        assert_int_equal(q->info.prior, GBS_PRIOR_INFORMED);
        assert_int_equal(q->info.n_data, t.n);
        assert_ok(ctx, measure_gap(ctx, data, back, q, &again));
        assert_true(same_bits(&gap.gap, &again.gap, 1));
        gbs_release(ctx, text);
        gbs_particles_free(p);
        gbs_particles_free(q);
        gbs_model_free(back);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* Without "split" a file is one of an older version: it predicts as ever, and says why there is no
 * gap. */
static void older_files_predict_and_have_no_gap(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 7);
    struct table_of_numbers t = small_table(75, 80, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_sample_settings o = particles_of(100, false);
    for (int progressive = 0; progressive < 2; progressive++) {
        gbs_fit_settings f = informed(GBS_LOSS_ZERO_ONE, GBS_FAMILY_FULL,
                                      progressive ? GBS_BOUND_PROGRESSIVE : GBS_BOUND_KL, 0.0);
        gbs_model *model = fit(ctx, data, &f),
                  *old = through_text(ctx, model, "\"split\"", "\"older\"", GBS_OK);
        gbs_evaluation a, b;
        assert_ok(ctx, evaluate_model(ctx, model, data, &a));
        assert_ok(ctx, evaluate_model(ctx, old, data, &b));
        assert_true(a.gibbs_risk == b.gibbs_risk && a.error == b.error);
        gbs_gap gap;
        gbs_particles *none, *p = sample_for(ctx, data, model, 0, &o, &gap);
        assert_refused(ctx, GBS_ERR_DATA, gbs_sample_run_for(ctx, data, old, 0, &o, &none), none);
        assert_non_null(strstr(gbs_error_message(ctx), "older version"));
        assert_int_equal(measure_gap(ctx, data, old, p, &gap), GBS_ERR_DATA);
        gbs_particles_free(p);
        gbs_model_free(old);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

static void damaged_files_are_refused(void **state) {
    (void)state;
    static const char *const damage[][2] = {{"\"seed\":\"", "\"sead\":\""},
                                            {"{\"seed\":\"", "[\"seed\":\""},
                                            {"\"stratified\":false", "\"stratified\":    0"},
                                            {"\"first\":40", "\"first\":-1"},
                                            {"\"first\":40", "\"first\":99"},
                                            {"\"from\":40", "\"from\":41"},
                                            {"\"from\":40,\"rows\":40", "\"from\":40,\"rows\":90"},
                                            {"\"prior_mean\":[", "\"prior_mean\":{"},
                                            {"\"prior_mean\":[", "\"prior_mode\":["},
                                            {"\"gibbs\":", "\"giber\":"}};
    gbs_context *ctx = new_context(1, 7);
    struct table_of_numbers t = small_table(76, 80, 3);
    gbs_data *data = dense_data(ctx, &t);
    gbs_fit_settings f = informed(GBS_LOSS_HINGE, GBS_FAMILY_DIAGONAL, GBS_BOUND_KL, 0.0);
    gbs_model *model = fit(ctx, data, &f);
    char *text;
    assert_ok(ctx, gbs_model_to_json(ctx, model, &text, NULL));
    for (size_t k = 0; k < COUNT(damage); k++) {
        assert_non_null(strstr(text, damage[k][0]));
        assert_null(through_text(ctx, model, damage[k][0], damage[k][1], GBS_ERR_FORMAT));
    }
    gbs_release(ctx, text);
    gbs_model_free(model);
    gbs_data_free(data);
    free_table(&t);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- what does not belong together */

static void other_rows_and_other_priors_are_refused(void **state) {
    (void)state;
    gbs_context *ctx = new_context(1, 8), *other_seed = new_context(1, 9);
    struct table_of_numbers t = small_table(77, 80, 3), changed = small_table(77, 80, 3),
                            fewer = small_table(77, 79, 3);
    gbs_data *data = dense_data(ctx, &t), *elsewhere = dense_data(other_seed, &t),
             *few = dense_data(ctx, &fewer);
    gbs_sample_settings o = particles_of(100, false);
    gbs_fit_settings f = informed(GBS_LOSS_HINGE, GBS_FAMILY_FULL, GBS_BOUND_KL, 30.0);
    f.prior_sd = 0.3;
    gbs_model *model = fit(ctx, data, &f), *another = fit(other_seed, elsewhere, &f);
    gbs_gap gap;
    gbs_particles *none, *p = sample_for(ctx, data, model, 0, &o, &gap);
    size_t *order = take(t.n, sizeof *order), least;
    assert_ok(ctx, gbs_fit_order_run(ctx, data, &f, order, &least));
    changed.y[order[least]] = -t.y[order[least]]; /* a certified row */
    gbs_data *wrong = dense_data(ctx, &changed);
    assert_refused(ctx, GBS_ERR_DATA, gbs_sample_run_for(ctx, wrong, model, 0, &o, &none), none);
    assert_non_null(strstr(gbs_error_message(ctx), "does not belong to these rows"));
    assert_refused(ctx, GBS_ERR_DATA, gbs_sample_run_for(ctx, few, model, 0, &o, &none), none);
    assert_refused(ctx, GBS_ERR_ARGUMENT, gbs_sample_run_for(ctx, data, model, 1, &o, &none), none);
    /* what a model was fitted with, not the context's seed, finds its rows */
    assert_ok(ctx, gbs_sample_run_for(ctx, data, another, 0, &o, &none));
    assert_int_equal(measure_gap(ctx, data, model, none, &gap), GBS_ERR_DATA);
    gbs_particles_free(none);
    assert_int_equal(measure_gap(ctx, data, another, p, &gap), GBS_ERR_DATA);
    gbs_particles_free(p);
    free(order);
    gbs_model_free(model);
    gbs_model_free(another);
    gbs_data_free(data);
    gbs_data_free(wrong);
    gbs_data_free(few);
    gbs_data_free(elsewhere);
    free_table(&t);
    free_table(&changed);
    free_table(&fewer);
    gbs_context_free(ctx);
    gbs_context_free(other_seed);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct host h;
    gbs_context *ctx = host_context(&h);
    struct table_of_numbers t = small_table(78, 40, 3);
    gbs_data *data = dense_data(ctx, &t);
    for (int progressive = 0; progressive < 2; progressive++) {
        gbs_fit_settings f = informed(GBS_LOSS_HINGE, GBS_FAMILY_FULL,
                                      progressive ? GBS_BOUND_PROGRESSIVE : GBS_BOUND_KL, 0.0);
        f.stratify = 1;
        gbs_model *model = fit(ctx, data, &f);
        gbs_sample_settings o = particles_of(32, false);
        gbs_particles *p;
        gbs_gap gap;
        long before = h.blocks, first = h.calls;
        assert_ok(ctx, gbs_sample_run_for(ctx, data, model, 0, &o, &p));
        long calls = h.calls - first, kept = h.blocks;
        for (long k = 0; k < calls; k++) {
            gbs_particles *none;
            h.fail_at = h.calls + k;
            assert_refused(ctx, GBS_ERR_MEMORY, gbs_sample_run_for(ctx, data, model, 0, &o, &none),
                           none);
            assert_int_equal(h.blocks, kept);
        }
        h.fail_at = -1;
        first = h.calls;
        assert_ok(ctx, measure_gap(ctx, data, model, p, &gap));
        calls = h.calls - first;
        for (long k = 0; k < calls; k++) {
            h.fail_at = h.calls + k;
            assert_int_equal(measure_gap(ctx, data, model, p, &gap), GBS_ERR_MEMORY);
            assert_int_equal(h.blocks, kept);
        }
        h.fail_at = -1;
        gbs_particles_free(p);
        assert_int_equal(h.blocks, before);
        gbs_model_free(model);
    }
    gbs_data_free(data);
    free_table(&t);
    leave(&h, ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_those_of_quadrature),
        cmocka_unit_test(gaps_are_positive_and_ordered),
        cmocka_unit_test(every_kind_of_model_is_found_again),
        cmocka_unit_test(models_and_particles_come_back_from_files),
        cmocka_unit_test(older_files_predict_and_have_no_gap),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(other_rows_and_other_priors_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
