/* What several benchmarks share: a clock, a public data set, simulated ratings. A benchmark that
 * cannot go on ends. */
#ifndef GIBBSITE_BENCH_H
#define GIBBSITE_BENCH_H

#include "core/context.h"
#include "gibbsite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor seconds of this thread, and of all threads of the process. */
static inline double bench_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline double thread_seconds(void) {
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}
static inline double process_seconds(void) {
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* Is this part asked for? All are where none is named. */
static inline bool wanted(int argc, char **argv, const char *part) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], part) == 0)
            return true;
    return argc < 2;
}

/* The rows of a file as `sample` takes them; NULL, with a line that says why, where there are
 * none. */
static inline gbs_data *read_rows(gbs_context *ctx, const char *path) {
    gbs_table *table = NULL;
    gbs_options *options = NULL;
    gbs_data *data = NULL;
    gbs_status status = gbs_options_create(ctx, "sample", &options);
    if (status == GBS_OK)
        status = gbs_table_read(ctx, path, options, &table);
    if (status == GBS_OK)
        status = gbs_table_train(ctx, table, options, &data);
    if (status != GBS_OK)
        printf("%s: left out (%s)\n", path, gbs_error_message(ctx));
    gbs_table_free(table);
    gbs_options_free(options);
    return data;
}
/* The same of a public set, from the folder that GIBBSITE_DATA names. */
static inline gbs_data *public_rows(gbs_context *ctx, const char *name) {
    const char *folder = getenv("GIBBSITE_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "../shared/data", name);
    return read_rows(ctx, path);
}

/* n ratings of cells at random: a product of waves, and noise. */
static inline gbs_ratings *make_ratings(gbs_context *ctx, size_t rows, size_t columns, size_t n) {
    uint32_t *row = malloc(n * sizeof *row), *column = malloc(n * sizeof *column);
    double *y = malloc(n * sizeof *y);
    gbs_ratings *r;
    if (row == NULL || column == NULL || y == NULL)
        exit(1);
    for (size_t e = 0; e < n; e++) {
        row[e] = (uint32_t)(gbs_random_uniform(ctx, 1, e) * (double)rows);
        column[e] = (uint32_t)(gbs_random_uniform(ctx, 2, e) * (double)columns);
        y[e] = 3.0 + sin((double)row[e]) * cos((double)column[e]) +
               0.5 * gbs_random_normal(ctx, 3, e);
    }
    if (gbs_ratings_create(ctx, n, rows, columns, row, column, y, NULL, NULL, &r) != GBS_OK)
        exit(1);
    free(row);
    free(column);
    free(y);
    return r;
}

#endif
