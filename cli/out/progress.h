/* A progress bar on standard error: only on a terminal, only once the work has taken a while. */
#ifndef GIBBSITE_CLI_OUT_PROGRESS_H
#define GIBBSITE_CLI_OUT_PROGRESS_H

#include <stdbool.h>

/* Draws at most ten times a second. */
void progress_draw(const char *stage, double done);
/* Takes the bar off the screen. */
void progress_clear(void);
void progress_enable(bool on);

#endif
