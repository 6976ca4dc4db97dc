/* All classes fitted together, and what is chosen for that (docs/maths.md, 11.10).
 *
 * Each fold of the rows that choose is left out once; its fits go from a narrow prior to wide ones,
 * each from the means of the last, until the log loss of the rows left out has risen twice. Columns
 * are equal or by relevance (6.4), or mapped (12.4) where that was asked for; `features` auto takes the map where
 * its log loss is lower by two standard errors of the difference.
 */
#include "fit/many.h"

#include "fit/choose.h"
#include "fit/choose_map.h"
#include "fit/joint.h"
#include "fit/side_by_side.h"
#include "fit/temper.h"

#include <math.h>
#include <string.h>

#define NARROWEST 0.00625
#define NARROWEST_MAPPED 0.1
#define LEAST_ROOM 1.0 /* of the intercept's prior, in units of the score */
/* Nats that may be left: to compare, to calibrate. */
#define ROUGHLY 0.1
#define CLOSELY 0.01
#define TIE (1.0 - 1e-9)
#define SURELY 2.0 /* standard errors */
enum { MOST_RISES = 2, MAPPED_COLUMNS = 512 };
/* Cells that the covariances of all classes may have together in a model. */
enum { MOST_CELLS = 1 << 22 };

/* ---------------------------------------------------------------- folds */

struct fold {
    gbs_data *train, *test;
    size_t *class_of, *at; /* classes of the rows that train, places of those left out */
    gbs_maps maps;
    gbs_rows train_rows, test_rows;
    gbs_joint *joint;
};

struct folds {
    const gbs_fit_settings *o;
    const gbs_data *rows;
    const size_t *fold_of;
    const gbs_many *many;
    size_t count, k; /* folds, classes that are learned */
    size_t *place;   /* of each class among those; k: not learned */
    struct fold *fold;
    double enough, *score; /* rows x k */
    bool matched;          /* fits to some of the rows shrink as one to all of them */
};

static void fold_free(const gbs_context *ctx, struct fold *f) {
    gbs_joint_free(ctx, f->joint);
    gbs_rows_free(ctx, &f->train_rows);
    gbs_rows_free(ctx, &f->test_rows);
    gbs_maps_free(ctx, &f->maps);
    gbs_data_free(f->train);
    gbs_data_free(f->test);
    gbs_array_free(ctx, f->class_of);
    gbs_array_free(ctx, f->at);
}

static void folds_free(const gbs_context *ctx, struct folds *s) {
    for (size_t k = 0; s->fold != NULL && k < s->count; k++)
        fold_free(ctx, &s->fold[k]);
    gbs_array_free(ctx, s->fold);
    gbs_array_free(ctx, s->place);
    gbs_array_free(ctx, s->score);
}

/* The rows of a fold, left out; fold SIZE_MAX: none are. */
static gbs_status divide(gbs_context *ctx, struct folds *s, size_t fold, struct fold *f) {
    size_t n = s->rows->n, trained = 0, tested = 0, *in = gbs_array_alloc(ctx, n, sizeof *in);
    f->at = gbs_array_alloc(ctx, n, sizeof *f->at);
    f->class_of = gbs_array_alloc(ctx, n, sizeof *f->class_of);
    bool there = in != NULL && f->at != NULL && f->class_of != NULL;
    for (size_t i = 0; there && i < n; i++) {
        if (s->fold_of != NULL && s->fold_of[i] == fold) {
            f->at[tested++] = i;
            continue;
        }
        f->class_of[trained] = s->place[(size_t)s->rows->y[i]];
        in[trained++] = i;
    }
    gbs_status status = there ? gbs_data_view(ctx, s->rows, in, trained, &f->train)
                              : GBS_ERR_MEMORY;
    if (status == GBS_OK && tested > 0)
        status = gbs_data_view(ctx, s->rows, f->at, tested, &f->test);
    gbs_array_free(ctx, in);
    return status;
}

/* A gbs_side_job: maps, rows and what the rows say of a covariance. */
static gbs_status build(gbs_context *ctx, void *arg, size_t job) {
    const struct folds *s = arg;
    struct fold *f = &s->fold[job];
    double share = s->o->lambda > 0.0 ? s->o->lambda / (double)s->rows->n : 1.0;
    gbs_status status = gbs_maps_learn(ctx, f->train, s->o, &f->maps);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, f->train, &f->maps, &f->train_rows);
    if (status == GBS_OK && f->test != NULL)
        status = gbs_rows_build(ctx, f->test, &f->maps, &f->test_rows);
    if (status == GBS_OK)
        status = gbs_joint_create(ctx, &f->train_rows, f->class_of, s->k, share, &f->joint);
    return status;
}

/* many: which classes are learned. */
static gbs_status folds_create(gbs_context *ctx, const gbs_fit_settings *o, const gbs_data *rows,
                               const size_t *fold_of, size_t count, const gbs_many *many,
                               struct folds *s) {
    *s = (struct folds){.o = o, .rows = rows, .fold_of = fold_of, .many = many, .count = count};
    s->place = gbs_array_alloc(ctx, many->classes + 1, sizeof *s->place);
    s->fold = gbs_array_alloc(ctx, count, sizeof *s->fold);
    if (s->place == NULL || s->fold == NULL)
        return GBS_ERR_MEMORY;
    for (size_t c = 0; c <= many->classes; c++)
        s->place[c] = c < many->classes && many->learned[c] ? s->k++ : SIZE_MAX;
    s->score = gbs_matrix(ctx, rows->n, s->k);
    gbs_status status = s->score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < count; k++)
        status = divide(ctx, s, k, &s->fold[k]);
    return status;
}

/* A gbs_side_job: the fit of one fold, and the rows left out of it. */
static gbs_status fit_fold(gbs_context *ctx, void *arg, size_t job) {
    struct folds *s = arg;
    struct fold *f = &s->fold[job];
    gbs_joint_result r;
    /* lambda times a factor is the prior's variance times it, as far as the means go */
    double variance = s->o->prior_sd * s->o->prior_sd,
           factor = s->matched ? (double)s->rows->n / (double)f->train->n : 1.0;
    gbs_status status = gbs_joint_fit(ctx, f->joint, variance * factor, s->enough,
                                      s->o->max_iterations, &r);
    size_t tested = f->test != NULL ? f->test->n : 0;
    double *score = tested > 0 ? gbs_matrix(ctx, tested, s->k) : NULL;
    if (status == GBS_OK && tested > 0)
        status = score != NULL ? gbs_joint_scores(ctx, f->joint, &f->test_rows, score)
                               : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < tested; i++)
        memcpy(s->score + f->at[i] * s->k, score + i * s->k, s->k * sizeof *score);
    gbs_array_free(ctx, score);
    return status;
}

/* The scores of the rows left out, of all classes; of those that are not learned 0. */
static gbs_status gather(gbs_context *ctx, const struct folds *s, gbs_held_scores *out) {
    size_t classes = s->many->classes, n = 0;
    for (size_t i = 0; i < s->rows->n; i++)
        n += s->fold_of[i] != SIZE_MAX;
    *out = (gbs_held_scores){.n = n, .k = classes};
    out->score = gbs_matrix(ctx, n, classes);
    out->class = gbs_array_alloc(ctx, n, sizeof *out->class);
    if (out->score == NULL || out->class == NULL) {
        gbs_held_scores_free(ctx, out);
        return GBS_ERR_MEMORY;
    }
    for (size_t i = 0, to = 0; i < s->rows->n; i++) {
        size_t is = (size_t)s->rows->y[i];
        if (s->fold_of[i] == SIZE_MAX)
            continue;
        for (size_t c = 0; c < classes; c++)
            if (s->place[c] < s->k)
                out->score[to * classes + c] = s->score[i * s->k + s->place[c]];
        out->class[to++] = s->many->learned[is] ? is : SIZE_MAX;
    }
    return GBS_OK;
}

/* ---------------------------------------------------------------- the width of the prior */

/* Rows left out, among the learned classes, calibrated. */
static gbs_status judge(gbs_context *ctx, const struct folds *s, double *loss, double *value,
                        double *error) {
    size_t *class = gbs_array_alloc(ctx, s->rows->n, sizeof *class);
    double slope;
    if (class == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < s->rows->n; i++)
        class[i] = s->place[(size_t)s->rows->y[i]];
    gbs_class_scores of = {s->rows->n, s->k, s->score, class};
    gbs_status status = gbs_temper(ctx, &of, &slope, loss, error);
    *value = gbs_softmax_mean(of.n, loss);
    gbs_array_free(ctx, class);
    return status;
}

/* One kind of columns while its widths are tried. */
struct walk {
    struct folds s;
    gbs_fit_settings *o;
    double widths[GBS_CLASS_WIDTHS], *loss;
    size_t size;
};

/* From width `from` on, up or down, until the log loss has risen twice. */
static gbs_status walk_widths(gbs_classes_fit *f, struct walk *k, size_t from, bool up,
                              gbs_joint_choice *best) {
    gbs_status status = GBS_OK;
    size_t rises = 0;
    double last = up ? INFINITY : best->log_loss;
    for (size_t w = from; status == GBS_OK && w < k->size && rises < MOST_RISES;
         w = up ? w + 1 : w - 1) { /* below 0 is above all */
        double value, error;
        gbs_side_progress progress = {"choice", f->told, f->span / 4.0};
        k->o->prior_sd = k->widths[w];
        status = gbs_side_by_side(f->ctx, k->s.count, progress, fit_fold, &k->s);
        if (status == GBS_OK)
            status = judge(f->ctx, &k->s, k->loss, &value, &error);
        f->told += progress.span;
        f->candidates++;
        if (status != GBS_OK)
            break;
        rises = value > last ? rises + 1 : 0;
        last = value;
        if (best->any && !(value < TIE * best->log_loss))
            continue;
        best->any = true;
        best->log_loss = value;
        best->error = error;
        best->width = w;
        memcpy(best->loss, k->loss, f->some->n * sizeof *k->loss);
    }
    return status;
}

/* What calibrates: the best once more, in fits that shrink as the one to all rows will. Of many
 * rows others do that. */
static gbs_status score_again(gbs_classes_fit *f, struct walk *k, gbs_joint_choice *best) {
    gbs_side_progress progress = {"choice", f->told, 0.0};
    if (f->some->n < f->head->n)
        return GBS_OK;
    k->s.matched = true;
    gbs_status status = gbs_side_by_side(f->ctx, k->s.count, progress, fit_fold, &k->s);
    return status == GBS_OK ? gather(f->ctx, &k->s, &best->scores) : status;
}

/* Widths from `narrowest` on, `start` the first that is tried, in whose valley the best is looked
 * for; what the options say is not chosen. o is left as the best. */
static gbs_status search(gbs_classes_fit *f, const gbs_many *many, gbs_fit_settings *o,
                         double narrowest, size_t start, gbs_joint_choice *best) {
    bool lengths = o->scale == GBS_SCALE_UNIT_ROW || o->cx > 0.0;
    struct walk k = {.o = o, .size = o->prior_sd > 0.0 ? 1 : GBS_CLASS_WIDTHS};
    gbs_side_progress progress = {"choice", f->told, f->span};
    for (size_t w = 0; w < k.size; w++)
        k.widths[w] = o->prior_sd > 0.0 ? o->prior_sd : narrowest * exp2((double)w);
    if (!(o->constant > 0.0))
        o->constant = lengths ? 1.0 : fmax(1.0, LEAST_ROOM / k.widths[0]);
    best->loss = gbs_doubles(f->ctx, f->some->n);
    k.loss = gbs_doubles(f->ctx, f->some->n);
    gbs_status status = best->loss != NULL && k.loss != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = folds_create(f->ctx, o, f->some, f->fold_of, f->folds, many, &k.s);
    if (status == GBS_OK)
        status = gbs_side_by_side(f->ctx, k.s.count, progress, build, &k.s);
    k.s.enough = ROUGHLY;
    if (status == GBS_OK)
        status = walk_widths(f, &k, start, true, best);
    if (status == GBS_OK && start > 0 && best->width == start)
        status = walk_widths(f, &k, start - 1, false, best);
    o->prior_sd = k.widths[best->width];
    best->o = *o;
    if (status == GBS_OK)
        status = score_again(f, &k, best);
    folds_free(f->ctx, &k.s);
    gbs_array_free(f->ctx, k.loss);
    return status;
}

void gbs_joint_choice_free(const gbs_context *ctx, gbs_joint_choice *c) {
    gbs_held_scores_free(ctx, &c->scores);
    gbs_array_free(ctx, c->loss);
    *c = (gbs_joint_choice){0};
}

/* The columns themselves: equal, or by relevance where that was asked for or has the lower log
 * loss. Its widths are tried from the best one of equal columns on. */
static gbs_status try_linear(gbs_classes_fit *f, const gbs_many *many, gbs_joint_choice *out) {
    gbs_fit_settings o = f->o, other;
    gbs_joint_choice relevant = {0};
    bool free_lengths = o.scale == GBS_SCALE_STANDARD && !(o.cx > 0.0);
    double typical;
    o.features = GBS_FEATURES_LINEAR;
    if (o.columns != GBS_COLUMNS_RELEVANCE)
        o.columns = GBS_COLUMNS_EQUAL;
    gbs_status status = gbs_typical_cell(f->ctx, f->some, &o, &typical);
    other = o;
    if (status == GBS_OK)
        status = search(f, many, &o, NARROWEST / typical, 0, out);
    if (status != GBS_OK || f->o.columns != GBS_COLUMNS_AUTO || !free_lengths)
        return status;
    other.columns = GBS_COLUMNS_RELEVANCE;
    status = search(f, many, &other, NARROWEST / typical, out->width, &relevant);
    if (status == GBS_OK && relevant.log_loss < TIE * out->log_loss) {
        gbs_joint_choice worse = *out;
        *out = relevant;
        relevant = worse;
    }
    gbs_joint_choice_free(f->ctx, &relevant);
    return status;
}

/* Under the map that was found. On few of the rows with fewer columns: a width that serves them
 * serves more (docs/maths.md, 12.1). */
static gbs_status try_mapped(gbs_classes_fit *f, const gbs_many *many, const gbs_map_choice *found,
                             gbs_joint_choice *out) {
    gbs_fit_settings o = f->o;
    bool some = f->some->n < f->head->n;
    size_t most = f->some->n - f->some->n / f->folds;
    o.columns = GBS_COLUMNS_EQUAL;
    o.features = found->features;
    o.kernel_width = found->kernel_width;
    o.level_width = found->level_width;
    o.kernel_axes = found->axes;
    o.features_size = found->size < most ? found->size : most;
    if (some && o.features_size > MAPPED_COLUMNS)
        o.features_size = MAPPED_COLUMNS;
    gbs_status status = search(f, many, &o, NARROWEST_MAPPED, 0, out);
    out->o.features_size = found->size;
    return status;
}

/* The better of the two stays in `line`: the map has to be better by two standard errors. */
static void take_better(gbs_classes_fit *f, gbs_joint_choice *line, gbs_joint_choice *mapped) {
    if (line->any && !gbs_softmax_better_by(f->some->n, mapped->loss, line->loss, SURELY))
        return;
    gbs_joint_choice worse = *line;
    *line = *mapped;
    *mapped = worse;
}

/* Of many rows the look at maps has seen more than the folds will: it says which. */
gbs_status gbs_joint_choose(gbs_classes_fit *f, gbs_joint_choice *out) {
    gbs_many *many = NULL;
    gbs_map_choice found = {0};
    gbs_joint_choice other = {0};
    gbs_features asked = f->o.features;
    bool mapped = asked != GBS_FEATURES_LINEAR, line = !mapped || asked == GBS_FEATURES_AUTO;
    gbs_status status = gbs_parts_create(f->ctx, f->some, GBS_SCHEME_SOFTMAX, &many);
    if (status == GBS_OK && mapped)
        status = gbs_choose_map(f->ctx, f->head, &f->o, &found);
    if (asked == GBS_FEATURES_AUTO && f->some->n < f->head->n) {
        mapped = found.helps;
        line = !found.helps;
    }
    if (status == GBS_OK && line)
        status = try_linear(f, many, out);
    if (status == GBS_OK && mapped)
        status = try_mapped(f, many, &found, &other);
    if (status == GBS_OK && mapped)
        take_better(f, out, &other);
    f->candidates += found.candidates;
    gbs_joint_choice_free(f->ctx, &other);
    gbs_many_free(f->ctx, many);
    return status;
}

/* ---------------------------------------------------------------- all rows */

/* Of many rows the choice has seen some only: the last of all are scored by a fit to the others,
 * which keeps two rows of each class wherever they stand. */
static gbs_status score_last(gbs_classes_fit *f, const gbs_fit_settings *o, double *means) {
    size_t *fold_of = gbs_classes_last_rows(f);
    gbs_status status = fold_of != NULL ? GBS_OK : GBS_ERR_MEMORY;
    struct folds s = {0};
    if (status == GBS_OK)
        status = folds_create(f->ctx, o, f->head, fold_of, 1, f->many, &s);
    s.enough = CLOSELY;
    s.matched = true;
    if (status == GBS_OK)
        status = build(f->ctx, &s, 0);
    if (status == GBS_OK)
        status = fit_fold(f->ctx, &s, 0);
    if (status == GBS_OK) {
        gbs_held_scores_free(f->ctx, &f->chosen);
        status = gather(f->ctx, &s, &f->chosen);
    }
    if (status == GBS_OK)
        memcpy(means, gbs_joint_means(s.fold[0].joint), s.fold[0].maps.d * s.k * sizeof *means);
    folds_free(f->ctx, &s);
    gbs_array_free(f->ctx, fold_of);
    return status;
}

/* A covariance for each class in the file: a full one while they are not too many numbers. */
static gbs_family family_of(const gbs_fit_settings *o, size_t d, size_t k) {
    gbs_fit_settings s = *o;
    bool asked = gbs_family_of(o->family) != NULL;
    gbs_settle_family(&s, d);
    bool large = d > GBS_JOINT_MATRIX || (!asked && d * d * k > MOST_CELLS);
    bool matrix = gbs_family_of(s.family)->pull == GBS_PULL_MATRIX;
    return matrix && large ? gbs_family_for(d, 0) : s.family;
}

/* The class at place p of the fit becomes its part of the model. */
static gbs_status keep_part(gbs_context *ctx, const struct folds *s, size_t p,
                            const gbs_joint_result *r, const gbs_gaussian *spread, double risk,
                            gbs_model *model) {
    const gbs_fit_settings *o = s->o;
    const struct fold *f = &s->fold[0];
    size_t d = f->maps.d;
    gbs_prior prior = {NULL, o->prior_sd * o->prior_sd};
    gbs_stage *stage = &model->stages[0];
    double rows = (double)f->train->n, k = (double)s->k,
           lambda = o->lambda > 0.0 ? o->lambda : rows;
    gbs_status status = gbs_maps_copy(ctx, &f->maps, &model->maps);
    if (status == GBS_OK)
        status = gbs_gaussian_create(ctx, spread->family, d, &prior, 1.0, &stage->posterior);
    if (status != GBS_OK)
        return status;
    gbs_gaussian_copy(&stage->posterior, spread);
    for (size_t a = 0; a < d; a++)
        stage->posterior.mean[a] = gbs_joint_means(f->joint)[a * s->k + p];
    double kl = gbs_gaussian_kl(&stage->posterior, &prior), mean_risk = (r->risk + risk) / lambda;
    model->info = gbs_settled_info(o, &f->maps, s->rows);
    model->info.n = 0;
    model->info.loss = GBS_LOSS_SOFTMAX;
    model->info.family = spread->family;
    model->info.solver = GBS_SOLVER_LBFGS;
    model->info.d = d;
    model->info.lambda = lambda;
    model->info.prior_sd = o->prior_sd;
    model->info.free_energy = lambda * mean_risk / k + kl;
    model->info.kl = kl;
    model->info.gibbs_risk = mean_risk;
    model->info.optimality_gap = r->gap / k;
    model->info.iterations = p == 0 ? r->iterations : 0;
    model->info.converged = r->converged;
    stage->free_energy = model->info.free_energy;
    stage->info = (gbs_stage_info){
        .weight = 1.0, .rows = f->train->n, .prior_sd = o->prior_sd, .lambda = lambda};
    return GBS_OK;
}

static gbs_status keep(gbs_classes_fit *f, const struct folds *s, const gbs_joint_result *r) {
    gbs_context *ctx = f->ctx;
    size_t d = s->fold[0].maps.d;
    gbs_prior prior = {NULL, s->o->prior_sd * s->o->prior_sd};
    gbs_gaussian spread = {0};
    double risk = 0.0, fixed = 1.0 / sqrt((double)f->head->n);
    gbs_split_key key = gbs_split_key_of(&f->split, &f->o);
    gbs_status status = gbs_gaussian_create(ctx, family_of(&f->o, d, s->k), d, &prior, fixed,
                                            &spread);
    if (status == GBS_OK)
        status = gbs_joint_spread(ctx, s->fold[0].joint, &spread, &risk);
    for (size_t c = 0; status == GBS_OK && c < f->many->classes; c++) {
        gbs_model *part = f->many->part[c];
        if (part == NULL)
            continue;
        status = keep_part(ctx, s, s->place[c], r, &spread, risk, part);
        part->info.n = f->data->n;
        part->split = key;
        f->many->odds[c] = (gbs_log_odds){0.0, 1.0};
    }
    gbs_gaussian_free(ctx, &spread);
    return status;
}

gbs_status gbs_joint_finish(gbs_classes_fit *f, gbs_joint_choice *best) {
    gbs_context *ctx = f->ctx;
    const gbs_fit_settings *o = &best->o;
    struct folds s = {0};
    gbs_joint_result r;
    size_t d = gbs_maps_columns(o, f->head->d);
    double *means = NULL;
    gbs_status status = gbs_parts_create(ctx, f->head, GBS_SCHEME_SOFTMAX, &f->many);
    f->chosen = best->scores;
    best->scores = (gbs_held_scores){0};
    if (status == GBS_OK && f->some->n < f->head->n) {
        means = gbs_matrix(ctx, d, f->many->classes);
        status = means != NULL ? score_last(f, o, means) : GBS_ERR_MEMORY;
    }
    if (status == GBS_OK)
        status = folds_create(ctx, o, f->head, NULL, 1, f->many, &s);
    if (status == GBS_OK)
        status = build(ctx, &s, 0);
    if (status == GBS_OK && means != NULL && o->features == GBS_FEATURES_LINEAR &&
        s.fold[0].maps.d <= d)
        memcpy(gbs_joint_means(s.fold[0].joint), means, s.fold[0].maps.d * s.k * sizeof *means);
    if (status == GBS_OK)
        status = gbs_joint_fit(ctx, s.fold[0].joint, o->prior_sd * o->prior_sd,
                               o->tolerance * (1.0 + (double)f->head->n), o->max_iterations, &r);
    if (status == GBS_OK)
        status = keep(f, &s, &r);
    folds_free(ctx, &s);
    gbs_array_free(ctx, means);
    return status;
}
