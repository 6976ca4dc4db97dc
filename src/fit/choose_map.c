/* The choice of a map: kernel, width, number of columns (docs/maths.md, 12.4).
 *
 * Candidates are judged by ridge regression of the labels with each row left out in turn (ridge.c),
 * by the log loss of those scores, calibrated (three classes or more: all of them together); the
 * best ridge of a few. Successive halving: many
 * widths around the median distance on few rows with few columns first, then the best of them on
 * more, then the number of columns. Beside the kernel of all columns stands the sum of those of
 * each by itself, for answers that are sums of functions of one column, and the two in equal parts.
 * The fit itself is another one (hinge posterior, choose.c), which compares the winner with the
 * columns themselves on folds.
 */
#include "fit/choose_map.h"

#include "fit/platt.h"
#include "fit/ridge.h"
#include "fit/side_by_side.h"
#include "fit/temper.h"
#include "task/task.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 12, RIDGES = 5 };
/* Rows and columns of the three rungs, and of a glance. */
enum { FIRST_ROWS = 2000, FIRST_COLUMNS = 256, SECOND_ROWS = 4096, SECOND_COLUMNS = 512 };
enum { LAST_ROWS = 8192, LAST_COLUMNS = 1024, GLANCE_ROWS = 600, GLANCE_COLUMNS = 128 };
/* A glance is not taken at fewer rows, or at more columns. */
enum { FEWEST_GLANCED = 100, MOST_GLANCED = 200 };
#define LEAST_RIDGE 0.03
#define RIDGE_RATIO 5.0
/* A hint needs a log loss lower by this share. */
#define CLEARLY 0.1

struct trial {
    gbs_features features;
    size_t size;
    double kernel_width, level_width, axes;
    size_t ridge, ridges; /* the first to try, and how many; then the best */
    double value;         /* log loss */
    double *loss;         /* of each row, with the best ridge */
};

struct looking {
    const gbs_fit_settings *o;
    gbs_data *rows;
    struct trial *trial;
};

/* ---------------------------------------------------------------- one trial */

/* The better of two ridges stays. */
static void judge(const double *score, const double *y, size_t n, size_t ridge, double *best,
                  struct trial *out) {
    gbs_platt platt = gbs_platt_learn(score, y, n);
    double value = gbs_platt_log_loss(score, y, n, platt);
    if (!(value < *best))
        return;
    *best = out->value = value;
    out->ridge = ridge;
    for (size_t i = 0; i < n; i++)
        out->loss[i] = gbs_platt_log_loss(&score[i], &y[i], 1, platt);
}

/* Of three classes or more: 1 for the class of the row, 0 for others; the softmax of the scores of
 * all classes, times one slope, is judged. */
static gbs_status regress_classes(gbs_context *ctx, const gbs_rows *rows, size_t k,
                                  struct trial *out) {
    gbs_ridge ridge;
    size_t n = rows->all.n, first = out->ridge, *class = gbs_array_alloc(ctx, n, sizeof *class);
    double *target = gbs_matrix(ctx, 2 * n, k), *loss = gbs_doubles(ctx, n), best = INFINITY, slope;
    gbs_status status = gbs_ridge_create(ctx, rows, &ridge);
    if (status == GBS_OK && (class == NULL || target == NULL || loss == NULL))
        status = GBS_ERR_MEMORY;
    for (size_t i = 0; status == GBS_OK && i < n; i++) {
        class[i] = (size_t)rows->all.y[i];
        if (class[i] < k)
            target[i * k + class[i]] = 1.0;
    }
    for (size_t r = first; r < first + out->ridges && r < RIDGES && status == GBS_OK; r++) {
        double *score = target + n * k, penalty = LEAST_RIDGE * pow(RIDGE_RATIO, (double)r);
        gbs_class_scores of = {n, k, score, class};
        bool good;
        status = gbs_ridge_leave_one_out_many(ctx, &ridge, penalty, k, target, score, &good);
        if (status == GBS_OK && good)
            status = gbs_temper(ctx, &of, &slope, loss, NULL);
        double value = status == GBS_OK && good ? gbs_softmax_mean(n, loss) : INFINITY;
        if (value < best) {
            best = out->value = value;
            out->ridge = r;
            memcpy(out->loss, loss, n * sizeof *loss);
        }
        status = status == GBS_OK ? gbs_check_cancel(ctx) : status;
    }
    gbs_ridge_free(ctx, &ridge);
    gbs_array_free(ctx, class);
    gbs_array_free(ctx, target);
    gbs_array_free(ctx, loss);
    return status;
}

/* Ridges in units of the mean squared length of a row. */
static gbs_status regress(gbs_context *ctx, const gbs_rows *rows, struct trial *out) {
    gbs_ridge ridge;
    size_t n = rows->all.n, first = out->ridge;
    double *score = gbs_doubles(ctx, n), best = INFINITY;
    gbs_status status = gbs_ridge_create(ctx, rows, &ridge);
    if (status == GBS_OK && score == NULL)
        status = GBS_ERR_MEMORY;
    for (size_t r = first; r < first + out->ridges && r < RIDGES && status == GBS_OK; r++) {
        bool good;
        double penalty = LEAST_RIDGE * pow(RIDGE_RATIO, (double)r);
        status = gbs_ridge_leave_one_out(ctx, &ridge, penalty, score, &good);
        if (status == GBS_OK && good)
            judge(score, rows->all.y, n, r, &best, out);
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
    s.kernel_axes = t->axes;
    gbs_status status = gbs_maps_learn(ctx, l->rows, &s, &maps);
    if (status != GBS_OK)
        return status;
    status = gbs_rows_build(ctx, l->rows, &maps, &rows);
    if (status == GBS_OK) {
        status = l->rows->classes > 2 ? regress_classes(ctx, &rows, l->rows->classes, t)
                                      : regress(ctx, &rows, t);
        gbs_rows_free(ctx, &rows);
    }
    gbs_maps_free(ctx, &maps);
    return status;
}

/* ---------------------------------------------------------------- a rung */

struct rung {
    size_t count, rows;
    struct trial trial[MOST_TRIALS];
    double *losses; /* count x rows */
};

static void add(struct rung *r, struct trial t) {
    t.ridges = t.ridges > 0 ? t.ridges : RIDGES;
    t.value = INFINITY;
    r->trial[r->count++] = t;
}

/* All trials on the first `most` rows; gbs_array_free of the losses is the caller's. */
static gbs_status run_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                           size_t most, struct rung *r) {
    size_t n = learn->n < most ? learn->n : most, *pick = gbs_array_alloc(ctx, n, sizeof *pick);
    struct looking l = {.o = o, .trial = r->trial};
    gbs_side_progress progress = {"maps", 0.0, 1.0};
    r->rows = n;
    r->losses = gbs_matrix(ctx, r->count, n);
    gbs_status status = pick != NULL && r->losses != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t k = 0; status == GBS_OK && k < r->count; k++)
        r->trial[k].loss = r->losses + k * n;
    for (size_t i = 0; status == GBS_OK && i < n; i++)
        pick[i] = i;
    if (status == GBS_OK)
        status = gbs_data_view(ctx, learn, pick, n, &l.rows);
    if (status == GBS_OK)
        status = gbs_side_by_side(ctx, r->count, progress, run_trial, &l);
    gbs_data_free(l.rows);
    gbs_array_free(ctx, pick);
    return status;
}

static const struct trial *best_of(const struct rung *r, size_t from) {
    size_t best = from;
    for (size_t k = from; k < r->count; k++)
        if (r->trial[k].value < r->trial[best].value)
            best = k;
    return &r->trial[best];
}

/* Is `a` better than `b` beyond two standard errors of the difference, row by row? */
static bool surely_better(const struct rung *r, const struct trial *a, const struct trial *b) {
    double sum = 0.0, square = 0.0, n = (double)r->rows;
    if (!(a->value < INFINITY) || !(b->value < INFINITY))
        return a->value < b->value;
    for (size_t i = 0; i < r->rows; i++) {
        double gain = b->loss[i] - a->loss[i];
        sum += gain;
        square += gain * gain;
    }
    return sum > 2.0 * sqrt(fmax(0.0, square - sum * sum / n));
}

/* ---------------------------------------------------------------- the rungs */

/* The number of columns that the settings name, else `usual`; no more than there are rows. Mapped
 * rows, the last block's too, take a gigabyte at most. */
static size_t columns_of(const gbs_fit_settings *o, size_t rows, size_t usual) {
    size_t size = o->features_size > 0 && o->features_size < usual ? o->features_size : usual,
           room = GBS_MOST_MAPPED_CELLS / (rows + rows / 2 + 1);
    size = size < rows ? size : rows;
    size = size < room ? size : room;
    return size > 2 ? size : 2;
}

/* Landmarks come closer than frequencies of the same number; those are for who asks for them. */
static gbs_features first_map(const gbs_fit_settings *o) {
    return o->features == GBS_FEATURES_FOURIER ? GBS_FEATURES_FOURIER : GBS_FEATURES_NYSTROM;
}

/* A column of two values, among the first rows. */
static bool has_levels(const gbs_data *data) {
    enum { LOOKED_AT = 200 };
    size_t n = data->n < LOOKED_AT ? data->n : LOOKED_AT;
    if (!gbs_data_is_dense(data))
        return true;
    for (size_t k = 0; k < data->d; k++) {
        gbs_raw_row row = gbs_data_at(data, 0);
        double first = gbs_raw_value(&row, k), second = first;
        bool two = true;
        for (size_t i = 1; i < n && two; i++) {
            row = gbs_data_at(data, i);
            double x = gbs_raw_value(&row, k);
            second = second == first ? x : second;
            two = x == first || x == second;
        }
        if (two && second != first)
            return true;
    }
    return false;
}

/* Three ridges around the best. */
static struct trial around(const gbs_map_choice *c, struct trial t) {
    t.ridge = c->ridge > 0 ? c->ridge - 1 : 0;
    t.ridges = 3;
    return t;
}

static gbs_status first_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                             gbs_map_choice *out) {
    static const double widths[] = {2.0, 1.0, 0.5, 0.25, 0.125}, of_axes[] = {1.0, 0.5, 0.25};
    struct rung r = {0};
    bool axes = o->features == GBS_FEATURES_AUTO && learn->d > 1;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        add(&r, (struct trial){.features = first_map(o),
                               .size = columns_of(o, learn->n, FIRST_COLUMNS),
                               .kernel_width = widths[k],
                               .level_width = 1.0});
    for (size_t k = 0; axes && k < sizeof of_axes / sizeof *of_axes; k++)
        add(&r, (struct trial){.features = GBS_FEATURES_FOURIER,
                               .size = columns_of(o, learn->n, FIRST_COLUMNS),
                               .kernel_width = of_axes[k],
                               .level_width = 1.0,
                               .axes = 1.0});
    gbs_status status = run_rung(ctx, learn, o, FIRST_ROWS, &r);
    const struct trial *best = best_of(&r, 0);
    *out = (gbs_map_choice){.features = best->features,
                            .size = best->size,
                            .kernel_width = best->kernel_width,
                            .level_width = 1.0,
                            .axes = best->axes,
                            .ridge = best->ridge,
                            .candidates = r.count};
    gbs_array_free(ctx, r.losses);
    return status;
}

/* Around the best of them, the other map where either may be taken, and levels nearer together. */
static gbs_status second_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                              gbs_map_choice *out) {
    struct rung r = {0};
    struct trial t = {.features = out->features,
                      .size = columns_of(o, learn->n, SECOND_COLUMNS),
                      .kernel_width = out->kernel_width,
                      .level_width = 1.0,
                      .axes = out->axes};
    add(&r, around(out, t));
    t.kernel_width = out->kernel_width * sqrt(2.0);
    add(&r, around(out, t));
    t.kernel_width = out->kernel_width * sqrt(0.5);
    add(&r, around(out, t));
    t.kernel_width = out->kernel_width;
    t.features = GBS_FEATURES_FOURIER;
    if (o->features == GBS_FEATURES_AUTO && out->features != GBS_FEATURES_FOURIER)
        add(&r, around(out, t));
    t.axes = 0.5;
    if (o->features == GBS_FEATURES_AUTO && learn->d > 1)
        add(&r, around(out, t));
    t.axes = out->axes;
    t.features = out->features;
    t.level_width = 0.5;
    if (has_levels(learn))
        add(&r, around(out, t));
    gbs_status status = run_rung(ctx, learn, o, SECOND_ROWS, &r);
    const struct trial *best = best_of(&r, 0);
    out->features = best->features;
    out->kernel_width = best->kernel_width;
    out->level_width = best->level_width;
    out->axes = best->axes;
    out->ridge = best->ridge;
    out->candidates += r.count;
    gbs_array_free(ctx, r.losses);
    return status;
}

/* As few columns as more are not surely better than; and the columns themselves. */
static gbs_status last_rung(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                            gbs_map_choice *out) {
    struct rung r = {0};
    add(&r, (struct trial){.features = GBS_FEATURES_LINEAR});
    for (size_t size = LAST_COLUMNS / 4; size <= LAST_COLUMNS; size *= 2) {
        struct trial t = {.features = out->features,
                          .size = columns_of(o, learn->n, size),
                          .kernel_width = out->kernel_width,
                          .level_width = out->level_width,
                          .axes = out->axes};
        if (r.count == 1 || t.size > r.trial[r.count - 1].size)
            add(&r, around(out, t));
    }
    gbs_status status = run_rung(ctx, learn, o, LAST_ROWS, &r);
    const struct trial *chosen = &r.trial[1];
    for (size_t k = 2; status == GBS_OK && k < r.count; k++)
        if (surely_better(&r, &r.trial[k], chosen))
            chosen = &r.trial[k];
    out->size = o->features_size > 0 ? o->features_size : chosen->size;
    out->helps = status == GBS_OK && surely_better(&r, chosen, &r.trial[0]);
    out->candidates += r.count;
    gbs_array_free(ctx, r.losses);
    return status;
}

gbs_status gbs_choose_map(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                          gbs_map_choice *out) {
    gbs_status status = first_rung(ctx, learn, o, out);
    if (status == GBS_OK)
        status = second_rung(ctx, learn, o, out);
    return status == GBS_OK ? last_rung(ctx, learn, o, out) : status;
}

gbs_status gbs_map_would_help(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o,
                              bool *helps) {
    struct rung r = {0};
    *helps = false;
    if (learn->n < FEWEST_GLANCED || learn->d > MOST_GLANCED || learn->dense == NULL)
        return GBS_OK;
    add(&r, (struct trial){.features = GBS_FEATURES_LINEAR});
    static const double widths[] = {1.0, 0.35};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        add(&r, (struct trial){.features = GBS_FEATURES_FOURIER,
                               .size = columns_of(o, learn->n, GLANCE_COLUMNS),
                               .kernel_width = widths[k]});
    gbs_status status = run_rung(ctx, learn, o, GLANCE_ROWS, &r);
    const struct trial *best = best_of(&r, 1);
    *helps = status == GBS_OK && surely_better(&r, best, &r.trial[0]) &&
             best->value < (1.0 - CLEARLY) * r.trial[0].value;
    gbs_array_free(ctx, r.losses);
    return status;
}

gbs_status gbs_map_hint(gbs_context *ctx, const gbs_data *learn, const gbs_fit_settings *o) {
    bool helps;
    if (!gbs_features_linear(o->features) || !gbs_has(gbs_fit_task(o), GBS_FACT_LABELS))
        return GBS_OK;
    gbs_status status = gbs_map_would_help(ctx, learn, o, &helps);
    if (status == GBS_OK && helps)
        gbs_log(
            ctx, GBS_LOG_INFO,
            "a glance at the rows to learn from says that a line divides them clearly worse than "
            "a curve would: try `features` auto");
    return status;
}
