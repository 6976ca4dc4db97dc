/* One call of the library: context, callbacks, options, how it ended. */
#include "native.h"

#include <R_ext/Utils.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Often enough for Ctrl-C within a tenth of a second, seldom enough to cost nothing. */
#define SECONDS_A_LOOK 0.05

/* ---------------------------------------------------------------- callbacks */

static void look_up(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

/* The jump of an interrupt must not pass through the library: it ends in R_ToplevelExec, and
 * gbsr_interrupt makes a new one when everything is put away. */
static int cancelled(void *user) {
    call *c = user;
    if (!c->interrupted && !R_ToplevelExec(look_up, NULL))
        c->interrupted = 1;
    return c->interrupted;
}

static void keep_note(call *c, const char *message) {
    note *n = malloc(sizeof *n + strlen(message) + 1);
    if (n == NULL)
        return;
    n->next = NULL;
    strcpy(n->text, message);
    *c->last = n;
    c->last = &n->next;
}

static void logged(gbs_log_level level, const char *message, void *user) {
    if (level == GBS_LOG_WARNING)
        keep_note(user, message);
}

/* The progress function answers TRUE where the user interrupted it (R/native.R): R would keep that
 * from us. One that fails is told of once, and the fit goes on without it. */
static void told(const char *stage, double done, void *user) {
    call *c = user;
    int failed = 0;
    if (c->interrupted || c->silent)
        return;
    SEXP words = PROTECT(Rf_mkString(stage)), share = PROTECT(Rf_ScalarReal(done));
    SEXP asked = PROTECT(Rf_lang3(c->progress, words, share));
    SEXP answer = R_tryEvalSilent(asked, R_BaseEnv, &failed);
    if (failed) {
        c->silent = 1;
        keep_note(c, "progress is not shown any more: the function that shows it failed");
    } else if (TYPEOF(answer) == LGLSXP && Rf_xlength(answer) == 1) {
        c->interrupted = LOGICAL(answer)[0] == TRUE;
    }
    UNPROTECT(3);
}

/* ---------------------------------------------------------------- begin and end */

static void put_away(call *c) {
    gbs_theory_free(c->theory);
    gbs_release(c->ctx, c->text);
    gbs_options_free(c->options);
    gbs_context_free(c->ctx);
    while (c->notes != NULL) {
        note *next = c->notes->next;
        free(c->notes);
        c->notes = next;
    }
    c->theory = NULL;
    c->text = NULL;
    c->options = NULL;
    c->ctx = NULL;
    c->last = &c->notes;
}

static void finish(SEXP box) {
    call *c = R_ExternalPtrAddr(box);
    if (c == NULL)
        return;
    R_ClearExternalPtr(box);
    put_away(c);
    free(c);
}

static SEXP new_call(double seed, int threads, SEXP progress, call **out) {
    SEXP box = PROTECT(R_MakeExternalPtr(NULL, Rf_install("gibbsite call"), progress));
    R_RegisterCFinalizerEx(box, finish, TRUE);
    call *c = calloc(1, sizeof *c);
    if (c == NULL)
        Rf_error("out of memory");
    c->progress = progress;
    c->last = &c->notes;
    R_SetExternalPtrAddr(box, c);
    int ok = call_ok(c, gbs_context_create(NULL, &c->ctx)) &&
             call_ok(c, gbs_context_set_threads(c->ctx, threads)) &&
             call_ok(c, gbs_context_set_seed(c->ctx, (uint64_t)seed)) &&
             call_ok(c, gbs_context_set_log(c->ctx, logged, c)) &&
             call_ok(c, gbs_context_set_cancel(c->ctx, cancelled, c)) &&
             call_ok(c, gbs_context_set_cancel_pause(c->ctx, SECONDS_A_LOOK));
    if (ok && progress != R_NilValue)
        call_ok(c, gbs_context_set_progress(c->ctx, told, c));
    *out = c;
    UNPROTECT(1);
    return box;
}

SEXP call_begin(SEXP how, call **out) {
    return new_call(Rf_asReal(VECTOR_ELT(how, 0)), Rf_asInteger(VECTOR_ELT(how, 1)),
                    VECTOR_ELT(how, 2), out);
}

SEXP call_short(call **out) {
    return new_call(1.0, 1, R_NilValue, out);
}

int call_ok(call *c, gbs_status status) {
    if (c->status == GBS_OK)
        c->status = status;
    return c->status == GBS_OK;
}

static const char *code_of(const call *c) {
    if (c->interrupted)
        return "interrupt";
    switch (c->status) {
    case GBS_ERR_DATA:
        return "data";
    case GBS_ERR_MEMORY:
        return "memory";
    case GBS_ERR_CANCELLED:
        return "interrupt";
    case GBS_ERR_NUMERIC:
        return "numeric";
    case GBS_ERR_FORMAT:
        return "format";
    case GBS_ERR_IO:
        return "io";
    case GBS_ERR_ARGUMENT:
    case GBS_OK:
        break;
    }
    return "argument";
}

static SEXP notes_of(const call *c) {
    R_xlen_t count = 0;
    for (const note *n = c->notes; n != NULL; n = n->next)
        count++;
    SEXP texts = PROTECT(Rf_allocVector(STRSXP, count));
    count = 0;
    for (const note *n = c->notes; n != NULL; n = n->next)
        SET_STRING_ELT(texts, count++, Rf_mkCharCE(n->text, CE_UTF8));
    UNPROTECT(1);
    return texts;
}

SEXP call_end(call *c, SEXP value) {
    static const char *const names[] = {"value", "messages", "code", "message"};
    PROTECT(value);
    if (c->interrupted && c->status == GBS_OK) /* heard too late for the library */
        c->status = GBS_ERR_CANCELLED;
    SEXP list = PROTECT(named_list(4, names));
    SET_VECTOR_ELT(list, 1, notes_of(c));
    if (c->status == GBS_OK) {
        SET_VECTOR_ELT(list, 0, value);
    } else {
        const char *message = c->ctx != NULL ? gbs_error_message(c->ctx) : "";
        SET_VECTOR_ELT(list, 2, text_or_null(code_of(c)));
        SET_VECTOR_ELT(list, 3,
                       text_or_null(*message != '\0' ? message : gbs_status_message(c->status)));
    }
    put_away(c);
    UNPROTECT(2);
    return list;
}

/* ---------------------------------------------------------------- options */

/* Numbers: the values of a grid, the ends of a range, or A:B. */
static gbs_status set_numbers(call *c, const char *name, SEXP value) {
    const gbs_option *line = gbs_options_line(c->options, name);
    R_xlen_t count = Rf_xlength(value);
    const double *x = REAL(value);
    char text[200];
    size_t at = 0;
    if (line != NULL && count > 1 &&
        (line->type == GBS_OPTION_GRID || line->type == GBS_OPTION_RANGE))
        return gbs_options_set_numbers(c->options, name, x, (size_t)count);
    for (R_xlen_t k = 0; k < count && at < sizeof text - 40; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.17g", k > 0 ? ":" : "", x[k]);
    return gbs_options_set(c->options, name, count > 0 ? text : "");
}

int call_options(call *c, const char *command, SEXP given) {
    if (c->status != GBS_OK || !call_ok(c, gbs_options_create(c->ctx, command, &c->options)))
        return 0;
    SEXP names = Rf_getAttrib(given, R_NamesSymbol);
    for (R_xlen_t k = 0; k < Rf_xlength(given); k++) {
        const char *name = Rf_translateCharUTF8(STRING_ELT(names, k));
        SEXP value = VECTOR_ELT(given, k);
        gbs_status status;
        if (TYPEOF(value) == LGLSXP)
            status = gbs_options_set(c->options, name, NULL);
        else if (TYPEOF(value) == REALSXP)
            status = set_numbers(c, name, value);
        else
            status = gbs_options_set(c->options, name, Rf_translateCharUTF8(STRING_ELT(value, 0)));
        if (!call_ok(c, status))
            return 0;
    }
    return 1;
}

/* The interrupt that `cancelled` swallowed, now that nothing is held any more. */
SEXP gbsr_interrupt(void) {
    raise(SIGINT);
    R_CheckUserInterrupt();
    return R_NilValue;
}
