/* One sweep of matrix completion, against the flops and the memory traffic that it cannot do
 * without.
 *
 *   6,000 x 4,000, 10^6 ratings, 16 components    target: at most 1.5 s a sweep on two cores
 *   10^5, 10^6, 10^7 ratings                      target: linear (a part for the items, a part a
 *                                                 rating)
 *   the Gibbs sweep over the variational one      target: about 1
 *   peak memory of 10^7 ratings                   target: at most 2 GB (bench/complete.sh: of the
 *                                                 program, too)
 *
 * A rating costs a sweep two sums of a record, (K + 2)(K + 3)/2 + K + 2 numbers of eight bytes: one
 * addition (or multiplication and addition) each. The floor beside it is measured on this machine:
 * the same additions over records that stay in the first-level cache (arithmetic), and the same
 * bytes copied in order from memory (traffic, which is the floor once the records outgrow the
 * caches).
 */
#include "bench.h"
#include "completion/ascent.h"
#include "completion/gibbs.h"
#include "kernel/moments.h"

static gbs_context *ctx;

static gbs_status ignore(void *user, const gbs_factors *f, size_t draw) {
    (void)user, (void)f, (void)draw;
    return GBS_OK;
}

struct floor_test {
    size_t n, stride, plain, wide;
    double *records;
    size_t items;
};

/* Each task walks through all records in order, from a place of its own. */
static void floor_block(void *arg, size_t task, size_t worker) {
    const struct floor_test *t = arg;
    double sum[4096] = {0}, y[64] = {0};
    uint32_t other[64];
    (void)worker;
    for (size_t k = 0, at = task * t->items / 64; k < t->n / 64 / 64; k++) {
        for (size_t e = 0; e < 64; e++, at++)
            other[e] = (uint32_t)(at % t->items);
        gbs_sum_records(64, other, y, 0.0, t->records, t->stride, t->plain, t->wide, sum);
    }
}

/* Seconds for one pass over n ratings whose records are `items` in order. */
static double floor_seconds(size_t n, size_t rank, size_t items) {
    size_t wide = rank + 2, plain = gbs_packed_size(wide), stride = (plain + wide + 7) / 8 * 8;
    struct floor_test t = {
        n, stride, plain, wide, aligned_alloc(64, items * stride * sizeof(double)), items};
    double best = INFINITY;
    if (t.records == NULL)
        exit(1);
    memset(t.records, 0, items * stride * sizeof(double));
    for (int round = 0; round < 3; round++) {
        double start = gbs_now();
        gbs_parallel_for(ctx, 64, 1e12, floor_block, &t);
        best = fmin(best, gbs_now() - start);
    }
    free(t.records);
    return best;
}

/* The kernel's own high-water mark. */
static double peak_gigabytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = NAN;
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtod(line + 6, NULL);
    if (status != NULL)
        fclose(status);
    return kilobytes * 1024.0 / 1e9;
}

/* Sweeps that are timed together: of the variational ones the first five have neither turn nor
 * variances, the others have. */
enum { SWEEPS = 10, GIBBS_SWEEPS = 5 };

/* Seconds of a variational sweep. */
static double bench(size_t rows, size_t columns, size_t n, size_t rank, int rounds) {
    static const gbs_completion_prior prior = {1.0, 0.1, 0.1, 3.0, 4.0, 1.0, 1e-4};
    gbs_ratings *r = make_ratings(ctx, rows, columns, n);
    gbs_factors f;
    gbs_ascent out;
    gbs_ascent_options o = {.most_sweeps = SWEEPS, .tolerance = 1e-12, .stage = "bench"};
    if (gbs_factors_create(ctx, r, rank, true, &prior, &f) != GBS_OK)
        exit(1);
    f.learn_noise = true;
    gbs_factors_start(&f, 0.1, 0.5, 9);
    double vb = INFINITY, gibbs = INFINITY;
    for (int round = 0; round < rounds; round++) {
        double start = gbs_now();
        if (gbs_ascend(&f, &o, &out) != GBS_OK)
            exit(1);
        vb = fmin(vb, (gbs_now() - start) / (double)out.sweeps);
    }
    for (int round = 0; round < rounds; round++) {
        double start = gbs_now();
        if (gbs_gibbs_run(&f, 0, GIBBS_SWEEPS, ignore, NULL) != GBS_OK)
            exit(1);
        gibbs = fmin(gibbs, (gbs_now() - start) / GIBBS_SWEEPS);
    }
    double numbers = (double)(gbs_packed_size(rank + 2) + rank + 2);
    printf("%zu x %zu, %zu ratings, %zu components: %.3f s a sweep, %.0f ns a rating, %.3f ns a "
           "rating and K^2; Gibbs %.3f s "
           "(%.2f times)\n",
           rows, columns, n, rank, vb, 1e9 * vb / (double)n,
           1e9 * vb / (double)n / (double)(rank * rank), gibbs, gibbs / vb);
    printf("  peak memory so far %.2f GB\n", peak_gigabytes());
    double cache = 2.0 * floor_seconds(n, rank, 16), memory = 2.0 * floor_seconds(n, rank, 200000);
    printf("  floors: %.0f additions a rating take %.3f s a sweep from the first cache, %.3f s in "
           "order from memory: ratio "
           "%.2f, %.2f\n",
           2.0 * numbers, cache, memory, vb / cache, vb / memory);
    fflush(stdout);
    gbs_factors_free(&f);
    gbs_ratings_free(r);
    return vb;
}

/* Rows and columns have their price, ratings theirs: the line through the ends, and how far from it
 * the middle lies. */
static void show_line(const double seconds[3]) {
    double a_rating = (seconds[2] - seconds[0]) / 9.9e6, items = seconds[0] - 1e5 * a_rating;
    printf("  linear: %.3f s for 10,000 rows and columns + %.0f ns a rating; 10^6 ratings take "
           "%.2f times what this line says\n",
           items, 1e9 * a_rating, seconds[1] / (items + 1e6 * a_rating));
}

int main(void) {
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 1;
    if (gbs_compute_begin(ctx) != GBS_OK)
        abort();
    double seconds[3] = {bench(6000, 4000, 100000, 16, 5), bench(6000, 4000, 1000000, 16, 3),
                         bench(6000, 4000, 10000000, 16, 2)};
    show_line(seconds);
    bench(60000, 40000, 10000000, 16, 1);
    gbs_compute_end(ctx);
    gbs_context_free(ctx);
    return 0;
}
