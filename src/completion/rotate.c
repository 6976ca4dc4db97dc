/* Turning the factors: u'v = (R'u)'(R'v) for orthogonal R, so only the prior's part of the free
 * energy moves (docs/maths.md, 8.5).
 *
 * At the best variances that part is (a + (m1 + m2)/2) sum_k log(b + d_k/2) with d the diagonal of
 * R'(sum E uu' + sum E vv')R: a concave symmetric function of d, least where d is the spectrum,
 * which majorises every other diagonal (Schur). Coordinate ascent alone turns the factors by small
 * steps; this ends the turning, and with it most of the time that components need to switch off.
 */
#include "completion/factors.h"
#include "core/ranks.h"
#include "kernel/linalg.h"
#include "kernel/moments.h"

#include <string.h>

enum { ITEMS_A_TASK = 64 };

struct turn {
    gbs_factors *f;
    int side;
    /* rank x rank, a row an eigenvector: new coordinate k = sum_c r[k][c] old[c] */
    const double *r;
    double *scratch; /* a worker: 2 own^2 */
};

/* x R' of the first rank coordinates, in place. */
static void turn_vector(const struct turn *t, double *x, double *scratch) {
    size_t rank = t->f->rank;
    for (size_t k = 0; k < rank; k++) {
        double sum = 0.0;
        for (size_t c = 0; c < rank; c++)
            sum += t->r[k * rank + c] * x[c];
        scratch[k] = sum;
    }
    memcpy(x, scratch, rank * sizeof *x);
}

static void turn_covariance(const struct turn *t, double *cov, double *scratch) {
    size_t own = t->f->own, rank = t->f->rank;
    double *full = scratch, *half = scratch + own * own;
    for (size_t i = 0, at = 0; i < own; i++)
        for (size_t j = i; j < own; j++, at++)
            full[i * own + j] = full[j * own + i] = cov[at];
    /* half = R S (the bias row stays), then R half' */
    memset(half, 0, own * own * sizeof *half);
    for (size_t k = 0; k < own; k++)
        for (size_t c = k < rank ? 0 : k; c < (k < rank ? rank : k + 1); c++) {
            double weight = k < rank ? t->r[k * rank + c] : 1.0;
            for (size_t j = 0; j < own; j++)
                half[k * own + j] += weight * full[c * own + j];
        }
    for (size_t k = 0, at = 0; k < own; k++)
        for (size_t l = k; l < own; l++, at++) {
            double sum = l < rank ? 0.0 : half[k * own + l];
            for (size_t c = 0; l < rank && c < rank; c++)
                sum += half[k * own + c] * t->r[l * rank + c];
            cov[at] = sum;
        }
}

static void turn_items(void *arg, size_t task, size_t worker) {
    const struct turn *t = arg;
    const gbs_factors *f = t->f;
    const gbs_factor_side *side = &f->side[t->side];
    double *scratch = t->scratch + worker * 2 * f->own * f->own;
    size_t last = (task + 1) * ITEMS_A_TASK;
    for (size_t i = task * ITEMS_A_TASK; i < last && i < side->items; i++) {
        turn_vector(t, side->mean + i * f->own, scratch);
        turn_covariance(t, side->cov + i * gbs_packed_size(f->own), scratch);
    }
}

/* a += sum over items of E xx', lower triangle of the factors. */
static void add_second_moments(const gbs_factors *f, int s, double *a) {
    const gbs_factor_side *side = &f->side[s];
    size_t rank = f->rank, own = f->own;
    for (size_t i = 0; i < side->items; i++) {
        const double *m = side->mean + i * own, *cov = side->cov + i * gbs_packed_size(own);
        for (size_t c = 0; c < rank; c++)
            for (size_t d = c; d < rank; d++)
                a[d * rank + c] += m[c] * m[d] + cov[gbs_packed(own, c) + d - c];
    }
}

static void sum_energy(gbs_factors *f, int s) {
    gbs_factor_side *side = &f->side[s];
    memset(side->energy, 0, f->rank * sizeof *side->energy);
    for (size_t i = 0; i < side->items; i++)
        for (size_t c = 0; c < f->rank; c++) {
            double m = side->mean[i * f->own + c];
            side->energy[c] += m * m +
                               side->cov[i * gbs_packed_size(f->own) + gbs_packed(f->own, c)];
        }
}

gbs_status gbs_factors_rotate(gbs_factors *f) {
    size_t rank = f->rank, own = f->own;
    if (rank < 2 || f->is_centred) {
        gbs_factors_update_variances(f);
        return GBS_OK;
    }
    double *a = gbs_matrix(f->ctx, rank, rank), *work = gbs_matrix(f->ctx, rank, 65);
    double *scratch = gbs_matrix(f->ctx, gbs_workers(f->ctx), 2 * own * own);
    bool ready = a != NULL && work != NULL && scratch != NULL;
    if (ready) {
        for (int s = 0; s < 2; s++)
            add_second_moments(f, s, a);
        if (gbs_symmetric_eigen(rank, a, work, work + rank)) {
            for (int s = 0; s < 2; s++) {
                struct turn t = {f, s, a, scratch};
                double flops = 4.0 * (double)(own * own) * (double)own * (double)f->side[s].items;
                size_t items = f->side[s].items, packed = gbs_packed_size(own);
                const gbs_made made[] = {
                    gbs_made_doubles(f->side[s].mean, ITEMS_A_TASK * own, items * own),
                    gbs_made_doubles(f->side[s].cov, ITEMS_A_TASK * packed, items * packed)};
                gbs_dealt_for(f->ctx, (items + ITEMS_A_TASK - 1) / ITEMS_A_TASK, flops, turn_items,
                              &t, made, 2);
                sum_energy(f, s);
            }
        }
        gbs_factors_update_variances(f);
    }
    gbs_array_free(f->ctx, a);
    gbs_array_free(f->ctx, work);
    gbs_array_free(f->ctx, scratch);
    return ready ? GBS_OK : GBS_ERR_MEMORY;
}
