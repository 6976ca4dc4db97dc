/* The C locale is a constant of the C library: it is not made, and it cannot be missing. */
#include "core/decimal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

double gbs_decimal_read(const char *text, char **end) {
    return strtod_l(text, end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void gbs_decimal_print(double x, char *out, size_t room) {
    gbs_decimal_print_from(6, x, out, room);
}

void gbs_decimal_print_from(int least, double x, char *out, size_t room) {
    locale_t callers = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    for (int digits = least; digits <= 17; digits++) {
        snprintf(out, room, "%.*g", digits, x);
        if (strtod(out, NULL) == x)
            break;
    }
    uselocale(callers);
}
