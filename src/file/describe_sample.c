/* A sample of the Gibbs posterior told as JSON: what was sampled, how it went, log Z.
 *
 * One object whose members are those of `sample` and `inspect` on the command line; each part is a
 * bit of gbs_describe. Columns have the names of the recipe that the sample carries; without one
 * column k is "Vk", from 1.
 */
#include "core/check.h"
#include "file/describe.h"
#include "model/particles.h"
#include "task/task.h"

#include <math.h>

static void put_info(gbs_writer *w, const gbs_particles *p) {
    const gbs_sample_info *i = &p->info;
    gbs_writer_text(w, "task", gbs_task_name(gbs_particles_task(p)->kind));
    gbs_writer_text(w, "loss", gbs_loss_name(i->loss));
    gbs_writer_count(w, "n", i->n);
    gbs_writer_count(w, "n_data", i->n_data);
    gbs_writer_count(w, "d", i->d);
    gbs_writer_number(w, "lambda", i->lambda);
    gbs_writer_number(w, "prior_sd", i->prior_sd);
    gbs_writer_text(w, "prior", gbs_prior_name(i->prior));
    gbs_writer_text(w, "scale", gbs_scale_name(i->scale));
    gbs_writer_bool(w, "intercept", i->intercept != 0);
    gbs_writer_text(w, "algorithm", i->classic ? "classic" : "waste-free");
    gbs_writer_text(w, "move", gbs_move_name(i->move));
    gbs_writer_count(w, "particles", i->particles);
    gbs_writer_count(w, "chains", i->chains);
    gbs_writer_number(w, "log_z", i->log_z);
    gbs_writer_number(w, "log_z_sd", i->log_z_sd);
    gbs_writer_bool(w, "log_z_sd_at_least", i->log_z_sd_at_least != 0);
    gbs_writer_number(w, "gibbs_risk", i->gibbs_risk);
    gbs_writer_number(w, "gibbs_risk_sd", i->gibbs_risk_sd);
    gbs_writer_number(w, "gibbs_error", i->gibbs_error);
    gbs_writer_number(w, "train_error", i->train_error);
    gbs_writer_number(w, "kl", i->kl);
    gbs_writer_number(w, "acceptance", i->acceptance);
    gbs_writer_number(w, "ess", p->path_size > 0 ? p->path[p->path_size - 1].ess : NAN);
}

static void put_path(gbs_writer *w, const gbs_particles *p) {
    gbs_writer_open(w, "lambda_path", '[');
    for (size_t t = 0; t < p->path_size; t++)
        gbs_writer_number(w, NULL, p->path[t].lambda);
    gbs_writer_close(w, ']');
    gbs_writer_open(w, "path", '[');
    for (size_t t = 0; t < p->path_size; t++) {
        const gbs_sample_point *at = &p->path[t];
        gbs_writer_open(w, NULL, '{');
        gbs_writer_number(w, "lambda", at->lambda);
        gbs_writer_number(w, "log_z", at->log_z);
        gbs_writer_number(w, "log_z_sd", at->log_z_sd);
        gbs_writer_number(w, "gibbs_risk", at->gibbs_risk);
        gbs_writer_number(w, "gibbs_risk_sd", at->gibbs_risk_sd);
        gbs_writer_number(w, "ess", at->ess);
        gbs_writer_number(w, "acceptance", at->acceptance);
        gbs_writer_number(w, "step", at->step);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

/* docs/maths.md, 6.6: never a certificate. */
static void put_estimate(gbs_writer *w, const gbs_sample_info *i) {
    gbs_writer_open(w, "estimate", '{');
    gbs_writer_text(w, "status", "estimate");
    gbs_writer_text(w, "target", "gibbs");
    gbs_writer_text(w, "loss", "zero-one");
    gbs_writer_text(w, "method", "kl");
    gbs_writer_number(w, "value", i->bound);
    gbs_writer_number(w, "confidence", i->confidence);
    gbs_writer_count(w, "blocks", i->blocks);
    gbs_writer_number(w, "empirical", i->gibbs_error);
    gbs_writer_number(w, "kl", i->kl);
    gbs_writer_text(w, "why",
                    isnan(i->bound)
                        ? "the prior was learned from the same rows: there is no bound to estimate"
                        : "risk and KL are averages over particles, which are no independent draws "
                          "of the posterior");
    gbs_writer_close(w, '}');
}

/* Mean and standard deviation over the particles, a coefficient at a time: the covariance of many
 * would be large. */
static gbs_status put_coefficients(gbs_writer *w, const gbs_particles *p,
                                   const gbs_recipe *recipe) {
    size_t d = p->info.d, count = p->info.particles;
    double *mean = gbs_doubles(w->ctx, d);
    if (mean == NULL)
        return GBS_ERR_MEMORY;
    gbs_particles_moments(p, mean, NULL);
    gbs_writer_open(w, "coefficients", '[');
    for (size_t k = 0; k < d; k++) {
        char name[GBS_DESCRIBE_NAME];
        double square = 0.0;
        if (!gbs_describe_column(recipe, p->info.features, gbs_particles_column(p, k), name))
            continue;
        for (size_t i = 0; i < count; i++)
            square += (p->theta[i * d + k] - mean[k]) * (p->theta[i * d + k] - mean[k]);
        gbs_writer_open(w, NULL, '{');
        gbs_writer_text(w, "name", name);
        gbs_writer_number(w, "mean", mean[k]);
        gbs_writer_number(w, "sd", sqrt(square / (double)count));
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
    gbs_array_free(w->ctx, mean);
    return GBS_OK;
}

gbs_status gbs_particles_describe_json(gbs_context *ctx, const gbs_particles *particles,
                                       unsigned parts, char **text, size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, particles);
    gbs_recipe *recipe = NULL;
    gbs_writer w = {.ctx = ctx, .first = true};
    gbs_status status = gbs_describe_which(ctx, &parts);
    if (status == GBS_OK && particles->recipe != NULL)
        status = gbs_recipe_from_particles(ctx, particles, &recipe);
    if (status != GBS_OK)
        return status;
    gbs_writer_open(&w, NULL, '{');
    if ((parts & GBS_DESCRIBE_INFO) != 0)
        put_info(&w, particles);
    if ((parts & GBS_DESCRIBE_PATH) != 0)
        put_path(&w, particles);
    if ((parts & GBS_DESCRIBE_CERTIFICATES) != 0)
        put_estimate(&w, &particles->info);
    if ((parts & GBS_DESCRIBE_COEFFICIENTS) != 0)
        status = put_coefficients(&w, particles, recipe);
    gbs_writer_close(&w, '}');
    gbs_recipe_free(recipe);
    return gbs_describe_end(&w, status, text, size);
}
