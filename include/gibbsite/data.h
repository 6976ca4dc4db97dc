/* Data handles: rows of features, with their labels or without. */
#ifndef GIBBSITE_DATA_H
#define GIBBSITE_DATA_H

#include "gibbsite/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- data */

/* Rows of features, with their labels or without. */
typedef struct gbs_data gbs_data;

/* GBS_BORROW: the arrays stay the caller's, who keeps them alive and unchanged as long as the
 * handle lives. */
typedef enum gbs_ownership { GBS_COPY = 0, GBS_BORROW = 1 } gbs_ownership;

/* n rows of d features, row-major, row i at x + i * row_stride. y holds -1 or +1 per row, or is
 * NULL (prediction only). Every x must be finite. No intercept column: see
 * the option `no-intercept`. */
GBS_API gbs_status gbs_data_dense(gbs_context *ctx, size_t n, size_t d, const double *x,
                                  size_t row_stride, const double *y, gbs_ownership ownership,
                                  gbs_data **out);

/* What the cells of an array are. */
typedef enum gbs_cell_type { GBS_CELL_DOUBLE = 0, GBS_CELL_FLOAT } gbs_cell_type;

/* The same of an array in any order: the cell of row i and column k is element i * row_stride + k *
 * column_stride of x. Columns one after the other have a row_stride of 1 and a column_stride of at
 * least n. Borrowed arrays are read where they lie, whatever their type and order; rows that are
 * one after the other in memory are read fastest. */
GBS_API gbs_status gbs_data_strided(gbs_context *ctx, size_t n, size_t d, const void *x,
                                    gbs_cell_type type, size_t row_stride, size_t column_stride,
                                    const double *y, gbs_ownership ownership, gbs_data **out);

/* Compressed sparse rows: row i is (column[k], value[k]), k = row_start[i] .. row_start[i+1] - 1,
 * columns from 0, strictly increasing within a row. */
GBS_API gbs_status gbs_data_csr(gbs_context *ctx, size_t n, size_t d, const size_t *row_start,
                                const uint32_t *column, const double *value, const double *y,
                                gbs_ownership ownership, gbs_data **out);

/* The same with indices of 64 bits, as other programs keep them. They are always copied, and take
 * half the room here; values and labels are as `ownership` says. */
GBS_API gbs_status gbs_data_csr_wide(gbs_context *ctx, size_t n, size_t d, const int64_t *row_start,
                                     const int64_t *column, const double *value, const double *y,
                                     gbs_ownership ownership, gbs_data **out);

/* What of these rows was looked at when the columns were made: certificates that needed it fixed in
 * advance are then marked conditional. The library cannot know; an honest caller says so. */
enum gbs_looked {
    GBS_LOOKED_LAMBDA = 1, /* lambda was chosen on these rows */
    GBS_LOOKED_PRIOR = 2,  /* prior_sd was chosen on these rows */
    /* what the columns are was learned from these rows (levels of text columns, number of features)
     */
    GBS_LOOKED_COLUMNS = 4,
    GBS_LOOKED_CX = 8,     /* cx is a maximum seen in the rows */
    GBS_LOOKED_METHOD = 16 /* the method of the bound was chosen among several after a look */
};
/* Says so: bits of gbs_looked, added to those said before. */
GBS_API void gbs_data_looked(gbs_data *data, unsigned bits);

/* How much each row counts in the risk that a fit, a cross-validation or a sampling of a classifier
 * minimises: n numbers from 0, which are copied; NULL: all alike. Only their ratios matter, and
 * lambda goes by the number of rows. A row of weight 0 is as good as absent. Weights shape the
 * predictor; whatever judges it, certificates and errors, counts every row once. */
GBS_API gbs_status gbs_data_set_weights(gbs_context *ctx, gbs_data *data, const double *weight);

/* Says which rows belong together: those of one patient, say. n numbers, equal within a group,
 * which are copied; NULL: every row by itself. A group is learned from or certifies as a whole, in
 * splits and in folds of a cross-validation; groups, not rows, are then taken for independent, and
 * certificates are about the mean over groups of the share of wrong rows. For `bound` vote. */
GBS_API gbs_status gbs_data_set_groups(gbs_context *ctx, gbs_data *data, const uint64_t *group);

/* Says which rows a fit is to learn from (learned[i] not 0) and which are to certify it, in place
 * of the split that it would draw: for callers who learned something from those rows themselves,
 * such as a transformation of the columns. A random split keeps certificates valid, one that was
 * chosen by its result does not; gbs_fit_split draws one. There must be rows of both kinds. Copied.
 */
GBS_API gbs_status gbs_data_set_split(gbs_context *ctx, gbs_data *data,
                                      const unsigned char *learned);

/* The shape of the rows as they were handed in, without an intercept. */
GBS_API size_t gbs_data_rows(const gbs_data *data);
GBS_API size_t gbs_data_columns(const gbs_data *data);
/* Frees the handle; NULL is ignored. Borrowed arrays stay the caller's. */
GBS_API void gbs_data_free(gbs_data *data);

#ifdef __cplusplus
}
#endif

#endif
