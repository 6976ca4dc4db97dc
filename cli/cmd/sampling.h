/* What sample and gap share: the results of one run. */
#ifndef GIBBSITE_CLI_SAMPLING_H
#define GIBBSITE_CLI_SAMPLING_H

#include "input.h"
#include "out/result.h"

/* What was sampled, and log Z. */
void sampling_json(struct json *j, const gbs_particles *particles);
void sampling_text(struct text *t, const gbs_particles *particles);

#endif
