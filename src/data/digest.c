/* A digest of bytes, at the speed of memory.
 *
 *   words of 8 bytes go to four lanes in turn:   h <- f((h ^ w) K),   f(x) = x ^ (x >> 29)
 *
 * each step of which is invertible in h and in w, so that one word that changes always shows. The
 * last words are filled up with zeros; lanes and size are mixed by Threefry at the end (hash.c).
 * Words are those of a little-endian machine, as are the numbers of a cache.
 */
#include "data/digest.h"

#include <string.h>

#define FACTOR 0x9e3779b97f4a7c15u

gbs_digest gbs_digest_start(void) {
    return (gbs_digest){.lane = {1, 2, 3, 4}};
}

static uint64_t step(uint64_t h, uint64_t word) {
    h = (h ^ word) * FACTOR;
    return h ^ (h >> 29);
}

static void add_blocks(gbs_digest *d, const unsigned char *bytes, size_t blocks) {
    uint64_t a = d->lane[0], b = d->lane[1], c = d->lane[2], e = d->lane[3];
    for (size_t i = 0; i < blocks; i++, bytes += GBS_DIGEST_BLOCK) {
        uint64_t word[GBS_DIGEST_LANES];
        memcpy(word, bytes, sizeof word);
        a = step(a, word[0]);
        b = step(b, word[1]);
        c = step(c, word[2]);
        e = step(e, word[3]);
    }
    d->lane[0] = a;
    d->lane[1] = b;
    d->lane[2] = c;
    d->lane[3] = e;
}

void gbs_digest_add(gbs_digest *d, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    size_t have = (size_t)(d->size % GBS_DIGEST_BLOCK);
    d->size += size;
    if (have > 0) {
        size_t some = size < GBS_DIGEST_BLOCK - have ? size : GBS_DIGEST_BLOCK - have;
        memcpy(d->rest + have, from, some);
        from += some;
        size -= some;
        if (have + some < GBS_DIGEST_BLOCK)
            return;
        add_blocks(d, d->rest, 1);
    }
    add_blocks(d, from, size / GBS_DIGEST_BLOCK);
    from += size / GBS_DIGEST_BLOCK * GBS_DIGEST_BLOCK;
    if (size % GBS_DIGEST_BLOCK > 0)
        memcpy(d->rest, from, size % GBS_DIGEST_BLOCK);
}

gbs_hash gbs_digest_end(const gbs_digest *d) {
    gbs_digest last = *d;
    size_t have = (size_t)(d->size % GBS_DIGEST_BLOCK);
    if (have > 0) {
        memset(last.rest + have, 0, GBS_DIGEST_BLOCK - have);
        add_blocks(&last, last.rest, 1);
    }
    return gbs_hash_text(last.size, (const char *)last.lane, sizeof last.lane);
}
