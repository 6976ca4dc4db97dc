/* gibbsite theory: what the oracle inequalities promise before any data is seen, and the constants
 * they recommend. */
#include "out/json.h"
#include "out/result.h"

#include <math.h>
#include <string.h>

static void number_into(const struct options *o, enum option_id id, double *x) {
    if (given(o, id))
        *x = o->number[id];
}

static gbs_theory_query read_query(const struct options *o) {
    gbs_theory_query q = gbs_theory_query_default();
    if (given(o, OPT_N))
        q.n = o->count[OPT_N];
    if (given(o, OPT_D))
        q.d = (size_t)o->count[OPT_D];
    number_into(o, OPT_C, &q.c);
    number_into(o, OPT_MARGIN, &q.margin);
    number_into(o, OPT_CONFIDENCE, &q.confidence);
    number_into(o, OPT_LAMBDA, &q.lambda);
    number_into(o, OPT_PRIOR_SD, &q.prior_sd);
    number_into(o, OPT_CX, &q.cx);
    number_into(o, OPT_NORM, &q.norm);
    number_into(o, OPT_WANTED_ERROR, &q.wanted_error);
    q.rows = (size_t)o->count[OPT_ROWS]; /* 0 when not given */
    q.cols = (size_t)o->count[OPT_COLS];
    q.rank = (size_t)o->count[OPT_RANK];
    return q;
}

static void write_json(struct json *j, const struct app *app, const gbs_theory_query *q,
                       const gbs_theory *theory) {
    json_open_object(j, NULL);
    result_head(j, app);
    result_options(j, app);
    json_put_count(j, "n", (size_t)q->n);
    json_put_count(j, "d", q->d);
    json_put_number(j, "c", q->c);
    json_put_number(j, "C", q->margin);
    json_put_number(j, "confidence", q->confidence);
    json_put_number(j, "cx", q->cx);
    json_put_number(j, "norm", q->norm);
    json_open_array(j, "rows");
    for (size_t k = 0; k < theory->count; k++) {
        const gbs_theory_row *row = &theory->rows[k];
        json_open_object(j, NULL);
        json_put_string(j, "group", row->group);
        json_put_string(j, "name", row->name);
        json_put_number(j, "value", row->value);
        json_put_number(j, "paper", row->paper_value);
        json_put_string(j, "verdict",
                        row->verdict == GBS_VERDICT_NONE ? NULL : gbs_verdict_name(row->verdict));
        json_put_string(j, "source", row->source);
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}

static void add_cell(struct text *t, double x) {
    if (isnan(x))
        text_add(t, " %12s", "");
    else
        text_add(t, " %12.6g", x);
}

static void write_text(struct text *t, const gbs_theory_query *q, const gbs_theory *theory) {
    const char *group = "";
    text_add(t, "n = %llu rows, d = %zu coefficients, c = %g, C = %g, confidence %g\n",
             (unsigned long long)q->n, q->d, q->c, q->margin, q->confidence);
    for (size_t k = 0; k < theory->count; k++) {
        const gbs_theory_row *row = &theory->rows[k];
        if (strcmp(group, row->group) != 0)
            text_add(t, "\n%-22s %12s %12s  %-10s %s\n", row->group, "value", "paper", "verdict",
                     "from");
        group = row->group;
        text_add(t, "  %-20s", row->name);
        add_cell(t, row->value);
        add_cell(t, row->paper_value);
        text_add(t, "  %-10s %s\n",
                 row->verdict == GBS_VERDICT_NONE ? "" : gbs_verdict_name(row->verdict),
                 row->source);
    }
    text_add(t, "\nexcess_risk: with the confidence above, the risk of the Gibbs posterior and of "
                "its Gaussian approximation exceeds "
                "that of the best\nclassifier by at most this much. Verdict on the paper's number: "
                "valid, loose (above the value by "
                "more than a tenth), or not valid\n(below it, so that the theorem does not give "
                "it; of a prior variance: not the best "
                "one).\n");
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    gbs_theory theory;
    if (o->n_inputs != 0)
        return app_fail(app, EXIT_USAGE, "theory: expected no file, found '%.60s'; gibbsite %s",
                        o->inputs[0], app->command->usage);
    int sides = given(o, OPT_ROWS) + given(o, OPT_COLS) + given(o, OPT_RANK);
    if (sides != 0 && sides != 3)
        return app_fail(app, EXIT_USAGE, "theory: --rows, --cols and --rank come together");
    gbs_theory_query q = read_query(o);
    if (gbs_theory_compute(app->ctx, &q, &theory) != GBS_OK)
        return app_fail(app, EXIT_USAGE, "theory: --%s", gbs_error_message(app->ctx));
    struct text text = {0};
    if (given(o, OPT_JSON)) {
        struct json j = json_writer(&text);
        write_json(&j, app, &q, &theory);
    } else {
        write_text(&text, &q, &theory);
    }
    int code = app_write(app, NULL, &text);
    text_free(&text);
    return code;
}

const struct command command_theory = {
    "theory",
    FOR_THEORY,
    "theory --n N --d D [OPTIONS]",
    "oracle inequalities and recommended constants for n rows and d coefficients",
    "No data is read. Each value comes from a theorem of the paper, made as small as its variance "
    "allows; the closed form that "
    "the\n"
    "paper prints stands beside it with a verdict: valid, loose, or not valid. --lambda and "
    "--prior-sd replace the "
    "recommended\n"
    "constants; the printed forms that fix these themselves are then left out.",
    "gibbsite theory --n 1000 --d 5\n"
    "gibbsite theory --n 32561 --d 108 --confidence 0.99 --json\n"
    "gibbsite theory --n 100000 --d 10 --rows 943 --cols 1682 --rank 10",
    run,
};
