/* The joint calibration of the scores of many classes (docs/maths.md, 11.10). */
#ifndef GIBBSITE_FIT_SOFTMAX_H
#define GIBBSITE_FIT_SOFTMAX_H

#include "core/context.h"

/* n rows of k scores each, and the class of each row; a class of k or above: the row does not
 * count. */
typedef struct gbs_class_scores {
    size_t n, k;
    const double *score; /* n x k */
    const size_t *class;
} gbs_class_scores;

/* z = offset + slope s, p in proportion to exp(z): one slope for each class, which its own score is
 * times, or a full matrix; the first serves to find them. */
typedef enum gbs_slopes_kind {
    GBS_SLOPES_SHARED = 0,
    GBS_SLOPES_EACH,
    GBS_SLOPES_FULL
} gbs_slopes_kind;

/* Classes of which a full matrix is tried, and up to which second derivatives are computed: their
 * cost grows with the rows times the square of the classes, a gradient's with rows times classes.
 */
enum { GBS_MOST_FULL = 12, GBS_MOST_NEWTON = 64 };

/* offset has room for k, slope for k x k. A class without rows has the offset -INFINITY, and zeros
 * in its row and its column. slopes: each or full. */
gbs_status gbs_softmax_learn(gbs_context *ctx, const gbs_class_scores *s, gbs_slopes_kind slopes,
                             double *offset, double *slope);

/* The loss of row i. */
double gbs_softmax_row_loss(const gbs_class_scores *s, size_t i, const double *offset,
                            const double *slope);
/* The share of the rows that count whose class is not the most probable one; NaN: none counts. */
double gbs_softmax_error(const gbs_class_scores *s, const double *offset, const double *slope);

/* By calibrations that have not seen the rows, each of five parts by the others: the loss of each
 * row (NaN: it does not count), and the error. */
gbs_status gbs_softmax_cross_validate(gbs_context *ctx, const gbs_class_scores *s,
                                      gbs_slopes_kind slopes, double *loss, double *error);
double gbs_softmax_mean(size_t n, const double *loss);
/* Is the mean of `loss` below that of `than` by more than a standard error of their difference? */
bool gbs_softmax_better(size_t n, const double *loss, const double *than);
/* By more than so many standard errors. */
bool gbs_softmax_better_by(size_t n, const double *loss, const double *than, double errors);
/* The kind of slopes: each, or full where that is better so; full ones of few classes alone. */
gbs_status gbs_softmax_compare(gbs_context *ctx, const gbs_class_scores *s, gbs_slopes_kind *kind,
                               double *loss, double *error);
gbs_status gbs_softmax_choose(gbs_context *ctx, const gbs_class_scores *s, double *offset,
                              double *slope);

/* ---------------------------------------------------------------- for tests */

/* What is minimised: the parameters are k offsets, then the slopes. */
typedef struct gbs_softmax_fit {
    const gbs_class_scores *s; /* every row counts */
    size_t *rows;              /* of each class */
    gbs_slopes_kind slopes;
    double centre; /* of the penalty on slopes that are not shared */
    double *p;     /* room for k */
    /* asked now and then whether to go on, and what it said last; NULL: nobody is */
    gbs_context *ctx;
    gbs_status *status;
} gbs_softmax_fit;

size_t gbs_softmax_parameters(const gbs_softmax_fit *f);
/* Its value, its gradient and the lower triangle of its second derivatives; both may be NULL. Where
 * the context said to stop, NaN. */
double gbs_softmax_value(const gbs_softmax_fit *f, const double *parameter, double *gradient,
                         double *hessian);
/* The spread of slopes around the centre. */
double gbs_softmax_narrow(const gbs_softmax_fit *f);
/* Moves the parameters to the minimum by gradients alone; with a context. */
gbs_status gbs_softmax_descend(const gbs_softmax_fit *f, double *parameter);

#endif
