/* Certificates as a model keeps them: their words, and the numbers of the posterior that they need.
 */
#include "model/model.h"

#include "core/check.h"

#include <math.h>

/* In the order of the bits in model.h. */
static const struct {
    const char *text;
    int breaks;
} assumptions[] = {
    {"rows are independent draws from one distribution", 0},
    {"lambda was fixed before the rows were seen", 0},
    {"prior_sd was fixed before the rows were seen", 0},
    {"NOT MET: columns were standardised with constants from the certified rows (unit-row or "
     "none would keep it valid)",
     1},
    {"NOT MET: what the columns are (levels of text columns, number of svmlight features) was "
     "learned from the certified rows",
     1},
    {"NOT MET: lambda was chosen on the certified rows", 1},
    {"NOT MET: prior_sd was chosen on the certified rows", 1},
    {"the prior, the scaling and all that was chosen come from a first part of the rows, split "
     "off at random",
     0},
    {"each stage, and all that was chosen, comes from rows before those it was tested on, in "
     "random order",
     0},
    {"rows are no longer than the declared c_x (longer ones are shortened, in training and "
     "prediction alike)",
     0},
    {"lambda was chosen from a grid declared in advance, whose price is paid", 0},
    {"NOT MET: the split was stratified by label, so the certified rows depend on the first part",
     1},
    {"NOT MET: c_x is the longest row of the data, which bounds no other row", 1},
    {"NOT MET: the method was chosen after a look at the certified rows, without a union bound", 1},
    {"the labels are taken as given: positive rows are draws from one distribution, negative "
     "rows from another",
     0},
    {"prior_sd was chosen from a grid declared in advance, whose price is paid", 0},
    {"the predictor, its calibration and all that was chosen come from rows before the last "
     "block, in an order that is random as far as the rows know: their order in the file is "
     "exchangeable, or the seed was drawn at random, or the hash of the rows acts as a random "
     "function and many different tables could have come; the seed was not chosen by its result",
     0},
    {"rows had weights in training, which shape the predictor; the certificate is about rows as "
     "they come, each counted once",
     0},
    {"rows with a missing value were left out: the certificate is about complete rows", 0},
    {"groups of rows are independent draws from one distribution, rows of one group need not "
     "be; the certificate is about the mean over groups of what it says of their rows",
     0},
    {"the predictor, its calibration and all that was chosen come from the earlier rows of the "
     "file; the latest, which tested it, are independent draws like the rows to come, given the "
     "earlier ones",
     0},
    {"NOT MET: the predictor that is deployed was fitted again to all rows, those that tested "
     "among them; what is certified is the one before, which learned from the others alone",
     1},
    {"a row counts by its weight, and no row, of those to come either, has a weight above the "
     "declared largest one, which was fixed before the rows were seen",
     0},
    {"the draws are random: the seed was drawn at random, or the hash of the rows in the order of "
     "the file acts as a random function and many different files could have come",
     0},
    {"rows of weight 0 were left out: the certificate is about rows of a weight above 0", 0},
    {"NOT MET: the fit began at a model that may have seen the certified rows, and stopped "
     "before its optimum was proven",
     1},
    {"the labels are taken as given: the rows of each class are draws from a distribution of "
     "its own",
     0},
    {"NOT MET: that too few rows of a class came first to learn from them and test on the others "
     "was seen in the labels of certified rows (the zero prior, asked for before, would keep "
     "it valid)",
     1},
    {"NOT MET: the rows are of few kinds, with many exact copies of each, and the file is sorted, "
     "or in another order that chance does not make: the seed and the hash of one of so few "
     "different tables cannot stand for chance (put the rows of the file in a random order, once, "
     "and fit again)",
     1},
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
    case GBS_TARGET_PRIOR_VOTE:
        return "prior-vote";
    case GBS_TARGET_MIXTURE:
        return "mixture";
    case GBS_TARGET_RECALL:
        return "recall";
    case GBS_TARGET_COST:
        return "cost";
    case GBS_TARGET_BRIER:
        return "brier";
    case GBS_TARGET_AUC:
        return "auc";
    case GBS_TARGET_WEIGHTED:
        return "weighted";
    }
    return NULL;
}

const char *gbs_risk_name(gbs_risk risk) {
    switch (risk) {
    case GBS_RISK_ERROR:
        return "error";
    case GBS_RISK_AUC:
        return "1-auc";
    case GBS_RISK_PAIRS:
        return "pairs";
    case GBS_RISK_COST:
        return "cost";
    case GBS_RISK_BRIER:
        return "brier";
    }
    return NULL;
}

size_t gbs_model_certificates(const gbs_model *model) {
    return model != NULL ? model->certificates_size : 0;
}

const gbs_certificate *gbs_model_certificate(const gbs_model *model, size_t k) {
    return k < gbs_model_certificates(model) ? &model->certificates[k] : NULL;
}

void gbs_stage_spread(const gbs_stage *stage, double *trace, double *log_det) {
    const gbs_gaussian *g = &stage->posterior;
    size_t d = g->d, size = stage->dual.rank > 0 ? stage->dual.rank : d;
    double v = stage->info.prior_sd * stage->info.prior_sd;
    const double *factor = stage->dual.rank > 0 ? stage->dual.factor : g->factor;
    /* off the row space a dual posterior is the prior */
    *trace = v * (double)(d - size);
    *log_det = log(v) * (double)(d - size);
    for (size_t k = 0; k < size; k++) {
        double sd = factor != NULL ? factor[k * size + k] : g->sd[g->tau != NULL ? k : 0];
        *trace += factor != NULL ? gbs_dot(size - k, factor + k * size + k, factor + k * size + k)
                                 : sd * sd;
        *log_det += 2.0 * log(sd);
    }
}
