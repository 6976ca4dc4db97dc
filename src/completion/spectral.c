/* A start from the spectrum of the ratings (docs/maths.md, 8.6): the leading singular vectors of
 *
 *   M_ij = sum of (y - centre - a_i - b_j) over the ratings of cell (i, j)
 *          / sqrt((n_i + n1) (n_j + n2)),
 *
 * a, b shrunken means of rows and columns, n_i, n_j numbers of ratings, n1, n2 their means. If
 * cells are rated with probability n_i n_j / n, the unscaled mean of M is (sqrt(n_i)
 * u_i)'(sqrt(n_j) v_j) / n, and its noise is alike in all cells: a component whose part of a rating
 * has standard deviation s is a singular value s above noise of norm about spread (sqrt(m1) +
 * sqrt(m2)) / sqrt(n), however unevenly rows and columns are rated. The means in the denominator
 * keep rows and columns of few ratings from having singular vectors of their own. Halko, Martinsson
 * and Tropp: Finding structure with randomness (2011), algorithm 4.4: subspace iteration,
 * orthonormal at each step Qin and Rohe: Regularized spectral clustering under the degree-corrected
 * stochastic blockmodel (2013): the denominator
 *
 * Nothing is the size of the matrix: a step is one pass over the ratings, and all of it takes as
 * long as a few sweeps. What it is worth: docs/completion-table.md.
 */
#include "completion/factors.h"
#include "core/random.h"
#include "core/ranks.h"
#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8, EXTRA = 6 };

/* Ratings that a shrunken mean is pulled to zero by. */
#define MEAN_PULL 3.0

struct spectrum {
    const gbs_factors *f;
    size_t width;
    double *bias[2], *root[2]; /* of items: a and b; 1 / sqrt(n_i + mean) */
    double *basis[2];          /* items x width */
    double *gram, *value, *work, *line;
};

static void free_spectrum(struct spectrum *s) {
    gbs_context *ctx = s->f->ctx;
    for (int side = 0; side < 2; side++) {
        gbs_array_free(ctx, s->bias[side]);
        gbs_array_free(ctx, s->root[side]);
        gbs_array_free(ctx, s->basis[side]);
    }
    gbs_array_free(ctx, s->gram);
    gbs_array_free(ctx, s->value);
    gbs_array_free(ctx, s->work);
    gbs_array_free(ctx, s->line);
}

static bool create_spectrum(const gbs_factors *f, struct spectrum *s) {
    bool ready = true;
    *s = (struct spectrum){.f = f, .width = f->rank + EXTRA};
    for (int side = 0; side < 2; side++) {
        size_t items = f->side[side].items;
        s->width = s->width < items ? s->width : items;
    }
    for (int side = 0; side < 2; side++) {
        size_t items = f->side[side].items;
        s->bias[side] = gbs_doubles(f->ctx, items);
        s->root[side] = gbs_doubles(f->ctx, items);
        s->basis[side] = gbs_matrix(f->ctx, items, s->width);
        ready = ready && s->bias[side] != NULL && s->root[side] != NULL && s->basis[side] != NULL;
    }
    s->gram = gbs_matrix(f->ctx, s->width, s->width);
    s->value = gbs_doubles(f->ctx, s->width);
    s->work = gbs_matrix(f->ctx, s->width, 64);
    s->line = gbs_doubles(f->ctx, s->width);
    return ready && s->gram != NULL && s->value != NULL && s->work != NULL && s->line != NULL;
}

/* Means of rows, then of columns about them, shrunken; and the scales. */
static void weigh(struct spectrum *s) {
    const gbs_ratings *r = s->f->ratings;
    for (int side = 0; side < 2; side++) {
        const gbs_rating_list *l = &r->by[side];
        double mean = (double)r->n / (double)l->items;
        for (size_t i = 0; i < l->items; i++) {
            double count = (double)(l->start[i + 1] - l->start[i]), sum = 0.0;
            for (size_t e = l->start[i]; s->f->biases && e < l->start[i + 1]; e++)
                sum += l->value[e] - r->center - s->bias[1 - side][l->other[e]];
            s->bias[side][i] = sum / (count + MEAN_PULL);
            s->root[side][i] = 1.0 / sqrt(count + mean);
        }
    }
}

struct product {
    const struct spectrum *s;
    int side;
};

/* basis[side] = M basis[1 - side] (or its transpose), the items of one block. */
static void multiply_block(void *arg, size_t task, size_t worker) {
    const struct product *p = arg;
    const struct spectrum *s = p->s;
    const gbs_rating_list *l = &s->f->ratings->by[p->side];
    size_t width = s->width;
    double shift = s->f->biases ? -s->f->ratings->center : 0.0;
    (void)worker;
    for (size_t i = l->block[task]; i < l->block[task + 1]; i++) {
        double *restrict to = s->basis[p->side] + i * width;
        memset(to, 0, width * sizeof *to);
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            size_t j = l->other[e];
            const double *from = s->basis[1 - p->side] + j * width;
            double x = (l->value[e] + shift - s->bias[p->side][i] - s->bias[1 - p->side][j]) *
                       s->root[1 - p->side][j];
            for (size_t c = 0; c < width; c++)
                to[c] += x * from[c];
        }
        for (size_t c = 0; c < width; c++)
            to[c] *= s->root[p->side][i];
    }
}

/* basis[side] becomes orthonormal, its directions by falling singular value; value: those of what
 * it was. */
static bool orthonormal(struct spectrum *s, int side) {
    size_t width = s->width, items = s->f->side[side].items;
    double *x = s->basis[side];
    memset(s->gram, 0, width * width * sizeof *s->gram);
    for (size_t i = 0; i < items; i++)
        for (size_t c = 0; c < width; c++)
            for (size_t d = 0; d <= c; d++)
                s->gram[c * width + d] += x[i * width + c] * x[i * width + d];
    if (!gbs_symmetric_eigen(width, s->gram, s->value, s->work))
        return false;
    double most = s->value[width - 1];
    for (size_t i = 0; i < items; i++) {
        for (size_t k = 0; k < width; k++) {
            const double *vector = s->gram + (width - 1 - k) * width;
            double sum = 0.0, square = s->value[width - 1 - k];
            for (size_t c = 0; c < width; c++)
                sum += vector[c] * x[i * width + c];
            /* what rounding alone has left of a direction is no direction */
            s->line[k] = square > 1e-12 * most ? sum / sqrt(square) : 0.0;
        }
        memcpy(x + i * width, s->line, width * sizeof *s->line);
    }
    return most > 0.0 && isfinite(most);
}

static gbs_status iterate(struct spectrum *s, uint64_t stream, bool *sound) {
    const gbs_factors *f = s->f;
    gbs_status status = GBS_OK;
    *sound = true;
    for (size_t k = 0; k < f->side[1].items * s->width; k++)
        s->basis[1][k] = gbs_normal(f->ctx->seed, stream, k);
    for (int step = 0; step < 2 * ROUNDS && *sound && status == GBS_OK; step++) {
        struct product p = {s, step % 2};
        const gbs_rating_list *l = &f->ratings->by[p.side];
        gbs_made made = gbs_made_items(s->basis[p.side], s->width, l->block);
        gbs_dealt_for(f->ctx, l->blocks, 2.0 * (double)s->width * (double)f->ratings->n,
                      multiply_block, &p, &made, 1);
        *sound = orthonormal(s, p.side);
        status = gbs_check_cancel(f->ctx);
    }
    return status;
}

/* Singular value k of M: basis[1] was M' times an orthonormal basis. */
static double singular(const struct spectrum *s, size_t k) {
    return sqrt(fmax(0.0, s->value[s->width - 1 - k]));
}

/* Only the columns matter: the first half sweep takes the rows from them. A component is as large
 * as its singular value says (the regularised denominator halves it where all are rated alike). */
static void place(const struct spectrum *s, gbs_factors *f) {
    size_t items = f->side[1].items;
    for (size_t k = 0; k < f->rank && k < s->width; k++) {
        double square = 0.0;
        for (size_t j = 0; j < items; j++) {
            double x = s->basis[1][j * s->width + k] * s->root[1][j];
            square += x * x / (double)items;
        }
        for (size_t j = 0; j < items && square > 0.0; j++)
            f->side[1].mean[j * f->own + k] = s->basis[1][j * s->width + k] * s->root[1][j] *
                                              sqrt(2.0 * singular(s, k) / square);
    }
    for (size_t j = 0; f->biases && j < items; j++)
        f->side[1].mean[j * f->own + f->rank] = s->bias[1][j];
}

gbs_status gbs_factors_start_spectral(gbs_factors *f, uint64_t stream) {
    struct spectrum s;
    bool sound = false;
    gbs_status status = create_spectrum(f, &s) ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK && f->rank > 0) {
        weigh(&s);
        status = iterate(&s, stream, &sound);
    }
    if (status == GBS_OK && sound)
        place(&s, f);
    free_spectrum(&s);
    return status;
}
