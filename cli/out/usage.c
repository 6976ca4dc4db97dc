#include "out/usage.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static enum input_kind kind_of(const char *name) {
    if (strcmp(name, "COMMAND") == 0)
        return INPUT_COMMAND;
    if (strcmp(name, "MODEL") == 0 || strstr(name, ".json") != NULL)
        return INPUT_JSON;
    return islower((unsigned char)name[0]) ? INPUT_CHOICE : INPUT_FILE;
}

bool usage_input(const char *usage, size_t k, struct input *out) {
    const char *word = usage + strcspn(usage, " "); /* the command's own name */
    for (size_t i = 0;; i++) {
        word += strspn(word, " ");
        size_t length = strcspn(word, " "), skip = word[0] == '[';
        /* options come last, with a dash or as [OPTIONS] */
        if (length == 0 || word[skip] == '-' || strncmp(word, "[OPTIONS]", length) == 0)
            return false;
        if (i == k) {
            snprintf(out->name, sizeof out->name, "%.*s", (int)(length - 2 * skip), word + skip);
            char *dots = strstr(out->name, "...");
            out->repeats = dots != NULL;
            if (dots != NULL)
                *dots = '\0';
            out->kind = kind_of(out->name);
            return true;
        }
        word += length;
    }
}
