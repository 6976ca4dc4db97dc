/* The entries, registered: R finds nothing else here. */
#include "native.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, count)                                                                         \
    { "C_" #name, (DL_FUNC)(void (*)(void))gbsr_##name, count }

static const R_CallMethodDef entries[] = {
    ENTRY(dense, 3),
    ENTRY(csr, 5),
    ENTRY(train, 5),
    ENTRY(apply, 4),
    ENTRY(shape, 1),
    ENTRY(looked, 2),
    ENTRY(weights, 2),
    ENTRY(groups, 2),
    ENTRY(classes, 3),
    ENTRY(costs, 2),
    ENTRY(set_split, 2),
    ENTRY(split, 3),
    ENTRY(fit, 4),
    ENTRY(describe, 1),
    ENTRY(to_json, 1),
    ENTRY(from_json, 1),
    ENTRY(recipe, 1),
    ENTRY(set_recipe, 2),
    ENTRY(write, 2),
    ENTRY(load, 1),
    ENTRY(classify, 3),
    ENTRY(predict, 3),
    ENTRY(classify_many, 3),
    ENTRY(linear, 1),
    ENTRY(alive, 1),
    ENTRY(sample, 5),
    ENTRY(sample_draws, 1),
    ENTRY(sample_recipe, 1),
    ENTRY(sample_set_recipe, 2),
    ENTRY(sample_predict, 3),
    ENTRY(sample_from_json, 1),
    ENTRY(problems, 1),
    ENTRY(gap, 4),
    ENTRY(complete, 5),
    ENTRY(completion_ids, 1),
    ENTRY(completion_predict, 4),
    ENTRY(completion_quantiles, 5),
    ENTRY(completion_top, 5),
    ENTRY(completion_from_json, 1),
    ENTRY(report, 2),
    ENTRY(theory, 1),
    ENTRY(random, 5),
    ENTRY(simulated, 0),
    ENTRY(options, 1),
    ENTRY(version, 0),
    ENTRY(interrupt, 0),
    {NULL, NULL, 0},
};

void attribute_visible R_init_gibbsite(DllInfo *dll) {
    R_registerRoutines(dll, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
