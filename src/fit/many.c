/* The fit to three classes or more (docs/maths.md, 11.10).
 *
 * As of two classes: all rows but a last block are learned from, they choose, train and calibrate,
 * and the last block tests the labels that are then fixed. What is chosen: many_choose.c.
 *
 * The classes are those with two rows or more before the last block. A row of another class is an
 * error of whatever is said.
 */
#include "fit/many.h"

#include "fit/choose.h"
#include "fit/deal.h"
#include "fit/temper.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the rows to learn from */

static gbs_status count_classes(gbs_classes_fit *f) {
    size_t learned = 0, classes = f->data->classes;
    f->rows = gbs_array_alloc(f->ctx, classes + 1, sizeof *f->rows);
    if (f->rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < f->head->n; i++)
        f->rows[(size_t)f->head->y[i]]++;
    for (size_t k = 0; k < classes; k++)
        learned += f->rows[k] >= 2;
    if (learned >= 2)
        return GBS_OK;
    return gbs_fail(f->ctx, GBS_ERR_DATA,
                    "%zu rows of %zu classes are too few to learn from some and test on others: of "
                    "the %zu rows to learn from, at least two classes need two rows or more, and "
                    "%s; more rows help, and `positive` LABEL, which sets one class against the "
                    "rest, needs fewer",
                    f->split.n, classes, f->head->n,
                    learned == 1 ? "only one has them" : "none has them");
}

static gbs_status view(gbs_classes_fit *f, size_t from, size_t count, gbs_data **out) {
    size_t *rows = gbs_array_alloc(f->ctx, count, sizeof *rows);
    if (rows == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        rows[i] = from + i;
    gbs_status status = gbs_data_view(f->ctx, f->split.view, rows, count, out);
    gbs_array_free(f->ctx, rows);
    return status;
}

/* The first rows, more of them where a class that is learned would have fewer than two. */
static size_t rows_to_compare(const gbs_classes_fit *f, size_t *have) {
    size_t classes = f->data->classes, missing = 0;
    for (size_t k = 0; k < classes; k++)
        missing += f->rows[k] >= 2;
    for (size_t i = 0; i < f->head->n; i++) {
        if (i >= GBS_CLASS_ROWS && missing == 0)
            return i;
        missing -= ++have[(size_t)f->head->y[i]] == 2;
    }
    return f->head->n;
}

static gbs_status prepare(gbs_classes_fit *f) {
    gbs_context *ctx = f->ctx;
    size_t *have = gbs_array_alloc(ctx, f->data->classes + 1, sizeof *have), n = 0;
    gbs_status status = have != NULL ? gbs_split_create(ctx, f->data, &f->o, &f->split)
                                     : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = view(f, 0, f->split.first, &f->head);
    if (status == GBS_OK)
        status = view(f, f->split.first, f->split.n - f->split.first, &f->fresh);
    if (status == GBS_OK)
        status = count_classes(f);
    if (status == GBS_OK) {
        n = rows_to_compare(f, have);
        status = view(f, 0, n, &f->some);
    }
    gbs_array_free(ctx, have);
    if (status == GBS_OK && (f->fold_of = gbs_array_alloc(ctx, n, sizeof *f->fold_of)) == NULL)
        status = GBS_ERR_MEMORY;
    f->folds = n < f->split.first        ? GBS_CLASS_FEW_FOLDS
               : n <= GBS_CLASS_FEW_ROWS ? GBS_CLASS_MORE_FOLDS
                                         : GBS_CLASS_FOLDS;
    return status == GBS_OK ? gbs_deal(ctx, f->some, NULL, f->folds, f->fold_of) : status;
}

/* Scores of classes that were fitted together: one slope for all, among those that are learned. */
static gbs_status temper(gbs_classes_fit *f) {
    gbs_many *m = f->many;
    size_t k = 0;
    double *score = gbs_matrix(f->ctx, f->chosen.n, m->classes);
    size_t *class = gbs_array_alloc(f->ctx, f->chosen.n, sizeof *class);
    bool there = score != NULL && class != NULL;
    for (size_t c = 0; c < m->classes; c++)
        k += m->learned[c];
    for (size_t i = 0; there && i < f->chosen.n; i++) {
        size_t to = 0;
        class[i] = SIZE_MAX;
        for (size_t c = 0; c < m->classes; c++) {
            if (!m->learned[c])
                continue;
            if (f->chosen.class[i] == c)
                class[i] = to;
            score[i * k + to++] = f->chosen.score[i * m->classes + c];
        }
    }
    gbs_class_scores some = {f->chosen.n, k, score, class};
    double slope = 0.0;
    gbs_status status = there ? gbs_temper(f->ctx, &some, &slope, NULL, NULL) : GBS_ERR_MEMORY;
    for (size_t c = 0; status == GBS_OK && c < m->classes; c++)
        m->slope[c * m->classes + c] = m->learned[c] ? slope : 0.0;
    gbs_array_free(f->ctx, score);
    gbs_array_free(f->ctx, class);
    return status;
}

size_t *gbs_classes_last_rows(const gbs_classes_fit *f) {
    enum { MOST_CALIBRATING = 8192, TO_LEARN = 2 };
    size_t n = f->head->n, first = n - (n / 5 < MOST_CALIBRATING ? n / 5 : MOST_CALIBRATING),
           *fold_of = gbs_array_alloc(f->ctx, n, sizeof *fold_of),
           *seen = gbs_array_alloc(f->ctx, f->data->classes, sizeof *seen);
    bool room = fold_of != NULL && seen != NULL;
    for (size_t i = 0; room && i < n; i++) {
        bool needed = seen[(size_t)f->head->y[i]]++ < TO_LEARN;
        fold_of[i] = i < first || needed ? SIZE_MAX : 0;
    }
    gbs_array_free(f->ctx, seen);
    if (room)
        return fold_of;
    gbs_array_free(f->ctx, fold_of);
    return NULL;
}

static gbs_status calibrate(gbs_classes_fit *f) {
    gbs_many *m = f->many;
    gbs_class_scores scores = {f->chosen.n, m->classes, f->chosen.score, f->chosen.class};
    gbs_status status = GBS_OK;
    if (m->scheme != GBS_SCHEME_SOFTMAX)
        status = gbs_softmax_choose(f->ctx, &scores, m->offset, m->slope);
    else
        status = temper(f);
    gbs_many_tell_full(m);
    for (size_t k = 0; k < m->classes; k++)
        if (!isfinite(m->offset[k])) { /* no calibrating row */
            m->learned[k] = false;
            m->offset[k] = 0.0;
        }
    if (status == GBS_OK && f->o.costs != NULL) {
        m->cost = gbs_matrix(f->ctx, m->classes, m->classes);
        if (m->cost == NULL)
            return GBS_ERR_MEMORY;
        memcpy(m->cost, f->o.costs, m->classes * m->classes * sizeof *m->cost);
    }
    return status;
}

/* ---------------------------------------------------------------- the model */

/* Of the parts together: sums and means. */
static void sum_up(gbs_classes_fit *f) {
    gbs_model *model = f->model;
    const gbs_many *m = model->many;
    double parts = (double)m->card.parts;
    gbs_model_info *to = &model->info;
    for (size_t p = 0; p < m->parts; p++) {
        if (m->part[p] == NULL)
            continue;
        const gbs_model_info *i = &m->part[p]->info;
        if (to->d == 0) {
            *to = *i;
            to->free_energy = to->kl = to->gibbs_risk = to->optimality_gap = 0.0;
            to->iterations = 0;
        }
        to->free_energy += i->free_energy;
        to->kl += i->kl;
        to->gibbs_risk += i->gibbs_risk / parts;
        to->optimality_gap += i->optimality_gap;
        to->iterations += i->iterations;
        to->converged = to->converged && i->converged;
    }
    to->n = f->data->n;
}

/* Once, of all rows to learn from: parts may have fewer. */
static gbs_status tell_constant(const gbs_classes_fit *f) {
    for (size_t p = 0; p < f->many->parts; p++) {
        const gbs_model *part = f->many->part[p];
        const gbs_standard *s = part != NULL ? gbs_maps_standard(&part->maps) : NULL;
        if (s != NULL && s->constant > 0)
            return gbs_maps_tell_constant(f->ctx, &part->maps, f->head);
    }
    return GBS_OK;
}

static gbs_status make_model(gbs_classes_fit *f) {
    gbs_status status = tell_constant(f);
    if (status == GBS_OK)
        status = gbs_model_create(f->ctx, 0, &f->model);
    if (status != GBS_OK)
        return status;
    f->model->many = f->many;
    f->many = NULL;
    sum_up(f);
    f->model->selection = (gbs_selection){
        .candidates = f->candidates, .folds = f->folds, .error = f->error[f->model->many->scheme]};
    f->model->selection.error_se = sqrt(f->model->selection.error *
                                        (1.0 - f->model->selection.error) / (double)f->some->n);
    return GBS_OK;
}

/* ---------------------------------------------------------------- the last block */

static size_t most_frequent(const gbs_classes_fit *f) {
    size_t best = 0;
    for (size_t k = 1; k < f->data->classes; k++)
        if (f->rows[k] > f->rows[best])
            best = k;
    return best;
}

static void fill_card(gbs_classes_fit *f, const gbs_many_tally *t) {
    gbs_many *m = f->model->many;
    gbs_classes_card *c = &m->card;
    double n = (double)t->n;
    size_t said = 0;
    c->learned = f->head->n;
    c->tested = t->n;
    c->unknown = t->unknown;
    c->errors = t->errors;
    c->baseline_class = most_frequent(f);
    c->brier = t->brier / n;
    c->log_loss = t->log_loss / (double)(t->n - t->unknown);
    c->cost = m->cost != NULL ? t->cost / n : NAN;
    c->joint = f->o.joint;
    c->rest_log_loss = f->log_loss[GBS_SCHEME_REST];
    c->pairs_log_loss = f->log_loss[GBS_SCHEME_PAIRS];
    c->softmax_log_loss = f->log_loss[GBS_SCHEME_SOFTMAX];
    c->rest_error = f->error[GBS_SCHEME_REST];
    c->pairs_error = f->error[GBS_SCHEME_PAIRS];
    c->softmax_error = f->error[GBS_SCHEME_SOFTMAX];
    gbs_many_count(m->classes, m->confusion, m->result);
    for (size_t k = 0; k < m->classes; k++) {
        m->result[k].learned = m->learned[k];
        said += m->result[k].said > 0;
    }
    c->baseline_error = 1.0 - (double)m->result[c->baseline_class].rows / n;
    c->one_label = said < 2;
    m->tested = true;
}

/* Probabilities of the calibrating rows: they choose the bets. */
static void calibrated(const gbs_classes_fit *f) {
    const gbs_many *m = f->model->many;
    for (size_t i = 0; i < f->chosen.n; i++)
        gbs_many_probabilities(m, f->chosen.score + i * m->classes);
}

/* Gibbs errors to be expected, where they are known: of the calibrating rows, by their scores from
 * fits without them and the spread of the posteriors that are deployed. */
static gbs_status expect_gibbs(gbs_classes_fit *f) {
    const gbs_many *m = f->model->many;
    const gbs_held_scores *s = &f->chosen;
    if (f->expected != NULL || !gbs_many_draws_known(m))
        return GBS_OK;
    gbs_data *rows = NULL;
    double *spread = gbs_matrix(f->ctx, s->n, m->classes);
    f->expected = gbs_doubles(f->ctx, s->n);
    bool room = spread != NULL && f->expected != NULL;
    gbs_status status = room ? gbs_data_view(f->ctx, f->split.view, s->row, s->n, &rows)
                             : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_many_scores(f->ctx, m, rows, f->o.draw_seed, 0, NULL, spread);
    if (status == GBS_OK)
        gbs_many_draws_wrong(f->ctx, m, s->n, rows->y, s->score, spread, f->expected);
    gbs_data_free(rows);
    gbs_array_free(f->ctx, spread);
    return status;
}

/* What the rows of the last block say. The calibrating rows' scores become probabilities. */
static gbs_status tell(gbs_classes_fit *f, double *score, const double *wrong) {
    gbs_many *m = f->model->many;
    gbs_many_tally t = {.confusion = m->confusion};
    gbs_many_add(m, f->fresh->n, f->fresh->y, score, wrong, &t);
    fill_card(f, &t);
    calibrated(f);
    gbs_many_evidence e = {.o = &f->o,
                           .probability = score,
                           .y = f->fresh->y,
                           .gibbs = wrong,
                           .before_probability = f->chosen.score,
                           .before_gibbs = f->expected,
                           .before_class = f->chosen.class,
                           .before = f->chosen.n,
                           .head = f->head,
                           .fresh = f->fresh,
                           .first = f->two ? f->calibrating : 0,
                           .rows = f->two ? f->chosen.n : f->head->n};
    return gbs_many_certify(f->ctx, f->model, &e);
}

static gbs_status test(gbs_classes_fit *f) {
    const gbs_many *m = f->model->many;
    size_t n = f->fresh->n;
    double *score = gbs_matrix(f->ctx, n, m->classes), *spread = gbs_matrix(f->ctx, n, m->classes),
           *wrong = gbs_doubles(f->ctx, n);
    bool room = score != NULL && spread != NULL && wrong != NULL;
    gbs_status status = room ? gbs_many_scores(f->ctx, m, f->fresh, f->o.draw_seed, f->head->n,
                                               score, spread)
                             : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        gbs_many_draws_wrong(f->ctx, m, n, f->fresh->y, score, spread, wrong);
    if (status == GBS_OK)
        status = expect_gibbs(f);
    if (status == GBS_OK)
        status = tell(f, score, wrong);
    gbs_array_free(f->ctx, score);
    gbs_array_free(f->ctx, spread);
    gbs_array_free(f->ctx, wrong);
    return status;
}

static gbs_status judge_training(gbs_classes_fit *f) {
    gbs_evaluated e = {0};
    gbs_status status = gbs_many_evaluate(f->ctx, f->model, f->head, &e);
    f->model->info.gibbs_error = e.told.gibbs_error;
    f->model->info.train_error = e.told.error;
    gbs_many *m = f->model->many;
    for (size_t p = 0; m->scheme == GBS_SCHEME_SOFTMAX && p < m->parts; p++)
        if (m->part[p] != NULL) { /* which say nothing by themselves */
            m->part[p]->info.gibbs_error = e.told.gibbs_error;
            m->part[p]->info.train_error = e.told.error;
        }
    return status;
}

static gbs_status fit_deployed(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                               gbs_model **out) {
    gbs_classes_fit f = {.ctx = ctx, .data = data, .o = *o};
    for (int k = 0; k <= GBS_SCHEME_SOFTMAX; k++)
        f.log_loss[k] = f.error[k] = NAN;
    gbs_status status = prepare(&f);
    f.two = status == GBS_OK && gbs_classes_are_two(&f);
    if (status == GBS_OK)
        status = f.two ? gbs_classes_fit_two(&f) : gbs_classes_choose(&f);
    if (status == GBS_OK && !f.two)
        status = calibrate(&f);
    if (status == GBS_OK)
        status = make_model(&f);
    if (status == GBS_OK)
        status = test(&f);
    if (status == GBS_OK)
        status = judge_training(&f);
    gbs_many_free(ctx, f.many);
    gbs_held_scores_free(ctx, &f.chosen);
    gbs_array_free(ctx, f.expected);
    gbs_array_free(ctx, f.rows);
    gbs_array_free(ctx, f.fold_of);
    gbs_data_free(f.head);
    gbs_data_free(f.some);
    gbs_data_free(f.fresh);
    gbs_split_free(&f.split);
    *out = f.model;
    return status;
}

/* ---------------------------------------------------------------- without a certificate */

/* Each class against the rest, as the options say, on all rows: what cross-validation compares. The
 * label is the class of the largest score. */
static gbs_status fit_plain(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            gbs_model **out) {
    gbs_classes_fit f = {.ctx = ctx, .data = data, .o = *o};
    gbs_many *m = NULL;
    gbs_status status = gbs_many_create(ctx, data->classes, GBS_SCHEME_REST, &m);
    for (size_t k = 0; status == GBS_OK && k < data->classes; k++) {
        size_t rows = 0;
        for (size_t i = 0; i < data->n; i++)
            rows += data->y[i] == (double)k;
        m->learned[k] = rows > 0;
        m->slope[k * data->classes + k] = m->odds[k].slope = 1.0;
        gbs_data *against = NULL;
        if (rows > 0 && rows < data->n) {
            status = gbs_data_against(ctx, data, k, SIZE_MAX, &against);
            if (status == GBS_OK)
                status = gbs_fit_to_judge(ctx, against, o, &m->part[k]);
            gbs_data_free(against);
            m->card.parts++;
        }
    }
    if (status == GBS_OK)
        status = gbs_model_create(ctx, 0, &f.model);
    if (status != GBS_OK) {
        gbs_many_free(ctx, m);
        return status;
    }
    f.model->many = m;
    gbs_many_tell_sides(m);
    sum_up(&f);
    f.head = (gbs_data *)data;
    *out = f.model;
    return judge_training(&f);
}

gbs_status gbs_fit_classes(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                           bool certified, gbs_model **out) {
    gbs_status status = certified ? gbs_task_classify_many.refuse(ctx, o) : GBS_OK;
    if (status != GBS_OK)
        return status;
    return certified ? fit_deployed(ctx, data, o, out) : fit_plain(ctx, data, o, out);
}
