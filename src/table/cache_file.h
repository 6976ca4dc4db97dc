/* What the writer of caches (cache.c) and their reader (cache_read.c) share: the first bytes, and
 * the handle. */
#ifndef GIBBSITE_TABLE_CACHE_FILE_H
#define GIBBSITE_TABLE_CACHE_FILE_H

#include "data/digest.h"
#include "table/cache.h"

#define GBS_CACHE_MAGIC "gbscache"
enum {
    GBS_CACHE_HEADER = 4096, /* bytes before the cells */
    GBS_CACHE_VERSION = 2,
    GBS_CACHE_ORDER = 0x01020304 /* another number on machines of another byte order */
};

typedef struct gbs_cache_header {
    char magic[8];
    uint32_t version, order;
    gbs_hash file, reading;
    uint64_t file_size;
    uint64_t rows, columns;
    uint64_t described; /* bytes that describe the columns */
    uint64_t lines;     /* 1: the lines of the rows follow; 0: row i is on line i + 1 + names */
    uint64_t names;     /* 1: the columns were named by a header */
    uint64_t format;    /* of the file: a gbs_table_format */
    uint64_t stored;    /* of sparse rows: pairs of index and value; 0: rows x columns cells */
    gbs_hash digest;    /* of all bytes after the header */
    gbs_hash check;     /* of the header before this */
} gbs_cache_header;

/* Where the parts of the file end, each behind the one before; of dense rows some are empty. */
typedef struct gbs_cache_layout {
    size_t cells;     /* or values */
    size_t index;     /* of the values, 32 bits each, and zeros up to a whole number of words */
    size_t start;     /* of the rows, one more than there are */
    size_t label;     /* as it was read */
    size_t described; /* columns */
    size_t all;       /* lines of the rows */
} gbs_cache_layout;
/* false: no file is as long. */
bool gbs_cache_lay_out(const gbs_cache_header *h, gbs_cache_layout *out);

struct gbs_cache {
    gbs_context *ctx;
    int fd;
    unsigned char *base; /* the file, mapped */
    size_t mapped;
    char name[GBS_FILE_NAME_ROOM]; /* until it is kept, where it has to have one */
    char folder[];                 /* for messages */
};

/* Of a column; its code stands above them. */
enum { GBS_CACHE_IS_TEXT = 1, GBS_CACHE_GUESSED = 2, GBS_CACHE_UNNAMED = 4, GBS_CACHE_SKIPPED = 8 };
enum { GBS_CACHE_CODE = 8 };

/* What errno says of a file. */
gbs_status gbs_cache_io_error(gbs_context *ctx, const char *what);

#endif
