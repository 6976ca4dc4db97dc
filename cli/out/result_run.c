/* What a run's JSON says beyond the result, for reports: what was asked. */
#include "out/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where results go and how many threads make them is no part of what they are. */
static bool is_of_the_result(const char *name) {
    static const char *const others[] = {"output", "path",    "man",  "json", "verbose",
                                         "quiet",  "threads", "help", "seed"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(others[k], name) == 0)
            return false;
    return true;
}

/* Beyond 2^53 many readers of JSON lose digits: such a seed is text. */
static void put_seed(struct json *j, uint64_t seed) {
    char text[24];
    if (seed <= UINT64_C(1) << 53) {
        json_put_count(j, "seed", (size_t)seed);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, seed);
    json_put_string(j, "seed", text);
}

void result_options(struct json *j, const struct app *app) {
    const struct options *o = &app->options;
    json_open_object(j, "options");
    json_open_array(j, "inputs");
    for (size_t k = 0; k < o->n_inputs; k++)
        json_put_string(j, NULL, o->inputs[k]);
    json_close_array(j);
    json_open_object(j, "given");
    const gbs_option *line;
    for (size_t k = 0; (line = option_at(app->command->bit, k)) != NULL; k++) {
        bool file = line->argument != NULL && strcmp(line->argument, "FILE") == 0;
        if (o->cost_file != NULL && strcmp(line->name, "cost") == 0)
            json_put_string(j, line->name, o->cost_file);
        if (!given(o, line->name) || !is_of_the_result(line->name) ||
            (file && strcmp(line->name, "draws") == 0))
            continue;
        if (line->type == GBS_OPTION_FLAG)
            json_put_bool(j, line->name, true);
        else
            json_put_string(j, line->name, option_text(o, line->name));
    }
    json_close_object(j);
    put_seed(j, strtoull(gbs_options_get(o->set, "seed"), NULL, 10));
    json_close_object(j);
}
