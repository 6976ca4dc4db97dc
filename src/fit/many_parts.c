/* The binary problems behind many classes, each fitted like two classes (docs/maths.md, 11.10).
 *
 * Folds are the same for all problems, and a row of a fold is scored by every problem's fit to the
 * other folds, also where it is of neither class: scores of own and foreign rows must not differ in
 * how they were made, or the calibration would learn to tell them apart by that.
 */
#include "fit/many.h"

#include "fit/choose.h"
#include "fit/platt.h"
#include "fit/side_by_side.h"
#include "fit/start.h"

#include <math.h>
#include <string.h>

struct jobs {
    const gbs_part_fits *f;
    gbs_many *many;
    double *score; /* parts x rows */
    const gbs_split_key *split;
    size_t all;
};

/* ---------------------------------------------------------------- one fit */

/* Rows of a problem outside of a fold (SIZE_MAX: all), as +1 and -1. */
static gbs_status own_rows(gbs_context *ctx, const struct jobs *j, size_t part, size_t fold,
                           gbs_data **out) {
    const gbs_data *rows = j->f->rows;
    size_t one, other, count = 0, *pick = gbs_array_alloc(ctx, rows->n, sizeof *pick);
    gbs_data *some = NULL;
    gbs_status status = pick != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_many_sides(j->many->scheme, j->many->classes, part, &one, &other);
    for (size_t i = 0; pick != NULL && i < rows->n; i++)
        if (fold == SIZE_MAX || j->f->fold_of[i] != fold)
            pick[count++] = i;
    *out = NULL;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, rows, pick, count, &some);
    if (status == GBS_OK)
        status = gbs_data_against(ctx, some, one, other, out);
    gbs_data_free(some);
    gbs_array_free(ctx, pick);
    return status;
}

/* All rows of a problem, those left out too. */
static size_t count_own(const struct jobs *j, size_t part) {
    const gbs_data *rows = j->f->rows;
    size_t one, other, count = 0;
    gbs_many_sides(j->many->scheme, j->many->classes, part, &one, &other);
    for (size_t i = 0; i < rows->n; i++) {
        size_t class = (size_t)rows->y[i];
        count += other == SIZE_MAX || class == one || class == other;
    }
    return count;
}

/* rows: of the problem, those that train. */
static gbs_fit_settings settings_of(const struct jobs *j, size_t part, const gbs_data *rows) {
    gbs_fit_settings o = *j->f->o;
    double own = j->f->matched ? (double)count_own(j, part) : (double)rows->n;
    o.lambda = o.lambda > 0.0 ? o.lambda * own / (double)j->f->rows->n : own;
    o.form = GBS_FORM_AUTO;
    return o;
}

/* The posterior on these rows, and the maps that were learned from them; from: a model to start
 * from, or NULL. */
static gbs_status fit_rows(gbs_context *ctx, gbs_fit_settings *o, const gbs_data *rows,
                           const gbs_model *from, gbs_maps *maps, gbs_posterior *p) {
    gbs_rows design = {0};
    gbs_gaussian start = {0};
    gbs_status status = gbs_maps_learn(ctx, rows, o, maps);
    *p = (gbs_posterior){0};
    gbs_settle_family(o, maps->d);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, rows, maps, &design);
    if (status == GBS_OK)
        status = gbs_start_make(ctx, o, from, maps, &start);
    if (status == GBS_OK)
        status = gbs_choice_fit(ctx, &design, o, &start, NULL, p);
    gbs_gaussian_free(ctx, &start);
    gbs_rows_free(ctx, &design);
    return status;
}

/* ---------------------------------------------------------------- rows left out */

/* Scores of the rows of a fold, of whatever class. */
static gbs_status score_fold(gbs_context *ctx, const struct jobs *j, size_t part, size_t fold,
                             const gbs_maps *maps, const double *mean) {
    const gbs_data *rows = j->f->rows;
    size_t count = 0, *pick = gbs_array_alloc(ctx, rows->n, sizeof *pick);
    double *score = gbs_doubles(ctx, rows->n);
    gbs_data *view = NULL;
    gbs_rows design = {0};
    gbs_held *held = NULL;
    gbs_status status = pick != NULL && score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < rows->n; i++)
        if (j->f->fold_of[i] == fold)
            pick[count++] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, rows, pick, count, &view);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, view, maps, &design);
    if (status == GBS_OK)
        status = gbs_hold(ctx, &design, &held);
    if (status == GBS_OK) {
        held->pass->scores(held, 0, count, mean, score);
        status = gbs_check_scores(ctx, 0, count, score);
    }
    for (size_t i = 0; status == GBS_OK && i < count; i++)
        j->score[part * rows->n + pick[i]] = score[i];
    gbs_held_free(held);
    gbs_rows_free(ctx, &design);
    gbs_data_free(view);
    gbs_array_free(ctx, score);
    gbs_array_free(ctx, pick);
    return status;
}

/* One job: a part and a fold. */
static gbs_status leave_out(gbs_context *ctx, void *arg, size_t job) {
    struct jobs *j = arg;
    size_t part = job / j->f->folds, fold = job % j->f->folds;
    gbs_data *rows = NULL;
    gbs_maps maps = {0};
    gbs_posterior p = {0};
    if (j->many->part[part] == NULL)
        return GBS_OK;
    gbs_status status = own_rows(ctx, j, part, fold, &rows);
    if (status == GBS_OK) {
        gbs_fit_settings o = settings_of(j, part, rows);
        status = fit_rows(ctx, &o, rows, NULL, &maps, &p);
    }
    if (status == GBS_OK)
        status = score_fold(ctx, j, part, fold, &maps, p.stage.posterior.mean);
    gbs_posterior_free(ctx, &p);
    gbs_maps_free(ctx, &maps);
    gbs_data_free(rows);
    return status;
}

/* The log odds of each part, by its own rows alone. */
static gbs_status calibrate_parts(gbs_context *ctx, const struct jobs *j) {
    const gbs_data *rows = j->f->rows;
    double *score = gbs_matrix(ctx, 2, rows->n);
    if (score == NULL)
        return GBS_ERR_MEMORY;
    double *y = score + rows->n;
    for (size_t p = 0; p < j->many->parts; p++) {
        size_t one, other, n = 0;
        gbs_many_sides(j->many->scheme, j->many->classes, p, &one, &other);
        for (size_t i = 0; j->many->part[p] != NULL && i < rows->n; i++) {
            size_t class = (size_t)rows->y[i];
            bool mine = other == SIZE_MAX || class == one || class == other;
            if (j->f->fold_of[i] == SIZE_MAX || !mine)
                continue;
            score[n] = j->score[p * rows->n + i];
            y[n++] = class == one ? 1.0 : -1.0;
        }
        gbs_platt to = gbs_platt_learn(score, y, n);
        j->many->odds[p] = (gbs_log_odds){to.offset, to.slope};
    }
    gbs_array_free(ctx, score);
    return GBS_OK;
}

/* The scores of the classes, of the rows that were left out. */
static gbs_status gather(gbs_context *ctx, const struct jobs *j, gbs_held_scores *out) {
    const gbs_data *rows = j->f->rows;
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        n += j->f->fold_of[i] != SIZE_MAX;
    *out = (gbs_held_scores){.n = n, .k = j->many->classes};
    out->score = gbs_matrix(ctx, n, out->k);
    out->class = gbs_array_alloc(ctx, n, sizeof *out->class);
    out->row = gbs_array_alloc(ctx, n, sizeof *out->row);
    double *one = gbs_doubles(ctx, n);
    bool room = out->score != NULL && out->class != NULL && out->row != NULL && one != NULL;
    n = 0;
    for (size_t i = 0; room && i < rows->n; i++) {
        size_t class = (size_t)rows->y[i];
        if (j->f->fold_of[i] == SIZE_MAX)
            continue;
        out->row[n] = i;
        out->class[n++] = j->many->learned[class] ? class : SIZE_MAX;
    }
    for (size_t p = 0; room && p < j->many->parts; p++) {
        if (j->many->part[p] == NULL)
            continue;
        n = 0;
        for (size_t i = 0; i < rows->n; i++)
            if (j->f->fold_of[i] != SIZE_MAX)
                one[n++] = j->score[p * rows->n + i];
        gbs_many_add_part(j->many, p, n, one, out->score);
    }
    gbs_array_free(ctx, one);
    if (room)
        return GBS_OK;
    gbs_held_scores_free(ctx, out);
    return GBS_ERR_MEMORY;
}

gbs_status gbs_parts_leave_out(gbs_context *ctx, const gbs_part_fits *f, gbs_many *many,
                               gbs_held_scores *out) {
    struct jobs j = {.f = f, .many = many};
    gbs_side_progress progress = {"choice", f->done, f->span};
    *out = (gbs_held_scores){0};
    j.score = gbs_matrix(ctx, many->parts, f->rows->n);
    gbs_status status = j.score != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_side_by_side(ctx, many->parts * f->folds, progress, leave_out, &j);
    if (status == GBS_OK)
        status = calibrate_parts(ctx, &j);
    if (status == GBS_OK)
        status = gather(ctx, &j, out);
    gbs_array_free(ctx, j.score);
    return status;
}

void gbs_held_scores_free(const gbs_context *ctx, gbs_held_scores *s) {
    gbs_array_free(ctx, s->score);
    gbs_array_free(ctx, s->class);
    gbs_array_free(ctx, s->row);
    *s = (gbs_held_scores){0};
}

/* ---------------------------------------------------------------- all rows */

/* What the posterior makes of the rows that it was fitted to: only told. */
static gbs_status judge(gbs_context *ctx, const gbs_data *rows, gbs_model *model) {
    gbs_rows design;
    gbs_evaluated e;
    gbs_status status = gbs_rows_build(ctx, rows, &model->maps, &design);
    if (status != GBS_OK)
        return status;
    status = gbs_judge_rows(ctx, model, &design, NULL, &e, NULL);
    model->info.gibbs_error = e.told.gibbs_error;
    model->info.train_error = e.told.error;
    gbs_rows_free(ctx, &design);
    return status;
}

/* The same problem of the model to start from. */
static const gbs_model *start_of(const struct jobs *j, size_t part) {
    const gbs_model *from = j->f->o->start;
    bool same = from != NULL && from->many != NULL && from->many->scheme == j->many->scheme &&
                from->many->classes == j->many->classes;
    return same ? from->many->part[part] : NULL;
}

static gbs_status train(gbs_context *ctx, void *arg, size_t part) {
    struct jobs *j = arg;
    gbs_model *model = j->many->part[part];
    gbs_data *rows = NULL;
    gbs_posterior p = {0};
    if (model == NULL)
        return GBS_OK;
    gbs_status status = own_rows(ctx, j, part, SIZE_MAX, &rows);
    if (status == GBS_OK) {
        gbs_fit_settings o = settings_of(j, part, rows);
        status = fit_rows(ctx, &o, rows, start_of(j, part), &model->maps, &p);
        if (status == GBS_OK)
            gbs_keep_fit(model, &o, rows, &p);
    }
    if (status == GBS_OK) {
        model->info.n = j->all;
        model->split = *j->split;
        model->stages[0] = p.stage;
        p.stage = (gbs_stage){0};
        status = gbs_keep_path(ctx, model, &p, 0);
    }
    if (status == GBS_OK)
        status = judge(ctx, rows, model);
    gbs_posterior_free(ctx, &p);
    gbs_data_free(rows);
    return status;
}

gbs_status gbs_parts_train(gbs_context *ctx, const gbs_part_fits *f, const gbs_split_key *split,
                           size_t all, gbs_many *many) {
    struct jobs j = {.f = f, .many = many, .split = split, .all = all};
    gbs_side_progress progress = {"choice", f->done, f->span};
    return gbs_side_by_side(ctx, many->parts, progress, train, &j);
}

/* Handles are the caller's context's, on one thread; what fills them comes from many. */
gbs_status gbs_parts_create(gbs_context *ctx, const gbs_data *rows, gbs_scheme scheme,
                            gbs_many **out) {
    gbs_many *m = NULL;
    size_t *count = gbs_array_alloc(ctx, rows->classes + 1, sizeof *count);
    gbs_status status = count != NULL ? gbs_many_create(ctx, rows->classes, scheme, &m)
                                      : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < rows->n; i++)
        count[(size_t)rows->y[i]]++;
    for (size_t k = 0; status == GBS_OK && k < m->classes; k++)
        m->learned[k] = count[k] >= 2;
    for (size_t p = 0; status == GBS_OK && p < m->parts; p++) {
        size_t one, other;
        gbs_many_sides(scheme, m->classes, p, &one, &other);
        if (!m->learned[one] || (other != SIZE_MAX && !m->learned[other]))
            continue;
        status = gbs_model_create(ctx, 1, &m->part[p]);
        m->card.parts += status == GBS_OK;
    }
    if (status == GBS_OK)
        gbs_many_tell_sides(m);
    gbs_array_free(ctx, count);
    if (status != GBS_OK) {
        gbs_many_free(ctx, m);
        m = NULL;
    }
    *out = m;
    return status;
}
