/* The joint calibration of the scores of many classes (docs/maths.md, 11.10).
 *
 *   p_c(x) = exp(z_c)/sum over the classes,   z = a + B s(x),
 *
 *   a, B = argmin  sum_i KL(t_i || p_i) + |B - b0 I|^2 / (2 (spread b0)^2) + GAUGE/2 |a|^2
 *
 * over rows whose scores come from fits that have not seen them. t_i puts (n_c + 1)/(n_c + 2) on
 * the class c of row i, which has n_c rows, and the rest in equal parts on the other classes:
 * Platt's targets (platt.c), of which two classes have two. b0 is the best slope that all classes
 * share: a class with few rows keeps to it. B is diagonal, or, of not too many classes, full where
 * that has the smaller cross-validated log loss. The sum is convex; Newton's method with halved
 * steps, or of many classes L-BFGS (softmax_descent.c).
 */
#include "fit/softmax.h"

#include "kernel/linalg.h"

#include <math.h>
#include <string.h>

/* Of the slopes around b0, relatively: of a diagonal B, and of a full one. */
#define SPREAD 0.5
#define SPREAD_FULL 0.25
#define GAUGE 1e-6
#define LEAST_SLOPE 1e-9
enum { MOST_STEPS = 100 };
enum { PRODUCTS_A_LOOK = 1 << 22 }; /* between two looks at the caller's wish to stop */

/* ---------------------------------------------------------------- probabilities */

/* A diagonal matrix adds zeros alone beside its diagonal. */
static double height(const gbs_class_scores *s, size_t i, size_t c, const double *offset,
                     const double *slope) {
    double z = offset[c];
    bool diagonal = s->k > GBS_MOST_FULL;
    size_t from = diagonal ? c : 0, end = diagonal ? c + 1 : s->k;
    for (size_t j = from; isfinite(z) && j < end; j++)
        if (slope[c * s->k + j] != 0.0)
            z += slope[c * s->k + j] * s->score[i * s->k + j];
    return z;
}

/* -log p of the class of row i; NaN: it does not count. */
double gbs_softmax_row_loss(const gbs_class_scores *s, size_t i, const double *offset,
                            const double *slope) {
    double most = -INFINITY, total = 0.0;
    size_t is = s->class[i];
    if (is >= s->k || !isfinite(offset[is]))
        return NAN;
    for (size_t c = 0; c < s->k; c++)
        most = fmax(most, height(s, i, c, offset, slope));
    for (size_t c = 0; c < s->k; c++)
        total += exp(height(s, i, c, offset, slope) - most);
    return most + log(total) - height(s, i, is, offset, slope);
}

double gbs_softmax_error(const gbs_class_scores *s, const double *offset, const double *slope) {
    double wrong = 0.0, count = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double most = -INFINITY;
        size_t says = 0;
        if (s->class[i] >= s->k)
            continue;
        for (size_t c = 0; c < s->k; c++) {
            double z = height(s, i, c, offset, slope);
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

/* Parameters: k offsets, then one slope, k of them, or k x k. z_c is linear in `features` of them,
 * the offset first. */
static size_t features(const gbs_softmax_fit *f) {
    return f->slopes == GBS_SLOPES_FULL ? f->s->k + 1 : 2;
}

size_t gbs_softmax_parameters(const gbs_softmax_fit *f) {
    size_t k = f->s->k;
    return k + (f->slopes == GBS_SLOPES_SHARED ? 1 : f->slopes == GBS_SLOPES_EACH ? k : k * k);
}

/* Feature u of class c: its parameter, and its value in a row of scores. */
static size_t parameter_at(const gbs_softmax_fit *f, size_t c, size_t u) {
    size_t k = f->s->k;
    if (u == 0)
        return c;
    return f->slopes == GBS_SLOPES_SHARED ? k
           : f->slopes == GBS_SLOPES_EACH ? k + c
                                          : k + c * k + u - 1;
}

static double value_at(const gbs_softmax_fit *f, size_t c, size_t u, const double *score) {
    return u == 0 ? 1.0 : score[f->slopes == GBS_SLOPES_FULL ? u - 1 : c];
}

/* Of the slopes' penalty: where B is the identity times b0, whose diagonal is every (k + 1)-th. */
static double centre_of(const gbs_softmax_fit *f, size_t parameter) {
    size_t k = f->s->k, at = parameter - k;
    return f->slopes != GBS_SLOPES_FULL || at % (k + 1) == 0 ? f->centre : 0.0;
}

/* Second derivatives: (diag(p) - p p') for each pair of features; the lower triangle. */
static void add_curvature(const gbs_softmax_fit *f, const double *score, double *hessian) {
    size_t k = f->s->k, size = gbs_softmax_parameters(f), width = features(f);
    for (size_t c = 0; c < k; c++)
        for (size_t l = 0; l < k; l++) {
            double w = (c == l ? f->p[c] : 0.0) - f->p[c] * f->p[l];
            for (size_t u = 0; u < width; u++) {
                size_t row = parameter_at(f, c, u);
                double wu = w * value_at(f, c, u, score);
                for (size_t v = 0; v < width; v++) {
                    size_t column = parameter_at(f, l, v);
                    if (column <= row)
                        hessian[row * size + column] += wu * value_at(f, l, v, score);
                }
            }
        }
}

/* Adds one row: -sum t log p and its gradient, (p - t) times the features. */
static double add_row(const gbs_softmax_fit *f, size_t i, const double *parameter, double *gradient,
                      double *hessian) {
    const gbs_class_scores *s = f->s;
    size_t k = s->k, is = s->class[i], width = features(f);
    const double *score = s->score + i * k;
    double most = -INFINITY, sum = 0.0, value = 0.0, n = (double)f->rows[is],
           other = k > 1 ? 1.0 / (n + 2.0) / (double)(k - 1) : 0.0,
           own = k > 1 ? (n + 1.0) / (n + 2.0) : 1.0;
    for (size_t c = 0; c < k; c++) {
        f->p[c] = 0.0;
        for (size_t u = 0; u < width; u++)
            f->p[c] += parameter[parameter_at(f, c, u)] * value_at(f, c, u, score);
        most = fmax(most, f->p[c]);
    }
    for (size_t c = 0; c < k; c++)
        sum += exp(f->p[c] - most);
    for (size_t c = 0; c < k; c++) {
        double log_p = f->p[c] - most - log(sum), t = c == is ? own : other;
        value -= t * log_p;
        f->p[c] = exp(log_p);
        for (size_t u = 0; gradient != NULL && u < width; u++)
            gradient[parameter_at(f, c, u)] += (f->p[c] - t) * value_at(f, c, u, score);
    }
    if (hessian != NULL)
        add_curvature(f, score, hessian);
    return value;
}

/* Is row i one to ask at, and is the answer to stop? */
static bool stopped(const gbs_softmax_fit *f, size_t i) {
    size_t side = f->s->k * features(f), rows = PRODUCTS_A_LOOK / (side * side) + 1;
    if (f->ctx != NULL && i % rows == 0)
        *f->status = gbs_check_cancel(f->ctx);
    return f->ctx != NULL && *f->status != GBS_OK;
}

double gbs_softmax_narrow(const gbs_softmax_fit *f) {
    return f->centre * (f->slopes == GBS_SLOPES_FULL ? SPREAD_FULL : SPREAD);
}

double gbs_softmax_value(const gbs_softmax_fit *f, const double *parameter, double *gradient,
                         double *hessian) {
    size_t k = f->s->k, size = gbs_softmax_parameters(f);
    double value = 0.0, narrow = gbs_softmax_narrow(f);
    if (gradient != NULL)
        memset(gradient, 0, size * sizeof *gradient);
    if (hessian != NULL)
        memset(hessian, 0, size * size * sizeof *hessian);
    for (size_t i = 0; i < f->s->n; i++) {
        if (stopped(f, i))
            return NAN;
        value += add_row(f, i, parameter, gradient, hessian);
    }
    for (size_t j = 0; j < size; j++) {
        bool offset = j < k, free = f->slopes == GBS_SLOPES_SHARED;
        double weight = offset ? GAUGE
                        : free ? 0.0
                               : 1.0 / (narrow * narrow),
               away = parameter[j] - (offset || free ? 0.0 : centre_of(f, j));
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
    size_t size = gbs_softmax_parameters(f);
    if (f->s->k > GBS_MOST_NEWTON) {
        *f->status = gbs_softmax_descend(f, parameter);
        return;
    }
    double value = gbs_softmax_value(f, parameter, w->gradient, w->hessian);
    for (int step = 0; step < MOST_STEPS && *f->status == GBS_OK; step++) {
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
            if (share < 1e-10 || *f->status != GBS_OK)
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

/* First one slope for all, then each around it. slope: k x k. */
static void fit(gbs_softmax_fit *f, const struct newton *w, gbs_slopes_kind slopes,
                double *parameter, double *offset, double *slope) {
    size_t k = f->s->k;
    memset(parameter, 0, (k + k * k) * sizeof *parameter);
    for (size_t c = 0; c < k; c++)
        parameter[c] = log((double)f->rows[c]);
    f->slopes = GBS_SLOPES_SHARED;
    minimise(f, w, parameter);
    if (*f->status != GBS_OK)
        return;
    double shared = parameter[k];
    f->slopes = slopes;
    f->centre = shared > LEAST_SLOPE && isfinite(shared) ? shared : LEAST_SLOPE;
    size_t size = gbs_softmax_parameters(f);
    for (size_t j = k; j < size; j++)
        parameter[j] = centre_of(f, j);
    if (f->centre > LEAST_SLOPE)
        minimise(f, w, parameter);
    for (size_t c = 0; c < k; c++) {
        offset[c] = parameter[c];
        for (size_t j = 0; j < k; j++)
            slope[c * k + j] = slopes == GBS_SLOPES_FULL ? parameter[k + c * k + j]
                               : c == j                  ? fmax(parameter[k + c], LEAST_SLOPE)
                                                         : 0.0;
    }
}

/* Of classes that all have rows. */
static gbs_status learn(gbs_context *ctx, const gbs_class_scores *s, gbs_slopes_kind slopes,
                        size_t *rows, double *offset, double *slope) {
    size_t k = s->k, most = k + (slopes == GBS_SLOPES_FULL ? k * k : k),
           wide = k > GBS_MOST_NEWTON ? 1 : most + 3; /* second derivatives are for Newton alone */
    double scale = scale_of(s), *room = gbs_matrix(ctx, wide, most),
           *parameter = gbs_doubles(ctx, k + k * k), *scaled = gbs_matrix(ctx, s->n + 1, k);
    bool there = room != NULL && parameter != NULL && scaled != NULL;
    gbs_status status = there ? GBS_OK : GBS_ERR_MEMORY;
    if (there) {
        gbs_class_scores in_scale = {s->n, k, scaled, s->class};
        gbs_softmax_fit f = {
            .s = &in_scale, .rows = rows, .p = scaled + s->n * k, .ctx = ctx, .status = &status};
        struct newton w = {0};
        if (k <= GBS_MOST_NEWTON)
            w = (struct newton){room, room + most, room + 2 * most, room + 3 * most};
        for (size_t i = 0; i < s->n * k; i++)
            scaled[i] = s->score[i] / scale;
        fit(&f, &w, slopes, parameter, offset, slope);
        for (size_t j = 0; j < k * k; j++)
            slope[j] /= scale;
    }
    gbs_array_free(ctx, scaled);
    gbs_array_free(ctx, parameter);
    gbs_array_free(ctx, room);
    return status;
}

/* The classes that have rows, alone: what is not there must leave no trace, not even in rounding.
 */
gbs_status gbs_softmax_learn(gbs_context *ctx, const gbs_class_scores *s, gbs_slopes_kind slopes,
                             double *offset, double *slope) {
    size_t k = s->k, learned = 0, n = 0;
    size_t *rows = gbs_array_alloc(ctx, k, sizeof *rows), *at = gbs_array_alloc(ctx, k, sizeof *at),
           *class = gbs_array_alloc(ctx, s->n, sizeof *class);
    double *score = gbs_matrix(ctx, s->n, k), *own = gbs_matrix(ctx, k + 1, k);
    bool room = rows != NULL && at != NULL && class != NULL && score != NULL && own != NULL;
    gbs_status status = room ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; room && i < s->n; i++)
        if (s->class[i] < k)
            rows[s->class[i]]++;
    for (size_t c = 0; room && c < k; c++) {
        at[c] = rows[c] > 0 ? learned : SIZE_MAX;
        if (rows[c] > 0)
            rows[learned++] = rows[c]; /* never ahead of c */
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
    if (status == GBS_OK && learned > 0)
        status = learn(ctx, &there, slopes, rows, own, own + k);
    for (size_t c = 0; status == GBS_OK && c < k; c++) {
        offset[c] = at[c] != SIZE_MAX ? own[at[c]] : -INFINITY;
        for (size_t j = 0; j < k; j++)
            slope[c * k + j] = at[c] != SIZE_MAX && at[j] != SIZE_MAX
                                   ? own[k + at[c] * learned + at[j]]
                                   : 0.0;
    }
    gbs_array_free(ctx, rows);
    gbs_array_free(ctx, at);
    gbs_array_free(ctx, class);
    gbs_array_free(ctx, score);
    gbs_array_free(ctx, own);
    return status;
}
