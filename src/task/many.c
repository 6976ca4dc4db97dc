/* Classification of three classes or more: binary problems whose scores are calibrated jointly
 * (docs/maths.md, 11.10).
 *
 * Each of the problems is a task of two classes and is fitted, sampled and compared as such; what
 * is here is how their model is spoken of and evaluated. There is no option to ask for it: data
 * with more than two classes do.
 */
#include "task/task.h"

#include "judge/many.h"

static gbs_status refuse(gbs_context *ctx, const gbs_fit_settings *o) {
    if (o->task != GBS_TASK_CLASSIFY)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`task` %s needs two classes; `positive` LABEL sets one against the rest",
                        gbs_task_name(o->task));
    if (o->grouped)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "rows in groups (`group`) are certified for two classes; `positive` LABEL "
                        "sets one against the rest");
    if (o->has_cost)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`cost` FN:FP is for two classes; of more it is a file with the cost of "
                        "each label for rows of each class");
    if (!gbs_features_linear(o->features) && o->loss != GBS_LOSS_AUTO)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`features` other than linear need `loss` auto where there are more than "
                        "two classes: they are fitted together");
    if (o->refit != GBS_REFIT_NONE)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "`refit` is for two classes; `positive` LABEL sets one class against the "
                        "rest");
    if (o->stratify || o->blocks > 0 || o->prior != GBS_PRIOR_INFORMED ||
        (o->bound != GBS_BOUND_AUTO && o->bound != GBS_BOUND_VOTE))
        return gbs_fail(
            ctx, GBS_ERR_ARGUMENT,
            "more than two classes are certified by a last block of rows (`bound` vote, "
            "`prior` informed); `positive` LABEL sets one against the rest, which has "
            "the other ways too");
    return GBS_OK;
}

static bool deploys(const gbs_fit_settings *o) {
    (void)o;
    return true;
}

static double error(const gbs_evaluation *e) {
    return e->error;
}

const gbs_task gbs_task_classify_many = {
    .kind = GBS_TASK_CLASSIFY,
    .fact = {[GBS_FACT_LABELS] = true, [GBS_FACT_INTERCEPT] = true, [GBS_FACT_CLASSES] = true},
    .word = {[GBS_WORD_RISK] = "zero-one risk",
             [GBS_WORD_RISK_TITLE] = "share of rows that are wrong",
             [GBS_WORD_DRAWN] = "set of classifiers",
             [GBS_WORD_VOTE] = "label",
             [GBS_WORD_AVERAGE] = "most probable label",
             [GBS_WORD_CENTRE] = "classifier",
             [GBS_WORD_PREFIX] = "",
             [GBS_WORD_PARTICLES] = "label"},
    .refuse = refuse,
    .deploys = deploys,
    .evaluate = gbs_many_evaluate,
    .error = error,
};
