/* Building a design from a table by a recipe. */
#include "table/design_rows.h"

#include "core/joint.h"

#include <math.h>

/* ---------------------------------------------------------------- features */

static bool side_by_side(const gbs_design_building *b) {
    for (size_t k = 0; k < gbs_recipe_inputs(b->r); k++)
        if (b->match.levels[k] != NULL || b->match.source[k] != b->match.source[0] + k ||
            gbs_design_is_filled(b, k))
            return false;
    return b->out->rows == NULL;
}

static void note_unseen(gbs_design_building *b, size_t input, double level) {
    b->out->unseen[input]++;
    b->out->example[input] = b->t->columns[b->match.source[input]].levels[(size_t)level];
}

/* What one cell says of the features of its input. */
static gbs_cell look(gbs_design_building *b, size_t row, size_t input) {
    double x = gbs_design_cell(b, row, b->match.source[input]);
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

static void fill_row(gbs_design_building *b, size_t row, double *out) {
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

static bool better_sparse(const gbs_design_building *b) {
    double dense = (double)b->out->n * (double)b->r->features,
           sparse = (double)b->out->n * (double)gbs_recipe_inputs(b->r);
    return dense > MOST_DENSE_CELLS && dense > 8.0 * sparse;
}

/* One row's non-zeros, at most two an input; returns how many. */
static size_t fill_sparse_row(gbs_design_building *b, size_t row, uint32_t *index, double *value) {
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

static gbs_status fill_sparse(gbs_design_building *b) {
    gbs_design *out = b->out;
    size_t inputs = gbs_recipe_inputs(b->r), a_row = gbs_recipe_fills(b->r) ? 2 * inputs : inputs,
           most = out->n * a_row;
    if (out->n > SIZE_MAX / sizeof(double) / a_row)
        return gbs_design_no_memory(b);
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
        return gbs_design_no_memory(b);
    out->in_file = spill != NULL;
    size_t every = gbs_pages_every(inputs * (sizeof *out->owned + sizeof *out->owned_index));
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        size_t from = out->owned_start[i];
        if (out->in_file && i % every == 0) {
            gbs_pages_drop(out->owned, out->owned + from);
            gbs_pages_drop(out->owned_index, out->owned_index + from);
        }
        out->owned_start[i + 1] = from + fill_sparse_row(b, gbs_design_row_at(b, i),
                                                         out->owned_index + from,
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
static gbs_status fill_dense(gbs_design_building *b) {
    gbs_design *out = b->out;
    const gbs_spill *spill = gbs_table_spills(b->t);
    void *owned = NULL;
    size_t from, to;
    if (out->d > 0 && out->n > SIZE_MAX / out->d)
        return gbs_design_no_memory(b);
    out->in_file = gbs_spills(spill, out->n * out->d, sizeof *out->owned);
    spill = out->in_file ? spill : NULL;
    gbs_status status = gbs_joint_array(b->ctx, spill, out->n * out->d, sizeof *out->owned, &owned);
    if (status != GBS_OK)
        return status == GBS_ERR_MEMORY ? gbs_design_no_memory(b) : status;
    out->owned = owned;
    gbs_joint_part(spill, out->n, &from, &to);
    double *other = to - from < out->n ? gbs_doubles(b->ctx, out->d) : NULL;
    if (to - from < out->n && other == NULL)
        status = gbs_design_no_memory(b);
    size_t every = gbs_pages_every(out->d * sizeof *out->owned);
    for (size_t i = 0; status == GBS_OK && i < out->n; i++) {
        bool mine = i >= from && i < to;
        double *to_row = mine ? out->owned + i * out->d : other;
        if (to_row != NULL)
            fill_row(b, gbs_design_row_at(b, i), to_row);
        if (mine && out->in_file && i % every == 0)
            gbs_pages_drop(out->owned + from * out->d, out->owned + i * out->d);
    }
    gbs_array_free(b->ctx, other);
    out->cells = out->owned;
    out->stride = out->d;
    return gbs_joint_end(b->ctx, spill, status);
}

static gbs_status fill(gbs_design_building *b) {
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
        return gbs_design_no_memory(b);
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

static gbs_status build_sparse(gbs_design_building *b) {
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

static gbs_status build_dense(gbs_design_building *b) {
    bool with_labels = b->use->labels == GBS_WITH_LABELS;
    gbs_status status = gbs_match_columns(b->ctx, b->r, b->t, &b->match);
    if (status == GBS_ERR_MEMORY)
        return gbs_design_no_memory(b);
    if (status == GBS_OK && with_labels && b->match.target == SIZE_MAX)
        return gbs_fail(b->ctx, GBS_ERR_DATA, "%s: no column '%.60s' with the labels",
                        gbs_table_place(b->t).text, b->r->target != NULL ? b->r->target : "label");
    if (status == GBS_OK)
        status = gbs_design_find_asides(b);
    if (status == GBS_OK)
        status = gbs_design_choose_rows(b, with_labels);
    if (status == GBS_OK && b->out->n == 0)
        return GBS_OK;
    if (status == GBS_OK)
        status = gbs_design_take_weights(b);
    if (status == GBS_OK)
        status = gbs_design_take_groups(b);
    if (status == GBS_OK)
        status = fill(b);
    if (status == GBS_OK && with_labels)
        status = gbs_design_labels(b->ctx, b->r, b->t, b->match.target, b->out);
    return status;
}

gbs_status gbs_design_build(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                            const gbs_design_use *use, gbs_design *out) {
    *out = (gbs_design){0};
    gbs_design_building b = {.ctx = ctx, .r = r, .t = t, .use = use, .out = out};
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
