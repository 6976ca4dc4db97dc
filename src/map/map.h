/* Maps: the chain from raw columns to design rows.
 *
 *   seen.c        columns that no learn row sets are left out
 *   standard.c    (x - center) / scale; relevance.c stretches columns after the label
 *   tails.c       before a kernel: heavy tails clipped, levels at a distance of their own
 *   fourier.c     random Fourier features of the Gaussian kernel, beside the columns
 *   nystrom.c     the same kernel by landmarks
 *   intercept.c   one more column, the last, the same everywhere
 *   length.c      rows of length one, or no longer than declared
 *
 * Before it, cells of a table become numbers: texts one 0/1 column per level, missing cells what
 * stands in for them (column.h).
 *
 * A map learns its constants from given rows, changes rows on their way, says how many columns
 * come out, and names what it keeps. The number of coefficients and what a certificate rests on
 * come from the chain. A map more is one file with its gbs_map_ops and a line in maps.c: nothing
 * else knows which maps there are.                                      (docs/maths.md, 1.1, 6.4)
 */
#ifndef GIBBSITE_MAP_MAP_H
#define GIBBSITE_MAP_MAP_H

#include "data/rows.h"

typedef struct gbs_map_ops gbs_map_ops;
typedef struct gbs_maps gbs_maps;

/* The first member of every map's own struct. */
typedef struct gbs_map {
    const gbs_map_ops *ops;
    size_t in, out; /* columns */
} gbs_map;

/* What a map keeps, gone through by whoever writes, reads, copies or frees it. A key that is NULL
 * is of something that the rest gives: not for files. */
typedef struct gbs_archive gbs_archive;
struct gbs_archive {
    gbs_context *ctx;
    /* left out of files where it is `otherwise` */
    gbs_status (*real)(gbs_archive *a, const char *key, double otherwise, double *x);
    gbs_status (*count)(gbs_archive *a, const char *key, size_t *x);
    /* `count` of them; optional: may be NULL */
    gbs_status (*reals)(gbs_archive *a, const char *key, size_t count, bool optional, double **x);
    /* increasing, below `below` */
    gbs_status (*indices)(gbs_archive *a, const char *key, size_t below, size_t *count,
                          uint32_t **x);
    void *object; /* of the file that is written or read */
};

/* What constants looked at: rows that certify may not be among the rows they come from. */
enum { GBS_LEARNED_SCALING = 1, GBS_LEARNED_COLUMNS = 2 };

/* Where maps stand in the chain; between two steps there is room. */
enum {
    GBS_PLACE_COLUMNS = 0,    /* raw columns in, raw columns out */
    GBS_PLACE_SCALE = 100,    /* columns one by one */
    GBS_PLACE_FEATURES = 200, /* columns made of many */
    GBS_PLACE_CONSTANT = 300,
    GBS_PLACE_ROW = 400 /* whole rows */
};

/* Where an output column comes from, other than from an input column. */
#define GBS_FROM_CONSTANT (SIZE_MAX - 1)
#define GBS_FROM_MANY SIZE_MAX

/* One kind of map. Functions without "required" may be NULL: there is nothing to do. Of `narrow`,
 * `dense` and `transform` a map has one. */
struct gbs_map_ops {
    /* key of its object inside "scaling" of a model file; NULL: its keys stand there themselves, as
     * those of the maps of 0.1.0 do */
    const char *name;
    const char *told_by; /* a key there without which the map is not in the chain */
    int place;
    size_t size;      /* of its struct */
    unsigned learned; /* what it learns from rows: bits of GBS_LEARNED_ */
    /* what it makes of the columns; GBS_FEATURES_LINEAR: nothing that a line does not see */
    gbs_features features;

    /* The settings ask for it (required). */
    bool (*wanted)(const gbs_fit_settings *o);
    /* Columns that come out of `in`; NULL: as many. */
    size_t (*columns)(const gbs_fit_settings *o, size_t in);
    /* Takes its parameters from the settings, those of a file too. */
    void (*set)(gbs_map *map, const gbs_fit_settings *o);
    /* Takes its constants from rows, with their labels; `before` are the maps that come first
     * (gbs_rows_build makes rows as this map will see them). */
    gbs_status (*learn)(gbs_context *ctx, gbs_map *map, const gbs_data *data,
                        const gbs_fit_settings *o, const gbs_maps *before);
    /* Goes through what it keeps. */
    gbs_status (*keep)(gbs_map *map, gbs_archive *a);
    /* After `learn`, and after a file was read: sets map->out (it is map->in before) and what
     * follows from the rest. GBS_ERR_FORMAT for constants that no `learn` gives. */
    gbs_status (*settle)(gbs_context *ctx, gbs_map *map);
    /* The same rows in fewer columns, before anything else. */
    gbs_status (*narrow)(gbs_context *ctx, const gbs_map *map, const gbs_data *data,
                         gbs_data **out);
    /* n rows in place, row i at x + i * ld; ld is at least map->out, which is not below map->in. */
    void (*dense)(const gbs_map *map, size_t n, double *x, size_t ld);
    /* The cells of one sparse row in place; returns how many there are then. NULL beside `dense`:
     * sparse rows become dense. */
    size_t (*sparse)(const gbs_map *map, size_t stored, uint32_t *column, double *value);
    size_t more; /* cells that `sparse` may add to a row */
    /* `sparse` finds column k stored in every row. */
    bool (*fills)(const gbs_map *map, size_t k);
    /* What is to be subtracted from every row besides its cells; shift is map->out long. */
    void (*shift)(const gbs_map *map, double *shift);
    /* GBS_ERR_ARGUMENT where rows that carry a shift cannot be changed by `sparse`. */
    gbs_status (*with_shift)(gbs_context *ctx, const gbs_map *map);
    /* Rows of another width: in->n rows from `in` (dense, or CSR with a shift) to out, dense. */
    gbs_status (*transform)(gbs_context *ctx, const gbs_map *map, const gbs_strip *in, double *out,
                            size_t ld);

    /* The input column that output column k is made of, or GBS_FROM_; NULL: k. */
    size_t (*origin)(const gbs_map *map, size_t k);
    /* What coefficient k is to be multiplied by to speak of plain columns; NULL: 1. */
    double (*unit)(const gbs_map *map, size_t k);
    /* GBS_ERR_DATA with what differs between the maps of a model and of particles; one of them may
     * be NULL. */
    gbs_status (*agree)(gbs_context *ctx, const gbs_map *model, const gbs_map *particles);
    /* Readers of the first format do not understand it; NULL: where it has no name, they do. */
    bool (*newer)(const gbs_map *map);
    /* Each output column is an input column times a constant plus a constant: linear.c knows it. */
    bool affine;
};

/* ---------------------------------------------------------------- the chain */

enum { GBS_MOST_MAPS = 8 };

struct gbs_maps {
    size_t given; /* raw columns */
    size_t d;     /* columns of the design */
    size_t count;
    gbs_map *at[GBS_MOST_MAPS]; /* in the order they are applied; ours */
};

/* Nothing is made of the columns that a line does not see. */
bool gbs_features_linear(gbs_features features);
/* A map of the table makes them: neither linear, nor to be chosen. */
bool gbs_features_mapped(gbs_features features);

/* All kinds of maps, closed by NULL. */
extern const gbs_map_ops *const gbs_map_table[];
extern const gbs_map_ops gbs_map_seen, gbs_map_standard, gbs_map_tails, gbs_map_fourier,
    gbs_map_nystrom, gbs_map_intercept, gbs_map_length;

/* Columns of the design that the settings ask for, of so many raw ones. */
size_t gbs_maps_columns(const gbs_fit_settings *o, size_t raw);
/* Columns that rows are counted by: those, but where a map makes as many as it likes the raw ones
 * and a constant. */
size_t gbs_maps_counted(const gbs_fit_settings *o, size_t raw);

/* The maps that the settings ask for, their constants learned from rows. */
gbs_status gbs_maps_learn(gbs_context *ctx, const gbs_data *data, const gbs_fit_settings *o,
                          gbs_maps *out);
/* The same from another table. */
gbs_status gbs_maps_learn_from(gbs_context *ctx, const gbs_map_ops *const *table,
                               const gbs_data *data, const gbs_fit_settings *o, gbs_maps *out);
/* Says which columns are constant in the rows that the chain was learned from: the fit that is
 * deployed calls it, and not those that choose. */
gbs_status gbs_maps_tell_constant(gbs_context *ctx, const gbs_maps *maps, const gbs_data *data);
/* One more, all zeros, at its place; the caller fills it in and calls gbs_maps_settle. */
gbs_status gbs_maps_add(gbs_context *ctx, gbs_maps *maps, const gbs_map_ops *ops, gbs_map **out);
/* Settles map k, whose `in` is what comes out before it, and the widths of all. */
gbs_status gbs_maps_settle(gbs_context *ctx, gbs_maps *maps, size_t k);
gbs_status gbs_maps_copy(gbs_context *ctx, const gbs_maps *from, gbs_maps *out);
void gbs_maps_free(const gbs_context *ctx, gbs_maps *maps);

/* What the constants of all maps looked at: bits of GBS_LEARNED_. */
unsigned gbs_maps_learned(const gbs_maps *maps);
/* What the columns of the design are made by. */
gbs_features gbs_maps_features(const gbs_maps *maps);
/* The share of a map's frequencies that lie along single columns; 0: none, or there is no such map.
 */
double gbs_maps_axes(const gbs_maps *maps);
/* NULL: the chain has none. */
const gbs_map *gbs_maps_find(const gbs_maps *maps, const gbs_map_ops *ops);
/* The raw column that coefficient k belongs to: maps->given for an intercept, SIZE_MAX for one that
 * is made of many. */
size_t gbs_maps_column(const gbs_maps *maps, size_t k);
/* theta_k speaks of stretched columns and of an intercept's column of any value; times this it
 * speaks of standardised ones and of a column of ones. */
double gbs_maps_unit(const gbs_maps *maps, size_t k);
/* x'theta is linear in the raw columns. */
bool gbs_maps_is_linear(const gbs_maps *maps);
/* There: what a unit of theta_k adds to the score per unit of its raw column, of an intercept to
 * the constant. */
double gbs_maps_slope(const gbs_maps *maps, size_t k);
/* Of a score that is linear in the raw columns: its value where all of them are 0. */
double gbs_maps_intercept(const gbs_maps *maps, const double *theta);
/* What each coefficient is per unit of its raw column, maps->d numbers, the intercept's the value
 * above; false, and nothing is written, where the score is not linear in the raw columns. */
bool gbs_maps_per_unit(const gbs_maps *maps, const double *theta, double *per_unit);
/* x'theta as *intercept + raw'coefficient, maps->given numbers; false, and nothing is written,
 * where it is not linear in the raw columns. */
bool gbs_maps_linear(const gbs_maps *maps, const double *theta, double *coefficient,
                     double *intercept);
/* GBS_ERR_DATA with what differs. */
gbs_status gbs_maps_agree(gbs_context *ctx, const gbs_maps *model, const gbs_maps *particles);
/* Files of the first format can hold them. */
bool gbs_maps_plain(const gbs_maps *maps);

/* Design rows. Sparse data becomes dense here when that is small or no larger, or when a map wants
 * it; otherwise it stays sparse. Without a map the caller's dense rows serve as they are. */
gbs_status gbs_rows_build(gbs_context *ctx, const gbs_data *data, const gbs_maps *maps,
                          gbs_rows *out);
/* Some of these rows, however few, become dense as all of them do: they can be made a part at a
 * time, with the same bits. */
bool gbs_rows_always_dense(const gbs_data *data, const gbs_maps *maps);

/* ---------------------------------------------------------------- columns in use (seen.c) */

/* The columns that are used, of `given` ones. */
typedef struct gbs_seen {
    size_t given, size;
    uint32_t *column; /* `size` of them, increasing; NULL: all */
} gbs_seen;

/* The columns that one of the rows sets (rows NULL: the first `count`); of dense data all. */
gbs_status gbs_data_seen(gbs_context *ctx, const gbs_data *data, const size_t *rows, size_t count,
                         gbs_seen *out);
void gbs_seen_free(const gbs_context *ctx, gbs_seen *seen);
/* A copy with these columns alone; *lost: cells of others that are not zero. Its rows are numbered
 * anew: messages about a row come before. */
gbs_status gbs_data_keep(gbs_context *ctx, const gbs_data *data, const gbs_seen *seen,
                         gbs_data **out, size_t *lost);
/* Puts the choice of columns before maps that were learned from what gbs_data_keep made; takes the
 * list over, on failure too. All columns: nothing changes. */
gbs_status gbs_maps_see(gbs_context *ctx, gbs_maps *maps, gbs_seen *seen);

/* ---------------------------------------------------------------- standard columns */

typedef struct gbs_standard {
    gbs_map map;
    double *center, *scale; /* x -> (x - center) / scale */
    double *stretch;        /* relevance: scale is the standard deviation over this; else NULL */
    double
        *offset;   /* of sparse rows: the centres of columns that are stored in every row, else 0 */
    size_t filled; /* such columns */
    size_t constant; /* columns that were constant in the rows it was learned from; not in files */
} gbs_standard;

/* NULL: the columns are not standardised. */
const gbs_standard *gbs_maps_standard(const gbs_maps *maps);
/* Stretches standardised columns after their correlation with the label (relevance.c). */
gbs_status gbs_stretch_columns(gbs_context *ctx, const gbs_data *data, gbs_standard *s);

/* The value of the intercept's column; 0: there is none. */
double gbs_maps_constant(const gbs_maps *maps);

#endif
