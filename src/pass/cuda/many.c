/* Risks of many coefficient vectors on a device: r(theta) = mean of loss(y x'theta).
 *
 * Some rows meet some vectors at a time, so that their scores stay in the device's second-level
 * cache; the parts of each vector are added in the order of the rows.
 */
#include "pass/cuda/cuda.h"
#include "pass/cuda/losses.h"

/* Rows and vectors that meet, and the rows of one block's part. */
enum { SOME_ROWS = 2048, SOME_VECTORS = 2048, PART_ROWS = 64 };
/* Rows of up to so many numbers, blocks of so many vectors and rows (kernels_fused_many.cuh). */
enum { FUSED_WIDTH = 128, FUSED_VECTORS = 128, FUSED_ROWS = 32 };

static void meet(gbs_cuda_call *call, const gbs_cuda_held *h, int loss, size_t vectors,
                 const double *theta, double *risk) {
    size_t n = h->head.n, ld = h->ld;
    double *score = gbs_cuda_doubles(call, GBS_CUDA_ROOM_CROSS, (size_t)SOME_ROWS * vectors),
           *part = gbs_cuda_doubles(call, GBS_CUDA_ROOM_PART, SOME_ROWS / PART_ROWS * vectors);
    for (size_t first = 0; call->status == GBS_OK && first < n; first += SOME_ROWS) {
        size_t rows = n - first < SOME_ROWS ? n - first : SOME_ROWS,
               parts = (rows + PART_ROWS - 1) / PART_ROWS;
        gbs_cuda_many_arguments a = {.n = rows,
                                     .vectors = vectors,
                                     .rows = PART_ROWS,
                                     .score = score,
                                     .label = h->y + first,
                                     .weight = h->weight != NULL ? h->weight + first : NULL,
                                     .loss = loss,
                                     .part = part};
        gbs_cuda_multiply(call, false, true, rows, vectors, ld, h->x + first * ld, ld, theta, ld,
                          0.0, score, vectors);
        gbs_cuda_launch(call, gbs_kernel_many_losses_number,
                        (vectors + GBS_CUDA_THREADS - 1) / GBS_CUDA_THREADS, parts, 0, &a);
        gbs_cuda_sum(call, parts, vectors, vectors, part, 1.0 / h->head.mass, first > 0, risk);
    }
}

/* Narrow rows: products and losses in one kernel. */
static void meet_fused(gbs_cuda_call *call, const gbs_cuda_held *h, int loss, size_t vectors,
                       const double *theta, double *risk) {
    size_t n = h->head.n, blocks = (vectors + FUSED_VECTORS - 1) / FUSED_VECTORS,
           wanted = 8 * (size_t)h->device->multiprocessors / blocks + 1,
           strips = (n + FUSED_ROWS - 1) / FUSED_ROWS, parts = wanted < strips ? wanted : strips,
           each = (strips + parts - 1) / parts;
    gbs_cuda_many_arguments a = {.n = n,
                                 .vectors = vectors,
                                 .rows = each * FUSED_ROWS,
                                 .ld = h->ld,
                                 .stride = (unsigned int)(h->ld + 15) / 16 * 16 + 4,
                                 .x = h->x,
                                 .theta = theta,
                                 .label = h->y,
                                 .weight = h->weight,
                                 .loss = loss};
    parts = (strips + each - 1) / each;
    a.part = gbs_cuda_doubles(call, GBS_CUDA_ROOM_PART, parts * vectors);
    size_t shared = (FUSED_VECTORS + 2 * FUSED_ROWS) * a.stride + 4 * FUSED_ROWS;
    gbs_cuda_launch(call, gbs_kernel_zero_one_many_number + loss, blocks, parts,
                    shared * sizeof(double), &a);
    gbs_cuda_sum(call, parts, vectors, vectors, a.part, 1.0 / h->head.mass, false, risk);
}

gbs_status gbs_cuda_many(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                         const double *tiles, double *risk) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    size_t d = held->d, ld = h->ld, all = (count + GBS_LANES - 1) / GBS_LANES * GBS_LANES;
    gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
    gbs_cuda_rows_of(&call, held);
    double *sent = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_WIDE, all * d),
           *theta = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_OTHER, (count + FUSED_VECTORS) * ld),
           *there = gbs_cuda_doubles(&call, GBS_CUDA_ROOM_SCORE, count);
    gbs_cuda_tiles_arguments a = {.count = count, .d = d, .ld = ld, .tiles = sent, .to = theta};
    gbs_cuda_send(&call, sent, tiles, all * d * sizeof *tiles);
    gbs_cuda_launch(&call, gbs_kernel_spread_tiles_number, gbs_cuda_blocks(h->device, count * ld),
                    1, 0, &a);
    if (ld <= FUSED_WIDTH)
        meet_fused(&call, h, gbs_cuda_loss_of(loss), count, theta, there);
    for (size_t first = 0; ld > FUSED_WIDTH && call.status == GBS_OK && first < count;
         first += SOME_VECTORS) {
        size_t some = count - first < SOME_VECTORS ? count - first : SOME_VECTORS;
        meet(&call, h, gbs_cuda_loss_of(loss), some, theta + first * ld, there + first);
    }
    gbs_cuda_fetch(&call, risk, there, count * sizeof *risk);
    gbs_status status = gbs_cuda_end(&call);
    return status == GBS_OK ? gbs_check_cancel(held->ctx) : status;
}
