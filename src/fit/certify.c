/* The certificates of one posterior (docs/maths.md, 6.1 to 6.5, 6.7).
 *
 * Every number holds by itself with the stated confidence. The smallest of several does not: that
 * is why the method is chosen before, by options->bound, and the others are listed beside it for
 * comparison.
 */
#include "fit/certify.h"

#include "bound/bound.h"
#include "task/parts.h"

#include <math.h>

enum { MOST = 8 };

struct work {
    const gbs_model *model;
    const gbs_fit_settings *options;
    const gbs_evidence *e;
    double paper_kl;
    gbs_certificate *out;
    size_t count;
};

unsigned gbs_common_assumptions(const gbs_fit_settings *o, const gbs_maps *maps) {
    unsigned bits = GBS_ASSUMES_IID;
    if (o->prior == GBS_PRIOR_INFORMED) {
        bits |= GBS_ASSUMES_FIRST_PART;
    } else {
        bits |= (o->looked & GBS_LOOKED_PRIOR) == 0 && o->prior_grid_size <= 1
                    ? GBS_ASSUMES_PRIOR_FIXED
                    : 0;
        /* without a first part, what maps learn they learn from certified rows */
        if ((gbs_maps_learned(maps) & GBS_LEARNED_SCALING) != 0)
            bits |= GBS_BROKEN_SCALING;
        if ((gbs_maps_learned(maps) & GBS_LEARNED_COLUMNS) != 0)
            bits |= GBS_BROKEN_COLUMNS;
    }
    if ((o->looked & GBS_LOOKED_PRIOR) != 0)
        bits |= GBS_BROKEN_PRIOR;
    if ((o->looked & GBS_LOOKED_COLUMNS) != 0)
        bits |= GBS_BROKEN_COLUMNS;
    if ((o->looked & GBS_LOOKED_METHOD) != 0)
        bits |= GBS_BROKEN_METHOD;
    if (o->stratify)
        bits |= GBS_BROKEN_SPLIT;
    if (o->by_labels)
        bits |= GBS_BROKEN_WAY;
    if (o->sorted && gbs_has_first_part(o) && o->order != GBS_ORDER_TIME)
        bits |= GBS_BROKEN_ORDER;
    if (o->weighted)
        bits |= GBS_ASSUMES_UNWEIGHTED;
    if (o->missing_left_out)
        bits |= GBS_ASSUMES_COMPLETE;
    if (o->zero_left_out)
        bits |= GBS_ASSUMES_WEIGHED;
    return bits;
}

unsigned gbs_draws_assumptions(const gbs_fit_settings *o) {
    return GBS_ASSUMES_DRAWS | (o->sorted ? GBS_BROKEN_ORDER : 0);
}

unsigned gbs_last_block_assumptions(const gbs_fit_settings *o, const gbs_maps *maps) {
    unsigned bits = (gbs_common_assumptions(o, maps) | GBS_ASSUMES_LAST_BLOCK) &
                    ~(unsigned)(GBS_ASSUMES_FIRST_PART | GBS_BROKEN_SCALING |
                                GBS_ASSUMES_PRIOR_FIXED);
    if ((o->looked & GBS_LOOKED_LAMBDA) != 0)
        bits |= GBS_BROKEN_LAMBDA;
    if (o->grouped)
        bits = (bits & ~(unsigned)GBS_ASSUMES_IID) | GBS_ASSUMES_GROUPS;
    if (o->order == GBS_ORDER_TIME)
        bits = (bits & ~(unsigned)(GBS_ASSUMES_IID | GBS_ASSUMES_LAST_BLOCK)) | GBS_ASSUMES_LATEST;
    return bits;
}

unsigned gbs_weighted_assumptions(unsigned bits) {
    return (bits & ~(unsigned)GBS_ASSUMES_UNWEIGHTED) | GBS_ASSUMES_MAX_WEIGHT;
}

int gbs_assumptions_hold(unsigned assumptions) {
    for (unsigned k = 0;; k++) {
        int breaks;
        if (gbs_assumption_text(k, &breaks) == NULL)
            return 1;
        if ((assumptions >> k & 1U) != 0 && breaks)
            return 0;
    }
}

gbs_bound gbs_single_method(const gbs_fit_settings *o) {
    return o->bound != GBS_BOUND_AUTO ? o->bound : gbs_fit_task(o)->usual_bound(o);
}

static bool needs_lambda(gbs_bound method) {
    return method == GBS_BOUND_CATONI || method == GBS_BOUND_HOEFFDING || method == GBS_BOUND_PAPER;
}

/* kl holds for every posterior at once, so for every lambda; a prior is chosen from a grid by all
 * of them alike. */
double gbs_grid_nats(const gbs_fit_settings *o, gbs_bound method, size_t grid, size_t ladder) {
    if (o->select != GBS_SELECT_BOUND)
        return 0.0;
    return log((double)grid) + (needs_lambda(method) ? log((double)ladder) : 0.0);
}

double gbs_gibbs_bound(gbs_bound method, double gibbs, double kl, double paper_kl, size_t n,
                       double lambda, double log_price) {
    switch (method) {
    case GBS_BOUND_KL:
        return gbs_bound_kl(gibbs, kl, n, log_price);
    case GBS_BOUND_CATONI:
        return gbs_bound_catoni(gibbs, kl, n, lambda, log_price);
    case GBS_BOUND_HOEFFDING:
        return gbs_bound_hoeffding(gibbs, kl, n, lambda, log_price);
    case GBS_BOUND_PAPER:
        return gbs_bound_paper(gibbs, paper_kl, n, lambda, log_price);
    default:
        return NAN;
    }
}

static double log_price(const struct work *w, gbs_bound method) {
    return -log(1.0 - w->options->confidence - w->e->sampled_delta) +
           gbs_grid_nats(w->options, method, w->e->grid, w->e->ladder);
}

/* What the lambda of a method rests on. */
static unsigned lambda_assumption(const struct work *w, gbs_bound method) {
    const gbs_fit_settings *o = w->options;
    if (!needs_lambda(method))
        return 0;
    if ((o->looked & GBS_LOOKED_LAMBDA) != 0)
        return GBS_BROKEN_LAMBDA;
    if (o->select == GBS_SELECT_BOUND && w->e->ladder > 1)
        return GBS_ASSUMES_LAMBDA_GRID;
    return o->prior == GBS_PRIOR_INFORMED && !(o->lambda > 0.0) ? GBS_ASSUMES_FIRST_PART
                                                                : GBS_ASSUMES_LAMBDA_FIXED;
}

static void add(struct work *w, gbs_target target, gbs_loss loss, gbs_bound method, double value,
                unsigned more) {
    const gbs_evidence *e = w->e;
    if (isnan(value))
        return;
    unsigned assumptions = gbs_common_assumptions(w->options, &w->model->maps) |
                           lambda_assumption(w, method) | more;
    if (e->paired_rows > 0)
        assumptions |= GBS_ASSUMES_LABELS;
    if (e->sampled > 0)
        assumptions |= gbs_draws_assumptions(w->options);
    if (w->options->select == GBS_SELECT_BOUND && e->grid > 1)
        assumptions |= GBS_ASSUMES_PRIOR_GRID;
    w->out[w->count++] = (gbs_certificate){
        .target = target,
        .loss = loss,
        .method = method,
        .value = value,
        .confidence = w->options->confidence,
        .blocks = e->n,
        .empirical = gbs_loss_is_by_length(loss) ? e->hinge
                     : e->sampled > 0            ? e->sampled_mean
                                                 : e->gibbs,
        .kl = method == GBS_BOUND_PAPER ? w->paper_kl : e->kl,
        .lambda = needs_lambda(method) ? e->lambda : NAN,
        .grid_nats = gbs_grid_nats(w->options, method, e->grid, e->ladder),
        .xi_nats = method == GBS_BOUND_KL ? log(gbs_xi_upper(e->n)) : 0.0,
        .assumptions = assumptions,
        .valid = gbs_assumptions_hold(assumptions),
        .risk = e->paired_rows > 0 ? GBS_RISK_AUC : GBS_RISK_ERROR,
        .sampled = e->sampled,
        .sampled_delta = e->sampled_delta,
        .empirical_upper = e->sampled > 0 ? e->gibbs : NAN};
}

/* The paper's risk of any two rows: half of them make as many independent pairs, whatever their
 * labels (docs/maths.md, 6.2). */
static void add_pairs(struct work *w, gbs_bound method, double value) {
    const gbs_evidence *e = w->e;
    size_t before = w->count, blocks = e->paired_rows / 2;
    add(w, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, method, value, 0);
    if (w->count == before)
        return;
    gbs_certificate *c = &w->out[before];
    c->risk = GBS_RISK_PAIRS;
    c->blocks = blocks;
    c->empirical *= e->pair_share;
    c->empirical_upper *= e->pair_share;
    c->xi_nats = method == GBS_BOUND_KL ? log(gbs_xi_upper(blocks)) : 0.0;
    c->assumptions &= ~(unsigned)GBS_ASSUMES_LABELS;
}

static void add_gibbs(struct work *w, gbs_bound method) {
    const gbs_evidence *e = w->e;
    if (e->paired_rows > 0 && method == GBS_BOUND_PAPER) {
        add_pairs(w, method,
                  gbs_bound_paper_ranking(e->gibbs * e->pair_share, w->paper_kl, e->paired_rows,
                                          e->lambda, log_price(w, method)));
        return;
    }
    add(w, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, method,
        gbs_gibbs_bound(method, e->gibbs, e->kl, w->paper_kl, e->n, e->lambda,
                        log_price(w, method)),
        0);
}

/* The hinge risk needs |x| <= c_x, enforced at prediction too: unit rows have c_x = 1, others a
 * declared length. */
static void add_hinge(gbs_context *ctx, struct work *w) {
    const gbs_evidence *e = w->e;
    const gbs_fit_settings *o = w->options;
    bool unit = o->scale == GBS_SCALE_UNIT_ROW;
    if (e->paired_rows > 0 || !gbs_loss_is_by_length(o->loss) || !(unit || o->cx > 0.0))
        return;
    double cx = o->cx > 0.0 ? o->cx : 1.0, v = e->prior_sd * e->prior_sd;
    double f = gbs_hinge_f_exact(e->lambda, e->n, w->model->info.d, v, e->prior_norm, cx);
    unsigned how = o->cx > 0.0 ? ((o->looked & GBS_LOOKED_CX) != 0 ? GBS_BROKEN_CX : GBS_ASSUMES_CX)
                               : 0;
    if (isfinite(f))
        add(w, GBS_TARGET_GIBBS, o->loss, GBS_BOUND_HOEFFDING,
            gbs_bound_hinge(e->hinge, f, e->kl, e->lambda, log_price(w, GBS_BOUND_HOEFFDING)), how);
    else
        gbs_log(ctx, GBS_LOG_INFO,
                "no certificate of the hinge risk: it needs lambda between 0 and %g, not %g",
                gbs_hinge_lambda_limit(true, e->n, v, cx), e->lambda);
}

/* A sample says nothing of the second moment: twice the Gibbs risk remains. */
static double vote_bound(const struct work *w) {
    const gbs_evidence *e = w->e;
    double price = log_price(w, GBS_BOUND_KL);
    if (e->sampled > 0)
        return gbs_bound_vote_from_gibbs(gbs_bound_kl(e->gibbs, e->kl, e->n, price));
    return gbs_bound_vote(e->gibbs, e->second_moment, e->kl, e->n, price);
}

/* The yardstick: what a practitioner with a test set would use. */
static void add_prior_vote(struct work *w) {
    const gbs_evidence *e = w->e;
    size_t before = w->count; /* a bound that is no number is not added */
    if (w->options->prior != GBS_PRIOR_INFORMED)
        return;
    if (e->paired_rows > 0) {
        add(w, GBS_TARGET_PRIOR_VOTE, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL,
            gbs_auc_risk_upper(e->score_disorder, e->n, w->options->confidence), 0);
        if (w->count == before)
            return;
        gbs_certificate *c = &w->out[w->count - 1];
        c->empirical = e->score_disorder; /* over all pairs, sorted */
        c->empirical_upper = NAN;
        c->sampled = 0;
        c->assumptions &= ~(unsigned)GBS_ASSUMES_DRAWS;
        c->sampled_delta = 0.0;
        c->kl = c->grid_nats = c->xi_nats = 0.0;
        return;
    }
    double n = (double)e->n,
           value = gbs_binomial_upper_tail(e->vote_errors, e->n, 1.0 - w->options->confidence);
    add(w, GBS_TARGET_PRIOR_VOTE, GBS_LOSS_ZERO_ONE, GBS_BOUND_BINOMIAL, value, 0);
    if (w->count == before)
        return;
    gbs_certificate *c = &w->out[w->count - 1];
    c->empirical = (double)e->vote_errors / n;
    c->kl = c->grid_nats = 0.0;
}

gbs_status gbs_certify(gbs_context *ctx, gbs_model *model, const gbs_fit_settings *options,
                       const gbs_evidence *evidence) {
    struct work w = {.model = model, .options = options, .e = evidence};
    const gbs_stage *stage = &model->stages[model->stages_size - 1];
    double trace, log_det;
    gbs_stage_spread(stage, &trace, &log_det);
    w.paper_kl = gbs_kl_paper((double)model->info.d, evidence->prior_sd * evidence->prior_sd, trace,
                              log_det, evidence->prior_distance2);
    w.out = gbs_array_alloc(ctx, MOST, sizeof *w.out);
    if (w.out == NULL)
        return GBS_ERR_MEMORY;
    gbs_bound first = gbs_single_method(options);
    add_gibbs(&w, first);
    for (gbs_bound method = GBS_BOUND_KL; method <= GBS_BOUND_PAPER; method++)
        if (method != first &&
            !(method == GBS_BOUND_PAPER && evidence->paired_rows > 0 && !(options->lambda > 0.0)))
            /* a lambda counted on the labels does not do for the paper's pairs */
            add_gibbs(&w, method);
    add(&w, GBS_TARGET_VOTE, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL, vote_bound(&w), 0);
    if (evidence->paired_rows > 0)
        add_pairs(&w, GBS_BOUND_KL,
                  gbs_bound_kl(evidence->gibbs * evidence->pair_share, evidence->kl,
                               evidence->paired_rows / 2, log_price(&w, GBS_BOUND_KL)));
    add_hinge(ctx, &w);
    add_prior_vote(&w);
    model->certificates = w.out;
    model->certificates_size = w.count;
    return GBS_OK;
}
