/* A task: everything that depends on what is learned, in one table of facts, words and functions.
 *
 *   classify.c   sign(x'theta) is the label; the risk is a mean over rows      (docs/maths.md, 3)
 *   many.c       the class of the largest calibrated score                  (docs/maths.md, 11.10)
 *   rank.c       x'theta orders the rows; the risk is a mean over pairs       (docs/maths.md, 5.2)
 *
 * Fits, samplings, files and programs ask the table and never which task it is. A task more is one
 * file with its gbs_task, a line in task.c, an enumerator and a name (GBS_TASKS).
 */
#ifndef GIBBSITE_TASK_TASK_H
#define GIBBSITE_TASK_TASK_H

#include "judge/judge.h"
#include "risk/risk.h"
#include "task/evidence.h"

enum { GBS_WORDS = GBS_WORD_PARTICLES + 1, GBS_FACTS = GBS_FACT_CLASSES + 1 };

/* What the first part of the rows says before a posterior is fitted (docs/maths.md, 6.4). */
typedef struct gbs_prior_centre {
    double width;     /* prior standard deviation of the hinge fit */
    double predicted; /* zero-one Gibbs risk that the first part predicts */
} gbs_prior_centre;

/* Fitting, for tasks that want something fitted: a task says what, src/fit knows how. */
typedef struct gbs_fitter {
    /* The mean of the posterior of these settings on `risk`, at lambda under N(0, width^2 I). */
    gbs_status (*mean)(gbs_context *ctx, const gbs_fit_settings *o, const gbs_empirical *risk,
                       double lambda, double width, double *mean);
    /* As gbs_cross_validate_run has it. */
    gbs_status (*cross_validate)(gbs_context *ctx, const gbs_data *data, size_t folds,
                                 const gbs_fit_settings *candidates, size_t count,
                                 gbs_cv_result *results);
} gbs_fitter;

/* A fitted posterior and the rows it is to be judged on. */
typedef struct gbs_fitted {
    gbs_model *model; /* one stage; its info is filled but for what rows say */
    const gbs_fit_settings *options;
    const gbs_rows *rows;      /* all, the certified ones from `first` on */
    size_t first;              /* rows that are not certified */
    const gbs_empirical *risk; /* over the certified ones */
    const double *m0;          /* the prior's centre; NULL: 0 */
    bool estimated;            /* the solver's free energy comes from a sample of terms */
    uint64_t seed;             /* of the draws that a certificate counts; from the rows */
} gbs_fitted;

struct gbs_task {
    gbs_task_kind kind;
    bool fact[GBS_FACTS];
    const char *word[GBS_WORDS];

    /* ---- options */
    bool relevance;      /* columns are stretched after their correlation with the label */
    bool dual;           /* the row space of wide data may be used */
    size_t full_columns; /* most for a full covariance */
    gbs_loss smooth;     /* learns a score where no loss was asked for */
    /* What the task does not offer: GBS_ERR_ARGUMENT, with the options in backquotes. */
    gbs_status (*refuse)(gbs_context *ctx, const gbs_fit_settings *o);
    /* One predictor can be tested on a last block; false: an option asks for another way. */
    bool (*deploys)(const gbs_fit_settings *o);
    /* The method behind GBS_BOUND_AUTO under one posterior. */
    gbs_bound (*usual_bound)(const gbs_fit_settings *o);
    /* The constants that the paper recommends (docs/maths.md, 9). */
    void (*paper)(gbs_fit_settings *o, double n, double d);
    /* Share of n rows that goes to the first part of a single split. */
    double (*first_share)(size_t n);

    /* ---- rows */
    /* Labels that a sampling can begin with; a fit needs both classes in any case. */
    bool samples_one_class;
    /* Terms of the risk over these rows that share no row: the usual lambda. */
    size_t (*units)(const gbs_data *data);
    /* The mean loss over rows. many: many coefficient vectors at once, or batches; else passes over
     * all rows, for which equal ones may be kept once. */
    gbs_status (*risk)(gbs_context *ctx, const gbs_rows *rows, bool many, const gbs_loss_ops *loss,
                       gbs_empirical **out);

    /* ---- the prior's centre */
    /* What can be chosen on raw rows of the first part; NULL: nothing. */
    gbs_status (*choose)(gbs_context *ctx, const gbs_data *head, const gbs_fit_settings *o,
                         const gbs_fitter *fitter, gbs_prior_centre *out);
    /* mean (length rows->d), fitted to these design rows; where there is no `choose`, it sets
     * *centre too. */
    gbs_status (*centre)(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                         const gbs_fitter *fitter, gbs_prior_centre *centre, double *mean);

    /* ---- evidence and evaluation */
    /* What a certificate counts: n, and of pairs their share; `rows` certified. */
    void (*count)(const gbs_empirical *risk, size_t rows, gbs_evidence *e);
    /* Judges the posterior on the certified rows (e) and on all (model->info). */
    gbs_status (*judge)(gbs_context *ctx, const gbs_fitted *fitted, gbs_evidence *e);
    /* Sets what the particles' info says of their own rows. */
    gbs_status (*judge_particles)(gbs_context *ctx, const gbs_rows *rows, const gbs_empirical *risk,
                                  gbs_particles *particles);
    /* On labelled data. */
    gbs_status (*evaluate)(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                           gbs_evaluated *out);
    gbs_status (*evaluate_particles)(gbs_context *ctx, const gbs_particles *particles,
                                     const gbs_data *data, gbs_evaluated *out);
    /* The number that cross-validation compares. */
    double (*error)(const gbs_evaluation *e);
};

/* The last is what `classify` means for more than two classes: no kind of its own. */
extern const gbs_task gbs_task_classify, gbs_task_rank, gbs_task_classify_many;

/* Of settings and handles; never NULL where their task was checked. */
static inline const gbs_task *gbs_fit_task(const gbs_fit_settings *o) {
    return gbs_task_of(o->task);
}

static inline const gbs_task *gbs_sample_task(const gbs_sample_settings *o) {
    return gbs_task_of(o->task);
}

/* How many there are. */
int gbs_tasks(void);

static inline bool gbs_has(const gbs_task *task, gbs_fact fact) {
    return task->fact[fact];
}

/* GBS_ERR_DATA unless the data has labels, of both classes where both are wanted. */
gbs_status gbs_check_labels(gbs_context *ctx, const gbs_data *data, bool both);
/* GBS_ERR_ARGUMENT where the rows have weights and the task has no use for them. */
gbs_status gbs_check_weights(gbs_context *ctx, const gbs_data *data, const gbs_task *task);

/* ---------------------------------------------------------------- shared by tasks (centre.c) */

/* The default prior_sd around a centre: a twentieth of the root mean square of its coordinates. */
double gbs_prior_centre_spread(size_t d, const double *mean);

enum { GBS_CENTRE_WIDTHS = 5, GBS_CENTRE_ROWS = 8192 /* more settle a width no better */ };
/* Widths that a centre's own prior is chosen from, over the typical size of a cell. */
extern const double gbs_centre_widths[GBS_CENTRE_WIDTHS];

/* Root mean square of a cell of the scaled rows: 1 when they are standardised. */
gbs_status gbs_typical_cell(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            double *out);

/* Rows of the smaller class. */
size_t gbs_smaller_class(const gbs_data *data);

/* ---------------------------------------------------------------- inside of rank */

gbs_status gbs_rank_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                           const gbs_fitter *fitter, gbs_prior_centre *centre, double *mean);
gbs_status gbs_rank_judge_particles(gbs_context *ctx, const gbs_rows *rows,
                                    const gbs_empirical *risk, gbs_particles *particles);
gbs_status gbs_rank_evaluate_particles(gbs_context *ctx, const gbs_particles *particles,
                                       const gbs_data *data, gbs_evaluated *out);
/* What a model does on labelled rows. */
gbs_status gbs_evaluate_model(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                              gbs_evaluated *out);
/* An evaluation of n rows in which nothing is known yet; what is about labels stays NaN. */
gbs_evaluated gbs_rank_evaluation(size_t n);

/* Errors of sign(x'm) on rows; a score of 0 is one. */
gbs_status gbs_count_errors(gbs_context *ctx, const gbs_rows *rows, const double *m,
                            size_t *errors);

/* ---------------------------------------------------------------- inside of classify */

gbs_status gbs_classify_choose(gbs_context *ctx, const gbs_data *head, const gbs_fit_settings *o,
                               const gbs_fitter *fitter, gbs_prior_centre *out);
gbs_status gbs_classify_centre(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *o,
                               const gbs_fitter *fitter, gbs_prior_centre *centre, double *mean);

#endif
