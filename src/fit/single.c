/* One posterior and its certificates: docs/maths.md, 6.1 to 6.5.
 *
 *   zero prior:      pi = N(0, v I); all rows train the posterior, and certify it
 *   informed prior:  pi = N(m0, v I), m0, v and the scaling from the first part;
 *                    the second part trains the posterior and certifies it
 *
 * A grid of v and a ladder of lambda, declared in advance, may be chosen from by the bound itself,
 * at its price.
 */
#include "fit/prior_centre.h"
#include "fit/start.h"
#include "fit/ways.h"

#include "bound/bound.h"
#include "judge/judge.h"

#include <math.h>

/* Nats that a posterior under an informed prior is expected to move by, where a lambda is chosen
 * before. */
#define PREDICTED_KL 1.0

struct single {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_fit_settings o;
    gbs_model *model;
    gbs_split split;     /* informed: the rows in their random order */
    gbs_rows rows;       /* all, in that order */
    size_t first;        /* rows that are not certified */
    gbs_empirical *risk; /* over the certified rows, or over pairs of them */
    double *m0;          /* informed */
    gbs_prior_centre centre;
};

static const gbs_data *ordered(const struct single *f) {
    return f->split.view != NULL ? f->split.view : f->data;
}

/* What certifies: rows, or pairs of them. */
static gbs_status prepare_risk(struct single *f) {
    gbs_rows certified = gbs_rows_slice(&f->rows, f->first, f->rows.all.n - f->first);
    const gbs_loss_ops *loss = gbs_loss_of(f->o.loss);
    /* steps of the stochastic solver draw single rows */
    bool many = f->o.solver == GBS_SOLVER_SGD;
    gbs_status status = gbs_fit_task(&f->o)->risk(f->ctx, &certified, many, loss, &f->risk);
    if (status != GBS_OK || f->risk->units > 0)
        return status;
    return gbs_fail(f->ctx, GBS_ERR_DATA,
                    "the certified part of the split (%zu of %zu rows) has rows of one class only; "
                    "use a smaller `prior-split`, or `prior` zero",
                    certified.all.n, f->rows.all.n);
}

/* Scaling constants and the prior's centre, from the first part; or from all rows, and none. */
static gbs_status prepare(struct single *f) {
    const gbs_fit_settings *o = &f->o;
    bool informed = o->prior == GBS_PRIOR_INFORMED;
    gbs_data *head = NULL;
    gbs_status status = informed ? gbs_split_create(f->ctx, f->data, o, &f->split) : GBS_OK;
    f->first = f->split.first;
    if (status == GBS_OK && informed)
        f->model->split = gbs_split_key_of(&f->split, o);
    if (status == GBS_OK && informed)
        status = gbs_prior_centre_choose(f->ctx, &f->split, o, &f->centre);
    if (status == GBS_OK && informed)
        status = gbs_split_head(f->ctx, &f->split, f->first, &head);
    if (status == GBS_OK)
        status = gbs_maps_learn(f->ctx, informed ? head : f->data, o, &f->model->maps);
    if (status == GBS_OK)
        status = gbs_maps_tell_constant(f->ctx, &f->model->maps, informed ? head : f->data);
    gbs_data_free(head);
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, ordered(f), &f->model->maps, &f->rows);
    gbs_split_forget_order(&f->split);
    if (status == GBS_OK && informed) {
        gbs_rows known = gbs_rows_slice(&f->rows, 0, f->first);
        f->m0 = gbs_doubles(f->ctx, f->rows.d);
        if (f->m0 == NULL)
            status = GBS_ERR_MEMORY;
        else
            status = gbs_prior_centre_fit(f->ctx, &known, o, &f->centre, f->m0);
    }
    return status == GBS_OK ? prepare_risk(f) : status;
}

/* The lambda at which the bound would be smallest if the second part were as the first part
 * predicts. */
static double chosen_lambda(const struct single *f, size_t n) {
    double price = PREDICTED_KL - log(1.0 - f->o.confidence), rows = (double)n;
    if (f->o.prior == GBS_PRIOR_ZERO)
        return rows; /* over pairs: that of rows is set before */
    switch (gbs_single_method(&f->o)) {
    case GBS_BOUND_HOEFFDING:
        return sqrt(8.0 * rows * price);
    case GBS_BOUND_PAPER:
        return sqrt(2.0 * rows * price); /* ranking: the rows are half of them */
    default:
        return gbs_bound_catoni_lambda(f->centre.predicted, PREDICTED_KL, n, price - PREDICTED_KL);
    }
}

/* What a rung would be certified at, the price of choosing among all of them paid. */
struct pricing {
    const gbs_fit_settings *o;
    size_t grid, ladder;
    gbs_evidence counted; /* what the certificate counts */
};

static double rung_value(void *arg, double gibbs, double kl, double paper_kl, double lambda) {
    const struct pricing *p = arg;
    gbs_bound method = gbs_single_method(p->o);
    double price = -log(1.0 - p->o->confidence) + gbs_grid_nats(p->o, method, p->grid, p->ladder);
    const gbs_evidence *e = &p->counted;
    if (e->paired_rows > 0 && method == GBS_BOUND_PAPER)
        return gbs_bound_paper_ranking(gibbs * e->pair_share, paper_kl, e->paired_rows, lambda,
                                       price);
    return gbs_gibbs_bound(method, gibbs, kl, paper_kl, e->n, lambda, price);
}

static double *spread_grid(const struct single *f, size_t *size) {
    const gbs_fit_settings *o = &f->o;
    *size = o->prior_grid_size > 0 ? o->prior_grid_size : 1;
    double *grid = gbs_doubles(f->ctx, *size);
    for (size_t k = 0; grid != NULL && k < *size; k++)
        grid[k] = o->prior_grid_size > 0 ? o->prior_grid[k]
                  : o->prior_sd > 0.0    ? o->prior_sd
                                         : gbs_prior_centre_spread(f->rows.d, f->m0);
    return grid;
}

/* Keeps the posterior p if it is better than what is kept. */
static gbs_status keep_best(struct single *f, gbs_posterior *p, double *best) {
    double value = p->path[p->chosen].bound;
    gbs_status status = gbs_keep_path(f->ctx, f->model, p, f->o.restarts);
    if (status == GBS_OK && (f->model->stages[0].posterior.mean == NULL || value < *best)) {
        size_t spent = f->model->info.iterations;
        gbs_stage_free(f->ctx, &f->model->stages[0]);
        f->model->info = (gbs_model_info){.iterations = spent, .converged = 1};
        gbs_keep_fit(f->model, &f->o, f->data, p);
        f->model->stages[0] = p->stage;
        f->model->stages[0].from = f->first;
        p->stage = (gbs_stage){0};
        *best = value;
    } else if (status == GBS_OK) {
        for (size_t t = 0; t < p->rungs; t++)
            f->model->info.iterations += p->path[t].iterations;
    }
    return status;
}

static gbs_status train(struct single *f, size_t *grid_size) {
    const gbs_fit_settings *o = &f->o;
    double *grid = spread_grid(f, grid_size), best = INFINITY;
    gbs_status status = grid != NULL ? GBS_OK : GBS_ERR_MEMORY;
    struct pricing pricing = {
        .o = o, .grid = *grid_size, .ladder = o->ladder_size > 0 ? o->ladder_size : 1};
    gbs_evidence *counted = &pricing.counted;
    gbs_fit_task(o)->count(f->risk, f->rows.all.n - f->first, counted);
    gbs_gaussian start = {0};
    if (status == GBS_OK)
        status = gbs_start_make(f->ctx, o, o->start, &f->model->maps, &start);
    /* the paper's risk of pairs does not take the labels as given: its lambda may not depend on
     * them */
    bool any_two = counted->paired_rows > 0 && gbs_single_method(o) == GBS_BOUND_PAPER;
    size_t units = any_two ? counted->paired_rows / 2 : f->risk->units;
    for (size_t k = 0; status == GBS_OK && k < *grid_size; k++) {
        gbs_posterior_job job = {.ctx = f->ctx,
                                 .options = o,
                                 .climb = o->prior == GBS_PRIOR_ZERO,
                                 .trace = &f->model->trace};
        job.risk = f->risk;
        job.start = &start;
        job.prior = (gbs_prior){f->m0, grid[k] * grid[k]};
        job.lambda = o->lambda > 0.0 ? o->lambda : chosen_lambda(f, units);
        /* where pairs are sampled, the certificate alone pays for that */
        bool priced = !gbs_posterior_by_sample(o, f->risk);
        bool valued = *grid_size > 1 || o->ladder_size > 1 || gbs_loss_is_error(o->loss) ||
                      o->trace;
        job.value = valued && priced && o->restarts == 0 ? rung_value : NULL;
        job.arg = &pricing;
        /* rungs that nobody declared are steps on the way, not to be chosen from */
        job.last = o->select != GBS_SELECT_BOUND || o->ladder_size == 0;
        gbs_posterior p;
        status = gbs_posterior_fit(&job, &p);
        if (status == GBS_OK)
            status = keep_best(f, &p, &best);
        gbs_posterior_free(f->ctx, &p);
    }
    gbs_gaussian_free(f->ctx, &start);
    gbs_array_free(f->ctx, grid);
    return status;
}

static gbs_status certify(struct single *f, gbs_evidence *e, size_t grid_size) {
    const gbs_gaussian *g = &f->model->stages[0].posterior;
    e->grid = grid_size;
    e->ladder = f->o.ladder_size > 0 ? f->o.ladder_size : 1;
    for (size_t k = 0; k < g->d; k++) {
        double center = f->m0 != NULL ? f->m0[k] : 0.0, gap = g->mean[k] - center;
        e->prior_distance2 += gap * gap;
        e->prior_norm += center * center;
    }
    e->prior_norm = sqrt(e->prior_norm);
    return gbs_certify(f->ctx, f->model, &f->o, e);
}

static gbs_status judge_and_certify(struct single *f, size_t grid_size) {
    gbs_model_info *info = &f->model->info;
    const gbs_stage *stage = &f->model->stages[0];
    const gbs_task *task = gbs_fit_task(&f->o);
    gbs_evidence e = {.kl = info->kl, .lambda = info->lambda, .prior_sd = stage->info.prior_sd};
    gbs_fitted fitted = {.model = f->model,
                         .options = &f->o,
                         .rows = &f->rows,
                         .first = f->first,
                         .risk = f->risk,
                         .m0 = f->m0,
                         .seed = f->o.draw_seed,
                         .estimated = gbs_posterior_by_sample(&f->o, f->risk)};
    task->count(f->risk, f->rows.all.n - f->first, &e);
    gbs_status status = task->judge(f->ctx, &fitted, &e);
    return status == GBS_OK ? certify(f, &e, grid_size) : status;
}

gbs_status gbs_fit_single(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                          gbs_model **out) {
    struct single f = {.ctx = ctx, .data = data, .o = *o};
    size_t grid_size = 1;
    gbs_status status = gbs_model_create(ctx, 1, &f.model);
    if (status == GBS_OK)
        status = prepare(&f);
    if (status == GBS_OK)
        status = train(&f, &grid_size);
    if (status == GBS_OK)
        status = judge_and_certify(&f, grid_size);
    gbs_empirical_free(f.risk);
    gbs_rows_free(ctx, &f.rows);
    gbs_array_free(ctx, f.m0);
    gbs_split_free(&f.split);
    *out = f.model;
    return status;
}
