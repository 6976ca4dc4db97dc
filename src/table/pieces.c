/* A CSV table in several files, or the part of it that a rank reads: from piece to piece.
 *
 * A file after the first begins with the same header, which is compared and passed over. A piece
 * that begins within a file begins with the first line that begins in it. That need not be a
 * record, where a line break stands in quotes: whoever reads the piece before sees where it ends,
 * and the two are compared (together.c).
 */
#include "table/csv_columns.h"

#include <string.h>

static gbs_pieces *pieces_of(const gbs_csv *c) {
    return c->reader->options->pieces;
}

/* Rows of another file begin: messages and places of rows name it. */
static gbs_status note_shard(gbs_csv *c, const char *path) {
    gbs_table *t = c->table;
    gbs_context *ctx = c->reader->ctx;
    const char *file = gbs_pool_text(ctx, &t->pool, path, strlen(path));
    gbs_shard *shard = gbs_array_resize(ctx, t->shard, t->n_shards, t->n_shards + 1, sizeof *shard);
    if (shard != NULL)
        t->shard = shard;
    if (file == NULL || shard == NULL)
        return gbs_reader_no_memory(c->reader);
    shard[t->n_shards++] = (gbs_shard){.file = file, .first = t->n_rows};
    c->reader->file = file;
    return GBS_OK;
}

/* ---------------------------------------------------------------- headers */

static gbs_status compare_names(gbs_csv *c, const gbs_csv_record *here) {
    const gbs_csv_record *first = c->names;
    const char *of = c->table->file;
    if (here->n != first->n)
        return gbs_reader_fail_at(c->reader, here->line,
                                  "%zu columns, but %s has %zu; files that hold one table have the "
                                  "same header",
                                  here->n, of, first->n);
    for (size_t j = 0; j < first->n; j++) {
        const char *name = here->text + here->start[j], *was = first->text + first->start[j];
        if (strcmp(name, was) != 0)
            return gbs_reader_fail_at(c->reader, here->line,
                                      "column %zu is called '%s', but '%s' in %s; files that hold "
                                      "one table have the same header",
                                      j + 1, gbs_show(name, strlen(name)).text,
                                      gbs_show(was, strlen(was)).text, of);
    }
    return GBS_OK;
}

/* A file from its beginning. A header without rows is a file of none. */
static gbs_status pass_header(gbs_csv *c) {
    gbs_csv_record here = {0};
    if (c->names == NULL)
        return GBS_OK;
    gbs_status status = gbs_csv_record_read(&c->in, &here);
    if (status == GBS_OK && !here.there)
        status = gbs_reader_fail(c->reader, GBS_ERR_DATA, "the file is empty");
    if (status == GBS_OK)
        status = compare_names(c, &here);
    gbs_csv_record_free(c->reader->ctx, &here);
    return status;
}

/* ---------------------------------------------------------------- from piece to piece */

/* Within a file. Lines are counted as if the rows were the first of a file with such a header: who
 * knows how many came before adds them. */
static gbs_status jump(gbs_csv *c, const gbs_piece *p, bool exact) {
    gbs_status status = gbs_csv_jump(&c->in, p->begin, exact);
    c->in.line = 1 + c->table->has_header;
    return status;
}

static gbs_status enter(gbs_csv *c, size_t k) {
    gbs_pieces *all = pieces_of(c);
    const gbs_piece *p = &all->piece[k];
    gbs_reader *r = c->reader;
    char separator = c->in.separator;
    gbs_status status = note_shard(c, p->path);
    if (status != GBS_OK)
        return status;
    gbs_bytes_close(r->bytes);
    status = gbs_bytes_open(r->ctx, p->path, 0, r->bytes);
    if (status != GBS_OK)
        return gbs_reader_fail(r, status, "%s", r->bytes->message);
    status = gbs_csv_open(&c->in, r);
    gbs_csv_separate(&c->in, separator);
    c->piece = k;
    c->before = c->table->n_rows;
    c->line = 1;
    if (status == GBS_OK && p->begin > 0) {
        status = jump(c, p, all->exact);
        c->line = c->in.line;
    } else if (status == GBS_OK) {
        status = pass_header(c);
    }
    if (k == 0)
        all->start = p->begin > 0 ? c->in.record_offset : 0;
    return status;
}

gbs_status gbs_csv_first_piece(gbs_csv *c) {
    gbs_pieces *p = pieces_of(c);
    c->line = 1;
    if (p->count == 0 || !p->from_start)
        return p->count > 0 ? enter(c, 0) : GBS_OK;
    p->start = 0;
    return p->part ? GBS_OK : note_shard(c, p->piece[0].path);
}

gbs_status gbs_csv_next_piece(gbs_csv *c, bool *over) {
    gbs_pieces *p = pieces_of(c);
    *over = p == NULL || p->count == 0;
    if (*over)
        return GBS_OK;
    gbs_piece *left = &p->piece[c->piece];
    left->rows = c->table->n_rows - c->before;
    left->lines = c->in.line - c->line;
    p->end = c->in.record_offset;
    *over = c->piece + 1 >= p->count;
    return *over ? GBS_OK : enter(c, c->piece + 1);
}
