/* Files that ranks read together: who reads which bytes.
 *
 *   borders    total x k / ranks, in the bytes of all files one after the other
 *   rank k     the records that begin between its borders, from the first line on that does
 *   chain      end of part k - 1 = start of part k, for all k, or rank k reads again from there
 *
 * A line break in quotes may make rank k begin in the middle of a record; the chain finds that
 * out. So what is read is what one process reads.
 */
#include "table/divide.h"

#include "data/digest.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fewer bytes are as well read by every rank, where the ranks were not told what is worth an
 * exchange. */
#define LEAST_BYTES 1e6

/* What has to be the same on all ranks. */
struct plan {
    uint64_t divides, format, wanted, bytes;
    gbs_hash head;
};

/* A plain file of so many bytes; its first bytes go to the digest. */
static bool look_at(const char *name, uint64_t *size, gbs_digest *d) {
    unsigned char head[GBS_DIVIDE_LOOK];
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
    bool plain = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    ssize_t n = plain ? read(fd, head, sizeof head) : 0;
    if (fd >= 0)
        close(fd);
    if (n <= 0 || (n > 1 && head[0] == 0x1f && head[1] == 0x8b))
        return false;
    gbs_digest_add(d, head, (size_t)n);
    *size = (uint64_t)st.st_size;
    return true;
}

/* Where each file begins; and whether they are plain and large enough. */
static struct plan make_plan(const gbs_context *ctx, const gbs_inputs *inputs, uint64_t format,
                             bool may, bool wanted, uint64_t *base) {
    struct plan p;
    gbs_digest d = gbs_digest_start();
    double worth = ctx->crew->ranks.worth;
    memset(&p, 0, sizeof p);
    p.wanted = wanted;
    p.format = format;
    p.divides = may;
    for (size_t k = 0; k < inputs->count; k++) {
        const char *name = inputs->path[k];
        uint64_t size = 0;
        p.divides = p.divides != 0 && strcmp(name, "-") != 0 && look_at(name, &size, &d);
        base[k + 1] = base[k] + size;
    }
    p.bytes = base[inputs->count];
    p.head = gbs_digest_end(&d);
    if (p.bytes < ctx->crew->ranks.size ||
        ((double)p.bytes < (worth > 0.0 ? worth : LEAST_BYTES) && !wanted))
        p.divides = 0;
    return p;
}

gbs_status gbs_divide_agree(gbs_context *ctx, const gbs_inputs *inputs, uint64_t format, bool may,
                            bool wanted, uint64_t *base, bool *divides, bool *anybody) {
    struct plan mine = make_plan(ctx, inputs, format, may, wanted, base), other;
    gbs_collected all;
    size_t ranks = ctx->crew->ranks.size;
    gbs_status status = gbs_crew_collect(ctx, &mine, sizeof mine, &all);
    if (status != GBS_OK)
        return status;
    *divides = ranks > 1;
    *anybody = false;
    for (size_t k = 0; k < ranks; k++) {
        memcpy(&other, all.bytes + all.begin[k], sizeof other);
        *divides = *divides && other.divides != 0 && other.format == mine.format &&
                   other.bytes == mine.bytes &&
                   memcmp(&other.head, &mine.head, sizeof mine.head) == 0;
        *anybody = *anybody || other.wanted != 0;
    }
    gbs_collected_free(ctx, &all);
    return GBS_OK;
}

gbs_own_part gbs_divide_cut(const gbs_context *ctx, uint64_t bytes) {
    uint64_t ranks = ctx->crew->ranks.size, rank = ctx->crew->ranks.rank;
    return (gbs_own_part){.from = bytes / ranks * rank + bytes % ranks * rank / ranks,
                          .to = bytes / ranks * (rank + 1) + bytes % ranks * (rank + 1) / ranks};
}

gbs_divide_chain gbs_divide_check(const gbs_context *ctx, const gbs_part_report *report,
                                  gbs_own_part *own, bool *stale) {
    bool good = true, again = false;
    for (size_t k = 0; k < ctx->crew->ranks.size; k++) {
        const gbs_part_report *here = &report[k], *last = k > 0 ? here - 1 : NULL;
        bool mine = k == ctx->crew->ranks.rank,
             apart = last != NULL && last->status == GBS_OK && here->start != last->end,
             failed = good && !apart && here->status != GBS_OK;
        if (failed && (k == 0 || here->informed))
            return GBS_PARTS_REFUSED;
        if (apart && mine)
            own->from = last->end;
        if (failed && mine) {
            own->from = here->start;
            own->informed = true;
        }
        if ((apart || failed) && mine) {
            *stale = own->exact = true;
            own->to = own->to > own->from ? own->to : own->from;
        }
        good = good && !apart && !failed;
        again = again || apart || failed;
    }
    return again ? GBS_PARTS_AGAIN : GBS_PARTS_WHOLE;
}

bool gbs_divide_failed(const gbs_context *ctx, const gbs_part_report *report) {
    for (size_t k = 0; k < ctx->crew->ranks.size; k++)
        if (report[k].status != GBS_OK && report[k].status != GBS_ERR_DATA)
            return true;
    return false;
}
