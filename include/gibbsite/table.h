/* Tables: raw rows of numbers and texts, from files or from memory, and the recipe that makes rows
 * of features of them.
 *
 *     gbs_table_read(ctx, "train.csv", options, &table);
 *     gbs_table_train(ctx, table, options, &data);    a recipe is learned
 *     gbs_fit(ctx, data, options, &model);            the model keeps it
 *
 *     gbs_recipe_from_model(ctx, model, &recipe);
 *     gbs_table_read_for(ctx, "new.csv", recipe, GBS_WITHOUT_LABELS, NULL, &rows);
 *     gbs_model_predict(ctx, model, rows, score, NULL, probability);
 *
 * A text column becomes one column of 0 and 1 for each of its levels; a level that training did not
 * see becomes zeros. Which rows the levels were learned from is kept with the data: gbs_fit decides
 * by it whether its certificates are valid.
 */
#ifndef GIBBSITE_TABLE_H
#define GIBBSITE_TABLE_H

#include "gibbsite/complete.h"
#include "gibbsite/fit.h"
#include "gibbsite/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- tables */

/* Rows as they came, in columns of numbers or of texts. */
typedef struct gbs_table gbs_table;

/* Reads a CSV, svmlight or npy file, gzipped or not; "-" is standard input. options are those of
 * any command that reads rows (`format`, `no-header`, `missing`, `drop`, `text`); NULL: the
 * defaults. A bad cell is GBS_ERR_DATA with a message that names file, line, column and text; a
 * file that cannot be read is GBS_ERR_IO. */
GBS_API gbs_status gbs_table_read(gbs_context *ctx, const char *path, const gbs_options *options,
                                  gbs_table **out);
/* The same of several CSV files that hold one table, in the order given: the header of each is that
 * of the first, or none has one. */
GBS_API gbs_status gbs_table_read_files(gbs_context *ctx, const char *const *paths, size_t count,
                                        const gbs_options *options, gbs_table **out);

/* A table in memory with so many rows and columns; the columns are then added one by one. */
GBS_API gbs_status gbs_table_create(gbs_context *ctx, size_t rows, size_t columns, gbs_table **out);
/* The next column, copied: a number for each row, NaN where it is missing. name NULL: it has none;
 * where every column has a name, columns are found by it later, else by their position. */
GBS_API gbs_status gbs_table_add_numbers(gbs_context *ctx, gbs_table *table, const char *name,
                                         const double *values);
/* The same of texts in UTF-8. Missing are NULL, "", "NA" and "nan", as in a file. */
GBS_API gbs_status gbs_table_add_texts(gbs_context *ctx, gbs_table *table, const char *name,
                                       const char *const *texts);

/* How many rows it has; of files, without the header. */
GBS_API size_t gbs_table_rows(const gbs_table *table);
/* Columns that hold values; those of an svmlight file do not count its labels. */
GBS_API size_t gbs_table_columns(const gbs_table *table);
/* The name of column k ("V1", "V2", ... where it has none), and whether it holds texts (is_text may
 * be NULL). NULL for svmlight files and beyond the last. */
GBS_API const char *gbs_table_column(const gbs_table *table, size_t k, int *is_text);

/* What a column looks like, over all rows of the table: for people, nothing is decided by it. */
typedef struct gbs_column_look {
    const char *name;
    int is_text, read;      /* read 0: `drop` left its cells unread, and nothing more is known */
    size_t levels, missing; /* texts that differ; cells that are missing */
    double low, high, mean; /* of numbers; NaN of texts */
    /* "row names", "identifier", "row number", "dates" or "constant": it may say nothing of rows to
     * come; NULL: it may */
    const char *guard;
} gbs_column_look;

/* Column k, from 0; *out is valid until the table is asked again. GBS_ERR_ARGUMENT beyond the last
 * column and for svmlight files. */
GBS_API gbs_status gbs_table_look(gbs_context *ctx, gbs_table *table, size_t k,
                                  const gbs_column_look **out);
/* Takes the handle back; NULL is ignored. Data made of the table keeps what it needs. */
GBS_API void gbs_table_free(gbs_table *table);

/* ---------------------------------------------------------------- recipes */

/* How columns of a table become columns of features and labels: learned once, kept in the model,
 * applied unchanged to later rows. */
typedef struct gbs_recipe gbs_recipe;

/* Learns a recipe from the table and applies it. options are those of "fit", "cv" or "sample"
 * (`target`, `positive`, `drop`, `missing`); NULL: the defaults of "fit". Where the options of
 * "fit" set a first part of the rows aside, levels come from that part alone (gbs_fit_order): fit
 * with the same options and seed, and the certificate is valid. */
GBS_API gbs_status gbs_table_train(gbs_context *ctx, const gbs_table *table,
                                   const gbs_options *options, gbs_data **out);

/* The same, where the caller says which rows of the table a fit learns from (learned[i] not 0, one
 * for each row) and which certify it, as gbs_data_set_split does: the recipe learns from the first
 * alone, the data has the split, and a fit of it is as valid as the split. Rows that `missing` drop
 * leaves out are in neither part; there must be rows in both. */
GBS_API gbs_status gbs_table_train_split(gbs_context *ctx, const gbs_table *table,
                                         const gbs_options *options, const unsigned char *learned,
                                         gbs_data **out);

/* Are there labels, which the rows are to be compared with? */
typedef enum gbs_label_use { GBS_WITHOUT_LABELS = 0, GBS_WITH_LABELS } gbs_label_use;

/* Applies a recipe to other rows, found by name or, without names, by position. Columns that the
 * recipe has no use for may be missing; so may the labels, unless they are asked for. options:
 * `missing`, of any command that reads rows; NULL: the defaults. */
GBS_API gbs_status gbs_table_apply(gbs_context *ctx, const gbs_table *table,
                                   const gbs_recipe *recipe, gbs_label_use labels,
                                   const gbs_options *options, gbs_data **out);
/* gbs_table_read and gbs_table_apply in one: columns that nobody needs are not even read, and what
 * was text in training is text, even where it looks like numbers. options: `format`, `no-header`,
 * `missing`, `keep`. */
GBS_API gbs_status gbs_table_read_for(gbs_context *ctx, const char *path, const gbs_recipe *recipe,
                                      gbs_label_use labels, const gbs_options *options,
                                      gbs_data **out);

/* Is handed a part of the rows, valid until it returns, and how many rows of the file came before.
 * A part of which every row was left out has gbs_data_rows 0, and nothing to predict. Whatever it
 * returns but GBS_OK ends the reading, and is the result. */
typedef gbs_status (*gbs_part_callback)(const gbs_data *part, size_t before, void *user);
/* The same part by part, in memory for one: `rows` rows of a CSV or svmlight file at a time, fewer
 * at the end. An npy file comes as one part. */
GBS_API gbs_status gbs_table_read_parts(gbs_context *ctx, const char *path,
                                        const gbs_recipe *recipe, gbs_label_use labels,
                                        const gbs_options *options, size_t rows,
                                        gbs_part_callback take, void *user);

/* The recipe that a model, or a sample, carries. GBS_ERR_DATA when it has none: it was fitted to
 * rows of numbers that no table made. */
GBS_API gbs_status gbs_recipe_from_model(gbs_context *ctx, const gbs_model *model,
                                         gbs_recipe **out);
GBS_API gbs_status gbs_recipe_from_particles(gbs_context *ctx, const gbs_particles *particles,
                                             gbs_recipe **out);
/* That of data which a table made, valid as long as the data; NULL: none did. */
GBS_API const gbs_recipe *gbs_data_recipe(const gbs_data *data);
/* Takes the handle back; NULL is ignored. Not for the recipe of data. */
GBS_API void gbs_recipe_free(gbs_recipe *recipe);

/* Columns of features that it makes. */
GBS_API size_t gbs_recipe_features(const gbs_recipe *recipe);
/* "income", "job=clerk": the name of feature k, "(intercept)" beyond the last, in a buffer of
 * `room` bytes; cut off where that is too small. */
GBS_API void gbs_recipe_feature(const gbs_recipe *recipe, size_t k, char *name, size_t room);
/* Columns that it needs of a table. */
GBS_API size_t gbs_recipe_inputs(const gbs_recipe *recipe);
/* The name of the k-th of them, and how many levels it has (0: numbers; levels may be NULL). NULL
 * where columns have no names, and beyond the last. */
GBS_API const char *gbs_recipe_input(const gbs_recipe *recipe, size_t k, size_t *levels);
/* Level j of the k-th of them, in the order of the features; NULL where there is none. */
GBS_API const char *gbs_recipe_level(const gbs_recipe *recipe, size_t k, size_t j);
/* The column of the labels; NULL: svmlight, where it has no name. */
GBS_API const char *gbs_recipe_target(const gbs_recipe *recipe);
/* The labels that are +1 and -1; negative NULL: every other label. */
GBS_API const char *gbs_recipe_positive(const gbs_recipe *recipe);
GBS_API const char *gbs_recipe_negative(const gbs_recipe *recipe);

/* ---------------------------------------------------------------- data that a table made */

/* -1 or +1 of each row; NULL: there are no labels. Valid as long as the data. */
GBS_API const double *gbs_data_labels(const gbs_data *data);
/* Rows of the table that were left out (`missing` drop). */
GBS_API size_t gbs_data_left_out(const gbs_data *data);
/* Those of them whose first missing cell is in the k-th input of the recipe; beyond the inputs:
 * whose label, weight or group is missing, or a cell of a column that turned out to be row names,
 * in this order. */
GBS_API size_t gbs_data_missing(const gbs_data *data, size_t k);
/* The row of the table, from 0, behind row i of the data. */
GBS_API size_t gbs_data_table_row(const gbs_data *data, size_t i);
/* The k-th column that `keep` asks for, by name; NULL beyond the last. As valid as the data. */
GBS_API const char *gbs_data_kept_column(const gbs_data *data, size_t k);
/* Its cell in row `row` of the table, from 0 (a row that was left out, too), as it stands there;
 * NULL beyond the last. */
GBS_API const char *gbs_data_kept(const gbs_data *data, size_t k, size_t row);
/* Cells of the recipe's k-th input whose level training did not see, and one such level (level may
 * be NULL), valid as long as the data. */
GBS_API size_t gbs_data_unseen(const gbs_data *data, size_t k, const char **level);

/* ---------------------------------------------------------------- cells of a matrix */

/* Cells of a matrix, each with the names of its row and its column: ratings, or pairs to predict.
 */
typedef struct gbs_cells gbs_cells;

/* What they are for. */
typedef enum gbs_cell_use {
    GBS_CELLS_TRAIN = 0, /* values within `range`, where the options declare one */
    GBS_CELLS_TEST,      /* values, of whatever size */
    GBS_CELLS_PAIRS      /* to be predicted: a third column is not read */
} gbs_cell_use;

/* Reads a CSV or MatrixMarket file, gzipped or not; "-" is standard input. In CSV the columns are
 * those called row, col and value (or user, item, rating, and the like), in any order; of three
 * columns one may have another name; in a file without such names the first three. options:
 * `no-header`, and `range` and `cache` of "complete"; NULL: the defaults. */
GBS_API gbs_status gbs_cells_read(gbs_context *ctx, const char *path, gbs_cell_use use,
                                  const gbs_options *options, gbs_cells **out);
/* How many there are. */
GBS_API size_t gbs_cells_count(const gbs_cells *cells);
/* The rows, columns and values of the cells, valid as long as the handle. Rows and columns are
 * numbered from 0 in order of first appearance; values are NULL for pairs. */
GBS_API const uint32_t *gbs_cells_rows(const gbs_cells *cells);
GBS_API const uint32_t *gbs_cells_columns(const gbs_cells *cells);
GBS_API const double *gbs_cells_values(const gbs_cells *cells);
/* The names that the numbers stand for, and how many there are (count may be NULL). */
GBS_API const char *const *gbs_cells_row_names(const gbs_cells *cells, size_t *count);
GBS_API const char *const *gbs_cells_column_names(const gbs_cells *cells, size_t *count);
/* Reads a CSV file of what is known of the rows (columns 0) or of the columns (1): identifiers in
 * the first column, numbers and texts in the others, each level of a text one feature. Items that
 * have no cells become part of the matrix; where identifiers do not match, a warning counts them,
 * and where none does it is GBS_ERR_DATA. gbs_cells_ratings hands the features on. */
GBS_API gbs_status gbs_cells_add_features(gbs_context *ctx, gbs_cells *cells, int columns,
                                          const char *path);
/* The cells as ratings to complete. */
GBS_API gbs_status gbs_cells_ratings(gbs_context *ctx, const gbs_cells *cells, gbs_ratings **out);
/* Numbers the cells by other names, those of a model or of the cells that it was fitted to: row and
 * column have room for all cells, and are GBS_UNSEEN where the names do not have that of a cell. */
GBS_API gbs_status gbs_cells_number(gbs_context *ctx, const gbs_cells *cells, size_t rows,
                                    const char *const *row_names, size_t columns,
                                    const char *const *column_names, uint32_t *row,
                                    uint32_t *column);
/* Takes the handle back; NULL is ignored. */
GBS_API void gbs_cells_free(gbs_cells *cells);

#ifdef __cplusplus
}
#endif

#endif
