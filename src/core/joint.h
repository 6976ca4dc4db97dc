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

/* Finds out with whom this rank shares the files of a folder. */
gbs_status gbs_joint_meet(gbs_context *ctx, gbs_spill *spill);

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
/* How this rank fared with its part; waits for the others. A failure is everybody's. */
gbs_status gbs_joint_end(gbs_context *ctx, const gbs_spill *spill, gbs_status status);

#endif
