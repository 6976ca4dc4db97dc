/* Decimal text to double, correctly rounded: the same bits as strtod, several times faster.
 *
 * Only plain decimals are numbers here: 12, -0.5, .5, 5., 1e-3. No hexadecimal, no names.
 */
#ifndef GIBBSITE_TABLE_NUMBER_H
#define GIBBSITE_TABLE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum gbs_number_kind {
    GBS_NUMBER_FINITE,
    GBS_NUMBER_MISSING,    /* empty, NA, or nan in any case */
    GBS_NUMBER_NOT_FINITE, /* inf or infinity in any case, with or without a sign */
    GBS_NUMBER_TOO_LARGE,  /* a decimal beyond the largest double */
    GBS_NUMBER_NONE        /* anything else */
} gbs_number_kind;

/* Reads the longest number that starts at text; returns where it stops, or NULL where none starts
 * or it is too large. The byte at end must be readable and no part of a number (a separator, a
 * quote, '\0'); a result equal to end says that the text may go on. */
const char *gbs_number_read(const char *text, const char *end, double *value);

/* What the whole of text is; *value is set for GBS_NUMBER_FINITE only. The byte at text[length] as
 * above. */
gbs_number_kind gbs_number_is(const char *text, size_t length, double *value);

/* A well-known mark of a missing number, in any case: ?, -, --, ., n/a, #n/a, null, none, missing.
 */
bool gbs_number_is_mark(const char *text, size_t length);

/* Without the blanks around it, no-break spaces among them. */
void gbs_number_trim(const char **text, size_t *length);

#endif
