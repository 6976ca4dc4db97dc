/* What the program settles with OpenBLAS, the only BLAS that has such questions. */
#ifndef GIBBSITE_CLI_BLAS_H
#define GIBBSITE_CLI_BLAS_H

/* Kernels that fit a processor which OpenBLAS does not know. Before anything is computed. */
void blas_choose_kernels(void);

/* The type of processor that the kernels are made for; "" where nobody tells. */
const char *blas_kernels(void);

#endif
