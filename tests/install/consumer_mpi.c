/* The smallest MPI program that uses an installed Gibbsite. */
#include <gibbsite/mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int level, ranks = 0;
    gbs_context *ctx;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return 1;
    int ok = MPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS &&
             gbs_context_create(NULL, &ctx) == GBS_OK;
    if (ok) {
        ok = gbs_context_use_mpi(ctx, MPI_COMM_WORLD) == GBS_OK;
        gbs_context_free(ctx);
    }
    printf("gibbsite %s, %d ranks\n", gbs_version(), ranks);
    return MPI_Finalize() != MPI_SUCCESS || !ok;
}
