/* Features of which cells are filled (docs/maths.md, 8.14): who rated what says much of how.
 *
 * The singular vectors of 1[rated] / sqrt((n_i + mean n) (n_j + mean n')), of the cells that are
 * learned from alone; the roots keep long rows and columns from being all that is seen.
 */
#include "completion/positions.h"

#include "completion/spectrum.h"

#include <math.h>
#include <string.h>

enum { VECTORS = 64, EXTRA = 8, ROUNDS = 3 };

/* Spread over the items with ratings below which a feature is constant. */
#define CONSTANT 1e-9

static size_t count_of(const gbs_rating_list *l, size_t i) {
    return l->start[i + 1] - l->start[i];
}

/* x, one number an item and `stride` apart, to mean 0 and unit sd over the items with ratings, 0
 * elsewhere. False: it is constant. */
static bool standardise(const gbs_rating_list *l, size_t stride, double *x) {
    double sum = 0.0, square = 0.0, n = 0.0, largest = 0.0;
    for (size_t i = 0; i < l->items; i++)
        if (count_of(l, i) > 0) {
            n += 1.0;
            sum += x[i * stride];
            largest = fmax(largest, fabs(x[i * stride]));
        }
    double mean = sum / n;
    for (size_t i = 0; i < l->items; i++) {
        double off = x[i * stride] - mean;
        square += count_of(l, i) > 0 ? off * off : 0.0;
    }
    double sd = sqrt(square / n);
    for (size_t i = 0; i < l->items; i++)
        x[i * stride] = count_of(l, i) > 0 && sd > 0.0 ? (x[i * stride] - mean) / sd : 0.0;
    return sd > CONSTANT * largest;
}

/* A feature of the items as it was given, to mean 0 and unit sd over those that have it, 0
 * elsewhere. False: it is constant. */
static bool standardise_given(size_t items, size_t stride, double *x) {
    double sum = 0.0, square = 0.0, n = 0.0, largest = 0.0;
    for (size_t i = 0; i < items; i++)
        if (!isnan(x[i * stride])) {
            n += 1.0;
            sum += x[i * stride];
            largest = fmax(largest, fabs(x[i * stride]));
        }
    double mean = sum / n;
    for (size_t i = 0; i < items; i++) {
        double off = x[i * stride] - mean;
        square += isnan(x[i * stride]) ? 0.0 : off * off;
    }
    double sd = sqrt(square / n);
    for (size_t i = 0; i < items; i++)
        x[i * stride] = !isnan(x[i * stride]) && sd > 0.0 ? (x[i * stride] - mean) / sd : 0.0;
    return sd > CONSTANT * largest;
}

/* The intercept; with positions the logarithm of the count and the columns of basis; then what the
 * items came with. Constant ones are left out: the next takes the place of such a one. There is no
 * second copy: with positions this is the largest array of a completion. */
static gbs_status make_side(gbs_context *ctx, const gbs_ratings *r, int side, const double *basis,
                            size_t width, size_t vectors, double **out, size_t *features) {
    const gbs_rating_list *l = &r->by[side];
    size_t before = basis != NULL ? vectors + 2 : 1, given = r->features[side], kept = 0,
           all = before + given;
    double *phi = gbs_matrix(ctx, l->items, all);
    if (phi == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < all; k++) {
        double *x = phi + kept;
        for (size_t i = 0; i < l->items; i++)
            x[i * all] = k == 0        ? 1.0
                         : k >= before ? r->feature[side][i * given + k - before]
                         : k == 1      ? log(fmax(1.0, (double)count_of(l, i)))
                                       : basis[i * width + k - 2];
        kept += k == 0 ||
                (k < before ? standardise(l, all, x) : standardise_given(l->items, all, x));
    }
    for (size_t i = 0; kept < all && i < l->items; i++)
        memmove(phi + i * kept, phi + i * all, kept * sizeof *phi);
    *out = phi;
    *features = kept;
    return GBS_OK;
}

static void weigh(gbs_spectrum *s) {
    for (int side = 0; side < 2; side++) {
        const gbs_rating_list *l = &s->ratings->by[side];
        double mean = (double)s->ratings->n / (double)l->items;
        for (size_t i = 0; i < l->items; i++)
            s->root[side][i] = 1.0 / sqrt((double)count_of(l, i) + mean);
    }
}

gbs_status gbs_position_features(gbs_context *ctx, const gbs_ratings *ratings, bool informed,
                                 uint64_t stream, double *phi[2], size_t features[2]) {
    phi[0] = phi[1] = NULL;
    gbs_spectrum s = {.ctx = ctx};
    gbs_status status = GBS_OK;
    size_t vectors = 0;
    if (informed)
        status = gbs_spectrum_create(ctx, ratings, VECTORS + EXTRA, true, &s);
    if (informed && status == GBS_OK) {
        weigh(&s);
        size_t most = s.width > 1 ? s.width - 1 : 0;
        vectors = most < VECTORS ? most : VECTORS;
        bool sound = true;
        if (vectors > 0)
            status = gbs_spectrum_iterate(&s, ROUNDS, stream, &sound);
        if (!sound)
            vectors = 0;
    }
    for (int side = 0; side < 2 && status == GBS_OK; side++) {
        status = make_side(ctx, ratings, side, informed ? s.basis[side] : NULL, s.width, vectors,
                           &phi[side], &features[side]);
        gbs_array_free(ctx, s.basis[side]);
        s.basis[side] = NULL;
    }
    gbs_spectrum_free(&s);
    if (status != GBS_OK) {
        gbs_array_free(ctx, phi[0]);
        gbs_array_free(ctx, phi[1]);
        phi[0] = phi[1] = NULL;
    }
    return status;
}
