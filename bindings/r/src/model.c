/* Models: fitted, told, asked for predictions, kept in files. */
#include "native.h"

/* start: a model to start from, or NULL. */
SEXP gbsr_fit(SEXP rows, SEXP start, SEXP given, SEXP how) {
    call *c;
    gbs_model *model = NULL;
    gbs_data *data = handle_of(rows, KIND_DATA);
    const gbs_model *from = start != R_NilValue ? handle_of(start, KIND_MODEL) : NULL;
    SEXP box = PROTECT(handle_box(KIND_MODEL, R_NilValue));
    PROTECT(call_begin(how, &c));
    if (call_options(c, "fit", given) &&
        call_ok(c, gbs_fit_from(c->ctx, data, c->options, from, &model)))
        handle_put(box, model);
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}

/* ---------------------------------------------------------------- texts */

/* What a model, a sample or a completion tells, or the bytes of its file. */
static SEXP text_of(SEXP box, int file) {
    call *c;
    char *text = NULL;
    size_t size = 0;
    kind of = handle_kind(box);
    const void *handle = handle_of(box, of);
    PROTECT(call_short(&c));
    if (c->status == GBS_OK && of == KIND_PARTICLES)
        call_ok(c, file ? gbs_particles_to_json(c->ctx, handle, &text, &size)
                        : gbs_particles_describe_json(c->ctx, handle, 0, &text, &size));
    else if (c->status == GBS_OK && of == KIND_COMPLETION)
        call_ok(c, file ? gbs_completion_to_json(c->ctx, handle, &text, &size)
                        : gbs_completion_describe_json(c->ctx, handle, 0, &text, &size));
    else if (c->status == GBS_OK)
        call_ok(c, file ? gbs_model_to_json(c->ctx, handle, &text, &size)
                        : gbs_model_describe_json(c->ctx, handle, 0, &text, &size));
    SEXP result = call_end_text(c, text, size);
    UNPROTECT(1);
    return result;
}

SEXP gbsr_describe(SEXP box) {
    return text_of(box, 0);
}

SEXP gbsr_to_json(SEXP box) {
    return text_of(box, 1);
}

SEXP gbsr_from_json(SEXP bytes) {
    call *c;
    gbs_model *model = NULL;
    SEXP box = PROTECT(handle_box(KIND_MODEL, R_NilValue));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK && call_ok(c, gbs_model_from_json(c->ctx, (const char *)RAW(bytes),
                                                              (size_t)Rf_xlength(bytes), &model)))
        handle_put(box, model);
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}

SEXP gbsr_recipe(SEXP box) {
    return text_or_null(gbs_model_recipe(handle_of(box, KIND_MODEL)));
}

SEXP gbsr_set_recipe(SEXP box, SEXP json) {
    call *c;
    gbs_model *model = handle_of(box, KIND_MODEL);
    const char *text = Rf_translateCharUTF8(STRING_ELT(json, 0));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_model_set_recipe(c->ctx, model, text));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* ---------------------------------------------------------------- files */

SEXP gbsr_write(SEXP path, SEXP bytes) {
    call *c;
    const char *name = Rf_translateChar(STRING_ELT(path, 0));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_write_file(c->ctx, name, RAW(bytes), (size_t)Rf_xlength(bytes)));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

/* A file of the program or of a binding: one of the three is a handle, the others are NULL. */
SEXP gbsr_load(SEXP path) {
    static const char *const names[] = {"model", "sample", "completion"};
    call *c;
    gbs_model *model = NULL;
    gbs_particles *particles = NULL;
    gbs_completion *completion = NULL;
    const char *name = Rf_translateChar(STRING_ELT(path, 0));
    SEXP value = PROTECT(named_list(3, names)), box[3];
    box[0] = PROTECT(handle_box(KIND_MODEL, R_NilValue));
    box[1] = PROTECT(handle_box(KIND_PARTICLES, R_NilValue));
    box[2] = PROTECT(handle_box(KIND_COMPLETION, R_NilValue));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK &&
        call_ok(c, gbs_load_any(c->ctx, name, &model, &particles, &completion))) {
        void *handles[3] = {model, particles, completion};
        for (int k = 0; k < 3; k++)
            if (handles[k] != NULL) {
                handle_put(box[k], handles[k]);
                SET_VECTOR_ELT(value, k, box[k]);
            }
    }
    SEXP result = call_end(c, value);
    UNPROTECT(5);
    return result;
}

/* ---------------------------------------------------------------- predictions */

SEXP gbsr_classify(SEXP box, SEXP rows, SEXP how) {
    static const char *const names[] = {"label", "prob", "score", "vote"};
    call *c;
    double *out[4];
    gbs_model *model = handle_of(box, KIND_MODEL);
    gbs_data *data = handle_of(rows, KIND_DATA);
    SEXP value = PROTECT(arrays_of(gbs_data_rows(data), 4, names, out));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_model_classify(c->ctx, model, data, out[0], out[1], out[2], out[3]));
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

SEXP gbsr_predict(SEXP box, SEXP rows, SEXP how) {
    static const char *const names[] = {"score", "sd", "prob"};
    call *c;
    double *out[3];
    gbs_model *model = handle_of(box, KIND_MODEL);
    gbs_data *data = handle_of(rows, KIND_DATA);
    SEXP value = PROTECT(arrays_of(gbs_data_rows(data), 3, names, out));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_model_predict(c->ctx, model, data, out[0], out[1], out[2]));
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

/* Of any number of classes: the number of each row's class, from 1, and the probability of each
 * class, a row of the data in each column. */
SEXP gbsr_classify_many(SEXP box, SEXP rows, SEXP how) {
    static const char *const names[] = {"number", "prob"};
    call *c;
    gbs_model *model = handle_of(box, KIND_MODEL);
    gbs_data *data = handle_of(rows, KIND_DATA);
    size_t n = gbs_data_rows(data), classes = gbs_model_classes(model);
    uint32_t *class_of = (uint32_t *)R_alloc(n + 1, sizeof *class_of);
    SEXP value = PROTECT(named_list(2, names));
    SET_VECTOR_ELT(value, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
    SET_VECTOR_ELT(value, 1, Rf_allocMatrix(REALSXP, (int)classes, (int)n));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK &&
        call_ok(c, gbs_model_classify_rows(c->ctx, model, data, n, classes, class_of,
                                           REAL(VECTOR_ELT(value, 1)))))
        for (size_t i = 0; i < n; i++)
            INTEGER(VECTOR_ELT(value, 0))[i] = (int)class_of[i] + 1;
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

/* The intercept, then a coefficient for each column as it came. */
SEXP gbsr_linear(SEXP box) {
    call *c;
    gbs_model *model = handle_of(box, KIND_MODEL);
    size_t features = gbs_model_get_info(model)->features;
    SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)features + 1));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_model_linear(c->ctx, model, REAL(value) + 1, REAL(value)));
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}
