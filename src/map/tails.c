/* Columns before the Gaussian kernel: heavy tails clipped, levels at a distance of their own.
 *
 *   u = clip((x - center) factor, -4, 4)
 *
 * A column of numbers is measured in standard deviations of its clipped self: mean and standard
 * deviation, cells beyond four of them clipped, and again, as long as at most one cell in a hundred
 * is beyond. A few wild cells then neither squeeze the others into a point nor stand alone. A
 * column of two values (a level of a text, yes or no) becomes 0 and sqrt 2, times the width of
 * levels: rows of two levels are as far apart as two typical numbers, and a rare level no farther
 * than a frequent one, as it would be in units of its standard deviation.    (docs/maths.md, 12.1)
 */
#include "map/kernel_rows.h"

#include <math.h>

#define MOST_DEVIATIONS 4.0
#define MOST_CLIPPED 0.01
enum { ROWS = 4096, ROUNDS = 50 };

struct tails {
    gbs_map map;
    double *center, *factor;
};

static bool wanted(const gbs_fit_settings *o) {
    return (o->features == GBS_FEATURES_FOURIER || o->features == GBS_FEATURES_NYSTROM) &&
           o->scale == GBS_SCALE_STANDARD;
}

/* Two values, no more: *low and *high; one value: both are that one. */
static bool two_values(size_t n, const double *x, size_t stride, double *low, double *high) {
    *low = *high = x[0];
    for (size_t i = 1; i < n; i++) {
        double v = x[i * stride];
        if (*low == *high && v != *low) {
            *low = fmin(*low, v);
            *high = fmax(*high, v);
        } else if (v != *low && v != *high) {
            return false;
        }
    }
    return true;
}

/* Mean and standard deviation of a column whose cells are clipped to center +- reach. */
static void moments(size_t n, const double *x, size_t stride, double center, double reach,
                    double *mean, double *sd) {
    double sum = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fmax(-reach, fmin(reach, x[i * stride] - center));
    sum /= (double)n;
    for (size_t i = 0; i < n; i++) {
        double e = fmax(-reach, fmin(reach, x[i * stride] - center)) - sum;
        square += e * e;
    }
    *mean = center + sum;
    *sd = sqrt(square / (double)n);
}

static double share_beyond(size_t n, const double *x, size_t stride, double center, double reach) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += fabs(x[i * stride] - center) > reach;
    return (double)count / (double)n;
}

static void measure(size_t n, const double *x, size_t stride, double *center, double *factor) {
    double mean, sd, next, next_sd;
    moments(n, x, stride, x[0], INFINITY, &mean, &sd);
    for (int round = 0; round < ROUNDS && sd > 0.0; round++) {
        double reach = MOST_DEVIATIONS * sd, beyond = share_beyond(n, x, stride, mean, reach);
        if (beyond == 0.0 || beyond > MOST_CLIPPED)
            break;
        moments(n, x, stride, mean, reach, &next, &next_sd);
        if (share_beyond(n, x, stride, next, MOST_DEVIATIONS * next_sd) > MOST_CLIPPED)
            break;
        mean = next;
        sd = next_sd;
    }
    *center = mean;
    *factor = sd > 0.0 && isfinite(1.0 / sd) ? 1.0 / sd : 0.0;
}

static gbs_status learn(gbs_context *ctx, gbs_map *map, const gbs_data *data,
                        const gbs_fit_settings *o, const gbs_maps *before) {
    struct tails *t = (struct tails *)map;
    double levels = o->level_width > 0.0 ? o->level_width : 1.0, *cells;
    size_t n, d = map->in;
    gbs_status status = gbs_sample_rows(ctx, data, before, ROWS, &cells, &n);
    t->center = gbs_doubles(ctx, d);
    t->factor = gbs_doubles(ctx, d);
    if (status == GBS_OK && (t->center == NULL || t->factor == NULL))
        status = GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < d; k++) {
        double low, high;
        if (two_values(n, cells + k, d, &low, &high)) {
            t->center[k] = low;
            t->factor[k] = high > low ? sqrt(2.0) * levels / (high - low) : 0.0;
        } else {
            measure(n, cells + k, d, &t->center[k], &t->factor[k]);
        }
    }
    gbs_array_free(ctx, cells);
    return status;
}

static gbs_status keep(gbs_map *map, gbs_archive *a) {
    struct tails *t = (struct tails *)map;
    gbs_status status = a->reals(a, "center", map->in, false, &t->center);
    return status == GBS_OK ? a->reals(a, "factor", map->in, false, &t->factor) : status;
}

static void dense(const gbs_map *map, size_t n, double *x, size_t ld) {
    const struct tails *t = (const struct tails *)map;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < map->in; k++) {
            double u = (x[i * ld + k] - t->center[k]) * t->factor[k];
            x[i * ld + k] = fmax(-MOST_DEVIATIONS, fmin(MOST_DEVIATIONS, u));
        }
}

static double unit(const gbs_map *map, size_t k) {
    return ((const struct tails *)map)->factor[k];
}

const gbs_map_ops gbs_map_tails = {
    .name = "tails",
    .place = GBS_PLACE_FEATURES - 50,
    .size = sizeof(struct tails),
    .learned = GBS_LEARNED_SCALING,
    .wanted = wanted,
    .learn = learn,
    .keep = keep,
    .dense = dense,
    .unit = unit,
};
