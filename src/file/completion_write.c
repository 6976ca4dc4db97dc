/* Completion files: versioned JSON, like model files (model_write.c). "kind" is "completion"; the
 * numbers of each row and column, and which cells were rated, come last.
 *
 * These arrays are nearly all of a file (17 million numbers for 10^5 items of 16 components), and a
 * tree of JSON values would take ten times their memory. They are written as text at once, into a
 * buffer for the longest texts they can have; very long ones are written as bytes
 * (completion_binary.h).
 */
#include "core/check.h"
#include "file/completion_binary.h"
#include "file/json_numbers.h"
#include "file/json_text.h"
#include "file/origin_file.h"
#include "kernel/moments.h"
#include "model/completion.h"
#include "table/shown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool put_count(json_t *object, const char *key, size_t x) {
    return gbs_json_put(object, key, json_integer((json_int_t)x));
}

static bool put_real(json_t *object, const char *key, double x) {
    return gbs_json_put(object, key, gbs_json_real_or_null(x));
}

/* Squared errors over the width of the range, whatever the certificate is about. */
static bool put_certificate(json_t *root, const gbs_rating_certificate *c) {
    double upper = c->draws > 0 ? c->empirical_upper : c->squared_empirical;
    if (!c->present)
        return gbs_json_put(root, "certificate", json_null());
    json_t *o = json_object();
    return gbs_json_put(root, "certificate", o) && put_real(o, "value", c->squared) &&
           put_real(o, "rmse", c->rmse) && put_real(o, "confidence", c->confidence) &&
           put_count(o, "n", c->n) && put_real(o, "empirical", c->squared_empirical) &&
           put_real(o, "empirical_upper", upper) && put_count(o, "draws", c->draws) &&
           put_real(o, "draws_delta", c->draws_delta) && put_real(o, "kl", c->kl) &&
           put_real(o, "grid_nats", c->grid_nats) && put_real(o, "xi_nats", c->xi_nats) &&
           gbs_json_put(o, "vacuous", json_boolean(c->vacuous)) &&
           put_real(o, "middle_rmse", c->middle_rmse) &&
           put_real(o, "holdout_rmse", c->holdout_rmse);
}

static bool put_fit(json_t *root, const gbs_completion_info *i) {
    json_t *o = json_object();
    return gbs_json_put(root, "fit", o) && put_count(o, "rank", i->rank) &&
           gbs_json_put(o, "noise_learned", json_boolean(i->noise_learned)) &&
           put_real(o, "lambda", i->lambda) && put_real(o, "noise_variance", i->noise_variance) &&
           put_real(o, "free_energy", i->free_energy) && put_real(o, "kl", i->kl) &&
           put_real(o, "rmse", i->rmse) && put_real(o, "mu", i->mu) &&
           put_count(o, "sweeps", i->sweeps) &&
           gbs_json_put(o, "converged", json_boolean(i->converged)) &&
           gbs_json_put(o, "prior", json_string(gbs_prior_name(i->prior))) &&
           put_real(o, "prior_split", i->prior_split) &&
           gbs_json_put(o, "sampler", json_string(gbs_sampler_name(i->sampler))) &&
           put_count(o, "draws", i->draws) && put_count(o, "burn_in", i->burn_in) &&
           put_real(o, "ratings_mean", i->mean) && put_real(o, "ratings_sd", i->sd) &&
           put_count(o, "folds", i->folds) && put_real(o, "seconds", i->seconds);
}

static bool put_choices(json_t *root, const gbs_completion *c) {
    json_t *array = json_array();
    if (!gbs_json_put(root, "choices", array))
        return false;
    for (size_t k = 0; k < c->n_choices; k++) {
        const gbs_noise_choice *x = &c->choices[k];
        json_t *o = json_object();
        if (json_array_append_new(array, o) != 0 ||
            !put_real(o, "noise_variance", x->noise_variance) ||
            !put_real(o, "lambda", x->lambda) ||
            !gbs_json_put(o, "learned", json_boolean(x->learned)) ||
            !gbs_json_put(o, "taken", json_boolean(x->taken)) || !put_real(o, "rmse", x->rmse) ||
            !put_real(o, "rmse_se", x->rmse_se) ||
            !put_real(o, "effective_rank", x->effective_rank) ||
            !put_count(o, "not_converged", x->not_converged) ||
            !gbs_json_put(o, "model", json_string(gbs_completion_model_name(x->model))) ||
            !put_count(o, "rank", x->rank))
            return false;
    }
    return true;
}

/* What only that model has; its noises are rows + 1, the last that of a row without ratings. */
static bool put_hierarchical(json_t *root, const gbs_completion *c, bool binary) {
    bool ok = gbs_json_put(root, "positions", json_boolean(c->positions)) &&
              (!c->features || gbs_json_put(root, "features", json_true())) &&
              (binary || gbs_json_put(root, "noise", gbs_json_reals(c->noise, c->info.rows + 1)));
    for (int s = 0; s < 2; s++) {
        json_t *o = json_object();
        ok = ok && gbs_json_put(root, s == 0 ? "new_row" : "new_column", o) &&
             gbs_json_put(o, "mean", gbs_json_reals(c->prior_mean[s], c->kept * c->own)) &&
             gbs_json_put(o, "covariance",
                          gbs_json_reals(c->prior_cov[s], c->kept * gbs_packed_size(c->own)));
    }
    return ok;
}

/* For people. */
static const char about[] = "a completed matrix: means and covariances of the factors of rows and "
                            "columns (rows of upper triangles), the bias last; "
                            "see gibbsite help complete";

static bool put_head(json_t *root, const gbs_completion *c, bool binary) {
    const gbs_completion_info *i = &c->info;
    bool paper = c->model == GBS_COMPLETION_PAPER; /* as earlier versions read it */
    bool ok = gbs_json_put(root, "gibbsite", json_string(GBS_VERSION)) &&
              gbs_json_put(root, "about", json_string(about)) &&
              gbs_json_put(root, "format",
                           json_integer(binary  ? GBS_COMPLETION_FORMAT
                                        : paper ? 1
                                                : 2)) &&
              gbs_json_put(root, "kind", json_string("completion")) &&
              gbs_json_put(root, "task", json_string("complete")) && put_count(root, "n", i->n) &&
              put_count(root, "n_rows", i->rows) && put_count(root, "n_columns", i->columns) &&
              put_count(root, "effective_rank", i->effective_rank) &&
              gbs_json_put(root, "biases", json_boolean(i->biases)) &&
              put_count(root, "kept", c->kept) && put_fit(root, i) &&
              put_certificate(root, &c->certificate) && put_choices(root, c) &&
              gbs_json_put(root, "restarts", gbs_json_reals(c->restarts, c->n_restarts));
    if (!paper || binary)
        ok = ok && gbs_json_put(root, "model", json_string(gbs_completion_model_name(c->model)));
    if (!paper)
        ok = ok && put_hierarchical(root, c, binary);
    if (!paper || (c->certificate.present && c->certificate.draws == 0))
        ok = ok && put_real(root, "mae_bound", gbs_completion_mae_bound(c)) &&
             put_real(root, "miss_bound", gbs_completion_miss_bound(c));
    if (c->inflation != 1.0)
        ok = ok && put_real(root, "inflation", c->inflation);
    if (c->monte_carlo[0] > 0.0)
        ok = ok && gbs_json_put(root, "monte_carlo", gbs_json_reals(c->monte_carlo, 2));
    if (i->has_range)
        ok = ok && gbs_json_put(root, "range", gbs_json_reals((double[]){i->low, i->high}, 2));
    return ok && gbs_json_put_origin(root, &c->origin) &&
           gbs_json_put(root, "mu", gbs_json_reals(c->mu, c->kept)) &&
           put_real(root, "mu_variance", c->mu_variance) &&
           gbs_json_put(root, "variance",
                        gbs_json_reals(c->variance, c->kept * gbs_completion_groups(c)));
}

/* ---------------------------------------------------------------- the long lists */

enum { REAL_ROOM = 26, COUNT_ROOM = 11, BYTE_ROOM = 6, TEXT_ROOM = 3, FRAME_ROOM = 256 };

static char *add_text(char *to, const char *text) {
    return stpcpy(to, text);
}

/* 17 digits, which give the same number back, with a point whatever the locale has in its place. */
static char *add_real(char *to, double x) {
    if (!isfinite(x))
        return add_text(to, "null");
    char digits[64];
    snprintf(digits, sizeof digits, "%.17g", x);
    size_t point = strspn(digits, "-0123456789"),
           after = point + strcspn(digits + point, "0123456789e");
    memcpy(to, digits, point);
    to += point;
    if (digits[point] != 'e' && digits[point] != '\0')
        *to++ = '.';
    if (digits[point] == '\0')
        return add_text(to, ".0"); /* a real, and -0 keeps its sign */
    return add_text(to, digits + (digits[point] == 'e' ? point : after));
}

static char *add_reals(char *to, const double *x, size_t count) {
    *to++ = '[';
    for (size_t i = 0; i < count; i++) {
        to = add_real(to, x[i]);
        *to++ = i + 1 < count ? ',' : ']';
    }
    if (count == 0)
        *to++ = ']';
    *to = '\0';
    return to;
}

/* NULL: a text is not UTF-8, or no memory. */
static char *add_ids(char *to, char *const *id, size_t items) {
    *to++ = '[';
    for (size_t i = 0; i < items; i++) {
        json_t *text = json_string(id[i]);
        size_t size = text != NULL ? json_dumpb(text, to, BYTE_ROOM * strlen(id[i]) + TEXT_ROOM,
                                                JSON_ENCODE_ANY)
                                   : 0;
        json_decref(text);
        if (size == 0)
            return NULL;
        to += size;
        *to++ = i + 1 < items ? ',' : ']';
    }
    *to = '\0';
    return to;
}

static char *add_side(char *to, const gbs_completion *c, int s) {
    size_t items = s == 0 ? c->info.rows : c->info.columns;
    to = add_ids(add_text(to, s == 0 ? ",\"rows\":{\"id\":" : ",\"columns\":{\"id\":"), c->id[s],
                 items);
    if (to == NULL)
        return NULL;
    to = add_reals(add_text(to, ",\"mean\":"), c->mean[s], c->kept * items * c->own);
    if (c->cov[s] != NULL)
        to = add_reals(add_text(to, ",\"covariance\":"), c->cov[s],
                       items * gbs_packed_size(c->own));
    return add_text(to, "}");
}

static char *add_seen(char *to, const gbs_completion *c) {
    to = add_text(to, ",\"seen\":[");
    for (size_t i = 0; i < c->info.rows; i++) {
        *to++ = '[';
        for (size_t k = c->seen_start[i]; k < c->seen_start[i + 1]; k++)
            to += sprintf(to, k > c->seen_start[i] ? ",%u" : "%u", c->seen[k]);
        to = add_text(to, i + 1 < c->info.rows ? "]," : "]");
    }
    return add_text(to, "]");
}

/* False: more than memory could hold. */
static bool room_for(const gbs_completion *c, size_t head, size_t *room) {
    size_t reals = 0, bytes = head + FRAME_ROOM + 3 * c->info.rows;
    for (int s = 0; s < 2; s++) {
        size_t items = s == 0 ? c->info.rows : c->info.columns;
        reals += c->kept * items * c->own +
                 (c->cov[s] != NULL ? items * gbs_packed_size(c->own) : 0);
        for (size_t i = 0; i < items; i++)
            bytes += BYTE_ROOM * strlen(c->id[s][i]) + TEXT_ROOM + 1;
    }
    size_t lists;
    bool fits = !__builtin_mul_overflow(reals, (size_t)REAL_ROOM, &lists) &&
                !__builtin_add_overflow(bytes, lists, &bytes) &&
                !__builtin_mul_overflow(c->seen_start[c->info.rows], (size_t)COUNT_ROOM, &lists) &&
                !__builtin_add_overflow(bytes, lists, &bytes);
    *room = bytes;
    return fits;
}

/* Names the first text that is not UTF-8. */
static gbs_status check_texts(gbs_context *ctx, const gbs_completion *c) {
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < (s == 0 ? c->info.rows : c->info.columns); i++)
            if (!gbs_is_utf8(c->id[s][i], strlen(c->id[s][i])))
                return gbs_fail(ctx, GBS_ERR_DATA, "the text of %s %zu is not UTF-8",
                                s == 0 ? "row" : "column", i + 1);
    return GBS_OK;
}

/* jansson says the same of such a text and of want of memory. */
static gbs_status why_not_written(gbs_context *ctx, const gbs_completion *c) {
    gbs_status status = check_texts(ctx, c);
    return status != GBS_OK
               ? status
               : gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing the model");
}

/* Behind the text the long arrays as they lie in memory. */
static gbs_status print_binary(gbs_context *ctx, const gbs_completion *model, char **text,
                               size_t *size) {
    size_t bytes = gbs_completion_binary_size(model), head_size = 0;
    unsigned char *binary = bytes < SIZE_MAX ? gbs_array_alloc(ctx, bytes, 1) : NULL;
    char *head = NULL, *out = NULL;
    json_t *root = json_object();
    if (binary != NULL && root != NULL && put_head(root, model, true)) {
        gbs_completion_put_binary(model, binary);
        if (gbs_json_put(root, "binary", gbs_completion_binary_head(model, binary, bytes)))
            gbs_json_print(ctx, root, "\n", &head, &head_size);
    }
    json_decref(root);
    if (head != NULL)
        out = gbs_array_alloc(ctx, head_size + 1 + bytes, 1);
    if (out != NULL) {
        memcpy(out, head, head_size + 1); /* and the zero behind it */
        memcpy(out + head_size + 1, binary, bytes);
    }
    gbs_array_free(ctx, head);
    gbs_array_free(ctx, binary);
    *text = out;
    *size = head_size + 1 + bytes;
    return out != NULL ? GBS_OK
                       : gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing the model");
}

static gbs_status print_text(gbs_context *ctx, const gbs_completion *model, char **text,
                             size_t *size) {
    json_t *root = json_object();
    char *head = NULL, *out = NULL, *end = NULL;
    size_t room;
    if (root != NULL && put_head(root, model, false))
        gbs_json_print(ctx, root, "", &head, NULL);
    json_decref(root);
    if (head == NULL || !room_for(model, strlen(head), &room)) {
        gbs_array_free(ctx, head);
        return gbs_fail(ctx, GBS_ERR_MEMORY, "out of memory while writing the model");
    }
    out = gbs_array_alloc(ctx, room, 1);
    if (out != NULL) {
        end = add_text(out, head) - 1; /* over its closing brace */
        for (int s = 0; s < 2 && end != NULL; s++)
            end = add_side(end, model, s);
    }
    gbs_array_free(ctx, head);
    if (end == NULL) {
        bool room_was_there = out != NULL;
        gbs_array_free(ctx, out);
        return room_was_there ? why_not_written(ctx, model) : GBS_ERR_MEMORY;
    }
    end = add_text(add_seen(end, model), "}\n");
    *size = (size_t)(end - out);
    *text = out;
    return GBS_OK;
}

gbs_status gbs_completion_print(gbs_context *ctx, const gbs_completion *model, bool binary,
                                char **text, size_t *size) {
    size_t bytes = 0;
    gbs_status status = binary ? check_texts(ctx, model) : GBS_OK;
    if (status == GBS_OK)
        status = binary ? print_binary(ctx, model, text, &bytes)
                        : print_text(ctx, model, text, &bytes);
    if (status != GBS_OK)
        return status;
    if (size != NULL)
        *size = bytes;
    gbs_context_retain(ctx); /* until gbs_release */
    return GBS_OK;
}

gbs_status gbs_completion_to_json(gbs_context *ctx, const gbs_completion *model, char **text,
                                  size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    return gbs_completion_print(ctx, model, gbs_completion_numbers(model) >= GBS_COMPLETION_LONG,
                                text, size);
}
