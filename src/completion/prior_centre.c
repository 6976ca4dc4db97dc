/* An informed prior: q of earlier ratings becomes the prior of what follows (docs/maths.md, 8.9).
 * The variances have done their work and leave. */
#include "completion/factors.h"
#include "kernel/moments.h"

#include <string.h>

/* out = the inverse of a packed matrix; the scratch space is f's. */
static gbs_status invert(gbs_factors *f, const double *s, double *out, double *log_det) {
    size_t own = f->own;
    double *p = f->scratch, *lower = p + own * own;
    for (size_t c = 0; c < own; c++)
        memcpy(p + c * own + c, s + gbs_packed(own, c), (own - c) * sizeof *p);
    if (!gbs_small_factor(own, p, lower, log_det))
        return gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                        "the completion broke down: a covariance is not positive definite");
    gbs_small_inverse(own, lower, out);
    return GBS_OK;
}

static gbs_status centre_side(gbs_factors *f, gbs_factor_side *side) {
    size_t own = f->own, packed = gbs_packed_size(own);
    gbs_prior_centre_side *centre = &side->centre;
    double log_det;
    centre->mean = gbs_matrix(f->ctx, side->items, own);
    centre->precision = gbs_matrix(f->ctx, side->items, packed);
    if (centre->mean == NULL || centre->precision == NULL)
        return GBS_ERR_MEMORY;
    memcpy(centre->mean, side->mean, side->items * own * sizeof *side->mean);
    for (size_t i = 0; i < side->items; i++) {
        gbs_status status = invert(f, side->cov + i * packed, centre->precision + i * packed,
                                   &log_det);
        if (status != GBS_OK)
            return status;
        centre->log_det -= log_det;
    }
    side->centred = (double)(side->items * own); /* q is the prior */
    return GBS_OK;
}

gbs_status gbs_factors_centre(gbs_factors *f, const gbs_ratings *ratings) {
    const gbs_rating_list *by = ratings->by;
    size_t blocks = by[0].blocks > by[1].blocks ? by[0].blocks : by[1].blocks;
    double *partial = gbs_matrix(f->ctx, blocks, f->per_block), mean = f->ratings->center + f->mu;
    gbs_status status = partial != NULL ? centre_side(f, &f->side[0]) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = centre_side(f, &f->side[1]);
    if (status != GBS_OK) {
        gbs_array_free(f->ctx, partial);
        return status;
    }
    gbs_array_free(f->ctx, f->partial);
    f->partial = partial;
    f->ratings = ratings;
    f->is_centred = true;
    if (f->biases) {
        f->prior.mean = mean;
        f->prior.variance = f->mu_variance;
        f->mu = mean - ratings->center;
    }
    return GBS_OK;
}

gbs_status gbs_factors_return(gbs_factors *f) {
    size_t packed = gbs_packed_size(f->own);
    for (int s = 0; s < 2; s++) {
        gbs_factor_side *side = &f->side[s];
        double log_det;
        memcpy(side->mean, side->centre.mean, side->items * f->own * sizeof *side->mean);
        for (size_t i = 0; i < side->items; i++) {
            gbs_status status = invert(f, side->centre.precision + i * packed,
                                       side->cov + i * packed, &log_det);
            if (status != GBS_OK)
                return status;
        }
        side->log_det = -side->centre.log_det;
        side->centred = (double)(side->items * f->own);
    }
    if (f->biases) {
        f->mu = f->prior.mean - f->ratings->center;
        f->mu_variance = f->prior.variance;
    }
    return GBS_OK;
}
