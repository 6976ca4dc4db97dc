/* A file before it has its name.
 *
 * It lies in the folder of its place, without a name where the file system knows such files
 * (O_TMPFILE): a process that is killed leaves nothing behind. A new file then gets its name at
 * once; one in the place of another is first linked beside it, since only a name can be renamed
 * over another, and is a temporary file for the moment between. Elsewhere, and without /proc, it is
 * a temporary file from the beginning, of a name that nobody can foresee. It never grants more
 * rights than the file that it becomes.
 */
#ifndef GIBBSITE_FILE_DRAFT_H
#define GIBBSITE_FILE_DRAFT_H

#include "file/place.h"

typedef struct gbs_draft {
    gbs_place place;
    int folder, fd; /* -1: none */
    char name[64];  /* of the temporary file; "": it has none */
    bool made;      /* a new file, which has its own name */
    bool placed;    /* it is where it belongs */
} gbs_draft;

/* All give 0 or an errno. In this order; gbs_draft_free ends every way, and takes away what was not
 * placed. The bytes are written to ->fd. */
int gbs_draft_open(gbs_draft *d); /* ->place is known; the rest is set here */
int gbs_draft_sync(gbs_draft *d); /* all is written: rights, and onto the disk */
int gbs_draft_name(gbs_draft *d); /* what can fail for want of room; gbs_draft_free undoes it */
int gbs_draft_place(gbs_draft *d);
void gbs_draft_free(gbs_draft *d);

#endif
