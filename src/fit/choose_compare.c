/* The comparison of candidates on the same folds, by out-of-fold scores (docs/maths.md, 11.5):
 * along the widths and kinds of columns, then the zero-one loss and rows that count by their cost.
 */
#include "fit/choosing.h"

#include "fit/side_by_side.h"
#include "judge/judge.h"

#include <math.h>
#include <string.h>

enum { MIDDLE = 5, STEP = 2 };

static bool says_yes(double score, gbs_platt p) {
    return p.offset + p.slope * score >= 0.0;
}

/* How many rounds there will be is not known: each takes half of what is left of their share of the
 * progress bar. */
gbs_status gbs_choosing_run(gbs_choosing *c) {
    gbs_side_progress progress = {GBS_CHOICE_STAGE, c->progress_done,
                                  0.5 * (c->progress_of_folds - c->progress_done)};
    c->progress_done += progress.span;
    return gbs_side_by_side(c->ctx, c->folds * c->kinds_size, progress, gbs_choosing_fold, c);
}

/* The log loss of one row. */
static double loss_of(double score, double y, gbs_platt p) {
    return gbs_platt_log_loss(&score, &y, 1, p);
}

/* Is candidate (k, w) better than the best so far? A map has to be better than the columns
 * themselves by more than two standard errors of the difference, row by row. */
static bool better(const gbs_choosing *c, size_t k, size_t w, double best) {
    bool map = !gbs_features_linear(c->kinds[k].features),
         line = gbs_features_linear(c->kinds[c->kind].features);
    if (!(c->value[k][w] < best * (1.0 - 1e-9)) || !map || !line || best == INFINITY)
        return c->value[k][w] < best * (1.0 - 1e-9);
    const double *y = c->data->y, *new = gbs_choosing_scores(c, k, w),
                 *old = gbs_choosing_scores(c, c->kind, c->width);
    gbs_platt p = gbs_platt_learn(new, y, c->n), q = gbs_platt_learn(old, y, c->n);
    double sum = 0.0, square = 0.0, n = (double)c->n;
    for (size_t i = 0; i < c->n; i++) {
        double gain = loss_of(old[i], y[i], q) - loss_of(new[i], y[i], p);
        sum += gain;
        square += gain * gain;
    }
    return sum > 2.0 * sqrt(fmax(0.0, square - sum * sum / n));
}

/* Runs what is wanted and not done, and finds the best of all. */
static gbs_status compare(gbs_choosing *c) {
    gbs_status status = gbs_choosing_run(c);
    for (size_t k = 0; status == GBS_OK && k < c->kinds_size; k++)
        for (size_t w = 0; w < c->widths_size; w++) {
            const double *score = gbs_choosing_scores(c, k, w), *y = c->data->y;
            if (c->wanted[k][w])
                c->value[k][w] = gbs_platt_log_loss(score, y, c->n,
                                                    gbs_platt_learn(score, y, c->n));
            c->done[k][w] |= c->wanted[k][w];
            c->wanted[k][w] = false;
        }
    double best = INFINITY;
    for (size_t k = 0; k < c->kinds_size; k++)
        for (size_t w = 0; w < c->widths_size; w++)
            if (c->done[k][w] && better(c, k, w, best)) {
                best = c->value[k][w];
                c->kind = k;
                c->width = w;
            }
    return status;
}

/* Wants width w of kind k, where there is such a width and it is not known yet. */
static bool want(gbs_choosing *c, size_t k, size_t w) {
    if (w >= c->widths_size || c->done[k][w])
        return false;
    c->wanted[k][w] = true;
    return true;
}

/* The log loss has one valley along the widths: a few in the middle first, then further where the
 * best is the last one known on its side, and at the end its neighbours. */
gbs_status gbs_choosing_search(gbs_choosing *c) {
    bool more = true;
    for (size_t k = 0; k < c->kinds_size; k++)
        for (size_t w = MIDDLE - STEP; w <= MIDDLE + STEP; w += STEP)
            want(c, k, c->widths_size == 1 ? 0 : w);
    gbs_status status = compare(c);
    while (status == GBS_OK && more) {
        size_t k = c->kind, w = c->width;
        more = want(c, k, w + STEP) || (w >= STEP && want(c, k, w - STEP));
        if (more)
            status = compare(c);
    }
    more = want(c, c->kind, c->width + 1);
    if ((c->width > 0 && want(c, c->kind, c->width - 1)) || more)
        status = status == GBS_OK ? compare(c) : status;
    return status;
}

/* Beyond a standard deviation of a fair coin on the rows where the labels differ. */
static gbs_status better_labels(const gbs_choosing *c, const double *before, const double *after,
                                bool *better) {
    const double *y = c->data->y;
    gbs_platt old = gbs_platt_learn(before, y, c->n), new = gbs_platt_learn_slope(after, y, c->n);
    double gain = 0.0, differ = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        bool was = says_yes(before[i], old), is = says_yes(after[i], new);
        differ += was != is;
        gain += was != is ? (is == (y[i] > 0.0) ? 1.0 : -1.0) : 0.0;
    }
    *better = gain > sqrt(differ);
    return GBS_OK;
}

/* The AUC inside the folds, beyond two standard errors of its mean change over them. */
static gbs_status better_order(const gbs_choosing *c, const double *before, const double *after,
                               bool *better) {
    double *room = gbs_matrix(c->ctx, 3, c->n), sum = 0.0, squares = 0.0, folds = (double)c->folds;
    gbs_status status = room != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t fold = 0; status == GBS_OK && fold < c->folds; fold++) {
        double *y = room, *old = room + c->n, *new = room + 2 * c->n, was = 0.0, is = 0.0;
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++) {
            if (c->fold_of[i] != fold)
                continue;
            y[n] = c->data->y[i];
            old[n] = before[i];
            new[n++] = after[i];
        }
        status = gbs_area(c->ctx, n, y, old, &was);
        if (status == GBS_OK)
            status = gbs_area(c->ctx, n, y, new, &is);
        sum += is - was;
        squares += (is - was) * (is - was);
    }
    gbs_array_free(c->ctx, room);
    double mean = sum / folds, variance = fmax(squares / folds - mean * mean, 0.0) / (folds - 1.0);
    *better = c->folds > 2 && mean > 2.0 * sqrt(variance) && mean > 0.0;
    return status;
}

/* The zero-one posterior around the chosen one, where it was asked for or is better: its
 * scores then take the place of the other's. */
gbs_status gbs_choosing_try_zero_one(gbs_choosing *c, bool asked) {
    double *score = gbs_choosing_scores(c, c->kind, c->width), *before = gbs_doubles(c->ctx, c->n);
    if (before == NULL)
        return GBS_ERR_MEMORY;
    memcpy(before, score, c->n * sizeof *before);
    c->loss = GBS_LOSS_ZERO_ONE;
    c->wanted[c->kind][c->width] = true;
    gbs_status status = gbs_choosing_run(c);
    c->wanted[c->kind][c->width] = false;
    bool better = asked;
    if (status == GBS_OK && !asked)
        status = c->labels ? better_labels(c, before, score, &better)
                           : better_order(c, before, score, &better);
    if (!better) {
        c->loss = c->base;
        memcpy(score, before, c->n * sizeof *score);
    }
    gbs_array_free(c->ctx, before);
    return status;
}

/* The cost of the label of row i. */
static double cost_of(const gbs_choosing *c, const double *score, gbs_platt p, size_t i) {
    const gbs_fit_settings *o = c->o;
    bool says = p.offset + p.slope * score[i] >= log(o->cost_false / o->cost_missed);
    if (says == (c->data->y[i] > 0.0))
        return 0.0;
    return says ? o->cost_false : o->cost_missed;
}

/* The labels of `score` cost less than those of `other`, by more than a standard deviation of what
 * the rows add to the difference. */
static bool is_cheaper(const gbs_choosing *c, const double *score, const double *other) {
    const double *y = c->data->y;
    gbs_platt p = gbs_platt_learn(score, y, c->n), q = gbs_platt_learn(other, y, c->n);
    double gain = 0.0, squares = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double less = cost_of(c, other, q, i) - cost_of(c, score, p, i);
        gain += less;
        squares += less * less;
    }
    return gain > sqrt(squares);
}

/* The chosen one again, on rows that count by the cost of their error. */
gbs_status gbs_choosing_try_weights(gbs_choosing *c) {
    double *score = gbs_choosing_scores(c, c->kind, c->width), *plain = gbs_doubles(c->ctx, c->n);
    if (plain == NULL)
        return GBS_ERR_MEMORY;
    memcpy(plain, score, c->n * sizeof *plain);
    c->weighted = c->wanted[c->kind][c->width] = true;
    gbs_status status = gbs_choosing_run(c);
    c->wanted[c->kind][c->width] = false;
    if (status == GBS_OK && !is_cheaper(c, score, plain)) {
        c->weighted = false;
        memcpy(score, plain, c->n * sizeof *score);
    }
    gbs_array_free(c->ctx, plain);
    return status;
}
