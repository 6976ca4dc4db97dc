/* The rows of a design (table/design_rows.h). */
#include "table/design_rows.h"
#include "table/shown.h"

#include "data/rows.h"

#include <math.h>
#include <string.h>

gbs_status gbs_design_no_memory(gbs_design_building *b) {
    gbs_fail(b->ctx, GBS_ERR_MEMORY, "%s: out of memory", gbs_table_place(b->t).text);
    return GBS_ERR_MEMORY;
}

/* What is missing in a row and nothing fills in, an enum gbs_missing_cell, and its column;
 * SIZE_MAX: nothing. */
static size_t missing_cell(const gbs_design_building *b, size_t row, bool with_labels,
                           size_t *column) {
    size_t inputs = gbs_recipe_inputs(b->r);
    const size_t aside[] = {[GBS_MISSING_LABEL] = with_labels ? b->match.target : SIZE_MAX,
                            [GBS_MISSING_WEIGHT] = b->weights,
                            [GBS_MISSING_GROUP] = b->group};
    for (size_t k = 0; k < sizeof aside / sizeof *aside; k++) {
        *column = aside[k];
        if (*column != SIZE_MAX && isnan(gbs_design_cell(b, row, *column)))
            return k;
    }
    for (size_t k = 0; k < inputs; k++) {
        *column = b->match.source[k];
        if (isnan(gbs_design_cell(b, row, *column)) &&
            (b->use->unfilled || !gbs_design_is_filled(b, k)))
            return GBS_MISSING_INPUT + k;
    }
    return SIZE_MAX;
}

static gbs_status refuse_missing(const gbs_design_building *b, size_t row, size_t what,
                                 size_t column) {
    static const char *const words[] = {"label", "weight", "group"};
    bool input = what >= GBS_MISSING_INPUT, fills = gbs_recipe_fills(b->r);
    return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: column '%.60s' (column %zu): the %s is missing; %s",
                    gbs_row_place(b->t, row).text, b->t->columns[column].name, column + 1,
                    input ? "value" : words[what],
                    input && b->use->missing == GBS_MISSING_IMPUTE
                        ? "the model was fitted without `missing` impute and cannot fill it in, "
                          "drop does without such rows"
                        : gbs_missing_hint(input, b->use->learning || fills, fills));
}

gbs_status gbs_design_find_asides(gbs_design_building *b) {
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
        if (gbs_design_cell(b, i, b->weights) < 0.0)
            return gbs_fail(b->ctx, GBS_ERR_DATA,
                            "%s: column '%.60s' (column %zu): the weight is %g, expected a number "
                            "from 0",
                            gbs_row_place(t, i).text, c->name, b->weights + 1,
                            gbs_design_cell(b, i, b->weights));
    }
    return GBS_OK;
}

size_t gbs_design_row_at(const gbs_design_building *b, size_t i) {
    size_t row = b->out->rows != NULL ? b->out->rows[i] : i;
    gbs_table_passed(b->t, i, row);
    return row;
}

gbs_status gbs_design_take_weights(gbs_design_building *b) {
    gbs_design *out = b->out;
    if (b->weights == SIZE_MAX)
        return GBS_OK;
    out->weight = gbs_doubles(b->ctx, out->n);
    for (size_t i = 0; out->weight != NULL && i < out->n; i++)
        out->weight[i] = gbs_design_cell(b, gbs_design_row_at(b, i), b->weights);
    return out->weight != NULL ? GBS_OK : gbs_design_no_memory(b);
}

static gbs_status start_list(gbs_design_building *b, size_t row) {
    b->out->rows = gbs_array_alloc(b->ctx, b->t->n_rows, sizeof *b->out->rows);
    for (size_t j = 0; b->out->rows != NULL && j < row; j++)
        b->out->rows[j] = j;
    return b->out->rows != NULL ? GBS_OK : gbs_design_no_memory(b);
}

/* A level of texts, or a number, names a group. */
gbs_status gbs_design_take_groups(gbs_design_building *b) {
    gbs_design *out = b->out;
    if (b->group == SIZE_MAX)
        return GBS_OK;
    uint64_t *name = gbs_array_alloc(b->ctx, out->n, sizeof *name);
    out->group = gbs_array_alloc(b->ctx, out->n, sizeof *out->group);
    gbs_status status = name != NULL && out->group != NULL ? GBS_OK : gbs_design_no_memory(b);
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        double value = gbs_design_cell(b, gbs_design_row_at(b, i), b->group) + 0.0;
        memcpy(&name[i], &value, sizeof value);
    }
    if (status == GBS_OK)
        status = gbs_groups_number(b->ctx, out->n, name, out->group, &out->groups);
    gbs_array_free(b->ctx, name);
    return status;
}

static gbs_status every_row_misses(const gbs_design_building *b) {
    for (size_t k = 0; b->t->columns != NULL && k < gbs_recipe_inputs(b->r); k++) {
        size_t column = b->match.source[k], i = 0;
        while (i < b->t->n_rows && isnan(gbs_design_cell(b, i, column)))
            i++;
        if (i == b->t->n_rows)
            return gbs_fail(b->ctx, GBS_ERR_DATA,
                            "%s: column '%.60s' (column %zu) has no value in any row; leave the "
                            "column out, not the rows (`drop` %s)",
                            gbs_table_place(b->t).text, b->t->columns[column].name, column + 1,
                            gbs_show_value(b->t->columns[column].name, column).text);
    }
    return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: every row has a missing value",
                    gbs_table_place(b->t).text);
}

/* The row is left out, and noted by what is missing. */
static gbs_status leave_out(gbs_design_building *b, size_t row, size_t what) {
    gbs_design *out = b->out;
    if (out->rows == NULL && start_list(b, row) != GBS_OK)
        return GBS_ERR_MEMORY;
    if (what == SIZE_MAX)
        return GBS_OK;
    if (out->missing == NULL)
        out->missing = gbs_array_alloc(b->ctx, GBS_MISSING_INPUT + gbs_recipe_inputs(b->r),
                                       sizeof *out->missing);
    if (out->missing == NULL)
        return gbs_design_no_memory(b);
    out->missing[what]++;
    out->left_out++;
    return GBS_OK;
}

/* It is among the rows that the design is to have. */
static bool is_wanted(const gbs_design_building *b, size_t row) {
    const gbs_design *like = b->use->like;
    size_t next = b->out->n;
    return like == NULL || like->rows == NULL || (next < like->n && like->rows[next] == row);
}

gbs_status gbs_design_choose_rows(gbs_design_building *b, bool with_labels) {
    gbs_design *out = b->out;
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < b->t->n_rows; i++) {
        size_t column = SIZE_MAX;
        gbs_table_passed(b->t, i, i);
        bool none = b->weights != SIZE_MAX && gbs_design_cell(b, i, b->weights) == 0.0;
        size_t what = none ? SIZE_MAX : missing_cell(b, i, with_labels, &column);
        if (what == SIZE_MAX && !none && !is_wanted(b, i))
            what = GBS_MISSING_FORGOTTEN;
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
