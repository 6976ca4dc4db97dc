/* What data that a table made keeps of it (rows.c), for those who ask (rows_told.c). */
#ifndef GIBBSITE_TABLE_ROWS_SOURCE_H
#define GIBBSITE_TABLE_ROWS_SOURCE_H

#include "data/source.h"
#include "table/design.h"
#include "table/keep.h"

/* What data keeps alive. */
struct source {
    gbs_source is;
    gbs_context *ctx;
    gbs_design design;
    gbs_recipe *recipe;
    gbs_table *table; /* no cells: the design has copies of all it needs */
    gbs_pool pool;    /* of the examples then */
    gbs_kept kept;    /* `keep` */
    gbs_spill spill;  /* the table's */
};

#endif
