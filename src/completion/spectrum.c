/* Subspace iteration on the filled cells (docs/maths.md, 8.14): rows = M columns, columns = M'rows,
 * each made orthonormal: the last two by the eigenvectors of their Gram matrices, those before, of
 * which only what they span counts, by its Cholesky factor. A product takes one pass over the
 * ratings. */
#include "completion/spectrum.h"

#include "core/ranks.h"
#include "kernel/linalg.h"
#include "kernel/record_sums.h"
#include "kernel/tall.h"
#include "kernel/tile.h"

#include <math.h>
#include <string.h>

/* Items that are turned, and numbers that are drawn at a time. */
enum { TURNED = 1024, DRAWN = 256 };
/* Of the largest one: with smaller ones a Cholesky factor leaves vectors that are not orthogonal.
 */
#define LEAST_PIVOT 1e-5

gbs_status gbs_spectrum_create(gbs_context *ctx, const gbs_ratings *ratings, size_t width,
                               bool positions, gbs_spectrum *out) {
    gbs_spectrum *s = out;
    *s = (gbs_spectrum){.ctx = ctx, .ratings = ratings, .positions = positions, .unit = 1.0};
    for (int k = 0; k < 2; k++) {
        size_t items = ratings->by[k].items;
        width = width < items ? width : items;
    }
    s->width = width;
    bool ready = true;
    for (int k = 0; k < 2; k++) {
        size_t items = ratings->by[k].items;
        s->bias[k] = positions ? NULL : gbs_doubles(ctx, items);
        s->root[k] = gbs_doubles(ctx, items);
        s->basis[k] = gbs_matrix(ctx, items, width);
        ready = ready && (positions || s->bias[k] != NULL) && s->root[k] != NULL &&
                s->basis[k] != NULL;
    }
    size_t most = ratings->by[0].items > ratings->by[1].items ? ratings->by[0].items
                                                              : ratings->by[1].items,
           numbers;
    if (!__builtin_mul_overflow(most, width, &numbers))
        s->single = gbs_array_alloc(ctx, numbers, sizeof *s->single);
    s->gram = gbs_matrix(ctx, width, width);
    s->value = gbs_doubles(ctx, width);
    s->work = gbs_matrix(ctx, width, 64 + width);
    s->spare = gbs_matrix(ctx, TURNED, width);
    if (!ready || s->single == NULL || s->gram == NULL || s->value == NULL || s->work == NULL ||
        s->spare == NULL) {
        gbs_spectrum_free(s);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_spectrum_free(gbs_spectrum *s) {
    for (int k = 0; k < 2; k++) {
        gbs_array_free(s->ctx, s->bias[k]);
        gbs_array_free(s->ctx, s->root[k]);
        gbs_array_free(s->ctx, s->basis[k]);
    }
    gbs_array_free(s->ctx, s->single);
    gbs_array_free(s->ctx, s->gram);
    gbs_array_free(s->ctx, s->value);
    gbs_array_free(s->ctx, s->work);
    gbs_array_free(s->ctx, s->spare);
    *s = (gbs_spectrum){0};
}

/* Ratings whose weights are made at a time. */
enum { WEIGHTS = 64 };

struct product {
    gbs_spectrum *s;
    int side;
};

/* basis[side] = M basis[1 - side], or its transpose, the items of one block. */
static void multiply_block(void *arg, size_t task, size_t worker) {
    const struct product *p = arg;
    const gbs_spectrum *s = p->s;
    const gbs_rating_list *l = &s->ratings->by[p->side];
    const double *root = s->root[1 - p->side];
    size_t width = s->width;
    double centre = s->ratings->center, weight[WEIGHTS];
    (void)worker;
    for (size_t i = l->block[task]; i < l->block[task + 1]; i++) {
        double *to = s->basis[p->side] + i * width;
        memset(to, 0, width * sizeof *to);
        for (size_t e = l->start[i]; e < l->start[i + 1]; e += WEIGHTS) {
            size_t count = l->start[i + 1] - e < WEIGHTS ? l->start[i + 1] - e : WEIGHTS;
            for (size_t k = 0; k < count; k++) {
                size_t j = l->other[e + k];
                weight[k] = root[j];
                if (!s->positions)
                    weight[k] *= (l->value[e + k] - centre) * s->unit - s->bias[p->side][i] -
                                 s->bias[1 - p->side][j];
            }
            gbs_sum_weighted_singles(width, count, l->other + e, weight, s->single, to);
        }
        for (size_t c = 0; c < width; c++)
            to[c] *= s->root[p->side][i];
    }
}

/* basis[side] times a matrix. */
static void turn_basis(gbs_spectrum *s, int side, const double *turn) {
    size_t width = s->width, items = s->ratings->by[side].items;
    for (size_t i = 0; i < items; i += TURNED) {
        size_t count = items - i < TURNED ? items - i : TURNED;
        double *basis = s->basis[side] + i * width;
        gbs_tall_times(count, width, width, basis, turn, s->spare);
        memcpy(basis, s->spare, count * width * sizeof *basis);
    }
}

/* R^-T of the Gram matrix RR' into turn; false: it is too near to singular. */
static bool invert_root(const gbs_spectrum *s, double *turn) {
    size_t width = s->width;
    double least = INFINITY, most = 0.0;
    memcpy(turn, s->gram, width * width * sizeof *turn);
    if (!gbs_cholesky(width, turn))
        return false;
    for (size_t k = 0; k < width; k++) {
        least = fmin(least, turn[k * width + k]);
        most = fmax(most, turn[k * width + k]);
    }
    if (!(least > LEAST_PIVOT * most) || !gbs_lower_inverse(width, turn))
        return false;
    for (size_t i = 0; i < width; i++)
        for (size_t k = i + 1; k < width; k++) {
            turn[i * width + k] = turn[k * width + i];
            turn[k * width + i] = 0.0;
        }
    return true;
}

/* basis[side] becomes orthonormal; final: value are the squared singular values of what it was. */
static bool orthonormal(gbs_spectrum *s, int side, bool final) {
    size_t width = s->width, items = s->ratings->by[side].items;
    double *turn = s->work + 64 * width;
    memset(s->gram, 0, width * width * sizeof *s->gram);
    gbs_tall_gram(items, width, s->basis[side], s->gram);
    if (!final && invert_root(s, turn)) {
        turn_basis(s, side, turn);
        return true;
    }
    if (!gbs_symmetric_eigen(width, s->gram, s->value, s->work))
        return false;
    double most = s->value[width - 1];
    for (size_t k = 0; k < width; k++) {
        double square = s->value[width - 1 - k];
        /* what rounding alone has left of a direction is no direction */
        double scale = square > 1e-12 * most ? 1.0 / sqrt(square) : 0.0;
        for (size_t c = 0; c < width; c++)
            turn[c * width + k] = scale * s->gram[(width - 1 - k) * width + c];
    }
    turn_basis(s, side, turn);
    return most > 0.0 && isfinite(most);
}

/* The numbers that gbs_normal gives for the counters 0, 1, ..., but for rounding: the first half of
 * each strip of pairs. */
static void draw_start(gbs_spectrum *s, uint64_t stream) {
    double pairs[2 * DRAWN];
    size_t all = s->ratings->by[1].items * s->width;
    for (size_t k = 0; k < all; k += DRAWN) {
        size_t count = all - k < DRAWN ? all - k : DRAWN;
        gbs_normal_draws(s->ctx->seed, stream, k, 2 * count, pairs);
        memcpy(s->basis[1] + k, pairs, count * sizeof *pairs);
    }
}

gbs_status gbs_spectrum_iterate(gbs_spectrum *s, size_t rounds, uint64_t stream, bool *sound) {
    gbs_status status = GBS_OK;
    *sound = true;
    draw_start(s, stream);
    for (size_t step = 0; step < 2 * rounds && *sound && status == GBS_OK; step++) {
        struct product p = {s, (int)(step % 2)};
        const double *from = s->basis[1 - p.side];
        for (size_t k = 0; k < s->ratings->by[1 - p.side].items * s->width; k++)
            s->single[k] = (float)from[k];
        const gbs_rating_list *l = &s->ratings->by[p.side];
        gbs_made made = gbs_made_items(s->basis[p.side], s->width, l->block);
        gbs_dealt_for(s->ctx, l->blocks, 2.0 * (double)s->width * (double)s->ratings->n,
                      multiply_block, &p, &made, 1);
        *sound = orthonormal(s, p.side, step + 2 >= 2 * rounds);
        status = gbs_check_cancel(s->ctx);
    }
    return status;
}

double gbs_spectrum_singular(const gbs_spectrum *s, size_t k) {
    return sqrt(fmax(0.0, s->value[s->width - 1 - k]));
}
