/* Manual pages in roff, out of the tables of commands and options. */
#ifndef GIBBSITE_CLI_OUT_MANUAL_H
#define GIBBSITE_CLI_OUT_MANUAL_H

#include "app.h"

#include <stdio.h>

/* gibbsite-COMMAND(1); of gibbsite(1) itself when `topic` is NULL. */
void manual_print(FILE *out, const struct command *topic);

/* One sentence about the program, and one about its exit codes, for help and manual alike. */
extern const char *const manual_tagline;
extern const char *const manual_exit_codes;

#endif
