/* K = X diag(weight) X' of some rows, a row of it at a time. */
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "pass/cpu/cpu.h"

struct gram {
    const gbs_held *held;
    const double *weight; /* NULL: 1 */
    const size_t *pick;   /* NULL: all rows */
    size_t count;
    double *scratch, *k;
};

/* x_i, weighted and spread out densely, against the rows up to it. */
static void gram_row(void *arg, size_t i, size_t worker) {
    const struct gram *g = arg;
    const gbs_strip *b = &gbs_cpu_rows(g->held)->all;
    size_t d = g->held->d;
    double *x = g->scratch + worker * d;
    gbs_cpu_cells(g->held, g->pick != NULL ? g->pick[i] : i, 1, x);
    for (size_t k = 0; g->weight != NULL && k < d; k++)
        x[k] *= g->weight[k];
    double shift_dot = b->shift != NULL ? gbs_dot(d, b->shift, x) : 0.0;
    for (size_t j = 0; j <= i; j++) {
        size_t row = g->pick != NULL ? g->pick[j] : j;
        double sum = 0.0;
        if (b->dense != NULL) {
            sum = gbs_dot(d, b->dense + row * b->ld, x);
        } else {
            gbs_strip one = gbs_strip_part(b, row, 1);
            gbs_strip_scores(&one, x, shift_dot, &sum);
        }
        g->k[i * g->count + j] = sum;
    }
}

gbs_status gbs_cpu_gram(const gbs_held *held, const double *weight, const size_t *pick,
                        size_t count, double *k) {
    gbs_context *ctx = held->ctx;
    struct gram g = {held, weight, pick, count, gbs_matrix(ctx, gbs_workers(ctx), held->d), k};
    if (g.scratch == NULL)
        return GBS_ERR_MEMORY;
    double flops = (double)count * (double)count * (double)held->d;
    gbs_made rows = gbs_made_doubles(k, count, count * count);
    gbs_share share = gbs_share_in_turn(ctx, count, flops, 8.0 * (double)count * (double)count);
    gbs_share_for(ctx, &share, flops, gram_row, &g);
    gbs_share_gather(ctx, &share, &rows, 1);
    gbs_status status = gbs_check_cancel(ctx);
    gbs_symmetrise(count, k);
    gbs_array_free(ctx, g.scratch);
    return status;
}
