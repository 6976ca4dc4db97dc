/* How well a model does on labelled rows. */
#include "judge/judge.h"

#include "judge/calibrated.h"

#include <math.h>

static void add_label(gbs_evaluated *e, bool says_yes, bool is_yes) {
    if (says_yes)
        *(is_yes ? &e->told.true_positive : &e->told.false_positive) += 1;
    else
        *(is_yes ? &e->told.false_negative : &e->told.true_negative) += 1;
}

void gbs_evaluation_add(gbs_evaluated *e, size_t n, const double *y, const gbs_judgement *v) {
    for (size_t i = 0; i < n; i++) {
        double wrong = v->gibbs[i];
        bool is_yes = y[i] > 0.0, tie = wrong == 0.5, says_yes = tie || (wrong > 0.5) != is_yes;
        /* a tie is predicted as +1, and counts one half in the error */
        add_label(e, says_yes, is_yes);
        e->told.error += tie ? 0.5 : wrong > 0.5 ? 1.0 : 0.0;
        e->told.errors += tie || wrong > 0.5;
        e->told.gibbs_error += wrong;
        e->told.gibbs_risk += v->risk[i];
        e->told.brier += wrong * wrong;
        e->told.log_loss -= v->log_right[i];
        gbs_reliability_add(e->bin, is_yes ? 1.0 - wrong : wrong, is_yes);
    }
    e->told.n += n;
}

void gbs_evaluation_add_calibrated(gbs_evaluated *e, const gbs_card *card, size_t n,
                                   const double *y, const gbs_judgement *v) {
    for (size_t i = 0; i < n; i++) {
        double p = v->calibrated[i];
        bool is_yes = y[i] > 0.0, says_yes = p >= card->threshold;
        add_label(e, says_yes, is_yes);
        e->told.error += says_yes != is_yes;
        e->told.errors += says_yes != is_yes;
        e->told.gibbs_error += v->gibbs[i];
        e->told.gibbs_risk += v->risk[i];
        e->told.brier += is_yes ? (1.0 - p) * (1.0 - p) : p * p;
        e->told.log_loss += gbs_calibrated_log_loss(card, v->score[i], is_yes);
        gbs_reliability_add(e->bin, p, is_yes);
    }
    e->told.n += n;
}

void gbs_evaluation_finish(gbs_evaluated *e) {
    double n = (double)e->told.n;
    e->told.error /= n;
    e->told.gibbs_error /= n;
    e->told.gibbs_risk /= n;
    e->told.brier /= n;
    e->told.log_loss /= n;
    gbs_reliability_finish(e->bin);
}

gbs_status gbs_judge_rows(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                          double *score, gbs_evaluated *out, double *second_moment) {
    enum { SLICE = 1 << 15 };
    size_t n = rows->all.n, most = n < SLICE ? n : SLICE;
    double *work = gbs_matrix(ctx, 5, most), squares = 0.0;
    gbs_status status = work != NULL ? GBS_OK : GBS_ERR_MEMORY;
    *out = (gbs_evaluated){.told.auc = NAN};
    for (size_t first = 0; status == GBS_OK && first < n; first += SLICE) {
        gbs_rows slice = gbs_rows_slice(rows, first, n - first < SLICE ? n - first : SLICE);
        gbs_judgement v = {.gibbs = work, .log_right = work + most, .risk = work + 2 * most};
        v.score = score != NULL ? score + first : model->deployed ? work + 3 * most : NULL;
        v.calibrated = model->deployed ? work + 4 * most : NULL;
        status = gbs_model_judge(ctx, model, &slice, &v);
        if (status == GBS_OK && model->deployed)
            gbs_evaluation_add_calibrated(out, &model->card, slice.all.n, slice.all.y, &v);
        else if (status == GBS_OK)
            gbs_evaluation_add(out, slice.all.n, slice.all.y, &v);
        for (size_t i = 0; status == GBS_OK && i < slice.all.n; i++)
            squares += work[i] * work[i];
    }
    gbs_array_free(ctx, work);
    if (status == GBS_OK)
        gbs_evaluation_finish(out);
    if (second_moment != NULL)
        *second_moment = squares / (double)n;
    return status;
}

const gbs_reliability *gbs_evaluation_reliability(const gbs_evaluation *evaluation, size_t k) {
    const gbs_evaluated *e = (const gbs_evaluated *)(const void *)evaluation;
    return e != NULL && k < GBS_BINS ? &e->bin[k] : NULL;
}

void gbs_evaluation_free(gbs_evaluation *evaluation) {
    gbs_release(NULL, evaluation);
}

gbs_status gbs_classifier_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                   gbs_evaluated *out) {
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->maps, &rows);
    if (status != GBS_OK)
        return status;
    double *score = gbs_doubles(ctx, data->n);
    status = score != NULL ? gbs_judge_rows(ctx, model, &rows, score, out, NULL) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_area_with_error(ctx, data->n, data->y, score, &out->told.auc,
                                     &out->told.auc_se);
    gbs_array_free(ctx, score);
    gbs_rows_free(ctx, &rows);
    return status;
}
