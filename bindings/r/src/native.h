/* The package gibbsite: R's .Call over the public header of the library.
 *
 * Every entry gives a list (value, messages, code, message); R/native.R makes conditions of it. R
 * may leave a function by a long jump wherever it allocates, so what the library gives is put into
 * an external pointer that was there before, whose finalizer frees it: also the call itself. The
 * library calls back on the thread that called it, never from its workers.
 */
#ifndef GIBBSITE_R_NATIVE_H
#define GIBBSITE_R_NATIVE_H

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

#include <gibbsite.h>

/* ---------------------------------------------------------------- one call (call.c) */

/* A warning of the library. */
typedef struct note {
    struct note *next;
    char text[];
} note;

/* A call of the library: its context, its options, what it says meanwhile. */
typedef struct call {
    gbs_context *ctx;
    gbs_options *options;
    gbs_theory *theory; /* what the library gave and R has to copy: R may jump meanwhile */
    char *text;
    SEXP progress; /* a function (stage, done), kept by who called; R_NilValue: none */
    note *notes, **last;
    gbs_status status; /* of the first thing that failed */
    int interrupted;   /* the user said so */
    int silent;        /* the progress function failed: it is not asked again */
} call;

/* how: list(seed, threads, progress). The result is to be protected as long as `*out` is used. */
SEXP call_begin(SEXP how, call **out);
/* The same for calls that take no time. */
SEXP call_short(call **out);
/* The status of what was called, kept if it is the first that failed; true: it is GBS_OK. */
int call_ok(call *c, gbs_status status);
/* Options of a command from a named list: numbers, texts, TRUE for a flag. */
int call_options(call *c, const char *command, SEXP given);
/* Frees everything; gives the list that R takes. */
SEXP call_end(call *c, SEXP value);

/* ---------------------------------------------------------------- handles (handles.c) */

typedef enum kind { KIND_DATA, KIND_MODEL, KIND_PARTICLES, KIND_COMPLETION, KIND_COUNT } kind;

/* An external pointer without a handle yet; `kept` lives as long. */
SEXP handle_box(kind of, SEXP kept);
/* Puts the handle in, which the finalizer then frees. */
void handle_put(SEXP box, void *handle);
/* The handle inside; an error of R where it is of another kind or gone. */
void *handle_of(SEXP box, kind of);
/* What the handle is of; KIND_MODEL also for what is none, which `handle_of` then refuses. */
kind handle_kind(SEXP box);

/* ---------------------------------------------------------------- values (values.c) */

/* A named list of `count` elements, all NULL yet; to be protected. */
SEXP named_list(int count, const char *const *names);
/* A text in UTF-8; NULL is R's. */
SEXP text_or_null(const char *text);
/* Texts in UTF-8, NULL where NA; lives until the .Call ends. */
const char **texts_of(SEXP character);
/* Ends a call that gave a text, which goes back to the library: its bytes. */
SEXP call_end_text(call *c, char *text, size_t size);
/* A list of `count` arrays, a number for each of `rows` rows, and where they begin. */
SEXP arrays_of(size_t rows, int count, const char *const *names, double **out);

/* ---------------------------------------------------------------- entries */

SEXP gbsr_dense(SEXP x, SEXP turned, SEXP y);
SEXP gbsr_csr(SEXP shape, SEXP start, SEXP column, SEXP value, SEXP y);
SEXP gbsr_train(SEXP command, SEXP columns, SEXP names, SEXP given, SEXP how);
SEXP gbsr_apply(SEXP model, SEXP columns, SEXP names, SEXP given);
SEXP gbsr_shape(SEXP data);
SEXP gbsr_looked(SEXP data, SEXP bits);
SEXP gbsr_weights(SEXP data, SEXP weight);
SEXP gbsr_groups(SEXP data, SEXP group);
SEXP gbsr_classes(SEXP data, SEXP number, SEXP classes);
SEXP gbsr_costs(SEXP data, SEXP cost);
SEXP gbsr_set_split(SEXP data, SEXP learned);
SEXP gbsr_split(SEXP data, SEXP given, SEXP how);

SEXP gbsr_fit(SEXP data, SEXP start, SEXP given, SEXP how);
SEXP gbsr_describe(SEXP box);
SEXP gbsr_to_json(SEXP box);
SEXP gbsr_from_json(SEXP bytes);
SEXP gbsr_recipe(SEXP model);
SEXP gbsr_set_recipe(SEXP model, SEXP json);
SEXP gbsr_write(SEXP path, SEXP bytes);
SEXP gbsr_load(SEXP path);
SEXP gbsr_classify(SEXP model, SEXP data, SEXP how);
SEXP gbsr_predict(SEXP model, SEXP data, SEXP how);
SEXP gbsr_classify_many(SEXP model, SEXP data, SEXP how);
SEXP gbsr_linear(SEXP model);
SEXP gbsr_alive(SEXP box);

SEXP gbsr_sample(SEXP data, SEXP model, SEXP stage, SEXP given, SEXP how);
SEXP gbsr_sample_draws(SEXP particles);
SEXP gbsr_sample_recipe(SEXP particles);
SEXP gbsr_sample_set_recipe(SEXP particles, SEXP json);
SEXP gbsr_sample_predict(SEXP particles, SEXP data, SEXP how);
SEXP gbsr_sample_from_json(SEXP bytes);
SEXP gbsr_problems(SEXP model);
SEXP gbsr_gap(SEXP data, SEXP model, SEXP stage, SEXP particles);

SEXP gbsr_complete(SEXP cells, SEXP row_ids, SEXP column_ids, SEXP given, SEXP how);
SEXP gbsr_completion_ids(SEXP completion);
SEXP gbsr_completion_predict(SEXP completion, SEXP row, SEXP column, SEXP how);
SEXP gbsr_completion_quantiles(SEXP completion, SEXP row, SEXP column, SEXP level, SEXP how);
SEXP gbsr_completion_top(SEXP completion, SEXP row, SEXP level, SEXP most, SEXP how);
SEXP gbsr_completion_from_json(SEXP bytes);

SEXP gbsr_report(SEXP name, SEXP json);
SEXP gbsr_theory(SEXP given);
SEXP gbsr_random(SEXP seed, SEXP stream, SEXP from, SEXP count, SEXP normal);
SEXP gbsr_simulated(void);
SEXP gbsr_options(SEXP command);
SEXP gbsr_version(void);
SEXP gbsr_interrupt(void);

#endif
