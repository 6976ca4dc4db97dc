/* The joint calibration of the scores of many classes (docs/maths.md, 11.10).
 *
 *   p_c(x) = exp(a_c + b_c s_c(x)) / sum over the classes,
 *
 *   a, b = argmin  sum_i KL(t_i || p_i)
 *                  + sum_c (b_c - b0)^2 / (2 (SPREAD b0)^2) + GAUGE/2 sum_c a_c^2
 *
 * over rows whose scores come from fits that have not seen them. t_i puts (n_c + 1)/(n_c + 2) on
 * the class c of row i, which has n_c rows, and the rest in equal parts on the other classes: Platt's
 * targets (platt.c), of which two classes have two. b0 is the best slope that all classes share: a
 * class with few rows keeps to it. The sum is convex; Newton's method with halved steps.
 */
#include "fit/softmax.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

#define SPREAD 0.5
#define GAUGE 1e-6
#define LEAST_SLOPE 1e-9
enum { MOST_STEPS = 100, PARTS = 5 };

/* ---------------------------------------------------------------- probabilities */

double gbs_softmax_log_loss(const gbs_class_scores *s, const double *offset, const double *slope) {
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        const double *score = s->score + i * s->k;
        double most = -INFINITY, total = 0.0;
        size_t is = s->class[i];
        if (is >= s->k || !isfinite(offset[is]))
            continue;
        for (size_t c = 0; c < s->k; c++)
            if (isfinite(offset[c]))
                most = fmax(most, offset[c] + slope[c] * score[c]);
        for (size_t c = 0; c < s->k; c++)
            if (isfinite(offset[c]))
                total += exp(offset[c] + slope[c] * score[c] - most);
        sum += most + log(total) - offset[is] - slope[is] * score[is];
        count += 1.0;
    }
    return sum / count;
}

double gbs_softmax_error(const gbs_class_scores *s, const double *offset, const double *slope) {
    double wrong = 0.0, count = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double most = -INFINITY;
        size_t says = 0;
        if (s->class[i] >= s->k)
            continue;
        for (size_t c = 0; c < s->k; c++) {
            double z = isfinite(offset[c]) ? offset[c] + slope[c] * s->score[i * s->k + c]
                                           : -INFINITY;
            if (z > most) {
                most = z;
                says = c;
            }
        }
        wrong += says != s->class[i];
        count += 1.0;
    }
    return wrong / count;
}

/* ---------------------------------------------------------------- what is minimised */

/* Parameters: k offsets, then k slopes; a shared slope is the first of them. */
static size_t slope_at(const gbs_softmax_fit *f, size_t c) {
    return f->s->k + (f->shared ? 0 : c);
}

static double slope_of(const gbs_softmax_fit *f, const double *parameter, size_t c) {
    return parameter[slope_at(f, c)];
}

/* Adds one row: -sum t log p, its gradient p - t, and (diag(p) - p p') for each pair of features 1
 * and score. */
static double add_row(const gbs_softmax_fit *f, size_t i, const double *parameter, double *gradient,
                      double *hessian) {
    const gbs_class_scores *s = f->s;
    size_t k = s->k, is = s->class[i], size = 2 * k;
    const double *score = s->score + i * k;
    double most = -INFINITY, sum = 0.0, value = 0.0, n = (double)f->rows[is],
           other = f->learned > 1 ? 1.0 / (n + 2.0) / (double)(f->learned - 1) : 0.0,
           own = f->learned > 1 ? (n + 1.0) / (n + 2.0) : 1.0;
    for (size_t c = 0; c < k; c++) {
        f->p[c] = f->rows[c] > 0 ? parameter[c] + slope_of(f, parameter, c) * score[c] : -INFINITY;
        most = fmax(most, f->p[c]);
    }
    for (size_t c = 0; c < k; c++)
        sum += exp(f->p[c] - most);
    for (size_t c = 0; c < k; c++) {
        if (f->rows[c] == 0) {
            f->p[c] = 0.0;
            continue;
        }
        double log_p = f->p[c] - most - log(sum), t = c == is ? own : other;
        value -= t * log_p;
        f->p[c] = exp(log_p);
        if (gradient != NULL) {
            gradient[c] += f->p[c] - t;
            gradient[slope_at(f, c)] += (f->p[c] - t) * score[c];
        }
    }
    for (size_t c = 0; hessian != NULL && c < k; c++) {
        double pc = f->p[c];
        if (pc == 0.0)
            continue;
        size_t bc = slope_at(f, c);
        for (size_t l = 0; l < k; l++) {
            double w = (c == l ? pc : 0.0) - pc * f->p[l];
            hessian[c * size + l] += w;
            hessian[bc * size + l] += w * score[c];
            hessian[bc * size + slope_at(f, l)] += w * score[c] * score[l];
        }
    }
    return value;
}

/* The value, its gradient and the lower triangle of its second derivatives (2 k each way). */
double gbs_softmax_value(const gbs_softmax_fit *f, const double *parameter, double *gradient,
                         double *hessian) {
    size_t k = f->s->k, size = 2 * k, slopes = f->shared ? 1 : k;
    double value = 0.0, narrow = SPREAD * f->centre;
    if (gradient != NULL)
        memset(gradient, 0, size * sizeof *gradient);
    if (hessian != NULL)
        memset(hessian, 0, size * size * sizeof *hessian);
    for (size_t i = 0; i < f->s->n; i++)
        if (f->s->class[i] < k && f->rows[f->s->class[i]] > 0)
            value += add_row(f, i, parameter, gradient, hessian);
    for (size_t j = 0; j < size; j++) {
        bool offset = j < k, penal = offset || (!f->shared && f->centre > 0.0);
        double weight = offset  ? GAUGE
                        : penal ? 1.0 / (narrow * narrow)
                                : 0.0,
               away = parameter[j] - (offset ? 0.0 : f->centre);
        if (j >= k + slopes) { /* no parameter */
            weight = 1.0;
            away = 0.0;
        }
        value += 0.5 * weight * away * away;
        if (gradient != NULL)
            gradient[j] += weight * away;
        if (hessian != NULL)
            hessian[j * size + j] += weight > 0.0 ? weight : 1e-12;
    }
    return value;
}

/* ---------------------------------------------------------------- Newton's method */

struct newton {
    double *gradient, *step, *next, *hessian;
};

static void minimise(const gbs_softmax_fit *f, const struct newton *w, double *parameter) {
    size_t size = 2 * f->s->k;
    double value = gbs_softmax_value(f, parameter, w->gradient, w->hessian);
    for (int step = 0; step < MOST_STEPS; step++) {
        double promised = 0.0, share = 1.0, then;
        for (size_t j = 0; j < size; j++) /* scores that are all the same leave a direction flat */
            w->hessian[j * size + j] *= 1.0 + 1e-10;
        memcpy(w->step, w->gradient, size * sizeof *w->step);
        if (!gbs_cholesky(size, w->hessian))
            return;
        gbs_lower_solve(size, w->hessian, size, false, w->step);
        gbs_lower_solve(size, w->hessian, size, true, w->step);
        for (size_t j = 0; j < size; j++)
            promised += w->step[j] * w->gradient[j];
        if (!(promised > 1e-13 * (1.0 + value)))
            return;
        for (;;) {
            for (size_t j = 0; j < size; j++)
                w->next[j] = parameter[j] - share * w->step[j];
            then = gbs_softmax_value(f, w->next, NULL, NULL);
            if (then < value - 1e-4 * share * promised)
                break;
            share *= 0.5;
            if (share < 1e-10)
                return;
        }
        memcpy(parameter, w->next, size * sizeof *parameter);
        value = gbs_softmax_value(f, parameter, w->gradient, w->hessian);
    }
}

/* ---------------------------------------------------------------- calibration */

/* Scores in units of their own spread, so that the shared slope is of the size of 1. */
static double scale_of(const gbs_class_scores *s) {
    double sum = 0.0, squares = 0.0, count = (double)(s->n * s->k);
    for (size_t i = 0; i < s->n * s->k; i++)
        sum += s->score[i];
    for (size_t i = 0; i < s->n * s->k; i++)
        squares += (s->score[i] - sum / count) * (s->score[i] - sum / count);
    double scale = count > 0.0 ? sqrt(squares / count) : 0.0;
    return scale > 0.0 && isfinite(scale) ? scale : 1.0;
}

/* First one slope for all, then each around it. */
static void fit(gbs_softmax_fit *f, const struct newton *w, double *parameter) {
    size_t k = f->s->k;
    for (size_t c = 0; c < k; c++)
        parameter[c] = f->rows[c] > 0 ? log((double)f->rows[c]) : 0.0;
    f->shared = true;
    minimise(f, w, parameter);
    double shared = parameter[k];
    f->shared = false;
    f->centre = shared > LEAST_SLOPE && isfinite(shared) ? shared : LEAST_SLOPE;
    for (size_t c = 0; c < k; c++)
        parameter[k + c] = f->centre;
    if (f->centre > LEAST_SLOPE)
        minimise(f, w, parameter);
}

/* The classes that have rows, alone: what is not there must leave no trace, not even in rounding. */
static gbs_status learn(gbs_context *ctx, const gbs_class_scores *s, size_t *rows, double *offset,
                        double *slope) {
    size_t k = s->k, size = 2 * k;
    double scale = scale_of(s), *room = gbs_matrix(ctx, size + 4, size),
           *scaled = gbs_matrix(ctx, s->n + 1, k);
    gbs_status status = room != NULL && scaled != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_class_scores in_scale = {s->n, k, scaled, s->class};
        gbs_softmax_fit f = {.s = &in_scale, .rows = rows, .p = scaled + s->n * k, .learned = k};
        struct newton w = {room, room + size, room + 2 * size, room + 4 * size};
        double *parameter = room + 3 * size;
        for (size_t i = 0; i < s->n * k; i++)
            scaled[i] = s->score[i] / scale;
        fit(&f, &w, parameter);
        for (size_t c = 0; c < k; c++) {
            offset[c] = parameter[c];
            slope[c] = fmax(parameter[k + c], LEAST_SLOPE) / scale;
        }
    }
    gbs_array_free(ctx, scaled);
    gbs_array_free(ctx, room);
    return status;
}

gbs_status gbs_softmax_learn(gbs_context *ctx, const gbs_class_scores *s, double *offset,
                             double *slope) {
    size_t k = s->k, learned = 0, n = 0;
    size_t *rows = gbs_array_alloc(ctx, k, sizeof *rows), *at = gbs_array_alloc(ctx, k, sizeof *at),
           *class = gbs_array_alloc(ctx, s->n, sizeof *class);
    double *score = gbs_matrix(ctx, s->n, k), *own = gbs_matrix(ctx, 2, k);
    bool room = rows != NULL && at != NULL && class != NULL && score != NULL && own != NULL;
    gbs_status status = room ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; room && i < s->n; i++)
        if (s->class[i] < k)
            rows[s->class[i]]++;
    for (size_t c = 0; room && c < k; c++)
        if (rows[c] > 0) {
            at[c] = learned;
            rows[learned++] = rows[c]; /* never ahead of c */
        } else {
            at[c] = SIZE_MAX;
        }
    for (size_t i = 0; room && i < s->n; i++) {
        if (s->class[i] >= k)
            continue;
        class[n] = at[s->class[i]];
        for (size_t c = 0; c < k; c++)
            if (at[c] != SIZE_MAX)
                score[n * learned + at[c]] = s->score[i * k + c];
        n++;
    }
    gbs_class_scores there = {n, learned, score, class};
    if (status == GBS_OK)
        status = learn(ctx, &there, rows, own, own + k);
    for (size_t c = 0; status == GBS_OK && c < k; c++) {
        offset[c] = at[c] != SIZE_MAX ? own[at[c]] : -INFINITY;
        slope[c] = at[c] != SIZE_MAX ? own[k + at[c]] : 1.0;
    }
    gbs_array_free(ctx, rows);
    gbs_array_free(ctx, at);
    gbs_array_free(ctx, class);
    gbs_array_free(ctx, score);
    gbs_array_free(ctx, own);
    return status;
}

gbs_status gbs_softmax_cross_validate(gbs_context *ctx, const gbs_class_scores *s, double *log_loss,
                                      double *error) {
    double *fitted = gbs_matrix(ctx, 2, s->k), losses = 0.0, errors = 0.0, count = 0.0;
    size_t *class = gbs_array_alloc(ctx, s->n, sizeof *class);
    gbs_status status = fitted != NULL && class != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t part = 0; status == GBS_OK && part < PARTS; part++) {
        gbs_class_scores some = {s->n, s->k, s->score, class};
        double rows = 0.0;
        for (size_t i = 0; i < s->n; i++)
            class[i] = i % PARTS != part ? s->class[i] : SIZE_MAX;
        status = gbs_softmax_learn(ctx, &some, fitted, fitted + s->k);
        for (size_t i = 0; status == GBS_OK && i < s->n; i++) {
            class[i] = i % PARTS == part ? s->class[i] : SIZE_MAX;
            rows += class[i] < s->k && isfinite(fitted[class[i]]);
        }
        if (status == GBS_OK && rows > 0.0) {
            losses += rows * gbs_softmax_log_loss(&some, fitted, fitted + s->k);
            errors += rows * gbs_softmax_error(&some, fitted, fitted + s->k);
            count += rows;
        }
    }
    *log_loss = losses / count;
    *error = errors / count;
    gbs_array_free(ctx, class);
    gbs_array_free(ctx, fitted);
    return status;
}
