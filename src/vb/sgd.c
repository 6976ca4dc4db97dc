/* Stochastic gradients over minibatches of rows.
 *
 * Each step sees B rows drawn without replacement within an epoch and an unbiased gradient of F/lambda (the risk of the batch in place
 * of the mean risk, the KL whole), in the coordinates (m, log sigma) or (m, C with a log diagonal).
 *
 *   paper:   x <- x - (t + 1)^-0.9 gradient                                  (its Algorithm "Stochastic Gradient Descent")
 *            over pairs, where the paper uses it, the gradient is that of F itself: with F/lambda its steps end far from the optimum
 *   modern:  Adam (Kingma & Ba 2015), its steps falling to 0 along a cosine, the iterates of the last quarter averaged
 *
 * Over pairs (rows->pairs) a step of B rows sees all pairs of B/2 positive and B/2 negative rows, drawn with replacement; the paper's step sees B
 * pairs drawn one by one, which are B rows x_i - x_j (its section 5; MATHS.md, section 5). Both gradients are unbiased.
 *
 * At the end one pass over all rows gives the exact F and, for a convex loss, the proven gap.
 */
#include "core/random.h"
#include "vb/solve.h"

#include <math.h>
#include <string.h>

#define FIRST_STEP 0.05
/* Steps of noise end near the optimum, not on it: this close, by the second-order estimate, counts as there. The proven gap is reported as
 * everywhere. */
#define STOCHASTIC_TOLERANCE 1e-3
#define BETA1 0.9
#define BETA2 0.999

struct descent {
    const gbs_problem *problem; /* on the batch */
    gbs_engine *engine;         /* on the batch */
    const gbs_engine *outer;    /* on all rows */
    gbs_gaussian *g;
    size_t size, steps;
    double *x, *gradient, *first, *second, *mean;
    size_t averaged;
    bool of_energy; /* gradients of F, not of F/lambda */
};

/* The batch as dense rows of its own. */
struct batch {
    gbs_rows rows;
    double *x, *y;
    size_t positives; /* over pairs: of all rows */
};

static void copy_row(const gbs_rows *rows, size_t i, double *to) {
    gbs_block one = gbs_rows_slice(rows, i, 1).all;
    gbs_block_densify(&one, to);
}

static void fill_batch(struct batch *batch, const gbs_rows *rows, const size_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        copy_row(rows, order[i], batch->x + i * rows->d);
        batch->y[i] = rows->all.y[order[i] * rows->all.stride];
    }
    batch->rows.all.n = count;
}

/* Random row of a class, the number of positive rows being `plus`; draw 2i and 2i + 1 of a step are one for each. */
static size_t draw_row(const gbs_context *ctx, const struct batch *batch, size_t t, size_t i, bool positive, size_t n) {
    size_t plus = batch->positives, count = positive ? plus : n - plus;
    uint64_t index = (uint64_t)t * 2 * batch->rows.block_rows + 2 * i + (positive ? 1 : 0);
    return (positive ? 0 : plus) + (size_t)gbs_below(ctx->seed, GBS_STREAM_BATCH, index, count);
}

/* Half of them positive, half negative. */
static void fill_block_of_pairs(const gbs_context *ctx, struct batch *batch, const gbs_rows *rows, size_t t) {
    size_t half = batch->rows.all.n / 2;
    for (size_t i = 0; i < batch->rows.all.n; i++)
        copy_row(rows, draw_row(ctx, batch, t, i % half, i < half, rows->all.n), batch->x + i * rows->d);
}

/* Each row the difference of a pair. */
static void fill_pairs(const gbs_context *ctx, struct batch *batch, const gbs_rows *rows, size_t t, double *other) {
    size_t d = rows->d, n = rows->all.n;
    for (size_t i = 0; i < batch->rows.all.n; i++) {
        double *to = batch->x + i * d;
        copy_row(rows, draw_row(ctx, batch, t, i, true, n), to);
        copy_row(rows, draw_row(ctx, batch, t, i, false, n), other);
        for (size_t k = 0; k < d; k++)
            to[k] -= other[k];
    }
}

static void write_back(const struct descent *s, const double *x) {
    memcpy(s->g->mean, x, s->g->d * sizeof *x);
    gbs_family_of(s->g->family)->set_free(s->g, x + s->g->d);
}

static void paper_step(struct descent *s, size_t t) {
    double step = pow((double)t + 1.0, -0.9);
    for (size_t k = 0; k < s->size; k++)
        s->x[k] -= step * s->gradient[k];
}

static void modern_step(struct descent *s, size_t t) {
    double done = (double)t / (double)s->steps;
    double step = FIRST_STEP * 0.5 * (1.0 + cos(3.14159265358979323846 * done));
    double fix1 = 1.0 - pow(BETA1, (double)t + 1.0), fix2 = 1.0 - pow(BETA2, (double)t + 1.0);
    for (size_t k = 0; k < s->size; k++) {
        double g = s->gradient[k];
        s->first[k] = BETA1 * s->first[k] + (1.0 - BETA1) * g;
        s->second[k] = BETA2 * s->second[k] + (1.0 - BETA2) * g * g;
        s->x[k] -= step * (s->first[k] / fix1) / (sqrt(s->second[k] / fix2) + 1e-12);
    }
    if (4 * t >= 3 * s->steps) {
        s->averaged++;
        for (size_t k = 0; k < s->size; k++)
            s->mean[k] += (s->x[k] - s->mean[k]) / (double)s->averaged;
    }
}

static gbs_status one_step(struct descent *s, gbs_schedule schedule, size_t t) {
    write_back(s, s->x);
    gbs_point *p = &s->engine->here;
    gbs_status status = gbs_evaluate(s->problem, s->g, &s->engine->workspace, p);
    if (status != GBS_OK)
        return status;
    size_t d = s->g->d;
    memcpy(s->gradient, p->d_mean, d * sizeof *s->gradient);
    gbs_family_of(s->g->family)
        ->free_gradient(s->g, p->pull, s->problem->prior.variance, s->engine->workspace.square, s->gradient + d);
    double unit = s->of_energy ? 1.0 : s->problem->lambda;
    for (size_t k = 0; k < s->size; k++) {
        s->gradient[k] /= unit;
        if (!isfinite(s->gradient[k]))
            return gbs_fail(
                s->problem->ctx, GBS_ERR_NUMERIC,
                "the stochastic solver diverged at step %zu; scaled columns, a larger batch or another schedule may help", t);
    }
    if (schedule == GBS_SCHEDULE_PAPER)
        paper_step(s, t);
    else
        modern_step(s, t);
    return GBS_OK;
}

static gbs_status run_epochs(struct descent *s, const gbs_problem *whole, struct batch *batch, const gbs_solve_options *options,
                             size_t *order) {
    size_t n = whole->rows->all.n, rows = batch->rows.block_rows, t = 0;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t epoch = 0; epoch < options->epochs; epoch++) {
        gbs_shuffle(whole->ctx->seed, GBS_STREAM_BATCH + epoch, n, order);
        for (size_t from = 0; from < n; from += rows, t++) {
            fill_batch(batch, whole->rows, order + from, n - from < rows ? n - from : rows);
            gbs_status status = one_step(s, options->schedule, t);
            if (status != GBS_OK)
                return status;
        }
        double share = (double)(epoch + 1) / (double)options->epochs;
        gbs_progress(whole->ctx, "fit", s->outer->done_before + s->outer->done_span * share);
    }
    return GBS_OK;
}

static gbs_status run_steps_over_pairs(struct descent *s, const gbs_problem *whole, struct batch *batch,
                                       const gbs_solve_options *options) {
    bool one_by_one = !batch->rows.pairs;
    double *other = gbs_doubles(whole->ctx, whole->rows->d);
    gbs_status status = other != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t t = 0; status == GBS_OK && t < s->steps; t++) {
        if (one_by_one)
            fill_pairs(whole->ctx, batch, whole->rows, t, other);
        else
            fill_block_of_pairs(whole->ctx, batch, whole->rows, t);
        status = one_step(s, options->schedule, t);
        if (status == GBS_OK && options->trace != NULL) {
            write_back(s, s->x);
            status = options->trace(options->trace_arg, t + 1, s->steps, s->g);
        }
        if (t % 64 == 0)
            gbs_progress(whole->ctx, "fit", s->outer->done_before + s->outer->done_span * (double)t / (double)s->steps);
    }
    gbs_array_free(whole->ctx, other);
    return status;
}

/* Second-order estimate of what is left, with the curvature's diagonal for m where the family has no more. */
static double estimate_left(const gbs_problem *problem, const gbs_engine *e, const gbs_gaussian *g) {
    const gbs_point *p = &e->here;
    double base = 1.0 / problem->prior.variance, sum = 0.0;
    size_t d = g->d;
    for (size_t k = 0; k < d; k++) {
        double pull = g->family == GBS_FAMILY_FULL       ? p->pull[k * d + k]
                      : g->family == GBS_FAMILY_DIAGONAL ? p->pull[k]
                                                         : p->pull[0] / (double)d;
        sum += p->d_mean[k] * p->d_mean[k] / (base + fabs(pull));
    }
    return 0.5 * sum + gbs_family_of(g->family)->decrement(g, p->pull, problem->prior.variance, e->workspace.square);
}

/* The exact F of the end, which is kept only if it is below that of the start. */
static gbs_status finish(const gbs_problem *problem, const gbs_solve_options *options, struct descent *s, const double *start,
                         gbs_engine *e, gbs_gaussian *g, gbs_solution *result) {
    write_back(s, start);
    gbs_status status = gbs_evaluate(problem, g, &e->workspace, &e->here);
    double before = e->here.free_energy;
    write_back(s, s->averaged > 0 ? s->mean : s->x);
    if (status == GBS_OK)
        status = gbs_evaluate(problem, g, &e->workspace, &e->here);
    if (status == GBS_OK && !(e->here.free_energy < before)) {
        write_back(s, start);
        status = gbs_evaluate(problem, g, &e->workspace, &e->here);
    }
    if (status != GBS_OK)
        return status;
    double left = problem->loss->convex ? gbs_optimality_gap(problem, g, &e->here, e->workspace.square) : NAN;
    double enough = fmax(options->tolerance, STOCHASTIC_TOLERANCE) * fmax(1.0, fabs(e->here.free_energy));
    result->converged = estimate_left(problem, e, g) <= enough;
    result->iterations = s->steps;
    gbs_report(problem, &e->here, left, result);
    if (g->family == GBS_FAMILY_FULL)
        gbs_full_refresh_precision(g);
    return GBS_OK;
}

gbs_status gbs_solve_sgd(const gbs_problem *problem, const gbs_solve_options *options, gbs_engine *e, gbs_gaussian *g,
                         gbs_solution *result) {
    gbs_context *ctx = problem->ctx;
    size_t n = problem->rows->all.n, d = g->d, rows = options->batch < n ? options->batch : n;
    if (problem->rows->pairs && options->schedule != GBS_SCHEDULE_PAPER)
        rows = rows / 2 * 2; /* as many of each class */
    if (rows == 0)
        rows = problem->rows->pairs ? 2 : 1;
    *result = (gbs_solution){.solver = GBS_SOLVER_SGD};
    struct batch batch = {.x = gbs_matrix(ctx, rows, d), .y = gbs_doubles(ctx, rows)};
    batch.rows = (gbs_rows){.d = d, .block_rows = rows};
    batch.rows.all = (gbs_block){.d = d, .dense = batch.x, .ld = d, .y = batch.y, .stride = 1};
    bool pairs = problem->rows->pairs;
    if (pairs) {
        batch.rows.pairs = options->schedule != GBS_SCHEDULE_PAPER;
        batch.positives = gbs_pair_positives(problem->rows);
        for (size_t i = 0; batch.y != NULL && i < rows; i++)
            batch.y[i] = batch.rows.pairs && 2 * i >= rows ? -1.0 : 1.0;
    }
    gbs_problem on_batch = *problem;
    on_batch.rows = &batch.rows;
    struct descent s = {.problem = &on_batch, .g = g, .size = d + gbs_family_of(g->family)->free_size(d)};
    s.steps = options->epochs * ((n + rows - 1) / rows);
    s.of_energy = pairs && options->schedule == GBS_SCHEDULE_PAPER;
    double *vectors = gbs_matrix(ctx, 6, s.size);
    size_t *order = gbs_array_alloc(ctx, n, sizeof *order);
    gbs_engine small = {0};
    gbs_status status = GBS_ERR_MEMORY;
    if (batch.x != NULL && batch.y != NULL && vectors != NULL && order != NULL) {
        batch.rows.all.n = rows;
        status = gbs_engine_create(ctx, &batch.rows, g->family, GBS_SOLVER_SGD, &small);
    }
    if (status == GBS_OK) {
        s.engine = &small;
        s.outer = e;
        s.x = vectors;
        s.gradient = s.x + s.size;
        s.first = s.gradient + s.size;
        s.second = s.first + s.size;
        s.mean = s.second + s.size;
        memcpy(s.x, g->mean, d * sizeof *s.x);
        gbs_family_of(g->family)->get_free(g, s.x + d);
        memcpy(vectors + 5 * s.size, s.x, s.size * sizeof *s.x); /* the start */
        status = pairs ? run_steps_over_pairs(&s, problem, &batch, options) : run_epochs(&s, problem, &batch, options, order);
    }
    if (status == GBS_OK)
        status = finish(problem, options, &s, vectors + 5 * s.size, e, g, result);
    gbs_engine_free(&small);
    gbs_array_free(ctx, order);
    gbs_array_free(ctx, vectors);
    gbs_array_free(ctx, batch.x);
    gbs_array_free(ctx, batch.y);
    return status;
}
