/* The fitted model: what is kept of a fit. */
#ifndef GIBBSITE_MODEL_MODEL_H
#define GIBBSITE_MODEL_MODEL_H

#include "data/rows.h"
#include "family/family.h"

/* A full covariance kept in the row space: S = v I + Q'(T - v I) Q, Q = lower^-1 (kept rows), T = factor factor'. */
typedef struct gbs_dual {
    size_t rank;
    double *lower;  /* rank x rank, lower triangular */
    double *factor; /* rank x rank, upper triangular */
    gbs_block kept; /* `rank` design rows, dense or CSR; its arrays are owned */
} gbs_dual;

struct gbs_model {
    gbs_context *ctx;
    gbs_model_info info;
    gbs_scaling scaling;
    gbs_gaussian posterior; /* dual: only the mean is set */
    gbs_dual dual;
    gbs_certificate *certificates;
    size_t certificates_size;
    gbs_path_point *path;
    size_t path_size;
    double *restarts;
    size_t restarts_size;
    char *recipe;
};

/* Of model files; counts the incompatible versions. */
enum { GBS_MODEL_FORMAT = 1 };

/* Bits of gbs_certificate.assumptions. */
enum {
    GBS_ASSUMES_IID = 1,
    GBS_ASSUMES_LAMBDA_FIXED = 2,
    GBS_ASSUMES_PRIOR_FIXED = 4,
    GBS_BROKEN_SCALING = 8,
    GBS_BROKEN_COLUMNS = 16,
    GBS_BROKEN_LAMBDA = 32,
    GBS_BROKEN_PRIOR = 64
};

/* trace and log determinant of the posterior covariance, in all d coordinates. */
void gbs_model_spread(const gbs_model *model, double *trace, double *log_det);

gbs_status gbs_model_create(gbs_context *ctx, gbs_model **out);

/* Means and standard deviations of the scores of all rows, by blocks on the context's threads. */
gbs_status gbs_model_project(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows, double *score, double *sd);
/* Error, risks and calibration from those; the AUC is left to gbs_area. */
void gbs_judge(gbs_loss loss, size_t n, const double *y, const double *score, const double *sd, gbs_evaluation *out);
/* Area under the ROC curve, ties one half; NaN when a class is missing. */
gbs_status gbs_area(gbs_context *ctx, size_t n, const double *y, const double *score, double *auc);
/* Mean over the rows of (Gibbs error)^2: how often two independent draws both err. */
double gbs_second_moment(size_t n, const double *y, const double *score, const double *sd);

#endif
