/* Ranks of an MPI program: a context is handed a communicator.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
 *     gbs_context_create(NULL, &ctx);
 *     gbs_context_use_mpi(ctx, MPI_COMM_WORLD);
 *
 * Every rank then makes the same calls (gibbsite/ranks.h). Programs link libgibbsite-mpi beside
 * libgibbsite, which itself knows nothing of MPI.
 */
#ifndef GIBBSITE_MPI_H
#define GIBBSITE_MPI_H

#include "gibbsite.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GBS_MPI_API __attribute__((visibility("default")))
#else
#define GBS_MPI_API
#endif

/* The table of a communicator, of which it has a duplicate of its own, freed with the context or
 * left to MPI_Finalize, whichever comes first. All ranks of the communicator call it. 0, or MPI's
 * error. */
GBS_MPI_API int gbs_mpi_ranks(MPI_Comm communicator, gbs_ranks *out);

/* Begins and ends MPI for a program that knows nothing of it: the table of all ranks that were
 * started together. 0, or MPI's error. */
GBS_MPI_API int gbs_mpi_begin(gbs_ranks *out);
GBS_MPI_API void gbs_mpi_end(void);
/* The version of MPI, in words, into `text` (`room` bytes, its end included). */
GBS_MPI_API void gbs_mpi_words(char *text, size_t room);

/* The context becomes that of a rank of the communicator. */
static inline gbs_status gbs_context_use_mpi(gbs_context *ctx, MPI_Comm communicator) {
    gbs_ranks ranks;
    if (gbs_mpi_ranks(communicator, &ranks) != 0)
        return GBS_ERR_IO;
    gbs_status status = gbs_context_set_ranks(ctx, &ranks);
    if (status != GBS_OK)
        ranks.release(ranks.user);
    return status;
}

#ifdef __cplusplus
}
#endif

#endif
