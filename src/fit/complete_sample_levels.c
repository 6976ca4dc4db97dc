/* Draws of the hierarchical model's sampler: predictions of the asked cells averaged over all of
 * them, some kept (docs/maths.md, 8.20). A row or column without ratings has the law that a draw's
 * Lambda and B give it. */
#include "completion/level_gibbs.h"
#include "fit/complete.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

struct sampling {
    struct gbs_completion_run *r;
    const gbs_levels *f;
    size_t t, kept;
    bool any_new;             /* a cell lies in a row or column without ratings */
    double *cov[2], *scratch; /* packed, of such an item in this draw */
    double *square;           /* of each cell about its running mean */
    double *ones;             /* a worker: own */
};

enum { CELLS_A_TASK = 1024 };

/* x with 1 in place of the bias. */
static const double *with_one(size_t rank, const double *x, double *out) {
    memcpy(out, x, rank * sizeof *out);
    out[rank] = 1.0;
    return out;
}

/* One draw's prediction of a cell, standardised; *extra: its variance, of new items. */
static double draw_cell(const struct sampling *run, uint32_t row, uint32_t column, double *ones,
                        double *extra) {
    const gbs_levels *f = run->f;
    size_t own = f->own, rank = f->rank;
    bool new_row = row == GBS_UNSEEN, new_column = column == GBS_UNSEEN;
    const double *x = new_row ? f->side[0].coef : f->side[0].mean + row * own,
                 *z = new_column ? f->side[1].coef : f->side[1].mean + column * own;
    double p = x[rank] + z[rank];
    for (size_t k = 0; k < rank; k++)
        p += x[k] * z[k];
    *extra = 0.0;
    if (new_row)
        *extra += gbs_packed_quadratic(own, run->cov[0], with_one(rank, z, ones));
    if (new_column)
        *extra += gbs_packed_quadratic(own, run->cov[1], with_one(rank, x, ones));
    if (new_row && new_column)
        *extra += gbs_packed_inner(rank, own, run->cov[0], own, run->cov[1]);
    return p;
}

static void visit_cells(void *arg, size_t task, size_t worker) {
    struct sampling *run = arg;
    const gbs_complete_settings *o = run->r->o;
    double scale = run->f->scale, centre = run->f->ratings->center,
           *ones = run->ones + worker * run->f->own;
    size_t last = (task + 1) * CELLS_A_TASK;
    for (size_t e = task * CELLS_A_TASK; e < last && e < o->cells; e++) {
        double extra,
            p = centre + scale * draw_cell(run, o->cell_row[e], o->cell_column[e], ones, &extra),
            step = p - o->cell_value[e];
        o->cell_value[e] += step / (double)(run->t + 1);
        run->square[e] += step * (p - o->cell_value[e]) + scale * scale * extra;
    }
}

static gbs_status visit(void *user, const gbs_levels *f, size_t t) {
    struct sampling *run = user;
    const gbs_complete_settings *o = run->r->o;
    gbs_completion *model = run->r->model;
    double unit = f->scale * f->scale / (double)o->draws;
    size_t rows = f->side[0].items;
    gbs_status status = GBS_OK;
    run->f = f;
    run->t = t;
    for (int s = 0; s < 2 && run->any_new; s++)
        if (!gbs_completion_new_item(f, s, true, run->scratch, run->cov[s]))
            status = gbs_fail(f->ctx, GBS_ERR_NUMERIC,
                              "the sampler broke down: a precision is not positive definite");
    if (status != GBS_OK)
        return status;
    gbs_parallel_for(f->ctx, (o->cells + CELLS_A_TASK - 1) / CELLS_A_TASK,
                     4.0 * (double)f->own * (double)o->cells, visit_cells, run);
    for (size_t i = 0; i < rows; i++)
        model->noise[i] += unit / f->side[0].omega[i];
    model->noise[rows] += unit * f->beta / (f->alpha - 1.0);
    /* evenly spread over the draws, the last one among them */
    if ((t + 1) * model->kept / o->draws > t * model->kept / o->draws)
        status = gbs_completion_keep_levels(run->r, f, run->kept++);
    return status;
}

static bool create_sampling(const gbs_levels *f, struct sampling *run) {
    const gbs_complete_settings *o = run->r->o;
    size_t packed = gbs_packed_size(f->own);
    run->cov[0] = gbs_doubles(f->ctx, packed);
    run->cov[1] = gbs_doubles(f->ctx, packed);
    run->scratch = gbs_matrix(f->ctx, f->own, f->own);
    run->square = gbs_doubles(f->ctx, o->cells);
    run->ones = gbs_matrix(f->ctx, gbs_workers(f->ctx), f->own);
    for (size_t e = 0; e < o->cells; e++) {
        o->cell_value[e] = 0.0;
        run->any_new = run->any_new || o->cell_row[e] == GBS_UNSEEN ||
                       o->cell_column[e] == GBS_UNSEEN;
    }
    return run->cov[0] != NULL && run->cov[1] != NULL && run->scratch != NULL &&
           run->square != NULL && run->ones != NULL;
}

static void free_sampling(const gbs_context *ctx, struct sampling *run) {
    gbs_array_free(ctx, run->cov[0]);
    gbs_array_free(ctx, run->cov[1]);
    gbs_array_free(ctx, run->scratch);
    gbs_array_free(ctx, run->square);
    gbs_array_free(ctx, run->ones);
}

/* The averages over all draws, of the cells that were asked for. */
static gbs_status finish_cells(const struct sampling *run) {
    const gbs_complete_settings *o = run->r->o;
    for (size_t e = 0; e < o->cells; e++) {
        o->cell_sd[e] = sqrt(run->square[e] / (double)o->draws);
        if (!isfinite(o->cell_value[e]) || !isfinite(o->cell_sd[e]))
            return gbs_fail(run->r->ctx, GBS_ERR_NUMERIC,
                            "cell %zu: its prediction is not a finite number", e + 1);
        if (o->has_range)
            o->cell_value[e] = gbs_rating_clip(o->cell_value[e], o->low, o->high);
    }
    return GBS_OK;
}

gbs_status gbs_completion_sample_levels(struct gbs_completion_run *r, gbs_levels *f,
                                        bool positions) {
    const gbs_complete_settings *o = r->o;
    size_t kept = o->keep < o->draws ? o->keep : o->draws;
    struct sampling run = {.r = r};
    /* as free energy and sweeps, of the mean field that the chain begins at */
    double kl = r->ascent.free_energy - gbs_levels_expected_loss(f);
    gbs_status status = create_sampling(f, &run) ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = gbs_completion_begin_model(r, f->rank, f->own, kept, false, kl);
    if (status == GBS_OK)
        status = gbs_completion_reserve_hierarchical(r->ctx, r->model);
    if (status == GBS_OK)
        status = gbs_levels_sample(f, 0, o->burn_in, o->draws, visit, &run);
    if (status == GBS_OK) {
        gbs_completion_info *i = &r->model->info;
        i->draws = o->draws;
        i->burn_in = o->burn_in;
        i->kept = kept;
        i->mu = r->model->mu[0];
        r->model->positions = positions;
        gbs_completion_mean_noise(r, r->model);
        status = finish_cells(&run);
    }
    free_sampling(r->ctx, &run);
    return status;
}
