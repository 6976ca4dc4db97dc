/* "1 row", "3 rows": a number before its noun in a message. */
#ifndef GIBBSITE_CORE_COUNT_H
#define GIBBSITE_CORE_COUNT_H

#include <stddef.h>
#include <stdio.h>

typedef struct gbs_counted {
    char text[48];
} gbs_counted;

/* noun: of one. */
static inline gbs_counted gbs_count(size_t n, const char *noun) {
    gbs_counted c;
    snprintf(c.text, sizeof c.text, "%zu %s%s", n, noun, n == 1 ? "" : "s");
    return c;
}

#endif
