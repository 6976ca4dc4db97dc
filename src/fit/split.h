/* Which rows are known before which: the random order of the rows, and where the first part ends.
 */
#ifndef GIBBSITE_FIT_SPLIT_H
#define GIBBSITE_FIT_SPLIT_H

#include "data/rows.h"
#include "model/model.h"
#include "task/parts.h"

typedef struct gbs_split {
    gbs_context *ctx;
    gbs_data *view;  /* all rows in the random order */
    size_t n, first; /* rows, and rows of the first part */
    uint64_t seed;   /* of the order */
    double *labels;  /* of the view, once it is forgotten; */
    double *weights; /* NULL: it has none */
    uint32_t *group; /* NULL: it has none */
    size_t groups;   /* above any of them */
} gbs_split;

/* The order that the options and the context's seed give, in words that find it again. */
gbs_split_key gbs_split_key_of(const gbs_split *s, const gbs_fit_settings *o);
/* Rows from .. from + count - 1 of that order among `data`, which must be the rows of the fit. */
gbs_status gbs_split_find(gbs_context *ctx, const gbs_data *data, const gbs_split_key *key,
                          size_t from, size_t count, gbs_data **out);

/* GBS_ERR_DATA when the first part lacks a class; not of a deployed predictor, which looks itself.
 */
gbs_status gbs_split_create(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            gbs_split *out);
void gbs_split_free(gbs_split *s);

/* Once the design rows are built only labels, weights and groups of the view are needed, and stay
 * where they are. */
void gbs_split_forget_order(gbs_split *s);

/* The first `count` rows of the order. */
gbs_status gbs_split_head(gbs_context *ctx, const gbs_split *s, size_t count, gbs_data **out);

#endif
