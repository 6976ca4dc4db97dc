/* Finding the columns of a recipe in a table: by name, or by position where there are no names. */
#include "table/design.h"

#include "table/number.h"
#include "table/shown.h"

#include <math.h>
#include <string.h>

struct match {
    gbs_context *ctx;
    const gbs_recipe *r;
    const gbs_table *t;
    gbs_match *out;
};

/* An input column that should hold numbers but holds texts: name its first bad cell. */
static gbs_status not_numbers(const struct match *m, size_t column) {
    const gbs_table *t = m->t;
    const gbs_column *c = &t->columns[column];
    for (size_t i = 0; i < t->n_rows; i++) {
        double level = t->cells[i * t->n_columns + column], x;
        if (isnan(level))
            continue;
        const char *cell = c->levels[(size_t)level];
        if (gbs_number_is(cell, strlen(cell), &x) != GBS_NUMBER_FINITE)
            return gbs_fail(m->ctx, GBS_ERR_DATA,
                            "%s: column '%.60s' (column %zu): expected a number, as in training, "
                            "found '%s'",
                            gbs_row_place(t, i).text, c->name, column + 1,
                            gbs_show(cell, strlen(cell)).text);
    }
    return gbs_fail(m->ctx, GBS_ERR_DATA,
                    "%s: column '%.60s' (column %zu): expected numbers, as in training",
                    gbs_table_place(t).text, c->name, column + 1);
}

static size_t find_named(const gbs_table *t, const char *name) {
    for (size_t k = 0; k < t->n_columns; k++)
        if (strcmp(t->columns[k].name, name) == 0)
            return k;
    return SIZE_MAX;
}

/* By position: the table has all the columns of the training table, or just the inputs. */
static gbs_status match_positions(const struct match *m) {
    const gbs_recipe *r = m->r;
    size_t inputs = gbs_recipe_inputs(r), have = m->t->n_columns;
    /* svmlight counts no label column */
    size_t all = r->target == NULL ? r->n_columns + 1 : r->n_columns;
    if (have != inputs && have != all)
        return gbs_fail(m->ctx, GBS_ERR_DATA, "%s: %zu columns; the model expects %zu features%s",
                        gbs_table_place(m->t).text, have, inputs,
                        all == inputs + 1 ? ", or those and the label" : "");
    bool whole = have == all;
    size_t target = r->target != NULL ? r->target_position : inputs;
    m->out->target = whole ? target : SIZE_MAX;
    for (size_t k = 0; k < inputs; k++) {
        if (whole)
            m->out->source[k] = r->inputs != NULL ? r->inputs[k].position : k < target ? k : k + 1;
        else
            m->out->source[k] = k;
    }
    return GBS_OK;
}

/* The training table's order is the likely one: each name is first looked for where it stood, so
 * that wide tables are not searched once a column. */
static size_t find_input(const gbs_table *t, const gbs_column_map *c, size_t after) {
    const size_t likely[] = {c->position, after};
    for (size_t k = 0; k < 2; k++)
        if (likely[k] < t->n_columns && strcmp(t->columns[likely[k]].name, c->name) == 0)
            return likely[k];
    return find_named(t, c->name);
}

static gbs_status match_names(const struct match *m) {
    const gbs_recipe *r = m->r;
    for (size_t k = 0; k < r->n_inputs; k++) {
        size_t after = k > 0 ? m->out->source[k - 1] + 1 : 0;
        m->out->source[k] = find_input(m->t, &r->inputs[k], after);
        if (m->out->source[k] == SIZE_MAX)
            return gbs_fail(m->ctx, GBS_ERR_DATA,
                            "%s: no column is called '%.60s', which the model was trained on",
                            gbs_table_place(m->t).text, r->inputs[k].name);
    }
    m->out->target = find_named(m->t, r->target);
    return GBS_OK;
}

/* Which of the recipe's levels each of the table's is. */
static gbs_status match_levels(const struct match *m, size_t k) {
    const gbs_column_map *c = &m->r->inputs[k];
    const gbs_column *from = &m->t->columns[m->out->source[k]];
    if (!c->is_text)
        return from->is_text ? not_numbers(m, m->out->source[k]) : GBS_OK;
    if (!from->is_text)
        return gbs_fail(m->ctx, GBS_ERR_DATA,
                        "%s: column %zu: expected text, as in column '%.60s' of the training %s, "
                        "found numbers",
                        gbs_table_place(m->t).text, m->out->source[k] + 1, c->name,
                        m->t->file != NULL ? "file" : "table");
    size_t *level = gbs_array_alloc(m->ctx, from->n_levels + 1, sizeof *level);
    m->out->levels[k] = level;
    if (level == NULL)
        return GBS_ERR_MEMORY;
    for (size_t j = 0; j < from->n_levels; j++)
        level[j] = gbs_column_level(c, from->levels[j]);
    return GBS_OK;
}

gbs_status gbs_match_columns(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                             gbs_match *out) {
    size_t inputs = gbs_recipe_inputs(r);
    struct match m = {ctx, r, t, out};
    *out = (gbs_match){.target = SIZE_MAX};
    out->source = gbs_array_alloc(ctx, inputs + 1, sizeof *out->source);
    out->levels = gbs_array_alloc(ctx, inputs + 1, sizeof *out->levels);
    if (out->source == NULL || out->levels == NULL)
        return GBS_ERR_MEMORY;
    bool names = r->inputs != NULL && r->named && t->has_header;
    gbs_status status = names ? match_names(&m) : match_positions(&m);
    for (size_t k = 0; status == GBS_OK && k < inputs; k++) {
        if (r->inputs != NULL)
            status = match_levels(&m, k);
        else if (t->columns[out->source[k]].is_text) /* svmlight, npy: such models know numbers */
            status = not_numbers(&m, out->source[k]);
    }
    return status;
}

void gbs_match_free(const gbs_context *ctx, const gbs_recipe *r, gbs_match *m) {
    for (size_t k = 0; m->levels != NULL && k < gbs_recipe_inputs(r); k++)
        gbs_array_free(ctx, m->levels[k]);
    gbs_array_free(ctx, m->levels);
    gbs_array_free(ctx, m->source);
}
