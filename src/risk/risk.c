/* The empirical risk as an object: its life, and the way to the kind that it is. */
#include "risk/risk.h"

gbs_status gbs_empirical_create(gbs_context *ctx, const gbs_empirical_ops *ops,
                                const gbs_loss_ops *loss, gbs_held *held, gbs_empirical **out) {
    gbs_empirical *risk = gbs_array_alloc(ctx, 1, sizeof *risk);
    *out = risk;
    if (risk == NULL) {
        gbs_held_free(held);
        return GBS_ERR_MEMORY;
    }
    *risk = (gbs_empirical){.ops = ops,
                            .ctx = ctx,
                            .loss = loss,
                            .d = held->d,
                            .rows = held->n,
                            .counted = (double)held->n,
                            .held = held};
    return GBS_OK;
}

void gbs_empirical_free(gbs_empirical *risk) {
    if (risk == NULL)
        return;
    gbs_context *ctx = risk->ctx;
    gbs_held_free(risk->held);
    gbs_rows_free(ctx, &risk->host);
    gbs_array_free(ctx, risk);
}

gbs_empirical gbs_empirical_with(const gbs_empirical *risk, const gbs_loss_ops *loss) {
    gbs_empirical view = *risk;
    view.loss = loss;
    return view;
}

gbs_empirical gbs_empirical_counted_once(const gbs_empirical *risk) {
    gbs_empirical view = *risk;
    view.counts_once = true;
    return view;
}

gbs_status gbs_empirical_part(const gbs_empirical *risk, size_t stride, gbs_empirical **out) {
    return risk->ops->part(risk, stride, out);
}

bool gbs_empirical_has_designs(const gbs_empirical *risk) {
    return risk->ops->on_design != NULL;
}

gbs_status gbs_empirical_on_design(const gbs_empirical *risk, size_t d, const double *cells,
                                   gbs_empirical **out) {
    return risk->ops->on_design(risk, d, cells, out);
}

gbs_status gbs_empirical_room(const gbs_empirical *risk, gbs_pull pull, bool curvature,
                              gbs_room **out) {
    return risk->ops->room(risk, pull, curvature, out);
}

gbs_status gbs_empirical_slopes(const gbs_empirical *risk, const gbs_spread *spread, double lambda,
                                gbs_room *room, gbs_slopes *out) {
    return risk->ops->slopes(risk, spread, lambda, room, out);
}

double gbs_empirical_longest(const gbs_empirical *risk) {
    return gbs_held_longest(risk->held);
}

gbs_status gbs_empirical_value(const gbs_empirical *risk, const gbs_loss_ops *loss,
                               const gbs_spread *spread, bool shown, double *mean,
                               double *second_moment) {
    return risk->ops->value(risk, loss, spread, shown, mean, second_moment);
}

size_t gbs_empirical_tile_room(const gbs_empirical *risk) {
    return risk->ops->tile_room(risk);
}

void gbs_empirical_tile(const gbs_empirical *risk, const double *theta, double *scratch,
                        double *risks) {
    risk->ops->tile(risk, theta, scratch, risks);
}

void gbs_empirical_base(const gbs_empirical *risk, const double *mean, double *base) {
    risk->ops->base(risk, mean, base);
}

void gbs_empirical_ring(const gbs_empirical *risk, const gbs_ring *ring, const double *base,
                        size_t count, const gbs_ring_tile *tile, double *scratch) {
    risk->ops->ring(risk, ring, base, count, tile, scratch);
}

/* ---------------------------------------------------------------- batches */

gbs_status gbs_batches_create(const gbs_empirical *risk, size_t size, bool one_by_one,
                              uint64_t stream, gbs_batches *out) {
    *out = (gbs_batches){.all = risk, .stream = stream};
    gbs_status status = risk->ops->batches(out, size, one_by_one);
    if (status != GBS_OK)
        gbs_batches_free(out);
    return status;
}

void gbs_batches_free(gbs_batches *b) {
    if (b->all == NULL)
        return;
    gbs_empirical_free(b->on);
    gbs_array_free(b->all->ctx, b->row);
    gbs_array_free(b->all->ctx, b->less);
    *b = (gbs_batches){0};
}

void gbs_batches_draw(gbs_batches *b, size_t t) {
    b->all->ops->draw(b, t);
}
