/* How well a model does on labelled rows. */
#include "model/model.h"
#include "risk/loss.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score;
    double y;
};

static int by_score(const void *a, const void *b) {
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

/* Area under the ROC curve: the share of (positive, negative) pairs in the right order, ties one half; O(n log n). */
gbs_status gbs_area(gbs_context *ctx, size_t n, const double *y, const double *score, double *auc) {
    struct scored *sorted = gbs_array_alloc(ctx, n, sizeof *sorted);
    if (sorted == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct scored){score[i], y[i]};
    qsort(sorted, n, sizeof *sorted, by_score);
    double below = 0.0, wins = 0.0, positives = 0.0;
    for (size_t i = 0; i < n;) {
        double up = 0.0, down = 0.0;
        size_t j = i;
        for (; j < n && sorted[j].score == sorted[i].score; j++)
            *(sorted[j].y > 0.0 ? &up : &down) += 1.0;
        wins += up * (below + 0.5 * down);
        below += down;
        positives += up;
        i = j;
    }
    *auc = positives > 0.0 && below > 0.0 ? wins / (positives * below) : NAN;
    gbs_array_free(ctx, sorted);
    return GBS_OK;
}

/* Mean of psi over the rows, a tile at a time. */
static double mean_loss(const gbs_loss_ops *loss, size_t n, const double *y, const double *score, const double *sd) {
    double sum = 0.0;
    for (size_t from = 0; from < n; from += GBS_LOSS_TILE) {
        double mu[GBS_LOSS_TILE], psi[GBS_LOSS_TILE], d_mu[GBS_LOSS_TILE], d_s[GBS_LOSS_TILE];
        size_t m = n - from < GBS_LOSS_TILE ? n - from : GBS_LOSS_TILE;
        for (size_t i = 0; i < m; i++)
            mu[i] = y[from + i] * score[from + i];
        loss->smoothed(m, mu, sd + from, psi, d_mu, d_s);
        for (size_t i = 0; i < m; i++)
            sum += psi[i];
    }
    return sum / (double)n;
}

/* log Phi(t), exact in the tail. */
static double log_distribution(double t) {
    if (t > -37.0)
        return log(0.5 * erfc(-0.70710678118654752440 * t));
    double r = 1.0 / (t * t);
    return -0.5 * t * t - log(-t) - 0.91893853320467274178 + log1p(-r * (1.0 - 3.0 * r * (1.0 - 5.0 * r)));
}

/* How far the Gaussian vote's probabilities can be believed. */
static void calibrate(size_t n, const double *y, const double *score, const double *sd, gbs_evaluation *out) {
    double brier = 0.0, log_loss = 0.0;
    for (size_t i = 0; i < n; i++) {
        double margin = y[i] * score[i], right = margin > 0.0 ? 1.0 : margin < 0.0 ? 0.0 : 0.5;
        if (sd[i] > 0.0) {
            right = 0.5 * erfc(-0.70710678118654752440 * (margin / sd[i]));
            log_loss -= log_distribution(margin / sd[i]);
        } else {
            log_loss -= log(right);
        }
        brier += (1.0 - right) * (1.0 - right);
        double positive = y[i] > 0.0 ? right : 1.0 - right;
        gbs_reliability *bin = &out->reliability[positive < 1.0 ? (size_t)(10.0 * positive) : 9];
        bin->count++;
        bin->mean_probability += positive;
        bin->share_positive += y[i] > 0.0;
    }
    for (size_t k = 0; k < 10; k++) {
        gbs_reliability *bin = &out->reliability[k];
        bin->mean_probability /= (double)bin->count;
        bin->share_positive /= (double)bin->count;
    }
    out->brier = brier / (double)n;
    out->log_loss = log_loss / (double)n;
}

void gbs_judge(gbs_loss loss, size_t n, const double *y, const double *score, const double *sd, gbs_evaluation *out) {
    *out = (gbs_evaluation){.n = n, .auc = NAN};
    double wrong = 0.0;
    for (size_t i = 0; i < n; i++) {
        /* a score of exactly 0 is predicted as +1, and counts one half in the error */
        bool says_yes = score[i] >= 0.0, is_yes = y[i] > 0.0;
        if (says_yes)
            *(is_yes ? &out->true_positive : &out->false_positive) += 1;
        else
            *(is_yes ? &out->false_negative : &out->true_negative) += 1;
        wrong += score[i] == 0.0 ? 0.5 : says_yes != is_yes ? 1.0 : 0.0;
        out->errors += score[i] == 0.0 || says_yes != is_yes;
    }
    calibrate(n, y, score, sd, out);
    out->error = wrong / (double)n;
    out->gibbs_risk = mean_loss(gbs_loss_of(loss), n, y, score, sd);
    out->gibbs_error = mean_loss(&gbs_zero_one, n, y, score, sd);
}

double gbs_second_moment(size_t n, const double *y, const double *score, const double *sd) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double psi, d_mu, d_s, mu = y[i] * score[i];
        gbs_zero_one.smoothed(1, &mu, &sd[i], &psi, &d_mu, &d_s);
        sum += psi * psi;
    }
    return sum / (double)n;
}

gbs_status gbs_model_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data, gbs_evaluation *out) {
    if (data->y == NULL)
        return gbs_fail(ctx, GBS_ERR_DATA, "the data has no labels");
    double *score = gbs_doubles(ctx, data->n), *sd = gbs_doubles(ctx, data->n);
    gbs_status status = GBS_ERR_MEMORY;
    if (score != NULL && sd != NULL)
        status = gbs_model_predict(ctx, model, data, score, sd, NULL);
    if (status == GBS_OK) {
        gbs_judge(model->info.loss, data->n, data->y, score, sd, out);
        status = gbs_area(ctx, data->n, data->y, score, &out->auc);
    }
    gbs_array_free(ctx, score);
    gbs_array_free(ctx, sd);
    return status;
}
