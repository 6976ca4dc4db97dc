/* One item of a half sweep (level_update.c): its sums, its regression, and in the sampler its draw.
 * What fits goes eight items at a time (level_eight.c). */
#include "completion/gibbs.h"
#include "completion/level_items.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

struct gbs_level_sums gbs_level_sum_item(const gbs_levels *f, int side, size_t i, double *sum) {
    const gbs_rating_list *l = &f->ratings->by[side];
    size_t first = l->start[i], count = l->start[i + 1] - first, rank = f->rank;
    double *weighted = sum + f->record.plain + f->record.both, centre = f->ratings->center,
           inverse = 1.0 / f->scale;
    size_t numbers = f->record.plain + 2 * f->record.both;
    bool relayed = side == 1 && f->apart != NULL;
    memset(sum, 0, numbers * sizeof *sum);
    if (relayed)
        memcpy(sum, gbs_levels_relayed(f, i), numbers * sizeof *sum);
    else if (f->single)
        gbs_sum_singles(f->record, count, l->other + first, l->value + first, centre, inverse,
                        f->records, sum, weighted);
    else
        gbs_sum_doubles(f->record, count, l->other + first, l->value + first, centre, inverse,
                        f->records, sum, weighted);
    double *offset = sum + gbs_packed_size(rank);
    return (struct gbs_level_sums){sum, offset, offset + rank + 1, weighted};
}

/* A into the upper triangle of a, r into r. */
static void regression(size_t rank, const struct gbs_level_sums *s, double *a, double *r) {
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

void gbs_level_update_scale(gbs_levels *f, size_t i, double err, double gap) {
    const gbs_level_side *side = &f->side[0];
    const size_t *start = f->ratings->by[0].start;
    double own = (double)f->own;
    f->shape[i] = f->alpha + 0.5 * (double)(start[i + 1] - start[i]);
    f->rate[i] = f->beta + 0.5 * (err + gap + own * side->leverage[i]);
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

bool gbs_level_update_item(gbs_levels *f, int s, size_t i, double *scratch, double *to) {
    gbs_level_side *side = &f->side[s];
    size_t own = f->own, packed = gbs_packed_size(own);
    double *p = scratch + 2 * f->record.stride, *lower = p + own * own, *b = lower + own * own,
           *r = b + own, *best = r + own, *gap = best + own, *work = gap + own;
    double *mean = side->mean + i * own, *cov = side->cov + i * packed, log_det;
    const double *centre = side->centre + i * own;
    struct gbs_level_sums sums = gbs_level_sum_item(f, s, i, scratch);
    regression(f->rank, &sums, p, r);
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
    else if (side->best != NULL)
        memcpy(side->best + i * own, best, own * sizeof *best);
    for (size_t c = 0; c < own; c++) {
        mean[c] += f->relax * (best[c] - mean[c]);
        gap[c] = mean[c] - centre[c];
    }
    regression(f->rank, &sums, p, r); /* the factorisation was in its place */
    double err = sums.offset[f->rank] - 2.0 * sums.weighted[f->rank + 1] - 2.0 * dot(own, mean, r) +
                 quadratic(own, p, mean);
    if (s == 0) {
        err += f->squares[i];
        gbs_level_update_scale(f, i, err, quadratic(own, side->precision, gap));
    }
    if (f->stream != 0)
        draw_item(f, s, i, lower, b, gap, work);
    double omega = side->omega[i], *second = to + packed;
    for (size_t k = 0; k < packed; k++)
        to[k] += cov[k];
    for (size_t c = 0; c < own; c++)
        for (size_t d = c; d < own; d++)
            *second++ += omega * mean[c] * mean[d];
    to[2 * packed + GBS_LEVEL_LOG_DET] -= log_det;
    to[2 * packed + GBS_LEVEL_ERROR] += omega * err + inner(own, cov, p);
    return true;
}
