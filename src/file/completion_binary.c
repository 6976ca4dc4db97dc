/* The binary part of a completion file (completion_binary.h says what lies where). Nothing in a
 * file is trusted: every length is held against the bytes that are there.
 */
#include "file/completion_binary.h"

#include "file/json_numbers.h"
#include "kernel/moments.h"
#include "kernel/strip.h"
#include "table/shown.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

static size_t items_of(const gbs_completion *c, int side) {
    return side == 0 ? c->info.rows : c->info.columns;
}

size_t gbs_completion_numbers(const gbs_completion *c) {
    size_t each = c->kept * c->own + (c->cov[0] != NULL ? gbs_packed_size(c->own) : 0);
    return (c->info.rows + c->info.columns) * each + c->seen_start[c->info.rows];
}

static size_t text_bytes(const gbs_completion *c, int side) {
    size_t bytes = 0;
    for (size_t i = 0; i < items_of(c, side); i++)
        bytes += strlen(c->id[side][i]) + 1;
    return bytes;
}

/* Doubles and counts of 32 bits of a model of these sizes; false: too many. */
static bool count_numbers(const gbs_completion *c, bool covariance, size_t *reals, size_t *counts,
                          size_t ratings) {
    size_t items, each, packed = covariance ? gbs_packed_size(c->own) : 0;
    bool fits = !__builtin_add_overflow(c->info.rows, c->info.columns, &items) &&
                !__builtin_mul_overflow(c->kept, c->own, &each) &&
                !__builtin_add_overflow(each, packed, &each) &&
                !__builtin_mul_overflow(items, each, reals) &&
                !__builtin_add_overflow(c->info.rows, ratings, counts);
    if (fits && c->model == GBS_COMPLETION_HIERARCHICAL)
        fits = !__builtin_add_overflow(*reals, c->info.rows + 1, reals);
    return fits && *reals < SIZE_MAX / 32 && *counts < SIZE_MAX / 32;
}

size_t gbs_completion_binary_size(const gbs_completion *c) {
    size_t reals, counts;
    if (!count_numbers(c, c->cov[0] != NULL, &reals, &counts, c->seen_start[c->info.rows]))
        return SIZE_MAX;
    return text_bytes(c, 0) + text_bytes(c, 1) + sizeof(double) * reals + sizeof(uint32_t) * counts;
}

/* Of words of 8 bytes, the last filled up with zeros: a changed byte changes it. */
static uint64_t checksum(const unsigned char *from, size_t size) {
    uint64_t sum = size, word;
    for (size_t k = 0; k < size; k += sizeof word) {
        word = 0;
        memcpy(&word, from + k, size - k < sizeof word ? size - k : sizeof word);
        sum = (sum ^ le64toh(word)) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

json_t *gbs_completion_binary_head(const gbs_completion *c, const unsigned char *from,
                                   size_t size) {
    char digits[17];
    json_t *o = json_object();
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)checksum(from, size));
    if (gbs_json_put(o, "bytes", json_integer((json_int_t)size)) &&
        gbs_json_put(o, "row_text_bytes", json_integer((json_int_t)text_bytes(c, 0))) &&
        gbs_json_put(o, "column_text_bytes", json_integer((json_int_t)text_bytes(c, 1))) &&
        gbs_json_put(o, "checksum", json_string(digits)))
        return o;
    json_decref(o);
    return NULL;
}

/* ---------------------------------------------------------------- writing */

static unsigned char *put_reals(unsigned char *to, const double *x, size_t count) {
    for (size_t k = 0; k < count; k++, to += sizeof *x) {
        uint64_t word;
        memcpy(&word, &x[k], sizeof word);
        word = htole64(word);
        memcpy(to, &word, sizeof word);
    }
    return to;
}

static unsigned char *put_count(unsigned char *to, uint32_t x) {
    x = htole32(x);
    memcpy(to, &x, sizeof x);
    return to + sizeof x;
}

void gbs_completion_put_binary(const gbs_completion *c, unsigned char *to) {
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < items_of(c, s); i++) {
            size_t bytes = strlen(c->id[s][i]) + 1;
            memcpy(to, c->id[s][i], bytes);
            to += bytes;
        }
    for (int s = 0; s < 2; s++)
        to = put_reals(to, c->mean[s], c->kept * items_of(c, s) * c->own);
    for (int s = 0; s < 2 && c->cov[0] != NULL; s++)
        to = put_reals(to, c->cov[s], items_of(c, s) * gbs_packed_size(c->own));
    if (c->model == GBS_COMPLETION_HIERARCHICAL)
        to = put_reals(to, c->noise, c->info.rows + 1);
    for (size_t i = 0; i < c->info.rows; i++)
        to = put_count(to, (uint32_t)(c->seen_start[i + 1] - c->seen_start[i]));
    for (size_t k = 0; k < c->seen_start[c->info.rows]; k++)
        to = put_count(to, c->seen[k]);
}

/* ---------------------------------------------------------------- reading */

/* What is left of the bytes. */
struct tail {
    gbs_context *ctx;
    const unsigned char *at;
    size_t left;
};

static gbs_status damaged(gbs_context *ctx, const char *what) {
    return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: %s", what);
}

static gbs_status take_texts(struct tail *t, size_t bytes, size_t items, char ***id, char **block) {
    const char *text = (const char *)t->at, *end = text + bytes;
    if (bytes > t->left || items > bytes || bytes == 0 || end[-1] != '\0')
        return damaged(t->ctx, "the texts of its rows or columns do not end");
    const char **list = gbs_array_alloc(t->ctx, items, sizeof *list);
    gbs_status status = list != NULL ? GBS_OK : GBS_ERR_MEMORY;
    size_t found = 0;
    for (; status == GBS_OK && text < end; text += strlen(text) + 1, found++) {
        if (found == items || !gbs_is_utf8(text, strlen(text)))
            status = damaged(t->ctx, "a text of its rows or columns is wrong");
        else
            list[found] = text;
    }
    if (status == GBS_OK && found != items)
        status = damaged(t->ctx, "texts of its rows or columns are missing");
    if (status == GBS_OK)
        status = gbs_texts_copy(t->ctx, items, list, id, block);
    gbs_array_free(t->ctx, list);
    t->at += bytes;
    t->left -= bytes;
    return status;
}

/* There are as many bytes as the head's sizes ask for: that was looked at before. */
static gbs_status take_reals(struct tail *t, size_t count, double **out) {
    double *x = *out = gbs_doubles(t->ctx, count);
    if (x == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < count; k++, t->at += sizeof *x) {
        uint64_t word;
        memcpy(&word, t->at, sizeof word);
        word = le64toh(word);
        memcpy(&x[k], &word, sizeof word);
    }
    t->left -= count * sizeof *x;
    return gbs_finite(count, x) ? GBS_OK : damaged(t->ctx, "a number is not finite");
}

static uint32_t take_count(struct tail *t) {
    uint32_t x;
    memcpy(&x, t->at, sizeof x);
    t->at += sizeof x;
    t->left -= sizeof x;
    return le32toh(x);
}

static gbs_status take_seen(struct tail *t, gbs_completion *c) {
    size_t rows = c->info.rows;
    c->seen_start = gbs_array_alloc(t->ctx, rows + 1, sizeof *c->seen_start);
    if (c->seen_start == NULL)
        return GBS_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        c->seen_start[i + 1] = c->seen_start[i] + take_count(t);
    if (c->seen_start[rows] != t->left / sizeof(uint32_t) || t->left % sizeof(uint32_t) != 0)
        return damaged(t->ctx, "its binary part has another number of ratings than its rows");
    c->seen = gbs_array_alloc(t->ctx, c->seen_start[rows], sizeof *c->seen);
    if (c->seen == NULL)
        return GBS_ERR_MEMORY;
    for (size_t k = 0; k < c->seen_start[rows]; k++)
        if ((c->seen[k] = take_count(t)) >= c->info.columns)
            return damaged(t->ctx, "a rated column does not exist");
    return GBS_OK;
}

/* The head against the bytes. */
static gbs_status check_bytes(gbs_context *ctx, const json_t *o, const unsigned char *from,
                              size_t size) {
    size_t bytes;
    const char *sum = json_string_value(json_object_get(o, "checksum"));
    char digits[17];
    TRY(gbs_json_get_size(ctx, o, "bytes", SIZE_MAX / 16, &bytes));
    if (bytes != size)
        return gbs_fail(ctx, GBS_ERR_FORMAT,
                        "the model is damaged: its binary part has %zu bytes instead of %zu%s",
                        size, bytes, size < bytes ? "; the file was cut off" : "");
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)checksum(from, size));
    if (sum == NULL || strcmp(sum, digits) != 0)
        return damaged(ctx, "its binary part has another checksum");
    return GBS_OK;
}

gbs_status gbs_completion_get_binary(gbs_context *ctx, const json_t *root,
                                     const unsigned char *from, size_t size, gbs_completion *c) {
    const json_t *o = json_object_get(root, "binary");
    bool covariance = c->info.sampler == GBS_SAMPLER_VB;
    size_t reals, counts, texts[2];
    struct tail t = {ctx, from, size};
    TRY(check_bytes(ctx, o, from, size));
    TRY(gbs_json_get_size(ctx, o, "row_text_bytes", size, &texts[0]));
    TRY(gbs_json_get_size(ctx, o, "column_text_bytes", size, &texts[1]));
    TRY(take_texts(&t, texts[0], c->info.rows, &c->id[0], &c->texts[0]));
    TRY(take_texts(&t, texts[1], c->info.columns, &c->id[1], &c->texts[1]));
    if (!count_numbers(c, covariance, &reals, &counts, 0) || reals > t.left / sizeof(double) ||
        counts > (t.left - reals * sizeof(double)) / sizeof(uint32_t))
        return damaged(ctx, "its binary part is too short for its sizes");
    for (int s = 0; s < 2; s++)
        TRY(take_reals(&t, c->kept * items_of(c, s) * c->own, &c->mean[s]));
    for (int s = 0; s < 2 && covariance; s++)
        TRY(take_reals(&t, items_of(c, s) * gbs_packed_size(c->own), &c->cov[s]));
    if (c->model == GBS_COMPLETION_HIERARCHICAL)
        TRY(take_reals(&t, c->info.rows + 1, &c->noise));
    return take_seen(&t, c);
}
