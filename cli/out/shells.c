/* Completion for shells.
 *
 * bash: two functions say what a command's options and inputs are, a third walks along the words
 * typed so far. It needs no bash-completion package. zsh and fish have a language for this: one
 * line an option.
 */
#include "out/shells.h"
#include "app.h"
#include "out/usage.h"

#include <string.h>

typedef void option_printer(FILE *out, const gbs_option *s, const struct command *c);

static void for_options(FILE *out, const struct command *c, option_printer *print) {
    const gbs_option *s;
    for (size_t k = 0; (s = option_at(c->bit, k)) != NULL; k++)
        print(out, s, c);
}

/* Words that an option takes; NULL: none. */
static const char *words_of(const gbs_option *s) {
    return s->choices != NULL ? s->choices : s->word;
}

/* a|b|c with another separator */
static void print_choices(FILE *out, const char *choices, char between) {
    bool number = false; /* name[:N]: what a choice may have behind it is not completed */
    for (; *choices != '\0'; choices++) {
        number = *choices == '[' || (number && *choices != ']' && *choices != '|');
        if (!number && *choices != ']')
            fputc(*choices == '|' ? between : *choices, out);
    }
}

static void print_commands(FILE *out, char between) {
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "%s%.1s", commands[i]->name, commands[i + 1] != NULL ? &between : "");
}

/* The beginning of a help text, up to where it goes into details, for a shell's single quotes and
 * with `escaped` behind backslashes. */
static void print_brief(FILE *out, const char *help, const char *escaped, const char *quote) {
    size_t length = strcspn(help, ";(:"), word = strcspn(help, " ");
    if (help[length] == ':' &&
        word == length + 1) /* "sgd: rows in a step": the one word says for whom */
        length += 1 + strcspn(help + length + 1, ";(:");
    const char *sentence = strstr(help, ". ");
    if (sentence != NULL && (size_t)(sentence - help) < length)
        length = (size_t)(sentence - help);
    while (length > 0 && help[length - 1] == ' ')
        length--;
    for (size_t k = 0; k < length; k++) {
        if (help[k] == '\'') {
            fputs(quote, out);
            continue;
        }
        if (strchr(escaped, help[k]) != NULL)
            fputc('\\', out);
        fputc(help[k], out);
    }
}

static bool names_file(const gbs_option *s) {
    return option_is_file(s);
}

/* ---------------------------------------------------------------- bash */

static void bash_name(FILE *out, const gbs_option *s, const struct command *c) {
    (void)c;
    if (option_letter(s) != 0)
        fprintf(out, "-%c ", option_letter(s));
    fprintf(out, "--%s ", s->name);
}

/* What follows an option; nothing for those that take no value. */
static void bash_value(FILE *out, const gbs_option *s, const struct command *c) {
    if (s->argument == NULL)
        return;
    fprintf(out, "    %s:--%s", c->name, s->name);
    if (option_letter(s) != 0)
        fprintf(out, " | %s:-%c", c->name, option_letter(s));
    if (names_file(s)) {
        fprintf(out, ") kind='%s' ;;\n", option_is_model(s) ? "json" : "file");
    } else if (words_of(s) != NULL) {
        fprintf(out, ") kind=%s words='", (s->several & c->bit) != 0 ? "list" : "words");
        print_choices(out, words_of(s), ' ');
        fputs("' ;;\n", out);
    } else {
        fputs(") kind=text ;;\n", out);
    }
}

static void bash_inputs(FILE *out, const struct command *c) {
    struct input input;
    for (size_t k = 0; usage_input(c->usage, k, &input); k++) {
        if (k > 0)
            fputc(' ', out);
        if (input.kind == INPUT_COMMAND)
            print_commands(out, '|');
        else
            fputs(input.kind == INPUT_CHOICE ? input.name
                  : input.kind == INPUT_JSON ? "json"
                                             : "file",
                  out);
        if (input.repeats)
            fputs(" ...", out);
    }
}

static const char *const bash_end =
    "# _gibbsite_offer KIND WORDS: what may stand in place of $cur.\n"
    "_gibbsite_offer() {\n"
    "    local before=${cur%\"${cur##*,}\"}\n"
    "    case $1 in\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$cur\") ;;\n"
    "    list) mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$2\" -- \"${cur##*,}\") ;;\n"
    "    json | file)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        [[ $1 == json ]] && mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- \"$cur\"; "
    "compgen -d -- \"$cur\")\n"
    "        ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "        ;;\n"
    "    esac\n"
    "}\n\n"
    "_gibbsite() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} kind words options inputs "
    "word i seen=0 only=''\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        _gibbsite_offer words \"$(_gibbsite_commands) --help --version\"\n"
    "        return\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ ! $only && $word == -- ]]; then\n"
    "            only=1\n"
    "        elif [[ ! $only && $word == -?* ]]; then\n"
    "            _gibbsite_value \"$command\" \"$word\"\n"
    "            [[ $kind ]] || continue\n"
    "            # its value is the next word; --loss=hinge comes as three\n"
    "            ((i += 1))\n"
    "            [[ ${COMP_WORDS[i]} == = ]] && ((i += 1))\n"
    "            ((i >= COMP_CWORD)) || continue\n"
    "            [[ $cur == = ]] && cur=''\n"
    "            _gibbsite_offer \"$kind\" \"$words\"\n"
    "            return\n"
    "        else\n"
    "            ((seen += 1))\n"
    "        fi\n"
    "    done\n"
    "    _gibbsite_command \"$command\"\n"
    "    if [[ ! $only && $cur == -* ]]; then\n"
    "        _gibbsite_offer words \"$options\"\n"
    "        return\n"
    "    fi\n"
    "    local input list\n"
    "    read -ra list <<<\"$inputs\"\n"
    "    input=${list[seen]:-}\n"
    "    # \"...\": more of what stands before it\n"
    "    [[ $inputs == *' ...' && (! $input || $input == ...) ]] && input=${list[-2]}\n"
    "    case $input in\n"
    "    json | file) _gibbsite_offer \"$input\" ;;\n"
    "    ?*) _gibbsite_offer words \"${input//|/ }\" ;;\n"
    "    esac\n"
    "}\n\n"
    "complete -F _gibbsite gibbsite\n";

static void bash_completion(FILE *out) {
    fputs("# bash completion for gibbsite, from its table of options: gibbsite help --completion "
          "bash\n"
          "# shellcheck shell=bash\n\n_gibbsite_commands() { echo '",
          out);
    print_commands(out, ' ');
    fputs("'; }\n\n# _gibbsite_value COMMAND OPTION: what follows the option, in kind and words; "
          "kind is empty when nothing "
          "does.\n"
          "_gibbsite_value() {\n    kind='' words=''\n    case $1:$2 in\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++)
        for_options(out, commands[i], bash_value);
    fputs("    esac\n}\n\n# _gibbsite_command COMMAND: its options and inputs.\n"
          "_gibbsite_command() {\n    options='' inputs=''\n    case $1 in\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "    %s)\n        options='", commands[i]->name);
        for_options(out, commands[i], bash_name);
        fputs("'\n        inputs='", out);
        bash_inputs(out, commands[i]);
        fputs("'\n        ;;\n", out);
    }
    fputs("    esac\n}\n\n", out);
    fputs(bash_end, out);
}

/* ---------------------------------------------------------------- zsh */

static void zsh_brief(FILE *out, const char *help) {
    print_brief(out, help, "[]\\", "'\\''");
}

static void zsh_option(FILE *out, const gbs_option *s, const struct command *c) {
    bool value = s->argument != NULL;
    if (option_letter(s) != 0)
        fprintf(out, " \\\n            '(-%c --%s)'{-%c%s,--%s%s}'[", option_letter(s), s->name,
                option_letter(s), value ? "+" : "", s->name, value ? "=" : "");
    else
        fprintf(out, " \\\n            '--%s%s[", s->name, value ? "=" : "");
    zsh_brief(out, s->help);
    fputc(']', out);
    if (value) {
        fputc(':', out);
        for (const char *letter = s->argument; *letter != '\0'; letter++)
            fprintf(out, *letter == ':' ? "\\:" : "%c", *letter);
        fputc(':', out);
        if (names_file(s)) {
            fputs(option_is_model(s) ? "_files -g \"*.json\"" : "_files", out);
        } else if (words_of(s) != NULL) {
            bool list = (s->several & c->bit) != 0;
            fputs(list ? "_sequence compadd - " : "(", out);
            print_choices(out, words_of(s), ' ');
            fputs(list ? "" : ")", out);
        } else {
            fputc(' ', out);
        }
    }
    fputc('\'', out);
}

static void zsh_inputs(FILE *out, const struct command *c) {
    struct input input;
    for (size_t k = 0; usage_input(c->usage, k, &input); k++) {
        fputs(" \\\n            '", out);
        if (input.repeats)
            fputc('*', out);
        else
            fprintf(out, "%zu", k + 1);
        fputc(':', out);
        fputs(input.kind == INPUT_CHOICE ? "kind" : input.name, out);
        fputc(':', out);
        if (input.kind == INPUT_CHOICE || input.kind == INPUT_COMMAND) {
            fputc('(', out);
            if (input.kind == INPUT_COMMAND)
                print_commands(out, ' ');
            else
                print_choices(out, input.name, ' ');
            fputc(')', out);
        } else {
            fputs(input.kind == INPUT_JSON ? "_files -g \"*.json\"" : "_files", out);
        }
        fputc('\'', out);
    }
}

static void zsh_completion(FILE *out) {
    fputs("#compdef gibbsite\n# zsh completion for gibbsite, from its table of options: gibbsite "
          "help --completion zsh\n\n"
          "_gibbsite() {\n    local curcontext=\"$curcontext\" command\n    local -a list\n    if "
          "(( CURRENT == 2 )); then\n"
          "        list=(\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "            '%s:", commands[i]->name);
        zsh_brief(out, commands[i]->summary);
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command list\n        return\n    fi\n    "
          "command=$words[2]\n    shift words\n"
          "    (( CURRENT-- ))\n    case $command in\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "    %s)\n        _arguments -s", commands[i]->name);
        for_options(out, commands[i], zsh_option);
        zsh_inputs(out, commands[i]);
        fputs("\n        ;;\n", out);
    }
    fputs("    esac\n}\n\n_gibbsite \"$@\"\n", out);
}

/* ---------------------------------------------------------------- fish */

static void fish_begin(FILE *out, const struct command *c) {
    fprintf(out, "complete -c gibbsite -n '__gibbsite_is %s'", c->name);
}

static void fish_option(FILE *out, const gbs_option *s, const struct command *c) {
    fish_begin(out, c);
    if (option_letter(s) != 0)
        fprintf(out, " -s %c", option_letter(s));
    fprintf(out, " -l %s", s->name);
    if (s->argument != NULL)
        fputs(names_file(s) ? " -r -F" : " -x", out);
    if (words_of(s) != NULL && s->argument != NULL) {
        fputs(" -a '", out);
        print_choices(out, words_of(s), ' ');
        fputc('\'', out);
    }
    fputs(" -d '", out);
    print_brief(out, s->help, "\\", "\\'");
    fputs("'\n", out);
}

static void fish_inputs(FILE *out, const struct command *c) {
    struct input input;
    for (size_t k = 0; usage_input(c->usage, k, &input); k++) {
        fish_begin(out, c);
        if (input.kind == INPUT_FILE || input.kind == INPUT_JSON) {
            fputs(" -F\n", out);
            return; /* one rule serves all files */
        }
        fputs(" -a '", out);
        if (input.kind == INPUT_COMMAND)
            print_commands(out, ' ');
        else
            print_choices(out, input.name, ' ');
        fputs("'\n", out);
    }
}

static void fish_completion(FILE *out) {
    fputs("# fish completion for gibbsite, from its table of options: gibbsite help --completion "
          "fish\n\n"
          "function __gibbsite_is\n    set -l typed (commandline -opc)\n    test (count $typed) "
          "-gt 1; and test $typed[2] = "
          "$argv[1]\n"
          "end\n\nfunction __gibbsite_first\n    test (count (commandline -opc)) -eq "
          "1\nend\n\ncomplete -c gibbsite -f\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "complete -c gibbsite -n __gibbsite_first -a %s -d '", commands[i]->name);
        print_brief(out, commands[i]->summary, "\\", "\\'");
        fputs("'\n", out);
    }
    for (size_t i = 0; commands[i] != NULL; i++) {
        for_options(out, commands[i], fish_option);
        fish_inputs(out, commands[i]);
    }
}

void shell_completion(FILE *out, enum shell shell) {
    switch (shell) {
    case SHELL_BASH:
        bash_completion(out);
        return;
    case SHELL_ZSH:
        zsh_completion(out);
        return;
    case SHELL_FISH:
        fish_completion(out);
        return;
    }
}
