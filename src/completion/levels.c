/* The posterior of the hierarchical model: its memory. */
#include "completion/level_items.h"

#include <math.h>

enum { PER_BLOCK_EXTRA = 8 };
/* Parts of the rows: as many as can be dealt out, each of some blocks. */
enum { MOST_PARTS = 256, PART_BLOCKS = 4 };

static bool cut_parts(gbs_levels *f) {
    const gbs_rating_list *l = &f->ratings->by[0];
    size_t parts = (l->blocks + PART_BLOCKS - 1) / PART_BLOCKS;
    f->parts = parts < MOST_PARTS ? parts : MOST_PARTS;
    f->part = gbs_array_alloc(f->ctx, f->parts + 1, sizeof *f->part);
    for (size_t p = 0; f->part != NULL && p <= f->parts; p++)
        f->part[p] = l->block[gbs_level_part_block(f, p)];
    return f->part != NULL;
}

static bool create_side(gbs_context *ctx, size_t items, size_t own, size_t features, double *phi,
                        gbs_level_side *s) {
    s->items = items;
    s->features = features;
    s->phi = phi;
    s->mean = gbs_matrix(ctx, items, own);
    s->cov = gbs_matrix(ctx, items, gbs_packed_size(own));
    s->omega = gbs_doubles(ctx, items);
    s->centre = gbs_matrix(ctx, items, own);
    s->leverage = gbs_doubles(ctx, items);
    s->coef = gbs_matrix(ctx, features, own);
    s->gram_root = gbs_matrix(ctx, features, features);
    s->gram_variance = gbs_doubles(ctx, features);
    s->relevance = gbs_doubles(ctx, features);
    s->relevance_rate = gbs_doubles(ctx, features);
    s->scatter = gbs_matrix(ctx, own, own);
    s->precision = gbs_matrix(ctx, own, own);
    s->second = gbs_matrix(ctx, own, own);
    s->spread = gbs_matrix(ctx, own, own);
    s->cross = gbs_matrix(ctx, features, own);
    s->weighted = gbs_matrix(ctx, features, features);
    return s->mean != NULL && s->cov != NULL && s->omega != NULL && s->centre != NULL &&
           s->leverage != NULL && s->coef != NULL && s->gram_root != NULL &&
           s->gram_variance != NULL && s->relevance != NULL && s->relevance_rate != NULL &&
           s->scatter != NULL && s->precision != NULL && s->second != NULL && s->spread != NULL &&
           s->cross != NULL && s->weighted != NULL;
}

static void free_side(const gbs_context *ctx, gbs_level_side *s) {
    double *const all[] = {
        s->mean,      s->cov,           s->omega,     s->centre,         s->leverage, s->coef,
        s->gram_root, s->gram_variance, s->relevance, s->relevance_rate, s->scatter,  s->precision,
        s->second,    s->spread,        s->cross,     s->weighted,       s->best};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        gbs_array_free(ctx, all[k]);
}

/* Standardised ratings: the model then does not mind units. */
static double scale_of(const gbs_ratings *r) {
    double spread = sqrt(r->squares / (double)r->n);
    double floor = 1e-8 * fmax(1.0, fmax(fabs(r->low), fabs(r->high)));
    return spread > floor ? spread : floor; /* constant values: any scale does */
}

/* Shapes of tau and sums of squares. */
static void describe_rows(gbs_levels *f) {
    const gbs_rating_list *l = &f->ratings->by[0];
    for (size_t i = 0; i < l->items; i++) {
        f->squares[i] = 0.0;
        f->shape[i] = f->alpha + 0.5 * (double)(l->start[i + 1] - l->start[i]);
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            double y = (l->value[e] - f->ratings->center) / f->scale;
            f->squares[i] += y * y;
        }
    }
}

gbs_status gbs_levels_create(gbs_context *ctx, const gbs_ratings *ratings, size_t rank,
                             double *const phi[2], const size_t features[2], bool single,
                             gbs_levels *out) {
    gbs_levels *f = out;
    const gbs_rating_list *by = ratings->by;
    *f = (gbs_levels){.ctx = ctx,
                      .ratings = ratings,
                      .rank = rank,
                      .own = rank + 1,
                      .scale = scale_of(ratings),
                      .w0 = {1.0, 1.0},
                      .alpha = GBS_LEVEL_SHAPE,
                      .relevance_prior = GBS_RELEVANCE_PRIOR,
                      .relax = 1.0,
                      .fall = INFINITY,
                      .single = single,
                      .record = gbs_level_record_shape(rank)};
    size_t own = f->own, most = by[0].items > by[1].items ? by[0].items : by[1].items;
    size_t blocks = by[0].blocks > by[1].blocks ? by[0].blocks : by[1].blocks;
    bool ready = create_side(ctx, by[0].items, own, features[0], phi[0], &f->side[0]);
    ready = create_side(ctx, by[1].items, own, features[1], phi[1], &f->side[1]) && ready;
    ready = cut_parts(f) && ready;
    f->per_block = 2 * gbs_packed_size(own) + PER_BLOCK_EXTRA;
    size_t one = 2 * own * own + 6 * own, eight = gbs_level_eight_room(own);
    f->per_worker = (2 * f->record.stride + (one > eight ? one : eight) + 64) / 64 * 64;
    f->shape = gbs_doubles(ctx, by[0].items);
    f->rate = gbs_doubles(ctx, by[0].items);
    f->squares = gbs_doubles(ctx, by[0].items);
    size_t numbers;
    /* behind the items' records, those that come along from another rank (level_apart.c) */
    if (!__builtin_mul_overflow(most + 4 * gbs_workers(ctx), f->record.stride, &numbers))
        f->records = gbs_array_alloc(ctx, numbers, single ? sizeof(float) : sizeof(double));
    size_t wide = features[0] > features[1] ? features[0] : features[1];
    f->work = gbs_matrix(ctx, wide, own + wide);
    f->partial = gbs_matrix(ctx, blocks, f->per_block);
    f->total = gbs_doubles(ctx, f->per_block + 1);
    f->scratch = gbs_matrix(ctx, gbs_workers(ctx), f->per_worker);
    if (!ready || f->shape == NULL || f->rate == NULL || f->squares == NULL || f->records == NULL ||
        f->partial == NULL || f->total == NULL || f->scratch == NULL || f->work == NULL) {
        gbs_levels_free(f);
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory: %zu rows, %zu columns, rank %zu",
                        by[0].items, by[1].items, rank);
    }
    describe_rows(f);
    return GBS_OK;
}

void gbs_levels_fix_prior(gbs_levels *f, double unit) {
    f->fixed = true;
    f->scale = unit;
    describe_rows(f);
}

void gbs_levels_free(gbs_levels *f) {
    gbs_levels_forget(f);
    gbs_levels_leave(f);
    free_side(f->ctx, &f->side[0]);
    free_side(f->ctx, &f->side[1]);
    gbs_array_free(f->ctx, f->shape);
    gbs_array_free(f->ctx, f->rate);
    gbs_array_free(f->ctx, f->squares);
    gbs_array_free(f->ctx, f->records);
    gbs_array_free(f->ctx, f->partial);
    gbs_array_free(f->ctx, f->total);
    gbs_array_free(f->ctx, f->part);
    gbs_array_free(f->ctx, f->scratch);
    gbs_array_free(f->ctx, f->work);
    *f = (gbs_levels){0};
}
