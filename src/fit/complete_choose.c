/* The noise by cross-validation: the ratings are dealt out in folds at random, the noise variance
 * with the smallest squared error of mean predictions of ratings that were left out is taken
 * (lambda = ratings / (2 noise variance) says the same).
 *
 * Candidates: the caller's, or noise learned in each fold and 1/4, 1/2, 2 and 4 times what the
 * ratings teach. A row or column that a fold has no rating of is predicted by its prior mean, as it
 * would be in use.
 */
#include "core/random.h"
#include "fit/complete.h"

#include <math.h>
#include <string.h>

static const double multiples[] = {1.0, 0.25, 0.5, 2.0, 4.0}; /* the first: learned */
enum { MULTIPLES = sizeof multiples / sizeof *multiples };

struct folds {
    struct gbs_completion_run *r;
    const gbs_ratings *ratings;
    size_t count, *order; /* fold k: the ratings order[from(k)] .. order[from(k + 1) - 1] */
    uint32_t *owner;      /* row of each rating, in the order of by[0] */
    size_t *pick;
    double *error; /* candidates x folds: sum of squares */
};

static size_t from(const struct folds *v, size_t k) {
    return k * v->ratings->n / v->count;
}

static gbs_status create_folds(struct folds *v, size_t candidates) {
    gbs_context *ctx = v->r->ctx;
    size_t n = v->ratings->n;
    const gbs_rating_list *l = &v->ratings->by[0];
    v->order = gbs_array_alloc(ctx, n, sizeof *v->order);
    v->pick = gbs_array_alloc(ctx, n, sizeof *v->pick);
    v->owner = gbs_array_alloc(ctx, n, sizeof *v->owner);
    v->error = gbs_matrix(ctx, candidates, v->count);
    if (v->order == NULL || v->pick == NULL || v->owner == NULL || v->error == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < l->items; i++)
        for (size_t e = l->start[i]; e < l->start[i + 1]; e++)
            v->owner[e] = (uint32_t)i;
    for (size_t e = 0; e < n; e++)
        v->order[e] = e;
    gbs_shuffle(ctx->seed, GBS_STREAM_COMPLETION + GBS_COMPLETION_FOLDS, n, v->order);
    return GBS_OK;
}

static void free_folds(struct folds *v) {
    gbs_context *ctx = v->r->ctx;
    gbs_array_free(ctx, v->order);
    gbs_array_free(ctx, v->pick);
    gbs_array_free(ctx, v->owner);
    gbs_array_free(ctx, v->error);
}

static double held_out(const struct folds *v, size_t k, const gbs_factors *f) {
    const gbs_complete_settings *o = v->r->o;
    double sum = 0.0;
    for (size_t at = from(v, k); at < from(v, k + 1); at++) {
        size_t e = v->order[at];
        double p = gbs_completion_mean_cell(f, v->owner[e], v->ratings->by[0].other[e]);
        p = o->has_range ? gbs_rating_clip(p, o->low, o->high) : p;
        double off = v->ratings->by[0].value[e] - p;
        sum += off * off;
    }
    return sum;
}

/* Every candidate without fold k. */
static gbs_status judge_fold(struct folds *v, size_t k, size_t candidates,
                             gbs_noise_choice *choices) {
    struct gbs_completion_run *r = v->r;
    gbs_ratings *rest = NULL;
    size_t n = v->ratings->n, left = from(v, k), right = from(v, k + 1);
    memcpy(v->pick, v->order, left * sizeof *v->pick);
    memcpy(v->pick + left, v->order + right, (n - right) * sizeof *v->pick);
    gbs_status status = gbs_ratings_subset(r->ctx, v->ratings, left + n - right, v->pick, &rest);
    for (size_t c = 0; c < candidates && status == GBS_OK; c++) {
        gbs_complete_settings once = *r->o;
        struct gbs_completion_run one = {.ctx = r->ctx, .o = &once, .all = v->ratings};
        once.restarts = 1;
        one.noise_variance = choices[c].learned ? 0.0 : choices[c].noise_variance;
        status = gbs_completion_ascend(&one, rest, "choosing the noise");
        if (status == GBS_OK) {
            v->error[c * v->count + k] = held_out(v, k, &one.f);
            choices[c].effective_rank += (double)one.f.rank / (double)v->count;
            choices[c].not_converged += !one.ascent.converged;
        }
        if (one.f.ctx != NULL)
            gbs_factors_free(&one.f);
    }
    gbs_ratings_free(rest);
    return status;
}

/* Root mean square over all held-out ratings; its standard error from the spread of the folds
 * (delta method). */
static void score(const struct folds *v, size_t c, gbs_noise_choice *choice) {
    double n = (double)v->ratings->n, folds = (double)v->count, sum = 0.0, squares = 0.0;
    for (size_t k = 0; k < v->count; k++)
        sum += v->error[c * v->count + k];
    for (size_t k = 0; k < v->count; k++) {
        double size = (double)(from(v, k + 1) - from(v, k)),
               off = v->error[c * v->count + k] / size - sum / n;
        squares += off * off;
    }
    choice->rmse = sqrt(sum / n);
    choice->rmse_se = choice->rmse > 0.0
                          ? sqrt(squares / (folds * (folds - 1.0))) / (2.0 * choice->rmse)
                          : 0.0;
}

static gbs_status list_candidates(struct gbs_completion_run *r, const gbs_ratings *ratings) {
    const gbs_complete_settings *o = r->o;
    double n = (double)r->all->n, learned = 0.0;
    r->n_choices = o->lambda_grid_size > 0 ? o->lambda_grid_size : MULTIPLES;
    r->choices = gbs_array_alloc(r->ctx, r->n_choices, sizeof *r->choices);
    if (r->choices == NULL)
        return GBS_ERR_MEMORY;
    if (o->lambda_grid_size == 0) {
        gbs_complete_settings once = *o;
        struct gbs_completion_run one = {.ctx = r->ctx, .o = &once, .all = ratings};
        once.restarts = 1;
        gbs_status status = gbs_completion_ascend(&one, ratings, "choosing the noise");
        learned = status == GBS_OK ? 1.0 / one.f.tau : 0.0;
        if (one.f.ctx != NULL)
            gbs_factors_free(&one.f);
        if (status != GBS_OK)
            return status;
    }
    for (size_t c = 0; c < r->n_choices; c++) {
        double noise = o->lambda_grid_size > 0 ? n / (2.0 * o->lambda_grid[c])
                                               : multiples[c] * learned;
        r->choices[c] = (gbs_noise_choice){.noise_variance = noise,
                                           .lambda = n / (2.0 * noise),
                                           .learned = o->lambda_grid_size == 0 && c == 0,
                                           .model = GBS_COMPLETION_PAPER,
                                           .rank = o->rank};
    }
    return GBS_OK;
}

gbs_status gbs_completion_choose_noise(struct gbs_completion_run *r, const gbs_ratings *ratings) {
    struct folds v = {.r = r, .ratings = ratings, .count = r->o->folds};
    if (ratings->n < v.count)
        return gbs_fail(r->ctx, GBS_ERR_DATA,
                        "%zu folds need at least as many ratings; there are %zu to choose from",
                        v.count, ratings->n);
    gbs_status status = list_candidates(r, ratings);
    if (status == GBS_OK)
        status = create_folds(&v, r->n_choices);
    for (size_t k = 0; k < v.count && status == GBS_OK; k++)
        status = judge_fold(&v, k, r->n_choices, r->choices);
    size_t best = 0;
    for (size_t c = 0; c < r->n_choices && status == GBS_OK; c++) {
        score(&v, c, &r->choices[c]);
        /* an error that overflowed is the worst of all */
        if (r->choices[c].rmse < r->choices[best].rmse || isnan(r->choices[best].rmse))
            best = c;
    }
    if (status == GBS_OK) {
        r->choices[best].taken = 1;
        r->noise_variance = r->choices[best].learned ? 0.0 : r->choices[best].noise_variance;
    }
    free_folds(&v);
    return status;
}
