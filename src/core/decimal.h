/* Numbers as text with a point, whatever locale the host program has set. */
#ifndef GIBBSITE_CORE_DECIMAL_H
#define GIBBSITE_CORE_DECIMAL_H

#include <stddef.h>

/* strtod of the C locale. */
double gbs_decimal_read(const char *text, char **end);

/* The fewest digits, from 6 on, that give x back; x is finite. */
void gbs_decimal_print(double x, char *out, size_t room);
/* The same from `least` digits on: 15 leave whole numbers whole. */
void gbs_decimal_print_from(int least, double x, char *out, size_t room);

#endif
