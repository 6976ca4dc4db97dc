/* The outputs of a command: its files, and standard output. */
#ifndef GIBBSITE_CLI_OUTPUTS_H
#define GIBBSITE_CLI_OUTPUTS_H

#include "app.h"

/* "-", or another name of standard output (/dev/stdout, a link to where it is redirected). */
bool output_is_stdout(const char *path);
/* fit, sample, complete: --json goes to standard output, and so does the text for people, unless
 * --quiet, or one of the files that the options name is standard output and stands there alone. */
bool outputs_print_result(const struct options *o);

/* To be called before anything is computed. prints: the command writes to standard output, beside
 * the files that its options name. EXIT_USAGE when two outputs are one file, one is an input, or
 * two inputs are standard input; EXIT_FILES when one of them cannot be written. */
int outputs_check(const struct app *app, bool prints);

#endif
