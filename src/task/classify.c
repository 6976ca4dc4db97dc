/* Classification of two classes: the sign of x'theta is the label (docs/maths.md, 3).
 *
 *   risk = mean over rows of loss(y x'theta)
 *
 * Every row is one independent unit of a certificate. The deployed vote P(x'theta > 0) >= 1/2 is
 * sign(x'm) of one posterior (docs/maths.md, 3.6).
 */
#include "task/task.h"

#include <math.h>

/* ---------------------------------------------------------------- options */

static gbs_status refuse(gbs_context *ctx, const gbs_fit_settings *o) {
    if (o->sampled_pairs > 0)
        return gbs_fail(ctx, GBS_ERR_ARGUMENT, "`pairs` needs `task` rank");
    return GBS_OK;
}

static bool deploys(const gbs_fit_settings *o) {
    (void)o;
    return true;
}

static gbs_bound usual_bound(const gbs_fit_settings *o) {
    (void)o;
    return GBS_BOUND_KL;
}

static void paper(gbs_fit_settings *o, double n, double d) {
    o->prior_sd = 1.0 / sqrt(d);
    o->lambda = sqrt(n * d) / (gbs_loss_is_by_length(o->loss) && o->cx > 0.0 ? o->cx : 1.0);
}

static double first_share(size_t n) {
    (void)n;
    return GBS_SINGLE_SHARE;
}

/* ---------------------------------------------------------------- rows */

static size_t units(const gbs_data *data) {
    return data->n;
}

static gbs_status risk(gbs_context *ctx, const gbs_rows *rows, bool many, const gbs_loss_ops *loss,
                       gbs_empirical **out) {
    (void)many;
    return gbs_empirical_over_rows(ctx, rows, loss, out);
}

/* ---------------------------------------------------------------- evidence */

static void count(const gbs_empirical *over, size_t rows, gbs_evidence *e) {
    (void)over;
    e->n = rows;
}

/* Errors of sign(x'm) on rows; a score of 0 is one. */
gbs_status gbs_count_errors(gbs_context *ctx, const gbs_rows *rows, const double *m,
                            size_t *errors) {
    enum { SLICE = 1 << 15 };
    size_t n = rows->all.n;
    double *score = gbs_doubles(ctx, n < SLICE ? n : SLICE);
    gbs_held *held = NULL;
    gbs_status status = score != NULL ? gbs_hold(ctx, rows, &held) : GBS_ERR_MEMORY;
    *errors = 0;
    for (size_t first = 0; status == GBS_OK && first < n; first += SLICE) {
        size_t some = n - first < SLICE ? n - first : SLICE;
        held->pass->scores(held, first, some, m, score);
        held->pass->margins(held, first, some, score, score);
        for (size_t i = 0; i < some; i++)
            *errors += !(score[i] > 0.0);
    }
    gbs_held_free(held);
    gbs_array_free(ctx, score);
    return status;
}

static gbs_status judge(gbs_context *ctx, const gbs_fitted *f, gbs_evidence *e) {
    gbs_model_info *info = &f->model->info;
    gbs_rows certified = gbs_rows_slice(f->rows, f->first, f->rows->all.n - f->first);
    gbs_evaluated on_certified, on_all;
    gbs_status status = gbs_judge_rows(ctx, f->model, &certified, NULL, &on_certified,
                                       &e->second_moment);
    on_all = on_certified;
    if (status == GBS_OK && f->first > 0)
        status = gbs_judge_rows(ctx, f->model, f->rows, NULL, &on_all, NULL);
    if (status == GBS_OK && f->m0 != NULL)
        status = gbs_count_errors(ctx, &certified, f->m0, &e->vote_errors);
    if (status != GBS_OK)
        return status;
    info->gibbs_error = on_all.told.gibbs_error;
    info->train_error = on_all.told.error;
    e->gibbs = on_certified.told.gibbs_error;
    /* certificates are about rows as they come, each once */
    e->hinge = f->rows->all.weight != NULL ? on_certified.told.gibbs_risk : info->gibbs_risk;
    return GBS_OK;
}

/* What the vote of the particles, and one of them, do on their own rows. */
static gbs_status judge_particles(gbs_context *ctx, const gbs_rows *rows, const gbs_empirical *over,
                                  gbs_particles *p) {
    size_t n = rows->all.n;
    double *share = gbs_matrix(ctx, 2, n), wrong = 0.0, gibbs = 0.0;
    (void)over;
    if (share == NULL)
        return GBS_ERR_MEMORY;
    gbs_vote vote = {.share = share, .error = share + n};
    gbs_status status = gbs_particles_vote(ctx, p, rows, &vote);
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        double margin = (share[i] - 0.5) * rows->all.y[i * rows->all.stride];
        wrong += margin < 0.0 ? 1.0 : margin > 0.0 ? 0.0 : 0.5;
        gibbs += vote.error[i];
    }
    gbs_array_free(ctx, share);
    p->info.train_error = wrong / (double)n;
    p->info.gibbs_error = fmin(1.0, gibbs / (double)n);
    return status;
}

static double error(const gbs_evaluation *e) {
    return e->error;
}

const gbs_task gbs_task_classify = {
    .kind = GBS_TASK_CLASSIFY,
    .fact = {[GBS_FACT_LABELS] = true, [GBS_FACT_INTERCEPT] = true, [GBS_FACT_STAGES] = true},
    .word = {[GBS_WORD_RISK] = "zero-one risk",
             [GBS_WORD_RISK_TITLE] = "share of rows that are wrong",
             [GBS_WORD_DRAWN] = "classifier",
             [GBS_WORD_VOTE] = "vote",
             [GBS_WORD_AVERAGE] = "averaged vote",
             [GBS_WORD_CENTRE] = "classifier",
             [GBS_WORD_PREFIX] = "",
             [GBS_WORD_PARTICLES] = "vote: the average vote of the particles"},
    .relevance = true,
    .dual = true,
    .full_columns = SIZE_MAX,
    .smooth = GBS_LOSS_PROBIT,
    .refuse = refuse,
    .deploys = deploys,
    .usual_bound = usual_bound,
    .paper = paper,
    .first_share = first_share,
    .samples_one_class = true,
    .units = units,
    .risk = risk,
    .choose = gbs_classify_choose,
    .centre = gbs_classify_centre,
    .count = count,
    .judge = judge,
    .judge_particles = judge_particles,
    .evaluate = gbs_classifier_evaluate,
    .evaluate_particles = gbs_particles_evaluate_votes,
    .error = error,
};
