#include "near.h"

#include <string.h>

enum { LONGEST = 24 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

unsigned near_typed(const char *a, const char *b) {
    unsigned d[LONGEST + 1][LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

bool near_enough(const char *a, const char *b) {
    size_t n = strlen(b);
    return near_typed(a, b) <= (n > 4 ? 2U : 1U);
}
