/* Building a design from a table by a recipe. */
#include "table/design.h"

#include "core/joint.h"
#include "data/rows.h"

#include <math.h>
#include <string.h>

struct build {
    gbs_context *ctx;
    const gbs_recipe *r;
    const gbs_table *t;
    const gbs_design_use *use;
    gbs_design *out;
    gbs_match match;
    size_t weights, group; /* columns; SIZE_MAX: none */
    bool *own;             /* of each input: it is its own feature */
    size_t *width;         /* features of each input */
};

static gbs_status no_memory(struct build *b) {
    gbs_fail(b->ctx, GBS_ERR_MEMORY, "%s: out of memory", gbs_table_place(b->t).text);
    return GBS_ERR_MEMORY;
}

static double cell(const struct build *b, size_t row, size_t column) {
    return b->t->cells[row * b->t->n_columns + column];
}

/* ---------------------------------------------------------------- rows */

static bool is_filled(const struct build *b, size_t input) {
    return b->r->inputs != NULL && b->r->inputs[input].filled;
}

/* What is missing in a row and nothing fills in, an enum gbs_missing_cell, and its column;
 * SIZE_MAX: nothing. */
static size_t missing_cell(const struct build *b, size_t row, bool with_labels, size_t *column) {
    size_t inputs = gbs_recipe_inputs(b->r);
    const size_t aside[] = {[GBS_MISSING_LABEL] = with_labels ? b->match.target : SIZE_MAX,
                            [GBS_MISSING_WEIGHT] = b->weights,
                            [GBS_MISSING_GROUP] = b->group};
    for (size_t k = 0; k < GBS_MISSING_INPUT; k++) {
        *column = aside[k];
        if (*column != SIZE_MAX && isnan(cell(b, row, *column)))
            return k;
    }
    for (size_t k = 0; k < inputs; k++) {
        *column = b->match.source[k];
        if (isnan(cell(b, row, *column)) && (b->use->unfilled || !is_filled(b, k)))
            return GBS_MISSING_INPUT + k;
    }
    return SIZE_MAX;
}

static gbs_status refuse_missing(const struct build *b, size_t row, size_t what, size_t column) {
    static const char *const words[] = {"label", "weight", "group", "value"};
    bool input = what >= GBS_MISSING_INPUT, fills = gbs_recipe_fills(b->r);
    return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: column '%.60s' (column %zu): the %s is missing; %s",
                    gbs_row_place(b->t, row).text, b->t->columns[column].name, column + 1,
                    words[input ? GBS_MISSING_INPUT : what],
                    input && b->use->missing == GBS_MISSING_IMPUTE
                        ? "the model was fitted without `missing` impute and cannot fill it in, "
                          "drop does without such rows"
                        : gbs_missing_hint(input, b->use->learning || fills, fills));
}

/* Where the weights and the groups of rows stand; every weight must make sense. */
static gbs_status find_asides(struct build *b) {
    const gbs_table *t = b->t;
    b->weights = b->use->weights != NULL ? gbs_table_find(t, b->use->weights) : SIZE_MAX;
    b->group = b->use->group != NULL ? gbs_table_find(t, b->use->group) : SIZE_MAX;
    if (b->weights == SIZE_MAX)
        return GBS_OK;
    const gbs_column *c = &t->columns[b->weights];
    if (c->is_text)
        return gbs_fail(b->ctx, GBS_ERR_DATA,
                        "%s: `weights`: column '%.60s' holds texts, expected numbers from 0",
                        gbs_table_place(t).text, c->name);
    for (size_t i = 0; i < t->n_rows; i++) {
        gbs_table_passed(t, i, i);
        if (cell(b, i, b->weights) < 0.0)
            return gbs_fail(b->ctx, GBS_ERR_DATA,
                            "%s: column '%.60s' (column %zu): the weight is %g, expected a number "
                            "from 0",
                            gbs_row_place(t, i).text, c->name, b->weights + 1,
                            cell(b, i, b->weights));
    }
    return GBS_OK;
}

/* The table's row behind row i of the design; a loop over them is through with those before. */
static size_t row_at(const struct build *b, size_t i) {
    size_t row = b->out->rows != NULL ? b->out->rows[i] : i;
    gbs_table_passed(b->t, i, row);
    return row;
}

static gbs_status take_weights(struct build *b) {
    gbs_design *out = b->out;
    if (b->weights == SIZE_MAX)
        return GBS_OK;
    out->weight = gbs_doubles(b->ctx, out->n);
    for (size_t i = 0; out->weight != NULL && i < out->n; i++)
        out->weight[i] = cell(b, row_at(b, i), b->weights);
    return out->weight != NULL ? GBS_OK : no_memory(b);
}

static gbs_status start_list(struct build *b, size_t row) {
    b->out->rows = gbs_array_alloc(b->ctx, b->t->n_rows, sizeof *b->out->rows);
    for (size_t j = 0; b->out->rows != NULL && j < row; j++)
        b->out->rows[j] = j;
    return b->out->rows != NULL ? GBS_OK : no_memory(b);
}

/* A level of texts, or a number, names a group. */
static gbs_status take_groups(struct build *b) {
    gbs_design *out = b->out;
    if (b->group == SIZE_MAX)
        return GBS_OK;
    uint64_t *name = gbs_array_alloc(b->ctx, out->n, sizeof *name);
    out->group = gbs_array_alloc(b->ctx, out->n, sizeof *out->group);
    gbs_status status = name != NULL && out->group != NULL ? GBS_OK : no_memory(b);
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        double value = cell(b, row_at(b, i), b->group) + 0.0;
        memcpy(&name[i], &value, sizeof value);
    }
    if (status == GBS_OK)
        status = gbs_groups_number(b->ctx, out->n, name, out->group, &out->groups);
    gbs_array_free(b->ctx, name);
    return status;
}

static gbs_status every_row_misses(const struct build *b) {
    for (size_t k = 0; b->t->columns != NULL && k < gbs_recipe_inputs(b->r); k++) {
        size_t column = b->match.source[k], i = 0;
        while (i < b->t->n_rows && isnan(cell(b, i, column)))
            i++;
        if (i == b->t->n_rows)
            return gbs_fail(b->ctx, GBS_ERR_DATA,
                            "%s: column '%.60s' (column %zu) has no value in any row; leave the "
                            "column out, not the rows (`drop` %.60s)",
                            gbs_table_place(b->t).text, b->t->columns[column].name, column + 1,
                            b->t->columns[column].name);
    }
    return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: every row has a missing value",
                    gbs_table_place(b->t).text);
}

/* The row is left out, and noted by what is missing. */
static gbs_status leave_out(struct build *b, size_t row, size_t what) {
    gbs_design *out = b->out;
    if (out->rows == NULL && start_list(b, row) != GBS_OK)
        return GBS_ERR_MEMORY;
    if (what == SIZE_MAX)
        return GBS_OK;
    if (out->missing == NULL)
        out->missing = gbs_array_alloc(b->ctx, GBS_MISSING_INPUT + gbs_recipe_inputs(b->r),
                                       sizeof *out->missing);
    if (out->missing == NULL)
        return no_memory(b);
    out->missing[what]++;
    out->left_out++;
    return GBS_OK;
}

/* Rows that are there: of a weight above 0, without a missing cell; out->rows stays NULL when that
 * is all of them. */
static gbs_status choose_rows(struct build *b, bool with_labels) {
    gbs_design *out = b->out;
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < b->t->n_rows; i++) {
        size_t column = SIZE_MAX;
        gbs_table_passed(b->t, i, i);
        bool none = b->weights != SIZE_MAX && cell(b, i, b->weights) == 0.0;
        size_t what = none ? SIZE_MAX : missing_cell(b, i, with_labels, &column);
        if (what == SIZE_MAX && !none) {
            if (out->rows != NULL)
                out->rows[out->n] = i;
            out->n++;
            continue;
        }
        bool may = b->use->missing == GBS_MISSING_DROP ||
                   (b->use->missing == GBS_MISSING_IMPUTE && what < GBS_MISSING_INPUT);
        status = none || may ? leave_out(b, i, what) : refuse_missing(b, i, what, column);
    }
    out->absent = b->t->n_rows - out->left_out - out->n;
    if (status != GBS_OK || out->n > 0 || b->use->may_be_empty)
        return status;
    if (out->left_out == 0)
        return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: every weight is 0", gbs_table_place(b->t).text);
    return every_row_misses(b);
}

/* ---------------------------------------------------------------- features */

static bool side_by_side(const struct build *b) {
    for (size_t k = 0; k < gbs_recipe_inputs(b->r); k++)
        if (b->match.levels[k] != NULL || b->match.source[k] != b->match.source[0] + k ||
            is_filled(b, k))
            return false;
    return b->out->rows == NULL;
}

static void note_unseen(struct build *b, size_t input, double level) {
    b->out->unseen[input]++;
    b->out->example[input] = b->t->columns[b->match.source[input]].levels[(size_t)level];
}

/* What one cell says of the features of its input. */
static gbs_cell look(struct build *b, size_t row, size_t input) {
    double x = cell(b, row, b->match.source[input]);
    const size_t *level = b->match.levels[input];
    if (b->own[input])
        return (gbs_cell){.value = x, .mark = SIZE_MAX};
    if (level != NULL && !isnan(x)) {
        size_t known = level[(size_t)x];
        if (known == SIZE_MAX)
            note_unseen(b, input, x);
        x = known != SIZE_MAX ? (double)known : GBS_NO_LEVEL;
    }
    return gbs_column_put(&b->r->inputs[input], x);
}

static void fill_row(struct build *b, size_t row, double *out) {
    for (size_t k = 0; k < gbs_recipe_inputs(b->r); k++) {
        gbs_cell c = look(b, row, k);
        if (c.column != SIZE_MAX)
            out[c.column] = c.value;
        if (c.mark != SIZE_MAX)
            out[c.mark] = 1.0;
        out += b->width[k];
    }
}

/* Text columns with many levels are mostly zeros: beyond this many cells they are kept as CSR rows.
 */
#define MOST_DENSE_CELLS 8e6

static bool better_sparse(const struct build *b) {
    double dense = (double)b->out->n * (double)b->r->features,
           sparse = (double)b->out->n * (double)gbs_recipe_inputs(b->r);
    return dense > MOST_DENSE_CELLS && dense > 8.0 * sparse;
}

/* One row's non-zeros, at most two an input; returns how many. */
static size_t fill_sparse_row(struct build *b, size_t row, uint32_t *index, double *value) {
    size_t n = 0, first = 0;
    for (size_t k = 0; k < b->r->n_inputs; k++) {
        gbs_cell c = look(b, row, k);
        if (c.column != SIZE_MAX && c.value != 0.0) {
            index[n] = (uint32_t)(first + c.column);
            value[n++] = c.value;
        }
        if (c.mark != SIZE_MAX) {
            index[n] = (uint32_t)(first + c.mark);
            value[n++] = 1.0;
        }
        first += b->width[k];
    }
    return n;
}

static gbs_status fill_sparse(struct build *b) {
    gbs_design *out = b->out;
    size_t inputs = gbs_recipe_inputs(b->r), a_row = gbs_recipe_fills(b->r) ? 2 * inputs : inputs,
           most = out->n * a_row;
    if (out->n > SIZE_MAX / sizeof(double) / a_row)
        return no_memory(b);
    const gbs_spill *spill = gbs_table_spills(b->t);
    if (!gbs_spills(spill, most, sizeof *out->owned_index)) /* both, or none */
        spill = NULL;
    void *index = NULL, *value = NULL;
    gbs_status status = gbs_spill_array(b->ctx, spill, most, sizeof *out->owned_index, &index);
    if (status == GBS_OK)
        status = gbs_spill_array(b->ctx, spill, most, sizeof *out->owned, &value);
    out->owned_index = index;
    out->owned = value;
    out->owned_start = gbs_array_alloc(b->ctx, out->n + 1, sizeof *out->owned_start);
    if (out->owned_start == NULL || status == GBS_ERR_MEMORY)
        return no_memory(b);
    out->in_file = spill != NULL;
    size_t every = gbs_pages_every(inputs * (sizeof *out->owned + sizeof *out->owned_index));
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        size_t from = out->owned_start[i];
        if (out->in_file && i % every == 0) {
            gbs_pages_drop(out->owned, out->owned + from);
            gbs_pages_drop(out->owned_index, out->owned_index + from);
        }
        out->owned_start[i + 1] = from + fill_sparse_row(b, row_at(b, i), out->owned_index + from,
                                                         out->owned + from);
    }
    if (status != GBS_OK)
        return status;
    out->row_start = out->owned_start;
    out->index = out->owned_index;
    out->value = out->owned;
    return GBS_OK;
}

/* Of an array that ranks share each fills in its rows; what levels they have counts on all. */
static gbs_status fill_dense(struct build *b) {
    gbs_design *out = b->out;
    const gbs_spill *spill = gbs_table_spills(b->t);
    void *owned = NULL;
    size_t from, to;
    if (out->d > 0 && out->n > SIZE_MAX / out->d)
        return no_memory(b);
    out->in_file = gbs_spills(spill, out->n * out->d, sizeof *out->owned);
    spill = out->in_file ? spill : NULL;
    gbs_status status = gbs_joint_array(b->ctx, spill, out->n * out->d, sizeof *out->owned, &owned);
    if (status != GBS_OK)
        return status == GBS_ERR_MEMORY ? no_memory(b) : status;
    out->owned = owned;
    gbs_joint_part(spill, out->n, &from, &to);
    double *other = to - from < out->n ? gbs_doubles(b->ctx, out->d) : NULL;
    if (to - from < out->n && other == NULL)
        status = no_memory(b);
    size_t every = gbs_pages_every(out->d * sizeof *out->owned);
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        bool mine = i >= from && i < to;
        double *to_row = mine ? out->owned + i * out->d : other;
        if (to_row != NULL)
            fill_row(b, row_at(b, i), to_row);
        if (mine && out->in_file && i % every == 0)
            gbs_pages_drop(out->owned + from * out->d, out->owned + i * out->d);
    }
    gbs_array_free(b->ctx, other);
    out->cells = out->owned;
    out->stride = out->d;
    return gbs_joint_end(b->ctx, spill, status);
}

static gbs_status fill(struct build *b) {
    gbs_design *out = b->out;
    size_t inputs = gbs_recipe_inputs(b->r);
    out->d = b->r->features;
    if (side_by_side(b)) {
        out->cells = b->t->cells + b->match.source[0];
        out->stride = b->t->n_columns;
        out->in_file = b->t->in_file;
        return GBS_OK;
    }
    out->unseen = gbs_array_alloc(b->ctx, inputs, sizeof *out->unseen);
    out->example = gbs_array_alloc(b->ctx, inputs, sizeof *out->example);
    b->own = gbs_array_alloc(b->ctx, inputs, sizeof *b->own);
    b->width = gbs_array_alloc(b->ctx, inputs, sizeof *b->width);
    if (out->unseen == NULL || out->example == NULL || b->own == NULL || b->width == NULL)
        return no_memory(b);
    for (size_t k = 0; k < inputs; k++) {
        const gbs_column_map *c = b->r->inputs != NULL ? &b->r->inputs[k] : NULL;
        b->own[k] = c == NULL || !gbs_column_learns(c);
        b->width[k] = c != NULL ? gbs_column_width(c) : 1;
    }
    if (better_sparse(b))
        return fill_sparse(b);
    return fill_dense(b);
}

/* ---------------------------------------------------------------- the two shapes */

static gbs_status build_sparse(struct build *b) {
    const gbs_recipe *r = b->r;
    const gbs_table *t = b->t;
    gbs_design *out = b->out;
    if (gbs_recipe_has_texts(r))
        return gbs_fail(b->ctx, GBS_ERR_DATA,
                        "%s: the model was trained on a CSV file with text columns; svmlight files "
                        "have none",
                        gbs_table_place(t).text);
    if (t->n_columns > r->features) {
        size_t row = 0;
        while (t->row_start[row + 1] == t->row_start[row] ||
               t->index[t->row_start[row + 1] - 1] < r->features)
            row++;
        return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: index %lu, but the model has %zu features",
                        gbs_row_place(t, row).text,
                        (unsigned long)t->index[t->row_start[row + 1] - 1] + 1, r->features);
    }
    out->n = t->n_rows;
    out->d = r->features;
    out->row_start = t->row_start;
    out->index = t->index;
    out->value = t->value;
    out->in_file = t->in_file;
    return b->use->labels == GBS_WITHOUT_LABELS ? GBS_OK
                                                : gbs_design_labels(b->ctx, r, t, SIZE_MAX, out);
}

static gbs_status build_dense(struct build *b) {
    bool with_labels = b->use->labels == GBS_WITH_LABELS;
    gbs_status status = gbs_match_columns(b->ctx, b->r, b->t, &b->match);
    if (status == GBS_ERR_MEMORY)
        return no_memory(b);
    if (status == GBS_OK && with_labels && b->match.target == SIZE_MAX)
        return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: no column '%.60s' with the labels",
                        gbs_table_place(b->t).text, b->r->target != NULL ? b->r->target : "label");
    if (status == GBS_OK)
        status = find_asides(b);
    if (status == GBS_OK)
        status = choose_rows(b, with_labels);
    if (status == GBS_OK && b->out->n == 0)
        return GBS_OK;
    if (status == GBS_OK)
        status = take_weights(b);
    if (status == GBS_OK)
        status = take_groups(b);
    if (status == GBS_OK)
        status = fill(b);
    if (status == GBS_OK && with_labels)
        status = gbs_design_labels(b->ctx, b->r, b->t, b->match.target, b->out);
    return status;
}

gbs_status gbs_design_build(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                            const gbs_design_use *use, gbs_design *out) {
    *out = (gbs_design){0};
    struct build b = {.ctx = ctx, .r = r, .t = t, .use = use, .out = out};
    gbs_status status = t->cells == NULL ? build_sparse(&b) : build_dense(&b);
    gbs_match_free(ctx, r, &b.match);
    gbs_array_free(ctx, b.own);
    gbs_array_free(ctx, b.width);
    if (status != GBS_OK)
        gbs_design_free(ctx, out);
    return status;
}

void gbs_design_free(const gbs_context *ctx, gbs_design *d) {
    gbs_array_free(ctx, d->y);
    gbs_array_free(ctx, d->weight);
    gbs_array_free(ctx, d->group);
    gbs_array_free(ctx, d->rows);
    gbs_array_free(ctx, d->missing);
    gbs_array_free(ctx, d->unseen);
    gbs_array_free(ctx, d->example);
    gbs_array_free(ctx, d->owned);
    gbs_array_free(ctx, d->owned_start);
    gbs_array_free(ctx, d->owned_index);
    *d = (gbs_design){0};
}
