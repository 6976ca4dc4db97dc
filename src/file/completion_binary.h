/* The binary part of a completion file: its long arrays, behind the text (docs/formats.md).
 *
 *   text of a JSON object, "\n", a zero byte, then without gaps, numbers with their low byte first:
 *   texts of the rows, of the columns, each closed by a zero byte
 *   means of rows, of columns; covariances of rows, of columns where there are any (doubles)
 *   the noise of the rows and of one more (doubles; hierarchical)
 *   how many ratings each row has, then their columns (32 bits each)
 *
 * "binary" in the text says how many bytes these are, how many of them the texts take, and a
 * checksum of all.
 */
#ifndef GIBBSITE_FILE_COMPLETION_BINARY_H
#define GIBBSITE_FILE_COMPLETION_BINARY_H

#include "model/completion.h"

#include <jansson.h>

/* Numbers from which on a file has one: some 20 MB of text. */
enum { GBS_COMPLETION_LONG = 1 << 20 };

/* How many numbers such a model has. */
size_t gbs_completion_numbers(const gbs_completion *c);
/* Bytes of its binary part; SIZE_MAX: more than memory could hold. */
size_t gbs_completion_binary_size(const gbs_completion *c);
/* "binary" for the text, of the bytes at `from`. */
json_t *gbs_completion_binary_head(const gbs_completion *c, const unsigned char *from, size_t size);
/* Writes them. */
void gbs_completion_put_binary(const gbs_completion *c, unsigned char *to);
/* Reads them into c, whose sizes are known; root: the text. */
gbs_status gbs_completion_get_binary(gbs_context *ctx, const json_t *root,
                                     const unsigned char *from, size_t size, gbs_completion *c);

/* The text of a file, or text and binary part. */
gbs_status gbs_completion_print(gbs_context *ctx, const gbs_completion *model, bool binary,
                                char **text, size_t *size);

#endif
