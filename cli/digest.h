/* Numbers that tell whether ranks were asked for the same work. */
#ifndef GIBBSITE_CLI_DIGEST_H
#define GIBBSITE_CLI_DIGEST_H

#include "app.h"

#include <stdint.h>

/* Of a command and its options, but for names of files, and threads; between 0 and 2^62. */
int64_t digest_options(const struct command *command, const struct options *o);
/* Of the files that the options name to be read. False: one of them cannot be compared. */
bool digest_files(const struct options *o, int64_t *digest);

int64_t digest_text(const char *text);

#endif
