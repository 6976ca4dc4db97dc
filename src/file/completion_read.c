/* Reading of completion files (completion_write.c says what is in them). Nothing in a file is
 * trusted. */
#include "core/check.h"
#include "file/completion_binary.h"
#include "file/json_numbers.h"
#include "file/json_text.h"
#include "file/origin_file.h"
#include "kernel/moments.h"
#include "model/completion.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINARY_FORMAT = 3 };

static const char *prior_name(int i) {
    return gbs_prior_name((gbs_prior_kind)i);
}

static const char *model_name(int i) {
    return gbs_completion_model_name((gbs_completion_model)i);
}

static const char *sampler_name(int i) {
    return gbs_sampler_name((gbs_sampler)i);
}

static gbs_status damaged(gbs_context *ctx, const char *what) {
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: %s", what);
}

static gbs_status get_head(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    const char *kind = json_string_value(json_object_get(root, "kind"));
    gbs_completion_info *i = &c->info;
    const json_t *range = json_object_get(root, "range");
    size_t format;
    if (kind == NULL || strcmp(kind, "completion") != 0 ||
        !json_is_string(json_object_get(root, "gibbsite")))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "not a gibbsite completion file");
    TRY(gbs_json_get_size(ctx, root, "format", INT_MAX, &format));
    if (format < 1 || format > GBS_COMPLETION_FORMAT)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "a completion of format %zu; this version reads formats 1 to %d", format,
                        (int)GBS_COMPLETION_FORMAT);
    c->model = format == 1 ? GBS_COMPLETION_PAPER : GBS_COMPLETION_HIERARCHICAL;
    if (format == BINARY_FORMAT) {
        int choice;
        TRY(gbs_json_get_choice(ctx, root, "model", model_name, &choice));
        c->model = (gbs_completion_model)choice;
    }
    TRY(gbs_json_get_size(ctx, root, "n", SIZE_MAX / 16, &i->n));
    TRY(gbs_json_get_size(ctx, root, "n_rows", UINT32_MAX - 1, &i->rows));
    TRY(gbs_json_get_size(ctx, root, "n_columns", UINT32_MAX - 1, &i->columns));
    TRY(gbs_json_get_size(ctx, root, "effective_rank", GBS_COMPLETION_MOST_RANK,
                          &i->effective_rank));
    TRY(gbs_json_get_bool(ctx, root, "biases", &i->biases));
    TRY(gbs_json_get_size(ctx, root, "kept", INT_MAX, &c->kept));
    c->own = i->effective_rank + (i->biases ? 1 : 0);
    if (i->n == 0 || i->rows == 0 || i->columns == 0 || c->kept == 0)
        return damaged(ctx, "a size is zero");
    i->has_range = range != NULL;
    if (range != NULL) {
        double *ends = NULL;
        TRY(gbs_json_get_reals(ctx, root, "range", 2, &ends));
        i->low = ends[0];
        i->high = ends[1];
        gbs_array_free(ctx, ends);
        if (!(i->low < i->high))
            return damaged(ctx, "its range is empty");
    }
    return GBS_OK;
}

static gbs_status get_fit(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    const json_t *o = json_object_get(root, "fit");
    gbs_completion_info *i = &c->info;
    int choice;
    TRY(gbs_json_get_size(ctx, o, "rank", GBS_COMPLETION_MOST_RANK, &i->rank));
    TRY(gbs_json_get_bool(ctx, o, "noise_learned", &i->noise_learned));
    TRY(gbs_json_get_real(ctx, o, "lambda", &i->lambda));
    TRY(gbs_json_get_real(ctx, o, "noise_variance", &i->noise_variance));
    TRY(gbs_json_get_real(ctx, o, "free_energy", &i->free_energy));
    TRY(gbs_json_get_real(ctx, o, "kl", &i->kl));
    TRY(gbs_json_get_real(ctx, o, "rmse", &i->rmse));
    TRY(gbs_json_get_real(ctx, o, "mu", &i->mu));
    TRY(gbs_json_get_size(ctx, o, "sweeps", SIZE_MAX / 16, &i->sweeps));
    TRY(gbs_json_get_bool(ctx, o, "converged", &i->converged));
    TRY(gbs_json_get_choice(ctx, o, "prior", prior_name, &choice));
    i->prior = (gbs_prior_kind)choice;
    TRY(gbs_json_get_real(ctx, o, "prior_split", &i->prior_split));
    TRY(gbs_json_get_choice(ctx, o, "sampler", sampler_name, &choice));
    i->sampler = (gbs_sampler)choice;
    TRY(gbs_json_get_size(ctx, o, "draws", SIZE_MAX / 16, &i->draws));
    TRY(gbs_json_get_size(ctx, o, "burn_in", SIZE_MAX / 16, &i->burn_in));
    TRY(gbs_json_get_real(ctx, o, "seconds", &i->seconds));
    TRY(gbs_json_get_real_or_nan(ctx, o, "ratings_mean", &i->mean));
    TRY(gbs_json_get_real_or_nan(ctx, o, "ratings_sd", &i->sd));
    if (json_object_get(o, "folds") != NULL)
        TRY(gbs_json_get_size(ctx, o, "folds", INT_MAX, &i->folds));
    i->kept = i->sampler == GBS_SAMPLER_GIBBS ? c->kept : 0;
    if (!(i->noise_variance > 0.0) || (i->sampler == GBS_SAMPLER_VB && c->kept != 1))
        return damaged(ctx, "its noise or its number of draws is out of range");
    return GBS_OK;
}

/* Files have squared errors over the width of the range; of values that are predicted their roots
 * are told, in units of the ratings. */
static gbs_status get_certificate(gbs_context *ctx, const json_t *root,
                                  const gbs_completion_info *i, gbs_rating_certificate *c) {
    const json_t *o = json_object_get(root, "certificate");
    if (o == NULL || json_is_null(o))
        return GBS_OK;
    c->present = 1;
    TRY(gbs_json_get_real(ctx, o, "value", &c->squared));
    TRY(gbs_json_get_real(ctx, o, "rmse", &c->rmse));
    TRY(gbs_json_get_real(ctx, o, "confidence", &c->confidence));
    TRY(gbs_json_get_size(ctx, o, "n", SIZE_MAX / 16, &c->n));
    TRY(gbs_json_get_real(ctx, o, "empirical", &c->squared_empirical));
    TRY(gbs_json_get_real(ctx, o, "empirical_upper", &c->empirical_upper));
    TRY(gbs_json_get_size(ctx, o, "draws", SIZE_MAX / 16, &c->draws));
    TRY(gbs_json_get_real(ctx, o, "draws_delta", &c->draws_delta));
    TRY(gbs_json_get_real(ctx, o, "kl", &c->kl));
    TRY(gbs_json_get_real(ctx, o, "grid_nats", &c->grid_nats));
    TRY(gbs_json_get_real(ctx, o, "xi_nats", &c->xi_nats));
    TRY(gbs_json_get_real_or_nan(ctx, o, "middle_rmse", &c->middle_rmse));
    TRY(gbs_json_get_real_or_nan(ctx, o, "holdout_rmse", &c->holdout_rmse));
    c->value = c->draws > 0 ? c->squared : c->rmse;
    c->empirical = c->squared_empirical;
    if (c->draws == 0)
        c->empirical = c->empirical_upper = (i->high - i->low) * sqrt(c->squared_empirical);
    return gbs_json_get_bool(ctx, o, "vacuous", &c->vacuous);
}

static gbs_status get_choice(gbs_context *ctx, const json_t *o, gbs_noise_choice *x) {
    int choice = GBS_COMPLETION_PAPER; /* the only one of older files */
    TRY(gbs_json_get_real_or_nan(ctx, o, "noise_variance", &x->noise_variance));
    TRY(gbs_json_get_real_or_nan(ctx, o, "lambda", &x->lambda));
    TRY(gbs_json_get_bool(ctx, o, "learned", &x->learned));
    if (json_object_get(o, "model") != NULL) {
        TRY(gbs_json_get_choice(ctx, o, "model", model_name, &choice));
        TRY(gbs_json_get_size(ctx, o, "rank", GBS_COMPLETION_MOST_RANK, &x->rank));
    }
    x->model = (gbs_completion_model)choice;
    TRY(gbs_json_get_bool(ctx, o, "taken", &x->taken));
    TRY(gbs_json_get_real(ctx, o, "rmse", &x->rmse));
    TRY(gbs_json_get_real(ctx, o, "rmse_se", &x->rmse_se));
    TRY(gbs_json_get_real(ctx, o, "effective_rank", &x->effective_rank));
    return gbs_json_get_size(ctx, o, "not_converged", INT_MAX, &x->not_converged);
}

/* Neither is in the files of the first versions. */
static gbs_status get_history(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    const json_t *choices = json_object_get(root, "choices"),
                 *restarts = json_object_get(root, "restarts");
    if ((choices != NULL && !json_is_array(choices)) ||
        (restarts != NULL && !json_is_array(restarts)))
        return damaged(ctx, "'choices' and 'restarts' should be lists");
    c->n_choices = json_array_size(choices);
    if (c->n_choices > 0 &&
        (c->choices = gbs_array_alloc(ctx, c->n_choices, sizeof *c->choices)) == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < c->n_choices; k++)
        TRY(get_choice(ctx, json_array_get(choices, k), &c->choices[k]));
    c->n_restarts = json_array_size(restarts);
    if (c->n_restarts > 0)
        TRY(gbs_json_get_reals(ctx, root, "restarts", c->n_restarts, &c->restarts));
    return GBS_OK;
}

static gbs_status get_texts(gbs_context *ctx, const json_t *array, size_t items, char ***id,
                            char **block) {
    if (!json_is_array(array) || json_array_size(array) != items)
        return damaged(ctx, "'id' should be a list of as many texts as there are rows or columns");
    const char **list = gbs_array_alloc(ctx, items, sizeof *list);
    gbs_status status = list != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; i < items && status == GBS_OK; i++)
        if ((list[i] = json_string_value(json_array_get(array, i))) == NULL)
            status = damaged(ctx, "'id' has something that is not a text");
    if (status == GBS_OK)
        status = gbs_texts_copy(ctx, items, list, id, block);
    gbs_array_free(ctx, list);
    return status;
}

/* Diagonals of packed covariances. */
static gbs_status check_variances(gbs_context *ctx, const double *cov, size_t items, size_t own) {
    for (size_t i = 0; i < items; i++, cov += gbs_packed_size(own))
        for (size_t k = 0; k < own; k++)
            if (!(cov[gbs_packed(own, k)] >= 0.0))
                return damaged(ctx, "a variance is negative");
    return GBS_OK;
}

static gbs_status get_side(gbs_context *ctx, const json_t *root, gbs_completion *c, int s) {
    const json_t *o = json_object_get(root, s == 0 ? "rows" : "columns");
    size_t items = s == 0 ? c->info.rows : c->info.columns, count, packed = gbs_packed_size(c->own);
    if (__builtin_mul_overflow(c->kept, items, &count) ||
        __builtin_mul_overflow(count, c->own, &count) ||
        __builtin_mul_overflow(items, packed, &(size_t){0}))
        return damaged(ctx, "it has too many numbers");
    TRY(get_texts(ctx, json_object_get(o, "id"), items, &c->id[s], &c->texts[s]));
    TRY(gbs_json_get_reals(ctx, o, "mean", count, &c->mean[s]));
    return c->info.sampler == GBS_SAMPLER_VB
               ? gbs_json_get_reals(ctx, o, "covariance", items * packed, &c->cov[s])
               : GBS_OK;
}

static gbs_status get_hierarchical(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    if (c->model == GBS_COMPLETION_PAPER)
        return GBS_OK;
    size_t packed = gbs_packed_size(c->own), count;
    if (!c->info.biases)
        return damaged(ctx, "the hierarchical model has biases");
    if (__builtin_mul_overflow(c->kept, packed, &count))
        return damaged(ctx, "it has too many numbers");
    TRY(gbs_json_get_bool(ctx, root, "positions", &c->positions));
    c->features = json_is_true(json_object_get(root, "features"));
    for (int s = 0; s < 2; s++) {
        const json_t *o = json_object_get(root, s == 0 ? "new_row" : "new_column");
        TRY(gbs_json_get_reals(ctx, o, "mean", c->kept * c->own, &c->prior_mean[s]));
        TRY(gbs_json_get_reals(ctx, o, "covariance", count, &c->prior_cov[s]));
        TRY(check_variances(ctx, c->prior_cov[s], c->kept, c->own));
    }
    return GBS_OK;
}

/* The noise of the rows, wherever it came from. */
static gbs_status check_noise(gbs_context *ctx, const gbs_completion *c) {
    for (size_t i = 0; c->noise != NULL && i <= c->info.rows; i++)
        if (!(c->noise[i] > 0.0))
            return damaged(ctx, "a noise variance is not positive");
    return GBS_OK;
}

/* Files in which it is 1, and those of earlier versions, do not name it. */
static gbs_status get_inflation(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    c->inflation = 1.0;
    if (json_object_get(root, "inflation") == NULL)
        return GBS_OK;
    TRY(gbs_json_get_real(ctx, root, "inflation", &c->inflation));
    return c->inflation > 0.0 ? GBS_OK : damaged(ctx, "the inflation is not positive");
}

/* Files of earlier versions, and those of no sampler, do not name it. */
static gbs_status get_monte_carlo(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    double *both = NULL;
    if (json_object_get(root, "monte_carlo") == NULL)
        return GBS_OK;
    TRY(gbs_json_get_reals(ctx, root, "monte_carlo", 2, &both));
    bool sound = both[0] > 0.0 && both[1] > 0.0;
    memcpy(c->monte_carlo, both, sizeof c->monte_carlo);
    gbs_array_free(ctx, both);
    return sound ? GBS_OK : damaged(ctx, "a Monte Carlo error is not positive");
}

static gbs_status get_seen(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    const json_t *seen = json_object_get(root, "seen");
    if (!json_is_array(seen) || json_array_size(seen) != c->info.rows)
        return damaged(ctx, "'seen' should be a list for each row");
    c->seen_start = gbs_array_alloc(ctx, c->info.rows + 1, sizeof *c->seen_start);
    if (c->seen_start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < c->info.rows; i++)
        c->seen_start[i + 1] = c->seen_start[i] + json_array_size(json_array_get(seen, i));
    c->seen = gbs_array_alloc(ctx, c->seen_start[c->info.rows], sizeof *c->seen);
    if (c->seen == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0, at = 0; i < c->info.rows; i++)
        for (size_t k = 0; k < json_array_size(json_array_get(seen, i)); k++) {
            const json_t *x = json_array_get(json_array_get(seen, i), k);
            if (!json_is_integer(x) || json_integer_value(x) < 0 ||
                (size_t)json_integer_value(x) >= c->info.columns)
                return damaged(ctx, "'seen' has something that is not a column");
            c->seen[at++] = (uint32_t)json_integer_value(x);
        }
    return GBS_OK;
}

/* The long arrays of a file that is text alone. */
static gbs_status get_lists(gbs_context *ctx, const json_t *root, gbs_completion *c) {
    if (c->model == GBS_COMPLETION_HIERARCHICAL)
        TRY(gbs_json_get_reals(ctx, root, "noise", c->info.rows + 1, &c->noise));
    TRY(get_side(ctx, root, c, 0));
    TRY(get_side(ctx, root, c, 1));
    return get_seen(ctx, root, c);
}

/* binary NULL: there is no such part. */
static gbs_status get_all(gbs_context *ctx, const json_t *root, const unsigned char *binary,
                          size_t size, gbs_completion *c) {
    TRY(get_head(ctx, root, c));
    TRY(get_fit(ctx, root, c));
    TRY(get_certificate(ctx, root, &c->info, &c->certificate));
    TRY(get_history(ctx, root, c));
    TRY(gbs_json_get_reals(ctx, root, "mu", c->kept, &c->mu));
    TRY(gbs_json_get_real(ctx, root, "mu_variance", &c->mu_variance));
    TRY(gbs_json_get_reals(ctx, root, "variance", c->kept * gbs_completion_groups(c),
                           &c->variance));
    for (size_t g = 0; g < c->kept * gbs_completion_groups(c); g++)
        if (!(c->variance[g] >= 0.0))
            return damaged(ctx, "a variance is negative");
    TRY(get_hierarchical(ctx, root, c));
    TRY(gbs_json_get_origin(ctx, root, &c->origin));
    TRY(gbs_json_get_real_or_nan(ctx, root, "mae_bound", &c->mae_bound));
    TRY(gbs_json_get_real_or_nan(ctx, root, "miss_bound", &c->miss_bound));
    TRY(get_inflation(ctx, root, c));
    TRY(get_monte_carlo(ctx, root, c));
    if ((json_object_get(root, "binary") != NULL) != (binary != NULL))
        return damaged(ctx,
                       binary != NULL ? "bytes follow its text" : "its binary part is missing");
    TRY(binary != NULL ? gbs_completion_get_binary(ctx, root, binary, size, c)
                       : get_lists(ctx, root, c));
    TRY(gbs_completion_count_rated(ctx, c));
    for (int s = 0; s < 2; s++)
        if (c->cov[s] != NULL)
            TRY(check_variances(ctx, c->cov[s], s == 0 ? c->info.rows : c->info.columns, c->own));
    return check_noise(ctx, c);
}

gbs_status gbs_completion_from_json(gbs_context *ctx, const char *text, size_t size,
                                    gbs_completion **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, text);
    json_t *root;
    /* JSON has no zero byte: the first one ends the text */
    const char *end = memchr(text, '\0', size);
    size_t head = end != NULL ? (size_t)(end - text) : size;
    TRY(gbs_json_parse(ctx, text, head, GBS_JSON_LEVELS,
                       "expected a gibbsite model, found no whole JSON text", &root));
    gbs_completion *c = gbs_handle_alloc(ctx, sizeof *c);
    gbs_status status = GBS_ERR_MEMORY;
    if (c != NULL) {
        c->ctx = ctx;
        status = get_all(ctx, root, end != NULL ? (const unsigned char *)end + 1 : NULL,
                         end != NULL ? size - head - 1 : 0, c);
    }
    json_decref(root);
    if (status != GBS_OK)
        gbs_completion_free(c);
    else
        *out = c;
    return status;
}
