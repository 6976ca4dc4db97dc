/* Parts of a table that ranks have read, as one: types, levels and lines (together.c). */
#include "table/together.h"

#include "table/reader.h"

#include <math.h>
#include <string.h>

gbs_status gbs_together_learn(gbs_together *g, size_t ranks) {
    size_t columns = g->report[0].columns;
    unsigned char *kind = gbs_array_alloc(g->ctx, columns, sizeof *kind);
    if (kind == NULL)
        return GBS_ERR_MEMORY;
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < ranks && kind[j] == GBS_CSV_UNDECIDED; k++)
            if (g->report[k].status == GBS_OK)
                kind[j] = g->report[k].kind[j];
    if (g->pieces.kind != g->kind)
        gbs_array_free(g->ctx, g->kind);
    g->kind = kind;
    return GBS_OK;
}

gbs_status gbs_together_kinds(gbs_together *g, bool *kinds_differ) {
    gbs_status status = gbs_ranks_agree(g->ctx, gbs_together_learn(g, g->ranks), NULL);
    *kinds_differ = false;
    for (size_t j = 0; status == GBS_OK && j < g->table->n_columns; j++)
        for (size_t k = 0; k < g->ranks; k++) {
            unsigned char here = g->report[k].kind[j];
            *kinds_differ = *kinds_differ || (here != GBS_CSV_UNDECIDED && here != g->kind[j]);
        }
    return status;
}

/* ---------------------------------------------------------------- levels */

/* Of a column: all levels in the order of ranks, and which of them each of this rank's is. */
struct merged {
    gbs_text_set set;
    size_t *mine;
    bool same;     /* they have their numbers already */
    uint64_t code; /* the first */
};

/* Takes in the code and the levels of one rank; w stands at them, and behind them afterwards. */
static bool add_levels(gbs_together *g, gbs_words_in *w, bool mine, struct merged *m) {
    uint64_t code = gbs_words_take_number(w);
    size_t n = (size_t)gbs_words_take_number(w);
    m->code = m->code != 0 ? m->code : code;
    for (size_t i = 0; i < n; i++) {
        size_t length, at;
        const char *text = gbs_words_take_text(w, &length);
        at = gbs_text_set_find(&m->set, text, length);
        if (at == GBS_TEXT_NONE) {
            at = m->set.n;
            if (!gbs_text_set_add(g->ctx, &m->set, &g->table->pool, text, length))
                return false;
        }
        if (mine && m->mine != NULL) {
            m->mine[i] = at;
            m->same = m->same && at == i;
        }
    }
    return true;
}

/* This rank's cells of a column as those of the whole: levels get their numbers, and marks, where
 * it has nothing else and others have numbers, are missing values. NaN stays. */
static void renumber(gbs_together *g, size_t j, const struct merged *m) {
    gbs_table *t = g->table;
    bool marks = g->kind[j] == GBS_CSV_NUMERIC && t->columns[j].n_levels > 0,
         texts = g->kind[j] != GBS_CSV_NUMERIC && !m->same;
    for (size_t i = 0; i < t->n_rows && (marks || texts); i++) {
        double *cell = &t->cells[i * t->n_columns + j];
        gbs_table_passed(t, i, i);
        if (!isnan(*cell))
            *cell = marks ? NAN : (double)m->mine[(size_t)*cell];
    }
}

/* A column without a name in which a rank has no value, and others have some: what is missing there
 * may be an error, or not, which one process says. */
static bool has_gaps(const gbs_together *g, size_t j, size_t levels) {
    bool gaps = false;
    for (size_t k = 0; k < g->ranks; k++)
        gaps = gaps || (g->report[k].rows > 0 && g->report[k].kind[j] == GBS_CSV_UNDECIDED);
    return gaps && g->table->columns[j].unnamed && !g->reading->keep_missing &&
           (g->kind[j] != GBS_CSV_UNDECIDED || levels > 0);
}

static gbs_status merge_column(gbs_together *g, size_t j, gbs_words_in *w, bool *refused) {
    gbs_table *t = g->table;
    gbs_column *c = &t->columns[j];
    struct merged m = {.same = true};
    bool enough = true, numeric = g->kind[j] == GBS_CSV_NUMERIC;
    m.mine = gbs_array_alloc(g->ctx, c->n_levels + 1, sizeof *m.mine);
    for (size_t k = 0; enough && k < g->ranks; k++)
        enough = m.mine != NULL && add_levels(g, &w[k], k == g->rank, &m);
    /* what one process says of a missing value, or of too many texts */
    *refused = *refused || (numeric && m.set.n > 0 && !g->reading->keep_missing) ||
               m.set.n > GBS_TABLE_MOST_LEVELS || has_gaps(g, j, m.set.n);
    if (enough && !*refused) {
        renumber(g, j, &m);
        gbs_array_free(g->ctx, c->levels);
        c->levels = numeric ? NULL : m.set.text;
        c->n_levels = numeric ? 0 : m.set.n;
        c->code = m.code;
        c->guessed = c->guessed || (g->kind[j] == GBS_CSV_TEXT && !c->is_text);
        c->is_text = g->kind[j] == GBS_CSV_TEXT || (g->kind[j] == GBS_CSV_UNDECIDED && m.set.n > 0);
        if (!numeric)
            m.set.text = NULL;
        gbs_csv_leave_out_empty(g->ctx, t, j, g->kind[j]);
    }
    gbs_text_set_free(g->ctx, &m.set);
    gbs_array_free(g->ctx, m.mine);
    return enough ? GBS_OK : GBS_ERR_MEMORY;
}

/* ---------------------------------------------------------------- lines */

static uint64_t number_at(const unsigned char *at, size_t k) {
    uint64_t x;
    memcpy(&x, at + k * sizeof x, sizeof x);
    return x;
}

/* Lines of a file before the piece that a rank begins with. */
static uint64_t lines_before(const gbs_together *g, size_t rank) {
    uint64_t lines = 0;
    size_t file = g->report[rank].first_piece;
    for (size_t k = 0; k < rank; k++)
        for (size_t i = 0; i < g->report[k].pieces; i++)
            if (g->report[k].first_piece + i == file)
                lines += number_at(g->report[k].each, 2 * i + 1);
    return lines;
}

/* A rank's first piece begins within its file, and its lines were counted as if it began there. */
static bool begins_within(const gbs_together *g, size_t rank) {
    const gbs_part_report *r = &g->report[rank];
    return r->pieces > 0 && r->start > g->base[r->first_piece];
}

/* Row i of the table is on line i + 1, but for the header. */
static bool all_plain(const gbs_together *g) {
    bool plain = g->inputs->count == 1;
    for (size_t k = 0; plain && k < g->ranks; k++)
        plain = g->report[k].rows == 0 ||
                (g->report[k].plain && (!begins_within(g, k) ||
                                        lines_before(g, k) == g->before[k] + g->table->has_header));
    return plain;
}

/* The lines of this rank's rows in their files. */
static void true_lines(const gbs_together *g, uint64_t *line) {
    const gbs_table *t = g->table;
    const gbs_part_report *r = &g->report[g->rank];
    size_t first = r->pieces > 0 ? (size_t)number_at(r->each, 0) : 0;
    uint64_t more = begins_within(g, g->rank) ? lines_before(g, g->rank) : 0,
             less = begins_within(g, g->rank) ? t->has_header : 0;
    for (size_t i = 0; i < t->n_rows; i++)
        line[i] = gbs_table_line(t, i) + (i < first ? more - less : 0);
}

static gbs_status merge_lines(gbs_together *g) {
    gbs_context *ctx = g->ctx;
    gbs_table *t = g->table;
    size_t *begin = gbs_array_alloc(ctx, g->ranks + 1, sizeof *begin);
    uint64_t *mine = NULL, *all = NULL;
    bool plain = all_plain(g);
    if (!plain) {
        mine = gbs_array_alloc(ctx, t->n_rows, sizeof *mine);
        all = gbs_array_alloc(ctx, g->before[g->ranks], sizeof *all);
    }
    bool enough = begin != NULL && (plain || (mine != NULL && all != NULL));
    gbs_status status = gbs_crew_verdict(ctx, enough ? GBS_OK : GBS_ERR_MEMORY);
    for (size_t k = 0; status == GBS_OK && begin != NULL && k < g->ranks; k++)
        begin[k + 1] = g->before[k + 1] * sizeof *all;
    if (status == GBS_OK && mine != NULL && all != NULL) {
        true_lines(g, mine);
        status = gbs_crew_gather(ctx, mine, all, begin);
    }
    gbs_array_free(ctx, begin);
    gbs_array_free(ctx, mine);
    if (status == GBS_OK) {
        gbs_array_free(ctx, t->line);
        t->line = all;
        return GBS_OK;
    }
    gbs_array_free(ctx, all);
    return status;
}

/* Which file each row is from. */
static gbs_status merge_shards(gbs_together *g) {
    gbs_table *t = g->table;
    gbs_context *ctx = g->ctx;
    size_t files = g->inputs->count;
    gbs_array_free(ctx, t->shard);
    t->shard = NULL;
    t->n_shards = 0;
    if (files == 1)
        return GBS_OK;
    t->shard = gbs_array_alloc(ctx, files, sizeof *t->shard);
    for (size_t f = 0; t->shard != NULL && f < files; f++) {
        const char *path = g->inputs->path[f];
        gbs_shard *s = &t->shard[f];
        s->file = gbs_pool_text(ctx, &t->pool, path, strlen(path));
        if (s->file == NULL)
            return GBS_ERR_MEMORY;
        for (size_t k = 0; k < g->ranks; k++)
            for (size_t i = 0; i < g->report[k].pieces; i++)
                if (g->report[k].first_piece + i < f)
                    s->first += (size_t)number_at(g->report[k].each, 2 * i);
    }
    t->n_shards = t->shard != NULL ? files : 0;
    return t->shard != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

/* ---------------------------------------------------------------- all of it */

gbs_status gbs_together_merge(gbs_together *g, bool *refused) {
    gbs_table *t = g->table;
    gbs_words_in *w = gbs_array_alloc(g->ctx, g->ranks, sizeof *w);
    gbs_status status = w != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < g->ranks; k++)
        w[k] = (gbs_words_in){g->report[k].levels, g->report[k].levels_end, false};
    *refused = g->before[g->ranks] == 0;
    for (size_t j = 0; status == GBS_OK && !*refused && j < t->n_columns; j++)
        status = merge_column(g, j, w, refused);
    gbs_array_free(g->ctx, w);
    status = gbs_crew_verdict(g->ctx, status);
    if (status != GBS_OK || *refused)
        return status;
    status = gbs_crew_verdict(g->ctx, merge_shards(g));
    return status == GBS_OK ? merge_lines(g) : status;
}
