/* The table of families, and what they share. */
#include "family/family.h"

#include <math.h>
#include <string.h>

const gbs_family_ops *gbs_family_of(gbs_family family) {
    switch (family) {
    case GBS_FAMILY_FIXED:
        return &gbs_fixed;
    case GBS_FAMILY_ISOTROPIC:
        return &gbs_isotropic;
    case GBS_FAMILY_DIAGONAL:
        return &gbs_diagonal;
    case GBS_FAMILY_FULL:
        return &gbs_full;
    case GBS_FAMILY_AUTO:
        break;
    }
    return NULL;
}

gbs_family gbs_family_at(int i) {
    return (gbs_family)(GBS_FAMILY_FIXED + i);
}

gbs_family gbs_family_for(size_t d, size_t most) {
    return d <= most ? GBS_FAMILY_FULL : GBS_FAMILY_DIAGONAL;
}

static size_t sd_size(gbs_family family, size_t d) {
    return gbs_family_of(family)->sd_size(d);
}

gbs_spread gbs_gaussian_spread(const gbs_gaussian *g) {
    return (gbs_spread){.d = g->d,
                        .mean = g->mean,
                        .variance = g->sd != NULL ? g->sd[0] * g->sd[0] : 0.0,
                        .tau = g->tau,
                        .factor = g->factor,
                        .pull = gbs_family_of(g->family)->pull};
}

gbs_status gbs_gaussian_create(gbs_context *ctx, gbs_family family, size_t d,
                               const gbs_prior *prior, double fixed_sd, gbs_gaussian *out) {
    *out = (gbs_gaussian){.family = family, .d = d};
    bool ok = (out->mean = gbs_doubles(ctx, d)) != NULL;
    if (family == GBS_FAMILY_FULL) {
        ok = ok && (out->factor = gbs_matrix(ctx, d, d)) != NULL;
        ok = ok && (out->precision = gbs_matrix(ctx, d, d)) != NULL;
    } else {
        ok = ok && (out->sd = gbs_doubles(ctx, sd_size(family, d))) != NULL;
        ok = ok && (family != GBS_FAMILY_DIAGONAL || (out->tau = gbs_doubles(ctx, d)) != NULL);
    }
    if (!ok) {
        gbs_gaussian_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    gbs_gaussian_set_prior(out, prior, fixed_sd);
    return GBS_OK;
}

void gbs_gaussian_free(const gbs_context *ctx, gbs_gaussian *g) {
    gbs_array_free(ctx, g->mean);
    gbs_array_free(ctx, g->sd);
    gbs_array_free(ctx, g->tau);
    gbs_array_free(ctx, g->factor);
    gbs_array_free(ctx, g->precision);
    *g = (gbs_gaussian){0};
}

static void copy(double *to, const double *from, size_t count) {
    if (to != NULL && from != NULL)
        memcpy(to, from, count * sizeof *to);
}

void gbs_gaussian_copy(gbs_gaussian *to, const gbs_gaussian *from) {
    size_t d = from->d;
    copy(to->mean, from->mean, d);
    copy(to->sd, from->sd, sd_size(from->family, d));
    copy(to->tau, from->tau, d);
    copy(to->factor, from->factor, d * d);
    copy(to->precision, from->precision, d * d);
}

/* S = sd_k^2 on the diagonal, whatever the family. */
static void set_spread(gbs_gaussian *g, const double *sd, size_t step) {
    size_t d = g->d;
    if (g->family == GBS_FAMILY_FULL) {
        memset(g->factor, 0, d * d * sizeof *g->factor);
        memset(g->precision, 0, d * d * sizeof *g->precision);
        for (size_t k = 0; k < d; k++) {
            g->factor[k * d + k] = sd[k * step];
            g->precision[k * d + k] = 1.0 / (sd[k * step] * sd[k * step]);
        }
        return;
    }
    for (size_t k = 0; k < sd_size(g->family, d); k++) {
        g->sd[k] = sd[k * step];
        if (g->tau != NULL)
            g->tau[k] = g->sd[k] * g->sd[k];
    }
}

void gbs_gaussian_set_prior(gbs_gaussian *g, const gbs_prior *prior, double fixed_sd) {
    double sd = g->family == GBS_FAMILY_FIXED ? fixed_sd : sqrt(prior->variance);
    set_spread(g, &sd, 0);
    if (prior->mean != NULL)
        copy(g->mean, prior->mean, g->d);
    else
        memset(g->mean, 0, g->d * sizeof *g->mean);
}

void gbs_gaussian_embed(gbs_gaussian *to, const gbs_gaussian *from) {
    copy(to->mean, from->mean, from->d);
    set_spread(to, from->sd, from->family == GBS_FAMILY_DIAGONAL ? 1 : 0);
}

double gbs_gaussian_kl(const gbs_gaussian *g, const gbs_prior *prior) {
    double distance = 0.0;
    for (size_t k = 0; k < g->d; k++) {
        double delta = g->mean[k] - (prior->mean != NULL ? prior->mean[k] : 0.0);
        distance += delta * delta;
    }
    double v = prior->variance, kl = gbs_family_of(g->family)->kl_spread(g, v) + 0.5 * distance / v;
    /* Next to the prior the terms of the spread cancel, and rounding may leave less than nothing.
     * NaN stays NaN: fmax would make it 0, and an overflow would look like the best posterior. */
    return kl < 0.0 ? 0.0 : kl;
}
