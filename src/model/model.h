/* The fitted model: what is kept of a fit. */
#ifndef GIBBSITE_MODEL_MODEL_H
#define GIBBSITE_MODEL_MODEL_H

#include "core/trace.h"
#include "family/family.h"
#include "map/map.h"
#include "model/explanation.h"
#include "model/origin.h"

/* One posterior. A plain model has one of weight 1; a progressive model draws stage t with
 * probability weight[t]. */
typedef struct gbs_stage {
    gbs_gaussian posterior; /* dual: only the mean is set */
    /* a covariance kept in the row space, v = prior_sd^2; its arrays, those of the rows too, are
     * owned. rank 0: the posterior is in the data's own coordinates */
    gbs_span dual;
    /* What it approximates: the Gibbs posterior of lambda and N(prior_mean, prior_sd^2 I) on the
     * rows from .. from + rows - 1 of the model's order. */
    double *prior_mean; /* NULL: 0, or not known (gbs_model.split) */
    double free_energy; /* there; NaN: not known */
    size_t from;
    gbs_stage_info info; /* weight, rows, prior_sd, lambda, tests */
} gbs_stage;

/* The random order of the rows behind an informed prior or a progressive bound (fit/split.c). A
 * file of an older version does not say. */
typedef struct gbs_split_key {
    bool known;
    bool stratified;
    uint64_t seed;
    size_t first; /* rows of the first part */
    bool in_time; /* the order of the file; no seed */
    bool grouped; /* by groups of rows */
    bool said;    /* the caller said which rows are learned from, and has to say it again */
} gbs_split_key;

/* Which of `classes` classes a binary problem tells apart: +1, and -1 (SIZE_MAX: the rest). */
typedef struct gbs_sides {
    size_t classes, one, other; /* classes 0: the model is by itself */
} gbs_sides;

struct gbs_model {
    gbs_context *ctx;
    gbs_model_info info;
    /* of every stage: its constants come from rows that all of them may know */
    gbs_maps maps;
    gbs_split_key split; /* zero prior, no stages: not known, and not needed */
    gbs_stage *stages;
    size_t stages_size;
    gbs_certificate *certificates;
    size_t certificates_size;
    gbs_path_point *path;
    size_t path_size;
    double *restarts;
    size_t restarts_size;
    gbs_trace trace;   /* of this run: not kept in files */
    double *negatives; /* ranking: quantiles of the scores of the training rows of -1, ascending */
    size_t negatives_size;
    char *recipe;
    gbs_selection selection;
    gbs_origin_kept origin;
    bool deployed; /* calibrated, and tested on a last block: */
    gbs_card card;
    gbs_explanation *explanation; /* measured on that block; NULL: nobody asked */
    struct gbs_many *many; /* three classes or more: many.h; there are then no stages and no maps */
    gbs_sides sides;       /* of a part of such a model */
};

/* Of model files; counts the incompatible versions. Mixtures came with 2, calibrated models with 3,
 * many classes with 4; a plain model is still written as 1. */
enum {
    GBS_MODEL_FORMAT = 4,
    GBS_MODEL_FORMAT_CALIBRATED = 3,
    GBS_MODEL_FORMAT_MIXTURE = 2,
    GBS_MODEL_FORMAT_PLAIN = 1
};

/* Bits of gbs_certificate.assumptions. */
enum {
    GBS_ASSUMES_IID = 1,
    GBS_ASSUMES_LAMBDA_FIXED = 2,
    GBS_ASSUMES_PRIOR_FIXED = 4,
    GBS_BROKEN_SCALING = 8,
    GBS_BROKEN_COLUMNS = 16,
    GBS_BROKEN_LAMBDA = 32,
    GBS_BROKEN_PRIOR = 64,
    GBS_ASSUMES_FIRST_PART = 128,
    GBS_ASSUMES_PAST = 256,
    GBS_ASSUMES_CX = 512,
    GBS_ASSUMES_LAMBDA_GRID = 1024,
    GBS_BROKEN_SPLIT = 2048,
    GBS_BROKEN_CX = 4096,
    GBS_BROKEN_METHOD = 8192,
    GBS_ASSUMES_LABELS = 16384,
    GBS_ASSUMES_PRIOR_GRID = 32768,
    GBS_ASSUMES_LAST_BLOCK = 65536,
    GBS_ASSUMES_UNWEIGHTED = 131072,
    GBS_ASSUMES_COMPLETE = 262144,
    GBS_ASSUMES_GROUPS = 524288,
    GBS_ASSUMES_LATEST = 1048576,
    GBS_BROKEN_REFIT = 2097152,
    GBS_ASSUMES_MAX_WEIGHT = 4194304,
    GBS_ASSUMES_DRAWS = 8388608,
    GBS_ASSUMES_WEIGHED = 16777216,
    GBS_BROKEN_START = 33554432,
    GBS_ASSUMES_CLASSES = 67108864, /* GBS_ASSUMES_LABELS of three classes or more */
    GBS_BROKEN_WAY = 134217728,
    GBS_BROKEN_ORDER = 268435456
};

/* trace and log determinant of a stage's covariance, in all d coordinates. */
void gbs_stage_spread(const gbs_stage *stage, double *trace, double *log_det);
/* The stage as passes over rows see it; its numbers stay where they are. */
gbs_spread gbs_stage_gaussian(const gbs_stage *stage);
void gbs_stage_free(const gbs_context *ctx, gbs_stage *stage);

gbs_status gbs_model_create(gbs_context *ctx, size_t stages, gbs_model **out);
/* GBS_ERR_NUMERIC when a number that a fit leaves behind is not finite. */
gbs_status gbs_model_check(gbs_context *ctx, const gbs_model *model);

#endif
