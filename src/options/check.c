/* Options that exclude or need one another, of commands that know no task; those of a fit are in
 * fit/contradictions.c. What depends on the data is checked where the data is.
 */
#include "options/options.h"

#include <string.h>

bool gbs_options_are(const gbs_options *o, const char *name, const char *choice) {
    const char *text = gbs_options_get(o, name);
    return text != NULL && strcmp(text, choice) == 0;
}

const char *gbs_options_first_given(const gbs_options *o, const char *const *names) {
    for (; *names != NULL; names++)
        if (gbs_options_given(o, *names))
            return *names;
    return NULL;
}

#define REFUSE(...) return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, __VA_ARGS__)

static gbs_status check_sample(const gbs_options *o) {
    if (gbs_options_are(o, "features", "auto"))
        REFUSE("`features` auto is chosen by a fit; name a map here");
    if (gbs_options_given(o, "classic") && gbs_options_given(o, "waste-free"))
        REFUSE("`classic` and `waste-free` exclude each other");
    if (gbs_options_given(o, "classic") && gbs_options_given(o, "chains"))
        REFUSE("`chains` is for `waste-free`: with `classic` every particle is one");
    return GBS_OK;
}

/* What only one of the two models of a matrix has. */
static gbs_status check_model(const gbs_options *o) {
    static const char *const of_paper[] = {"lambda",    "lambda-grid", "noise",
                                           "no-biases", "restarts",    NULL};
    gbs_complete_settings s;
    gbs_complete_settings_from(o, &s);
    bool paper = s.model == GBS_COMPLETION_PAPER;
    if (paper && gbs_options_given(o, "positions"))
        REFUSE("`positions` is for `model` hierarchical%s",
               gbs_options_given(o, "model") ? "" : "; give `model` as well");
    if (!paper && gbs_options_first_given(o, of_paper) != NULL)
        REFUSE("`%s` is for `model` paper", gbs_options_first_given(o, of_paper));
    if (s.zero_prior && !gbs_options_given(o, "range"))
        REFUSE("`prior` zero with `model` hierarchical is for a certificate, which needs `range`");
    if (s.zero_prior && s.positions == GBS_POSITIONS_ON)
        REFUSE("`prior` zero looks at no rating: `positions` on does");
    if (s.zero_prior && s.cross_validate)
        REFUSE("`prior` zero looks at no rating: `select` cv does");
    if (s.zero_prior && s.sampler == GBS_SAMPLER_GIBBS)
        REFUSE("`prior` zero is for a certificate, which draws of a sampler do not have");
    return GBS_OK;
}

static gbs_status check_complete(const gbs_options *o) {
    static const char *const draws[] = {"draws", "burn-in", "keep", NULL};
    static const char *const choice[] = {"folds", "lambda-grid", NULL};
    static const char *const noise[] = {"lambda", "noise", NULL};
    bool cv = gbs_options_are(o, "select", "cv"), gibbs = gbs_options_are(o, "sampler", "gibbs");
    bool informed = gbs_options_are(o, "prior", "informed");
    if (gbs_options_given(o, "lambda") && gbs_options_given(o, "noise"))
        REFUSE("`lambda` and `noise` say the same thing; give one of them");
    if (cv && gbs_options_first_given(o, noise) != NULL)
        REFUSE("`select` cv chooses the noise; leave `%s` out", gbs_options_first_given(o, noise));
    if (!cv && gbs_options_first_given(o, choice) != NULL)
        REFUSE("`%s` is for `select` cv", gbs_options_first_given(o, choice));
    if (!gibbs && gbs_options_first_given(o, draws) != NULL)
        REFUSE("`%s` is for `sampler` gibbs", gbs_options_first_given(o, draws));
    if (gibbs && informed)
        REFUSE("`prior` informed is for certificates, which draws of a sampler do not have");
    if (informed && !gbs_options_given(o, "range"))
        REFUSE("`prior` informed is for a certificate, which needs `range`");
    if (gbs_options_given(o, "prior-split") && !informed)
        REFUSE("`prior-split` is for `prior` informed");
    return check_model(o);
}

static gbs_status check_theory(const gbs_options *o) {
    int sides = gbs_options_given(o, "rows") + gbs_options_given(o, "cols") +
                gbs_options_given(o, "rank");
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
