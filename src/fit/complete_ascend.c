/* How q is fitted: the prior, the starts, and the second part's say under an informed prior.
 *
 * Under an informed prior q1 (of the first part) the second part both teaches and certifies: q_t is
 * the best q for t x its squared error + KL(q || q1). KL grows like t^2 where the error falls like
 * t, and a bound over few ratings a parameter wants a small t: the one with the smallest bound is
 * taken. That choice is free, since kl holds for all q at once; the Monte Carlo term is drawn anew
 * for the q that was chosen (docs/maths.md, 8.9).
 */
#include "core/random.h"
#include "fit/complete.h"

#include <math.h>

/* The prior scale of variances over the spread of the ratings; of the noise variance over its
 * square. */
#define VARIANCE_SCALE 0.1
#define NOISE_SCALE 1e-4
/* Where the ascent begins: noise as a share of the spread squared. */
#define FIRST_NOISE 0.25
/* Share of the ratings in the first part. */
#define FIRST_PART 0.8

/* In units of the ratings: a quarter of the range, or their standard deviation. Plain factors must
 * reach the values themselves, not their spread. */
static double spread_of(const gbs_ratings *r, const gbs_complete_settings *o) {
    double shift = o->biases ? 0.0 : r->center, far = fmax(fabs(o->low), fabs(o->high));
    double spread = sqrt(r->squares / (double)r->n + shift * shift);
    if (o->has_range)
        spread = o->biases ? (o->high - o->low) / 4.0 : far / 2.0;
    else /* which certifies nothing */
        far = fmax(fabs(r->low), fabs(r->high));
    double floor = 1e-8 * fmax(1.0, far);
    return spread > floor ? spread : floor; /* constant values: any scale does */
}

static gbs_completion_prior make_prior(const gbs_ratings *r, const gbs_complete_settings *o) {
    double spread = spread_of(r, o);
    return (gbs_completion_prior){.shape = 1.0,
                                  .scale = VARIANCE_SCALE * spread,
                                  .bias_scale = VARIANCE_SCALE * spread * spread,
                                  .mean = o->has_range ? 0.5 * (o->low + o->high) : r->center,
                                  .variance = 4.0 * spread * spread,
                                  .noise_shape = 1.0,
                                  .noise_scale = NOISE_SCALE * spread * spread};
}

/* ---------------------------------------------------------------- starts */

/* The variance that a component begins with: together they make half the spread. */
static double first_variance(double spread, size_t rank) {
    return 0.5 * spread / sqrt((double)(rank > 0 ? rank : 1));
}

struct attempt {
    gbs_factors f;
    gbs_ascent ascent;
};

static gbs_status ascend_once(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                              const char *stage, size_t start, struct attempt *a) {
    const gbs_complete_settings *o = r->o;
    gbs_completion_prior prior = make_prior(ratings, o);
    double spread = spread_of(ratings, o);
    uint64_t stream = GBS_STREAM_COMPLETION + (start == 0 ? (uint64_t)GBS_COMPLETION_START
                                                          : GBS_COMPLETION_RESTART + 2 * start);
    size_t rank = r->from != NULL ? r->from->rank : o->rank;
    for (int s = 0; s < 2; s++)
        rank = rank < ratings->by[s].items ? rank : ratings->by[s].items;
    gbs_status status = gbs_factors_create(r->ctx, ratings, rank, o->biases != 0, &prior, &a->f);
    if (status != GBS_OK)
        return status;
    a->f.learn_noise = !(r->noise_variance > 0.0);
    gbs_factors_start(&a->f, first_variance(spread, rank),
                      a->f.learn_noise ? FIRST_NOISE * spread * spread : r->noise_variance, stream);
    if (start == 0 && r->from != NULL)
        gbs_factors_start_from(&a->f, r->from);
    else if (start == 0)
        status = gbs_factors_start_spectral(&a->f, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPECTRUM);
    if (status != GBS_OK)
        return status;
    gbs_ascent_options options = {.most_sweeps = o->max_sweeps,
                                  .tolerance = o->tolerance,
                                  .prune = true,
                                  .stage = stage,
                                  .trace = r->trace};
    return gbs_ascend(&a->f, &options, &a->ascent);
}

gbs_status gbs_completion_ascend(struct gbs_completion_run *r, const gbs_ratings *ratings,
                                 const char *stage) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; k < r->o->restarts && status == GBS_OK; k++) {
        struct attempt a = {.f = {.ctx = r->ctx}};
        status = ascend_once(r, ratings, stage, k, &a);
        if (r->restarts != NULL)
            r->restarts[k] = a.ascent.free_energy;
        if (k == 0 || (status == GBS_OK && a.ascent.free_energy < r->ascent.free_energy)) {
            struct attempt worse = {r->f, r->ascent};
            r->f = a.f;
            r->ascent = a.ascent;
            a = worse;
        }
        if (a.f.ctx != NULL)
            gbs_factors_free(&a.f);
    }
    return status;
}

void gbs_completion_reopen(struct gbs_completion_run *r) {
    gbs_factors_reopen(&r->f, first_variance(spread_of(r->all, r->o), r->f.room),
                       GBS_STREAM_COMPLETION + GBS_COMPLETION_REOPEN);
}

/* ---------------------------------------------------------------- an informed prior */

/* The split ignores the values (docs/maths.md, 6.4). */
gbs_status gbs_completion_split_first(struct gbs_completion_run *r) {
    size_t n = r->all->n,
           first = (size_t)((r->o->prior_split > 0.0 ? r->o->prior_split : FIRST_PART) * (double)n);
    size_t *order = NULL;
    first = first < 1 ? 1 : first > n - 1 ? n - 1 : first;
    gbs_status status = gbs_ratings_shuffled(
        r->ctx, r->all, r->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPLIT, false, &order);
    if (status == GBS_OK)
        status = gbs_ratings_subset(r->ctx, r->all, first, order, &r->part[0]);
    if (status == GBS_OK)
        status = gbs_ratings_subset(r->ctx, r->all, n - first, order + first, &r->part[1]);
    gbs_array_free(r->ctx, order);
    return status;
}

/* q_t on the second part. */
static gbs_status learn_share(struct gbs_completion_run *r, double share, double tau) {
    gbs_ascent_options a = {
        .most_sweeps = r->o->max_sweeps, .tolerance = r->o->tolerance, .stage = "second part"};
    gbs_ascent second = {.converged = true};
    gbs_status status = GBS_OK;
    r->f.tau = share * tau;
    if (share > 0.0)
        status = gbs_ascend(&r->f, &a, &second);
    r->second = second;
    return status;
}

/* The t with the smallest bound, then its q. */
static gbs_status choose_share(struct gbs_completion_run *r) {
    static const double shares[] = {0.0, 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0};
    double tau = r->f.tau, best = INFINITY;
    gbs_status status = GBS_OK;
    for (size_t k = 0; k < sizeof shares / sizeof *shares && status == GBS_OK; k++) {
        gbs_rating_certificate c = {0};
        status = learn_share(r, shares[k], tau);
        if (status == GBS_OK)
            status = gbs_completion_certify(r, 1,
                                            GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY + 1, &c);
        if (status != GBS_OK || !(c.value < best))
            break;
        best = c.value;
        r->share = shares[k];
    }
    if (status == GBS_OK)
        status = gbs_factors_return(&r->f);
    if (status == GBS_OK)
        status = learn_share(r, r->share, tau);
    r->share_noise = 1.0 / tau;
    return status;
}

gbs_status gbs_completion_learn_second(struct gbs_completion_run *r) {
    r->certified = r->part[1];
    r->f.learn_noise = false;
    r->holdout = gbs_completion_mean_risk(&r->f, r->part[1], r->o->low, r->o->high);
    return choose_share(r);
}

gbs_status gbs_completion_ascend_informed(struct gbs_completion_run *r) {
    gbs_status status = gbs_completion_split_first(r);
    if (status == GBS_OK && r->o->cross_validate)
        status = gbs_completion_choose_noise(r, r->part[0]);
    if (status == GBS_OK)
        status = gbs_completion_ascend(r, r->part[0], "first part");
    if (status == GBS_OK)
        status = gbs_factors_centre(&r->f, r->part[1]);
    if (status != GBS_OK)
        return status;
    status = gbs_completion_learn_second(r);
    r->ascent.sweeps += r->second.sweeps;
    r->ascent.converged = r->ascent.converged && r->second.converged;
    r->ascent.free_energy = r->second.free_energy;
    return status;
}
