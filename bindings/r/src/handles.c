/* Handles of the library as external pointers. */
#include "native.h"

static const char *const kind_names[KIND_COUNT] = {"gibbsite data", "gibbsite model",
                                                   "gibbsite sample", "gibbsite completion"};

static int is_kind(SEXP box, kind of) {
    return R_ExternalPtrTag(box) == Rf_install(kind_names[of]);
}

static void finish(SEXP box) {
    void *handle = R_ExternalPtrAddr(box);
    if (handle == NULL)
        return;
    R_ClearExternalPtr(box);
    if (is_kind(box, KIND_DATA))
        gbs_data_free(handle);
    else if (is_kind(box, KIND_MODEL))
        gbs_model_free(handle);
    else if (is_kind(box, KIND_PARTICLES))
        gbs_particles_free(handle);
    else
        gbs_completion_free(handle);
}

SEXP handle_box(kind of, SEXP kept) {
    SEXP box = PROTECT(R_MakeExternalPtr(NULL, Rf_install(kind_names[of]), kept));
    R_RegisterCFinalizerEx(box, finish, TRUE);
    UNPROTECT(1);
    return box;
}

void handle_put(SEXP box, void *handle) {
    R_SetExternalPtrAddr(box, handle);
}

void *handle_of(SEXP box, kind of) {
    if (TYPEOF(box) != EXTPTRSXP || !is_kind(box, of))
        Rf_error("not a handle of %s", kind_names[of]);
    void *handle = R_ExternalPtrAddr(box);
    if (handle == NULL)
        Rf_error("this handle of %s is gone", kind_names[of]);
    return handle;
}

kind handle_kind(SEXP box) {
    kind of = KIND_COUNT - 1;
    while (of > KIND_MODEL && !(TYPEOF(box) == EXTPTRSXP && is_kind(box, of)))
        of--;
    return of;
}

/* FALSE after a way through a file: readRDS leaves a pointer to nothing. */
SEXP gbsr_alive(SEXP box) {
    return Rf_ScalarLogical(TYPEOF(box) == EXTPTRSXP && R_ExternalPtrAddr(box) != NULL);
}
