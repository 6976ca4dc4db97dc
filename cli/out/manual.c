/* Manual pages in roff. What roff takes for its own is escaped: dashes, backslashes, quotes and
 * dots at the beginning of a line. */
#include "out/manual.h"

#include <ctype.h>
#include <string.h>

const char *const manual_tagline = "variational approximations of Gibbs posteriors";

const char *const manual_exit_codes =
    "0 done; 1 out of memory; 2 usage; 3 bad data, nothing written; 4 the solver did not converge "
    "(the result is written and says so); 5 file system, or a lost rank; after a signal 128 + its "
    "number: 129 hung up, "
    "130 interrupted, 143 terminated.";

static void print_roff(FILE *out, const char *text) {
    for (bool line_begins = true; *text != '\0'; line_begins = *text++ == '\n') {
        if (line_begins && (*text == '\'' || *text == '.'))
            fputs("\\&", out);
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '\'')
            fputs("\\(aq", out);
        else
            fputc(*text, out);
    }
}

static void print_bold(FILE *out, const char *before, const char *text) {
    fputs("\\fB", out);
    print_roff(out, before);
    print_roff(out, text);
    fputs("\\fR", out);
}

/* Options of one group of a command (NULL: of all groups) that not every command has, or (common)
 * those that every command has; `title`, where there is one, comes before the first. */
static void print_options(FILE *out, unsigned command, bool common, const char *group,
                          const char *title) {
    const gbs_option *s;
    for (size_t k = 0; (s = option_at(command, k)) != NULL; k++) {
        char help[2048];
        if ((s->commands == FOR_ALL) != common || (group != NULL && strcmp(s->group, group) != 0))
            continue;
        if (title != NULL)
            fprintf(out, ".SS %s\n", title);
        title = NULL;
        fputs(".TP\n", out);
        if (option_letter(s) != 0) {
            print_bold(out, "-", (char[]){option_letter(s), '\0'});
            fputs(", ", out);
        }
        print_bold(out, "--", s->name);
        if (s->argument != NULL)
            fprintf(out, " \\fI%s\\fR", s->argument);
        fputs("\n", out);
        option_help(s, help, sizeof help);
        print_roff(out, help);
        fputs(".\n", out);
    }
}

/* gibbsite, with the words of a usage line: capitals are for the reader to fill in. */
static void print_synopsis(FILE *out, const char *usage) {
    fputs(".SH SYNOPSIS\n\\fBgibbsite\\fR", out);
    for (const char *word = usage; *word != '\0';) {
        char copy[128];
        size_t length = strcspn(word, " "), capitals = 0;
        for (size_t k = 0; k < length; k++)
            capitals += isupper((unsigned char)word[k]) != 0;
        snprintf(copy, sizeof copy, "%.*s", (int)length, word);
        fprintf(out, " \\f%c", capitals > 0 && strchr(copy, '-') == NULL ? 'I' : 'B');
        print_roff(out, copy);
        fputs("\\fR", out);
        word += length + strspn(word + length, " ");
    }
    fputs("\n", out);
}

static void print_title(FILE *out, const char *command, const char *summary) {
    char name[64];
    int size = snprintf(name, sizeof name, "gibbsite%s%s", command != NULL ? "-" : "",
                        command != NULL ? command : "");
    fputs(".TH ", out);
    for (int k = 0; k < size; k++) {
        if (name[k] == '-')
            fputc('\\', out);
        fputc(toupper((unsigned char)name[k]), out);
    }
    fprintf(out, " 1 \"\" \"gibbsite %s\" \"User Commands\"\n.SH NAME\n", gbs_version());
    print_roff(out, name);
    fputs(" \\- ", out);
    print_roff(out, summary);
    fputs("\n", out);
}

static void print_examples(FILE *out, const char *examples) {
    fputs(".SH EXAMPLES\n.nf\n", out);
    print_roff(out, examples);
    fputs("\n.fi\n", out);
}

static void print_end(FILE *out) {
    fputs(".SH FILES\nA model is a JSON file with a version; a newer program reads older ones. A "
          "file "
          "appears whole or not at all.\n",
          out);
    fputs(".SH EXIT STATUS\n", out);
    print_roff(out, manual_exit_codes);
    fputs("\n.SH ENVIRONMENT\n.TP\n\\fBGIBBSITE_THREADS\\fR\nthreads to use when "
          "\\fB\\-\\-threads\\fR is not given.\n",
          out);
}

static void print_command(FILE *out, const struct command *c) {
    print_title(out, c->name, c->summary);
    print_synopsis(out, c->usage);
    fputs(".SH DESCRIPTION\n", out);
    print_roff(out, c->detail);
    fputs("\n.SH OPTIONS\n", out);
    static const char *const groups[][2] = {{"data", "Data"},
                                            {"model", "Model"},
                                            {"certificate", "Certificate"},
                                            {"output", "Output"},
                                            {"solver", "Solver"}};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        print_options(out, c->bit, false, groups[g][0], groups[g][1]);
    print_options(out, c->bit, true, NULL, "Options of every command");
    print_examples(out, c->examples);
    print_end(out);
    fputs(".SH SEE ALSO\n.BR gibbsite (1)\n", out);
}

static void print_overview(FILE *out) {
    print_title(out, NULL, manual_tagline);
    print_synopsis(out, "COMMAND [INPUT] [OPTIONS]");
    fputs(".SH DESCRIPTION\nFits Gaussian distributions over linear classifiers and rankers, and "
          "low\\-rank matrices, and "
          "certifies "
          "them: with each fit comes an upper bound on its true risk that holds with the stated "
          "confidence.\n"
          "Each command has a page of its own.\n.SH COMMANDS\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fputs(".TP\n\\fBgibbsite\\-", out);
        print_roff(out, commands[i]->name);
        fputs("\\fR(1)\n", out);
        print_roff(out, commands[i]->summary);
        fputs("\n", out);
    }
    fputs(".SH COMMON OPTIONS\nOptions of every command:\n", out);
    print_options(out, FOR_ALL, true, NULL, NULL);
    print_examples(out,
                   "gibbsite simulate classify -o train.csv\ngibbsite fit train.csv -o model.json\n"
                   "gibbsite predict model.json train.csv | head");
    print_end(out);
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, ".BR gibbsite\\-%s (1)%s\n", commands[i]->name,
                commands[i + 1] != NULL ? "," : "");
}

void manual_print(FILE *out, const struct command *topic) {
    if (topic != NULL)
        print_command(out, topic);
    else
        print_overview(out);
}
