/* The certificates of a posterior under the prior N(0, prior_sd^2 I), on the rows it was trained on (MATHS.md, sections 6.1, 6.3, 6.5, 6.7).
 *
 * Every number holds by itself with the stated confidence. The smallest of several does not: that is why the method is chosen before, by
 * options->bound, and the others are listed beside it for comparison.
 */
#include "learn/certify.h"

#include "bound/bound.h"

#include <math.h>

enum { MOST = 6 };

struct work {
    const gbs_model *model;
    const gbs_fit_options *options;
    size_t n;
    double gibbs, second_moment; /* means of Phi_i and Phi_i^2 */
    double log_price;            /* log(1/delta) */
    unsigned base;               /* assumptions of all */
    gbs_certificate *out;
    size_t count;
};

/* Bits that hold for every certificate of this fit. */
static unsigned common_assumptions(const gbs_fit_options *o) {
    unsigned bits = GBS_ASSUMES_IID;
    bits |= (o->looked & GBS_LOOKED_PRIOR) != 0 ? GBS_BROKEN_PRIOR : GBS_ASSUMES_PRIOR_FIXED;
    if (o->scale == GBS_SCALE_STANDARD)
        bits |= GBS_BROKEN_SCALING;
    if ((o->looked & GBS_LOOKED_COLUMNS) != 0)
        bits |= GBS_BROKEN_COLUMNS;
    return bits;
}

static int is_valid(unsigned assumptions) {
    for (unsigned k = 0;; k++) {
        int breaks;
        if (gbs_assumption_text(k, &breaks) == NULL)
            return 1;
        if ((assumptions >> k & 1U) != 0 && breaks)
            return 0;
    }
}

static void add(struct work *w, gbs_target target, gbs_loss loss, gbs_bound method, double value) {
    const gbs_model_info *info = &w->model->info;
    if (isnan(value))
        return;
    bool has_lambda = method != GBS_BOUND_KL;
    unsigned assumptions = w->base;
    if (has_lambda)
        assumptions |= (w->options->looked & GBS_LOOKED_LAMBDA) != 0 ? GBS_BROKEN_LAMBDA : GBS_ASSUMES_LAMBDA_FIXED;
    w->out[w->count++] = (gbs_certificate){.target = target,
                                           .loss = loss,
                                           .method = method,
                                           .value = value,
                                           .confidence = w->options->confidence,
                                           .blocks = w->n,
                                           .empirical = loss == GBS_LOSS_ZERO_ONE ? w->gibbs : info->gibbs_risk,
                                           .kl = info->kl,
                                           .lambda = has_lambda ? info->lambda : NAN,
                                           .xi_nats = has_lambda ? 0.0 : log(gbs_xi_upper(w->n)),
                                           .assumptions = assumptions,
                                           .valid = is_valid(assumptions)};
}

static double paper_kl(const gbs_model *m) {
    double trace, log_det, norm2 = gbs_dot(m->info.d, m->posterior.mean, m->posterior.mean);
    gbs_model_spread(m, &trace, &log_det);
    return gbs_kl_paper((double)m->info.d, m->info.prior_sd * m->info.prior_sd, trace, log_det, norm2);
}

static void add_gibbs(struct work *w, gbs_bound method) {
    const gbs_model_info *i = &w->model->info;
    double value = NAN;
    switch (method) {
    case GBS_BOUND_AUTO:
    case GBS_BOUND_KL:
        method = GBS_BOUND_KL;
        value = gbs_bound_kl(w->gibbs, i->kl, w->n, w->log_price);
        break;
    case GBS_BOUND_CATONI:
        value = gbs_bound_catoni(w->gibbs, i->kl, w->n, i->lambda, w->log_price);
        break;
    case GBS_BOUND_HOEFFDING:
        value = gbs_bound_hoeffding(w->gibbs, i->kl, w->n, i->lambda, w->log_price);
        break;
    case GBS_BOUND_PAPER:
        value = gbs_bound_paper(w->gibbs, paper_kl(w->model), w->n, i->lambda, w->log_price);
        break;
    }
    add(w, GBS_TARGET_GIBBS, GBS_LOSS_ZERO_ONE, method, value);
}

/* The hinge risk needs |x| <= c_x, enforced at prediction too: unit rows have c_x = 1. */
static void add_hinge(struct work *w) {
    const gbs_model_info *i = &w->model->info;
    if (i->loss != GBS_LOSS_HINGE || i->scale != GBS_SCALE_UNIT_ROW)
        return;
    double f = gbs_hinge_f_exact(i->lambda, w->n, i->d, i->prior_sd * i->prior_sd, 0.0, 1.0);
    if (isfinite(f))
        add(w, GBS_TARGET_GIBBS, GBS_LOSS_HINGE, GBS_BOUND_HOEFFDING,
            gbs_bound_hinge(i->gibbs_risk, f, i->kl, i->lambda, w->log_price));
}

gbs_status gbs_certify(gbs_context *ctx, gbs_model *model, const gbs_fit_options *options, double gibbs, double second_moment,
                       size_t n) {
    struct work w = {.model = model, .options = options, .n = n, .gibbs = gibbs, .second_moment = second_moment};
    w.base = common_assumptions(options);
    w.log_price = -log(1.0 - options->confidence);
    w.out = gbs_array_alloc(ctx, MOST, sizeof *w.out);
    if (w.out == NULL)
        return GBS_ERR_MEMORY;
    gbs_bound first = options->bound != GBS_BOUND_AUTO ? options->bound : GBS_BOUND_KL;
    add_gibbs(&w, first);
    for (gbs_bound method = GBS_BOUND_KL; method <= GBS_BOUND_PAPER; method++)
        if (method != first)
            add_gibbs(&w, method);
    add(&w, GBS_TARGET_VOTE, GBS_LOSS_ZERO_ONE, GBS_BOUND_KL,
        gbs_bound_vote(w.gibbs, w.second_moment, model->info.kl, n, w.log_price));
    add_hinge(&w);
    for (size_t t = 0; t < model->path_size; t++) {
        gbs_path_point *p = &model->path[t];
        p->bound = model->info.loss == GBS_LOSS_ZERO_ONE ? gbs_bound_kl(p->gibbs_risk, p->kl, n, w.log_price) : NAN;
    }
    model->certificates = w.out;
    model->certificates_size = w.count;
    return GBS_OK;
}
