/* Sums over the items of a side against their features, in chunks that depend on the number of
 * items alone and are added in order (docs/maths.md, 8.13).
 *
 *   before a half sweep: c_i = B'phi_i and phi_i'G^-1 phi_i = |L^-1 phi_i|^2, G = LL'
 *   after it: C = sum omega phi m',  sum omega phi phi'
 */
#include "completion/hierarchical.h"
#include "core/ranks.h"
#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 32, LEAST_CHUNK = 256, STRIP = 128 };

struct pass {
    gbs_levels *f;
    gbs_level_side *side;
    size_t chunk, per_chunk;
    bool gram; /* G^-1 is asked for; the weights have changed: sum omega phi phi' anew */
    double *partial, *scratch;
};

static size_t chunk_of(size_t items) {
    size_t chunk = (items + MOST_CHUNKS - 1) / MOST_CHUNKS;
    return chunk > LEAST_CHUNK ? chunk : LEAST_CHUNK;
}

static void centre_chunk(void *arg, size_t task, size_t worker) {
    const struct pass *p = arg;
    gbs_level_side *s = p->side;
    size_t own = p->f->own, wide = s->features, first = task * p->chunk,
           last = first + p->chunk < s->items ? first + p->chunk : s->items;
    double *strip = p->scratch + worker * STRIP * wide;
    for (size_t i = first; i < last; i += STRIP) {
        size_t count = last - i < STRIP ? last - i : STRIP;
        gbs_rows_times(count, wide, own, s->phi + i * wide, s->coef, s->centre + i * own);
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
    double wide = (double)s->features, own = (double)f->own;
    struct pass p = {
        .f = f, .side = s, .chunk = chunk_of(s->items), .gram = side == 0 && f->stream == 0};
    p.scratch = gbs_matrix(f->ctx, gbs_workers(f->ctx), STRIP * s->features);
    if (p.scratch == NULL)
        return GBS_ERR_MEMORY;
    const gbs_made made[] = {gbs_made_doubles(s->centre, p.chunk * f->own, s->items * f->own),
                             gbs_made_doubles(s->leverage, p.chunk, s->items)};
    gbs_dealt_for(f->ctx, (s->items + p.chunk - 1) / p.chunk,
                  (double)s->items * wide * (2.0 * own + wide), centre_chunk, &p, made,
                  p.gram ? 2 : 1);
    gbs_array_free(f->ctx, p.scratch);
    return GBS_OK;
}

/* Features times sqrt(omega) and means times sqrt(omega), a strip at a time. */
static void sum_chunk(void *arg, size_t task, size_t worker) {
    const struct pass *p = arg;
    const gbs_level_side *s = p->side;
    size_t own = p->f->own, wide = s->features, first = task * p->chunk,
           last = first + p->chunk < s->items ? first + p->chunk : s->items;
    double *phi = p->scratch + worker * STRIP * (wide + own), *mean = phi + STRIP * wide;
    double *cross = p->partial + task * p->per_chunk, *gram = cross + wide * own;
    for (size_t i = first; i < last; i += STRIP) {
        size_t count = last - i < STRIP ? last - i : STRIP;
        for (size_t k = 0; k < count; k++) {
            double root = sqrt(s->omega[i + k]);
            for (size_t c = 0; c < wide; c++)
                phi[k * wide + c] = root * s->phi[(i + k) * wide + c];
            for (size_t c = 0; c < own; c++)
                mean[k * own + c] = root * s->mean[(i + k) * own + c];
        }
        gbs_add_cross(count, wide, own, phi, mean, cross);
        if (p->gram)
            gbs_add_gram(wide, count, phi, 1.0, gram);
    }
}

gbs_status gbs_levels_sum_side(gbs_levels *f, int side) {
    gbs_level_side *s = &f->side[side];
    size_t own = f->own, wide = s->features;
    /* those of columns are 1 and stay so */
    struct pass p = {.f = f,
                     .side = s,
                     .chunk = chunk_of(s->items),
                     .per_chunk = wide * (own + wide),
                     .gram = side == 0 || !(s->weighted[0] > 0.0)};
    size_t chunks = (s->items + p.chunk - 1) / p.chunk;
    p.partial = gbs_matrix(f->ctx, chunks, p.per_chunk);
    p.scratch = gbs_matrix(f->ctx, gbs_workers(f->ctx), STRIP * (wide + own));
    gbs_status status = p.partial != NULL && p.scratch != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_made made = gbs_made_doubles(p.partial, p.per_chunk, p.per_chunk * chunks);
        gbs_dealt_for(f->ctx, chunks, (double)s->items * (double)wide * (double)(2 * own + wide),
                      sum_chunk, &p, &made, 1);
        memset(s->cross, 0, wide * own * sizeof *s->cross);
        if (p.gram)
            memset(s->weighted, 0, wide * wide * sizeof *s->weighted);
        for (size_t c = 0; c < chunks; c++) {
            const double *from = p.partial + c * p.per_chunk;
            gbs_add_scaled(wide * own, 1.0, from, s->cross);
            if (p.gram)
                gbs_add_scaled(wide * wide, 1.0, from + wide * own, s->weighted);
        }
        if (p.gram)
            gbs_symmetrise(wide, s->weighted);
    }
    gbs_array_free(f->ctx, p.partial);
    gbs_array_free(f->ctx, p.scratch);
    return status;
}
