/* From options to settings: each line of the table fills its member, with what was set or with its
 * default; then what one option means for another. */
#include "options/settings.h"

#include "core/check.h"
#include "options/options.h"

#include <string.h>

static void store(const gbs_option_entry *e, const gbs_option_value *v, void *to) {
    int flag = v->number != 0.0;
    size_t size = (size_t)v->count;
    switch (e->store) {
    case GBS_STORE_NONE:
        return;
    case GBS_STORE_INT:
        flag = e->line.type == GBS_OPTION_CHOICE ? gbs_option_kept(e, v->choice) : flag;
        memcpy(to, &flag, sizeof flag);
        return;
    case GBS_STORE_SIZED:
        flag = gbs_option_kept(e, v->choice);
        memcpy(to, &flag, sizeof flag);
        memcpy((unsigned char *)to + sizeof size, &size, sizeof size);
        return;
    case GBS_STORE_NOT:
        flag = !flag;
        memcpy(to, &flag, sizeof flag);
        return;
    case GBS_STORE_SIZE:
        memcpy(to, &size, sizeof size);
        return;
    case GBS_STORE_UINT64:
        memcpy(to, &v->count, sizeof v->count);
        return;
    case GBS_STORE_DOUBLE:
        memcpy(to, &v->number, sizeof v->number);
        return;
    case GBS_STORE_NUMBERS:
        memcpy(to, &v->numbers, sizeof v->numbers);
        memcpy((unsigned char *)to + sizeof v->numbers, &v->size, sizeof v->size);
        return;
    case GBS_STORE_RANGE:
        flag = v->numbers != NULL;
        memcpy(to, &flag, sizeof flag);
        if (v->numbers != NULL)
            memcpy((unsigned char *)to + sizeof(double), v->numbers, 2 * sizeof(double));
        return;
    case GBS_STORE_TEXT:
        memcpy(to, &(const char *){v->text}, sizeof v->text);
        return;
    }
}

/* Members that stand side by side in memory, as store() takes them. */
_Static_assert(offsetof(gbs_fit_settings, ladder_size) ==
                   offsetof(gbs_fit_settings, ladder) + sizeof(double *),
               "a grid and its size");
_Static_assert(offsetof(gbs_fit_settings, prior_grid_size) ==
                   offsetof(gbs_fit_settings, prior_grid) + sizeof(double *),
               "a grid and its size");
_Static_assert(offsetof(gbs_sample_settings, ladder_size) ==
                   offsetof(gbs_sample_settings, ladder) + sizeof(double *),
               "a grid and its size");
_Static_assert(offsetof(gbs_complete_settings, lambda_grid_size) ==
                   offsetof(gbs_complete_settings, lambda_grid) + sizeof(double *),
               "a grid and its size");
_Static_assert(offsetof(gbs_complete_settings, low) ==
                       offsetof(gbs_complete_settings, has_range) + sizeof(double) &&
                   offsetof(gbs_complete_settings, high) ==
                       offsetof(gbs_complete_settings, low) + sizeof(double),
               "a range and its ends");
_Static_assert(offsetof(gbs_fit_settings, cost_missed) ==
                       offsetof(gbs_fit_settings, has_cost) + sizeof(double) &&
                   offsetof(gbs_fit_settings, cost_false) ==
                       offsetof(gbs_fit_settings, cost_missed) + sizeof(double),
               "two costs");
_Static_assert(offsetof(gbs_fit_settings, features_size) ==
                       offsetof(gbs_fit_settings, features) + sizeof(size_t) &&
                   offsetof(gbs_sample_settings, features_size) ==
                       offsetof(gbs_sample_settings, features) + sizeof(size_t),
               "a choice and its number");
_Static_assert(sizeof(gbs_loss) == sizeof(int), "a choice fills an enum");

/* A line of another command, where this one has a line of its own under the same name. */
static bool replaced(const gbs_option_entry *e, unsigned command) {
    if ((e->line.commands & command) != 0)
        return false;
    for (size_t k = 0; k < gbs_option_entries_size; k++) {
        const gbs_option *other = &gbs_option_entries[k].line;
        if ((other->commands & command) != 0 && strcmp(other->name, e->line.name) == 0)
            return true;
    }
    return false;
}

/* The command whose lines a kind of settings follows where no options are at hand. */
static const unsigned usual[] = {[GBS_SETTINGS_FIT] = GBS_FOR_FIT,
                                 [GBS_SETTINGS_SAMPLE] = GBS_FOR_SAMPLE,
                                 [GBS_SETTINGS_COMPLETE] = GBS_FOR_COMPLETE,
                                 [GBS_SETTINGS_THEORY] = GBS_FOR_THEORY,
                                 [GBS_SETTINGS_TABLE] = GBS_FOR_FIT};

static void fill(const gbs_options *o, enum gbs_settings_kind kind, void *out) {
    unsigned char *base = out;
    unsigned command = o != NULL ? o->command : usual[kind];
    for (size_t k = 0; k < gbs_option_entries_size; k++) {
        const gbs_option_entry *e = &gbs_option_entries[k];
        if (replaced(e, command))
            continue;
        gbs_option_value v = gbs_option_value_of(o, k);
        if (e->at[kind] != 0)
            store(e, &v, base + e->at[kind] - 1);
        if (kind == GBS_SETTINGS_FIT && e->bits != 0 && v.given)
            memcpy(base + e->bits - 1, &v.choices, sizeof v.choices);
    }
}

static bool is_given(const gbs_options *o, const char *name) {
    return o != NULL && gbs_options_given(o, name);
}

/* Options that are about the zero prior mean it where no prior was asked for; and rows that are
 * tested once cannot choose from a grid too. */
void gbs_fit_settings_from(const gbs_options *options, gbs_fit_settings *out) {
    *out = (gbs_fit_settings){0};
    fill(options, GBS_SETTINGS_FIT, out);
    out->hint = !is_given(options, "features");
    if (!is_given(options, "prior") &&
        (out->paper || out->restarts > 0 || out->select == GBS_SELECT_CV))
        out->prior = GBS_PRIOR_ZERO;
    if (out->paper)
        out->bound = GBS_BOUND_PAPER;
    else if (out->bound == GBS_BOUND_AUTO && (out->ladder_size > 0 || out->prior_grid_size > 0))
        out->bound = GBS_BOUND_KL;
}

/* No lambda: one for each row. 0 is a lambda, that of the prior. */
void gbs_sample_settings_from(const gbs_options *options, gbs_sample_settings *out) {
    *out = (gbs_sample_settings){0};
    fill(options, GBS_SETTINGS_SAMPLE, out);
    if (!is_given(options, "lambda"))
        out->lambda = -1.0;
}

/* What only the paper's model has means that model, where none was asked for. */
void gbs_complete_settings_from(const gbs_options *options, gbs_complete_settings *out) {
    static const char *const of_paper[] = {"lambda", "lambda-grid", "prior",   "prior-split",
                                           "noise",  "no-biases",   "restarts"};
    *out = (gbs_complete_settings){0};
    fill(options, GBS_SETTINGS_COMPLETE, out);
    bool paper = false;
    for (size_t k = 0; k < sizeof of_paper / sizeof *of_paper; k++)
        paper = paper || is_given(options, of_paper[k]);
    if (paper && !is_given(options, "model"))
        out->model = GBS_COMPLETION_PAPER;
    out->choose_model = !paper && !is_given(options, "model");
    out->zero_prior = out->model == GBS_COMPLETION_HIERARCHICAL && is_given(options, "prior") &&
                      out->prior == GBS_PRIOR_ZERO;
    if (out->model == GBS_COMPLETION_HIERARCHICAL && !is_given(options, "tol"))
        out->tolerance = 0.0;
}

void gbs_theory_settings_from(const gbs_options *options, gbs_theory_settings *out) {
    *out = (gbs_theory_settings){0};
    fill(options, GBS_SETTINGS_THEORY, out);
}

void gbs_table_settings_from(const gbs_options *options, gbs_table_settings *out) {
    *out = (gbs_table_settings){0};
    fill(options, GBS_SETTINGS_TABLE, out);
}

static gbs_status check(gbs_context *ctx, enum gbs_settings_kind kind, const void *settings) {
    gbs_status status = GBS_OK;
    for (size_t k = 0; status == GBS_OK && k < gbs_option_entries_size; k++) {
        const gbs_option_entry *e = &gbs_option_entries[k];
        int value;
        if (e->line.type != GBS_OPTION_CHOICE || e->at[kind] == 0 || replaced(e, usual[kind]))
            continue;
        memcpy(&value, (const unsigned char *)settings + e->at[kind] - 1, sizeof value);
        status = gbs_check_choice(ctx, e->line.name, value, e->line.choices, e->last);
    }
    return status;
}

gbs_status gbs_fit_settings_check(gbs_context *ctx, const gbs_fit_settings *settings) {
    return check(ctx, GBS_SETTINGS_FIT, settings);
}

gbs_status gbs_sample_settings_check(gbs_context *ctx, const gbs_sample_settings *settings) {
    return check(ctx, GBS_SETTINGS_SAMPLE, settings);
}

gbs_status gbs_complete_settings_check(gbs_context *ctx, const gbs_complete_settings *settings) {
    return check(ctx, GBS_SETTINGS_COMPLETE, settings);
}

gbs_fit_settings gbs_fit_settings_default(void) {
    gbs_fit_settings s;
    gbs_fit_settings_from(NULL, &s);
    return s;
}

gbs_sample_settings gbs_sample_settings_default(void) {
    gbs_sample_settings s;
    gbs_sample_settings_from(NULL, &s);
    return s;
}

gbs_complete_settings gbs_complete_settings_default(void) {
    gbs_complete_settings s;
    gbs_complete_settings_from(NULL, &s);
    return s;
}

gbs_theory_settings gbs_theory_settings_default(void) {
    gbs_theory_settings s;
    gbs_theory_settings_from(NULL, &s);
    return s;
}
