/* The options that most people need. */
#ifndef GIBBSITE_OUT_EVERYDAY_H
#define GIBBSITE_OUT_EVERYDAY_H

#include "options.h"

/* The command has more options than a page of help should. */
bool everyday_only(unsigned command);
/* Of every command, and seldom asked for. */
bool everyday_rare(const char *option);
/* What a short list says of an option; NULL: nothing. */
const char *everyday_words(unsigned command, const char *option);

#endif
