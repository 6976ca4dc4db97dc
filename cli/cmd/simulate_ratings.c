/* gibbsite simulate ratings.
 *
 *   theta_ij = 3 + a_i + b_j + u_i'v_j,   a, b ~ N(0, 1/4),   u_ik, v_jk ~ N(0, 1/sqrt(rank)),
 *   y = theta_ij + noise x N(0, 1)
 *
 * so that u'v has variance 1. Ratings are independent draws of a cell: rows and columns alike, or
 * with log-normal frequencies.
 *
 * --positions informed: a cell drawn so is kept with probability 1 / (1 + exp(-2 u'v)), else
 * another is drawn. Independent draws all the same, from a law that depends on taste.
 *
 * So no prediction has an RMSE below --noise, and fresh ratings of the same truth are those after
 * --skip.
 */
#include "cmd/simulate_ratings.h"

#include "out/json.h"
#include "out/result.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>

/* Streams, apart from those of simulate classify. */
enum {
    STREAM_FACTORS = 16,
    STREAM_BIASES = 18,
    STREAM_POPULAR = 20,
    STREAM_CELL = 22,
    STREAM_NOISE = 24,
    STREAM_KEPT = 26
};

/* Cells that are drawn at most until one is kept; half of them are. */
enum { MOST_DRAWN = 64 };
/* Ratings that are drawn together. */
enum { BLOCK = 64 };

struct truth {
    size_t items[2], rank, n, skip;
    double noise, density, skew;
    bool biases, has_range, informed;
    double low, high;
    /* cumulated shares of rows, columns; NULL: all alike */
    double *factor[2], *bias[2], *cumulated[2];
    /* where the search for a share begins, for each of as many equal parts of [0, 1) as items */
    uint32_t *guide[2];
};

static int read_options(const struct app *app, struct truth *t) {
    const struct options *o = &app->options;
    *t = (struct truth){.items = {option_count(o, "rows"), GBS_SIMULATED_RATED},
                        .noise = GBS_SIMULATED_NOISE,
                        .density = GBS_SIMULATED_SHARE};
    if (given(o, "cols"))
        t->items[1] = option_count(o, "cols");
    t->rank = option_count(o, "rank");
    if (given(o, "noise"))
        t->noise = option_number(o, "noise");
    if (given(o, "density"))
        t->density = option_number(o, "density");
    t->skew = given(o, "skew") ? option_number(o, "skew") : 0.0;
    t->skip = option_count(o, "skip");
    t->biases = !given(o, "no-biases");
    t->informed = option_is(o, "positions", "informed");
    t->has_range = given(o, "range");
    if (t->has_range) {
        const double *ends = gbs_options_numbers(o->set, "range", NULL);
        t->low = ends[0];
        t->high = ends[1];
    }
    if (t->items[0] > 100000000 || t->items[1] > 100000000 || t->rank > 1000)
        return app_fail(app, EXIT_USAGE,
                        "simulate: expected at most 100000000 --rows and --cols, and --rank 1000");
    static const char *const rows_only[] = {"signal", "shape", "format"};
    for (size_t k = 0; k < sizeof rows_only / sizeof *rows_only; k++)
        if (given(o, rows_only[k]))
            return app_fail(app, EXIT_USAGE, "simulate: --%s is not for ratings", rows_only[k]);
    double n = round(t->density * (double)t->items[0] * (double)t->items[1]);
    if (!(n >= 1.0 && n <= 1e9))
        return app_fail(app, EXIT_USAGE,
                        "simulate: --density %g makes %.0f ratings; expected 1 to 1000000000",
                        t->density, n);
    t->n = (size_t)n;
    return EXIT_DONE;
}

/* Log-normal frequencies, cumulated, and the first item that reaches the beginning of each part. */
static void draw_shares(const struct app *app, struct truth *t, int s) {
    size_t m = t->items[s], item = 0;
    double *to = t->cumulated[s];
    for (size_t i = 0; i < m; i++)
        to[i] = (i > 0 ? to[i - 1] : 0.0) +
                exp(t->skew *
                    gbs_random_normal(app->ctx, (uint64_t)STREAM_POPULAR + (uint64_t)s, i));
    for (size_t part = 0; part < m; part++) {
        while (item + 1 < m && to[item] < to[m - 1] * ((double)part / (double)m))
            item++;
        t->guide[s][part] = (uint32_t)item;
    }
}

static bool draw_truth(const struct app *app, struct truth *t) {
    double scale = pow((double)t->rank, -0.25);
    for (int s = 0; s < 2; s++) {
        size_t m = t->items[s];
        bool skewed = t->skew > 0.0;
        t->factor[s] = calloc(m * t->rank, sizeof *t->factor[s]);
        t->bias[s] = calloc(m, sizeof *t->bias[s]);
        t->cumulated[s] = skewed ? calloc(m, sizeof *t->cumulated[s]) : NULL;
        t->guide[s] = skewed ? calloc(m, sizeof *t->guide[s]) : NULL;
        if (t->factor[s] == NULL || t->bias[s] == NULL ||
            (skewed && (t->cumulated[s] == NULL || t->guide[s] == NULL)))
            return false;
        for (size_t i = 0; i < m * t->rank; i++)
            t->factor[s][i] = scale * gbs_random_normal(app->ctx,
                                                        (uint64_t)STREAM_FACTORS + (uint64_t)s, i);
        for (size_t i = 0; t->biases && i < m; i++)
            t->bias[s][i] = 0.5 *
                            gbs_random_normal(app->ctx, (uint64_t)STREAM_BIASES + (uint64_t)s, i);
        if (skewed)
            draw_shares(app, t, s);
    }
    return true;
}

/* The first item whose cumulated share is at least u's; the guide says where it lies nearly. */
static size_t find_item(const double *to, size_t m, double u, size_t item) {
    while (item > 0 && to[item - 1] >= u)
        item--;
    while (item + 1 < m && to[item] < u)
        item++;
    return item;
}

/* Those of the draws from `first` on. What one of them waits for in memory the others wait for at
 * the same time. */
static void draw_items(const struct app *app, const struct truth *t, int s, size_t first, size_t n,
                       size_t *item) {
    double u[BLOCK], *to = t->cumulated[s];
    size_t m = t->items[s];
    for (size_t k = 0; k < n; k++) {
        u[k] = gbs_random_uniform(app->ctx, (uint64_t)STREAM_CELL + (uint64_t)s, first + k);
        size_t part = (size_t)(u[k] * (double)m);
        item[k] = part < m ? part : m - 1; /* the product may round up */
        if (to != NULL)
            __builtin_prefetch(t->guide[s] + item[k]);
    }
    for (size_t k = 0; to != NULL && k < n; k++) {
        item[k] = t->guide[s][item[k]];
        __builtin_prefetch(to + item[k]);
    }
    for (size_t k = 0; k < n; k++) {
        if (to != NULL)
            item[k] = find_item(to, m, u[k] * to[m - 1], item[k]);
        __builtin_prefetch(t->factor[s] + item[k] * t->rank);
        __builtin_prefetch(t->bias[s] + item[k]);
    }
}

static double product(const struct truth *t, size_t i, size_t j) {
    double sum = 0.0;
    for (size_t k = 0; k < t->rank; k++)
        sum += t->factor[0][i * t->rank + k] * t->factor[1][j * t->rank + k];
    return sum;
}

/* --positions informed: the cell of rating e. */
static void draw_kept(const struct app *app, const struct truth *t, size_t e, size_t *i,
                      size_t *j) {
    for (size_t k = e * MOST_DRAWN; k < (e + 1) * MOST_DRAWN; k++) {
        draw_items(app, t, 0, k, 1, i);
        draw_items(app, t, 1, k, 1, j);
        if (gbs_random_uniform(app->ctx, STREAM_KEPT, k) <
            1.0 / (1.0 + exp(-2.0 * product(t, *i, *j))))
            return;
    }
}

/* The value of rating e, in row i and column j. */
static double draw_value(const struct app *app, const struct truth *t, size_t e, size_t i,
                         size_t j) {
    double y = (t->biases ? 3.0 : 0.0) + t->bias[0][i] + t->bias[1][j];
    for (size_t k = 0; k < t->rank; k++)
        y += t->factor[0][i * t->rank + k] * t->factor[1][j * t->rank + k];
    y += t->noise * gbs_random_normal(app->ctx, STREAM_NOISE, e);
    return t->has_range ? fmin(t->high, fmax(t->low, y)) : y;
}

/* n ratings from `first` on. */
static void draw_ratings(const struct app *app, const struct truth *t, size_t first, size_t n,
                         struct text *out) {
    size_t i[BLOCK] = {0}, j[BLOCK] = {0};
    for (size_t k = 0; t->informed && k < n; k++)
        draw_kept(app, t, first + k, &i[k], &j[k]);
    if (!t->informed) {
        draw_items(app, t, 0, first, n, i);
        draw_items(app, t, 1, first, n, j);
    }
    for (size_t k = 0; k < n; k++) {
        text_add_count(out, i[k] + 1, ',');
        text_add_count(out, j[k] + 1, ',');
        text_add_number(out, draw_value(app, t, first + k, i[k], j[k]));
        text_add_bytes(out, "\n", 1);
    }
}

/* Ratings on their way out, a piece at a time. */
struct drawing {
    const struct app *app;
    const struct truth *t;
    size_t done;
    bool begun;
    struct text text;
};

static gbs_status next_ratings(const char **bytes, size_t *size, void *user) {
    struct drawing *d = user;
    d->text.size = 0;
    if (!d->begun)
        text_add(&d->text, "row,col,value\n");
    d->begun = true;
    while (d->done < d->t->n && d->text.size < SIMULATED_PIECE && !d->text.failed &&
           !app_interrupted()) {
        size_t left = d->t->n - d->done, n = left < BLOCK ? left : BLOCK;
        draw_ratings(d->app, d->t, d->t->skip + d->done, n, &d->text);
        d->done += n;
    }
    return simulated_piece(d->app, &d->text, d->done < d->t->n, bytes, size);
}

static void truth_json(const struct app *app, const struct truth *t, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_put_string(&j, "kind", "ratings");
    json_put_count(&j, "rows", t->items[0]);
    json_put_count(&j, "cols", t->items[1]);
    json_put_count(&j, "n", t->n);
    json_put_count(&j, "rank", t->rank);
    json_put_number(&j, "noise", t->noise);
    json_put_number(&j, "noise_variance", t->noise * t->noise);
    json_put_bool(&j, "biases", t->biases);
    json_put_number(&j, "skew", t->skew);
    json_put_string(&j, "positions", t->informed ? "informed" : "random");
    json_close_object(&j);
}

int simulate_ratings(struct app *app) {
    const struct options *o = &app->options;
    struct truth t = {0};
    struct text text = {0};
    int code = read_options(app, &t);
    if (code == EXIT_DONE)
        code = outputs_check(app, given(o, "json") || !given(o, "output"));
    if (code == EXIT_DONE && !draw_truth(app, &t))
        code = app_fail(app, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) {
        struct drawing d = {.app = app, .t = &t};
        const struct app_output outputs[] = {{option_text(o, "output"), NULL, next_ratings, &d},
                                             {NULL, &text, NULL, NULL}};
        if (given(o, "json"))
            truth_json(app, &t, &text);
        code = app_write_all(app, outputs, 2);
        text_free(&d.text);
        text_free(&text);
    }
    if (code == EXIT_DONE)
        app_note(app, "%s of %s and %s, rank %zu%s; noise %g%s", counted(t.n, "rating").text,
                 counted(t.items[0], "row").text, counted(t.items[1], "column").text, t.rank,
                 t.biases ? " and biases" : "", t.noise,
                 t.has_range ? " before clipping to the range"
                             : ": no prediction has a smaller RMSE");
    for (int s = 0; s < 2; s++) {
        free(t.factor[s]);
        free(t.bias[s]);
        free(t.cumulated[s]);
        free(t.guide[s]);
    }
    return code;
}
