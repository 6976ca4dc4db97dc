/* How the options say that a file is read, and what data keeps of it. */
#ifndef GIBBSITE_TABLE_READING_H
#define GIBBSITE_TABLE_READING_H

#include "options/options.h"
#include "table/recipe.h"

/* Commands whose options say how rows are read. */
enum {
    GBS_READ_TO_LEARN = GBS_FOR_FIT | GBS_FOR_CV | GBS_FOR_SAMPLE,
    GBS_READ = GBS_READ_TO_LEARN | GBS_FOR_GAP | GBS_FOR_PREDICT | GBS_FOR_EVALUATE
};
/* NULL, or options of one of these commands. */
gbs_status gbs_reading_check(gbs_context *ctx, const gbs_options *options, unsigned commands);
gbs_status gbs_reading_from(gbs_context *ctx, const gbs_table_settings *s, gbs_reading *out);

/* What options list. */
typedef struct gbs_lists {
    gbs_names drop, text, na, keep;
} gbs_lists;
/* To be freed even where it fails. */
gbs_status gbs_lists_split(gbs_context *ctx, const gbs_table_settings *s, gbs_lists *out);
void gbs_lists_free(const gbs_context *ctx, gbs_lists *l);

/* gbs_table_apply; data without a row where all of them were left out, if that may be. */
gbs_status gbs_table_apply_part(gbs_context *ctx, const gbs_table *table, const gbs_recipe *recipe,
                                gbs_label_use labels, const gbs_options *options, bool may_be_empty,
                                gbs_data **out);
/* Data that a table made keeps these cells, which are then its own. */
void gbs_data_take_kept(gbs_data *data, gbs_kept *kept);

#endif
