/* Stochastic gradients over minibatches (docs/maths.md, 4.9).
 *
 * Each step sees a batch of the risk (gbs_batches) and an unbiased gradient of F/lambda (the risk
 * of the batch in place of the mean risk, the KL whole), in the coordinates (m, log sigma) or (m, C
 * with a log diagonal).
 *
 *   paper:   x <- x - (t + 1)^-0.9 gradient          (its Algorithm "Stochastic Gradient Descent")
 *            By draws, where the paper uses it, the gradient is that of F itself: with F/lambda its
 *            steps end far from the optimum; and no step multiplies or divides a standard deviation
 *            by more than e. A first step of length 1 along lambda times the slope of one term may
 *            ask for exp(100) or exp(-100) of it: then the KL overflows, and later, shorter steps
 *            never mend it. The mean needs no such limit: the prior's pull halves what the first
 *            steps overshot.
 *   modern:  Adam (Kingma & Ba 2015), its steps falling to 0 along a cosine, the iterates of the
 *            last quarter averaged
 *
 * A risk is gone through in epochs, or its batches are drawn with replacement because it has too
 * many terms (risk->by_draws: pairs of rows). Then the paper's step sees terms drawn one by one,
 * the modern one a batch as the risk makes the most of it; both gradients are unbiased.
 *
 * By draws there is a rule to stop by. From step 64 on, each time the number of steps has grown by
 * a factor of sqrt(2), F is looked at: of the last iterate (paper) or of the mean of the iterates
 * since the last look (modern), by a subsample (vb/subsample.c) where there are many rows. When
 * three looks in a row find F within a thousandth of what it was two looks before, at half as many
 * steps, it has settled: the paper's descent ends there, the modern one lands, its steps falling to
 * 0 over as many steps as it has made. Epochs are the most that is done.
 *
 * At the end the exact F and, for a convex loss, the proven gap are computed; by draws from many
 * rows the subsample says whether the end is better than the start. Where no pass over all terms is
 * wanted, F is the subsample's, and the solver counts as converged when what is left to gain is
 * small even three standard errors above the subsample's estimate of it.
 */
#include "core/random.h"
#include "vb/solve.h"
#include "vb/subsample.h"

#include <math.h>
#include <string.h>

#define FIRST_STEP 0.05
/* Steps of noise end near the optimum, not on it: this close, by the second-order estimate, counts
 * as there. The proven gap is reported as everywhere. */
#define STOCHASTIC_TOLERANCE 1e-3
/* Looks find F settled when it changed by no more than this share of it. */
#define SETTLED 1e-3
/* Standard errors that a subsample's estimate of what is left is raised by. */
#define DOUBT 3.0
/* Up to so many rows all terms are looked at, without a subsample. */
enum { FEW_ROWS = 2048, FIRST_LOOK = 64, SETTLED_LOOKS = 3 };
/* Steps between two moves of the progress bar. */
enum { SHOWN_STEPS = 64 };
/* The paper's steps, in the logarithm of a standard deviation. */
#define LONGEST_LOG_STEP 1.0
#define BETA1 0.9
#define BETA2 0.999

struct descent {
    const gbs_problem *problem; /* on the batch */
    gbs_engine *engine;         /* on the batch */
    const gbs_engine *outer;    /* on all terms */
    gbs_gaussian *g;
    size_t size;
    size_t planned, steps; /* steps < planned once F has settled */
    size_t landing;        /* the step from which it lands; planned: not yet */
    /* mean: of the last `averaged` iterates */
    double *x, *gradient, *first, *second, *mean, *start;
    size_t averaged;
    bool of_energy; /* gradients of F, not of F/lambda */
};

/* The looks at F on the way. */
struct watch {
    const gbs_problem *problem; /* on all terms */
    gbs_engine *engine;         /* on all terms */
    gbs_subsample *subsample;   /* NULL: all terms are looked at */
    size_t next, settled;       /* settled: looks in a row */
    double before[2];           /* F one and two looks ago */
};

static void write_back(const struct descent *s, const double *x) {
    memcpy(s->g->mean, x, s->g->d * sizeof *x);
    gbs_family_of(s->g->family)->set_free(s->g, x + s->g->d);
}

static void paper_step(struct descent *s, size_t t) {
    double step = pow((double)t + 1.0, -0.9);
    gbs_family_of(s->g->family)
        ->limit_logs(s->g->d, LONGEST_LOG_STEP / step, s->gradient + s->g->d);
    for (size_t k = 0; k < s->size; k++)
        s->x[k] -= step * s->gradient[k];
}

static double modern_step_length(const struct descent *s, size_t t) {
    double pi = 3.14159265358979323846, at = (double)(t < s->landing ? t : s->landing);
    double length = FIRST_STEP * 0.5 * (1.0 + cos(pi * at / (double)s->planned));
    if (t > s->landing)
        length *= 0.5 *
                  (1.0 + cos(pi * (double)(t - s->landing) / (double)(s->steps - s->landing)));
    return length;
}

static void modern_step(struct descent *s, size_t t) {
    double step = modern_step_length(s, t);
    double fix1 = 1.0 - pow(BETA1, (double)t + 1.0), fix2 = 1.0 - pow(BETA2, (double)t + 1.0);
    for (size_t k = 0; k < s->size; k++) {
        double g = s->gradient[k];
        s->first[k] = BETA1 * s->first[k] + (1.0 - BETA1) * g;
        s->second[k] = BETA2 * s->second[k] + (1.0 - BETA2) * g * g;
        s->x[k] -= step * (s->first[k] / fix1) / (sqrt(s->second[k] / fix2) + 1e-12);
    }
    if (t == s->steps - (s->steps < 4 ? 1 : s->steps / 4)) /* the last quarter begins */
        s->averaged = 0;
    s->averaged++;
    for (size_t k = 0; k < s->size; k++)
        s->mean[k] = s->averaged > 1 ? s->mean[k] + (s->x[k] - s->mean[k]) / (double)s->averaged
                                     : s->x[k];
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
        ->free_gradient(s->g, p->pull, s->problem->prior.variance, s->engine->workspace.square,
                        s->gradient + d);
    double unit = s->of_energy ? 1.0 : s->problem->lambda;
    for (size_t k = 0; k < s->size; k++) {
        s->gradient[k] /= unit;
        if (!isfinite(s->gradient[k]))
            return gbs_fail(s->problem->ctx, GBS_ERR_NUMERIC,
                            "the stochastic solver diverged at step %zu; scaled columns, a larger "
                            "prior_sd or batch, or another "
                            "schedule may help",
                            t);
    }
    if (schedule == GBS_SCHEDULE_PAPER)
        paper_step(s, t);
    else
        modern_step(s, t);
    return GBS_OK;
}

/* F at x. */
static gbs_status value_at(const gbs_problem *problem, const struct descent *s, const double *x,
                           gbs_engine *e, double *value) {
    write_back(s, x);
    gbs_status status = gbs_evaluate(problem, s->g, &e->workspace, &e->here);
    *value = e->here.free_energy;
    return status;
}

static gbs_status judged_at(struct watch *w, const struct descent *s, const double *x,
                            double *value) {
    if (w->subsample == NULL)
        return value_at(w->problem, s, x, w->engine, value);
    write_back(s, x);
    return gbs_subsample_value(w->subsample, s->g, value);
}

/* After `done` steps. Once it lands, or in its last quarter, the modern descent is not looked at
 * any more. */
static gbs_status look(struct watch *w, struct descent *s, gbs_schedule schedule, size_t done) {
    bool paper = schedule == GBS_SCHEDULE_PAPER;
    if (done < w->next || s->landing < s->planned || (!paper && 4 * done >= 3 * s->planned))
        return GBS_OK;
    double value;
    gbs_status status = judged_at(w, s, paper ? s->x : s->mean, &value);
    /* false while one of them is not finite */
    bool same = fabs(value - w->before[1]) <= SETTLED * fmax(1.0, fabs(value));
    w->settled = same ? w->settled + 1 : 0;
    w->before[1] = w->before[0];
    w->before[0] = value;
    w->next = (size_t)ceil(sqrt(2.0) * (double)w->next);
    s->averaged = 0;
    if (w->settled >= SETTLED_LOOKS) {
        s->landing = done;
        s->steps = paper ? done : done < s->planned / 2 ? 2 * done : s->planned;
    }
    return status;
}

/* Epochs are not looked at on the way: they show their progress when they end. */
static gbs_status run_steps(struct descent *s, struct watch *w, gbs_batches *batches,
                            const gbs_solve_options *options) {
    const gbs_problem *whole = w->problem;
    bool watched = whole->risk->by_draws;
    size_t in_epoch = s->planned / options->epochs;
    gbs_status status = GBS_OK;
    for (size_t t = 0; status == GBS_OK && t < s->steps; t++) {
        gbs_batches_draw(batches, t);
        status = one_step(s, options->schedule, t);
        if (status == GBS_OK && watched)
            status = look(w, s, options->schedule, t + 1);
        if (status == GBS_OK && watched && options->trace != NULL) {
            write_back(s, s->x);
            status = options->trace(options->trace_arg, t + 1,
                                    t + 1 < s->steps ? s->planned : t + 1, s->g);
        }
        size_t done = watched ? t : t + 1;
        if (status == GBS_OK && done % (watched ? SHOWN_STEPS : in_epoch) == 0)
            gbs_progress(whole->ctx, "fit",
                         s->outer->done_before +
                             s->outer->done_span * (double)done / (double)s->steps);
    }
    return status;
}

/* The end is kept only if it is below the start. */
static gbs_status choose_end(struct watch *w, const struct descent *s, const double **end) {
    double before, after = NAN;
    gbs_status status = judged_at(w, s, s->start, &before);
    if (status == GBS_OK)
        status = judged_at(w, s, *end, &after);
    if (status == GBS_OK && !(after < before)) {
        *end = s->start;
        status = judged_at(w, s, *end, &after);
    }
    return status;
}

static void report(const gbs_problem *problem, const struct descent *s, const gbs_engine *e,
                   double left, bool converged, gbs_solution *result) {
    result->converged = converged;
    result->iterations = s->steps;
    gbs_solution_tell(problem, &e->here, left, result);
    if (gbs_family_of(s->g->family)->settle != NULL)
        gbs_family_of(s->g->family)->settle(s->g);
}

/* Without a pass over all terms. */
static gbs_status finish_by_subsample(const gbs_problem *problem, const struct descent *s,
                                      gbs_subsample *subsample, bool moved, double tolerance,
                                      gbs_solution *result) {
    gbs_subsample_estimates v;
    gbs_status status = gbs_subsample_estimate(subsample, s->g, &v);
    if (status != GBS_OK)
        return status;
    gbs_point *here = &subsample->engine.here;
    here->risk = v.risk;
    here->free_energy = problem->lambda * v.risk + here->kl;
    double enough = fmax(tolerance, STOCHASTIC_TOLERANCE) * fmax(1.0, fabs(here->free_energy));
    report(problem, s, &subsample->engine, NAN, moved && v.left + DOUBT * v.left_sd <= enough,
           result);
    return GBS_OK;
}

static gbs_status finish(const gbs_solve_options *options, struct descent *s, struct watch *w,
                         gbs_solution *result) {
    const gbs_problem *problem = w->problem;
    gbs_engine *e = w->engine;
    const double *end = options->schedule == GBS_SCHEDULE_PAPER ? s->x : s->mean;
    gbs_status status = choose_end(w, s, &end);
    if (status == GBS_OK && w->subsample != NULL && options->by_subsample)
        return finish_by_subsample(problem, s, w->subsample, end != s->start, options->tolerance,
                                   result);
    double value;
    if (status == GBS_OK && w->subsample != NULL)
        status = value_at(problem, s, end, e, &value);
    if (status != GBS_OK)
        return status;
    const gbs_point *p = &e->here;
    double proven = problem->risk->loss->convex
                        ? gbs_optimality_gap(problem, s->g, p, e->workspace.square)
                        : NAN;
    double left = gbs_estimate_left(problem, s->g, p->d_mean, p->pull, p->pull,
                                    e->workspace.square);
    double enough = fmax(options->tolerance, STOCHASTIC_TOLERANCE) *
                    fmax(1.0, fabs(p->free_energy));
    report(problem, s, e, proven, left <= enough, result);
    return GBS_OK;
}

static gbs_status descend(const gbs_problem *problem, const gbs_solve_options *options,
                          gbs_batches *batches, struct descent *s, gbs_engine *e,
                          gbs_solution *result) {
    bool many = problem->risk->by_draws && problem->risk->rows > FEW_ROWS;
    gbs_subsample subsample = {.problem = *problem};
    struct watch w = {
        .problem = problem, .engine = e, .next = FIRST_LOOK, .before = {INFINITY, INFINITY}};
    gbs_status status = many ? gbs_subsample_create(problem, s->g->family, &subsample) : GBS_OK;
    w.subsample = many ? &subsample : NULL;
    if (status == GBS_OK)
        status = run_steps(s, &w, batches, options);
    if (status == GBS_OK)
        status = finish(options, s, &w, result);
    gbs_subsample_free(&subsample);
    return status;
}

gbs_status gbs_solve_sgd(const gbs_problem *problem, const gbs_solve_options *options,
                         gbs_engine *e, gbs_gaussian *g, gbs_solution *result) {
    gbs_context *ctx = problem->ctx;
    const gbs_empirical *risk = problem->risk;
    bool paper = options->schedule == GBS_SCHEDULE_PAPER;
    size_t n = risk->rows, d = g->d;
    *result = (gbs_solution){.solver = GBS_SOLVER_SGD};
    gbs_batches batches;
    gbs_status status = gbs_batches_create(risk, options->batch < n ? options->batch : n, paper,
                                           GBS_STREAM_BATCH, &batches);
    gbs_problem on_batch = *problem;
    on_batch.risk = batches.on;
    struct descent s = {
        .problem = &on_batch, .g = g, .size = d + gbs_family_of(g->family)->free_size(d)};
    double *vectors = gbs_matrix(ctx, 6, s.size);
    gbs_engine small = {0};
    if (vectors == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_engine_create(batches.on, g->family, GBS_SOLVER_SGD, &small);
    if (status == GBS_OK) {
        double **const parts[] = {&s.x, &s.gradient, &s.first, &s.second, &s.mean, &s.start};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            *parts[k] = vectors + k * s.size;
        s.planned = s.steps = s.landing = options->epochs * ((n + batches.size - 1) / batches.size);
        s.of_energy = risk->by_draws && paper;
        s.engine = &small;
        s.outer = e;
        memcpy(s.x, g->mean, d * sizeof *s.x);
        gbs_family_of(g->family)->get_free(g, s.x + d);
        memcpy(s.start, s.x, s.size * sizeof *s.x);
        status = descend(problem, options, &batches, &s, e, result);
    }
    gbs_engine_free(&small);
    gbs_array_free(ctx, vectors);
    gbs_batches_free(&batches);
    return status;
}
