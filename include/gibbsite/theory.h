/* Oracle inequalities: what is promised before any data is seen. */
#ifndef GIBBSITE_THEORY_H
#define GIBBSITE_THEORY_H

#include "gibbsite/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- theory */

/* 0 in lambda and prior_sd: the recommended value of each bound. */
typedef struct gbs_theory_query {
    uint64_t n;        /* rows, at least 2 */
    size_t d;          /* coefficients */
    double c;          /* P(<X,a><X,b> < 0) <= c |a - b| for unit a, b */
    double margin;     /* C >= 1 of the margin assumption */
    double confidence; /* between 0 and 1 */
    double lambda, prior_sd;
    double cx;               /* |x| <= cx (hinge) */
    double norm;             /* of the best coefficients (hinge; 1 elsewhere) */
    double wanted_error;     /* of the optimiser; 0: not asked */
    size_t rows, cols, rank; /* matrix completion; 0: not asked */
} gbs_theory_query;

/* On a number that the paper prints, against the value that the theorem gives. */
typedef enum gbs_verdict {
    GBS_VERDICT_NONE = 0,
    GBS_VERDICT_VALID,    /* at or above the value, by at most a tenth */
    GBS_VERDICT_LOOSE,    /* above it by more */
    GBS_VERDICT_NOT_VALID /* below it: not what the theorem gives, read as the paper reads it */
} gbs_verdict;

/* One value of the theory: what it is, and where it comes from. */
typedef struct gbs_theory_row {
    const char *group, *name, *source;
    double value, paper_value; /* NaN: there is none */
    gbs_verdict verdict;
} gbs_theory_row;

/* Room in gbs_theory. */
#define GBS_THEORY_ROWS 40

/* The rows that gbs_theory_compute found, `count` of them. */
typedef struct gbs_theory {
    size_t count;
    gbs_theory_row rows[GBS_THEORY_ROWS];
} gbs_theory;

/* n = 1000, d = 10, every constant 1, confidence 0.95, the recommended lambda and prior_sd. */
GBS_API gbs_theory_query gbs_theory_query_default(void);
/* Oracle inequalities and recommended constants. Excess risks are over the best classifier of the
 * class. */
GBS_API gbs_status gbs_theory_compute(gbs_context *ctx, const gbs_theory_query *query,
                                      gbs_theory *out);
/* "none", "valid", "loose", "not valid"; NULL out of range. */
GBS_API const char *gbs_verdict_name(gbs_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
