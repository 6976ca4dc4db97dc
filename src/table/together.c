/* Ranks that read a table together: each parses its part of the bytes (divide.c).
 *
 *   types      of a column: as the first rank says who has a cell of it that says anything; a rank
 *              that took it otherwise reads again
 *   levels     in the order of ranks, so that of their first appearance in the file
 *
 * So what is read is what one process reads, row for row and bit for bit. Where a part cannot be
 * used, every rank reads the whole, and says what one process says.
 */
#include "table/together.h"

#include "table/reader.h"

#include <string.h>

/* ---------------------------------------------------------------- whether */

/* Of several files csv alone. */
static gbs_table_format format_of(const gbs_inputs *inputs, const gbs_reading *reading) {
    for (size_t k = 0; k < inputs->count; k++)
        if (inputs->count > 1 && gbs_format_of(inputs->path[k], reading) != GBS_TABLE_CSV)
            return GBS_TABLE_AUTO;
    return gbs_format_of(inputs->path[0], reading);
}

/* ---------------------------------------------------------------- a part */

/* The files that bytes from .. to - 1 lie in, and where. */
static gbs_status cut(gbs_together *g) {
    gbs_pieces *p = &g->pieces;
    gbs_array_free(g->ctx, p->piece);
    if (p->kind != g->kind)
        gbs_array_free(g->ctx, p->kind);
    *p = (gbs_pieces){.part = true,
                      .exact = g->own.exact,
                      .from_start = g->own.from == 0,
                      .head = g->ctx->crew->ranks.worth > 0.0 ? 0 : GBS_DIVIDE_LOOK,
                      .kind = g->kind};
    p->piece = gbs_array_alloc(g->ctx, g->inputs->count, sizeof *p->piece);
    if (p->piece == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < g->inputs->count; k++) {
        uint64_t first = g->base[k], last = g->base[k + 1];
        if (g->own.from >= last || g->own.to <= first)
            continue;
        if (p->count == 0)
            g->first_piece = k;
        p->piece[p->count++] = (gbs_piece){.path = g->inputs->path[k],
                                           .begin = g->own.from > first ? g->own.from - first : 0,
                                           .end = g->own.to < last ? g->own.to - first
                                                                   : UINT64_MAX};
    }
    p->start = p->count > 0 ? p->piece[0].begin : 0;
    p->end = p->start;
    return GBS_OK;
}

/* Reads it. Rows that cannot be used are for the chain to judge. */
static void read_part(gbs_together *g) {
    gbs_context *ctx = g->ctx;
    gbs_cache *store = NULL;
    gbs_reading into = *g->reading;
    gbs_table_free(g->table);
    g->table = NULL;
    g->status = g->own.informed ? gbs_together_learn(g, g->rank) : GBS_OK;
    if (g->status == GBS_OK)
        g->status = cut(g);
    into.pieces = &g->pieces;
    into.expected = g->own.to - g->own.from;
    if (g->status == GBS_OK && g->in_file) {
        g->status = gbs_cache_create(ctx, g->caching->folder, false, &store);
        into.store = store;
    }
    gbs_progress_begin(ctx);
    if (g->status == GBS_OK)
        g->status = gbs_table_read_file(ctx, g->inputs->path[0], &into, &g->table);
    if (g->status == GBS_OK && store != NULL)
        gbs_table_store(g->table, store);
    else
        gbs_cache_free(store);
}

/* ---------------------------------------------------------------- reports */

static void write_report(gbs_together *g, gbs_words *w) {
    const gbs_pieces *p = &g->pieces;
    const gbs_table *t = g->table;
    bool there = p->count > 0;
    gbs_words_number(w, (uint64_t)g->status);
    gbs_words_number(w, there ? g->base[g->first_piece] + p->start : g->own.from);
    gbs_words_number(w, there ? g->base[g->first_piece + p->count - 1] + p->end : g->own.from);
    gbs_words_number(w, t != NULL ? t->n_rows : 0);
    gbs_words_number(w, g->first_piece);
    gbs_words_number(w, p->count);
    gbs_words_number(w, t != NULL ? t->n_columns : 0);
    gbs_words_number(w, t == NULL || t->line == NULL);
    gbs_words_number(w, g->own.informed);
    for (size_t k = 0; k < p->count; k++) {
        gbs_words_number(w, p->piece[k].rows);
        gbs_words_number(w, p->piece[k].lines);
    }
    for (size_t j = 0; t != NULL && j < t->n_columns; j++)
        gbs_words_put(w, &p->kind[j], 1);
    for (size_t j = 0; t != NULL && j < t->n_columns; j++) {
        gbs_words_number(w, t->columns[j].code);
        gbs_words_number(w, t->columns[j].n_levels);
        for (size_t k = 0; k < t->columns[j].n_levels; k++)
            gbs_words_text(w, t->columns[j].levels[k]);
    }
}

static void read_report(gbs_words_in w, gbs_part_report *r) {
    r->status = (gbs_status)gbs_words_take_number(&w);
    r->start = gbs_words_take_number(&w);
    r->end = gbs_words_take_number(&w);
    r->rows = (size_t)gbs_words_take_number(&w);
    r->first_piece = (size_t)gbs_words_take_number(&w);
    r->pieces = (size_t)gbs_words_take_number(&w);
    r->columns = (size_t)gbs_words_take_number(&w);
    r->plain = gbs_words_take_number(&w) != 0;
    r->informed = gbs_words_take_number(&w) != 0;
    r->each = gbs_words_take(&w, 2 * sizeof(uint64_t) * r->pieces);
    r->kind = gbs_words_take(&w, r->columns);
    r->levels = w.at;
    r->levels_end = w.end;
}

/* Everybody hears of every part. */
static gbs_status exchange(gbs_together *g) {
    gbs_words w = {.ctx = g->ctx};
    write_report(g, &w);
    gbs_collected_free(g->ctx, &g->said);
    gbs_status status = gbs_ranks_agree(g->ctx, w.failed ? GBS_ERR_MEMORY : GBS_OK, NULL);
    if (status == GBS_OK)
        status = gbs_crew_collect(g->ctx, w.at, w.size, &g->said);
    gbs_array_free(g->ctx, w.at);
    for (size_t k = 0; status == GBS_OK && k < g->ranks; k++) {
        const unsigned char *bytes = (const unsigned char *)g->said.bytes;
        read_report((gbs_words_in){bytes + g->said.begin[k], bytes + g->said.begin[k + 1], false},
                    &g->report[k]);
        g->before[k + 1] = g->before[k] + g->report[k].rows;
    }
    return status;
}

/* ---------------------------------------------------------------- rounds */

/* Parts that fit one another, and agree on the types. */
static gbs_status read_parts(gbs_together *g, bool *refused) {
    bool stale = true;
    gbs_status status = GBS_OK;
    for (size_t round = 0; status == GBS_OK && round < 4 * g->ranks + 4; round++) {
        if (stale)
            read_part(g);
        stale = false;
        status = exchange(g);
        if (status == GBS_OK && gbs_divide_failed(g->ctx, g->report))
            return gbs_crew_verdict(g->ctx, g->status != GBS_ERR_DATA ? g->status : GBS_OK);
        gbs_divide_chain chain = status == GBS_OK
                                     ? gbs_divide_check(g->ctx, g->report, &g->own, &stale)
                                     : GBS_PARTS_REFUSED;
        *refused = chain == GBS_PARTS_REFUSED;
        if (chain != GBS_PARTS_WHOLE) {
            if (*refused)
                return status;
            continue;
        }
        bool differ = false;
        status = gbs_together_kinds(g, &differ);
        if (status != GBS_OK || !differ)
            return status;
        for (size_t j = 0; j < g->table->n_columns; j++)
            stale = stale ||
                    (g->pieces.kind[j] != GBS_CSV_UNDECIDED && g->pieces.kind[j] != g->kind[j]);
        if (stale) {
            g->own.from = g->report[g->rank].start;
            g->own.exact = true;
        }
    }
    *refused = true;
    return status;
}

/* ---------------------------------------------------------------- the whole */

/* The key of a cache, which one rank finds out for all. */
static gbs_status share_key(gbs_together *g, gbs_cache_key *key) {
    gbs_context *ctx = g->ctx;
    gbs_collected said;
    gbs_status status = GBS_OK;
    if (g->caching->kept && g->rank == 0)
        status = gbs_caching_key(ctx, g->inputs->path[0], g->reading, key);
    status = gbs_crew_verdict(ctx, status);
    if (status == GBS_OK)
        status = gbs_crew_collect(ctx, key, g->rank == 0 ? sizeof *key : 0, &said);
    if (status != GBS_OK)
        return status;
    memcpy(key, said.bytes, sizeof *key);
    gbs_collected_free(ctx, &said);
    return GBS_OK;
}

/* The path of a cache: its name is made of that which the leader's file has; the folder's, of what
 * this rank calls it. */
static gbs_status share_path(gbs_together *g, const gbs_spill *spill, const gbs_cache_key *key,
                             char path[GBS_CACHE_PATH_ROOM]) {
    const char *mine = g->inputs->path[0];
    gbs_collected said;
    gbs_status status = gbs_crew_collect(g->ctx, mine, strlen(mine) + 1, &said);
    if (status != GBS_OK)
        return status;
    gbs_caching_path(said.bytes + said.begin[spill->leader], g->caching, key, path);
    gbs_collected_free(g->ctx, &said);
    return GBS_OK;
}

/* Whether any rank says so, of each of some questions. */
static gbs_status ask(gbs_context *ctx, int64_t *said, size_t count) {
    if (ctx->crew->ranks.largest(ctx->crew->ranks.user, said, count) == 0)
        return GBS_OK;
    gbs_crew_give_up(ctx->crew, GBS_CREW_SILENT);
    return gbs_fail(ctx, GBS_ERR_IO, "%s", ctx->crew->words);
}

/* The cache, where all who need one have it. First those look who would write it, and judge it. */
static gbs_status find_cache(gbs_together *g, bool *kept, gbs_cache_key *key, gbs_table **out) {
    gbs_context *ctx = g->ctx;
    char path[GBS_CACHE_PATH_ROOM];
    gbs_spill spill = {.folder = g->caching->folder};
    *kept = g->caching->kept;
    gbs_status status = share_key(g, key);
    if (status == GBS_OK)
        status = gbs_joint_meet(ctx, &spill);
    if (status != GBS_OK || !*kept)
        return status;
    if (!spill.joint)
        spill.leader = g->rank;
    status = share_path(g, &spill, key, path);
    bool missing = false;
    for (int turn = 0; status == GBS_OK && turn < 2 && !missing; turn++) {
        bool mine = (turn == 0) == (spill.leader == g->rank);
        if (mine)
            status = gbs_cache_open(ctx, path, key, g->inputs->path[0], turn > 0, out);
        bool bad = status != GBS_OK;
        status = gbs_crew_verdict(ctx, turn == 0 ? gbs_caching_forgive(ctx, g->caching, status)
                                                 : status);
        int64_t said[] = {mine && *out == NULL, bad};
        if (status == GBS_OK)
            status = ask(ctx, said, 2);
        missing = said[0] != 0;
        *kept = *kept && said[1] == 0; /* nobody found a bad one, which is left as it is */
    }
    if (missing) {
        gbs_table_free(*out);
        *out = NULL;
    }
    return status;
}

static gbs_status read_new(gbs_together *g, bool kept, const gbs_cache_key *key, bool *refused,
                           gbs_table **out) {
    g->own = gbs_divide_cut(g->ctx, g->base[g->inputs->count]);
    if (g->format != GBS_TABLE_CSV) {
        read_part(g);
        return g->format == GBS_TABLE_NPY ? gbs_together_array(g, kept ? key : NULL, refused, out)
                                          : gbs_together_sparse(g, kept ? key : NULL, refused, out);
    }
    gbs_status status = read_parts(g, refused);
    if (status == GBS_OK && !*refused)
        status = gbs_together_merge(g, refused);
    if (status != GBS_OK || *refused)
        return status;
    return gbs_together_place(g, kept ? key : NULL, out);
}

static void release(gbs_together *g) {
    gbs_table_free(g->table);
    gbs_collected_free(g->ctx, &g->said);
    gbs_array_free(g->ctx, g->base);
    gbs_array_free(g->ctx, g->kind);
    gbs_array_free(g->ctx, g->pieces.piece);
    if (g->pieces.kind != g->kind)
        gbs_array_free(g->ctx, g->pieces.kind);
    gbs_array_free(g->ctx, g->report);
    gbs_array_free(g->ctx, g->before);
}

gbs_status gbs_table_read_together(gbs_context *ctx, const gbs_inputs *inputs,
                                   const gbs_reading *reading, const gbs_caching *caching,
                                   bool wanted, bool *done, gbs_table **out) {
    gbs_together g = {.ctx = ctx,
                      .inputs = inputs,
                      .reading = reading,
                      .caching = caching,
                      .ranks = ctx->crew->ranks.size,
                      .rank = ctx->crew->ranks.rank};
    gbs_cache_key key = {0};
    bool divides = false, refused = false, kept = false;
    g.format = format_of(inputs, reading);
    *done = false;
    *out = NULL;
    g.base = gbs_array_alloc(ctx, inputs->count + 1, sizeof *g.base);
    g.report = gbs_array_alloc(ctx, g.ranks, sizeof *g.report);
    g.before = gbs_array_alloc(ctx, g.ranks + 1, sizeof *g.before);
    gbs_status status = g.base != NULL && g.report != NULL && g.before != NULL
                            ? gbs_divide_agree(ctx, inputs, g.format, g.format != GBS_TABLE_AUTO,
                                               wanted, g.base, &divides, &g.in_file)
                            : GBS_ERR_MEMORY;
    if (status == GBS_OK && divides && g.in_file)
        status = find_cache(&g, &kept, &key, out);
    if (status == GBS_OK && divides && *out == NULL)
        status = read_new(&g, kept, &key, &refused, out);
    if (status == GBS_OK && *out != NULL && g.in_file) {
        status = gbs_table_spill(*out, caching->folder);
        status = gbs_crew_verdict(ctx, status);
        if (status == GBS_OK)
            status = gbs_joint_meet(ctx, &(*out)->spill);
    }
    release(&g);
    *done = status == GBS_OK && divides && !refused;
    if (status != GBS_OK) {
        gbs_table_free(*out);
        *out = NULL;
    }
    return status;
}
