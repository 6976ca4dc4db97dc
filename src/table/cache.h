/* A table's cells in a file: for tables that memory does not hold, and as a cache for the next run.
 *
 *   4096 bytes of header | cells, row after row | columns, with their levels | lines of the rows
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
/* Room for so many cells, those that are there kept; they may move. */
gbs_status gbs_cache_room(gbs_cache *c, size_t cells, double **out);
/* The cells are all of the table's: the file gets the rest of it, and the name `path`. The cells
 * may move. */
gbs_status gbs_cache_keep(gbs_cache *c, gbs_table *t, const gbs_cache_key *key, const char *path);
/* The table of a cache; NULL: there is no such file. `file` is what messages call the table.
 * GBS_ERR_FORMAT for a file that is damaged or the cache of another one. */
gbs_status gbs_cache_open(gbs_context *ctx, const char *path, const gbs_cache_key *key,
                          const char *file, gbs_table **out);
void gbs_cache_free(gbs_cache *c);

/* gbs_table_read_file by way of a cache. */
typedef struct gbs_caching {
    char folder[GBS_FILE_NAME_ROOM]; /* that it lies in */
    bool kept;                       /* for the next run; otherwise the file has no name */
    bool asked; /* by name: a cache that cannot be used or kept is an error, and not a line */
} gbs_caching;
gbs_status gbs_table_read_cached(gbs_context *ctx, const char *name, const gbs_reading *reading,
                                 const gbs_caching *caching, gbs_table **out);

/* Whether a file is read by way of a cache, and where that is (caching.c). */
gbs_status gbs_caching_plan(gbs_context *ctx, const char *name, const gbs_reading *reading,
                            const char *folder, bool none, bool may, bool *wanted,
                            gbs_caching *out);
/* Takes away what earlier runs left of this file in the folder. */
void gbs_caching_clean(const char *name, const gbs_caching *caching);

#endif
