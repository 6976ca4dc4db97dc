/* Gibbs sampling of the hierarchical model (docs/maths.md, 8.20). The conditional laws are those of
 * coordinate ascent with what is drawn in place of its moments, so the same half sweeps serve:
 *
 *   tau_i | all but x_i, then x_i | tau_i;  beta | tau ~ Ga(1 + 20 N, 1/20 + sum tau)
 *   Lambda | all but B ~ W(N + D + 1, (w0 I + sum omega xx' - C'G^-1 C)^-1)
 *   B | Lambda ~ MN(G^-1 C, G^-1, Lambda^-1),  b_p ~ Ga(1e-3 + D/2, 1e-3 + B_p'Lambda B_p / 2)
 *   w_j, then Lambda, B, b of the columns
 *
 * A Wishart draw is Bartlett's: with W^-1 = LL' and A lower triangular, squares of its diagonal
 * chi-square and normal below it, Lambda = TT', T = L^-T A.
 */
#include "completion/level_gibbs.h"

#include "completion/gibbs.h"
#include "core/random.h"
#include "kernel/linalg.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct chain {
    gbs_levels *f;
    double *root, *bartlett, *turn; /* D x D: L, A, T */
    double *noise;                  /* features x D */
};

/* Random numbers of a side's hyper-parameters: gammas, then normals. */
static uint64_t hyper_stream(const gbs_levels *f, int side) {
    return f->stream + 4 + 3 * (uint64_t)side;
}

static bool draw_precision(struct chain *c, int side) {
    gbs_levels *f = c->f;
    gbs_level_side *s = &f->side[side];
    size_t own = f->own;
    uint64_t stream = hyper_stream(f, side);
    double freedom = (double)(s->items + own + 1);
    memcpy(c->root, s->scatter, own * own * sizeof *c->root);
    if (!gbs_cholesky(own, c->root))
        return false;
    memset(c->bartlett, 0, own * own * sizeof *c->bartlett);
    for (size_t i = 0; i < own; i++) {
        for (size_t j = 0; j < i; j++)
            c->bartlett[i * own + j] = gbs_normal(f->ctx->seed, stream + 2, i * own + j);
        c->bartlett[i * own + i] = sqrt(
            2.0 * gbs_gamma_draw(f->ctx->seed, stream, i, 0.5 * (freedom - (double)i)));
    }
    memcpy(c->turn, c->bartlett, own * own * sizeof *c->turn);
    gbs_triangle_solve_columns(GBS_LOWER_TRANSPOSED, own, c->root, own, c->turn);
    for (size_t i = 0; i < own; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < own; k++)
                sum += c->turn[i * own + k] * c->turn[j * own + k];
            s->precision[i * own + j] = s->precision[j * own + i] = sum;
        }
    return true;
}

/* B = M + R^-T Z T^-1, G = RR', T^-1 = A^-1 L'. */
static void draw_coefficients(struct chain *c, int side) {
    gbs_levels *f = c->f;
    gbs_level_side *s = &f->side[side];
    size_t own = f->own, wide = s->features;
    uint64_t stream = hyper_stream(f, side) + 2;
    for (size_t k = 0; k < wide * own; k++)
        c->noise[k] = gbs_normal(f->ctx->seed, stream, own * own + k);
    gbs_rows_solve_triangle(GBS_LOWER, own, c->bartlett, wide, c->noise);
    gbs_rows_times_triangle(GBS_LOWER_TRANSPOSED, own, c->root, wide, c->noise);
    gbs_triangle_solve_columns(GBS_LOWER_TRANSPOSED, wide, s->gram_root, own, c->noise);
    gbs_add_scaled(wide * own, 1.0, c->noise, s->coef);
}

static gbs_status draw_hyper(struct chain *c, int side) {
    gbs_levels *f = c->f;
    gbs_level_side *s = &f->side[side];
    gbs_status status = gbs_levels_update_hyper(f, side, 1.0);
    if (status != GBS_OK)
        return status;
    if (!draw_precision(c, side))
        return gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                        "the sampler broke down: the spread of the %s is not positive definite",
                        side == 0 ? "rows" : "columns");
    draw_coefficients(c, side);
    memset(s->gram_variance, 0, s->features * sizeof *s->gram_variance);
    gbs_levels_update_relevance(f, side);
    for (size_t p = 1; p < s->features; p++)
        s->relevance[p] = gbs_gamma_draw(f->ctx->seed, hyper_stream(f, side), f->own + p,
                                         f->relevance_prior + 0.5 * (double)f->own) /
                          s->relevance_rate[p];
    return GBS_OK;
}

static void draw_rate(gbs_levels *f) {
    const gbs_level_side *rows = &f->side[0];
    double sum = 0.0;
    for (size_t i = 0; i < rows->items; i++)
        sum += rows->omega[i];
    f->beta = gbs_gamma_draw(f->ctx->seed, f->stream + 10, 0,
                             GBS_LEVEL_NOISE_PRIOR + f->alpha * (double)rows->items) /
              (GBS_LEVEL_NOISE_PRIOR / f->alpha + sum);
    f->beta = fmax(f->beta, f->alpha * GBS_LEVEL_LEAST_NOISE);
}

static gbs_status sweep(struct chain *c, size_t number) {
    gbs_levels *f = c->f;
    f->stream = GBS_STREAM_COMPLETION + GBS_COMPLETION_SWEEP * (uint64_t)(number + 1);
    gbs_status status = GBS_OK;
    for (int side = 0; side < 2 && status == GBS_OK; side++) {
        status = gbs_levels_update_side(f, side);
        if (status != GBS_OK)
            break;
        if (side == 0)
            draw_rate(f);
        status = draw_hyper(c, side);
    }
    return status;
}

gbs_status gbs_levels_sample(gbs_levels *f, size_t number, size_t burn_in, size_t draws,
                             gbs_level_visit visit, void *user) {
    size_t own = f->own, wide = f->side[0].features > f->side[1].features ? f->side[0].features
                                                                          : f->side[1].features;
    struct chain c = {f, gbs_matrix(f->ctx, own, own), gbs_matrix(f->ctx, own, own),
                      gbs_matrix(f->ctx, own, own), gbs_matrix(f->ctx, wide, own)};
    bool ready = c.root != NULL && c.bartlett != NULL && c.turn != NULL && c.noise != NULL;
    gbs_status status = ready ? GBS_OK : GBS_ERR_MEMORY;
    for (int s = 0; s < 2; s++)
        memset(f->side[s].cov, 0, f->side[s].items * gbs_packed_size(own) * sizeof(double));
    memset(f->side[0].leverage, 0, f->side[0].items * sizeof(double));
    f->relax = 1.0;
    gbs_progress_begin(f->ctx);
    for (size_t t = 0; status == GBS_OK && t < burn_in + draws; t++) {
        status = sweep(&c, number + t);
        if (status == GBS_OK && t >= burn_in)
            status = visit(user, f, t - burn_in);
        gbs_progress(f->ctx, draws > 0 ? "sampling" : "burning in",
                     (double)(t + 1) / (double)(burn_in + draws));
    }
    f->stream = 0;
    gbs_array_free(f->ctx, c.root);
    gbs_array_free(f->ctx, c.bartlett);
    gbs_array_free(f->ctx, c.turn);
    gbs_array_free(f->ctx, c.noise);
    return status;
}
