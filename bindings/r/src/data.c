/* Rows for the library: matrices, sparse rows, columns of a table. */
#include "native.h"

static const double *labels_of(SEXP y) {
    return y != R_NilValue ? REAL(y) : NULL;
}

/* x has a row of the data in each column, as the library reads it fastest, or in each row, as R has
 * it; it is borrowed. */
SEXP gbsr_dense(SEXP x, SEXP turned, SEXP y) {
    call *c;
    gbs_data *data = NULL;
    SEXP kept = PROTECT(Rf_list2(x, y)), box = PROTECT(handle_box(KIND_DATA, kept));
    PROTECT(call_short(&c));
    size_t rows = (size_t)Rf_nrows(x), columns = (size_t)Rf_ncols(x);
    int across = Rf_asLogical(turned) == TRUE;
    size_t n = across ? columns : rows, d = across ? rows : columns;
    if (c->status == GBS_OK &&
        call_ok(c, gbs_data_strided(c->ctx, n, d, REAL(x), GBS_CELL_DOUBLE, across ? d : 1,
                                    across ? 1 : n, labels_of(y), GBS_BORROW, &data)))
        handle_put(box, data);
    SEXP result = call_end(c, box);
    UNPROTECT(3);
    return result;
}

/* Sparse rows: start and column from 0. */
SEXP gbsr_csr(SEXP shape, SEXP start, SEXP column, SEXP value, SEXP y) {
    call *c;
    gbs_data *data = NULL;
    size_t n = (size_t)REAL(shape)[0], d = (size_t)REAL(shape)[1];
    R_xlen_t count = Rf_xlength(column);
    int64_t *starts = (int64_t *)R_alloc(n + 1, sizeof *starts);
    int64_t *columns = (int64_t *)R_alloc((size_t)count + 1, sizeof *columns);
    for (size_t i = 0; i <= n; i++)
        starts[i] = (int64_t)REAL(start)[i];
    for (R_xlen_t k = 0; k < count; k++)
        columns[k] = INTEGER(column)[k];
    SEXP box = PROTECT(handle_box(KIND_DATA, R_NilValue));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK &&
        call_ok(c, gbs_data_csr_wide(c->ctx, n, d, starts, columns, REAL(value), labels_of(y),
                                     GBS_COPY, &data)))
        handle_put(box, data);
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}

/* ---------------------------------------------------------------- tables */

static gbs_table *free_table(gbs_table *table) {
    gbs_table_free(table);
    return NULL;
}

/* Columns of numbers and texts. The texts are fetched first: nothing here can jump away. */
static gbs_table *table_of(call *c, SEXP columns, SEXP names) {
    R_xlen_t count = Rf_xlength(columns);
    size_t rows = count > 0 ? (size_t)Rf_xlength(VECTOR_ELT(columns, 0)) : 0;
    const char **called = texts_of(names);
    const char ***texts = (const char ***)R_alloc((size_t)count + 1, sizeof *texts);
    gbs_table *table = NULL;
    for (R_xlen_t k = 0; k < count; k++) {
        SEXP column = VECTOR_ELT(columns, k);
        texts[k] = TYPEOF(column) == STRSXP ? texts_of(column) : NULL;
    }
    if (c->status != GBS_OK || !call_ok(c, gbs_table_create(c->ctx, rows, (size_t)count, &table)))
        return NULL;
    for (R_xlen_t k = 0; k < count; k++) {
        gbs_status status = texts[k] != NULL
                                ? gbs_table_add_texts(c->ctx, table, called[k], texts[k])
                                : gbs_table_add_numbers(c->ctx, table, called[k],
                                                        REAL(VECTOR_ELT(columns, k)));
        if (!call_ok(c, status))
            return free_table(table);
    }
    return table;
}

/* The row of the table, from 1, behind each row of data. */
static SEXP table_rows(const gbs_data *data) {
    size_t n = gbs_data_rows(data);
    SEXP rows = Rf_allocVector(INTSXP, (R_xlen_t)n);
    for (size_t i = 0; i < n; i++)
        INTEGER(rows)[i] = (int)gbs_data_table_row(data, i) + 1;
    return rows;
}

/* Inputs with texts that training did not see: names, counts, one of them each. */
static void tell_unseen(SEXP value, int at, const gbs_data *data, const gbs_recipe *recipe) {
    R_xlen_t found = 0;
    size_t inputs = gbs_recipe_inputs(recipe);
    const char *level;
    for (size_t k = 0; k < inputs; k++)
        found += gbs_data_unseen(data, k, NULL) > 0;
    SEXP names = Rf_allocVector(STRSXP, found);
    SET_VECTOR_ELT(value, at, names);
    SEXP counts = Rf_allocVector(REALSXP, found);
    SET_VECTOR_ELT(value, at + 1, counts);
    SEXP levels = Rf_allocVector(STRSXP, found);
    SET_VECTOR_ELT(value, at + 2, levels);
    found = 0;
    for (size_t k = 0; k < inputs; k++) {
        size_t count = gbs_data_unseen(data, k, &level);
        const char *name = gbs_recipe_input(recipe, k, NULL);
        if (count == 0)
            continue;
        SET_STRING_ELT(names, found, Rf_mkCharCE(name != NULL ? name : "", CE_UTF8));
        SET_STRING_ELT(levels, found, Rf_mkCharCE(level != NULL ? level : "", CE_UTF8));
        REAL(counts)[found++] = (double)count;
    }
}

/* Data of a table for a fit or a sample, the recipe learned; its rows, and what the recipe did not
 * learn of them. */
SEXP gbsr_train(SEXP command, SEXP columns, SEXP names, SEXP given, SEXP how) {
    static const char *const parts[] = {"data", "rows", "unseen", "count", "level"};
    call *c;
    gbs_data *data = NULL;
    const char *of = Rf_translateCharUTF8(STRING_ELT(command, 0));
    SEXP value = PROTECT(named_list(5, parts)), box = PROTECT(handle_box(KIND_DATA, R_NilValue));
    SET_VECTOR_ELT(value, 0, box);
    PROTECT(call_begin(how, &c));
    if (call_options(c, of, given)) {
        gbs_table *table = table_of(c, columns, names);
        if (table != NULL && call_ok(c, gbs_table_train(c->ctx, table, c->options, &data)))
            handle_put(box, data);
        gbs_table_free(table);
    }
    if (c->status == GBS_OK) {
        SET_VECTOR_ELT(value, 1, table_rows(data));
        tell_unseen(value, 2, data, gbs_data_recipe(data));
    }
    SEXP result = call_end(c, value);
    UNPROTECT(3);
    return result;
}

static gbs_status recipe_in(call *c, kind is, const void *of, gbs_recipe **out) {
    return is == KIND_PARTICLES ? gbs_recipe_from_particles(c->ctx, of, out)
                                : gbs_recipe_from_model(c->ctx, of, out);
}

/* Data of a table for predictions of a model or sample, its rows, and what the recipe did not
 * know. */
SEXP gbsr_apply(SEXP model, SEXP columns, SEXP names, SEXP given) {
    static const char *const parts[] = {"data", "rows", "unseen", "count", "level"};
    call *c;
    gbs_data *data = NULL;
    gbs_recipe *recipe = NULL;
    kind is = handle_kind(model);
    const void *of = handle_of(model, is);
    SEXP value = PROTECT(named_list(5, parts)), box = PROTECT(handle_box(KIND_DATA, R_NilValue));
    SET_VECTOR_ELT(value, 0, box);
    PROTECT(call_short(&c));
    if (call_options(c, "predict", given)) {
        gbs_table *table = table_of(c, columns, names);
        if (table != NULL && call_ok(c, recipe_in(c, is, of, &recipe)) &&
            call_ok(c,
                    gbs_table_apply(c->ctx, table, recipe, GBS_WITHOUT_LABELS, c->options, &data)))
            handle_put(box, data);
        gbs_table_free(table);
    }
    if (c->status == GBS_OK) {
        SET_VECTOR_ELT(value, 1, table_rows(data));
        tell_unseen(value, 2, data, recipe);
    }
    gbs_recipe_free(recipe);
    SEXP result = call_end(c, value);
    UNPROTECT(3);
    return result;
}

/* ---------------------------------------------------------------- what is known of rows */

SEXP gbsr_shape(SEXP box) {
    const gbs_data *data = handle_of(box, KIND_DATA);
    SEXP shape = Rf_allocVector(REALSXP, 2);
    REAL(shape)[0] = (double)gbs_data_rows(data);
    REAL(shape)[1] = (double)gbs_data_columns(data);
    return shape;
}

SEXP gbsr_looked(SEXP box, SEXP bits) {
    gbs_data_looked(handle_of(box, KIND_DATA), (unsigned)Rf_asInteger(bits));
    return R_NilValue;
}

SEXP gbsr_weights(SEXP box, SEXP weight) {
    call *c;
    gbs_data *data = handle_of(box, KIND_DATA);
    if ((size_t)Rf_xlength(weight) != gbs_data_rows(data))
        Rf_error("weights: not one for each row");
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_data_set_weights(c->ctx, data, REAL(weight)));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* Rows of the same number belong together. */
SEXP gbsr_groups(SEXP box, SEXP group) {
    call *c;
    gbs_data *data = handle_of(box, KIND_DATA);
    size_t n = gbs_data_rows(data);
    uint64_t *numbers = (uint64_t *)R_alloc(n + 1, sizeof *numbers);
    if ((size_t)Rf_xlength(group) != n)
        Rf_error("groups: not one for each row");
    for (size_t i = 0; i < n; i++)
        numbers[i] = (uint64_t)INTEGER(group)[i];
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_data_set_groups(c->ctx, data, numbers));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* Three classes or more: the number of each row's, from 0. */
SEXP gbsr_classes(SEXP box, SEXP number, SEXP classes) {
    call *c;
    gbs_data *data = handle_of(box, KIND_DATA);
    size_t n = (size_t)Rf_xlength(number);
    uint32_t *class_of = (uint32_t *)R_alloc(n + 1, sizeof *class_of);
    for (size_t i = 0; i < n; i++)
        class_of[i] = (uint32_t)INTEGER(number)[i];
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_data_set_classes(c->ctx, data, n, class_of, (size_t)Rf_asInteger(classes)));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* cost[said, is], as R keeps a matrix: what the library wants row by row. */
SEXP gbsr_costs(SEXP box, SEXP cost) {
    call *c;
    gbs_data *data = handle_of(box, KIND_DATA);
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_data_set_costs(c->ctx, data, (size_t)Rf_nrows(cost), REAL(cost)));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* Which rows to learn from, handed in ... */
SEXP gbsr_set_split(SEXP box, SEXP learned) {
    call *c;
    gbs_data *data = handle_of(box, KIND_DATA);
    size_t n = gbs_data_rows(data);
    unsigned char *flags = (unsigned char *)R_alloc(n + 1, 1);
    if ((size_t)Rf_xlength(learned) != n)
        Rf_error("split: not one for each row");
    for (size_t i = 0; i < n; i++)
        flags[i] = LOGICAL(learned)[i] != 0;
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_data_set_split(c->ctx, data, flags));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* ... and handed out. */
SEXP gbsr_split(SEXP box, SEXP given, SEXP how) {
    call *c;
    const gbs_data *data = handle_of(box, KIND_DATA);
    size_t n = gbs_data_rows(data);
    unsigned char *flags = (unsigned char *)R_alloc(n + 1, 1);
    SEXP learned = PROTECT(Rf_allocVector(LGLSXP, (R_xlen_t)n));
    PROTECT(call_begin(how, &c));
    if (call_options(c, "fit", given) && call_ok(c, gbs_fit_split(c->ctx, data, c->options, flags)))
        for (size_t i = 0; i < n; i++)
            LOGICAL(learned)[i] = flags[i] != 0;
    SEXP result = call_end(c, learned);
    UNPROTECT(2);
    return result;
}
