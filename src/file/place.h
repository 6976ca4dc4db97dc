/* Where the name of an output leads.
 *
 * A name is followed to the thing itself, so that a link stays and what it leads to is made or
 * replaced.
 */
#ifndef GIBBSITE_FILE_PLACE_H
#define GIBBSITE_FILE_PLACE_H

#include "core/context.h"

#include <limits.h>
#include <sys/stat.h>

/* Beside errno: another user put it into a shared folder; the cancel callback said so; the caller's
 * own callback failed. */
enum { GBS_PLACE_PLANTED = -1, GBS_PLACE_STOPPED = -2, GBS_PLACE_CALLER = -3 };

typedef struct gbs_place {
    char name[PATH_MAX];   /* of the thing itself */
    char folder[PATH_MAX]; /* that it lies in */
    const char *base;      /* the last part of name */
    bool linked;           /* the name given was that of a link */
    bool magic; /* name is a link to an open file (/proc/self/fd/1), whatever its text says */
    bool exists;
    struct stat st; /* when it exists */
} gbs_place;

/* Follows path to the thing itself, which need not exist. 0, an errno, or GBS_PLACE_PLANTED. */
int gbs_place_find(const char *path, gbs_place *out);
/* Why nothing can be written there, as far as can be told in advance: an errno, or 0. */
int gbs_place_refuses(const gbs_place *p);
/* A link to the file behind standard output or error (/dev/stdout, redirected): 1 or 2, else -1. */
int gbs_place_descriptor(const gbs_place *p);
/* The sentence about an error there (an errno, or one of those above), and its status. */
gbs_status gbs_place_fail(gbs_context *ctx, const char *path, const gbs_place *p, int error);

#endif
