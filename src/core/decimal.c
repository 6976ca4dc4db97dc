/* The C locale is a constant of the C library: it is not made, and it cannot be missing. */
#include "core/decimal.h"

#include "core/shortest.h"
#include "gibbsite/base.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double gbs_decimal_read(const char *text, char **end) {
    return strtod_l(text, end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

size_t gbs_print_number(double x, char *text) {
    gbs_decimal_print_from(15, x, text, GBS_NUMBER_ROOM);
    return strlen(text);
}

void gbs_decimal_print(double x, char *out, size_t room) {
    gbs_decimal_print_from(6, x, out, room);
}

/* The decimal digits of n > 0 without the zeros at its end; returns how many, *power grows by the
 * zeros. */
static int spell(uint64_t n, char *digits, int *power) {
    char reversed[GBS_NUMBER_ROOM] = {0};
    int count = 0;
    for (; n % 10 == 0; n /= 10)
        ++*power;
    for (; n > 0; n /= 10)
        reversed[count++] = (char)('0' + n % 10);
    for (int k = 0; k < count; k++)
        digits[k] = reversed[count - 1 - k];
    return count;
}

/* As printf's %g lays them out: 0.00123, 1230, 1.23e-07. `first` is the power of ten of the first
 * digit. */
static char *lay_out(const char *digits, int count, int first, int precision, char *to) {
    if (first < -4 || first >= precision) {
        *to++ = digits[0];
        if (count > 1) {
            *to++ = '.';
            memcpy(to, digits + 1, (size_t)count - 1);
            to += count - 1;
        }
        *to++ = 'e';
        *to++ = first < 0 ? '-' : '+';
        first = abs(first);
        if (first >= 100)
            *to++ = (char)('0' + first / 100);
        *to++ = (char)('0' + first / 10 % 10);
        *to++ = (char)('0' + first % 10);
        return to;
    }
    if (first < 0) {
        *to++ = '0';
        *to++ = '.';
        memset(to, '0', (size_t)(-first - 1));
        to += -first - 1;
    }
    for (int k = 0; k < count || k <= first; k++) {
        if (k > 0 && k == first + 1)
            *to++ = '.';
        *to++ = k < count ? digits[k] : '0';
    }
    return to;
}

void gbs_decimal_print_from(int least, double x, char *out, size_t room) {
    char text[GBS_NUMBER_ROOM], digits[GBS_NUMBER_ROOM], *to = text;
    if (!isfinite(x)) {
        snprintf(out, room, "%g", x);
        return;
    }
    if (signbit(x))
        *to++ = '-';
    if (x == 0.0) {
        *to++ = '0';
    } else {
        gbs_shortest s = gbs_shortest_of(fabs(x));
        int count = spell(s.digits, digits, &s.power), first = s.power + count - 1;
        to = lay_out(digits, count, first, count > least ? count : least, to);
    }
    *to = '\0';
    if (room > 0) {
        size_t size = (size_t)(to - text) < room ? (size_t)(to - text) : room - 1;
        memcpy(out, text, size);
        out[size] = '\0';
    }
}
