/* What is asked of OpenBLAS while our threads call it; nothing where the BLAS is another. */
#ifndef GIBBSITE_CORE_BLAS_H
#define GIBBSITE_CORE_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* A call that computes begins: until gbs_blas_leave, OpenBLAS starts no threads, and has work space
 * for one that calls it. False, and nothing begun, when there is no room for that. Calls may
 * overlap, on any threads. */
bool gbs_blas_enter(void);

/* Work space for up to `threads` more threads of the running call; returns for how many it is. */
size_t gbs_blas_widen(size_t threads);

/* On each of those threads, before it calls OpenBLAS. */
void gbs_blas_join(void);

/* Is this a build without locks, so that calls take turns and have one thread each? Known once a
 * call has begun. */
bool gbs_blas_takes_turns(void);

/* The call ends, on the thread that entered; `threads` is all that it had work space for. */
void gbs_blas_leave(size_t threads);

#endif
