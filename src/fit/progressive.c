/* The progressive fit and its certificate (docs/maths.md, 6.8).
 *
 * The rows come in random order. The first h of them give the scaling constants, every choice, and
 * stage 0. Then, block by block: one classifier is drawn from stage t-1 for each row of block t,
 * its error is counted, and stage t learns from all rows so far. Every row after h is a fresh test
 * row for the stage that meets it and a training row for the later ones; nothing is paid for a KL.
 * The model is the mixture of the stages. Later stages know more: three blocks and more are equal,
 * with the weights 1 : 2 : ... : m; two blocks are as 3 : 2, and the second has just the majority,
 * so that the vote is that of the stage that knows most. That costs a twentieth of the deviation.
 *
 * A stage is the posterior of the options' loss and family under N(m0, v I), m0 a hinge classifier
 * fitted to the same rows (or under N(0, v I)): what a stage learned from its own past costs
 * nothing, so prior and posterior may both look at all of it.
 */
#include "fit/prior_centre.h"
#include "fit/ways.h"

#include "bound/bound.h"
#include "core/random.h"
#include "judge/judge.h"

#include <math.h>

/* Of two blocks: the share of the first, the weight of the second. */
#define FIRST_OF_TWO 0.6
#define MAJORITY 0.52

struct progressive {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_fit_settings o;
    gbs_model *model;
    gbs_split split;
    gbs_prior_centre centre;
    gbs_rows rows; /* all, in their random order */
    double *m0;
    size_t blocks, vote_errors;     /* of stage 0's sign(x'm0) on all rows after the first part */
    double losses[GBS_MOST_STAGES]; /* summed Gibbs error of each stage on the rows it met */
};

/* Few errors are worth more in few blocks: a block costs about one (bound/sequential.c). */
static size_t chosen_blocks(const struct progressive *f) {
    size_t left = f->split.n - f->split.first;
    double errors = f->centre.predicted * (double)left;
    size_t blocks = f->o.blocks > 0 ? f->o.blocks : errors < 150.0 ? 2 : errors < 1000.0 ? 3 : 4;
    return blocks < left ? blocks : left;
}

/* Where block t begins. */
static size_t border(const struct progressive *f, size_t t) {
    double left = (double)(f->split.n - f->split.first), share = (double)t / (double)f->blocks;
    if (f->blocks == 2 && t == 1)
        share = FIRST_OF_TWO;
    size_t before = (size_t)floor(left * share + 0.5),
           most = f->split.n - f->split.first - (f->blocks - t);
    /* no block is empty */
    return f->split.first + (before < t ? t : before > most ? most : before);
}

static double weight_of(const struct progressive *f, size_t t) {
    if (f->blocks == 2)
        return t == 1 ? MAJORITY : 1.0 - MAJORITY;
    return 2.0 * (double)(t + 1) / (double)(f->blocks * (f->blocks + 1));
}

/* Everything that comes from the first part. */
static gbs_status prepare(struct progressive *f) {
    gbs_data *head = NULL;
    gbs_status status = gbs_split_create(f->ctx, f->data, &f->o, &f->split);
    if (status == GBS_OK)
        status = gbs_prior_centre_choose(f->ctx, &f->split, &f->o, &f->centre);
    if (status != GBS_OK)
        return status;
    f->blocks = chosen_blocks(f);
    status = gbs_model_create(f->ctx, f->blocks, &f->model);
    if (status == GBS_OK)
        f->model->split = gbs_split_key_of(&f->split, &f->o);
    if (status == GBS_OK)
        status = gbs_split_head(f->ctx, &f->split, f->split.first, &head);
    if (status == GBS_OK)
        status = gbs_maps_learn(f->ctx, head, &f->o, &f->model->maps);
    if (status == GBS_OK)
        status = gbs_maps_tell_constant(f->ctx, &f->model->maps, head);
    gbs_data_free(head);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(f->ctx, f->split.view, &f->model->maps, &f->rows);
    gbs_split_forget_order(&f->split);
    if (status == GBS_OK && f->o.prior == GBS_PRIOR_INFORMED &&
        (f->m0 = gbs_doubles(f->ctx, f->rows.d)) == NULL)
        status = GBS_ERR_MEMORY;
    return status;
}

/* The posterior of stage t, on the rows before its block. */
static gbs_status learn(struct progressive *f, size_t t, gbs_posterior *p) {
    gbs_rows past = gbs_rows_slice(&f->rows, 0, border(f, t));
    gbs_status status = GBS_OK;
    if (f->m0 != NULL)
        status = gbs_prior_centre_fit(f->ctx, &past, &f->o, &f->centre, f->m0);
    if (status != GBS_OK)
        return status;
    double sd = f->o.prior_sd > 0.0 ? f->o.prior_sd : gbs_prior_centre_spread(f->rows.d, f->m0);
    gbs_empirical *risk;
    status = gbs_fit_task(&f->o)->risk(f->ctx, &past, false, gbs_loss_of(f->o.loss), &risk);
    gbs_posterior_job job = {.ctx = f->ctx,
                             .options = &f->o,
                             .risk = risk,
                             .climb = f->m0 == NULL,
                             .trace = &f->model->trace};
    job.prior = (gbs_prior){f->m0, sd * sd};
    job.lambda = f->o.lambda > 0.0 ? f->o.lambda : (double)past.all.n;
    if (status == GBS_OK)
        status = gbs_posterior_fit(&job, p);
    gbs_empirical_free(risk);
    return status;
}

/* One draw of the stage for each fresh row. */
static gbs_status test(struct progressive *f, size_t t, gbs_stage *stage) {
    enum { SLICE = 1 << 15 };
    size_t from = border(f, t), to = border(f, t + 1), most = to - from < SLICE ? to - from : SLICE;
    double *gibbs = gbs_doubles(f->ctx, most);
    gbs_status status = gibbs != NULL ? GBS_OK : GBS_ERR_MEMORY;
    gbs_stage alone = *stage;
    alone.info.weight = 1.0;
    gbs_model one = {.ctx = f->ctx, .info = f->model->info, .stages = &alone, .stages_size = 1};
    for (size_t first = from; status == GBS_OK && first < to; first += SLICE) {
        gbs_rows slice = gbs_rows_slice(&f->rows, first, to - first < SLICE ? to - first : SLICE);
        gbs_judgement v = {.gibbs = gibbs};
        status = gbs_model_judge(f->ctx, &one, &slice, &v);
        for (size_t i = 0; status == GBS_OK && i < slice.all.n; i++) {
            stage->info.errors += gbs_uniform(f->o.draw_seed, GBS_STREAM_DRAWS, first + i) <
                                  gibbs[i];
            f->losses[t] += gibbs[i];
        }
    }
    gbs_array_free(f->ctx, gibbs);
    stage->info.tested = to - from;
    stage->info.weight = weight_of(f, t);
    return status;
}

/* The yardstick: sign(x'm0) of the first part on all the others. Under the zero prior, the vote of
 * stage 0. */
static gbs_status count_first_vote(struct progressive *f, const gbs_stage *stage) {
    gbs_rows others = gbs_rows_slice(&f->rows, f->split.first, f->split.n - f->split.first);
    return gbs_count_errors(f->ctx, &others, f->m0 != NULL ? f->m0 : stage->posterior.mean,
                            &f->vote_errors);
}

static gbs_status run_stages(struct progressive *f) {
    gbs_status status = GBS_OK;
    for (size_t t = 0; status == GBS_OK && t < f->blocks; t++) {
        gbs_stage *stage = &f->model->stages[t];
        gbs_posterior p;
        gbs_progress(f->ctx, "stages", (double)t / (double)f->blocks);
        status = learn(f, t, &p);
        if (status != GBS_OK)
            break;
        gbs_keep_fit(f->model, &f->o, f->data, &p);
        *stage = p.stage;
        p.stage = (gbs_stage){0};
        if (t + 1 == f->blocks || f->model->path == NULL) {
            gbs_array_free(f->ctx, f->model->path); /* the path of a model is its last stage's */
            f->model->path = NULL;
            f->model->path_size = 0;
            status = gbs_keep_path(f->ctx, f->model, &p, f->o.restarts);
        }
        gbs_posterior_free(f->ctx, &p);
        if (status == GBS_OK && t == 0)
            status = count_first_vote(f, stage);
        if (status == GBS_OK)
            status = test(f, t, stage);
    }
    return status;
}

/* ---------------------------------------------------------------- certificates */

static void stage_numbers(const struct progressive *f, uint64_t *errors, uint64_t *rows,
                          double *weight) {
    for (size_t t = 0; t < f->blocks; t++) {
        errors[t] = f->model->stages[t].info.errors;
        rows[t] = f->model->stages[t].info.tested;
        weight[t] = f->model->stages[t].info.weight;
    }
}

/* What the stages were seen to do, weighted as the mixture is. */
static double weighted_mean(const struct progressive *f, const double *sums) {
    double mean = 0.0;
    for (size_t t = 0; t < f->blocks; t++)
        mean += f->model->stages[t].info.weight * sums[t] / (double)f->model->stages[t].info.tested;
    return mean;
}

static gbs_status certify(struct progressive *f) {
    enum { COUNT = 4 };
    size_t n = f->split.n - f->split.first;
    uint64_t errors[GBS_MOST_STAGES], rows[GBS_MOST_STAGES];
    double weight[GBS_MOST_STAGES], counts[GBS_MOST_STAGES],
        log_price = -log(1.0 - f->o.confidence);
    gbs_certificate *out = gbs_array_alloc(f->ctx, COUNT, sizeof *out);
    if (out == NULL)
        return GBS_ERR_MEMORY;
    stage_numbers(f, errors, rows, weight);
    for (size_t t = 0; t < f->blocks; t++)
        counts[t] = (double)errors[t];
    double bound = gbs_bound_sequential(f->blocks, errors, rows, weight, f->centre.predicted,
                                        log_price);
    gbs_certificate base = {
        .loss = GBS_LOSS_ZERO_ONE,
        .confidence = f->o.confidence,
        .blocks = n,
        .lambda = NAN,
        .empirical = weighted_mean(f, counts),
        /* scaling and prior are older than every block */
        .assumptions = (gbs_common_assumptions(&f->o, &f->model->maps) | GBS_ASSUMES_PAST) &
                       ~(unsigned)(GBS_ASSUMES_FIRST_PART | GBS_BROKEN_SCALING |
                                   GBS_ASSUMES_PRIOR_FIXED)};
    if ((f->o.looked & GBS_LOOKED_LAMBDA) != 0) /* a stage that knows of later rows by its lambda */
        base.assumptions |= GBS_BROKEN_LAMBDA;
    base.valid = gbs_assumptions_hold(base.assumptions);
    for (size_t k = 0; k < COUNT; k++)
        out[k] = base;
    out[0].target = GBS_TARGET_MIXTURE;
    out[0].method = GBS_BOUND_PROGRESSIVE;
    out[0].value = bound;
    out[0].assumptions |= gbs_draws_assumptions(&f->o);
    out[1].target = GBS_TARGET_MIXTURE;
    out[1].method = GBS_BOUND_CATONI;
    out[1].empirical = weighted_mean(f, f->losses);
    out[1].value = gbs_bound_progressive_weighted(f->blocks, f->losses, rows, weight,
                                                  f->centre.predicted, log_price);
    out[2].target = GBS_TARGET_VOTE;
    out[2].method = GBS_BOUND_PROGRESSIVE;
    out[2].value = gbs_bound_vote_from_gibbs(bound);
    out[2].assumptions |= gbs_draws_assumptions(&f->o);
    out[3].target = GBS_TARGET_PRIOR_VOTE;
    out[3].method = GBS_BOUND_BINOMIAL;
    out[3].value = gbs_binomial_upper_tail(f->vote_errors, n, 1.0 - f->o.confidence);
    out[3].empirical = (double)f->vote_errors / (double)n;
    f->model->certificates = out;
    f->model->certificates_size = COUNT;
    return isnan(bound)
               ? gbs_fail(f->ctx, GBS_ERR_NUMERIC, "the progressive bound could not be computed")
               : GBS_OK;
}

gbs_status gbs_fit_progressive(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                               gbs_model **out) {
    struct progressive f = {.ctx = ctx, .data = data, .o = *o};
    gbs_evaluated on_all;
    gbs_status status = prepare(&f);
    if (status == GBS_OK)
        status = run_stages(&f);
    if (status == GBS_OK)
        status = gbs_judge_rows(ctx, f.model, &f.rows, NULL, &on_all, NULL);
    if (status == GBS_OK) {
        f.model->info.gibbs_error = on_all.told.gibbs_error;
        f.model->info.train_error = on_all.told.error;
        status = certify(&f);
    }
    gbs_rows_free(ctx, &f.rows);
    gbs_array_free(ctx, f.m0);
    gbs_split_free(&f.split);
    *out = f.model;
    return status;
}
