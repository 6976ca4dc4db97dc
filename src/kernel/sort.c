/* Merge sort, bottom up: short runs by insertion, then merges that choose without a branch, to and
 * fro between the array and its spare. */
#include "kernel/sort.h"

#include <string.h>

enum { RUN = 8 };

static void insert_run(size_t n, double *x) {
    for (size_t i = 1; i < n; i++) {
        double here = x[i];
        size_t k = i;
        for (; k > 0 && here < x[k - 1]; k--)
            x[k] = x[k - 1];
        x[k] = here;
    }
}

/* From both ends: the smaller half forwards and the larger half backwards are two chains that the
 * processor follows at once. */
static void merge(const double *a, size_t n, const double *b, size_t m, double *out) {
    size_t i = 0, j = 0, p = n, q = m, both = n < m ? n : m, total = n + m;
    for (size_t k = 0; k < both; k++) {
        size_t right = b[j] < a[i], left = b[q - 1] < a[p - 1];
        const double *least = right ? b + j : a + i, *most = left ? a + p - 1 : b + q - 1;
        out[k] = *least;
        out[total - 1 - k] = *most;
        j += right;
        i += 1 - right;
        p -= left;
        q -= 1 - left;
    }
    for (size_t k = both; k < total - both; k++) {
        size_t right = i == p || (j < q && b[j] < a[i]);
        const double *least = right ? b + j : a + i;
        out[k] = *least;
        j += right;
        i += 1 - right;
    }
}

void gbs_sort(size_t n, double *x, double *spare) {
    double *from = x, *to = spare;
    for (size_t first = 0; first < n; first += RUN)
        insert_run(n - first < RUN ? n - first : RUN, x + first);
    for (size_t run = RUN; run < n; run *= 2) {
        for (size_t first = 0; first < n; first += 2 * run) {
            size_t left = n - first, a = left < run ? left : run,
                   b = left - a < run ? left - a : run;
            if (b == 0)
                memcpy(to + first, from + first, a * sizeof *to);
            else
                merge(from + first, a, from + first + a, b, to + first);
        }
        double *t = from;
        from = to;
        to = t;
    }
    if (from != x)
        memcpy(x, from, n * sizeof *x);
}
