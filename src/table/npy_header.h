/* The header of a numpy .npy file: what the array's bytes mean. */
#ifndef GIBBSITE_TABLE_NPY_HEADER_H
#define GIBBSITE_TABLE_NPY_HEADER_H

#include "table/reader.h"

typedef struct gbs_npy_header {
    char kind;    /* f, i, u or b */
    size_t item;  /* bytes of an element: 1, 2, 4 or 8 */
    bool swapped; /* the other byte order than this machine's */
    bool fortran; /* column after column */
    size_t n_rows, n_columns;
} gbs_npy_header;

/* Leaves the window at the first byte of data. */
gbs_status gbs_npy_header_read(gbs_reader *r, gbs_npy_header *header);

#endif
