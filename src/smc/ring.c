/* A draw from a ring of states, instead of one proposal that is taken or not.
 *
 * With the reference N(m, L L'), theta = m + L u, and a fresh z ~ N(0, I), the states  m + L (u cos phi + z sin phi)  lie on an ellipse; turning the pair
 * (u, z) leaves N(0, I) x N(0, I) unchanged. So among angles that form the same set seen from each of them, the draw of one with probability
 *
 *   proportional to  exp(-lambda r - |theta|^2/2v + |u|^2/2)     (the target over the reference)
 *
 * is an exact Gibbs step: nothing is rejected, far states are reached when the reference is good, near ones when it is not. Two kinds of sets take turns:
 * the full ring (phi = 2 pi j/K), and a window of narrow angles delta (j - J), J uniform, for rough or ill-fitted targets.
 *   Murray, Adams, MacKay: Elliptical slice sampling (2010); Neal's multi-point moves; Tjelmeland: Using all Metropolis-Hastings proposals (2004)
 *
 * Scores are linear: x'theta(phi) = x'm + cos phi x'(theta - m) + sin phi x'Lz. Two products with the rows serve all K states; each state more costs
 * n operations, not n d.
 */
#include "smc/smc.h"

#include <math.h>

/* Margins of a few rows: y x'm in base, y x'(theta - m) in here, y x'Lz in slope. */
static void split_margins(const gbs_block *b, const double *mean_score, const double *lost, double *base, double *here,
                          double *slope) {
    gbs_tile_margins(b->n, b->y, b->stride, lost, here);
    gbs_tile_margins(b->n, b->y, b->stride, lost != NULL ? lost + GBS_LANES : NULL, slope);
    for (size_t i = 0; i < b->n; i++) {
        base[i] = b->y[i * b->stride] * mean_score[i];
        for (size_t l = 0; l < GBS_LANES; l++)
            here[i * GBS_LANES + l] -= base[i];
    }
}

/* risk[j * GBS_LANES + l]: r_n of lane l at angle j. */
static void ring_risks(const gbs_smc_problem *problem, const gbs_ring *ring, const double *mean_score, const double *theta,
                       const double *direction, double *scratch, double *risk) {
    const gbs_rows *rows = problem->rows;
    const double *shift = rows->all.shift;
    double lost[2 * GBS_LANES] __attribute__((aligned(64))) = {0};
    double *here = scratch, *slope = here + GBS_RISK_SCRATCH, base[GBS_RISK_ROWS];
    size_t n = rows->all.n;
    if (shift != NULL) {
        gbs_tile_dot(rows->d, shift, theta, lost);
        gbs_tile_dot(rows->d, shift, direction, lost + GBS_LANES);
    }
    for (size_t k = 0; k < ring->size * GBS_LANES; k++)
        risk[k] = 0.0;
    for (size_t first = 0; first < n; first += GBS_RISK_ROWS) {
        size_t count = n - first < GBS_RISK_ROWS ? n - first : GBS_RISK_ROWS;
        gbs_block b = gbs_rows_slice(rows, first, count).all;
        gbs_tile_scores(&b, theta, here);
        gbs_tile_scores(&b, direction, slope);
        split_margins(&b, mean_score + first, shift != NULL ? lost : NULL, base, here, slope);
        for (size_t j = 0; j < ring->size; j++)
            problem->loss->add_turned(count, base, ring->cosine[j], here, ring->sine[j], slope, risk + j * GBS_LANES);
    }
    for (size_t k = 0; k < ring->size * GBS_LANES; k++)
        risk[k] /= (double)n;
}

/* |a + cos b + sin c|^2 for each lane, from the six inner products. */
struct squares {
    double aa, ab[GBS_LANES], ac[GBS_LANES], bb[GBS_LANES], bc[GBS_LANES], cc[GBS_LANES];
};

static double turned_square(const struct squares *s, size_t l, double x, double y) {
    return s->aa + 2.0 * (x * s->ab[l] + y * s->ac[l] + x * y * s->bc[l]) + x * x * s->bb[l] + y * y * s->cc[l];
}

/* a may be NULL: 0. b is taken relative to it: the states are a + cos (b - a) + sin c. */
static void inner_products(size_t d, const double *a, const double *b, const double *c, struct squares *out) {
    *out = (struct squares){0};
    for (size_t k = 0; k < d; k++) {
        double at = a != NULL ? a[k] : 0.0;
        out->aa += at * at;
        for (size_t l = 0; l < GBS_LANES; l++) {
            double p = b[k * GBS_LANES + l] - at, q = c[k * GBS_LANES + l];
            out->ab[l] += at * p;
            out->ac[l] += at * q;
            out->bb[l] += p * p;
            out->bc[l] += p * q;
            out->cc[l] += q * q;
        }
    }
}

/* Index drawn in proportion to exp(log_weight). An infinite risk is no state to go to. */
static size_t choose(size_t count, double *log_weight, double u) {
    double most = -INFINITY, total = 0.0, reached = 0.0;
    for (size_t j = 0; j < count; j++)
        most = log_weight[j] > most ? log_weight[j] : most;
    for (size_t j = 0; j < count; j++) {
        log_weight[j] = log_weight[j] > -INFINITY ? exp(log_weight[j] - most) : 0.0;
        total += log_weight[j];
    }
    size_t last = 0;
    for (size_t j = 0; j < count; j++) {
        if (!(log_weight[j] > 0.0))
            continue;
        reached += log_weight[j];
        last = j;
        if (u * total < reached)
            break;
    }
    return last;
}

void gbs_tile_ring(const gbs_smc_problem *problem, double lambda, const gbs_ring *ring, const double *mean, const double *base,
                   const double *theta, const double *u, const double *direction, const double *z, const double *draw,
                   double *scratch, size_t *chosen, double *risk) {
    double v = problem->prior_sd * problem->prior_sd, *risks = scratch + 2 * GBS_RISK_SCRATCH;
    struct squares plain, white;
    ring_risks(problem, ring, base, theta, direction, scratch, risks);
    inner_products(problem->rows->d, mean, theta, direction, &plain);
    inner_products(problem->rows->d, NULL, u, z, &white);
    for (size_t l = 0; l < GBS_LANES; l++) {
        double log_weight[GBS_RING_MOST];
        for (size_t j = 0; j < ring->size; j++) {
            double x = ring->cosine[j], y = ring->sine[j], r = risks[j * GBS_LANES + l];
            double density = 0.5 * (turned_square(&white, l, x, y) - turned_square(&plain, l, x, y) / v);
            log_weight[j] = isfinite(r) ? density - lambda * r : -INFINITY;
        }
        chosen[l] = choose(ring->size, log_weight, draw[l]);
        risk[l] = risks[chosen[l] * GBS_LANES + l];
    }
}

void gbs_ring_full(size_t size, gbs_ring *out) {
    *out = (gbs_ring){.size = size};
    for (size_t j = 0; j < size; j++) {
        double angle = 6.283185307179586476925286766559 * (double)j / (double)size;
        out->cosine[j] = cos(angle);
        out->sine[j] = sin(angle);
    }
}

void gbs_ring_window(size_t size, double delta, double place, gbs_ring *out) {
    *out = (gbs_ring){.size = size};
    out->here = (size_t)(place * (double)size);
    for (size_t j = 0; j < size; j++) {
        double angle = delta * ((double)j - (double)out->here);
        out->cosine[j] = cos(angle);
        out->sine[j] = sin(angle);
    }
}
