/* What the options ask the library to fit: one setting, or the grid that cross-validation compares.
 */
#ifndef GIBBSITE_CLI_CANDIDATES_H
#define GIBBSITE_CLI_CANDIDATES_H

#include "app.h"
#include "table/design.h"

/* The options of a fit that are no grid. */
gbs_fit_options candidate_base(const struct options *o);

struct candidates {
    gbs_fit_options *item;
    gbs_cv_result *result;
    size_t n, best;
};

/* Every combination of the losses, families, lambdas and prior_sds asked for, in that order; lambda
 * varies fastest. A lambda that is not given is the number of rows, in ranking of the smaller
 * class. */
int candidates_build(const struct app *app, const struct design *design, struct candidates *out);
/* Cross-validates them. best: smallest error, the earlier one on ties. */
int candidates_validate(const struct app *app, const gbs_data *data, const char *file,
                        struct candidates *c);
void candidates_free(struct candidates *c);

/* Options that exclude or need one another, for fit and cv alike. */
int candidates_check(const struct app *app);
size_t candidates_folds(const struct options *o);

#endif
