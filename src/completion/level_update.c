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
#include "completion/gibbs.h"
#include "completion/hierarchical.h"
#include "core/random.h"
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct half {
    gbs_levels *f;
    int side;
    bool *broken; /* one a block */
    atomic_int status;
};

/* What a block leaves behind its two triangles. */
enum { LOG_DET, ERROR };
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

/* Places of the sums over an item's ratings. */
struct sums {
    double *pairs, *offset, *single, *weighted;
};

static struct sums sum_item(const gbs_levels *f, int side, size_t i, double *sum) {
    const gbs_rating_list *l = &f->ratings->by[side];
    size_t first = l->start[i], count = l->start[i + 1] - first, rank = f->rank;
    double *weighted = sum + f->record.plain + f->record.both, centre = f->ratings->center,
           inverse = 1.0 / f->scale;
    memset(sum, 0, (f->record.plain + 2 * f->record.both) * sizeof *sum);
    if (f->single)
        gbs_sum_singles(f->record, count, l->other + first, l->value + first, centre, inverse,
                        f->records, sum, weighted);
    else
        gbs_sum_doubles(f->record, count, l->other + first, l->value + first, centre, inverse,
                        f->records, sum, weighted);
    double *offset = sum + gbs_packed_size(rank);
    return (struct sums){sum, offset, offset + rank + 1, weighted};
}

/* A into the upper triangle of a, r into r. */
static void regression(size_t rank, const struct sums *s, double *a, double *r) {
    size_t own = rank + 1;
    const double *pair = s->pairs;
    for (size_t i = 0; i < rank; i++) {
        for (size_t j = i; j < rank; j++)
            a[i * own + j] = *pair++;
        a[i * own + rank] = s->single[i];
        r[i] = s->weighted[i] - s->offset[i];
    }
    a[rank * own + rank] = s->single[rank];
    r[rank] = s->weighted[rank] - s->single[rank + 1];
}

/* x'Ax of an upper triangle. */
static double quadratic(size_t d, const double *a, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        double half = 0.5 * a[i * d + i] * x[i];
        for (size_t j = i + 1; j < d; j++)
            half += a[i * d + j] * x[j];
        sum += 2.0 * x[i] * half;
    }
    return sum;
}

static double dot(size_t d, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

/* tr SA, S packed, A an upper triangle. */
static double inner(size_t d, const double *s, const double *a) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        double half = 0.5 * *s++ * a[i * d + i];
        for (size_t j = i + 1; j < d; j++)
            half += *s++ * a[i * d + j];
        sum += 2.0 * half;
    }
    return sum;
}

/* tau of row i given its mean. */
static void update_scale(gbs_levels *f, size_t i, double err, const double *gap) {
    const gbs_level_side *side = &f->side[0];
    const size_t *start = f->ratings->by[0].start;
    double own = (double)f->own;
    f->shape[i] = f->alpha + 0.5 * (double)(start[i + 1] - start[i]);
    f->rate[i] = f->beta +
                 0.5 * (err + quadratic(f->own, side->precision, gap) + own * side->leverage[i]);
    side->omega[i] = f->shape[i] / f->rate[i];
}

/* A draw of tau and of x in place of what was their best law: mean -> x, the best mean before. */
static void draw_item(gbs_levels *f, int s, size_t i, const double *lower, const double *b,
                      double *noise, double *work) {
    gbs_level_side *side = &f->side[s];
    uint64_t seed = f->ctx->seed;
    size_t own = f->own;
    if (s == 0)
        side->omega[i] = gbs_gamma_draw(seed, f->stream + 2, i, f->shape[i]) / f->rate[i];
    double sd = s == 0 ? 1.0 / sqrt(side->omega[i]) : 1.0;
    for (size_t k = 0; k < own; k++)
        noise[k] = sd * gbs_normal(seed, f->stream + (uint64_t)s, i * own + k);
    gbs_small_solve(own, lower, b, noise, work, side->mean + i * own);
}

static bool update_item(const struct half *h, size_t i, double *scratch, double *to) {
    gbs_levels *f = h->f;
    gbs_level_side *side = &f->side[h->side];
    size_t own = f->own, packed = gbs_packed_size(own);
    double *p = scratch + 2 * f->record.stride, *lower = p + own * own, *b = lower + own * own,
           *r = b + own, *best = r + own, *gap = best + own, *work = gap + own;
    double *mean = side->mean + i * own, *cov = side->cov + i * packed, log_det;
    const double *centre = side->centre + i * own;
    struct sums s = sum_item(f, h->side, i, scratch);
    regression(f->rank, &s, p, r);
    for (size_t c = 0; c < own; c++) {
        for (size_t d = c; d < own; d++)
            p[c * own + d] += side->precision[c * own + d];
        b[c] = r[c] + dot(own, side->precision + c * own, centre);
    }
    if (!gbs_small_factor(own, p, lower, &log_det))
        return false;
    gbs_small_solve(own, lower, b, NULL, work, best);
    if (f->stream == 0)
        gbs_small_inverse(own, lower, cov);
    for (size_t c = 0; c < own; c++) {
        mean[c] += f->relax * (best[c] - mean[c]);
        gap[c] = mean[c] - centre[c];
    }
    regression(f->rank, &s, p, r); /* the factorisation was in its place */
    double err = s.offset[f->rank] - 2.0 * s.weighted[f->rank + 1] - 2.0 * dot(own, mean, r) +
                 quadratic(own, p, mean);
    if (h->side == 0) {
        err += f->squares[i];
        update_scale(f, i, err, gap);
    }
    if (f->stream != 0)
        draw_item(f, h->side, i, lower, b, gap, work);
    double omega = side->omega[i], *second = to + packed;
    for (size_t k = 0; k < packed; k++)
        to[k] += cov[k];
    for (size_t c = 0; c < own; c++)
        for (size_t d = c; d < own; d++)
            *second++ += omega * mean[c] * mean[d];
    to[2 * packed + LOG_DET] -= log_det;
    to[2 * packed + ERROR] += omega * err + inner(own, cov, p);
    return true;
}

static void update_block(void *arg, size_t task, size_t worker) {
    struct half *h = arg;
    gbs_levels *f = h->f;
    const gbs_rating_list *l = &f->ratings->by[h->side];
    double *to = f->partial + task * f->per_block;
    memset(to, 0, f->per_block * sizeof *to);
    for (size_t i = l->block[task]; i < l->block[task + 1] && !h->broken[task]; i++) {
        if (gbs_loop_stopped(f->ctx, worker, &h->status))
            return;
        h->broken[task] = !update_item(h, i, f->scratch + worker * f->per_worker, to);
    }
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
    side->log_det = total[2 * packed + LOG_DET];
    f->error = total[2 * packed + ERROR];
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
