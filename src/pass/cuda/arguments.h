/* What each kernel is given, one struct each; and their names, which host and device share.
 *
 * Rows lie one after the other, `ld` numbers apart, zeros behind the d-th. Sums are left in parts,
 * one a block of threads, and added by a later kernel in the order of the blocks: the bits depend
 * on the shape of the data and on the device alone.
 */
#ifndef GIBBSITE_PASS_CUDA_ARGUMENTS_H
#define GIBBSITE_PASS_CUDA_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

/* Threads of a block, of every kernel. */
enum { GBS_CUDA_THREADS = 256, GBS_CUDA_WARP = 32 };
/* Ratings of an item that lie in shared memory at once: each thread brings one. */
enum { GBS_CUDA_LISTED = GBS_CUDA_THREADS };

/* Kernels that keep M in registers, 8 columns a tile, or that have none (0): X(name, loss, tiles),
 * the losses in their order, for each the tiles as GBS_CUDA_PAIR_TILES has them. */
#define GBS_CUDA_FUSED_PAIRS(X)                                                                    \
    X(gbs_kernel_zero_one_pairs_0, GBS_CUDA_ZERO_ONE, 0)                                           \
    X(gbs_kernel_zero_one_pairs_4, GBS_CUDA_ZERO_ONE, 4)                                           \
    X(gbs_kernel_zero_one_pairs_8, GBS_CUDA_ZERO_ONE, 8)                                           \
    X(gbs_kernel_zero_one_pairs_14, GBS_CUDA_ZERO_ONE, 14)                                         \
    X(gbs_kernel_zero_one_pairs_16, GBS_CUDA_ZERO_ONE, 16)                                         \
    X(gbs_kernel_hinge_pairs_0, GBS_CUDA_HINGE, 0)                                                 \
    X(gbs_kernel_hinge_pairs_4, GBS_CUDA_HINGE, 4)                                                 \
    X(gbs_kernel_hinge_pairs_8, GBS_CUDA_HINGE, 8)                                                 \
    X(gbs_kernel_hinge_pairs_14, GBS_CUDA_HINGE, 14)                                               \
    X(gbs_kernel_hinge_pairs_16, GBS_CUDA_HINGE, 16)                                               \
    X(gbs_kernel_exponential_pairs_0, GBS_CUDA_EXPONENTIAL, 0)                                     \
    X(gbs_kernel_exponential_pairs_4, GBS_CUDA_EXPONENTIAL, 4)                                     \
    X(gbs_kernel_exponential_pairs_8, GBS_CUDA_EXPONENTIAL, 8)                                     \
    X(gbs_kernel_exponential_pairs_14, GBS_CUDA_EXPONENTIAL, 14)                                   \
    X(gbs_kernel_exponential_pairs_16, GBS_CUDA_EXPONENTIAL, 16)
#define GBS_CUDA_PAIR_TILES                                                                        \
    { 0, 4, 8, 14, 16 }
enum { GBS_CUDA_PAIR_KINDS = 5 };

/* Numbers of a row in shared memory: 4 more than a multiple of 16, for all of it and for M. */
#define GBS_CUDA_PAIR_STRIDE(tiles) ((tiles) > 0 ? 8u * (tiles) + 4u : 132u)

/* The same of rows, which have up to so many tiles of 8 columns: X(name, tiles). */
#define GBS_CUDA_FUSED_ROWS(X)                                                                     \
    X(gbs_kernel_rows_5, 5)                                                                        \
    X(gbs_kernel_rows_9, 9)                                                                        \
    X(gbs_kernel_rows_13, 13)                                                                      \
    X(gbs_kernel_rows_15, 15)
#define GBS_CUDA_ROW_TILES                                                                         \
    { 5, 9, 13, 15 }
#define GBS_CUDA_ROW_STRIDE(tiles) (((tiles) + 1u) / 2u * 16u + 4u)

/* Many vectors: a loss each. */
#define GBS_CUDA_FUSED_MANY(X)                                                                     \
    X(gbs_kernel_zero_one_many, GBS_CUDA_ZERO_ONE)                                                 \
    X(gbs_kernel_hinge_many, GBS_CUDA_HINGE)                                                       \
    X(gbs_kernel_exponential_many, GBS_CUDA_EXPONENTIAL)                                           \
    X(gbs_kernel_probit_many, GBS_CUDA_PROBIT)

/* X(name of the kernel, its struct without prefix and suffix) */
#define GBS_CUDA_KERNELS(X)                                                                        \
    X(gbs_kernel_project, project)                                                                 \
    X(gbs_kernel_row_losses, losses)                                                               \
    X(gbs_kernel_pull_columns, pull)                                                               \
    X(gbs_kernel_sum_parts, parts)                                                                 \
    X(gbs_kernel_weigh_rows, weigh)                                                                \
    X(gbs_kernel_scale_columns, scale)                                                             \
    X(gbs_kernel_gather, gather)                                                                   \
    X(gbs_kernel_pair_losses, pairs)                                                               \
    X(gbs_kernel_spread_tiles, tiles)                                                              \
    X(gbs_kernel_rating_records, ratings)                                                          \
    X(gbs_kernel_rating_double_1, ratings)                                                         \
    X(gbs_kernel_rating_double_2, ratings)                                                         \
    X(gbs_kernel_rating_double_3, ratings)                                                         \
    X(gbs_kernel_rating_double_4, ratings)                                                         \
    X(gbs_kernel_rating_single_1, ratings)                                                         \
    X(gbs_kernel_rating_single_2, ratings)                                                         \
    X(gbs_kernel_rating_single_3, ratings)                                                         \
    X(gbs_kernel_rating_single_4, ratings)                                                         \
    X(gbs_kernel_many_losses, many)                                                                \
    X(gbs_kernel_zero_one_pairs_0, pairs)                                                          \
    X(gbs_kernel_zero_one_pairs_4, pairs)                                                          \
    X(gbs_kernel_zero_one_pairs_8, pairs)                                                          \
    X(gbs_kernel_zero_one_pairs_14, pairs)                                                         \
    X(gbs_kernel_zero_one_pairs_16, pairs)                                                         \
    X(gbs_kernel_hinge_pairs_0, pairs)                                                             \
    X(gbs_kernel_hinge_pairs_4, pairs)                                                             \
    X(gbs_kernel_hinge_pairs_8, pairs)                                                             \
    X(gbs_kernel_hinge_pairs_14, pairs)                                                            \
    X(gbs_kernel_hinge_pairs_16, pairs)                                                            \
    X(gbs_kernel_exponential_pairs_0, pairs)                                                       \
    X(gbs_kernel_exponential_pairs_4, pairs)                                                       \
    X(gbs_kernel_exponential_pairs_8, pairs)                                                       \
    X(gbs_kernel_exponential_pairs_14, pairs)                                                      \
    X(gbs_kernel_exponential_pairs_16, pairs)                                                      \
    X(gbs_kernel_rows_5, strips)                                                                   \
    X(gbs_kernel_rows_9, strips)                                                                   \
    X(gbs_kernel_rows_13, strips)                                                                  \
    X(gbs_kernel_rows_15, strips)                                                                  \
    X(gbs_kernel_zero_one_many, many)                                                              \
    X(gbs_kernel_hinge_many, many)                                                                 \
    X(gbs_kernel_exponential_many, many)                                                           \
    X(gbs_kernel_probit_many, many)

/* Which of them, where the host means one. */
#define GBS_CUDA_NUMBER(name, arguments) name##_number,
enum { GBS_CUDA_KERNELS(GBS_CUDA_NUMBER) GBS_CUDA_KERNEL_COUNT };
#undef GBS_CUDA_NUMBER

/* score = x'm; square = sum of y_k^2 where y (rows like x) is given, else of by_k x_k^2, else
 * times of x_k^2. *broken becomes 1 where a number is NaN. */
typedef struct gbs_cuda_project_arguments {
    size_t n, d, ld;
    const double *x, *mean, *y, *by;
    double times;
    double *score, *square;
    int *broken;
} gbs_cuda_project_arguments;

enum { GBS_CUDA_SUM_PSI, GBS_CUDA_SUM_SQUARE, GBS_CUDA_SUM_SPREAD, GBS_CUDA_SUMS };

/* Losses of rows whose scores are known, one row a thread; label and weight NULL: 1. u and w are
 * NULL where the risk alone is asked for. part: GBS_CUDA_SUMS a block. */
typedef struct gbs_cuda_losses_arguments {
    size_t n;
    int loss, absolute;
    const double *score, *square, *label, *weight;
    double sign, least, negligible;
    double *u, *w, *part;
} gbs_cuda_losses_arguments;

/* part[block] = (sum u_i x_i, sum of x_i times g_i, or of w_i x_i^2 where g is NULL), `rows` rows a
 * block, 2 ld numbers a block; blocks in y go over the columns, 32 each. */
typedef struct gbs_cuda_pull_arguments {
    size_t n, ld, rows;
    const double *x, *u, *w, *g;
    double *part;
} gbs_cuda_pull_arguments;

/* to_k = (add ? to_k : 0) + times sum over the parts, k < count, in order. */
typedef struct gbs_cuda_parts_arguments {
    size_t parts, stride, count;
    const double *part;
    double times;
    int add;
    double *to;
} gbs_cuda_parts_arguments;

/* g_i = w_i x_i - 2 sum over `layers` of m_i, rows like x; layers lie `layer` numbers apart. */
typedef struct gbs_cuda_weigh_arguments {
    size_t n, ld, layers, layer;
    const double *x, *w, *m;
    double *g;
} gbs_cuda_weigh_arguments;

/* to = x with column k times by_k, else times `times`. */
typedef struct gbs_cuda_scale_arguments {
    size_t n, d, ld;
    const double *x, *by;
    double times;
    double *to;
} gbs_cuda_scale_arguments;

/* Rows by number: to_i = x[row_i] - x[less_i], the columns times by_k where it is given. less NULL:
 * nothing is taken off; weight_i = |y| |y| of the two, where it is wanted. */
typedef struct gbs_cuda_gather_arguments {
    size_t count, d, ld;
    const double *x, *y, *by;
    const uint32_t *row, *less;
    double *to, *weight;
} gbs_cuda_gather_arguments;

/* Pairs of outer and inner rows: their scores a, q = x'Sx and y, whose size counts equal rows.
 *
 * row_u, row_w: of each outer row, a layer for each few inner rows; column_u, column_w: of each
 * inner row, a layer for each few outer rows; part: GBS_CUDA_SUMS a block. Pairs that are nearly
 * equal go to the list, and are counted beyond its room too. */
typedef struct gbs_cuda_pairs_arguments {
    size_t outer, inner; /* rows */
    size_t ld;           /* numbers of a row */
    int absolute, slopes;
    double negligible, sign; /* the margin is sign (a_i - a_j) */
    const double *outer_a, *outer_q, *outer_y, *inner_a, *inner_q, *inner_y;
    const double *outer_xs, *inner_x; /* XS and X, where the kernel makes the products */
    double *m;                        /* w X_inner of each outer row, layers like row_u */
    double *cross;                    /* else outer x inner: x_i'S x_j becomes w */
    double *row_u, *row_w, *column_u, *column_w, *part;
    size_t row_layer, column_layer, m_layer; /* numbers of a layer */
    uint32_t first_outer, first_inner;       /* what numbers in the list begin with */
    uint32_t *near_outer, *near_inner;
    unsigned int near_room, *near_count;
    int loss;
} gbs_cuda_pairs_arguments;

/* Rows with a factor, in strips of GBS_CUDA_STRIP. part: ld x ld numbers of sum w x x' a block,
 * symmetric, with sum u x in row d; sums: GBS_CUDA_SUMS a block. */
enum { GBS_CUDA_STRIP = 32 };
typedef struct gbs_cuda_strips_arguments {
    size_t n, d, ld;
    int loss;
    const double *x, *label, *weight; /* NULL: 1 */
    const double *mean, *factor;      /* factor: C, rows of ld numbers */
    double sign, least, negligible;
    double *part, *sums;
    int *broken;
} gbs_cuda_strips_arguments;

/* Vectors in tiles (kernel/tile.h) as rows. */
typedef struct gbs_cuda_tiles_arguments {
    size_t count, d, ld;
    const double *tiles;
    double *to;
} gbs_cuda_tiles_arguments;

/* Half a sweep over ratings (kernels_ratings.cuh). D = rank + 1; `place` has of each packed element
 * of a D x D triangle its row and column, 16 bits each. Records are as level_records.c has them, in
 * single precision where `single` is given. */
enum { GBS_CUDA_MOST_RANK = 42, GBS_CUDA_RECORD_ROUNDS = 4 };
/* Kernels for records of up to 256, 512, 768 and 1024 numbers: X(name, rounds, in single). */
#define GBS_CUDA_RATING_HALVES(X)                                                                  \
    X(gbs_kernel_rating_double_1, 1, 0)                                                            \
    X(gbs_kernel_rating_double_2, 2, 0)                                                            \
    X(gbs_kernel_rating_double_3, 3, 0)                                                            \
    X(gbs_kernel_rating_double_4, 4, 0)                                                            \
    X(gbs_kernel_rating_single_1, 1, 1)                                                            \
    X(gbs_kernel_rating_single_2, 2, 1)                                                            \
    X(gbs_kernel_rating_single_3, 3, 1)                                                            \
    X(gbs_kernel_rating_single_4, 4, 1)
typedef struct gbs_cuda_ratings_arguments {
    size_t rank, items, others, stride; /* stride: from one record to the next */
    const uint32_t *place;
    float *single;
    double *records;
    /* of the side that stays */
    const double *other_mean, *other_cov, *other_omega;
    /* of the side that is fitted */
    const size_t *start;
    const uint32_t *other;
    const double *value, *prior_mean, *precision, *leverage, *squares, *shape;
    double centre, inverse, beta, relax;
    int rows; /* each has a scale of its own */
    double *mean, *cov, *omega, *rate;
    double *part; /* of a block: sum cov, sum omega mm', log det, error */
    int *broken;
} gbs_cuda_ratings_arguments;

/* part[block y][vector] = sum of the losses of `rows` rows; score: rows x vectors, or NULL where
 * the kernel makes the products. */
typedef struct gbs_cuda_many_arguments {
    size_t n, vectors, rows;
    size_t ld;
    unsigned int stride; /* of a row in shared memory */
    const double *x, *theta;
    const double *score, *label, *weight; /* weight NULL: 1 */
    int loss;
    double *part;
} gbs_cuda_many_arguments;

#endif
