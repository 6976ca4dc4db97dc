/* The certificate of the predictor that is deployed (docs/maths.md, 8.19).
 *
 * The last ratings of a random order are kept from the fit and from every choice in it. Given all
 * that came before, the clipped squared errors there, over (high - low)^2, are draws in [0, 1]
 * whose mean is the risk of the very values that are predicted. With a bet kappa fixed before they
 * are seen,
 *
 *   R <= [1 - exp((sum log(1 - kappa loss) - log(1/delta)) / n)] / kappa
 *
 * holds with probability 1 - delta: for independent ratings, and for a random subset of a finite
 * number of ratings too, since products of distinct terms average to no more than the power of
 * their mean (Maclaurin).
 */
#include "bound/bound.h"
#include "core/random.h"
#include "fit/complete.h"

#include <math.h>

/* The last tenth certifies, at least so many ratings, but no more than a third of few. */
enum { FEW_TO_CERTIFY = 1000, MOST_PREDICTED = 2000 };

gbs_status gbs_completion_split_last(struct gbs_completion_run *r) {
    size_t n = r->all->n, last = n / 10;
    if (last < FEW_TO_CERTIFY)
        last = n / 3 < FEW_TO_CERTIFY ? n / 3 : FEW_TO_CERTIFY;
    size_t *order = NULL;
    gbs_status status = gbs_ratings_shuffled(
        r->ctx, r->all, r->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_SPLIT, false, &order);
    if (status == GBS_OK)
        status = gbs_ratings_subset(r->ctx, r->all, n - last, order, &r->part[0]);
    if (status == GBS_OK)
        status = gbs_ratings_subset(r->ctx, r->all, last, order + n - last, &r->part[1]);
    gbs_array_free(r->ctx, order);
    return status;
}

#define HALF_STAR 0.5

struct errors {
    size_t n, room; /* room for the longest row as well */
    uint32_t *row;
    double *value, *sd, *loss;
};

static bool make_errors(gbs_context *ctx, size_t n, size_t room, struct errors *e) {
    *e = (struct errors){.n = n, .room = room};
    e->row = gbs_array_alloc(ctx, room, sizeof *e->row);
    e->value = gbs_doubles(ctx, room);
    e->sd = gbs_doubles(ctx, room);
    e->loss = gbs_doubles(ctx, n);
    return e->row != NULL && e->value != NULL && e->sd != NULL && e->loss != NULL;
}

static void free_errors(const gbs_context *ctx, struct errors *e) {
    gbs_array_free(ctx, e->row);
    gbs_array_free(ctx, e->value);
    gbs_array_free(ctx, e->sd);
    gbs_array_free(ctx, e->loss);
}

static size_t longest_row(const gbs_ratings *r) {
    size_t most = 1;
    for (size_t i = 0; i < r->by[0].items; i++) {
        size_t count = r->by[0].start[i + 1] - r->by[0].start[i];
        most = count > most ? count : most;
    }
    return most;
}

/* Losses of the predictions of some ratings, row by row, at most e->n of them: those seen, or with
 * `predicted` those that the model expects, errors drawn from its own law. power 2: squares; 0:
 * whether it is off by more than half a star. */
static gbs_status take_losses(const struct gbs_completion_run *r, const gbs_ratings *ratings,
                              bool predicted, int power, struct errors *e) {
    const gbs_rating_list *l = &ratings->by[0];
    const gbs_complete_settings *o = r->o;
    gbs_status status = GBS_OK;
    size_t at = 0;
    for (size_t i = 0; i < l->items && at < e->n && status == GBS_OK; i++) {
        size_t first = l->start[i], count = l->start[i + 1] - first;
        count = count < e->n - at ? count : e->n - at;
        for (size_t k = 0; k < count; k++)
            e->row[k] = (uint32_t)i;
        status = gbs_completion_predict(r->ctx, r->model, count, e->row, l->other + first, e->value,
                                        predicted ? e->sd : NULL);
        for (size_t k = 0; k < count && status == GBS_OK; k++, at++) {
            double y = l->value[first + k];
            if (predicted)
                y = gbs_rating_clip(
                    e->value[k] +
                        sqrt(e->sd[k] * e->sd[k] + gbs_completion_noise(r->model, (uint32_t)i)) *
                            gbs_normal(r->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_CERTIFY, at),
                    o->low, o->high);
            double off = fabs(y - e->value[k]), share = off / (o->high - o->low);
            e->loss[at] = power == 0 ? off > HALF_STAR
                                     : fmin(1.0, power == 2 ? share * share : share);
        }
    }
    e->n = at;
    return status;
}

static double mean_of(size_t n, const double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += x[k];
    return sum / (double)n;
}

/* The bound of one loss; `seen` its mean on the last ratings. */
static gbs_status bound_loss(const struct gbs_completion_run *r, int power, double *seen,
                             double *bound) {
    const gbs_ratings *last = r->part[1];
    double log_price = -log(1.0 - r->o->confidence);
    struct errors before, after = {0};
    size_t most = r->part[0]->n < MOST_PREDICTED ? r->part[0]->n : MOST_PREDICTED;
    bool ready = make_errors(r->ctx, most, longest_row(r->part[0]), &before);
    ready = make_errors(r->ctx, last->n, longest_row(last), &after) && ready;
    gbs_status status = ready ? take_losses(r, r->part[0], true, power, &before) : GBS_ERR_MEMORY;
    if (status == GBS_OK)
        status = take_losses(r, last, false, power, &after);
    if (status == GBS_OK) {
        double kappa = gbs_betting_kappa(before.loss, before.n, last->n, log_price, 1.0);
        *seen = mean_of(after.n, after.loss);
        *bound = gbs_betting_mean_upper(after.loss, after.n, kappa, log_price);
    }
    free_errors(r->ctx, &before);
    free_errors(r->ctx, &after);
    return status;
}

/* Whole and half numbers, as stars are. */
static bool are_stars(const gbs_ratings *ratings) {
    const gbs_rating_list *l = &ratings->by[0];
    for (size_t e = 0; e < ratings->n; e++)
        if (floor(2.0 * l->value[e]) != 2.0 * l->value[e])
            return false;
    return true;
}

gbs_status gbs_completion_certify_deployed(struct gbs_completion_run *r) {
    const gbs_complete_settings *o = r->o;
    gbs_rating_certificate *c = &r->model->certificate;
    double width = o->high - o->low, absolute = 1.0, seen;
    *c = (gbs_rating_certificate){.present = 1,
                                  .confidence = o->confidence,
                                  .n = r->part[1]->n,
                                  .squared = 1.0,
                                  .holdout_rmse = NAN};
    gbs_status status = bound_loss(r, 2, &c->squared_empirical, &c->squared);
    if (status == GBS_OK)
        status = bound_loss(r, 1, &seen, &absolute);
    r->model->miss_bound = NAN;
    if (status == GBS_OK && are_stars(r->part[0]))
        status = bound_loss(r, 0, &seen, &r->model->miss_bound);
    c->empirical = c->empirical_upper = width * sqrt(c->squared_empirical);
    c->value = c->rmse = width * sqrt(c->squared);
    c->vacuous = !(c->squared < 0.25);
    c->middle_rmse = width * sqrt(gbs_monte_carlo_upper(
                                 gbs_completion_middle_risk(r->part[1], o->low, o->high), c->n,
                                 1.0 - o->confidence));
    r->model->mae_bound = width * absolute;
    return status;
}
