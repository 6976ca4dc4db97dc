/* Two classes met before the last block, and others behind it only (docs/maths.md, 11.10).
 *
 * What is predicted may be a function of the rows before the last block alone. Without the rows of
 * the other classes the data would have two classes, and would be fitted as such (11.5): so they
 * are here, as the one pair of classes that is learned, with the choice and the calibration of two.
 *
 *   p = 1/(1 + exp(-(a + b s))) of the first class = exp(z_1)/(exp(z_1) + exp(z_2)),
 *   z_1 = (a + b s)/2 = -z_2
 */
#include "fit/many.h"

#include "fit/choose.h"

#include <math.h>

/* The classes that the rows to learn from have. */
static size_t classes_met(const gbs_classes_fit *f) {
    size_t met = 0;
    for (size_t k = 0; k < f->data->classes; k++)
        met += f->rows[k] > 0;
    return met;
}

bool gbs_classes_are_two(const gbs_classes_fit *f) {
    return f->o.costs == NULL && classes_met(f) == 2; /* two classes have no matrix of costs */
}

/* Scores of rows that the scorer has not seen become those of the two classes. */
static gbs_status keep_scores(gbs_classes_fit *f, size_t part, size_t one, size_t other,
                              const gbs_choice *choice) {
    gbs_held_scores *to = &f->chosen;
    *to = (gbs_held_scores){.n = choice->rows, .k = f->many->classes};
    to->score = gbs_matrix(f->ctx, to->n, to->k);
    to->class = gbs_array_alloc(f->ctx, to->n, sizeof *to->class);
    if (to->score == NULL || to->class == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < to->n; i++)
        to->class[i] = choice->y[i] > 0.0 ? one : other;
    gbs_many_add_part(f->many, part, to->n, choice->score, to->score);
    f->calibrating = choice->first;
    return GBS_OK;
}

/* Rows taken out of the posterior one by one, where that is what calibrates; and how often its
 * draws may be expected to err. */
static gbs_status look_again(gbs_classes_fit *f, const gbs_data *rows, const gbs_fit_settings *o,
                             const gbs_model *part, gbs_choice *choice) {
    gbs_rows design = {0};
    gbs_status status = gbs_rows_build(f->ctx, rows, &part->maps, &design);
    if (status == GBS_OK && choice->by_posterior)
        status = gbs_choice_leave_one_out(f->ctx, &design, o, &part->stages[0], choice);
    if (status == GBS_OK && (f->expected = gbs_doubles(f->ctx, choice->rows)) == NULL)
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_choice_gibbs(f->ctx, &design, part, choice, f->expected);
    gbs_rows_free(f->ctx, &design);
    return status;
}

gbs_status gbs_classes_fit_two(gbs_classes_fit *f) {
    gbs_data *rows = NULL;
    gbs_choice choice = {0};
    size_t part = 0, one = 0, other = 0;
    gbs_fit_settings o;
    gbs_split_key key = gbs_split_key_of(&f->split, &f->o);
    gbs_status status = gbs_parts_create(f->ctx, f->head, GBS_SCHEME_PAIRS, &f->many);
    while (status == GBS_OK && f->many->part[part] == NULL)
        part++;
    if (status == GBS_OK) {
        gbs_many_sides(GBS_SCHEME_PAIRS, f->many->classes, part, &one, &other);
        status = gbs_data_against(f->ctx, f->head, one, other, &rows);
    }
    if (status == GBS_OK)
        status = gbs_choose(f->ctx, rows, &f->o, &choice);
    if (status == GBS_OK) {
        o = gbs_choice_settings(&choice, &f->o, rows, rows->n);
        gbs_part_fits fits = {.o = &o, .rows = f->head, .done = 0.9, .span = 0.1};
        status = gbs_parts_train(f->ctx, &fits, &key, f->data->n, f->many);
    }
    if (status == GBS_OK)
        status = look_again(f, rows, &o, f->many->part[part], &choice);
    if (status == GBS_OK) {
        gbs_many *m = f->many;
        m->odds[part] = (gbs_log_odds){choice.platt.offset, choice.platt.slope};
        m->slope[one * (m->classes + 1)] = m->slope[other * (m->classes + 1)] = 0.5;
        f->log_loss[GBS_SCHEME_PAIRS] = choice.log_loss;
        f->error[GBS_SCHEME_PAIRS] = choice.error;
        f->folds = choice.folds;
        f->candidates = choice.candidates;
        status = keep_scores(f, part, one, other, &choice);
    }
    gbs_choice_free(f->ctx, &choice);
    gbs_data_free(rows);
    return status;
}
