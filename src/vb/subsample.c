/* A subsample: draws of the risk's own (gbs_batches; docs/maths.md, 5.4).
 *
 * A draw is 256 rows, drawn with replacement, as many of each kind. Its risk and slopes are
 * unbiased for those over all terms, and draws are independent. Their noise comes from the rows far
 * more than from the terms, so many small draws know more than one large one of as many terms.
 *
 * What is left to gain is, to second order, Q(g) = g'H^-1 g/2 at the slopes g over all terms.
 * Slopes of a sample have noise, and Q of them is too large by what the noise adds. So the draws
 * make 16 groups with mean slopes g_1 .. g_16, and with h(a, b) the bilinear form of Q
 *
 *   left = mean over a != b of h(g_a, g_b)       has mean Q(g): groups have independent noise
 *   sd^2 = (4/16) var_a(mean_b h(g_a, g_b)) + 2/(16*15) mean h^2
 *                                                (Hoeffding's parts of the variance of a
 *                                                 U-statistic)
 *
 * where h(x, y) = 2 Q((x + y)/2) - Q(x)/2 - Q(y)/2, which needs Q alone and so does for every
 * family.
 */
#include "vb/subsample.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

enum { DRAWN_ROWS = 256, FEW = 64, GROUPS = 16, PER_GROUP = 64 };

gbs_status gbs_subsample_create(const gbs_problem *problem, gbs_family family, gbs_subsample *out) {
    size_t d = problem->risk->d;
    *out = (gbs_subsample){.problem = *problem, .d = d};
    out->slope_size = d + gbs_pull_size(gbs_family_of(family)->pull, d);
    out->slopes = gbs_matrix(problem->ctx, GROUPS + 2, out->slope_size);
    gbs_status status = gbs_batches_create(problem->risk, DRAWN_ROWS, false, GBS_STREAM_SUBSAMPLE,
                                           &out->drawn);
    if (status != GBS_OK || out->slopes == NULL)
        return GBS_ERR_MEMORY;
    out->problem.risk = out->drawn.on;
    return gbs_engine_create(out->drawn.on, family, GBS_SOLVER_SGD, &out->engine);
}

void gbs_subsample_free(gbs_subsample *j) {
    gbs_engine_free(&j->engine);
    gbs_batches_free(&j->drawn);
    gbs_array_free(j->problem.ctx, j->slopes);
}

static gbs_status hear(gbs_subsample *j, const gbs_gaussian *g, size_t drawn) {
    gbs_batches_draw(&j->drawn, drawn);
    return gbs_evaluate(&j->problem, g, &j->engine.workspace, &j->engine.here);
}

gbs_status gbs_subsample_value(gbs_subsample *j, const gbs_gaussian *g, double *value) {
    gbs_status status = GBS_OK;
    double sum = 0.0;
    for (size_t drawn = 0; status == GBS_OK && drawn < FEW; drawn++) {
        status = hear(j, g, drawn);
        sum += j->engine.here.free_energy / FEW;
    }
    *value = sum;
    return status;
}

double gbs_estimate_left(const gbs_problem *problem, const gbs_gaussian *g, const double *d_mean,
                         const double *pull, const double *curvature, double *square) {
    const gbs_family_ops *family = gbs_family_of(g->family);
    double base = 1.0 / problem->prior.variance, sum = 0.0;
    size_t d = g->d;
    for (size_t k = 0; k < d; k++) {
        double bend = family->mean_curvature(curvature, d, k);
        sum += d_mean[k] * d_mean[k] / (base + fabs(bend));
    }
    return 0.5 * sum + family->decrement(g, pull, problem->prior.variance, square);
}

/* Mean slopes of each group, and of all of them; the mean risk. */
static gbs_status gather(gbs_subsample *j, const gbs_gaussian *g, double *risk) {
    size_t size = j->slope_size, pull_size = size - j->d;
    double *mean = j->slopes + GROUPS * size;
    gbs_status status = GBS_OK;
    memset(j->slopes, 0, (GROUPS + 1) * size * sizeof *j->slopes);
    *risk = 0.0;
    for (size_t k = 0; status == GBS_OK && k < GROUPS * PER_GROUP; k++) {
        status = hear(j, g, FEW + k);
        double *to = j->slopes + k / PER_GROUP * size;
        const gbs_point *p = &j->engine.here;
        for (size_t i = 0; i < j->d; i++)
            to[i] += p->d_mean[i] / PER_GROUP;
        for (size_t i = 0; i < pull_size; i++)
            to[j->d + i] += p->pull[i] / PER_GROUP;
        *risk += p->risk / (GROUPS * PER_GROUP);
    }
    for (size_t a = 0; a < GROUPS; a++)
        for (size_t i = 0; i < size; i++)
            mean[i] += j->slopes[a * size + i] / GROUPS;
    return status;
}

gbs_status gbs_subsample_estimate(gbs_subsample *j, const gbs_gaussian *g,
                                  gbs_subsample_estimates *out) {
    size_t size = j->slope_size, d = j->d;
    double *mean = j->slopes + GROUPS * size, *middle = mean + size;
    double own[GROUPS], row[GROUPS] = {0}, all = 0.0, square = 0.0, spread = 0.0,
                        *room = j->engine.workspace.square;
    gbs_status status = gather(j, g, &out->risk);
    if (status != GBS_OK)
        return status;
    for (size_t a = 0; a < GROUPS; a++) {
        const double *x = j->slopes + a * size;
        own[a] = gbs_estimate_left(&j->problem, g, x, x + d, mean + d, room);
        for (size_t b = 0; b < a; b++) {
            const double *y = j->slopes + b * size;
            for (size_t i = 0; i < size; i++)
                middle[i] = 0.5 * (x[i] + y[i]);
            double h = 2.0 * gbs_estimate_left(&j->problem, g, middle, middle + d, mean + d, room) -
                       0.5 * (own[a] + own[b]);
            row[a] += h / (GROUPS - 1);
            row[b] += h / (GROUPS - 1);
            square += h * h * 2.0 / (GROUPS * (GROUPS - 1));
        }
    }
    for (size_t a = 0; a < GROUPS; a++)
        all += row[a] / GROUPS;
    for (size_t a = 0; a < GROUPS; a++)
        spread += (row[a] - all) * (row[a] - all) / (GROUPS - 1);
    out->left = all;
    out->left_sd = sqrt(4.0 / GROUPS * spread + 2.0 / (GROUPS * (GROUPS - 1)) * square);
    return GBS_OK;
}
