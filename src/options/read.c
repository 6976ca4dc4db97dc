/* From text to a value: numbers in plain decimals, whole numbers, choices, grids and ranges, each
 * within the range that its line of the table states. */
#include "core/decimal.h"
#include "options/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000 };

static gbs_status refuse(gbs_context *ctx, const gbs_option *e, const char *found) {
    if (ctx == NULL)
        return GBS_ERR_ARGUMENT;
    if (e->choices != NULL) {
        char range[64] = ""; /* of the number behind a colon */
        const char *sized = strstr(e->choices, "[:");
        if (sized != NULL && strchr(found, ':') != NULL)
            snprintf(range, sizeof range, " with %c from %.0f to %.0f", sized[2], e->low, e->high);
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`%s`: expected one of %s%s, found '%.60s'", e->name,
                        e->choices, range, found);
    }
    return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`%s`: expected %s, found '%.60s'", e->name,
                    e->expected != NULL ? e->expected : "nothing", found);
}

/* strtod's hexadecimal and "infinity" are no numbers here. */
static bool read_number(const char *text, double *x) {
    char *end;
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
        return false;
    *x = gbs_decimal_read(text, &end);
    return *end == '\0' && isfinite(*x);
}

static bool read_whole(const char *text, uint64_t *x) {
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 20)
        return false;
    errno = 0;
    *x = strtoull(text, NULL, 10);
    return errno == 0;
}

static bool in_range(const gbs_option *e, double x) {
    bool above = e->open_low ? x > e->low : x >= e->low;
    return above && (e->open_high ? x < e->high : x <= e->high);
}

/* Position of text[0 .. length - 1] among the choices; -1: none of them. A choice that is written
 * name[:N] may have a number behind a colon, which *count becomes, within the range of the line. */
static int find_choice(const gbs_option *e, const char *text, size_t length, uint64_t *count) {
    int index = 0;
    for (const char *c = e->choices; c != NULL; index++) {
        size_t size = strcspn(c, "|"), name = strcspn(c, "[|");
        if (name <= length && strncmp(c, text, name) == 0) {
            bool sized = name < size && text[name] == ':';
            if (length == name)
                return index;
            if (sized && strlen(text) == length && read_whole(text + name + 1, count) &&
                in_range(e, (double)*count))
                return index;
        }
        c = c[size] == '|' ? c + size + 1 : NULL;
    }
    return -1;
}

static gbs_status read_choice(gbs_context *ctx, const gbs_option *e, unsigned command,
                              const char *text, gbs_option_value *v) {
    bool several = (e->several & command) != 0;
    v->choice = -1;
    for (const char *item = text;;) {
        size_t length = several ? strcspn(item, ",") : strlen(item);
        int index = find_choice(e, item, length, &v->count);
        if (index < 0) {
            char found[64];
            snprintf(found, sizeof found, "%.*s", (int)(length < 60 ? length : 60), item);
            return refuse(ctx, e, found);
        }
        if (v->choice < 0)
            v->choice = index;
        v->choices |= 1U << index;
        if (item[length] == '\0')
            return GBS_OK;
        item += length + 1;
    }
}

/* Up to three numbers separated by colons; false when there are more, or one is no number. */
static bool read_colons(const char *text, size_t count, double *x, uint64_t *last) {
    char copy[128];
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return false;
    char *at = copy;
    for (size_t k = 0; k < count; k++) {
        char *colon = strchr(at, ':');
        bool ends = k + 1 == count;
        if ((colon == NULL) != ends)
            return false;
        if (colon != NULL)
            *colon = '\0';
        if (ends && last != NULL ? !read_whole(at, last) : !read_number(at, &x[k]))
            return false;
        at = colon != NULL ? colon + 1 : at;
    }
    return true;
}

/* Point k of K values from low to high, evenly spaced on the log scale; the last is exact. */
static double grid_point(double low, double high, size_t size, size_t k) {
    return k + 1 >= size ? high : low * pow(high / low, (double)k / (double)(size - 1));
}

static gbs_status read_grid(gbs_context *ctx, const gbs_option *e, const char *text,
                            gbs_option_value *v) {
    double end[2] = {0.0, 0.0};
    uint64_t size = 0;
    bool ok = read_colons(text, 3, end, &size) && end[0] > 0.0 && size <= MOST_VALUES;
    if (!ok || !((end[0] == end[1] && size == 1) || (end[1] > end[0] && size >= 2)))
        return refuse(ctx, e, text);
    double points[MOST_VALUES];
    for (size_t k = 0; k < size; k++)
        points[k] = grid_point(end[0], end[1], (size_t)size, k);
    return gbs_option_take(ctx, e, points, (size_t)size, v);
}

static bool sound(const gbs_option *e, const double *x, size_t count) {
    if (e->type == GBS_OPTION_RANGE)
        return count == 2 && x[0] < x[1] && isfinite(x[0]) && isfinite(x[1]) &&
               isfinite(x[1] - x[0]);
    if (e->type == GBS_OPTION_PAIR)
        return count == 2 && in_range(e, x[0]) && in_range(e, x[1]);
    if (e->type != GBS_OPTION_GRID || count == 0)
        return false;
    for (size_t k = 0; k < count; k++)
        if (!in_range(e, x[k]) || !(k == 0 || x[k] > x[k - 1]))
            return false;
    return true;
}

static gbs_status read_range(gbs_context *ctx, const gbs_option *e, const char *text,
                             gbs_option_value *v) {
    double end[2];
    if (!read_colons(text, 2, end, NULL) || !sound(e, end, 2))
        return refuse(ctx, e, text);
    return gbs_option_take(ctx, e, end, 2, v);
}

static gbs_status read_flag(gbs_context *ctx, const gbs_option *e, const char *text,
                            gbs_option_value *v) {
    bool yes = text == NULL || strcmp(text, "yes") == 0, no = text != NULL && !strcmp(text, "no");
    if (!yes && !no)
        return refuse(ctx, e, text);
    v->number = yes;
    return GBS_OK;
}

gbs_status gbs_option_read(gbs_context *ctx, const gbs_option *e, unsigned command,
                           const char *text, gbs_option_value *out) {
    gbs_option_value v = {.given = true};
    gbs_status status = GBS_OK;
    if (e->type == GBS_OPTION_FLAG) {
        status = read_flag(ctx, e, text, &v);
    } else if (text == NULL || text[0] == '\0') {
        return refuse(ctx, e, "");
    } else {
        switch (e->type) {
        case GBS_OPTION_CHOICE:
            status = read_choice(ctx, e, command, text, &v);
            break;
        case GBS_OPTION_GRID:
            status = read_grid(ctx, e, text, &v);
            break;
        case GBS_OPTION_RANGE:
        case GBS_OPTION_PAIR:
            status = read_range(ctx, e, text, &v);
            break;
        case GBS_OPTION_COUNT:
            if (!read_whole(text, &v.count) || !in_range(e, (double)v.count))
                return refuse(ctx, e, text);
            v.number = (double)v.count;
            break;
        case GBS_OPTION_NUMBER:
            if (e->word != NULL && strcmp(text, e->word) == 0)
                break;
            if (!read_number(text, &v.number) || !in_range(e, v.number))
                return refuse(ctx, e, text);
            break;
        case GBS_OPTION_TEXT:
        case GBS_OPTION_FLAG:
            break;
        }
    }
    if (status == GBS_OK)
        *out = v;
    return status;
}

gbs_status gbs_option_take(gbs_context *ctx, const gbs_option *e, const double *numbers,
                           size_t count, gbs_option_value *out) {
    if (numbers == NULL || !sound(e, numbers, count))
        return ctx == NULL ? GBS_ERR_ARGUMENT
                           : gbs_fail(ctx, GBS_ERR_ARGUMENT, "`%s`: expected %s", e->name,
                                      e->type == GBS_OPTION_GRID
                                          ? "finite positive numbers, each above the one before"
                                          : e->expected);
    double *copy = gbs_doubles(ctx, count);
    if (copy == NULL)
        return GBS_ERR_MEMORY;
    memcpy(copy, numbers, count * sizeof *copy);
    *out = (gbs_option_value){.given = true, .numbers = copy, .size = count};
    return GBS_OK;
}
