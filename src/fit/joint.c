/* The joint posterior of k classes under the softmax risk (docs/maths.md, 11.10).
 *
 *   q = prod_c N(m_c, S),   z_ic = x_i'theta_c,   loss_i = log sum_c exp(z_ic) - z_iy
 *
 *   E_q loss_i <= log sum_c exp(x_i'm_c) - x_i'm_y + v_i/2,   v_i = x_i'S x_i         (Jensen)
 *
 * since v_i is the same for all classes. So the bound on the free energy falls apart:
 *
 *   M = argmin  s sum_i [log sum_c exp(x_i'm_c) - x_i'm_y] + |M|^2/(2 v)
 *   S^-1 = I/v + (s/k) X'X
 *
 * The means are those of multinomial logistic regression, found by L-BFGS in units of S: U with
 * m_c = C u_c, S = C C', in which the curvature is near 1. The sum is strongly convex with modulus
 * 1/v, so |gradient|^2 v/2 is no less than what is left.
 */
#include "fit/joint.h"

#include "kernel/linalg.h"
#include "pass/columns.h"
#include "vb/limited_memory.h"

#include <math.h>
#include <string.h>

enum { MOST_CHUNKS = 16, MOST_CHUNK_CELLS = 1 << 22 };

struct gbs_joint {
    gbs_context *ctx;
    const gbs_rows *rows;
    const size_t *class_of;
    size_t d, k, chunks;
    double share, variance, enough;
    double *pull;      /* (share/k) X'X: d x d, lower triangle, or its diagonal */
    gbs_gaussian unit; /* S, full or diagonal: what U is measured in */
    double *mean, *u;  /* d x k */
    double *slope;     /* of the means, d x k; then chunks x d x k */
    double *score;     /* chunks x strip x k */
    double *room;      /* of each chunk */
    double *loss;      /* of each chunk */
    double value, length2;
    size_t passes;
};

static bool is_matrix(const gbs_joint *j) {
    return gbs_family_of(j->unit.family)->pull == GBS_PULL_MATRIX;
}

/* ---------------------------------------------------------------- set-up */

/* What the rows say of the covariance; rows that do not count are left out. */
static gbs_status pull_back(gbs_joint *j) {
    const gbs_strip *all = &j->rows->all;
    double *w = gbs_doubles(j->ctx, all->n);
    if (w == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < all->n; i++) {
        w[i] = j->class_of[i] < j->k ? j->share / (double)j->k : 0.0;
        w[i] *= all->weight != NULL ? all->weight[i * all->stride] : 1.0;
    }
    gbs_status status = gbs_columns_gram(j->ctx, j->rows, w, is_matrix(j), j->pull);
    gbs_array_free(j->ctx, w);
    return status;
}

gbs_status gbs_joint_create(gbs_context *ctx, const gbs_rows *rows, const size_t *class_of,
                            size_t k, double share, gbs_joint **out) {
    gbs_joint *j = *out = gbs_array_alloc(ctx, 1, sizeof *j);
    if (j == NULL)
        return GBS_ERR_MEMORY;
    size_t d = rows->d, strips = gbs_rows_strips(rows), room = MOST_CHUNK_CELLS / (d * k + 1);
    *j = (gbs_joint){
        .ctx = ctx, .rows = rows, .class_of = class_of, .d = d, .k = k, .share = share};
    j->chunks = strips < MOST_CHUNKS ? strips : MOST_CHUNKS;
    j->chunks = j->chunks < room ? j->chunks : room;
    j->chunks = j->chunks > 0 ? j->chunks : 1;
    gbs_family family = gbs_family_for(d, GBS_JOINT_MATRIX);
    gbs_prior prior = {NULL, 1.0};
    gbs_status status = gbs_gaussian_create(ctx, family, d, &prior, 1.0, &j->unit);
    j->pull = gbs_matrix(ctx, d, d <= GBS_JOINT_MATRIX ? d : 1);
    j->mean = gbs_matrix(ctx, 2 * d, k);
    j->slope = gbs_matrix(ctx, (j->chunks + 1) * d, k);
    j->score = gbs_matrix(ctx, j->chunks * rows->strip_rows, k);
    j->room = gbs_matrix(ctx, j->chunks, gbs_columns_room(d, rows->strip_rows));
    j->loss = gbs_doubles(ctx, j->chunks);
    if (status == GBS_OK && (j->pull == NULL || j->mean == NULL || j->slope == NULL ||
                             j->score == NULL || j->room == NULL || j->loss == NULL))
        status = GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        j->u = j->mean + d * k;
        status = pull_back(j);
    }
    if (status != GBS_OK) {
        gbs_joint_free(ctx, j);
        *out = NULL;
    }
    return status;
}

void gbs_joint_free(const gbs_context *ctx, gbs_joint *j) {
    if (j == NULL)
        return;
    gbs_gaussian_free(ctx, &j->unit);
    gbs_array_free(ctx, j->pull);
    gbs_array_free(ctx, j->mean);
    gbs_array_free(ctx, j->slope);
    gbs_array_free(ctx, j->score);
    gbs_array_free(ctx, j->room);
    gbs_array_free(ctx, j->loss);
    gbs_array_free(ctx, j);
}

/* ---------------------------------------------------------------- a pass over the rows */

/* The scores of a row become its errors p - 1{y}, times w; returns w times its loss. */
static double judge_row(size_t k, size_t is, double w, double *z) {
    double most = z[0], sum = 0.0, own = z[is];
    for (size_t c = 1; c < k; c++)
        most = z[c] > most ? z[c] : most;
    for (size_t c = 0; c < k; c++) {
        z[c] = exp(z[c] - most);
        sum += z[c];
    }
    double times = w / sum;
    for (size_t c = 0; c < k; c++)
        z[c] *= times;
    z[is] -= w;
    /* cppcheck-suppress invalidFunctionArg ; one of the terms of the sum is 1 */
    return w * (most + log(sum) - own);
}

static void pass_chunk(void *arg, size_t chunk, size_t worker) {
    gbs_joint *j = arg;
    size_t strips = gbs_rows_strips(j->rows), first = chunk * strips / j->chunks,
           end = (chunk + 1) * strips / j->chunks, size = j->d * j->k;
    double *slope = j->slope + (chunk + 1) * size,
           *room = j->room + chunk * gbs_columns_room(j->d, j->rows->strip_rows),
           *score = j->score + chunk * j->rows->strip_rows * j->k, loss = 0.0;
    (void)worker;
    memset(slope, 0, size * sizeof *slope);
    for (size_t s = first; s < end; s++) {
        gbs_strip b = gbs_rows_strip(j->rows, s);
        const size_t *class_of = j->class_of + s * j->rows->strip_rows;
        gbs_columns_scores(&b, j->k, j->mean, room, score);
        for (size_t i = 0; i < b.n; i++) {
            double w = j->share * (b.weight != NULL ? b.weight[i * b.stride] : 1.0),
                   *z = score + i * j->k;
            if (class_of[i] < j->k)
                loss += judge_row(j->k, class_of[i], w, z);
            else
                memset(z, 0, j->k * sizeof *z);
        }
        gbs_columns_pull(&b, j->k, score, room, slope);
        gbs_rows_passed(j->rows, &b);
    }
    j->loss[chunk] = loss;
}

static void pass(gbs_joint *j) {
    size_t size = j->d * j->k;
    double flops = 4.0 * (double)j->rows->all.n * (double)size;
    gbs_parallel_for(j->ctx, j->chunks, flops, pass_chunk, j);
    memset(j->slope, 0, size * sizeof *j->slope);
    j->value = 0.0;
    for (size_t chunk = 0; chunk < j->chunks; chunk++) {
        gbs_add_scaled(size, 1.0, j->slope + (chunk + 1) * size, j->slope);
        j->value += j->loss[chunk];
    }
    j->passes++;
}

/* ---------------------------------------------------------------- the means */

/* M = C U, and slopes in U from those in M. */
static void to_means(const gbs_joint *j, const double *u, double *mean) {
    size_t d = j->d, k = j->k;
    memcpy(mean, u, d * k * sizeof *mean);
    if (is_matrix(j))
        gbs_triangle_times_columns(GBS_UPPER, d, j->unit.factor, k, mean);
    for (size_t a = 0; !is_matrix(j) && a < d; a++)
        for (size_t c = 0; c < k; c++)
            mean[a * k + c] *= j->unit.sd[a];
}

static void to_units(const gbs_joint *j, double *u) {
    size_t d = j->d, k = j->k;
    if (is_matrix(j))
        gbs_triangle_solve_columns(GBS_UPPER, d, j->unit.factor, k, u);
    for (size_t a = 0; !is_matrix(j) && a < d; a++)
        for (size_t c = 0; c < k; c++)
            u[a * k + c] /= j->unit.sd[a];
}

static void slopes_in_units(const gbs_joint *j, double *slope) {
    size_t d = j->d, k = j->k;
    if (is_matrix(j))
        gbs_triangle_times_columns(GBS_UPPER_TRANSPOSED, d, j->unit.factor, k, slope);
    for (size_t a = 0; !is_matrix(j) && a < d; a++)
        for (size_t c = 0; c < k; c++)
            slope[a * k + c] *= j->unit.sd[a];
}

/* The risk, the prior's share and their slopes at U. */
static gbs_status value_at(void *user, const double *u, double *value, double *gradient) {
    gbs_joint *j = user;
    size_t size = j->d * j->k;
    to_means(j, u, j->mean);
    pass(j);
    *value = j->value + 0.5 * gbs_dot(size, j->mean, j->mean) / j->variance;
    gbs_add_scaled(size, 1.0 / j->variance, j->mean, j->slope);
    memcpy(gradient, j->slope, size * sizeof *gradient);
    slopes_in_units(j, gradient);
    j->length2 = gbs_dot(size, gradient, gradient);
    return gbs_check_cancel(j->ctx);
}

static bool is_enough(void *user, double length) {
    const gbs_joint *j = user;
    return 0.5 * length * length <= j->enough;
}

/* S for this variance: the covariance, and the units of U. */
static bool set_spread(const gbs_joint *j, const double *pull, gbs_gaussian *g, double *precision) {
    const gbs_family_ops *ops = gbs_family_of(g->family);
    ops->aim_precision(g, pull, j->variance, precision);
    return ops->set_precision(g, precision);
}

static gbs_status set_units(gbs_joint *j) {
    double *precision = gbs_doubles(j->ctx, gbs_family_of(j->unit.family)->free_size(j->d));
    if (precision == NULL)
        return GBS_ERR_MEMORY;
    bool positive = set_spread(j, j->pull, &j->unit, precision);
    gbs_array_free(j->ctx, precision);
    return positive ? GBS_OK
                    : gbs_fail(j->ctx, GBS_ERR_NUMERIC,
                               "the columns differ too much in size for a covariance; scale them");
}

gbs_status gbs_joint_fit(gbs_context *ctx, gbs_joint *j, double variance, double enough,
                         size_t most, gbs_joint_result *out) {
    j->ctx = ctx;
    size_t size = j->d * j->k;
    double *gradient = gbs_doubles(j->ctx, size), value;
    gbs_smooth f = {value_at, is_enough, j};
    gbs_status status = gradient != NULL ? GBS_OK : GBS_ERR_MEMORY;
    j->variance = variance;
    j->enough = enough;
    j->passes = 0;
    if (status == GBS_OK)
        status = set_units(j);
    if (status == GBS_OK) {
        memcpy(j->u, j->mean, size * sizeof *j->u);
        to_units(j, j->u);
        status = gbs_limited_memory(j->ctx, size, most, &f, j->u);
    }
    if (status == GBS_OK) /* the last pass may have been a step that was not taken */
        status = value_at(j, j->u, &value, gradient);
    if (status == GBS_OK)
        *out = (gbs_joint_result){.risk = j->value,
                                  .left = 0.5 * j->length2,
                                  .gap = 0.5 * variance * gbs_dot(size, j->slope, j->slope),
                                  .iterations = j->passes,
                                  .converged = 0.5 * j->length2 <= enough};
    gbs_array_free(j->ctx, gradient);
    return status;
}

double *gbs_joint_means(gbs_joint *j) {
    return j->mean;
}

gbs_status gbs_joint_scores(gbs_context *ctx, gbs_joint *j, const gbs_rows *rows, double *score) {
    for (size_t s = 0, from = 0; s < gbs_rows_strips(rows); s++) {
        gbs_strip b = gbs_rows_strip(rows, s);
        gbs_columns_scores(&b, j->k, j->mean, j->room, score + from * j->k);
        gbs_rows_passed(rows, &b);
        from += b.n;
    }
    if (gbs_finite(rows->all.n * j->k, score))
        return GBS_OK;
    return gbs_fail(ctx, GBS_ERR_NUMERIC, "a score is not a finite number; scale the columns");
}

/* ---------------------------------------------------------------- the covariance */

/* What the family needs of it. */
static void narrow_pull(const gbs_joint *j, gbs_pull kind, double *pull) {
    size_t d = j->d, step = is_matrix(j) ? d + 1 : 1;
    if (kind == GBS_PULL_MATRIX) {
        memcpy(pull, j->pull, d * d * sizeof *pull);
        return;
    }
    for (size_t a = 0; a < d; a++)
        pull[kind == GBS_PULL_DIAGONAL ? a : 0] += j->pull[a * step];
}

gbs_status gbs_joint_spread(gbs_context *ctx, gbs_joint *j, gbs_gaussian *out, double *risk) {
    const gbs_family_ops *ops = gbs_family_of(out->family);
    size_t d = j->d;
    double *pull = gbs_doubles(ctx, gbs_pull_size(ops->pull, d)),
           *precision = gbs_doubles(ctx, ops->free_size(d) + 1), trace = 0.0;
    gbs_status status = pull != NULL && precision != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        narrow_pull(j, ops->pull, pull);
        if (!set_spread(j, pull, out, precision))
            status = gbs_fail(ctx, GBS_ERR_NUMERIC, "the covariance of the classes broke down");
    }
    if (status == GBS_OK && out->factor != NULL) /* tr(S pull) = d - tr(S)/v */
        trace = (double)d - gbs_dot(d * d, out->factor, out->factor) / j->variance;
    for (size_t a = 0; status == GBS_OK && out->factor == NULL && a < d; a++) {
        double sd = out->sd[ops->sd_size(d) == d ? a : 0];
        trace += sd * sd * j->pull[a * (is_matrix(j) ? d + 1 : 1)];
    }
    *risk = 0.5 * (double)j->k * trace;
    gbs_array_free(ctx, pull);
    gbs_array_free(ctx, precision);
    return status;
}
