/* Oracle inequalities: what is promised before any data is seen. */
#ifndef GIBBSITE_THEORY_H
#define GIBBSITE_THEORY_H

#include "gibbsite/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- theory */

/* On a number that the paper prints, against the value that the theorem gives. */
typedef enum gbs_verdict {
    GBS_VERDICT_NONE = 0,
    GBS_VERDICT_VALID,     /* at or above the value, by at most a tenth */
    GBS_VERDICT_LOOSE,     /* above it by more */
    GBS_VERDICT_NOT_VALID, /* below it: not what the theorem gives, read as the paper reads it */
    GBS_VERDICT_UP_TO_A_CONSTANT /* a rate: value and print are both known up to a constant alone */
} gbs_verdict;

/* One value of the theory: what it is, and where it comes from. */
typedef struct gbs_theory_row {
    const char *group, *name, *source;
    double value, paper_value; /* NaN: there is none */
    gbs_verdict verdict;
} gbs_theory_row;

/* What the theory says. */
typedef struct gbs_theory gbs_theory;

/* options are those of "theory", NULL: the defaults. Oracle inequalities and recommended constants.
 * Excess risks are over the best classifier of the class. */
GBS_API gbs_status gbs_theory_compute(gbs_context *ctx, const gbs_options *options,
                                      gbs_theory **out);
/* Value k, NULL beyond the last; valid as long as the theory. */
GBS_API const gbs_theory_row *gbs_theory_row_at(const gbs_theory *theory, size_t k);
/* Takes the handle back; NULL is ignored. */
GBS_API void gbs_theory_free(gbs_theory *theory);
/* "none", "valid", "loose", "not valid", "up to a constant"; NULL out of range. */
GBS_API const char *gbs_verdict_name(gbs_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
