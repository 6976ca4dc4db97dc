/* simulate classify: what divides the classes. */
#ifndef GIBBSITE_CLI_SIMULATE_SHAPE_H
#define GIBBSITE_CLI_SIMULATE_SHAPE_H

#include <stddef.h>

/* In the order of the choices of --shape. */
enum shape { SHAPE_LINEAR, SHAPE_XOR, SHAPE_RINGS, SHAPE_WAVES };

/* Rings take no more columns than this. */
enum { MOST_RING_COLUMNS = 100 };

/* The function of a row whose sign, from 0 on positive, is the label before it is flipped; of the
 * first `signal` columns. */
double shape_value(enum shape shape, size_t signal, const double *x, const double *theta);

#endif
