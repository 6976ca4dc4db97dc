/* Half a sweep of the hierarchical model (docs/maths.md, 8.12).
 *
 * With A and r the sums over an item's ratings of E zz' and E z (y - o), c = B'phi:
 *
 *   P = E Lambda + A,  S = P^-1,  m = S (r + E Lambda c)
 *   rows: tau ~ Ga(20 + n/2, beta + 1/2 [err(m) + (m - c)'E Lambda (m - c) + D phi'G^-1 phi])
 *
 * where err(m) = sum E (y - o - m'z)^2. Means may go further along the step, by `relax` < 2: the
 * free energy is a growing function of a quadratic form about m (8.16). Items are independent given
 * the other side; blocks of them run in parallel and their sums are added in order.
 *
 * The sampler's conditionals are the same with what is drawn in place of moments: tau given all but
 * x, then x ~ N(m, S/tau) (8.20).
 */
#include "completion/level_items.h"
#include "core/ranks.h"

#include <math.h>
#include <string.h>

struct half {
    gbs_levels *f;
    int side;
    size_t first, last; /* records of these items of the other side */
    bool by_part;       /* rows that stay with their ranks */
    size_t first_block; /* of this rank's */
    bool *broken;       /* one a block */
    atomic_int status;
};

enum { RECORDS_A_TASK = 64 };
/* The least rank whose record has room for what eight pairs at a time overrun. */
enum { LEAST_QUICK = 8 };

static void write_records(void *arg, size_t task, size_t worker) {
    const struct half *h = arg;
    gbs_levels *f = h->f;
    const gbs_level_side *other = &f->side[1 - h->side];
    size_t first = h->first + task * RECORDS_A_TASK, last = first + RECORDS_A_TASK,
           stride = f->record.stride;
    double *wide = f->scratch + worker * f->per_worker;
    bool quick = f->single && f->rank >= LEAST_QUICK;
    for (size_t j = first; j < last && j < h->last; j++) {
        const double *mean = other->mean + j * f->own,
                     *cov = other->cov + j * gbs_packed_size(f->own);
        if (quick && j + 1 < other->items) { /* it reads a little of the next one, too */
            gbs_level_record_single(f->rank, other->omega[j], mean, cov,
                                    (float *)f->records + j * stride);
            continue;
        }
        double *to = f->single ? wide : (double *)f->records + j * stride;
        gbs_level_record(f->rank, other->omega[j], mean, cov, to);
        for (size_t k = 0; f->single && k < f->record.plain + f->record.both; k++)
            ((float *)f->records)[j * stride + k] = (float)wide[k];
    }
}

static void update_block(void *arg, size_t task, size_t worker) {
    struct half *h = arg;
    gbs_levels *f = h->f;
    const gbs_rating_list *l = &f->ratings->by[h->side];
    double *to = f->partial + task * f->per_block, *scratch = f->scratch + worker * f->per_worker;
    size_t last = l->block[task + 1], step = gbs_level_side_by_side(f) ? GBS_EIGHT : 1;
    memset(to, 0, f->per_block * sizeof *to);
    if (step > 1)
        gbs_level_eight_begin(f, scratch);
    for (size_t i = l->block[task]; i < last && !h->broken[task]; i += step) {
        if (gbs_loop_stopped(f->ctx, worker, &h->status))
            return;
        size_t count = last - i < step ? last - i : step;
        h->broken[task] = step > 1 ? !gbs_level_update_eight(f, h->side, i, count, scratch, to)
                                   : !gbs_level_update_item(f, h->side, i, scratch, to);
    }
    if (step > 1)
        gbs_level_eight_end(f, scratch, to);
}

/* A packed triangle as a full matrix. */
static void unpack(size_t d, const double *packed, double *full) {
    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++)
            full[i * d + j] = full[j * d + i] = *packed++;
}

static void add_block(const struct half *h, size_t block, double *total) {
    const double *from = h->f->partial + block * h->f->per_block;
    for (size_t k = 0; k < h->f->per_block; k++)
        total[k] = block > 0 ? total[k] + from[k] : from[k];
    total[h->f->per_block] = (block > 0 ? total[h->f->per_block] : 0.0) + (double)h->broken[block];
}

/* A task is a part of the rows where those stay with their ranks, else a block. */
static void add_task(const void *arg, size_t task, double *total) {
    const struct half *h = arg;
    if (!h->by_part) {
        add_block(h, task, total);
        return;
    }
    size_t last = gbs_level_part_block(h->f, task + 1);
    for (size_t b = gbs_level_part_block(h->f, task); b < last; b++)
        add_block(h, b, total);
}

static void add_squares(const void *arg, size_t part, double *sum) {
    const gbs_levels *f = arg;
    for (size_t i = f->part[part]; i < f->part[part + 1]; i++)
        *sum += f->side[0].omega[i] * f->squares[i];
}

static gbs_status take_total(gbs_levels *f, int s) {
    gbs_level_side *side = &f->side[s];
    size_t packed = gbs_packed_size(f->own);
    unpack(f->own, f->total, side->spread);
    unpack(f->own, f->total + packed, side->second);
    side->log_det = f->total[2 * packed + GBS_LEVEL_LOG_DET];
    f->error = f->total[2 * packed + GBS_LEVEL_ERROR];
    gbs_status status = s == 1 ? gbs_levels_sum_rows(f, add_squares, &f->error) : GBS_OK;
    if (f->total[f->per_block] > 0.0)
        f->error = NAN;
    return status;
}

/* What blocks of items leave behind: their posteriors, or draws. */
static size_t made_of(const struct half *h, gbs_made *made) {
    const gbs_levels *f = h->f;
    const gbs_rating_list *l = &f->ratings->by[h->side];
    const gbs_level_side *side = &f->side[h->side];
    size_t used = 0;
    if (h->by_part)
        return 0;
    made[used++] = gbs_made_items(side->mean, f->own, l->block);
    if (f->stream == 0)
        made[used++] = gbs_made_items(side->cov, gbs_packed_size(f->own), l->block);
    else if (side->best != NULL)
        made[used++] = gbs_made_items(side->best, f->own, l->block);
    if (h->side == 1)
        return used;
    made[used++] = gbs_made_items(side->omega, 1, l->block);
    made[used++] = gbs_made_items(f->rate, 1, l->block);
    return used;
}

static void update_own(void *arg, size_t task, size_t worker) {
    const struct half *h = arg;
    update_block(arg, h->first_block + task, worker);
}

/* This rank's items, on its threads, and the sums over all. */
static gbs_status update_items(struct half *h, double flops) {
    gbs_levels *f = h->f;
    const gbs_rating_list *l = &f->ratings->by[h->side];
    double bytes = (double)(l->items * (f->own + gbs_packed_size(f->own)) * sizeof(double));
    gbs_share share = f->apart != NULL ? *gbs_levels_own(f, h->side)
                                       : gbs_share_of(f->ctx, l->blocks, flops, bytes);
    gbs_made made[4];
    if (h->by_part) {
        h->first_block = gbs_level_part_block(f, share.begin);
        size_t blocks = gbs_level_part_block(f, share.begin + share.count) - h->first_block;
        gbs_parallel_for(f->ctx, blocks, flops * (double)blocks / (double)l->blocks, update_own, h);
    } else {
        gbs_share_for(f->ctx, &share, flops, update_block, h);
    }
    gbs_share_gather(f->ctx, &share, made, made_of(h, made));
    gbs_status status = gbs_share_fold(f->ctx, &share, add_task, h, f->total, f->per_block + 1);
    return status == GBS_OK ? take_total(f, h->side) : status;
}

/* On the context's threads. */
static gbs_status update_here(gbs_levels *f, int s) {
    const gbs_rating_list *l = &f->ratings->by[s];
    struct half h = {
        .f = f, .side = s, .last = f->side[1 - s].items, .by_part = s == 0 && f->apart != NULL};
    bool relayed = s == 1 && f->apart != NULL;
    h.broken = gbs_array_alloc(f->ctx, l->blocks, sizeof(bool));
    if (h.broken == NULL)
        return GBS_ERR_MEMORY;
    if (relayed) {
        const gbs_share *rows = gbs_levels_own(f, 0);
        h.first = f->part[rows->begin];
        h.last = f->part[rows->begin + rows->count];
    }
    double record = (double)f->record.stride, own = (double)f->own;
    gbs_parallel_for(f->ctx, (h.last - h.first + RECORDS_A_TASK - 1) / RECORDS_A_TASK,
                     2.0 * record * (double)(h.last - h.first), write_records, &h);
    gbs_status status = relayed ? gbs_levels_relay(f) : GBS_OK;
    if (status == GBS_OK)
        status = update_items(&h, (relayed ? 0.0 : record * (double)f->ratings->n) +
                                      own * own * own * (double)l->items);
    gbs_array_free(f->ctx, h.broken);
    gbs_status stopped = (gbs_status)atomic_load(&h.status);
    return stopped != GBS_OK ? stopped : status;
}

gbs_status gbs_levels_update_side(gbs_levels *f, int s) {
    bool done = false;
    gbs_status status = gbs_levels_centre_side(f, s);
    if (status == GBS_OK)
        status = gbs_levels_device_side(f, s, &done);
    if (status == GBS_OK && !done)
        status = update_here(f, s);
    if (status == GBS_OK && !isfinite(f->error))
        status = gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                          "the completion broke down: a precision is not positive definite");
    if (status == GBS_OK)
        status = gbs_levels_sum_side(f, s);
    return status == GBS_OK ? gbs_check_cancel(f->ctx) : status;
}
