/* What ranks tell one another, however long: lines of text, lists of levels, rows.
 *
 * How many bytes each has goes first, then the bytes. A rank that has no room for them says so
 * before anything is sent (core/ranks.h).
 */
#include "core/ranks.h"

#include "core/check.h"

#include <stdio.h>
#include <string.h>

/* The shape of a meeting for bytes of which nobody knows how many the others have. */
enum { ANY_SHAPE = -2 };

/* Where the bytes of each rank begin: each is asked for in turn. */
static gbs_status count_bytes(gbs_context *ctx, size_t bytes, int64_t shape, size_t *begin) {
    gbs_crew *crew = ctx->crew;
    const gbs_ranks *r = &crew->ranks;
    gbs_status status = GBS_OK;
    if (!gbs_crew_meet(crew, shape, &status, ""))
        return gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
    for (size_t k = 0; k < r->size; k++) {
        uint64_t n = bytes;
        if (r->broadcast(r->user, k, &n, sizeof n) != 0) {
            gbs_crew_give_up(crew, GBS_CREW_SILENT);
            return gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
        }
        if (__builtin_add_overflow(begin[k], (size_t)n, &begin[k + 1]))
            return gbs_fail(ctx, GBS_ERR_MEMORY, "what the ranks hold does not fit in memory");
    }
    return GBS_OK;
}

void gbs_collected_free(const gbs_context *ctx, gbs_collected *c) {
    gbs_array_free(ctx, c->bytes);
    gbs_array_free(ctx, c->begin);
    *c = (gbs_collected){0};
}

gbs_status gbs_crew_collect(gbs_context *ctx, const void *mine, size_t size, gbs_collected *out) {
    size_t ranks = ctx->crew->ranks.size;
    *out = (gbs_collected){.begin = gbs_array_alloc(ctx, ranks + 1, sizeof *out->begin)};
    gbs_status status = out->begin != NULL ? count_bytes(ctx, size, ANY_SHAPE, out->begin)
                                           : GBS_ERR_MEMORY;
    if (status != GBS_OK) {
        gbs_collected_free(ctx, out);
        return status;
    }
    out->bytes = gbs_array_alloc(ctx, out->begin[ranks] + 1, 1);
    status = gbs_ranks_agree(ctx, out->bytes != NULL ? GBS_OK : GBS_ERR_MEMORY, NULL);
    if (status == GBS_OK)
        status = gbs_crew_gather(ctx, mine, out->bytes, out->begin);
    if (status != GBS_OK)
        gbs_collected_free(ctx, out);
    return status;
}

/* ---------------------------------------------------------------- how each fared */

struct fared {
    int64_t status;
    char words[GBS_MESSAGE_ROOM];
};

static bool all_alike(const struct fared *of, size_t ranks) {
    for (size_t k = 1; k < ranks; k++)
        if (of[k].status != of[0].status)
            return false;
    return true;
}

/* Rows or a file that cannot be used and a wish to stop are everybody's; that memory or a file
 * failed is the matter of one rank, unless all of them say so. */
static gbs_status say(gbs_context *ctx, const struct fared *of, size_t ranks) {
    size_t k = 0;
    while (k < ranks && of[k].status == GBS_OK)
        k++;
    if (k == ranks)
        return GBS_OK;
    gbs_status status = (gbs_status)of[k].status;
    bool common = status == GBS_ERR_DATA || status == GBS_ERR_FORMAT || status == GBS_ERR_CANCELLED;
    if (common || all_alike(of, ranks))
        return gbs_fail(ctx, status, "%s", of[k].words);
    return gbs_fail(ctx, GBS_ERR_IO, "rank %zu failed: %.960s", k, of[k].words);
}

gbs_status gbs_crew_verdict(gbs_context *ctx, gbs_status status) {
    struct fared mine = {.status = (int64_t)status};
    gbs_collected all;
    if (ctx->crew == NULL)
        return status;
    if (status != GBS_OK)
        memcpy(mine.words, ctx->error, sizeof mine.words);
    gbs_status told = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (told != GBS_OK)
        return told;
    told = say(ctx, (const struct fared *)(const void *)all.bytes, ctx->crew->ranks.size);
    gbs_collected_free(ctx, &all);
    return told;
}

/* ---------------------------------------------------------------- rows that ranks hold */

gbs_status gbs_ranks_rows(gbs_context *ctx, size_t rows, size_t columns, const double *x,
                          size_t *count, double **all) {
    GBS_NEEDS(ctx, all);
    *all = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS_ARRAY(ctx, x, rows);
    size_t row, bytes, one[2] = {0, 0}, *begin = one, last = 1;
    if (columns == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "columns must be a number from 1, not 0");
    if (__builtin_mul_overflow(columns, sizeof(double), &row) ||
        __builtin_mul_overflow(rows, row, &bytes))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "%zu x %zu cells do not fit in memory", rows,
                        columns);
    one[1] = bytes;
    gbs_status status = GBS_OK;
    if (ctx->crew != NULL) {
        last = ctx->crew->ranks.size;
        begin = gbs_array_alloc(ctx, last + 1, sizeof *begin);
        status = begin != NULL ? count_bytes(ctx, bytes, (int64_t)columns, begin) : GBS_ERR_MEMORY;
    }
    if (status == GBS_OK) {
        *all = gbs_handle_alloc(ctx, begin[last]);
        status = gbs_ranks_agree(ctx, *all != NULL ? GBS_OK : GBS_ERR_MEMORY, NULL);
    }
    if (status == GBS_OK && ctx->crew != NULL)
        status = gbs_crew_gather(ctx, x, *all, begin);
    else if (status == GBS_OK && rows > 0 && *all != NULL)
        memcpy(*all, x, bytes);
    if (status == GBS_OK && count != NULL)
        *count = begin[last] / row;
    if (begin != one)
        gbs_array_free(ctx, begin);
    if (status != GBS_OK) {
        gbs_release(NULL, *all);
        *all = NULL;
    }
    return status;
}
