/* Completion of commands, options, their values and file names in shells, out of the tables of
 * commands and options. */
#ifndef GIBBSITE_CLI_OUT_SHELLS_H
#define GIBBSITE_CLI_OUT_SHELLS_H

#include <stdio.h>

/* The order of the choices of --completion. */
enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };

void shell_completion(FILE *out, enum shell shell);

#endif
