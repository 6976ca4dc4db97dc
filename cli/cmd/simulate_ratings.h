/* simulate ratings: a matrix of known rank, seen through noise. */
#ifndef GIBBSITE_CLI_SIMULATE_RATINGS_H
#define GIBBSITE_CLI_SIMULATE_RATINGS_H

#include "app.h"

int simulate_ratings(struct app *app);

/* Rows and ratings are drawn and written in pieces of so many bytes. */
enum { SIMULATED_PIECE = 1 << 20 };
/* A piece that was drawn, as gbs_piece_callback hands it out; what went wrong with it is said.
 * more: others follow. A signal that comes when all is written comes too late. */
gbs_status simulated_piece(const struct app *app, const struct text *text, bool more,
                           const char **bytes, size_t *size);

#endif
