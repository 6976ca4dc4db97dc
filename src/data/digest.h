/* A digest of bytes, by which a cache knows its file and notices damage (docs/formats.md). Not for
 * secrets: who wants two files of one digest can make them. */
#ifndef GIBBSITE_DATA_DIGEST_H
#define GIBBSITE_DATA_DIGEST_H

#include "data/hash.h"

enum { GBS_DIGEST_LANES = 4, GBS_DIGEST_BLOCK = 8 * GBS_DIGEST_LANES };

typedef struct gbs_digest {
    uint64_t lane[GBS_DIGEST_LANES];
    uint64_t size;                        /* bytes so far */
    unsigned char rest[GBS_DIGEST_BLOCK]; /* the last size % GBS_DIGEST_BLOCK of them */
} gbs_digest;

gbs_digest gbs_digest_start(void);
/* However the bytes are cut into pieces, the digest is the same. */
void gbs_digest_add(gbs_digest *d, const void *bytes, size_t size);
gbs_hash gbs_digest_end(const gbs_digest *d);

#endif
