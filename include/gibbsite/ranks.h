/* Ranks: several processes that work as one.
 *
 * Each rank is a process with a context of its own, makes the same calls with the same arguments
 * and gets the same results, to the last bit those of one process. Inside a call the ranks divide
 * what is long: each does its share of the tasks of a pass, and what they made of them travels. How
 * it travels is the caller's: a table of five functions, which gibbsite/mpi.h makes of an MPI
 * communicator. Of the calls that write files, only rank 0 writes.
 *
 * A call may fail on one rank alone (its memory runs out, it cannot read a file). Then the others
 * wait for it; so after every call that may fail so, each rank says how it went (gbs_ranks_agree).
 * The others learn it there or inside the call that they are in, which ends with GBS_ERR_IO.
 */
#ifndef GIBBSITE_RANKS_H
#define GIBBSITE_RANKS_H

#include "gibbsite/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How ranks reach one another. All of them call each function in the same order, on the thread that
 * called the library; 0 says that it was done. Frozen: it stays as it is. */
typedef struct gbs_ranks {
    size_t rank, size; /* this one, from 0; how many there are */
    /* A loop of fewer floating-point operations is not worth an exchange: every rank does it whole.
     * 0: the library's guess. The same on all ranks; no number depends on it. */
    double worth;
    void *user; /* handed back */
    /* Each number becomes the largest of those that the ranks gave. */
    int (*largest)(void *user, int64_t *value, size_t count);
    /* The bytes of rank `from` become everybody's. */
    int (*broadcast)(void *user, size_t from, void *bytes, size_t count);
    /* Those of each rank, one after the other, into `all`: rank r's from begin[r] to begin[r + 1].
     * `mine` lies elsewhere, or already in its place. */
    int (*gather)(void *user, const void *mine, void *all, const size_t *begin);
    /* From one rank to another. */
    int (*send)(void *user, size_t to, const void *bytes, size_t count);
    int (*receive)(void *user, size_t from, void *bytes, size_t count);
    /* Frees `user`; NULL: nothing. */
    void (*release)(void *user);
} gbs_ranks;

/* The context becomes that of a rank: every rank calls it, before it computes, with its own table,
 * which is copied and released with the context. All ranks then have as many threads as the one
 * with the fewest. GBS_ERR_ARGUMENT where the context has ranks already or a device that is not
 * this machine's processors. */
GBS_API gbs_status gbs_context_set_ranks(gbs_context *ctx, const gbs_ranks *ranks);
/* Says how this rank fared, with its words (NULL: the context's message), and hears how the others
 * did. GBS_OK: all of them well. All in the same way: that status. Otherwise the ranks are done
 * with one another: a rank that failed keeps its status, the others get GBS_ERR_IO and a message
 * that names the lowest that failed. Without ranks the status comes back. */
GBS_API gbs_status gbs_ranks_agree(gbs_context *ctx, gbs_status status, const char *words);
/* 1: a rank was lost, the words say which and why; nothing is exchanged any more. `words` may be
 * NULL. */
GBS_API int gbs_ranks_lost(const gbs_context *ctx, const char **words);
/* How often the ranks exchanged something so far, and the bytes that this one gave. */
GBS_API void gbs_ranks_traffic(const gbs_context *ctx, uint64_t *exchanges, uint64_t *bytes);
/* Rows that the ranks hold, `rows` of `columns` doubles here, become those of all, in the order of
 * the ranks: *count of them, at *all, a text of the library (gbs_release). Every rank calls it,
 * with the same columns. */
GBS_API gbs_status gbs_ranks_rows(gbs_context *ctx, size_t rows, size_t columns, const double *x,
                                  size_t *count, double **all);

#ifdef __cplusplus
}
#endif

#endif
