/* A choice while it is made: what choose.c sets up, choose_compare.c searches and choose_folds.c
 * fits. */
#ifndef GIBBSITE_FIT_CHOOSING_H
#define GIBBSITE_FIT_CHOOSING_H

#include "fit/choose.h"

enum { GBS_CHOICE_KINDS = 3, GBS_CHOICE_WIDTHS = 12 };
#define GBS_CHOICE_STAGE "choice" /* of the progress */

/* One kind of columns, and the widths of the prior to try with it. */
typedef struct gbs_choice_kind {
    gbs_columns columns;
    gbs_features features;
    size_t features_size;
    double kernel_width, level_width, axes;
    double widths[GBS_CHOICE_WIDTHS], constant;
} gbs_choice_kind;

typedef struct gbs_choosing {
    gbs_context *ctx;
    const gbs_data *data;
    const gbs_fit_settings *o;
    size_t folds, n;
    size_t *fold_of;
    gbs_choice_kind kinds[GBS_CHOICE_KINDS];
    size_t kinds_size, widths_size;
    /* one kind, a map: rows are taken out of one posterior, not of folds */
    bool one_by_one;
    size_t most_columns; /* that a map makes in the folds */
    size_t looked;       /* candidates compared before, where a map was chosen (choose_map.c) */
    bool wanted[GBS_CHOICE_KINDS][GBS_CHOICE_WIDTHS], done[GBS_CHOICE_KINDS][GBS_CHOICE_WIDTHS];
    double *scores; /* kinds x widths x n, out of fold */
    double value[GBS_CHOICE_KINDS][GBS_CHOICE_WIDTHS];
    gbs_loss base; /* of the candidates: convex, or asked for */
    gbs_loss loss;
    bool weighted; /* rows that train count by the cost of their error */
    bool matched;  /* fits to some of the rows shrink as one to all of them */
    double precision;
    bool labels; /* of the task; else what counts is the order */
    bool again;  /* there are more rows than are compared: the last of all calibrate */
    size_t kind, width;
    double progress_done, progress_of_folds; /* shares of the bar: so far, and of all folds */
} gbs_choosing;

/* Whether a row of +1 labelled -1 costs more or less than the reverse. */
bool gbs_has_costs(const gbs_fit_settings *o);
/* Scores of all rows held, each by the posterior of the others; `share` is lambda over their
 * number. */
gbs_status gbs_scores_by_others(const gbs_held *held, const gbs_spread *spread,
                                const gbs_loss_ops *loss, double share, const double *y,
                                double *score);
/* Fills in what follows from score and y. */
void gbs_choice_calibrate(const gbs_fit_settings *o, gbs_choice *out);

/* Copies a kind of columns into the choice. */
void gbs_choice_take(gbs_choice *choice, const gbs_choice_kind *kind);

/* Out-of-fold scores of one kind and width, of all n rows. */
static inline double *gbs_choosing_scores(const gbs_choosing *c, size_t kind, size_t width) {
    return c->scores + (kind * GBS_CHOICE_WIDTHS + width) * c->n;
}

/* Fits one kind of columns to `train`, a view whose weights it may set, and scores `test` for each
 * wanted width: `stride` numbers from one width to the next. test NULL: scores of the rows of
 * `train`, each by a fit to the others. */
gbs_status gbs_choosing_leave_out(gbs_context *ctx, const gbs_choosing *c, size_t kind,
                                  gbs_data *train, const gbs_data *test, size_t stride,
                                  double *scores);
/* Fits all that is wanted, fold by fold. */
gbs_status gbs_choosing_run(gbs_choosing *c);
/* The best width and kind of columns: c->width, c->kind. */
gbs_status gbs_choosing_search(gbs_choosing *c);
/* The zero-one posterior around the best one replaces it where the options name that loss (`asked`)
 * or its labels are better; then a fit to rows that count by the cost of their error, where its
 * labels cost less. */
gbs_status gbs_choosing_try_zero_one(gbs_choosing *c, bool asked);
gbs_status gbs_choosing_try_weights(gbs_choosing *c);
/* A gbs_side_job: a fold for one kind of columns; arg is the gbs_choosing. */
gbs_status gbs_choosing_fold(gbs_context *ctx, void *arg, size_t job);

#endif
