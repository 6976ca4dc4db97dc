/* Reading speed of the table readers on one core, beside `wc -l` of the same file.
 *
 * The floor is memory: a CSV cell of 7 bytes becomes a double of 8. Target for CSV: 100 MB/s or
 * better.
 */
#include "core/context.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 300000, COLUMNS = 20 };

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

static void measure(gbs_context *ctx, const char *name, const char *what) {
    double best = INFINITY, lines = INFINITY;
    char command[300];
    snprintf(command, sizeof command, "wc -l < '%s' > /dev/null", name);
    for (int round = 0; round < 5; round++) {
        gbs_reading reading = {.header = 0};
        gbs_table *table;
        double t = gbs_now();
        if (gbs_table_read_file(ctx, name, &reading, &table) != GBS_OK) {
            fprintf(stderr, "bench: %s\n", gbs_error_message(ctx));
            exit(1);
        }
        best = fmin(best, gbs_now() - t);
        gbs_table_free(table);
        t = gbs_now();
        if (system(command) != 0)
            exit(1);
        lines = fmin(lines, gbs_now() - t);
    }
    double megabytes = file_megabytes(name);
    printf("%-24s %6.1f MB: %6.0f MB/s on one core; wc -l %6.0f MB/s\n", what, megabytes,
           megabytes / best, megabytes / lines);
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
    remove(name);
    gbs_context_free(ctx);
    return 0;
}
