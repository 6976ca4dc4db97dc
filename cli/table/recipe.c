/* Learning a recipe from the training table. */
#include "table/recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(char *error, size_t size) {
    snprintf(error, size, "out of memory");
    return false;
}

size_t recipe_find_column(const struct table *t, const char *name) {
    for (size_t k = 0; k < t->n_columns; k++)
        if (strcmp(t->columns[k].name, name) == 0)
            return k;
    char *end;
    unsigned long long number = strtoull(name, &end, 10);
    if (name[0] >= '0' && name[0] <= '9' && *end == '\0' && number >= 1 && number <= t->n_columns)
        return (size_t)number - 1;
    return SIZE_MAX;
}

/* "a, b, c and 12 more" */
static void list_columns(const struct table *t, char *out, size_t room) {
    size_t used = 0, k = 0;
    for (; k < t->n_columns && used + 60 < room; k++)
        used += (size_t)snprintf(out + used, room - used, "%s%.40s", k > 0 ? ", " : "",
                                 t->columns[k].name);
    if (k < t->n_columns)
        snprintf(out + used, room - used, " and %zu more", t->n_columns - k);
}

static bool unknown_column(const struct table *t, const char *option, const char *name, char *error,
                           size_t size) {
    char list[300];
    list_columns(t, list, sizeof list);
    bool number = name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
    snprintf(error, size,
             number ? "%s: %s: there is no column '%.60s', by name or by number; there are %s"
                    : "%s: %s: no column is called '%.60s'; there are %s",
             t->file, option, name, list);
    return false;
}

static bool find_target(const struct table *t, const struct recipe_options *o, struct recipe *r,
                        char *error, size_t size) {
    size_t target = t->n_columns - 1;
    if (o->target != NULL) {
        target = recipe_find_column(t, o->target);
        if (target == SIZE_MAX)
            return unknown_column(t, "--target", o->target, error, size);
    } else {
        for (size_t k = 0; k < t->n_columns; k++)
            if (strcmp(t->columns[k].name, "y") == 0)
                target = k;
    }
    if (t->columns[target].skipped) {
        snprintf(error, size, "%s: --drop leaves out the target '%.60s'", t->file,
                 t->columns[target].name);
        return false;
    }
    r->target_position = target;
    r->target_is_text = t->columns[target].is_text;
    r->target = strdup(t->columns[target].name);
    return r->target != NULL || no_memory(error, size);
}

/* ---------------------------------------------------------------- labels */

enum { MOST_LABELS = 8 };

struct labels {
    double value[MOST_LABELS + 1]; /* number, or index of the level */
    size_t n;                      /* MOST_LABELS + 1: that many or more */
    bool text;
};

static void add_label(struct labels *l, double value) {
    for (size_t k = 0; k < l->n; k++)
        if (l->value[k] == value)
            return;
    if (l->n <= MOST_LABELS)
        l->value[l->n++] = value;
}

static void label_text(const struct table *t, const struct recipe *r, const struct labels *l,
                       size_t k, char *out, size_t room) {
    if (l->text) {
        snprintf(out, room, "%s", t->columns[r->target_position].levels[(size_t)l->value[k]]);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, room, "%.*g", digits, l->value[k]);
        if (strtod(out, NULL) == l->value[k])
            return;
    }
}

static bool same_label(const struct labels *l, size_t k, const char *text, const char *wanted) {
    char *end;
    double number = strtod(wanted, &end);
    if (!l->text && wanted[0] != '\0' && *end == '\0')
        return l->value[k] == number;
    return strcmp(text, wanted) == 0;
}

/* A label is a word, not a document. */
enum { LABEL_ROOM = 256 };

/* The label that the user calls positive is looked for in every row and comes first: the list may
 * be cut, the label must not be missed. */
static void collect_labels(const struct table *t, const struct recipe *r, const char *positive,
                           struct labels *l) {
    *l = (struct labels){.text = t->cells != NULL && t->columns[r->target_position].is_text};
    for (size_t i = 0; positive != NULL && l->n == 0 && i < t->n_rows; i++) {
        l->value[0] = t->cells != NULL ? t->cells[i * t->n_columns + r->target_position]
                                       : t->label[i];
        char text[LABEL_ROOM];
        if (isnan(l->value[0]))
            continue;
        label_text(t, r, l, 0, text, sizeof text);
        l->n = same_label(l, 0, text, positive);
    }
    for (size_t i = 0; i < t->n_rows && l->n <= MOST_LABELS; i++) {
        double value = t->cells != NULL ? t->cells[i * t->n_columns + r->target_position]
                                        : t->label[i];
        if (!isnan(value))
            add_label(l, value);
    }
}

static bool choose_labels(const struct table *t, const struct recipe_options *o, struct recipe *r,
                          char *error, size_t size) {
    struct labels l;
    static const char *const expected = "expected two";
    collect_labels(t, r, o->positive, &l);
    char text[MOST_LABELS + 1][LABEL_ROOM], list[400] = "";
    size_t used = 0, positive = SIZE_MAX, larger = 0;
    for (size_t k = 0; k < l.n; k++) {
        if (l.text &&
            strlen(t->columns[r->target_position].levels[(size_t)l.value[k]]) >= LABEL_ROOM) {
            snprintf(error, size,
                     "%s: column '%.60s': a label is longer than %d bytes; --target COL names "
                     "another column",
                     t->file, r->target, LABEL_ROOM - 1);
            return false;
        }
        label_text(t, r, &l, k, text[k], LABEL_ROOM);
        if (k < MOST_LABELS)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", k > 0 ? ", " : "",
                                     text[k]);
        if (o->positive != NULL && same_label(&l, k, text[k], o->positive))
            positive = k;
        bool above = l.text ? strcmp(text[k], text[larger]) > 0 : l.value[k] > l.value[larger];
        larger = above ? k : larger;
    }
    const char *target = r->target != NULL ? r->target : "label";
    if (l.n < 2) {
        snprintf(error, size, "%s: column '%.60s': only one class, '%.60s'; %s", t->file, target,
                 l.n > 0 ? text[0] : "", expected);
        return false;
    }
    if (l.n > 2 && o->positive == NULL) {
        snprintf(error, size,
                 "%s: column '%.60s': more than two classes (%s%s); --positive LABEL sets one "
                 "against the rest, --target COL "
                 "names another column",
                 t->file, target, list, l.n > MOST_LABELS ? ", ..." : "");
        return false;
    }
    if (o->positive != NULL && positive == SIZE_MAX) {
        snprintf(error, size, "%s: --positive: column '%.60s' has no label '%.60s'; there are %s%s",
                 t->file, target, o->positive, list, l.n > MOST_LABELS ? ", ..." : "");
        return false;
    }
    positive = positive != SIZE_MAX ? positive : larger;
    r->positive = strdup(text[positive]);
    r->negative = l.n == 2 ? strdup(text[1 - positive]) : NULL;
    return (r->positive != NULL && (l.n > 2 || r->negative != NULL)) || no_memory(error, size);
}

/* ---------------------------------------------------------------- inputs */

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool copy_column(const struct table_column *from, size_t position,
                        struct recipe_column *to) {
    *to = (struct recipe_column){
        .position = position, .is_text = from->is_text, .name = strdup(from->name)};
    if (to->name == NULL)
        return false;
    if (!from->is_text)
        return true;
    to->levels = calloc(from->n_levels + 1, sizeof *to->levels);
    if (to->levels == NULL)
        return false;
    for (; to->n_levels < from->n_levels; to->n_levels++)
        if ((to->levels[to->n_levels] = strdup(from->levels[to->n_levels])) == NULL)
            return false;
    qsort(to->levels, to->n_levels, sizeof *to->levels, by_text);
    return true;
}

static bool take_inputs(const struct table *t, struct recipe *r, char *error, size_t size) {
    r->inputs = calloc(t->n_columns, sizeof *r->inputs);
    if (r->inputs == NULL)
        return no_memory(error, size);
    for (size_t k = 0; k < t->n_columns; k++) {
        if (k == r->target_position || t->columns[k].skipped)
            continue;
        struct recipe_column *c = &r->inputs[r->n_inputs++];
        if (!copy_column(&t->columns[k], k, c))
            return no_memory(error, size);
        r->features += c->is_text ? c->n_levels : 1;
    }
    if (r->features == 0) {
        snprintf(error, size, "%s: no column is left beside the target '%.60s'", t->file,
                 r->target);
        return false;
    }
    return true;
}

static bool check_drop(const struct table *t, const struct recipe_options *o, char *error,
                       size_t size) {
    for (size_t k = 0; k < o->n_drop; k++) {
        if (t->format != TABLE_CSV) {
            snprintf(error, size, "%s: --drop works on CSV files, whose columns have names",
                     t->file);
            return false;
        }
        if (recipe_find_column(t, o->drop[k]) == SIZE_MAX)
            return unknown_column(t, "--drop", o->drop[k], error, size);
    }
    return true;
}

bool recipe_learn(const struct table *t, const struct recipe_options *o, struct recipe *out,
                  char *error, size_t size) {
    *out = (struct recipe){.named = t->has_header, .n_columns = t->n_columns};
    bool ok = check_drop(t, o, error, size);
    if (ok && t->format == TABLE_SVMLIGHT) {
        out->features = t->n_columns;
        if (o->target != NULL) {
            snprintf(error, size,
                     "%s: --target: the label of an svmlight file is the first number of each line",
                     t->file);
            ok = false;
        } else if (t->n_columns == 0) {
            snprintf(error, size, "%s: no line has a feature", t->file);
            ok = false;
        }
    } else if (ok) {
        ok = find_target(t, o, out, error, size);
        if (ok && t->format == TABLE_NPY && (out->features = t->n_columns - 1) == 0) {
            snprintf(error, size, "%s: one column only; expected features and a label", t->file);
            ok = false;
        }
        if (ok && t->format == TABLE_CSV)
            ok = take_inputs(t, out, error, size);
    }
    ok = ok && choose_labels(t, o, out, error, size);
    if (!ok)
        recipe_free(out);
    return ok;
}

bool recipe_forget_levels(struct recipe *r, const struct table *t, const size_t *rows, size_t n,
                          char *error, size_t size) {
    for (size_t k = 0; r->inputs != NULL && k < r->n_inputs; k++) {
        struct recipe_column *c = &r->inputs[k];
        const struct table_column *from = &t->columns[c->position];
        if (!c->is_text)
            continue;
        bool *seen = calloc(from->n_levels + 1, sizeof *seen);
        if (seen == NULL)
            return no_memory(error, size);
        for (size_t i = 0; i < n; i++)
            seen[(size_t)t->cells[rows[i] * t->n_columns + c->position]] = true;
        size_t before = c->n_levels;
        for (size_t j = 0; j < from->n_levels; j++) {
            char **found = seen[j] ? NULL
                                   : bsearch(&from->levels[j], c->levels, c->n_levels,
                                             sizeof *c->levels, by_text);
            if (found == NULL)
                continue;
            free(*found);
            memmove(found, found + 1, (size_t)(c->levels + --c->n_levels - found) * sizeof *found);
        }
        r->features -= before - c->n_levels;
        free(seen);
    }
    return true;
}

void recipe_free(struct recipe *r) {
    for (size_t k = 0; k < r->n_inputs; k++) {
        for (size_t j = 0; j < r->inputs[k].n_levels; j++)
            free(r->inputs[k].levels[j]);
        free(r->inputs[k].levels);
        free(r->inputs[k].name);
    }
    free(r->inputs);
    free(r->target);
    free(r->positive);
    free(r->negative);
    *r = (struct recipe){0};
}

void recipe_feature_name(const struct recipe *r, size_t k, char *name, size_t room) {
    if (k >= r->features) {
        snprintf(name, room, "(intercept)");
        return;
    }
    for (size_t i = 0; i < r->n_inputs; i++) {
        const struct recipe_column *c = &r->inputs[i];
        size_t width = c->is_text ? c->n_levels : 1;
        if (k < width) {
            if (c->is_text)
                snprintf(name, room, "%s=%s", c->name, c->levels[k]);
            else
                snprintf(name, room, "%s", c->name);
            return;
        }
        k -= width;
    }
    /* npy: columns are counted with the target among them */
    snprintf(name, room, "V%zu", r->target != NULL && k >= r->target_position ? k + 2 : k + 1);
}
