/* What the theory says before any data is seen; and the table of options. */
#include "native.h"

#include <string.h>

/* Columns of a table of texts and numbers. */
static SEXP columns_of(size_t rows, int count, const char *const *names, const int *numbers) {
    SEXP value = PROTECT(named_list(count, names));
    for (int k = 0; k < count; k++)
        SET_VECTOR_ELT(value, k, Rf_allocVector(numbers[k] ? REALSXP : STRSXP, (R_xlen_t)rows));
    UNPROTECT(1);
    return value;
}

static void put_text(SEXP table, int column, size_t row, const char *text) {
    SET_STRING_ELT(VECTOR_ELT(table, column), (R_xlen_t)row,
                   text != NULL ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING);
}

static void put_number(SEXP table, int column, size_t row, double value) {
    REAL(VECTOR_ELT(table, column))[row] = R_FINITE(value) ? value : R_NaReal;
}

SEXP gbsr_theory(SEXP given) {
    static const char *const names[] = {"group", "name", "value", "paper", "verdict", "source"};
    static const int numbers[] = {0, 0, 1, 1, 0, 0};
    call *c;
    size_t count = 0;
    SEXP value = R_NilValue;
    PROTECT(call_short(&c));
    if (call_options(c, "theory", given) &&
        call_ok(c, gbs_theory_compute(c->ctx, c->options, &c->theory)))
        while (gbs_theory_row_at(c->theory, count) != NULL)
            count++;
    value = PROTECT(columns_of(count, 6, names, numbers));
    for (size_t k = 0; k < count; k++) {
        const gbs_theory_row *row = gbs_theory_row_at(c->theory, k);
        put_text(value, 0, k, row->group);
        put_text(value, 1, k, row->name);
        put_number(value, 2, k, row->value);
        put_number(value, 3, k, row->paper_value);
        put_text(value, 4, k,
                 row->verdict != GBS_VERDICT_NONE ? gbs_verdict_name(row->verdict) : NULL);
        put_text(value, 5, k, row->source);
    }
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

/* Counter-based random numbers from[1], from[1] + from[2], ... of a stream. */
SEXP gbsr_random(SEXP seed, SEXP stream, SEXP from, SEXP count, SEXP normal) {
    call *c;
    R_xlen_t n = (R_xlen_t)Rf_asReal(count);
    uint64_t of = (uint64_t)Rf_asReal(stream), first = (uint64_t)REAL(from)[0],
             step = (uint64_t)REAL(from)[1];
    int bell = Rf_asLogical(normal) == TRUE;
    SEXP value = PROTECT(Rf_allocVector(REALSXP, n));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_context_set_seed(c->ctx, (uint64_t)Rf_asReal(seed)));
    double *numbers = REAL(value);
    for (R_xlen_t k = 0; c->status == GBS_OK && k < n; k++) {
        uint64_t at = first + step * (uint64_t)k;
        numbers[k] = bell ? gbs_random_normal(c->ctx, of, at) : gbs_random_uniform(c->ctx, of, at);
    }
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

/* What is simulated where nobody says otherwise. */
SEXP gbsr_simulated(void) {
    static const struct {
        const char *name;
        double value;
    } usual[] = {{"rows", GBS_SIMULATED_ROWS},    {"cols", GBS_SIMULATED_COLS},
                 {"flips", GBS_SIMULATED_FLIPS},  {"rated", GBS_SIMULATED_RATED},
                 {"rank", GBS_SIMULATED_RANK},    {"noise", GBS_SIMULATED_NOISE},
                 {"density", GBS_SIMULATED_SHARE}};
    enum { COUNT = sizeof usual / sizeof *usual };
    SEXP value = PROTECT(Rf_allocVector(REALSXP, COUNT));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, COUNT));
    for (R_xlen_t k = 0; k < COUNT; k++) {
        REAL(value)[k] = usual[k].value;
        SET_STRING_ELT(names, k, Rf_mkChar(usual[k].name));
    }
    Rf_setAttrib(value, R_NamesSymbol, names);
    UNPROTECT(2);
    return value;
}

/* The lines of the table that a command takes. */
static size_t next_line(const char *command, size_t k) {
    const gbs_option *line;
    while ((line = gbs_option_at(k)) != NULL && gbs_option_find(command, line->name) != line)
        k++;
    return k;
}

SEXP gbsr_options(SEXP command) {
    static const char *const names[] = {"name", "default", "choices", "expected", "help", "group"};
    static const int numbers[] = {0, 0, 0, 0, 0, 0};
    const char *of = Rf_translateCharUTF8(STRING_ELT(command, 0));
    size_t count = 0, row = 0;
    for (size_t k = next_line(of, 0); gbs_option_at(k) != NULL; k = next_line(of, k + 1))
        count++;
    SEXP value = PROTECT(columns_of(count, 6, names, numbers));
    for (size_t k = next_line(of, 0); gbs_option_at(k) != NULL; k = next_line(of, k + 1), row++) {
        const gbs_option *line = gbs_option_at(k);
        put_text(value, 0, row, line->name);
        put_text(value, 1, row, line->standard);
        put_text(value, 2, row, line->choices);
        put_text(value, 3, row, line->type == GBS_OPTION_FLAG ? "TRUE" : line->expected);
        put_text(value, 4, row, line->help);
        put_text(value, 5, row, line->group);
    }
    UNPROTECT(1);
    return value;
}

SEXP gbsr_version(void) {
    return text_or_null(gbs_version());
}
