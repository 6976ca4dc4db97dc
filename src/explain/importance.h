/* How much worse a model does without what a column says. */
#ifndef GIBBSITE_EXPLAIN_IMPORTANCE_H
#define GIBBSITE_EXPLAIN_IMPORTANCE_H

#include "explain/losses.h"

/* One measurement after the other on the same rows. */
typedef struct gbs_measuring {
    gbs_borrowing *of;
    size_t shifts, *shift; /* row i borrows from row i + shift, going round */
    size_t measures;
    double *before; /* measures x n: losses of the rows as they are */
    double *after;  /* measures x n */
    double *total;  /* measures x n: sums over shifts of what a row adds as it borrows and lends */
    double *answers;
    size_t *lender;
    double *by_group; /* groups; NULL: every row by itself */
} gbs_measuring;

/* Up to `most` shifts drawn by the context's seed, each another; all of them where there are no
 * more. */
gbs_status gbs_measuring_create(gbs_borrowing *of, size_t most, gbs_measuring *out);
void gbs_measuring_free(gbs_measuring *m);

/* Rise of each measure, and its standard error. */
gbs_status gbs_measure_input(gbs_measuring *m, size_t input, double *rise, double *se);

#endif
