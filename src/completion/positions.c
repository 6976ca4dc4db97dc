/* Features of which cells are filled (docs/maths.md, 8.14): who rated what says much of how.
 *
 * The singular vectors of 1[rated] / sqrt((n_i + mean n) (n_j + mean n')), of the cells that are
 * learned from alone; the roots keep long rows and columns from being all that is seen.
 */
#include "completion/positions.h"

#include "completion/spectrum.h"

#include <math.h>
#include <string.h>

enum { VECTORS = 64, EXTRA = 6, ROUNDS = 4 };

/* Spread over the items with ratings below which a feature is constant. */
#define CONSTANT 1e-9

static size_t count_of(const gbs_rating_list *l, size_t i) {
    return l->start[i + 1] - l->start[i];
}

/* x, one number an item, to mean 0 and unit sd over the items with ratings, 0 elsewhere. False: it
 * is constant. */
static bool standardise(const gbs_rating_list *l, double *x) {
    double sum = 0.0, square = 0.0, n = 0.0, largest = 0.0;
    for (size_t i = 0; i < l->items; i++)
        if (count_of(l, i) > 0) {
            n += 1.0;
            sum += x[i];
            largest = fmax(largest, fabs(x[i]));
        }
    double mean = sum / n;
    for (size_t i = 0; i < l->items; i++)
        square += count_of(l, i) > 0 ? (x[i] - mean) * (x[i] - mean) : 0.0;
    double sd = sqrt(square / n);
    for (size_t i = 0; i < l->items; i++)
        x[i] = count_of(l, i) > 0 && sd > 0.0 ? (x[i] - mean) / sd : 0.0;
    return sd > CONSTANT * largest;
}

/* The intercept, the logarithm of the count, the columns of basis; constant ones left out. */
static gbs_status make_side(gbs_context *ctx, const gbs_rating_list *l, const double *basis,
                            size_t width, size_t vectors, double **out, size_t *features) {
    double *all = gbs_matrix(ctx, vectors + 2, l->items), *phi = NULL;
    size_t kept = 0;
    if (all == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < vectors + 2; k++) {
        double *x = all + kept * l->items;
        for (size_t i = 0; i < l->items; i++)
            x[i] = k == 0   ? 1.0
                   : k == 1 ? log(fmax(1.0, (double)count_of(l, i)))
                            : basis[i * width + k - 2];
        kept += k == 0 || standardise(l, x);
    }
    phi = gbs_matrix(ctx, l->items, kept);
    for (size_t i = 0; phi != NULL && i < l->items; i++)
        for (size_t k = 0; k < kept; k++)
            phi[i * kept + k] = all[k * l->items + i];
    gbs_array_free(ctx, all);
    *out = phi;
    *features = kept;
    return phi != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

static void weigh(gbs_spectrum *s) {
    for (int side = 0; side < 2; side++) {
        const gbs_rating_list *l = &s->ratings->by[side];
        double mean = (double)s->ratings->n / (double)l->items;
        for (size_t i = 0; i < l->items; i++)
            s->root[side][i] = 1.0 / sqrt((double)count_of(l, i) + mean);
    }
}

static gbs_status intercepts(gbs_context *ctx, const gbs_ratings *r, double *phi[2],
                             size_t features[2]) {
    for (int side = 0; side < 2; side++) {
        size_t items = r->by[side].items;
        phi[side] = gbs_doubles(ctx, items);
        features[side] = 1;
        for (size_t i = 0; phi[side] != NULL && i < items; i++)
            phi[side][i] = 1.0;
    }
    return phi[0] != NULL && phi[1] != NULL ? GBS_OK : GBS_ERR_MEMORY;
}

gbs_status gbs_position_features(gbs_context *ctx, const gbs_ratings *ratings, bool informed,
                                 uint64_t stream, double *phi[2], size_t features[2]) {
    phi[0] = phi[1] = NULL;
    gbs_spectrum s = {.ctx = ctx};
    gbs_status status = GBS_OK;
    if (!informed) {
        status = intercepts(ctx, ratings, phi, features);
    } else {
        status = gbs_spectrum_create(ctx, ratings, VECTORS + EXTRA, true, &s);
        if (status == GBS_OK) {
            weigh(&s);
            size_t most = s.width > 1 ? s.width - 1 : 0, vectors = most < VECTORS ? most : VECTORS;
            if (vectors > 0 && !gbs_spectrum_iterate(&s, ROUNDS, stream))
                vectors = 0;
            for (int side = 0; side < 2 && status == GBS_OK; side++)
                status = make_side(ctx, &ratings->by[side], s.basis[side], s.width, vectors,
                                   &phi[side], &features[side]);
        }
        gbs_spectrum_free(&s);
    }
    if (status != GBS_OK) {
        gbs_array_free(ctx, phi[0]);
        gbs_array_free(ctx, phi[1]);
        phi[0] = phi[1] = NULL;
    }
    return status;
}
