/* Errors of candidates on ratings that were left out (docs/maths.md, 8.18). */
#include "core/random.h"
#include "fit/complete_levels.h"

gbs_status gbs_left_out_begin(const struct gbs_completion_run *r, size_t parts, size_t out,
                              struct gbs_left_out *l) {
    size_t n = r->learned->n;
    *l = (struct gbs_left_out){r, parts, out, gbs_array_alloc(r->ctx, 2 * n, sizeof *l->order)};
    if (l->order == NULL)
        return GBS_ERR_MEMORY;
    for (size_t e = 0; e < n; e++)
        l->order[e] = e;
    gbs_shuffle(r->ctx->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_LEFT_OUT, n, l->order);
    return GBS_OK;
}

void gbs_left_out_end(struct gbs_left_out *l) {
    gbs_array_free(l->r->ctx, l->order);
    l->order = NULL;
}

static double level_error(const gbs_levels *f, const gbs_ratings *test) {
    const gbs_rating_list *l = &test->by[0];
    double sum = 0.0;
    for (size_t i = 0; i < l->items; i++)
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++) {
            const double *x = f->side[0].mean + i * f->own,
                         *z = f->side[1].mean + l->other[e] * f->own;
            double p = x[f->rank] + z[f->rank];
            for (size_t k = 0; k < f->rank; k++)
                p += x[k] * z[k];
            double off = l->value[e] - f->ratings->center - f->scale * p;
            sum += off * off;
        }
    return sum / (double)test->n;
}

static gbs_status try_levels(const struct gbs_left_out *l, gbs_ratings *const part[2],
                             struct gbs_level_candidate c, size_t sweeps, double *error) {
    struct gbs_level_attempt a;
    gbs_status status = gbs_attempt_begin(l->r, part[0], c, &a);
    if (status == GBS_OK)
        status = gbs_attempt_ascend(l->r, sweeps, &a);
    if (status == GBS_OK)
        *error = level_error(&a.f, part[1]);
    gbs_attempt_free(l->r->ctx, &a);
    return status;
}

/* The paper's model, its noise learned. */
static gbs_status try_paper(const struct gbs_left_out *l, gbs_ratings *const part[2],
                            struct gbs_level_candidate c, double *error) {
    gbs_complete_settings once = gbs_completion_paper_settings(l->r->o, c.rank);
    struct gbs_completion_run one = {.ctx = l->r->ctx, .o = &once, .all = part[0]};
    gbs_status status = gbs_completion_ascend(&one, part[0], "choosing the model");
    const gbs_rating_list *t = &part[1]->by[0];
    double sum = 0.0;
    for (size_t i = 0; status == GBS_OK && i < t->items; i++)
        for (size_t e = t->start[i]; e < t->start[i + 1]; e++) {
            double off = t->value[e] - gbs_completion_mean_cell(&one.f, i, t->other[e]);
            sum += off * off;
        }
    *error = sum / (double)part[1]->n;
    if (one.f.ctx != NULL)
        gbs_factors_free(&one.f);
    return status;
}

gbs_status gbs_left_out_errors(const struct gbs_left_out *l, struct gbs_level_candidate c,
                               size_t sweeps, double *error) {
    const struct gbs_completion_run *r = l->r;
    size_t n = r->learned->n, *pick = l->order + n;
    gbs_status status = GBS_OK;
    for (size_t p = 0; p < l->parts && status == GBS_OK; p++) {
        gbs_ratings *part[2] = {NULL, NULL};
        for (size_t e = 0; e < n; e++) /* those left out first */
            pick[e] = l->order[(e + p * l->out) % n];
        status = gbs_ratings_subset(r->ctx, r->learned, n - l->out, pick + l->out, &part[0]);
        if (status == GBS_OK)
            status = gbs_ratings_subset(r->ctx, r->learned, l->out, pick, &part[1]);
        if (status == GBS_OK)
            status = c.model == GBS_COMPLETION_PAPER ? try_paper(l, part, c, &error[p])
                                                     : try_levels(l, part, c, sweeps, &error[p]);
        gbs_ratings_free(part[0]);
        gbs_ratings_free(part[1]);
    }
    return status;
}
