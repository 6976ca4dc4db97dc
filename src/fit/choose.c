/* The choice on the learn part (docs/maths.md, 11.5).
 *
 * Candidates are hinge posteriors under N(0, w^2 I), lambda = rows: columns equal or by relevance,
 * and a path of widths w that goes far enough for classes that a line divides. All are judged on
 * the same folds by the log loss of their out-of-fold scores, calibrated (platt.c): it is smooth,
 * and cares for the order of the rows and their probabilities as well as for the labels, so that
 * some hundred rows do not choose by luck. A tie goes to the simpler: equal columns, the narrower
 * prior.
 *
 * The zero-one posterior around the chosen one replaces it where its out-of-fold labels are better
 * beyond chance: by more than two standard deviations of a fair coin on the rows where they differ.
 *
 * Rows of the learn part are free: nothing here sees the last block.
 */
#include "fit/choose.h"

#include "core/random.h"
#include "fit/prior_centre.h"
#include "fit/side_by_side.h"
#include "fit/ways.h"
#include "judge/judge.h"

#include <math.h>
#include <string.h>

/* Rows that the comparison uses at most, and that calibrate. */
enum { MOST_FOLDS = 5, MOST_ROWS = 4096, MOST_CALIBRATING = 8192 };
enum { KINDS = 2, WIDTHS = 12, MIDDLE = 5, STEP = 2 };
#define NARROWEST 0.00625
#define STAGE "choice" /* of the progress */
/* Of the free energy: a comparison needs less than what calibrates. */
#define PRECISION 1e-9
#define ROUGHLY 1e-4
/* The intercept's prior has at least this standard deviation, in units of the score. */
#define LEAST_ROOM 1.0

struct choosing {
    gbs_context *ctx;
    const gbs_data *data;
    const gbs_fit_settings *o;
    size_t folds, n;
    size_t *fold_of;
    gbs_columns kinds[KINDS];
    double widths[WIDTHS], constant;
    size_t kinds_size, widths_size;
    bool wanted[KINDS][WIDTHS], done[KINDS][WIDTHS];
    double *scores; /* kinds x widths x n, out of fold */
    double value[KINDS][WIDTHS];
    gbs_loss loss;
    double precision;
    size_t kind, width;
    double told, folds_share; /* of the progress: so far, and what the folds have of it */
};

static double *scores_of(const struct choosing *c, size_t kind, size_t width) {
    return c->scores + (kind * WIDTHS + width) * c->n;
}

/* ---------------------------------------------------------------- one fit */

gbs_fit_settings gbs_choice_settings(const gbs_choice *choice, const gbs_fit_settings *o,
                                     size_t rows, size_t all) {
    gbs_fit_settings s = *o;
    s.loss = choice->loss;
    s.columns = choice->columns;
    s.prior_sd = choice->prior_sd;
    s.constant = choice->constant;
    s.lambda = o->lambda > 0.0 ? o->lambda * (double)rows / (double)all : (double)rows;
    return s;
}

/* A posterior of a convex loss under N(0, w^2 I); of the zero-one loss, under a narrow prior around
 * the hinge posterior of the same rows. */
gbs_status gbs_choice_fit(gbs_context *ctx, const gbs_rows *rows, const gbs_fit_settings *settings,
                          gbs_trace *trace, gbs_posterior *out) {
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
    }
    gbs_empirical *risk = NULL;
    if (status == GBS_OK)
        status = gbs_empirical_over_rows(ctx, rows, loss, &risk);
    gbs_posterior_job task = {
        .ctx = ctx, .options = settings, .risk = risk, .lambda = settings->lambda, .trace = trace};
    task.prior = (gbs_prior){m0, sd * sd};
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
    gbs_held *held; /* test */
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
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, train, &f->maps, &f->train);
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, test, &f->maps, &f->test);
    if (status == GBS_OK)
        status = gbs_hold(f->ctx, &f->test, &f->held);
    return status;
}

/* One width after the other, each from the solution of the last, where the posterior lives in the
 * coordinates of the columns. */
static gbs_status solve_warm(struct fold *f, double *mean) {
    const gbs_fit_settings *s = &f->settings;
    gbs_prior prior = {NULL, s->prior_sd * s->prior_sd};
    gbs_status status = GBS_OK;
    if (!f->warm) {
        status = gbs_empirical_over_rows(f->ctx, &f->train, gbs_loss_of(s->loss), &f->risk);
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
    gbs_status status = gbs_choice_fit(f->ctx, &f->train, &f->settings, NULL, &p);
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
    if (status == GBS_OK) {
        f->held->pass->scores(f->held, 0, f->test.all.n, mean, score);
        status = gbs_check_scores(f->ctx, 0, f->test.all.n, score);
    }
    gbs_array_free(f->ctx, mean);
    return status;
}

/* Fits of one kind of columns to `train`; the scores of `test` for each wanted width. */
static gbs_status leave_out(gbs_context *ctx, const struct choosing *c, size_t kind,
                            const gbs_data *train, const gbs_data *test, size_t stride,
                            double *scores) {
    gbs_choice choice = {.loss = c->loss, .columns = c->kinds[kind], .constant = c->constant};
    struct fold f = {.ctx = ctx};
    f.settings = gbs_choice_settings(&choice, c->o, train->n, c->data->n);
    f.settings.tolerance = c->precision;
    f.settings.form = GBS_FORM_AUTO; /* one optimum, whichever way it is reached */
    gbs_status status = fold_prepare(&f, train, test);
    for (size_t w = 0; status == GBS_OK && w < c->widths_size; w++)
        if (c->wanted[kind][w])
            status = fold_score(&f, c->widths[w], scores + w * stride);
    fold_free(&f);
    return status;
}

static bool any_wanted(const struct choosing *c, size_t kind) {
    for (size_t w = 0; w < c->widths_size; w++)
        if (c->wanted[kind][w])
            return true;
    return false;
}

/* One job: a fold, for one kind of columns. */
static gbs_status run_fold(gbs_context *ctx, void *arg, size_t job) {
    struct choosing *c = arg;
    size_t fold = job % c->folds, kind = job / c->folds, inside = 0, outside = 0, n = c->n;
    if (!any_wanted(c, kind))
        return GBS_OK;
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
    if (status == GBS_OK && (scores = gbs_matrix(ctx, WIDTHS, outside)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = leave_out(ctx, c, kind, train, test, outside, scores);
    for (size_t w = 0; status == GBS_OK && w < c->widths_size; w++)
        for (size_t i = 0; c->wanted[kind][w] && i < outside; i++)
            scores_of(c, kind, w)[rows[inside + i]] = scores[w * outside + i];
    gbs_array_free(ctx, scores);
    gbs_data_free(train);
    gbs_data_free(test);
    gbs_array_free(ctx, rows);
    return status;
}

/* ---------------------------------------------------------------- comparison */

static double log_loss_of(const double *score, const double *y, size_t n, gbs_platt p) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double z = p.offset + p.slope * score[i], m = y[i] > 0.0 ? z : -z;
        sum += fmax(-m, 0.0) + log1p(exp(-fabs(m)));
    }
    return sum / (double)n;
}

static bool says_yes(double score, gbs_platt p) {
    return p.offset + p.slope * score >= 0.0;
}

/* How many rounds there will be is not known: each has half of what is left to
 * them of the bar. */
static gbs_status run_folds(struct choosing *c) {
    gbs_side_progress progress = {STAGE, c->told, 0.5 * (c->folds_share - c->told)};
    c->told += progress.span;
    return gbs_side_by_side(c->ctx, c->folds * c->kinds_size, progress, run_fold, c);
}

/* Runs what is wanted and not done, and finds the best of all. */
static gbs_status compare(struct choosing *c) {
    gbs_status status = run_folds(c);
    for (size_t k = 0; status == GBS_OK && k < c->kinds_size; k++)
        for (size_t w = 0; w < c->widths_size; w++) {
            const double *score = scores_of(c, k, w), *y = c->data->y;
            if (c->wanted[k][w])
                c->value[k][w] = log_loss_of(score, y, c->n, gbs_platt_learn(score, y, c->n));
            c->done[k][w] |= c->wanted[k][w];
            c->wanted[k][w] = false;
        }
    double best = INFINITY;
    for (size_t k = 0; k < c->kinds_size; k++)
        for (size_t w = 0; w < c->widths_size; w++)
            if (c->done[k][w] && c->value[k][w] < best * (1.0 - 1e-9)) {
                best = c->value[k][w];
                c->kind = k;
                c->width = w;
            }
    return status;
}

/* Wants width w of kind k, where there is such a width and it is not known yet. */
static bool want(struct choosing *c, size_t k, size_t w) {
    if (w >= c->widths_size || c->done[k][w])
        return false;
    c->wanted[k][w] = true;
    return true;
}

/* The log loss has one valley along the widths: a few in the middle first, then further where the
 * best is the last one known on its side, and at the end its neighbours. */
static gbs_status search(struct choosing *c) {
    bool more = true;
    for (size_t k = 0; k < c->kinds_size; k++)
        for (size_t w = MIDDLE - STEP; w <= MIDDLE + STEP; w += STEP)
            want(c, k, c->widths_size == 1 ? 0 : w);
    gbs_status status = compare(c);
    while (status == GBS_OK && more) {
        size_t k = c->kind, w = c->width;
        more = want(c, k, w + STEP) || (w >= STEP && want(c, k, w - STEP));
        if (more)
            status = compare(c);
    }
    more = want(c, c->kind, c->width + 1);
    if ((c->width > 0 && want(c, c->kind, c->width - 1)) || more)
        status = status == GBS_OK ? compare(c) : status;
    return status;
}

/* The zero-one posterior around the chosen one, where it was asked for or its labels are better: its
 * scores then take the place of the other's. */
static gbs_status try_zero_one(struct choosing *c, bool asked) {
    double *score = scores_of(c, c->kind, c->width), *hinge = gbs_doubles(c->ctx, c->n);
    const double *y = c->data->y;
    if (hinge == NULL)
        return GBS_ERR_MEMORY;
    memcpy(hinge, score, c->n * sizeof *hinge);
    c->loss = GBS_LOSS_ZERO_ONE;
    c->wanted[c->kind][c->width] = true;
    gbs_status status = run_folds(c);
    c->wanted[c->kind][c->width] = false;
    gbs_platt old = gbs_platt_learn(hinge, y, c->n), new = gbs_platt_learn_slope(score, y, c->n);
    double gain = 0.0, differ = 0.0;
    for (size_t i = 0; status == GBS_OK && i < c->n; i++) {
        bool was = says_yes(hinge[i], old), is = says_yes(score[i], new);
        differ += was != is;
        gain += was != is ? (is == (y[i] > 0.0) ? 1.0 : -1.0) : 0.0;
    }
    if (!asked && !(gain > 2.0 * sqrt(differ))) {
        c->loss = GBS_LOSS_HINGE;
        memcpy(score, hinge, c->n * sizeof *score);
    }
    gbs_array_free(c->ctx, hinge);
    return status;
}

/* ---------------------------------------------------------------- set-up */

/* Each class is dealt out in turn; the rows are in random order already. */
static gbs_status deal(struct choosing *c) {
    size_t dealt[2] = {0, 0}, fewest = gbs_smaller_class(c->data);
    c->folds = fewest < 2 ? 0 : fewest < MOST_FOLDS ? fewest : MOST_FOLDS;
    c->fold_of = gbs_array_alloc(c->ctx, c->n, sizeof *c->fold_of);
    if (c->fold_of == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; c->folds > 0 && i < c->n; i++)
        c->fold_of[i] = dealt[c->data->y[i] > 0.0]++ % c->folds;
    return GBS_OK;
}

/* What there is to choose from; what the options say is not chosen. */
static gbs_status set_candidates(struct choosing *c) {
    const gbs_fit_settings *o = c->o;
    double typical;
    gbs_status status = gbs_typical_cell(c->ctx, c->data, o, &typical);
    if (status != GBS_OK)
        return status;
    bool lengths = o->scale == GBS_SCALE_UNIT_ROW || o->cx > 0.0, standard;
    standard = o->scale == GBS_SCALE_STANDARD && !lengths;
    c->kinds[c->kinds_size++] = o->columns == GBS_COLUMNS_RELEVANCE ? GBS_COLUMNS_RELEVANCE
                                                                    : GBS_COLUMNS_EQUAL;
    if (o->columns == GBS_COLUMNS_AUTO && standard)
        c->kinds[c->kinds_size++] = GBS_COLUMNS_RELEVANCE;
    c->widths_size = o->prior_sd > 0.0 ? 1 : WIDTHS;
    for (size_t w = 0; w < c->widths_size; w++)
        c->widths[w] = o->prior_sd > 0.0 ? o->prior_sd : NARROWEST * exp2((double)w) / typical;
    c->constant = o->constant > 0.0 ? o->constant
                  : lengths         ? 1.0
                                    : fmax(1.0, LEAST_ROOM / c->widths[0]);
    return GBS_OK;
}

/* ---------------------------------------------------------------- the result */

static gbs_status keep(struct choosing *c, const gbs_data *learn, gbs_choice *out) {
    out->loss = c->loss;
    out->columns = c->kinds[c->kind];
    out->prior_sd = c->widths[c->width];
    out->constant = c->constant;
    out->folds = c->folds;
    for (size_t k = 0; k < c->kinds_size; k++)
        for (size_t w = 0; w < c->widths_size; w++)
            out->candidates += c->done[k][w];
    size_t most = learn->n / 5 < MOST_CALIBRATING ? learn->n / 5 : MOST_CALIBRATING;
    out->rows = learn->n > c->n ? most : c->n;
    out->score = gbs_doubles(c->ctx, out->rows);
    out->y = gbs_doubles(c->ctx, out->rows);
    if (out->score == NULL || out->y == NULL)
        return GBS_ERR_MEMORY;
    return GBS_OK;
}

/* The progress of a fit as the rest of the choice's. */
struct rest {
    gbs_progress_callback progress;
    void *user;
    double told;
};

static void tell_rest(const char *stage, double done, void *user) {
    const struct rest *r = user;
    (void)stage;
    r->progress(STAGE, r->told + (1.0 - r->told) * done, r->user);
}

static gbs_status fit_last(struct choosing *c, const gbs_data *train, const gbs_data *test,
                           double *scores) {
    gbs_context *ctx = c->ctx;
    struct rest rest = {ctx->progress, ctx->progress_user, c->told};
    gbs_status status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    if (rest.progress != NULL) {
        ctx->progress = tell_rest;
        ctx->progress_user = &rest;
    }
    gbs_progress_begin(ctx);
    status = leave_out(ctx, c, c->kind, train, test, test->n, scores);
    ctx->progress = rest.progress;
    ctx->progress_user = rest.user;
    gbs_compute_end(ctx);
    return status;
}

/* Of many rows the choice has seen some only, and a fit to all of them shrinks less: the last of
 * them are scored by a fit to the others. */
static gbs_status score_last(struct choosing *c, const gbs_data *learn, gbs_choice *out) {
    size_t n = learn->n, inside = n - out->rows, *rows = gbs_array_alloc(c->ctx, n, sizeof *rows);
    double *scores = gbs_matrix(c->ctx, WIDTHS, out->rows);
    gbs_data *train = NULL, *test = NULL;
    gbs_status status = rows != NULL && scores != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; rows != NULL && i < n; i++)
        rows[i] = i;
    if (status == GBS_OK)
        status = gbs_data_view(c->ctx, learn, rows, inside, &train);
    if (status == GBS_OK)
        status = gbs_data_view(c->ctx, learn, rows + inside, out->rows, &test);
    c->data = learn; /* that a given lambda is meant for */
    c->wanted[c->kind][c->width] = true;
    c->precision = PRECISION;
    if (status == GBS_OK)
        status = fit_last(c, train, test, scores);
    for (size_t i = 0; status == GBS_OK && i < out->rows; i++) {
        out->score[i] = scores[c->width * out->rows + i];
        out->y[i] = test->y[i];
    }
    gbs_data_free(train);
    gbs_data_free(test);
    gbs_array_free(c->ctx, scores);
    gbs_array_free(c->ctx, rows);
    return status;
}

static void calibrate(gbs_choice *out) {
    size_t wrong = 0;
    double n = (double)out->rows;
    out->platt = gbs_loss_of(out->loss)->convex
                     ? gbs_platt_learn(out->score, out->y, out->rows)
                     : gbs_platt_learn_slope(out->score, out->y, out->rows);
    out->log_loss = log_loss_of(out->score, out->y, out->rows, out->platt);
    for (size_t i = 0; i < out->rows; i++)
        wrong += says_yes(out->score[i], out->platt) != (out->y[i] > 0.0);
    out->error = (double)wrong / n;
    out->error_se = sqrt(out->error * (1.0 - out->error) / n);
}

static gbs_status choose(struct choosing *c, const gbs_data *learn, gbs_choice *out) {
    bool asked = c->o->loss != GBS_LOSS_AUTO, zero_one = c->o->loss == GBS_LOSS_ZERO_ONE;
    c->loss = asked && !zero_one ? c->o->loss : GBS_LOSS_HINGE;
    gbs_status status = deal(c);
    if (status == GBS_OK)
        status = set_candidates(c);
    if (status == GBS_OK && c->folds < 2)
        return gbs_fail(c->ctx, GBS_ERR_DATA,
                        "the rows to learn from (%zu) have fewer than two rows of a class",
                        learn->n);
    c->scores = status == GBS_OK ? gbs_matrix(c->ctx, KINDS * WIDTHS, c->n) : NULL;
    if (status == GBS_OK && c->scores == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = search(c);
    if (status == GBS_OK && (zero_one || !asked))
        status = try_zero_one(c, zero_one);
    if (status == GBS_OK)
        status = keep(c, learn, out);
    if (status == GBS_OK && learn->n > c->n)
        status = score_last(c, learn, out);
    else if (status == GBS_OK) {
        memcpy(out->score, scores_of(c, c->kind, c->width), c->n * sizeof *out->score);
        memcpy(out->y, learn->y, c->n * sizeof *out->y);
    }
    if (status == GBS_OK)
        calibrate(out);
    return status;
}

gbs_status gbs_choose(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                      gbs_choice *out) {
    struct choosing c = {.ctx = ctx,
                         .o = o,
                         .n = learn->n < MOST_ROWS ? learn->n : MOST_ROWS,
                         .precision = learn->n > MOST_ROWS ? ROUGHLY : PRECISION,
                         .folds_share = learn->n > MOST_ROWS ? 0.5 : 1.0};
    size_t *rows = gbs_array_alloc(ctx, c.n, sizeof *rows);
    gbs_data *head = NULL;
    gbs_status status = rows != NULL ? GBS_OK : GBS_ERR_MEMORY;
    *out = (gbs_choice){0};
    gbs_progress_begin(ctx);
    for (size_t i = 0; rows != NULL && i < c.n; i++)
        rows[i] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, learn, rows, c.n, &head);
    c.data = head;
    if (status == GBS_OK)
        status = choose(&c, learn, out);
    if (status != GBS_OK)
        gbs_choice_free(ctx, out);
    gbs_array_free(ctx, c.scores);
    gbs_array_free(ctx, c.fold_of);
    gbs_array_free(ctx, rows);
    gbs_data_free(head);
    return status;
}

void gbs_choice_free(const gbs_context *ctx, gbs_choice *choice) {
    gbs_array_free(ctx, choice->score);
    gbs_array_free(ctx, choice->y);
    *choice = (gbs_choice){0};
}
