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
#include "fit/choose.h"
#include "fit/choose_map.h"
#include "fit/refit.h"
#include "fit/start.h"
#include "fit/ways.h"

#include "bound/bound.h"
#include "core/random.h"
#include "judge/calibrated.h"
#include "risk/loss.h"

#include <math.h>
#include <string.h>

/* Lines: the labels, one for each class, cost, the labels by weight, Brier, AUC, a draw. */
enum { MOST_LINES = 8 };

struct deployed {
    gbs_context *ctx;
    const gbs_data *data;
    gbs_fit_settings o; /* as asked for; then with what was chosen */
    gbs_model *model;
    gbs_split split;
    gbs_choice choice;
    gbs_rows rows;  /* all, in their random order */
    gbs_data *all;  /* fitted again: as they came */
    gbs_rows fresh; /* the last block */
    /* of the fresh rows: score, probability of +1, and room for one thing after the other: Gibbs
     * errors, losses, scores by class; and of their groups */
    double *score, *probability, *room, *by_group;
    double *share; /* of the largest weight, of all rows in their order; NULL: nobody asks */
    size_t lines;
    double delta; /* of each line */
};

/* ---------------------------------------------------------------- the rows to learn from */

static gbs_status learn(struct deployed *f) {
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
        status = gbs_maps_learn(f->ctx, head, &f->o, &f->model->maps);
        gbs_settle_family(&f->o, f->model->maps.d);
    }
    gbs_data_free(head);
    if (status == GBS_OK && f->choice.weighted)
        status = gbs_data_weigh_classes(f->ctx, f->split.view, f->o.cost_missed, f->o.cost_false);
    if (status == GBS_OK)
        status = gbs_rows_build(f->ctx, f->split.view, &f->model->maps, &f->rows);
    gbs_split_forget_order(&f->split);
    return status;
}

/* Two folds need two rows of each class, or two groups with such rows. */
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
    return with[0] >= 2 && with[1] >= 2;
}

/* As they came: costs may weigh the rows once more. */
static gbs_status take_shares(struct deployed *f) {
    if (!(f->o.max_weight > 0.0))
        return GBS_OK;
    f->share = gbs_doubles(f->ctx, f->split.n);
    if (f->share == NULL)
        return GBS_ERR_MEMORY;
    gbs_data_weight_shares(f->split.view, f->o.max_weight, f->share);
    return GBS_OK;
}

static gbs_status too_few(struct deployed *f) {
    if (f->o.max_weight > 0.0)
        return gbs_fail(f->ctx, GBS_ERR_DATA,
                        "`max-weight`: %zu rows are too few to learn from some and test on others",
                        f->split.n);
    if (f->o.grouped)
        return gbs_fail(f->ctx, GBS_ERR_DATA,
                        "of the %zu rows %zu are to be learned from, and fewer than two groups of "
                        "them have rows of a class",
                        f->split.n, f->split.first);
    if (f->o.bound == GBS_BOUND_AUTO)
        return GBS_OK; /* without a model: another way is taken */
    return gbs_fail(f->ctx, GBS_ERR_DATA,
                    "`bound` vote learns from %zu of the %zu rows, and they have fewer than two "
                    "rows of a class",
                    f->split.first, f->split.n);
}

static gbs_status train(struct deployed *f) {
    gbs_rows past = gbs_rows_slice(&f->rows, 0, f->split.first);
    gbs_posterior p = {0};
    gbs_gaussian start;
    gbs_progress_begin(f->ctx);
    gbs_status status = gbs_start_make(f->ctx, &f->o, f->o.start, &f->model->maps, &start);
    if (status == GBS_OK)
        status = gbs_choice_fit(f->ctx, &past, &f->o, &start, &f->model->trace, &p);
    gbs_gaussian_free(f->ctx, &start);
    if (status == GBS_OK) {
        gbs_keep_fit(f->model, &f->o, f->data, &p);
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
static void calibrate(struct deployed *f) {
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
static gbs_status judge_fresh(struct deployed *f) {
    enum { SLICE = 1 << 14 };
    size_t n = f->fresh.all.n, strip = f->fresh.strip_rows,
           slice = (SLICE + strip - 1) / strip * strip;
    gbs_status status = GBS_OK;
    for (size_t first = 0; status == GBS_OK && first < n; first += slice) {
        gbs_rows some = gbs_rows_slice(&f->fresh, first, n - first < slice ? n - first : slice);
        gbs_judgement v = {.score = f->score + first,
                           .calibrated = f->probability + first,
                           .gibbs = f->room + first};
        status = gbs_model_judge(f->ctx, f->model, &some, &v);
    }
    return status;
}

/* Beside a mean over groups stands another. */
static gbs_status baseline_of_groups(struct deployed *f) {
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

static gbs_status test(struct deployed *f) {
    gbs_card *c = &f->model->card;
    size_t n = c->tested;
    f->fresh = gbs_rows_slice(&f->rows, f->split.first, n);
    f->score = gbs_matrix(f->ctx, f->o.grouped ? 4 : 3, n);
    if (f->score == NULL)
        return GBS_ERR_MEMORY;
    f->probability = f->score + n;
    f->room = f->score + 2 * n;
    f->by_group = f->score + 3 * n;
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
        gbs_reliability *bin = &c->reliability[f->probability[i] < 1.0
                                                   ? (size_t)(GBS_BINS * f->probability[i])
                                                   : GBS_BINS - 1];
        bin->count++;
        bin->mean_probability += f->probability[i];
        bin->share_positive += yes;
        stage->info.errors += labels && gbs_uniform(f->ctx->seed, GBS_STREAM_DRAWS,
                                                    f->split.first + i) < f->room[i];
    }
    double count = (double)n;
    c->baseline_error /= count;
    c->brier /= count;
    c->log_loss /= count;
    for (size_t k = 0; k < GBS_BINS; k++) {
        gbs_reliability *bin = &c->reliability[k];
        bin->mean_probability /= (double)bin->count;
        bin->share_positive /= (double)bin->count;
    }
    size_t yes = c->true_positive + c->false_positive;
    c->one_label = yes == 0 || yes == n;
    if (f->o.grouped && (status = baseline_of_groups(f)) != GBS_OK)
        return status;
    return gbs_area(f->ctx, n, y, f->score, &c->auc);
}

/* ---------------------------------------------------------------- lines */

static gbs_certificate *add(struct deployed *f, gbs_target target, gbs_risk risk, gbs_bound method,
                            size_t rows, double empirical, double value) {
    gbs_model *m = f->model;
    gbs_certificate *c = &m->certificates[m->certificates_size++];
    unsigned bits = gbs_last_block_assumptions(&f->o, &f->model->maps);
    *c = (gbs_certificate){.target = target,
                           .loss = GBS_LOSS_ZERO_ONE,
                           .method = method,
                           .risk = risk,
                           .value = value,
                           .confidence = f->o.confidence,
                           .blocks = rows,
                           .empirical = empirical,
                           .lambda = NAN,
                           .empirical_upper = NAN,
                           .grid_nats = f->o.joint ? log((double)f->lines) : 0.0,
                           .assumptions = bits,
                           .grouped = f->o.grouped};
    c->valid = gbs_assumptions_hold(bits);
    return c;
}

static void add_count(struct deployed *f, gbs_target target, int given, size_t wrong, size_t n) {
    double seen = n > 0 ? (double)wrong / (double)n : 1.0,
           value = n > 0 ? gbs_binomial_upper_tail(wrong, n, f->delta) : 1.0;
    gbs_certificate *c = add(f, target, GBS_RISK_ERROR, GBS_BOUND_BINOMIAL, n, seen, value);
    c->given = given;
    if (given != 0)
        c->assumptions |= GBS_ASSUMES_LABELS;
}

/* The loss of a row under this probability of +1. */
typedef double (*loss_of_row)(const gbs_card *, double probability, bool yes);

/* The same of rows, in units of `most`; of those of class `given`, where that is not 0, else NaN.
 */
static void lose(const gbs_card *c, loss_of_row loss, int given, double most, size_t n,
                 const double *probability, const double *y, double *out) {
    for (size_t i = 0; i < n; i++) {
        bool yes = y[i] > 0.0, counts = given == 0 || yes == (given > 0);
        out[i] = counts ? loss(c, probability[i], yes) / most : NAN;
    }
}

/* The mean of a loss, over rows or over groups of them; the bet comes from the same loss of the
 * rows that calibrated. */
static gbs_status add_mean(struct deployed *f, gbs_target target, gbs_risk risk, int given,
                           double most, loss_of_row loss) {
    const gbs_card *c = &f->model->card;
    const gbs_choice *past = &f->choice;
    size_t n = c->tested, count = past->rows, first = f->split.first;
    double *before = gbs_matrix(f->ctx, 2, count), *seen = f->room, sum = 0.0;
    gbs_status status = before != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < count; i++)
        before[count + i] = gbs_calibrated(c, past->score[i]);
    if (status == GBS_OK)
        lose(c, loss, given, most, count, before + count, past->y, before);
    lose(c, loss, given, most, n, f->probability, f->split.labels + first, f->room);
    if (status == GBS_OK && f->o.grouped) {
        status = gbs_groups_mean(f->ctx, f->split.group + past->first, f->split.groups, count,
                                 before, before + count, &count);
        memmove(before, before + past->rows, count * sizeof *before);
        seen = f->by_group;
        if (status == GBS_OK)
            status = gbs_groups_mean(f->ctx, f->split.group + first, f->split.groups, n, f->room,
                                     seen, &n);
    }
    if (status == GBS_OK) {
        for (size_t i = 0; i < n; i++)
            sum += seen[i];
        double kappa = count > 0
                           ? gbs_betting_kappa(before, count, n > 0 ? n : 1, -log(f->delta), 1.25)
                           : 0.5,
               value = n > 0 ? gbs_betting_fixed_upper(seen, n, kappa, -log(f->delta)) : 1.0;
        add(f, target, risk, GBS_BOUND_BETTING, n, most * (n > 0 ? sum / (double)n : 1.0),
            most * value)
            ->given = given;
    }
    gbs_array_free(f->ctx, before);
    return status;
}

static double wrong(const gbs_card *c, double probability, bool yes) {
    return (probability >= c->threshold) != yes;
}

static double squared(const gbs_card *c, double probability, bool yes) {
    double off = probability - (yes ? 1.0 : 0.0);
    (void)c;
    return off * off;
}

static double cost(const gbs_card *c, double probability, bool yes) {
    bool says = probability >= c->threshold;
    return says == yes ? 0.0 : yes ? c->cost_missed : c->cost_false;
}

/* The labels by weight; the bet comes from the rows that calibrated. */
static gbs_status add_weighted(struct deployed *f) {
    const gbs_card *c = &f->model->card;
    const gbs_choice *past = &f->choice;
    const double *share = f->share + f->split.first, price = -log(f->delta);
    size_t n = c->tested;
    double errors = 0.5, kappa = 0.5, sum = 0.0, lost = 0.0;
    for (size_t i = 0; i < past->rows; i++)
        errors += wrong(c, gbs_calibrated(c, past->score[i]), past->y[i] > 0.0);
    if (past->rows > 0)
        kappa = gbs_weighted_kappa(errors / ((double)past->rows + 1.0), f->share + past->first,
                                   past->rows, n, price);
    lose(c, wrong, 0, 1.0, n, f->probability, f->split.labels + f->split.first, f->room);
    for (size_t i = 0; i < n; i++) {
        sum += share[i];
        lost += share[i] * f->room[i];
    }
    gbs_certificate *line = add(f, GBS_TARGET_WEIGHTED, GBS_RISK_ERROR, GBS_BOUND_BETTING, n,
                                sum > 0.0 ? lost / sum : 1.0,
                                gbs_weighted_upper(f->room, share, n, kappa, price));
    line->assumptions = gbs_weighted_assumptions(line->assumptions);
    return GBS_OK;
}

/* 1 - AUC, given the labels. */
static gbs_status add_area(struct deployed *f) {
    const gbs_card *c = &f->model->card;
    const double *y = f->split.labels + f->split.first;
    size_t n = c->tested, ups = 0, downs = 0, few = 0;
    double auc, se, kappa[GBS_MATCHED_BETS], price = -log(f->delta);
    double *sorted = f->room, *logs = gbs_matrix(f->ctx, GBS_MATCHED_BETS, GBS_MATCHED_MATCHINGS);
    size_t *order = gbs_array_alloc(f->ctx, n, sizeof *order);
    bool room = logs != NULL && order != NULL;
    gbs_status status = room ? gbs_area_with_error(f->ctx, f->choice.rows, f->choice.y,
                                                   f->choice.score, &auc, &se)
                             : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) /* rows of +1 from the front */
        if (y[i] > 0.0)
            sorted[ups++] = f->score[i];
        else
            sorted[n - ++downs] = f->score[i];
    for (size_t i = 0; i < f->choice.rows; i++)
        few += f->choice.y[i] > 0.0;
    few = few < f->choice.rows - few ? few : f->choice.rows - few;
    if (status == GBS_OK) {
        size_t k = ups < downs ? ups : downs;
        gbs_matched_bets((double)few * se * se, few, k, price, kappa);
        double value = gbs_matched_upper(sorted, ups, sorted + ups, downs, kappa, f->ctx->seed,
                                         price, order, logs);
        gbs_certificate *line = add(f, GBS_TARGET_AUC, GBS_RISK_AUC, GBS_BOUND_BETTING, k,
                                    k > 0 ? 1.0 - c->auc : 1.0, value);
        line->assumptions |= GBS_ASSUMES_LABELS;
    }
    gbs_array_free(f->ctx, logs);
    gbs_array_free(f->ctx, order);
    return status;
}

static void add_draw(struct deployed *f) {
    const gbs_stage *s = &f->model->stages[0];
    add_count(f, GBS_TARGET_GIBBS, 0, s->info.errors, s->info.tested);
}

/* The labels, of all rows and of each class. */
static void add_labels(struct deployed *f) {
    const gbs_card *c = &f->model->card;
    add_count(f, GBS_TARGET_VOTE, 0, c->false_positive + c->false_negative, c->tested);
    add_count(f, GBS_TARGET_RECALL, 1, c->false_negative, c->true_positive + c->false_negative);
    add_count(f, GBS_TARGET_RECALL, -1, c->false_positive, c->true_negative + c->false_positive);
}

/* The same where rows are in groups: means over groups, of a class over those that have it. */
static gbs_status add_labels_of_groups(struct deployed *f) {
    gbs_status status = add_mean(f, GBS_TARGET_VOTE, GBS_RISK_ERROR, 0, 1.0, wrong);
    if (status == GBS_OK)
        status = add_mean(f, GBS_TARGET_RECALL, GBS_RISK_ERROR, 1, 1.0, wrong);
    if (status == GBS_OK)
        status = add_mean(f, GBS_TARGET_RECALL, GBS_RISK_ERROR, -1, 1.0, wrong);
    return status;
}

/* What is printed: labels, their probabilities and the score. */
static gbs_status certify_labels(struct deployed *f) {
    const gbs_card *c = &f->model->card;
    gbs_status status = f->o.grouped ? add_labels_of_groups(f) : GBS_OK;
    if (!f->o.grouped)
        add_labels(f);
    if (status == GBS_OK && f->o.has_cost)
        status = add_mean(f, GBS_TARGET_COST, GBS_RISK_COST, 0, fmax(c->cost_missed, c->cost_false),
                          cost);
    if (status == GBS_OK && f->share != NULL)
        status = add_weighted(f);
    if (status == GBS_OK)
        status = add_mean(f, GBS_TARGET_BRIER, GBS_RISK_BRIER, 0, 1.0, squared);
    if (status == GBS_OK && !f->o.grouped)
        status = add_area(f);
    if (status == GBS_OK && !f->o.grouped)
        add_draw(f);
    return status;
}

static gbs_status certify(struct deployed *f) {
    bool labels = gbs_has(gbs_fit_task(&f->o), GBS_FACT_LABELS);
    f->lines = !labels ? 1 : (size_t)(MOST_LINES - !f->o.has_cost - (f->share == NULL));
    if (f->o.grouped)
        f->lines -= 2; /* no AUC, no draw */
    f->delta = (1.0 - f->o.confidence) / (f->o.joint ? (double)f->lines : 1.0);
    f->model->certificates = gbs_array_alloc(f->ctx, MOST_LINES, sizeof *f->model->certificates);
    if (f->model->certificates == NULL)
        return GBS_ERR_MEMORY;
    return labels ? certify_labels(f) : add_area(f);
}

/* What the predictor does on the rows that it learned from. */
static gbs_status judge_training(struct deployed *f) {
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
                            gbs_model **out) {
    struct deployed f = {.ctx = ctx, .data = data, .o = *o};
    gbs_status status = gbs_split_create(ctx, data, o, &f.split);
    if (status == GBS_OK && !can_learn(&f.split)) {
        status = too_few(&f);
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
        status = certify(&f);
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
