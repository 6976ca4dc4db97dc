/* The risk of many coefficient vectors, sixteen at a time, on the context's threads. */
#include "core/ranks.h"
#include "kernel/tile.h"
#include "risk/risk.h"

#include <string.h>

/* Tiles that a back end is given at once. */
enum { MOST_TILES = 8192 };

struct tiles {
    const gbs_empirical *risk;
    size_t count;
    gbs_tile_filler fill;
    void *user;
    double *risks, *scratch;
    size_t worker_size;
    size_t begin;    /* tile that this stretch begins with */
    gbs_share share; /* of the stretch: tiles of other ranks are filled, for what that leaves */
};

static void judge_tile(void *arg, size_t task, size_t worker) {
    const struct tiles *w = arg;
    double *tile = w->scratch + worker * w->worker_size, risk[GBS_LANES];
    size_t first = (task + w->begin) * GBS_LANES, left = w->count - first,
           lanes = left < GBS_LANES ? left : GBS_LANES;
    w->fill(w->user, first, lanes, tile);
    if (task - w->share.begin >= w->share.count)
        return;
    gbs_empirical_tile(w->risk, tile, tile + w->risk->d * GBS_LANES, risk);
    memcpy(w->risks + first, risk, lanes * sizeof *risk);
}

static void fill_tile(void *arg, size_t task, size_t worker) {
    const struct tiles *w = arg;
    size_t first = (task + w->begin) * GBS_LANES, left = w->count - first;
    (void)worker;
    w->fill(w->user, first, left < GBS_LANES ? left : GBS_LANES,
            w->scratch + task * w->worker_size);
}

/* The same where the rows are better met by many vectors at once. */
static gbs_status judge_many(struct tiles *w) {
    gbs_context *ctx = w->risk->ctx;
    size_t d = w->risk->d, tiles = (w->count + GBS_LANES - 1) / GBS_LANES,
           most = tiles < MOST_TILES ? tiles : MOST_TILES;
    gbs_status status = GBS_OK;
    w->worker_size = d * GBS_LANES;
    w->scratch = gbs_matrix(ctx, most, w->worker_size);
    if (w->scratch == NULL)
        return GBS_ERR_MEMORY;
    for (; status == GBS_OK && w->begin < tiles; w->begin += most) {
        size_t some = tiles - w->begin < most ? tiles - w->begin : most,
               first = w->begin * GBS_LANES, left = w->count - first,
               vectors = left < some * GBS_LANES ? left : some * GBS_LANES;
        gbs_parallel_for(ctx, some, 4.0 * (double)(some * w->worker_size), fill_tile, w);
        status = w->risk->ops->many(w->risk, vectors, w->scratch, w->risks + first);
    }
    gbs_array_free(ctx, w->scratch);
    return status;
}

/* A stretch of tiles between two looks at the caller's wish to stop. */
gbs_status gbs_empirical_tiles(const gbs_empirical *risk, size_t count, gbs_tile_filler fill,
                               void *user, double *risks) {
    struct tiles w = {.risk = risk, .count = count, .fill = fill, .user = user, .risks = risks};
    gbs_context *ctx = risk->ctx;
    size_t d = risk->d, tiles = (count + GBS_LANES - 1) / GBS_LANES;
    double flops = GBS_LANES * (double)risk->rows * (2.0 * (double)d + risk->state_cost);
    size_t stretch = gbs_workers(ctx) *
                     (flops < GBS_STRETCH_FLOPS ? (size_t)(GBS_STRETCH_FLOPS / flops) : 1);
    gbs_status status = GBS_OK;
    if (risk->ops->takes_many != NULL && risk->ops->takes_many(risk))
        return judge_many(&w);
    w.worker_size = d * GBS_LANES + gbs_empirical_tile_room(risk);
    /* tiles begin on a cache line */
    w.worker_size += (GBS_LANES - w.worker_size % GBS_LANES) % GBS_LANES;
    w.scratch = gbs_matrix(ctx, gbs_workers(ctx), w.worker_size);
    if (w.scratch == NULL)
        return GBS_ERR_MEMORY;
    for (; status == GBS_OK && w.begin < tiles; w.begin += stretch) {
        size_t left = tiles - w.begin, some = left < stretch ? left : stretch;
        size_t first = w.begin * GBS_LANES, lanes = count - first;
        gbs_made made = gbs_made_doubles(risks + first, GBS_LANES,
                                         lanes < some * GBS_LANES ? lanes : some * GBS_LANES);
        w.share = gbs_share_of(ctx, some, flops * (double)some,
                               (double)(some * GBS_LANES * sizeof *w.risks));
        gbs_parallel_for(ctx, some, flops * (double)w.share.count, judge_tile, &w);
        gbs_share_gather(ctx, &w.share, &made, 1);
        status = gbs_check_cancel(ctx);
    }
    gbs_array_free(ctx, w.scratch);
    return status;
}

struct given {
    size_t d;
    const double *theta;
};

static void gather(void *user, size_t first, size_t lanes, double *tile) {
    const struct given *g = user;
    const double *row[GBS_LANES];
    for (size_t l = 0; l < lanes; l++)
        row[l] = g->theta + (first + l) * g->d;
    gbs_tile_gather(g->d, lanes, row, tile);
}

gbs_status gbs_empirical_many(const gbs_empirical *risk, size_t count, const double *theta,
                              double *risks) {
    struct given g = {risk->d, theta};
    return gbs_empirical_tiles(risk, count, gather, &g, risks);
}
