/* Signals that ask the program to stop: Ctrl-C (SIGINT), kill (SIGTERM), a terminal that is closed
 * (SIGHUP). The library knows nothing of them; it asks its cancel callback. */
#ifndef GIBBSITE_CLI_SIGNALS_H
#define GIBBSITE_CLI_SIGNALS_H

#include <stdbool.h>

void signals_catch(void);
/* The first signal that came, 0 when none did. */
int signals_caught(void);
/* The number of the process that sent it. */
int signals_sender(void);
/* What it did to the program: "interrupted", "terminated", "hung up". */
const char *signals_word(void);

/* A second signal ends the program at once. Not while files are being written: where the file
 * system gives them temporary names, they would stay; the library stops by itself there, and takes
 * them away. */
void signals_hold(bool hold);

#endif
