/* Curves that a report draws, in a few hundred numbers: ROC points, a histogram of residuals. */
#ifndef GIBBSITE_CLI_CURVES_H
#define GIBBSITE_CLI_CURVES_H

#include "out/json.h"

#include <stdbool.h>
#include <stddef.h>

enum { ROC_POINTS = 100, RESIDUAL_BINS = 41 /* odd: zero is the middle of one */ };

struct roc {
    size_t n; /* 0: only one class */
    double fpr[ROC_POINTS + 2], tpr[ROC_POINTS + 2];
};

/* The curve from (0, 0) to (1, 1); equal scores make one straight piece. Long curves keep their
 * corners about evenly along their length. False: out of memory. */
bool roc_make(size_t n, const double *y, const double *score, struct roc *out);
/* "roc": points; an empty array when there is only one class. */
void roc_json(struct json *j, const struct roc *roc);

/* Equal bins over [-reach, reach]; what lies beyond counts in the outermost. */
struct residuals {
    size_t n;
    double mean, sd, reach;
    size_t count[RESIDUAL_BINS];
};

/* Of y - value; reach is four root mean squares of them. */
void residuals_make(size_t n, const double *y, const double *value, struct residuals *out);
void residuals_json(struct json *j, const char *key, const struct residuals *r);

#endif
