/* What a model of many classes makes of rows (docs/maths.md, 11.10).
 *
 *   s_k = the log odds of k against the rest, or the mean over the other classes j of the log odds
 *   of k against j;   p_k = exp(z_k)/sum, z = a + B s;   the label is argmax p_k, or argmin over c
 *   of sum_k p_k cost(k, c), the first class of several.
 */
#include "judge/many.h"

#include "core/check.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- scores */

/* Classes that each class is compared with, where there are pairs. */
static double others(const gbs_many *m) {
    double pairs = 0.0; /* L (L - 1)/2 of L classes */
    for (size_t p = 0; p < m->parts; p++)
        pairs += m->part[p] != NULL;
    return 0.5 * (sqrt(1.0 + 8.0 * pairs) - 1.0);
}

static void add_odds(const gbs_many *m, size_t p, gbs_log_odds to, size_t n,
                     const double *part_score, double *score) {
    size_t one, other, k = m->classes;
    gbs_many_sides(m->scheme, k, p, &one, &other);
    double share = other == SIZE_MAX ? 1.0 : 1.0 / others(m);
    for (size_t i = 0; i < n; i++) {
        double odds = share * (to.offset + to.slope * part_score[i]);
        score[i * k + one] += odds;
        if (other != SIZE_MAX)
            score[i * k + other] -= odds;
    }
}

void gbs_many_add_part(const gbs_many *m, size_t p, size_t n, const double *part_score,
                       double *score) {
    add_odds(m, p, m->odds[p], n, part_score, score);
}

/* How often one posterior says +1 of a row. */
static double says_one(double mean, double sd) {
    return sd > 0.0     ? 0.5 * erfc(-sqrt(0.5) * mean / sd)
           : mean > 0.0 ? 1.0
           : mean < 0.0 ? 0.0
                        : 0.5;
}

/* What draws from part p make of the classes: gbs_many_scores says what it is. */
static void add_spread(const gbs_many *m, size_t p, uint64_t seed, size_t first, size_t n,
                       const double *mean, double *sd, double *spread) {
    size_t one, other, k = m->classes;
    bool known = gbs_many_draws_known(m), pair = gbs_many_is_a_pair(m);
    gbs_many_sides(m->scheme, k, p, &one, &other);
    for (size_t i = 0; known && i < n; i++) {
        spread[i * k + one] = pair ? says_one(mean[i], sd[i]) : fabs(m->odds[p].slope) * sd[i];
        if (pair)
            spread[i * k + other] = says_one(-mean[i], sd[i]);
    }
    if (known)
        return;
    for (size_t i = 0; i < n; i++)
        sd[i] = mean[i] +
                sd[i] * gbs_normal(seed, GBS_STREAM_DRAWS, (uint64_t)(first + i) * m->parts + p);
    add_odds(m, p, m->odds[p], n, sd, spread);
}

/* Scores of all rows by part p, and their standard deviations where there is room for them. */
static gbs_status score_part(gbs_context *ctx, const gbs_many *m, size_t p, const gbs_rows *rows,
                             double *mean, double *sd) {
    enum { SLICE = 1 << 14 };
    const gbs_model *part = m->part[p];
    gbs_status status = GBS_OK;
    size_t n = rows->all.n,
           slice = (SLICE + rows->strip_rows - 1) / rows->strip_rows * rows->strip_rows;
    for (size_t from = 0; status == GBS_OK && from < n; from += slice) {
        gbs_rows some = gbs_rows_slice(rows, from, n - from < slice ? n - from : slice);
        gbs_judgement v = {.score = mean + from, .sd = sd != NULL ? sd + from : NULL};
        status = gbs_model_judge(ctx, part, &some, &v);
    }
    return status;
}

gbs_status gbs_many_scores(gbs_context *ctx, const gbs_many *m, const gbs_data *data, uint64_t seed,
                           size_t first, double *score, double *spread) {
    size_t n = data->n;
    double *room = gbs_matrix(ctx, 2, n);
    gbs_rows rows = {0};
    bool built = false;
    gbs_status status = room != NULL ? GBS_OK : GBS_ERR_MEMORY;
    for (size_t i = 0; i < n * m->classes; i++) {
        if (score != NULL)
            score[i] = 0.0;
        if (spread != NULL)
            spread[i] = 0.0;
    }
    for (size_t p = 0; status == GBS_OK && p < m->parts; p++) {
        if (m->part[p] == NULL)
            continue;
        if (!built || m->scheme != GBS_SCHEME_SOFTMAX) { /* whose parts have the same maps */
            gbs_rows_free(ctx, &rows);
            status = gbs_rows_build(ctx, data, &m->part[p]->maps, &rows);
            built = status == GBS_OK;
        }
        if (status == GBS_OK)
            status = score_part(ctx, m, p, &rows, room, spread != NULL ? room + n : NULL);
        if (status == GBS_OK && score != NULL)
            gbs_many_add_part(m, p, n, room, score);
        if (status == GBS_OK && spread != NULL)
            add_spread(m, p, seed, first, n, room, room + n, spread);
        if (status == GBS_OK)
            status = gbs_check_cancel(ctx);
    }
    if (built)
        gbs_rows_free(ctx, &rows);
    gbs_array_free(ctx, room);
    return status;
}

/* ---------------------------------------------------------------- labels */

void gbs_many_probabilities(const gbs_many *m, double *score) {
    double most = -INFINITY, sum = 0.0;
    double z[GBS_MOST_CLASSES];
    for (size_t k = 0; k < m->classes; k++) {
        z[k] = gbs_many_height(m, score, k);
        most = fmax(most, z[k]);
    }
    for (size_t k = 0; k < m->classes; k++) {
        score[k] = exp(z[k] - most);
        sum += score[k];
    }
    for (size_t k = 0; k < m->classes; k++)
        score[k] /= sum;
}

double gbs_many_cost_of(const gbs_many *m, size_t class, size_t said) {
    size_t k = m->classes;
    double most = 0.0;
    if (m->cost == NULL)
        return class != said ? 1.0 : 0.0;
    if (class < k)
        return m->cost[class * k + said];
    for (size_t i = 0; i < k * k; i++)
        most = fmax(most, m->cost[i]);
    return most;
}

size_t gbs_many_label(const gbs_many *m, const double *p) {
    double best = INFINITY;
    size_t label = 0;
    for (size_t c = 0; c < m->classes; c++) {
        double loss = -p[c];
        if (!m->learned[c])
            continue;
        if (m->cost != NULL) {
            loss = 0.0;
            for (size_t k = 0; k < m->classes; k++)
                loss += p[k] * m->cost[k * m->classes + c];
        }
        if (loss < best) {
            best = loss;
            label = c;
        }
    }
    return label;
}

/* ---------------------------------------------------------------- rows with classes */

double gbs_many_brier(const gbs_many *m, const double *p, size_t class) {
    double sum = 0.0;
    for (size_t k = 0; k < m->classes; k++) {
        double off = p[k] - (k == class ? 1.0 : 0.0);
        sum += off * off;
    }
    return 0.5 * (class < m->classes ? sum : sum + 1.0);
}

void gbs_many_add(const gbs_many *m, size_t n, const double *y, double *score, const double *wrong,
                  gbs_many_tally *t) {
    size_t k = m->classes;
    for (size_t i = 0; i < n; i++) {
        double *p = score + i * k;
        size_t is = y[i] < (double)k ? (size_t)y[i] : k;
        bool known = is < k && m->learned[is];
        double own = known ? gbs_many_height(m, p, is) : 0.0, most = -INFINITY, sum = 0.0;
        for (size_t c = 0; c < k; c++)
            most = fmax(most, gbs_many_height(m, p, c));
        for (size_t c = 0; c < k; c++)
            sum += exp(gbs_many_height(m, p, c) - most);
        gbs_many_probabilities(m, p);
        size_t says = gbs_many_label(m, p);
        t->n++;
        t->errors += says != is;
        t->unknown += !known;
        t->gibbs += wrong[i];
        t->brier += gbs_many_brier(m, p, is);
        t->log_loss += known ? most + log(sum) - own : 0.0;
        t->cost += gbs_many_cost_of(m, is, says);
        if (t->confusion != NULL)
            t->confusion[is * k + says]++;
        gbs_reliability_add(t->bin, p[says], says == is);
    }
}

gbs_status gbs_many_evaluate(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                             gbs_evaluated *out) {
    const gbs_many *m = model->many;
    if (data->classes != m->classes)
        return gbs_fail(ctx, GBS_ERR_DATA, "the labels have %zu classes, the model has %zu",
                        gbs_data_classes(data), m->classes);
    size_t n = data->n, *confusion = out->confusion;
    gbs_class_result *result = out->result;
    double *score = gbs_matrix(ctx, n, m->classes), *spread = gbs_matrix(ctx, n, m->classes),
           *wrong = gbs_doubles(ctx, n), count = (double)n;
    bool room = score != NULL && spread != NULL && wrong != NULL;
    gbs_status status = room ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        status = gbs_many_scores(ctx, m, data, ctx->seed, 0, score, spread);
        if (status == GBS_OK)
            gbs_many_draws_wrong(ctx, m, n, data->y, score, spread, wrong);
        gbs_compute_end(ctx);
    }
    if (status == GBS_OK) {
        gbs_many_tally t = {.confusion = confusion};
        gbs_many_add(m, n, data->y, score, wrong, &t);
        *out = (gbs_evaluated){.told = {.n = n,
                                        .errors = t.errors,
                                        .error = (double)t.errors / count,
                                        .gibbs_risk = t.gibbs / count,
                                        .gibbs_error = t.gibbs / count,
                                        .auc = NAN,
                                        .auc_se = NAN,
                                        .brier = t.brier / count,
                                        .log_loss = t.log_loss / (double)(n - t.unknown)},
                               .classes = m->classes,
                               .confusion = confusion,
                               .result = result,
                               .cost = t.cost / count};
        memcpy(out->bin, t.bin, sizeof out->bin);
        gbs_reliability_finish(out->bin);
        if (confusion != NULL)
            gbs_many_count(m->classes, confusion, result);
        for (size_t k = 0; result != NULL && k < m->classes; k++)
            result[k].learned = m->learned[k];
    }
    gbs_array_free(ctx, score);
    gbs_array_free(ctx, spread);
    gbs_array_free(ctx, wrong);
    return status;
}

/* ---------------------------------------------------------------- predictions */

gbs_status gbs_model_classify_rows(gbs_context *ctx, const gbs_model *model, const gbs_data *data,
                                   size_t rows, size_t classes, uint32_t *class_of,
                                   double *probability) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    GBS_NEEDS(ctx, data);
    const gbs_many *m = model->many;
    if (rows != data->n || classes != gbs_model_classes(model))
        return gbs_fail(ctx, GBS_ERR_ARGUMENT,
                        "room for %zu rows of %zu classes, where there are %zu of %zu", rows,
                        classes, data->n, gbs_model_classes(model));
    double *p = gbs_matrix(ctx, rows, classes);
    gbs_status status = p != NULL ? gbs_compute_begin(ctx) : GBS_ERR_MEMORY;
    if (status == GBS_OK) {
        if (m != NULL)
            status = gbs_many_scores(ctx, m, data, ctx->seed, 0, p, NULL);
        else
            status = gbs_model_classify(ctx, model, data, p, p + rows, NULL, NULL);
        gbs_compute_end(ctx);
    }
    for (size_t i = 0; status == GBS_OK && m != NULL && i < rows; i++) {
        gbs_many_probabilities(m, p + i * classes);
        if (class_of != NULL)
            class_of[i] = (uint32_t)gbs_many_label(m, p + i * classes);
    }
    if (status == GBS_OK && m != NULL && probability != NULL)
        memcpy(probability, p, rows * classes * sizeof *p);
    for (size_t i = 0; status == GBS_OK && m == NULL && i < rows; i++) {
        if (class_of != NULL)
            class_of[i] = p[i] > 0.0;
        if (probability != NULL) {
            probability[2 * i] = 1.0 - p[rows + i];
            probability[2 * i + 1] = p[rows + i];
        }
    }
    gbs_array_free(ctx, p);
    return status;
}

/* ---------------------------------------------------------------- what an evaluation tells */

static const gbs_evaluated *told(const gbs_evaluation *e) {
    return (const gbs_evaluated *)(const void *)e;
}

size_t gbs_evaluation_classes(const gbs_evaluation *e) {
    return e == NULL ? 0 : told(e)->classes > 2 ? told(e)->classes : 2;
}

const gbs_class_result *gbs_evaluation_class(const gbs_evaluation *e, size_t k) {
    bool there = e != NULL && told(e)->result != NULL && k < told(e)->classes;
    return there ? &told(e)->result[k] : NULL;
}

size_t gbs_evaluation_confusion(const gbs_evaluation *e, size_t is, size_t said) {
    const gbs_evaluated *t = e != NULL && told(e)->confusion != NULL ? told(e) : NULL;
    return t != NULL && is <= t->classes && said < t->classes ? t->confusion[is * t->classes + said]
                                                              : 0;
}

double gbs_evaluation_cost(const gbs_evaluation *e) {
    return e == NULL ? NAN : told(e)->classes > 2 ? told(e)->cost : e->error;
}
