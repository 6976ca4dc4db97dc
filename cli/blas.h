/* What the program settles with OpenBLAS, the only BLAS that has such questions. */
#ifndef GIBBSITE_CLI_BLAS_H
#define GIBBSITE_CLI_BLAS_H

#include <stddef.h>

/* Kernels that fit a processor which OpenBLAS does not know. Before anything is computed. */
void blas_choose_kernels(void);

/* The type of processor that the kernels are made for; "" where nobody tells. */
const char *blas_kernels(void);

/* What decides the last digits of a number here: BLAS, instructions of this processor that loops
 * use, functions of the C library. */
void blas_describe_arithmetic(char *text, size_t room);

#endif
