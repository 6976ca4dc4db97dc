/* Options that exclude or need one another. What depends on the data is checked where the data is.
 */
#include "options/options.h"
#include "options/parts.h"

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

static gbs_status exclude(const gbs_options *o, const char *a, const char *b) {
    if (!is_given(o, a) || !is_given(o, b))
        return GBS_OK;
    return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, "`%s` and `%s` exclude each other", a, b);
}

#define REFUSE(...) return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, __VA_ARGS__)

/* ---------------------------------------------------------------- fit and cv */

static gbs_status check_search(const gbs_options *o) {
    static const char *const sgd[] = {"batch", "epochs", "schedule", NULL};
    const char *name = first_given(o, sgd);
    gbs_status status = exclude(o, "lambda", "lambda-grid");
    if (status == GBS_OK)
        status = exclude(o, "prior-sd", "prior-grid");
    if (status == GBS_OK && name != NULL && !is_choice(o, "solver", "sgd"))
        REFUSE("`%s` needs `solver` sgd", name);
    return status;
}

static gbs_status check_ways(const gbs_options *o) {
    bool cv = is_choice(o, "select", "cv");
    if (is_given(o, "restarts") && is_given(o, "lambda-grid") && !cv)
        REFUSE("`restarts` and `lambda-grid` exclude each other: restarts go straight to `lambda`");
    if (is_given(o, "restarts") && is_choice(o, "solver", "sgd"))
        REFUSE("`restarts` and `solver` sgd exclude each other");
    if (is_given(o, "form") && !is_choice(o, "family", "auto") && !is_choice(o, "family", "full"))
        REFUSE("`form` is for `family` full");
    if (is_given(o, "folds") && !cv)
        REFUSE("`folds` needs `select` cv");
    if (cv && !is_given(o, "lambda-grid") && !is_given(o, "prior-grid"))
        REFUSE("`select` cv needs `lambda-grid` or `prior-grid` to choose from");
    return GBS_OK;
}

static gbs_status check_ranking(const gbs_options *o, const gbs_fit_settings *s) {
    if (s->task != GBS_TASK_RANK) {
        if (is_given(o, "pairs"))
            REFUSE("`pairs` needs `task` rank");
        return GBS_OK;
    }
    if (is_given(o, "pairs") && (is_given(o, "lambda-grid") || is_given(o, "prior-grid")))
        REFUSE("`pairs` certifies one posterior; it does not choose from a grid");
    if (s->loss == GBS_LOSS_EXPONENTIAL)
        REFUSE("`task` rank has the losses zero-one and hinge");
    if (s->form == GBS_FORM_DUAL)
        REFUSE("`task` rank has no dual form");
    if (s->bound == GBS_BOUND_PROGRESSIVE)
        REFUSE("`task` rank has the bounds kl, catoni, hoeffding and paper");
    if (is_given(o, "stratify"))
        REFUSE("`task` rank is certified given the labels; `stratify` is for `task` classify");
    return GBS_OK;
}

/* What is about the prior of mean zero. */
static gbs_status check_zero(const gbs_options *o, const gbs_fit_settings *s) {
    static const char *const not_paper[] = {"lambda", "lambda-grid", "prior-sd", "prior-grid",
                                            "bound",  "select",      NULL};
    const char *name = first_given(o, not_paper);
    if (s->paper && name != NULL)
        REFUSE("`paper` sets lambda, prior sd and bound; `%s` would change them", name);
    if (s->prior != GBS_PRIOR_INFORMED)
        return GBS_OK;
    if (s->paper)
        REFUSE("`paper` is for `prior` zero");
    if (s->restarts > 0)
        REFUSE("`restarts` is for `prior` zero");
    if (s->select == GBS_SELECT_CV)
        REFUSE("`select` cv is for `prior` zero");
    return GBS_OK;
}

static gbs_status check_certificate(const gbs_options *o, const gbs_fit_settings *s) {
    bool cv = s->select == GBS_SELECT_CV, informed = s->prior == GBS_PRIOR_INFORMED;
    bool grid = is_given(o, "lambda-grid") || is_given(o, "prior-grid");
    bool progressive = gbs_is_progressive(s);
    gbs_status status = check_zero(o, s);
    if (status != GBS_OK)
        return status;
    if (progressive && grid && !cv)
        REFUSE("`bound` progressive tests its rows once and cannot choose from a grid by them");
    if (is_given(o, "blocks") && !progressive)
        REFUSE("`blocks` needs `bound` progressive%s", grid ? "; with a grid, auto means kl" : "");
    if ((is_given(o, "prior-split") || is_given(o, "stratify")) && !informed && !progressive)
        REFUSE("`%s` needs `prior` informed or `bound` progressive",
               is_given(o, "stratify") ? "stratify" : "prior-split");
    if (s->select == GBS_SELECT_LAST && is_given(o, "prior-grid"))
        REFUSE("`prior-grid` needs `select` bound or cv");
    if (s->select == GBS_SELECT_BOUND && is_given(o, "select") && !grid)
        REFUSE("`select` bound needs `lambda-grid` or `prior-grid` to choose from");
    return GBS_OK;
}

static gbs_status check_fit(const gbs_options *o) {
    gbs_fit_settings s;
    gbs_fit_settings_from(o, &s);
    gbs_status status = check_ways(o);
    if (status == GBS_OK)
        status = check_search(o);
    if (status == GBS_OK)
        status = check_ranking(o, &s);
    return status == GBS_OK ? check_certificate(o, &s) : status;
}

/* ---------------------------------------------------------------- sample, gap, complete, theory */

static gbs_status check_sample(const gbs_options *o) {
    if (is_given(o, "classic") && is_given(o, "waste-free"))
        REFUSE("`classic` and `waste-free` exclude each other");
    if (is_given(o, "classic") && is_given(o, "chains"))
        REFUSE("`chains` is for `waste-free`: with `classic` every particle is one");
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
    return GBS_OK;
}

static gbs_status check_theory(const gbs_options *o) {
    int sides = is_given(o, "rows") + is_given(o, "cols") + is_given(o, "rank");
    if (sides != 0 && sides != 3)
        REFUSE("`rows`, `cols` and `rank` come together");
    return GBS_OK;
}

gbs_status gbs_options_check(const gbs_options *o) {
    if (o == NULL)
        return GBS_OK;
    switch (o->command) {
    case GBS_FOR_FIT:
        return check_fit(o);
    case GBS_FOR_CV:
        return check_search(o);
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
