/* Sampling for the commands. */
#include "cmd/sampling.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

gbs_scheme problems_scheme(const gbs_model *model) {
    const gbs_classes_card *card = gbs_model_classes_card(model);
    return card != NULL ? card->scheme : GBS_SCHEME_REST;
}

size_t problems_most(const gbs_model *model, const gbs_recipe *recipe) {
    size_t classes = gbs_recipe_classes(recipe);
    return problems_scheme(model) == GBS_SCHEME_PAIRS ? classes * (classes - 1) / 2 : classes;
}

bool problem_at(const gbs_model *model, size_t k, struct problem *out, const gbs_model **part) {
    *out = (struct problem){k, SIZE_MAX};
    *part = model != NULL ? gbs_model_part(model, k, &out->one, &out->other) : NULL;
    return model == NULL || *part != NULL;
}

void problems_json(struct json *j, const gbs_recipe *recipe, const gbs_model *model) {
    json_open_array(j, "classes");
    for (size_t k = 0; k < gbs_recipe_classes(recipe); k++)
        json_put_string(j, NULL, gbs_recipe_class(recipe, k));
    json_close_array(j);
    json_put_string(j, "scheme", gbs_scheme_name(problems_scheme(model)));
}

void problem_json(struct json *j, const gbs_recipe *recipe, struct problem p) {
    json_put_string(j, "class", gbs_recipe_class(recipe, p.one));
    json_put_string(j, "against", p.other != SIZE_MAX ? gbs_recipe_class(recipe, p.other) : NULL);
}

const char *problem_class(const gbs_recipe *recipe, size_t class, size_t most,
                          char out[static LINE_NAME]) {
    return class == SIZE_MAX ? "the rest" : line_name(gbs_recipe_class(recipe, class), most, out);
}

const char *sampling_error(double sd, bool at_least, char out[static LINE_NUMBER]) {
    snprintf(out, LINE_NUMBER, "%s%.4f", at_least ? ">=" : "", sd);
    return out;
}

int sampling_json(struct json *j, const struct app *app, const gbs_particles *particles) {
    return sampling_describe(j, app, particles,
                             GBS_DESCRIBE_INFO | GBS_DESCRIBE_PATH | GBS_DESCRIBE_CERTIFICATES);
}

int sampling_describe(struct json *j, const struct app *app, const gbs_particles *particles,
                      unsigned parts) {
    char *members = NULL;
    gbs_status status = gbs_particles_describe_json(app->ctx, particles, parts, &members, NULL);
    return result_members(j, app, status, members);
}

static void posterior_text(struct text *t, const gbs_sample_info *i, const gbs_task *task) {
    char of[48] = "", smaller[64] = "", sd[LINE_NUMBER], lambda[LINE_NUMBER];
    if (i->n < i->n_data)
        snprintf(of, sizeof of, " of the %zu", i->n_data);
    if (gbs_task_has(task, GBS_FACT_PAIRS))
        snprintf(smaller, sizeof smaller, ", %zu in the smaller class", i->blocks);
    line_add(t, LINE_LONG, "posterior", "%sloss %s, %s%s, %zu%s rows%s",
             gbs_task_word(task, GBS_WORD_PREFIX), gbs_loss_name(i->loss),
             counted(i->d, "coefficient").text, i->intercept ? " with the intercept" : "", i->n, of,
             smaller);
    line_add(
        t, LINE_LONG, "prior", "N(%s, %s^2) on each coefficient, lambda %s, columns scaled: %s",
        i->prior == GBS_PRIOR_INFORMED ? "the model's m0" : "0", line_number(i->prior_sd, 6, sd),
        line_number(i->lambda, 6, lambda), gbs_scale_name(i->scale));
}

static void sampler_text(struct text *t, const gbs_sample_info *i, size_t temperatures) {
    char chains[48] = "", taken[48] = "";
    if (!i->classic)
        snprintf(chains, sizeof chains, " in %zu chains", i->chains);
    if (isfinite(i->acceptance))
        snprintf(taken, sizeof taken, ", %.0f %% of the moves taken", 100.0 * i->acceptance);
    line_add(t, LINE_LONG, "sampler", "%s, %s moves, %s%s, %zu temperature%s%s",
             i->classic ? "classic" : "waste-free", gbs_move_name(i->move),
             counted(i->particles, "particle").text, chains, temperatures,
             temperatures == 1 ? "" : "s", taken);
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
             gbs_task_word(task, GBS_WORD_RISK), text_up(i->bound, 4), i->confidence, i->kl);
}
