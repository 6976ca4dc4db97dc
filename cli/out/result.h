/* Results that several commands print: JSON pieces and tables for people. */
#ifndef GIBBSITE_CLI_RESULT_H
#define GIBBSITE_CLI_RESULT_H

#include "app.h"
#include "out/curves.h"
#include "out/json.h"

/* "gibbsite": version, "command": name */
void result_head(struct json *j, const struct app *app);
/* Members that the library tells of a model, of an object that is the outermost value: parts are
 * bits of gbs_describe. EXIT_DONE, or an exit code already reported. */
int result_describe(struct json *j, const struct app *app, const gbs_model *model, unsigned parts);
void result_certificates_text(struct text *t, const gbs_model *model, const gbs_recipe *recipe);
/* The binomial bound is at --confidence (default 0.95). roc may be NULL, and model where there is
 * none (particles). */
void result_evaluation(struct json *j, const struct app *app, const gbs_evaluation *e,
                       const struct roc *roc, const gbs_model *model, const gbs_recipe *recipe);
void result_evaluation_text(struct text *t, const struct app *app, const gbs_evaluation *e,
                            const char *positive, const char *negative);
void result_model_text(struct text *t, const gbs_model *model);
/* "options": the files, the options given, the seed. */
void result_options(struct json *j, const struct app *app);
/* "trace": the free energy of each iteration, with the number of components left. */
void result_completion_trace(struct json *j, const gbs_completion *model);
/* "coefficients" of the scaled columns: the forty that lie farthest from zero in their own standard
 * deviations. */
int result_coefficients(struct json *j, const struct app *app, const gbs_model *model,
                        const gbs_recipe *recipe);

#endif
