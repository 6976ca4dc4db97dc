/* Calibration of the one chosen, from scores of rows by fits that have not seen them.
 *
 * They are out-of-fold scores; or those of a posterior from which each row is taken out by one
 * Newton step. With c = lambda/n, g_i and w_i the first and second derivative of c psi in the score
 * x_i'm, and s_i^2 = x_i'S x_i, where S^-1 = I/v + sum_i w_i x_i x_i' at the optimum of the full
 * family:
 *
 *   score of row i by the others = x_i'm + s_i^2 g_i / (1 - w_i s_i^2)      (docs/maths.md, 12.5)
 *
 * With the spread of the posterior that is deployed, which one row more or less hardly moves, they
 * also say how often its draws may be expected to err on fresh rows (docs/maths.md, 11.12).
 */
#include "fit/choosing.h"

#include "judge/judge.h"
#include "pass/pass.h"
#include "risk/loss.h"

#include <math.h>

/* w s^2 < 1 at the optimum; near it rounding may say otherwise. */
#define LARGEST_LEVERAGE 0.99

bool gbs_has_costs(const gbs_fit_settings *o) {
    return o->has_cost && o->cost_missed != o->cost_false;
}

/* Where errors have costs no label is the sign of a score. */
void gbs_choice_calibrate(const gbs_fit_settings *o, gbs_choice *out) {
    size_t wrong = 0;
    double n = (double)out->rows;
    out->platt = gbs_loss_of(out->loss)->convex || gbs_has_costs(o)
                     ? gbs_platt_learn(out->score, out->y, out->rows)
                     : gbs_platt_learn_slope(out->score, out->y, out->rows);
    out->log_loss = gbs_platt_log_loss(out->score, out->y, out->rows, out->platt);
    for (size_t i = 0; i < out->rows; i++) {
        bool says = out->platt.offset + out->platt.slope * out->score[i] >= 0.0;
        wrong += says != (out->y[i] > 0.0);
    }
    out->error = (double)wrong / n;
    out->error_se = sqrt(out->error * (1.0 - out->error) / n);
}

/* score and variance of some rows, whose labels are y: the scores become those by the others. */
static void take_out(const gbs_loss_ops *loss, double c, size_t n, const double *y,
                     const double *variance, double *score) {
    double mu[GBS_LOSS_TILE], s[GBS_LOSS_TILE], psi[GBS_LOSS_TILE], g[GBS_LOSS_TILE],
        d_s[GBS_LOSS_TILE];
    for (size_t first = 0; first < n; first += GBS_LOSS_TILE) {
        size_t m = n - first < GBS_LOSS_TILE ? n - first : GBS_LOSS_TILE;
        for (size_t i = 0; i < m; i++) {
            mu[i] = y[first + i] * score[first + i];
            s[i] = sqrt(variance[first + i]);
        }
        loss->pointwise.smoothed(m, mu, s, psi, g, d_s);
        for (size_t i = 0; i < m; i++) {
            double leverage = s[i] > 0.0 ? c * d_s[i] * s[i] : 0.0;
            score[first + i] += c * y[first + i] * g[i] * variance[first + i] /
                                (1.0 - fmin(leverage, LARGEST_LEVERAGE));
        }
    }
}

gbs_status gbs_scores_by_others(const gbs_held *held, const gbs_spread *spread,
                                const gbs_loss_ops *loss, double share, const double *y,
                                double *score) {
    double *variance = gbs_doubles(held->ctx, held->n);
    if (variance == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = held->pass->project(held, spread, 0, held->n, score, variance);
    if (status == GBS_OK)
        take_out(loss, share, held->n, y, variance, score);
    gbs_array_free(held->ctx, variance);
    return status;
}

gbs_status gbs_choice_leave_one_out(gbs_context *ctx, const gbs_rows *rows,
                                    const gbs_fit_settings *o, const gbs_stage *stage,
                                    gbs_choice *out) {
    gbs_rows some = gbs_rows_slice(rows, out->first, out->rows);
    gbs_spread spread = gbs_stage_gaussian(stage);
    gbs_held *held = NULL;
    gbs_status status = gbs_hold(ctx, &some, &held);
    for (size_t i = 0; status == GBS_OK && i < out->rows; i++)
        out->y[i] = some.all.y[i];
    if (status == GBS_OK)
        status = gbs_scores_by_others(held, &spread, gbs_loss_of(out->loss),
                                      o->lambda / (double)rows->all.n, out->y, out->score);
    if (status == GBS_OK)
        gbs_choice_calibrate(o, out);
    gbs_held_free(held);
    return status;
}

gbs_status gbs_choice_gibbs(gbs_context *ctx, const gbs_rows *rows, const gbs_model *model,
                            const gbs_choice *choice, double *out) {
    const double half_sqrt2 = 0.70710678118654752440;
    if (choice->rows == 0)
        return GBS_OK;
    gbs_rows some = gbs_rows_slice(rows, choice->first, choice->rows);
    gbs_judgement v = {.sd = out};
    gbs_status status = gbs_model_judge(ctx, model, &some, &v);
    for (size_t i = 0; status == GBS_OK && i < choice->rows; i++) {
        double margin = choice->y[i] * choice->score[i];
        out[i] = out[i] > 0.0 ? 0.5 * erfc(half_sqrt2 * (margin / out[i])) : margin < 0.0;
    }
    return status;
}
