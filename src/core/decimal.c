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

/* The decimal digits of n > 0, two at a time, so that they end at `end`; returns the first. */
static char *spell(uint64_t n, char *end) {
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
        "4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
        "888990919293949596979899";
    char *at = end;
    for (; n >= 100; n /= 100)
        memcpy(at -= 2, pairs + 2 * (n % 100), 2);
    if (n >= 10)
        memcpy(at -= 2, pairs + 2 * n, 2);
    else
        *--at = (char)('0' + n);
    return at;
}

/* 1.23e-07: `first` is the power of ten of the first digit. */
static char *with_exponent(const char *digits, size_t count, int first, char *to) {
    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        memcpy(to, digits + 1, count - 1);
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

/* As printf's %g lays them out: 0.00123, 1230, 1.23e-07. */
static char *lay_out(const char *digits, size_t count, int first, int precision, char *to) {
    if (first < -4 || first >= precision)
        return with_exponent(digits, count, first, to);
    if (first < 0) {
        static const char zeros[] = {'0', '.', '0', '0', '0'};
        memcpy(to, zeros, sizeof zeros);
        to += 1 - first;
        memcpy(to, digits, count);
        return to + count;
    }
    size_t before = (size_t)first + 1;
    if (count <= before) {
        memcpy(to, digits, count);
        memset(to + count, '0', before - count);
        return to + before;
    }
    memcpy(to, digits, before);
    to[before] = '.';
    memcpy(to + before + 1, digits + before, count - before);
    return to + count + 1;
}

/* The shortest digits of a finite x; returns their end. */
static char *print(int least, double x, char *to) {
    char digits[GBS_NUMBER_ROOM] = {0}, *end = digits + sizeof digits;
    if (signbit(x))
        *to++ = '-';
    if (x == 0.0) {
        *to = '0';
        return to + 1;
    }
    gbs_shortest s = gbs_shortest_of(fabs(x));
    const char *begin = spell(s.digits, end);
    int first = s.power + (int)(end - begin) - 1;
    while (end[-1] == '0')
        end--;
    int count = (int)(end - begin);
    return lay_out(begin, (size_t)count, first, count > least ? count : least, to);
}

size_t gbs_print_number(double x, char *text) {
    if (!isfinite(x))
        return (size_t)snprintf(text, GBS_NUMBER_ROOM, "%g", x);
    char *end = print(15, x, text);
    *end = '\0';
    return (size_t)(end - text);
}

void gbs_decimal_print(double x, char *out, size_t room) {
    gbs_decimal_print_from(6, x, out, room);
}

void gbs_decimal_print_from(int least, double x, char *out, size_t room) {
    char text[GBS_NUMBER_ROOM];
    if (!isfinite(x)) {
        snprintf(out, room, "%g", x);
        return;
    }
    size_t size = (size_t)(print(least, x, text) - text);
    if (room > 0) {
        size = size < room ? size : room - 1;
        memcpy(out, text, size);
        out[size] = '\0';
    }
}
