/* Inside of describe.c: what a model of many classes tells (describe_classes.c). */
#ifndef GIBBSITE_FILE_DESCRIBE_H
#define GIBBSITE_FILE_DESCRIBE_H

#include "file/json_write.h"
#include "model/many.h"

/* The label of class k: its name, or its number where there is no recipe. */
void gbs_describe_class(const gbs_recipe *recipe, size_t k, char *name, size_t room);
/* "classes", and of a tested model "baseline" and "card". */
void gbs_describe_classes(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe);
/* "coefficients" of a model of two classes; of more, "parts" that have them. */
gbs_status gbs_describe_coefficients(gbs_writer *w, const gbs_model *model,
                                     const gbs_recipe *recipe);
gbs_status gbs_describe_parts(gbs_writer *w, const gbs_model *model, const gbs_recipe *recipe);

#endif
