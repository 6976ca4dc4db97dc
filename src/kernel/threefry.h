/* Threefry 2x64 over arrays, for hashes of rows. */
#ifndef GIBBSITE_KERNEL_THREEFRY_H
#define GIBBSITE_KERNEL_THREEFRY_H

#include <stddef.h>
#include <stdint.h>

/* Adds up H(key0[i], key1; bits of value[i], 0) over the values that are not 0, modulo 2^128:
 * sum[0] are the low 64 bits. n is below 2^32. */
void gbs_threefry_sum(size_t n, const uint64_t *key0, uint64_t key1, const double *value,
                      uint64_t sum[2]);

#endif
