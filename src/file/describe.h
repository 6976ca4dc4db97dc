/* What models (describe.c, describe_path.c), those of many classes (describe_classes.c), samples
 * and completions tell of themselves as JSON. */
#ifndef GIBBSITE_FILE_DESCRIBE_H
#define GIBBSITE_FILE_DESCRIBE_H

#include "file/json_write.h"
#include "model/many.h"

/* Room for the name of a column or a class. */
enum { GBS_DESCRIBE_NAME = 1024 };

/* 0 becomes every part; GBS_ERR_ARGUMENT for a bit that is none. */
gbs_status gbs_describe_which(gbs_context *ctx, unsigned *parts);
/* "origin"; table: rows of one may have been left out, or be copies. */
void gbs_describe_origin(gbs_writer *w, const gbs_origin *o, bool table);
/* The text, or the end of it where `status` says so. */
gbs_status gbs_describe_end(gbs_writer *w, gbs_status status, char **text, size_t *size);
/* "stages", "path", "restarts", "trace" (describe_path.c). */
void gbs_describe_stages(gbs_writer *w, const gbs_model *model);
void gbs_describe_path(gbs_writer *w, const gbs_model *model);
void gbs_describe_restarts(gbs_writer *w, const gbs_model *model);
void gbs_describe_trace(gbs_writer *w, const gbs_model *model);
/* The name of a column of the data; without a recipe column k is "Vk", from 1. False: it has none,
 * because it is made of many (SIZE_MAX). */
bool gbs_describe_column(const gbs_recipe *recipe, size_t features, size_t column,
                         char name[GBS_DESCRIBE_NAME]);

/* The label of class k: its name, or its number where there is no recipe. */
void gbs_describe_class(const gbs_recipe *recipe, size_t k, char *name, size_t room);
/* "cost" of a baseline: the mean cost of the label that costs least when it is always said, on the
 * rows that tested; nothing of a model without a certificate of its cost. */
void gbs_describe_guessed_cost(gbs_writer *w, const gbs_model *model);
/* "classes", and of a tested model "baseline" and "card". */
void gbs_describe_classes(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe);
/* "coefficients" of a model of two classes; of more, "parts" that have them. */
gbs_status gbs_describe_coefficients(gbs_writer *w, const gbs_model *model,
                                     const gbs_recipe *recipe);
gbs_status gbs_describe_parts(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe);

#endif
