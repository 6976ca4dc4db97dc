/* Draws of the hierarchical model's sampler: predictions of the asked cells averaged over all of
 * them from conditional means, some draws kept about the means of all, and how far such averages
 * are from their limit (docs/maths.md, 8.20). A row or column without ratings has the law that a
 * draw's Lambda and B give it. */
#include "completion/level_average.h"
#include "completion/level_gibbs.h"
#include "core/random.h"
#include "fit/complete_levels.h"
#include "kernel/moments.h"

#include <math.h>
#include <string.h>

/* Cells that are looked at: those asked for, and some that tell of the Monte Carlo error. */
struct watched {
    size_t n;
    const uint32_t *row, *column;
    double *start; /* what the mean field predicts, where the chain begins */
    double *mean;  /* over the draws, of what estimates the prediction */
    /* of the drawn values: their mean, the sum of squares about it, variances of new items in it */
    double *drawn, *square;
};

enum { ASKED, PROBES, SETS, MOST_PROBES = 1000, MOST_BATCHES = 256 };

struct sampling {
    struct gbs_completion_run *r;
    const gbs_levels *f;
    gbs_level_average average;
    struct watched set[SETS], *at;
    uint32_t *probe[2];
    size_t t, kept;
    size_t batches, length;   /* of the draws; what is left over has no part in the error */
    double *batch;            /* probes x batches: means of the probes' estimates */
    double *expected;         /* of the probes: the variance of a rating, by the mean field */
    bool any_new;             /* a cell lies in a row or column without ratings */
    double *cov[2], *scratch; /* packed, of such an item in this draw */
    double *ones;             /* a worker: own */
};

enum { CELLS_A_TASK = 1024 };

/* Fewer say nothing of their variance. */
enum { LEAST_BATCHES = 10 };
/* However slow the chain is, its own average takes no more than this from a variance about it. */
#define LEAST_PART 0.25
/* Beyond, what is kept is too little to go by. */
#define MOST_SPREAD 2.0

/* x with 1 in place of the bias. */
static const double *with_one(size_t rank, const double *x, double *out) {
    memcpy(out, x, rank * sizeof *out);
    out[rank] = 1.0;
    return out;
}

/* The variance that new items add to a draw's prediction, standardised. */
static double new_variance(const struct sampling *run, uint32_t row, uint32_t column,
                           double *ones) {
    const gbs_levels *f = run->f;
    size_t own = f->own, rank = f->rank;
    bool new_row = row == GBS_UNSEEN, new_column = column == GBS_UNSEEN;
    const double *x = new_row ? f->side[0].coef : f->side[0].mean + row * own,
                 *z = new_column ? f->side[1].coef : f->side[1].mean + column * own;
    double extra = 0.0;
    if (new_row)
        extra += gbs_packed_quadratic(own, run->cov[0], with_one(rank, z, ones));
    if (new_column)
        extra += gbs_packed_quadratic(own, run->cov[1], with_one(rank, x, ones));
    if (new_row && new_column)
        extra += gbs_packed_inner(rank, own, run->cov[0], own, run->cov[1]);
    return extra;
}

static void visit_cell(const struct sampling *run, struct watched *w, size_t e, double *ones) {
    double scale = run->f->scale, centre = run->f->ratings->center, drawn,
           q = centre + scale * gbs_level_average_cell(run->f, &run->average, w->row[e],
                                                       w->column[e], &drawn);
    double count = (double)(run->t + 1), p = centre + scale * drawn, step = p - w->drawn[e];
    w->mean[e] += (q - w->mean[e]) / count;
    w->drawn[e] += step / count;
    w->square[e] += step * (p - w->drawn[e]) +
                    scale * scale * new_variance(run, w->row[e], w->column[e], ones);
    if (w == &run->set[PROBES] && run->t < run->batches * run->length)
        run->batch[e * run->batches + run->t / run->length] += q / (double)run->length;
}

static void visit_cells(void *arg, size_t task, size_t worker) {
    const struct sampling *run = arg;
    size_t last = (task + 1) * CELLS_A_TASK;
    for (size_t e = task * CELLS_A_TASK; e < last && e < run->at->n; e++)
        visit_cell(run, run->at, e, run->ones + worker * run->f->own);
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
    for (run->at = run->set; run->at < run->set + SETS; run->at++)
        gbs_parallel_for(f->ctx, (run->at->n + CELLS_A_TASK - 1) / CELLS_A_TASK,
                         8.0 * (double)f->own * (double)run->at->n, visit_cells, run);
    gbs_level_average_take(f, &run->average);
    for (size_t i = 0; i < rows; i++)
        model->noise[i] += unit / f->side[0].omega[i];
    model->noise[rows] += unit * f->beta / (f->alpha - 1.0);
    /* evenly spread over the draws, the last one among them */
    if ((t + 1) * model->kept / o->draws > t * model->kept / o->draws)
        status = gbs_completion_keep_levels(run->r, f, run->average.turn, run->kept++);
    return status == GBS_OK ? gbs_level_average_aim(f, &run->average) : status;
}

static bool watch(const gbs_levels *f, size_t n, const uint32_t *row, const uint32_t *column,
                  struct watched *w) {
    gbs_context *ctx = f->ctx;
    *w = (struct watched){n,
                          row,
                          column,
                          gbs_doubles(ctx, n),
                          gbs_doubles(ctx, n),
                          gbs_doubles(ctx, n),
                          gbs_doubles(ctx, n)};
    return w->start != NULL && w->mean != NULL && w->drawn != NULL && w->square != NULL;
}

/* What the mean field predicts. */
static void predict_start(const gbs_levels *f, struct watched *w) {
    for (size_t e = 0; e < w->n; e++) {
        const double *x = w->row[e] == GBS_UNSEEN ? f->side[0].coef
                                                  : f->side[0].mean + w->row[e] * f->own,
                     *z = w->column[e] == GBS_UNSEEN ? f->side[1].coef
                                                     : f->side[1].mean + w->column[e] * f->own;
        w->start[e] = f->ratings->center + f->scale * gbs_level_predict(f, x, z);
    }
}

/* Rows and columns as often as they are rated, but not the rated cells themselves. */
static void pick_probes(const gbs_levels *f, size_t n, uint32_t *const probe[2]) {
    for (int s = 0; s < 2; s++)
        for (size_t e = 0; e < n; e++) {
            uint64_t k = gbs_below(f->ctx->seed,
                                   GBS_STREAM_COMPLETION + GBS_COMPLETION_PROBES + (uint64_t)s, e,
                                   f->ratings->n);
            probe[s][e] = f->ratings->by[1 - s].other[k];
        }
}

static bool create_sampling(const gbs_levels *f, struct sampling *run) {
    const gbs_complete_settings *o = run->r->o;
    size_t packed = gbs_packed_size(f->own),
           probes = f->ratings->n < MOST_PROBES ? f->ratings->n : MOST_PROBES;
    run->length = (o->draws + MOST_BATCHES - 1) / MOST_BATCHES;
    run->batches = o->draws / run->length;
    run->batch = gbs_matrix(f->ctx, probes, run->batches);
    run->expected = gbs_doubles(f->ctx, probes);
    run->cov[0] = gbs_doubles(f->ctx, packed);
    run->cov[1] = gbs_doubles(f->ctx, packed);
    run->scratch = gbs_matrix(f->ctx, f->own, f->own);
    run->ones = gbs_matrix(f->ctx, gbs_workers(f->ctx), f->own);
    run->probe[0] = gbs_array_alloc(f->ctx, probes, sizeof(uint32_t));
    run->probe[1] = gbs_array_alloc(f->ctx, probes, sizeof(uint32_t));
    bool ready = watch(f, o->cells, o->cell_row, o->cell_column, &run->set[ASKED]);
    ready = watch(f, probes, run->probe[0], run->probe[1], &run->set[PROBES]) && ready;
    for (size_t e = 0; e < o->cells; e++)
        run->any_new = run->any_new || o->cell_row[e] == GBS_UNSEEN ||
                       o->cell_column[e] == GBS_UNSEEN;
    ready = ready && run->cov[0] != NULL && run->cov[1] != NULL && run->scratch != NULL &&
            run->ones != NULL && run->batch != NULL && run->expected != NULL &&
            run->probe[0] != NULL && run->probe[1] != NULL;
    if (!ready)
        return false;
    pick_probes(f, probes, run->probe);
    for (int k = 0; k < SETS; k++)
        predict_start(f, &run->set[k]);
    return gbs_levels_expect(f, probes, run->probe[0], run->probe[1], run->expected) == GBS_OK;
}

static void free_sampling(const gbs_context *ctx, struct sampling *run) {
    gbs_level_average_free(ctx, &run->average);
    gbs_array_free(ctx, run->cov[0]);
    gbs_array_free(ctx, run->cov[1]);
    gbs_array_free(ctx, run->scratch);
    gbs_array_free(ctx, run->ones);
    gbs_array_free(ctx, run->batch);
    gbs_array_free(ctx, run->expected);
    gbs_array_free(ctx, run->probe[0]);
    gbs_array_free(ctx, run->probe[1]);
    for (int k = 0; k < SETS; k++) {
        gbs_array_free(ctx, run->set[k].start);
        gbs_array_free(ctx, run->set[k].mean);
        gbs_array_free(ctx, run->set[k].drawn);
        gbs_array_free(ctx, run->set[k].square);
    }
}

/* Mean over the probes of the products of batches that lie `lag` apart, about the probe's mean. */
static double autocovariance(const struct sampling *run, size_t lag) {
    const struct watched *w = &run->set[PROBES];
    double sum = 0.0;
    for (size_t e = 0; e < w->n; e++) {
        const double *x = run->batch + e * run->batches;
        double mean = 0.0;
        for (size_t b = 0; b < run->batches; b++)
            mean += x[b] / (double)run->batches;
        for (size_t b = 0; b + lag < run->batches; b++)
            sum += (x[b] - mean) * (x[b + lag] - mean);
    }
    return sum / (double)(w->n * run->batches);
}

/* The variance of an average over all draws, mean over the probes: sums of neighbouring
 * autocovariances as long as they are positive and fall (Geyer 1992). Those are about the average
 * of the chain, not its limit, so each is short of the truth by what is asked for. */
static double monte_carlo_variance(const struct sampling *run) {
    double n = (double)run->batches, sum = 0.0, least = INFINITY, lags = 0.0;
    for (size_t lag = 0; lag + 1 < run->batches; lag += 2) {
        double pair = autocovariance(run, lag) + autocovariance(run, lag + 1);
        if (!(pair > 0.0))
            break;
        least = fmin(least, pair);
        sum += 2.0 * least;
        lags += 4.0;
    }
    sum -= autocovariance(run, 0);
    return run->batches < LEAST_BATCHES ? NAN : sum / n / fmax(LEAST_PART, 1.0 - (lags - 1.0) / n);
}

/* What share of their distance to the mean field the averages keep (James and Stein): that which is
 * more than Monte Carlo error. */
static double kept_share(const struct sampling *run, double variance) {
    const struct watched *w = &run->set[PROBES];
    double distance = 0.0;
    for (size_t e = 0; e < w->n; e++)
        distance += (w->mean[e] - w->start[e]) * (w->mean[e] - w->start[e]) / (double)w->n;
    return distance > variance ? 1.0 - variance / distance : isnan(variance) ? 1.0 : 0.0;
}

/* Ratings left out have said by what the mean field's variances are to be multiplied; by this the
 * sampler's are, so that they come to the same in the geometric mean over the probes. */
static void take_inflation(const struct sampling *run) {
    const struct watched *w = &run->set[PROBES];
    gbs_completion *model = run->r->model;
    double sum = 0.0;
    for (size_t e = 0; e < w->n; e++)
        sum += log(run->expected[e] /
                   (model->noise[w->row[e]] + w->square[e] / (double)run->r->o->draws));
    double factor = run->r->inflation * exp(sum / (double)w->n);
    if (run->r->inflation > 0.0 && isfinite(factor) && factor > 0.0)
        model->inflation = factor;
}

/* The averages over all draws, of the cells that were asked for. */
static gbs_status finish_cells(const struct sampling *run, double share) {
    const gbs_complete_settings *o = run->r->o;
    const struct watched *w = &run->set[ASKED];
    for (size_t e = 0; e < o->cells; e++) {
        o->cell_value[e] = w->start[e] + share * (w->mean[e] - w->start[e]);
        o->cell_sd[e] = sqrt(run->r->model->inflation * w->square[e] / (double)o->draws);
        if (!isfinite(o->cell_value[e]) || !isfinite(o->cell_sd[e]))
            return gbs_fail(run->r->ctx, GBS_ERR_NUMERIC,
                            "cell %zu: its prediction is not a finite number", e + 1);
        if (o->has_range)
            o->cell_value[e] = gbs_rating_clip(o->cell_value[e], o->low, o->high);
    }
    return GBS_OK;
}

/* The kept draws about the means of all, as far from them as all are: a few draws of a slow chain
 * lie too close together. The values of the probes that the model then predicts into `value`. */
static gbs_status centre_kept(const struct sampling *run, const gbs_levels *f, double *value) {
    const struct watched *w = &run->set[PROBES];
    gbs_completion *model = run->r->model, plain;
    double all = 0.0, kept = 0.0, *sd = run->expected; /* which has been used */
    for (int again = 0; again < 2; again++) {
        double spread = again && kept > 0.0 ? sqrt(all / kept) : 1.0;
        gbs_completion_centre_draws(model, f, run->average.mean,
                                    fmin(MOST_SPREAD, fmax(1.0 / MOST_SPREAD, spread)));
        plain = *model;
        plain.info.has_range = 0; /* what is clipped knows less of the error */
        plain.inflation = 1.0;
        gbs_status status = gbs_completion_predict(run->r->ctx, &plain, w->n, w->row, w->column,
                                                   value, sd);
        if (status != GBS_OK)
            return status;
        for (size_t e = 0; e < w->n && !again; e++) {
            all += w->square[e] / (double)run->r->o->draws;
            kept += sd[e] * sd[e];
        }
    }
    return GBS_OK;
}

/* Monte Carlo errors over the probes: of an average over all draws, and of the kept ones, which are
 * off the former by what the rest would have told. */
static void tell_errors(const struct sampling *run, double variance, double share,
                        const double *value) {
    const struct watched *w = &run->set[PROBES];
    double off = 0.0;
    for (size_t e = 0; e < w->n; e++) {
        double step = value[e] - w->start[e] - share * (w->mean[e] - w->start[e]);
        off += step * step / (double)w->n;
    }
    if (isnan(variance))
        return;
    run->r->model->monte_carlo[0] = sqrt(variance);
    run->r->model->monte_carlo[1] = sqrt(variance + off);
}

/* Burn-in, draws, and what they come to. */
static gbs_status draw_all(struct sampling *run, gbs_levels *f) {
    const gbs_complete_settings *o = run->r->o;
    gbs_status status = gbs_level_average_begin(f, &run->average);
    if (status == GBS_OK)
        status = gbs_levels_sample(f, 0, o->burn_in, 0, NULL, NULL);
    if (status == GBS_OK)
        status = gbs_level_average_aim(f, &run->average);
    if (status == GBS_OK)
        status = gbs_levels_sample(f, o->burn_in, 0, o->draws, visit, run);
    if (status != GBS_OK)
        return status;
    double variance = monte_carlo_variance(run), share = kept_share(run, variance);
    gbs_level_average_pull(f, &run->average, share);
    take_inflation(run);
    status = centre_kept(run, f, run->set[PROBES].drawn);
    if (status == GBS_OK)
        tell_errors(run, variance, share, run->set[PROBES].drawn);
    return status == GBS_OK ? finish_cells(run, share) : status;
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
        status = draw_all(&run, f);
    if (status == GBS_OK) {
        gbs_completion_info *i = &r->model->info;
        i->draws = o->draws;
        i->burn_in = o->burn_in;
        i->kept = kept;
        i->mu = r->model->mu[0];
        r->model->positions = positions;
        gbs_completion_mean_noise(r, r->model);
    }
    free_sampling(r->ctx, &run);
    return status;
}
