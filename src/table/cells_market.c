/* MatrixMarket coordinate files: a banner, the sizes, then one entry a line. */
#include "table/cells_reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The next line, cut off at its end; NULL at the end of the file. */
static gbs_status next_line(gbs_cells_reader *r, char **out) {
    gbs_bytes *b = r->reader.bytes;
    for (;;) {
        char *newline = memchr(b->at, '\n', (size_t)(b->end - b->at));
        if (newline || b->last) {
            *out = b->at < b->end ? b->at : NULL;
            b->at = newline ? newline + 1 : b->end;
            if (newline)
                *newline = '\0';
            r->line++;
            return GBS_OK;
        }
        if ((size_t)(b->end - b->at) > GBS_TABLE_LONGEST_CELL)
            return gbs_reader_fail_at(&r->reader, r->line + 1, "a line is longer than 1 MiB");
        gbs_status status = gbs_reader_more(&r->reader);
        if (status != GBS_OK)
            return status;
    }
}

static size_t words(char *line, char **word, size_t most) {
    size_t n = 0;
    char *save = NULL;
    for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save), n++)
        if (n < most)
            word[n] = w;
    return n;
}

static gbs_status read_banner(gbs_cells_reader *r) {
    char *line = NULL, *word[5];
    gbs_status status = next_line(r, &line);
    if (status != GBS_OK)
        return status;
    if (words(line, word, 5) != 5 || strcasecmp(word[1], "matrix") != 0 ||
        strcasecmp(word[2], "coordinate") != 0)
        return gbs_reader_fail_at(&r->reader, 1, "expected '%s matrix coordinate real general'",
                                  GBS_MARKET_BANNER);
    bool number = strcasecmp(word[3], "real") == 0 || strcasecmp(word[3], "integer") == 0;
    if (r->options->values && strcasecmp(word[3], "pattern") == 0)
        return gbs_reader_fail_at(&r->reader, 1,
                                  "a pattern has no values, which must be real or integer. Events "
                                  "without values (implicit data) are not supported");
    if (!number && strcasecmp(word[3], "pattern") != 0)
        return gbs_reader_fail_at(&r->reader, 1, "values must be real or integer, not %s",
                                  gbs_show(word[3], strlen(word[3])).text);
    if (strcasecmp(word[4], "general") != 0)
        return gbs_reader_fail_at(&r->reader, 1, "only general matrices hold ratings, not %s",
                                  gbs_show(word[4], strlen(word[4])).text);
    return GBS_OK;
}

static bool whole(const char *text, uint64_t *x) {
    size_t length = strlen(text);
    if (length == 0 || length > 18 || strspn(text, "0123456789") != length)
        return false;
    *x = strtoull(text, NULL, 10);
    return true;
}

/* The first line that is neither blank nor a comment, in at most 4 words. */
static gbs_status next_entry(gbs_cells_reader *r, char **word, size_t *n) {
    for (;;) {
        char *line = NULL;
        gbs_status status = next_line(r, &line);
        *n = 0;
        if (status != GBS_OK || !line)
            return status;
        if (*line != '%' && (*n = words(line, word, 4)) > 0)
            return GBS_OK;
    }
}

static gbs_status read_entry(gbs_cells_reader *r, char **word, size_t n) {
    if (n < (r->options->values ? 3U : 2U))
        return gbs_reader_fail_at(&r->reader, r->line, "expected row, column%s, found %zu number%s",
                                  r->options->values ? " and value" : "", n, n == 1 ? "" : "s");
    gbs_status status = gbs_cells_make_room(r, 1);
    for (int side = 0; side < 2 && status == GBS_OK; side++) {
        uint64_t x;
        if (!whole(word[side], &x) || x == 0 || x > r->size[side])
            return gbs_reader_fail_at(&r->reader, r->line,
                                      "%s: expected a whole number from 1 to %llu, found '%s'",
                                      gbs_cell_words[side], (unsigned long long)r->size[side],
                                      gbs_show(word[side], strlen(word[side])).text);
        status = gbs_cells_add_id(r, side, r->line, word[side], strlen(word[side]));
    }
    if (status == GBS_OK && r->options->values)
        status = gbs_cells_add_value(r, r->line, word[2], strlen(word[2]));
    r->out->n += status == GBS_OK;
    return status;
}

/* Nothing is allocated by what the header declares. */
gbs_status gbs_cells_market(gbs_cells_reader *r) {
    char *word[4];
    size_t n;
    gbs_status status = read_banner(r);
    if (status == GBS_OK)
        status = next_entry(r, word, &n);
    if (status != GBS_OK)
        return status;
    if (n != 3 || !whole(word[0], &r->size[0]) || !whole(word[1], &r->size[1]) ||
        !whole(word[2], &r->size[2]))
        return gbs_reader_fail_at(&r->reader, r->line,
                                  "expected the numbers of rows, columns and entries");
    for (size_t k = 0; k < 3; k++)
        r->column[k] = k;
    while (status == GBS_OK) {
        status = next_entry(r, word, &n);
        if (status != GBS_OK || n == 0)
            break;
        status = read_entry(r, word, n);
        if (status == GBS_OK)
            status = gbs_cells_set_aside(r);
    }
    if (status == GBS_OK && gbs_cells_so_far(r->out) != r->size[2])
        return gbs_reader_fail(&r->reader, GBS_ERR_DATA,
                               "the header declares %llu entries, the file has %zu",
                               (unsigned long long)r->size[2], gbs_cells_so_far(r->out));
    return status;
}
