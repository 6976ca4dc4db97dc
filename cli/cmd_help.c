/* gibbsite help and gibbsite version: both out of the tables that the program itself runs on. */
#include "app.h"
#include "build_info.h"
#include "out/json.h"
#include "result.h"

#include <string.h>

static const char *const tagline = "variational approximations of Gibbs posteriors";

static const char *const exit_codes =
    "0 done; 1 out of memory; 2 usage; 3 bad data, nothing written; 4 the solver did not converge (the "
    "result is written and says so); 5 file system; 130 interrupted.";

static void print_overview(FILE *out) {
    fprintf(out, "gibbsite %s: %s\n\nusage: gibbsite COMMAND [INPUT] [OPTIONS]\n\n", gbs_version(), tagline);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\nA first try:\n  gibbsite simulate classify -o train.csv\n  gibbsite fit train.csv -o model.json\n"
                 "  gibbsite predict model.json train.csv | head\n\n'gibbsite help COMMAND' has options and examples.\n");
}

static void print_lines(FILE *out, const char *text, const char *before) {
    for (const char *line = text; *line != '\0';) {
        size_t size = strcspn(line, "\n");
        fprintf(out, "%s%.*s\n", before, (int)size, line);
        line += size + (line[size] == '\n');
    }
}

static void print_command(FILE *out, const struct command *c) {
    fprintf(out, "gibbsite %s: %s\n\nusage: gibbsite %s\n\n", c->name, c->summary, c->usage);
    print_lines(out, c->detail, "");
    fprintf(out, "\nOptions:\n");
    options_print(out, c->bit);
    fprintf(out, "\nExamples:\n");
    print_lines(out, c->examples, "  ");
    fprintf(out, "\nExit codes: %s\n", exit_codes);
}

/* ---------------------------------------------------------------- manual page */

static void print_man(FILE *out) {
    fprintf(out, ".TH GIBBSITE 1 \"\" \"gibbsite %s\" \"User Commands\"\n.SH NAME\ngibbsite \\- %s\n", gbs_version(), tagline);
    fprintf(out, ".SH SYNOPSIS\n.B gibbsite\n\\fICOMMAND\\fR [\\fIINPUT\\fR] [\\fIOPTIONS\\fR]\n");
    fprintf(out, ".SH COMMANDS\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        const struct command *c = commands[i];
        fprintf(out, ".SS gibbsite ");
        print_roff(out, c->usage);
        fprintf(out, "\n");
        print_roff(out, c->detail);
        fprintf(out, "\n");
        options_print_man(out, c->bit);
        fprintf(out, ".PP\nExamples:\n.PP\n.nf\n");
        print_roff(out, c->examples);
        fprintf(out, "\n.fi\n");
    }
    fprintf(out, ".SH COMMON OPTIONS\n");
    options_print_man(out, FOR_ALL);
    fprintf(out, ".SH EXIT STATUS\n");
    print_roff(out, exit_codes);
    fprintf(out, "\n.SH ENVIRONMENT\n.TP\n\\fBGIBBSITE_THREADS\\fR\nthreads to use when \\-\\-threads is not given\n");
}

static const struct command *find(const char *name) {
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void command_json(struct json *j, const struct command *c) {
    json_put_string(j, "name", c->name);
    json_put_string(j, "usage", c->usage);
    json_put_string(j, "summary", c->summary);
}

/* The commands, or one of them with its options. */
static int help_json(const struct app *app, const struct command *topic) {
    struct text text = {0};
    struct json j = json_writer(&text);
    json_open_object(&j, NULL);
    result_head(&j, app);
    json_open_array(&j, "commands");
    for (size_t i = 0; commands[i] != NULL; i++)
        if (topic == NULL || topic == commands[i]) {
            json_open_object(&j, NULL);
            command_json(&j, commands[i]);
            json_close_object(&j);
        }
    json_close_array(&j);
    if (topic != NULL) {
        json_put_string(&j, "detail", topic->detail);
        json_put_string(&j, "examples", topic->examples);
        json_open_array(&j, "options");
        for (int id = 0; id < OPTION_COUNT; id++) {
            const struct option_spec *s = option_spec((enum option_id)id);
            if ((s->commands & topic->bit) == 0)
                continue;
            json_open_object(&j, NULL);
            json_put_string(&j, "name", s->name);
            json_put_string(&j, "argument", s->argument);
            json_put_string(&j, "help", s->help);
            json_close_object(&j);
        }
        json_close_array(&j);
    }
    json_close_object(&j);
    int code = app_write(app, NULL, &text);
    text_free(&text);
    return code;
}

static int run_help(struct app *app) {
    const struct options *o = &app->options;
    const struct command *topic = o->n_inputs > 0 ? find(o->inputs[0]) : NULL;
    if (o->n_inputs > 1)
        return app_fail(app, EXIT_USAGE, "help: expected one command, found %zu", o->n_inputs);
    if (o->n_inputs > 0 && topic == NULL)
        return app_fail(app, EXIT_USAGE, "help: there is no command '%.60s'", o->inputs[0]);
    if (given(o, OPT_JSON))
        return help_json(app, topic);
    if (given(o, OPT_MAN))
        print_man(stdout);
    else if (topic != NULL)
        print_command(stdout, topic);
    else
        print_overview(stdout);
    return EXIT_DONE;
}

static int run_version(struct app *app) {
    struct text text = {0};
    if (app->options.n_inputs > 0)
        return app_fail(app, EXIT_USAGE, "version: takes no argument, found '%.60s'", app->options.inputs[0]);
    if (given(&app->options, OPT_JSON)) {
        struct json j = json_writer(&text);
        json_open_object(&j, NULL);
        result_head(&j, app);
        json_put_string(&j, "compiler", GBS_BUILD_COMPILER);
        json_put_string(&j, "build", GBS_BUILD_TYPE);
        json_put_string(&j, "blas", GBS_BUILD_BLAS);
        json_close_object(&j);
    } else {
        text_add(&text, "gibbsite %s (%s, %s, %s)\n", gbs_version(), GBS_BUILD_COMPILER, GBS_BUILD_TYPE, GBS_BUILD_BLAS);
    }
    int code = app_write(app, NULL, &text);
    text_free(&text);
    return code;
}

const struct command command_help = {
    "help",   FOR_HELP, "help [COMMAND]", "help on a command", "Without COMMAND, the list of commands.", "gibbsite help fit",
    run_help,
};

const struct command command_version = {
    "version",   FOR_VERSION, "version", "version and build facts", "The same as gibbsite --version.", "gibbsite --version",
    run_version,
};
