/* Sums over the items of a side against their features, in chunks of columns and parts of rows that
 * depend on the ratings alone and are added in order (docs/maths.md, 8.13).
 *
 *   before a half sweep: c_i = B'phi_i and phi_i'G^-1 phi_i = |L^-1 phi_i|^2, G = LL'
 *   after it: C = sum omega phi m',  sum omega phi phi'
 */
#include "completion/hierarchical.h"
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "kernel/tall.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 32, LEAST_CHUNK = 256, STRIP = 128 };

struct pass {
    gbs_levels *f;
    gbs_level_side *side;
    size_t tasks, chunk, per_chunk; /* chunk 0: parts of the rows */
    bool gram; /* G^-1 is asked for; the weights have changed: sum omega phi phi' anew */
    double *partial, *scratch;
};

static size_t chunk_of(size_t items) {
    size_t chunk = (items + MOST_CHUNKS - 1) / MOST_CHUNKS;
    return chunk > LEAST_CHUNK ? chunk : LEAST_CHUNK;
}

/* Rows are summed in the parts that ranks have, columns in chunks of equal size. */
static void cut(struct pass *p, int side) {
    p->side = &p->f->side[side];
    p->chunk = side == 0 ? 0 : chunk_of(p->side->items);
    p->tasks = side == 0 ? p->f->parts : (p->side->items + p->chunk - 1) / p->chunk;
}

static void items_of(const struct pass *p, size_t task, size_t *first, size_t *last) {
    size_t items = p->side->items;
    *first = p->chunk == 0 ? p->f->part[task] : task * p->chunk;
    *last = p->chunk == 0 ? p->f->part[task + 1] : *first + p->chunk;
    *last = *last < items ? *last : items;
}

static void centre_chunk(void *arg, size_t task, size_t worker) {
    const struct pass *p = arg;
    gbs_level_side *s = p->side;
    size_t own = p->f->own, wide = s->features, first, last;
    items_of(p, task, &first, &last);
    double *strip = p->scratch + worker * STRIP * wide;
    for (size_t i = first; i < last; i += STRIP) {
        size_t count = last - i < STRIP ? last - i : STRIP;
        gbs_tall_times(count, wide, own, s->phi + i * wide, s->coef, s->centre + i * own);
        if (!p->gram) /* only rows have a scale that asks for it; a drawn B has none */
            continue;
        memcpy(strip, s->phi + i * wide, count * wide * sizeof *strip);
        gbs_rows_solve_triangle(GBS_LOWER_TRANSPOSED, wide, s->gram_root, count, strip);
        for (size_t k = 0; k < count; k++) {
            double sum = 0.0;
            for (size_t c = 0; c < wide; c++)
                sum += strip[k * wide + c] * strip[k * wide + c];
            s->leverage[i + k] = sum;
        }
    }
}

gbs_status gbs_levels_centre_side(gbs_levels *f, int side) {
    gbs_level_side *s = &f->side[side];
    double wide = (double)s->features, own = (double)f->own,
           flops = (double)s->items * wide * (2.0 * own + wide);
    struct pass p = {.f = f, .gram = side == 0 && f->stream == 0};
    cut(&p, side);
    p.scratch = gbs_matrix(f->ctx, gbs_workers(f->ctx), STRIP * s->features);
    if (p.scratch == NULL)
        return GBS_ERR_MEMORY;
    if (side == 0 && f->apart != NULL) {
        gbs_share_for(f->ctx, gbs_levels_own(f, 0), flops, centre_chunk, &p);
    } else if (side == 0) {
        const gbs_made made[] = {gbs_made_items(s->centre, f->own, f->part),
                                 gbs_made_items(s->leverage, 1, f->part)};
        gbs_dealt_for(f->ctx, p.tasks, flops, centre_chunk, &p, made, p.gram ? 2 : 1);
    } else {
        gbs_made made = gbs_made_doubles(s->centre, p.chunk * f->own, s->items * f->own);
        gbs_dealt_for(f->ctx, p.tasks, flops, centre_chunk, &p, &made, 1);
    }
    gbs_array_free(f->ctx, p.scratch);
    return GBS_OK;
}

/* Columns, whose weights are 1, as they stand. */
static void sum_plain(const struct pass *p, size_t first, size_t last, double *cross,
                      double *gram) {
    const gbs_level_side *s = p->side;
    size_t own = p->f->own, wide = s->features, count = last - first;
    gbs_tall_cross(count, wide, own, s->phi + first * wide, s->mean + first * own, cross);
    if (p->gram)
        gbs_tall_gram(count, wide, s->phi + first * wide, gram);
}

/* Features times sqrt(omega) and means times sqrt(omega), a strip at a time. */
static void sum_chunk(void *arg, size_t task, size_t worker) {
    const struct pass *p = arg;
    const gbs_level_side *s = p->side;
    size_t own = p->f->own, wide = s->features, first, last;
    items_of(p, task, &first, &last);
    double *phi = p->scratch + worker * STRIP * (wide + own), *mean = phi + STRIP * wide;
    double *cross = p->partial + task * p->per_chunk, *gram = cross + wide * own;
    if (p->chunk > 0) {
        sum_plain(p, first, last, cross, gram);
        return;
    }
    for (size_t i = first; i < last; i += STRIP) {
        size_t count = last - i < STRIP ? last - i : STRIP;
        for (size_t k = 0; k < count; k++) {
            double root = sqrt(s->omega[i + k]);
            for (size_t c = 0; c < wide; c++)
                phi[k * wide + c] = root * s->phi[(i + k) * wide + c];
            for (size_t c = 0; c < own; c++)
                mean[k * own + c] = root * s->mean[(i + k) * own + c];
        }
        gbs_tall_cross(count, wide, own, phi, mean, cross);
        if (p->gram)
            gbs_tall_gram(count, wide, phi, gram);
    }
}

static void add_chunk(const void *arg, size_t task, double *total) {
    const struct pass *p = arg;
    if (task == 0)
        memset(total, 0, p->per_chunk * sizeof *total);
    gbs_add_scaled(p->per_chunk, 1.0, p->partial + task * p->per_chunk, total);
}

gbs_status gbs_levels_sum_side(gbs_levels *f, int side) {
    gbs_level_side *s = &f->side[side];
    size_t own = f->own, wide = s->features;
    /* those of columns are 1 and stay so */
    struct pass p = {.f = f, .gram = side == 0 || !(s->weighted[0] > 0.0)};
    cut(&p, side);
    p.per_chunk = wide * (own + (p.gram ? wide : 0));
    p.partial = gbs_matrix(f->ctx, p.tasks, p.per_chunk);
    p.scratch = gbs_matrix(f->ctx, gbs_workers(f->ctx), STRIP * (wide + own));
    double *total = gbs_doubles(f->ctx, p.per_chunk),
           flops = (double)s->items * (double)wide * (double)(2 * own + wide);
    bool ready = p.partial != NULL && p.scratch != NULL && total != NULL;
    gbs_status status = ready ? GBS_OK : GBS_ERR_MEMORY;
    if (ready) {
        gbs_share share = side == 0 && f->apart != NULL
                              ? *gbs_levels_own(f, 0)
                              : gbs_share_of(f->ctx, p.tasks, flops,
                                             (double)(p.per_chunk * sizeof *total));
        gbs_share_for(f->ctx, &share, flops, sum_chunk, &p);
        status = gbs_share_fold(f->ctx, &share, add_chunk, &p, total, p.per_chunk);
    }
    if (status == GBS_OK) {
        memcpy(s->cross, total, wide * own * sizeof *total);
        if (p.gram)
            memcpy(s->weighted, total + wide * own, wide * wide * sizeof *total);
        if (p.gram)
            gbs_symmetrise(wide, s->weighted);
    }
    gbs_array_free(f->ctx, total);
    gbs_array_free(f->ctx, p.partial);
    gbs_array_free(f->ctx, p.scratch);
    return status;
}
