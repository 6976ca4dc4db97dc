/* The header of a numpy .npy file: what the array's bytes mean. */
#ifndef GIBBSITE_CLI_TABLE_NPY_HEADER_H
#define GIBBSITE_CLI_TABLE_NPY_HEADER_H

#include "reader.h"

struct npy_header {
    char kind;    /* f, i, u or b */
    size_t item;  /* bytes of an element: 1, 2, 4 or 8 */
    bool swapped; /* the other byte order than this machine's */
    bool fortran; /* column after column */
    size_t n_rows, n_columns;
};

/* Leaves the window at the first byte of data. */
enum table_status npy_header_read(struct reader *r, struct npy_header *header);

#endif
