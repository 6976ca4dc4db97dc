/* Reading speed of the table readers, in processor time, beside `wc -l` of the same file.
 *
 * The floor is memory: a CSV cell of 7 bytes becomes a double of 8. Target for CSV: 100 MB/s or
 * better. Ratings, whose rows and columns have names, beside the same file as a table of numbers:
 * at the CSV reader's own pace.
 */
#include "core/context.h"
#include "table/cells.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 300000, COLUMNS = 20 };
enum { RATINGS = 10000000, RATED_ROWS = 100000, RATED_COLUMNS = 20000 };

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double file_megabytes(const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        exit(1);
    double size = (double)ftell(file);
    fclose(file);
    return 1e-6 * size;
}

static void write_file(gbs_context *ctx, const char *name, int digits, bool svmlight) {
    FILE *file = fopen(name, "wb");
    if (file == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", name);
        exit(1);
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (svmlight)
            fprintf(file, "%d", i % 2 == 0 ? 1 : -1);
        for (size_t k = 0; k < COLUMNS; k++) {
            double x = gbs_random_normal(ctx, 3, i * COLUMNS + k);
            if (svmlight)
                fprintf(file, " %zu:%.*g", k + 1, digits, x);
            else
                fprintf(file, "%.*g,", digits, x);
        }
        fprintf(file, svmlight ? "\n" : "%d\n", i % 2 == 0 ? 1 : -1);
    }
    fclose(file);
}

static void write_ratings(gbs_context *ctx, const char *name, bool sorted, bool stars) {
    FILE *file = fopen(name, "wb");
    if (file == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", name);
        exit(1);
    }
    fprintf(file, "row,col,value\n");
    for (size_t e = 0; e < RATINGS; e++) {
        double u = gbs_random_uniform(ctx, 4, 2 * e), v = gbs_random_uniform(ctx, 4, 2 * e + 1);
        size_t row = sorted ? e / (RATINGS / RATED_ROWS) : (size_t)(u * RATED_ROWS);
        double x = gbs_random_normal(ctx, 3, e);
        fprintf(file, "%zu,%zu,", row + 1, (size_t)(v * RATED_COLUMNS) + 1);
        if (stars)
            fprintf(file, "%.1f\n", 0.5 + 0.5 * floor(10.0 * u));
        else
            fprintf(file, "%.17g\n", x);
    }
    fclose(file);
}

static void measure(gbs_context *ctx, const char *name, const char *what) {
    double best = INFINITY, lines = INFINITY;
    char command[300];
    snprintf(command, sizeof command, "wc -l < '%s' > /dev/null", name);
    for (int round = 0; round < 5; round++) {
        gbs_reading reading = {.header = 0};
        gbs_table *table;
        double t = processor_seconds();
        if (gbs_table_read_file(ctx, name, &reading, &table) != GBS_OK) {
            fprintf(stderr, "bench: %s\n", gbs_error_message(ctx));
            exit(1);
        }
        best = fmin(best, processor_seconds() - t);
        gbs_table_free(table);
        t = gbs_now();
        if (system(command) != 0)
            exit(1);
        lines = fmin(lines, gbs_now() - t);
    }
    double megabytes = file_megabytes(name);
    printf("%-24s %6.1f MB: %6.0f MB/s of processor time; wc -l %6.0f MB/s\n", what, megabytes,
           megabytes / best, megabytes / lines);
}

static void measure_ratings(gbs_context *ctx, const char *name, const char *what) {
    double best[2] = {INFINITY, INFINITY};
    for (int round = 0; round < 3; round++) {
        gbs_reading reading = {.header = -1};
        gbs_table *table;
        gbs_cells *cells;
        double t = processor_seconds();
        gbs_status status = gbs_cells_read(ctx, name, GBS_CELLS_TRAIN, NULL, &cells);
        best[0] = fmin(best[0], processor_seconds() - t);
        gbs_cells_free(cells);
        t = processor_seconds();
        if (status == GBS_OK)
            status = gbs_table_read_file(ctx, name, &reading, &table);
        best[1] = fmin(best[1], processor_seconds() - t);
        if (status != GBS_OK) {
            fprintf(stderr, "bench: %s\n", gbs_error_message(ctx));
            exit(1);
        }
        gbs_table_free(table);
    }
    double megabytes = file_megabytes(name);
    printf("%-24s %6.1f MB: %6.0f MB/s of processor time; as a table of numbers %6.0f MB/s, ratio "
           "%.2f (target at most 1)\n",
           what, megabytes, megabytes / best[0], megabytes / best[1], best[0] / best[1]);
}

int main(void) {
    gbs_context *ctx;
    char name[64];
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 1;
    snprintf(name, sizeof name, "/tmp/gibbsite-bench-%ld", (long)getpid());
    static const struct {
        const char *what;
        int digits;
        bool svmlight;
    } files[] = {{"csv, 5 digits", 5, false},
                 {"csv, 17 digits", 17, false},
                 {"svmlight, 6 digits", 6, true}};
    for (size_t k = 0; k < 3; k++) {
        write_file(ctx, name, files[k].digits, files[k].svmlight);
        measure(ctx, name, files[k].what);
    }
    write_ratings(ctx, name, false, false);
    measure_ratings(ctx, name, "ratings, 17 digits");
    write_ratings(ctx, name, true, true);
    measure_ratings(ctx, name, "stars, sorted by row");
    remove(name);
    gbs_context_free(ctx);
    return 0;
}
