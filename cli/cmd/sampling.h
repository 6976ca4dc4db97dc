/* What sample and gap share: the binary problems behind three classes or more, and the results of
 * one run. */
#ifndef GIBBSITE_CLI_SAMPLING_H
#define GIBBSITE_CLI_SAMPLING_H

#include "input.h"
#include "out/result.h"

/* Classes: +1, and -1 (SIZE_MAX: the rest). */
struct problem {
    size_t one, other;
};
/* How they are made: model NULL, each class against the rest. */
gbs_scheme problems_scheme(const gbs_model *model);
/* Problems of a model, counted with those that it has not learned. */
size_t problems_most(const gbs_model *model, const gbs_recipe *recipe);
/* Problem k and its part of the model; false: it was not learned. */
bool problem_at(const gbs_model *model, size_t k, struct problem *out, const gbs_model **part);
/* "classes" and "scheme"; "class" and "against", which is null for the rest. */
void problems_json(struct json *j, const gbs_recipe *recipe, const gbs_model *model);
void problem_json(struct json *j, const gbs_recipe *recipe, struct problem p);
/* Both in at most `most` columns; true of the rest: "the rest". */
const char *problem_class(const gbs_recipe *recipe, size_t class, size_t most,
                          char out[static LINE_NAME]);
/* A standard error, ">=" before one that is a lower bound. */
const char *sampling_error(double sd, bool at_least, char out[static LINE_NUMBER]);

/* What was sampled, and log Z. */
int sampling_json(struct json *j, const struct app *app, const gbs_particles *particles);
/* Parts of gbs_describe. */
int sampling_describe(struct json *j, const struct app *app, const gbs_particles *particles,
                      unsigned parts);
void sampling_text(struct text *t, const gbs_particles *particles);
/* The part of that which is a result: log Z, Gibbs risk, training error. */
void sampling_results(struct text *t, enum line_kind kind, const gbs_particles *particles);

#endif
