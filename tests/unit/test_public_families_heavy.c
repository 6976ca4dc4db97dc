/* On the public data sets a larger family never ends with a higher free energy, whatever the loss.
 */
#include "unit/public_data.h"
#include "unit/zero_prior.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const gbs_family families[] = {GBS_FAMILY_ISOTROPIC, GBS_FAMILY_DIAGONAL, GBS_FAMILY_FULL};

static double free_energy(gbs_context *ctx, const gbs_data *data, gbs_loss loss, gbs_family family,
                          double lambda, double prior_sd) {
    gbs_fit_settings options = zero_prior_options();
    gbs_model *model;
    gbs_model_info info;
    options.loss = loss;
    options.family = family;
    options.lambda = lambda;
    options.prior_sd = prior_sd;
    assert_int_equal(gbs_fit_run(ctx, data, &options, &model), GBS_OK);
    info = *gbs_model_get_info(model);
    assert_true(info.converged);
    gbs_model_free(model);
    return info.free_energy;
}

static void check_set(const char *name, const char *positive) {
    struct public_set set = {0};
    gbs_context *ctx;
    gbs_data *data;
    if (!public_load(name, positive, &set))
        skip();
    assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    const gbs_design *d = &set.design;
    assert_int_equal(gbs_data_dense(ctx, d->n, d->d, d->cells, d->stride, d->y, GBS_BORROW, &data),
                     GBS_OK);
    for (gbs_loss loss = GBS_LOSS_ZERO_ONE; loss <= GBS_LOSS_EXPONENTIAL; loss++)
        for (int quarters = 1; quarters <= 4; quarters += 3) {
            double last = INFINITY, share = 0.25 * quarters;
            for (size_t k = 0; k < 3; k++) {
                double f = free_energy(ctx, data, loss, families[k], share * (double)d->n, 1.0);
                print_message("%-24s %-11s lambda %-6g %-9s F = %.6f\n", name, gbs_loss_name(loss),
                              share * (double)d->n, gbs_family_name(families[k]), f);
                assert_true(f <= last + 1e-8 * fabs(f));
                last = f;
            }
        }
    gbs_data_free(data);
    gbs_context_free(ctx);
    public_free(&set);
}

static void larger_family_is_never_worse_on_pima(void **state) {
    (void)state;
    check_set("pima/train.csv", NULL);
}

static void larger_family_is_never_worse_on_breast(void **state) {
    (void)state;
    check_set("breast/breast_complete.csv", NULL);
}

static void larger_family_is_never_worse_on_german(void **state) {
    (void)state;
    check_set("german/german.csv", NULL);
}

static void larger_family_is_never_worse_on_dna(void **state) {
    (void)state;
    check_set("dna/train.csv", "ie");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_family_is_never_worse_on_pima),
        cmocka_unit_test(larger_family_is_never_worse_on_breast),
        cmocka_unit_test(larger_family_is_never_worse_on_german),
        cmocka_unit_test(larger_family_is_never_worse_on_dna),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
