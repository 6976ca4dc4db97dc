/* Ranks that read a file of ratings together: each parses its part of the bytes (divide.c).
 *
 *   names    one rank after the other says those that no rank before it had: numbered in this
 *            order they stand in that of their first appearance in the file
 *   cells    16 bytes each, in one block that ranks of a machine share; each writes its own
 *
 * So cells, numbers and names are those of one process. Where a part cannot be used, every rank
 * reads the whole, and says what one process says.
 */
#include "table/cells.h"
#include "table/divide.h"
#include "table/words.h"

#include "core/joint.h"

#include <string.h>

struct joint {
    gbs_context *ctx;
    const char *path;
    const gbs_cells_reading *reading;
    size_t ranks, rank;
    /* its part */
    gbs_own_part own;
    gbs_cells *cells;
    gbs_cells_part part;
    gbs_status status; /* of reading it */
    /* and all of them */
    gbs_part_report *report;
    size_t *before; /* cells before each part; and in all */
    gbs_text_set names[2];
    gbs_pool pool;
    uint32_t *number[2]; /* of this rank's names, among all */
};

/* ---------------------------------------------------------------- parts */

/* Cells that cannot be used are for the chain to judge. */
static void read_part(struct joint *g) {
    gbs_cells_reading reading = *g->reading;
    gbs_cells_free(g->cells);
    g->part = (gbs_cells_part){.from = g->own.from,
                               .to = g->own.to,
                               .exact = g->own.exact,
                               .start = g->own.from,
                               .end = g->own.from};
    reading.part = &g->part;
    g->status = gbs_cells_read_file(g->ctx, g->path, &reading, &g->cells);
}

struct said {
    uint64_t status, start, end, cells;
};

static gbs_status exchange(struct joint *g) {
    struct said mine = {(uint64_t)g->status, g->part.start, g->part.end,
                        g->cells != NULL ? gbs_cells_so_far(g->cells) : 0},
                other;
    gbs_collected all;
    gbs_status status = gbs_crew_collect(g->ctx, &mine, sizeof mine, &all);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < g->ranks; k++) {
        memcpy(&other, all.bytes + all.begin[k], sizeof other);
        g->report[k] = (gbs_part_report){.status = (gbs_status)other.status,
                                         .start = other.start,
                                         .end = other.end,
                                         .rows = (size_t)other.cells,
                                         .informed = true}; /* there is nothing to know */
        g->before[k + 1] = g->before[k] + (size_t)other.cells;
    }
    gbs_collected_free(g->ctx, &all);
    return GBS_OK;
}

/* Parts that fit one another. */
static gbs_status read_parts(struct joint *g, bool *refused) {
    gbs_divide_chain chain = GBS_PARTS_AGAIN;
    bool stale = true;
    for (size_t round = 0; chain == GBS_PARTS_AGAIN && round < 2 * g->ranks + 2; round++) {
        if (stale)
            read_part(g);
        stale = false;
        gbs_status status = exchange(g);
        if (status != GBS_OK)
            return status;
        if (gbs_divide_failed(g->ctx, g->report))
            return gbs_crew_verdict(g->ctx, g->status != GBS_ERR_DATA ? g->status : GBS_OK);
        chain = gbs_divide_check(g->ctx, g->report, &g->own, &stale);
    }
    *refused = chain != GBS_PARTS_WHOLE || g->before[g->ranks] == 0;
    return GBS_OK;
}

/* ---------------------------------------------------------------- names */

/* This rank's turn: its names get their numbers, and those that are new are put into words. */
static bool say_names(struct joint *g, gbs_words *w) {
    for (int side = 0; side < 2; side++) {
        gbs_text_set *all = &g->names[side];
        const gbs_text_set *own = &g->cells->names[side];
        size_t known = all->n;
        g->number[side] = gbs_array_alloc(g->ctx, own->n, sizeof *g->number[side]);
        if (g->number[side] == NULL)
            return false;
        for (size_t i = 0; i < own->n; i++) {
            size_t length = strlen(own->text[i]),
                   found = gbs_text_set_find(all, own->text[i], length);
            if (found == GBS_TEXT_NONE) {
                found = all->n;
                if (!gbs_text_set_add(g->ctx, all, &g->pool, own->text[i], length))
                    return false;
            }
            g->number[side][i] = (uint32_t)found;
        }
        gbs_words_number(w, all->n - known);
        for (size_t i = known; i < all->n; i++)
            gbs_words_text(w, all->text[i]);
    }
    return !w->failed;
}

static bool hear_names(struct joint *g, gbs_words_in w) {
    for (int side = 0; side < 2; side++)
        for (uint64_t left = gbs_words_take_number(&w); left > 0; left--) {
            size_t length;
            const char *text = gbs_words_take_text(&w, &length);
            if (text == NULL || !gbs_text_set_add(g->ctx, &g->names[side], &g->pool, text, length))
                return false;
        }
    return true;
}

static gbs_status merge_names(struct joint *g) {
    gbs_context *ctx = g->ctx;
    gbs_status status = GBS_OK;
    bool enough = true;
    for (size_t k = 0; k < g->ranks; k++) {
        gbs_words w = {.ctx = ctx};
        gbs_collected said;
        enough = enough && (k != g->rank || say_names(g, &w));
        status = gbs_crew_verdict(ctx, enough ? GBS_OK : GBS_ERR_MEMORY);
        if (status == GBS_OK)
            status = gbs_crew_collect(ctx, w.at, w.size, &said);
        gbs_array_free(ctx, w.at);
        if (status != GBS_OK)
            return status;
        const unsigned char *bytes = (const unsigned char *)said.bytes;
        enough = k == g->rank ||
                 hear_names(g, (gbs_words_in){bytes, bytes + said.begin[g->ranks], false});
        gbs_collected_free(ctx, &said);
    }
    return gbs_crew_verdict(ctx, enough ? GBS_OK : GBS_ERR_MEMORY);
}

/* ---------------------------------------------------------------- cells */

/* Values, rows and columns of all ranks. */
static gbs_status place(struct joint *g) {
    gbs_context *ctx = g->ctx;
    size_t n = g->before[g->ranks], first = g->before[g->rank], id = sizeof *g->cells->id[0],
           bytes = gbs_cells_bytes(n);
    gbs_spill spill;
    void *block = NULL;
    gbs_status status = gbs_joint_room(ctx, g->reading->folder, bytes, &spill, &block);
    if (status == GBS_OK)
        status = gbs_cells_put(g->cells, g->number, first, n,
                               spill.folder != NULL && gbs_spills(&spill, bytes, 1), block);
    status = gbs_crew_verdict(ctx, status);
    if (status == GBS_OK) {
        double *value = block;
        uint32_t *row = (uint32_t *)(void *)(value + n), *column = row + n;
        const gbs_section section[] = {{value + first, g->before, sizeof *value, 0},
                                       {row + first, g->before, id, n * sizeof *value},
                                       {column + first, g->before, id, n * (sizeof *value + id)}};
        status = gbs_section_send(ctx, &spill, section, sizeof section / sizeof *section, block);
    }
    if (status == GBS_OK)
        status = gbs_crew_verdict(ctx, GBS_OK); /* who shares has waited for who writes */
    if (status == GBS_OK)
        gbs_cells_take_block(g->cells, n, block);
    else
        gbs_array_free(ctx, block);
    return status;
}

/* The names of all in the place of its own. */
static void take_names(struct joint *g) {
    gbs_cells *t = g->cells;
    for (int side = 0; side < 2; side++) {
        gbs_text_set_free(g->ctx, &t->names[side]);
        t->names[side] = g->names[side];
        g->names[side] = (gbs_text_set){0};
    }
    gbs_pool_free(g->ctx, &t->pool);
    t->pool = g->pool;
    g->pool = (gbs_pool){0};
}

/* ---------------------------------------------------------------- all of it */

static gbs_status read_all(struct joint *g, uint64_t bytes, bool *refused) {
    g->own = gbs_divide_cut(g->ctx, bytes);
    gbs_status status = read_parts(g, refused);
    if (status != GBS_OK || *refused)
        return status;
    status = merge_names(g);
    if (status == GBS_OK)
        take_names(g);
    return status == GBS_OK ? place(g) : status;
}

static void release(struct joint *g) {
    gbs_cells_free(g->cells);
    gbs_array_free(g->ctx, g->report);
    gbs_array_free(g->ctx, g->before);
    gbs_pool_free(g->ctx, &g->pool);
    for (int side = 0; side < 2; side++) {
        gbs_text_set_free(g->ctx, &g->names[side]);
        gbs_array_free(g->ctx, g->number[side]);
    }
}

gbs_status gbs_cells_read_together(gbs_context *ctx, const char *path,
                                   const gbs_cells_reading *reading, bool *done, gbs_cells **out) {
    struct joint g = {.ctx = ctx,
                      .path = path,
                      .reading = reading,
                      .ranks = ctx->crew->ranks.size,
                      .rank = ctx->crew->ranks.rank};
    const gbs_inputs inputs = {&path, 1};
    uint64_t base[2] = {0, 0};
    bool divides = false, refused = false, none;
    *done = false;
    *out = NULL;
    g.report = gbs_array_alloc(ctx, g.ranks, sizeof *g.report);
    g.before = gbs_array_alloc(ctx, g.ranks + 1, sizeof *g.before);
    gbs_status status = g.report != NULL && g.before != NULL
                            ? gbs_divide_agree(ctx, &inputs, 0, true, reading->folder != NULL, base,
                                               &divides, &none)
                            : GBS_ERR_MEMORY;
    if (status == GBS_OK && divides)
        status = read_all(&g, base[1], &refused);
    *done = status == GBS_OK && divides && !refused;
    if (*done) {
        *out = g.cells;
        g.cells = NULL;
    } else if (refused) { /* which is told by who reads the whole */
        (void)gbs_fail(ctx, GBS_OK, "%s", "");
    }
    release(&g);
    return status;
}
