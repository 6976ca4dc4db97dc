/* Decimal text to double.
 *
 *   text = m 10^q,  m an integer of at most 19 digits
 *
 * First, m <= 2^53 and |q| <= 22: m and 10^|q| are doubles, so one division or product is correctly
 * rounded (Clinger 1990).
 *
 * Second, m is multiplied by the 128 leading bits of 5^q. The truncated product T is below the true
 * one by less than a known error, so when the bits after the 53rd stay on one side of a half over
 * the whole interval, the rounding is certain (the idea of Lemire 2021, with an interval instead of
 * his case analysis). More than 19 digits only widen the interval.
 *
 * The rest (ties, extreme exponents) goes to the strtod of the C locale.
 */
#include "table/number.h"

#include "core/decimal.h"
#include "core/powers_of_ten.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 uint128;

#define MOST_DIGITS 19
/* Every number of up to 19 digits between about 1e-77 and 1e64; others are rare: strtod. */
#define LEAST_EXPONENT (-96)
#define MOST_EXPONENT 64
#define EXPONENT_CAP 100000000 /* beyond any cell's digits; strtod sees the text itself */

struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    bool negative;
    bool cut; /* nonzero digits were left out of the mantissa */
};

static inline bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Eight digits at once; the first character is the lowest byte. */
static inline bool take_eight(const char *p, uint64_t *mantissa) {
    uint64_t v;
    memcpy(&v, p, 8);
    /* A byte is a digit when its upper half is 3 and stays 3 after adding 6. */
    if (((v & 0xf0f0f0f0f0f0f0f0u) | (((v + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4)) !=
        0x3333333333333333u)
        return false;
    v -= 0x3030303030303030u;
    v = v * 10 + (v >> 8); /* pairs, in every second byte */
    v = (v & 0x00ff00ff00ff00ffu) * 100 + ((v >> 16) & 0x00ff00ff00ff00ffu);   /* fours */
    v = (v & 0x0000ffff0000ffffu) * 10000 + ((v >> 32) & 0x0000ffff0000ffffu); /* eight */
    *mantissa = *mantissa * 100000000 + (v & 0xffffffffu);
    return true;
}
#else
static inline bool take_eight(const char *p, uint64_t *mantissa) {
    (void)p;
    (void)mantissa;
    return false;
}
#endif

/* Wraps around on more than 19 digits; the caller counts them and starts over. */
static inline const char *take_digits(const char *p, const char *end, uint64_t *mantissa) {
    while (end - p >= 8 && take_eight(p, mantissa))
        p += 8;
    uint64_t m = *mantissa;
    while (is_digit(*p))
        m = m * 10 + (uint64_t)(*p++ - '0');
    *mantissa = m;
    return p;
}

/* p at the e; returns p itself when no digit follows, which leaves the e as junk behind the number.
 */
static const char *take_exponent(const char *p, int64_t *exponent) {
    const char *q = p + 1;
    bool negative = *q == '-';
    if (*q == '-' || *q == '+')
        q++;
    if (!is_digit(*q))
        return p;
    int64_t e = 0;
    for (; is_digit(*q); q++)
        if (e < EXPONENT_CAP)
            e = e * 10 + (*q - '0');
    *exponent = negative ? -e : e;
    return q;
}

/* Keeps the first 19 significant digits of [first, stop). */
static void keep_leading_digits(const char *first, const char *stop, int64_t exponent,
                                struct decimal *d) {
    uint64_t m = 0;
    int taken = 0;
    bool fraction = false;
    for (const char *p = first; p < stop; p++) {
        if (*p == '.') {
            fraction = true;
        } else if (taken < MOST_DIGITS) {
            m = m * 10 + (uint64_t)(*p - '0');
            taken += m != 0;
            exponent -= fraction;
        } else {
            d->cut |= *p != '0';
            exponent += !fraction;
        }
    }
    d->mantissa = m;
    d->exponent = exponent;
}

static inline const char *scan_decimal(const char *p, const char *end, struct decimal *d) {
    d->negative = *p == '-';
    d->cut = false;
    if (*p == '-' || *p == '+')
        p++;
    const char *first = p;
    uint64_t m = 0;
    p = take_digits(p, end, &m);
    int64_t count = p - first, fraction = 0, exponent = 0;
    if (*p == '.') {
        const char *q = take_digits(p + 1, end, &m);
        fraction = q - (p + 1);
        count += fraction;
        p = q;
    }
    if (count == 0)
        return NULL;
    const char *stop = p;
    if ((*p | 0x20) == 'e')
        p = take_exponent(p, &exponent);
    d->mantissa = m;
    d->exponent = exponent - fraction;
    if (count > MOST_DIGITS)
        keep_leading_digits(first, stop, exponent, d);
    return p;
}

/* The second way. The true product lies in [T, T + error); false when it may round either way. */
static bool round_product(const struct decimal *d, double *value) {
    int q = (int)d->exponent, zeros = __builtin_clzll(d->mantissa);
    const uint64_t *power = gbs_powers_of_ten[q - GBS_LEAST_POWER], m = d->mantissa << zeros;
    uint128 product = (uint128)m * power[0] + (((uint128)m * (power[1] - 1)) >> 64);
    uint128 error = d->cut ? ((uint128)1 << (64 + zeros)) + 2 : 2;
    /* 217706 / 2^16 is log2(10) closely enough for a floor over this range. */
    int exponent = 63 - zeros + ((217706 * q) >> 16);
    int spare = 74;
    if (product >> 127) {
        spare++;
        exponent++;
    }
    uint64_t bits = (uint64_t)(product >> spare);
    uint128 half = (uint128)1 << (spare - 1), rest = product & (2 * half - 1);
    if (rest > half)
        bits++;
    else if (rest + error > half)
        return false;
    if (bits >> 53) {
        bits >>= 1;
        exponent++;
    }
    bits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(exponent + 1023) << 52 |
           (uint64_t)d->negative << 63;
    memcpy(value, &bits, sizeof bits);
    return true;
}

static inline bool convert(const struct decimal *d, double *value) {
    static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    /* Wider intermediate registers (x87) would round twice. */
    if (FLT_EVAL_METHOD == 0 && !d->cut && d->mantissa <= (uint64_t)1 << 53 && d->exponent >= -22 &&
        d->exponent <= 22) {
        double m = (double)d->mantissa;
        m = d->exponent < 0 ? m / powers_of_ten[-d->exponent] : m * powers_of_ten[d->exponent];
        *value = d->negative ? -m : m;
        return true;
    }
    if (d->mantissa == 0) {
        *value = d->negative ? -0.0 : 0.0;
        return true;
    }
    return d->exponent >= LEAST_EXPONENT && d->exponent <= MOST_EXPONENT && round_product(d, value);
}

/* The value may come out infinite. strtod cannot take a hexadecimal here: "0x" has the mantissa 0
 * and never reaches it. */
static inline const char *read_any(const char *text, const char *end, double *value) {
    struct decimal d;
    const char *stop = scan_decimal(text, end, &d);
    if (stop && !convert(&d, value))
        *value = gbs_decimal_read(text, NULL);
    return stop;
}

const char *gbs_number_read(const char *text, const char *end, double *value) {
    double v;
    const char *stop = read_any(text, end, &v);
    if (!stop || !(fabs(v) <= DBL_MAX))
        return NULL;
    *value = v;
    return stop;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

gbs_number_kind gbs_number_is(const char *text, size_t length, double *value) {
    if (length == 0 || (length == 2 && text[0] == 'N' && text[1] == 'A') ||
        is_word(text, length, "nan"))
        return GBS_NUMBER_MISSING;
    double v;
    const char *stop = read_any(text, text + length, &v);
    if (stop == text + length) {
        if (!(fabs(v) <= DBL_MAX))
            return GBS_NUMBER_TOO_LARGE;
        *value = v;
        return GBS_NUMBER_FINITE;
    }
    size_t sign = text[0] == '-' || text[0] == '+';
    if (is_word(text + sign, length - sign, "inf") ||
        is_word(text + sign, length - sign, "infinity"))
        return GBS_NUMBER_NOT_FINITE;
    return GBS_NUMBER_NONE;
}

bool gbs_number_is_mark(const char *text, size_t length) {
    static const char *const marks[] = {"?",    "-",    "--",   ".",      "n/a",
                                        "#n/a", "null", "none", "missing"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (is_word(text, length, marks[k]))
            return true;
    return false;
}

/* How many bytes of a blank text begins with, or ends in. */
static size_t blank_at(const char *text, size_t length, bool end) {
    static const char *const blanks[] = {" ", "\t", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x87"};
    for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++) {
        size_t n = strlen(blanks[k]);
        if (n <= length && memcmp(end ? text + length - n : text, blanks[k], n) == 0)
            return n;
    }
    return 0;
}

void gbs_number_trim(const char **text, size_t *length) {
    for (size_t n; (n = blank_at(*text, *length, false)) > 0; *length -= n)
        *text += n;
    for (size_t n; (n = blank_at(*text, *length, true)) > 0;)
        *length -= n;
}
