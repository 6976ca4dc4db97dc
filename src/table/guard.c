/* Columns that say nothing of rows to come: row names, identifiers, running numbers, dates.
 *
 * A column without a name that has another value in every row is what R and others write as row
 * names. It is left out: in a file sorted by label it predicts the labels of this file and of no
 * other. Whether it is one is decided from given rows, the first part of a fit. Of the others a
 * warning names the option that leaves them out, and nothing changes. A column of whole numbers,
 * all different, is an identifier if they only rise, or only fall, down the file, if it is called
 * so, or if they are of nine digits or more and all as long; counts and amounts that happen to
 * differ do none of these. Codes such as the postal code
 * 01234 say much, but not as numbers: a warning names the option that keeps them as they are.
 */
#include "table/guard.h"
#include "table/odd_values.h"
#include "table/shown.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the cells of a column are like in n rows (NULL: the first n); of a column that is not whole
 * nothing more is known, so that measurements are not sorted. */
struct look {
    size_t there, distinct;
    bool whole;               /* all are whole numbers (of texts: all are levels, which are) */
    bool rises, falls, dates; /* from row to row; 20240131 */
    double low, high;
};

/* 20240131: a year of four digits, a month, a day. */
static bool is_date_number(double x) {
    double day = fmod(x, 100.0), month = fmod(floor(x / 100.0), 100.0), year = floor(x / 10000.0);
    return year >= 1900.0 && year <= 2100.0 && month >= 1.0 && month <= 12.0 && day >= 1.0 &&
           day <= 31.0;
}

static gbs_status look_at(gbs_context *ctx, const gbs_table *t, size_t column, const size_t *rows,
                          size_t n, struct look *out) {
    double *x = gbs_doubles(ctx, n);
    *out = (struct look){.whole = true, .rises = true, .falls = true, .dates = true};
    if (x == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; out->whole && i < n; i++) {
        size_t row = rows != NULL ? rows[i] : i;
        gbs_table_passed(t, i, row);
        double cell = t->cells[row * t->n_columns + column];
        if (isnan(cell))
            continue;
        double before = out->there > 0 ? x[out->there - 1] : NAN;
        out->rises = out->rises && !(cell <= before);
        out->falls = out->falls && !(cell >= before);
        out->dates = out->dates && is_date_number(cell);
        x[out->there++] = cell;
        out->whole = out->whole && cell == floor(cell);
    }
    if (!out->whole)
        out->there = 0;
    qsort(x, out->there, sizeof *x, ascending);
    for (size_t i = 0; i < out->there; i++)
        out->distinct += i == 0 || x[i] != x[i - 1];
    if (out->there > 0) {
        out->low = x[0];
        out->high = x[out->there - 1];
    }
    gbs_array_free(ctx, x);
    return GBS_OK;
}

bool gbs_recipe_has_unnamed(const gbs_recipe *r, const gbs_table *t) {
    for (size_t k = 0; k < r->n_inputs; k++)
        if (t->columns[r->inputs[k].position].unnamed)
            return true;
    return false;
}

gbs_status gbs_recipe_forget_row_names(gbs_context *ctx, gbs_recipe *r, const gbs_table *t,
                                       const size_t *rows, size_t n) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && r->n_inputs > 1 && k < r->n_inputs;) {
        gbs_column_map *c = &r->inputs[k];
        struct look seen = {0};
        if (t->columns[c->position].unnamed)
            status = look_at(ctx, t, c->position, rows, n, &seen);
        if (seen.there < n || seen.distinct < n || !seen.whole || n < 2) {
            k++;
            continue;
        }
        gbs_log(ctx, GBS_LOG_WARNING,
                "column %zu has no name and another value in every row: taken for row names and "
                "left out (a name in the header keeps it)",
                c->position + 1);
        r->features -= gbs_column_width(c);
        gbs_array_free(ctx, c->levels);
        memmove(c, c + 1, (r->n_inputs - k - 1) * sizeof *c);
        r->n_inputs--;
    }
    return status;
}

/* 2024-01-31, 31.1.24, 1/31/2024, with or without a time behind. */
static bool is_date(const char *text) {
    size_t parts = 0, digits = 0;
    char sign = '\0';
    for (;; text++) {
        if (isdigit((unsigned char)*text)) {
            digits++;
            continue;
        }
        if (digits == 0 || digits > 4)
            return false;
        parts++;
        digits = 0;
        if (parts == 3)
            return *text == '\0' || *text == ' ' || *text == 'T';
        if ((*text != '-' && *text != '/' && *text != '.') || (sign != '\0' && *text != sign))
            return false;
        sign = *text;
    }
}

/* 12:30 or 12:30:59 */
static bool is_time(const char *text) {
    size_t hours = strspn(text, "0123456789");
    if (hours == 0 || hours > 2 || text[hours] != ':')
        return false;
    text += hours + 1;
    if (strspn(text, "0123456789") != 2)
        return false;
    return text[2] == '\0' || (text[2] == ':' && strspn(text + 3, "0123456789.") >= 2);
}

static bool is_month(const char *word, size_t n) {
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    for (size_t k = 0; n >= 3 && k < sizeof months / sizeof *months; k++)
        if (n <= strlen(months[k]) && strncasecmp(word, months[k], n) == 0)
            return true;
    return false;
}

/* 31 Jan 2024, Jan 31, 2024, 31-Jan-24: three words, one a month and two numbers. */
static bool is_written_date(const char *text) {
    static const char digits[] = "0123456789",
                      letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t months = 0, numbers = 0;
    while (*text != '\0' && months + numbers < 3) {
        size_t number = strspn(text, digits), word = number == 0 ? strspn(text, letters) : 0;
        if (number > 4 || number + word == 0 || (word > 0 && !is_month(text, word)))
            return false;
        months += word > 0;
        numbers += number > 0;
        text += number + word;
        text += strspn(text, " ,-/.");
    }
    return months == 1 && numbers == 2;
}

static size_t dates(const gbs_column *c) {
    size_t count = 0;
    for (size_t k = 0; c->is_text && k < c->n_levels; k++)
        count += is_date(c->levels[k]) || is_written_date(c->levels[k]) || is_time(c->levels[k]);
    return count;
}

/* Names end in such a word, or begin with the first: customer_id, customerId, ID, id_customer,
 * account_no. */
static const char *const id_words[] = {"id",  "uid", "uuid", "guid",  "identifier",
                                       "key", "no",  "nr",   "number"};

static bool is_called_id(const char *name) {
    size_t n = strlen(name);
    for (size_t k = 0; k < sizeof id_words / sizeof *id_words; k++) {
        size_t size = strlen(id_words[k]);
        if (n < size || strcasecmp(name + n - size, id_words[k]) != 0)
            continue;
        const char *word = name + n - size; /* no other word goes on here */
        if (n == size || !isalpha((unsigned char)word[-1]) ||
            (isupper((unsigned char)word[0]) && islower((unsigned char)word[-1])))
            return true;
    }
    return strncasecmp(name, id_words[0], 2) == 0 &&
           (!isalpha((unsigned char)name[2]) ||
            (islower((unsigned char)name[1]) && isupper((unsigned char)name[2])));
}

/* Long numbers, one as long as the other: what is counted or measured has few and many digits. */
static bool are_long(const struct look *seen) {
    double border = 1e8;
    while (10.0 * border <= seen->low)
        border *= 10.0;
    return seen->low >= border && seen->high < 10.0 * border;
}

/* Whole numbers that as many digits hold as the code has. */
static bool are_codes(const gbs_column *c, const struct look *seen) {
    return !c->is_text && c->code != 0 && seen->whole && seen->there > 0 && seen->low >= 0.0 &&
           seen->high < pow(10.0, (double)(c->code & 15));
}

/* Below so many rows every column looks like an identifier. */
enum { FEWEST_ROWS = 20 };

static gbs_status judge(gbs_context *ctx, const gbs_table *t, size_t column, struct look *seen,
                        gbs_guard *out) {
    const gbs_column *c = &t->columns[column];
    size_t n = t->n_rows;
    gbs_status status = GBS_OK;
    *out = GBS_GUARD_NONE;
    *seen = (struct look){0};
    bool many = n >= FEWEST_ROWS;
    if (!many && c->code == 0)
        return GBS_OK;
    if (c->is_text && !c->unnamed && c->n_levels > 1 && 10 * dates(c) >= 9 * c->n_levels)
        *out = GBS_GUARD_DATES;
    else if (c->is_text && !c->unnamed && 10 * c->n_levels >= 9 * n)
        *out = GBS_GUARD_IDENTIFIER;
    if (!c->is_text || c->unnamed)
        status = look_at(ctx, t, column, NULL, n, seen);
    bool each = many && seen->there == n && seen->distinct == n && seen->whole;
    if (each && c->unnamed)
        *out = GBS_GUARD_ROW_NAMES;
    else if (each && seen->high - seen->low == (double)(n - 1))
        *out = GBS_GUARD_ROW_NUMBER;
    else if (many && !c->is_text && seen->whole && seen->dates && seen->distinct > 2)
        *out = GBS_GUARD_DATES;
    else if (each && !c->is_text &&
             (seen->rises || seen->falls || is_called_id(c->name) || are_long(seen)))
        *out = GBS_GUARD_IDENTIFIER;
    else if (are_codes(c, seen))
        *out = GBS_GUARD_CODES;
    return status;
}

gbs_status gbs_guard_column(gbs_context *ctx, const gbs_table *t, size_t column, gbs_guard *out) {
    struct look seen;
    return judge(ctx, t, column, &seen, out);
}

static gbs_status warn_of_values(gbs_context *ctx, const gbs_table *t, size_t column) {
    const gbs_column *c = &t->columns[column];
    if (c->is_text)
        return gbs_warn_of_alike(ctx, c->name, "categories", "they are two categories here",
                                 c->levels, c->n_levels, 1);
    gbs_warn_of_nines(ctx, t, column);
    return GBS_OK;
}

gbs_status gbs_recipe_warn(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < r->n_inputs; k++) {
        const gbs_column *c = &t->columns[r->inputs[k].position];
        struct look seen = {0};
        gbs_guard guard = GBS_GUARD_NONE;
        status = warn_of_values(ctx, t, r->inputs[k].position);
        if (status != GBS_OK)
            return status;
        if (!c->unnamed) /* the others are judged elsewhere */
            status = judge(ctx, t, r->inputs[k].position, &seen, &guard);
        gbs_shown called = gbs_show_value(c->name, r->inputs[k].position);
        if (guard == GBS_GUARD_DATES && !c->is_text)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': numbers such as %.0f look like dates, taken as they are; "
                    "`drop` %s leaves them out",
                    c->name, seen.low, called.text);
        else if (guard == GBS_GUARD_IDENTIFIER && !c->is_text)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': another whole number in each of %zu rows, looks like an "
                    "identifier; `drop` %s leaves it out",
                    c->name, t->n_rows, called.text);
        else if (guard == GBS_GUARD_DATES)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': texts that look like dates or times, taken as %zu categories; "
                    "`drop` %s leaves them out",
                    c->name, c->n_levels, called.text);
        else if (guard == GBS_GUARD_IDENTIFIER)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': %zu levels in %zu rows, looks like an identifier; `drop` %s "
                    "leaves it out",
                    c->name, c->n_levels, t->n_rows, called.text);
        else if (guard == GBS_GUARD_ROW_NUMBER)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': numbers that run from %.0f to %.0f, one a row, looks like a "
                    "row number; `drop` %s leaves it out",
                    c->name, seen.low, seen.high, called.text);
        else if (guard == GBS_GUARD_CODES)
            gbs_log(ctx, GBS_LOG_WARNING,
                    "column '%.60s': codes with leading zeros (%0*llu), read as numbers; `text` %s "
                    "keeps them as they are",
                    c->name, (int)(c->code & 15), (unsigned long long)(c->code >> 4), called.text);
    }
    return status;
}
