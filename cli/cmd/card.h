/* inspect --card: a model card. */
#ifndef GIBBSITE_CLI_CARD_H
#define GIBBSITE_CLI_CARD_H

#include "out/result.h"

/* Markdown, or with --json one object. EXIT_DONE, or an exit code already reported. */
int card_model(const struct app *app, const gbs_model *model, const gbs_recipe *recipe,
               struct text *out);
int card_completion(const struct app *app, const gbs_completion *model, struct text *out);

#endif
