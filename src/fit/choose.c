/* The choice on the learn part (docs/maths.md, 11.5).
 *
 * Candidates are posteriors under N(0, w^2 I), lambda = rows, of the probit loss, in ranking of the
 * hinge: columns equal or by relevance, and a path of widths w that goes far enough for classes
 * that a line divides. All are judged on the same folds by the log loss of their out-of-fold
 * scores, calibrated (platt.c): it is smooth, and cares for the order of the rows and their
 * probabilities as well as for the labels, so that some hundred rows do not choose by luck. A tie
 * goes to the simpler: equal columns, the narrower prior.
 *
 * The zero-one posterior around the chosen one replaces it where its out-of-fold labels are better
 * by more than a standard deviation of a fair coin on the rows where they differ; in ranking, where
 * the AUC inside the folds is, by two standard errors of its mean change.
 *
 * Where errors have costs, the chosen one is also fitted to rows that count by the cost of their
 * error, and stays so if its out-of-fold labels then cost less, beyond a standard deviation (11.6).
 *
 * With a map of the columns asked for, or `features` auto, the best map (choose_map.c) is one more
 * kind of columns, with widths of its own. Fits are longer then, and the rows compared fewer.
 *
 * Rows of the learn part are free: nothing here sees the last block.
 */
#include "fit/choosing.h"

#include "fit/choose_map.h"
#include "fit/deal.h"
#include "fit/side_by_side.h"
#include "fit/ways.h"

#include <math.h>
#include <string.h>

/* Rows that the comparison uses at most, and that calibrate. */
enum {
    MOST_FOLDS = 5,
    MOST_ROWS = 4096,
    MOST_PAIRS = 1 << 18,
    ENOUGH = 10,
    MOST_CALIBRATING = 8192
};
/* Rows that the fit which is calibrated learns from, where there are more: so many, so many a
 * coefficient, and so many of each class. What it shrinks more than a fit to all of them is then
 * less than the calibration's own error. */
enum { LEAST_BEFORE = 32768, BEFORE_A_COEFFICIENT = 256, LEAST_OF_A_CLASS = 2048 };
/* With maps, whose fits are longer: rows up to which there are folds of them all, folds of more,
 * and columns of a map there. */
enum { MAPPED_ROWS = 2048, MAPPED_FOLDS = 3, MAPPED_COLUMNS = 512 };
enum { KINDS = GBS_CHOICE_KINDS, WIDTHS = GBS_CHOICE_WIDTHS };
#define NARROWEST 0.00625
#define NARROWEST_MAPPED 0.1
/* Of the free energy: a comparison needs less than what calibrates. */
#define PRECISION 1e-9
#define ROUGHLY 1e-4
/* The intercept's prior has at least this standard deviation, in units of the score. */
#define LEAST_ROOM 1.0

/* ---------------------------------------------------------------- set-up */

/* The rows are in random order already. */
static gbs_status deal(gbs_choosing *c) {
    size_t fewest,
        most = c->most_columns < SIZE_MAX && c->n >= MAPPED_ROWS ? MAPPED_FOLDS : MOST_FOLDS;
    gbs_status status = gbs_deal_fewest(c->ctx, c->data, &fewest);
    if (status != GBS_OK)
        return status;
    c->folds = fewest < 2 ? 0 : fewest < most ? fewest : most;
    c->fold_of = gbs_array_alloc(c->ctx, c->n, sizeof *c->fold_of);
    if (c->fold_of == NULL)
        return GBS_ERR_MEMORY;
    return c->folds > 0 ? gbs_deal(c->ctx, c->data, NULL, c->folds, c->fold_of) : GBS_OK;
}

/* Widths of the prior from `narrowest` on; what the options say is not chosen. */
static void set_widths(gbs_choosing *c, gbs_choice_kind *kind, double narrowest) {
    const gbs_fit_settings *o = c->o;
    bool lengths = o->scale == GBS_SCALE_UNIT_ROW || o->cx > 0.0;
    c->widths_size = o->prior_sd > 0.0 ? 1 : WIDTHS;
    for (size_t w = 0; w < c->widths_size; w++)
        kind->widths[w] = o->prior_sd > 0.0 ? o->prior_sd : narrowest * exp2((double)w);
    kind->constant = o->constant > 0.0 ? o->constant
                     : lengths         ? 1.0
                                       : fmax(1.0, LEAST_ROOM / kind->widths[0]);
}

/* The columns themselves. */
static gbs_status set_linear(gbs_choosing *c) {
    gbs_fit_settings o = *c->o;
    double typical;
    o.features = GBS_FEATURES_LINEAR;
    gbs_status status = gbs_typical_cell(c->ctx, c->data, &o, &typical);
    if (status != GBS_OK)
        return status;
    bool free_lengths = o.scale == GBS_SCALE_STANDARD && !(o.cx > 0.0);
    gbs_choice_kind kind = {.columns = o.columns == GBS_COLUMNS_RELEVANCE ? GBS_COLUMNS_RELEVANCE
                                                                          : GBS_COLUMNS_EQUAL};
    set_widths(c, &kind, NARROWEST / typical);
    c->kinds[c->kinds_size++] = kind;
    kind.columns = GBS_COLUMNS_RELEVANCE;
    if (o.columns == GBS_COLUMNS_AUTO && free_lengths)
        c->kinds[c->kinds_size++] = kind;
    return GBS_OK;
}

/* The best map of them. A mapped row has a length of about one: its widths need no typical cell. */
static void set_mapped(gbs_choosing *c, const gbs_map_choice *found) {
    gbs_choice_kind kind = {.columns = GBS_COLUMNS_EQUAL,
                            .features = found->features,
                            .features_size = found->size,
                            .kernel_width = found->kernel_width,
                            .level_width = found->level_width,
                            .axes = found->axes};
    set_widths(c, &kind, NARROWEST_MAPPED);
    c->kinds[c->kinds_size++] = kind;
}

/* The map's posterior, of `most` features at most, has a full covariance in fewer coefficients than
 * there are rows: rows can be taken out of it one by one. */
static bool matrix_of_map(const gbs_choosing *c, size_t most) {
    const gbs_choice_kind *kind = &c->kinds[c->kinds_size - 1];
    gbs_fit_settings s = *c->o;
    s.features = kind->features;
    s.features_size = kind->features_size < most ? kind->features_size : most;
    size_t d = gbs_maps_columns(&s, c->data->d);
    gbs_settle_family(&s, d);
    return d < c->n && gbs_family_of(s.family)->pull == GBS_PULL_MATRIX;
}

/* What there is to choose from. Of many rows the look at maps has seen more than the folds will: it
 * says whether the map or the columns themselves, and the other is left out. */
static gbs_status set_candidates(gbs_choosing *c, const gbs_data *learn) {
    gbs_features asked = c->o->features;
    gbs_map_choice found = {0};
    gbs_status status = GBS_OK;
    bool mapped = !gbs_features_linear(asked), line = !mapped || asked == GBS_FEATURES_AUTO;
    if (mapped)
        status = gbs_choose_map(c->ctx, learn, c->o, &found);
    if (asked == GBS_FEATURES_AUTO && c->again && learn->group == NULL) {
        mapped = found.helps;
        line = !found.helps;
    }
    if (status == GBS_OK && line)
        status = set_linear(c);
    if (status == GBS_OK && mapped)
        set_mapped(c, &found);
    c->looked = found.candidates;
    c->one_by_one = status == GBS_OK && mapped && !line && c->again &&
                    gbs_loss_of(c->loss)->convex && learn->weight == NULL && learn->group == NULL &&
                    matrix_of_map(c, c->most_columns);
    return status;
}

/* ---------------------------------------------------------------- the result */

static gbs_status keep(gbs_choosing *c, const gbs_data *learn, gbs_choice *out) {
    out->loss = c->loss;
    out->weighted = c->weighted;
    gbs_choice_take(out, &c->kinds[c->kind]);
    out->prior_sd = c->kinds[c->kind].widths[c->width];
    out->folds = c->folds;
    out->candidates = c->looked;
    for (size_t k = 0; k < c->kinds_size; k++)
        for (size_t w = 0; w < c->widths_size; w++)
            out->candidates += c->done[k][w];
    size_t most = learn->n / 5 < MOST_CALIBRATING ? learn->n / 5 : MOST_CALIBRATING;
    out->rows = c->again ? most : c->n;
    /* a group is scored as a whole */
    while (c->again && learn->group != NULL && out->rows + 1 < learn->n &&
           learn->group[learn->n - out->rows] == learn->group[learn->n - out->rows - 1])
        out->rows++;
    out->first = c->again ? learn->n - out->rows : 0;
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
    r->progress(GBS_CHOICE_STAGE, r->told + (1.0 - r->told) * done, r->user);
}

static gbs_status fit_last(gbs_choosing *c, gbs_data *train, const gbs_data *test, double *scores) {
    gbs_context *ctx = c->ctx;
    struct rest rest = {ctx->progress, ctx->progress_user, c->progress_done};
    gbs_status status = gbs_compute_begin(ctx);
    if (status != GBS_OK)
        return status;
    if (rest.progress != NULL) {
        ctx->progress = tell_rest;
        ctx->progress_user = &rest;
    }
    gbs_progress_begin(ctx);
    status = gbs_choosing_leave_out(ctx, c, c->kind, train, test, test->n, scores);
    ctx->progress = rest.progress;
    ctx->progress_user = rest.user;
    gbs_compute_end(ctx);
    return status;
}

/* Out-of-fold scores of the one chosen on the scale of the fit to all rows: under a narrow prior a
 * score grows with the rows behind it, its constant part too, which is large where a class is rare.
 * What is compared may differ in scale, what calibrates may not. A ranker prints no probability. */
static gbs_status score_folds(gbs_choosing *c, gbs_choice *out) {
    gbs_status status = GBS_OK;
    c->wanted[c->kind][c->width] = c->labels;
    if (c->labels)
        status = gbs_choosing_run(c);
    memcpy(out->score, gbs_choosing_scores(c, c->kind, c->width), c->n * sizeof *out->score);
    memcpy(out->y, c->data->y, c->n * sizeof *out->y);
    return status;
}

/* How many of the rows before `end` teach what is calibrated. */
static size_t rows_before(const gbs_choosing *c, const gbs_data *learn, size_t end) {
    gbs_fit_settings s = *c->o;
    s.features = c->kinds[c->kind].features;
    s.features_size = c->kinds[c->kind].features_size;
    size_t least = BEFORE_A_COEFFICIENT * gbs_maps_columns(&s, learn->d), have[2] = {0, 0};
    least = least > LEAST_BEFORE ? least : LEAST_BEFORE;
    for (size_t i = 0; i < end; i++) {
        if (i >= least && have[0] >= LEAST_OF_A_CLASS && have[1] >= LEAST_OF_A_CLASS)
            return i;
        have[learn->y[end - 1 - i] > 0.0]++;
    }
    return end;
}

/* Of many rows the choice has seen some only, and a fit to all of them shrinks less: the last of
 * them are scored by a fit to those before. */
static gbs_status score_last(gbs_choosing *c, const gbs_data *learn, gbs_choice *out) {
    size_t n = learn->n, inside = n - out->rows, before = rows_before(c, learn, inside),
           *rows = gbs_array_alloc(c->ctx, n, sizeof *rows);
    double *scores = gbs_matrix(c->ctx, WIDTHS, out->rows);
    gbs_data *train = NULL, *test = NULL;
    gbs_status status = rows != NULL && scores != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; rows != NULL && i < n; i++)
        rows[i] = i;
    if (status == GBS_OK)
        status = gbs_data_view(c->ctx, learn, rows + inside - before, before, &train);
    if (status == GBS_OK)
        status = gbs_data_view(c->ctx, learn, rows + inside, out->rows, &test);
    c->data = learn; /* that a given lambda is meant for */
    c->wanted[c->kind][c->width] = true;
    c->precision = PRECISION;
    c->most_columns = SIZE_MAX;
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

static gbs_status choose(gbs_choosing *c, const gbs_data *learn, gbs_choice *out) {
    bool asked = c->o->loss != GBS_LOSS_AUTO, zero_one = gbs_loss_is_error(c->o->loss);
    c->base = asked && !zero_one ? c->o->loss : gbs_fit_task(c->o)->smooth;
    c->loss = c->base;
    gbs_status status = deal(c);
    if (status == GBS_OK)
        status = c->folds < 2 ? GBS_OK : set_candidates(c, learn);
    if (status == GBS_OK && c->folds < 2)
        return gbs_fail(c->ctx, GBS_ERR_DATA,
                        "the rows to learn from (%zu) have fewer than two rows of a class",
                        learn->n);
    c->scores = status == GBS_OK ? gbs_matrix(c->ctx, KINDS * WIDTHS, c->n) : NULL;
    if (status == GBS_OK && c->scores == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_choosing_search(c);
    bool mapped = !gbs_features_linear(c->kinds[c->kind].features);
    if (status == GBS_OK && (zero_one || (!asked && !mapped && !gbs_has_costs(c->o))))
        status = gbs_choosing_try_zero_one(c, zero_one);
    if (status == GBS_OK && gbs_has_costs(c->o))
        status = gbs_choosing_try_weights(c);
    if (status == GBS_OK)
        status = keep(c, learn, out);
    if (status == GBS_OK && c->one_by_one && !c->weighted && gbs_loss_of(c->loss)->convex &&
        matrix_of_map(c, SIZE_MAX)) {
        out->by_posterior = true; /* calibrated by gbs_choice_leave_one_out */
        return GBS_OK;
    }
    c->matched = true;
    if (status == GBS_OK)
        status = c->again ? score_last(c, learn, out) : score_folds(c, out);
    if (status == GBS_OK)
        gbs_choice_calibrate(c->o, out);
    return status;
}

/* The first rows, as many as say enough: rows, or pairs of them; more where a class is rare. */
static size_t rows_to_compare(const gbs_data *learn, bool labels) {
    size_t have[2] = {0, 0};
    for (size_t i = 0; i < learn->n; i++) {
        bool many = labels ? i >= MOST_ROWS : have[0] * have[1] >= MOST_PAIRS;
        if (many && have[0] >= ENOUGH && have[1] >= ENOUGH)
            return i;
        have[learn->y[i] > 0.0]++;
    }
    return learn->n;
}

/* So many rows: the first, or where they come in time some from all of it, unless these lack a
 * class. */
static void take_rows(const gbs_data *learn, bool in_time, size_t n, size_t *rows) {
    size_t have[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        have[learn->y[i * learn->n / n] > 0.0]++;
    bool spread = in_time && have[0] >= ENOUGH && have[1] >= ENOUGH;
    for (size_t i = 0; i < n; i++)
        rows[i] = spread ? i * learn->n / n : i;
}

gbs_status gbs_choose(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                      gbs_choice *out) {
    bool mapped = !gbs_features_linear(o->features);
    gbs_choosing c = {.ctx = ctx, .o = o, .labels = gbs_has(gbs_fit_task(o), GBS_FACT_LABELS)};
    c.n = rows_to_compare(learn, c.labels);
    c.again = c.labels && learn->n > (mapped && c.n > MAPPED_ROWS ? MAPPED_ROWS : c.n);
    c.precision = learn->n > c.n || mapped ? ROUGHLY : PRECISION;
    c.most_columns = mapped ? MAPPED_COLUMNS : SIZE_MAX;
    c.progress_of_folds = c.again ? 0.5 : 1.0;
    size_t *rows = gbs_array_alloc(ctx, c.n, sizeof *rows);
    gbs_data *head = NULL;
    gbs_status status = rows != NULL ? GBS_OK : GBS_ERR_MEMORY;
    *out = (gbs_choice){0};
    gbs_progress_begin(ctx);
    if (rows != NULL)
        take_rows(learn, o->order == GBS_ORDER_TIME, c.n, rows);
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
