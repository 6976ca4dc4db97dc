/* The deployed predictor and its card (docs/maths.md, 11).
 *
 * The rows come in random order. All but a last block are learned from: they choose (choose.c),
 * scale, train one posterior, and calibrate its score. What `predict` prints is then fixed, and the
 * last block tests it: the errors of the labels there are Bin(n_last, R), so that Clopper and
 * Pearson's bound holds for exactly these labels, without a factor and without a KL.
 *
 * Every other line is a function of the same predictor and the same rows and holds by itself; which
 * one comes first is fixed here. A ranker prints a score, and its line is 1 - AUC. Where rows are
 * in groups, lines are means over groups (11.8).
 */
#include "fit/deployed.h"

#include "fit/choose_map.h"
#include "fit/refit.h"
#include "fit/start.h"

#include "core/random.h"
#include "judge/calibrated.h"
#include "judge/reliability.h"
#include "risk/loss.h"

/* ---------------------------------------------------------------- the rows to learn from */

static gbs_status learn(gbs_deployed *f) {
    gbs_data *head = NULL;
    gbs_status status = gbs_split_head(f->ctx, &f->split, f->split.first, &head);
    if (status == GBS_OK)
        status = gbs_choose(f->ctx, head, &f->o, &f->choice);
    if (status == GBS_OK && f->o.hint)
        status = gbs_map_hint(f->ctx, head, &f->o);
    if (status == GBS_OK)
        status = gbs_model_create(f->ctx, 1, &f->model);
    if (status == GBS_OK) {
        f->o = gbs_choice_settings(&f->choice, &f->o, head, f->split.first);
        f->model->split = gbs_split_key_of(&f->split, &f->o);
        gbs_progress_begin(f->ctx);
        gbs_progress(f->ctx, "rows", 0.0);
        status = gbs_maps_learn(f->ctx, head, &f->o, &f->model->maps);
        gbs_settle_family(&f->o, f->model->maps.d);
    }
    if (status == GBS_OK)
        status = gbs_maps_tell_constant(f->ctx, &f->model->maps, head);
    gbs_data_free(head);
    if (status == GBS_OK && f->choice.weighted)
        status = gbs_data_weigh_classes(f->ctx, f->split.view, f->o.cost_missed, f->o.cost_false);
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, f->split.view, &f->model->maps, &f->rows);
    gbs_split_forget_order(&f->split);
    return status;
}

/* Two folds need two rows of each class, or two groups with such rows. */
enum { TO_LEARN = 2 };

static bool can_learn(const gbs_split *s) {
    const gbs_data *v = s->view;
    size_t with[2] = {0, 0};
    bool seen[2] = {false, false}; /* in this group */
    for (size_t i = 0; i < s->first; i++) {
        if (v->group == NULL || (i > 0 && v->group[i] != v->group[i - 1]))
            seen[0] = seen[1] = false;
        bool class = v->y[i] > 0.0;
        with[class] += !seen[class];
        seen[class] = true;
    }
    return with[0] >= TO_LEARN && with[1] >= TO_LEARN;
}

/* As they came: costs may weigh the rows once more. */
static gbs_status take_shares(gbs_deployed *f) {
    if (!(f->o.max_weight > 0.0))
        return GBS_OK;
    f->share = gbs_doubles(f->ctx, f->split.n);
    if (f->share == NULL)
        return GBS_ERR_MEMORY;
    gbs_data_weight_shares(f->split.view, f->o.max_weight, f->share);
    return GBS_OK;
}

static gbs_status too_few(gbs_deployed *f) {
    if (f->o.max_weight > 0.0)
        return gbs_fail(f->ctx, GBS_ERR_DATA,
                        "`max-weight`: %zu rows are too few to learn from some and test on others",
                        f->split.n);
    if (f->o.grouped)
        return gbs_fail(f->ctx, GBS_ERR_DATA,
                        "of the %zu rows %zu are to be learned from, and fewer than two groups of "
                        "them have rows of a class",
                        f->split.n, f->split.first);
    if (f->o.order == GBS_ORDER_TIME)
        return gbs_fail(f->ctx, GBS_ERR_DATA,
                        "`order` time learns from the first %zu of the %zu rows, and they have "
                        "fewer than two rows of a class",
                        f->split.first, f->split.n);
    if (f->o.bound == GBS_BOUND_AUTO)
        return GBS_OK; /* without a model: another way is taken */
    return gbs_fail(f->ctx, GBS_ERR_DATA,
                    "`bound` vote learns from %zu of the %zu rows, and they have fewer than two "
                    "rows of a class",
                    f->split.first, f->split.n);
}

static gbs_status train(gbs_deployed *f) {
    gbs_rows past = gbs_rows_slice(&f->rows, 0, f->split.first);
    gbs_posterior p = {0};
    gbs_gaussian start;
    gbs_progress_begin(f->ctx);
    gbs_status status = gbs_start_make(f->ctx, &f->o, f->o.start, &f->model->maps, &start);
    if (status == GBS_OK)
        status = gbs_choice_fit(f->ctx, &past, &f->o, &start, &f->model->trace, &p);
    bool begun = start.mean != NULL;
    gbs_gaussian_free(f->ctx, &start);
    if (status == GBS_OK) {
        gbs_keep_fit(f->model, &f->o, f->data, &p);
        f->unproven_start = begun && !f->model->info.converged;
        f->model->stages[0] = p.stage;
        p.stage = (gbs_stage){0};
        status = gbs_keep_path(f->ctx, f->model, &p, f->o.restarts);
    }
    gbs_posterior_free(f->ctx, &p);
    if (status == GBS_OK && f->choice.by_posterior)
        status = gbs_choice_leave_one_out(f->ctx, &past, &f->o, &f->model->stages[0], &f->choice);
    f->model->selection = (gbs_selection){.candidates = f->choice.candidates,
                                          .folds = f->choice.folds,
                                          .error = f->choice.error,
                                          .error_se = f->choice.error_se};
    return status;
}

/* Label and probability are fixed here, from the rows to learn from alone. */
static void calibrate(gbs_deployed *f) {
    gbs_card *c = &f->model->card;
    size_t n = f->split.first, positive = 0;
    for (size_t i = 0; i < n; i++)
        positive += f->split.labels[i] > 0.0;
    c->learned = n;
    c->tested = f->split.n - n;
    c->offset = f->choice.platt.offset;
    c->slope = f->choice.platt.slope;
    c->cost_missed = f->o.has_cost ? f->o.cost_missed : 1.0;
    c->cost_false = f->o.has_cost ? f->o.cost_false : 1.0;
    c->threshold = c->cost_false / (c->cost_missed + c->cost_false);
    c->baseline_label = 2 * positive >= n ? 1 : -1;
    c->joint = f->o.joint;
    c->weighted = f->choice.weighted;
    f->model->deployed = true;
}

/* ---------------------------------------------------------------- the last block */

/* Score, probability and Gibbs error of each row, a slice at a time: the room that the judge works
 * in would be more than what it says. Slices are whole strips, as in `predict`. */
static gbs_status judge_fresh(gbs_deployed *f) {
    enum { SLICE = 1 << 14 };
    size_t n = f->fresh.all.n, strip = f->fresh.strip_rows,
           slice = (SLICE + strip - 1) / strip * strip;
    gbs_status status = GBS_OK;
    gbs_progress_begin(f->ctx);
    for (size_t first = 0; status == GBS_OK && first < n; first += slice) {
        gbs_progress(f->ctx, "test", (double)first / (double)n);
        gbs_rows some = gbs_rows_slice(&f->fresh, first, n - first < slice ? n - first : slice);
        gbs_judgement v = {.score = f->score + first,
                           .calibrated = f->probability + first,
                           .gibbs = f->gibbs + first};
        status = gbs_model_judge(f->ctx, f->model, &some, &v);
    }
    return status;
}

/* Beside a mean over groups stands another. */
static gbs_status baseline_of_groups(gbs_deployed *f) {
    gbs_card *c = &f->model->card;
    size_t n = c->tested, groups;
    for (size_t i = 0; i < n; i++)
        f->room[i] = (f->split.labels[f->split.first + i] > 0.0) != (c->baseline_label > 0);
    gbs_status status = gbs_groups_mean(f->ctx, f->split.group + f->split.first, f->split.groups, n,
                                        f->room, f->by_group, &groups);
    c->baseline_error = 0.0;
    for (size_t k = 0; status == GBS_OK && k < groups; k++)
        c->baseline_error += f->by_group[k] / (double)groups;
    return status;
}

static gbs_status test(gbs_deployed *f) {
    gbs_card *c = &f->model->card;
    size_t n = c->tested;
    f->fresh = gbs_rows_slice(&f->rows, f->split.first, n);
    f->score = gbs_matrix(f->ctx, f->o.grouped ? 5 : 4, n);
    if (f->score == NULL)
        return GBS_ERR_MEMORY;
    f->probability = f->score + n;
    f->room = f->score + 2 * n;
    f->gibbs = f->score + 3 * n;
    f->by_group = f->score + 4 * n;
    gbs_status status = judge_fresh(f);
    if (status != GBS_OK)
        return status;
    const double *y = f->split.labels + f->split.first;
    gbs_stage *stage = &f->model->stages[0];
    bool labels = gbs_has(gbs_fit_task(&f->o), GBS_FACT_LABELS);
    stage->info.tested = n;
    for (size_t i = 0; i < n; i++) {
        bool yes = y[i] > 0.0, says = f->probability[i] >= c->threshold;
        *(says  ? yes ? &c->true_positive : &c->false_positive
          : yes ? &c->false_negative
                : &c->true_negative) += 1;
        c->baseline_error += yes != (c->baseline_label > 0);
        double off = f->probability[i] - (yes ? 1.0 : 0.0);
        c->brier += off * off;
        c->log_loss += gbs_calibrated_log_loss(c, f->score[i], yes);
        gbs_reliability_add(c->reliability, f->probability[i], yes);
        stage->info.errors += labels && gbs_uniform(f->o.draw_seed, GBS_STREAM_DRAWS,
                                                    f->split.first + i) < f->gibbs[i];
    }
    double count = (double)n;
    c->baseline_error /= count;
    c->brier /= count;
    c->log_loss /= count;
    gbs_reliability_finish(c->reliability);
    size_t yes = c->true_positive + c->false_positive;
    c->one_label = yes == 0 || yes == n;
    if (f->o.grouped && (status = baseline_of_groups(f)) != GBS_OK)
        return status;
    return gbs_area(f->ctx, n, y, f->score, &c->auc);
}

/* What the predictor does on the rows that it learned from. */
static gbs_status judge_training(gbs_deployed *f) {
    const gbs_task *task = gbs_fit_task(&f->o);
    gbs_rows past = gbs_rows_slice(&f->rows, 0, f->split.first);
    gbs_evidence unused = {0};
    gbs_fitted fitted = {.model = f->model, .options = &f->o, .rows = &past};
    gbs_empirical *risk = NULL;
    gbs_status status = task->risk(f->ctx, &past, false, &gbs_zero_one, &risk);
    fitted.risk = risk;
    if (status == GBS_OK)
        status = task->judge(f->ctx, &fitted, &unused);
    gbs_empirical_free(risk);
    return status;
}

gbs_status gbs_fit_deployed(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                            bool *by_labels, gbs_model **out) {
    gbs_deployed f = {.ctx = ctx, .data = data, .o = *o};
    gbs_status status = gbs_split_create(ctx, data, o, &f.split);
    if (status == GBS_OK && !can_learn(&f.split)) {
        status = too_few(&f);
        *by_labels = f.split.first >= 2 * TO_LEARN;
        gbs_split_free(&f.split);
        *out = NULL;
        return status;
    }
    if (status == GBS_OK)
        status = take_shares(&f);
    if (status == GBS_OK)
        status = learn(&f);
    if (status == GBS_OK)
        status = train(&f);
    if (status == GBS_OK) {
        calibrate(&f);
        status = test(&f);
    }
    if (status == GBS_OK)
        status = gbs_deployed_certify(&f);
    gbs_array_free(ctx, f.share);
    gbs_array_free(ctx, f.score); /* before the other rows are judged */
    if (status == GBS_OK && o->refit == GBS_REFIT_ALL) {
        gbs_rows_free(ctx, &f.rows);
        status = gbs_refit(ctx, data, o, &f.choice, f.split.first, f.model, &f.all, &f.rows);
        f.split.first = f.split.n;
    }
    if (status == GBS_OK)
        status = judge_training(&f);
    gbs_rows_free(ctx, &f.rows);
    gbs_data_free(f.all);
    gbs_choice_free(ctx, &f.choice);
    gbs_split_free(&f.split);
    *out = f.model;
    return status;
}
