/* Samples of the Gibbs posterior, and how far a fitted model is from it. */
#include "native.h"

#include <stdint.h>
#include <string.h>

/* Of three classes or more the binary problem `stage`, which has one stage. */
static const gbs_model *posterior_of(SEXP box, size_t *stage) {
    const gbs_model *model = handle_of(box, KIND_MODEL);
    if (gbs_model_classes(model) <= 2)
        return model;
    model = gbs_model_part(model, *stage, NULL, NULL);
    if (model == NULL)
        Rf_error("there is no binary problem %d", (int)*stage);
    *stage = 0;
    return model;
}

/* model NULL: the posterior that the options of "sample" name; else the one that stage `stage` of
 * the model, or its binary problem `stage`, approximates. */
SEXP gbsr_sample(SEXP rows, SEXP model, SEXP stage, SEXP given, SEXP how) {
    call *c;
    gbs_particles *particles = NULL;
    gbs_data *data = handle_of(rows, KIND_DATA);
    size_t at = (size_t)Rf_asInteger(stage);
    const gbs_model *of = model != R_NilValue ? posterior_of(model, &at) : NULL;
    SEXP box = PROTECT(handle_box(KIND_PARTICLES, R_NilValue));
    PROTECT(call_begin(how, &c));
    if (call_options(c, "sample", given)) {
        gbs_status status = of != NULL
                                ? gbs_sample_for(c->ctx, data, of, at, c->options, &particles)
                                : gbs_sample(c->ctx, data, c->options, &particles);
        if (call_ok(c, status))
            handle_put(box, particles);
    }
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}

/* d rows and a particle in each column, as they lie in memory. */
SEXP gbsr_sample_draws(SEXP box) {
    const gbs_particles *particles = handle_of(box, KIND_PARTICLES);
    const gbs_sample_info *i = gbs_particles_get_info(particles);
    SEXP draws = PROTECT(Rf_allocMatrix(REALSXP, (int)i->d, (int)i->particles));
    memcpy(REAL(draws), gbs_particles_draws(particles), i->d * i->particles * sizeof(double));
    UNPROTECT(1);
    return draws;
}

SEXP gbsr_sample_recipe(SEXP box) {
    return text_or_null(gbs_particles_recipe(handle_of(box, KIND_PARTICLES)));
}

SEXP gbsr_sample_set_recipe(SEXP box, SEXP json) {
    call *c;
    gbs_particles *particles = handle_of(box, KIND_PARTICLES);
    const char *text = Rf_translateCharUTF8(STRING_ELT(json, 0));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_particles_set_recipe(c->ctx, particles, text));
    SEXP result = call_end(c, R_NilValue);
    UNPROTECT(1);
    return result;
}

SEXP gbsr_sample_predict(SEXP box, SEXP rows, SEXP how) {
    static const char *const names[] = {"score", "sd", "vote"};
    call *c;
    double *out[3];
    gbs_particles *particles = handle_of(box, KIND_PARTICLES);
    gbs_data *data = handle_of(rows, KIND_DATA);
    SEXP value = PROTECT(arrays_of(gbs_data_rows(data), 3, names, out));
    PROTECT(call_begin(how, &c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_particles_predict(c->ctx, particles, data, out[0], out[1], out[2]));
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}

SEXP gbsr_sample_from_json(SEXP bytes) {
    call *c;
    gbs_particles *particles = NULL;
    SEXP box = PROTECT(handle_box(KIND_PARTICLES, R_NilValue));
    PROTECT(call_short(&c));
    if (c->status == GBS_OK &&
        call_ok(c, gbs_particles_from_json(c->ctx, (const char *)RAW(bytes),
                                           (size_t)Rf_xlength(bytes), &particles)))
        handle_put(box, particles);
    SEXP result = call_end(c, box);
    UNPROTECT(2);
    return result;
}

/* The binary problems that were learned: number, class, and class against which (NA: the rest). */
SEXP gbsr_problems(SEXP box) {
    const gbs_model *model = handle_of(box, KIND_MODEL);
    size_t count = 0, one = 0, other = 0;
    for (size_t k = 0; gbs_model_part(model, k, &one, &other) != NULL || one != SIZE_MAX; k++)
        count += gbs_model_part(model, k, NULL, NULL) != NULL;
    SEXP found = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
    for (size_t k = 0, to = 0; to < count; k++) {
        if (gbs_model_part(model, k, &one, &other) == NULL)
            continue;
        SEXP item = Rf_allocVector(INTSXP, 3);
        SET_VECTOR_ELT(found, (R_xlen_t)to++, item);
        INTEGER(item)[0] = (int)k;
        INTEGER(item)[1] = (int)one;
        INTEGER(item)[2] = other != SIZE_MAX ? (int)other : NA_INTEGER;
    }
    UNPROTECT(1);
    return found;
}

SEXP gbsr_gap(SEXP rows, SEXP model, SEXP stage, SEXP sample) {
    static const char *const names[] = {"gap",         "gap_sd",     "gap_over_lambda",
                                        "free_energy", "gibbs_risk", "gap_sd_at_least"};
    call *c;
    gbs_gap *g = NULL;
    gbs_data *data = handle_of(rows, KIND_DATA);
    size_t at = (size_t)Rf_asInteger(stage);
    const gbs_model *of = posterior_of(model, &at);
    gbs_particles *particles = handle_of(sample, KIND_PARTICLES);
    double found[6] = {0.0};
    PROTECT(call_short(&c));
    if (c->status == GBS_OK && call_ok(c, gbs_measure_gap(c->ctx, data, of, particles, &g))) {
        const double told[6] = {g->gap,         g->gap_sd,     g->gap_over_lambda,
                                g->free_energy, g->gibbs_risk, g->gap_sd_at_least ? 1.0 : 0.0};
        memcpy(found, told, sizeof found);
    }
    gbs_gap_free(g);
    SEXP value = PROTECT(named_list(6, names));
    for (int k = 0; k < 6; k++)
        SET_VECTOR_ELT(value, k, Rf_ScalarReal(found[k]));
    SEXP result = call_end(c, value);
    UNPROTECT(2);
    return result;
}
