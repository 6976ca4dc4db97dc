/* What sample and gap share: the results of one run. */
#ifndef GIBBSITE_CLI_SAMPLING_H
#define GIBBSITE_CLI_SAMPLING_H

#include "input.h"
#include "out/result.h"

/* A model that a sampling can be compared with; of three classes or more there is none. */
int sampling_check_model(const struct app *app, const char *file, const gbs_model *model);

/* What was sampled, and log Z. */
int sampling_json(struct json *j, const struct app *app, const gbs_particles *particles);
/* Parts of gbs_describe. */
int sampling_describe(struct json *j, const struct app *app, const gbs_particles *particles,
                      unsigned parts);
void sampling_text(struct text *t, const gbs_particles *particles);
/* The part of that which is a result: log Z, Gibbs risk, training error. */
void sampling_results(struct text *t, enum line_kind kind, const gbs_particles *particles);

#endif
