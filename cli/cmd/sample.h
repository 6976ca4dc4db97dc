/* One run of `gibbsite sample`: a posterior, or one for each binary problem behind the classes. */
#ifndef GIBBSITE_CLI_SAMPLE_H
#define GIBBSITE_CLI_SAMPLE_H

#include "cmd/sampling.h"

/* What was drawn of one posterior. */
struct drawn {
    struct problem problem; /* of three classes or more */
    const gbs_model *model; /* of --against, or its part; NULL: none */
    gbs_particles *particles;
    const gbs_sample_info *info;
    gbs_gap *gap;
};

struct sample {
    struct app *app;
    gbs_recipe *models; /* that of --against */
    const gbs_recipe *recipe;
    struct input train;
    gbs_model *against;
    size_t count; /* posteriors; 1 of two classes */
    struct drawn *item;
    double seconds_read;
};

/* Writes the files that were asked for and the result: an exit code. */
int sample_write(const struct sample *s);

#endif
