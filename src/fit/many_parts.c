/* The binary problems behind many classes: each is chosen, fitted and scored like two classes
 * (docs/maths.md, 11.10).
 *
 * The scores that calibrate come from fits that have not seen the row: out of fold where the row
 * belongs to the problem; of a pair of classes that are not the row's, by the posterior itself.
 */
#include "fit/many.h"

#include "fit/choose.h"
#include "fit/side_by_side.h"

#include <math.h>
#include <string.h>

struct job {
    gbs_learning *l;
    gbs_many *many;
    double **score; /* of each part: the calibrating rows; NaN where it is not known */
    size_t *candidates;
};

/* ---------------------------------------------------------------- one part */

static gbs_status train(gbs_context *ctx, const gbs_learning *l, const gbs_data *rows,
                        const gbs_choice *choice, gbs_model *model) {
    gbs_fit_settings o = gbs_choice_settings(choice, &l->o, rows, rows->n);
    gbs_rows design = {0};
    gbs_posterior p = {0};
    gbs_status status = gbs_maps_learn(ctx, rows, &o, &model->maps);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, rows, &model->maps, &design);
    if (status == GBS_OK)
        status = gbs_choice_fit(ctx, &design, &o, NULL, &p);
    if (status == GBS_OK) {
        gbs_keep_fit(model, &o, rows, &p);
        model->info.n = l->all;
        model->split = l->split;
        model->stages[0] = p.stage;
        p.stage = (gbs_stage){0};
        status = gbs_keep_path(ctx, model, &p, 0);
    }
    gbs_posterior_free(ctx, &p);
    gbs_rows_free(ctx, &design);
    model->selection = (gbs_selection){.candidates = choice->candidates,
                                       .folds = choice->folds,
                                       .error = choice->error,
                                       .error_se = choice->error_se};
    return status;
}

/* What the posterior makes of the rows that it was fitted to: only told. */
static gbs_status judge(gbs_context *ctx, const gbs_data *rows, gbs_model *model) {
    gbs_rows design;
    gbs_evaluated e;
    gbs_status status = gbs_rows_build(ctx, rows, &model->maps, &design);
    if (status == GBS_OK)
        status = gbs_judge_rows(ctx, model, &design, NULL, &e, NULL);
    if (status == GBS_OK) {
        model->info.gibbs_error = e.told.gibbs_error;
        model->info.train_error = e.told.error;
    }
    gbs_rows_free(ctx, &design);
    return status;
}

/* Scores of the calibrating rows by the posterior. */
static gbs_status score_all(gbs_context *ctx, const gbs_learning *l, const gbs_model *model,
                            double *score) {
    size_t n = l->head->n - l->first, *pick = gbs_array_alloc(ctx, n, sizeof *pick);
    gbs_data *view = NULL;
    gbs_rows design = {0};
    gbs_status status = pick != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; pick != NULL && i < n; i++)
        pick[i] = l->first + i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, l->head, pick, n, &view);
    if (status == GBS_OK)
        status = gbs_rows_build(ctx, view, &model->maps, &design);
    if (status == GBS_OK) {
        gbs_judgement v = {.score = score};
        status = gbs_model_judge(ctx, model, &design, &v);
    }
    gbs_rows_free(ctx, &design);
    gbs_data_free(view);
    gbs_array_free(ctx, pick);
    return status;
}

/* Out-of-fold scores take the place of the posterior's where the row belongs to the problem. */
static void score_own(const gbs_learning *l, size_t one, size_t other, size_t rows,
                      const gbs_choice *choice, double *score) {
    size_t at = 0, known = rows - choice->rows; /* the choice keeps those of its last rows */
    for (size_t i = 0; i < l->head->n; i++) {
        size_t class = (size_t)l->head->y[i];
        if (other != SIZE_MAX && class != one && class != other)
            continue;
        if (i >= l->first)
            score[i - l->first] = at >= known ? choice->score[at - known] : NAN;
        at++;
    }
}

static gbs_status run_part(gbs_context *ctx, void *arg, size_t p) {
    struct job *j = arg;
    const gbs_learning *l = j->l;
    gbs_model *model = j->many->part[p];
    gbs_data *rows = NULL;
    gbs_choice choice = {0};
    size_t one, other;
    if (model == NULL)
        return GBS_OK;
    gbs_many_sides(j->many->scheme, l->classes, p, &one, &other);
    gbs_status status = gbs_data_against(ctx, l->head, one, other, &rows);
    if (status == GBS_OK)
        status = gbs_choose(ctx, rows, &l->o, &choice);
    if (status == GBS_OK)
        status = train(ctx, l, rows, &choice, model);
    if (status == GBS_OK)
        status = judge(ctx, rows, model);
    if (status == GBS_OK && other != SIZE_MAX)
        status = score_all(ctx, l, model, j->score[p]);
    if (status == GBS_OK) {
        score_own(l, one, other, rows->n, &choice, j->score[p]);
        j->candidates[p] = choice.candidates;
        j->many->odds[p] = (gbs_log_odds){choice.platt.offset, choice.platt.slope};
    }
    gbs_choice_free(ctx, &choice);
    gbs_data_free(rows);
    return status;
}

/* ---------------------------------------------------------------- all of them */

/* Handles are the caller's context's, on one thread; what fills them comes from many. */
static gbs_status make_models(gbs_learning *l, struct job *j) {
    gbs_many *m = j->many;
    size_t n = l->head->n - l->first;
    for (size_t k = 0; k < l->classes; k++)
        m->learned[k] = l->rows[k] >= 2;
    for (size_t p = 0; p < m->parts; p++) {
        size_t one, other;
        gbs_many_sides(m->scheme, m->classes, p, &one, &other);
        if (!m->learned[one] || (other != SIZE_MAX && !m->learned[other]))
            continue;
        gbs_status status = gbs_model_create(l->ctx, 1, &m->part[p]);
        if (status != GBS_OK)
            return status;
        if ((j->score[p] = gbs_doubles(l->ctx, n)) == NULL)
            return GBS_ERR_MEMORY;
        m->card.parts++;
    }
    return GBS_OK;
}

/* The scores of the classes from those of the parts. */
static void gather(const gbs_learning *l, const struct job *j, gbs_scheme_fit *out) {
    size_t k = l->classes;
    for (size_t i = 0; i < out->n; i++) {
        size_t class = (size_t)l->head->y[l->first + i];
        out->class[i] = j->many->learned[class] ? class : SIZE_MAX;
    }
    for (size_t p = 0; p < j->many->parts; p++)
        if (j->score[p] != NULL) {
            gbs_many_add_part(j->many, p, out->n, j->score[p], out->score);
            out->candidates += j->candidates[p];
        }
    for (size_t i = 0; i < out->n; i++)
        for (size_t c = 0; c < k; c++)
            if (isnan(out->score[i * k + c])) {
                out->class[i] = SIZE_MAX;
                out->score[i * k + c] = 0.0;
            }
}

gbs_status gbs_scheme_learn(gbs_learning *l, gbs_scheme scheme, gbs_scheme_fit *out) {
    gbs_context *ctx = l->ctx;
    struct job j = {.l = l};
    *out = (gbs_scheme_fit){.n = l->head->n - l->first};
    gbs_status status = gbs_many_create(ctx, l->classes, scheme, &out->many);
    if (status != GBS_OK)
        return status;
    size_t parts = out->many->parts;
    j.many = out->many;
    j.score = gbs_array_alloc(ctx, parts, sizeof *j.score);
    j.candidates = gbs_array_alloc(ctx, parts, sizeof *j.candidates);
    out->score = gbs_matrix(ctx, out->n, l->classes);
    out->class = gbs_array_alloc(ctx, out->n, sizeof *out->class);
    bool room = j.score != NULL && j.candidates != NULL && out->score != NULL && out->class != NULL;
    status = room ? make_models(l, &j) : GBS_ERR_MEMORY;
    gbs_side_progress progress = {"choice", l->told, l->span};
    if (status == GBS_OK)
        status = gbs_side_by_side(ctx, parts, progress, run_part, &j);
    l->told += l->span;
    if (status == GBS_OK)
        gather(l, &j, out);
    for (size_t p = 0; j.score != NULL && p < parts; p++)
        gbs_array_free(ctx, j.score[p]);
    gbs_array_free(ctx, j.score);
    gbs_array_free(ctx, j.candidates);
    if (status != GBS_OK)
        gbs_scheme_free(ctx, out);
    return status;
}

void gbs_scheme_free(gbs_context *ctx, gbs_scheme_fit *s) {
    gbs_many_free(ctx, s->many);
    gbs_array_free(ctx, s->score);
    gbs_array_free(ctx, s->class);
    *s = (gbs_scheme_fit){0};
}
