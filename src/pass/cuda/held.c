/* Rows on a device, and what the processors of this machine do in its place.
 *
 * Rows are sent when a call first needs them there: who only asks for scores, or for a few rows,
 * never does. The processors have many sparse rows, batches (few rows, other ones each time), rings
 * of the sampler, votes, spans, and losses that the device does not know.
 */
#include "pass/cpu/cpu.h"
#include "pass/cuda/cuda.h"
#include "pass/cuda/losses.h"

#include <string.h>

/* Rows of zeros behind the last, so that a tile of rows may go beyond it. */
enum { SPARE_ROWS = 128, ROW_STEP = 8 };
/* Cells that sparse rows may have when they are spelled out (4 GB), and those sent at a time. */
#define MOST_SPELLED 0x1p29
enum { SPELLED_CELLS = 1 << 22 };

size_t gbs_cuda_row_size(size_t d) {
    return d / ROW_STEP * ROW_STEP + ROW_STEP;
}

int gbs_cuda_loss_of(const gbs_pointwise *loss) {
    static const char *const names[] = {[GBS_CUDA_ZERO_ONE] = "zero-one",
                                        [GBS_CUDA_HINGE] = "hinge",
                                        [GBS_CUDA_EXPONENTIAL] = "exponential",
                                        [GBS_CUDA_PROBIT] = "probit"};
    int k = 0;
    while (k < GBS_CUDA_LOSSES && strcmp(names[k], loss->name) != 0)
        k++;
    return k;
}

/* ---------------------------------------------------------------- holding */

static gbs_held *host_of(const gbs_held *held) {
    return ((const gbs_cuda_held *)held)->host;
}

/* Takes over `host`, on failure too. */
static gbs_status wrap(gbs_cuda *device, gbs_held *host, bool room, gbs_held **out) {
    gbs_context *ctx = host->ctx;
    gbs_cuda_held *held = gbs_array_alloc(ctx, 1, sizeof *held);
    *out = held != NULL ? &held->head : NULL;
    if (held == NULL) {
        gbs_held_free(host);
        return GBS_ERR_MEMORY;
    }
    held->head = *host;
    held->head.pass = &gbs_cuda_pass;
    held->device = device;
    held->host = host;
    held->room = room;
    held->ld = gbs_cuda_row_size(host->d);
    return GBS_OK;
}

static gbs_status hold(gbs_context *ctx, const gbs_rows *rows, gbs_held **out) {
    gbs_held *host;
    gbs_status status = gbs_cpu_pass.hold(ctx, rows, &host);
    *out = NULL;
    if (status != GBS_OK)
        return status;
    if (rows->all.dense == NULL && (double)rows->all.n * (double)rows->d > MOST_SPELLED) {
        gbs_log(ctx, GBS_LOG_INFO,
                "many sparse rows: the processors of this machine do the work of `device` cuda");
        *out = host;
        return GBS_OK;
    }
    return wrap((gbs_cuda *)ctx->device, host, false, out);
}

static gbs_status hold_part(const gbs_held *held, size_t stride, gbs_held **out) {
    const gbs_cuda_held *h = (const gbs_cuda_held *)held;
    gbs_held *host;
    gbs_status status = gbs_cpu_pass.hold_part(h->host, stride, &host);
    *out = NULL;
    return status == GBS_OK ? wrap(h->device, host, h->room, out) : status;
}

static gbs_status hold_room(const gbs_held *held, size_t rows, gbs_held **out) {
    gbs_held *host;
    gbs_status status = gbs_cpu_pass.hold_room(host_of(held), rows, &host);
    *out = NULL;
    return status == GBS_OK ? wrap(((const gbs_cuda_held *)held)->device, host, true, out) : status;
}

static void fill(gbs_held *room, const gbs_held *from, size_t count, const size_t *row,
                 const size_t *less) {
    gbs_cpu_pass.fill(host_of(room), host_of(from), count, row, less);
    room->n = host_of(room)->n;
    room->mass = host_of(room)->mass;
}

static void forget(gbs_cuda_call *call, gbs_cuda_held *h) {
    gbs_cuda_free(call, h->x);
    gbs_cuda_free(call, h->y);
    gbs_cuda_free(call, h->weight);
    h->x = h->y = h->weight = NULL;
}

static void release(gbs_held *held) {
    gbs_cuda_held *h = (gbs_cuda_held *)held;
    if (h->x != NULL) {
        gbs_cuda_call call = gbs_cuda_begin(held->ctx, h->device);
        forget(&call, h);
        gbs_cuda_end(&call);
    }
    gbs_held_free(h->host);
    gbs_array_free(held->ctx, h);
}

/* Sparse rows are spelled out on their way. */
static void send_sparse(gbs_cuda_call *call, gbs_cuda_held *h, size_t n) {
    size_t d = h->head.d, step = SPELLED_CELLS / d + 1;
    double *cells = gbs_matrix(call->ctx, step < n ? step : n, d);
    if (cells == NULL)
        call->status = GBS_ERR_MEMORY;
    for (size_t first = 0; call->status == GBS_OK && first < n; first += step) {
        size_t some = n - first < step ? n - first : step;
        gbs_cpu_pass.cells(h->host, first, some, cells);
        gbs_cuda_send_rows(call, some, d, cells, d, h->x + first * h->ld, h->ld);
    }
    gbs_array_free(call->ctx, cells);
}

/* A call has the device to itself, so that one thread sends the rows. */
const gbs_cuda_held *gbs_cuda_rows_of(gbs_cuda_call *call, const gbs_held *held) {
    gbs_cuda_held *h = (gbs_cuda_held *)held;
    const gbs_strip *b = &gbs_cpu_rows(h->host)->all;
    size_t n = b->n, cells = (n + SPARE_ROWS) * h->ld;
    if (h->x != NULL)
        return h;
    h->x = gbs_cuda_allocate(call, cells);
    h->y = gbs_cuda_allocate(call, n + SPARE_ROWS);
    gbs_cuda_clear(call, h->x, cells * sizeof *h->x);
    gbs_cuda_clear(call, h->y, (n + SPARE_ROWS) * sizeof *h->y);
    if (b->dense != NULL)
        gbs_cuda_send_rows(call, n, b->d, b->dense, b->ld, h->x, h->ld);
    else
        send_sparse(call, h, n);
    if (b->y != NULL)
        gbs_cuda_send_rows(call, n, 1, b->y, b->stride, h->y, 1);
    if (b->weight != NULL) {
        h->weight = gbs_cuda_allocate(call, n);
        gbs_cuda_send_rows(call, n, 1, b->weight, b->stride, h->weight, 1);
    }
    if (call->status != GBS_OK) /* the next call tries again */
        forget(call, h);
    return h;
}

/* ---------------------------------------------------------------- rooms */

static gbs_status make_room(const gbs_held *held, bool pairs, size_t positives, gbs_pull pull,
                            bool curvature, gbs_room **out) {
    gbs_cuda_room *room = gbs_array_alloc(held->ctx, 1, sizeof *room);
    *out = room != NULL ? &room->head : NULL;
    if (room == NULL)
        return GBS_ERR_MEMORY;
    *room = (gbs_cuda_room){.head = {&gbs_cuda_pass},
                            .held = held,
                            .pairs = pairs,
                            .positives = positives,
                            .pull = pull,
                            .curvature = curvature};
    return GBS_OK;
}

static gbs_status row_room(const gbs_held *held, gbs_pull pull, bool curvature, gbs_room **out) {
    return make_room(held, false, 0, pull, curvature, out);
}

static gbs_status pair_room(const gbs_held *held, size_t positives, gbs_pull pull, bool curvature,
                            gbs_room **out) {
    return make_room(held, true, positives, pull, curvature, out);
}

gbs_status gbs_cuda_host_room(gbs_cuda_room *room, gbs_room **out) {
    const gbs_held *host = host_of(room->held);
    gbs_status status = GBS_OK;
    if (room->host == NULL && room->pairs)
        status = gbs_cpu_pass.pair_room(host, room->positives, room->pull, room->curvature,
                                        &room->host);
    else if (room->host == NULL)
        status = gbs_cpu_pass.room(host, room->pull, room->curvature, &room->host);
    *out = room->host;
    return status;
}

static void release_room(gbs_room *room) {
    gbs_cuda_room *r = (gbs_cuda_room *)room;
    gbs_room_free(r->host);
    gbs_array_free(r->held->ctx, r);
}

/* ---------------------------------------------------------------- what the host does */

static gbs_status keep(const gbs_held *held, size_t count, const size_t *row, gbs_strip *out) {
    return gbs_cpu_pass.keep(host_of(held), count, row, out);
}

static void cells(const gbs_held *held, size_t first, size_t count, double *out) {
    gbs_cpu_pass.cells(host_of(held), first, count, out);
}

static void norms(const gbs_held *held, size_t first, size_t count, double *norm2) {
    gbs_cpu_pass.norms(host_of(held), first, count, norm2);
}

static void scores(const gbs_held *held, size_t first, size_t count, const double *m,
                   double *score) {
    gbs_cpu_pass.scores(host_of(held), first, count, m, score);
}

static void margins(const gbs_held *held, size_t first, size_t count, const double *score,
                    double *margin) {
    gbs_cpu_pass.margins(host_of(held), first, count, score, margin);
}

static void weights(const gbs_held *held, size_t first, size_t count, double *weight) {
    gbs_cpu_pass.weights(host_of(held), first, count, weight);
}

static size_t tile_room(const gbs_held *held) {
    return gbs_cpu_pass.tile_room(host_of(held));
}

static size_t pair_tile_room(const gbs_held *held) {
    return gbs_cpu_pass.pair_tile_room(host_of(held));
}

static void tile(const gbs_held *held, const gbs_pointwise *loss, const double *theta,
                 double *scratch, double *risk) {
    gbs_cpu_pass.tile(host_of(held), loss, theta, scratch, risk);
}

static void pair_tile(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                      const double *theta, double *scratch, double *risk) {
    gbs_cpu_pass.pair_tile(host_of(held), positives, loss, theta, scratch, risk);
}

static void ring(const gbs_held *held, const gbs_pointwise *loss, const gbs_ring *states,
                 const double *base, size_t count, const gbs_ring_tile *tiles, double *scratch) {
    gbs_cpu_pass.ring(host_of(held), loss, states, base, count, tiles, scratch);
}

static void pair_ring(const gbs_held *held, size_t positives, const gbs_pointwise *loss,
                      const gbs_ring *states, const double *base, size_t count,
                      const gbs_ring_tile *tiles, double *scratch) {
    gbs_cpu_pass.pair_ring(host_of(held), positives, loss, states, base, count, tiles, scratch);
}

static gbs_status vote(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                       const double *tiles, const double *mean, const gbs_vote *out) {
    return gbs_cpu_pass.vote(host_of(held), loss, count, tiles, mean, out);
}

/* A tile at a time is too little for a device. */
static bool takes_many(const gbs_held *held, const gbs_pointwise *loss) {
    return !((const gbs_cuda_held *)held)->room && gbs_cuda_loss_of(loss) != GBS_CUDA_LOSSES;
}

const gbs_pass_ops gbs_cuda_pass = {.name = "cuda",
                                    .hold = hold,
                                    .hold_part = hold_part,
                                    .hold_room = hold_room,
                                    .fill = fill,
                                    .keep = keep,
                                    .release = release,
                                    .cells = cells,
                                    .norms = norms,
                                    .scores = scores,
                                    .margins = margins,
                                    .weights = weights,
                                    .project = gbs_cuda_project,
                                    .gram = gbs_cuda_gram,
                                    .room = row_room,
                                    .pair_room = pair_room,
                                    .release_room = release_room,
                                    .slopes = gbs_cuda_slopes,
                                    .pair_slopes = gbs_cuda_pair_slopes,
                                    .pair_risk = gbs_cuda_pair_risk,
                                    .listed_pairs = gbs_cuda_listed_pairs,
                                    .tile_room = tile_room,
                                    .pair_tile_room = pair_tile_room,
                                    .tile = tile,
                                    .pair_tile = pair_tile,
                                    .ring = ring,
                                    .pair_ring = pair_ring,
                                    .vote = vote,
                                    .takes_many = takes_many,
                                    .many = gbs_cuda_many,
                                    .rate = gbs_cuda_rate,
                                    .half_sweep = gbs_cuda_half_sweep,
                                    .covariances = gbs_cuda_covariances,
                                    .release_rated = gbs_cuda_release_rated};
