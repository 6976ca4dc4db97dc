/* How often one draw from every posterior names another class (docs/maths.md, 11.12).
 *
 * Each posterior draws for itself, so that where the height of a class rests on one posterior alone
 * (all classes fitted together; each against the rest, its calibration diagonal) the heights of a
 * row are independent, N(h_k, t_k^2), and with y the class of the row
 *
 *   P(right) = E G(U),   G(u) = prod_(k != y) Phi((h_y + t_y u - h_k)/t_k),   U ~ N(0, 1)
 *
 * G(U) is P(all W_k <= (h_y - h_k)/t_k | U) with W_k = Z_k - (t_y/t_k) U. Given the W_k, U is
 * normal of variance 1/B, B = 1 + sum_k (t_y/t_k)^2. So the transform of phi G at x is at most
 * exp(-x^2/(2B)) in modulus, and by Poisson's formula the sum over nodes s apart is off by at most
 * 2 sum_(m >= 1) exp(-2 (pi m/s)^2/B): below 2e-13 at s = pi sqrt(2/(30 B)).
 *
 * One pair of classes says the sign of its score, which has the vote of 3.6. Elsewhere heights
 * share posteriors and are dependent: their probabilities have no such form, and coins decide.
 */
#include "judge/many.h"

#include <math.h>

#define HALF_SQRT2 0.70710678118654752440
#define FARTHEST 8.0 /* P(|U| > 8) < 2e-15 */
#define OFF 1e-12    /* more than rounding, what lies farther, and the sum's own error */

bool gbs_many_is_a_pair(const gbs_many *m) {
    return m->scheme == GBS_SCHEME_PAIRS && m->card.parts == 1;
}

bool gbs_many_draws_known(const gbs_many *m) {
    if (m->scheme == GBS_SCHEME_PAIRS)
        return gbs_many_is_a_pair(m);
    for (size_t k = 0; k < m->classes; k++)
        for (size_t j = 0; j < m->classes; j++)
            if (j != k && m->slope[k * m->classes + j] != 0.0)
                return false;
    return true;
}

double gbs_many_height(const gbs_many *m, const double *score, size_t k) {
    double z = m->offset[k];
    size_t from = m->full ? 0 : k, end = m->full ? m->classes : k + 1;
    for (size_t j = from; j < end; j++)
        if (m->slope[k * m->classes + j] != 0.0)
            z += m->slope[k * m->classes + j] * score[j];
    return m->learned[k] ? z : -INFINITY;
}

/* The class whose drawn score, calibrated, is the largest. */
static size_t drawn_label(const gbs_many *m, const double *drawn) {
    double most = -INFINITY;
    size_t label = 0;
    for (size_t k = 0; k < m->classes; k++) {
        double z = gbs_many_height(m, drawn, k);
        if (z > most) {
            most = z;
            label = k;
        }
    }
    return label;
}

static double distribution(double t) {
    return 0.5 * erfc(-HALF_SQRT2 * t);
}

/* Of the classes that may be above: h_y - h_k, and t_k. */
struct rivals {
    size_t count;
    double ahead[GBS_MOST_CLASSES], spread[GBS_MOST_CLASSES];
};

static double all_below(const struct rivals *r, double above) {
    double product = 1.0;
    for (size_t k = 0; product > 0.0 && k < r->count; k++) {
        double by = r->ahead[k] + above;
        product *= r->spread[k] > 0.0 ? distribution(by / r->spread[k]) : by >= 0.0;
    }
    return product;
}

/* E G(U), never more than it is. */
static double chance(const struct rivals *r, double own) {
    enum { MOST_NODES = 4096 };
    double b = 1.0, sum = 0.0;
    if (own == 0.0)
        return all_below(r, 0.0);
    for (size_t k = 0; k < r->count; k++) /* infinite where a rival does not spread */
        b += own / r->spread[k] * (own / r->spread[k]);
    double step = 3.14159265358979323846 * sqrt(2.0 / (30.0 * b));
    if (2.0 * FARTHEST / step <= MOST_NODES) {
        for (long i = -(long)(FARTHEST / step); (double)i * step <= FARTHEST; i++) {
            double u = (double)i * step;
            sum += exp(-0.5 * u * u) * all_below(r, own * u);
        }
        return fmax(0.0, sum * step * 0.39894228040143267794 - OFF);
    }
    /* a step, nearly, at the height of a class that hardly spreads: G does not fall in u, so what
     * it is at the lower end of each piece is a bound */
    step = 2.0 * FARTHEST / MOST_NODES;
    for (size_t i = 0; i < MOST_NODES; i++) {
        double u = -FARTHEST + (double)i * step,
               piece = u < 0.0 ? distribution(u + step) - distribution(u)
                               : distribution(-u) - distribution(-u - step);
        sum += piece * all_below(r, own * u);
    }
    return fmax(0.0, sum - OFF);
}

static double exact(const gbs_many *m, const double *score, const double *spread, size_t class) {
    struct rivals r = {.count = 0};
    double height = gbs_many_height(m, score, class),
           own = fabs(m->slope[class * (m->classes + 1)]) * spread[class];
    for (size_t k = 0; k < m->classes; k++) {
        if (k == class || !m->learned[k])
            continue;
        double ahead = height - gbs_many_height(m, score, k),
               other = fabs(m->slope[k * (m->classes + 1)]) * spread[k], both = hypot(own, other);
        if (both == 0.0 && (ahead < 0.0 || (ahead == 0.0 && k < class)))
            return 1.0; /* of several the first */
        if (ahead > (FARTHEST + 1.0) * both)
            continue; /* 2e-19 a class */
        r.ahead[r.count] = ahead;
        r.spread[r.count++] = other;
    }
    return r.count > 0 ? 1.0 - chance(&r, own) : 0.0;
}

double gbs_many_draw_wrong(const gbs_many *m, const double *score, const double *spread,
                           size_t class) {
    if (class >= m->classes || !m->learned[class])
        return 1.0;
    if (gbs_many_is_a_pair(m)) /* of both classes: how often a draw says it */
        return 1.0 - spread[class];
    if (gbs_many_draws_known(m))
        return exact(m, score, spread, class);
    return drawn_label(m, spread) != class;
}

/* ---------------------------------------------------------------- rows */

struct rows {
    const gbs_many *m;
    const double *y, *score, *spread;
    double *wrong;
    size_t n;
};

enum { ROWS_A_TASK = 64 };

static void judge_rows(void *arg, size_t task, size_t worker) {
    const struct rows *r = arg;
    size_t first = task * ROWS_A_TASK, k = r->m->classes;
    (void)worker;
    for (size_t i = first; i < r->n && i < first + ROWS_A_TASK; i++)
        r->wrong[i] = gbs_many_draw_wrong(r->m, r->score + i * k, r->spread + i * k,
                                          r->y[i] < (double)k ? (size_t)r->y[i] : k);
}

void gbs_many_draws_wrong(gbs_context *ctx, const gbs_many *m, size_t n, const double *y,
                          const double *score, const double *spread, double *wrong) {
    struct rows r = {m, y, score, spread, wrong, n};
    double classes = (double)m->classes;
    gbs_parallel_for(ctx, (n + ROWS_A_TASK - 1) / ROWS_A_TASK,
                     (double)n * classes * sqrt(classes) * 1e3, judge_rows, &r);
}
