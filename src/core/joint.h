/* Arrays in files, or in memory, that ranks share: made once, by all of them together.
 *
 *   gbs_joint_meet(ctx, &spill)                      who sees the same folder
 *   gbs_joint_array(ctx, &spill, count, size, &x)    one file, mapped by each of them
 *   gbs_joint_part(&spill, n, &from, &to)            which of n rows this rank fills in
 *   gbs_joint_end(ctx, &spill, status)               all of them have
 *
 * Ranks share a file where what one of them writes is there for the others at once: on one machine,
 * and on several in a file system made for that. Ranks of different machines in a folder of another
 * kind have a file each, or one a machine. Every rank makes these calls in the same order, whether
 * it shares with anybody or not; without ranks they are those of pages.h.
 *
 * A spill without a folder is memory: ranks of one machine, and of one user, have one copy of an
 * array between them, in a file that has no name and lies on no disk; without ranks that share, an
 * array is this rank's own.
 */
#ifndef GIBBSITE_CORE_JOINT_H
#define GIBBSITE_CORE_JOINT_H

#include "core/pages.h"

/* Finds out with whom this rank shares the files of a folder (joint_meet.c). */
gbs_status gbs_joint_meet(gbs_context *ctx, gbs_spill *spill);
/* A number of this machine, another one after each start; 0: nobody tells. */
uint64_t gbs_machine(void);

/* A file of so many bytes, open to be read and written by all who share it. named: it still has the
 * name left in `name` on its leader, who takes it away; else it has none. */
gbs_status gbs_joint_file(gbs_context *ctx, const gbs_spill *spill, size_t bytes, bool named,
                          int *fd, char name[GBS_FILE_NAME_ROOM]);

/* gbs_spill_array, of which every rank that shares it fills in its part. */
gbs_status gbs_joint_array(gbs_context *ctx, const gbs_spill *spill, size_t count, size_t size,
                           void **out);
/* Rows from .. to - 1 of n; all of them where the array is this rank's alone. spill NULL: the array
 * lies in memory. */
void gbs_joint_part(const gbs_spill *spill, size_t n, size_t *from, size_t *to);
/* An array as gbs_joint_array has it where ranks share one, in memory (folder NULL) or in a file;
 * of this rank's own where it is small or, in memory, cannot be shared: the spill says which. */
gbs_status gbs_joint_room(gbs_context *ctx, const char *folder, size_t bytes, gbs_spill *spill,
                          void **out);
/* How this rank fared with its part; waits for the others. A failure is everybody's. */
gbs_status gbs_joint_end(gbs_context *ctx, const gbs_spill *spill, gbs_status status);

/* What ranks write to an array that they have read in parts, each its own elements. */
typedef struct gbs_section {
    const void *mine;
    const size_t *before; /* elements before each rank's; and in all */
    size_t size;          /* of one */
    size_t at;            /* bytes of the array before the first of all */
} gbs_section;
/* This rank's own to their place. in_files: both are, and leave memory. */
gbs_status gbs_section_put(gbs_context *ctx, const gbs_section *section, bool in_files, void *to);
/* Those of all ranks to all who share another copy; every rank calls it, when its own are there. */
gbs_status gbs_section_send(gbs_context *ctx, const gbs_spill *spill, const gbs_section *section,
                            size_t sections, void *to);

#endif
