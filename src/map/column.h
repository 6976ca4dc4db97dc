/* Maps of one column of a table: from a cell to the features that it becomes.
 *
 *   impute.c   a missing cell: what stands in for it, and a feature that marks it
 *   onehot.c   texts: a feature for each level, 1 for that of the cell
 *
 * A cell goes through them in this order, before the chain of map.h, which begins where rows are
 * numbers. As there, a map learns its constants from given rows, says how many features come out
 * and what they are called; a column that none of them wants is its own feature. A map more is one
 * file with its gbs_column_ops and a line in column.c.                (docs/maths.md, 1.1, 6.4)
 */
#ifndef GIBBSITE_MAP_COLUMN_H
#define GIBBSITE_MAP_COLUMN_H

#include "core/context.h"

/* What is kept of one column. */
typedef struct gbs_column_map {
    const char *name;
    size_t position; /* in the table that taught it, from 0 */
    bool is_text;
    const char **levels; /* sorted */
    size_t n_levels;
    /* A missing cell is `fill`: a number, or one of the levels (NAN: none of them); marked: it has
     * a feature more, 1 where the cell is missing. Not filled: a missing cell has no features. */
    bool filled, marked;
    double fill;
} gbs_column_map;

/* A level that is none of the map's. */
#define GBS_NO_LEVEL (-1.0)

/* A cell on its way. */
typedef struct gbs_cell {
    double x;      /* the number; of texts the level, or GBS_NO_LEVEL; NAN: it is missing */
    size_t column; /* the feature that it has a value in; SIZE_MAX: they are all 0 */
    double value;
    size_t mark; /* the feature that is 1 because it was missing; SIZE_MAX: none */
} gbs_cell;

/* One kind of map. */
typedef struct gbs_column_ops {
    bool (*wanted)(const gbs_column_map *c);
    /* Takes its constants from the cells of n rows, as the maps before it leave them. */
    gbs_status (*learn)(gbs_context *ctx, gbs_column_map *c, size_t n, double *cell);
    /* Features, where the maps after it make `width` of them. */
    size_t (*width)(const gbs_column_map *c, size_t width);
    void (*put)(const gbs_column_map *c, gbs_cell *cell);
    /* The name of feature k of `width`; false: it is not one of the map's own. */
    bool (*feature)(const gbs_column_map *c, size_t k, size_t width, char *name, size_t room);
} gbs_column_ops;

extern const gbs_column_ops gbs_column_impute, gbs_column_onehot;

/* Something of it is learned from rows. */
bool gbs_column_learns(const gbs_column_map *c);
/* From the cells of n rows: numbers, or levels as the map has them; they are used up. */
gbs_status gbs_column_learn(gbs_context *ctx, gbs_column_map *c, size_t n, double *cell);
/* The map's level of a text; SIZE_MAX: it is none of them. */
size_t gbs_column_level(const gbs_column_map *c, const char *text);
/* Features that come out. */
size_t gbs_column_width(const gbs_column_map *c);
/* What a cell says of them. */
gbs_cell gbs_column_put(const gbs_column_map *c, double x);
void gbs_column_feature(const gbs_column_map *c, size_t k, char *name, size_t room);

#endif
