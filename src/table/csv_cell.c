/* Finding the borders of CSV cells in the window; when a cell does not end inside it, the window is
 * refilled and the cell is scanned again from its start. That is cheap, since a cell is far shorter
 * than the buffer, and leaves no scanner state between buffers. */
#include "table/csv_cell.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DETECTION_BYTES ((size_t)1 << 16)
#define MOST_COMMENTS (1 << 24)

enum found { FOUND, UNFINISHED, NUL_BYTE, UNCLOSED, JUNK_AFTER_QUOTE };

static inline bool is_blank(const gbs_csv_input *in, char c) {
    return c == ' ' || (c == '\t' && in->separator != '\t');
}

/* Behind the blanks at p where these separate cells, any number of them, and end a line as if they
 * were not there; else p. */
static inline char *behind_blanks(const gbs_csv_input *in, char *p) {
    if (in->separator != ' ')
        return p;
    while (is_blank(in, *p))
        p++;
    return p;
}

/* p is behind the cell and blanks that separate, at its separator, at a line end or at the end of
 * the file. */
static char *finish_cell(gbs_csv_input *in, gbs_csv_cell *cell, char *p, const char *end) {
    bool line_ends = p == end || *p == '\n' || *p == '\r';
    cell->last = in->separator == ' ' ? line_ends : p == end || *p != in->separator;
    if (p == end || (in->separator == ' ' && !line_ends))
        return p;
    in->after_cr = *p == '\r';
    in->line += cell->last;
    return p + 1;
}

static enum found find_plain(gbs_csv_input *in, gbs_csv_cell *cell, char *start, char **next) {
    char *p = start, *end = in->bytes->end;
    while (!in->stop[(unsigned char)*p])
        p++;
    char *stop = p;
    p = behind_blanks(in, p);
    if (p == end && !in->bytes->last)
        return UNFINISHED;
    if (p < end && *p == '\0')
        return NUL_BYTE;
    while (stop > start && is_blank(in, stop[-1]))
        stop--;
    cell->text = start;
    cell->length = (size_t)(stop - start);
    cell->quoted = false;
    *next = finish_cell(in, cell, p, end);
    return FOUND;
}

static char *closing_quote(char *start, char *end, bool *doubled) {
    for (char *p = start; (p = memchr(p, '"', (size_t)(end - p))); p += 2) {
        if (p[1] != '"') /* p[1] may be the '\0' at end */
            return p;
        *doubled = true;
    }
    return NULL;
}

static size_t undouble_quotes(char *text, size_t length) {
    size_t to = 0;
    for (size_t from = 0; from < length; from++) {
        text[to++] = text[from];
        from += text[from] == '"';
    }
    return to;
}

/* start is behind the opening quote. Nothing in the window changes before the whole cell is there.
 */
static enum found find_quoted(gbs_csv_input *in, gbs_csv_cell *cell, char *start, char **next) {
    char *end = in->bytes->end;
    bool doubled = false, last = in->bytes->last;
    char *quote = closing_quote(start, end, &doubled);
    if (!quote || (quote + 1 == end && !last)) {
        if (memchr(start, '\0', (size_t)(end - start)))
            return NUL_BYTE;
        return last ? UNCLOSED : UNFINISHED;
    }
    char *p = quote + 1;
    while (is_blank(in, *p))
        p++;
    if (p == end && !last)
        return UNFINISHED;
    cell->text = start;
    cell->length = (size_t)(quote - start);
    cell->quoted = true;
    if (memchr(start, '\0', cell->length) || (p < end && *p == '\0'))
        return NUL_BYTE;
    if (!in->stop[(unsigned char)*p] && (in->separator != ' ' || p == quote + 1))
        return JUNK_AFTER_QUOTE;
    for (char *q = start; (q = memchr(q, '\n', (size_t)(quote - q))); q++)
        in->line++;
    if (doubled)
        cell->length = undouble_quotes(start, cell->length);
    start[cell->length] = '"';
    *next = finish_cell(in, cell, p, end);
    return FOUND;
}

static enum found find_cell(gbs_csv_input *in, gbs_csv_cell *cell, char **next) {
    char *p = in->bytes->at;
    while (is_blank(in, *p))
        p++;
    if (p == in->bytes->end && !in->bytes->last)
        return UNFINISHED;
    return *p == '"' ? find_quoted(in, cell, p + 1, next) : find_plain(in, cell, p, next);
}

static gbs_status cell_too_long(gbs_csv_input *in) {
    const char *p = in->bytes->at;
    while (is_blank(in, *p))
        p++;
    if (*p == '"')
        return gbs_reader_fail_at(
            in->reader, in->line,
            "the quote opened here is not closed within 1 MiB, the longest a cell may be");
    return gbs_reader_fail_at(in->reader, in->line,
                              "a cell is longer than 1 MiB; is this a text file with separators?");
}

static gbs_status explain(gbs_csv_input *in, enum found found, const gbs_csv_cell *cell) {
    if (found == UNCLOSED)
        return gbs_reader_fail_at(in->reader, in->line, "the quote opened here is never closed");
    if (found == JUNK_AFTER_QUOTE && in->line == 1 && cell->text[cell->length] == '"' &&
        cell->text[cell->length + 1] == ':')
        return gbs_reader_fail_at(in->reader, in->line,
                                  "rows were expected, and this is JSON; is it a model?");
    if (found == JUNK_AFTER_QUOTE)
        return gbs_reader_fail_at(in->reader, in->line,
                                  "column %zu: text follows the closing quote of '%s'",
                                  in->column + 1, gbs_show(cell->text, cell->length).text);
    uint64_t line = in->line;
    for (const char *p = in->bytes->at; p < in->bytes->end && *p; p++)
        line += *p == '\n';
    return gbs_reader_fail(in->reader, GBS_ERR_DATA, "not a text file: NUL byte at line %llu",
                           (unsigned long long)line);
}

gbs_status gbs_csv_next(gbs_csv_input *in, gbs_csv_cell *cell) {
    gbs_bytes *b = in->bytes;
    char *next = NULL;
    cell->line = in->line;
    enum found found = find_cell(in, cell, &next);
    while (found == UNFINISHED) {
        if ((size_t)(b->end - b->at) > GBS_TABLE_LONGEST_CELL)
            return cell_too_long(in);
        if (gbs_bytes_offset(b) - in->record_offset > GBS_CSV_LONGEST_RECORD)
            return gbs_reader_fail_at(
                in->reader, in->line,
                "the record is longer than 64 MiB; are there line breaks in the file?");
        gbs_status status = gbs_reader_more(in->reader);
        if (status != GBS_OK)
            return status;
        found = find_cell(in, cell, &next);
    }
    if (found != FOUND)
        return explain(in, found, cell);
    if ((size_t)(next - b->at) > GBS_TABLE_LONGEST_CELL + 1) {
        in->line = cell->line;
        return cell_too_long(in);
    }
    b->at = next;
    return GBS_OK;
}

/* To the start of the next line, or to the end of the file. */
static gbs_status skip_line(gbs_csv_input *in) {
    gbs_bytes *b = in->bytes;
    for (;;) {
        char *end = memchr(b->at, '\n', (size_t)(b->end - b->at));
        b->at = end != NULL ? end + 1 : b->end;
        in->line += end != NULL;
        if (end != NULL || b->last)
            return GBS_OK;
        gbs_status status = gbs_reader_more(in->reader);
        if (status != GBS_OK)
            return status;
    }
}

gbs_status gbs_csv_record_start(gbs_csv_input *in, bool *ended) {
    gbs_bytes *b = in->bytes;
    if (b->at == b->end && !b->last) {
        gbs_status status = gbs_reader_more(in->reader);
        if (status != GBS_OK)
            return status;
    }
    if (in->after_cr && *b->at == '\n') {
        in->after_cr = false;
        b->at++;
        return gbs_csv_record_start(in, ended);
    }
    in->after_cr = false;
    in->record_offset = gbs_bytes_offset(b);
    *ended = b->at == b->end;
    return GBS_OK;
}

gbs_status gbs_csv_jump(gbs_csv_input *in, uint64_t offset, bool exact) {
    bool ended;
    gbs_status status = gbs_bytes_seek(in->bytes, exact ? offset : offset - 1);
    if (status != GBS_OK)
        return gbs_reader_fail(in->reader, status, "%s", in->bytes->message);
    in->after_cr = false;
    if (!exact)
        status = skip_line(in);
    return status == GBS_OK ? gbs_csv_record_start(in, &ended) : status;
}

/* comma: it is the decimal sign, and separates only where nothing else does. */
static char choose_separator(const char *p, const char *end, bool comma) {
    bool seen[256] = {false}, quoted = false, cell_starts = true;
    while (p < end && (*p == '\n' || *p == '\r' || *p == ' '))
        p++;
    for (; p < end && (quoted || (*p != '\n' && *p != '\r')); p++) {
        if (quoted) {
            /* The second of two quotes opens again what the first closed. */
            quoted = *p != '"';
            cell_starts = !quoted;
        } else if (*p == '"' && cell_starts) {
            quoted = true;
        } else {
            seen[(unsigned char)*p] = true;
            cell_starts = *p == ',' || *p == '\t' || *p == ';' || *p == '|' ||
                          (cell_starts && *p == ' ');
        }
    }
    return seen[','] && !comma ? ',' : seen['\t'] ? '\t' : seen[';'] ? ';' : seen['|'] ? '|' : ',';
}

static size_t count_until_line_end(const char *p, const char *end, char what) {
    size_t count = 0;
    for (; p < end && *p != '\n' && *p != '\r'; p++)
        count += *p == what;
    return count;
}

/* Where the table begins in the window: behind lines that begin with #, and blank ones, but for a
 * last one that has as many cells as the line below, which is a header. NULL: not in it. */
static char *behind_comments(char *p, const char *end, bool comma) {
    char *last = NULL;
    for (;;) {
        bool comment = *p == '#', blank = last != NULL && (*p == '\n' || *p == '\r');
        if (!comment && !blank)
            break;
        last = comment ? p : last;
        p = memchr(p, '\n', (size_t)(end - p));
        if (p == NULL || p + 1 == end)
            return NULL;
        p++;
    }
    if (last == NULL)
        return p;
    char separator = choose_separator(p, end, comma);
    size_t cells = count_until_line_end(p, end, separator);
    return cells > 0 && cells == count_until_line_end(last, end, separator) ? last : p;
}

/* A first line such as sep=; with or without quotes, by which Excel is told the separator: that,
 * and b->at goes behind the line. '\0': it is none. */
static char told_separator(gbs_bytes *b, const char *end) {
    char *p = b->at;
    const bool quoted = p < end && *p == '"';
    p += quoted;
    if (end - p < 6 || strncasecmp(p, "sep=", 4) != 0)
        return '\0';
    const char sep = p[4];
    p += 5;
    if (quoted && *p++ != '"')
        return '\0';
    if (p + 1 < end && p[0] == '\r' && p[1] == '\n')
        p++;
    if (p >= end || (*p != '\n' && *p != '\r') || !gbs_csv_may_separate(sep))
        return '\0';
    b->at = p + 1;
    return sep;
}

bool gbs_csv_may_separate(char c) {
    return c != '\0' && strchr("\"\n\r.+-_", c) == NULL && !isalnum((unsigned char)c);
}

void gbs_csv_separate(gbs_csv_input *in, char separator) {
    memset(in->stop, 0, sizeof in->stop);
    in->separator = separator;
    in->stop['\t'] = separator == ' ';
    in->stop[(unsigned char)separator] = in->stop['\n'] = in->stop['\r'] = in->stop['\0'] = 1;
}

/* To the beginning of the table. */
static gbs_status pass_comments(gbs_csv_input *in) {
    gbs_bytes *b = in->bytes;
    const bool comma = in->reader->options->comma;
    char *start = behind_comments(b->at, b->end, comma);
    while (start == NULL && !b->last && b->end - b->at < MOST_COMMENTS) {
        gbs_status status = gbs_reader_more(in->reader);
        if (status != GBS_OK)
            return status;
        start = behind_comments(b->at, b->end, comma);
    }
    if (start == NULL)
        return gbs_reader_fail(in->reader, GBS_ERR_DATA,
                               "there are no rows: lines that begin with # at the top of a file "
                               "are comments");
    for (; b->at < start; b->at++)
        in->line += *b->at == '\n';
    return GBS_OK;
}

gbs_status gbs_csv_open(gbs_csv_input *in, gbs_reader *r) {
    gbs_bytes *b = r->bytes;
    *in = (gbs_csv_input){.reader = r, .bytes = b, .line = 1};
    while (!b->last && (size_t)(b->end - b->at) < DETECTION_BYTES) {
        gbs_status status = gbs_reader_more(r);
        if (status != GBS_OK)
            return status;
    }
    gbs_status foreign = gbs_refuse_foreign(r);
    if (foreign != GBS_OK)
        return foreign;
    if (b->end - b->at >= 3 && memcmp(b->at, "\xef\xbb\xbf", 3) == 0)
        b->at += 3;
    const char *end = b->at + DETECTION_BYTES < b->end ? b->at + DETECTION_BYTES : b->end;
    const char told = told_separator(b, end);
    in->line += told != '\0';
    if (told == ',' && r->options->separator == '\0' && r->options->comma)
        return gbs_reader_fail_at(r, 1,
                                  "commas separate the cells by this line, and are the decimal "
                                  "sign by `decimal`: cells cannot be told apart");
    gbs_status status = pass_comments(in);
    if (status != GBS_OK)
        return status;
    end = b->at + DETECTION_BYTES < b->end ? b->at + DETECTION_BYTES : b->end;
    in->separator = r->options->separator != '\0' ? r->options->separator
                    : told != '\0'                ? told
                                                  : choose_separator(b->at, end, r->options->comma);
    gbs_csv_separate(in, in->separator);
    return GBS_OK;
}

static gbs_status append(gbs_csv_input *in, gbs_csv_record *record, const gbs_csv_cell *cell) {
    if (record->n == GBS_TABLE_MOST_COLUMNS)
        return gbs_reader_fail_at(in->reader, record->line, "more than %zu columns",
                                  GBS_TABLE_MOST_COLUMNS);
    size_t *start = gbs_array_grow(in->reader->ctx, record->start, &record->capacity, record->n + 2,
                                   sizeof *start);
    if (!start)
        return gbs_reader_no_memory(in->reader);
    record->start = start;
    char *text = gbs_array_grow(in->reader->ctx, record->text, &record->text_capacity,
                                record->text_size + cell->length + 1, 1);
    if (!text)
        return gbs_reader_no_memory(in->reader);
    record->text = text;
    memcpy(text + record->text_size, cell->text, cell->length);
    text[record->text_size + cell->length] = '\0';
    start[record->n++] = record->text_size;
    record->text_size += cell->length + 1;
    start[record->n] = record->text_size;
    return GBS_OK;
}

gbs_status gbs_csv_record_read(gbs_csv_input *in, gbs_csv_record *record) {
    gbs_csv_cell cell = {.last = true};
    bool ended = false;
    do {
        gbs_status status = gbs_csv_record_start(in, &ended);
        if (status != GBS_OK || ended)
            return status;
        record->line = in->line;
        in->column = 0;
        status = gbs_csv_next(in, &cell);
        if (status != GBS_OK)
            return status;
    } while (gbs_csv_is_blank_line(&cell));
    record->there = true;
    gbs_status status = append(in, record, &cell);
    while (status == GBS_OK && !cell.last) {
        in->column = record->n;
        status = gbs_csv_next(in, &cell);
        if (status == GBS_OK)
            status = append(in, record, &cell);
    }
    return status;
}

void gbs_csv_record_free(const gbs_context *ctx, gbs_csv_record *record) {
    gbs_array_free(ctx, record->text);
    gbs_array_free(ctx, record->start);
    *record = (gbs_csv_record){0};
}
