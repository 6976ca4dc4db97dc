/* Sampling for the commands. */
#include "cmd/sampling.h"

#include <math.h>
#include <stdio.h>

static void put_path(struct json *j, const gbs_particles *particles) {
    const gbs_sample_point *at;
    json_open_array(j, "lambda_path");
    for (size_t t = 0; (at = gbs_particles_path_at(particles, t)) != NULL; t++)
        json_put_number(j, NULL, at->lambda);
    json_close_array(j);
    json_open_array(j, "path");
    for (size_t t = 0; (at = gbs_particles_path_at(particles, t)) != NULL; t++) {
        json_open_object(j, NULL);
        json_put_number(j, "lambda", at->lambda);
        json_put_number(j, "log_z", at->log_z);
        json_put_number(j, "log_z_sd", at->log_z_sd);
        json_put_number(j, "gibbs_risk", at->gibbs_risk);
        json_put_number(j, "gibbs_risk_sd", at->gibbs_risk_sd);
        json_put_number(j, "ess", at->ess);
        json_put_number(j, "acceptance", at->acceptance);
        json_put_number(j, "step", at->step);
        json_close_object(j);
    }
    json_close_array(j);
}

/* docs/maths.md, 6.6: never a certificate. */
static void put_estimate(struct json *j, const gbs_sample_info *i) {
    json_open_object(j, "estimate");
    json_put_string(j, "status", "estimate");
    json_put_string(j, "target", "gibbs");
    json_put_string(j, "loss", "zero-one");
    json_put_string(j, "method", "kl");
    json_put_number(j, "value", i->bound);
    json_put_number(j, "confidence", i->confidence);
    json_put_count(j, "blocks", i->blocks);
    json_put_number(j, "empirical", i->gibbs_error);
    json_put_number(j, "kl", i->kl);
    json_put_string(j, "why",
                    isnan(i->bound)
                        ? "the prior was learned from the same rows: there is no bound to estimate"
                        : "risk and KL are averages over particles, which are no independent draws "
                          "of the posterior");
    json_close_object(j);
}

void sampling_json(struct json *j, const gbs_particles *particles) {
    size_t last = gbs_particles_path_size(particles) - 1;
    const gbs_sample_info *i = gbs_particles_get_info(particles);
    json_put_string(j, "task", gbs_task_name(i->task));
    json_put_string(j, "loss", gbs_loss_name(i->loss));
    json_put_count(j, "n", i->n);
    json_put_count(j, "n_data", i->n_data);
    json_put_count(j, "d", i->d);
    json_put_number(j, "lambda", i->lambda);
    json_put_number(j, "prior_sd", i->prior_sd);
    json_put_string(j, "prior", gbs_prior_name(i->prior));
    json_put_string(j, "scale", gbs_scale_name(i->scale));
    json_put_bool(j, "intercept", i->intercept != 0);
    json_put_string(j, "algorithm", i->classic ? "classic" : "waste-free");
    json_put_string(j, "move", gbs_move_name(i->move));
    json_put_count(j, "particles", i->particles);
    json_put_count(j, "chains", i->chains);
    json_put_number(j, "log_z", i->log_z);
    json_put_number(j, "log_z_sd", i->log_z_sd);
    json_put_bool(j, "log_z_sd_at_least", i->log_z_sd_at_least != 0);
    json_put_number(j, "gibbs_risk", i->gibbs_risk);
    json_put_number(j, "gibbs_risk_sd", i->gibbs_risk_sd);
    json_put_number(j, "gibbs_error", i->gibbs_error);
    json_put_number(j, "train_error", i->train_error);
    json_put_number(j, "kl", i->kl);
    json_put_number(j, "acceptance", i->acceptance);
    json_put_number(j, "ess", gbs_particles_path_at(particles, last)->ess);
    put_path(j, particles);
    put_estimate(j, i);
}

static void posterior_text(struct text *t, const gbs_sample_info *i, const gbs_task *task) {
    char of[48] = "", smaller[64] = "";
    if (i->n < i->n_data)
        snprintf(of, sizeof of, " of the %zu", i->n_data);
    if (gbs_task_has(task, GBS_FACT_PAIRS))
        snprintf(smaller, sizeof smaller, ", %zu in the smaller class", i->blocks);
    line_add(t, LINE_LONG, "posterior", "%sloss %s, %zu coefficients%s, %zu%s rows%s",
             gbs_task_word(task, GBS_WORD_PREFIX), gbs_loss_name(i->loss), i->d,
             i->intercept ? " with the intercept" : "", i->n, of, smaller);
    line_add(t, LINE_LONG, "prior",
             "N(%s, %g^2) on each coefficient, lambda %g, columns scaled: %s",
             i->prior == GBS_PRIOR_INFORMED ? "the model's m0" : "0", i->prior_sd, i->lambda,
             gbs_scale_name(i->scale));
}

static void sampler_text(struct text *t, const gbs_sample_info *i, size_t temperatures) {
    char chains[48] = "", taken[48] = "";
    if (!i->classic)
        snprintf(chains, sizeof chains, " in %zu chains", i->chains);
    if (isfinite(i->acceptance))
        snprintf(taken, sizeof taken, ", %.0f %% of the moves taken", 100.0 * i->acceptance);
    line_add(t, LINE_LONG, "sampler", "%s, %s moves, %zu particles%s, %zu temperature%s%s",
             i->classic ? "classic" : "waste-free", gbs_move_name(i->move), i->particles, chains,
             temperatures, temperatures == 1 ? "" : "s", taken);
}

void sampling_results(struct text *t, enum line_kind kind, const gbs_particles *particles) {
    const gbs_sample_info *i = gbs_particles_get_info(particles);
    const gbs_task *task = gbs_particles_task(particles);
    line_add(t, kind, "log Z", "%.4f +- %.4f%s", i->log_z, i->log_z_sd,
             !i->log_z_sd_at_least ? ""
             : kind == LINE_SHORT  ? " at least"
                                   : " at least (the chains are too few or too slow to tell; more "
                                     "particles or moves would)");
    line_add(t, kind, "Gibbs risk", "%.5f +- %.5f (mean %s loss of the particles%s)", i->gibbs_risk,
             i->gibbs_risk_sd, gbs_loss_name(i->loss),
             gbs_task_has(task, GBS_FACT_PAIRS) ? " over all pairs" : "");
    if (!gbs_task_has(task, GBS_FACT_LABELS))
        line_add(t, kind, "training", "AUC %.4f of the mean score, %.4f of one particle",
                 1.0 - i->train_error, 1.0 - i->gibbs_error);
    else
        line_add(t, kind, "training", "error %.2f %% of the average vote, %.2f %% of one particle",
                 100.0 * i->train_error, 100.0 * i->gibbs_error);
}

void sampling_text(struct text *t, const gbs_particles *particles) {
    const gbs_sample_info *i = gbs_particles_get_info(particles);
    const gbs_task *task = gbs_particles_task(particles);
    posterior_text(t, i, task);
    sampler_text(t, i, gbs_particles_path_size(particles) - 1);
    sampling_results(t, LINE_LONG, particles);
    if (isnan(i->bound))
        return; /* there is none */
    line_add(t, LINE_LONG, "estimate",
             "true %s of one draw at most %.4f if these averages were exact (kl bound, confidence "
             "%g, KL to the prior %.4f); no certificate: particles are no independent draws",
             gbs_task_word(task, GBS_WORD_RISK), i->bound, i->confidence, i->kl);
}
