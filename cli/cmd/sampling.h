/* What sample and gap share: options, one run, its results. */
#ifndef GIBBSITE_CLI_SAMPLING_H
#define GIBBSITE_CLI_SAMPLING_H

#include "input.h"
#include "out/result.h"

/* The options of a sampling that are common to both commands. */
gbs_sample_options sampling_options(const struct options *o);
/* Options that exclude or need one another. */
int sampling_check(const struct app *app);

/* What was sampled, and log Z. */
void sampling_json(struct json *j, const gbs_particles *particles);
void sampling_text(struct text *t, const gbs_particles *particles);

#endif
