/* The program as one of several ranks: started by mpirun, it works with the others as one. */
#ifndef GIBBSITE_CLI_RANKS_H
#define GIBBSITE_CLI_RANKS_H

#include "app.h"

#include <stdbool.h>

/* What is there of MPI, in words, into `text`; false where the program cannot use it. */
bool ranks_describe(char *text, size_t room);

/* Several were started together: MPI begins, all but the first fall silent. EXIT_DONE, or an exit
 * code already reported. A process that only watches over the rank never comes back from here. */
int ranks_begin(const struct app *app);
/* There are several. */
bool ranks_many(void);
/* The signal that asks this one to stop comes from mpirun, or from the watcher, who was told. */
bool ranks_stopped(void);
/* This one writes what all have made; a file is made by all calling app_write. */
bool ranks_writes(void);
/* Once this rank knows its options, or why it has none: the ranks see that all of them could begin
 * the same work, and the context becomes that of a rank. EXIT_DONE, or an exit code already
 * reported; `code` and `said`: how this rank fared so far. */
int ranks_join(const struct app *app, int code, const char *said);
/* All say how they fared: the exit code of the whole. `said` is the last message of this rank. */
int ranks_leave(const struct app *app, int code, const char *said);
/* After the context is gone. */
void ranks_end(void);

#endif
