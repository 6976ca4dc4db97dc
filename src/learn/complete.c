/* One matrix completion, start to end: prior, coordinate ascent, certificate or sampling, what is kept.
 *
 * Everything that moves the prior is fixed in advance (rank, and with a declared range every scale), taken from a first part of the ratings (informed
 * prior), or paid for: how many components are left is chosen among 0 .. rank, log(rank + 1) nats. Without a range the scales come from the ratings, and
 * there is no certificate.
 *
 * Under an informed prior q1 (of the first part) the second part both teaches and certifies: q_t is the best q for t x its squared error + KL(q || q1).
 * KL grows like t^2 where the error falls like t, and a bound over few ratings a parameter wants a small t: the one with the smallest bound is taken. That
 * choice is free, since kl holds for all q at once; the Monte Carlo term is drawn anew for the q that was chosen.
 */
#include "bound/bound.h"
#include "completion/ascent.h"
#include "completion/draws.h"
#include "completion/gibbs.h"
#include "core/random.h"
#include "kernel/moments.h"
#include "model/completion.h"

#include <math.h>
#include <string.h>

/* Of the confidence given up, the share that the Monte Carlo term may use; terms it draws at least. */
#define DRAWS_SHARE 0.1
enum { LEAST_TERMS = 1000000 };

/* The prior scale of variances over the spread of the ratings; of the noise variance over its square. */
#define VARIANCE_SCALE 0.1
#define NOISE_SCALE 1e-4
/* Where the ascent begins: noise as a share of the spread squared. */
#define FIRST_NOISE 0.25
/* Share of the ratings in the first part. */
#define FIRST_PART 0.8

gbs_complete_options gbs_complete_options_default(void) {
    return (gbs_complete_options){.rank = 16,
                                  .biases = 1,
                                  .confidence = 0.95,
                                  .tolerance = 1e-6,
                                  .max_sweeps = 500,
                                  .draws = 200,
                                  .burn_in = 50,
                                  .keep = 25};
}

static gbs_status check_options(gbs_context *ctx, const gbs_complete_options *o) {
    if (o->rank > GBS_COMPLETION_MOST_RANK)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "rank must be at most %d, not %zu", (int)GBS_COMPLETION_MOST_RANK, o->rank);
    if (o->rank == 0 && !o->biases)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "rank 0 without biases leaves nothing to learn");
    if (!(o->lambda >= 0.0 && o->lambda < 1e100) || !(o->noise_variance >= 0.0 && o->noise_variance < 1e200))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "lambda and the noise variance must be numbers from 0");
    if (o->lambda > 0.0 && o->noise_variance > 0.0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "lambda and the noise variance say the same thing: give one of them");
    if (o->has_range && !(o->low < o->high && isfinite(o->high - o->low)))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the range must have a lower end below its upper one");
    if (!(o->confidence > 0.0 && o->confidence < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the confidence must lie between 0 and 1, not %g", o->confidence);
    if (!(o->prior_split >= 0.0 && o->prior_split < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the first part must be a share below 1, not %g", o->prior_split);
    if (!(o->tolerance > 0.0) || o->max_sweeps == 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the tolerance and the number of sweeps must be positive");
    if (gbs_sampler_name(o->sampler) == NULL || gbs_prior_name(o->prior) == NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "an option has a value that does not exist");
    if (o->sampler == GBS_SAMPLER_GIBBS && (o->draws == 0 || o->keep == 0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "draws and keep must be positive");
    if (o->sampler == GBS_SAMPLER_GIBBS && o->prior == GBS_PRIOR_INFORMED)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the sampler has the hierarchical prior: an informed one is for certificates");
    return GBS_OK;
}

static gbs_status check_ratings(gbs_context *ctx, const gbs_ratings *r, const gbs_complete_options *o) {
    if (o->has_range && (r->low < o->low || r->high > o->high))
        return gbs_fail(ctx, GBS_ERR_DATA, "values run from %.10g to %.10g, outside the declared range %.10g to %.10g", r->low,
                        r->high, o->low, o->high);
    if (o->prior == GBS_PRIOR_INFORMED && r->n < 4)
        return gbs_fail(ctx, GBS_ERR_DATA, "an informed prior needs at least 4 ratings, not %zu", r->n);
    for (size_t k = 0; k < o->cells; k++)
        if ((o->cell_row[k] != GBS_UNSEEN && o->cell_row[k] >= r->by[0].items) ||
            (o->cell_column[k] != GBS_UNSEEN && o->cell_column[k] >= r->by[1].items))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "cell %zu lies outside the matrix", k + 1);
    return GBS_OK;
}

/* In units of the ratings: a quarter of the range, or their standard deviation. Plain factors must reach the values themselves, not their spread. */
static double spread_of(const gbs_ratings *r, const gbs_complete_options *o) {
    double shift = o->biases ? 0.0 : r->center, far = fmax(fabs(o->low), fabs(o->high));
    double spread = sqrt(r->squares / (double)r->n + shift * shift);
    if (o->has_range)
        spread = o->biases ? (o->high - o->low) / 4.0 : far / 2.0;
    double floor = 1e-8 * fmax(1.0, fmax(fabs(r->low), fabs(r->high)));
    return spread > floor ? spread : floor; /* constant values: any scale does */
}

static gbs_completion_prior make_prior(const gbs_ratings *r, const gbs_complete_options *o) {
    double spread = spread_of(r, o);
    return (gbs_completion_prior){.shape = 1.0,
                                  .scale = VARIANCE_SCALE * spread,
                                  .bias_scale = VARIANCE_SCALE * spread * spread,
                                  .mean = o->has_range ? 0.5 * (o->low + o->high) : r->center,
                                  .variance = 4.0 * spread * spread,
                                  .noise_shape = 1.0,
                                  .noise_scale = NOISE_SCALE * spread * spread};
}

struct run {
    gbs_context *ctx;
    const gbs_complete_options *o;
    const gbs_ratings *all, *certified;
    gbs_ratings *part[2]; /* informed: the first part, and the rest */
    gbs_factors f;
    gbs_ascent ascent;
    gbs_completion *model;
    size_t visited; /* gibbs */
    double noise_sum, noise_variance;
    double share; /* informed: t */
    gbs_ascent second;
    double *cell_square;
    gbs_trace trace;
};

/* ---------------------------------------------------------------- certificate */

/* kl (6.1) over the Monte Carlo term (6.6), whose share of delta is set apart; of q as it stands. */
static gbs_status certify(struct run *r, size_t least_terms, uint64_t stream, gbs_rating_certificate *c) {
    const gbs_complete_options *o = r->o;
    size_t n = r->certified->n, rounds = 1 + (least_terms - 1) / n;
    double delta = 1.0 - o->confidence, risk = 1.0;
    gbs_status status = gbs_factors_drawn_risk(&r->f, r->certified, o->low, o->high, rounds, stream, &risk);
    *c = (gbs_rating_certificate){.present = 1,
                                  .confidence = o->confidence,
                                  .n = n,
                                  .empirical = risk,
                                  .draws = n * rounds,
                                  .draws_delta = DRAWS_SHARE * delta,
                                  .kl = fmax(0.0, gbs_factors_kl(&r->f)),
                                  .grid_nats = o->prior == GBS_PRIOR_INFORMED ? 0.0 : log((double)o->rank + 1.0),
                                  .xi_nats = log(gbs_xi_upper(n))};
    c->empirical_upper = gbs_monte_carlo_upper(risk, c->draws, c->draws_delta);
    c->value = gbs_bound_kl(c->empirical_upper, c->kl, n, c->grid_nats - log(delta - c->draws_delta));
    c->rmse = (o->high - o->low) * sqrt(c->value);
    c->vacuous = !(c->value < 0.25);
    return status;
}

/* ---------------------------------------------------------------- variational */

static gbs_status ascend(struct run *r, const gbs_ratings *ratings, bool prune, const char *stage) {
    const gbs_complete_options *o = r->o;
    gbs_completion_prior prior = make_prior(ratings, o);
    size_t rank = o->rank;
    for (int s = 0; s < 2; s++)
        rank = rank < ratings->by[s].items ? rank : ratings->by[s].items;
    gbs_status status = gbs_factors_create(r->ctx, ratings, rank, o->biases != 0, &prior, &r->f);
    if (status != GBS_OK)
        return status;
    double spread = spread_of(ratings, o), n = (double)r->all->n;
    double noise = o->lambda > 0.0 ? n / (2.0 * o->lambda) : o->noise_variance;
    r->f.learn_noise = !(noise > 0.0);
    gbs_factors_start(&r->f, 0.5 * spread / sqrt((double)(rank > 0 ? rank : 1)),
                      noise > 0.0 ? noise : FIRST_NOISE * spread * spread, GBS_STREAM_COMPLETION + GBS_COMPLETION_START);
    gbs_ascent_options a = {
        .most_sweeps = o->max_sweeps, .tolerance = o->tolerance, .prune = prune, .stage = stage, .trace = &r->trace};
    return gbs_ascend(&r->f, &a, &r->ascent);
}

/* The split ignores the values (MATHS.md, 6.4). */
static gbs_status split(struct run *r) {
    size_t n = r->all->n, first = (size_t)((r->o->prior_split > 0.0 ? r->o->prior_split : FIRST_PART) * (double)n);
    size_t *order = gbs_array_alloc(r->ctx, n, sizeof *order);
    if (order == NULL)
        return GBS_ERR_MEMORY;
    for (size_t e = 0; e < n; e++)
        order[e] = e;
    gbs_shuffle(r->ctx->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPLIT, n, order);
    first = first < 1 ? 1 : first > n - 1 ? n - 1 : first;
    gbs_status status = gbs_ratings_subset(r->ctx, r->all, first, order, &r->part[0]);
    if (status == GBS_OK)
        status = gbs_ratings_subset(r->ctx, r->all, n - first, order + first, &r->part[1]);
    gbs_array_free(r->ctx, order);
    return status;
}

/* q_t on the second part. */
static gbs_status learn_share(struct run *r, double share, double tau) {
    gbs_ascent_options a = {.most_sweeps = r->o->max_sweeps, .tolerance = r->o->tolerance, .stage = "second part"};
    gbs_ascent second = {.converged = true};
    gbs_status status = GBS_OK;
    r->f.tau = share * tau;
    if (share > 0.0)
        status = gbs_ascend(&r->f, &a, &second);
    r->second = second;
    return status;
}

static gbs_status ascend_informed(struct run *r) {
    static const double shares[] = {0.0, 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0};
    gbs_status status = split(r);
    if (status == GBS_OK)
        status = ascend(r, r->part[0], true, "first part");
    if (status == GBS_OK)
        status = gbs_factors_anchor(&r->f, r->part[1]);
    double tau = r->f.tau, best = INFINITY;
    r->certified = r->part[1];
    r->f.learn_noise = false;
    for (size_t k = 0; k < sizeof shares / sizeof *shares && status == GBS_OK; k++) {
        gbs_rating_certificate c = {0};
        status = learn_share(r, shares[k], tau);
        if (status == GBS_OK)
            status = certify(r, 1, GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY + 1, &c);
        if (status != GBS_OK || c.value >= best)
            break;
        best = c.value;
        r->share = shares[k];
    }
    if (status == GBS_OK)
        status = gbs_factors_return(&r->f);
    if (status == GBS_OK)
        status = learn_share(r, r->share, tau);
    r->noise_variance = 1.0 / tau;
    r->ascent.sweeps += r->second.sweeps;
    r->ascent.converged = r->ascent.converged && r->second.converged;
    r->ascent.free_energy = r->second.free_energy;
    return status;
}

/* ---------------------------------------------------------------- what is kept */

static gbs_status create_model(struct run *r, size_t kept, bool covariance) {
    gbs_completion *c = gbs_array_alloc(r->ctx, 1, sizeof *c);
    const gbs_complete_options *o = r->o;
    if (c == NULL)
        return GBS_ERR_MEMORY;
    r->model = c;
    c->ctx = r->ctx;
    c->own = r->f.own;
    c->info = (gbs_completion_info){.n = r->all->n,
                                    .rows = r->all->by[0].items,
                                    .columns = r->all->by[1].items,
                                    .rank = o->rank,
                                    .effective_rank = r->f.rank,
                                    .biases = o->biases != 0,
                                    .has_range = o->has_range != 0,
                                    .noise_learned = r->f.learn_noise,
                                    .low = o->has_range ? o->low : 0.0,
                                    .high = o->has_range ? o->high : 0.0,
                                    .free_energy = r->ascent.free_energy,
                                    .kl = gbs_factors_kl(&r->f),
                                    .sweeps = r->ascent.sweeps,
                                    .converged = r->ascent.converged,
                                    .prior = o->prior,
                                    .sampler = o->sampler};
    gbs_status status = gbs_completion_reserve(r->ctx, c, kept, covariance);
    return status == GBS_OK ? gbs_completion_describe(r->ctx, c, r->all) : status;
}

/* Means of the factors as they stand, as draw number t of the model. */
static void keep_draw(const gbs_factors *f, gbs_completion *c, size_t t) {
    for (int s = 0; s < 2; s++)
        memcpy(c->mean[s] + t * f->side[s].items * f->own, f->side[s].mean, f->side[s].items * f->own * sizeof(double));
    c->mu[t] = f->biases ? f->mu + f->ratings->center : 0.0;
    for (size_t g = 0; g < gbs_completion_groups(c); g++) {
        int s = g > f->rank ? 1 : 0;
        size_t coordinate = g < f->rank ? g : f->rank;
        /* a draw's own variance, or E gamma = scale / (shape - 1) */
        c->variance[t * gbs_completion_groups(c) + g] =
            f->stream != 0 ? 1.0 / f->side[s].weight[coordinate] : f->scale[g] / (f->shape[g] - 1.0);
    }
}

static void keep_noise(gbs_completion *c, double noise_variance) {
    c->info.noise_variance = noise_variance;
    c->info.lambda = (double)c->info.n / (2.0 * noise_variance);
}

static void keep_informed(const struct run *r, gbs_completion *c) {
    c->info.noise_learned = !(r->o->lambda > 0.0 || r->o->noise_variance > 0.0);
    c->info.noise_variance = r->noise_variance;
    c->info.lambda = r->share * (double)r->part[1]->n / (2.0 * r->noise_variance);
    c->info.prior_split = (double)r->part[0]->n / (double)r->all->n;
}

static gbs_status keep_variational(struct run *r) {
    const gbs_factors *f = &r->f;
    gbs_status status = create_model(r, 1, true);
    if (status != GBS_OK)
        return status;
    gbs_completion *c = r->model;
    keep_draw(f, c, 0);
    for (int s = 0; s < 2; s++)
        memcpy(c->cov[s], f->side[s].cov, f->side[s].items * gbs_packed_size(f->own) * sizeof(double));
    c->mu_variance = f->biases ? f->mu_variance : 0.0;
    c->info.mu = c->mu[0];
    if (r->o->prior == GBS_PRIOR_INFORMED)
        keep_informed(r, c);
    else
        keep_noise(c, 1.0 / f->tau);
    if (!r->o->has_range)
        return GBS_OK;
    return certify(r, LEAST_TERMS, GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY, &c->info.certificate);
}

/* ---------------------------------------------------------------- sampler */

/* The variance that a row or column without ratings (NULL) adds to a draw's prediction. */
static double unseen_variance(const gbs_factors *f, const double *x, const double *z) {
    double sum = 0.0;
    for (size_t k = 0; k < f->own; k++) {
        double vx = x == NULL ? 1.0 / f->side[0].weight[k] : 0.0, vz = z == NULL ? 1.0 / f->side[1].weight[k] : 0.0;
        if (k >= f->rank)
            sum += vx + vz;
        else
            sum += (x == NULL ? vx : x[k] * x[k]) * (z == NULL ? vz : z[k] * z[k]);
    }
    return sum;
}

/* One draw's prediction of a cell. */
static double draw_cell(const gbs_factors *f, uint32_t row, uint32_t column, double *extra) {
    const double *x = row == GBS_UNSEEN ? NULL : f->side[0].mean + row * f->own;
    const double *z = column == GBS_UNSEEN ? NULL : f->side[1].mean + column * f->own;
    double p = 0.0;
    if (f->biases)
        p = f->mu + f->ratings->center + (x != NULL ? x[f->rank] : 0.0) + (z != NULL ? z[f->rank] : 0.0);
    *extra = x == NULL || z == NULL ? unseen_variance(f, x, z) : 0.0;
    for (size_t k = 0; k < f->rank && x != NULL && z != NULL; k++)
        p += x[k] * z[k];
    return p;
}

static gbs_status visit(void *user, const gbs_factors *f, size_t t) {
    struct run *r = user;
    const gbs_complete_options *o = r->o;
    size_t kept = r->model->kept;
    for (size_t e = 0; e < o->cells; e++) {
        double extra, p = draw_cell(f, o->cell_row[e], o->cell_column[e], &extra), step = p - o->cell_value[e];
        o->cell_value[e] += step / (double)(t + 1);
        r->cell_square[e] += step * (p - o->cell_value[e]) + extra;
    }
    r->noise_sum += 1.0 / f->tau;
    r->model->info.mu += f->biases ? (f->mu + f->ratings->center) / (double)o->draws : 0.0;
    /* evenly spread over the draws, the last one among them */
    if ((t + 1) * kept / o->draws > t * kept / o->draws)
        keep_draw(f, r->model, r->visited++);
    return GBS_OK;
}

static gbs_status sample(struct run *r) {
    const gbs_complete_options *o = r->o;
    size_t kept = o->keep < o->draws ? o->keep : o->draws;
    r->cell_square = gbs_doubles(r->ctx, o->cells);
    if (r->cell_square == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = create_model(r, kept, false);
    if (status != GBS_OK)
        return status;
    for (size_t e = 0; e < o->cells; e++)
        o->cell_value[e] = 0.0;
    status = gbs_gibbs_run(&r->f, o->burn_in, o->draws, visit, r);
    gbs_completion_info *i = &r->model->info;
    i->draws = o->draws;
    i->burn_in = o->burn_in;
    i->kept = kept;
    keep_noise(r->model, r->noise_sum / (double)o->draws);
    for (size_t e = 0; e < o->cells && status == GBS_OK; e++) {
        o->cell_sd[e] = sqrt(r->cell_square[e] / (double)o->draws);
        if (o->has_range)
            o->cell_value[e] = fmin(o->high, fmax(o->low, o->cell_value[e]));
    }
    return status;
}

/* ---------------------------------------------------------------- all of it */

/* Row by row, so that the scratch space is that of the longest row. */
static gbs_status train_rmse(struct run *r) {
    const gbs_rating_list *l = &r->all->by[0];
    size_t most = 0;
    for (size_t i = 0; i < l->items; i++)
        most = l->start[i + 1] - l->start[i] > most ? l->start[i + 1] - l->start[i] : most;
    uint32_t *row = gbs_array_alloc(r->ctx, most, sizeof *row);
    double *value = gbs_doubles(r->ctx, most), squares = 0.0;
    gbs_status status = row != NULL && value != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; i < l->items && status == GBS_OK; i++) {
        size_t first = l->start[i], count = l->start[i + 1] - first;
        for (size_t k = 0; k < count; k++)
            row[k] = (uint32_t)i;
        status = gbs_completion_predict(r->ctx, r->model, count, row, l->other + first, value, NULL);
        for (size_t k = 0; k < count; k++) {
            double off = l->value[first + k] + r->all->center - value[k];
            squares += off * off;
        }
    }
    gbs_array_free(r->ctx, row);
    gbs_array_free(r->ctx, value);
    r->model->info.rmse = sqrt(squares / (double)r->all->n);
    return status;
}

gbs_status gbs_complete(gbs_context *ctx, const gbs_ratings *ratings, const gbs_complete_options *options,
                        gbs_completion **out) {
    double start = gbs_now();
    gbs_complete_options o = options != NULL ? *options : gbs_complete_options_default();
    struct run r = {.ctx = ctx, .o = &o, .all = ratings, .certified = ratings};
    *out = NULL;
    gbs_status status = check_options(ctx, &o);
    if (status == GBS_OK)
        status = check_ratings(ctx, ratings, &o);
    if (status != GBS_OK)
        return status;
    gbs_progress_begin(ctx);
    gbs_blas_serial_begin();
    bool vb = o.sampler == GBS_SAMPLER_VB;
    /* the sampler keeps every component: what the mean field switches off may be there all the same */
    status = o.prior == GBS_PRIOR_INFORMED ? ascend_informed(&r) : ascend(&r, ratings, vb, "completing");
    if (status == GBS_OK)
        status = vb ? keep_variational(&r) : sample(&r);
    if (status == GBS_OK)
        status = train_rmse(&r);
    gbs_blas_serial_end();
    gbs_factors_free(&r.f);
    gbs_ratings_free(r.part[0]);
    gbs_ratings_free(r.part[1]);
    gbs_array_free(ctx, r.cell_square);
    if (status != GBS_OK) {
        gbs_trace_free(ctx, &r.trace);
        gbs_completion_free(r.model);
        return status;
    }
    r.model->trace = r.trace;
    r.model->info.seconds = gbs_now() - start;
    *out = r.model;
    return GBS_OK;
}
