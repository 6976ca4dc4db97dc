/* What workers on threads of their own do, and what they see of it. */
#ifndef GIBBSITE_TESTS_CONCURRENT_JOBS_H
#define GIBBSITE_TESTS_CONCURRENT_JOBS_H

#include "fit/run.h"
#include "paper_settings.h"
#include "unit/completion_support.h"
#include "unit/rank_support.h"
#include "unit/scratch.h"

#include <pthread.h>
#include <unistd.h>

enum { WORKERS = 4, ROOM = 1 << 15, CELLS = 600, MANY_CELLS = 1500 };

/* What all workers read and none writes. */
struct material {
    struct table_of_numbers table, large, sparse, clouds;
    struct matrix_truth truth;
    char folder[SCRATCH_ROOM];
    /* handles of one context, for the workers of the others to ask */
    gbs_context *ctx;
    gbs_data *data, *pairs;
    gbs_model *model, *ranker;
    gbs_particles *particles;
    gbs_completion *completion;
    gbs_table *raw; /* a column of texts, one of numbers, a label */
    gbs_data *trained;
    gbs_report *report; /* of the ranker */
};

/* Everything that a job saw, in the order in which it saw it. No assertion of cmocka's here: they
 * jump, and only on the thread that runs the test. */
struct outcome {
    double seen[ROOM];
    size_t count;
    char failed[700]; /* the first call that did not return what it should */
};

struct worker {
    const struct material *m;
    struct outcome *outcomes; /* one a job */
    struct outcome *out;      /* that of the job at hand */
    size_t number;
    gbs_context *ctx;
    pthread_barrier_t *start; /* NULL: alone */
};

typedef void job(struct worker *w);

/* Keeps the first complaint, with what the context has to say. */
static inline void complain(struct worker *w, const char *what) {
    char *text = w->out->failed;
    if (text[0] == '\0')
        snprintf(text, sizeof w->out->failed, "%s: %s", what, gbs_error_message(w->ctx));
}

static inline void see(struct worker *w, const double *values, size_t count) {
    struct outcome *out = w->out;
    if (count > ROOM - out->count) {
        complain(w, "more numbers than there is room for");
        return;
    }
    memcpy(out->seen + out->count, values, count * sizeof *values);
    out->count += count;
}

static inline void see_one(struct worker *w, double value) {
    see(w, &value, 1);
}

/* A text by its length and a sum that depends on the order of its bytes. */
static inline void see_text(struct worker *w, const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    see_one(w, (double)strlen(text));
    see_one(w, (double)(hash >> 12));
}

static inline bool went(struct worker *w, gbs_status status, const char *call) {
    if (status != GBS_OK)
        complain(w, call);
    return status == GBS_OK;
}

/* The call on the worker's context. */
#define WENT(call, ...) went(w, call(w->ctx, __VA_ARGS__), #call)

/* ---------------------------------------------------------------- what the jobs look at */

static inline void see_model(struct worker *w, const gbs_model *model, const gbs_data *data) {
    gbs_model_info info;
    gbs_evaluation e;
    size_t n = gbs_data_rows(data), count;
    double *three = calloc(3 * n, sizeof *three), mean[40], sd[40];
    info = *gbs_model_get_info(model);
    see(w, (double[]){info.free_energy, info.kl, info.gibbs_risk, info.gibbs_error}, 4);
    const gbs_certificate *certificates = certificates_of(model, &count);
    for (size_t k = 0; k < count; k++)
        see_one(w, certificates[k].value);
    if (three != NULL && WENT(gbs_model_predict, model, data, three, three + n, three + 2 * n))
        see(w, three, 3 * n);
    if (WENT(evaluate_model, model, data, &e))
        see(w, (double[]){e.error, e.gibbs_risk, e.gibbs_error, e.auc, e.brier, e.log_loss}, 6);
    if (WENT(gbs_model_coefficients, model, mean, sd)) {
        see(w, mean, info.d);
        see(w, sd, info.d);
    }
    free(three);
}

static inline void see_particles(struct worker *w, const gbs_particles *p, const gbs_data *data) {
    gbs_evaluation e;
    size_t n = gbs_data_rows(data);
    double *three = calloc(3 * n, sizeof *three);
    const gbs_sample_info *info = gbs_particles_get_info(p);
    see(w, (double[]){info->log_z, info->log_z_sd, info->gibbs_risk, info->acceptance, info->bound},
        5);
    see(w, gbs_particles_draws(p), 10 * info->d);
    if (three != NULL && WENT(gbs_particles_predict, p, data, three, three + n, three + 2 * n))
        see(w, three, 3 * n);
    if (WENT(evaluate_particles, p, data, &e))
        see(w, (double[]){e.error, e.gibbs_error, e.auc, e.brier}, 4);
    free(three);
}

static inline void see_completion(struct worker *w, const gbs_completion *c) {
    gbs_completion_info info;
    const struct matrix_truth *t = &w->m->truth;
    double value[CELLS], sd[CELLS];
    info = *gbs_completion_get_info(c);
    see(w,
        (double[]){info.free_energy, info.noise_variance, info.rmse,
                   gbs_completion_certificate(c)->value},
        4);
    if (WENT(gbs_completion_predict, c, CELLS, t->row, t->column, value, sd)) {
        see(w, value, CELLS);
        see(w, sd, CELLS);
    }
}

/* ---------------------------------------------------------------- jobs on handles of one's own */

static inline gbs_data *own_data(struct worker *w, const struct table_of_numbers *t) {
    gbs_data *data = NULL;
    WENT(gbs_data_dense, t->n, t->d, t->x, t->d, t->y, GBS_BORROW, &data);
    return data;
}

static inline void fit_and_see(struct worker *w, const gbs_data *data, const gbs_fit_settings *o) {
    gbs_model *model = NULL;
    if (data != NULL && WENT(gbs_fit_run, data, o, &model))
        see_model(w, model, data);
    gbs_model_free(model);
}

static inline void classify(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->table);
    fit_and_see(w, data, NULL);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_DIAGONAL;
    o.solver = GBS_SOLVER_LBFGS;
    fit_and_see(w, data, &o);
    gbs_data_free(data);
}

/* Several blocks of rows, which two threads share; a few steps will do. */
static inline void classify_many(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->large);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.max_iterations = 4;
    fit_and_see(w, data, &o);
    gbs_data_free(data);
}

static inline void classify_wide(struct worker *w) {
    const struct table_of_numbers *t = &w->m->sparse;
    gbs_data *data = NULL;
    WENT(gbs_data_csr, t->n, t->d, t->start, t->column, t->value, t->y, GBS_COPY, &data);
    gbs_fit_settings o = zero_prior_options();
    o.loss = GBS_LOSS_HINGE;
    o.family = GBS_FAMILY_FULL;
    o.form = GBS_FORM_DUAL;
    fit_and_see(w, data, &o);
    o.form = GBS_FORM_AUTO;
    o.family = GBS_FAMILY_ISOTROPIC;
    o.solver = GBS_SOLVER_SGD;
    o.epochs = 3;
    fit_and_see(w, data, &o);
    gbs_data_free(data);
}

static inline void rank_rows(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->clouds);
    gbs_fit_settings o = ranking(GBS_LOSS_HINGE, GBS_FAMILY_DIAGONAL);
    fit_and_see(w, data, &o);
    o.solver = GBS_SOLVER_SGD;
    o.epochs = 2;
    o.sampled_pairs = 5000;
    fit_and_see(w, data, &o);
    gbs_data_free(data);
}

static inline void cross_validate(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->table);
    gbs_fit_settings o[] = {zero_prior_options(), zero_prior_options()};
    gbs_cv_result r[2];
    o[1].loss = GBS_LOSS_EXPONENTIAL;
    if (data != NULL && WENT(gbs_cross_validate_run, data, 3, o, 2, r))
        for (size_t k = 0; k < 2; k++)
            see(w, (double[]){r[k].error, r[k].error_se, r[k].gibbs_error, r[k].gibbs_risk}, 4);
    gbs_data_free(data);
}

static inline void sample_rows(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->table);
    gbs_fit_settings o = zero_prior_options();
    o.lambda = 30.0;
    gbs_sample_settings s = gbs_sample_settings_default();
    s.particles = 200;
    gbs_model *model = NULL;
    gbs_particles *p = NULL;
    gbs_gap gap;
    if (data != NULL && WENT(gbs_fit_run, data, &o, &model))
        WENT(gbs_sample_run_for, data, model, 0, &s, &p);
    if (p != NULL) {
        see_particles(w, p, data);
        if (WENT(measure_gap, data, model, p, &gap))
            see(w, (double[]){gap.gap, gap.gap_sd, gap.gibbs_risk}, 3);
    }
    gbs_particles_free(p);
    s.lambda = 30.0;
    if (data != NULL && WENT(gbs_sample_run, data, &s, &p)) /* without a model to lean on */
        see_particles(w, p, data);
    gbs_particles_free(p);
    gbs_model_free(model);
    gbs_data_free(data);
}

static inline void complete_a_matrix(struct worker *w) {
    const struct matrix_truth *t = &w->m->truth;
    gbs_ratings *ratings = NULL;
    gbs_complete_settings o = paper_settings();
    o.rank = 3;
    o.has_range = 1;
    o.low = -8.0;
    o.high = 8.0;
    o.restarts = 2;
    o.draws = 5;
    o.keep = 3;
    double value[MANY_CELLS] = {0}, sd[MANY_CELLS] = {0};
    o.cells = MANY_CELLS;
    o.cell_row = t->row;
    o.cell_column = t->column;
    o.cell_value = value;
    o.cell_sd = sd;
    size_t n = t->n, rows = t->rows, columns = t->columns;
    WENT(gbs_ratings_create, n, rows, columns, t->row, t->column, t->y, NULL, NULL, &ratings);
    for (int gibbs = 0; ratings != NULL && gibbs < 2; gibbs++) {
        gbs_completion *c = NULL;
        o.sampler = gibbs ? GBS_SAMPLER_GIBBS : GBS_SAMPLER_VB;
        if (WENT(gbs_complete_run, ratings, &o, &c))
            see_completion(w, c);
        gbs_completion_free(c);
    }
    see(w, value, MANY_CELLS);
    gbs_complete_settings h = gbs_complete_settings_default(); /* the hierarchical model */
    gbs_completion *c = NULL;
    h.rank = 3;
    h.has_range = 1, h.low = -8.0, h.high = 8.0;
    if (ratings != NULL && WENT(gbs_complete_run, ratings, &h, &c))
        see_completion(w, c);
    gbs_completion_free(c);
    gbs_ratings_free(ratings);
}

/* To a file of one's own and back; the text of what came back is that of what went. */
static inline void save_and_load(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->table);
    gbs_model *model = NULL, *again = NULL;
    char path[560], *before = NULL, *after = NULL;
    snprintf(path, sizeof path, "%s/%zu.json", w->m->folder, w->number);
    if (data != NULL && WENT(gbs_fit_run, data, NULL, &model) &&
        WENT(gbs_model_save, model, path) && WENT(gbs_model_load, path, &again)) {
        see_model(w, again, data);
        WENT(gbs_model_to_json, model, &before, NULL);
        WENT(gbs_model_to_json, again, &after, NULL);
        if (before == NULL || after == NULL || strcmp(before, after) != 0)
            complain(w, "another model came back");
    }
    unlink(path);
    gbs_release(w->ctx, before);
    gbs_release(w->ctx, after);
    gbs_model_free(again);
    gbs_model_free(model);
    gbs_data_free(data);
}

static inline bool says(const struct worker *w, const char *words) {
    return strstr(gbs_error_message(w->ctx), words) != NULL;
}

/* By the table of options, which all contexts share. */
static inline void fit_by_options(struct worker *w) {
    gbs_data *data = own_data(w, &w->m->table);
    gbs_options *o = NULL;
    gbs_model *model = NULL;
    if (data == NULL || !WENT(gbs_options_create, "fit", &o))
        complain(w, "no options");
    else if (gbs_options_set(o, "loss", w->number % 2 == 0 ? "hinge" : "exponential") != GBS_OK ||
             gbs_options_set_number(o, "lambda", 50.0) != GBS_OK)
        complain(w, "an option was refused");
    else if (WENT(gbs_fit, data, o, &model))
        see_model(w, model, data);
    gbs_model_free(model);
    gbs_options_free(o);
    gbs_data_free(data);
}

/* Two failures of one's own, over and over: the text is that of this context's last one. */
static inline void fail_alone(struct worker *w) {
    gbs_model *model;
    char path[560];
    for (size_t k = 0; k < 50; k++) {
        snprintf(path, sizeof path, "%s/none-%zu-%zu", w->m->folder, w->number, k);
        gbs_status status = gbs_model_load(w->ctx, path, &model);
        if (status != GBS_ERR_IO || model != NULL || !says(w, path))
            complain(w, path);
        see_one(w, (double)gbs_model_from_json(w->ctx, "{", 1, &model));
        see_text(w, gbs_error_message(w->ctx));
    }
}

/* A file of texts and numbers, read, trained on and fitted. */
static inline void read_raw_rows(struct worker *w) {
    char path[560];
    gbs_table *t = NULL;
    gbs_data *data = NULL;
    gbs_model *model = NULL;
    snprintf(path, sizeof path, "%s/raw-%zu-%d", w->m->folder, w->number, w->start != NULL);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        complain(w, path);
        return;
    }
    fputs("shop,size,y\n", file);
    for (int i = 0; i < 60; i++)
        fprintf(file, "%s,%d.25,%d\n", i % 3 == 0 ? "north" : "\"south, old\"", i % 7,
                (i * i) % 5 < 2);
    fclose(file);
    if (WENT(gbs_table_read, path, NULL, &t) && WENT(gbs_table_train, t, NULL, &data) &&
        WENT(gbs_fit, data, NULL, &model)) {
        see_model(w, model, data);
        see_text(w, gbs_model_recipe(model));
    }
    unlink(path);
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(t);
}

static job *const own_jobs[] = {
    classify,          classify_many, classify_wide,  rank_rows,  cross_validate, sample_rows,
    complete_a_matrix, save_and_load, fit_by_options, fail_alone, read_raw_rows,
};

/* ------------------------------------------------------------ jobs on handles of others */

static inline void ask_the_model(struct worker *w) {
    char *text = NULL;
    see_model(w, w->m->model, w->m->data);
    see_model(w, w->m->ranker, w->m->pairs);
    if (WENT(gbs_model_to_json, w->m->model, &text, NULL))
        see_text(w, text);
    gbs_release(w->ctx, text);
}

static inline void ask_the_particles(struct worker *w) {
    char *text = NULL;
    see_particles(w, w->m->particles, w->m->data);
    if (WENT(gbs_particles_to_json, w->m->particles, &text, NULL))
        see_text(w, text);
    gbs_release(w->ctx, text);
}

static inline void ask_the_completion(struct worker *w) {
    char *text = NULL;
    see_completion(w, w->m->completion);
    if (WENT(gbs_completion_to_json, w->m->completion, &text, NULL))
        see_text(w, text);
    gbs_release(w->ctx, text);
}

static inline void fit_the_same_rows(struct worker *w) {
    gbs_fit_settings o = zero_prior_options();
    gbs_sample_settings s = gbs_sample_settings_default();
    gbs_particles *p = NULL;
    s.particles = 100;
    fit_and_see(w, w->m->data, &o);
    if (WENT(gbs_sample_run_for, w->m->data, w->m->model, 0, &s, &p))
        see_particles(w, p, w->m->data);
    gbs_particles_free(p);
}

/* Table and recipe have one more who keeps them as long as the data lives. */
static inline void apply_the_recipe(struct worker *w) {
    const gbs_recipe *recipe = gbs_data_recipe(w->m->trained);
    for (size_t k = 0; k < 50; k++) {
        gbs_data *data = NULL;
        gbs_model *model = NULL;
        if (WENT(gbs_table_apply, w->m->raw, recipe, GBS_WITH_LABELS, NULL, &data))
            see(w, gbs_data_labels(data), gbs_data_rows(data));
        if (k == 0 && data != NULL && WENT(gbs_fit, data, NULL, &model))
            see_model(w, model, data);
        gbs_data_free(data);
        gbs_model_free(model);
    }
}

/* A page of a report of one's own, and one of the report of another. */
static inline void write_pages(struct worker *w) {
    gbs_report *report = NULL;
    char *own = NULL, *theirs = NULL;
    if (WENT(gbs_report_create, &report) &&
        WENT(gbs_report_add_model, report, "model", w->m->model) &&
        WENT(gbs_report_html, report, "--", &own, NULL, NULL) &&
        WENT(gbs_report_html, w->m->report, NULL, &theirs, NULL, NULL)) {
        see_text(w, own);
        see_text(w, theirs);
    }
    gbs_release(w->ctx, own);
    gbs_release(w->ctx, theirs);
    gbs_report_free(report);
}

static job *const shared_jobs[] = {
    ask_the_model,     ask_the_particles, ask_the_completion,
    fit_the_same_rows, apply_the_recipe,  write_pages,
};

#endif
