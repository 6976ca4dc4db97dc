/* Sampling on the public data sets: the measured gap of every family, and test errors beside those
 * of the full-covariance fit. */
#include "core/random.h"
#include "unit/public_data.h"
#include "unit/support.h"
#include "unit/zero_prior.h"

static const char *const sets[] = {"pima/train.csv", "breast/breast_complete.csv",
                                   "german/german.csv"};

static gbs_data *data_of(gbs_context *ctx, const struct public_set *set) {
    const gbs_design *d = &set->design;
    gbs_data *data;
    assert_ok(ctx, gbs_data_dense(ctx, d->n, d->d, d->cells, d->stride, d->y, GBS_BORROW, &data));
    return data;
}

/* Gaps of isotropic, diagonal and full fits; the error is log Z's. */
static double gaps(gbs_context *ctx, const gbs_data *data, gbs_loss loss, double lambda,
                   double gap[3]) {
    static const gbs_family families[] = {GBS_FAMILY_ISOTROPIC, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_FULL};
    gbs_sample_settings o = gbs_sample_settings_default();
    gbs_particles *p;
    gbs_gap g = {0};
    o.loss = loss;
    o.lambda = lambda;
    assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
    for (size_t k = 0; k < 3; k++) {
        gbs_fit_settings f = zero_prior_options();
        f.loss = loss;
        f.lambda = lambda;
        f.family = families[k];
        gbs_model *model = fit(ctx, data, &f);
        assert_ok(ctx, measure_gap(ctx, data, model, p, &g));
        gap[k] = g.gap;
        gbs_model_free(model);
    }
    gbs_particles_free(p);
    return g.gap_sd;
}

/* Positive within 5 of the reported errors (those are within a factor 1.5), and full <= diagonal <=
 * isotropic. */
static void gaps_are_positive_and_ordered(void **state) {
    (void)state;
    gbs_context *ctx = new_context(0, 1);
    for (size_t s = 0; s < COUNT(sets); s++) {
        struct public_set set = {0};
        if (!public_load(sets[s], NULL, &set))
            skip();
        gbs_data *data = data_of(ctx, &set);
        for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_HINGE; loss++) {
            double lambda = 0.5 * (double)set.design.n, gap[3],
                   sd = gaps(ctx, data, loss, lambda, gap);
            print_message("# %-26s %-8s lambda %-5g gap: isotropic %.3f, diagonal %.3f, full %.3f, "
                          "all +- %.3f\n",
                          sets[s], gbs_loss_name(loss), lambda, gap[0], gap[1], gap[2], sd);
            assert_true(gap[2] > -5.0 * 1.5 * sd);
            assert_true(gap[2] <= gap[1] + 1e-6 * lambda && gap[1] <= gap[0] + 1e-6 * lambda);
        }
        gbs_data_free(data);
        public_free(&set);
    }
    gbs_context_free(ctx);
}

/* The same under informed priors: on the certified rows, and of every stage of the default fit. */
static void informed_gaps_are_positive_and_ordered(void **state) {
    (void)state;
    static const gbs_family families[] = {GBS_FAMILY_FULL, GBS_FAMILY_DIAGONAL,
                                          GBS_FAMILY_ISOTROPIC};
    gbs_context *ctx = new_context(0, 1);
    gbs_sample_settings o = gbs_sample_settings_default();
    for (size_t s = 0; s < COUNT(sets); s++)
        for (int single = 0; single < 2; single++) {
            struct public_set set = {0};
            gbs_model *model[3];
            if (!public_load(sets[s], NULL, &set))
                skip();
            gbs_data *data = data_of(ctx, &set);
            for (size_t k = 0; k < 3; k++) {
                gbs_fit_settings f = gbs_fit_settings_default();
                f.bound = single ? GBS_BOUND_KL : GBS_BOUND_AUTO;
                f.family = families[k];
                model[k] = fit(ctx, data, &f);
            }
            for (size_t t = 0; t < gbs_model_stages(model[0]); t++) {
                gbs_gap gap[3];
                gbs_particles *p;
                assert_ok(ctx, gbs_sample_run_for(ctx, data, model[0], t, &o, &p));
                for (size_t k = 0; k < 3; k++)
                    assert_ok(ctx, measure_gap(ctx, data, model[k], p, &gap[k]));
                print_message("# %-26s %s, stage %zu, gap: isotropic %.3f, diagonal %.3f, full "
                              "%.3f, all +- %.3f\n",
                              sets[s], single ? "kl" : "default", t + 1, gap[2].gap, gap[1].gap,
                              gap[0].gap, gap[0].gap_sd);
                assert_true(gap[0].gap > -5.0 * 1.5 * gap[0].gap_sd);
                assert_true(gap[0].gap <= gap[1].gap + 1e-4 && gap[1].gap <= gap[2].gap + 1e-4);
                gbs_particles_free(p);
            }
            for (size_t k = 0; k < 3; k++)
                gbs_model_free(model[k]);
            gbs_data_free(data);
            public_free(&set);
        }
    gbs_context_free(ctx);
}

static void the_gap_vanishes_with_lambda(void **state) {
    (void)state;
    gbs_context *ctx = new_context(0, 1);
    for (size_t s = 0; s < COUNT(sets); s++) {
        struct public_set set = {0};
        if (!public_load(sets[s], NULL, &set))
            skip();
        gbs_data *data = data_of(ctx, &set);
        for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_HINGE; loss++) {
            double gap[3], sd = gaps(ctx, data, loss, 0.01, gap);
            print_message("# %-26s %-8s lambda 0.01 gap: isotropic %.2e, diagonal %.2e, full %.2e, "
                          "all +- %.1e\n",
                          sets[s], gbs_loss_name(loss), gap[0], gap[1], gap[2], sd);
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(gap[k]) < 0.005 + 7.5 * sd);
            assert_true(sd < 0.01);
        }
        gbs_data_free(data);
        public_free(&set);
    }
    gbs_context_free(ctx);
}

/* One split: 80 % of the rows to learn from; errors of the fit's vote and of the particles' vote on
 * the rest. */
static void split(gbs_context *ctx, const gbs_design *d, gbs_loss loss, uint64_t number,
                  double error[2]) {
    size_t *order = take(d->n, sizeof *order), train = 4 * d->n / 5;
    for (size_t i = 0; i < d->n; i++)
        order[i] = i;
    gbs_shuffle(99, number, d->n, order);
    struct picked a = public_pick(ctx, d, order, train),
                  b = public_pick(ctx, d, order + train, d->n - train);
    gbs_fit_settings f = zero_prior_options();
    gbs_sample_settings o = gbs_sample_settings_default();
    gbs_evaluation e;
    gbs_particles *p;
    f.loss = o.loss = loss;
    o.particles = 1000;
    f.lambda = o.lambda = 0.5 * (double)train;
    f.family = GBS_FAMILY_FULL;
    gbs_model *model = fit(ctx, a.data, &f);
    assert_ok(ctx, evaluate_model(ctx, model, b.data, &e));
    error[0] = e.error;
    assert_ok(ctx, gbs_sample_run(ctx, a.data, &o, &p));
    assert_ok(ctx, evaluate_particles(ctx, p, b.data, &e));
    error[1] = e.error;
    gbs_model_free(model);
    gbs_particles_free(p);
    picked_free(&a);
    picked_free(&b);
    free(order);
}

/* The paper's claim, measured: over 10 splits the mean errors differ by less than the standard
 * error of either. */
static void the_vote_errs_like_the_full_fit(void **state) {
    (void)state;
    enum { SPLITS = 10 };
    gbs_context *ctx = new_context(0, 1);
    for (size_t s = 0; s < COUNT(sets); s++) {
        struct public_set set = {0};
        if (!public_load(sets[s], NULL, &set))
            skip();
        for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_HINGE; loss++) {
            double error[SPLITS][2], mean[2] = {0}, square[2] = {0}, se[2];
            for (size_t k = 0; k < SPLITS; k++) {
                split(ctx, &set.design, loss, k, error[k]);
                for (size_t m = 0; m < 2; m++)
                    mean[m] += error[k][m] / SPLITS;
            }
            for (size_t m = 0; m < 2; m++) {
                for (size_t k = 0; k < SPLITS; k++)
                    square[m] += (error[k][m] - mean[m]) * (error[k][m] - mean[m]);
                se[m] = sqrt(square[m] / (SPLITS - 1) / SPLITS);
            }
            print_message("# %-26s %-8s test error over 10 splits: full fit %.2f %% (se %.2f), "
                          "particles %.2f %% (se %.2f)\n",
                          sets[s], gbs_loss_name(loss), 100.0 * mean[0], 100.0 * se[0],
                          100.0 * mean[1], 100.0 * se[1]);
            assert_at_most(fabs(mean[0] - mean[1]), fmax(se[0], se[1]));
        }
        public_free(&set);
    }
    gbs_context_free(ctx);
}

/* A target hundreds of temperatures away: the path is long, log Z still agrees with the bound that
 * the full fit gives. */
static void hundreds_of_temperatures_end_well(void **state) {
    (void)state;
    gbs_context *ctx = new_context(0, 1);
    struct public_set set = {0};
    if (!public_load("pima/train.csv", NULL, &set))
        skip();
    gbs_data *data = data_of(ctx, &set);
    gbs_sample_settings o = gbs_sample_settings_default();
    gbs_fit_settings f = zero_prior_options();
    gbs_particles *p;
    gbs_gap g;
    size_t count;
    o.loss = f.loss = GBS_LOSS_EXPONENTIAL;
    o.lambda = f.lambda = 1000.0;
    o.prior_sd = f.prior_sd = 10.0;
    o.ess = 0.98;
    o.particles = 400;
    f.family = GBS_FAMILY_FULL;
    assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
    count = gbs_particles_path_size(p);
    gbs_model *model = fit(ctx, data, &f);
    assert_ok(ctx, measure_gap(ctx, data, model, p, &g));
    print_message("# %zu temperatures; gap %.3f +- %.3f\n", count - 1, g.gap, g.gap_sd);
    assert_true(count > 200);
    assert_true(g.gap > -7.5 * g.gap_sd && g.gap < 2.0 + 7.5 * g.gap_sd);
    gbs_model_free(model);
    gbs_particles_free(p);
    gbs_data_free(data);
    public_free(&set);
    gbs_context_free(ctx);
}

/* ---------------------------------------------------------------- standard errors */

struct spread {
    double sd, reported; /* of log Z over the runs; root mean square of what they report */
    size_t at_least;     /* runs that call it a lower bound */
};

static struct spread spread_of(const char *name, gbs_sample_settings o, size_t runs) {
    double sum = 0.0, square = 0.0, reported = 0.0;
    struct spread s = {0};
    struct public_set set = {0};
    if (!public_load(name, NULL, &set))
        skip();
    for (size_t k = 0; k < runs; k++) {
        gbs_context *ctx = new_context(1, 1000 + k);
        gbs_data *data = data_of(ctx, &set);
        gbs_particles *p;
        assert_ok(ctx, gbs_sample_run(ctx, data, &o, &p));
        const gbs_sample_info *info = gbs_particles_get_info(p);
        sum += info->log_z;
        square += info->log_z * info->log_z;
        reported += info->log_z_sd * info->log_z_sd / (double)runs;
        s.at_least += info->log_z_sd_at_least != 0;
        gbs_particles_free(p);
        gbs_data_free(data);
        gbs_context_free(ctx);
    }
    public_free(&set);
    s.sd = sqrt((square - sum * sum / (double)runs) / (double)(runs - 1));
    s.reported = sqrt(reported);
    print_message("# %-16s %-8s %-10s lambda %4g, %4zu particles: log Z spreads by %.3f over %zu "
                  "runs, reported %.3f (at least: %zu "
                  "runs)\n",
                  name, gbs_loss_name(o.loss), o.classic ? "classic" : "waste-free", o.lambda,
                  o.particles, s.sd, runs, s.reported, s.at_least);
    return s;
}

/* Within a factor 1.5, or called a lower bound. 40 runs know a spread to 11 %. */
static void the_reported_error_is_the_spread_or_a_lower_bound(void **state) {
    (void)state;
    static const struct {
        const char *name;
        gbs_loss loss;
        double lambda;
        size_t particles;
        int classic, moves;
    } told[] = {{"german/german.csv", GBS_LOSS_ZERO_ONE, 200.0, 500, 0, 0},
                {"german/german.csv", GBS_LOSS_HINGE, 200.0, 500, 0, 0},
                {"pima/train.csv", GBS_LOSS_ZERO_ONE, 200.0, 1000, 0, 0},
                {"pima/train.csv", GBS_LOSS_ZERO_ONE, 100.0, 1000, 1, 5},
                {"pima/train.csv", GBS_LOSS_HINGE, 100.0, 1000, 1, 20}},
      hidden[] = {{"german/german.csv", GBS_LOSS_HINGE, 500.0, 500, 1, 5},
                  {"pima/train.csv", GBS_LOSS_ZERO_ONE, 1000.0, 2000, 0, 0}};
    gbs_sample_settings o = gbs_sample_settings_default();
    for (size_t k = 0; k < COUNT(told); k++) {
        o.loss = told[k].loss, o.lambda = told[k].lambda, o.particles = told[k].particles;
        o.classic = told[k].classic, o.moves = (size_t)told[k].moves;
        struct spread s = spread_of(told[k].name, o, 40);
        assert_true(s.reported < 1.5 * s.sd && s.sd < 1.5 * s.reported && s.at_least <= 20);
    }
    for (size_t k = 0; k < COUNT(hidden); k++) {
        o.loss = hidden[k].loss, o.lambda = hidden[k].lambda, o.particles = hidden[k].particles;
        o.classic = hidden[k].classic, o.moves = (size_t)hidden[k].moves;
        struct spread s = spread_of(hidden[k].name, o, 12);
        assert_true(s.reported < 1.5 * s.sd && s.at_least >= 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_positive_and_ordered),
        cmocka_unit_test(informed_gaps_are_positive_and_ordered),
        cmocka_unit_test(the_gap_vanishes_with_lambda),
        cmocka_unit_test(the_vote_errs_like_the_full_fit),
        cmocka_unit_test(hundreds_of_temperatures_end_well),
        cmocka_unit_test(the_reported_error_is_the_spread_or_a_lower_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
