/* gibbsite theory: what the oracle inequalities promise before any data is seen, and the constants
 * they recommend. */
#include "out/json.h"
#include "out/result.h"

#include <math.h>
#include <string.h>

static void write_json(struct json *j, const struct app *app, const gbs_theory *theory) {
    static const char *const numbers[] = {"c", "C", "confidence", "cx", "norm"};
    const struct options *o = &app->options;
    const gbs_theory_row *row;
    json_open_object(j, NULL);
    result_head(j, app);
    result_options(j, app);
    json_put_count(j, "n", option_count(o, "n"));
    json_put_count(j, "d", option_count(o, "d"));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        json_put_number(j, numbers[k], option_number(o, numbers[k]));
    json_open_array(j, "rows");
    for (size_t k = 0; (row = gbs_theory_row_at(theory, k)) != NULL; k++) {
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
    char number[LINE_NUMBER] = "";
    for (int digits = 6; !isnan(x) && digits > 1; digits--) /* as many as the column holds */
        if (strlen(line_number(x, digits, number)) <= 11)
            break;
    text_add(t, " %11s", number);
}

/* Where a value comes from, below itself where the line ends. */
static void add_source(struct text *t, const char *source) {
    enum { FROM = 65, END = 100 };
    size_t at = FROM;
    while (*source != '\0') {
        size_t word = strcspn(source, " "), space = at > FROM;
        if (space > 0 && at + space + word > END) {
            text_add(t, "\n%*s", FROM, "");
            at = FROM;
            space = 0;
        }
        text_add(t, "%s%.*s", space > 0 ? " " : "", (int)word, source);
        at += space + word;
        source += word + strspn(source + word, " ");
    }
    text_add(t, "\n");
}

static void write_text(struct text *t, const struct options *o, const gbs_theory *theory) {
    const char *group = "";
    const gbs_theory_row *row;
    text_add(t, "n = %s, d = %s, c = %g, C = %g, confidence %g\n",
             counted(option_count(o, "n"), "row").text,
             counted(option_count(o, "d"), "coefficient").text, option_number(o, "c"),
             option_number(o, "C"), option_number(o, "confidence"));
    for (size_t k = 0; (row = gbs_theory_row_at(theory, k)) != NULL; k++) {
        if (strcmp(group, row->group) != 0)
            text_add(t, "\n%-22s %11s %11s  %-17s%s\n", row->group, "value", "paper", "verdict",
                     "from");
        group = row->group;
        text_add(t, "  %-20s", row->name);
        add_cell(t, row->value);
        add_cell(t, row->paper_value);
        text_add(t, "  %-17s",
                 row->verdict == GBS_VERDICT_NONE ? "" : gbs_verdict_name(row->verdict));
        add_source(t, row->source);
    }
    text_add(t, "\n");
    line_plain(t, LINE_LONG,
               "excess_risk: with the confidence above, the risk of the Gibbs posterior and of its "
               "Gaussian approximation exceeds that of the best classifier by at most this much. "
               "Verdict on the paper's number: valid, loose (above the value by more than a "
               "tenth), or not valid (below it, so that the theorem does not give it; of a prior "
               "variance: not the best one). A rate is known up to a constant, and so is what the "
               "paper prints of it: neither is a bound.");
}

static int run(struct app *app) {
    const struct options *o = &app->options;
    gbs_theory *theory;
    if (o->n_inputs != 0)
        return app_fail(app, EXIT_USAGE, "theory: expected no file, found '%.60s'; gibbsite %s",
                        o->inputs[0], app->command->usage);
    int code = app_check_options(app);
    if (code != EXIT_DONE)
        return code;
    gbs_status status = gbs_theory_compute(app->ctx, o->set, &theory);
    if (status != GBS_OK)
        return app_fail_status(app, status, "theory");
    struct text text = {0};
    if (given(o, "json")) {
        struct json j = json_writer(&text);
        write_json(&j, app, theory);
    } else {
        write_text(&text, o, theory);
    }
    code = app_write(app, NULL, &text);
    text_free(&text);
    gbs_theory_free(theory);
    return code;
}

const struct command command_theory = {
    "theory",
    GBS_FOR_THEORY,
    "theory --n N --d D [OPTIONS]",
    "oracle inequalities and recommended constants for n rows and d coefficients",
    "No data is read. Each value comes from a theorem of the paper, made as small as its variance "
    "allows; the closed form that the paper prints stands beside it with a verdict: valid, loose, "
    "or not valid. --lambda and --prior-sd replace the recommended constants; the printed forms "
    "that fix these themselves are then left out.",
    "gibbsite theory --n 1000 --d 5\n"
    "gibbsite theory --n 32561 --d 108 --confidence 0.99 --json\n"
    "gibbsite theory --n 100000 --d 10 --rows 943 --cols 1682 --rank 10",
    run,
};
