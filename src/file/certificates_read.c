/* Reading the certificates of a model file, and the path that led to the model: nothing in them is
 * trusted. */
#include "file/certificates_file.h"

#include "model/many.h"

#include <math.h>
#include <string.h>

static const char *loss_name(int i) {
    return gbs_loss_name((gbs_loss)i);
}

static const char *target_name(int i) {
    return gbs_target_name((gbs_target)i);
}

static const char *bound_name(int i) {
    return gbs_bound_name((gbs_bound)i);
}

static const char *risk_name(int i) {
    return gbs_risk_name((gbs_risk)i);
}

/* Texts back to bits; one that this version does not know is left out. */
static unsigned assumption_bits(const json_t *list) {
    unsigned bits = 0;
    const char *text;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *said = json_string_value(json_array_get(list, i));
        for (unsigned k = 0; said != NULL && (text = gbs_assumption_text(k, NULL)) != NULL; k++)
            if (strcmp(said, text) == 0)
                bits |= 1U << k;
    }
    return bits;
}

static gbs_status get_certificate(gbs_context *ctx, const json_t *object, gbs_certificate *c) {
    int choice;
    TRY(gbs_json_get_choice(ctx, object, "target", target_name, &choice));
    c->target = (gbs_target)choice;
    TRY(gbs_json_get_choice(ctx, object, "loss", loss_name, &choice));
    c->loss = (gbs_loss)choice;
    TRY(gbs_json_get_choice(ctx, object, "method", bound_name, &choice));
    c->method = (gbs_bound)choice;
    TRY(gbs_json_get_real(ctx, object, "value", &c->value));
    TRY(gbs_json_get_real(ctx, object, "confidence", &c->confidence));
    TRY(gbs_json_get_size(ctx, object, "blocks", SIZE_MAX / 16, &c->blocks));
    TRY(gbs_json_get_real_or_nan(ctx, object, "empirical", &c->empirical));
    TRY(gbs_json_get_real(ctx, object, "kl", &c->kl));
    TRY(gbs_json_get_real_or_nan(ctx, object, "lambda", &c->lambda));
    TRY(gbs_json_get_real(ctx, object, "grid_nats", &c->grid_nats));
    TRY(gbs_json_get_real(ctx, object, "xi_nats", &c->xi_nats));
    TRY(gbs_json_get_bool(ctx, object, "valid", &c->valid));
    if (json_object_get(object, "risk") != NULL) {
        TRY(gbs_json_get_choice(ctx, object, "risk", risk_name, &choice));
        c->risk = (gbs_risk)choice;
    }
    c->empirical_upper = NAN;
    if (json_object_get(object, "sampled") != NULL) {
        TRY(gbs_json_get_size(ctx, object, "sampled", SIZE_MAX / 16, &c->sampled));
        TRY(gbs_json_get_real(ctx, object, "sampled_delta", &c->sampled_delta));
        TRY(gbs_json_get_real(ctx, object, "empirical_upper", &c->empirical_upper));
    }
    if (json_object_get(object, "given") != NULL) {
        double given;
        TRY(gbs_json_get_real(ctx, object, "given", &given));
        c->given = given > 0.0 ? (int)fmin(given, GBS_MOST_CLASSES) : -1;
    }
    c->grouped = json_is_true(json_object_get(object, "grouped"));
    c->assumptions = assumption_bits(json_object_get(object, "assumptions"));
    return GBS_OK;
}

gbs_status gbs_json_get_certificates(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *list = json_object_get(root, "certificates");
    m->certificates = gbs_array_alloc(ctx, json_array_size(list), sizeof *m->certificates);
    if (m->certificates == NULL)
        return GBS_ERR_MEMORY;
    for (; m->certificates_size < json_array_size(list); m->certificates_size++)
        TRY(get_certificate(ctx, json_array_get(list, m->certificates_size),
                            &m->certificates[m->certificates_size]));
    return GBS_OK;
}

gbs_status gbs_json_get_path(gbs_context *ctx, const json_t *root, gbs_model *m) {
    const json_t *path = json_object_get(root, "path"),
                 *restarts = json_object_get(root, "restarts");
    if (!json_is_array(path))
        return gbs_fail(ctx, GBS_ERR_FORMAT, "the model is damaged: 'path' should be a list");
    m->path_size = json_array_size(path);
    m->path = gbs_array_alloc(ctx, m->path_size, sizeof *m->path);
    if (m->path == NULL)
        return GBS_ERR_MEMORY;
    for (size_t t = 0; t < m->path_size; t++) {
        const json_t *point = json_array_get(path, t);
        gbs_path_point *p = &m->path[t];
        TRY(gbs_json_get_real(ctx, point, "lambda", &p->lambda));
        TRY(gbs_json_get_real(ctx, point, "prior_sd", &p->prior_sd));
        TRY(gbs_json_get_real_or_nan(ctx, point, "free_energy", &p->free_energy));
        TRY(gbs_json_get_real_or_nan(ctx, point, "gibbs_risk", &p->gibbs_risk));
        TRY(gbs_json_get_real_or_nan(ctx, point, "kl", &p->kl));
        TRY(gbs_json_get_real_or_nan(ctx, point, "optimality_gap", &p->optimality_gap));
        TRY(gbs_json_get_real_or_nan(ctx, point, "bound", &p->bound));
        TRY(gbs_json_get_size(ctx, point, "iterations", SIZE_MAX / 16, &p->iterations));
        TRY(gbs_json_get_bool(ctx, point, "converged", &p->converged));
    }
    m->restarts = gbs_doubles(ctx, json_array_size(restarts));
    if (m->restarts == NULL)
        return GBS_ERR_MEMORY;
    for (; m->restarts_size < json_array_size(restarts); m->restarts_size++) {
        const json_t *x = json_array_get(restarts, m->restarts_size);
        m->restarts[m->restarts_size] = json_is_number(x) ? json_number_value(x) : INFINITY;
    }
    return GBS_OK;
}
