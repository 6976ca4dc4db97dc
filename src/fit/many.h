/* Inside of the fit to three classes or more. */
#ifndef GIBBSITE_FIT_MANY_H
#define GIBBSITE_FIT_MANY_H

#include "fit/softmax.h"
#include "fit/ways.h"
#include "judge/many.h"

/* The scores of rows by fits that have not seen them: rows x classes. */
typedef struct gbs_held_scores {
    size_t n, k;
    double *score;
    size_t *class; /* SIZE_MAX: not learned */
    size_t *row;   /* which of the rows to learn from it is; not told of two classes */
} gbs_held_scores;

void gbs_held_scores_free(const gbs_context *ctx, gbs_held_scores *s);

/* The binary problems of a scheme on some rows; a class is learned that has two of them or more. */
gbs_status gbs_parts_create(gbs_context *ctx, const gbs_data *rows, gbs_scheme scheme,
                            gbs_many **out);

/* Every problem fitted under these settings (prior_sd, columns and constant set) to the rows of all
 * folds but one, and the rows of that one scored, whatever their class; fold SIZE_MAX is never left
 * out. Sets the log odds of the parts. */
typedef struct gbs_part_fits {
    const gbs_fit_settings *o;
    const gbs_data *rows;
    const size_t *fold_of;
    size_t folds;
    double done, span; /* of the progress */
    bool matched;      /* fits to some of the rows shrink as one to all of them: what calibrates */
} gbs_part_fits;

gbs_status gbs_parts_leave_out(gbs_context *ctx, const gbs_part_fits *f, gbs_many *many,
                               gbs_held_scores *out);

/* Every problem fitted to all rows; the order of the rows, and how many there are with the last
 * block, are kept with the posteriors. */
gbs_status gbs_parts_train(gbs_context *ctx, const gbs_part_fits *f, const gbs_split_key *split,
                           size_t all, gbs_many *many);

/* A fit to three classes or more while it is made. */
enum { GBS_CLASS_KINDS = 2, GBS_CLASS_WIDTHS = 12 };
typedef struct gbs_classes_fit {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_fit_settings o;
    gbs_split split;
    gbs_data *head, *fresh, *some; /* the last: the rows of head that choose */
    size_t *rows;                  /* of each class in head */
    size_t *fold_of, folds;        /* of the rows that choose */
    /* of the candidates that are binary problems */
    gbs_columns kinds[GBS_CLASS_KINDS];
    gbs_loss loss;
    double widths[GBS_CLASS_WIDTHS], constant;
    size_t kinds_size, widths_size, candidates;
    double told, span; /* of the progress */
    gbs_many *many;
    gbs_held_scores chosen; /* what calibrates */
    double *expected;       /* Gibbs errors of these rows, where they are known */
    bool two;               /* classes are met before the last block */
    size_t calibrating;     /* of two classes: the first of the rows of head behind `chosen` */
    double log_loss[GBS_SCHEME_SOFTMAX + 1], error[GBS_SCHEME_SOFTMAX + 1]; /* of each scheme */
    gbs_model *model;
} gbs_classes_fit;

/* The rows of f->head that are left out once to calibrate: its last fifth, 8,192 at most, but two
 * of each class, wherever they stand, learn. The fold of each, SIZE_MAX where it learns; NULL: out
 * of memory. */
size_t *gbs_classes_last_rows(const gbs_classes_fit *f);

/* All classes together (many_joint.c): the best of its candidates, by rows of f->some left out. */
typedef struct gbs_joint_choice {
    bool any;
    size_t width;           /* which of those tried */
    gbs_fit_settings o;     /* columns, map and prior */
    double log_loss, error; /* of the calibrated probabilities */
    double *loss;           /* of each row */
    gbs_held_scores scores;
} gbs_joint_choice;

gbs_status gbs_joint_choose(gbs_classes_fit *f, gbs_joint_choice *out);
/* Its posteriors on f->head, and the scores that calibrate. */
gbs_status gbs_joint_finish(gbs_classes_fit *f, gbs_joint_choice *best);
void gbs_joint_choice_free(const gbs_context *ctx, gbs_joint_choice *choice);

/* How many rows choose at most, and in how many folds: where they are not all, where they are, and
 * where they are so few that a fit to four fifths of them would shrink too much. */
enum {
    GBS_CLASS_ROWS = 2048,
    GBS_CLASS_FEW_FOLDS = 3,
    GBS_CLASS_FOLDS = 5,
    GBS_CLASS_FEW_ROWS = 1000,
    GBS_CLASS_MORE_FOLDS = 10
};

/* Scheme, columns and width of the prior, on f->some; the parts of the best, trained on f->head,
 * and scores that calibrate (many_choose.c). */
gbs_status gbs_classes_choose(gbs_classes_fit *f);

/* Two classes have rows before the last block, whatever comes in it: fitted as two (many_two.c). */
bool gbs_classes_are_two(const gbs_classes_fit *f);
gbs_status gbs_classes_fit_two(gbs_classes_fit *f);

/* The lines of the card, from the last block: probabilities, rows x classes. */
typedef struct gbs_many_evidence {
    const gbs_fit_settings *o;
    const double *probability, *y, *gibbs;           /* of the last block */
    const double *before_probability, *before_gibbs; /* of the calibrating rows */
    const size_t *before_class;
    size_t before;
    const gbs_data *head, *fresh; /* the rows to learn from, and the last block */
    size_t first, rows;           /* of head: those whose weights choose the bet */
} gbs_many_evidence;

gbs_status gbs_many_certify(gbs_context *ctx, gbs_model *model, const gbs_many_evidence *e);

#endif
