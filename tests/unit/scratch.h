/* Where tests put files for a while: below TMPDIR, which tests/run gives each of them. */
#ifndef GIBBSITE_TESTS_SCRATCH_H
#define GIBBSITE_TESTS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

enum { SCRATCH_ROOM = 256 };

/* The pattern of a name there, as mkdtemp and mkstemp take it. */
static inline char *scratch_name(char name[SCRATCH_ROOM]) {
    const char *folder = getenv("TMPDIR");
    snprintf(name, SCRATCH_ROOM, "%s/gibbsite-test-XXXXXX", folder != NULL ? folder : P_tmpdir);
    return name;
}

#endif
