/* simulate ratings: a matrix of known rank, seen through noise. */
#ifndef GIBBSITE_CLI_SIMULATE_RATINGS_H
#define GIBBSITE_CLI_SIMULATE_RATINGS_H

#include "app.h"

int simulate_ratings(struct app *app);

#endif
