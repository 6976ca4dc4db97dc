/* One fit, start to end: scaling, design rows, ladder, solver, model. */
#include "learn/certify.h"
#include "model/model.h"
#include "vb/anneal.h"

#include <math.h>
#include <string.h>

/* Zero-one fits climb to lambda in steps of this ratio; the first rung is near lambda = 1, where the prior still rules. */
#define LADDER_RATIO 2.0
/* The gram matrix of the dual form loses what is 1e8 times smaller than the rest; the posterior is then judged on the rows themselves. */
#define DUAL_AGREES 1e-6
/* Up to here a fit whose dual form failed that test is done again in the primal form. */
enum { PRIMAL_COLUMNS = 3000 };
enum { MOST_RUNGS = 24, FULL_COLUMNS = 200, DEFAULT_BATCH = 256, DEFAULT_EPOCHS = 20, DEFAULT_STEPS = 4000 };

gbs_fit_options gbs_fit_options_default(void) {
    return (gbs_fit_options){.loss = GBS_LOSS_ZERO_ONE,
                             .scale = GBS_SCALE_STANDARD,
                             .intercept = 1,
                             .prior_sd = 1.0,
                             .confidence = 0.95,
                             .tolerance = 1e-8,
                             .max_iterations = 1000};
}

const char *gbs_scale_name(gbs_scale scale) {
    switch (scale) {
    case GBS_SCALE_NONE:
        return "none";
    case GBS_SCALE_STANDARD:
        return "standard";
    case GBS_SCALE_UNIT_ROW:
        return "unit-row";
    }
    return NULL;
}

/* Everything a fit holds until its model is done. */
struct fit {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_fit_options o; /* defaults filled in */
    bool dual;
    gbs_model *model;
    gbs_rows rows;
    gbs_reduction reduction;
    double *ladder;
    size_t rungs;
    gbs_solution *path;
    gbs_gaussian result;
};

static gbs_status check_options(gbs_context *ctx, const gbs_fit_options *o) {
    if (gbs_loss_name(o->loss) == NULL || gbs_family_name(o->family) == NULL || gbs_scale_name(o->scale) == NULL ||
        gbs_solver_name(o->solver) == NULL || gbs_bound_name(o->bound) == NULL || o->form > GBS_FORM_DUAL ||
        o->schedule > GBS_SCHEDULE_PAPER)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "an option has a value that does not exist");
    if (!(o->lambda >= 0.0) || !isfinite(o->lambda))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "lambda must be a positive number, not %g", o->lambda);
    if (!(o->prior_sd > 0.0) || !isfinite(o->prior_sd) || !(o->prior_sd * o->prior_sd > 1e-300) ||
        !isfinite(o->prior_sd * o->prior_sd))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "prior_sd must be a number between 1e-150 and 1e150, not %g", o->prior_sd);
    if (!(o->tolerance > 0.0) || !isfinite(o->tolerance))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the tolerance must be a positive number, not %g", o->tolerance);
    if (!(o->confidence > 0.0 && o->confidence < 1.0))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the confidence must lie between 0 and 1, not %g", o->confidence);
    if (o->ladder_size > 0 && o->ladder == NULL)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the ladder has a size but no values");
    for (size_t t = 0; t < o->ladder_size; t++)
        if (!(o->ladder[t] > (t > 0 ? o->ladder[t - 1] : 0.0)) || !isfinite(o->ladder[t]))
            return gbs_fail(ctx, GBS_ERR_ARGUMENT, "the ladder of lambdas must be positive and increasing");
    if (o->form != GBS_FORM_AUTO && o->family != GBS_FAMILY_FULL && o->family != GBS_FAMILY_AUTO)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "primal and dual are forms of the full family");
    if (o->restarts > 0 && o->ladder_size > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "restarts and a ladder exclude each other: restarts go straight to lambda");
    return GBS_OK;
}

static gbs_status check_classes(gbs_context *ctx, const gbs_data *data) {
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    size_t positive = 0;
    for (size_t i = 0; i < data->n; i++)
        positive += data->y[i] > 0.0;
    if (positive == 0 || positive == data->n)
        return gbs_fail(ctx, GBS_ERR_DATA, "only one class among %zu rows: every label is %s", data->n,
                        positive > 0 ? "+1" : "-1");
    return GBS_OK;
}

static void fill_defaults(struct fit *f) {
    gbs_fit_options *o = &f->o;
    size_t n = f->data->n, d = f->data->d + (o->intercept ? 1 : 0);
    if (o->family == GBS_FAMILY_AUTO)
        o->family = d <= FULL_COLUMNS || o->form != GBS_FORM_AUTO ? GBS_FAMILY_FULL : GBS_FAMILY_DIAGONAL;
    f->dual = o->family == GBS_FAMILY_FULL && (o->form == GBS_FORM_DUAL || (o->form == GBS_FORM_AUTO && d > n));
    if (o->ladder_size > 0)
        o->lambda = o->ladder[o->ladder_size - 1];
    if (o->lambda == 0.0)
        o->lambda = (double)n;
    if (o->batch == 0)
        o->batch = DEFAULT_BATCH;
    /* small data needs more passes for as many steps */
    size_t steps = 1 + (n - 1) / o->batch, passes = (DEFAULT_STEPS + steps - 1) / steps;
    if (o->epochs == 0)
        o->epochs = passes > DEFAULT_EPOCHS ? passes : DEFAULT_EPOCHS;
}

/* The caller's ladder; or one rung for a convex loss, restarts and sgd; or powers of the ratio up to lambda. */
static gbs_status build_ladder(struct fit *f) {
    const gbs_fit_options *o = &f->o;
    bool single = gbs_loss_of(o->loss)->convex || o->restarts > 0 || o->solver == GBS_SOLVER_SGD;
    f->rungs = 1;
    if (o->ladder_size > 0)
        f->rungs = o->ladder_size;
    else if (!single)
        for (double lambda = o->lambda / LADDER_RATIO; lambda >= 1.0 && f->rungs < MOST_RUNGS; lambda /= LADDER_RATIO)
            f->rungs++;
    f->ladder = gbs_doubles(f->ctx, f->rungs);
    f->path = gbs_array_alloc(f->ctx, f->rungs, sizeof *f->path);
    if (f->ladder == NULL || f->path == NULL)
        return GBS_ERR_MEMORY;
    for (size_t t = 0; t < f->rungs; t++)
        f->ladder[t] = o->ladder_size > 0 ? o->ladder[t] : o->lambda * pow(LADDER_RATIO, -(double)(f->rungs - 1 - t));
    return GBS_OK;
}

static gbs_status solve(struct fit *f) {
    const gbs_fit_options *o = &f->o;
    gbs_anneal_task task = {.family = o->family, .ladder = f->ladder, .rungs = f->rungs};
    task.part_below = o->ladder_size == 0;
    task.problem = (gbs_problem){.ctx = f->ctx, .rows = &f->rows, .loss = gbs_loss_of(o->loss)};
    task.problem.prior = (gbs_prior){NULL, o->prior_sd * o->prior_sd};
    task.fixed_sd = 1.0 / sqrt((double)f->data->n);
    task.solve = (gbs_solve_options){.solver = o->solver,
                                     .tolerance = o->tolerance,
                                     .max_iterations = o->max_iterations,
                                     .batch = o->batch,
                                     .epochs = o->epochs,
                                     .schedule = o->schedule};
    gbs_status status = GBS_OK;
    if (f->dual) {
        status = gbs_reduction_create(f->ctx, &f->rows, &task.problem.prior, &f->reduction);
        task.reduced = &f->reduction;
    }
    size_t d = f->dual ? f->reduction.rank : f->rows.d;
    if (status == GBS_OK)
        status = gbs_gaussian_create(f->ctx, o->family, d, &task.problem.prior, task.fixed_sd, &f->result);
    if (status != GBS_OK)
        return status;
    if (o->restarts == 0)
        return gbs_anneal(&task, &f->result, f->path);
    f->model->restarts = gbs_doubles(f->ctx, o->restarts);
    if (f->model->restarts == NULL)
        return GBS_ERR_MEMORY;
    f->model->restarts_size = o->restarts;
    return gbs_restart(&task, o->restarts, &f->result, &f->path[0], f->model->restarts);
}

/* ---------------------------------------------------------------- what is kept */

static void *duplicate(gbs_context *ctx, const void *from, size_t count, size_t size) {
    void *to = gbs_array_alloc(ctx, count, size);
    if (to != NULL)
        memcpy(to, from, count * size);
    return to;
}

/* The pivot rows as a block of the model's own. */
static gbs_status keep_rows(struct fit *f) {
    const gbs_reduction *r = &f->reduction;
    const gbs_block *b = &f->rows.all;
    gbs_block *kept = &f->model->dual.kept;
    size_t rank = r->rank, d = f->rows.d;
    *kept = (gbs_block){.n = rank, .d = d, .ld = d, .stride = 1};
    if (b->dense != NULL) {
        double *cells = gbs_matrix(f->ctx, rank, d);
        kept->dense = cells;
        for (size_t i = 0; cells != NULL && i < rank; i++)
            memcpy(cells + i * d, b->dense + (size_t)r->pivot[i] * b->ld, d * sizeof *cells);
        return cells != NULL ? GBS_OK : GBS_ERR_MEMORY;
    }
    size_t *start = gbs_array_alloc(f->ctx, rank + 1, sizeof *start);
    kept->start = start;
    if (start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < rank; i++)
        start[i + 1] = start[i] + (b->start[r->pivot[i] + 1] - b->start[r->pivot[i]]);
    uint32_t *column = gbs_array_alloc(f->ctx, start[rank], sizeof *column);
    double *value = gbs_doubles(f->ctx, start[rank]);
    kept->column = column;
    kept->value = value;
    if (b->shift != NULL)
        kept->shift = duplicate(f->ctx, b->shift, d, sizeof *b->shift);
    if (column == NULL || value == NULL || (b->shift != NULL && kept->shift == NULL))
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < rank; i++) {
        size_t from = b->start[r->pivot[i]], count = start[i + 1] - start[i];
        memcpy(column + start[i], b->column + from, count * sizeof *column);
        memcpy(value + start[i], b->value + from, count * sizeof *value);
    }
    return GBS_OK;
}

static gbs_status keep_posterior(struct fit *f) {
    gbs_model *m = f->model;
    if (!f->dual) {
        m->posterior = f->result;
        f->result = (gbs_gaussian){0};
        return GBS_OK;
    }
    const gbs_reduction *r = &f->reduction;
    gbs_prior prior = {NULL, f->o.prior_sd * f->o.prior_sd};
    m->posterior = (gbs_gaussian){.family = GBS_FAMILY_FULL, .d = f->rows.d, .mean = gbs_doubles(f->ctx, f->rows.d)};
    m->dual.rank = r->rank;
    m->dual.lower = duplicate(f->ctx, r->lower, r->rank * r->rank, sizeof(double));
    m->dual.factor = duplicate(f->ctx, f->result.factor, r->rank * r->rank, sizeof(double));
    if (m->posterior.mean == NULL || m->dual.lower == NULL || m->dual.factor == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = keep_rows(f);
    return status == GBS_OK ? gbs_reduction_lift(r, f->result.mean, &prior, m->posterior.mean) : status;
}

static gbs_status keep_path(struct fit *f) {
    gbs_model *m = f->model;
    m->path = gbs_array_alloc(f->ctx, f->rungs, sizeof *m->path);
    if (m->path == NULL)
        return GBS_ERR_MEMORY;
    m->path_size = f->rungs;
    for (size_t t = 0; t < f->rungs; t++) {
        const gbs_solution *s = &f->path[t];
        m->path[t] = (gbs_path_point){.lambda = f->ladder[t],
                                      .prior_sd = f->o.prior_sd,
                                      .free_energy = s->free_energy,
                                      .gibbs_risk = s->risk,
                                      .kl = s->kl,
                                      .optimality_gap = s->gap,
                                      .bound = NAN,
                                      .iterations = s->iterations,
                                      .converged = s->converged};
    }
    return GBS_OK;
}

static void keep_info(struct fit *f) {
    gbs_model *m = f->model;
    const gbs_solution *s = &f->path[f->rungs - 1];
    size_t n = f->data->n;
    m->info = (gbs_model_info){.loss = f->o.loss,
                               .family = f->o.family,
                               .solver = s->solver,
                               .scale = f->o.scale,
                               .intercept = f->o.intercept != 0,
                               .dual = f->dual,
                               .n = n,
                               .features = f->data->d,
                               .d = f->rows.d,
                               .lambda = f->o.lambda,
                               .prior_sd = f->o.prior_sd,
                               .free_energy = s->free_energy,
                               .kl = s->kl,
                               .gibbs_risk = s->risk,
                               .optimality_gap = s->gap,
                               .converged = s->converged};
    for (size_t t = 0; t < f->rungs; t++)
        m->info.iterations += f->path[t].iterations;
}

/* Means over the training rows: what the posterior does on them. */
struct means {
    double error, gibbs_risk, gibbs_error, second_moment;
};

/* A slice of rows at a time: scores of all of them would be one more copy of a narrow file. */
static gbs_status judge(struct fit *f, struct means *out) {
    enum { SLICE = 1 << 15 };
    size_t n = f->data->n, most = n < SLICE ? n : SLICE;
    *out = (struct means){0};
    double *score = gbs_matrix(f->ctx, 2, most);
    if (score == NULL)
        return GBS_ERR_MEMORY;
    double *sd = score + most;
    gbs_status status = GBS_OK;
    for (size_t first = 0; status == GBS_OK && first < n; first += SLICE) {
        size_t count = n - first < SLICE ? n - first : SLICE;
        double share = (double)count / (double)n;
        const double *y = f->data->y + first;
        gbs_rows slice = gbs_rows_slice(&f->rows, first, count);
        gbs_evaluation e;
        status = gbs_model_project(f->ctx, f->model, &slice, score, sd);
        if (status != GBS_OK)
            break;
        gbs_judge(f->o.loss, count, y, score, sd, &e);
        out->error += share * e.error;
        out->gibbs_risk += share * e.gibbs_risk;
        out->gibbs_error += share * e.gibbs_error;
        out->second_moment += share * gbs_second_moment(count, y, score, sd);
    }
    gbs_array_free(f->ctx, score);
    return status;
}

/* What the posterior does on its own training rows, and what follows for rows nobody has seen. */
static gbs_status judge_and_certify(struct fit *f) {
    gbs_model_info *info = &f->model->info;
    struct means m;
    gbs_status status = judge(f, &m);
    if (status != GBS_OK)
        return status;
    if (f->dual && !(fabs(m.gibbs_risk - info->gibbs_risk) <= DUAL_AGREES * fmax(1.0, fabs(m.gibbs_risk))))
        return gbs_fail(
            f->ctx, GBS_ERR_NUMERIC,
            "the columns differ too much in size for the dual form (risk %g on the rows, %g in their span); standardise "
            "them or use the primal form",
            m.gibbs_risk, info->gibbs_risk);
    info->gibbs_error = m.gibbs_error;
    info->train_error = m.error;
    return gbs_certify(f->ctx, f->model, &f->o, m.gibbs_error, m.second_moment, f->data->n);
}

static gbs_status run(struct fit *f) {
    gbs_status status = gbs_model_create(f->ctx, &f->model);
    if (status == GBS_OK)
        status = gbs_scaling_learn(f->ctx, f->data, f->o.scale, f->o.intercept != 0, &f->model->scaling);
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, f->data, &f->model->scaling, &f->rows);
    if (status == GBS_OK)
        status = build_ladder(f);
    if (status == GBS_OK)
        status = solve(f);
    if (status == GBS_OK && !isfinite(f->path[f->rungs - 1].free_energy))
        status = gbs_fail(f->ctx, GBS_ERR_NUMERIC, "the free energy overflowed; scale the columns or lower prior_sd");
    if (status == GBS_OK)
        status = keep_posterior(f);
    if (status == GBS_OK)
        status = keep_path(f);
    if (status != GBS_OK)
        return status;
    keep_info(f);
    return judge_and_certify(f);
}

static void release(struct fit *f) {
    gbs_gaussian_free(f->ctx, &f->result);
    gbs_reduction_free(&f->reduction);
    gbs_rows_free(f->ctx, &f->rows);
    gbs_array_free(f->ctx, f->ladder);
    gbs_array_free(f->ctx, f->path);
    f->ladder = NULL;
    f->path = NULL;
}

gbs_status gbs_fit(gbs_context *ctx, const gbs_data *data, const gbs_fit_options *options, gbs_model **out) {
    double start = gbs_now();
    *out = NULL;
    struct fit f = {.ctx = ctx, .data = data, .o = options != NULL ? *options : gbs_fit_options_default()};
    gbs_status status = check_options(ctx, &f.o);
    if (status == GBS_OK)
        status = check_classes(ctx, data);
    if (status != GBS_OK)
        return status;
    fill_defaults(&f);
    gbs_progress_begin(ctx);
    gbs_blas_serial_begin();
    status = run(&f);
    if (status == GBS_ERR_NUMERIC && f.dual && f.o.form == GBS_FORM_AUTO && f.rows.d <= PRIMAL_COLUMNS) {
        gbs_log(ctx, GBS_LOG_INFO, "the dual form was not accurate enough for these columns; working in the primal form");
        gbs_model_free(f.model);
        f.model = NULL;
        release(&f);
        f.dual = false;
        status = run(&f);
    }
    gbs_blas_serial_end();
    release(&f);
    if (status != GBS_OK) {
        gbs_model_free(f.model);
        return status;
    }
    f.model->info.seconds = gbs_now() - start;
    *out = f.model;
    return GBS_OK;
}
