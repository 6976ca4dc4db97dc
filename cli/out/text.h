/* A growing piece of text. Running out of memory is remembered, and asked for once at the end. */
#ifndef GIBBSITE_CLI_OUT_TEXT_H
#define GIBBSITE_CLI_OUT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* zero-terminated, or NULL when empty */
    size_t size, room;
    bool failed;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *t, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void text_add_bytes(struct text *t, const char *bytes, size_t size);
/* The shortest decimal that reads back as x. */
void text_add_number(struct text *t, double x);
/* A whole number and a character behind it. */
void text_add_count(struct text *t, size_t n, char after);
/* A CSV cell, quoted where it must be. */
void text_add_cell(struct text *t, const char *cell);
void text_free(struct text *t);

/* "1 row", "3 rows": a number before its noun, which is given as of one. */
struct counted {
    char text[48];
};
struct counted counted(size_t n, const char *noun);

/* What an upper bound is printed as: the least number of so many decimals, of so many significant
 * digits, that is not below it; of a lower bound the largest that is not above it. */
double text_up(double bound, int decimals);
double text_up_digits(double bound, int digits);
double text_down(double bound, int decimals);

/* Bytes of the UTF-8 character that begins here; 0 when there is none (cut short, overlong, a
 * surrogate, beyond Unicode). */
size_t utf8_length(const char *text);
/* A control character begins here: U+0080 to U+009F are some too, which a terminal may obey. */
bool utf8_is_control(const char *text);

bool text_ends_in(const char *text, const char *ending);

#endif
