/* An MPI program that already holds its rows: each rank has some, all of them fit one model.
 *
 *     mpicc -std=c17 09_ranks.c -o example $(pkg-config --cflags --libs gibbsite) -lgibbsite-mpi
 *     mpirun -np 2 ./example
 */
#include <gibbsite/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1200, COLUMNS = 4 };

/* The rows that are this rank's: the sign of x0 - x1 + x2/2, one label in ten flipped. */
static void make_rows(const gbs_context *ctx, size_t first, size_t n, double *x, double *y) {
    for (size_t i = 0; i < n; i++) {
        double *row = x + i * COLUMNS;
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = gbs_random_normal(ctx, j, first + i);
        double sign = row[0] - row[1] + 0.5 * row[2] > 0 ? 1 : -1;
        y[i] = gbs_random_uniform(ctx, COLUMNS, first + i) < 0.1 ? -sign : sign;
    }
}

/* Every rank makes the same calls and gets the same model. */
static gbs_status run(gbs_context *ctx, size_t rank, size_t size) {
    static double x[ROWS * COLUMNS], y[ROWS];
    double *all_x = NULL, *all_y = NULL;
    size_t first = ROWS * rank / size, own = ROWS * (rank + 1) / size - first, n = 0;
    gbs_data *train = NULL;
    gbs_model *model = NULL;

    make_rows(ctx, first, own, x, y);
    gbs_status status = gbs_ranks_rows(ctx, own, COLUMNS, x, &n, &all_x);
    if (status == GBS_OK)
        status = gbs_ranks_rows(ctx, own, 1, y, NULL, &all_y);
    if (status == GBS_OK)
        status = gbs_data_dense(ctx, n, COLUMNS, all_x, COLUMNS, all_y, GBS_BORROW, &train);
    if (status == GBS_OK)
        status = gbs_fit(ctx, train, NULL, &model);
    if (status == GBS_OK) /* rank 0 writes */
        status = gbs_model_save(ctx, model, "example09.json");
    /* a rank that could not go on tells the others, who would wait for it */
    status = gbs_ranks_agree(ctx, status, NULL);
    if (status == GBS_OK && rank == 0) {
        printf("%zu rows of all ranks, %zu of the first\n", n, own);
        printf("a risk of at most %.4f with confidence 0.95\n",
               gbs_model_certificate(model, 0)->value);
        remove("example09.json");
    }
    gbs_model_free(model);
    gbs_data_free(train);
    gbs_release(ctx, all_x);
    gbs_release(ctx, all_y);
    return status;
}

int main(int argc, char **argv) {
    int rank, size, level;
    gbs_context *ctx = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gbs_status status = gbs_context_create(NULL, &ctx);
    if (status == GBS_OK)
        status = gbs_context_use_mpi(ctx, MPI_COMM_WORLD);
    if (status == GBS_OK)
        status = run(ctx, (size_t)rank, (size_t)size);
    if (status != GBS_OK && rank == 0)
        fprintf(stderr, "%s\n", gbs_error_message(ctx));
    gbs_context_free(ctx);
    MPI_Finalize();
    return status == GBS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
