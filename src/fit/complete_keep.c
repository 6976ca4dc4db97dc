/* What is kept of a completion: the Gaussians of the mean field, or averages and some draws of the
 * sampler. */
#include "completion/gibbs.h"
#include "core/random.h"
#include "fit/complete.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

/* Terms that the Monte Carlo part of a certificate draws at least. */
enum { LEAST_TERMS = 1000000 };

gbs_status gbs_completion_begin_model(struct gbs_completion_run *r, size_t rank, size_t own,
                                      size_t kept, bool covariance, double kl) {
    gbs_completion *c = gbs_handle_alloc(r->ctx, sizeof *c);
    const gbs_complete_settings *o = r->o;
    if (c == NULL)
        return GBS_ERR_MEMORY;
    r->model = c;
    c->ctx = r->ctx;
    c->own = own;
    c->model = o->model;
    c->inflation = r->inflation > 0.0 ? r->inflation : 1.0;
    c->info = (gbs_completion_info){.n = r->all->n,
                                    .rows = r->all->by[0].items,
                                    .columns = r->all->by[1].items,
                                    .rank = o->rank,
                                    .effective_rank = rank,
                                    .biases = o->biases != 0,
                                    .has_range = o->has_range != 0,
                                    .noise_learned = r->f.learn_noise,
                                    .low = o->has_range ? o->low : 0.0,
                                    .high = o->has_range ? o->high : 0.0,
                                    .free_energy = r->ascent.free_energy,
                                    .kl = kl,
                                    .sweeps = r->ascent.sweeps,
                                    .converged = r->ascent.converged,
                                    .prior = o->prior,
                                    .sampler = o->sampler,
                                    .mean = r->all->center,
                                    .sd = sqrt(r->all->squares / (double)r->all->n),
                                    .folds = o->cross_validate ? o->folds : 0};
    c->n_choices = r->n_choices;
    c->choices = r->choices;
    r->choices = NULL;
    c->n_restarts = r->restarts != NULL ? o->restarts : 0;
    c->restarts = r->restarts;
    r->restarts = NULL;
    gbs_status status = gbs_completion_reserve(r->ctx, c, kept, covariance);
    return status == GBS_OK ? gbs_completion_describe(r->ctx, c, r->all) : status;
}

static gbs_status create_model(struct gbs_completion_run *r, size_t kept, bool covariance,
                               double kl) {
    return gbs_completion_begin_model(r, r->f.rank, r->f.own, kept, covariance, kl);
}

/* Means of the factors as they stand, as draw number t of the model. */
static void keep_draw(const gbs_factors *f, gbs_completion *c, size_t t) {
    for (int s = 0; s < 2; s++)
        memcpy(c->mean[s] + t * f->side[s].items * f->own, f->side[s].mean,
               f->side[s].items * f->own * sizeof(double));
    c->mu[t] = f->biases ? f->mu + f->ratings->center : 0.0;
    for (size_t g = 0; g < gbs_completion_groups(c); g++) {
        int s = g > f->rank ? 1 : 0;
        size_t coordinate = g < f->rank ? g : f->rank;
        /* a draw's own variance, or E gamma = scale / (shape - 1) */
        c->variance[t * gbs_completion_groups(c) + g] = f->stream != 0
                                                            ? 1.0 / f->side[s].weight[coordinate]
                                                            : f->scale[g] / (f->shape[g] - 1.0);
    }
}

static void keep_noise(gbs_completion *c, double noise_variance) {
    c->info.noise_variance = noise_variance;
    c->info.lambda = (double)c->info.n / (2.0 * noise_variance);
}

static void keep_informed(const struct gbs_completion_run *r, gbs_completion *c) {
    c->info.noise_learned = !(r->noise_variance > 0.0);
    c->info.noise_variance = r->share_noise;
    c->info.lambda = r->share * (double)r->part[1]->n / (2.0 * r->share_noise);
    c->info.prior_split = (double)r->part[0]->n / (double)r->all->n;
}

gbs_status gbs_completion_keep_variational(struct gbs_completion_run *r) {
    const gbs_factors *f = &r->f;
    gbs_status status = create_model(r, 1, true, gbs_factors_kl(f));
    if (status != GBS_OK)
        return status;
    gbs_completion *c = r->model;
    keep_draw(f, c, 0);
    for (int s = 0; s < 2; s++)
        memcpy(c->cov[s], f->side[s].cov,
               f->side[s].items * gbs_packed_size(f->own) * sizeof(double));
    c->mu_variance = f->biases ? f->mu_variance : 0.0;
    c->info.mu = c->mu[0];
    if (r->o->prior == GBS_PRIOR_INFORMED)
        keep_informed(r, c);
    else
        keep_noise(c, 1.0 / f->tau);
    if (!r->o->has_range || r->learned != NULL) /* which has its own certificate */
        return GBS_OK;
    return gbs_completion_certify(r, LEAST_TERMS, GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY,
                                  &c->certificate);
}

/* ---------------------------------------------------------------- sampler */

/* The variance that a row or column without ratings (NULL) adds to a draw's prediction. */
static double unseen_variance(const gbs_factors *f, const double *x, const double *z) {
    double sum = 0.0;
    for (size_t k = 0; k < f->own; k++) {
        double vx = x == NULL ? 1.0 / f->side[0].weight[k] : 0.0,
               vz = z == NULL ? 1.0 / f->side[1].weight[k] : 0.0;
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
        p = f->mu + f->ratings->center + (x != NULL ? x[f->rank] : 0.0) +
            (z != NULL ? z[f->rank] : 0.0);
    *extra = x == NULL || z == NULL ? unseen_variance(f, x, z) : 0.0;
    for (size_t k = 0; k < f->rank && x != NULL && z != NULL; k++)
        p += x[k] * z[k];
    return p;
}

struct sampling {
    struct gbs_completion_run *r;
    size_t visited;
    double noise_sum, *square; /* square: of each cell about its running mean */
    const gbs_factors *f;      /* draw number t */
    size_t t;
};

enum { CELLS_A_TASK = 1024 };

static void visit_cells(void *arg, size_t task, size_t worker) {
    struct sampling *run = arg;
    const gbs_complete_settings *o = run->r->o;
    size_t last = (task + 1) * CELLS_A_TASK;
    (void)worker;
    for (size_t e = task * CELLS_A_TASK; e < last && e < o->cells; e++) {
        double extra, p = draw_cell(run->f, o->cell_row[e], o->cell_column[e], &extra),
                      step = p - o->cell_value[e];
        o->cell_value[e] += step / (double)(run->t + 1);
        run->square[e] += step * (p - o->cell_value[e]) + extra;
    }
}

static gbs_status visit(void *user, const gbs_factors *f, size_t t) {
    struct sampling *run = user;
    const gbs_complete_settings *o = run->r->o;
    gbs_completion *model = run->r->model;
    run->f = f;
    run->t = t;
    gbs_parallel_for(run->r->ctx, (o->cells + CELLS_A_TASK - 1) / CELLS_A_TASK,
                     4.0 * (double)f->own * (double)o->cells, visit_cells, run);
    run->noise_sum += 1.0 / f->tau;
    model->info.mu += f->biases ? (f->mu + f->ratings->center) / (double)o->draws : 0.0;
    /* evenly spread over the draws, the last one among them */
    if ((t + 1) * model->kept / o->draws > t * model->kept / o->draws)
        keep_draw(f, model, run->visited++);
    return GBS_OK;
}

gbs_status gbs_completion_sample(struct gbs_completion_run *r) {
    const gbs_complete_settings *o = r->o;
    size_t kept = o->keep < o->draws ? o->keep : o->draws;
    struct sampling run = {.r = r, .square = gbs_doubles(r->ctx, o->cells)};
    /* as free energy and sweeps, of the mean field that the chain begins at */
    double kl = gbs_factors_kl(&r->f);
    gbs_completion_reopen(r);
    gbs_status status = run.square != NULL ? create_model(r, kept, false, kl) : GBS_ERR_MEMORY;
    for (size_t e = 0; e < o->cells; e++)
        o->cell_value[e] = 0.0;
    if (status == GBS_OK)
        status = gbs_gibbs_run(&r->f, o->burn_in, o->draws, visit, &run);
    if (status == GBS_OK) {
        gbs_completion_info *i = &r->model->info;
        i->draws = o->draws;
        i->burn_in = o->burn_in;
        i->kept = kept;
        keep_noise(r->model, run.noise_sum / (double)o->draws);
    }
    for (size_t e = 0; e < o->cells && status == GBS_OK; e++) {
        o->cell_sd[e] = sqrt(run.square[e] / (double)o->draws);
        if (o->has_range)
            o->cell_value[e] = gbs_rating_clip(o->cell_value[e], o->low, o->high);
        if (!isfinite(o->cell_value[e]) || !isfinite(o->cell_sd[e]))
            status = gbs_fail(r->ctx, GBS_ERR_NUMERIC,
                              "cell %zu: its prediction is not a finite number", e + 1);
    }
    gbs_array_free(r->ctx, run.square);
    return status;
}
