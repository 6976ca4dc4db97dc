/* The exponential moment behind the hinge bound (docs/maths.md, 6.3).
 *
 *   f = log E exp(a b(c_x |theta|)^2),   theta ~ N(m0, v I_d),
 *   a = lambda^2/(8n),   b(t) = min(2t, 1+t)
 *
 * For a fixed theta the hinge loss lies between max(0, 1-t) and 1+t, t = c_x |theta|: Hoeffding's
 * lemma with a range of b(t). rho = |theta|/sqrt(v) has the non-central chi law with d degrees and
 * distance delta = |m0|/sqrt(v), a Poisson mixture:
 *
 *   density(rho) = rho sum_j P(j; delta^2/2) P(d/2 - 1 + j; rho^2/2),
 *   P(x; mu) = mu^x e^-mu / Gamma(x+1)
 *
 * Everything is kept as logarithms. With s = c_x sqrt(v) the integrand has a kink at rho = 1/s; on
 * either side its logarithm h is unimodal: h'(rho)/rho = const + 2as [beyond the kink]/rho +
 * (d-1)/rho^2 + delta I'(.)/rho falls in rho, since I_(nu+1)(x)/(x I_nu(x)) does. So a golden
 * search finds the peak of a side, bisection the places where h is 60 below the highest peak, and
 * Gauss-Legendre with 16 nodes in each of 64 draws integrates between them to about 1e-13; MARGIN
 * is added on top. Closed form: b^2 <= 2 + 2 t^2.
 *
 * The mixture takes some delta terms, so beyond FAR the triangle stands in for it: |theta| <= |m0|
 * + sqrt(v) |z|, z standard normal. b rises, so that is an upper bound; it lets |z| count in full
 * where the law lets it count along m0 alone, which moves t by less than c_x sqrt(vd), below
 * sqrt(d)/FAR of itself. Then rho is |z|, t = s (delta + rho), and the law is the central one.
 */
#include "bound/accurate.h"
#include "bound/bound.h"

#include <math.h>

#define DEPTH 60.0
#define MARGIN 1e-10
#define FAR 1e4
/* Next to the largest lambda the integral reaches out to some rho = 1/(1 - 2as^2), and the mixture
 * there has some sqrt(delta rho) terms, without end as lambda grows. Beyond this product the
 * triangle stands in too: the bound is vacuous by orders of magnitude either way. */
#define MOST_MIXED 1e8
enum { PANELS = 64, NODES = 16, STEPS = 100 };

struct moment {
    double d, delta; /* of the law of rho */
    double a, s;     /* of the integrand */
    double shift;    /* t = s (shift + rho) */
};

/* log sum_j P(j; delta^2/2) P(alpha + j; rho^2/2): outwards from its largest term. */
static double log_mixture(double alpha, double delta, double rho) {
    double x = 0.5 * delta * delta, y = 0.5 * rho * rho, product = x * y;
    double peak = floor(2.0 * product / (alpha + sqrt(alpha * alpha + 4.0 * product)));
    double up = 0.0, down = 0.0, term = 1.0;
    for (double j = peak + 1.0; term > 0.0 && term > 1e-18 * up; j += 1.0) {
        term *= product / (j * (alpha + j));
        up += term;
    }
    term = 1.0;
    for (double j = peak; j > 0.0 && term > 0.0 && term > 1e-18 * down; j -= 1.0) {
        term *= j * (alpha + j) / product;
        down += term;
    }
    return gbs_poisson_log_mass(peak, x) + gbs_poisson_log_mass(alpha + peak, y) + log1p(up + down);
}

static double log_density(const struct moment *w, double rho) {
    double away = rho - w->delta;
    if (w->d == 1.0)
        return -0.5 * away * away - 0.91893853320467274178 + log1p(exp(-2.0 * rho * w->delta));
    double alpha = 0.5 * w->d - 1.0;
    if (w->delta * rho < 1e-150) /* the later terms of the mixture are nothing */
        return log(rho) + gbs_poisson_log_mass(alpha, 0.5 * rho * rho) - 0.5 * w->delta * w->delta;
    return log(rho) + log_mixture(alpha, w->delta, rho);
}

static double log_integrand(const struct moment *w, double rho) {
    double t = w->s * (w->shift + rho), b = fmin(2.0 * t, 1.0 + t);
    return rho > 0.0 ? w->a * b * b + log_density(w, rho) : -INFINITY;
}

/* Where the unimodal h is largest in [low, high]. */
static double peak_between(const struct moment *w, double low, double high) {
    const double golden = 0.61803398874989484820;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double hx = log_integrand(w, x), hy = log_integrand(w, y);
    for (int step = 0; step < STEPS && high - low > 1e-9 * high; step++) {
        if (hx > hy) {
            high = y, y = x, hy = hx;
            x = high - golden * (high - low);
            hx = log_integrand(w, x);
        } else {
            low = x, x = y, hx = hy;
            y = low + golden * (high - low);
            hy = log_integrand(w, y);
        }
    }
    return 0.5 * (low + high);
}

/* Where h crosses `level` between `inside` (above it) and `outside`; the side away from the peak.
 * `outside` itself when h is above there. */
static double crossing(const struct moment *w, double inside, double outside, double level) {
    if (log_integrand(w, outside) > level)
        return outside;
    for (int step = 0; step < 60 && fabs(outside - inside) > 1e-6 * fmax(inside, outside); step++) {
        double middle = 0.5 * (inside + outside);
        if (log_integrand(w, middle) > level)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

/* The integral of exp(h - top) over [low, high]. */
static double integral(const struct moment *w, double low, double high, double top) {
    static const double node[NODES / 2] = {
        0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
        0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
    static const double weight[NODES / 2] = {
        0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382, 0.1495959888165767321,
        0.1246289712555338721, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};
    double half = 0.5 * (high - low) / PANELS, sum = 0.0;
    for (int drawn = 0; drawn < PANELS; drawn++) {
        double centre = low + (2.0 * drawn + 1.0) * half;
        for (int k = 0; k < NODES / 2; k++)
            sum += weight[k] * (exp(log_integrand(w, centre - half * node[k]) - top) +
                                exp(log_integrand(w, centre + half * node[k]) - top));
    }
    return sum * half;
}

/* A place beyond which h falls, on the side with h' <= 2ap + [2as^2q - 1] rho + (d-1)/rho + delta.
 */
static double beyond_peak(const struct moment *w, double pull, double curvature) {
    return (pull + w->delta) / curvature + sqrt((w->d - 1.0) / curvature) + 1.0;
}

static double kink_of(const struct moment *w) {
    return fmax(0.0, 1.0 / w->s - w->shift);
}

/* 1 - 2as^2: the integrand falls like exp(-flat rho^2/2). */
static double flatness(const struct moment *w) {
    return 1.0 - 2.0 * w->a * w->s * w->s;
}

/* A place beyond which h falls. */
static double far_end(const struct moment *w) {
    return kink_of(w) + beyond_peak(w, 2.0 * w->a * w->s * (1.0 + w->s * w->shift), flatness(w));
}

static double log_moment(const struct moment *w) {
    double kink = kink_of(w), steep = 1.0 - 8.0 * w->a * w->s * w->s, flat = flatness(w);
    double end = steep > 0.0
                     ? fmin(kink, beyond_peak(w, 8.0 * w->a * w->s * w->s * w->shift, steep))
                     : kink;
    double first = peak_between(w, 0.0, end);
    double second = peak_between(w, kink, far_end(w));
    double h1 = fmax(log_integrand(w, first), log_integrand(w, end)), h2 = log_integrand(w, second);
    h2 = fmax(h2, log_integrand(w, kink));
    double top = fmax(h1, h2), sum = 0.0;
    if (h1 > top - DEPTH) {
        double low = crossing(w, first, 0.0, top - DEPTH), high = fmin(kink, first + 1.0);
        while (high < kink && log_integrand(w, high) > top - DEPTH)
            high = fmin(kink, first + 2.0 * (high - first));
        sum += integral(w, low, crossing(w, first, high, top - DEPTH), top);
    }
    if (h2 > top - DEPTH) {
        double low = crossing(w, second, kink, top - DEPTH), high = second + 1.0 / sqrt(flat);
        while (log_integrand(w, high) > top - DEPTH)
            high = second + 2.0 * (high - second);
        sum += integral(w, low, crossing(w, second, high, top - DEPTH), top);
    }
    return top + log(sum) + MARGIN + 1e-13 * fabs(top);
}

static bool fine(double lambda, uint64_t n, size_t d, double v, double norm, double cx) {
    return lambda > 0.0 && isfinite(lambda) && n > 0 && d > 0 && v > 0.0 && isfinite(v) &&
           norm >= 0.0 && isfinite(norm) && cx > 0.0 && isfinite(cx);
}

double gbs_hinge_lambda_limit(bool exact, uint64_t n, double v, double cx) {
    return sqrt((exact ? 4.0 : 2.0) * (double)n / v) / cx;
}

double gbs_hinge_f_exact(double lambda, uint64_t n, size_t d, double v, double norm, double cx) {
    if (!fine(lambda, n, d, v, norm, cx))
        return NAN;
    struct moment w = {.d = (double)d,
                       .delta = norm / sqrt(v),
                       .a = lambda * lambda / (8.0 * (double)n),
                       .s = cx * sqrt(v)};
    if (!(flatness(&w) > 1e-12))
        return INFINITY;
    if (w.delta > FAR || w.delta * far_end(&w) > MOST_MIXED) {
        w.shift = w.delta;
        w.delta = 0.0;
        return fmax(0.0, fmin(log_moment(&w), gbs_hinge_f_closed(lambda, n, d, v, norm, cx)));
    }
    double f = log_moment(&w);
    return f < 0.0 ? 0.0 : f; /* NaN stays NaN: there is no bound then */
}

double gbs_hinge_f_closed(double lambda, uint64_t n, size_t d, double v, double norm, double cx) {
    if (!fine(lambda, n, d, v, norm, cx))
        return NAN;
    double size = (double)n, a = lambda * lambda / (4.0 * size) * cx * cx, left = 1.0 - 2.0 * a * v;
    if (!(left > 1e-12))
        return INFINITY;
    double f = lambda * lambda / (4.0 * size) - 0.5 * (double)d * log1p(-2.0 * a * v) +
               a * norm * norm / left;
    return f * (1.0 + 16.0 * DBL_EPSILON / left);
}
