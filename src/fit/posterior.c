/* From a risk and a prior to one posterior: ladder, solver, the choice of a rung, and what is kept
 * of it. */
#include "fit/posterior.h"

#include "bound/bound.h"

#include <math.h>
#include <string.h>

/* Zero-one fits climb to lambda in steps of this ratio; the first rung is near lambda = 1, where
 * the prior still rules. */
#define LADDER_RATIO 2.0
/* The gram matrix of the dual form loses what is 1e8 times smaller than the rest; the posterior is
 * then judged on the rows themselves. */
#define DUAL_AGREES 1e-6
/* Up to here a fit whose dual form failed that test is done again in the primal form. */
enum { PRIMAL_COLUMNS = 3000, MOST_RUNGS = 24, LEAST_TRACED = 10 };

bool gbs_posterior_by_sample(const gbs_fit_settings *o, const gbs_empirical *risk) {
    if (!risk->by_draws || o->sampled_pairs > 0)
        return o->sampled_pairs > 0;
    bool chosen = o->ladder_size > 1 || o->prior_grid_size > 1 || o->trace;
    return o->solver == GBS_SOLVER_SGD && !chosen && risk->terms > GBS_MOST_TERMS;
}

/* What is held until the posterior is done. */
struct search {
    const gbs_posterior_job *job;
    gbs_posterior *out;
    bool dual;
    gbs_reduction reduction;
    double *ladder;
    size_t rungs;
    gbs_solution *solutions;
    gbs_gaussian result; /* in the coordinates of the reduction, or the data's */
    gbs_gaussian best;   /* the chosen rung, where one is chosen */
    double best_value;
    size_t points; /* steps to be traced, at most */
};

/* The caller's ladder; or one rung for a convex loss, restarts, sgd and a prior that already knows;
 * or powers of the ratio up to lambda. */
static gbs_status build_ladder(struct search *s) {
    const gbs_fit_settings *o = s->job->options;
    double last = s->job->lambda;
    bool single = !s->job->climb || s->job->risk->loss->convex || o->restarts > 0 ||
                  o->solver == GBS_SOLVER_SGD;
    s->rungs = 1;
    if (o->ladder_size > 0)
        s->rungs = o->ladder_size;
    else if (!single)
        for (double lambda = last / LADDER_RATIO; lambda >= 1.0 && s->rungs < MOST_RUNGS;
             lambda /= LADDER_RATIO)
            s->rungs++;
    s->ladder = gbs_doubles(s->job->ctx, s->rungs);
    s->solutions = gbs_array_alloc(s->job->ctx, s->rungs, sizeof *s->solutions);
    s->out->path = gbs_array_alloc(s->job->ctx, s->rungs, sizeof *s->out->path);
    if (s->ladder == NULL || s->solutions == NULL || s->out->path == NULL)
        return GBS_ERR_MEMORY;
    s->out->rungs = s->rungs;
    for (size_t t = 0; t < s->rungs; t++)
        s->ladder[t] = o->ladder_size > 0 ? o->ladder[t]
                                          : last * pow(LADDER_RATIO, -(double)(s->rungs - 1 - t));
    return GBS_OK;
}

/* The paper's KL, whose quadratic terms are doubled; off the row space of a dual form the posterior
 * is the prior. */
static double paper_kl(const struct search *s, const gbs_gaussian *g) {
    const gbs_prior *prior = &s->job->prior;
    const double *center = s->dual ? s->reduction.prior_mean : prior->mean;
    gbs_stage stage = {.posterior = *g, .info.prior_sd = sqrt(prior->variance)};
    double trace, log_det, distance2 = 0.0;
    gbs_stage_spread(&stage, &trace, &log_det);
    for (size_t k = 0; k < g->d; k++) {
        double delta = g->mean[k] - (center != NULL ? center[k] : 0.0);
        distance2 += delta * delta;
    }
    return gbs_kl_paper((double)g->d, prior->variance, trace, log_det, distance2) +
           0.5 * (double)(s->job->risk->d - g->d);
}

/* Called for each rung as it is done: the best so far is kept. */
static gbs_status consider(void *arg, size_t t, const gbs_gaussian *g,
                           const gbs_solution *solution) {
    struct search *s = arg;
    const gbs_posterior_job *job = s->job;
    gbs_context *ctx = job->ctx;
    const gbs_empirical *risk = s->dual ? s->reduction.reduced : job->risk;
    gbs_spread spread = gbs_gaussian_spread(g);
    double gibbs = solution->risk;
    gbs_status status = GBS_OK;
    gbs_empirical once = gbs_empirical_counted_once(risk);
    if (!gbs_loss_is_error(job->options->loss) || risk->held->weighted)
        status = gbs_empirical_value(&once, &gbs_zero_one, &spread, false, &gibbs, NULL);
    if (status != GBS_OK)
        return status;
    double value = job->value(job->arg, gibbs, solution->kl, paper_kl(s, g), s->ladder[t]);
    s->out->path[t].bound = value;
    if (job->last)
        return GBS_OK;
    if (isnan(value)) /* no bound, no choice */
        value = INFINITY;
    if (s->best.mean != NULL && !(value < s->best_value))
        return GBS_OK;
    gbs_prior anywhere = {NULL, job->prior.variance};
    if (s->best.mean == NULL)
        status = gbs_gaussian_create(ctx, g->family, g->d, &anywhere, 1.0, &s->best);
    if (status != GBS_OK)
        return status;
    gbs_gaussian_copy(&s->best, g);
    s->best_value = value;
    s->out->chosen = t;
    return GBS_OK;
}

static size_t traced_points(const gbs_empirical *risk) {
    double affordable = GBS_TRACED_TERMS / fmax(1.0, risk->terms);
    return affordable > GBS_TRACED_STEPS ? GBS_TRACED_STEPS
           : affordable < LEAST_TRACED   ? LEAST_TRACED
                                         : (size_t)affordable;
}

/* Step `done` is kept: all of them while there are few, then evenly on a log scale. */
static bool traced(size_t done, size_t steps, size_t points) {
    if (steps <= points || done == steps)
        return true;
    double per_step = (double)points / log((double)steps);
    return floor(per_step * log((double)done)) > floor(per_step * log((double)done - 1.0));
}

static gbs_status trace(void *arg, size_t done, size_t steps, const gbs_gaussian *g) {
    struct search *s = arg;
    const gbs_posterior_job *job = s->job;
    if (!traced(done, steps, s->points) || s->out->traced > s->points)
        return GBS_OK;
    double gibbs, risk, kl = gbs_gaussian_kl(g, &job->prior), lambda = s->ladder[s->rungs - 1];
    gbs_spread spread = gbs_gaussian_spread(g);
    gbs_status status = gbs_empirical_value(job->risk, &gbs_zero_one, &spread, false, &gibbs, NULL);
    risk = gibbs;
    if (status == GBS_OK && !gbs_loss_is_error(job->options->loss))
        status = gbs_empirical_value(job->risk, job->risk->loss, &spread, false, &risk, NULL);
    if (status == GBS_OK)
        s->out->trace[s->out->traced++] = (gbs_path_point){
            .lambda = lambda,
            .prior_sd = sqrt(job->prior.variance),
            .free_energy = lambda * risk + kl,
            .gibbs_risk = risk,
            .kl = kl,
            .optimality_gap = NAN,
            .bound = job->value(job->arg, gibbs, kl, paper_kl(s, g), lambda),
            .iterations = done};
    return status;
}

static gbs_status solve(struct search *s) {
    const gbs_posterior_job *t = s->job;
    const gbs_fit_settings *o = t->options;
    gbs_anneal_task task = {
        .family = o->family, .ladder = s->ladder, .rungs = s->rungs, .trace = t->trace};
    task.part_below = o->ladder_size == 0;
    task.start = t->start != NULL && t->start->mean != NULL ? t->start : NULL;
    task.problem = (gbs_problem){.ctx = t->ctx, .risk = t->risk, .prior = t->prior};
    task.fixed_sd = 1.0 / sqrt(t->risk->counted);
    task.solve = (gbs_solve_options){.solver = o->solver,
                                     .tolerance = o->tolerance,
                                     .enough = o->enough,
                                     .max_iterations = o->max_iterations,
                                     .batch = o->batch,
                                     .epochs = o->epochs,
                                     .schedule = o->schedule,
                                     .by_subsample = gbs_posterior_by_sample(o, t->risk)};
    if (t->value != NULL) {
        task.consider = consider;
        task.arg = s;
    }
    gbs_status status = GBS_OK;
    if (o->trace && t->risk->by_draws && o->solver == GBS_SOLVER_SGD && t->value != NULL) {
        task.solve.trace = trace;
        task.solve.trace_arg = s;
        s->points = traced_points(t->risk);
        s->out->trace = gbs_array_alloc(t->ctx, s->points + 1, sizeof *s->out->trace);
        status = s->out->trace != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    if (status == GBS_OK && s->dual) {
        status = gbs_reduction_create(t->risk, &task.problem.prior, &s->reduction);
        task.reduced = &s->reduction;
    }
    size_t d = s->dual ? s->reduction.rank : t->risk->d;
    gbs_prior prior = {s->dual ? s->reduction.prior_mean : t->prior.mean, t->prior.variance};
    if (status == GBS_OK)
        status = gbs_gaussian_create(t->ctx, o->family, d, &prior, task.fixed_sd, &s->result);
    if (status != GBS_OK)
        return status;
    s->out->chosen = s->rungs - 1;
    if (o->restarts == 0)
        return gbs_anneal(&task, &s->result, s->solutions);
    s->out->restarts = gbs_doubles(t->ctx, o->restarts);
    if (s->out->restarts == NULL)
        return GBS_ERR_MEMORY;
    return gbs_restart(&task, o->restarts, &s->result, &s->solutions[0], s->out->restarts);
}

/* ---------------------------------------------------------------- what is kept */

static void *duplicate(gbs_context *ctx, const void *from, size_t count, size_t size) {
    void *to = gbs_array_alloc(ctx, count, size);
    if (to != NULL)
        memcpy(to, from, count * size);
    return to;
}

static gbs_status keep_posterior(struct search *s) {
    const gbs_posterior_job *t = s->job;
    gbs_stage *stage = &s->out->stage;
    gbs_gaussian *from = s->best.mean != NULL ? &s->best : &s->result;
    stage->info.prior_sd = sqrt(t->prior.variance);
    stage->info.lambda = s->ladder[s->out->chosen];
    stage->free_energy = s->solutions[s->out->chosen].free_energy;
    stage->info.weight = 1.0;
    stage->info.rows = t->risk->rows;
    if (t->prior.mean != NULL &&
        (stage->prior_mean = duplicate(t->ctx, t->prior.mean, t->risk->d, sizeof(double))) == NULL)
        return GBS_ERR_MEMORY;
    if (!s->dual) {
        stage->posterior = *from;
        *from = (gbs_gaussian){0};
        return GBS_OK;
    }
    const gbs_reduction *r = &s->reduction;
    size_t d = t->risk->d;
    stage->posterior = (gbs_gaussian){
        .family = from->family, .d = d, .mean = gbs_doubles(t->ctx, d)};
    stage->dual.lower = duplicate(t->ctx, r->lower, r->rank * r->rank, sizeof(double));
    stage->dual.factor = duplicate(t->ctx, from->factor, r->rank * r->rank, sizeof(double));
    if (stage->posterior.mean == NULL || stage->dual.lower == NULL || stage->dual.factor == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = r->held->pass->keep(r->held, r->rank, r->pivot, &stage->dual.kept);
    stage->dual.rank = r->rank;
    return status == GBS_OK ? gbs_reduction_lift(r, from->mean, &t->prior, stage->posterior.mean)
                            : status;
}

static void keep_path(struct search *s) {
    for (size_t t = 0; t < s->rungs; t++) {
        const gbs_solution *from = &s->solutions[t];
        gbs_path_point *p = &s->out->path[t];
        *p = (gbs_path_point){.lambda = s->ladder[t],
                              .prior_sd = sqrt(s->job->prior.variance),
                              .free_energy = from->free_energy,
                              .gibbs_risk = from->risk,
                              .kl = from->kl,
                              .optimality_gap = from->gap,
                              .bound = s->job->value != NULL ? p->bound : NAN,
                              .iterations = from->iterations,
                              .converged = from->converged};
    }
    s->out->solver = s->solutions[s->rungs - 1].solver;
}

/* A dual posterior is judged on the rows themselves: what the gram matrix lost shows there. */
static gbs_status check_dual(struct search *s) {
    const gbs_posterior_job *t = s->job;
    if (!s->dual)
        return GBS_OK;
    double sum;
    gbs_spread spread = gbs_stage_gaussian(&s->out->stage);
    gbs_status status = gbs_empirical_value(t->risk, t->risk->loss, &spread, false, &sum, NULL);
    double risk = s->solutions[s->out->chosen].risk;
    if (status == GBS_OK && !(fabs(sum - risk) <= DUAL_AGREES * fmax(1.0, fabs(sum))))
        status = gbs_fail(t->ctx, GBS_ERR_NUMERIC,
                          "the columns differ too much in size for the dual form (risk %g on the "
                          "rows, %g in their span); "
                          "standardise them or use the primal form",
                          sum, risk);
    return status;
}

static gbs_status run(struct search *s) {
    gbs_status status = build_ladder(s);
    if (status == GBS_OK)
        status = solve(s);
    if (status == GBS_OK && !isfinite(s->solutions[s->out->chosen].free_energy))
        status = gbs_fail(s->job->ctx, GBS_ERR_NUMERIC,
                          "the free energy overflowed; scale the columns or lower prior_sd");
    if (status != GBS_OK)
        return status;
    keep_path(s);
    status = keep_posterior(s);
    return status == GBS_OK ? check_dual(s) : status;
}

static void release(struct search *s) {
    gbs_context *ctx = s->job->ctx;
    gbs_gaussian_free(ctx, &s->result);
    gbs_gaussian_free(ctx, &s->best);
    gbs_reduction_free(&s->reduction);
    gbs_array_free(ctx, s->ladder);
    gbs_array_free(ctx, s->solutions);
    *s = (struct search){.job = s->job, .out = s->out};
}

gbs_status gbs_posterior_fit(const gbs_posterior_job *job, gbs_posterior *out) {
    const gbs_fit_settings *o = job->options;
    struct search s = {.job = job, .out = out};
    *out = (gbs_posterior){0};
    size_t d = job->risk->d;
    s.dual = gbs_family_of(o->family)->pull == GBS_PULL_MATRIX &&
             gbs_empirical_has_designs(job->risk) &&
             (o->form == GBS_FORM_DUAL || (o->form == GBS_FORM_AUTO && d > job->risk->rows));
    bool was_dual = s.dual;
    gbs_status status = run(&s);
    if (status == GBS_ERR_NUMERIC && was_dual && o->form == GBS_FORM_AUTO && d <= PRIMAL_COLUMNS) {
        gbs_log(
            job->ctx, GBS_LOG_INFO,
            "the dual form was not accurate enough for these columns; working in the primal form");
        release(&s);
        gbs_posterior_free(job->ctx, out);
        status = run(&s);
    }
    release(&s);
    if (status != GBS_OK)
        gbs_posterior_free(job->ctx, out);
    return status;
}

void gbs_posterior_free(const gbs_context *ctx, gbs_posterior *p) {
    gbs_stage_free(ctx, &p->stage);
    gbs_array_free(ctx, p->path);
    gbs_array_free(ctx, p->trace);
    gbs_array_free(ctx, p->restarts);
    *p = (gbs_posterior){0};
}
