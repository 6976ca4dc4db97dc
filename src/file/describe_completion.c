/* A completed matrix told as JSON: what was fitted, how it went, what is certified.
 *
 * One object whose members are those of `complete` and `inspect` on the command line; each part is
 * a bit of gbs_describe.
 */
#include "core/check.h"
#include "file/describe.h"
#include "model/completion.h"

#include <math.h>

/* ---------------------------------------------------------------- how it was fitted */

static void put_choices(gbs_writer *w, const gbs_completion *model) {
    const gbs_noise_choice *choice;
    gbs_writer_open(w, "choices", '[');
    for (size_t k = 0; (choice = gbs_completion_choice(model, k)) != NULL; k++) {
        gbs_writer_open(w, NULL, '{');
        gbs_writer_text(w, "model", gbs_completion_model_name(choice->model));
        gbs_writer_count(w, "rank", choice->rank);
        gbs_writer_number(w, "lambda", choice->lambda);
        gbs_writer_number(w, "noise_variance", choice->noise_variance);
        gbs_writer_bool(w, "learned", choice->learned != 0);
        gbs_writer_number(w, "rmse", choice->rmse);
        gbs_writer_number(w, "rmse_se", choice->rmse_se);
        gbs_writer_number(w, "effective_rank", choice->effective_rank);
        gbs_writer_count(w, "not_converged", choice->not_converged);
        gbs_writer_bool(w, "taken", choice->taken != 0);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

static void put_restarts(gbs_writer *w, const gbs_completion *model) {
    size_t count;
    const double *restart = gbs_completion_restarts(model, &count);
    gbs_writer_open(w, "restarts", '[');
    for (size_t k = 0; k < count; k++)
        gbs_writer_number(w, NULL, restart[k]);
    gbs_writer_close(w, ']');
}

static void put_range(gbs_writer *w, const gbs_completion_info *i) {
    if (!i->has_range) {
        gbs_writer_text(w, "range", NULL);
        return;
    }
    gbs_writer_open(w, "range", '[');
    gbs_writer_number(w, NULL, i->low);
    gbs_writer_number(w, NULL, i->high);
    gbs_writer_close(w, ']');
}

static void put_monte_carlo(gbs_writer *w, const gbs_completion *model) {
    double kept, all = gbs_completion_monte_carlo(model, &kept);
    if (isnan(all)) {
        gbs_writer_text(w, "monte_carlo", NULL);
        return;
    }
    gbs_writer_open(w, "monte_carlo", '{');
    gbs_writer_number(w, "draws", all);
    gbs_writer_number(w, "kept", kept);
    gbs_writer_close(w, '}');
}

static void put_info(gbs_writer *w, const gbs_completion *model) {
    const gbs_completion_info *i = &model->info;
    gbs_writer_text(w, "task", "complete");
    gbs_writer_count(w, "n", i->n);
    gbs_writer_count(w, "rows", i->rows);
    gbs_writer_count(w, "cols", i->columns);
    gbs_writer_count(w, "rated_rows", i->rated_rows);
    gbs_writer_count(w, "rated_cols", i->rated_columns);
    gbs_writer_text(w, "model", gbs_completion_model_name(gbs_completion_get_model(model)));
    gbs_writer_bool(w, "positions", gbs_completion_uses_positions(model) != 0);
    gbs_writer_count(w, "rank", i->rank);
    gbs_writer_count(w, "effective_rank", i->effective_rank);
    gbs_writer_bool(w, "biases", i->biases != 0);
    gbs_writer_number(w, "lambda", i->lambda);
    gbs_writer_number(w, "noise_variance", i->noise_variance);
    gbs_writer_text(w, "noise", i->noise_learned ? "learned" : i->folds > 0 ? "chosen" : "given");
    gbs_writer_number(w, "inflation", model->inflation);
    gbs_writer_number(w, "mean", i->mu);
    gbs_writer_number(w, "free_energy", i->free_energy);
    gbs_writer_number(w, "kl", i->kl);
    gbs_writer_number(w, "rmse", i->rmse);
    gbs_writer_number(w, "ratings_mean", i->mean);
    gbs_writer_number(w, "ratings_sd", i->sd);
    gbs_writer_count(w, "folds", i->folds);
    put_choices(w, model);
    put_restarts(w, model);
    gbs_writer_count(w, "sweeps", i->sweeps);
    gbs_writer_bool(w, "converged", i->converged != 0);
    gbs_writer_text(w, "prior", gbs_prior_name(i->prior));
    gbs_writer_number(w, "prior_split", i->prior == GBS_PRIOR_INFORMED ? i->prior_split : NAN);
    gbs_writer_text(w, "sampler", gbs_sampler_name(i->sampler));
    gbs_writer_count(w, "draws", i->draws);
    gbs_writer_count(w, "burn_in", i->burn_in);
    put_monte_carlo(w, model);
    put_range(w, i);
}

/* ---------------------------------------------------------------- what is certified */

/* Of the values that are predicted, by ratings kept from the fit. */
static void put_of_values(gbs_writer *w, const gbs_completion *model) {
    const gbs_rating_certificate *c = &model->certificate;
    gbs_writer_text(w, "target", "rmse");
    gbs_writer_text(w, "loss", "squared");
    gbs_writer_text(w, "method", "betting");
    gbs_writer_number(w, "value", c->value);
    gbs_writer_number(w, "rmse", c->rmse);
    gbs_writer_number(w, "mae", gbs_completion_mae_bound(model));
    gbs_writer_number(w, "half_star", gbs_completion_miss_bound(model));
    gbs_writer_bool(w, "vacuous", c->vacuous != 0);
    gbs_writer_number(w, "middle_rmse", c->middle_rmse);
    gbs_writer_number(w, "confidence", c->confidence);
    gbs_writer_count(w, "rows", c->n);
    gbs_writer_count(w, "blocks", c->n);
    gbs_writer_number(w, "empirical", c->empirical);
    gbs_writer_number(w, "squared", c->squared);
    gbs_writer_number(w, "squared_empirical", c->squared_empirical);
    gbs_writer_number(w, "kl", 0.0);
    gbs_writer_open(w, "penalty_nats", '{');
    gbs_writer_number(w, "confidence", -log(1.0 - c->confidence));
    gbs_writer_close(w, '}');
}

/* Of one draw from the posterior. */
static void put_of_draws(gbs_writer *w, const gbs_rating_certificate *c) {
    gbs_writer_text(w, "target", "gibbs");
    gbs_writer_text(w, "loss", "squared");
    gbs_writer_text(w, "method", "kl");
    gbs_writer_number(w, "value", c->value);
    gbs_writer_number(w, "rmse", c->rmse);
    gbs_writer_bool(w, "vacuous", c->vacuous != 0);
    gbs_writer_number(w, "middle_rmse", c->middle_rmse);
    gbs_writer_number(w, "holdout_rmse", c->holdout_rmse);
    gbs_writer_number(w, "confidence", c->confidence);
    gbs_writer_count(w, "blocks", c->n);
    gbs_writer_number(w, "empirical", c->empirical);
    gbs_writer_number(w, "empirical_upper", c->empirical_upper);
    gbs_writer_count(w, "draws", c->draws);
    gbs_writer_number(w, "draws_delta", c->draws_delta);
    gbs_writer_number(w, "kl", c->kl);
    gbs_writer_open(w, "penalty_nats", '{');
    gbs_writer_number(w, "grid", c->grid_nats);
    gbs_writer_number(w, "xi", c->xi_nats);
    gbs_writer_number(w, "confidence", -log(1.0 - c->confidence - c->draws_delta));
    gbs_writer_close(w, '}');
}

static void put_certificate(gbs_writer *w, const gbs_completion *model) {
    const char *text;
    if (!model->certificate.present) {
        gbs_writer_text(w, "certificate", NULL);
        return;
    }
    gbs_writer_open(w, "certificate", '{');
    if (model->certificate.draws == 0)
        put_of_values(w, model);
    else
        put_of_draws(w, &model->certificate);
    gbs_writer_text(w, "status", "valid");
    gbs_writer_open(w, "assumptions", '[');
    for (size_t k = 0; (text = gbs_completion_assumption(model, k)) != NULL; k++)
        gbs_writer_text(w, NULL, text);
    gbs_writer_close(w, ']');
    gbs_writer_close(w, '}');
}

/* ---------------------------------------------------------------- how it went */

static void put_trace(gbs_writer *w, const gbs_completion *model) {
    const gbs_trace_point *p;
    gbs_writer_open(w, "trace", '[');
    for (size_t k = 0; (p = gbs_completion_trace_at(model, k)) != NULL; k++) {
        gbs_writer_open(w, NULL, '{');
        gbs_writer_count(w, "solve", p->solve);
        gbs_writer_count(w, "iteration", p->iteration);
        gbs_writer_count(w, "components", p->components);
        gbs_writer_number(w, "free_energy", p->free_energy);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
}

static gbs_status put_components(gbs_writer *w, const gbs_completion *model) {
    size_t rank = model->info.effective_rank;
    double *size = gbs_doubles(w->ctx, 2 * rank + 1);
    if (size == NULL)
        return GBS_ERR_MEMORY;
    gbs_completion_components(model, size, size + rank);
    gbs_writer_open(w, "components", '[');
    for (size_t k = 0; k < rank; k++) {
        gbs_writer_open(w, NULL, '{');
        gbs_writer_number(w, "size", size[k]);
        gbs_writer_number(w, "prior_sd", size[rank + k]);
        gbs_writer_close(w, '}');
    }
    gbs_writer_close(w, ']');
    gbs_array_free(w->ctx, size);
    return GBS_OK;
}

gbs_status gbs_completion_describe_json(gbs_context *ctx, const gbs_completion *model,
                                        unsigned parts, char **text, size_t *size) {
    GBS_NEEDS(ctx, text);
    *text = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, model);
    gbs_writer w = {.ctx = ctx, .first = true};
    gbs_status status = gbs_describe_which(ctx, &parts);
    if (status != GBS_OK)
        return status;
    gbs_writer_open(&w, NULL, '{');
    if ((parts & GBS_DESCRIBE_INFO) != 0)
        put_info(&w, model);
    if ((parts & GBS_DESCRIBE_CERTIFICATES) != 0)
        put_certificate(&w, model);
    if ((parts & GBS_DESCRIBE_TRACE) != 0)
        put_trace(&w, model);
    if ((parts & GBS_DESCRIBE_COEFFICIENTS) != 0)
        status = put_components(&w, model);
    if ((parts & GBS_DESCRIBE_ORIGIN) != 0)
        gbs_describe_origin(&w, gbs_completion_origin(model), false);
    gbs_writer_close(&w, '}');
    return gbs_describe_end(&w, status, text, size);
}
