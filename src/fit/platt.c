/* Calibration (Platt 1999; docs/maths.md, 11.3): the two parameters that minimise
 *
 *   sum_i log(1 + exp(z_i)) - t_i z_i,   z_i = a + b s_i,
 *
 * with the smoothed targets t = (n+ + 1)/(n+ + 2) of a positive row and 1/(n- + 2) of a negative
 * one, which keep a and b finite where a score divides the classes. Convex; Newton's steps, halved
 * until the sum falls. Scores are centred and scaled first. A slope that comes out at 0 or below
 * says that the score knows nothing: it is then tiny and positive, so that the order of the
 * probabilities is always that of the scores.
 */
#include "fit/platt.h"

#include <math.h>
#include <stdbool.h>

#define LEAST_SLOPE 1e-9
enum { MOST_STEPS = 100 };

struct calibrating {
    const double *score, *y;
    size_t n;
    double centre, scale, up, down; /* targets of the two classes */
    bool through_zero;              /* no offset */
};

static double target(const struct calibrating *c, size_t i) {
    return c->y[i] > 0.0 ? c->up : c->down;
}

static double standard(const struct calibrating *c, size_t i) {
    return (c->score[i] - c->centre) / c->scale;
}

/* log(1 + exp(z)) */
static double softplus(double z) {
    return fmax(z, 0.0) + log1p(exp(-fabs(z)));
}

static double loss(const struct calibrating *c, double a, double b) {
    double sum = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double z = a + b * standard(c, i);
        sum += softplus(z) - target(c, i) * z;
    }
    return sum;
}

/* Newton's direction at (a, b), and how far it promises to go down. */
static double direction(const struct calibrating *c, double a, double b, double *da, double *db) {
    double ga = 0.0, gb = 0.0, haa = 1e-12, hab = 0.0, hbb = 1e-12;
    for (size_t i = 0; i < c->n; i++) {
        double s = standard(c, i), p = 1.0 / (1.0 + exp(-(a + b * s))), w = p * (1.0 - p),
               off = p - target(c, i);
        ga += off;
        gb += off * s;
        haa += w;
        hab += w * s;
        hbb += w * s * s;
    }
    double det = haa * hbb - hab * hab;
    if (c->through_zero) {
        *da = 0.0;
        *db = -gb / hbb;
    } else if (!(det > 1e-14 * haa * hbb)) { /* one direction alone is known */
        *da = -ga / haa;
        *db = 0.0;
    } else {
        *da = (hab * gb - hbb * ga) / det;
        *db = (hab * ga - haa * gb) / det;
    }
    return -(ga * *da + gb * *db);
}

static void minimise(const struct calibrating *c, double *a, double *b) {
    double value = loss(c, *a, *b);
    for (int step = 0; step < MOST_STEPS; step++) {
        double da, db, promised = direction(c, *a, *b, &da, &db), share = 1.0, next;
        if (!(promised > 1e-13 * (1.0 + value)))
            return;
        while (!((next = loss(c, *a + share * da, *b + share * db)) <
                 value - 1e-4 * share * promised)) {
            share *= 0.5;
            if (share < 1e-10)
                return;
        }
        *a += share * da;
        *b += share * db;
        value = next;
    }
}

static gbs_platt learn(const double *score, const double *y, size_t n, bool through_zero) {
    double positive = 0.0, sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        positive += y[i] > 0.0;
        sum += score[i];
    }
    double negative = (double)n - positive, centre = n > 0 && !through_zero ? sum / (double)n : 0.0;
    for (size_t i = 0; i < n; i++)
        squares += (score[i] - centre) * (score[i] - centre);
    double scale = n > 0 ? sqrt(squares / (double)n) : 0.0;
    struct calibrating c = {.score = score,
                            .y = y,
                            .n = n,
                            .centre = centre,
                            .scale = scale > 0.0 && isfinite(scale) ? scale : 1.0,
                            .up = (positive + 1.0) / (positive + 2.0),
                            .down = 1.0 / (negative + 2.0),
                            .through_zero = through_zero};
    /* the best offset of a score that says nothing */
    double share = n > 0 ? (positive * c.up + negative * c.down) / (double)n : 0.5,
           prior = through_zero ? 0.0 : log(share / (1.0 - share)), a = prior, b = 0.0;
    minimise(&c, &a, &b);
    if (!(isfinite(a) && isfinite(b) && b > LEAST_SLOPE)) {
        a = prior;
        b = LEAST_SLOPE;
    }
    return (gbs_platt){.offset = a - b * c.centre / c.scale, .slope = b / c.scale};
}

gbs_platt gbs_platt_learn(const double *score, const double *y, size_t n) {
    return learn(score, y, n, false);
}

gbs_platt gbs_platt_learn_slope(const double *score, const double *y, size_t n) {
    return learn(score, y, n, true);
}

double gbs_platt_log_loss(const double *score, const double *y, size_t n, gbs_platt p) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double z = p.offset + p.slope * score[i];
        sum += softplus(y[i] > 0.0 ? -z : z);
    }
    return sum / (double)n;
}
