/* The fits behind a choice: one posterior, and the rows of a fold scored by fits to the others.
 *
 *   m_w = argmin over N(m, S) of  n_train r + KL(N(m, S) || N(0, w^2 I)),   score = x'm_w
 *                                                                          (docs/maths.md, 11.5)
 *
 * Whatever maps learn is learned from the rows that train.
 */
#include "fit/choosing.h"
#include "fit/prior_centre.h"
#include "fit/ways.h"
#include "judge/judge.h"

#include <math.h>
#include <string.h>

/* A fit under a map is done when so little free energy is left: what a row more would change is
 * much more. Passes over it are long. */
#define ENOUGH_NATS 0.05
#define ENOUGH_TO_COMPARE 0.5

/* ---------------------------------------------------------------- one fit */

gbs_fit_settings gbs_choice_settings(const gbs_choice *choice, const gbs_fit_settings *o,
                                     const gbs_data *rows, size_t all) {
    gbs_fit_settings s = *o;
    s.loss = choice->loss;
    s.columns = choice->columns;
    s.features = choice->features;
    s.features_size = choice->features_size;
    s.kernel_width = choice->kernel_width;
    s.level_width = choice->level_width;
    s.kernel_axes = choice->axes;
    if (!gbs_features_linear(choice->features) &&
        o->tolerance == gbs_fit_settings_default().tolerance)
        s.enough = ENOUGH_NATS;
    s.prior_sd = choice->prior_sd;
    s.constant = choice->constant;
    s.lambda = o->lambda > 0.0 ? o->lambda * (double)rows->n / (double)all
                               : (double)gbs_fit_task(o)->units(rows);
    return s;
}

void gbs_choice_take(gbs_choice *choice, const gbs_choice_kind *kind) {
    choice->columns = kind->columns;
    choice->features = kind->features;
    choice->features_size = kind->features_size;
    choice->kernel_width = kind->kernel_width;
    choice->level_width = kind->level_width;
    choice->axes = kind->axes;
    choice->constant = kind->constant;
}

/* A posterior of a convex loss under N(0, w^2 I); of the zero-one loss, under a narrow prior around
 * the hinge posterior of the same rows. */
gbs_status gbs_choice_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *settings,
                          const gbs_gaussian *start, gbs_trace *trace, gbs_posterior *out) {
    const gbs_loss_ops *loss = gbs_loss_of(settings->loss);
    double *m0 = NULL, sd = settings->prior_sd;
    gbs_status status = GBS_OK;
    *out = (gbs_posterior){0};
    if (!loss->convex) {
        gbs_prior_centre centre = {.width = sd};
        m0 = gbs_doubles(ctx, rows->d);
        status = m0 != NULL ? gbs_prior_centre_fit(ctx, rows, settings, &centre, m0)
                            : GBS_ERR_MEMORY;
        if (status == GBS_OK)
            sd = gbs_prior_centre_spread(rows->d, m0);
        gbs_progress_begin(ctx); /* the fit itself takes longer than that of its centre */
    }
    gbs_empirical *risk = NULL;
    if (status == GBS_OK)
        status = gbs_fit_task(settings)->risk(ctx, rows, false, loss, &risk);
    gbs_posterior_job task = {
        .ctx = ctx, .options = settings, .risk = risk, .lambda = settings->lambda, .trace = trace};
    task.prior = (gbs_prior){m0, sd * sd};
    task.start = start;
    if (status == GBS_OK)
        status = gbs_posterior_fit(&task, out);
    gbs_empirical_free(risk);
    gbs_array_free(ctx, m0);
    return status;
}

/* ---------------------------------------------------------------- a fold */

/* What a fold's fits share. */
struct fold {
    gbs_context *ctx;
    gbs_fit_settings settings;
    gbs_maps maps;
    gbs_rows train, test;
    gbs_held *held; /* test; train, where each of its rows is taken out in turn */
    gbs_empirical *risk;
    gbs_engine engine;
    gbs_gaussian posterior;
    bool warm; /* the last width's posterior is where the next begins */
};

static void fold_free(struct fold *f) {
    gbs_engine_free(&f->engine);
    gbs_gaussian_free(f->ctx, &f->posterior);
    gbs_empirical_free(f->risk);
    gbs_held_free(f->held);
    gbs_rows_free(f->ctx, &f->test);
    gbs_rows_free(f->ctx, &f->train);
    gbs_maps_free(f->ctx, &f->maps);
}

/* Whatever the columns are is learned from the rows that train. */
static gbs_status fold_prepare(struct fold *f, const gbs_data *train, const gbs_data *test) {
    gbs_status status = gbs_maps_learn(f->ctx, train, &f->settings, &f->maps);
    gbs_settle_family(&f->settings, f->maps.d);
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, train, &f->maps, &f->train);
    if (status == GBS_OK && test != NULL)
        status = gbs_rows_build(f->ctx, test, &f->maps, &f->test);
    if (status == GBS_OK)
        status = gbs_hold(f->ctx, test != NULL ? &f->test : &f->train, &f->held);
    return status;
}

/* One width after the other, each from the solution of the last, where the posterior lives in the
 * coordinates of the columns. */
static gbs_status solve_warm(struct fold *f, double *mean) {
    const gbs_fit_settings *s = &f->settings;
    gbs_prior prior = {NULL, s->prior_sd * s->prior_sd};
    gbs_status status = GBS_OK;
    if (!f->warm) {
        status = gbs_fit_task(s)->risk(f->ctx, &f->train, false, gbs_loss_of(s->loss), &f->risk);
        if (status == GBS_OK)
            status = gbs_engine_create(f->risk, s->family, s->solver, &f->engine);
        if (status == GBS_OK)
            status = gbs_gaussian_create(f->ctx, s->family, f->risk->d, &prior,
                                         1.0 / sqrt((double)f->risk->rows), &f->posterior);
        f->warm = true;
    }
    gbs_problem problem = {f->ctx, f->risk, prior, s->lambda};
    gbs_solve_options options = {.solver = s->solver,
                                 .tolerance = s->tolerance,
                                 .enough = s->enough,
                                 .max_iterations = s->max_iterations,
                                 .batch = s->batch,
                                 .epochs = s->epochs,
                                 .schedule = s->schedule};
    gbs_solution solution;
    if (status == GBS_OK)
        status = gbs_solve(&problem, &options, false, &f->engine, &f->posterior, &solution);
    if (status == GBS_OK)
        memcpy(mean, f->posterior.mean, f->risk->d * sizeof *mean);
    return status;
}

static gbs_status solve_cold(struct fold *f, double *mean) {
    gbs_posterior p;
    gbs_status status = gbs_choice_fit(f->ctx, &f->train, &f->settings, NULL, NULL, &p);
    if (status == GBS_OK)
        memcpy(mean, p.stage.posterior.mean, f->train.d * sizeof *mean);
    gbs_posterior_free(f->ctx, &p);
    return status;
}

/* Scores of the test rows for one width. */
static gbs_status fold_score(struct fold *f, double width, double *score) {
    bool convex = gbs_loss_of(f->settings.loss)->convex, wide = f->train.d > f->train.all.n;
    double *mean = gbs_doubles(f->ctx, f->train.d);
    f->settings.prior_sd = width;
    gbs_status status = mean == NULL      ? GBS_ERR_MEMORY
                        : convex && !wide ? solve_warm(f, mean)
                                          : solve_cold(f, mean);
    if (status == GBS_OK && f->test.d == 0) {
        gbs_spread spread = gbs_gaussian_spread(&f->posterior);
        status = gbs_scores_by_others(f->held, &spread, gbs_loss_of(f->settings.loss),
                                      f->settings.lambda / (double)f->held->n, f->train.all.y,
                                      score);
    } else if (status == GBS_OK) {
        f->held->pass->scores(f->held, 0, f->held->n, mean, score);
    }
    if (status == GBS_OK)
        status = gbs_check_scores(f->ctx, 0, f->held->n, score);
    gbs_array_free(f->ctx, mean);
    return status;
}

gbs_status gbs_choosing_leave_out(gbs_context *ctx, const gbs_choosing *c, size_t kind,
                                  gbs_data *train, const gbs_data *test, size_t stride,
                                  double *scores) {
    gbs_choice choice = {.loss = c->loss};
    gbs_choice_take(&choice, &c->kinds[kind]);
    struct fold f = {.ctx = ctx};
    f.settings = gbs_choice_settings(&choice, c->o, train, c->data->n);
    if (c->matched)
        f.settings.lambda = c->o->lambda > 0.0 ? c->o->lambda
                                               : (double)gbs_fit_task(c->o)->units(c->data);
    f.settings.tolerance = c->precision;
    if (f.settings.enough > 0.0)
        f.settings.enough = ENOUGH_TO_COMPARE;
    if (f.settings.features_size > c->most_columns)
        f.settings.features_size = c->most_columns;
    f.settings.form = GBS_FORM_AUTO; /* one optimum, whichever way it is reached */
    gbs_status status = GBS_OK;
    if (c->weighted)
        status = gbs_data_weigh_classes(ctx, train, c->o->cost_missed, c->o->cost_false);
    if (status == GBS_OK)
        status = fold_prepare(&f, train, test);
    for (size_t w = 0; status == GBS_OK && w < c->widths_size; w++)
        if (c->wanted[kind][w])
            status = fold_score(&f, c->kinds[kind].widths[w], scores + w * stride);
    fold_free(&f);
    return status;
}

static bool any_wanted(const gbs_choosing *c, size_t kind) {
    for (size_t w = 0; w < c->widths_size; w++)
        if (c->wanted[kind][w])
            return true;
    return false;
}

/* One fit to all rows in place of the folds; each row is taken out of its posterior in turn. */
static gbs_status one_by_one(gbs_context *ctx, const gbs_choosing *c, size_t kind) {
    size_t *rows = gbs_array_alloc(ctx, c->n, sizeof *rows);
    gbs_data *all = NULL;
    gbs_status status = rows != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; rows != NULL && i < c->n; i++)
        rows[i] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, c->data, rows, c->n, &all);
    if (status == GBS_OK)
        status = gbs_choosing_leave_out(ctx, c, kind, all, NULL, c->n,
                                        gbs_choosing_scores(c, kind, 0));
    gbs_data_free(all);
    gbs_array_free(ctx, rows);
    return status;
}

gbs_status gbs_choosing_fold(gbs_context *ctx, void *arg, size_t job) {
    gbs_choosing *c = arg;
    size_t fold = job % c->folds, kind = job / c->folds, inside = 0, outside = 0, n = c->n;
    if (!any_wanted(c, kind))
        return GBS_OK;
    if (c->one_by_one)
        return fold == 0 ? one_by_one(ctx, c, kind) : GBS_OK;
    size_t *rows = gbs_array_alloc(ctx, n, sizeof *rows);
    double *scores = NULL;
    gbs_data *train = NULL, *test = NULL;
    gbs_status status = rows != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; rows != NULL && i < n; i++) /* training rows from the front */
        if (c->fold_of[i] != fold)
            rows[inside++] = i;
        else
            rows[n - ++outside] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, c->data, rows, inside, &train);
    if (status == GBS_OK)
        status = gbs_data_view(ctx, c->data, rows + inside, outside, &test);
    if (status == GBS_OK && (scores = gbs_matrix(ctx, GBS_CHOICE_WIDTHS, outside)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_choosing_leave_out(ctx, c, kind, train, test, outside, scores);
    for (size_t w = 0; status == GBS_OK && w < c->widths_size; w++)
        for (size_t i = 0; c->wanted[kind][w] && i < outside; i++)
            gbs_choosing_scores(c, kind, w)[rows[inside + i]] = scores[w * outside + i];
    gbs_array_free(ctx, scores);
    gbs_data_free(train);
    gbs_data_free(test);
    gbs_array_free(ctx, rows);
    return status;
}
