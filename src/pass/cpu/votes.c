/* What many coefficient vectors say of each row, a few rows and sixteen vectors at a time. */
#include "core/ranks.h"
#include "pass/cpu/cpu.h"

#include <math.h>

struct poll {
    const gbs_rows *rows;
    const gbs_pointwise *loss;
    size_t count;
    const double *tiles, *mean;
    const gbs_vote *out;
    double *scratch;
    size_t worker_size;
    size_t begin; /* task that this stretch begins with */
};

/* Flops between two looks at the caller's wish to stop. */
#define PATIENCE 1e9

/* Adds one tile of vectors, `lanes` of them, to the sums of a few rows. */
static void count_votes(size_t rows, size_t lanes, const double *score, const double *center,
                        double *square, double *share) {
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < lanes; l++) {
            double s = score[i * GBS_LANES + l], e = s - center[i];
            square[i] += e * e;
            share[i] += s > 0.0 ? 1.0 : s < 0.0 ? 0.0 : 0.5;
        }
}

/* The loss of a row under the lanes of one tile. Lanes that are not there repeat the first. */
static double lost(const gbs_pointwise *loss, double y, size_t lanes, const double *score) {
    double margin[GBS_LANES] __attribute__((aligned(64))),
        total[GBS_LANES] __attribute__((aligned(64))) = {0}, sum = 0.0;
    for (size_t l = 0; l < GBS_LANES; l++)
        margin[l] = y * score[l < lanes ? l : 0];
    loss->add_lanes(1, margin, total);
    for (size_t l = 0; l < lanes; l++)
        sum += total[l];
    return sum;
}

static void poll_rows(void *arg, size_t task, size_t worker) {
    const struct poll *w = arg;
    task += w->begin;
    size_t first = task * GBS_VOTE_ROWS, left = w->rows->all.n - first,
           count = left < GBS_VOTE_ROWS ? left : GBS_VOTE_ROWS;
    size_t d = w->rows->d;
    gbs_strip b = gbs_rows_slice(w->rows, first, count).all;
    const double *shift = b.shift;
    double *score = w->scratch + worker * w->worker_size;
    double center[GBS_VOTE_ROWS], square[GBS_VOTE_ROWS] = {0}, share[GBS_VOTE_ROWS] = {0},
                                  loss[GBS_VOTE_ROWS] = {0};
    gbs_strip_scores(&b, w->mean, shift != NULL ? gbs_dot(d, shift, w->mean) : 0.0, center);
    for (size_t from = 0; from < w->count; from += GBS_LANES) {
        size_t lanes = w->count - from < GBS_LANES ? w->count - from : GBS_LANES;
        const double *tile = w->tiles + from * d;
        double less[GBS_LANES] __attribute__((aligned(64)));
        gbs_tile_scores(&b, tile, score);
        if (shift != NULL) {
            gbs_tile_dot(d, shift, tile, less);
            for (size_t i = 0; i < count * GBS_LANES; i++)
                score[i] -= less[i % GBS_LANES];
        }
        count_votes(count, lanes, score, center, square, share);
        for (size_t i = 0; w->out->loss != NULL && i < count; i++)
            loss[i] += lost(w->loss, b.y[i * b.stride], lanes, score + i * GBS_LANES);
    }
    for (size_t i = 0; i < count; i++) {
        double n = (double)w->count, yes = share[i] / n;
        if (w->out->score != NULL)
            w->out->score[first + i] = center[i];
        if (w->out->sd != NULL)
            w->out->sd[first + i] = sqrt(square[i] / n);
        if (w->out->share != NULL)
            w->out->share[first + i] = yes;
        if (w->out->loss != NULL)
            w->out->loss[first + i] = loss[i] / n;
        if (w->out->error != NULL)
            w->out->error[first + i] = b.y[i * b.stride] > 0.0 ? 1.0 - yes : yes;
    }
}

/* What the rows of a stretch of tasks leave behind. */
static size_t made_of(const gbs_vote *out, size_t first, size_t n, size_t tasks, gbs_made *made) {
    double *const arrays[] = {out->score, out->sd, out->share, out->loss, out->error};
    size_t count = n - first < tasks * GBS_VOTE_ROWS ? n - first : tasks * GBS_VOTE_ROWS, used = 0;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (arrays[k] != NULL)
            made[used++] = gbs_made_doubles(arrays[k] + first, GBS_VOTE_ROWS, count);
    return used;
}

gbs_status gbs_cpu_vote(const gbs_held *held, const gbs_pointwise *loss, size_t count,
                        const double *tiles, const double *mean, const gbs_vote *out) {
    gbs_context *ctx = held->ctx;
    struct poll w = {.rows = gbs_cpu_rows(held),
                     .loss = loss,
                     .count = count,
                     .tiles = tiles,
                     .mean = mean,
                     .out = out,
                     .worker_size = GBS_VOTE_ROWS * GBS_LANES};
    w.scratch = gbs_matrix(ctx, gbs_workers(ctx), w.worker_size);
    gbs_status status = w.scratch != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        size_t tasks = (held->n + GBS_VOTE_ROWS - 1) / GBS_VOTE_ROWS;
        double flops = 2.0 * GBS_VOTE_ROWS * (double)count * (double)(held->d + 4);
        size_t stretch = gbs_workers(ctx) * (flops < PATIENCE ? (size_t)(PATIENCE / flops) : 1);
        for (; status == GBS_OK && w.begin < tasks; w.begin += stretch) {
            size_t some = tasks - w.begin < stretch ? tasks - w.begin : stretch;
            gbs_made made[5];
            size_t arrays = made_of(out, w.begin * GBS_VOTE_ROWS, held->n, some, made);
            gbs_dealt_for(ctx, some, flops * (double)some, poll_rows, &w, made, arrays);
            status = gbs_check_cancel(ctx);
        }
        gbs_compute_end(ctx);
    }
    gbs_array_free(ctx, w.scratch);
    return status;
}
