/* Matrix completion. */
#include "native.h"

/* Numbers from 1, NA: a row or column without ratings. */
static uint32_t *cells_of(SEXP numbers) {
    R_xlen_t count = Rf_xlength(numbers);
    uint32_t *cells = (uint32_t *)R_alloc((size_t)count + 1, sizeof *cells);
    for (R_xlen_t k = 0; k < count; k++) {
        int one = INTEGER(numbers)[k];
        cells[k] = one == NA_INTEGER ? GBS_UNSEEN : (uint32_t)(one - 1);
    }
    return cells;
}

/* features: a matrix with a column for each item, or NULL: nothing is known. */
static gbs_status set_features(call *c, gbs_ratings *ratings, int columns, SEXP features) {
    if (features == R_NilValue)
        return GBS_OK;
    size_t count = (size_t)INTEGER(Rf_getAttrib(features, R_DimSymbol))[0];
    return gbs_ratings_set_features(c->ctx, ratings, columns, count, REAL(features));
}

/* cells: list(row, column, value, features of rows, of columns). */
SEXP gbsr_complete(SEXP cells, SEXP row_ids, SEXP column_ids, SEXP given, SEXP how) {
    call *c;
    gbs_ratings *ratings = NULL;
    gbs_completion *completion = NULL;
    SEXP values = VECTOR_ELT(cells, 2);
    const uint32_t *row = cells_of(VECTOR_ELT(cells, 0)), *column = cells_of(VECTOR_ELT(cells, 1));
    const char **rows = texts_of(row_ids), **columns = texts_of(column_ids);
    SEXP box = PROTECT(handle_box(KIND_COMPLETION, R_NilValue));
    PROTECT(call_begin(how, &c));
    if (call_options(c, "complete", given) &&
        call_ok(c, gbs_ratings_create(c->ctx, (size_t)Rf_xlength(values),
                                      (size_t)Rf_xlength(row_ids), (size_t)Rf_xlength(column_ids),
                                      row, column, REAL(values), rows, columns, &ratings)) &&
        call_ok(c, set_features(c, ratings, 0, VECTOR_ELT(cells, 3))) &&
        call_ok(c, set_features(c, ratings, 1, VECTOR_ELT(cells, 4))) &&
        call_ok(c, gbs_complete(c->ctx, ratings, c->options, &completion)))
        handle_put(box, completion);
    gbs_ratings_free(ratings);
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}

static SEXP ids_of(const gbs_completion *completion, size_t count, int columns) {
    SEXP ids = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t k = 0; k < count; k++) {
        const char *id = columns ? gbs_completion_column_id(completion, k)
                                 : gbs_completion_row_id(completion, k);
        SET_STRING_ELT(ids, (R_xlen_t)k, Rf_mkCharCE(id != NULL ? id : "", CE_UTF8));
    }
    UNPROTECT(1);
    return ids;
}

/* Identifiers of the rows and of the columns. */
SEXP gbsr_completion_ids(SEXP box) {
    static const char *const names[] = {"row_names", "column_names"};
    const gbs_completion *completion = handle_of(box, KIND_COMPLETION);
    const gbs_completion_info *i = gbs_completion_get_info(completion);
    SEXP value = PROTECT(named_list(2, names));
    SET_VECTOR_ELT(value, 0, ids_of(completion, i->rows, 0));
    SET_VECTOR_ELT(value, 1, ids_of(completion, i->columns, 1));
    UNPROTECT(1);
    return value;
}

/* Values, the standard deviations of the noiseless ones, and the noise of a rating in each row. */
SEXP gbsr_completion_predict(SEXP box, SEXP row, SEXP column, SEXP how) {
    static const char *const names[] = {"value", "sd", "noise"};
    call *c;
    double *out[3];
    const gbs_completion *completion = handle_of(box, KIND_COMPLETION);
    size_t n = (size_t)Rf_xlength(row);
    if ((size_t)Rf_xlength(column) != n)
        Rf_error("row and column differ in length");
    const uint32_t *rows = cells_of(row), *columns = cells_of(column);
    SEXP value = PROTECT(arrays_of(n, 3, names, out));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_completion_predict(c->ctx, completion, n, rows, columns, out[0], out[1]));
    for (size_t k = 0; c->status == GBS_OK && k < n; k++)
        out[2][k] = gbs_completion_noise(completion, rows[k]);
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

/* Quantiles of new ratings, those of a cell one after the other. */
SEXP gbsr_completion_quantiles(SEXP box, SEXP row, SEXP column, SEXP level, SEXP how) {
    call *c;
    const gbs_completion *completion = handle_of(box, KIND_COMPLETION);
    size_t n = (size_t)Rf_xlength(row), levels = (size_t)Rf_xlength(level);
    const uint32_t *rows = cells_of(row), *columns = cells_of(column);
    SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(n * levels)));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_completion_quantiles(c->ctx, completion, n, rows, columns, levels,
                                            REAL(level), REAL(value)));
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

/* Numbers from 1 of the best columns of a row, then zeros: `most` in all. */
SEXP gbsr_completion_top(SEXP box, SEXP row, SEXP level, SEXP most, SEXP how) {
    call *c;
    const gbs_completion *completion = handle_of(box, KIND_COMPLETION);
    size_t count = 0, room = (size_t)INTEGER(most)[0];
    const uint32_t *rows = cells_of(row);
    uint32_t *best = (uint32_t *)R_alloc(room + 1, sizeof *best);
    SEXP value = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)room));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK)
        call_ok(
            c, gbs_completion_top(c->ctx, completion, rows[0], REAL(level)[0], room, best, &count));
    for (size_t k = 0; k < room; k++)
        INTEGER(value)[k] = k < count ? (int)best[k] + 1 : 0;
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

SEXP gbsr_completion_from_json(SEXP bytes) {
    call *c;
    gbs_completion *completion = NULL;
    SEXP box = PROTECT(handle_box(KIND_COMPLETION, R_NilValue));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK &&
        call_ok(c, gbs_completion_from_json(c->ctx, (const char *)RAW(bytes),
                                            (size_t)Rf_xlength(bytes), &completion)))
        handle_put(box, completion);
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}
