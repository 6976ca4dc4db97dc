/* What the tests of the table readers share: texts read from memory through byte sources of 1, 2,
 * 3, 7 and the usual number of bytes, so that each cell, quote and line end falls on a buffer's
 * edge in some run. */
#ifndef GIBBSITE_TESTS_TABLE_SUPPORT_H
#define GIBBSITE_TESTS_TABLE_SUPPORT_H

#include "table/bytes.h"
#include "table/reader.h"
#include "table/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DETECT (&(gbs_reading){.header = -1})
#define NO_HEADER (&(gbs_reading){.header = 0})
#define KEEP (&(gbs_reading){.header = -1, .keep_missing = true})

static const size_t buffer_sizes[] = {1, 2, 3, 7, 0};
#define N_BUFFERS (sizeof buffer_sizes / sizeof *buffer_sizes)

static uint64_t random_state = 88172645463325252u;

static inline uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 2685821657736338717u;
}

static inline size_t below(size_t n) {
    return (size_t)(random_bits() >> 16) % n;
}

/* One for all that a file of tests reads. */
static inline gbs_context *table_context(void) {
    static gbs_context *ctx;
    if (ctx == NULL)
        assert_int_equal(gbs_context_create(NULL, &ctx), GBS_OK);
    return ctx;
}

static inline gbs_status read_with(gbs_context *ctx, const char *name, const void *data,
                                   size_t size, size_t buffer, const gbs_reading *options,
                                   gbs_table **t) {
    gbs_bytes b;
    *t = NULL;
    gbs_status status = gbs_bytes_open_memory(ctx, data, size, buffer, &b);
    if (status != GBS_OK)
        return gbs_fail(ctx, status, "%s: %s", name, b.message);
    status = gbs_table_read_bytes(&b, name, options, t);
    gbs_bytes_close(&b);
    return status;
}

static inline gbs_status read_memory(const char *name, const void *data, size_t size, size_t buffer,
                                     const gbs_reading *options, gbs_table **t, char error[512]) {
    gbs_status status = read_with(table_context(), name, data, size, buffer, options, t);
    snprintf(error, 512, "%s", status != GBS_OK ? gbs_error_message(table_context()) : "");
    return status;
}

static inline void fails_with_bytes(const char *name, const void *data, size_t size,
                                    const gbs_reading *options, gbs_status expected,
                                    const char *message) {
    for (size_t i = 0; i < N_BUFFERS; i++) {
        gbs_table *t;
        char error[512] = "";
        gbs_status status = read_memory(name, data, size, buffer_sizes[i], options, &t, error);
        assert_string_equal(error, message);
        assert_int_equal(status, expected);
        assert_null(t);
    }
}

static inline void fails(const char *name, const char *text, const gbs_reading *options,
                         const char *message) {
    fails_with_bytes(name, text, strlen(text), options, GBS_ERR_DATA, message);
}

static inline gbs_table *must_read(const char *name, const void *data, size_t size, size_t buffer,
                                   const gbs_reading *options) {
    gbs_table *t;
    char error[512] = "";
    if (read_memory(name, data, size, buffer, options, &t, error) != GBS_OK) {
        fail_msg("%s", error);
        abort(); /* fail_msg does not return, but does not say so to analysers */
    }
    return t;
}

static inline gbs_table *reads_at(const char *name, const char *text, size_t buffer,
                                  const gbs_reading *options) {
    return must_read(name, text, strlen(text), buffer, options);
}

/* A dense table of these cells, whatever the buffer. */
static inline void reads(const char *text, const gbs_reading *options, bool header, size_t n,
                         size_t d, const double *cells) {
    for (size_t i = 0; i < N_BUFFERS; i++) {
        gbs_table *t = reads_at("t.csv", text, buffer_sizes[i], options);
        assert_int_equal(t->has_header, header);
        assert_int_equal(t->n_rows, n);
        assert_int_equal(t->n_columns, d);
        for (size_t k = 0; k < n * d; k++)
            if (isnan(cells[k]) ? !isnan(t->cells[k]) : t->cells[k] != cells[k])
                fail_msg("cell %zu of '%s' is %g", k, text, t->cells[k]);
        gbs_table_free(t);
    }
}

#define CELLS(...) ((const double[]){__VA_ARGS__})

/* The header as numpy writes it, then the data. */
static inline size_t make_npy(char *to, int version, const char *dictionary, const void *data,
                              size_t data_size) {
    size_t n = strlen(dictionary), at = version == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version;
    to[7] = 0;
    for (size_t i = 8; i < at; i++)
        to[i] = (char)(n >> 8 * (i - 8));
    memcpy(to + at, dictionary, n);
    if (data_size > 0)
        memcpy(to + at + n, data, data_size);
    return at + n + data_size;
}

static inline char *repeated(const char *head, const char *unit, size_t n, size_t *size) {
    size_t h = strlen(head), u = strlen(unit);
    char *text = malloc(h + n * u + 1);
    assert_non_null(text);
    memcpy(text, head, h);
    for (size_t i = 0; i < n; i++)
        memcpy(text + h + i * u, unit, u);
    *size = h + n * u;
    text[*size] = '\0';
    return text;
}

static inline void fails_at_usual_size(char *text, size_t size, const char *message) {
    gbs_table *t;
    char error[512] = "";
    assert_int_equal(read_memory("t.csv", text, size, 0, NO_HEADER, &t, error), GBS_ERR_DATA);
    assert_string_equal(error, message);
    free(text);
}

#endif
