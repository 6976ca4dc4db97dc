/* Sorting numbers. */
#ifndef GIBBSITE_KERNEL_SORT_H
#define GIBBSITE_KERNEL_SORT_H

#include <stddef.h>

/* x ascending; spare: room for n more. NaNs end up anywhere. */
void gbs_sort(size_t n, double *x, double *spare);

#endif
