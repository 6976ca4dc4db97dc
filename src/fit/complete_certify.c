/* The certificate of a completion (docs/maths.md, 8.10): squared error of clipped predictions over
 * the squared range, kl (6.1) over a Monte Carlo term (6.6) whose
 * share of delta is set apart.
 *
 * kl holds for all q at once. What moves q alone is therefore free: restarts, and the noise, by
 * whatever ratings it was chosen. What moves the prior is fixed in advance (with a declared range
 * every scale), taken from a first part of the ratings (there the noise as well, since it moves the
 * q that becomes the prior), or paid for: how many components are left is chosen among 0 .. rank,
 * log(rank + 1) nats.
 *
 * Beside it stand what costs nothing to certify: the middle of the range for every cell, and under
 * an informed prior the first part's mean prediction on the others (a plain hold-out). Both are
 * fixed before the ratings they are tried on, so Chernoff's bound is all they need.
 */
#include "bound/bound.h"
#include "completion/draws.h"
#include "fit/complete.h"

#include <math.h>

/* Of the confidence given up, the share that the Monte Carlo term may use. */
#define DRAWS_SHARE 0.1

double gbs_completion_mean_cell(const gbs_factors *f, size_t row, size_t column) {
    const double *x = f->side[0].mean + row * f->own, *z = f->side[1].mean + column * f->own;
    double p = f->biases ? f->ratings->center + f->mu + x[f->rank] + z[f->rank] : 0.0;
    for (size_t k = 0; k < f->rank; k++)
        p += x[k] * z[k];
    return p;
}

double gbs_completion_mean_risk(const gbs_factors *f, const gbs_ratings *ratings, double low,
                                double high) {
    const gbs_rating_list *l = &ratings->by[0];
    double sum = 0.0;
    for (size_t i = 0; i < l->items; i++)
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            double p = gbs_rating_clip(gbs_completion_mean_cell(f, i, l->other[e]), low, high);
            double off = (l->value[e] - p) / (high - low);
            sum += off * off;
        }
    return sum / (double)ratings->n;
}

double gbs_completion_middle_risk(const gbs_ratings *r, double low, double high) {
    double off = (r->center - 0.5 * (low + high)) / (high - low), width = high - low;
    return off * off + 2.0 * off * (r->sum / (double)r->n) / width +
           r->squares / (double)r->n / (width * width);
}

void gbs_completion_bound(const struct gbs_completion_run *r, const gbs_rating_certificate *drawn,
                          gbs_rating_certificate *c) {
    const gbs_complete_settings *o = r->o;
    double delta = 1.0 - o->confidence, width = o->high - o->low;
    bool informed = o->prior == GBS_PRIOR_INFORMED;
    *c = *drawn;
    c->present = 1;
    c->confidence = o->confidence;
    c->n = r->certified->n;
    c->draws_delta = DRAWS_SHARE * delta;
    c->kl = drawn->kl < 0.0 ? 0.0 : drawn->kl; /* NaN stays NaN */
    c->xi_nats = log(gbs_xi_upper(c->n));
    c->empirical_upper = gbs_monte_carlo_upper(c->empirical, c->draws, c->draws_delta);
    c->value = gbs_bound_kl(c->empirical_upper, c->kl, c->n,
                            c->grid_nats - log(delta - c->draws_delta));
    c->squared = c->value;
    c->squared_empirical = c->empirical;
    c->rmse = width * sqrt(c->value);
    c->vacuous = !(c->value < 0.25);
    c->middle_rmse = width *
                     sqrt(gbs_monte_carlo_upper(
                         gbs_completion_middle_risk(r->certified, o->low, o->high), c->n, delta));
    c->holdout_rmse = informed ? width * sqrt(gbs_monte_carlo_upper(r->holdout, c->n, delta)) : NAN;
}

gbs_status gbs_completion_certify(struct gbs_completion_run *r, size_t least_terms, uint64_t stream,
                                  gbs_rating_certificate *c) {
    const gbs_complete_settings *o = r->o;
    size_t n = r->certified->n, rounds = 1 + (least_terms - 1) / n;
    gbs_rating_certificate drawn = {.empirical = 1.0, .draws = n * rounds};
    gbs_status status = gbs_factors_drawn_risk(&r->f, r->certified, o->low, o->high, NULL, rounds,
                                               r->draw_seed, stream, &drawn.empirical);
    drawn.kl = gbs_factors_kl(&r->f);
    drawn.grid_nats = o->prior == GBS_PRIOR_INFORMED ? 0.0 : log((double)o->rank + 1.0);
    gbs_completion_bound(r, &drawn, c);
    return status;
}

double gbs_rating_holdout(size_t n, const double *y, const double *value, double low, double high,
                          double confidence) {
    double sum = 0.0;
    if (y == NULL || value == NULL || !(low < high) || !isfinite(high - low))
        return NAN;
    for (size_t k = 0; k < n; k++) {
        if (!(y[k] >= low && y[k] <= high) || isnan(value[k]))
            return NAN;
        double off = (y[k] - gbs_rating_clip(value[k], low, high)) / (high - low);
        sum += off * off;
    }
    double mean = sum / (double)n;
    return (high - low) * sqrt(gbs_monte_carlo_upper(mean > 1.0 ? 1.0 : mean, n, 1.0 - confidence));
}
