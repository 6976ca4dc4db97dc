/* What a model card says that its model cannot do, or was not shown to do. */
#ifndef GIBBSITE_CLI_CARD_LIMITS_H
#define GIBBSITE_CLI_CARD_LIMITS_H

#include "out/result.h"

/* Where each limit goes in turn. */
struct card_limits {
    struct text *markdown; /* or: */
    struct json *json;
};

void card_model_limits(const struct card_limits *to, const gbs_model *model,
                       const gbs_recipe *recipe);
void card_completion_limits(const struct card_limits *to, const gbs_completion *model);

#endif
