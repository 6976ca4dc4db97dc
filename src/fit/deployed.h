/* The deployed predictor on its way: what deployed.c fits and deployed_lines.c certifies. */
#ifndef GIBBSITE_FIT_DEPLOYED_H
#define GIBBSITE_FIT_DEPLOYED_H

#include "fit/choose.h"
#include "fit/split.h"
#include "fit/ways.h"

typedef struct gbs_deployed {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_fit_settings o; /* as asked for; then with what was chosen */
    gbs_model *model;
    gbs_split split;
    gbs_choice choice;
    gbs_rows rows;  /* all, in their random order */
    gbs_data *all;  /* fitted again: as they came */
    gbs_rows fresh; /* the last block */
    /* of the fresh rows: score, probability of +1, Gibbs error, and room for one thing after the
     * other: losses, scores by class; and of their groups */
    double *score, *probability, *gibbs, *room, *by_group;
    double *share;       /* of the largest weight, of all rows in their order; NULL: nobody asks */
    bool unproven_start; /* the fit began elsewhere, and its end is not proven to be the same */
    size_t lines;
    double delta; /* of each line */
} gbs_deployed;

/* Every line of the card, into the model. The last block has been judged. */
gbs_status gbs_deployed_certify(gbs_deployed *f);

#endif
