/* The cells of the parts that ranks have read, in one place: in memory, where every rank gets all
 * of them; or in a file that ranks share, to which each writes its own (together.c).
 */
#include "table/together.h"

#include <string.h>
#include <unistd.h>

static size_t cells_before(const gbs_together *g, size_t rank) {
    return g->before[rank] * g->table->n_columns;
}

static gbs_status in_memory(gbs_together *g) {
    gbs_context *ctx = g->ctx;
    gbs_table *t = g->table;
    size_t count, *begin = gbs_array_alloc(ctx, g->ranks + 1, sizeof *begin);
    bool fits = !__builtin_mul_overflow(g->before[g->ranks], t->n_columns, &count);
    double *all = fits ? gbs_doubles(ctx, count) : NULL;
    gbs_status status = gbs_crew_verdict(ctx,
                                         begin != NULL && all != NULL ? GBS_OK : GBS_ERR_MEMORY);
    for (size_t k = 0; status == GBS_OK && begin != NULL && k < g->ranks; k++)
        begin[k + 1] = cells_before(g, k + 1) * sizeof *all;
    if (status == GBS_OK)
        status = gbs_crew_gather(ctx, t->cells, all, begin);
    gbs_array_free(ctx, begin);
    if (status != GBS_OK) {
        gbs_array_free(ctx, all);
        return status;
    }
    gbs_array_free(ctx, t->cells);
    t->cells = all;
    return GBS_OK;
}

/* ---------------------------------------------------------------- in a file */

/* Rows from .. from + count - 1 of this rank's part to their place; both leave memory. */
static void put_rows(const gbs_together *g, size_t from, size_t count, double *cells) {
    const gbs_table *t = g->table;
    const double *source = t->cells + from * t->n_columns;
    double *to = cells + cells_before(g, g->rank) + from * t->n_columns;
    memcpy(to, source, count * t->n_columns * sizeof *to);
    gbs_pages_drop(to, to + count * t->n_columns);
    gbs_pages_drop(source, source + count * t->n_columns);
}

static size_t fewer(size_t a, size_t b) {
    return a < b ? a : b;
}

static gbs_status put_own(const gbs_together *g, double *cells) {
    const gbs_table *t = g->table;
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < t->n_rows; i += t->every) {
        put_rows(g, i, fewer(t->every, t->n_rows - i), cells);
        status = gbs_check_cancel(g->ctx);
    }
    return status;
}

/* Rows travel to ranks that share another file; the first of those writes them. leader: of each
 * rank. room: for `every` rows. */
static gbs_status send_rows(gbs_together *g, const uint64_t *leader, double *room, double *cells) {
    const gbs_table *t = g->table;
    const gbs_ranks *r = &g->ctx->crew->ranks;
    size_t row = t->n_columns * sizeof *room;
    for (size_t k = 0; k < g->ranks; k++)
        for (size_t i = 0, rows = g->report[k].rows; i < rows; i += t->every) {
            size_t count = fewer(t->every, rows - i);
            if (k == g->rank)
                memcpy(room, t->cells + i * t->n_columns, count * row);
            if (r->broadcast(r->user, k, room, count * row) != 0) {
                gbs_crew_give_up(g->ctx->crew, GBS_CREW_SILENT);
                return gbs_fail(g->ctx, GBS_ERR_IO, "%s", g->ctx->crew->words);
            }
            g->ctx->crew->sent += k == g->rank ? count * row : 0;
            if (leader[g->rank] == g->rank && leader[k] != g->rank)
                memcpy(cells + (g->before[k] + i) * t->n_columns, room, count * row);
        }
    return GBS_OK;
}

/* Ranks of other machines need the rows, too. */
static gbs_status put_others(gbs_together *g, const gbs_spill *spill, double *cells) {
    gbs_context *ctx = g->ctx;
    uint64_t mine = spill->leader;
    gbs_collected leader;
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &leader);
    if (status != GBS_OK)
        return status;
    double *room = gbs_matrix(ctx, g->table->every, g->table->n_columns);
    status = gbs_crew_verdict(ctx, room != NULL ? GBS_OK : GBS_ERR_MEMORY);
    if (status == GBS_OK && room != NULL)
        status = send_rows(g, (const uint64_t *)(const void *)leader.bytes, room, cells);
    gbs_array_free(ctx, room);
    gbs_collected_free(ctx, &leader);
    return status;
}

/* The cache that all who share it can read, and one of them keeps. */
static gbs_status keep(gbs_together *g, bool leads, const gbs_cache_key *key, gbs_table *t) {
    char path[GBS_CACHE_PATH_ROOM];
    gbs_status status = GBS_OK;
    if (leads && key != NULL) {
        gbs_caching_path(g->inputs->path[0], g->caching, key, path);
        status = gbs_caching_forgive(g->ctx, g->caching, gbs_cache_keep(t->store, t, key, path));
    }
    gbs_cache_close(t->store);
    return gbs_crew_verdict(g->ctx, status);
}

static gbs_status in_file(gbs_together *g, const gbs_cache_key *key) {
    gbs_context *ctx = g->ctx;
    gbs_table *t = g->table;
    gbs_spill spill = {.folder = g->caching->folder};
    gbs_cache *c = NULL;
    char name[GBS_FILE_NAME_ROOM];
    size_t count;
    int fd = -1;
    gbs_status status = gbs_joint_meet(ctx, &spill);
    if (status == GBS_OK && __builtin_mul_overflow(g->before[g->ranks], t->n_columns, &count))
        status = gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory");
    if (status == GBS_OK)
        status = gbs_joint_file(ctx, &spill, gbs_cache_bytes(count), key != NULL, &fd, name);
    if (status != GBS_OK)
        return status;
    status = gbs_cache_of(ctx, spill.folder, fd, name, count, &c);
    if (status != GBS_OK) {
        close(fd);
        if (name[0] != '\0')
            unlink(name);
    }
    status = gbs_crew_verdict(ctx, status);
    if (status == GBS_OK)
        status = gbs_crew_verdict(ctx, put_own(g, gbs_cache_cells(c)));
    if (status == GBS_OK && spill.members < g->ranks)
        status = put_others(g, &spill, gbs_cache_cells(c));
    if (status != GBS_OK) {
        gbs_cache_free(c);
        return status;
    }
    gbs_cache_free(t->store);
    gbs_table_store(t, c);
    t->cells = gbs_cache_cells(c);
    t->n_rows = g->before[g->ranks];
    return keep(g, spill.leader == g->rank, key, t);
}

/* ---------------------------------------------------------------- npy */

struct said {
    uint64_t status, rows;
};

gbs_status gbs_together_array(gbs_together *g, const gbs_cache_key *key, bool *refused,
                              gbs_table **out) {
    struct said mine = {(uint64_t)g->status, g->table != NULL ? g->table->n_rows : 0}, other;
    gbs_collected all;
    gbs_status status = gbs_crew_collect(g->ctx, &mine, sizeof mine, &all);
    if (status != GBS_OK)
        return status;
    for (size_t k = 0; k < g->ranks; k++) {
        memcpy(&other, all.bytes + all.begin[k], sizeof other);
        *refused = *refused || other.status != GBS_OK;
        g->before[k + 1] = g->before[k] + (size_t)other.rows;
    }
    gbs_collected_free(g->ctx, &all);
    status = gbs_crew_verdict(g->ctx, g->status != GBS_ERR_DATA ? g->status : GBS_OK);
    *refused = *refused || g->before[g->ranks] == 0 || g->table == NULL;
    return status == GBS_OK && !*refused ? gbs_together_place(g, key, out) : status;
}

gbs_status gbs_together_place(gbs_together *g, const gbs_cache_key *key, gbs_table **out) {
    gbs_status status = g->in_file ? in_file(g, key) : in_memory(g);
    if (status != GBS_OK)
        return status;
    *out = g->table;
    g->table = NULL;
    (*out)->n_rows = g->before[g->ranks];
    return GBS_OK;
}
