/* Inside the arranging of rows (arrange.c): where each goes, and the buckets on its way. */
#ifndef GIBBSITE_DATA_ARRANGE_H
#define GIBBSITE_DATA_ARRANGE_H

#include "data/rows.h"

/* Bytes of a bucket: a few hundred of them are open at a time. */
enum { GBS_ARRANGE_BUCKET = 1 << 24 };
/* Shares of the progress: the first way, and both. */
#define GBS_ARRANGE_STAGE "order"
#define GBS_ARRANGE_FIRST 0.7

typedef struct gbs_arranging {
    gbs_context *ctx;
    const gbs_data *view;
    size_t n, bucket; /* rows of the view, of a bucket */
    size_t from, to;  /* buckets that are this rank's to fill, where ranks share the arrays */
    size_t rows;      /* of the arrays that are viewed */
    size_t *place;    /* of each row of these: its place in the view; SIZE_MAX: it is not there */
    size_t *waits;    /* places of the rows in the buckets, as they were appended */
    size_t *filled;   /* rows in each bucket */
    size_t *used;     /* sparse rows: cells in each */
    double *dense;    /* the new arrays */
    size_t *start;
    uint32_t *column;
    double *value;
} gbs_arranging;

/* A row more in bucket b, whose place is known; returns how many it had. */
static inline size_t gbs_arrange_append(gbs_arranging *a, size_t b, size_t place) {
    size_t have = a->filled[b]++;
    a->waits[b * a->bucket + have] = place;
    return have;
}

gbs_status gbs_arrange_sparse(gbs_arranging *a);

#endif
