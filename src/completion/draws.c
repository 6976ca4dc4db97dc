/* The risk of one draw of q, by Monte Carlo (docs/maths.md, 6.6 and 8.10).
 *
 * For each rating: x_i ~ q(row), then the prediction given x_i, which is normal with mean m_j'(x,
 * 1) and variance (x, 1)'S_j (x, 1): no draw of the column is needed. Where the scale of a row has
 * a gamma law, tau ~ Ga(a, b) and x_i | tau ~ N(m, S/tau), the covariance S b / (a - 1) that f has
 * is times (a - 1)/g, g ~ Ga(a, 1).
 */
#include "completion/draws.h"

#include "completion/gibbs.h"
#include "core/random.h"
#include "core/ranks.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct risk {
    const gbs_factors *f;
    const gbs_ratings *ratings;
    double low, high;
    const double *shape; /* rows: of the law of tau; NULL: x_i is normal */
    size_t rounds;
    uint64_t seed, stream;
    double *partial, *scratch;
};

/* One drawn prediction of rating e of row i; root is the upper triangle U of its covariance U'U. */
static double draw(const struct risk *r, size_t i, size_t e, size_t round, const double *root,
                   double *x) {
    const gbs_factors *f = r->f;
    size_t own = f->own, j = r->ratings->by[0].other[e];
    const double *mean = f->side[0].mean + i * own, *m = f->side[1].mean + j * own;
    uint64_t number = (uint64_t)round * r->ratings->n + e, index = number * (own + 1);
    double wider = r->shape == NULL
                       ? 1.0
                       : sqrt((r->shape[i] - 1.0) /
                              gbs_gamma_draw(r->seed, r->stream + 1, number, r->shape[i]));
    memcpy(x, mean, own * sizeof *x);
    for (size_t k = 0; k < own; k++) {
        double noise = wider * gbs_normal(r->seed, r->stream, index + k);
        for (size_t c = k; c < own; c++)
            x[c] += noise * root[k * own + c];
    }
    double bias = f->biases ? x[f->rank] : 0.0, p = bias;
    if (f->biases)
        x[f->rank] = 1.0; /* the column's bias has weight 1 */
    for (size_t c = 0; c < own; c++)
        p += x[c] * m[c];
    double variance = gbs_packed_quadratic(own, f->side[1].cov + j * gbs_packed_size(own), x);
    if (f->biases) {
        p += f->ratings->center + f->mu;
        variance += f->mu_variance;
    }
    double sd = sqrt(variance < 0.0 ? 0.0 : variance);
    return p + sd * gbs_normal(r->seed, r->stream, index + own);
}

static void draw_block(void *arg, size_t task, size_t worker) {
    struct risk *r = arg;
    const gbs_factors *f = r->f;
    const gbs_rating_list *l = &r->ratings->by[0];
    size_t own = f->own;
    double *root = r->scratch + worker * (2 * own * own + own), *lower = root + own * own,
           *x = lower + own * own, log_det;
    double sum = 0.0;
    for (size_t i = l->block[task]; i < l->block[task + 1]; i++) {
        const double *cov = f->side[0].cov + i * gbs_packed_size(own);
        for (size_t c = 0; c < own; c++)
            memcpy(root + c * own + c, cov + gbs_packed(own, c), (own - c) * sizeof *root);
        if (own > 0 && !gbs_small_factor(own, root, lower, &log_det)) {
            sum = NAN;
            break;
        }
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++)
            for (size_t round = 0; round < r->rounds; round++) {
                double p = gbs_rating_clip(draw(r, i, e, round, root, x), r->low, r->high);
                double off = (l->value[e] - p) / (r->high - r->low), loss = off * off;
                sum += loss > 1.0 ? 1.0 : loss; /* NaN stays NaN */
            }
    }
    r->partial[task] = sum;
}

gbs_status gbs_factors_drawn_risk(const gbs_factors *f, const gbs_ratings *ratings, double low,
                                  double high, const double *shape, size_t rounds, uint64_t seed,
                                  uint64_t stream, double *risk) {
    size_t own = f->own, blocks = ratings->by[0].blocks;
    struct risk r = {f,
                     ratings,
                     low,
                     high,
                     shape,
                     rounds,
                     seed,
                     stream,
                     gbs_doubles(f->ctx, blocks),
                     gbs_matrix(f->ctx, gbs_workers(f->ctx), 2 * own * own + own)};
    gbs_status status = r.partial != NULL && r.scratch != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        double terms = (double)ratings->n * (double)rounds, sum = 0.0;
        gbs_made made = gbs_made_doubles(r.partial, 1, blocks);
        gbs_dealt_for(f->ctx, blocks, terms * 100.0 * (double)(own + 1), draw_block, &r, &made, 1);
        status = gbs_check_cancel(f->ctx); /* where a rank was lost, its blocks are missing */
        for (size_t b = 0; b < blocks; b++)
            sum += r.partial[b];
        *risk = fmin(1.0, sum / terms);
        if (status == GBS_OK && !isfinite(sum))
            status = gbs_fail(
                f->ctx, GBS_ERR_NUMERIC,
                "the completion broke down: a covariance is not positive definite, or a "
                "prediction overflowed");
    }
    gbs_array_free(f->ctx, r.partial);
    gbs_array_free(f->ctx, r.scratch);
    return status;
}
