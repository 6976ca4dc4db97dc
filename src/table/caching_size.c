/* How much memory the rows of a file would take, told from its first bytes.
 *
 *   csv        cells of the first lines x bytes of the file / bytes of these lines
 *   svmlight   the same of pairs, each an index and a value
 *   npy        cells of the header, but no more than the bytes of the file are
 *
 * A cell lies in the table and in the design, a row has its label, its place and its scores.
 */
#include "table/cache.h"

#include "table/npy_header.h"

#include <string.h>

#define BYTES_A_CELL 16.0
#define BYTES_A_PAIR 24.0
#define BYTES_A_ROW 72.0
#define BYTES_A_SPARSE_ROW 104.0 /* and where it begins, twice, and the label as it was read */
#define GZIP_SHRINKS 4.0         /* text, about so many times */

/* What separates most cells of the first line. */
static char most_frequent(const char *at, const char *end) {
    static const char known[] = ",;\t|";
    size_t count[sizeof known - 1] = {0}, best = 0;
    for (; at < end && *at != '\n'; at++) {
        const char *found = *at != '\0' ? strchr(known, *at) : NULL;
        if (found != NULL)
            count[found - known]++;
    }
    for (size_t k = 1; k < sizeof known - 1; k++)
        best = count[k] > count[best] ? k : best;
    return known[best];
}

/* Of the bytes in the window; times: how often the file has as many. */
static double size_of_csv(const gbs_bytes *b, char separator, double times) {
    size_t lines = 0, cells = 0;
    bool quoted = false;
    if (separator == '\0')
        separator = most_frequent(b->at, b->end);
    for (const char *at = b->at; at < b->end; at++) {
        quoted = *at == '"' ? !quoted : quoted;
        lines += *at == '\n' && !quoted;
        cells += (*at == '\n' || *at == separator) && !quoted;
    }
    return times * (BYTES_A_CELL * (double)cells + BYTES_A_ROW * (double)lines);
}

static double size_of_svmlight(const gbs_bytes *b, double times) {
    size_t lines = 0, pairs = 0;
    for (const char *at = b->at; at < b->end; at++) {
        lines += *at == '\n';
        pairs += *at == ':';
    }
    return times * (BYTES_A_PAIR * (double)pairs + BYTES_A_SPARSE_ROW * (double)lines);
}

static double size_of_npy(gbs_bytes *b, const gbs_reading *reading, double file_size) {
    gbs_reader r = {.ctx = b->ctx, .bytes = b, .options = reading, .file = ""};
    gbs_npy_header h;
    if (gbs_npy_header_read(&r, &h) != GBS_OK) {
        (void)gbs_fail(b->ctx, GBS_OK, "%s", "");
        return 0.0;
    }
    double rows = (double)h.n_rows, columns = (double)h.n_columns,
           most = file_size / (double)h.item * (gbs_bytes_is_gzip(b) ? GZIP_SHRINKS : 1.0);
    rows = rows * columns > most ? most / columns : rows;
    return rows * (BYTES_A_CELL * columns + BYTES_A_ROW);
}

double gbs_caching_size(gbs_context *ctx, const char *name, const gbs_reading *reading,
                        double file_size) {
    gbs_table_format format = gbs_format_of(name, reading);
    gbs_bytes b;
    if (format == GBS_TABLE_AUTO || gbs_bytes_open(ctx, name, 0, &b) != GBS_OK)
        return 0.0;
    gbs_status status = gbs_bytes_more(&b);
    double size = (double)(b.end - b.at), need = 0.0,
           times = b.last                  ? 1.0
                   : gbs_bytes_is_gzip(&b) ? GZIP_SHRINKS * file_size / size
                                           : file_size / size;
    if (status == GBS_OK && size > 0.0)
        need = format == GBS_TABLE_NPY   ? size_of_npy(&b, reading, file_size)
               : format == GBS_TABLE_CSV ? size_of_csv(&b, reading->separator, times)
                                         : size_of_svmlight(&b, times);
    gbs_bytes_close(&b);
    return need;
}
