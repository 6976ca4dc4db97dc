/* The shortest decimal number that is read back as a given double. */
#ifndef GIBBSITE_CORE_SHORTEST_H
#define GIBBSITE_CORE_SHORTEST_H

#include <stdint.h>

/* digits 10^power; digits has no more than 17 decimal digits, and may end in zeros. */
typedef struct gbs_shortest {
    uint64_t digits;
    int power;
} gbs_shortest;

/* x > 0 and finite. Of the shortest ones that which is nearest to x. */
gbs_shortest gbs_shortest_of(double x);

#endif
