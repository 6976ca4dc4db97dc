/* The choice behind a fit to three classes or more (docs/maths.md, 11.10).
 *
 * All classes together (many_joint.c), unless binary problems are better by a standard error; of
 * many classes these are too many to be tried beside. Candidates of them are a scheme (each class
 * against the rest, or against each other one), a kind of columns and a width of the prior, one for
 * all problems: each problem by itself has too few rows of its class to choose by. The loss is the
 * probit loss, as of two classes: its best score rises with the probability also where a class is
 * nowhere the likelier side (3.7), where the best under the hinge is a constant. They are compared
 * by the log loss of the jointly calibrated out-of-fold scores, the calibration cross-validated
 * too. Pairs must be better by a standard error.
 */
#include "fit/many.h"

#include "fit/choose.h"

#include <math.h>
#include <string.h>

/* Beyond, binary problems are too many to be tried: pairs of classes, and beside all classes
 * together a class against the rest. */
enum { MOST_PAIRED = 20, MOST_AGAINST_REST = 64 };
enum { KINDS = GBS_CLASS_KINDS, WIDTHS = GBS_CLASS_WIDTHS, MIDDLE = 5, STEP = 2 };
#define NARROWEST 0.00625
#define LEAST_ROOM 1.0
#define ROUGHLY 1e-4 /* of the free energy: a comparison needs no more */
#define CLOSELY 1e-6 /* what calibrates */
#define TIE (1.0 - 1e-9)
#define SURELY 2.0 /* standard errors */

/* One scheme while its candidates are compared. */
struct trial {
    gbs_scheme scheme;
    bool known[KINDS][WIDTHS];
    double log_loss[KINDS][WIDTHS]; /* cross-validated */
    double *loss, *best;            /* of each row, the same: of the last, and of the best */
    const double *rival;            /* of all classes together; NULL: not tried */
    size_t kind, width;             /* the best so far */
    bool any;
    double error;           /* of the best */
    gbs_many *many;         /* of the best: the log odds of its parts, and */
    gbs_held_scores scores; /* the scores of the rows */
};

/* What there is to choose from, as of two classes; what the options say is not chosen. */
static gbs_status set_candidates(gbs_classes_fit *f) {
    const gbs_fit_settings *o = &f->o;
    bool lengths = o->scale == GBS_SCALE_UNIT_ROW || o->cx > 0.0;
    double typical;
    gbs_fit_settings line = *o;
    line.features = GBS_FEATURES_LINEAR;
    gbs_status status = gbs_typical_cell(f->ctx, f->some, &line, &typical);
    if (status != GBS_OK)
        return status;
    f->loss = o->loss != GBS_LOSS_AUTO ? o->loss : gbs_fit_task(o)->smooth;
    bool relevance = o->columns == GBS_COLUMNS_RELEVANCE,
         two = o->columns == GBS_COLUMNS_AUTO && o->scale == GBS_SCALE_STANDARD && !lengths;
    f->kinds[f->kinds_size++] = relevance ? GBS_COLUMNS_RELEVANCE : GBS_COLUMNS_EQUAL;
    if (two)
        f->kinds[f->kinds_size++] = GBS_COLUMNS_RELEVANCE;
    f->widths_size = o->prior_sd > 0.0 ? 1 : WIDTHS;
    for (size_t w = 0; w < f->widths_size; w++)
        f->widths[w] = o->prior_sd > 0.0 ? o->prior_sd : NARROWEST * exp2((double)w) / typical;
    f->constant = o->constant > 0.0 ? o->constant
                  : lengths         ? 1.0
                                    : fmax(1.0, LEAST_ROOM / f->widths[0]);
    return GBS_OK;
}

static gbs_fit_settings settings_of(const gbs_classes_fit *f, size_t kind, size_t width) {
    gbs_fit_settings o = f->o;
    o.columns = f->kinds[kind];
    o.loss = f->loss;
    o.prior_sd = f->widths[width];
    o.constant = f->constant;
    return o;
}

/* ---------------------------------------------------------------- comparison */

/* One candidate: kind of columns and width of the prior for all problems of a scheme. */
static gbs_status try_one(gbs_classes_fit *f, struct trial *t, size_t kind, size_t w) {
    gbs_fit_settings o = settings_of(f, kind, w);
    gbs_part_fits fits = {.o = &o,
                          .rows = f->some,
                          .fold_of = f->fold_of,
                          .folds = f->folds,
                          .done = f->told,
                          .span = f->span};
    gbs_many *many = NULL;
    gbs_held_scores scores = {0};
    double *value = &t->log_loss[kind][w], error = NAN;
    o.tolerance = fmax(o.tolerance, ROUGHLY);
    gbs_status status = gbs_parts_create(f->ctx, f->some, t->scheme, &many);
    if (status == GBS_OK)
        status = gbs_parts_leave_out(f->ctx, &fits, many, &scores);
    gbs_class_scores of = {scores.n, scores.k, scores.score, scores.class};
    if (status == GBS_OK)
        status = gbs_softmax_cross_validate(f->ctx, &of, GBS_SLOPES_EACH, t->loss, &error);
    if (status == GBS_OK)
        *value = gbs_softmax_mean(of.n, t->loss);
    f->told += f->span;
    f->candidates++;
    t->known[kind][w] = true;
    if (status == GBS_OK && (!t->any || *value < TIE * t->log_loss[t->kind][t->width])) {
        gbs_many *old = t->many;
        gbs_held_scores before = t->scores;
        t->many = many;
        t->scores = scores;
        many = old;
        scores = before;
        memcpy(t->best, t->loss, of.n * sizeof *t->best);
        t->any = true;
        t->error = error;
        t->kind = kind;
        t->width = w;
    }
    gbs_many_free(f->ctx, many);
    gbs_held_scores_free(f->ctx, &scores);
    return status;
}

/* Where there is such a width and it is not known yet. */
static gbs_status try_new(gbs_classes_fit *f, struct trial *t, size_t kind, size_t w, bool *new) {
    if (w >= f->widths_size || t->known[kind][w])
        return GBS_OK;
    *new = true;
    return try_one(f, t, kind, w);
}

/* A scheme whose best so far is surely worse than all classes together is not searched further. */
static bool is_lost(const gbs_classes_fit *f, const struct trial *t) {
    return t->rival != NULL && gbs_softmax_better_by(f->some->n, t->rival, t->best, SURELY);
}

/* The log loss has one valley along the widths. From three of them, under one kind of columns:
 * further where the best is the last known on its side; then other columns at the best, and on from
 * there; then its neighbours. */
static gbs_status search(gbs_classes_fit *f, struct trial *t, size_t first) {
    gbs_status status = GBS_OK;
    bool new = true;
    for (size_t w = MIDDLE - STEP; status == GBS_OK && w <= MIDDLE + STEP; w += STEP)
        status = try_new(f, t, first, f->widths_size == 1 ? 0 : w, &new);
    if (status == GBS_OK && is_lost(f, t) && f->kinds_size > 1) /* other columns may be better */
        status = try_new(f, t, 1 - first, t->width, &new);
    if (status != GBS_OK || is_lost(f, t))
        return status;
    while (status == GBS_OK && new) {
        size_t kind = t->kind, width = t->width;
        new = false;
        status = try_new(f, t, kind, width + STEP, &new);
        if (status == GBS_OK && width >= STEP)
            status = try_new(f, t, kind, width - STEP, &new);
        for (size_t k = 0; status == GBS_OK && k < f->kinds_size && !new; k++)
            status = try_new(f, t, k, t->width, &new);
    }
    size_t kind = t->kind, width = t->width;
    if (status == GBS_OK)
        status = try_new(f, t, kind, width + 1, &new);
    if (status == GBS_OK && width >= 1)
        status = try_new(f, t, kind, width - 1, &new);
    return status;
}

/* Pairs of classes are many problems: around what was best for the rest. */
static gbs_status search_pairs(gbs_classes_fit *f, const struct trial *rest, struct trial *t) {
    bool new;
    gbs_status status = try_new(f, t, rest->kind, rest->width, &new);
    if (status != GBS_OK || is_lost(f, t))
        return status;
    status = try_new(f, t, rest->kind, rest->width + STEP, &new);
    if (status == GBS_OK && rest->width >= STEP)
        status = try_new(f, t, rest->kind, rest->width - STEP, &new);
    return status;
}

/* What calibrates: scores of rows left out, of fits that shrink as the one to all rows will. Of
 * many rows the choice has seen some only: then the last of all are scored by fits to the others,
 * which keep two rows of each class wherever they stand. */
static gbs_status score_again(gbs_classes_fit *f, const gbs_fit_settings *o, gbs_many *many) {
    bool some = f->some->n < f->head->n;
    size_t *last = some ? gbs_classes_last_rows(f) : NULL;
    if (some && last == NULL)
        return GBS_ERR_MEMORY;
    gbs_fit_settings once = *o;
    if (some)
        once.tolerance = fmax(o->tolerance, CLOSELY);
    gbs_part_fits fits = {.o = &once,
                          .rows = f->head,
                          .fold_of = some ? last : f->fold_of,
                          .folds = some ? 1 : f->folds,
                          .done = f->told,
                          .span = 0.5 * (1.0 - f->told),
                          .matched = true};
    f->told += fits.span;
    gbs_held_scores_free(f->ctx, &f->chosen);
    gbs_status status = gbs_parts_leave_out(f->ctx, &fits, many, &f->chosen);
    gbs_array_free(f->ctx, last);
    return status;
}

/* The better scheme, on all rows. */
static gbs_status finish(gbs_classes_fit *f, struct trial *best) {
    gbs_fit_settings o = settings_of(f, best->kind, best->width);
    gbs_split_key key = gbs_split_key_of(&f->split, &f->o);
    f->many = best->many;
    best->many = NULL;
    gbs_status status = score_again(f, &o, f->many);
    gbs_part_fits fits = {.o = &o, .rows = f->head, .done = f->told, .span = 1.0 - f->told};
    return status == GBS_OK ? gbs_parts_train(f->ctx, &fits, &key, f->data->n, f->many) : status;
}

/* What the best candidate of a scheme is worth, under the better of the two kinds of slopes. */
static gbs_status value(gbs_classes_fit *f, struct trial *t, double *log_loss, double *error) {
    gbs_class_scores of = {t->scores.n, t->scores.k, t->scores.score, t->scores.class};
    gbs_slopes_kind kind;
    gbs_status status = GBS_OK;
    *error = t->error;
    if (!is_lost(f, t))
        status = gbs_softmax_compare(f->ctx, &of, &kind, t->best, error);
    *log_loss = gbs_softmax_mean(of.n, t->best);
    return status;
}

/* All classes together unless a scheme of binary problems is better by a standard error. */
static gbs_status take(gbs_classes_fit *f, gbs_joint_choice *joint, struct trial *rest,
                       struct trial *pairs) {
    struct trial *two = pairs->any && gbs_softmax_better(f->some->n, pairs->best, rest->best)
                            ? pairs
                            : rest;
    if (joint->any && !(two->any && gbs_softmax_better(f->some->n, two->best, joint->loss)))
        return gbs_joint_finish(f, joint);
    return finish(f, two);
}

static size_t classes_learned(const gbs_classes_fit *f) {
    size_t learned = 0;
    for (size_t k = 0; k < f->data->classes; k++)
        learned += f->rows[k] >= 2;
    return learned;
}

/* The binary problems: a class against the rest, and pairs where there are not too many; columns
 * first as they were best for all classes together. */
static gbs_status search_two(gbs_classes_fit *f, gbs_columns columns, struct trial *rest,
                             struct trial *pairs) {
    size_t learned = classes_learned(f),
           first = f->kinds_size > 1 && columns == GBS_COLUMNS_RELEVANCE;
    bool both = learned > 2 && learned <= MOST_PAIRED;
    double *log_loss = f->log_loss, *error = f->error;
    f->span = both ? 0.04 : 0.08;
    gbs_status status = search(f, rest, first);
    if (status == GBS_OK && both)
        status = search_pairs(f, rest, pairs);
    if (status == GBS_OK)
        status = value(f, rest, &log_loss[GBS_SCHEME_REST], &error[GBS_SCHEME_REST]);
    if (status == GBS_OK && both)
        status = value(f, pairs, &log_loss[GBS_SCHEME_PAIRS], &error[GBS_SCHEME_PAIRS]);
    return status;
}

gbs_status gbs_classes_choose(gbs_classes_fit *f) {
    struct trial rest = {.scheme = GBS_SCHEME_REST}, pairs = {.scheme = GBS_SCHEME_PAIRS};
    gbs_joint_choice joint = {0};
    rest.loss = pairs.loss = gbs_matrix(f->ctx, 3, f->some->n);
    gbs_status status = rest.loss != NULL ? set_candidates(f) : GBS_ERR_MEMORY;
    if (rest.loss != NULL) {
        rest.best = rest.loss + f->some->n;
        pairs.best = rest.best + f->some->n;
    }
    f->span = 0.08;
    gbs_progress_begin(f->ctx);
    if (status == GBS_OK && f->o.loss == GBS_LOSS_AUTO)
        status = gbs_joint_choose(f, &joint);
    f->log_loss[GBS_SCHEME_SOFTMAX] = joint.any ? joint.log_loss : NAN;
    f->error[GBS_SCHEME_SOFTMAX] = joint.any ? joint.error : NAN;
    rest.rival = pairs.rival = joint.any ? joint.loss : NULL;
    bool mapped = joint.any && !gbs_features_linear(joint.o.features),
         many = joint.any && classes_learned(f) > MOST_AGAINST_REST;
    if (!mapped)
        f->o.features = GBS_FEATURES_LINEAR;
    if (status == GBS_OK && !mapped && !many)
        status = search_two(f, joint.o.columns, &rest, &pairs);
    f->told = fmin(f->told, 0.9);
    if (status == GBS_OK)
        status = take(f, &joint, &rest, &pairs);
    gbs_joint_choice_free(f->ctx, &joint);
    gbs_many_free(f->ctx, rest.many);
    gbs_many_free(f->ctx, pairs.many);
    gbs_held_scores_free(f->ctx, &rest.scores);
    gbs_held_scores_free(f->ctx, &pairs.scores);
    gbs_array_free(f->ctx, rest.loss);
    return status;
}
