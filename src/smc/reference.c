/* The Gaussian N(m, S) fitted to the weighted particles: the shape of a random walk's steps, and
 * what Crank and Nicolson's moves leave unchanged.
 *
 * S is the weighted covariance C, shrunk towards its diagonal: S = (1 - a) C + a diag C. The least
 * mean squared error on the scale of correlations r_kl is reached at a = sum var(r_kl) / sum
 * r_kl^2, var(r_kl) ~ (1 + r_kl^2)/ess for Gaussian particles (Schaefer, Strimmer 2005). With more
 * coefficients than effective particles C is singular, a is large, and S is still a covariance
 * (docs/maths.md, 7.5).
 */
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "smc/smc.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 16 };
/* Particles scaled and multiplied together, in cache. */
enum { SLICE = 64 };

/* A deviation below this part of the prior's is taken to be this. */
#define LEAST_DEVIATION 1e-9

static size_t sums_of(size_t d, bool full) {
    return full ? d + d * d : 2 * d;
}

static size_t stride_of(size_t d, bool full) {
    return sums_of(d, full) + (full ? SLICE * d : 0);
}

gbs_status gbs_reference_create(gbs_context *ctx, size_t d, bool full, size_t particles,
                                gbs_reference *out) {
    size_t chunks = particles / (4 * d);
    *out = (gbs_reference){.d = d,
                           .chunks = chunks < 1             ? 1
                                     : chunks > MOST_CHUNKS ? MOST_CHUNKS
                                                            : chunks};
    out->mean = gbs_doubles(ctx, d);
    out->sd = gbs_doubles(ctx, d);
    out->factor = full ? gbs_matrix(ctx, d, d) : NULL;
    out->sums = gbs_matrix(ctx, out->chunks, stride_of(d, full));
    if (out->mean == NULL || out->sd == NULL || (full && out->factor == NULL) ||
        out->sums == NULL) {
        gbs_reference_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    return GBS_OK;
}

void gbs_reference_free(const gbs_context *ctx, gbs_reference *r) {
    gbs_array_free(ctx, r->mean);
    gbs_array_free(ctx, r->sd);
    gbs_array_free(ctx, r->factor);
    gbs_array_free(ctx, r->sums);
    *r = (gbs_reference){0};
}

/* ---------------------------------------------------------------- moments */

struct moments {
    const gbs_reference *r;
    size_t n;
    const double *theta, *weight;
    size_t sums_size, stride;
};

static void add_chunk(void *arg, size_t chunk, size_t worker) {
    const struct moments *p = arg;
    size_t d = p->r->d, first = chunk * p->n / p->r->chunks,
           last = (chunk + 1) * p->n / p->r->chunks, filled = 0;
    double *sums = p->r->sums + chunk * p->stride, *square = sums + d, *slice = sums + p->sums_size;
    (void)worker;
    memset(sums, 0, p->sums_size * sizeof *sums);
    for (size_t i = first; i < last; i++) {
        const double *x = p->theta + i * d;
        double w = p->weight[i], root = sqrt(w);
        for (size_t k = 0; k < d; k++)
            sums[k] += w * x[k];
        if (p->r->factor == NULL) {
            for (size_t k = 0; k < d; k++)
                square[k] += w * x[k] * x[k];
            continue;
        }
        for (size_t k = 0; k < d; k++)
            slice[filled * d + k] = root * x[k];
        if (++filled == SLICE || i + 1 == last) {
            gbs_add_gram(d, filled, slice, 1.0, square);
            filled = 0;
        }
    }
}

static void join_chunk(const void *arg, size_t chunk, double *total) {
    const struct moments *p = arg;
    for (size_t k = 0; chunk > 0 && k < p->sums_size; k++)
        total[k] += p->r->sums[chunk * p->stride + k];
}

/* Of the sums of all, which lie in the first chunk: mean, and the second moments about it. */
static void centre(const gbs_reference *r, size_t n, size_t sums_size) {
    size_t d = r->d;
    double *sums = r->sums, *square = sums + d;
    for (size_t k = 0; k < sums_size; k++)
        sums[k] /= (double)n;
    memcpy(r->mean, sums, d * sizeof *sums);
    for (size_t k = 0; k < d; k++)
        if (r->factor == NULL)
            square[k] -= r->mean[k] * r->mean[k];
        else
            for (size_t j = 0; j <= k; j++)
                square[k * d + j] -= r->mean[k] * r->mean[j];
}

/* ---------------------------------------------------------------- the factor */

static double shrinkage(size_t d, const double *c, const double *sd, double ess) {
    double noise = 0.0, signal = 0.0;
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < k; j++) {
            double r = c[k * d + j] / (sd[k] * sd[j]);
            noise += (1.0 + r * r) / ess;
            signal += r * r;
        }
    return noise < signal ? noise / signal : 1.0;
}

/* a = 1 leaves the diagonal alone, whatever the products did. */
static void fill(size_t d, const double *c, const double *sd, double a, double *s) {
    for (size_t k = 0; k < d; k++) {
        for (size_t j = 0; j < d; j++)
            s[k * d + j] = j < k && a < 1.0 ? (1.0 - a) * c[k * d + j] : 0.0;
        s[k * d + k] = sd[k] * sd[k];
    }
}

static gbs_status overflowed(gbs_context *ctx) {
    return gbs_fail(ctx, GBS_ERR_NUMERIC,
                    "the particles' covariance overflowed; scale the columns or lower prior_sd");
}

gbs_status gbs_reference_fit(gbs_context *ctx, gbs_reference *r, size_t n, const double *theta,
                             const double *weight, double ess, double prior_sd) {
    size_t d = r->d;
    bool full = r->factor != NULL;
    struct moments p = {r, n, theta, weight, sums_of(d, full), stride_of(d, full)};
    double flops = (double)n * (double)d * (double)(full ? d : 4);
    gbs_share share = gbs_share_of(ctx, r->chunks, flops, (double)p.sums_size * sizeof(double));
    gbs_share_for(ctx, &share, flops, add_chunk, &p);
    gbs_status status = gbs_share_fold(ctx, &share, join_chunk, &p, r->sums, p.sums_size);
    if (status != GBS_OK)
        return status;
    centre(r, n, p.sums_size);
    const double *c = r->sums + d;
    for (size_t k = 0; k < d; k++) {
        double square = full ? c[k * d + k] : c[k], floor = LEAST_DEVIATION * prior_sd;
        if (!isfinite(square) || !isfinite(r->mean[k]))
            return overflowed(ctx);
        double sd = square > 0.0 ? sqrt(square) : 0.0;
        r->sd[k] = sd > floor ? sd : floor;
    }
    if (!full)
        return GBS_OK;
    r->upper = false;
    double a = shrinkage(d, c, r->sd, ess);
    fill(d, c, r->sd, a, r->factor);
    while (!gbs_cholesky(d, r->factor)) {
        if (!(a < 1.0)) /* the diagonal itself: its squares leave the range of doubles */
            return overflowed(ctx);
        a = fmin(1.0, fmax(2.0 * a, 1e-6));
        fill(d, c, r->sd, a, r->factor);
    }
    return GBS_OK;
}

/* ---------------------------------------------------------------- how well a reference fits */

/* Some of them are enough to see a factor. */
enum { ASKED = 256 };

double gbs_reference_width(const gbs_reference *r, size_t n, const double *theta,
                           const double *weight) {
    size_t d = r->d, stride = (n + ASKED - 1) / ASKED;
    double *u = r->sums, sum = 0.0, total = 0.0; /* the sums are free between two fits */
    for (size_t i = 0; i < n; i += stride) {
        for (size_t k = 0; k < d; k++)
            u[k] = (theta[i * d + k] - r->mean[k]) / (r->factor != NULL ? 1.0 : r->sd[k]);
        if (r->factor != NULL)
            gbs_triangle_solve(r->upper ? GBS_UPPER : GBS_LOWER, d, r->factor, u);
        sum += weight[i] * gbs_dot(d, u, u);
        total += weight[i];
    }
    return sum / (total * (double)d);
}
