/* Values of a column that may mean what they do not say: texts that are the same but for capitals
 * or outer blanks, and a number such as -999 that stands for missing ones. A warning names them,
 * and nothing changes.
 *
 *   x stands for missing values?   x is 99, 999, ..., -9, -99, -999, ...; one cell in 100 is x, and
 *                                  three are; all others lie in [low, high], high > low, and x is
 *                                  at least high - low away from them
 */
#include "table/odd_values.h"
#include "table/number.h"
#include "table/shown.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- texts */

/* Without outer blanks, in small letters. */
static bool plain_form(gbs_context *ctx, const char *text, char **room, size_t *capacity) {
    size_t length = strlen(text);
    gbs_number_trim(&text, &length);
    char *to = gbs_array_grow(ctx, *room, capacity, length + 1, 1);
    if (to == NULL)
        return false;
    *room = to;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)tolower((unsigned char)text[i]);
    to[length] = '\0';
    return true;
}

/* How two texts of the same plain form differ. */
static const char *difference(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    gbs_number_trim(&a, &n);
    gbs_number_trim(&b, &m);
    if (n == m && memcmp(a, b, n) == 0)
        return "outer blanks";
    return strlen(a) == n && strlen(b) == m ? "capitals" : "capitals or outer blanks";
}

static void tell(gbs_context *ctx, const char *column, const char *what, const char *words,
                 const char *a, const char *b) {
    gbs_log(ctx, GBS_LOG_WARNING, "column '%.60s': the %s '%s' and '%s' differ in %s only; %s",
            column, what, gbs_show(a, strlen(a)).text, gbs_show(b, strlen(b)).text,
            difference(a, b), words);
}

gbs_status gbs_warn_of_alike(gbs_context *ctx, const char *column, const char *what,
                             const char *words, const char *const *text, size_t n, size_t most) {
    gbs_text_set seen = {0};
    gbs_pool pool = {0};
    char *plain = NULL;
    size_t capacity = 0, told = 0;
    size_t *of = gbs_array_alloc(ctx, n + 1, sizeof *of); /* the first text of each plain form */
    bool room = of != NULL;
    for (size_t k = 0; room && k < n && told < most; k++) {
        room = plain_form(ctx, text[k], &plain, &capacity);
        size_t found = room ? gbs_text_set_find(&seen, plain, strlen(plain)) : GBS_TEXT_NONE;
        if (found != GBS_TEXT_NONE) {
            tell(ctx, column, what, words, text[of[found]], text[k]);
            told++;
        } else if (room) {
            of[seen.n] = k;
            room = gbs_text_set_add(ctx, &seen, &pool, plain, strlen(plain));
        }
    }
    gbs_array_free(ctx, plain);
    gbs_array_free(ctx, of);
    gbs_text_set_free(ctx, &seen);
    gbs_pool_free(ctx, &pool);
    return room ? GBS_OK : GBS_ERR_MEMORY;
}

/* ---------------------------------------------------------------- numbers */

/* 99, 999, ... and -9, -99, ...: what files have where nothing was measured. */
static bool is_nines(double x) {
    double y = fabs(x) + 1.0;
    for (double power = x < 0.0 ? 10.0 : 100.0; power <= 1e8; power *= 10.0)
        if (y == power)
            return true;
    return false;
}

enum { FEWEST_NINES = 3, ONE_IN = 100 };

/* How many cells of the column are x; the others lie between low and high. */
static size_t count_apart(const gbs_table *t, size_t column, double x, double *low, double *high) {
    size_t n = 0;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < t->n_rows; i++) {
        double cell = t->cells[i * t->n_columns + column];
        gbs_table_passed(t, i, i);
        if (isnan(cell))
            continue;
        n += cell == x;
        *low = cell != x ? fmin(*low, cell) : *low;
        *high = cell != x ? fmax(*high, cell) : *high;
    }
    return n;
}

void gbs_warn_of_nines(gbs_context *ctx, const gbs_table *t, size_t column) {
    double low, high, next_low, next_high;
    const char *name = t->columns[column].name;
    count_apart(t, column, NAN, &low, &high);
    const double end[] = {low, high};
    for (size_t k = 0; k < 2; k++) {
        double x = end[k];
        if (!is_nines(x))
            continue;
        size_t n = count_apart(t, column, x, &next_low, &next_high);
        double away = k == 0 ? next_low - x : x - next_high;
        if (n < FEWEST_NINES || ONE_IN * n < t->n_rows || !(next_high > next_low) ||
            away < next_high - next_low)
            continue;
        gbs_log(ctx, GBS_LOG_WARNING,
                "column '%.60s': %.0f stands in %zu of %zu rows, far from all others (%.6g to "
                "%.6g); if it means that the value is missing: `na-values` %.0f",
                name, x, n, t->n_rows, next_low, next_high, x);
    }
}
