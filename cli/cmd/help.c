/* gibbsite help and gibbsite version: both out of the tables that the program itself runs on. */
#include "app.h"
#include "blas.h"
#include "build_info.h"
#include "out/json.h"
#include "out/manual.h"
#include "out/result.h"
#include "out/shells.h"
#include "ranks.h"

#include <string.h>

static void print_overview(FILE *out) {
    fprintf(out, "gibbsite %s: %s\n\nusage: gibbsite COMMAND [INPUT] [OPTIONS]\n\n", gbs_version(),
            manual_tagline);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\nA first try:\n  gibbsite simulate classify -o train.csv\n  gibbsite fit "
                 "train.csv -o model.json\n"
                 "  gibbsite predict model.json train.csv | head\n\n'gibbsite help COMMAND' has "
                 "options and examples.\n");
}

static void print_wrapped(FILE *out, const char *text, size_t size, int indent, int width);

/* A line that ends in a full stop ends a paragraph. */
static size_t paragraph(const char *text) {
    size_t size = strcspn(text, "\n");
    while (text[size] != '\0' && size > 0 && text[size - 1] != '.')
        size += 1 + strcspn(text + size + 1, "\n");
    return size;
}

/* Paragraphs, each wrapped; brief: the first alone. */
static void print_detail(FILE *out, const char *text, bool brief) {
    do {
        size_t size = paragraph(text);
        print_wrapped(out, text, size, 0, 100);
        text += size + (text[size] == '\n');
    } while (!brief && *text != '\0');
}

static void print_lines(FILE *out, const char *text, const char *before) {
    for (const char *line = text; *line != '\0';) {
        size_t size = strcspn(line, "\n");
        fprintf(out, "%s%.*s\n", before, (int)size, line);
        line += size + (line[size] == '\n');
    }
}

static void print_wrapped(FILE *out, const char *text, size_t size, int indent, int width) {
    int column = indent;
    const char *end = text + size;
    while (text < end) {
        int word = (int)strcspn(text, " \n");
        if (column + word > width && column > indent) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(out, "%.*s", word, text);
        column += word;
        text += word;
        if (text < end) {
            text++;
            if (column + 1 + (int)strcspn(text, " \n") <= width)
                fputc(' ', out); /* no blank at the end of a line */
            column++;
        }
    }
    fputc('\n', out);
}

/* words NULL: those of the table. */
static void print_option(FILE *out, const gbs_option *s, const char *words) {
    char head[64], help[2048];
    int size = option_letter(s) != 0
                   ? snprintf(head, sizeof head, "-%c, --%s", option_letter(s), s->name)
                   : snprintf(head, sizeof head, "--%s", s->name);
    if (s->argument != NULL)
        size += snprintf(head + size, sizeof head - (size_t)size, " %s", s->argument);
    fprintf(out, "  %-24s", head);
    if (size > 22)
        fprintf(out, "\n%26s", "");
    option_help(s, help, sizeof help);
    if (words != NULL)
        snprintf(help, sizeof help, "%s", words);
    print_wrapped(out, help, strlen(help), 26, 100);
}

/* The command has more options than a page of help should. */
static bool is_long(unsigned command) {
    const gbs_option *s;
    for (size_t k = 0; (s = option_at(command, k)) != NULL; k++)
        if ((s->everyday & command) != 0)
            return true;
    return false;
}

/* Of every command, and seldom asked for. */
static bool is_rare(const gbs_option *s) {
    return strcmp(s->name, "device") == 0 || strcmp(s->name, "threads") == 0 ||
           strcmp(s->name, "help") == 0;
}

/* The options of a command in groups, one paragraph each. Where there are many the everyday ones,
 * and never those of the solvers, unless all are asked for. */
static void print_options(FILE *out, const struct command *c, bool all) {
    static const char *const groups[] = {"data", "model", "certificate", "output", "solver"};
    static const char *const titles[] = {"Data", "Model", "Certificate", "Output", "Solver"};
    bool rare = false, brief = is_long(c->bit);
    const gbs_option *s;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        bool titled = false;
        for (size_t k = 0; (s = option_at(c->bit, k)) != NULL; k++) {
            if (strcmp(s->group, groups[g]) != 0)
                continue;
            bool everyday = (s->everyday & c->bit) != 0;
            if (!all && (is_rare(s) || (brief ? !everyday : strcmp(s->group, "solver") == 0))) {
                rare = true;
                continue;
            }
            if (!titled)
                fprintf(out, "\n%s:\n", titles[g]);
            titled = true;
            print_option(out, s, !all && everyday ? s->brief : NULL);
        }
    }
    if (rare)
        fprintf(out, "\n'gibbsite help %s --all' has every option, and more to say.\n", c->name);
}

static void print_command(FILE *out, const struct command *c, bool all) {
    fprintf(out, "gibbsite %s: %s\n\nusage: gibbsite %s\n\n", c->name, c->summary, c->usage);
    print_detail(out, c->detail, is_long(c->bit) && !all);
    print_options(out, c, all);
    fprintf(out, "\nExamples:\n");
    print_lines(out, c->examples, "  ");
    fprintf(out, "\n");
    char codes[600];
    int size = snprintf(codes, sizeof codes, "Exit codes: %s", manual_exit_codes);
    print_wrapped(out, codes, (size_t)size, 0, 100);
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
        const gbs_option *s;
        for (size_t k = 0; (s = option_at(topic->bit, k)) != NULL; k++) {
            char help[2048];
            option_help(s, help, sizeof help);
            json_open_object(&j, NULL);
            json_put_string(&j, "name", s->name);
            json_put_string(&j, "argument", s->argument);
            json_put_string(&j, "choices", s->choices);
            json_put_string(&j, "default", s->standard);
            json_put_string(&j, "group", s->group);
            json_put_string(&j, "help", help);
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
    if (given(o, "completion") && (topic != NULL || given(o, "man")))
        return app_fail(app, EXIT_USAGE, "help: --completion stands alone");
    if (given(o, "json"))
        return help_json(app, topic);
    if (given(o, "completion"))
        shell_completion(stdout, (enum shell)gbs_options_choice(o->set, "completion"));
    else if (given(o, "man"))
        manual_print(stdout, topic);
    else if (topic != NULL)
        print_command(stdout, topic, given(o, "all"));
    else
        print_overview(stdout);
    return EXIT_DONE;
}

static int run_version(struct app *app) {
    struct text text = {0};
    char words[256];
    if (app->options.n_inputs > 0)
        return app_fail(app, EXIT_USAGE, "version: takes no argument, found '%.60s'",
                        app->options.inputs[0]);
    if (given(&app->options, "json")) {
        struct json j = json_writer(&text);
        json_open_object(&j, NULL);
        result_head(&j, app);
        json_put_string(&j, "compiler", GBS_BUILD_COMPILER);
        json_put_string(&j, "build", GBS_BUILD_TYPE);
        json_put_string(&j, "blas", GBS_BUILD_BLAS);
        json_put_string(&j, "kernels", blas_kernels());
        json_open_object(&j, "devices");
        for (size_t k = 0; gbs_device_name(k) != NULL; k++) {
            gbs_device_describe(app->ctx, gbs_device_name(k), words, sizeof words);
            json_put_string(&j, gbs_device_name(k), words);
        }
        json_close_object(&j);
        ranks_describe(words, sizeof words);
        json_put_string(&j, "mpi", words);
        json_close_object(&j);
    } else {
        const char *kernels = blas_kernels();
        text_add(&text, "gibbsite %s (%s, %s, %s%s%s)\n", gbs_version(), GBS_BUILD_COMPILER,
                 GBS_BUILD_TYPE, GBS_BUILD_BLAS, kernels[0] != '\0' ? " for " : "", kernels);
        for (size_t k = 0; gbs_device_name(k) != NULL; k++) {
            gbs_status status = gbs_device_describe(app->ctx, gbs_device_name(k), words,
                                                    sizeof words);
            text_add(&text, "device %s: %s%s\n", gbs_device_name(k),
                     status == GBS_OK ? "" : "cannot be used: ", words);
        }
        bool there = ranks_describe(words, sizeof words);
        text_add(&text, "mpi: %s%s\n", there ? "" : "cannot be used: ", words);
    }
    int code = app_write(app, NULL, &text);
    text_free(&text);
    return code;
}

const struct command command_help = {
    "help",
    FOR_HELP,
    "help [COMMAND] [OPTIONS]",
    "help on a command; manual pages and completion for shells",
    "Without COMMAND, the list of commands. --man and --completion print what `make install` puts "
    "into the manual and into the folders of the shells.",
    "gibbsite help fit\n"
    "gibbsite help --man fit | man -l -\n"
    "source <(gibbsite help --completion bash)",
    run_help,
};

const struct command command_version = {
    "version",
    FOR_VERSION,
    "version",
    "version and build facts",
    "The same as gibbsite --version.",
    "gibbsite --version",
    run_version,
};
