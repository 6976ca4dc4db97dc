/* Options that exclude or need one another, of commands that know no task; those of a fit are in
 * fit/contradictions.c. What depends on the data is checked where the data is.
 */
#include "options/options.h"

#include <string.h>

static bool is_given(const gbs_options *o, const char *name) {
    return gbs_options_given(o, name) != 0;
}

static bool is_choice(const gbs_options *o, const char *name, const char *choice) {
    const char *text = gbs_options_get(o, name);
    return text != NULL && strcmp(text, choice) == 0;
}

/* The first of the names that is given; NULL: none. */
static const char *first_given(const gbs_options *o, const char *const *names) {
    for (; *names != NULL; names++)
        if (is_given(o, *names))
            return *names;
    return NULL;
}

#define REFUSE(...) return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, __VA_ARGS__)

static gbs_status check_sample(const gbs_options *o) {
    if (is_given(o, "classic") && is_given(o, "waste-free"))
        REFUSE("`classic` and `waste-free` exclude each other");
    if (is_given(o, "classic") && is_given(o, "chains"))
        REFUSE("`chains` is for `waste-free`: with `classic` every particle is one");
    return GBS_OK;
}

/* What only one of the two models of a matrix has. */
static gbs_status check_model(const gbs_options *o) {
    static const char *const of_paper[] = {"lambda", "lambda-grid", "select",   "folds", "noise",
                                           "prior",  "no-biases",   "restarts", NULL};
    gbs_complete_settings s;
    gbs_complete_settings_from(o, &s);
    bool paper = s.model == GBS_COMPLETION_PAPER;
    if (paper && is_given(o, "positions"))
        REFUSE("`positions` is for `model` hierarchical%s",
               is_given(o, "model") ? "" : "; give `model` as well");
    if (!paper && first_given(o, of_paper) != NULL)
        REFUSE("`%s` is for `model` paper", first_given(o, of_paper));
    if (!paper && s.sampler == GBS_SAMPLER_GIBBS)
        REFUSE("`sampler` gibbs is for `model` paper");
    return GBS_OK;
}

static gbs_status check_complete(const gbs_options *o) {
    static const char *const draws[] = {"draws", "burn-in", "keep", NULL};
    static const char *const choice[] = {"folds", "lambda-grid", NULL};
    static const char *const noise[] = {"lambda", "noise", NULL};
    bool cv = is_choice(o, "select", "cv"), gibbs = is_choice(o, "sampler", "gibbs");
    bool informed = is_choice(o, "prior", "informed");
    if (is_given(o, "lambda") && is_given(o, "noise"))
        REFUSE("`lambda` and `noise` say the same thing; give one of them");
    if (cv && first_given(o, noise) != NULL)
        REFUSE("`select` cv chooses the noise; leave `%s` out", first_given(o, noise));
    if (!cv && first_given(o, choice) != NULL)
        REFUSE("`%s` is for `select` cv", first_given(o, choice));
    if (!gibbs && first_given(o, draws) != NULL)
        REFUSE("`%s` is for `sampler` gibbs", first_given(o, draws));
    if (gibbs && informed)
        REFUSE("`prior` informed is for certificates, which draws of a sampler do not have");
    if (informed && !is_given(o, "range"))
        REFUSE("`prior` informed is for a certificate, which needs `range`");
    if (is_given(o, "prior-split") && !informed)
        REFUSE("`prior-split` is for `prior` informed");
    return check_model(o);
}

static gbs_status check_theory(const gbs_options *o) {
    int sides = is_given(o, "rows") + is_given(o, "cols") + is_given(o, "rank");
    if (sides != 0 && sides != 3)
        REFUSE("`rows`, `cols` and `rank` come together");
    return GBS_OK;
}

gbs_status gbs_options_check_plain(const gbs_options *o) {
    if (o == NULL)
        return GBS_OK;
    switch (o->command) {
    case GBS_FOR_SAMPLE:
    case GBS_FOR_GAP:
        return check_sample(o);
    case GBS_FOR_COMPLETE:
        return check_complete(o);
    case GBS_FOR_THEORY:
        return check_theory(o);
    default:
        return GBS_OK;
    }
}
