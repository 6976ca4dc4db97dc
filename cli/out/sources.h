/* Where the methods behind an answer come from: authors and year, for --verbose. */
#ifndef GIBBSITE_CLI_OUT_SOURCES_H
#define GIBBSITE_CLI_OUT_SOURCES_H

#include "gibbsite.h"
#include "out/text.h"

void sources_model(struct text *t, const gbs_model *model);
void sources_evaluation(struct text *t, const gbs_evaluation *e);
void sources_sampling(struct text *t, const gbs_particles *particles);
void sources_completion(struct text *t, const gbs_completion *model);

#endif
