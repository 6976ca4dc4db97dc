/* What callers can get wrong, answered before anything is read: GBS_ERR_ARGUMENT, and a sentence
 * that names the argument as the header spells it and says what was expected. Without a context
 * there is nowhere to leave the sentence.
 */
#ifndef GIBBSITE_CORE_CHECK_H
#define GIBBSITE_CORE_CHECK_H

#include "core/context.h"

gbs_status gbs_refuse_null(gbs_context *ctx, const char *argument);

/* Leaves a public function whose caller has no such argument; ctx is one as well. */
#define GBS_NEEDS(ctx, argument)                                                                   \
    do {                                                                                           \
        if ((argument) == NULL)                                                                    \
            return gbs_refuse_null((ctx), #argument);                                              \
    } while (0)

/* The same for an array of `count` elements: without elements it may be missing. */
#define GBS_NEEDS_ARRAY(ctx, array, count)                                                         \
    do {                                                                                           \
        if ((count) > 0)                                                                           \
            GBS_NEEDS(ctx, array);                                                                 \
    } while (0)

/* For an array inside the options. */
gbs_status gbs_check_array(gbs_context *ctx, const char *name, const void *array, size_t count);

/* Is a value the position of one of these names, "a|b|c"? last: what stands for the last of them in
 * place of its position; 0: nothing does. */
gbs_status gbs_check_choice(gbs_context *ctx, const char *option, int value, const char *choices,
                            int last);

/* A list of lambdas to go through: given, positive, increasing. */
gbs_status gbs_check_ladder(gbs_context *ctx, const double *ladder, size_t count);

/* Between 0 and 1, both left out. */
gbs_status gbs_check_confidence(gbs_context *ctx, double confidence);

/* For what is handed back beside a pointer: the caller may not want to know. */
static inline void gbs_tell(size_t *count, size_t value) {
    if (count != NULL)
        *count = value;
}

#endif
