/* Text from a file or a caller: is it UTF-8, and how does a message show it? */
#ifndef GIBBSITE_TABLE_SHOWN_H
#define GIBBSITE_TABLE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

/* Fit for a message: at most 40 characters, the unprintable ones escaped. */
typedef struct gbs_shown {
    char text[40 * 4 + 4];
} gbs_shown;
gbs_shown gbs_show(const char *text, size_t length);

/* A text as the value of an option in a message: between backquotes where it is more than a word
 * (`drop` `# of visits`), which each caller quotes in its own way. What a list of values cannot
 * hold, or a message not show, is named by the number of its column; column SIZE_MAX: it has none.
 */
gbs_shown gbs_show_value(const char *text, size_t column);

/* Bytes of the UTF-8 character at p (1 to 4), 0 where there is none. */
size_t gbs_utf8_character(const char *p, const char *end);
bool gbs_is_utf8(const char *text, size_t length);

#endif
