/* An svmlight file that ranks read together: each its lines, which are whole rows (together.c).
 *
 * A rank reads the lines that begin in its part of the bytes. Where rows begin, and their labels,
 * go to the memory of each; so do indices and values, or to a file that ranks share.
 */
#include "table/together.h"

#include <string.h>

/* What a rank says of its part. */
struct said {
    uint64_t status, rows, cells, columns, lines, plain;
};

struct sparse {
    gbs_together *g;
    struct said *of;
    size_t *rows, *cells, *lines; /* before each rank, and in all */
    size_t *begin;                /* room for a gather */
};

static gbs_status make_room(struct sparse *s) {
    gbs_context *ctx = s->g->ctx;
    size_t n = s->g->ranks + 1;
    s->of = gbs_array_alloc(ctx, n, sizeof *s->of);
    s->rows = gbs_array_alloc(ctx, n, sizeof *s->rows);
    s->cells = gbs_array_alloc(ctx, n, sizeof *s->cells);
    s->lines = gbs_array_alloc(ctx, n, sizeof *s->lines);
    s->begin = gbs_array_alloc(ctx, n, sizeof *s->begin);
    bool enough = s->of != NULL && s->rows != NULL && s->cells != NULL && s->lines != NULL &&
                  s->begin != NULL;
    return gbs_crew_verdict(ctx, enough ? GBS_OK : GBS_ERR_MEMORY);
}

static gbs_status exchange(struct sparse *s) {
    gbs_together *g = s->g;
    const gbs_table *t = g->table;
    struct said mine = {.status = (uint64_t)g->status, .plain = 1};
    gbs_collected all;
    if (t != NULL)
        mine = (struct said){.rows = t->n_rows,
                             .cells = t->n_rows > 0 ? t->row_start[t->n_rows] : 0,
                             .columns = t->n_columns,
                             .lines = g->pieces.piece[0].lines,
                             .plain = t->line == NULL};
    gbs_status status = gbs_crew_collect(g->ctx, &mine, sizeof mine, &all);
    if (status != GBS_OK)
        return status;
    memcpy(s->of, all.bytes, g->ranks * sizeof *s->of);
    gbs_collected_free(g->ctx, &all);
    for (size_t k = 0; k < g->ranks; k++) {
        s->rows[k + 1] = s->rows[k] + (size_t)s->of[k].rows;
        s->cells[k + 1] = s->cells[k] + (size_t)s->of[k].cells;
        s->lines[k + 1] = s->lines[k] + (size_t)s->of[k].lines;
    }
    return GBS_OK;
}

/* This rank's elements become those of all, in the place of its own. */
static gbs_status gather(struct sparse *s, void **array, size_t size, const size_t *before,
                         size_t more) {
    gbs_together *g = s->g;
    void *all = gbs_array_alloc(g->ctx, before[g->ranks] + more, size);
    gbs_status status = gbs_crew_verdict(g->ctx, all != NULL ? GBS_OK : GBS_ERR_MEMORY);
    for (size_t k = 0; status == GBS_OK && k < g->ranks; k++)
        s->begin[k + 1] = before[k + 1] * size;
    if (status == GBS_OK)
        status = gbs_crew_gather(g->ctx, *array, all, s->begin);
    if (status == GBS_OK) {
        gbs_array_free(g->ctx, *array);
        *array = all;
    } else {
        gbs_array_free(g->ctx, all);
    }
    return status;
}

/* Row i is on line i + 1. */
static bool all_plain(const struct sparse *s) {
    for (size_t k = 0; k < s->g->ranks; k++)
        if (s->of[k].rows > 0 && (s->of[k].plain == 0 || s->lines[k] != s->rows[k]))
            return false;
    return true;
}

static gbs_status merge_lines(struct sparse *s) {
    gbs_together *g = s->g;
    gbs_table *t = g->table;
    if (all_plain(s))
        return GBS_OK;
    uint64_t *line = gbs_array_alloc(g->ctx, t->n_rows, sizeof *line);
    gbs_status status = gbs_crew_verdict(g->ctx, line != NULL ? GBS_OK : GBS_ERR_MEMORY);
    for (size_t i = 0; status == GBS_OK && line != NULL && i < t->n_rows; i++)
        line[i] = gbs_table_line(t, i) + s->lines[g->rank];
    void *all = line;
    if (status == GBS_OK)
        status = gather(s, &all, sizeof *line, s->rows, 0);
    gbs_array_free(g->ctx, t->line);
    t->line = all;
    return status;
}

static gbs_status pairs_in_memory(struct sparse *s) {
    gbs_table *t = s->g->table;
    void *index = t->index, *value = t->value;
    gbs_status status = gather(s, &index, sizeof *t->index, s->cells, 0);
    t->index = index;
    if (status == GBS_OK)
        status = gather(s, &value, sizeof *t->value, s->cells, 0);
    t->value = value;
    return status;
}

static gbs_status pairs_in_file(struct sparse *s, const gbs_cache_key *key) {
    gbs_together *g = s->g;
    const gbs_table *t = g->table;
    size_t all = s->cells[g->ranks];
    gbs_section section[] = {{t->value, s->cells, sizeof *t->value, 0},
                             {t->index, s->cells, sizeof *t->index, all * sizeof *t->value}};
    return gbs_together_file(g, section, 2, gbs_cache_pairs(all), key);
}

static gbs_status merge(struct sparse *s, const gbs_cache_key *key) {
    gbs_together *g = s->g;
    gbs_table *t = g->table;
    void *start = t->row_start, *label = t->label;
    gbs_status status = merge_lines(s);
    if (status == GBS_OK)
        status = gather(s, &start, sizeof *t->row_start, s->rows, 1);
    t->row_start = start;
    if (status == GBS_OK)
        status = gather(s, &label, sizeof *t->label, s->rows, 0);
    t->label = label;
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < g->ranks; k++) {
        for (size_t i = s->rows[k]; i < s->rows[k + 1]; i++)
            t->row_start[i] += s->cells[k];
        t->n_columns = s->of[k].columns > t->n_columns ? (size_t)s->of[k].columns : t->n_columns;
    }
    t->n_rows = s->rows[g->ranks];
    t->row_start[t->n_rows] = s->cells[g->ranks];
    memcpy(g->before, s->rows, (g->ranks + 1) * sizeof *g->before);
    return g->in_file ? pairs_in_file(s, key) : pairs_in_memory(s);
}

/* What one process says better: rows that cannot be used, a file without rows or cells. */
static bool refuses(const struct sparse *s) {
    bool bad = s->rows[s->g->ranks] == 0 || s->cells[s->g->ranks] == 0;
    for (size_t k = 0; k < s->g->ranks; k++)
        bad = bad || s->of[k].status != GBS_OK;
    return bad;
}

gbs_status gbs_together_sparse(gbs_together *g, const gbs_cache_key *key, bool *refused,
                               gbs_table **out) {
    struct sparse s = {.g = g};
    gbs_status status = make_room(&s);
    if (status == GBS_OK)
        status = exchange(&s);
    if (status == GBS_OK)
        status = gbs_crew_verdict(g->ctx, g->status != GBS_ERR_DATA ? g->status : GBS_OK);
    *refused = status == GBS_OK && refuses(&s);
    if (status == GBS_OK && !*refused)
        status = merge(&s, key);
    gbs_array_free(g->ctx, s.of);
    gbs_array_free(g->ctx, s.rows);
    gbs_array_free(g->ctx, s.cells);
    gbs_array_free(g->ctx, s.lines);
    gbs_array_free(g->ctx, s.begin);
    if (status == GBS_OK && !*refused) {
        *out = g->table;
        g->table = NULL;
    }
    return status;
}
