/* Reading a table from a file: which reader, and who cleans up when it fails.
 *
 * A known ending (.csv .tsv .svm .svmlight .libsvm .npy, before an optional .gz) decides. Otherwise
 * the bytes do: the npy magic; a first line of the form "number index:value", comments apart, is
 * svmlight; anything else is csv.
 */
#include "table/number.h"
#include "table/reader.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define DETECTION_BYTES ((size_t)1 << 16)

static bool ends_in(const char *name, size_t length, const char *ending) {
    size_t n = strlen(ending);
    return length > n && strncasecmp(name + length - n, ending, n) == 0;
}

gbs_table_format gbs_format_of(const char *name, const gbs_reading *reading) {
    static const struct {
        const char *ending;
        gbs_table_format format;
    } known[] = {{".csv", GBS_TABLE_CSV},         {".tsv", GBS_TABLE_CSV},
                 {".svm", GBS_TABLE_SVMLIGHT},    {".svmlight", GBS_TABLE_SVMLIGHT},
                 {".libsvm", GBS_TABLE_SVMLIGHT}, {".npy", GBS_TABLE_NPY}};
    size_t length = strlen(name);
    if (reading->format != GBS_TABLE_AUTO)
        return reading->format;
    if (ends_in(name, length, ".gz"))
        length -= 3;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_in(name, length, known[i].ending))
            return known[i].format;
    return GBS_TABLE_AUTO;
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
    p = gbs_number_read(p, end, &value);
    if (!p || (*p != ' ' && *p != '\t'))
        return false;
    p = skip_blanks(p);
    size_t digits = strspn(p, "0123456789");
    return digits > 0 && p[digits] == ':' && gbs_number_read(p + digits + 1, end, &value);
}

static gbs_status choose_format(gbs_reader *r, const char *name, gbs_table_format *format) {
    gbs_bytes *b = r->bytes;
    *format = gbs_format_of(name, r->options);
    if (*format != GBS_TABLE_AUTO)
        return GBS_OK;
    while (!b->last && (size_t)(b->end - b->at) < DETECTION_BYTES) {
        gbs_status status = gbs_reader_more(r);
        if (status != GBS_OK)
            return status;
    }
    if (b->end - b->at >= 6 && memcmp(b->at, "\x93NUMPY", 6) == 0)
        *format = GBS_TABLE_NPY;
    else
        *format = looks_like_svmlight(b->at, b->end) ? GBS_TABLE_SVMLIGHT : GBS_TABLE_CSV;
    return GBS_OK;
}

static gbs_status read_format(gbs_reader *r, const char *name) {
    gbs_table_format format;
    gbs_status status = choose_format(r, name, &format);
    if (status != GBS_OK)
        return status;
    r->out->format = format;
    if (format == GBS_TABLE_CSV)
        return gbs_csv_read(r);
    if (r->options->pieces != NULL && !r->options->pieces->part)
        return gbs_reader_fail(r, GBS_ERR_ARGUMENT,
                               "several files that hold one table have to be csv files; this is "
                               "%s",
                               format == GBS_TABLE_NPY ? "npy" : "svmlight");
    if (r->options->n_text > 0 && !r->options->from_model)
        return gbs_reader_fail(r, GBS_ERR_ARGUMENT,
                               "`text` is for csv files; %s holds numbers only",
                               format == GBS_TABLE_NPY ? "npy" : "svmlight");
    if (r->options->n_keep > 0)
        return gbs_reader_fail(r, GBS_ERR_ARGUMENT,
                               "`keep` is for csv files; the columns of %s have no texts",
                               format == GBS_TABLE_NPY ? "npy" : "svmlight");
    return format == GBS_TABLE_NPY ? gbs_npy_read(r) : gbs_svmlight_read(r);
}

gbs_status gbs_table_read_bytes(gbs_bytes *bytes, const char *name, const gbs_reading *reading,
                                gbs_table **out) {
    gbs_table *t = NULL;
    *out = NULL;
    gbs_status status = gbs_table_new(bytes->ctx, gbs_file_name(name), &t);
    if (status != GBS_OK)
        return status;
    gbs_reader r = {
        .ctx = bytes->ctx, .bytes = bytes, .options = reading, .out = t, .file = t->file};
    status = read_format(&r, name);
    if (status == GBS_OK)
        *out = t;
    else
        gbs_table_free(t);
    return status;
}

gbs_status gbs_table_read_file(gbs_context *ctx, const char *name, const gbs_reading *reading,
                               gbs_table **out) {
    gbs_bytes bytes;
    *out = NULL;
    gbs_status status = gbs_bytes_open(ctx, name, 0, &bytes);
    if (status != GBS_OK)
        return gbs_fail(ctx, status, "%s: %s", gbs_file_name(name), bytes.message);
    gbs_reading told = *reading;
    struct stat is;
    if (told.expected == 0 && stat(name, &is) == 0 && S_ISREG(is.st_mode)) {
        told.expected = (uint64_t)is.st_size;
        gbs_progress_begin(ctx);
    }
    status = gbs_table_read_bytes(&bytes, name, &told, out);
    gbs_bytes_close(&bytes);
    return status;
}
