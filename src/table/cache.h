/* A table's cells in a file: for tables that memory does not hold, and as a cache for the next run.
 *
 *   4096 bytes of header | cells, row after row | columns, with their levels | lines of the rows
 *   4096 bytes of header | values | indices | where rows begin | labels | lines of the rows
 *
 * docs/formats.md has the bytes. A cache is named after the digest of the file that was read and of
 * how it was read; it appears whole or not at all, and is checked to the last byte before a cell
 * of it is used.
 */
#ifndef GIBBSITE_TABLE_CACHE_H
#define GIBBSITE_TABLE_CACHE_H

#include "core/pages.h"
#include "data/hash.h"
#include "table/table.h"

/* Of a file that is read and of how: a cache belongs to one. */
typedef struct gbs_cache_key {
    gbs_hash file, reading;
    uint64_t size; /* of the file */
} gbs_cache_key;

/* An empty one, without a name, in a folder; kept: gbs_cache_keep will follow. */
gbs_status gbs_cache_create(gbs_context *ctx, const char *folder, bool kept, gbs_cache **out);
/* Another one in its folder, which will not be kept. */
gbs_status gbs_cache_beside(const gbs_cache *c, gbs_cache **out);
/* Room for so many cells, those that are there kept; they may move. */
gbs_status gbs_cache_room(gbs_cache *c, size_t cells, double **out);
/* The cells are all of the table's: the file gets the rest of it, and the name `path`. The cells
 * may move. */
gbs_status gbs_cache_keep(gbs_cache *c, gbs_table *t, const gbs_cache_key *key, const char *path);
/* The table of a cache; NULL: there is no such file. `file` is what messages call the table.
 * checked: another rank has, to the last byte. GBS_ERR_FORMAT for a file that is damaged or the
 * cache of another one. */
gbs_status gbs_cache_open(gbs_context *ctx, const char *path, const gbs_cache_key *key,
                          const char *file, bool checked, gbs_table **out);
void gbs_cache_free(gbs_cache *c);

/* The files of a table, in order. */
typedef struct gbs_inputs {
    const char *const *path;
    size_t count;
} gbs_inputs;

/* gbs_table_read_file by way of a cache. */
typedef struct gbs_caching {
    char folder[GBS_FILE_NAME_ROOM]; /* that it lies in */
    bool kept;                       /* for the next run; otherwise the file has no name */
    bool asked; /* by name: a cache that cannot be used or kept is an error, and not a line */
} gbs_caching;
gbs_status gbs_table_read_cached(gbs_context *ctx, const char *name, const gbs_reading *reading,
                                 const gbs_caching *caching, gbs_table **out);

/* Whether files are read by way of a cache, and where that is (caching.c). */
gbs_status gbs_caching_plan(gbs_context *ctx, const gbs_inputs *inputs, const gbs_reading *reading,
                            const char *folder, bool none, bool may, bool *wanted,
                            gbs_caching *out);
/* Takes away what earlier runs left of this file in the folder. */
void gbs_caching_clean(const char *name, const gbs_caching *caching);

/* Bytes that the rows of a file of so many bytes would take in memory, by the first of them; 0
 * where that cannot be told: the reader will say why (caching_size.c). */
double gbs_caching_size(gbs_context *ctx, const char *name, const gbs_reading *reading,
                        double file_size);

/* The same of ranks, who read the files together: each its part of the bytes, to memory, or to a
 * cache that they share (together.c). *done false: they do not, and each reads them all. */
gbs_status gbs_table_read_together(gbs_context *ctx, const gbs_inputs *inputs,
                                   const gbs_reading *reading, const gbs_caching *caching,
                                   bool wanted, bool *done, gbs_table **out);

/* ---------------------------------------------------------------- inside */

enum { GBS_CACHE_PATH_ROOM = 2 * GBS_FILE_NAME_ROOM };
/* Of a file as it is now, and the name of its cache. */
gbs_status gbs_caching_key(gbs_context *ctx, const char *name, const gbs_reading *reading,
                           gbs_cache_key *key);
void gbs_caching_path(const char *name, const gbs_caching *caching, const gbs_cache_key *key,
                      char path[GBS_CACHE_PATH_ROOM]);
/* A failure of a cache that nobody asked for is told, and forgotten. */
gbs_status gbs_caching_forgive(gbs_context *ctx, const gbs_caching *caching, gbs_status status);

/* A cache in a file that ranks share, mapped to so many cells. It takes over the file and its name.
 * On failure these are the caller's still. */
gbs_status gbs_cache_of(gbs_context *ctx, const char *folder, int fd, const char *name,
                        size_t cells, gbs_cache **out);
/* How long such a file is. */
size_t gbs_cache_bytes(size_t cells);
/* Its cells; those of a table, or its values and indices; and nothing more is written to it. */
double *gbs_cache_cells(gbs_cache *c);
void gbs_cache_lend(gbs_cache *c, gbs_table *t);
/* Room for so many values and, behind them, indices: in cells. */
size_t gbs_cache_pairs(size_t stored);
void gbs_cache_close(gbs_cache *c);

#endif
