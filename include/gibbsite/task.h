/* What is learned: facts and words of a task. Programs ask these rather than compare tasks, so that
 * a task more is no change to them. */
#ifndef GIBBSITE_TASK_H
#define GIBBSITE_TASK_H

#include "gibbsite/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is learned. */
typedef enum gbs_task_kind {
    GBS_TASK_CLASSIFY = 0, /* the sign of x'theta is the label: losses of the margin y x'theta */
    GBS_TASK_RANK /* rows of +1 before rows of -1: losses of the margin (x_i - x_j)'theta over all
                     pairs; the risk is 1 - AUC. There is no intercept, and GBS_LOSS_EXPONENTIAL,
                     GBS_FORM_DUAL and GBS_BOUND_PROGRESSIVE are not offered */
} gbs_task_kind;

/* A task, as it is described; lives as long as the program. */
typedef struct gbs_task gbs_task;

/* NULL for a value out of range; tasks are numbered without gaps. */
GBS_API const gbs_task *gbs_task_of(gbs_task_kind kind);
/* By the name that the command line and the files write; NULL: there is none of this name. */
GBS_API const gbs_task *gbs_task_named(const char *name);

/* Its name, as the command line and the files write it; NULL for a value out of range. */
GBS_API const char *gbs_task_name(gbs_task_kind task);

/* What is so or not of a task. */
typedef enum gbs_fact {
    GBS_FACT_LABELS = 0, /* it predicts labels: there is a vote, its error, a confusion table; else
                            scores, whose AUC counts */
    GBS_FACT_PAIRS,      /* its risk is a mean over pairs of rows, not over rows */
    GBS_FACT_INTERCEPT,  /* an intercept makes a difference */
    GBS_FACT_STAGES,     /* it can be fitted and certified in stages */
    GBS_FACT_CLASSES     /* its labels are of three classes or more (classes.h) */
} gbs_fact;

/* 0 for NULL and for a fact out of range. */
GBS_API int gbs_task_has(const gbs_task *task, gbs_fact fact);

/* What things are called in a task; the words of classification stand beside each. */
typedef enum gbs_word {
    GBS_WORD_RISK = 0,   /* zero-one risk: what a certificate bounds */
    GBS_WORD_RISK_TITLE, /* share of rows that are wrong: the same, of an axis */
    GBS_WORD_DRAWN,      /* classifier: what is drawn from the posterior */
    GBS_WORD_VOTE,       /* vote: what predictions are made by */
    GBS_WORD_AVERAGE,    /* averaged vote: the same, said more precisely */
    GBS_WORD_CENTRE,     /* classifier: what the first part alone gives */
    GBS_WORD_PREFIX,     /* nothing, or what a model is called by before its loss: "ranking, " */
    GBS_WORD_PARTICLES   /* vote: the average vote of the particles: what a sample predicts by */
} gbs_word;

/* Never NULL; "" for a task that is NULL and for a word out of range. */
GBS_API const char *gbs_task_word(const gbs_task *task, gbs_word word);

#ifdef __cplusplus
}
#endif

#endif
