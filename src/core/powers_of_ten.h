/* Powers of ten, for numbers printed (shortest.c) and read (table/number.c). */
#ifndef GIBBSITE_CORE_POWERS_OF_TEN_H
#define GIBBSITE_CORE_POWERS_OF_TEN_H

#include <stdint.h>

enum { GBS_LEAST_POWER = -292, GBS_MOST_POWER = 324 };

/* floor(10^k 2^-r) + 1, with r such that it has 128 binary digits: high and low half. The low half
 * is never 0, so that one less is the floor. 5^k has the same digits. */
extern const uint64_t gbs_powers_of_ten[GBS_MOST_POWER - GBS_LEAST_POWER + 1][2];

#endif
