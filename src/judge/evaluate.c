/* How well a model does on labelled rows. */
#include "judge/judge.h"

#include "judge/calibrated.h"

#include <math.h>

static void add_label(gbs_evaluation *e, bool says_yes, bool is_yes) {
    if (says_yes)
        *(is_yes ? &e->true_positive : &e->false_positive) += 1;
    else
        *(is_yes ? &e->false_negative : &e->true_negative) += 1;
}

static void add_probability(gbs_evaluation *e, double positive, bool is_yes) {
    gbs_reliability *bin = &e->reliability[positive < 1.0 ? (size_t)(10.0 * positive) : 9];
    bin->count++;
    bin->mean_probability += positive;
    bin->share_positive += is_yes;
}

void gbs_evaluation_add(gbs_evaluation *e, size_t n, const double *y, const gbs_judgement *v) {
    for (size_t i = 0; i < n; i++) {
        double wrong = v->gibbs[i];
        bool is_yes = y[i] > 0.0, tie = wrong == 0.5, says_yes = tie || (wrong > 0.5) != is_yes;
        /* a tie is predicted as +1, and counts one half in the error */
        add_label(e, says_yes, is_yes);
        e->error += tie ? 0.5 : wrong > 0.5 ? 1.0 : 0.0;
        e->errors += tie || wrong > 0.5;
        e->gibbs_error += wrong;
        e->gibbs_risk += v->risk[i];
        e->brier += wrong * wrong;
        e->log_loss -= v->log_right[i];
        add_probability(e, is_yes ? 1.0 - wrong : wrong, is_yes);
    }
    e->n += n;
}

void gbs_evaluation_add_calibrated(gbs_evaluation *e, const gbs_card *card, size_t n,
                                   const double *y, const gbs_judgement *v) {
    for (size_t i = 0; i < n; i++) {
        double p = v->calibrated[i];
        bool is_yes = y[i] > 0.0, says_yes = p >= card->threshold;
        add_label(e, says_yes, is_yes);
        e->error += says_yes != is_yes;
        e->errors += says_yes != is_yes;
        e->gibbs_error += v->gibbs[i];
        e->gibbs_risk += v->risk[i];
        e->brier += is_yes ? (1.0 - p) * (1.0 - p) : p * p;
        e->log_loss += gbs_calibrated_log_loss(card, v->score[i], is_yes);
        add_probability(e, p, is_yes);
    }
    e->n += n;
}

void gbs_evaluation_finish(gbs_evaluation *e) {
    double n = (double)e->n;
    e->error /= n;
    e->gibbs_error /= n;
    e->gibbs_risk /= n;
    e->brier /= n;
    e->log_loss /= n;
    for (size_t k = 0; k < 10; k++) {
        gbs_reliability *bin = &e->reliability[k];
        bin->mean_probability /= (double)bin->count;
        bin->share_positive /= (double)bin->count;
    }
}

gbs_status gbs_judge_rows(gbs_context *ctx, const gbs_model *model, const gbs_rows *rows,
                          double *score, gbs_evaluation *out, double *second_moment) {
    enum { SLICE = 1 << 15 };
    size_t n = rows->all.n, most = n < SLICE ? n : SLICE;
    double *work = gbs_matrix(ctx, 5, most), squares = 0.0;
    gbs_status status = work != NULL ? GBS_OK : GBS_ERR_MEMORY;
    *out = (gbs_evaluation){.auc = NAN};
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

gbs_status gbs_classifier_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                   gbs_evaluation *out) {
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    gbs_rows rows;
    gbs_status status = gbs_rows_build(ctx, data, &model->scaling, &rows);
    if (status != GBS_OK)
        return status;
    double *score = gbs_doubles(ctx, data->n);
    status = score != NULL ? gbs_judge_rows(ctx, model, &rows, score, out, NULL) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_area_with_error(ctx, data->n, data->y, score, &out->auc, &out->auc_se);
    gbs_array_free(ctx, score);
    gbs_rows_free(ctx, &rows);
    return status;
}
