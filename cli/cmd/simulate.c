/* gibbsite simulate: data of known truth.
 *
 *   x ~ N(0, I_d), each cell kept with probability `density`;  theta fixed by the seed, |theta| = 1
 *   y = sign(x'theta), or of another function of x (simulate_shape.c), flipped with probability
 *       `noise` < 1/2
 *
 * So the Bayes classifier is that sign and the Bayes risk is `noise` exactly. Cells left out
 * between two that are kept are drawn at once: their number is
 *
 *   floor(log(u) / log(1 - density)), u uniform:  P(g or more) = P(u <= (1 - density)^g)
 *
 *   rank:  y = +1 or -1 with equal chances, x ~ N(y delta theta, I_d)
 *
 * The score x'theta is the best there is; over a positive and a negative row its difference is N(2
 * delta, 2), so with Phi(-sqrt(2) delta) = noise its AUC is 1 - noise exactly.
 */
#include "app.h"
#include "cmd/simulate_ratings.h"
#include "cmd/simulate_shape.h"
#include "out/json.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_CSV, FORMAT_SVMLIGHT, FORMAT_NPY };

/* Streams of random numbers, one per purpose. */
enum { STREAM_THETA = 1, STREAM_X = 2, STREAM_KEEP = 3, STREAM_FLIP = 4 };

struct truth {
    size_t rows, cols, signal, skip;
    double noise, density;
    double log_left; /* log(1 - density) */
    double *theta;
    enum shape shape;
    bool rank;
    double delta; /* rank: half the distance of the classes */
};

/* The z with Phi(-z) = p < 1/2. */
static double upper_quantile(double p) {
    double low = 0.0, high = 40.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(0.5 * erfc(middle * sqrt(0.5)) > p ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

/* What divides the classes, and of how many columns it is a function. */
static int read_shape(const struct app *app, struct truth *t) {
    const struct options *o = &app->options;
    t->shape = option_is(o, "shape", "xor")     ? SHAPE_XOR
               : option_is(o, "shape", "rings") ? SHAPE_RINGS
               : option_is(o, "shape", "waves") ? SHAPE_WAVES
                                                : SHAPE_LINEAR;
    bool plane = t->shape == SHAPE_XOR || t->shape == SHAPE_RINGS;
    t->signal = given(o, "signal") ? option_count(o, "signal") : plane ? 2 : t->cols;
    if (t->rank && t->shape != SHAPE_LINEAR)
        return app_fail(app, EXIT_USAGE, "simulate: --shape is for classify");
    if (t->shape == SHAPE_XOR && t->signal < 2)
        return app_fail(app, EXIT_USAGE, "simulate: --shape xor needs --signal of 2 or more");
    if (t->shape == SHAPE_RINGS && t->signal > MOST_RING_COLUMNS)
        return app_fail(app, EXIT_USAGE, "simulate: --shape rings takes --signal up to %d",
                        (int)MOST_RING_COLUMNS);
    return EXIT_DONE;
}

static int read_truth(const struct app *app, struct truth *t) {
    const struct options *o = &app->options;
    *t = (struct truth){.rows = option_count(o, "rows"),
                        .cols = GBS_SIMULATED_COLS,
                        .noise = GBS_SIMULATED_FLIPS,
                        .density = SIMULATED_DENSITY};
    if (given(o, "cols"))
        t->cols = option_count(o, "cols");
    if (given(o, "noise"))
        t->noise = option_number(o, "noise");
    if (given(o, "density"))
        t->density = option_number(o, "density");
    t->log_left = log1p(-t->density);
    static const char *const ratings_only[] = {"rank", "range", "skew", "no-biases", "positions"};
    for (size_t k = 0; k < sizeof ratings_only / sizeof *ratings_only; k++)
        if (given(o, ratings_only[k]))
            return app_fail(app, EXIT_USAGE, "simulate: --%s is for ratings", ratings_only[k]);
    if (t->noise >= 0.5)
        return app_fail(app, EXIT_USAGE,
                        "simulate: --noise: expected a number from 0 to below 0.5, found '%.60s'",
                        option_text(o, "noise"));
    t->rank = strcmp(o->inputs[0], "rank") == 0;
    if (t->rank && (t->density < 1.0 || !(t->noise > 0.0)))
        return app_fail(app, EXIT_USAGE, "simulate: rank needs --noise above 0 and no --density");
    t->delta = t->rank ? upper_quantile(t->noise) * sqrt(0.5) : 0.0;
    t->skip = option_count(o, "skip");
    int code = read_shape(app, t);
    if (code != EXIT_DONE)
        return code;
    if (t->signal > t->cols)
        return app_fail(app, EXIT_USAGE, "simulate: --signal %zu is more than --cols %zu",
                        t->signal, t->cols);
    if (t->cols > 1000000)
        return app_fail(app, EXIT_USAGE, "simulate: --cols: expected at most 1000000");
    if ((t->theta = calloc(t->cols, sizeof *t->theta)) == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    double norm2 = 0.0;
    for (size_t k = 0; k < t->signal; k++) {
        t->theta[k] = gbs_random_normal(app->ctx, STREAM_THETA, k);
        norm2 += t->theta[k] * t->theta[k];
    }
    for (size_t k = 0; k < t->signal; k++)
        t->theta[k] /= sqrt(norm2);
    return EXIT_DONE;
}

/* A row: cells that are left out are zeros of x. */
struct row {
    double *x;
    size_t *kept, count; /* cells that are not, ascending; of all of them no list is made */
};

/* Which cells of row i are kept: one draw, of its own number, for each of them. */
static void keep_cells(const struct app *app, const struct truth *t, size_t i, struct row *r) {
    uint64_t next = (uint64_t)i * t->cols;
    for (size_t j = 0; j < r->count; j++)
        r->x[r->kept[j]] = 0.0;
    r->count = 0;
    for (size_t k = 0; k < t->cols; k++) {
        double gap = log(gbs_random_uniform(app->ctx, STREAM_KEEP, next++)) / t->log_left;
        if (!(gap < (double)(t->cols - k)))
            break;
        k += (size_t)gap;
        r->kept[r->count++] = k;
    }
}

/* x'theta of a row of which most cells are zeros. */
static double sparse_score(const struct truth *t, const struct row *r) {
    double sum = 0.0;
    for (size_t j = 0; j < r->count && r->kept[j] < t->signal; j++)
        sum += r->x[r->kept[j]] * t->theta[r->kept[j]];
    return sum;
}

/* Row i; returns its label. */
static int draw_row(const struct app *app, const struct truth *t, size_t i, struct row *r) {
    int side = gbs_random_uniform(app->ctx, STREAM_FLIP, i) < 0.5 ? 1 : -1; /* rank */
    uint64_t first = (uint64_t)i * t->cols;
    bool all = r->kept == NULL;
    if (!all)
        keep_cells(app, t, i, r);
    for (size_t j = 0; !all && j < r->count; j++)
        r->x[r->kept[j]] = gbs_random_normal(app->ctx, STREAM_X, first + r->kept[j]);
    for (size_t k = 0; all && k < t->cols; k++) {
        r->x[k] = gbs_random_normal(app->ctx, STREAM_X, first + k);
        r->x[k] += t->rank ? side * t->delta * t->theta[k] : 0.0;
    }
    if (t->rank)
        return side;
    bool flip = gbs_random_uniform(app->ctx, STREAM_FLIP, i) < t->noise;
    double value = !all && t->shape == SHAPE_LINEAR
                       ? sparse_score(t, r)
                       : shape_value(t->shape, t->signal, r->x, t->theta);
    return (value >= 0.0) != flip ? 1 : -1;
}

static void csv_header(const struct truth *t, struct text *out) {
    for (size_t k = 0; k < t->cols; k++)
        text_add(out, "x%zu,", k + 1);
    text_add(out, "y\n");
}

static void csv_row(const struct truth *t, const double *x, int y, struct text *out) {
    for (size_t k = 0; k < t->cols; k++) {
        text_add_number(out, x[k]);
        text_add_bytes(out, ",", 1);
    }
    text_add_bytes(out, y < 0 ? "-1\n" : "1\n", y < 0 ? 3 : 2);
}

static void svmlight_row(const struct truth *t, const struct row *r, int y, struct text *out) {
    size_t cells = r->kept != NULL ? r->count : t->cols;
    text_add_bytes(out, y < 0 ? "-1" : "1", y < 0 ? 2 : 1);
    for (size_t j = 0; j < cells; j++) {
        size_t k = r->kept != NULL ? r->kept[j] : j;
        if (r->x[k] != 0.0) {
            text_add_bytes(out, " ", 1);
            text_add_count(out, k + 1, ':');
            text_add_number(out, r->x[k]);
        }
    }
    text_add_bytes(out, "\n", 1);
}

/* Version 1.0: magic, header length, a Python dict padded to 64 bytes, then little-endian doubles.
 */
static void npy_header(const struct truth *t, struct text *out) {
    char dict[128];
    int size = snprintf(dict, sizeof dict,
                        "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", t->rows,
                        t->cols + 1);
    int padded = (10 + size + 1 + 63) / 64 * 64 - 10;
    text_add_bytes(out, "\x93NUMPY\x01\x00", 8);
    text_add_bytes(out, (char[2]){(char)(padded & 255), (char)(padded >> 8)}, 2);
    text_add(out, "%s%*s\n", dict, padded - size - 1, "");
}

static void npy_row(const struct truth *t, const double *x, int y, struct text *out) {
    double label = y;
    text_add_bytes(out, (const char *)x, t->cols * sizeof *x);
    text_add_bytes(out, (const char *)&label, sizeof label);
}

/* Rows on their way out, a piece at a time: memory does not hang on how many there are. */
struct drawing {
    const struct app *app;
    const struct truth *t;
    int format;
    size_t done; /* rows */
    bool begun;
    struct row row;
    struct text text;
};

static void add_header(struct drawing *d) {
    if (d->format == FORMAT_CSV)
        csv_header(d->t, &d->text);
    else if (d->format == FORMAT_NPY)
        npy_header(d->t, &d->text);
    d->begun = true;
}

static void add_row(struct drawing *d) {
    int y = draw_row(d->app, d->t, d->t->skip + d->done++, &d->row);
    if (d->format == FORMAT_CSV)
        csv_row(d->t, d->row.x, y, &d->text);
    else if (d->format == FORMAT_SVMLIGHT)
        svmlight_row(d->t, &d->row, y, &d->text);
    else
        npy_row(d->t, d->row.x, y, &d->text);
}

static gbs_status next_rows(const char **bytes, size_t *size, void *user) {
    struct drawing *d = user;
    d->text.size = 0;
    if (!d->begun)
        add_header(d);
    while (d->done < d->t->rows && d->text.size < SIMULATED_PIECE && !d->text.failed &&
           !app_interrupted())
        add_row(d);
    return simulated_piece(d->app, &d->text, d->done < d->t->rows, bytes, size);
}

static void truth_json(const struct app *app, const struct truth *t, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_put_string(&j, "kind", t->rank ? "rank" : "classify");
    json_put_count(&j, "rows", t->rows);
    json_put_count(&j, "cols", t->cols);
    json_put_number(&j, "noise", t->noise);
    json_put_number(&j, "density", t->density);
    if (!t->rank) {
        json_put_string(&j, "shape", option_text(&app->options, "shape"));
        json_put_count(&j, "signal", t->signal);
    }
    if (t->rank)
        json_put_number(&j, "best_auc", 1.0 - t->noise);
    else
        json_put_number(&j, "bayes_risk", t->noise);
    json_open_array(&j, "theta");
    for (size_t k = 0; k < t->cols; k++)
        json_put_number(&j, NULL, t->theta[k]);
    json_close_array(&j);
    json_close_object(&j);
}

static int write_rows(const struct app *app, const struct truth *t, int format) {
    struct drawing d = {.app = app, .t = t, .format = format};
    struct text truth = {0};
    const struct app_output outputs[] = {
        {option_text(&app->options, "output"), NULL, next_rows, &d}, {NULL, &truth, NULL, NULL}};
    bool some = t->density < 1.0;
    if (given(&app->options, "json"))
        truth_json(app, t, &truth);
    d.row.x = calloc(t->cols, sizeof *d.row.x);
    d.row.kept = some ? calloc(t->cols, sizeof *d.row.kept) : NULL;
    int code = d.row.x != NULL && (!some || d.row.kept != NULL)
                   ? app_write_all(app, outputs, 2)
                   : app_fail(app, EXIT_MEMORY, "out of memory");
    text_free(&d.text);
    text_free(&truth);
    free(d.row.x);
    free(d.row.kept);
    return code;
}

gbs_status simulated_piece(const struct app *app, const struct text *text, bool more,
                           const char **bytes, size_t *size) {
    *bytes = text->bytes;
    *size = text->size;
    if (app_interrupted() && (more || text->size > 0)) /* else all is written: too late */
        return GBS_ERR_CANCELLED;
    if (!text->failed)
        return GBS_OK;
    app_fail(app, EXIT_MEMORY, "out of memory");
    return GBS_ERR_MEMORY;
}

/* --format, else the ending of the output file, else CSV. */
static int choose_format(const struct options *o) {
    static const char *const endings[] = {".svm", ".svmlight", ".libsvm", ".npy"};
    if (!option_is(o, "format", "auto"))
        return option_is(o, "format", "npy")        ? FORMAT_NPY
               : option_is(o, "format", "svmlight") ? FORMAT_SVMLIGHT
                                                    : FORMAT_CSV;
    for (size_t k = 0; given(o, "output") && k < 4; k++)
        if (text_ends_in(option_text(o, "output"), endings[k]))
            return k == 3 ? FORMAT_NPY : FORMAT_SVMLIGHT;
    return FORMAT_CSV;
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    struct truth t = {0};
    bool to_stdout = !given(o, "output") || output_is_stdout(option_text(o, "output"));
    bool ratings = o->n_inputs == 1 && strcmp(o->inputs[0], "ratings") == 0;
    if (!ratings && (o->n_inputs != 1 ||
                     (strcmp(o->inputs[0], "classify") != 0 && strcmp(o->inputs[0], "rank") != 0)))
        return app_fail(
            app, EXIT_USAGE,
            "simulate: expected the kind of data, classify, rank or ratings; gibbsite %s",
            app->command->usage);
    if (!to_stdout && text_ends_in(option_text(o, "output"), ".gz"))
        return app_fail(app, EXIT_USAGE, "simulate: writes no gzip; write %.*s and compress it",
                        (int)strlen(option_text(o, "output")) - 3, option_text(o, "output"));
    if (given(o, "json") && to_stdout)
        return app_fail(
            app, EXIT_USAGE,
            "simulate: --json describes the data on standard output; the rows need -o FILE");
    if (ratings)
        return simulate_ratings(app);
    int code = outputs_check(app, given(o, "json") || !given(o, "output"));
    if (code == EXIT_DONE)
        code = read_truth(app, &t);
    if (t.theta == NULL)
        return code;
    if (code == EXIT_DONE)
        code = write_rows(app, &t, choose_format(o));
    if (code == EXIT_DONE && t.rank)
        app_note(app, "%s, %s, labels -1 and 1; AUC of the best score %g exactly",
                 counted(t.rows, "row").text, counted(t.cols, "feature").text, 1.0 - t.noise);
    else if (code == EXIT_DONE)
        app_note(app, "%s, %s, labels -1 and 1; Bayes risk %g exactly", counted(t.rows, "row").text,
                 counted(t.cols, "feature").text, t.noise);
    free(t.theta);
    return code;
}

const struct command command_simulate = {
    "simulate",
    FOR_SIMULATE,
    "simulate classify|rank|ratings [-o FILE] [OPTIONS]",
    "data of known truth",
    "classify: rows x ~ N(0, I), labels sign(x'theta) with |theta| = 1, each flipped with "
    "probability --noise: the Bayes risk is that number exactly, and it is printed on standard "
    "error. --shape has signs of other functions, which no line divides. rank: labels of equal "
    "chances, x ~ N(y delta theta, I), with delta such that the best score has an AUC of 1 - noise "
    "exactly. Written as CSV, or as the ending of FILE (.svm, .npy) or --format says.\n"
    "ratings: row, col, value of cells drawn at random from a matrix of rank --rank with a mean "
    "and biases, plus noise of standard deviation --noise.",
    "gibbsite simulate classify --rows 2000 --cols 20 --noise 0.1 -o train.csv\n"
    "gibbsite simulate classify --rows 5000 --cols 20 --noise 0.1 --skip 2000 -o test.csv\n"
    "gibbsite simulate classify --shape rings --rows 2000 --cols 2 -o rings.csv\n"
    "gibbsite simulate rank --rows 2000 --cols 20 --noise 0.1 -o train.csv\n"
    "gibbsite simulate classify --rows 500 --cols 20000 --density 0.01 -o wide.svm\n"
    "gibbsite simulate ratings --rows 1000 --cols 1000 --rank 5 --density 0.1 -o ratings.csv",
    run,
};
