/* Fits to all classes together, and their rows left out (docs/maths.md, 11.10).
 *
 *   M = argmin  s sum_i [log sum_k exp(x_i'm_k) - x_i'm_y] + |M|^2/(2 w^2)      (joint.c)
 *
 * of the rows outside of a fold, whose rows are then scored; at the end of all rows, whose means
 * and covariance the model keeps.
 */
#include "fit/many_joint.h"

#include "fit/choose.h"

#include <math.h>
#include <string.h>

#define CLOSELY 0.01 /* nats that may be left of what calibrates */
/* Cells that the covariances of all classes may have together in a model. */
enum { MOST_CELLS = 1 << 22 };

/* ---------------------------------------------------------------- folds */

static void fold_free(const gbs_context *ctx, gbs_joint_fold *f) {
    gbs_joint_free(ctx, f->joint);
    gbs_rows_free(ctx, &f->train_rows);
    gbs_rows_free(ctx, &f->test_rows);
    gbs_maps_free(ctx, &f->maps);
    gbs_data_free(f->train);
    gbs_data_free(f->test);
    gbs_array_free(ctx, f->class_of);
    gbs_array_free(ctx, f->at);
}

void gbs_joint_folds_free(const gbs_context *ctx, gbs_joint_folds *s) {
    for (size_t k = 0; s->fold != NULL && k < s->count; k++)
        fold_free(ctx, &s->fold[k]);
    gbs_array_free(ctx, s->fold);
    gbs_array_free(ctx, s->place);
    gbs_array_free(ctx, s->score);
}

/* The rows of a fold, left out; fold SIZE_MAX: none are. */
static gbs_status divide(gbs_context *ctx, gbs_joint_folds *s, size_t fold, gbs_joint_fold *f) {
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

gbs_status gbs_joint_fold_build(gbs_context *ctx, void *arg, size_t job) {
    const gbs_joint_folds *s = arg;
    gbs_joint_fold *f = &s->fold[job];
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

gbs_status gbs_joint_folds_create(gbs_context *ctx, const gbs_fit_settings *o, const gbs_data *rows,
                                  const size_t *fold_of, size_t count, const gbs_many *many,
                                  gbs_joint_folds *s) {
    *s = (gbs_joint_folds){.o = o, .rows = rows, .fold_of = fold_of, .many = many, .count = count};
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

gbs_status gbs_joint_fold_fit(gbs_context *ctx, void *arg, size_t job) {
    gbs_joint_folds *s = arg;
    gbs_joint_fold *f = &s->fold[job];
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

gbs_status gbs_joint_folds_gather(gbs_context *ctx, const gbs_joint_folds *s,
                                  gbs_held_scores *out) {
    size_t classes = s->many->classes, n = 0;
    for (size_t i = 0; i < s->rows->n; i++)
        n += s->fold_of[i] != SIZE_MAX;
    *out = (gbs_held_scores){.n = n, .k = classes};
    out->score = gbs_matrix(ctx, n, classes);
    out->class = gbs_array_alloc(ctx, n, sizeof *out->class);
    out->row = gbs_array_alloc(ctx, n, sizeof *out->row);
    if (out->score == NULL || out->class == NULL || out->row == NULL) {
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
        out->row[to] = i;
        out->class[to++] = s->many->learned[is] ? is : SIZE_MAX;
    }
    return GBS_OK;
}

/* ---------------------------------------------------------------- all rows */

/* Of many rows the choice has seen some only: the last of all are scored by a fit to the others,
 * which keeps two rows of each class wherever they stand. */
static gbs_status score_last(gbs_classes_fit *f, const gbs_fit_settings *o, double *means) {
    size_t *fold_of = gbs_classes_last_rows(f);
    gbs_status status = fold_of != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_joint_folds s = {0};
    if (status == GBS_OK)
        status = gbs_joint_folds_create(f->ctx, o, f->head, fold_of, 1, f->many, &s);
    s.enough = CLOSELY;
    s.matched = true;
    if (status == GBS_OK)
        status = gbs_joint_fold_build(f->ctx, &s, 0);
    if (status == GBS_OK)
        status = gbs_joint_fold_fit(f->ctx, &s, 0);
    if (status == GBS_OK) {
        gbs_held_scores_free(f->ctx, &f->chosen);
        status = gbs_joint_folds_gather(f->ctx, &s, &f->chosen);
    }
    if (status == GBS_OK)
        memcpy(means, gbs_joint_means(s.fold[0].joint), s.fold[0].maps.d * s.k * sizeof *means);
    gbs_joint_folds_free(f->ctx, &s);
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
static gbs_status keep_part(gbs_context *ctx, const gbs_joint_folds *s, size_t p,
                            const gbs_joint_result *r, const gbs_gaussian *spread, double risk,
                            gbs_model *model) {
    const gbs_fit_settings *o = s->o;
    const gbs_joint_fold *f = &s->fold[0];
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

static gbs_status keep(gbs_classes_fit *f, const gbs_joint_folds *s, const gbs_joint_result *r) {
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
    gbs_joint_folds s = {0};
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
        status = gbs_joint_folds_create(ctx, o, f->head, NULL, 1, f->many, &s);
    if (status == GBS_OK)
        status = gbs_joint_fold_build(ctx, &s, 0);
    if (status == GBS_OK && means != NULL && gbs_features_linear(o->features) &&
        s.fold[0].maps.d <= d)
        memcpy(gbs_joint_means(s.fold[0].joint), means, s.fold[0].maps.d * s.k * sizeof *means);
    if (status == GBS_OK)
        status = gbs_joint_fit(ctx, s.fold[0].joint, o->prior_sd * o->prior_sd,
                               o->tolerance * (1.0 + (double)f->head->n), o->max_iterations, &r);
    if (status == GBS_OK)
        status = keep(f, &s, &r);
    gbs_joint_folds_free(ctx, &s);
    gbs_array_free(ctx, means);
    return status;
}
