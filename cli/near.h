/* How far a word is from another that was perhaps meant: letters left out, put in, changed, and
 * neighbours that changed places, the least number of them that makes one of the other. */
#ifndef GIBBSITE_NEAR_H
#define GIBBSITE_NEAR_H

#include <stdbool.h>

unsigned near_typed(const char *a, const char *b);
/* a may be a slip of the finger for b. */
bool near_enough(const char *a, const char *b);

#endif
