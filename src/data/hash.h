/* One number for a set of rows, whatever their order, which the seed of the split depends on; and
 * one for the rows as they come, which the seed of draws depends on. */
#ifndef GIBBSITE_DATA_HASH_H
#define GIBBSITE_DATA_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A number of 128 bits; sums are modulo 2^128. */
typedef struct gbs_hash {
    uint64_t low, high;
} gbs_hash;

gbs_hash gbs_hash_add(gbs_hash a, gbs_hash b);

/* A cell of column `column`. A number is hashed as a double, whatever it was written as; a zero of
 * either sign adds nothing, so that dense rows hash like sparse ones. */
gbs_hash gbs_hash_number(uint64_t column, double value);
gbs_hash gbs_hash_text(uint64_t column, const char *text, size_t size);
/* A row: the sum of its cells, and its label (its class by number). */
gbs_hash gbs_hash_row(gbs_hash cells, double label);

/* Rows added up, with their labels as they are and turned round. */
typedef struct gbs_hash_sum {
    gbs_hash as_is, turned;
} gbs_hash_sum;

void gbs_hash_sum_add(gbs_hash_sum *sum, gbs_hash cells, double label);
/* The same for both ways: which class is called positive does not count. */
gbs_hash gbs_hash_sum_of(const gbs_hash_sum *sum);

/* The seed of the order of n rows whose hashes add up to `rows`. */
uint64_t gbs_hash_seed(uint64_t seed, uint64_t n, gbs_hash rows);

/* A row (gbs_hash_row) at a place of the file, from 0. These add up as well: parts of a file can be
 * hashed one by one. */
gbs_hash gbs_hash_placed(gbs_hash row, uint64_t place);
/* The seed of the draws that a certificate of n rows counts; `in_order`: the sum of the rows at
 * their places. */
uint64_t gbs_hash_draw_seed(uint64_t seed, uint64_t n, gbs_hash in_order);

#endif
