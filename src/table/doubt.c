/* Columns whose type is in doubt: texts by their first cell, numbers by most of the others. Taken
 * as categories without a word they would make a model of nonsense, so they are an error that names
 * the options that settle it. */
#include "table/recipe.h"

#include "table/number.h"
#include "table/shown.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_number(const char *text, size_t length) {
    double x;
    return gbs_number_is(text, length, &x) == GBS_NUMBER_FINITE;
}

/* Signs that people and spreadsheets put around numbers: money and per cent at either end, blanks
 * (three kinds) and apostrophes between thousands, a minus that is no hyphen. */
static const struct {
    const char *sign;
    char becomes;  /* \0: nothing */
    bool thousand; /* within a number only where three digits follow */
} signs[] = {{"$", '\0', false},        {"\xe2\x82\xac", '\0', false}, /* euro */
             {"\xc2\xa3", '\0', false},                                /* pound */
             {"\xc2\xa5", '\0', false},                                /* yen */
             {"%", '\0', false},        {"\xe2\x88\x92", '-', false},  {",", '\0', false},
             {" ", '\0', true},         {"\xc2\xa0", '\0', true},      {"\xe2\x80\xaf", '\0', true},
             {"'", '\0', true}};

static bool three_digits(const char *text) {
    return strspn(text, "0123456789") == 3;
}

/* How many bytes of text are a sign, and what becomes of it; 0: it is none, or not here. */
static size_t sign_at(const char *text, bool behind_digit, char *becomes) {
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        size_t n = strlen(signs[k].sign);
        if (strncmp(text, signs[k].sign, n) != 0)
            continue;
        *becomes = signs[k].becomes;
        bool within = behind_digit && isdigit((unsigned char)text[n]);
        return signs[k].thousand && within && !three_digits(text + n) ? 0 : n;
    }
    return 0;
}

static bool has_signs(const char *text) {
    char plain[40], becomes = '\0';
    size_t n = 0;
    while (*text != '\0' && n + 1 < sizeof plain) {
        size_t sign = sign_at(text, n > 0 && isdigit((unsigned char)plain[n - 1]), &becomes);
        if (sign == 0 || becomes != '\0')
            plain[n++] = sign == 0 ? *text : becomes;
        text += sign > 0 ? sign : 1;
    }
    plain[n] = '\0';
    return *text == '\0' && n > 0 && is_number(plain, n);
}

/* Behind the number that the text begins with; NULL: it begins with none. */
static const char *behind_number(const char *text) {
    double x;
    return gbs_number_read(text, text + strlen(text), &x);
}

enum { LONGEST_UNIT = 8 };

/* The unit of 71.8 kg; NULL: it has none. */
static const char *unit_of(const char *text) {
    const char *unit = behind_number(text);
    if (unit == NULL)
        return NULL;
    size_t length = strlen(unit);
    gbs_number_trim(&unit, &length);
    return length > 0 && length <= LONGEST_UNIT && strpbrk(unit, "0123456789-<>:;,_") == NULL
               ? unit
               : NULL;
}

gbs_dress gbs_dress_of(const char *text) {
    const char *rest = behind_number(text);
    if (has_signs(text))
        return GBS_DRESS_SIGNS;
    if (rest == NULL)
        return GBS_DRESS_NONE;
    if (*rest == '/')
        return is_number(rest + 1, strlen(rest + 1)) ? GBS_DRESS_PAIR : GBS_DRESS_NONE;
    if (*rest == 'd' || *rest == 'D') {
        const char *digits = rest + 1 + (rest[1] == '-' || rest[1] == '+');
        if (*digits != '\0' && strspn(digits, "0123456789") == strlen(digits))
            return GBS_DRESS_EXPONENT;
    }
    return unit_of(text) != NULL ? GBS_DRESS_UNIT : GBS_DRESS_NONE;
}

const char *gbs_dress_advice(gbs_dress dress) {
    static const char *const advice[] = {
        [GBS_DRESS_NONE] = "write a number",
        [GBS_DRESS_SIGNS] = "take the signs out of the file",
        [GBS_DRESS_UNIT] = "take the unit out of the file",
        [GBS_DRESS_PAIR] = "write the two numbers in two columns",
        [GBS_DRESS_EXPONENT] = "write the exponent with e in the file"};
    return advice[dress];
}

/* In a column only numbers of one unit are numbers: 2x, 3rd and 5b may be names. */
static bool is_dressed(const char *text, const char **unit) {
    gbs_dress dress = gbs_dress_of(text);
    if (dress != GBS_DRESS_UNIT)
        return dress != GBS_DRESS_NONE;
    *unit = *unit != NULL ? *unit : unit_of(text);
    return strcmp(*unit, unit_of(text)) == 0;
}

/* The first row whose cell is this level. */
static size_t row_of(const gbs_table *t, size_t column, size_t level) {
    size_t i = 0;
    while (i + 1 < t->n_rows && t->cells[i * t->n_columns + column] != (double)level) {
        i++;
        gbs_table_passed(t, i, i);
    }
    return i;
}

enum { FEWEST_NUMBERS = 3 };

gbs_status gbs_check_doubt(gbs_context *ctx, const gbs_table *t, size_t column) {
    const gbs_column *c = &t->columns[column];
    const char *unit = NULL;
    size_t plain = 0, dressed = 0, odd = c->n_levels, first = c->n_levels;
    for (size_t k = 0; c->guessed && k < c->n_levels; k++) {
        const char *text = c->levels[k];
        if (is_number(text, strlen(text))) {
            plain++;
        } else if (is_dressed(text, &unit)) {
            dressed++;
            first = first < k ? first : k;
        } else {
            odd = odd < k ? odd : k;
        }
    }
    if (plain + dressed < FEWEST_NUMBERS || 2 * (plain + dressed) <= c->n_levels ||
        plain == c->n_levels)
        return GBS_OK;
    size_t level = odd < c->n_levels ? odd : first;
    const char *text = c->levels[level];
    gbs_place place = gbs_row_place(t, row_of(t, column, level));
    gbs_shown called = gbs_show_value(c->name, column);
    if (level == first)
        return gbs_fail(ctx, GBS_ERR_DATA,
                        "%s: column '%.60s' (column %zu): expected a number, found '%s'; %s, or "
                        "treat the column as categories (`text` %s)",
                        place.text, c->name, column + 1, gbs_show(text, strlen(text)).text,
                        gbs_dress_advice(gbs_dress_of(text)), called.text);
    return gbs_fail(ctx, GBS_ERR_DATA,
                    "%s: column '%.60s' (column %zu): '%s' is no number, but %zu of its %zu "
                    "different values are; is it a missing value (`na-values` %s), or are they "
                    "categories (`text` %s)?",
                    place.text, c->name, column + 1, gbs_show(text, strlen(text)).text,
                    plain + dressed, c->n_levels, gbs_show_value(text, SIZE_MAX).text, called.text);
}
