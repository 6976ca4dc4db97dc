/* The back end on a graphics processor (NVIDIA, CUDA): what its files share.
 *
 * It holds dense rows in the device's memory, and beside them the rows of this machine, held by the
 * cpu back end: what the device does not do is done there. One call at a time works on a device,
 * whichever thread it comes from.
 *
 *   load.c     finds the driver and cuBLAS       device.c   a device: its kernels, memory, products
 *   held.c     rows, and all that the cpu does   rows.c     passes over rows
 *   pairs.c    passes over pairs                 many.c     many coefficient vectors
 *   ratings.c  half sweeps over ratings
 */
#ifndef GIBBSITE_PASS_CUDA_CUDA_H
#define GIBBSITE_PASS_CUDA_CUDA_H

#include "pass/cuda/arguments.h"
#include "pass/cuda/driver.h"
#include "pass/pass.h"

#include <pthread.h>

/* ---------------------------------------------------------------- device.c */

/* Memory that a pass works in; it stays for the next one. */
enum {
    GBS_CUDA_ROOM_MEAN, /* the Gaussian: mean, tau, C */
    GBS_CUDA_ROOM_BY,
    GBS_CUDA_ROOM_FACTOR,
    GBS_CUDA_ROOM_SCORE, /* of each row */
    GBS_CUDA_ROOM_SQUARE,
    GBS_CUDA_ROOM_U,
    GBS_CUDA_ROOM_W,
    GBS_CUDA_ROOM_TIMES,
    GBS_CUDA_ROOM_WIDE, /* rows like those held: X C, then G */
    GBS_CUDA_ROOM_OTHER,
    GBS_CUDA_ROOM_CROSS, /* products of pairs, or scores of many vectors */
    GBS_CUDA_ROOM_M,
    GBS_CUDA_ROOM_PART, /* parts of sums */
    GBS_CUDA_ROOM_ROW_PART,
    GBS_CUDA_ROOM_COLUMN_PART,
    GBS_CUDA_ROOM_SUMS, /* what is copied back */
    GBS_CUDA_ROOM_LIST, /* numbers of rows */
    GBS_CUDA_ROOM_NEAR,
    GBS_CUDA_ROOM_ALL_SCORES, /* of all rows, where pairs are looked at */
    GBS_CUDA_ROOM_NOWHERE,
    GBS_CUDA_ROOM_FLAGS,
    GBS_CUDA_ROOMS
};

typedef struct gbs_cuda {
    gbs_device head;
    gbs_cuda_driver driver;
    gbs_cuda_blas blas;
    pthread_mutex_t mutex; /* of whoever works on the device */
    int device, multiprocessors;
    void *context, *module, *handle;
    void *kernel[GBS_CUDA_KERNEL_COUNT];
    gbs_cuda_address room[GBS_CUDA_ROOMS];
    size_t room_bytes[GBS_CUDA_ROOMS];
} gbs_cuda;

/* Opens device 0 with these tables, which are copied. On failure NULL, and the words on ctx. */
gbs_status gbs_cuda_open(gbs_context *ctx, const gbs_cuda_driver *driver, const gbs_cuda_blas *blas,
                         const void *image, gbs_cuda **out);

/* Its model and memory, in words. */
void gbs_cuda_words(const gbs_cuda *device, char *text, size_t room);

/* A call on the device, by one thread at a time. Between the two each function below does nothing
 * once one has failed; the end says what came of it. */
typedef struct gbs_cuda_call {
    gbs_cuda *device;
    gbs_context *ctx;
    gbs_status status;
    bool pushed; /* the device's context is current */
} gbs_cuda_call;

gbs_cuda_call gbs_cuda_begin(gbs_context *ctx, gbs_cuda *device);
gbs_status gbs_cuda_end(gbs_cuda_call *call);

/* `count` numbers of a room, as they are. */
double *gbs_cuda_doubles(gbs_cuda_call *call, int room, size_t count);
void *gbs_cuda_bytes(gbs_cuda_call *call, int room, size_t bytes);
/* Memory of its own; gbs_cuda_free takes NULL. */
double *gbs_cuda_allocate(gbs_cuda_call *call, size_t count);
void gbs_cuda_free(gbs_cuda_call *call, const void *memory);
void gbs_cuda_clear(gbs_cuda_call *call, void *to, size_t bytes);
void gbs_cuda_send(gbs_cuda_call *call, void *to, const void *from, size_t bytes);
/* Waits for all that was begun. */
void gbs_cuda_fetch(gbs_cuda_call *call, void *to, const void *from, size_t bytes);
/* `rows` rows of `width` numbers, those of either side so many numbers apart. */
void gbs_cuda_send_rows(gbs_cuda_call *call, size_t rows, size_t width, const double *from,
                        size_t from_ld, double *to, size_t to_ld);
/* shared: bytes. */
void gbs_cuda_launch(gbs_cuda_call *call, int kernel, size_t blocks, size_t blocks_y, size_t shared,
                     void *arguments);
/* Blocks of threads that go over `cells` numbers, several each. */
size_t gbs_cuda_blocks(const gbs_cuda *device, size_t cells);
/* c (m x n, row stride ldc) = a b + keep c; a_turned: a is stored k x m. */
void gbs_cuda_multiply(gbs_cuda_call *call, bool a_turned, bool b_turned, size_t m, size_t n,
                       size_t k, const double *a, size_t lda, const double *b, size_t ldb,
                       double keep, double *c, size_t ldc);
/* to = (add: + to) times the sum of the parts. */
void gbs_cuda_sum(gbs_cuda_call *call, size_t parts, size_t stride, size_t count,
                  const double *part, double times, bool add, double *to);

/* ---------------------------------------------------------------- load.c */

/* Device 0, with the driver and cuBLAS of this machine; GBS_ERR_ARGUMENT, and words on what is
 * missing, where there is none to be used. */
gbs_status gbs_cuda_load(gbs_context *ctx, gbs_cuda **out);

/* ---------------------------------------------------------------- held.c */

typedef struct gbs_cuda_held {
    gbs_held head;
    gbs_cuda *device;
    gbs_held *host;
    bool room; /* filled now and then, by few rows: the host works on them */
    /* on the device, from the first call there on; weight: NULL where rows have none */
    double *x, *y, *weight;
    size_t ld; /* numbers of a row */
} gbs_cuda_held;

/* Rows that lie on the device once the call needs them; x is NULL after a failure. */
const gbs_cuda_held *gbs_cuda_rows_of(gbs_cuda_call *call, const gbs_held *held);

/* One more number than d, rounded up: rows begin on a sector of memory. */
size_t gbs_cuda_row_size(size_t d);

typedef struct gbs_cuda_room {
    gbs_room head;
    const gbs_held *held;
    size_t positives;
    bool pairs, curvature;
    gbs_pull pull;
    gbs_room *host; /* made when the host is asked for the first time */
} gbs_cuda_room;

/* The number of a loss; GBS_CUDA_LOSSES: the device has none of this name. */
int gbs_cuda_loss_of(const gbs_pointwise *loss);
gbs_status gbs_cuda_host_room(gbs_cuda_room *room, gbs_room **out);

/* ---------------------------------------------------------------- rows.c */

/* A Gaussian on the device. */
typedef struct gbs_cuda_spread {
    size_t d, ld;
    const double *mean, *by, *factor; /* by: tau; factor: C, rows of ld numbers */
    double variance;
} gbs_cuda_spread;

gbs_cuda_spread gbs_cuda_send_spread(gbs_cuda_call *call, const gbs_spread *g, size_t ld);

/* What a pass over rows is to add up, all on the device. */
typedef struct gbs_cuda_totals {
    double *sums;      /* GBS_CUDA_SUMS */
    double *columns;   /* sum u x, then sum w x^2: ld each; NULL: the risk alone */
    double *matrix;    /* sum w x x', ld x ld; NULL: not asked for */
    double *curvature; /* the same with |w| */
} gbs_cuda_totals;

/* Rows anywhere on the device. */
typedef struct gbs_cuda_rows {
    size_t n;
    const double *x, *label, *weight;
    double sign;
} gbs_cuda_rows;

/* scores and squares; `wide` takes X C where there is a factor. *broken becomes 1 for NaN. */
void gbs_cuda_project_rows(gbs_cuda_call *call, const gbs_cuda_spread *g, size_t n, const double *x,
                           double *wide, double *score, double *square, int *broken);
/* Adds the losses of rows, and their slopes, to the totals. */
void gbs_cuda_add_rows(gbs_cuda_call *call, const gbs_cuda_spread *g, int loss, double negligible,
                       const gbs_cuda_rows *rows, int *broken, const gbs_cuda_totals *to);
/* Adds sum u x and sum x g (g NULL: w x^2) of n rows to the columns, and X'G to a matrix. */
void gbs_cuda_add_columns(gbs_cuda_call *call, size_t n, size_t ld, const double *x,
                          const double *u, const double *w, const double *g, double *columns);

/* Totals on the host: sums, columns, matrix, curvature, one after the other. */
gbs_cuda_totals gbs_cuda_make_totals(gbs_cuda_call *call, size_t ld, bool slopes, bool matrix,
                                     bool curvature);
/* Two numbers, 0: whether a score was NaN, and how many pairs are nearly equal. */
int *gbs_cuda_flag(gbs_cuda_call *call);
/* Fetches the totals and makes slopes of them; terms: what the risk is a mean over. */
gbs_status gbs_cuda_take_totals(gbs_cuda_call *call, const gbs_spread *g, size_t ld, double lambda,
                                double terms, const gbs_cuda_totals *totals, const int *broken,
                                gbs_slopes *out);

gbs_status gbs_cuda_project(const gbs_held *held, const gbs_spread *spread, size_t first,
                            size_t count, double *score, double *variance);
gbs_status gbs_cuda_gram(const gbs_held *held, const double *weight, const size_t *pick,
                         size_t count, double *k);
gbs_status gbs_cuda_slopes(const gbs_held *held, const gbs_pointwise *loss,
                           const gbs_spread *spread, double lambda, gbs_room *room,
                           gbs_slopes *out);

/* ---------------------------------------------------------------- pairs.c, many.c */

gbs_status gbs_cuda_pair_slopes(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                                const gbs_spread *spread, double lambda, gbs_room *room,
                                gbs_slopes *out);
gbs_status gbs_cuda_pair_risk(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                              const gbs_spread *spread, bool shown, double *risk,
                              double *second_moment);
gbs_status gbs_cuda_listed_pairs(const gbs_held *held, const gbs_pointwise *loss,
                                 const gbs_spread *spread, size_t count, const size_t *row,
                                 const size_t *less, double *sum);
gbs_status gbs_cuda_many(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                         const double *tiles, double *risk);

/* ---------------------------------------------------------------- ratings.c */

gbs_status gbs_cuda_rate(gbs_context *ctx, const gbs_ratings *ratings, const gbs_rated_start *start,
                         gbs_rated **out);
gbs_status gbs_cuda_half_sweep(gbs_rated *rated, gbs_half_sweep *half);
gbs_status gbs_cuda_covariances(gbs_rated *rated, int side, double *cov);
void gbs_cuda_release_rated(gbs_rated *rated);

#endif
