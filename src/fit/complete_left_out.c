/* Errors of candidates on ratings that were left out (docs/maths.md, 8.18). */
#include "core/random.h"
#include "fit/complete_levels.h"

#include <math.h>

enum { MOST_LEFT_OUT = 100000 };

size_t gbs_left_out_of(size_t n) {
    return n / 10 < MOST_LEFT_OUT ? n / 10 : MOST_LEFT_OUT;
}

double gbs_left_out_mean(size_t parts, const double *error) {
    double sum = 0.0;
    for (size_t p = 0; p < parts; p++)
        sum += error[p];
    return sum / (double)parts;
}

bool gbs_left_out_below(size_t parts, const double *a, const double *b, double errors) {
    double gain = gbs_left_out_mean(parts, a) - gbs_left_out_mean(parts, b), square = 0.0;
    for (size_t p = 0; parts > 1 && p < parts; p++) {
        double away = a[p] - b[p] - gain;
        square += away * away / (double)(parts * (parts - 1));
    }
    return gain > errors * sqrt(square);
}

gbs_status gbs_left_out_begin(const struct gbs_completion_run *r, size_t parts, size_t out,
                              struct gbs_left_out *l) {
    *l = (struct gbs_left_out){.r = r, .parts = parts, .out = out};
    return gbs_ratings_shuffled(r->ctx, r->learned, r->ctx->seed,
                                GBS_STREAM_COMPLETION + GBS_COMPLETION_LEFT_OUT, parts > 1,
                                &l->order);
}

void gbs_left_out_end(struct gbs_left_out *l) {
    gbs_array_free(l->r->ctx, l->order);
    l->order = NULL;
}

gbs_status gbs_left_out_part(const struct gbs_left_out *l, size_t p, gbs_ratings *part[2]) {
    const struct gbs_completion_run *r = l->r;
    size_t n = r->learned->n;
    const size_t *pick = l->order + p * l->out % n; /* those left out first */
    part[0] = part[1] = NULL;
    gbs_status status = gbs_ratings_subset(r->ctx, r->learned, n - l->out, pick + l->out, &part[0]);
    return status == GBS_OK ? gbs_ratings_subset(r->ctx, r->learned, l->out, pick, &part[1])
                            : status;
}

static gbs_status try_levels(const struct gbs_left_out *l, gbs_ratings *const part[2],
                             struct gbs_level_candidate c, size_t sweeps, double *error,
                             struct gbs_missed *m) {
    struct gbs_level_attempt a;
    gbs_status status = gbs_attempt_begin(l->r, part[0], c, NULL, &a);
    if (status == GBS_OK)
        status = gbs_attempt_ascend(l->r, sweeps, &a);
    if (status == GBS_OK)
        status = gbs_levels_miss(&a.f, part[1], m, error);
    gbs_attempt_free(l->r->ctx, &a);
    return status;
}

static gbs_status try_paper(const struct gbs_left_out *l, gbs_ratings *const part[2], size_t rank,
                            double *error, struct gbs_missed *m) {
    gbs_factors f;
    gbs_status status = gbs_paper_attempt(l->r, part[0], rank, NULL, &f);
    if (status == GBS_OK)
        status = gbs_paper_miss(&f, part[1], m, error);
    if (f.ctx != NULL)
        gbs_factors_free(&f);
    return status;
}

gbs_status gbs_left_out_errors(const struct gbs_left_out *l, struct gbs_level_candidate c,
                               size_t sweeps, double *error, struct gbs_missed *m) {
    gbs_status status = GBS_OK;
    m->n = 0;
    for (size_t p = 0; p < l->parts && status == GBS_OK; p++) {
        gbs_ratings *part[2];
        gbs_stretch all = gbs_progress_narrow(l->r->ctx, (double)p / (double)l->parts,
                                           (double)(p + 1) / (double)l->parts);
        status = gbs_left_out_part(l, p, part);
        if (status == GBS_OK)
            status = c.model == GBS_COMPLETION_PAPER ? try_paper(l, part, c.rank, &error[p], m)
                                                     : try_levels(l, part, c, sweeps, &error[p], m);
        gbs_ratings_free(part[0]);
        gbs_ratings_free(part[1]);
        gbs_progress_widen(l->r->ctx, all);
    }
    return status;
}
