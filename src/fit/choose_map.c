/* The choice of a map: kernel, width, number of columns (docs/maths.md, 12.4).
 *
 * Candidates are judged by ridge regression of the labels with each row left out in turn (ridge.c),
 * by the log loss of those scores, calibrated; the best ridge of a few. Successive halving: many widths
 * around the median distance on few rows with few columns first, then the best of them on more, then
 * the number of columns. The fit itself is another one (hinge posterior, choose.c), which compares
 * the winner with the columns themselves on folds.
 */
#include "fit/choose_map.h"

#include "fit/platt.h"
#include "fit/ridge.h"
#include "fit/side_by_side.h"

#include <math.h>

enum { MOST_TRIALS = 16, RIDGES = 5 };
/* Rows and columns of the three rungs. */
enum { FIRST_ROWS = 1000, FIRST_COLUMNS = 256, SECOND_ROWS = 2048, SECOND_COLUMNS = 512 };
enum { LAST_ROWS = 4096, LAST_COLUMNS = 1024, GLANCE_ROWS = 600, GLANCE_COLUMNS = 128 };
#define LEAST_RIDGE 0.03
#define RIDGE_RATIO 5.0
/* More columns must be worth their time: by this share of the log loss. */
#define WORTH 0.01
/* A hint needs a log loss lower by this share. */
#define CLEARLY 0.1

struct trial {
    gbs_features features;
    size_t size;
    double kernel_width, level_width;
    double value, error;
};

struct looking {
    gbs_context *ctx;
    const gbs_fit_settings *o;
    gbs_data *rows;
    struct trial *trial;
};

/* ---------------------------------------------------------------- one trial */

/* The better of two ridges stays. */
static void judge(const double *score, const double *y, size_t n, struct trial *out) {
    gbs_platt platt = gbs_platt_learn(score, y, n);
    double value = gbs_platt_log_loss(score, y, n, platt), wrong = 0.0;
    if (!(value < out->value))
        return;
    for (size_t i = 0; i < n; i++)
        wrong += (platt.offset + platt.slope * score[i] >= 0.0) != (y[i] > 0.0);
    out->value = value;
    out->error = wrong / (double)n;
}

/* Ridges in units of the mean squared length of a row. */
static gbs_status regress(gbs_context *ctx, const gbs_rows *rows, struct trial *out) {
    gbs_ridge ridge;
    double *score = gbs_doubles(ctx, rows->all.n);
    gbs_status status = gbs_ridge_create(ctx, rows, &ridge);
    if (status == GBS_OK && score == NULL)
        status = GBS_ERR_MEMORY;
    out->value = INFINITY;
    for (size_t r = 0; r < RIDGES && status == GBS_OK; r++) {
        if (gbs_ridge_leave_one_out(&ridge, LEAST_RIDGE * pow(RIDGE_RATIO, (double)r), score))
            judge(score, rows->all.y, rows->all.n, out);
        status = gbs_check_cancel(ctx);
    }
    gbs_ridge_free(ctx, &ridge);
    gbs_array_free(ctx, score);
    return status;
}

static gbs_status run_trial(gbs_context *ctx, void *arg, size_t job) {
    struct looking *l = arg;
    struct trial *t = &l->trial[job];
    gbs_fit_settings s = *l->o;
    gbs_maps maps;
    gbs_rows rows;
    s.columns = GBS_COLUMNS_EQUAL;
    s.constant = 1.0;
    s.features = t->features;
    s.features_size = t->size;
    s.kernel_width = t->kernel_width;
    s.level_width = t->level_width;
    gbs_status status = gbs_maps_learn(ctx, l->rows, &s, &maps);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(ctx, l->rows, &maps, &rows);
    if (status == GBS_OK) {
        status = regress(ctx, &rows, t);
        gbs_rows_free(ctx, &rows);
    }
    gbs_maps_free(ctx, &maps);
    return status;
}

/* ---------------------------------------------------------------- rungs */

static gbs_status run_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                           size_t most, struct trial *trial, size_t count) {
    size_t n = learn->n < most ? learn->n : most, *pick = gbs_array_alloc(ctx, n, sizeof *pick);
    struct looking l = {.ctx = ctx, .o = o, .trial = trial};
    gbs_side_progress progress = {"maps", 0.0, 1.0};
    gbs_status status = pick != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        pick[i] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, learn, pick, n, &l.rows);
    if (status == GBS_OK)
        status = gbs_side_by_side(ctx, count, progress, run_trial, &l);
    gbs_data_free(l.rows);
    gbs_array_free(ctx, pick);
    return status;
}

static size_t best_of(const struct trial *trial, size_t from, size_t count) {
    size_t best = from;
    for (size_t k = from; k < count; k++)
        if (trial[k].value < trial[best].value)
            best = k;
    return best;
}

/* The number of columns that the settings name, else `usual`; no more than there are rows. */
static size_t columns_of(const gbs_fit_settings *o, size_t rows, size_t usual) {
    size_t size = o->features_size > 0 && o->features_size < usual ? o->features_size : usual;
    return size < rows ? size : rows > 2 ? rows : 2;
}

static gbs_features first_map(const gbs_fit_settings *o) {
    return o->features == GBS_FEATURES_NYSTROM ? GBS_FEATURES_NYSTROM : GBS_FEATURES_FOURIER;
}

/* Widths in powers of two of the median distance, and linear at [0]. */
static gbs_status first_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                             gbs_map_choice *out) {
    static const double widths[] = {2.0, 1.0, 0.5, 0.25, 0.125};
    enum { WIDTHS = sizeof widths / sizeof *widths };
    struct trial trial[MOST_TRIALS] = {{.features = GBS_FEATURES_LINEAR}};
    size_t count = 1;
    for (size_t k = 0; k < WIDTHS; k++)
        trial[count++] = (struct trial){.features = first_map(o),
                                        .size = columns_of(o, learn->n, FIRST_COLUMNS),
                                        .kernel_width = widths[k],
                                        .level_width = 1.0};
    gbs_status status = run_rung(ctx, learn, o, FIRST_ROWS, trial, count);
    size_t best = best_of(trial, 1, count);
    out->linear_value = trial[0].value;
    out->linear_error = trial[0].error;
    out->kernel_width = trial[best].kernel_width;
    out->level_width = 1.0;
    out->value = trial[best].value;
    out->error = trial[best].error;
    out->candidates += count;
    return status;
}

/* Around the best of them, both maps where either may be taken, and levels nearer together. */
static gbs_status second_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                              gbs_map_choice *out) {
    struct trial trial[MOST_TRIALS];
    size_t count = 0, maps = o->features == GBS_FEATURES_AUTO ? 2 : 1;
    for (size_t m = 0; m < maps; m++)
        for (int step = -1; step <= 1; step++)
            trial[count++] = (struct trial){
                .features = m == 1 ? GBS_FEATURES_NYSTROM : first_map(o),
                .size = columns_of(o, learn->n, SECOND_COLUMNS),
                .kernel_width = out->kernel_width * pow(2.0, 0.5 * (double)step),
                .level_width = 1.0};
    trial[count] = trial[maps == 2 ? 4 : 1];
    trial[count++].level_width = 0.5;
    gbs_status status = run_rung(ctx, learn, o, SECOND_ROWS, trial, count);
    size_t best = best_of(trial, 0, count);
    out->features = trial[best].features;
    out->kernel_width = trial[best].kernel_width;
    out->level_width = trial[best].level_width;
    out->candidates += count;
    return status;
}

/* As few columns as do nearly as well as many. */
static gbs_status last_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                            gbs_map_choice *out) {
    struct trial trial[MOST_TRIALS];
    size_t count = 0, chosen = 0;
    for (size_t size = LAST_COLUMNS / 4; size <= LAST_COLUMNS; size *= 2)
        if (count == 0 || trial[count - 1].size < learn->n)
            trial[count++] = (struct trial){.features = out->features,
                                            .size = columns_of(o, learn->n, size),
                                            .kernel_width = out->kernel_width,
                                            .level_width = out->level_width};
    gbs_status status = run_rung(ctx, learn, o, LAST_ROWS, trial, count);
    size_t best = best_of(trial, 0, count);
    while (trial[chosen].value > (1.0 + WORTH) * trial[best].value)
        chosen++;
    out->size = trial[chosen].size;
    out->value = trial[chosen].value;
    out->error = trial[chosen].error;
    out->candidates += count;
    return status;
}

gbs_status gbs_choose_map(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                          gbs_map_choice *out) {
    *out = (gbs_map_choice){0};
    gbs_status status = first_rung(ctx, learn, o, out);
    if (status == GBS_OK)
        status = second_rung(ctx, learn, o, out);
    out->size = o->features_size;
    if (status == GBS_OK && o->features_size == 0)
        status = last_rung(ctx, learn, o, out);
    return status;
}

gbs_status gbs_map_would_help(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                              bool *helps) {
    struct trial trial[] = {{.features = GBS_FEATURES_LINEAR},
                            {.features = GBS_FEATURES_FOURIER, .kernel_width = 1.0},
                            {.features = GBS_FEATURES_FOURIER, .kernel_width = 0.35}};
    size_t count = sizeof trial / sizeof *trial;
    for (size_t k = 1; k < count; k++)
        trial[k].size = columns_of(o, learn->n, GLANCE_COLUMNS);
    gbs_status status = run_rung(ctx, learn, o, GLANCE_ROWS, trial, count);
    size_t best = best_of(trial, 1, count);
    *helps = status == GBS_OK && trial[best].value < (1.0 - CLEARLY) * trial[0].value;
    return status;
}
