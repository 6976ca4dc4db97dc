/* Names as the command line and the files spell them; NULL for a value out of range. */
#include "options/names.h"

#include "gibbsite.h"

#define ITEM(name) name,
#define NAME_OF(LIST, value)                                                                       \
    static const char *const names[] = {LIST(ITEM, ITEM)};                                         \
    return (unsigned)(value) < sizeof names / sizeof *names ? names[value] : NULL

const char *gbs_task_name(gbs_task_kind task) {
    NAME_OF(GBS_TASKS, task);
}

const char *gbs_loss_name(gbs_loss loss) {
    if (loss == GBS_LOSS_SOFTMAX)
        return "softmax";
    NAME_OF(GBS_LOSSES, loss);
}

const char *gbs_scheme_name(gbs_scheme scheme) {
    NAME_OF(GBS_SCHEMES, scheme);
}

const char *gbs_family_name(gbs_family family) {
    NAME_OF(GBS_FAMILIES, family);
}

const char *gbs_solver_name(gbs_solver solver) {
    NAME_OF(GBS_SOLVERS, solver);
}

const char *gbs_scale_name(gbs_scale scale) {
    NAME_OF(GBS_SCALES, scale);
}

const char *gbs_columns_name(gbs_columns columns) {
    NAME_OF(GBS_COLUMN_KINDS, columns);
}

const char *gbs_features_name(gbs_features features) {
    static const char *const names[] = {GBS_FEATURE_KINDS(ITEM, ITEM, ITEM)};
    if (features == GBS_FEATURES_AUTO)
        return "auto";
    return (unsigned)features < sizeof names / sizeof *names ? names[features] : NULL;
}

const char *gbs_prior_name(gbs_prior_kind prior) {
    NAME_OF(GBS_PRIORS, prior);
}

const char *gbs_bound_name(gbs_bound bound) {
    if (bound == GBS_BOUND_BINOMIAL)
        return "binomial";
    if (bound == GBS_BOUND_BETTING)
        return "betting";
    NAME_OF(GBS_BOUNDS, bound);
}

const char *gbs_move_name(gbs_move move) {
    NAME_OF(GBS_MOVES, move);
}

const char *gbs_completion_model_name(gbs_completion_model model) {
    NAME_OF(GBS_COMPLETION_MODELS, model);
}

const char *gbs_sampler_name(gbs_sampler sampler) {
    NAME_OF(GBS_SAMPLERS, sampler);
}
