/* Inside the reading of a table by ranks together: what each has read, and what it says of it. */
#ifndef GIBBSITE_TABLE_TOGETHER_H
#define GIBBSITE_TABLE_TOGETHER_H

#include "core/joint.h"
#include "core/ranks.h"
#include "table/cache.h"
#include "table/csv_columns.h"
#include "table/divide.h"
#include "table/words.h"

typedef struct gbs_together {
    gbs_context *ctx;
    const gbs_inputs *inputs;
    const gbs_reading *reading;
    const gbs_caching *caching;
    bool in_file;
    gbs_table_format format; /* csv, svmlight or npy by its name; else AUTO */
    size_t ranks, rank;
    uint64_t *base;      /* of the files: bytes before each; and of all of them */
    gbs_own_part own;    /* this rank's bytes; informed: `kind` is what all ranks before found */
    unsigned char *kind; /* of the columns, as ranks before this one found them; NULL: not known */
    /* its part */
    gbs_table *table;
    gbs_pieces pieces;
    size_t first_piece; /* the file of the first one */
    gbs_status status;  /* of reading it */
    /* and all of them */
    gbs_collected said;
    gbs_part_report *report;
    size_t *before; /* rows before each part; and in all */
} gbs_together;

/* The sections of all ranks in a file of so many cells, which becomes that of the table. Rows of
 * all are as many as g->before says. */
gbs_status gbs_together_file(gbs_together *g, const gbs_section *section, size_t sections,
                             size_t count, const gbs_cache_key *key);

/* The table of an svmlight file, of which every rank has read its lines. key NULL: no cache of it
 * stays. */
gbs_status gbs_together_sparse(gbs_together *g, const gbs_cache_key *key, bool *refused,
                               gbs_table **out);
/* And of an npy file, of which every rank has read its rows. */
gbs_status gbs_together_array(gbs_together *g, const gbs_cache_key *key, bool *refused,
                              gbs_table **out);
/* g->kind becomes what the first `ranks` found, each of which has read its part. */
gbs_status gbs_together_learn(gbs_together *g, size_t ranks);
/* Every rank's report is there, and fits the one before. *kinds_differ: a rank took a column for
 * what an earlier one says it is not; g->kind says what it is. */
gbs_status gbs_together_kinds(gbs_together *g, bool *kinds_differ);
/* The columns and the lines of all rows, and this rank's cells as those of the whole table.
 * *refused: there is something to say of the file that one process says better. */
gbs_status gbs_together_merge(gbs_together *g, bool *refused);
/* The cells of all ranks, in memory or in a file; *out becomes the whole table. */
gbs_status gbs_together_place(gbs_together *g, const gbs_cache_key *key, gbs_table **out);

#endif
