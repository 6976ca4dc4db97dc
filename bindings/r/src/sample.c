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

static SEXP path_of(const gbs_particles *particles) {
    static const char *const names[] = {"lambda", "log_z",      "log_z_sd", "gibbs_risk",
                                        "ess",    "acceptance", "step"};
    double *out[7];
    size_t count = gbs_particles_path_size(particles);
    SEXP path = PROTECT(arrays_of(count, 7, names, out));
    for (size_t k = 0; k < count; k++) {
        const gbs_sample_point *p = gbs_particles_path_at(particles, k);
        const double values[7] = {p->lambda, p->log_z,      p->log_z_sd, p->gibbs_risk,
                                  p->ess,    p->acceptance, p->step};
        for (int j = 0; j < 7; j++)
            out[j][k] = values[j];
    }
    UNPROTECT(1);
    return path;
}

/* d rows and a particle in each column, as they lie in memory. */
static SEXP draws_of(const gbs_particles *particles, const gbs_sample_info *i) {
    SEXP draws = Rf_allocMatrix(REALSXP, (int)i->d, (int)i->particles);
    memcpy(REAL(draws), gbs_particles_draws(particles), i->d * i->particles * sizeof(double));
    return draws;
}

SEXP gbsr_sample_info(SEXP box) {
    static const char *const names[] = {
        "task",       "loss",        "n",           "d",        "particles",  "lambda",
        "prior_sd",   "ess",         "log_z",       "log_z_sd", "gibbs_risk", "gibbs_risk_sd",
        "acceptance", "gibbs_error", "train_error", "kl",       "features",   "log_z_sd_least",
        "path",       "draws"};
    const gbs_particles *particles = handle_of(box, KIND_PARTICLES);
    const gbs_sample_info *i = gbs_particles_get_info(particles);
    const double numbers[] = {
        (double)i->n,  (double)i->d,   (double)i->particles, i->lambda,     i->prior_sd,
        i->ess,        i->log_z,       i->log_z_sd,          i->gibbs_risk, i->gibbs_risk_sd,
        i->acceptance, i->gibbs_error, i->train_error,       i->kl,         (double)i->features};
    SEXP value = PROTECT(named_list(20, names));
    SET_VECTOR_ELT(value, 0, text_or_null(gbs_task_name(i->task)));
    SET_VECTOR_ELT(value, 1, text_or_null(gbs_loss_name(i->loss)));
    for (int k = 0; k < 15; k++)
        SET_VECTOR_ELT(value, k + 2, Rf_ScalarReal(numbers[k]));
    SET_VECTOR_ELT(value, 17, Rf_ScalarLogical(i->log_z_sd_at_least != 0));
    SET_VECTOR_ELT(value, 18, path_of(particles));
    SET_VECTOR_ELT(value, 19, draws_of(particles, i));
    UNPROTECT(1);
    return value;
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

SEXP gbsr_sample_to_json(SEXP box) {
    call *c;
    char *text = NULL;
    size_t size = 0;
    gbs_particles *particles = handle_of(box, KIND_PARTICLES);
    PROTECT(call_short(&c));
    if (c->status == GBS_OK)
        call_ok(c, gbs_particles_to_json(c->ctx, particles, &text, &size));
    SEXP result = call_end_text(c, text, size);
    UNPROTECT(1);
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
                                        "free_energy", "gibbs_risk", "gap_sd_least"};
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
