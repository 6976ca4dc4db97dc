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
    bool *broken; /* one a block */
    atomic_int status;
};

enum { RECORDS_A_TASK = 64 };

static void write_records(void *arg, size_t task, size_t worker) {
    const struct half *h = arg;
    gbs_levels *f = h->f;
    const gbs_level_side *other = &f->side[1 - h->side];
    size_t last = (task + 1) * RECORDS_A_TASK, stride = f->record.stride;
    double *wide = f->scratch + worker * f->per_worker;
    for (size_t j = task * RECORDS_A_TASK; j < last && j < other->items; j++) {
        double *to = f->single ? wide : (double *)f->records + j * stride;
        gbs_level_record(f->rank, other->omega[j], other->mean + j * f->own,
                         other->cov + j * gbs_packed_size(f->own), to);
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

static void gather(gbs_levels *f, int s) {
    gbs_level_side *side = &f->side[s];
    size_t packed = gbs_packed_size(f->own), blocks = f->ratings->by[s].blocks;
    double *total = f->partial; /* the first block's own */
    for (size_t b = 1; b < blocks; b++)
        for (size_t k = 0; k < f->per_block; k++)
            total[k] += f->partial[b * f->per_block + k];
    unpack(f->own, total, side->spread);
    unpack(f->own, total + packed, side->second);
    side->log_det = total[2 * packed + GBS_LEVEL_LOG_DET];
    f->error = total[2 * packed + GBS_LEVEL_ERROR];
    for (size_t i = 0; s == 1 && i < f->side[0].items; i++)
        f->error += f->side[0].omega[i] * f->squares[i];
}

/* What blocks of items leave behind: their posteriors, or draws, and what is summed up. */
static size_t made_of(const struct half *h, gbs_made *made) {
    const gbs_levels *f = h->f;
    const gbs_rating_list *l = &f->ratings->by[h->side];
    const gbs_level_side *side = &f->side[h->side];
    size_t used = 0;
    made[used++] = gbs_made_doubles(f->partial, f->per_block, f->per_block * l->blocks);
    made[used++] = (gbs_made){
        .base = h->broken, .size = 1, .stride = 1, .per_task = 1, .elements = l->blocks};
    made[used++] = gbs_made_items(side->mean, f->own, l->block);
    if (f->stream == 0)
        made[used++] = gbs_made_items(side->cov, gbs_packed_size(f->own), l->block);
    if (h->side == 1)
        return used;
    made[used++] = gbs_made_items(side->omega, 1, l->block);
    made[used++] = gbs_made_items(f->shape, 1, l->block);
    made[used++] = gbs_made_items(f->rate, 1, l->block);
    return used;
}

/* On the context's threads. */
static gbs_status update_here(gbs_levels *f, int s) {
    const gbs_rating_list *l = &f->ratings->by[s];
    size_t others = f->side[1 - s].items;
    struct half h = {.f = f, .side = s};
    h.broken = gbs_array_alloc(f->ctx, l->blocks, sizeof(bool));
    if (h.broken == NULL)
        return GBS_ERR_MEMORY;
    double record = (double)f->record.stride, own = (double)f->own;
    gbs_parallel_for(f->ctx, (others + RECORDS_A_TASK - 1) / RECORDS_A_TASK,
                     2.0 * record * (double)others, write_records, &h);
    gbs_made made[7];
    gbs_dealt_for(f->ctx, l->blocks,
                  record * (double)f->ratings->n + own * own * own * (double)l->items, update_block,
                  &h, made, made_of(&h, made));
    bool broken = false;
    for (size_t b = 0; b < l->blocks; b++)
        broken = broken || h.broken[b];
    gather(f, s);
    if (broken)
        f->error = NAN;
    gbs_array_free(f->ctx, h.broken);
    return (gbs_status)atomic_load(&h.status);
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
