/* Messages and line numbers for the readers. */
#include "table/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "file: " or "file:line: ", and the sentence. */
static gbs_status say(gbs_reader *r, gbs_status status, uint64_t line, const char *format,
                      va_list arguments) {
    char text[GBS_MESSAGE_ROOM];
    if (r->quiet && status == GBS_ERR_DATA)
        return status;
    vsnprintf(text, sizeof text, format, arguments);
    if (line == 0)
        return gbs_fail(r->ctx, status, "%s: %s", r->file, text);
    return gbs_fail(r->ctx, status, "%s:%llu: %s", r->file, (unsigned long long)line, text);
}

gbs_status gbs_reader_fail(gbs_reader *r, gbs_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(r, status, 0, format, arguments);
    va_end(arguments);
    return status;
}

gbs_status gbs_reader_fail_at(gbs_reader *r, uint64_t line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(r, GBS_ERR_DATA, line, format, arguments);
    va_end(arguments);
    return GBS_ERR_DATA;
}

gbs_status gbs_reader_no_memory(gbs_reader *r) {
    return gbs_reader_fail(r, GBS_ERR_MEMORY, "out of memory");
}

gbs_status gbs_reader_more(gbs_reader *r) {
    gbs_status status = gbs_bytes_more(r->bytes);
    return status == GBS_OK ? status : gbs_reader_fail(r, status, "%s", r->bytes->message);
}

void *gbs_reader_trim(gbs_reader *r, void *array, size_t used, size_t size) {
    if (!array || used == 0)
        return array;
    void *moved = gbs_array_resize(r->ctx, array, used, used, size);
    return moved ? moved : array;
}

gbs_status gbs_reader_note_line(gbs_reader *r, uint64_t line) {
    gbs_table *t = r->out;
    if (!t->line && r->before == 0 && line == t->n_rows + 1 + t->has_header)
        return GBS_OK;
    bool first = !t->line;
    uint64_t *lines = gbs_array_grow(r->ctx, t->line, &r->line_capacity, t->n_rows + 1,
                                     sizeof *lines);
    if (!lines)
        return gbs_reader_no_memory(r);
    for (size_t i = 0; first && i < t->n_rows; i++)
        lines[i] = i + 1 + t->has_header;
    lines[t->n_rows] = line;
    t->line = lines;
    return GBS_OK;
}

bool gbs_reader_part_is_full(const gbs_reader *r) {
    return r->options->part > 0 && r->out->n_rows >= r->options->part;
}

gbs_status gbs_reader_hand_out(gbs_reader *r) {
    gbs_table *t = r->out;
    if (t->n_rows == 0)
        return GBS_OK;
    gbs_status status = r->options->take(r->options->taker, t, r->before);
    r->before += t->n_rows;
    t->n_rows = 0;
    gbs_array_free(r->ctx, t->line);
    t->line = NULL;
    r->line_capacity = 0;
    return status;
}
