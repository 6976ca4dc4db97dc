/* Building a design from a table by a recipe. */
#include "table/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build {
    const struct recipe *r;
    const struct table *t;
    struct design *out;
    size_t *source;  /* table column of each input */
    size_t target;   /* table column of the label, SIZE_MAX: none */
    size_t **levels; /* per input: recipe level of each table level, SIZE_MAX: unseen */
    char *error;
    size_t size;
};

static enum table_status no_memory(struct build *b) {
    snprintf(b->error, b->size, "%s: out of memory", b->t->file);
    return TABLE_NO_MEMORY;
}

/* ---------------------------------------------------------------- columns */

/* An input column that should hold numbers but was read as text: name its first bad cell. */
static enum table_status not_numbers(struct build *b, size_t column) {
    const struct table *t = b->t;
    for (size_t i = 0; i < t->n_rows; i++) {
        double level = t->cells[i * t->n_columns + column];
        char *end;
        if (isnan(level))
            continue;
        const char *cell = t->columns[column].levels[(size_t)level];
        (void)strtod(cell, &end);
        if (*end != '\0' || cell[0] == '\0') {
            snprintf(b->error, b->size,
                     "%s:%llu: column '%.60s' (column %zu): expected a number, as in training, "
                     "found '%.40s'",
                     t->file, (unsigned long long)table_line(t, i), t->columns[column].name,
                     column + 1, cell);
            return TABLE_BAD_DATA;
        }
    }
    snprintf(b->error, b->size, "%s: column '%.60s' (column %zu): expected numbers, as in training",
             t->file, t->columns[column].name, column + 1);
    return TABLE_BAD_DATA;
}

static size_t find_named(const struct table *t, const char *name) {
    for (size_t k = 0; k < t->n_columns; k++)
        if (strcmp(t->columns[k].name, name) == 0)
            return k;
    return SIZE_MAX;
}

static size_t input_count(const struct recipe *r) {
    return r->inputs != NULL ? r->n_inputs : r->features;
}

/* By position: the file has all the columns of the training file, or just the inputs. */
static enum table_status match_positions(struct build *b) {
    const struct recipe *r = b->r;
    size_t inputs = input_count(r), have = b->t->n_columns;
    /* svmlight counts no label column */
    size_t all = r->target == NULL ? r->n_columns + 1 : r->n_columns;
    if (have != inputs && have != all) {
        snprintf(b->error, b->size, "%s: %zu columns; the model expects %zu features%s", b->t->file,
                 have, inputs, all == inputs + 1 ? ", or those and the label" : "");
        return TABLE_BAD_DATA;
    }
    bool whole = have == all;
    size_t target = r->target != NULL ? r->target_position : inputs;
    b->target = whole ? target : SIZE_MAX;
    for (size_t k = 0; k < inputs; k++) {
        if (whole)
            b->source[k] = r->inputs != NULL ? r->inputs[k].position : k < target ? k : k + 1;
        else
            b->source[k] = k;
    }
    return TABLE_OK;
}

static enum table_status match_names(struct build *b) {
    const struct recipe *r = b->r;
    for (size_t k = 0; k < r->n_inputs; k++) {
        b->source[k] = find_named(b->t, r->inputs[k].name);
        if (b->source[k] == SIZE_MAX) {
            snprintf(b->error, b->size,
                     "%s: no column is called '%.60s', which the model was trained on", b->t->file,
                     r->inputs[k].name);
            return TABLE_BAD_DATA;
        }
    }
    b->target = find_named(b->t, r->target);
    return TABLE_OK;
}

static int by_text(const void *key, const void *item) {
    return strcmp(key, *(char *const *)item);
}

/* Which of the recipe's levels each of the table's is. */
static enum table_status match_levels(struct build *b) {
    for (size_t k = 0; k < b->r->n_inputs; k++) {
        const struct recipe_column *c = &b->r->inputs[k];
        const struct table_column *from = &b->t->columns[b->source[k]];
        if (!c->is_text) {
            if (from->is_text)
                return not_numbers(b, b->source[k]);
            continue;
        }
        if (!from->is_text) {
            snprintf(b->error, b->size,
                     "%s: column %zu: expected text, as in column '%.60s' of the training file, "
                     "found numbers",
                     b->t->file, b->source[k] + 1, c->name);
            return TABLE_BAD_DATA;
        }
        if ((b->levels[k] = calloc(from->n_levels + 1, sizeof **b->levels)) == NULL)
            return no_memory(b);
        for (size_t j = 0; j < from->n_levels; j++) {
            char **found = bsearch(from->levels[j], c->levels, c->n_levels, sizeof *c->levels,
                                   by_text);
            b->levels[k][j] = found != NULL ? (size_t)(found - c->levels) : SIZE_MAX;
        }
    }
    return TABLE_OK;
}

static enum table_status match(struct build *b) {
    const struct recipe *r = b->r;
    size_t inputs = input_count(r);
    b->source = calloc(inputs + 1, sizeof *b->source);
    b->levels = calloc(inputs + 1, sizeof *b->levels);
    if (b->source == NULL || b->levels == NULL)
        return no_memory(b);
    enum table_status status = r->inputs != NULL && r->named && b->t->has_header
                                   ? match_names(b)
                                   : match_positions(b);
    if (status == TABLE_OK && r->inputs != NULL)
        status = match_levels(b);
    /* svmlight- and npy-trained models know numbers only */
    for (size_t k = 0; status == TABLE_OK && r->inputs == NULL && k < inputs; k++)
        if (b->t->columns[b->source[k]].is_text)
            status = not_numbers(b, b->source[k]);
    return status;
}

/* ---------------------------------------------------------------- rows */

static double cell(const struct build *b, size_t row, size_t column) {
    return b->t->cells[row * b->t->n_columns + column];
}

/* Rows without a missing cell; out->rows stays NULL when that is all of them. */
static enum table_status choose_rows(struct build *b, bool with_labels) {
    size_t inputs = input_count(b->r), n = b->t->n_rows;
    struct design *out = b->out;
    for (size_t i = 0; i < n; i++) {
        bool missing = with_labels && isnan(cell(b, i, b->target));
        for (size_t k = 0; !missing && k < inputs; k++)
            missing = isnan(cell(b, i, b->source[k]));
        if (missing && out->rows == NULL) {
            if ((out->rows = calloc(n, sizeof *out->rows)) == NULL)
                return no_memory(b);
            for (size_t j = 0; j < i; j++)
                out->rows[j] = j;
        }
        if (!missing) {
            if (out->rows != NULL)
                out->rows[out->n] = i;
            out->n++;
        }
    }
    out->left_out = n - out->n;
    if (out->n > 0)
        return TABLE_OK;
    snprintf(b->error, b->size, "%s: every row has a missing value", b->t->file);
    return TABLE_BAD_DATA;
}

static bool side_by_side(const struct build *b) {
    for (size_t k = 0; k < input_count(b->r); k++)
        if ((b->r->inputs != NULL && b->r->inputs[k].is_text) || b->source[k] != b->source[0] + k)
            return false;
    return b->out->rows == NULL;
}

static void fill_row(struct build *b, size_t row, double *out) {
    const struct recipe *r = b->r;
    for (size_t k = 0; k < input_count(r); k++) {
        double x = cell(b, row, b->source[k]);
        if (r->inputs == NULL || !r->inputs[k].is_text) {
            *out++ = x;
            continue;
        }
        size_t level = b->levels[k][(size_t)x];
        if (level != SIZE_MAX) {
            out[level] = 1.0;
        } else {
            b->out->unseen++;
            b->out->example = b->t->columns[b->source[k]].levels[(size_t)x];
        }
        out += r->inputs[k].n_levels;
    }
}

/* Text columns with many levels are mostly zeros: beyond this many cells they are kept as CSR rows.
 */
#define MOST_DENSE_CELLS 8e6

static bool better_sparse(const struct build *b) {
    double dense = (double)b->out->n * (double)b->r->features,
           sparse = (double)b->out->n * (double)input_count(b->r);
    return dense > MOST_DENSE_CELLS && dense > 8.0 * sparse;
}

/* One row's non-zeros, at most one an input; returns how many. */
static size_t fill_sparse_row(struct build *b, size_t row, uint32_t *index, double *value) {
    const struct recipe *r = b->r;
    size_t n = 0, first = 0;
    for (size_t k = 0; k < r->n_inputs; k++) {
        double x = cell(b, row, b->source[k]);
        bool text = r->inputs[k].is_text;
        size_t level = text ? b->levels[k][(size_t)x] : 0;
        if (text && level == SIZE_MAX) {
            b->out->unseen++;
            b->out->example = b->t->columns[b->source[k]].levels[(size_t)x];
        } else if (text || x != 0.0) {
            index[n] = (uint32_t)(first + level);
            value[n++] = text ? 1.0 : x;
        }
        first += text ? r->inputs[k].n_levels : 1;
    }
    return n;
}

static enum table_status fill_sparse(struct build *b) {
    struct design *out = b->out;
    size_t inputs = input_count(b->r), most = out->n * inputs;
    if (out->n > SIZE_MAX / sizeof(double) / inputs)
        return no_memory(b);
    out->owned_start = calloc(out->n + 1, sizeof *out->owned_start);
    out->owned_index = calloc(most, sizeof *out->owned_index);
    out->owned = calloc(most, sizeof *out->owned);
    if (out->owned_start == NULL || out->owned_index == NULL || out->owned == NULL)
        return no_memory(b);
    for (size_t i = 0; i < out->n; i++) {
        size_t from = out->owned_start[i];
        out->owned_start[i + 1] = from + fill_sparse_row(b, out->rows != NULL ? out->rows[i] : i,
                                                         out->owned_index + from,
                                                         out->owned + from);
    }
    out->row_start = out->owned_start;
    out->index = out->owned_index;
    out->value = out->owned;
    return TABLE_OK;
}

static enum table_status fill(struct build *b) {
    struct design *out = b->out;
    out->d = b->r->features;
    if (side_by_side(b)) {
        out->cells = b->t->cells + b->source[0];
        out->stride = b->t->n_columns;
        return TABLE_OK;
    }
    if (better_sparse(b))
        return fill_sparse(b);
    if (out->n > SIZE_MAX / sizeof(double) / out->d ||
        (out->owned = calloc(out->n * out->d, sizeof(double))) == NULL)
        return no_memory(b);
    for (size_t i = 0; i < out->n; i++)
        fill_row(b, out->rows != NULL ? out->rows[i] : i, out->owned + i * out->d);
    out->cells = out->owned;
    out->stride = out->d;
    return TABLE_OK;
}

/* ---------------------------------------------------------------- labels */

/* +1, -1, or 0 for a label the model does not know. */
static double sign_of(const struct recipe *r, const char *text, double number, bool is_text) {
    bool positive = is_text ? strcmp(text, r->positive) == 0 : number == strtod(r->positive, NULL);
    if (positive)
        return 1.0;
    if (r->negative == NULL)
        return -1.0;
    return (is_text ? strcmp(text, r->negative) == 0 : number == strtod(r->negative, NULL)) ? -1.0
                                                                                            : 0.0;
}

static enum table_status bad_label(struct build *b, size_t row, const char *text, double number) {
    char shown[64];
    snprintf(shown, sizeof shown, text != NULL ? "%.40s" : "%.0s%g", text != NULL ? text : "",
             number);
    snprintf(
        b->error, b->size,
        "%s:%llu: the label '%s' is neither '%.40s' nor '%.40s', which the model was trained on",
        b->t->file, (unsigned long long)table_line(b->t, row), shown, b->r->negative,
        b->r->positive);
    return TABLE_BAD_DATA;
}

static enum table_status fill_labels(struct build *b) {
    struct design *out = b->out;
    const struct table *t = b->t;
    if ((out->y = calloc(out->n, sizeof *out->y)) == NULL)
        return no_memory(b);
    for (size_t i = 0; i < out->n; i++) {
        size_t row = out->rows != NULL ? out->rows[i] : i;
        double value = t->cells != NULL ? cell(b, row, b->target) : t->label[row];
        bool is_text = t->cells != NULL && t->columns[b->target].is_text;
        const char *text = is_text ? t->columns[b->target].levels[(size_t)value] : NULL;
        out->y[i] = sign_of(b->r, text, value, is_text);
        if (out->y[i] == 0.0)
            return bad_label(b, row, text, value);
    }
    return TABLE_OK;
}

/* ---------------------------------------------------------------- the two shapes */

static enum table_status build_sparse(struct build *b, enum design_labels labels) {
    const struct recipe *r = b->r;
    const struct table *t = b->t;
    struct design *out = b->out;
    for (size_t k = 0; k < r->n_inputs; k++)
        if (r->inputs[k].is_text) {
            snprintf(b->error, b->size,
                     "%s: the model was trained on a CSV file with text columns; svmlight files "
                     "have none",
                     t->file);
            return TABLE_BAD_DATA;
        }
    if (t->n_columns > r->features) {
        size_t row = 0;
        while (t->row_start[row + 1] == t->row_start[row] ||
               t->index[t->row_start[row + 1] - 1] < r->features)
            row++;
        snprintf(b->error, b->size, "%s:%llu: index %lu, but the model has %zu features", t->file,
                 (unsigned long long)table_line(t, row),
                 (unsigned long)t->index[t->row_start[row + 1] - 1] + 1, r->features);
        return TABLE_BAD_DATA;
    }
    out->n = t->n_rows;
    out->d = r->features;
    out->row_start = t->row_start;
    out->index = t->index;
    out->value = t->value;
    return labels == LABELS_NONE ? TABLE_OK : fill_labels(b);
}

static enum table_status build_dense(struct build *b, enum design_labels labels) {
    enum table_status status = match(b);
    if (status != TABLE_OK)
        return status;
    if (labels == LABELS_NEEDED && b->target == SIZE_MAX) {
        const char *target = b->r->target != NULL ? b->r->target : "label";
        snprintf(b->error, b->size, "%s: no column '%.60s' with the labels", b->t->file, target);
        return TABLE_BAD_DATA;
    }
    bool with_labels = labels != LABELS_NONE && b->target != SIZE_MAX;
    status = choose_rows(b, with_labels);
    if (status == TABLE_OK)
        status = fill(b);
    return status == TABLE_OK && with_labels ? fill_labels(b) : status;
}

enum table_status design_build(const struct recipe *r, const struct table *t,
                               enum design_labels labels, struct design *out, char *error,
                               size_t size) {
    *out = (struct design){0};
    struct build b = {.r = r, .t = t, .out = out, .target = SIZE_MAX, .error = error, .size = size};
    enum table_status status = t->cells == NULL ? build_sparse(&b, labels)
                                                : build_dense(&b, labels);
    for (size_t k = 0; b.levels != NULL && k < input_count(r); k++)
        free(b.levels[k]);
    free(b.levels);
    free(b.source);
    if (status != TABLE_OK)
        design_free(out);
    return status;
}

void design_free(struct design *d) {
    free(d->y);
    free(d->rows);
    free(d->owned);
    free(d->owned_start);
    free(d->owned_index);
    *d = (struct design){0};
}
