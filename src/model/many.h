/* What a model of three classes or more is made of: binary problems, each a model by itself, and
 * the calibration that joins their scores (docs/maths.md, 11.10).
 *
 *   one class against the rest   part k: class k is +1, every other -1;   s_k = log odds of k
 *   each against each            part (j, k), j < k: class j is +1, class k -1;
 *                                s_k = mean over the others j of the log odds of k against j
 *
 * The log odds of a part are linear in its score x'm (platt.c), which brings parts of different
 * priors to one scale.
 *
 *   p_k = exp(z_k) / sum,   z = offset + slope s
 */
#ifndef GIBBSITE_MODEL_MANY_H
#define GIBBSITE_MODEL_MANY_H

#include "model/model.h"

/* The calibration of one part by itself: log odds of +1 = offset + slope x'm. */
typedef struct gbs_log_odds {
    double offset, slope;
} gbs_log_odds;

typedef struct gbs_many {
    size_t classes;
    gbs_scheme scheme;
    gbs_model **part; /* NULL: a class of it was not learned */
    size_t parts;
    gbs_log_odds *odds; /* of each part, from its score */
    bool *learned;      /* of each class */
    double *offset;     /* of each class; 0 where it was not learned */
    double *slope;      /* classes x classes: z = offset + slope s */
    bool full;          /* some lie beside its diagonal: gbs_many_tell_full looks */
    double *cost;       /* classes x classes, [is][said]; NULL: 0 and 1 */
    bool tested;        /* on a last block: */
    gbs_classes_card card;
    size_t *confusion; /* (classes + 1) x classes, [is][said] */
    gbs_class_result *result;
} gbs_many;

/* Room for everything; no part yet. */
gbs_status gbs_many_create(gbs_context *ctx, size_t classes, gbs_scheme scheme, gbs_many **out);
void gbs_many_free(gbs_context *ctx, gbs_many *many);

/* The classes of part p: +1, and -1 (SIZE_MAX: the rest). */
void gbs_many_sides(gbs_scheme scheme, size_t classes, size_t p, size_t *one, size_t *other);
/* Tells every part which classes are its own. */
void gbs_many_tell_sides(gbs_many *many);
/* Sets `full`; called where slopes have been set. */
void gbs_many_tell_full(gbs_many *many);
/* Of the table of confusion: rows, what was said and what was right of each class. */
void gbs_many_count(size_t classes, const size_t *confusion, gbs_class_result *result);

#endif
