/* Reading a table: which reader, and who cleans up when it fails.
 *
 * A known ending (.csv .tsv .svm .svmlight .libsvm .npy, before an optional .gz) decides. Otherwise
 * the bytes do: the npy magic; a first line of the form "number index:value", comments apart, is
 * svmlight; anything else is csv.
 */
#include "table.h"

#include "number.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DETECTION_BYTES ((size_t)1 << 16)

static bool ends_in(const char *name, size_t length, const char *ending) {
    size_t n = strlen(ending);
    return length > n && strncasecmp(name + length - n, ending, n) == 0;
}

static enum table_format format_of_name(const char *name) {
    static const struct {
        const char *ending;
        enum table_format format;
    } known[] = {{".csv", TABLE_CSV},         {".tsv", TABLE_CSV},
                 {".svm", TABLE_SVMLIGHT},    {".svmlight", TABLE_SVMLIGHT},
                 {".libsvm", TABLE_SVMLIGHT}, {".npy", TABLE_NPY}};
    size_t length = strlen(name);
    if (ends_in(name, length, ".gz"))
        length -= 3;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_in(name, length, known[i].ending))
            return known[i].format;
    return TABLE_AUTO;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

static bool looks_like_svmlight(const char *p, const char *end) {
    double value;
    for (p = skip_blanks(p); *p == '#' || *p == '\n' || *p == '\r'; p = skip_blanks(p)) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline)
            return false;
        p = newline + 1;
    }
    p = number_read(p, end, &value);
    if (!p || (*p != ' ' && *p != '\t'))
        return false;
    p = skip_blanks(p);
    size_t digits = strspn(p, "0123456789");
    return digits > 0 && p[digits] == ':' && number_read(p + digits + 1, end, &value);
}

static enum table_status choose_format(struct reader *r, const char *name,
                                       enum table_format *format) {
    struct bytes *b = r->bytes;
    *format = r->options->format != TABLE_AUTO ? r->options->format : format_of_name(name);
    if (*format != TABLE_AUTO)
        return TABLE_OK;
    while (!b->last && (size_t)(b->end - b->at) < DETECTION_BYTES) {
        enum table_status status = reader_more(r);
        if (status != TABLE_OK)
            return status;
    }
    if (b->end - b->at >= 6 && memcmp(b->at, "\x93NUMPY", 6) == 0)
        *format = TABLE_NPY;
    else
        *format = looks_like_svmlight(b->at, b->end) ? TABLE_SVMLIGHT : TABLE_CSV;
    return TABLE_OK;
}

static enum table_status read_format(struct reader *r, const char *name) {
    enum table_format format;
    enum table_status status = choose_format(r, name, &format);
    if (status != TABLE_OK)
        return status;
    r->out->format = format;
    if (format == TABLE_CSV)
        return csv_read(r);
    if (r->options->n_text > 0 && !r->options->from_model)
        return reader_fail(r, TABLE_USAGE, "--text is for csv files; %s holds numbers only",
                           format == TABLE_NPY ? "npy" : "svmlight");
    return format == TABLE_NPY ? npy_read(r) : svmlight_read(r);
}

static enum table_status start(struct reader *r, const char *name) {
    *r->out = (struct table){.file = strdup(strcmp(name, "-") == 0 ? "standard input" : name)};
    if (r->error_size > 0)
        r->error[0] = '\0';
    if (r->out->file)
        return TABLE_OK;
    snprintf(r->error, r->error_size, "out of memory");
    return TABLE_NO_MEMORY;
}

enum table_status table_read_bytes(struct bytes *bytes, const char *name,
                                   const struct table_options *options, struct table *out,
                                   char *error, size_t error_size) {
    struct reader r = {
        .bytes = bytes, .options = options, .out = out, .error = error, .error_size = error_size};
    enum table_status status = start(&r, name);
    if (status == TABLE_OK)
        status = read_format(&r, name);
    if (status != TABLE_OK)
        table_free(out);
    return status;
}

enum table_status table_read(const char *name, const struct table_options *options,
                             struct table *out, char *error, size_t error_size) {
    struct bytes bytes;
    *out = (struct table){0};
    enum table_status status = bytes_open(&bytes, name, 0, options->cancelled, options->user);
    if (status != TABLE_OK) {
        snprintf(error, error_size, "%s: %s", strcmp(name, "-") == 0 ? "standard input" : name,
                 bytes.message);
        return status;
    }
    status = table_read_bytes(&bytes, name, options, out, error, error_size);
    bytes_close(&bytes);
    return status;
}

void table_free(struct table *t) {
    for (size_t j = 0; t->columns && j < t->n_columns; j++) {
        for (size_t k = 0; k < t->columns[j].n_levels; k++)
            free(t->columns[j].levels[k]);
        free(t->columns[j].levels);
        free(t->columns[j].name);
    }
    free(t->columns);
    free(t->cells);
    free(t->line);
    free(t->row_start);
    free(t->index);
    free(t->value);
    free(t->label);
    free(t->file);
    *t = (struct table){0};
}

void table_free_cells(struct table *t) {
    free(t->cells);
    t->cells = NULL;
}

uint64_t table_line(const struct table *t, size_t row) {
    return t->line ? t->line[row] : (uint64_t)row + 1 + t->has_header;
}
