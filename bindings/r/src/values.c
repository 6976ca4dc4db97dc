/* Values of R out of those of C. */
#include "native.h"

#include <string.h>

SEXP named_list(int count, const char *const *names) {
    SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
    SEXP called = PROTECT(Rf_allocVector(STRSXP, count));
    for (int k = 0; k < count; k++)
        SET_STRING_ELT(called, k, Rf_mkChar(names[k]));
    Rf_setAttrib(list, R_NamesSymbol, called);
    UNPROTECT(2);
    return list;
}

SEXP text_or_null(const char *text) {
    return text != NULL ? Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)) : R_NilValue;
}

const char **texts_of(SEXP character) {
    R_xlen_t count = Rf_xlength(character);
    const char **texts = (const char **)R_alloc((size_t)count + 1, sizeof *texts);
    for (R_xlen_t i = 0; i < count; i++) {
        SEXP one = STRING_ELT(character, i);
        texts[i] = one != NA_STRING ? Rf_translateCharUTF8(one) : NULL;
    }
    return texts;
}

SEXP call_end_text(call *c, char *text, size_t size) {
    c->text = text; /* R may jump */
    SEXP raw = PROTECT(text != NULL ? Rf_allocVector(RAWSXP, (R_xlen_t)size) : R_NilValue);
    if (text != NULL)
        memcpy(RAW(raw), text, size);
    SEXP result = call_end(c, raw);
    UNPROTECT(1);
    return result;
}

SEXP arrays_of(size_t rows, int count, const char *const *names, double **out) {
    SEXP value = PROTECT(named_list(count, names));
    for (int k = 0; k < count; k++) {
        SET_VECTOR_ELT(value, k, Rf_allocVector(REALSXP, (R_xlen_t)rows));
        out[k] = REAL(VECTOR_ELT(value, k));
    }
    UNPROTECT(1);
    return value;
}
