/* What a command takes that is no option, read off its usage line: "gap TRAIN MODEL... [OPTIONS]".
 */
#ifndef GIBBSITE_CLI_OUT_USAGE_H
#define GIBBSITE_CLI_OUT_USAGE_H

#include <stdbool.h>
#include <stddef.h>

enum input_kind {
    INPUT_FILE,   /* TRAIN, DATA, RATINGS: any file */
    INPUT_JSON,   /* MODEL, RUN.json: a file that the program wrote */
    INPUT_CHOICE, /* classify|rank|ratings: one of the words */
    INPUT_COMMAND /* COMMAND: the name of a command */
};

struct input {
    enum input_kind kind;
    char name[64]; /* the word of the usage line, without brackets and dots */
    bool repeats;  /* and more of them */
};

/* Input k from 0; false when there is none. */
bool usage_input(const char *usage, size_t k, struct input *out);

#endif
