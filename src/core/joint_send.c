/* What ranks have of an array, to those that share another copy of it (core/joint.h). */
#include "core/joint.h"

#include "core/ranks.h"

#include <string.h>

/* Where a rank's bytes of a section begin in the array, and how many they are. */
static size_t place_of(const gbs_section *s, size_t rank) {
    return s->at + s->before[rank] * s->size;
}

static size_t bytes_of(const gbs_section *s, size_t rank) {
    return (s->before[rank + 1] - s->before[rank]) * s->size;
}

static size_t fewer(size_t a, size_t b) {
    return a < b ? a : b;
}

gbs_status gbs_section_put(gbs_context *ctx, const gbs_section *s, bool in_files, void *to) {
    const char *from = s->mine;
    size_t rank = ctx->crew->ranks.rank, bytes = bytes_of(s, rank);
    char *own = (char *)to + place_of(s, rank);
    gbs_status status = GBS_OK;
    for (size_t i = 0; status == GBS_OK && i < bytes; i += GBS_PAGES_STEP) {
        size_t count = fewer(GBS_PAGES_STEP, bytes - i);
        memcpy(own + i, from + i, count);
        if (in_files) {
            gbs_pages_drop(own + i, own + i + count);
            gbs_pages_drop(from + i, from + i + count);
        }
        status = gbs_check_cancel(ctx);
    }
    return status;
}

/* Every rank's bytes go to all; the first of those who share a copy writes them. leader: of each
 * rank. room: for GBS_PAGES_STEP of them, or all that a rank has. */
static gbs_status send(gbs_context *ctx, const gbs_section *s, const uint64_t *leader, char *room,
                       char *to) {
    const gbs_ranks *r = &ctx->crew->ranks;
    for (size_t k = 0; k < r->size; k++)
        for (size_t i = 0, bytes = bytes_of(s, k); i < bytes; i += GBS_PAGES_STEP) {
            size_t count = fewer(GBS_PAGES_STEP, bytes - i);
            if (k == r->rank)
                memcpy(room, (const char *)s->mine + i, count);
            if (r->broadcast(r->user, k, room, count) != 0) {
                gbs_crew_give_up(ctx->crew, GBS_CREW_SILENT);
                return gbs_fail(ctx, GBS_ERR_IO, "%s", ctx->crew->words);
            }
            ctx->crew->sent += k == r->rank ? count : 0;
            if (leader[r->rank] == r->rank && leader[k] != r->rank)
                memcpy(to + place_of(s, k) + i, room, count);
        }
    return GBS_OK;
}

gbs_status gbs_section_send(gbs_context *ctx, const gbs_spill *spill, const gbs_section *section,
                            size_t sections, void *to) {
    uint64_t mine = spill->leader;
    gbs_collected leader;
    if (spill->members == ctx->crew->ranks.size)
        return GBS_OK;
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &leader);
    if (status != GBS_OK)
        return status;
    size_t most = 1, ranks = ctx->crew->ranks.size;
    for (size_t k = 0; k < sections * ranks; k++) {
        size_t bytes = bytes_of(&section[k / ranks], k % ranks);
        most = bytes > most ? bytes : most;
    }
    char *room = gbs_array_alloc(ctx, fewer(GBS_PAGES_STEP, most), 1);
    status = gbs_crew_verdict(ctx, room != NULL ? GBS_OK : GBS_ERR_MEMORY);
    for (size_t k = 0; status == GBS_OK && room != NULL && k < sections; k++)
        status = send(ctx, &section[k], (const uint64_t *)(const void *)leader.bytes, room, to);
    gbs_array_free(ctx, room);
    gbs_collected_free(ctx, &leader);
    return status;
}
