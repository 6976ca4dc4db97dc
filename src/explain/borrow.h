/* What a model says of rows that borrow one column from other rows. */
#ifndef GIBBSITE_EXPLAIN_BORROW_H
#define GIBBSITE_EXPLAIN_BORROW_H

#include "explain/inputs.h"
#include "model/many.h"

typedef struct gbs_borrowing {
    gbs_context *ctx;
    const gbs_model *model;
    const gbs_data *rows;
    const gbs_inputs *inputs;
    size_t n, answers; /* rows; numbers that the model says of each */
    size_t input;      /* that is borrowed */
    /* a score that is linear in the columns: each part of the model keeps its score and adds the
     * difference of what the column has in it */
    bool linear;
    size_t parts;
    const gbs_model **part;
    double *coefficient; /* parts x d */
    double *score;       /* parts x n */
    double *share;       /* parts x n: of the borrowed column in the scores */
    double *changed;     /* n */
    /* any other: */
    double *cells, *mixed; /* n x d: as they are, and with the borrowed column */
} gbs_borrowing;

/* Borrows nothing yet. The rows are those that borrow and lend. */
gbs_status gbs_borrowing_create(gbs_context *ctx, const gbs_model *model, const gbs_data *rows,
                                const gbs_inputs *inputs, gbs_borrowing *out);
void gbs_borrowing_free(gbs_borrowing *b);
/* The score of such a model is linear in the columns as they came. */
bool gbs_is_linear(const gbs_model *model);

/* The column that is borrowed from here on. */
void gbs_borrow_input(gbs_borrowing *b, size_t input);
/* What is said of the first `count` rows, row i with the column of row lender[i] (NULL: its own):
 * count x answers. The probability of +1, of three classes or more those of each, of a model that
 * ranks the score. */
gbs_status gbs_borrowed_answers(gbs_borrowing *b, size_t count, const size_t *lender, double *out);
/* The cells of the column in row i, as many as it has columns in the data. */
void gbs_borrowed_cells(const gbs_borrowing *b, size_t i, double *out);
/* How much borrowing a column can move the scores of a linear model: the variance of its share in
 * them. One number for each input. */
void gbs_linear_weights(const gbs_borrowing *b, double *room, double *out);

#endif
