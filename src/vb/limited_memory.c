/* L-BFGS (Nocedal 1980): an inverse Hessian from the last few steps s and what the gradient changed
 * by on them, y (docs/maths.md, 4.6).
 *
 *   H <- V'HV + rho s s',   V = I - rho y s',   rho = 1/y's,   from H = (y's/y'y) I of the last
 *
 * taken from the oldest kept to the newest; H g by two loops over what is kept, O(KEPT n).
 *
 * A step along -H g is long enough when the slope at its end is no longer steep, and short enough
 * when the value has fallen by a share of what the slope promised (Wolfe's conditions). Too short
 * and too long ones bracket those that are neither, and halving the bracket finds one. Then y's > 0
 * and H stays positive definite.
 */
#include "vb/limited_memory.h"

#include "kernel/strip.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { KEPT = 12, MOST_TRIALS = 40 };

#define SUFFICIENT 1e-4 /* share of the first-order fall that a step must reach */
#define STEEP 0.9       /* share of the slope at the start that is still too steep */
#define LONGER 2.1
#define LONGEST 1e20

struct search {
    const gbs_smooth *f;
    size_t n;
    double *x, *gradient, *direction, *start, *start_gradient;
    double value;
    double *steps, *changes; /* s and y, KEPT x n */
    double rho[KEPT], gamma;
    size_t count, next; /* kept; where the next one goes */
};

/* The place of the i-th newest. */
static size_t newest(const struct search *q, size_t i) {
    return (q->next + KEPT - 1 - i) % KEPT;
}

/* Keeps the step just made, unless rounding has left it no curvature: H would lose its sign. */
static void remember(struct search *q) {
    double *s = q->steps + q->next * q->n, *y = q->changes + q->next * q->n;
    for (size_t k = 0; k < q->n; k++) {
        s[k] = q->x[k] - q->start[k];
        y[k] = q->gradient[k] - q->start_gradient[k];
    }
    double sy = gbs_dot(q->n, y, s), yy = gbs_dot(q->n, y, y), ss = gbs_dot(q->n, s, s);
    if (!(sy > DBL_EPSILON * sqrt(yy) * sqrt(ss)) || !isfinite(1.0 / sy) || !(sy / yy > 0.0))
        return;
    q->rho[q->next] = 1.0 / sy;
    q->gamma = sy / yy;
    q->next = (q->next + 1) % KEPT;
    q->count += q->count < KEPT;
}

static void add(size_t n, double by, const double *from, double *to) {
    for (size_t k = 0; k < n; k++)
        to[k] += by * from[k];
}

/* direction = -H gradient */
static void aim(struct search *q) {
    double alpha[KEPT] = {0.0};
    size_t n = q->n;
    for (size_t k = 0; k < n; k++)
        q->direction[k] = -q->gradient[k];
    for (size_t i = 0; i < q->count; i++) {
        size_t p = newest(q, i);
        alpha[p] = q->rho[p] * gbs_dot(n, q->steps + p * n, q->direction);
        add(n, -alpha[p], q->changes + p * n, q->direction);
    }
    for (size_t k = 0; q->count > 0 && k < n; k++)
        q->direction[k] *= q->gamma;
    for (size_t i = q->count; i-- > 0;) {
        size_t p = newest(q, i);
        double beta = q->rho[p] * gbs_dot(n, q->changes + p * n, q->direction);
        add(n, alpha[p] - beta, q->steps + p * n, q->direction);
    }
}

/* Moves x by `step` or another length along the direction; *found false: no length did, and x is
 * where it was. */
static gbs_status find_step(struct search *q, double step, bool *found) {
    size_t bytes = q->n * sizeof *q->x;
    memcpy(q->start, q->x, bytes);
    memcpy(q->start_gradient, q->gradient, bytes);
    double slope = gbs_dot(q->n, q->direction, q->gradient), before = q->value;
    double shortest = 0.0, longest = INFINITY; /* a step between them will do */
    gbs_status status = GBS_OK;
    *found = false;
    for (int trial = 0; slope < 0.0 && step < LONGEST && trial < MOST_TRIALS; trial++) {
        for (size_t k = 0; k < q->n; k++)
            q->x[k] = q->start[k] + step * q->direction[k];
        status = q->f->value(q->f->user, q->x, &q->value, q->gradient);
        if (status != GBS_OK)
            break;
        bool falls = isfinite(q->value) && q->value <= before + SUFFICIENT * step * slope;
        *found = falls && !(gbs_dot(q->n, q->gradient, q->direction) < STEEP * slope);
        if (*found)
            return GBS_OK;
        *(falls ? &shortest : &longest) = step;
        step = isfinite(longest) ? 0.5 * (shortest + longest) : LONGER * step;
    }
    memcpy(q->x, q->start, bytes);
    memcpy(q->gradient, q->start_gradient, bytes);
    q->value = before;
    return status;
}

static gbs_status descend(struct search *q, size_t most) {
    gbs_status status = q->f->value(q->f->user, q->x, &q->value, q->gradient);
    if (status != GBS_OK || !isfinite(q->value))
        return status;
    double length = sqrt(gbs_dot(q->n, q->gradient, q->gradient));
    double step = 1.0 / length; /* nothing is known of the curvature yet */
    for (size_t t = 0; length > 0.0 && t < most; t++, step = 1.0) {
        bool found;
        aim(q);
        status = find_step(q, step, &found);
        if (status != GBS_OK || !found)
            break;
        length = sqrt(gbs_dot(q->n, q->gradient, q->gradient));
        if (q->f->enough(q->f->user, length))
            break;
        remember(q);
    }
    return status;
}

gbs_status gbs_limited_memory(gbs_context *ctx, size_t n, size_t most, const gbs_smooth *f,
                              double *x) {
    struct search q = {.f = f, .n = n, .x = x};
    double *vectors = gbs_matrix(ctx, 4, n);
    q.steps = gbs_matrix(ctx, KEPT, n);
    q.changes = gbs_matrix(ctx, KEPT, n);
    gbs_status status = vectors != NULL && q.steps != NULL && q.changes != NULL ? GBS_OK
                                                                                : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        q.gradient = vectors;
        q.direction = vectors + n;
        q.start = vectors + 2 * n;
        q.start_gradient = vectors + 3 * n;
        status = descend(&q, most);
    }
    gbs_array_free(ctx, vectors);
    gbs_array_free(ctx, q.steps);
    gbs_array_free(ctx, q.changes);
    return status;
}
