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

gbs_status gbs_together_file(gbs_together *g, const gbs_section *section, size_t sections,
                             size_t count, const gbs_cache_key *key) {
    gbs_context *ctx = g->ctx;
    gbs_table *t = g->table;
    gbs_spill spill = {.folder = g->caching->folder};
    gbs_cache *c = NULL;
    char name[GBS_FILE_NAME_ROOM];
    int fd = -1;
    gbs_status status = gbs_joint_meet(ctx, &spill);
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
    for (size_t k = 0; status == GBS_OK && k < sections; k++)
        status = gbs_crew_verdict(ctx, gbs_section_put(ctx, &section[k], true, gbs_cache_cells(c)));
    if (status == GBS_OK)
        status = gbs_section_send(ctx, &spill, section, sections, gbs_cache_cells(c));
    if (status != GBS_OK) {
        gbs_cache_free(c);
        return status;
    }
    gbs_cache_free(t->store);
    gbs_table_store(t, c);
    t->n_rows = g->before[g->ranks];
    gbs_cache_lend(c, t);
    return keep(g, spill.leader == g->rank, key, t);
}

static gbs_status in_file(gbs_together *g, const gbs_cache_key *key) {
    const gbs_table *t = g->table;
    gbs_section cells = {t->cells, g->before, t->n_columns * sizeof *t->cells, 0};
    size_t count;
    if (__builtin_mul_overflow(g->before[g->ranks], t->n_columns, &count))
        return gbs_fail(g->ctx, GBS_ERR_MEMORY, "out of memory");
    return gbs_together_file(g, &cells, 1, count, key);
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
