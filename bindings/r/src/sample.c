/* Samples of the Gibbs posterior, and how far a fitted model is from it. */
#include "native.h"

#include <string.h>

/* model NULL: the posterior that the options of "sample" name; else the one that stage `stage` of
 * the model approximates. */
SEXP gbsr_sample(SEXP rows, SEXP model, SEXP stage, SEXP given, SEXP how) {
    call *c;
    gbs_particles *particles = NULL;
    gbs_data *data = handle_of(rows, KIND_DATA);
    gbs_model *of = model != R_NilValue ? handle_of(model, KIND_MODEL) : NULL;
    size_t at = (size_t)Rf_asInteger(stage);
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

SEXP gbsr_gap(SEXP rows, SEXP model, SEXP sample) {
    static const char *const names[] = {"gap",         "gap_sd",     "gap_over_lambda",
                                        "free_energy", "gibbs_risk", "gap_sd_at_least"};
    call *c;
    gbs_gap *g = NULL;
    gbs_data *data = handle_of(rows, KIND_DATA);
    gbs_model *of = handle_of(model, KIND_MODEL);
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
