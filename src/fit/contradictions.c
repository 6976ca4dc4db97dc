/* Options of a fit that exclude or need one another; what a task does not offer, the task says
 * itself. What depends on the data is checked where the data is.
 */
#include "fit/run.h"
#include "fit/split.h"
#include "options/options.h"
#include "task/task.h"

#include <string.h>

static gbs_status exclude(const gbs_options *o, const char *a, const char *b) {
    if (!gbs_options_given(o, a) || !gbs_options_given(o, b))
        return GBS_OK;
    return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, "`%s` and `%s` exclude each other", a, b);
}

#define REFUSE(...) return gbs_fail(o->ctx, GBS_ERR_ARGUMENT, __VA_ARGS__)

static gbs_status check_search(const gbs_options *o) {
    static const char *const sgd[] = {"batch", "epochs", "schedule", NULL};
    const char *name = gbs_options_first_given(o, sgd);
    gbs_status status = exclude(o, "lambda", "lambda-grid");
    if (status == GBS_OK)
        status = exclude(o, "prior-sd", "prior-grid");
    if (status == GBS_OK && name != NULL && !gbs_options_are(o, "solver", "sgd"))
        REFUSE("`%s` needs `solver` sgd", name);
    return status;
}

static gbs_status check_ways(const gbs_options *o) {
    bool cv = gbs_options_are(o, "select", "cv");
    if (gbs_options_given(o, "restarts") && gbs_options_given(o, "lambda-grid") && !cv)
        REFUSE("`restarts` and `lambda-grid` exclude each other: restarts go straight to `lambda`");
    if (gbs_options_given(o, "restarts") && gbs_options_are(o, "solver", "sgd"))
        REFUSE("`restarts` and `solver` sgd exclude each other");
    if (gbs_options_given(o, "form") && !gbs_options_are(o, "family", "auto") &&
        !gbs_options_are(o, "family", "full"))
        REFUSE("`form` is for `family` full");
    if (gbs_options_given(o, "folds") && !cv)
        REFUSE("`folds` needs `select` cv");
    if (cv && gbs_options_given(o, "lambda") && gbs_options_given(o, "prior-sd"))
        REFUSE("`select` cv has nothing to choose: `lambda` and `prior-sd` are given");
    return GBS_OK;
}

/* What is about the prior of mean zero. */
static gbs_status check_zero(const gbs_options *o, const gbs_fit_settings *s) {
    static const char *const not_paper[] = {"lambda", "lambda-grid", "prior-sd", "prior-grid",
                                            "bound",  "select",      NULL};
    const char *name = gbs_options_first_given(o, not_paper);
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
    bool grid = gbs_options_given(o, "lambda-grid") || gbs_options_given(o, "prior-grid");
    bool progressive = gbs_is_progressive(s);
    gbs_status status = check_zero(o, s);
    if (status != GBS_OK)
        return status;
    if (s->bound == GBS_BOUND_VOTE && !gbs_is_deployed(s))
        REFUSE("`bound` vote needs `prior` informed, and in ranking neither `pairs` nor `solver` "
               "sgd");
    if (gbs_is_deployed(s) && grid)
        REFUSE("`bound` vote chooses for itself, on the rows to learn from; it takes no grid");
    if ((gbs_options_given(o, "cost") || gbs_options_given(o, "joint")) && !gbs_is_deployed(s))
        REFUSE("`%s` needs `bound` vote", gbs_options_given(o, "cost") ? "cost" : "joint");
    if (s->max_weight > 0.0 && !gbs_is_deployed(s))
        REFUSE("`max-weight` needs `bound` vote");
    if ((gbs_options_given(o, "group") || s->order == GBS_ORDER_TIME) && !gbs_is_deployed(s))
        REFUSE("`%s` needs `bound` vote", gbs_options_given(o, "group") ? "group" : "order` `time");
    if (s->importance && !gbs_is_deployed(s))
        REFUSE("`importance` is measured on rows that were kept from the fit, and needs `bound` "
               "vote; evaluate measures it on other rows");
    if (s->importance && s->refit != GBS_REFIT_NONE)
        REFUSE("`importance` and `refit` exclude each other: no row would be left that the model "
               "has not seen");
    if (s->refit != GBS_REFIT_NONE && !gbs_is_deployed(s))
        REFUSE("`refit` needs `bound` vote");
    if (gbs_options_given(o, "stratify") &&
        (gbs_options_given(o, "group") || s->order == GBS_ORDER_TIME))
        REFUSE("`stratify` and `%s` exclude each other",
               gbs_options_given(o, "group") ? "group" : "order");
    if (gbs_options_given(o, "pairs") && grid)
        REFUSE("`pairs` certifies one posterior; it does not choose from a grid");
    if (progressive && grid && !cv)
        REFUSE("`bound` progressive tests its rows once and cannot choose from a grid by them");
    if (gbs_options_given(o, "blocks") && !progressive)
        REFUSE("`blocks` needs `bound` progressive%s", grid ? "; with a grid, auto means kl" : "");
    if ((gbs_options_given(o, "prior-split") || gbs_options_given(o, "stratify")) && !informed &&
        !progressive)
        REFUSE("`%s` needs `prior` informed or `bound` progressive",
               gbs_options_given(o, "stratify") ? "stratify" : "prior-split");
    if (s->select == GBS_SELECT_LAST && gbs_options_given(o, "prior-grid"))
        REFUSE("`prior-grid` needs `select` bound or cv");
    if (s->select == GBS_SELECT_BOUND && gbs_options_given(o, "select") && !grid)
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
        status = gbs_fit_task(&s)->refuse(o->ctx, &s);
    return status == GBS_OK ? check_certificate(o, &s) : status;
}

gbs_status gbs_options_check_classes(gbs_context *ctx, const gbs_options *o) {
    static const char *const of_two[] = {"paper",    "lambda-grid", "prior-grid", "restarts",
                                         "stratify", "blocks",      NULL};
    static const char *const choices[][2] = {
        {"select", "cv"},   {"prior", "zero"},        {"bound", "kl"},       {"bound", "catoni"},
        {"bound", "paper"}, {"bound", "progressive"}, {"bound", "hoeffding"}};
    if (o == NULL)
        return GBS_OK;
    const char *name = gbs_options_first_given(o, of_two), *choice = NULL;
    for (size_t k = 0; name == NULL && k < sizeof choices / sizeof *choices; k++)
        if (gbs_options_are(o, choices[k][0], choices[k][1])) {
            name = choices[k][0];
            choice = choices[k][1];
        }
    if (name == NULL)
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                    "`%s`%s%s is for two classes: more of them are certified by a last block of "
                    "rows, and the rest choose (`bound` vote, `prior` informed); `positive` LABEL "
                    "sets one against the rest, which has the other ways too",
                    name, choice != NULL ? " " : "", choice != NULL ? choice : "");
}

gbs_status gbs_options_check(const gbs_options *o) {
    if (o == NULL)
        return GBS_OK;
    switch (o->command) {
    case GBS_FOR_FIT:
        return check_fit(o);
    case GBS_FOR_CV:
        return check_search(o);
    default:
        return gbs_options_check_plain(o);
    }
}
