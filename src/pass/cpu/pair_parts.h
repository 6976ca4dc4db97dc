/* What both passes over pairs, that of the slopes (pair_slopes.c) and that of the risk alone
 * (pair_risk.c), are made of. */
#ifndef GIBBSITE_PASS_CPU_PAIR_PARTS_H
#define GIBBSITE_PASS_CPU_PAIR_PARTS_H

#include "core/ranks.h"
#include "pass/cpu/cpu.h"

/* Rows of a block of the larger side, and of the smaller one: what meets fits in cache. */
size_t gbs_pair_outer_rows(size_t d);
size_t gbs_pair_inner_rows(size_t d);

/* The two sides, the larger one "outer"; sign: +1 where the outer rows are the positive ones. */
typedef struct gbs_pair_sides {
    gbs_rows outer, inner;
    size_t outer_first, inner_first; /* among all rows */
    double sign;
} gbs_pair_sides;
gbs_pair_sides gbs_pair_sides_of(const gbs_rows *rows, size_t positives);

/* Pairs, equal rows counted. */
double gbs_pair_weight(const gbs_rows *rows, size_t positives);

/* values: three arrays over all rows, a = sign x'm, q = x'S x, and how many equal rows each stands
 * for. `room`: gbs_pair_project_room doubles a worker, `worker_size` apart. */
size_t gbs_pair_project_room(const gbs_rows *rows, bool matrix);
void gbs_pair_project(gbs_context *ctx, const gbs_rows *rows, const gbs_spread *g, double sign,
                      double *room, size_t worker_size, double *values);

/* Rows first .. as a dense block: themselves, or spelled out in `buffer`. */
gbs_strip gbs_pair_dense(const gbs_rows *rows, size_t first, size_t count, double *buffer);
/* A pass is through with these rows: of rows in a file the pages leave memory. */
void gbs_pair_passed(const gbs_rows *rows, size_t first, size_t count);
/* to = X S. */
void gbs_pair_times_covariance(const gbs_spread *g, const gbs_strip *b, double *to);

/* Two nearly equal rows, for which q_i + q_j - 2 x_i'S x_j cancels: difference = x - y, and from it
 * mu (for sign +1) and s. False when the rows are equal, and mu = s = 0. `work`: d doubles. */
bool gbs_pair_near(const gbs_spread *g, const double *x, const double *y, double *difference,
                   double *work, double *mu, double *s);

#endif
