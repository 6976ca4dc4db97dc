/* Arrays that lie in files, for data that memory does not hold.
 *
 * The file is mapped, so that whoever reads the array sees a plain pointer and computes what it
 * computes of memory, to the bit. Its pages are the system's to write out and fetch again; a loop
 * that is through with some of them says so (gbs_pages_drop), and they no longer count as memory
 * of the process. A file has no name: it is gone when the array is freed, or the process ends.
 */
#ifndef GIBBSITE_CORE_PAGES_H
#define GIBBSITE_CORE_PAGES_H

#include "core/context.h"

/* Where the files of arrays go; and with which other ranks they are shared (joint.h). */
typedef struct gbs_spill {
    const char *folder;            /* NULL, of joint.h alone: memory that ranks share */
    size_t least;                  /* bytes: a smaller array lies in memory all the same */
    bool joint;                    /* ranks share them; the same on all ranks */
    size_t leader, place, members; /* then, of those who share with this one: the rank that makes
                                      the files, which of them this one is, how many they are */
} gbs_spill;

/* Small arrays gain nothing from a file. */
#define GBS_SPILL_LEAST ((size_t)1 << 20)

/* Bytes that a loop goes through between two calls of gbs_pages_drop, about. */
enum { GBS_PAGES_STEP = 1 << 24 };

/* Zeros, as gbs_array_alloc has them, and gbs_array_free takes it back; spill NULL: in memory.
 * GBS_ERR_IO, with the folder's name, where the file cannot be made so large. */
gbs_status gbs_spill_array(gbs_context *ctx, const gbs_spill *spill, size_t count, size_t size,
                           void **out);

/* Such an array lies in a file. */
bool gbs_spills(const gbs_spill *spill, size_t count, size_t size);

/* The pages wholly between the two leave memory; what they hold stays in the file. Only for arrays
 * in files: elsewhere the numbers would be lost. */
void gbs_pages_drop(const void *from, const void *to);

/* How many elements of `bytes` a loop goes through between two calls. */
size_t gbs_pages_every(size_t bytes);

/* An open file without a name in the folder, to be read and written; -1 and errno. Where the file
 * system knows none, it has the name left in `name`, else that is empty: an array's is taken away
 * at once, a file that is to stay gets its own by gbs_file_keep. */
enum { GBS_FILE_NAME_ROOM = 4096 };
int gbs_file_nameless(const char *folder, char name[GBS_FILE_NAME_ROOM]);
/* It is called `path` from now on, if nothing is called so already; 0, or -1 and errno. */
int gbs_file_keep(int fd, const char *name, const char *path);
/* So many bytes of it are there, whatever the disk has to give to others; 0 or an errno. */
int gbs_file_room(gbs_context *ctx, int fd, size_t size);

/* Bytes that the process may still take, as the system tells: of the machine, of its control group
 * and of its limit on data. SIZE_MAX: nothing is told. */
size_t gbs_memory_left(void);

#endif
