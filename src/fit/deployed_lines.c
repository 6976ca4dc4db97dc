/* The lines of the card: bounds on what the deployed predictor does (docs/maths.md, 11).
 *
 *   labels, all and of each class    Clopper and Pearson's bound of the errors on the last block
 *   cost, Brier score, weights       a bet fixed before the block against a mean in [0, 1]
 *   one draw from the posterior      the same of its Gibbs errors Phi(-mu/s), no coins (11.12)
 *   1 - AUC                          bets averaged over matchings of the two classes
 *
 * Each is a function of the predictor, which is fixed, and of the last block, and holds by itself.
 */
#include "fit/deployed.h"

#include "bound/bound.h"
#include "judge/calibrated.h"

#include <math.h>
#include <string.h>

/* Lines: the labels, one for each class, cost, the labels by weight, Brier, AUC, a draw. */
enum { MOST_LINES = 8 };

static gbs_certificate *add(gbs_deployed *f, gbs_target target, gbs_risk risk, gbs_bound method,
                            size_t rows, double empirical, double value) {
    gbs_model *m = f->model;
    gbs_certificate *c = &m->certificates[m->certificates_size++];
    unsigned bits = gbs_last_block_assumptions(&f->o, &f->model->maps) |
                    (f->unproven_start ? (unsigned)GBS_BROKEN_START : 0U);
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

static gbs_certificate *add_count(gbs_deployed *f, gbs_target target, int given, size_t wrong,
                                  size_t n) {
    double seen = n > 0 ? (double)wrong / (double)n : NAN, /* no row: nothing was seen */
        value = n > 0 ? gbs_binomial_upper_tail(wrong, n, f->delta) : 1.0;
    gbs_certificate *c = add(f, target, GBS_RISK_ERROR, GBS_BOUND_BINOMIAL, n, seen, value);
    c->given = given;
    if (given != 0)
        c->assumptions |= GBS_ASSUMES_LABELS;
    return c;
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

/* The mean of a loss that lies in f->room for the last block and in `before`, which has room for
 * twice as many, for the rows that calibrated: over rows, or over groups of them. NaN does not
 * count where there are groups. The latter rows choose the bet. */
static gbs_status add_bet(gbs_deployed *f, gbs_target target, gbs_risk risk, int given, double most,
                          double *before) {
    const gbs_choice *past = &f->choice;
    size_t n = f->model->card.tested, count = past->rows, first = f->split.first;
    double *seen = f->room, sum = 0.0;
    gbs_status status = GBS_OK;
    if (f->o.grouped) {
        status = gbs_groups_mean(f->ctx, f->split.group + past->first, f->split.groups, count,
                                 before, before + count, &count);
        memmove(before, before + past->rows, count * sizeof *before);
        seen = f->by_group;
        if (status == GBS_OK)
            status = gbs_groups_mean(f->ctx, f->split.group + first, f->split.groups, n, f->room,
                                     seen, &n);
    }
    if (status != GBS_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        sum += seen[i];
    double kappa = count > 0 ? gbs_betting_kappa(before, count, n > 0 ? n : 1, -log(f->delta), 1.25)
                             : 0.5,
           value = n > 0 ? gbs_betting_fixed_upper(seen, n, kappa, -log(f->delta)) : 1.0;
    add(f, target, risk, GBS_BOUND_BETTING, n, most * (n > 0 ? sum / (double)n : NAN), most * value)
        ->given = given;
    return GBS_OK;
}

/* The mean of a loss of the printed probability. */
static gbs_status add_mean(gbs_deployed *f, gbs_target target, gbs_risk risk, int given,
                           double most, loss_of_row loss) {
    const gbs_card *c = &f->model->card;
    const gbs_choice *past = &f->choice;
    size_t count = past->rows;
    double *before = gbs_matrix(f->ctx, 2, count);
    if (before == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        before[count + i] = gbs_calibrated(c, past->score[i]);
    lose(c, loss, given, most, count, before + count, past->y, before);
    lose(c, loss, given, most, c->tested, f->probability, f->split.labels + f->split.first,
         f->room);
    gbs_status status = add_bet(f, target, risk, given, most, before);
    gbs_array_free(f->ctx, before);
    return status;
}

/* One draw from the posterior: the mean of the probabilities that a draw errs. */
static gbs_status add_draw(gbs_deployed *f) {
    double *before = gbs_matrix(f->ctx, 2, f->choice.rows);
    if (before == NULL)
        return GBS_ERR_MEMORY;
    gbs_status status = gbs_choice_gibbs(f->ctx, &f->rows, f->model, &f->choice, before);
    memcpy(f->room, f->gibbs, f->model->card.tested * sizeof *f->room);
    if (status == GBS_OK)
        status = add_bet(f, GBS_TARGET_GIBBS, GBS_RISK_ERROR, 0, 1.0, before);
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
static gbs_status add_weighted(gbs_deployed *f) {
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
static gbs_status add_area(gbs_deployed *f) {
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
                                    k > 0 ? 1.0 - c->auc : NAN, value);
        line->assumptions |= GBS_ASSUMES_LABELS;
    }
    gbs_array_free(f->ctx, logs);
    gbs_array_free(f->ctx, order);
    return status;
}

/* The labels, of all rows and of each class. */
static void add_labels(gbs_deployed *f) {
    const gbs_card *c = &f->model->card;
    add_count(f, GBS_TARGET_VOTE, 0, c->false_positive + c->false_negative, c->tested);
    add_count(f, GBS_TARGET_RECALL, 1, c->false_negative, c->true_positive + c->false_negative);
    add_count(f, GBS_TARGET_RECALL, -1, c->false_positive, c->true_negative + c->false_positive);
}

/* The same where rows are in groups: means over groups, of a class over those that have it. */
static gbs_status add_labels_of_groups(gbs_deployed *f) {
    gbs_status status = add_mean(f, GBS_TARGET_VOTE, GBS_RISK_ERROR, 0, 1.0, wrong);
    if (status == GBS_OK)
        status = add_mean(f, GBS_TARGET_RECALL, GBS_RISK_ERROR, 1, 1.0, wrong);
    if (status == GBS_OK)
        status = add_mean(f, GBS_TARGET_RECALL, GBS_RISK_ERROR, -1, 1.0, wrong);
    return status;
}

/* What is printed: labels, their probabilities and the score. */
static gbs_status certify_labels(gbs_deployed *f) {
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
    if (status == GBS_OK)
        status = add_draw(f);
    return status;
}

gbs_status gbs_deployed_certify(gbs_deployed *f) {
    bool labels = gbs_has(gbs_fit_task(&f->o), GBS_FACT_LABELS);
    f->lines = !labels ? 1 : (size_t)(MOST_LINES - !f->o.has_cost - (f->share == NULL));
    if (f->o.grouped)
        f->lines -= 1; /* no AUC */
    f->delta = (1.0 - f->o.confidence) / (f->o.joint ? (double)f->lines : 1.0);
    f->model->certificates = gbs_array_alloc(f->ctx, MOST_LINES, sizeof *f->model->certificates);
    if (f->model->certificates == NULL)
        return GBS_ERR_MEMORY;
    return labels ? certify_labels(f) : add_area(f);
}
