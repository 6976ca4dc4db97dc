/* Certificates as a model keeps them: their words, and the numbers of the posterior that they need. */
#include "model/model.h"

#include <math.h>

/* In the order of the bits in model.h. */
static const struct {
    const char *text;
    int breaks;
} assumptions[] = {
    {"rows are independent draws from one distribution", 0},
    {"lambda was fixed before the rows were seen", 0},
    {"prior_sd was fixed before the rows were seen", 0},
    {"NOT MET: columns were standardised with constants from the certified rows (unit-row or none would keep it valid)", 1},
    {"NOT MET: the levels of text columns were learned from the certified rows", 1},
    {"NOT MET: lambda was chosen on the certified rows", 1},
    {"NOT MET: prior_sd was chosen on the certified rows", 1},
};

const char *gbs_assumption_text(unsigned k, int *breaks) {
    if (k >= sizeof assumptions / sizeof *assumptions)
        return NULL;
    if (breaks != NULL)
        *breaks = assumptions[k].breaks;
    return assumptions[k].text;
}

const char *gbs_target_name(gbs_target target) {
    switch (target) {
    case GBS_TARGET_GIBBS:
        return "gibbs";
    case GBS_TARGET_VOTE:
        return "vote";
    }
    return NULL;
}

const char *gbs_bound_name(gbs_bound bound) {
    switch (bound) {
    case GBS_BOUND_AUTO:
        return "auto";
    case GBS_BOUND_KL:
        return "kl";
    case GBS_BOUND_CATONI:
        return "catoni";
    case GBS_BOUND_HOEFFDING:
        return "hoeffding";
    case GBS_BOUND_PAPER:
        return "paper";
    }
    return NULL;
}

const gbs_certificate *gbs_model_certificates(const gbs_model *model, size_t *count) {
    *count = model->certificates_size;
    return model->certificates;
}

void gbs_model_spread(const gbs_model *model, double *trace, double *log_det) {
    const gbs_gaussian *g = &model->posterior;
    size_t d = model->info.d, size = model->info.dual ? model->dual.rank : d;
    double v = model->info.prior_sd * model->info.prior_sd;
    const double *factor = model->info.dual ? model->dual.factor : g->factor;
    /* off the row space a dual posterior is the prior */
    *trace = v * (double)(d - size);
    *log_det = log(v) * (double)(d - size);
    for (size_t k = 0; k < size; k++) {
        double sd = factor != NULL ? factor[k * size + k] : g->sd[g->family == GBS_FAMILY_DIAGONAL ? k : 0];
        *trace += factor != NULL ? gbs_dot(size - k, factor + k * size + k, factor + k * size + k) : sd * sd;
        *log_det += 2.0 * log(sd);
    }
}
