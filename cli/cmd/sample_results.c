/* What `gibbsite sample` writes: JSON, words, a table of draws, the file of the particles. */
#include "cmd/sample.h"
#include "out/sources.h"
#include "outputs.h"

#include <stdint.h>
#include <stdlib.h>

/* More coefficients than this, and the covariance is left out of the JSON. */
enum { COVARIANCE_COLUMNS = 200 };

/* Mean, then covariance. */
static int put_moments(struct json *j, const struct app *app, const struct drawn *drawn) {
    size_t d = drawn->info->d;
    bool full = d <= COVARIANCE_COLUMNS;
    double *mean = calloc(d + (full ? d * d : 0) + 1, sizeof *mean); /* never of no size */
    if (mean == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    double *covariance = mean + d;
    gbs_particles_moments(drawn->particles, mean, full ? covariance : NULL);
    json_open_array(j, "mean");
    for (size_t k = 0; k < d; k++)
        json_put_number(j, NULL, mean[k]);
    json_close_array(j);
    if (!full) {
        json_put_string(j, "covariance", NULL);
        free(mean);
        return EXIT_DONE;
    }
    json_open_array(j, "covariance");
    for (size_t k = 0; k < d; k++) {
        json_open_array(j, NULL);
        for (size_t l = 0; l < d; l++)
            json_put_number(j, NULL, covariance[k * d + l]);
        json_close_array(j);
    }
    json_close_array(j);
    free(mean);
    return EXIT_DONE;
}

/* What there is to tell of one posterior. */
static int put_drawn(struct json *j, const struct app *app, const struct drawn *d) {
    int code = sampling_json(j, app, d->particles);
    if (d->gap != NULL) {
        json_put_number(j, "free_energy", d->gap->free_energy);
        json_put_number(j, "gap", d->gap->gap);
        json_put_number(j, "gap_sd", d->gap->gap_sd);
        json_put_number(j, "gap_over_lambda", d->gap->gap_over_lambda);
        json_put_count(j, "stages", gbs_model_stages(d->model));
    }
    return code == EXIT_DONE ? put_moments(j, app, d) : code;
}

static int put_problems(struct json *j, const struct sample *s) {
    int code = EXIT_DONE;
    problems_json(j, s->recipe, s->against);
    json_open_array(j, "problems");
    for (size_t k = 0; code == EXIT_DONE && k < s->count; k++) {
        json_open_object(j, NULL);
        problem_json(j, s->recipe, s->item[k].problem);
        code = put_drawn(j, s->app, &s->item[k]);
        json_close_object(j);
    }
    json_close_array(j);
    return code;
}

struct seconds {
    double all, move, approximate;
};

static struct seconds seconds_of(const struct sample *s) {
    struct seconds sum = {0};
    for (size_t k = 0; k < s->count; k++) {
        sum.all += s->item[k].info->seconds;
        sum.move += s->item[k].info->seconds_move;
        sum.approximate += s->item[k].info->seconds_approximate;
    }
    return sum;
}

static int result_json(const struct sample *s, struct text *out) {
    struct json j = json_writer(out);
    json_open_object(&j, NULL);
    result_head(&j, s->app);
    result_options(&j, s->app);
    int code = result_is_many(s->recipe) ? put_problems(&j, s) : put_drawn(&j, s->app, &s->item[0]);
    struct seconds spent = seconds_of(s);
    json_open_object(&j, "seconds");
    json_put_number(&j, "read", s->seconds_read);
    json_put_number(&j, "approximate", spent.approximate);
    json_put_number(&j, "move", spent.move);
    json_put_number(&j, "sample", spent.all);
    json_put_number(&j, "total", app_seconds(s->app));
    json_close_object(&j);
    json_close_object(&j);
    return code;
}

static void gap_line(const struct sample *s, const struct drawn *d, enum line_kind kind,
                     struct text *out) {
    char name[LINE_NAME];
    if (d->gap == NULL)
        return;
    const char *model = line_name(option_text(&s->app->options, "against"), 20, name),
               *stage = gbs_model_stages(d->model) > 1 ? "last stage of " : "",
               *at_least = d->gap->gap_sd_at_least ? " at least" : "";
    if (kind == LINE_SHORT)
        line_add(out, kind, "gap", "%.4f +- %.4f%s: KL(%s%s || Gibbs posterior)", d->gap->gap,
                 d->gap->gap_sd, at_least, stage, model);
    else
        line_add(out, kind, "gap",
                 "%.4f +- %.4f%s: KL(%s%s || Gibbs posterior), family %s; over lambda %.6f",
                 d->gap->gap, d->gap->gap_sd, at_least, stage, model,
                 gbs_family_name(gbs_model_get_info(d->model)->family), d->gap->gap_over_lambda);
}

/* Three classes or more: a line for each problem, or with --verbose all of it. */
static void problems_table(const struct sample *s, struct text *out) {
    bool gaps = s->against != NULL;
    text_add(out, "%-14s %-14s %9s %12s %9s %9s %7s\n", "class", "against", "lambda", "log Z", "+-",
             "risk", gaps ? "gap" : "+-");
    for (size_t k = 0; k < s->count; k++) {
        const struct drawn *d = &s->item[k];
        const gbs_sample_info *i = d->info;
        char one[LINE_NAME], other[LINE_NAME], lambda[LINE_NUMBER], error[LINE_NUMBER];
        text_add(out, "%-14s %-14s %9s %12.4f %9s %9.5f %7.4f\n",
                 problem_class(s->recipe, d->problem.one, 14, one),
                 problem_class(s->recipe, d->problem.other, 14, other),
                 line_number(i->lambda, 6, lambda), i->log_z,
                 sampling_error(i->log_z_sd, i->log_z_sd_at_least, error), i->gibbs_risk,
                 gaps ? d->gap->gap : i->gibbs_risk_sd);
    }
    const gbs_task *task = gbs_particles_task(s->item[0].particles);
    line_plain(out, LINE_SHORT, "risk: mean %s loss of the particles%s%s",
               gbs_loss_name(s->item[0].info->loss),
               gbs_task_has(task, GBS_FACT_PAIRS) ? " over all pairs" : "",
               gaps ? "; gap: KL(model || Gibbs posterior), whose standard error is that of log Z"
                    : "");
}

static void problems_text(const struct sample *s, enum line_kind kind, struct text *out) {
    char file[LINE_NAME], one[LINE_NAME], other[LINE_NAME];
    struct text labels = {0};
    result_labels_text(&labels, s->recipe, 12);
    out->failed |= labels.failed;
    line_add(out, kind, "data", "%s of %s; label %s",
             counted(gbs_data_rows(s->train.data), "row").text, line_name(s->train.file, 20, file),
             labels.bytes != NULL ? labels.bytes : "");
    text_free(&labels);
    if (kind == LINE_SHORT) {
        problems_table(s, out);
        return;
    }
    for (size_t k = 0; k < s->count; k++) {
        const struct drawn *d = &s->item[k];
        text_add(out, "%s against %s\n", problem_class(s->recipe, d->problem.one, 40, one),
                 problem_class(s->recipe, d->problem.other, 40, other));
        sampling_text(out, d->particles);
        gap_line(s, d, kind, out);
    }
}

static void posterior_text(const struct sample *s, enum line_kind kind, struct text *out) {
    const struct drawn *d = &s->item[0];
    char file[LINE_NAME], label[LINE_NAME], other[LINE_NAME];
    result_class_short(s->recipe, 1, 12, label);
    result_class_short(s->recipe, -1, 12, other);
    if (kind == LINE_LONG) {
        sampling_text(out, d->particles);
        line_add(out, kind, "label", "%s = +1, %s = -1", label, other);
    } else {
        line_add(out, kind, "data", "%s of %s; label %s (positive) or %s",
                 counted(d->info->n_data, "row").text, line_name(s->train.file, 20, file), label,
                 other);
        sampling_results(out, kind, d->particles);
    }
    gap_line(s, d, kind, out);
}

static void result_text(const struct sample *s, struct text *out) {
    const struct options *o = &s->app->options;
    enum line_kind kind = given(o, "verbose") ? LINE_LONG : LINE_SHORT;
    struct seconds spent = seconds_of(s);
    size_t particles = s->item[0].info->particles;
    char file[LINE_NAME];
    if (kind == LINE_LONG)
        text_add(out, "%s\n", s->train.file);
    if (result_is_many(s->recipe))
        problems_text(s, kind, out);
    else
        posterior_text(s, kind, out);
    if (kind == LINE_LONG)
        sources_sampling(out, s->item[0].particles);
    if (kind == LINE_LONG)
        line_add(out, kind, "time",
                 "%.2f s: %.2f s moves, %.2f s for the approximations behind them", spent.all,
                 spent.move, spent.approximate);
    if (given(o, "output"))
        line_add(out, kind, "particles", "%zu, written to %s", particles,
                 line_name(option_text(o, "output"), 40, file));
    else if (kind == LINE_SHORT && !result_is_many(s->recipe))
        line_add(out, kind, "particles", "%zu, not written: no -o FILE", particles);
}

/* A line for each particle; of three classes or more the problem stands before it. */
static void draws_of(const struct sample *s, const struct drawn *drawn, struct text *out) {
    const double *theta = gbs_particles_draws(drawn->particles);
    size_t d = drawn->info->d;
    for (size_t i = 0; i < drawn->info->particles; i++) {
        if (result_is_many(s->recipe)) {
            text_add_cell(out, gbs_recipe_class(s->recipe, drawn->problem.one));
            text_add_bytes(out, ",", 1);
            if (drawn->problem.other != SIZE_MAX)
                text_add_cell(out, gbs_recipe_class(s->recipe, drawn->problem.other));
            text_add_bytes(out, ",", 1);
        }
        for (size_t k = 0; k < d; k++) {
            text_add_number(out, theta[i * d + k]);
            text_add_bytes(out, k + 1 < d ? "," : "\n", 1);
        }
    }
}

static void draws_csv(const struct sample *s, struct text *out) {
    const struct drawn *first = &s->item[0];
    size_t d = first->info->d;
    if (result_is_many(s->recipe))
        text_add(out, "class,against,");
    for (size_t k = 0; k < d; k++) {
        char name[256];
        gbs_recipe_feature(s->recipe, gbs_particles_column(first->particles, k), name, sizeof name);
        text_add_cell(out, name);
        text_add_bytes(out, k + 1 < d ? "," : "\n", 1);
    }
    for (size_t k = 0; k < s->count; k++)
        draws_of(s, &s->item[k], out);
}

static int particles_json(const struct sample *s, struct text *out) {
    gbs_status status = gbs_particles_to_json(s->app->ctx, s->item[0].particles, &out->bytes,
                                              &out->size);
    return status == GBS_OK ? EXIT_DONE : app_fail_status(s->app, status, NULL);
}

/* Everything is composed before the first file is written. */
int sample_write(const struct sample *s) {
    const struct options *o = &s->app->options;
    struct text particles = {0}, draws = {0}, result = {0};
    struct app_output outputs[3] = {{.text = &result}};
    size_t n = 1;
    int code = EXIT_DONE;
    if (given(o, "draws"))
        draws_csv(s, &draws);
    if (given(o, "json"))
        code = result_json(s, &result);
    else if (outputs_print_result(o))
        result_text(s, &result);
    if (code == EXIT_DONE && given(o, "output"))
        code = particles_json(s, &particles);
    if (given(o, "output"))
        outputs[n++] = (struct app_output){option_text(o, "output"), &particles, NULL, NULL};
    if (given(o, "draws"))
        outputs[n++] = (struct app_output){option_text(o, "draws"), &draws, NULL, NULL};
    if (code == EXIT_DONE)
        code = app_write_all(s->app, outputs, n);
    gbs_release(s->app->ctx, particles.bytes);
    text_free(&draws);
    text_free(&result);
    return code;
}
