/* Ranks over MPI: the table of include/gibbsite/ranks.h made of a communicator.
 *
 * Nothing but MPI is called here: the file makes a library of its own, libgibbsite-mpi, which
 * programs link and the command line loads where it was started by mpirun.
 */
#include "gibbsite/mpi.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes in one call: counts of MPI are ints. */
#define MOST_BYTES ((size_t)1 << 30)

struct link {
    MPI_Comm comm;
    int size;
    int *count, *first; /* of a gather, one a rank */
};

static int largest(void *user, int64_t *value, size_t count) {
    const struct link *l = user;
    return MPI_Allreduce(MPI_IN_PLACE, value, (int)count, MPI_INT64_T, MPI_MAX, l->comm);
}

static int broadcast(void *user, size_t from, void *bytes, size_t count) {
    const struct link *l = user;
    int error = MPI_SUCCESS;
    for (size_t at = 0; error == MPI_SUCCESS && at < count; at += MOST_BYTES) {
        size_t some = count - at < MOST_BYTES ? count - at : MOST_BYTES;
        error = MPI_Bcast((char *)bytes + at, (int)some, MPI_BYTE, (int)from, l->comm);
    }
    return error;
}

static int gather(void *user, const void *mine, void *all, const size_t *begin) {
    struct link *l = user;
    int error = MPI_SUCCESS, rank;
    MPI_Comm_rank(l->comm, &rank);
    bool placed = mine == (char *)all + begin[rank];
    if (begin[l->size] <= INT_MAX) {
        for (int k = 0; k < l->size; k++) {
            l->first[k] = (int)begin[k];
            l->count[k] = (int)(begin[k + 1] - begin[k]);
        }
        return MPI_Allgatherv(placed ? MPI_IN_PLACE : mine, l->count[rank], MPI_BYTE, all, l->count,
                              l->first, MPI_BYTE, l->comm);
    }
    if (!placed)
        memcpy((char *)all + begin[rank], mine, begin[rank + 1] - begin[rank]);
    for (int k = 0; error == MPI_SUCCESS && k < l->size; k++)
        error = broadcast(user, (size_t)k, (char *)all + begin[k], begin[k + 1] - begin[k]);
    return error;
}

static int send(void *user, size_t to, const void *bytes, size_t count) {
    const struct link *l = user;
    int error = MPI_SUCCESS;
    for (size_t at = 0; error == MPI_SUCCESS && at < count; at += MOST_BYTES) {
        size_t some = count - at < MOST_BYTES ? count - at : MOST_BYTES;
        error = MPI_Send((const char *)bytes + at, (int)some, MPI_BYTE, (int)to, 0, l->comm);
    }
    return error;
}

static int receive(void *user, size_t from, void *bytes, size_t count) {
    const struct link *l = user;
    int error = MPI_SUCCESS;
    for (size_t at = 0; error == MPI_SUCCESS && at < count; at += MOST_BYTES) {
        size_t some = count - at < MOST_BYTES ? count - at : MOST_BYTES;
        error = MPI_Recv((char *)bytes + at, (int)some, MPI_BYTE, (int)from, 0, l->comm,
                         MPI_STATUS_IGNORE);
    }
    return error;
}

/* A context may outlive MPI, which has then freed the communicator. */
static void release(void *user) {
    struct link *l = user;
    int ended = 0;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended && l->comm != MPI_COMM_NULL)
        MPI_Comm_free(&l->comm);
    free(l->count);
    free(l->first);
    free(l);
}

int gbs_mpi_ranks(MPI_Comm communicator, gbs_ranks *out) {
    int size, rank, error = MPI_Comm_size(communicator, &size);
    *out = (gbs_ranks){0};
    if (error == MPI_SUCCESS)
        error = MPI_Comm_rank(communicator, &rank);
    if (error != MPI_SUCCESS)
        return error;
    struct link *l = calloc(1, sizeof *l);
    if (l == NULL)
        return MPI_ERR_NO_MEM;
    l->comm = MPI_COMM_NULL;
    l->size = size;
    l->count = calloc((size_t)size, sizeof *l->count);
    l->first = calloc((size_t)size, sizeof *l->first);
    error = l->count != NULL && l->first != NULL ? MPI_Comm_dup(communicator, &l->comm)
                                                 : MPI_ERR_NO_MEM;
    /* a lost rank is told by the call, not by the end of the process */
    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_errhandler(l->comm, MPI_ERRORS_RETURN);
    if (error != MPI_SUCCESS) {
        release(l);
        return error;
    }
    *out = (gbs_ranks){.rank = (size_t)rank,
                       .size = (size_t)size,
                       .user = l,
                       .largest = largest,
                       .broadcast = broadcast,
                       .gather = gather,
                       .send = send,
                       .receive = receive,
                       .release = release};
    return MPI_SUCCESS;
}

int gbs_mpi_begin(gbs_ranks *out) {
    int level, error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    *out = (gbs_ranks){0};
    if (error == MPI_SUCCESS && level < MPI_THREAD_FUNNELED) /* calls come from one of several */
        error = MPI_ERR_OTHER;
    return error == MPI_SUCCESS ? gbs_mpi_ranks(MPI_COMM_WORLD, out) : error;
}

void gbs_mpi_end(void) {
    MPI_Finalize();
}

void gbs_mpi_words(char *text, size_t room) {
    char words[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(words, &length);
    snprintf(text, room, "%.*s", (int)strcspn(words, ","), words);
}
