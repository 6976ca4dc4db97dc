/* A design: the rows of a table in the shape a recipe asks for, ready to be a gbs_data.
 *
 * Where the table's cells can serve as they are (numeric columns side by side, no row left out)
 * they are borrowed, not copied: the table must outlive the design.
 */
#ifndef GIBBSITE_TABLE_DESIGN_H
#define GIBBSITE_TABLE_DESIGN_H

#include "data/row_summary.h"
#include "options/settings.h"
#include "table/recipe.h"

typedef struct gbs_design {
    size_t n, d;
    const double *cells; /* dense, or NULL */
    bool in_file;        /* they lie in a file (core/pages.h) */
    size_t stride;
    const size_t *row_start; /* CSR */
    const uint32_t *index;
    const double *value;
    double *y;       /* NULL: the table has no labels */
    double *weight;  /* of the rows; NULL: none were asked for */
    uint32_t *group; /* of the rows, below `groups`; NULL: none were asked for */
    size_t groups;
    size_t *rows;    /* row of the table behind each row; NULL: all of them, in order */
    size_t left_out; /* rows with missing cells */
    size_t absent;   /* rows of weight 0 */
    size_t *missing; /* of those left out, by what is missing (gbs_missing_cell); NULL: none is */
    size_t *unseen;  /* of each input: cells with a level that training did not see; NULL: none */
    const char **example; /* one such level, the table's */
    double *owned;        /* the arrays above that are not the table's */
    size_t *owned_start;
    uint32_t *owned_index;
} gbs_design;

/* What a row misses first: behind these its inputs, in their order. */
enum gbs_missing_cell {
    GBS_MISSING_LABEL,
    GBS_MISSING_WEIGHT,
    GBS_MISSING_GROUP,
    GBS_MISSING_FORGOTTEN, /* a column that the recipe has forgotten since (`like`) */
    GBS_MISSING_INPUT
};

/* What is asked of it. */
typedef struct gbs_design_use {
    gbs_label_use labels;
    /* rows with missing cells are an error, or left out; IMPUTE: those are left out whose label,
     * weight or group is missing */
    gbs_missing missing;
    bool unfilled;     /* what the recipe would fill in is missing all the same */
    bool learning;     /* the recipe comes from this table: what is missing could be filled in */
    bool may_be_empty; /* no row need be left */
    const char *weights, *group; /* columns of the weights and groups, by name or number; NULL */
    /* the design has the rows of this one, whatever columns the recipe has forgotten; NULL: those
     * that lack no cell */
    const struct gbs_design *like;
} gbs_design_use;

gbs_status gbs_design_build(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                            const gbs_design_use *use, gbs_design *out);
void gbs_design_free(const gbs_context *ctx, gbs_design *d);

/* Of the rows of a design as the table has them: a recipe with texts, labels where there are some.
 * source: the table's column of each input; NULL: where the recipe has it. */
gbs_status gbs_table_summary(gbs_context *ctx, const gbs_recipe *recipe, const gbs_table *t,
                             const gbs_design *design, const size_t *source, gbs_row_summary *out);

/* ---------------------------------------------------------------- inside */

/* Where the columns of a recipe stand in a table. */
typedef struct gbs_match {
    size_t *source; /* table column of each input */
    size_t target;  /* table column of the label, SIZE_MAX: none */
    size_t *
        *levels; /* per input: recipe level of each table level, SIZE_MAX: unseen; NULL: numbers */
} gbs_match;

gbs_status gbs_match_columns(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                             gbs_match *out);
void gbs_match_free(const gbs_context *ctx, const gbs_recipe *r, gbs_match *m);

/* -1 or +1 of the design's rows. */
gbs_status gbs_design_labels(gbs_context *ctx, const gbs_recipe *r, const gbs_table *t,
                             size_t target, gbs_design *out);

#endif
