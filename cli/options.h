/* The command line's options: those of the library's table, and the program's own lines behind
 * them, read from argv. Help, manual pages and the completions of shells say what these lines say.
 */
#ifndef GIBBSITE_CLI_OPTIONS_H
#define GIBBSITE_CLI_OPTIONS_H

#include "gibbsite.h"

#include <stdbool.h>
#include <stddef.h>

/* Commands that the library does not know. */
enum command_bit {
    FOR_INSPECT = GBS_FOR_CALLER,
    FOR_SIMULATE = GBS_FOR_CALLER << 1,
    FOR_REPORT = GBS_FOR_CALLER << 2,
    FOR_HELP = GBS_FOR_CALLER << 3,
    FOR_VERSION = GBS_FOR_CALLER << 4,
    FOR_ALL = (GBS_FOR_CALLER << 5) - 1
};

/* Of simulated rows, the share of cells that are not zero. */
#define SIMULATED_DENSITY 1

/* What a command line said. */
struct options {
    const char *cost_file; /* `cost` named a file of costs, not a pair; NULL: it did not */
    gbs_options *set;
    const char **inputs; /* what is no option, in order */
    size_t n_inputs;
};

/* Line k that people may use with one of the commands; NULL beyond the last. */
const gbs_option *option_at(unsigned commands, size_t k);
/* Those of a command, with their defaults. */
gbs_status options_create(gbs_context *ctx, unsigned command, gbs_options **out);
/* The letter that stands for an option; 0: none. */
char option_letter(const gbs_option *line);
/* Its value names a file; one that the program wrote. */
bool option_is_file(const gbs_option *line);
bool option_is_model(const gbs_option *line);
/* Its help, with names of options as they are typed and its default, in `text`. */
void option_help(const gbs_option *line, char *text, size_t size);

/* Backquoted names of options as they are typed: `prior-grid` becomes --prior-grid. */
void option_spell(const char *from, char *to, size_t size);

/* Reads argv[0 .. argc - 1] for the command with bit `command` (this and what follows:
 * arguments.c). inputs has room for argc. GBS_ERR_ARGUMENT: error says what is wrong; or
 * GBS_ERR_MEMORY. out->set is the caller's in any case. */
gbs_status options_parse(gbs_context *ctx, int argc, char **argv, unsigned command,
                         const char **inputs, struct options *out, char *error, size_t error_size);

/* Was it given? Its text, NULL when not; its number, of the default when not; the same as a count.
 */
bool given(const struct options *o, const char *name);
const char *option_text(const struct options *o, const char *name);
double option_number(const struct options *o, const char *name);
size_t option_count(const struct options *o, const char *name);
/* The choice, given or default, is this word. */
bool option_is(const struct options *o, const char *name, const char *choice);
/* File k that the command reads: its inputs, then those that options name. NULL beyond the last.
 * `option` (may be NULL) becomes the option's name, NULL for an input. */
const char *option_read(const struct options *o, size_t k, const char **option);
/* The task, given or default. */
const gbs_task *option_task(const struct options *o);

#endif
