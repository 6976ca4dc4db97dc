/* Files that ranks read together, each its part of the bytes: whether they may, who reads which
 * part, and whether the parts make up the whole (divide.c).
 */
#ifndef GIBBSITE_TABLE_DIVIDE_H
#define GIBBSITE_TABLE_DIVIDE_H

#include "core/ranks.h"
#include "table/cache.h"

/* Bytes at the head of each file that the ranks compare first. */
enum { GBS_DIVIDE_LOOK = 1 << 16 };

/* Bytes of a rank, counted from the first one of the first file. */
typedef struct gbs_own_part {
    uint64_t from, to;
    bool exact;    /* a record begins at `from` */
    bool informed; /* it knows what all ranks before found */
} gbs_own_part;

/* What a rank says of its part. */
typedef struct gbs_part_report {
    gbs_status status; /* GBS_OK or GBS_ERR_DATA: it can go on */
    uint64_t start, end;
    size_t rows;
    bool informed;
    /* of a table (together.c) */
    size_t first_piece, pieces, columns;
    bool plain;                               /* line i of it is row i: no blank lines */
    const unsigned char *each;                /* of its pieces: two numbers, rows and lines */
    const unsigned char *kind;                /* of the columns */
    const unsigned char *levels, *levels_end; /* of the columns: a number of them, and texts */
} gbs_part_report;

/* *divides: all ranks see the same files, plain ones and large enough, and each can read a part.
 * may: whether this rank would; wanted: also where they are small. base: bytes before each file,
 * and of all of them; format: the same on all ranks, or they do not divide. *anybody: wants it. */
gbs_status gbs_divide_agree(gbs_context *ctx, const gbs_inputs *inputs, uint64_t format, bool may,
                            bool wanted, uint64_t *base, bool *divides, bool *anybody);

/* This rank's bytes of so many. */
gbs_own_part gbs_divide_cut(const gbs_context *ctx, uint64_t bytes);

/* REFUSED: there is a part that cannot be used, of which one process has to speak. */
typedef enum gbs_divide_chain {
    GBS_PARTS_WHOLE,
    GBS_PARTS_AGAIN,
    GBS_PARTS_REFUSED
} gbs_divide_chain;

/* Whether each part begins where the one before ends; *stale: this rank's does not, or it failed
 * and was not informed yet, and `own` says from where it reads again. */
gbs_divide_chain gbs_divide_check(const gbs_context *ctx, const gbs_part_report *report,
                                  gbs_own_part *own, bool *stale);
/* Somebody cannot go on at all. */
bool gbs_divide_failed(const gbs_context *ctx, const gbs_part_report *report);

#endif
