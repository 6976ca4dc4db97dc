/* Half a sweep: the best q of every row given the columns, or the other way round; or, for the
 * sampler, a draw from their law (docs/maths.md, 8.2).
 *
 *   precision  P_i = diag(E 1/gamma) + tau A,   A = sum over the row's ratings of E zz'
 *   mean       m_i = P_i^-1 tau (r - mu sum E z - E z b),   r = sum y E z
 *   error      sum E (y - p)^2 = sum y^2 + tr(E xx' A) + sum E b^2 - 2 m'(r - E z b) - 2 sum y E b
 *
 * with z in its own coordinates. Items are independent given the other side. Chunks of them run in
 * parallel, their sums are added in order: the bits do not depend on the threads.
 */
#include "completion/factors.h"
#include "core/random.h"
#include "core/ranks.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct half {
    gbs_factors *f;
    int side;
    bool *broken; /* one a block */
    atomic_int status;
};

/* What a block leaves behind the energies of its coordinates. */
enum { LOG_DET, CROSS, LINEAR, CENTRED };

/* ---------------------------------------------------------------- records of the side that stays
 */

enum { RECORDS_A_TASK = 64 };

static void write_records(void *arg, size_t task, size_t worker) {
    const struct half *h = arg;
    gbs_factors *f = h->f;
    const gbs_factor_side *other = &f->side[1 - h->side];
    size_t last = (task + 1) * RECORDS_A_TASK;
    (void)worker;
    for (size_t j = task * RECORDS_A_TASK; j < last && j < other->items; j++)
        gbs_record_write(f->rank, f->biases, other->mean + j * f->own,
                         f->stream == 0 ? other->cov + j * gbs_packed_size(f->own) : NULL,
                         f->records + j * f->stride);
}

/* ---------------------------------------------------------------- one item */

/* Precision into the upper triangle of p, its right-hand side into b, less the part that an centre
 * or the draw's noise adds. */
static void regress(const gbs_factors *f, int s, const double *sum, double *p, double *b) {
    size_t own = f->own, wide = f->wide;
    const double *r = sum + gbs_packed_size(wide);
    for (size_t i = 0; i < own; i++) {
        const double *a = sum + gbs_packed(wide, i);
        for (size_t j = i; j < own; j++)
            p[i * own + j] = f->tau * a[j - i];
        double mu_part = f->biases ? f->mu * a[f->rank - i] + a[f->rank + 1 - i] : 0.0;
        b[i] = f->tau * (r[i] - mu_part);
        if (!f->is_centred)
            p[i * own + i] += f->side[s].weight[i];
    }
}

static void add_centre(const gbs_factors *f, int s, size_t i, double *p, double *b) {
    size_t own = f->own;
    const double *m = f->side[s].centre.mean + i * own,
                 *q = f->side[s].centre.precision + i * gbs_packed_size(own);
    for (size_t c = 0; c < own; c++)
        for (size_t d = c; d < own; d++, q++) {
            p[c * own + d] += *q;
            b[c] += *q * m[d];
            if (d > c)
                b[d] += *q * m[c];
        }
}

static double centred(const gbs_factors *f, int s, size_t i, const double *mean, const double *cov,
                      double *scratch) {
    size_t own = f->own;
    const double *q = f->side[s].centre.precision + i * gbs_packed_size(own);
    for (size_t c = 0; c < own; c++)
        scratch[c] = mean[c] - f->side[s].centre.mean[i * own + c];
    return gbs_packed_inner(own, own, q, own, cov) + gbs_packed_quadratic(own, q, scratch);
}

/* The item's part of the sums that the error is made of. */
static void account(const gbs_factors *f, const double *sum, const double *mean, const double *cov,
                    double *to) {
    size_t wide = f->wide;
    const double *r = sum + gbs_packed_size(wide);
    double cross = gbs_packed_inner(f->own, wide, sum, f->own, cov);
    double linear = 0.0;
    for (size_t i = 0; i < f->own; i++) {
        const double *a = sum + gbs_packed(wide, i);
        double row = 0.5 * a[0] * mean[i];
        for (size_t j = i + 1; j < f->own; j++)
            row += a[j - i] * mean[j];
        cross += 2.0 * mean[i] * row - 2.0 * mean[i] * r[i];
        if (f->biases) {
            cross += 2.0 * mean[i] * a[f->rank + 1 - i];
            linear += mean[i] * a[f->rank - i];
        }
    }
    if (f->biases) {
        cross += sum[gbs_packed(wide, f->rank + 1)] - 2.0 * r[f->rank + 1];
        linear += sum[gbs_packed(wide, f->rank) + 1];
    }
    to[CROSS] += cross;
    to[LINEAR] += linear;
}

static bool update_item(const struct half *h, size_t i, double *scratch, double *to) {
    gbs_factors *f = h->f;
    gbs_factor_side *side = &f->side[h->side];
    const gbs_rating_list *l = &f->ratings->by[h->side];
    size_t own = f->own, packed = gbs_packed_size(own);
    double *sum = scratch, *p = sum + f->stride, *lower = p + own * own, *b = lower + own * own,
           *work = b + own;
    double *noise = work + own, *mean = side->mean + i * own, *cov = side->cov + i * packed,
           log_det;
    double shift = f->biases ? -f->ratings->center : 0.0;
    memset(sum, 0, f->stride * sizeof *sum);
    gbs_sum_records(l->start[i + 1] - l->start[i], l->other + l->start[i], l->value + l->start[i],
                    shift, f->records, f->stride, gbs_packed_size(f->wide), f->wide, sum);
    regress(f, h->side, sum, p, b);
    if (f->is_centred)
        add_centre(f, h->side, i, p, b);
    if (!gbs_small_factor(own, p, lower, &log_det))
        return false;
    for (size_t c = 0; f->stream != 0 && c < own; c++)
        noise[c] = gbs_normal(f->ctx->seed, f->stream, i * own + c);
    gbs_small_solve(own, lower, b, f->stream != 0 ? noise : NULL, work, mean);
    if (f->stream == 0)
        gbs_small_inverse(own, lower, cov);
    for (size_t c = 0; c < own; c++)
        to[c] += mean[c] * mean[c] + cov[gbs_packed(own, c)];
    account(f, sum, mean, cov, to + own);
    to[own + LOG_DET] -= log_det;
    if (f->is_centred)
        to[own + CENTRED] += centred(f, h->side, i, mean, cov, work);
    return true;
}

static void update_block(void *arg, size_t task, size_t worker) {
    struct half *h = arg;
    gbs_factors *f = h->f;
    const gbs_rating_list *l = &f->ratings->by[h->side];
    double *to = f->partial + task * f->per_block;
    memset(to, 0, f->per_block * sizeof *to);
    for (size_t i = l->block[task]; i < l->block[task + 1] && !h->broken[task]; i++) {
        if (gbs_loop_stopped(f->ctx, worker, &h->status))
            return;
        h->broken[task] = !update_item(h, i, f->scratch + worker * f->per_worker, to);
    }
}

gbs_status gbs_factors_update_side(gbs_factors *f, int s) {
    const gbs_rating_list *l = &f->ratings->by[s];
    struct half h = {.f = f, .side = s};
    h.broken = gbs_array_alloc(f->ctx, l->blocks, sizeof(bool));
    if (h.broken == NULL)
        return GBS_ERR_MEMORY;
    size_t tasks = (f->side[1 - s].items + RECORDS_A_TASK - 1) / RECORDS_A_TASK;
    double record = (double)f->stride, own = (double)f->own;
    gbs_parallel_for(f->ctx, tasks, 2.0 * record * (double)f->side[1 - s].items, write_records, &h);
    gbs_factor_side *side = &f->side[s];
    const gbs_made made[] = {
        gbs_made_doubles(f->partial, f->per_block, f->per_block * l->blocks),
        {.base = h.broken, .size = 1, .stride = 1, .per_task = 1, .elements = l->blocks},
        gbs_made_items(side->mean, f->own, l->block),
        gbs_made_items(side->cov, gbs_packed_size(f->own), l->block)};
    gbs_dealt_for(f->ctx, l->blocks,
                  record * (double)f->ratings->n + own * own * own * (double)l->items, update_block,
                  &h, made, f->stream == 0 ? 4 : 3);
    bool broken = false;
    memset(side->energy, 0, f->own * sizeof *side->energy);
    side->log_det = side->centred = f->cross = f->linear = 0.0;
    for (size_t b = 0; b < l->blocks; b++) {
        const double *from = f->partial + b * f->per_block;
        broken = broken || h.broken[b];
        for (size_t c = 0; c < f->own; c++)
            side->energy[c] += from[c];
        side->log_det += from[f->own + LOG_DET];
        f->cross += from[f->own + CROSS];
        f->linear += from[f->own + LINEAR];
        side->centred += from[f->own + CENTRED];
    }
    gbs_array_free(f->ctx, h.broken);
    if (atomic_load(&h.status) != GBS_OK)
        return (gbs_status)atomic_load(&h.status);
    if (broken || !isfinite(f->cross))
        return gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                        "the completion broke down: a precision is not positive definite");
    return gbs_check_cancel(f->ctx);
}
