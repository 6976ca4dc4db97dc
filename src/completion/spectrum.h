/* Leading singular vectors of a sparse matrix on the cells of ratings. */
#ifndef GIBBSITE_COMPLETION_SPECTRUM_H
#define GIBBSITE_COMPLETION_SPECTRUM_H

#include "data/ratings.h"

/* M_ij = root_i root_j c_ij on the filled cells, c_ij = y_ij - bias_i - bias_j, or 1; y is value -
 * centre times `unit`. */
typedef struct gbs_spectrum {
    gbs_context *ctx;
    const gbs_ratings *ratings;
    size_t width;
    bool positions; /* c_ij = 1 */
    double unit;
    double *bias[2]; /* NULL for positions */
    double *root[2];
    double *basis[2]; /* items x width: orthonormal; columns by falling singular value */
    double *value;    /* width: eigenvalues of the last Gram matrix, ascending */
    float *single;    /* the basis that a product reads: bound by the bandwidth of memory */
    double *gram, *work, *spare;
} gbs_spectrum;

/* width is cut to the smaller side. Bias and root are zero: the caller's to fill. */
gbs_status gbs_spectrum_create(gbs_context *ctx, const gbs_ratings *ratings, size_t width,
                               bool positions, gbs_spectrum *out);
void gbs_spectrum_free(gbs_spectrum *s);
/* `rounds` of subspace iteration from a random basis of the columns. Not sound: M is zero or not
 * finite. */
gbs_status gbs_spectrum_iterate(gbs_spectrum *s, size_t rounds, uint64_t stream, bool *sound);
/* Singular value k, largest first. */
double gbs_spectrum_singular(const gbs_spectrum *s, size_t k);

#endif
