/* What every page of the interface needs: version, status, the context by name.
 *
 * How the interface grows without breaking a program that was built before:
 *  - Handles are opaque; the library makes them, and `..._free` takes them back.
 *  - Results are read through const pointers to structs of the library, valid as long as the handle
 *    that they were asked of. New members come at the end of such a struct; none moves or goes.
 *    Never allocate one, copy it by its size, or step from one to the next: lists are asked for
 *    element by element, NULL beyond the last.
 *  - What a caller fills in is frozen (gbs_allocator) or handed over with its size (gbs_option).
 *  - Enumerations grow at their end: expect values that this header does not know. What does not
 *    belong to the list, such as a value that is only asked for, has a number away from it, from
 *    100 on. No number changes.
 *  - A function keeps its arguments; more of them is a new name.
 * The number in the library's file name (soname) rises when one of these is broken.
 */
#ifndef GIBBSITE_BASE_H
#define GIBBSITE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; gbs_version() is that of the library that was linked. */
#define GBS_VERSION "0.1.0"

#if defined(__GNUC__)
#define GBS_API __attribute__((visibility("default")))
#else
#define GBS_API
#endif

/* ---------------------------------------------------------------- status */

/* How a call ended. */
typedef enum gbs_status {
    GBS_OK = 0,
    GBS_ERR_ARGUMENT,  /* an option or argument is out of range */
    GBS_ERR_DATA,      /* the rows or labels cannot be used */
    GBS_ERR_MEMORY,    /* an allocation failed */
    GBS_ERR_CANCELLED, /* the cancel callback said so */
    GBS_ERR_NUMERIC,   /* the computation broke down (overflow, singular matrix) */
    GBS_ERR_FORMAT,    /* a model text is damaged or from a newer major version */
    GBS_ERR_IO         /* the file system refused, or another rank was lost */
} gbs_status;

/* One general sentence for a status; never NULL. */
GBS_API const char *gbs_status_message(gbs_status status);

/* The version of the library that was linked, "0.1.0". */
GBS_API const char *gbs_version(void);

/* x as files and tables of gibbsite have it: the shortest text with a point that is read back as x,
 * whatever the locale; whole numbers below 10^15 without an exponent. `text` has room for
 * GBS_NUMBER_ROOM characters. Returns how many there are before the zero byte. */
#define GBS_NUMBER_ROOM 32
GBS_API size_t gbs_print_number(double x, char *text);

/* What every call shares: memory, messages, threads, the seed. */
typedef struct gbs_context gbs_context;

#ifdef __cplusplus
}
#endif

#endif
