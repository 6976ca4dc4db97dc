/* What the last block certifies of a model of many classes (docs/maths.md, 11.1, 11.10): the
 * printed label, each class, the mean cost, the Brier score, one draw from every posterior. */
#include "fit/many.h"

#include "bound/bound.h"
#include "fit/certify.h"

#include <math.h>

struct lines {
    gbs_context *ctx;
    gbs_model *model;
    const gbs_many_evidence *e;
    size_t size;
    double delta; /* of each */
    unsigned bits;
};

static gbs_certificate *add(struct lines *l, gbs_target target, gbs_risk risk, gbs_bound method,
                            size_t rows, double empirical, double value) {
    gbs_model *m = l->model;
    gbs_certificate *c = &m->certificates[m->certificates_size++];
    *c = (gbs_certificate){.target = target,
                           .loss = GBS_LOSS_ZERO_ONE,
                           .method = method,
                           .risk = risk,
                           .value = value,
                           .confidence = l->e->o->confidence,
                           .blocks = rows,
                           .empirical = empirical,
                           .lambda = NAN,
                           .empirical_upper = NAN,
                           .grid_nats = l->e->o->joint ? log((double)l->size) : 0.0,
                           .assumptions = l->bits};
    c->valid = gbs_assumptions_hold(l->bits);
    return c;
}

/* class: 0, or one more than its number. */
static gbs_certificate *add_count(struct lines *l, gbs_target target, size_t class, size_t wrong,
                                  size_t n) {
    double seen = n > 0 ? (double)wrong / (double)n : NAN, /* no row: nothing was seen */
        value = n > 0 ? gbs_binomial_upper_tail(wrong, n, l->delta) : 1.0;
    gbs_certificate *c = add(l, target, GBS_RISK_ERROR, GBS_BOUND_BINOMIAL, n, seen, value);
    c->given = (int)class;
    if (class > 0)
        c->assumptions |= GBS_ASSUMES_CLASSES;
    return c;
}

typedef double (*row_loss)(const gbs_many *m, const double *probability, size_t class);

static double brier(const gbs_many *m, const double *p, size_t class) {
    return gbs_many_brier(m, p, class);
}

static double cost(const gbs_many *m, const double *p, size_t class) {
    return gbs_many_cost_of(m, class, gbs_many_label(m, p));
}

/* A mean in units of `most`; the `known` values before choose the bet. */
static void add_bet(struct lines *l, gbs_target target, gbs_risk risk, double most, size_t known,
                    const double *before, const double *now) {
    size_t n = l->model->many->card.tested;
    double sum = 0.0, price = -log(l->delta),
           kappa = known > 0 ? gbs_betting_kappa(before, known, n, price, 1.25) : 0.5;
    for (size_t i = 0; i < n; i++)
        sum += now[i];
    add(l, target, risk, GBS_BOUND_BETTING, n, most * sum / (double)n,
        most * gbs_betting_fixed_upper(now, n, kappa, price));
}

/* The mean of a loss in units of `most`; the bet comes from the rows that calibrated. */
static gbs_status add_mean(struct lines *l, gbs_target target, gbs_risk risk, double most,
                           row_loss loss) {
    const gbs_many *m = l->model->many;
    const gbs_many_evidence *e = l->e;
    size_t n = m->card.tested, k = m->classes, known = 0;
    double *before = gbs_doubles(l->ctx, e->before), *now = gbs_doubles(l->ctx, n);
    gbs_status status = before != NULL && now != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < e->before; i++)
        if (e->before_class[i] < k)
            before[known++] = loss(m, e->before_probability + i * k, e->before_class[i]) / most;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        size_t class = e->y[i] < (double)k ? (size_t)e->y[i] : k;
        now[i] = loss(m, e->probability + i * k, class) / most;
    }
    if (status == GBS_OK)
        add_bet(l, target, risk, most, known, before, now);
    gbs_array_free(l->ctx, before);
    gbs_array_free(l->ctx, now);
    return status;
}

/* One draw from every posterior: the mean of the probabilities that it errs, or, where these have
 * no form that is computed, the errors of one draw a row. */
static void add_draw(struct lines *l) {
    const gbs_many *m = l->model->many;
    const gbs_many_evidence *e = l->e;
    size_t n = m->card.tested, wrong = 0;
    if (gbs_many_draws_known(m)) {
        add_bet(l, GBS_TARGET_GIBBS, GBS_RISK_ERROR, 1.0, e->before, e->before_gibbs, e->gibbs);
        return;
    }
    for (size_t i = 0; i < n; i++)
        wrong += e->gibbs[i] > 0.5;
    gbs_certificate *c = add_count(l, GBS_TARGET_GIBBS, 0, wrong, n);
    c->assumptions |= gbs_draws_assumptions(e->o);
    c->valid = gbs_assumptions_hold(c->assumptions);
}

/* The labels by weight; the bet comes from the errors of the calibrating rows, and the weights of
 * all that were learned from. */
static gbs_status add_weighted(struct lines *l) {
    const gbs_many *m = l->model->many;
    const gbs_many_evidence *e = l->e;
    size_t n = m->card.tested, k = m->classes, all = e->head->n;
    double *loss = gbs_doubles(l->ctx, n), *share = gbs_doubles(l->ctx, n + all), errors = 0.5,
           sum = 0.0, lost = 0.0, price = -log(l->delta), *past = share + n;
    gbs_status status = loss != NULL && share != NULL ? GBS_OK : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        gbs_data_weight_shares(e->fresh, e->o->max_weight, share);
        gbs_data_weight_shares(e->head, e->o->max_weight, past);
        for (size_t i = 0; i < e->before; i++)
            errors += gbs_many_label(m, e->before_probability + i * k) != e->before_class[i];
        for (size_t i = 0; i < n; i++) {
            loss[i] = (double)gbs_many_label(m, e->probability + i * k) != e->y[i];
            sum += share[i];
            lost += share[i] * loss[i];
        }
        double kappa = gbs_weighted_kappa(errors / ((double)e->before + 1.0), past + e->first,
                                          e->rows, n, price);
        gbs_certificate *line = add(l, GBS_TARGET_WEIGHTED, GBS_RISK_ERROR, GBS_BOUND_BETTING, n,
                                    sum > 0.0 ? lost / sum : 1.0,
                                    gbs_weighted_upper(loss, share, n, kappa, price));
        line->assumptions = gbs_weighted_assumptions(line->assumptions);
    }
    gbs_array_free(l->ctx, loss);
    gbs_array_free(l->ctx, share);
    return status;
}

/* A part that began at a model of the caller's may show it where it has not converged; parts that
 * are fitted together begin nowhere. */
static bool start_may_show(const gbs_many *m, const gbs_fit_settings *o) {
    bool shows = false;
    for (size_t p = 0; o->start != NULL && m->scheme != GBS_SCHEME_SOFTMAX && p < m->parts; p++)
        shows = shows || (m->part[p] != NULL && !m->part[p]->info.converged);
    return shows;
}

gbs_status gbs_many_certify(gbs_context *ctx, gbs_model *model, const gbs_many_evidence *e) {
    const gbs_many *m = model->many;
    const gbs_classes_card *c = &m->card;
    struct lines l = {.ctx = ctx, .model = model, .e = e};
    gbs_status status = GBS_OK;
    bool by_weight = e->o->max_weight > 0.0;
    l.size = m->classes + 3 + (m->cost != NULL) + by_weight;
    l.delta = (1.0 - e->o->confidence) / (e->o->joint ? (double)l.size : 1.0);
    size_t first = 0;
    while (m->part[first] == NULL)
        first++;
    l.bits = gbs_last_block_assumptions(e->o, &m->part[first]->maps);
    if (start_may_show(m, e->o))
        l.bits |= GBS_BROKEN_START;
    model->certificates = gbs_array_alloc(ctx, l.size, sizeof *model->certificates);
    if (model->certificates == NULL)
        return GBS_ERR_MEMORY;
    add_count(&l, GBS_TARGET_VOTE, 0, c->errors, c->tested);
    for (size_t k = 0; k < m->classes; k++)
        add_count(&l, GBS_TARGET_RECALL, k + 1, m->result[k].rows - m->result[k].right,
                  m->result[k].rows);
    if (m->cost != NULL)
        status = add_mean(&l, GBS_TARGET_COST, GBS_RISK_COST, gbs_many_cost_of(m, m->classes, 0),
                          cost);
    if (status == GBS_OK && by_weight)
        status = add_weighted(&l);
    if (status == GBS_OK)
        status = add_mean(&l, GBS_TARGET_BRIER, GBS_RISK_BRIER, 1.0, brier);
    if (status == GBS_OK)
        add_draw(&l);
    return status;
}
