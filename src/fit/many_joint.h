/* Fits to all classes together, of the rows outside of folds: many_joint.c chooses by them,
 * many_joint_folds.c has them and the last one, to all rows. */
#ifndef GIBBSITE_FIT_MANY_JOINT_H
#define GIBBSITE_FIT_MANY_JOINT_H

#include "fit/joint.h"
#include "fit/many.h"

typedef struct gbs_joint_fold {
    gbs_data *train, *test;
    size_t *class_of, *at; /* classes of the rows that train, places of those left out */
    gbs_maps maps;
    gbs_rows train_rows, test_rows;
    gbs_joint *joint;
} gbs_joint_fold;

typedef struct gbs_joint_folds {
    const gbs_fit_settings *o;
    const gbs_data *rows;
    const size_t *fold_of;
    const gbs_many *many;
    size_t count, k; /* folds, classes that are learned */
    size_t *place;   /* of each class among those; k: not learned */
    gbs_joint_fold *fold;
    double enough, *score; /* rows x k */
    bool matched;          /* fits to some of the rows shrink as one to all of them */
} gbs_joint_folds;

/* many: which classes are learned; fold_of NULL: no row is left out. */
gbs_status gbs_joint_folds_create(gbs_context *ctx, const gbs_fit_settings *o, const gbs_data *rows,
                                  const size_t *fold_of, size_t count, const gbs_many *many,
                                  gbs_joint_folds *s);
void gbs_joint_folds_free(const gbs_context *ctx, gbs_joint_folds *s);

/* Two of the kind gbs_side_job; arg is the gbs_joint_folds. The first learns the maps of a fold,
 * builds its rows and estimates the covariance of the classes; the second fits it and scores the
 * rows left out. */
gbs_status gbs_joint_fold_build(gbs_context *ctx, void *arg, size_t job);
gbs_status gbs_joint_fold_fit(gbs_context *ctx, void *arg, size_t job);

/* The scores of the rows left out, of all classes; of those that are not learned 0. */
gbs_status gbs_joint_folds_gather(gbs_context *ctx, const gbs_joint_folds *s, gbs_held_scores *out);

#endif
