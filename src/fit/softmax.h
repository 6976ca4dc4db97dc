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

/* offset and slope have room for k: p_c is in proportion to exp(offset_c + slope_c score_c). A class
 * without rows has the offset -INFINITY. */
gbs_status gbs_softmax_learn(gbs_context *ctx, const gbs_class_scores *s, double *offset,
                             double *slope);

/* Mean -log p of the classes of the rows that count; NaN: there are none. */
double gbs_softmax_log_loss(const gbs_class_scores *s, const double *offset, const double *slope);
/* The share of them whose class is not the most probable one. */
double gbs_softmax_error(const gbs_class_scores *s, const double *offset, const double *slope);

/* Both of calibrations that have not seen the rows: each of five parts by the others. */
gbs_status gbs_softmax_cross_validate(gbs_context *ctx, const gbs_class_scores *s, double *log_loss,
                                      double *error);

/* ---------------------------------------------------------------- for tests */

/* What is minimised, at offsets and slopes: the value, and its slopes where gradient (2 k numbers)
 * is not NULL. shared: all slopes are the first one. */
typedef struct gbs_softmax_fit {
    const gbs_class_scores *s;
    size_t *rows;   /* of each class */
    bool shared;    /* one slope for all */
    double centre;  /* of the slopes' penalty, where they are not shared */
    size_t learned; /* classes with rows */
    double *p;      /* room for k */
} gbs_softmax_fit;

double gbs_softmax_value(const gbs_softmax_fit *f, const double *parameter, double *gradient,
                         double *hessian);

#endif
