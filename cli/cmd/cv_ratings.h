/* gibbsite cv RATINGS: completions compared over folds of the ratings. */
#ifndef GIBBSITE_CLI_CV_RATINGS_H
#define GIBBSITE_CLI_CV_RATINGS_H

#include "app.h"

/* Whether the file is one of ratings: an option that only completions have was given, or its name
 * or header says so, which is told. */
bool cv_is_of_ratings(const struct app *app);
int cv_ratings(struct app *app);

#endif
